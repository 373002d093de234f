//! Sees which rows that were read before were taken back since.
//!
//! A program says nothing of it: a row is marked, or it is not there any more. How many rows stood up to
//! the last one, and the sum of their numbers, tells whether there is anything to look for; then every
//! stretch of a session in which no row of it stands is one that was taken back. Stretches in which
//! there never was anything but other sessions' rows are left out.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::open::Schema;
use super::{Table, Withdrawn};
use crate::format::Outcome;

const TAKEN_BACK: &str = "turns rolled back";

/// How rows of a table are taken back, if all the columns for that are there.
pub(super) fn of(table: &Table, schema: &Schema) -> Option<Withdrawn> {
    let withdrawn = table.withdrawn?;
    let columns = [withdrawn.session, withdrawn.stands, withdrawn.unless];
    columns
        .iter()
        .all(|column| schema.column(table.name, column))
        .then_some(withdrawn)
}

/// Whether a row that was read stands.
pub(super) fn is_standing(withdrawn: Withdrawn, row: &Map<String, Value>) -> bool {
    let flag = |column: &str, absent| {
        let value = row.get(column).and_then(Value::as_i64);
        value.map_or(absent, |value| value != 0)
    };
    flag(withdrawn.stands, true) || flag(withdrawn.unless, false)
}

/// The same as SQL.
fn stands(withdrawn: Withdrawn) -> String {
    let Withdrawn { stands, unless, .. } = withdrawn;
    format!("(coalesce(\"{stands}\", 1) <> 0 OR coalesce(\"{unless}\", 0) <> 0)")
}

/// How many rows up to one stand, and the sum of their numbers.
pub(super) fn standing(
    connection: &Connection,
    table: &Table,
    withdrawn: Withdrawn,
    last: i64,
) -> rusqlite::Result<(i64, i64)> {
    let query = format!(
        "SELECT count(*), CAST(total(rowid) AS INTEGER) FROM \"{}\" WHERE rowid <= ?1 AND {}",
        table.name,
        stands(withdrawn)
    );
    connection.query_row(&query, [last], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// A session's rows, by their places among all rows.
#[derive(Default)]
struct Session {
    standing: Vec<usize>,
    marked: Vec<usize>,
}

/// What was taken back of the rows up to one.
pub(super) fn taken_back(
    connection: &Connection,
    table: &Table,
    withdrawn: Withdrawn,
    last: i64,
    out: &mut Vec<Outcome>,
) -> rusqlite::Result<()> {
    let query = format!(
        "SELECT rowid, \"{}\", {} FROM \"{}\" WHERE rowid <= ?1 ORDER BY rowid",
        withdrawn.session,
        stands(withdrawn),
        table.name
    );
    let mut numbers = Vec::new();
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([last])?;
    while let Some(row) = rows.next()? {
        let Ok(session) = row.get::<_, String>(1) else {
            continue;
        };
        let session = sessions.entry(session).or_default();
        let place = numbers.len();
        numbers.push(row.get::<_, i64>(0)?);
        if row.get(2)? {
            session.standing.push(place);
        } else {
            session.marked.push(place);
        }
    }
    for (name, session) in &sessions {
        for (from, to) in stretches(&numbers, session, last) {
            out.push(Outcome::TakenBack {
                session: name.clone(),
                from: from.max(0) as u64,
                to: to.max(0) as u64,
                at: None,
            });
            out.push(Outcome::Note(TAKEN_BACK));
        }
    }
    Ok(())
}

/// The stretches between a session's standing rows in which a row is marked or missing, from a number
/// up to the one behind it.
fn stretches(numbers: &[i64], session: &Session, last: i64) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    let mut marked = session.marked.iter().copied().peekable();
    // The number and the place behind the standing row before.
    let mut behind = (0, 0);
    let ends = session
        .standing
        .iter()
        .map(|&place| (numbers[place], place))
        .chain([(last.saturating_add(1), numbers.len())]);
    for (number, place) in ends {
        let mut is_marked = false;
        while marked.next_if(|&marked| marked < place).is_some() {
            is_marked = true;
        }
        let there = i64::try_from(place - behind.1).unwrap_or(i64::MAX);
        let missing = number.saturating_sub(behind.0) > there;
        if is_marked || missing && number > behind.0 {
            found.push((behind.0, number));
        }
        behind = (number.saturating_add(1), place + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(numbers: &[i64], standing: &[usize], marked: &[usize], last: i64) -> Vec<(i64, i64)> {
        let session = Session {
            standing: standing.to_vec(),
            marked: marked.to_vec(),
        };
        stretches(numbers, &session, last)
    }

    #[test]
    fn what_is_marked_or_missing_between_rows_that_stand_was_taken_back() {
        let all: Vec<i64> = (0..=6).collect();
        assert_eq!(found(&all, &[0, 2, 4, 6], &[], 6), []);
        assert_eq!(found(&all, &[0, 1, 2], &[5, 6], 6), [(3, 7)]);
        assert_eq!(found(&all, &[0, 6], &[3], 6), [(1, 6)]);
        // The third and the sixth are gone, the others are another session's.
        let some = [0, 1, 2, 4, 5];
        assert_eq!(found(&some, &[0, 3], &[], 6), [(1, 4), (5, 7)]);
        assert_eq!(found(&some, &[0, 1, 2], &[], 2), []);
        // Nothing of it stands.
        assert_eq!(found(&all, &[], &[0, 6], 6), [(0, 7)]);
    }
}

//! How far the tables of a database were read.
//!
//! A database has no bytes to come back to. Of a table that only grows the number of the last row is
//! kept, with a digest of what it says: a number that was given to another row since (rows were
//! deleted, the file was packed or replaced) makes the table be read anew. Of a table whose rows are
//! changed in place the time of the last change is kept. Two programs may write with times that are a
//! moment out of order, so what changed within a moment of it is looked at again, and the rows that
//! were read of it are remembered. Where a row that changes gets a new number, the last one is soon gone; rows
//! before it are remembered, the fewer the further back, and reading goes on behind the last of them
//! that is as it was. Whatever is read twice is recognised by its name.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

/// How far out of order times may be, in milliseconds: a program waits so long for another's write.
const OUT_OF_ORDER: i64 = 10_000;
/// How many of the rows that were read last are remembered; of more, the others are read again.
const REMEMBERED: usize = 500;
/// How many rows before the last one are remembered without a gap.
const NEAR: usize = 32;
/// Two changes of one row may have the same time. A row is remembered when it was changed so long
/// before the reading began, or so long after it that its time means nothing.
const SETTLED: i64 = 100;
const MEANINGLESS: i64 = 60 * 60 * 1000;

/// A row by the time of its change and its number.
pub(super) type Changed = (i64, i64);

/// How far one table was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The number of the row that was read last.
    pub last: Option<i64>,
    /// A digest of what it says.
    pub says: String,
    /// The latest change that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// How many of the rows up to the last one stood, and the sum of their numbers, where the program
    /// takes rows back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stood: Option<(i64, i64)>,
    /// Rows before the last one and digests of what they say, where rows get new numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<(i64, String)>,
    /// Rows that were read and will be looked at again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Changed>,
}

impl Mark {
    /// Moves to a row, and remembers the one before it where rows get new numbers.
    pub(super) fn move_to(&mut self, row: i64, says: String, replaced: bool) {
        let says = std::mem::replace(&mut self.says, says);
        let Some(last) = self.last.replace(row).filter(|_| replaced) else {
            return;
        };
        self.before.push((last, says));
        if self.before.len() > 3 * NEAR {
            let near = self.before.split_off(self.before.len() - NEAR);
            self.before = std::mem::take(&mut self.before)
                .into_iter()
                .step_by(2)
                .chain(near)
                .collect();
        }
    }

    /// Goes back to the row that is remembered before the last one; false where there is none.
    pub(super) fn step_back(&mut self) -> bool {
        let before = self.before.pop();
        let there = before.is_some();
        if let Some((row, says)) = before {
            (self.last, self.says) = (Some(row), says);
        }
        there
    }

    /// The row was read. One that is dated after `now` must not hide those that come, so it moves
    /// nothing.
    pub(super) fn pass(&mut self, row: Changed, now: i64) {
        if row.0 <= now {
            self.at = self.at.max(Some(row.0));
        }
        let fresh = now.saturating_sub(SETTLED)..now.saturating_add(MEANINGLESS);
        if !fresh.contains(&row.0) {
            self.again.push(row);
        }
        if self.again.len() > 4 * REMEMBERED {
            self.forget();
        }
    }

    /// Leaves out what lies too far back to be looked at again.
    pub(super) fn forget(&mut self) {
        let from = self.from();
        self.again.retain(|(at, _)| *at >= from);
        let many = self.again.len().saturating_sub(REMEMBERED);
        self.again.drain(..many);
    }

    /// The earliest change that is looked at again.
    pub(super) fn from(&self) -> i64 {
        self.at
            .map_or(i64::MIN, |at| at.saturating_sub(OUT_OF_ORDER))
    }

    /// The rows that need not be read again.
    pub(super) fn known(&self) -> HashSet<Changed> {
        self.again.iter().copied().collect()
    }
}

/// The marks of all tables, by their names.
pub(super) type Marks = BTreeMap<String, Mark>;

/// As they are kept in a file's row.
pub(super) fn written(marks: &Marks) -> String {
    serde_json::to_string(marks).unwrap_or_default()
}

/// As they were kept; none where the text is something else.
pub(super) fn read(text: &str) -> Marks {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_dated_ahead_hides_nothing() {
        let mut mark = Mark::default();
        mark.pass((1_000_000, 1), 2_000_000);
        mark.pass((2_000_100, 3), 2_000_000);
        mark.pass((9_000_000, 2), 2_000_000);
        assert_eq!((mark.at, mark.from()), (Some(1_000_000), 990_000));
        mark.forget();
        assert_eq!(mark.again, [(1_000_000, 1), (9_000_000, 2)]);
        let marks = Marks::from([("part".to_owned(), mark)]);
        assert_eq!(read(&written(&marks)), marks);
        assert_eq!(read("af0c"), Marks::new());
    }

    #[test]
    fn rows_before_the_last_are_remembered_more_sparsely_further_back() {
        let mut mark = Mark::default();
        (0..100_000).for_each(|row| mark.move_to(row, row.to_string(), true));
        assert!(mark.before.len() <= 3 * NEAR);
        let near: Vec<i64> = (100_000 - 1 - NEAR as i64..99_999).collect();
        let rows: Vec<i64> = mark.before.iter().map(|(row, _)| *row).collect();
        assert!(rows.ends_with(&near) && rows.is_sorted() && rows[0] < 60_000);
        assert!(mark.step_back());
        assert_eq!((mark.last, mark.says.as_str()), (Some(99_998), "99998"));
        let mut plain = Mark::default();
        (0..10).for_each(|row| plain.move_to(row, row.to_string(), false));
        assert!(!plain.step_back() && plain.last == Some(9));
    }

    #[test]
    fn what_is_remembered_is_bounded_and_old_enough() {
        let mut mark = Mark::default();
        (0..10_000).for_each(|row| mark.pass((5, row), 5000));
        mark.pass((4950, 0), 5000);
        mark.forget();
        assert_eq!(mark.again.len(), REMEMBERED);
        assert_eq!(mark.again.last(), Some(&(5, 9_999)));
    }
}

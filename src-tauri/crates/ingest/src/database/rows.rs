//! Reads a database on from where it was left, and gives out what comes next in parts of bounded
//! size.

use std::collections::HashSet;

use jiff::tz::TimeZone;
use memory::Millis;
use rusqlite::{Connection, ErrorCode};
use sha2::{Digest as _, Sha256};

use super::marks::{self, Changed, Mark, Marks};
use super::open::{self, Schema};
use super::statement::{Measured, Statement};
use super::withdrawn;
use super::{Database, Reader, Table};
use crate::fault::Fault;
use crate::format::{self, FileContext, Format, Outcome, Place, digest};
use crate::intake::{PART_BYTES, Part, too_long, written_at};
use crate::report::Options;
use crate::screen::Screen;
use crate::tail::{Cursor, LINE_LIMIT};
use crate::walk::FileFound;

/// How many rows are looked up ahead.
const PLANNED: usize = 500_000;
/// How many, where they are put into the order in which they changed; no log has more.
const MOST: usize = 20_000_000;
/// How many rows before a mark the reader is given again, for what it knows from them.
const BEFORE: i64 = 200;
/// How often a reader may ask for something before it takes a row.
const MOST_ASKED: usize = 4;
/// How much a store may hold that is compared as a whole, in bytes.
const WHOLE: u64 = 64 * 1024 * 1024;

const UNKNOWN: &str = "a database of another program";
const LONG: &str = "a store of more than 64 MiB: too long to be compared as a whole";
const BESIDE: &str = "beyond 64 MiB beside a store: left aside";

/// A database that is being read. It is read once; what comes later is read by another.
pub(crate) struct Rows {
    pub format: &'static dyn Format,
    database: &'static dyn Database,
    connection: Connection,
    schema: Schema,
    reader: Box<dyn Reader>,
    screen: Screen,
    file: FileContext,
    now: Millis,
    marks: Marks,
    continued: bool,
    /// Which of the tables is read.
    table: usize,
    plan: Option<Plan>,
    /// Of every row, for stores that are compared as a whole.
    whole: Sha256,
    read: u64,
    /// Bytes of rows of which each repeats others, beside a store.
    beside: u64,
    /// Why something was left unread.
    failed: Option<Fault>,
    /// All that a store holds, read when it was opened.
    store: Option<Part>,
}

/// What is noted of a row that was read.
struct Said {
    /// A digest of it.
    says: String,
    /// Whether it stands, in a table of which rows are taken back.
    stands: bool,
}

/// The rows of a table that are to be read.
struct Plan {
    rows: std::vec::IntoIter<Changed>,
    /// How many of them have none before them that is damaged: behind that a mark does not move.
    firm: usize,
    /// The last of them, when there may be more behind it.
    more: Option<Changed>,
}

impl Rows {
    /// Opens a database and goes to what a cursor says.
    pub(crate) fn open(
        found: &FileFound,
        options: &Options,
        cursor: Option<&Cursor>,
        now: Millis,
    ) -> Result<Self, Fault> {
        let (connection, schema) = open::open(&found.path)?;
        let wanted = options.wanted_format();
        let (format, database) = format::all()
            .iter()
            .filter(|format| wanted.is_none_or(|name| name == format.name()))
            .find_map(|format| {
                let database = format
                    .database()
                    .filter(|it| it.detect(&schema, &found.path))?;
                Some((format.as_ref(), database))
            })
            .ok_or(Fault::Foreign(UNKNOWN))?;
        let file = FileContext {
            path: found.path.clone(),
            modified: written_at(found.modified, now),
            subagents: options.subagents,
            // SQLite's own times name no zone, and mean this one.
            zone: TimeZone::UTC,
        };
        let marks = cursor.map_or_else(Marks::new, |cursor| marks::read(&cursor.tail_hash));
        let mut rows = Self {
            format,
            database,
            connection,
            schema,
            reader: database.reader(&file),
            screen: Screen::default(),
            now,
            continued: !marks.is_empty(),
            marks,
            table: 0,
            plan: None,
            whole: Sha256::new(),
            read: 0,
            beside: 0,
            failed: None,
            store: None,
            file,
        };
        rows.screen.touched(rows.file.modified.or(Some(now)));
        if format.rewritten() {
            let mut part = Part::default();
            rows.read_on(usize::MAX, &mut part)?;
            part.snapshot = rows.failed.is_none();
            part.cursor.head_hash = hex::encode(rows.whole.clone().finalize());
            rows.store = Some(part);
        }
        Ok(rows)
    }

    /// Whether it began where a cursor stood.
    pub(crate) fn continued(&self) -> bool {
        self.continued
    }

    /// Whether a store is as it was when a cursor was made.
    pub(crate) fn is_unchanged(&self, cursor: &Cursor) -> bool {
        self.failed.is_none()
            && self
                .store
                .as_ref()
                .is_some_and(|part| part.cursor.head_hash == cursor.head_hash)
    }

    /// Reads on, until `records` outcomes are there or there are no more rows.
    pub(crate) fn next_part(&mut self, records: usize) -> Result<Part, Fault> {
        let mut part = match self.store.take() {
            Some(part) => part,
            None if self.is_done() => match self.failed.take() {
                Some(fault) => return Err(fault),
                None => Part::default(),
            },
            None => {
                let mut part = Part::default();
                self.read_on(records, &mut part)?;
                part
            }
        };
        part.end = self.is_done() && self.failed.is_none();
        if !self.format.rewritten() {
            part.cursor.tail_hash = marks::written(&self.marks);
        }
        Ok(part)
    }

    fn is_done(&self) -> bool {
        self.table >= self.database.tables().len()
    }

    fn read_on(&mut self, records: usize, part: &mut Part) -> Result<(), Fault> {
        open::limit_time(&mut self.connection).map_err(|error| open::why(&error))?;
        while let Some(table) = self.database.tables().get(self.table) {
            match self.read_table(table, records, part) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // What is damaged or too slow in one table says nothing about the others.
                Err(error) => {
                    self.failed.get_or_insert(open::why(&error));
                }
            }
            self.plan = None;
            self.table += 1;
            if self.is_too_long() {
                return Err(Fault::Unreadable(LONG.to_owned()));
            }
        }
        let mut raw = Vec::new();
        self.reader.finish(&mut raw);
        self.give(&mut raw, part);
        Ok(())
    }

    /// Whether only the last one of rows that repeat each other is read of a table.
    fn reads_last(&self, table: &Table) -> bool {
        self.format.rewritten() && !table.versions.is_empty()
    }

    fn is_too_long(&self) -> bool {
        self.format.rewritten() && self.read > WHOLE
    }

    /// Reads on in a table; true at its end.
    fn read_table(
        &mut self,
        table: &'static Table,
        records: usize,
        part: &mut Part,
    ) -> rusqlite::Result<bool> {
        if !self.schema.has(table) {
            return Ok(true);
        }
        let statement = Statement::of(table, &self.schema);
        if self.plan.is_none() {
            match self.look_back(table, part) {
                // What cannot be seen of what was read before is no reason to read nothing new.
                Err(error) if is_damage(&error) => {
                    self.failed.get_or_insert(open::why(&error));
                }
                seen => seen?,
            }
            self.check_mark(table, &statement)?;
            let plan = self.plan(table, None)?;
            self.plan = Some(plan);
        }
        let mut raw = Vec::new();
        loop {
            let next = self.plan.as_mut().and_then(|plan| plan.rows.next());
            let Some(row) = next else {
                let more = self.plan.as_ref().and_then(|plan| plan.more);
                if more.is_none() {
                    break;
                }
                let plan = self.plan(table, more)?;
                self.plan = Some(plan);
                continue;
            };
            let read = match self.row(table, &statement, row.1, part, &mut raw) {
                Err(error) if is_damage(&error) => {
                    self.failed.get_or_insert(open::why(&error));
                    if let Some(plan) = &mut self.plan {
                        plan.firm = 0;
                    }
                    None
                }
                read => read?,
            };
            self.give(&mut raw, part);
            if self.is_firm() {
                self.pass(table, row, read);
            }
            let full = part.outcomes.len() >= records || part.bytes >= PART_BYTES;
            if full && !self.format.rewritten() {
                return Ok(false);
            }
            if self.is_too_long() {
                break;
            }
        }
        if let Some(mark) = self.marks.get_mut(table.name) {
            mark.forget();
        }
        Ok(true)
    }

    /// Moves the mark of a table.
    fn pass(&mut self, table: &Table, row: Changed, read: Option<Said>) {
        let mark = self.marks.entry(table.name.to_owned()).or_default();
        if let Some(Said { says, stands }) = read {
            mark.move_to(row.1, says, table.replaced);
            if stands {
                let (count, sum) = mark.stood.unwrap_or_default();
                mark.stood = Some((count + 1, sum.saturating_add(row.1)));
            }
        }
        if table.changed.is_some() {
            mark.pass(row, self.now);
        }
    }

    /// Whether the mark may move to the next row; then there is one less of those.
    fn is_firm(&mut self) -> bool {
        let Some(plan) = &mut self.plan else {
            return false;
        };
        let firm = plan.firm > 0;
        plan.firm = plan.firm.saturating_sub(1);
        firm
    }

    /// Takes a row; what it says, for its mark. One that is gone by now is none.
    fn row(
        &mut self,
        table: &Table,
        statement: &Statement,
        number: i64,
        part: &mut Part,
        raw: &mut Vec<Outcome>,
    ) -> rusqlite::Result<Option<Said>> {
        let place = place(number);
        let Some(measured) = statement.measure(&self.connection, number)? else {
            return Ok(None);
        };
        let length = measured.bytes;
        if let Some(others) = other(table, &measured) {
            raw.push(Outcome::Skip(others.into()));
            return Ok(Some(Said {
                says: outline(&measured),
                stands: false,
            }));
        }
        if self.reads_last(table) {
            // They are no reason to leave a store unread.
            if self.beside + length > WHOLE {
                raw.push(Outcome::Skip(BESIDE.into()));
                return Ok(None);
            }
            self.beside += length;
        } else {
            self.read += length;
        }
        part.bytes += length;
        if length > LINE_LIMIT as u64 {
            let bytes = length.to_string();
            let row = measured.key.unwrap_or_else(|| number.to_string());
            let key = digest(&["stub", &self.file.stem(), table.name, &row, &bytes]);
            let scope = self.reader.scope();
            raw.push(too_long(&self.file, scope, place, ("row", length), key));
            let stands = table.withdrawn.is_some();
            return Ok(Some(Said {
                says: bytes,
                stands,
            }));
        }
        let Some((row, says)) = statement.row(&self.connection, number, raw)? else {
            return Ok(None);
        };
        // A few packed bytes may be a long text: a part is as long as what it holds.
        part.bytes += statement.unpacked(&row);
        if self.format.rewritten() {
            self.whole.update(says.as_bytes());
        }
        let stands = withdrawn::of(table, &self.schema)
            .is_some_and(|withdrawn| withdrawn::is_standing(withdrawn, &row));
        for _ in 0..MOST_ASKED {
            let Some(asked) = self.reader.asks(table.name, &row) else {
                break;
            };
            let found = asked.find(&self.connection, &self.schema)?;
            self.reader.told(&asked, found.as_ref());
        }
        self.reader.row(table.name, &row, place, raw);
        Ok(Some(Said { says, stands }))
    }

    /// Sees which rows that were read before were taken back since.
    fn look_back(&mut self, table: &Table, part: &mut Part) -> rusqlite::Result<()> {
        let (Some(withdrawn), Some(mark)) = (
            withdrawn::of(table, &self.schema),
            self.marks.get_mut(table.name),
        ) else {
            return Ok(());
        };
        let Some(last) = mark.last else {
            return Ok(());
        };
        let stand = withdrawn::standing(&self.connection, table, withdrawn, last)?;
        if mark.stood.is_some_and(|stood| stood != stand) {
            let mut raw = Vec::new();
            withdrawn::taken_back(&self.connection, table, withdrawn, last, &mut raw)?;
            part.outcomes.append(&mut raw);
        }
        mark.stood = Some(stand);
        Ok(())
    }

    /// Sees whether the row that was read last is still there. If so, the reader gets to know what it
    /// knew; if not, the table is read anew.
    fn check_mark(&mut self, table: &'static Table, statement: &Statement) -> rusqlite::Result<()> {
        let Some(mark) = self.marks.get_mut(table.name) else {
            return Ok(());
        };
        let last = loop {
            let says = match mark.last {
                Some(last) => says(table, statement, &self.connection, last)?,
                None => None,
            };
            if says.is_some_and(|says| says == mark.says) {
                break mark.last;
            }
            if !mark.step_back() {
                self.marks.remove(table.name);
                return Ok(());
            }
        };
        let alone = table.changed.is_some() || table.replaced;
        let Some(last) = last.filter(|_| !alone) else {
            return Ok(());
        };
        let mut dropped = Vec::new();
        let before = format!(
            "SELECT rowid FROM \"{}\" WHERE rowid <= ?1 ORDER BY rowid DESC LIMIT {BEFORE}",
            table.name
        );
        let mut numbers = self
            .connection
            .prepare(&before)?
            .query_map([last], |row| row.get::<_, i64>(0))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        numbers.reverse();
        for number in numbers {
            self.row(table, statement, number, &mut Part::default(), &mut dropped)?;
            dropped
                .drain(..)
                .for_each(|outcome| self.screen.pass(&outcome));
        }
        Ok(())
    }

    /// The rows that are to be read, behind one of them. Where a page is damaged, those before it and,
    /// from the other end, those behind it.
    fn plan(&mut self, table: &Table, behind: Option<Changed>) -> rusqlite::Result<Plan> {
        let (mut rows, broken) = self.found(table, behind, "ASC")?;
        let mut firm = rows.len();
        let more = rows.last().copied().filter(|_| rows.len() == PLANNED);
        if let Some(error) = broken {
            self.failed.get_or_insert(open::why(&error));
            let before: HashSet<Changed> = rows.iter().copied().collect();
            let (mut others, _) = self.found(table, behind, "DESC")?;
            others.retain(|row| !before.contains(row));
            others.reverse();
            rows.append(&mut others);
            if table.changed.is_some() {
                firm = 0;
            }
        }
        if table.changed.is_some() {
            // A mark says that all that changed before it was read.
            rows.sort_unstable();
        }
        Ok(Plan {
            rows: rows.into_iter(),
            firm,
            more: more.filter(|_| table.changed.is_none()),
        })
    }

    /// The same from one end, up to what is damaged.
    fn found(
        &self,
        table: &Table,
        behind: Option<Changed>,
        order: &str,
    ) -> rusqlite::Result<(Vec<Changed>, Option<rusqlite::Error>)> {
        let mark = self.marks.get(table.name);
        let (at, first, most) = if let Some(changed) = table.changed {
            let at = format!(
                "CASE WHEN typeof(\"{changed}\") = 'integer' THEN \"{changed}\" ELSE 0 END"
            );
            (at, None, MOST)
        } else {
            let last = mark.and_then(|mark| mark.last);
            ("0".to_owned(), behind.map(|row| row.1).or(last), PLANNED)
        };
        let from = mark.map_or(i64::MIN, Mark::from);
        let last = if self.reads_last(table) {
            format!(
                "AND rowid IN (SELECT max(rowid) FROM \"{}\" GROUP BY \"{}\")",
                table.name,
                table.versions.join("\", \"")
            )
        } else {
            String::new()
        };
        let planned = format!(
            "SELECT {at}, rowid FROM \"{}\" WHERE (rowid > ?1 OR ?2) AND {at} >= ?3 {last} \
             ORDER BY rowid {order} LIMIT {most}",
            table.name
        );
        let known = mark.map(Mark::known).unwrap_or_default();
        let mut planned = self.connection.prepare(&planned)?;
        let mut found = Vec::new();
        let mut rows = planned.query((first.unwrap_or(i64::MIN), first.is_none(), from))?;
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let row = (row.get(0)?, row.get(1)?);
                    if !known.contains(&row) {
                        found.push(row);
                    }
                }
                Ok(None) => return Ok((found, None)),
                Err(error) if is_damage(&error) => return Ok((found, Some(error))),
                Err(error) => return Err(error),
            }
        }
    }

    fn give(&mut self, raw: &mut Vec<Outcome>, part: &mut Part) {
        for outcome in raw.drain(..) {
            self.screen.screen(outcome, &mut part.outcomes);
        }
    }
}

/// Why a row of a table of many things is left out, if it is.
fn other(table: &Table, measured: &Measured) -> Option<&'static str> {
    let keys = table.keys?;
    let key = measured.key.as_deref().unwrap_or_default();
    let wanted = keys.begins.iter().any(|begin| key.starts_with(begin));
    (!wanted).then_some(keys.others)
}

/// What is noted of a row that is left out without being read.
fn outline(measured: &Measured) -> String {
    let key = measured.key.as_deref().unwrap_or_default();
    digest(&[key, &measured.bytes.to_string()])
}

/// What a row says now, as it is noted for its mark.
fn says(
    table: &Table,
    statement: &Statement,
    connection: &Connection,
    number: i64,
) -> rusqlite::Result<Option<String>> {
    let Some(measured) = statement.measure(connection, number)? else {
        return Ok(None);
    };
    if other(table, &measured).is_some() {
        return Ok(Some(outline(&measured)));
    }
    if measured.bytes > LINE_LIMIT as u64 {
        return Ok(Some(measured.bytes.to_string()));
    }
    let row = statement.row(connection, number, &mut Vec::new())?;
    Ok(row.map(|(_, says)| says))
}

fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}

/// Where a row stands: its number, as the line of a log. A place before the first is the first.
fn place(number: i64) -> Place {
    let number = u64::try_from(number).unwrap_or(1).max(1);
    Place {
        offset: number,
        line: number,
    }
}

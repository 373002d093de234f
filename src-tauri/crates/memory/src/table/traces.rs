//! Traces of past queries, as JSON text, the latest only.

use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::VaultError;
use crate::filter::count;
use crate::memory::Millis;

pub(crate) const MIGRATION: &str = "
CREATE TABLE traces(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, json TEXT NOT NULL);
";

/// How many traces are kept.
pub const TRACES_KEPT: u32 = 500;

/// A stored trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTrace {
    /// Its row.
    pub id: i64,
    /// When it was stored.
    pub at: Millis,
    /// The trace.
    pub json: String,
}

/// Reads traces.
pub struct Traces<'a>(&'a Connection);

impl<'a> Traces<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// One trace.
    pub fn get(&self, id: i64) -> Result<Option<StoredTrace>, VaultError> {
        Ok(self
            .0
            .prepare_cached("SELECT id, at, json FROM traces WHERE id = ?")?
            .query_row([id], read)
            .optional()?)
    }

    /// Those before a row (all when `None`), newest first.
    pub fn page(&self, before: Option<i64>, limit: u32) -> Result<Vec<StoredTrace>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT id, at, json FROM traces WHERE id < ? ORDER BY id DESC LIMIT ?",
        )?;
        let rows = statement.query_map((before.unwrap_or(i64::MAX), limit), read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many are kept.
    pub fn count(&self) -> Result<u32, VaultError> {
        let rows = self
            .0
            .prepare_cached("SELECT count(*) FROM traces")?
            .query_row([], |row| row.get(0))?;
        count(rows)
    }

    /// The latest, newest first.
    pub fn latest(&self, limit: u32) -> Result<Vec<StoredTrace>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT id, at, json FROM traces ORDER BY id DESC LIMIT ?")?;
        let rows = statement.query_map([limit], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredTrace> {
    Ok(StoredTrace {
        id: row.get(0)?,
        at: row.get(1)?,
        json: row.get(2)?,
    })
}

/// Writes traces.
pub struct TracesMut<'a>(Traces<'a>);

impl<'a> Deref for TracesMut<'a> {
    type Target = Traces<'a>;

    fn deref(&self) -> &Traces<'a> {
        &self.0
    }
}

impl<'a> TracesMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Traces(connection))
    }

    /// Stores a trace and lets the oldest beyond [`TRACES_KEPT`] go. Returns its row.
    pub fn put(&self, json: &str, now: Millis) -> Result<i64, VaultError> {
        let connection = self.0.0;
        connection
            .prepare_cached("INSERT INTO traces(at, json) VALUES(?, ?)")?
            .execute((now, json))?;
        let id = connection.last_insert_rowid();
        connection
            .prepare_cached("DELETE FROM traces WHERE id <= ?")?
            .execute([id - i64::from(TRACES_KEPT)])?;
        Ok(id)
    }
    /// Puts a trace in the place of an earlier one, which keeps its row; one that is gone by now
    /// makes a new row. Returns the row.
    pub fn replace(&self, id: i64, json: &str, now: Millis) -> Result<i64, VaultError> {
        let changed = self
            .0
            .0
            .prepare_cached("UPDATE traces SET at = ?, json = ? WHERE id = ?")?
            .execute((now, json, id))?;
        if changed == 0 {
            return self.put(json, now);
        }
        Ok(id)
    }

    /// Forgets all of them. Returns how many there were.
    pub fn clear(&self) -> Result<u32, VaultError> {
        let removed = self.0.0.execute("DELETE FROM traces", [])?;
        Ok(u32::try_from(removed).unwrap_or(u32::MAX))
    }
}

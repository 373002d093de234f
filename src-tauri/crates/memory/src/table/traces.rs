//! Traces of past queries, as JSON text, the latest only.

use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::VaultError;
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
}

//! Where and when a memory was said again: the row of the memory itself is where it was said first.

use rusqlite::{Connection, params};

use super::Memories;
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis, NewMemory};
use crate::table::signed;

/// A repeat keeps its conversation, time and line. `merged_from` names the memory that it belonged
/// to before both became one.
pub(crate) const MIGRATION: &str = "
CREATE TABLE sightings(
    id INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL,
    at INTEGER,
    session TEXT,
    file_id INTEGER,
    path_id INTEGER,
    line INTEGER,
    merged_from INTEGER
);
CREATE INDEX sightings_memory ON sightings(memory_id);
CREATE INDEX sightings_session ON sightings(session) WHERE session IS NOT NULL;
CREATE INDEX sightings_at ON sightings(at) WHERE at IS NOT NULL;
CREATE INDEX sightings_path ON sightings(path_id) WHERE path_id IS NOT NULL;
";

/// Sightings that are listed of one memory at most.
const MOST: u32 = 500;

/// One time that something was said again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// When, if its record says so.
    pub at: Option<Millis>,
    /// In which conversation.
    pub session: Option<String>,
    /// The log, if it came from one.
    pub path: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u64>,
}

impl Memories<'_> {
    /// When and where a memory was said again, the latest first; 500 at most.
    pub fn sightings(&self, id: MemoryId) -> Result<Vec<Sighting>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT s.at, s.session, (SELECT path FROM source_paths p WHERE p.id = s.path_id), \
             s.line FROM sightings s WHERE s.memory_id = ? ORDER BY s.at IS NULL, s.at DESC, \
             s.id DESC LIMIT ?",
        )?;
        let rows = statement.query_map((id.0, MOST), |row| {
            Ok(Sighting {
                at: row.get(0)?,
                session: row.get(1)?,
                path: row.get(2)?,
                line: row.get::<_, Option<i64>>(3)?.map(|line| line.max(0) as u64),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Notes that a record said what a memory says. Returns the number of the note.
pub(super) fn note(
    connection: &Connection,
    id: MemoryId,
    new: &NewMemory,
    path: Option<i64>,
) -> Result<i64, VaultError> {
    let from = new.provenance.as_ref();
    let line = from.map(|from| signed(from.line)).transpose()?;
    connection
        .prepare_cached(
            "INSERT INTO sightings(memory_id, at, session, file_id, path_id, line) \
             VALUES(?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            id.0,
            new.created_at,
            new.scope.session,
            from.map(|from| from.file_id),
            path,
            line
        ])?;
    Ok(connection.last_insert_rowid())
}

/// The note that was made last of a memory.
pub(super) fn latest(connection: &Connection, id: MemoryId) -> Result<Option<i64>, VaultError> {
    Ok(connection
        .prepare_cached("SELECT max(id) FROM sightings WHERE memory_id = ?")?
        .query_row([id.0], |row| row.get(0))?)
}

/// Takes a note back.
pub(crate) fn forget(connection: &Connection, note: i64) -> Result<(), VaultError> {
    connection
        .prepare_cached("DELETE FROM sightings WHERE id = ?")?
        .execute([note])?;
    Ok(())
}

/// Where `goes` was said, first and later, is where `stays` was said again.
pub(super) fn join(
    connection: &Connection,
    stays: MemoryId,
    goes: MemoryId,
) -> Result<(), VaultError> {
    connection
        .prepare_cached(
            "INSERT INTO sightings(memory_id, at, session, file_id, path_id, line, merged_from) \
             SELECT ?1, created_at, session, file_id, path_id, source_line, id \
                 FROM memories WHERE id = ?2 \
             UNION ALL SELECT ?1, at, session, file_id, path_id, line, ?2 \
                 FROM sightings WHERE memory_id = ?2",
        )?
        .execute((stays.0, goes.0))?;
    Ok(())
}

/// Takes [`join`] back.
pub(crate) fn part(
    connection: &Connection,
    stayed: MemoryId,
    gone: MemoryId,
) -> Result<(), VaultError> {
    connection
        .prepare_cached("DELETE FROM sightings WHERE memory_id = ? AND merged_from = ?")?
        .execute((stayed.0, gone.0))?;
    Ok(())
}

//! Watched folders and files.

use std::collections::BTreeMap;
use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::error::VaultError;
use crate::memory::Millis;

pub(crate) const MIGRATION: &str = "
CREATE TABLE sources(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    format TEXT,
    subagents INTEGER NOT NULL,
    state TEXT NOT NULL,
    state_reason TEXT,
    added_at INTEGER NOT NULL
);
CREATE TABLE skipped(
    source_id INTEGER NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY(source_id, reason)
) WITHOUT ROWID;
";

/// Names a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub i64);

/// What is happening to a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// The system reports changes.
    Watching,
    /// Changes are looked for at intervals.
    Polling,
    /// Existing content is being read.
    Backfilling,
    /// Left alone for now.
    Paused,
    /// The folder is not there.
    Missing,
}

impl SourceState {
    const ALL: [Self; 5] = [
        Self::Watching,
        Self::Polling,
        Self::Backfilling,
        Self::Paused,
        Self::Missing,
    ];

    /// Its name in the vault and the window.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Watching => "watching",
            Self::Polling => "polling",
            Self::Backfilling => "backfilling",
            Self::Paused => "paused",
            Self::Missing => "missing",
        }
    }
}

/// A watched folder or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// Its name.
    pub id: SourceId,
    /// Its path.
    pub path: String,
    /// The format it was given; `None` = detect.
    pub format: Option<String>,
    /// Sub-agents' transcripts too.
    pub subagents: bool,
    /// What is happening to it.
    pub state: SourceState,
    /// Why, when not watching.
    pub state_reason: Option<String>,
    /// When it was added.
    pub added_at: Millis,
}

const COLUMNS: &str = "id, path, format, subagents, state, state_reason, added_at";

fn read(row: &Row<'_>) -> rusqlite::Result<SourceRow> {
    let state: String = row.get(4)?;
    Ok(SourceRow {
        id: SourceId(row.get(0)?),
        path: row.get(1)?,
        format: row.get(2)?,
        subagents: row.get(3)?,
        state: SourceState::ALL
            .into_iter()
            .find(|known| known.as_str() == state)
            .unwrap_or(SourceState::Paused),
        state_reason: row.get(5)?,
        added_at: row.get(6)?,
    })
}

/// Reads sources.
pub struct Sources<'a>(&'a Connection);

impl<'a> Sources<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// All, oldest first.
    pub fn all(&self) -> Result<Vec<SourceRow>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM sources ORDER BY id");
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One.
    pub fn get(&self, id: SourceId) -> Result<Option<SourceRow>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM sources WHERE id = ?");
        Ok(self
            .0
            .prepare_cached(&sql)?
            .query_row([id.0], read)
            .optional()?)
    }

    /// The source of a path.
    pub fn by_path(&self, path: &str) -> Result<Option<SourceRow>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM sources WHERE path = ?");
        Ok(self
            .0
            .prepare_cached(&sql)?
            .query_row([path], read)
            .optional()?)
    }

    /// Records left out, by reason. `None` = imports that belong to no source.
    pub fn skipped(&self, id: Option<SourceId>) -> Result<BTreeMap<String, u32>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT reason, count FROM skipped WHERE source_id = ?")?;
        let rows = statement.query_map([row_of(id)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Row 0 stands for imports without a source: a key column cannot be NULL and stay unique.
fn row_of(id: Option<SourceId>) -> i64 {
    id.map_or(0, |id| id.0)
}

/// Writes sources.
pub struct SourcesMut<'a>(Sources<'a>);

impl<'a> Deref for SourcesMut<'a> {
    type Target = Sources<'a>;

    fn deref(&self) -> &Sources<'a> {
        &self.0
    }
}

impl<'a> SourcesMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Sources(connection))
    }

    /// Adds a folder or file. One that is there already keeps its row and takes the new options.
    pub fn add(
        &self,
        path: &str,
        format: Option<&str>,
        subagents: bool,
        now: Millis,
    ) -> Result<SourceRow, VaultError> {
        self.0.0.execute(
            "INSERT INTO sources(path, format, subagents, state, added_at) \
             VALUES(?, ?, ?, 'paused', ?) \
             ON CONFLICT(path) DO UPDATE SET format = excluded.format, subagents = excluded.subagents",
            (path, format, subagents, now),
        )?;
        self.by_path(path)?.ok_or(VaultError::NotFound)
    }

    /// Stops knowing a source. Its memories stay, and so do its files' positions: watching it
    /// again reads on from there.
    ///
    /// # Errors
    /// [`VaultError::NotFound`].
    pub fn remove(&self, id: SourceId) -> Result<(), VaultError> {
        let connection = self.0.0;
        if connection.execute("DELETE FROM sources WHERE id = ?", [id.0])? == 0 {
            return Err(VaultError::NotFound);
        }
        connection.execute("DELETE FROM skipped WHERE source_id = ?", [id.0])?;
        connection.execute(
            "UPDATE files SET source_id = NULL WHERE source_id = ?",
            [id.0],
        )?;
        Ok(())
    }

    /// Notes what is happening to a source; `reason` in plain words when it is not watching.
    pub fn set_state(
        &self,
        id: SourceId,
        state: SourceState,
        reason: Option<&str>,
    ) -> Result<(), VaultError> {
        let changed = self.0.0.execute(
            "UPDATE sources SET state = ?, state_reason = ? WHERE id = ?",
            (state.as_str(), reason, id.0),
        )?;
        if changed == 0 {
            return Err(VaultError::NotFound);
        }
        Ok(())
    }

    /// Counts records left out. `reason` is a code, never a record's text.
    pub fn count_skipped(
        &self,
        id: Option<SourceId>,
        reason: &str,
        more: u32,
    ) -> Result<(), VaultError> {
        self.0
            .0
            .prepare_cached(
                "INSERT INTO skipped VALUES(?, ?, ?) \
                 ON CONFLICT DO UPDATE SET count = count + excluded.count",
            )?
            .execute((row_of(id), reason, more))?;
        Ok(())
    }
}

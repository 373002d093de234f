//! Log files, how far each was read, and the lines that could not be.

use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::signed;
use super::sources::SourceId;
use crate::error::VaultError;
use crate::memory::Millis;

pub(crate) const MIGRATION: &str = "
CREATE TABLE files(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER,
    path TEXT NOT NULL,
    identity TEXT NOT NULL,
    size INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    line INTEGER NOT NULL,
    head_hash TEXT NOT NULL,
    tail_hash TEXT NOT NULL,
    format TEXT,
    mapping TEXT,
    records INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    last_seen_at INTEGER
);
CREATE INDEX files_path ON files(path);
CREATE INDEX files_identity ON files(identity);
CREATE INDEX files_source ON files(source_id);
CREATE TABLE ingest_errors(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX ingest_errors_file ON ingest_errors(file_id);
";

/// Schema 8. `digest` is of everything read, `open_key` names the entry that may still grow.
pub(crate) const READ_HOW: &str = "
ALTER TABLE files ADD COLUMN subagents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN open_key TEXT;
";

/// Schema 9. A format that a person asked for stands, whatever the file looks like later.
pub(crate) const ASKED_FOR: &str = "
ALTER TABLE files ADD COLUMN format_asked INTEGER NOT NULL DEFAULT 0;
";

/// How many errors are kept per file; the counter goes on.
const ERRORS_KEPT: i64 = 200;

/// Names a log file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub i64);

/// A log file to be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewFile {
    /// The source it belongs to; `None` for a one-off import.
    pub source_id: Option<SourceId>,
    /// Its path.
    pub path: String,
    /// What stays the same when it is renamed, for example device and inode.
    pub identity: String,
}

/// A log file and how far it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Its name.
    pub id: FileId,
    /// The source it belongs to; `None` for a one-off import.
    pub source_id: Option<SourceId>,
    /// Its path.
    pub path: String,
    /// What stays the same when it is renamed.
    pub identity: String,
    /// Size in bytes when last looked at.
    pub size: u64,
    /// Bytes read: everything before is stored or was skipped.
    pub offset: u64,
    /// Lines read.
    pub line: u64,
    /// Digest of its first bytes, to notice replacement.
    pub head_hash: String,
    /// Digest of the bytes just before `offset`, to notice rewriting.
    pub tail_hash: String,
    /// Digest of all bytes before `offset`, to notice a change in the middle; empty when not known.
    pub digest: String,
    /// What the entry at `offset` is called that was stored although it may still grow.
    pub open_key: Option<String>,
    /// Sub-agents' records were taken too.
    pub subagents: bool,
    /// The format it is read as.
    pub format: Option<String>,
    /// A person asked for that format.
    pub format_asked: bool,
    /// Which key was taken for what, for generic formats.
    pub mapping: Option<String>,
    /// Records read.
    pub records: u32,
    /// Memories stored from it.
    pub stored: u32,
    /// Lines that could not be read, counted; [`FilesMut::error`] adds to it.
    pub errors: u32,
    /// When something last came.
    pub last_seen_at: Option<Millis>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestError {
    /// The file.
    pub file_id: FileId,
    /// Its path.
    pub path: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong, without any of the line's text.
    pub reason: String,
    /// When it was noticed.
    pub at: Millis,
}

const COLUMNS: &str = "id, source_id, path, identity, size, offset, line, head_hash, tail_hash, \
                       format, mapping, records, stored, errors, last_seen_at, digest, open_key, \
                       subagents, format_asked";

fn unsigned(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(index).map(|number| number.max(0) as u64)
}

fn read(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: FileId(row.get(0)?),
        source_id: row.get::<_, Option<i64>>(1)?.map(SourceId),
        path: row.get(2)?,
        identity: row.get(3)?,
        size: unsigned(row, 4)?,
        offset: unsigned(row, 5)?,
        line: unsigned(row, 6)?,
        head_hash: row.get(7)?,
        tail_hash: row.get(8)?,
        format: row.get(9)?,
        mapping: row.get(10)?,
        records: row.get(11)?,
        stored: row.get(12)?,
        errors: row.get(13)?,
        last_seen_at: row.get(14)?,
        digest: row.get(15)?,
        open_key: row.get(16)?,
        subagents: row.get(17)?,
        format_asked: row.get(18)?,
    })
}

/// Reads the list of log files.
pub struct Files<'a>(&'a Connection);

impl<'a> Files<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    fn one(
        &self,
        condition: &str,
        value: &dyn rusqlite::ToSql,
    ) -> Result<Option<FileRow>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM files WHERE {condition} ORDER BY id DESC LIMIT 1");
        Ok(self
            .0
            .prepare_cached(&sql)?
            .query_row([value], read)
            .optional()?)
    }

    /// One file.
    pub fn get(&self, id: FileId) -> Result<Option<FileRow>, VaultError> {
        self.one("id = ?", &id.0)
    }

    /// The latest file known under a path.
    pub fn by_path(&self, path: &str) -> Result<Option<FileRow>, VaultError> {
        self.one("path = ?", &path)
    }

    /// The latest file known under an identity.
    pub fn by_identity(&self, identity: &str) -> Result<Option<FileRow>, VaultError> {
        self.one("identity = ?", &identity)
    }

    /// All files of a source, oldest first.
    pub fn of_source(&self, id: SourceId) -> Result<Vec<FileRow>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM files WHERE source_id = ? ORDER BY id");
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map([id.0], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All files, oldest first.
    pub fn all(&self) -> Result<Vec<FileRow>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM files ORDER BY id");
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Errors of a source's files, latest first.
    pub fn errors(&self, id: SourceId, limit: u32) -> Result<Vec<IngestError>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT e.file_id, f.path, e.line, e.reason, e.at FROM ingest_errors e \
             JOIN files f ON f.id = e.file_id WHERE f.source_id = ? ORDER BY e.id DESC LIMIT ?",
        )?;
        let rows = statement.query_map((id.0, limit), |row| {
            Ok(IngestError {
                file_id: FileId(row.get(0)?),
                path: row.get(1)?,
                line: unsigned(row, 2)?,
                reason: row.get(3)?,
                at: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Writes the list of log files.
pub struct FilesMut<'a>(Files<'a>);

impl<'a> Deref for FilesMut<'a> {
    type Target = Files<'a>;

    fn deref(&self) -> &Files<'a> {
        &self.0
    }
}

impl<'a> FilesMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Files(connection))
    }

    /// Begins to follow a file, from its start. Whether it is new is the caller's to decide:
    /// a path can come to name another file. One that has both this path and this identity is the
    /// same file: another program began with it meanwhile.
    pub fn add(&self, file: &NewFile) -> Result<FileRow, VaultError> {
        let connection = self.0.0;
        let same = format!(
            "SELECT {COLUMNS} FROM files WHERE identity = ? AND path = ? ORDER BY id DESC LIMIT 1"
        );
        let known = connection
            .prepare_cached(&same)?
            .query_row((&file.identity, &file.path), read)
            .optional()?;
        if let Some(known) = known {
            return Ok(known);
        }
        connection
            .prepare_cached(
                "INSERT INTO files(source_id, path, identity, size, offset, line, head_hash, \
                 tail_hash, records, stored, errors) VALUES(?, ?, ?, 0, 0, 0, '', '', 0, 0, 0)",
            )?
            .execute((file.source_id.map(|id| id.0), &file.path, &file.identity))?;
        self.get(FileId(connection.last_insert_rowid()))?
            .ok_or(VaultError::NotFound)
    }

    /// Stores a file's new position and counters, everything but `errors`. Belongs into the
    /// transaction that stores the memories read up to there.
    ///
    /// # Errors
    /// [`VaultError::NotFound`].
    pub fn update(&self, file: &FileRow) -> Result<(), VaultError> {
        let changed = self
            .0
            .0
            .prepare_cached(
                "UPDATE files SET source_id = ?, path = ?, identity = ?, size = ?, offset = ?, \
                 line = ?, head_hash = ?, tail_hash = ?, format = ?, mapping = ?, records = ?, \
                 stored = ?, last_seen_at = ?, digest = ?, open_key = ?, subagents = ?, \
                 format_asked = ? WHERE id = ?",
            )?
            .execute(rusqlite::params![
                file.source_id.map(|id| id.0),
                file.path,
                file.identity,
                signed(file.size)?,
                signed(file.offset)?,
                signed(file.line)?,
                file.head_hash,
                file.tail_hash,
                file.format,
                file.mapping,
                file.records,
                file.stored,
                file.last_seen_at,
                file.digest,
                file.open_key,
                file.subagents,
                file.format_asked,
                file.id.0,
            ])?;
        if changed == 0 {
            return Err(VaultError::NotFound);
        }
        Ok(())
    }

    /// Has the files at or below a path read from their beginning again; what is stored of them is
    /// known by its keys and stays.
    pub fn read_again(&self, path: &str) -> Result<(), VaultError> {
        self.0.0.execute(
            "UPDATE files SET size = 0, offset = 0, line = 0, head_hash = '', tail_hash = '', \
             digest = '', records = 0 \
             WHERE path = ?1 OR substr(path, 1, length(?1) + 1) IN (?1 || '/', ?1 || char(92))",
            [path],
        )?;
        Ok(())
    }

    /// Forgets a file and its errors. Memories read from it keep their path and line.
    pub fn remove(&self, id: FileId) -> Result<(), VaultError> {
        self.0.0.execute("DELETE FROM files WHERE id = ?", [id.0])?;
        Ok(())
    }

    /// Notes a line that could not be read; `reason` must not quote it. The latest 200 per file
    /// are kept, all are counted; the same fault of the same line is one, however often it is met.
    /// Returns whether it was new.
    pub fn error(
        &self,
        id: FileId,
        line: u64,
        reason: &str,
        now: Millis,
    ) -> Result<bool, VaultError> {
        let connection = self.0.0;
        let met = connection
            .prepare_cached(
                "UPDATE ingest_errors SET at = ? WHERE file_id = ? AND line = ? AND reason = ?",
            )?
            .execute((now, id.0, signed(line)?, reason))?;
        if met > 0 {
            return Ok(false);
        }
        let changed = connection
            .prepare_cached("UPDATE files SET errors = errors + 1 WHERE id = ?")?
            .execute([id.0])?;
        if changed == 0 {
            return Err(VaultError::NotFound);
        }
        connection
            .prepare_cached(
                "INSERT INTO ingest_errors(file_id, line, reason, at) VALUES(?, ?, ?, ?)",
            )?
            .execute((id.0, signed(line)?, reason, now))?;
        connection
            .prepare_cached(
                "DELETE FROM ingest_errors WHERE file_id = ?1 AND id <= (SELECT id FROM \
                 ingest_errors WHERE file_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute((id.0, ERRORS_KEPT))?;
        Ok(true)
    }
}

//! Is the vault whole? Everything that can be checked without changing anything.
//!
//! A connection that has met a page which does not open refuses every page from then on, so each
//! question is asked by itself ([`Vault::read`] replaces such connections).

mod finding;
pub(super) mod mending;
mod searching;

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _};

use super::Vault;
use super::folder::{DATABASE, INDEX, KEYS, LOG};
use crate::error::VaultError;
use crate::table::keyword::Index;
use crate::table::{documents, memory_text};
pub use finding::{Finding, Found};

/// A write-ahead log of more bytes than this was not emptied for long.
const LARGE_LOG: u64 = 64 * 1024 * 1024;

/// What was found so far.
struct Checkup<'a> {
    vault: &'a Vault,
    found: BTreeSet<Found>,
}

impl Vault {
    /// Checks every page, the structure, references, keyword indexes, searchable copies, vectors,
    /// the size of the log and permissions, and searches for what is known to be there. Changes
    /// nothing but emptying the write-ahead log, whose pages the check of pages would not see.
    ///
    /// # Errors
    /// As [`Vault::read`]; what is wrong with the vault is no error but the answer.
    pub fn check(&self) -> Result<Vec<Found>, VaultError> {
        if let Some(writer) = self.0.writer.lock().as_ref() {
            // Readers or other programs may stand in the way; then the log is checked as it is read.
            let _ = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        let mut checkup = Checkup {
            vault: self,
            found: BTreeSet::new(),
        };
        checkup.pages()?;
        checkup.structure()?;
        checkup.copies()?;
        checkup.keyword_indexes()?;
        checkup.vectors()?;
        checkup.searches()?;
        checkup.files();
        Ok(checkup.found.into_iter().collect())
    }
}

impl Checkup<'_> {
    fn note(&mut self, finding: Finding, place: &str) {
        self.found.insert(Found {
            finding,
            place: place.to_owned(),
        });
    }

    /// What `f` reads; `None` when a damaged page stood in the way, which is found by other means.
    fn ask<T>(
        &self,
        f: impl FnOnce(&Connection) -> Result<T, VaultError>,
    ) -> Result<Option<T>, VaultError> {
        let answer = self.vault.read(|r| {
            memory_text::flush(r.connection())?;
            f(r.connection())
        });
        match answer {
            Err(VaultError::Damaged) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The first column of every row.
    fn list(&self, sql: &str) -> Result<Option<Vec<String>>, VaultError> {
        self.ask(|connection| {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Every page of the file, by table and index.
    fn pages(&mut self) -> Result<(), VaultError> {
        for name in self.damaged_trees()? {
            self.note(Finding::DamagedPage, &name);
        }
        let first = self.ask(|connection| {
            let sql = "PRAGMA cipher_integrity_check";
            Ok(connection
                .query_row(sql, [], |row| row.get::<_, String>(0))
                .optional()?)
        })?;
        if first != Some(None) && self.found.is_empty() {
            // No table owns it: a free page, or the list of them.
            self.note(Finding::DamagedPage, DATABASE);
        }
        Ok(())
    }

    /// Tables and indexes with a page that cannot be opened, by walking each.
    fn damaged_trees(&self) -> Result<Vec<String>, VaultError> {
        let names = self.vault.read(|r| {
            let sql = "SELECT name FROM sqlite_schema WHERE rootpage > 0 ORDER BY name";
            let mut statement = r.connection().prepare(sql)?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        })?;
        let mut damaged = Vec::new();
        for name in names {
            let walked = self.ask(|connection| {
                let sql = "SELECT count(*) FROM dbstat WHERE name = ?";
                Ok(connection.query_row(sql, [&name], |row| row.get::<_, i64>(0))?)
            })?;
            if walked.is_none() {
                damaged.push(name);
            }
        }
        Ok(damaged)
    }

    fn structure(&mut self) -> Result<(), VaultError> {
        for line in self.list("PRAGMA integrity_check(20)")?.unwrap_or_default() {
            if line != "ok" {
                // SQLite names tables and indexes here, never what is in them.
                self.note(Finding::Structure, &line);
            }
        }
        for table in self.list("PRAGMA foreign_key_check")?.unwrap_or_default() {
            self.note(Finding::ForeignKey, &table);
        }
        Ok(())
    }

    fn copies(&mut self) -> Result<(), VaultError> {
        for sql in [COPIES_MISSING, COPIES_TOO_MANY] {
            let wrong = self.ask(|c| Ok(c.query_row(sql, [], |row| row.get::<_, bool>(0))?))?;
            if wrong == Some(true) {
                self.note(Finding::SearchableCopy, "memory_text");
            }
        }
        Ok(())
    }

    /// Compares each index with its texts, word by word.
    fn keyword_indexes(&mut self) -> Result<(), VaultError> {
        if self.vault.is_read_only() {
            return Ok(());
        }
        for table in keyword_indexes() {
            // Only rank 1 compares with the content; the plain form checks the index against itself
            // and misses words that should be gone.
            let sql = format!("INSERT INTO {table}({table}, rank) VALUES('integrity-check', 1)");
            match self
                .vault
                .try_out(|w| Ok(w.connection().execute(&sql, [])?))
            {
                Err(VaultError::Damaged) => self.note(Finding::KeywordIndex, table),
                result => {
                    result?;
                }
            }
        }
        Ok(())
    }

    fn files(&mut self) {
        let dir = &self.vault.0.dir;
        let log = std::fs::metadata(dir.join(LOG)).map_or(0, |log| log.len());
        if log > LARGE_LOG {
            self.note(Finding::LargeLog, LOG);
        }
        #[cfg(unix)]
        for name in [DATABASE, KEYS, LOG, INDEX] {
            use std::os::unix::fs::PermissionsExt as _;
            if let Ok(file) = std::fs::metadata(dir.join(name))
                && file.permissions().mode() & 0o077 != 0
            {
                self.note(Finding::Permissions, name);
            }
        }
        #[cfg(not(unix))]
        let _ = (KEYS, INDEX);
    }
}

const COPIES_MISSING: &str = "SELECT EXISTS (SELECT 1 FROM memories m WHERE deleted_at IS NULL \
    AND NOT EXISTS (SELECT 1 FROM memory_text t WHERE t.id = m.id))";
const COPIES_TOO_MANY: &str = "SELECT EXISTS (SELECT 1 FROM memory_text t \
    WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = t.id AND m.deleted_at IS NULL))";

fn keyword_indexes() -> impl Iterator<Item = &'static str> {
    [Index::Words.table(), Index::Trigrams.table()]
        .into_iter()
        .chain(documents::INDEXES)
}

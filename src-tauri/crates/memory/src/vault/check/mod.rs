//! Is the vault whole? Everything that can be checked without changing anything.
//!
//! A connection that has met a page which does not open refuses every page from then on, so it is
//! replaced. It is the check's own: the full-text indexes of one that has read before are checked
//! against what it remembers of them, not against the file.

mod finding;
pub(super) mod mending;
mod searching;

use std::cell::RefCell;
use std::collections::BTreeSet;

use rusqlite::Connection;

use super::Vault;
use super::folder::{DATABASE, INDEX, KEYS, LOG};
use crate::error::VaultError;
use crate::table::documents;
use crate::table::keyword::Index;
pub use finding::{Finding, Found};

/// A write-ahead log of more bytes than this was not emptied for long.
const LARGE_LOG: u64 = 64 * 1024 * 1024;

/// What was found so far.
struct Checkup<'a> {
    vault: &'a Vault,
    connection: RefCell<Option<Connection>>,
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
            connection: RefCell::new(None),
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
        let mut held = self.connection.borrow_mut();
        let connection = match held.take() {
            Some(connection) => connection,
            None => self.vault.new_reader()?,
        };
        match f(&connection) {
            Err(VaultError::Damaged) => Ok(None),
            answer => {
                *held = Some(connection);
                answer.map(Some)
            }
        }
    }

    /// Lets the next question be asked by a new connection.
    fn renew(&self) {
        self.connection.borrow_mut().take();
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
        let lines = self.list("PRAGMA cipher_integrity_check")?;
        self.renew();
        let damaged: Vec<i64> = lines
            .iter()
            .flatten()
            .filter_map(|line| {
                let (_, number) = line.rsplit_once("page ")?;
                number.split_whitespace().next()?.parse().ok()
            })
            .collect();
        for name in self.damaged_trees(&damaged)? {
            self.note(Finding::DamagedPage, &name);
        }
        if lines.is_none_or(|lines| !lines.is_empty()) && self.found.is_empty() {
            // No table owns it: a free page, or the list of them.
            self.note(Finding::DamagedPage, DATABASE);
        }
        Ok(())
    }

    /// Tables and indexes to which one of the damaged pages belongs, or that cannot be walked.
    fn damaged_trees(&self, damaged: &[i64]) -> Result<Vec<String>, VaultError> {
        let names = self.list("SELECT name FROM sqlite_schema WHERE rootpage > 0 ORDER BY name")?;
        let pages = serde_json::Value::from(damaged).to_string();
        let mut trees = Vec::new();
        for name in names.ok_or(VaultError::Damaged)? {
            let sound = self.ask(|connection| {
                let sql = "SELECT NOT EXISTS (SELECT 1 FROM dbstat WHERE name = ? AND \
                    (pagetype = 'corrupted' OR pageno IN (SELECT value FROM json_each(?))))";
                Ok(connection.query_row(sql, (&name, &pages), |row| row.get(0))?)
            })?;
            if sound != Some(true) {
                // Such a walk ends without an error, and leaves a connection that reads no more.
                self.renew();
                trees.push(name);
            }
        }
        Ok(trees)
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

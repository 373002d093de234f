//! Bringing in what another vault's backup holds, or an older one of this vault's.
//!
//! A backup is the archive that this program exports: encrypted and authenticated page by page, with
//! the version of its schema. Brought into an empty vault it gives the same memories under the same
//! numbers; brought in where everything is there already, it adds nothing. Everything is one
//! transaction.
//!
//! Not brought in: what can be taken back by undo, stored traces, watched folders.

mod memories;
mod others;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::backup::{unpack_into, verify};
use super::connection::{self, Access, Way};
use super::folder::{self, DATABASE};
use super::handles::Writer;
use super::{Vault, opening};
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};
use crate::migration;
use crate::passphrase::Passphrase;

/// Whose side is taken where a memory differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefer {
    /// It stays as it is in the vault.
    Mine,
    /// It becomes as it is in the archive; what it was stays among its versions and can be undone.
    Archive,
}

/// What became of an archive's memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// New ones, those in the trash among them.
    pub added: u32,
    /// There already.
    pub known: u32,
    /// Deleted here for good, or deleted here as another record: they stay gone.
    pub forgotten: u32,
    /// There already, with another text, other tags, pin, trust or expiry, or in the trash on one side.
    pub differing: Vec<MemoryId>,
    /// New documents.
    pub documents: u32,
    /// New entries of the research cache.
    pub research: u32,
    /// New golden queries.
    pub golden_queries: u32,
}

impl Vault {
    /// Brings in the memories, documents, research and judgements of a backup.
    ///
    /// # Errors
    /// As [`Vault::restore`] for the file and [`Vault::write`] for this vault; nothing was brought in
    /// then.
    pub fn import(
        &self,
        file: &Path,
        secret: &Passphrase,
        prefer: Prefer,
        now: Millis,
    ) -> Result<Imported, VaultError> {
        if folder::look(file)?.is_none() {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(VaultError::reading(file, &missing));
        }
        let dir = &self.0.dir;
        let held = folder::hold(dir)?;
        held.clear_parts(dir);
        let database = dir.join(format!("{DATABASE}.{}.part", folder::random_name()?));
        let imported = (|| {
            let (keys, _) = unpack_into(file, &database, secret)?;
            let key = super::keys::KeyFile::parse(file, &keys)?
                .open(file, secret)?
                .0;
            // An older one becomes as this program knows it, on its copy.
            let never = Arc::new(AtomicBool::new(false));
            let mut from = connection::open(&database, &key, Access::Write, Way::Live, &never)?;
            migration::migrate(&mut from, &database)?;
            opening::close(from)?;
            verify(&database, &key)?;
            let from = connection::open(&database, &key, Access::Read, Way::Live, &never)?;
            self.write(|w| {
                // Asked for what can change what a query finds: caches are told.
                w.memories();
                let mut import = Import::new(&from, w, prefer, now);
                import.files()?;
                import.memories()?;
                import.vectors()?;
                import.documents()?;
                import.research()?;
                import.judgements()?;
                import.settings()?;
                Ok(import.report)
            })
        })();
        for end in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(folder::with_end(&database, end));
        }
        imported
    }
}

/// One archive on its way.
struct Import<'a, 'w> {
    from: &'a Connection,
    to: &'a Connection,
    writer: &'a Writer<'w>,
    prefer: Prefer,
    now: Millis,
    /// Files here, by their number in the archive.
    files: HashMap<i64, i64>,
    /// Memories here, by their number in the archive.
    here: HashMap<i64, i64>,
    /// Those that this import stored.
    added: HashSet<i64>,
    report: Imported,
}

impl<'a, 'w> Import<'a, 'w> {
    fn new(from: &'a Connection, writer: &'a Writer<'w>, prefer: Prefer, now: Millis) -> Self {
        Self {
            from,
            to: writer.connection(),
            writer,
            prefer,
            now,
            files: HashMap::new(),
            here: HashMap::new(),
            added: HashSet::new(),
            report: Imported::default(),
        }
    }

    /// Calls `f` with every row that `sql` finds in the archive, as values.
    fn each(
        &mut self,
        sql: &str,
        mut f: impl FnMut(&mut Self, Vec<Value>) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let from = self.from;
        let mut statement = from.prepare(sql)?;
        let width = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..width)
                .map(|column| row.get(column))
                .collect::<Result<_, _>>()?;
            f(self, values)?;
        }
        Ok(())
    }

    /// Stores a row unless one of its name is there. Returns whether it was stored.
    fn put(&self, table: &str, columns: &str, values: Vec<Value>) -> Result<bool, VaultError> {
        let places = vec!["?"; values.len()].join(", ");
        let sql = format!("INSERT OR IGNORE INTO {table}({columns}) VALUES({places})");
        let mut statement = self.to.prepare_cached(&sql)?;
        Ok(statement.execute(params_from_iter(values))? > 0)
    }

    /// One value from this vault; `None` when there is no row.
    fn here(&self, sql: &str, values: &[&Value]) -> Result<Option<i64>, VaultError> {
        use rusqlite::OptionalExtension as _;
        let mut statement = self.to.prepare_cached(sql)?;
        Ok(statement
            .query_row(params_from_iter(values), |row| row.get(0))
            .optional()?
            .flatten())
    }
}

/// A number that a row holds.
fn number(value: &Value) -> Result<i64, VaultError> {
    match value {
        Value::Integer(number) => Ok(*number),
        _ => Err(VaultError::Damaged),
    }
}

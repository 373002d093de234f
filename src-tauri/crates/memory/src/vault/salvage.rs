//! Saving what can be read of a damaged database: a new one is built beside it row by row, the old
//! one is set aside as it was.
//!
//! A connection that has met a page which does not open refuses every page from then on, so each
//! such page costs a new connection. Rows are reached by their numbers. Those on a damaged page are
//! tried one by one, and from some dozens on leapt over by doubling steps, after which the first one
//! behind it is found by halving.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::backup::{exchange, exclude_others, verify};
use super::check::mending::forget_references;
use super::connection::{self, Access, Way};
use super::folder::{self, DATABASE, KEYS};
use super::keys::{DataKey, KeyFile};
use super::{Vault, opening};
use crate::error::VaultError;
use crate::passphrase::Passphrase;
use crate::table::{documents, memory_text};

/// Derived from other tables, and built anew: the vectors by embedding again.
const DERIVED: [&str; 14] = [
    "chunks",
    "document_vectors",
    "embedding_models",
    "embedding_queue",
    "expanders",
    "memory_tags",
    "memory_text",
    "near_links",
    "near_queue",
    "pair_scores",
    "text_changes",
    "token_vectors",
    "vector_graphs",
    "word_weights",
];

/// What was saved of a damaged vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvage {
    /// Rows saved, by table.
    pub saved: BTreeMap<String, u64>,
    /// Tables of which rows were lost, with every gap: the numbers of its first and last row, where
    /// rows have numbers.
    pub lost: BTreeMap<String, Vec<Gap>>,
    /// Where the damaged vault is now.
    pub set_aside: PathBuf,
}

/// Rows that could not be read: the first and the last number that they can have had.
pub type Gap = Option<(i64, i64)>;

impl Vault {
    /// Builds the vault anew from every row that can be read. The damaged one is set aside, whole.
    /// Vectors are left out: the next run embeds again.
    ///
    /// # Errors
    /// As [`Vault::unlock`]; [`VaultError::Busy`] when a program has the vault open.
    pub fn salvage(dir: &Path, secret: &Passphrase) -> Result<Salvage, VaultError> {
        opening::database_head(dir)?;
        let database = dir.join(DATABASE);
        let held = folder::hold(dir)?;
        held.clear_parts(dir);
        drop(exclude_others(&database)?);
        let mut keys = KeyFile::read(&dir.join(KEYS))?;
        let (key, _) = keys.open(&dir.join(KEYS), secret)?;
        let fresh = dir.join(format!("{DATABASE}.{}.part", folder::random_name()?));
        let built = (|| {
            folder::write_new(&fresh, b"")?;
            opening::fill(&fresh, &key)?;
            let (saved, lost) = copy_all(&database, &fresh, &key)?;
            verify(&fresh, &key)?;
            keys.note_database(&opening::head_of(&fresh)?);
            let set_aside = exchange(dir, "damaged", &fresh, &keys.text()?)?;
            Ok(Salvage {
                saved,
                lost,
                set_aside,
            })
        })();
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(folder::with_end(&fresh, end));
        }
        built
    }
}

/// The damaged database, through connections that are replaced as they break.
struct Source<'a> {
    path: &'a Path,
    key: &'a DataKey,
    connection: Connection,
}

impl<'a> Source<'a> {
    fn open(path: &'a Path, key: &'a DataKey) -> Result<Self, VaultError> {
        Ok(Self {
            path,
            key,
            connection: connect(path, key)?,
        })
    }

    /// What `f` reads, or `None` where a page does not open.
    fn read<T>(
        &mut self,
        f: impl FnOnce(&Connection) -> Result<T, VaultError>,
    ) -> Result<Option<T>, VaultError> {
        match f(&self.connection) {
            Err(VaultError::Damaged) => {
                self.connection = connect(self.path, self.key)?;
                Ok(None)
            }
            result => result.map(Some),
        }
    }
}

fn connect(path: &Path, key: &DataKey) -> Result<Connection, VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    connection::open(path, key, Access::Read, Way::Live, &never)
}

type Counts = (BTreeMap<String, u64>, BTreeMap<String, Vec<Gap>>);

fn copy_all(from: &Path, to: &Path, key: &DataKey) -> Result<Counts, VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    let target = connection::open(to, key, Access::Write, Way::Live, &never)?;
    let mut source = Source::open(from, key)?;
    let names = |sql: &str| -> Result<Vec<(String, String)>, VaultError> {
        let mut statement = target.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let triggers = names("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?;
    let tables = names(
        "SELECT name, iif(wr, 'keyed', 'numbered') FROM pragma_table_list \
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )?;
    target.execute_batch("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")?;
    for (name, _) in &triggers {
        target.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    let (mut saved, mut lost) = (BTreeMap::new(), BTreeMap::new());
    for (table, kind) in &tables {
        if DERIVED.contains(&table.as_str()) {
            continue;
        }
        let mut copy = Copy::new(&target, table)?;
        let gaps = if kind == "keyed" {
            copy.keyed(&mut source)?
        } else {
            copy.numbered(&mut source)?
        };
        saved.insert(table.clone(), copy.saved);
        if !gaps.is_empty() {
            lost.insert(table.clone(), gaps);
        }
    }
    // Numbers that were given once are never given again, those of purged memories least of all.
    let numbers = source.read(|c| {
        let mut statement = c.prepare("SELECT name, seq FROM sqlite_sequence")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<Vec<(String, i64)>, _>>()?)
    })?;
    for (table, number) in numbers.unwrap_or_default() {
        target.execute("DELETE FROM sqlite_sequence WHERE name = ?", [&table])?;
        target.execute("INSERT INTO sqlite_sequence VALUES(?, ?)", (table, number))?;
    }
    for (_, sql) in &triggers {
        target.execute_batch(sql)?;
    }
    target.execute_batch(
        "INSERT OR IGNORE INTO memory_tags SELECT value, m.id FROM memories m, json_each(m.tags)",
    )?;
    forget_references(&target)?;
    memory_text::rebuild(&target)?;
    documents::rebuild_indexes(&target)?;
    target.execute_batch("COMMIT")?;
    opening::close(target)?;
    Ok((saved, lost))
}

/// One table on its way.
struct Copy<'a> {
    target: &'a Connection,
    table: &'a str,
    columns: String,
    insert: String,
    width: usize,
    saved: u64,
}

impl<'a> Copy<'a> {
    fn new(target: &'a Connection, table: &'a str) -> Result<Self, VaultError> {
        let mut statement = target.prepare("SELECT name FROM pragma_table_info(?)")?;
        let rows = statement.query_map([table], |row| row.get::<_, String>(0))?;
        let names: Vec<String> = rows
            .map(|name| Ok(format!("\"{}\"", name?)))
            .collect::<Result<_, VaultError>>()?;
        let columns = names.join(", ");
        let places = vec!["?"; names.len()].join(", ");
        Ok(Self {
            target,
            table,
            insert: format!("INSERT OR REPLACE INTO {table}({columns}) VALUES({places})"),
            width: names.len(),
            columns,
            saved: 0,
        })
    }

    /// Reads rows from a number on and stores each; how many there were. `next` is moved along, so
    /// that what was stored before a page broke off counts.
    fn take(
        &mut self,
        source: &Connection,
        sql: &str,
        next: Option<&mut i64>,
    ) -> Result<u64, VaultError> {
        let mut statement = source.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(next.as_deref()))?;
        let mut insert = self.target.prepare_cached(&self.insert)?;
        let mut count = 0;
        let mut next = next;
        while let Some(row) = rows.next()? {
            let values: Vec<Value> = (0..self.width)
                .map(|column| row.get(column))
                .collect::<Result<_, _>>()?;
            insert.execute(params_from_iter(values))?;
            if let Some(next) = &mut next {
                **next = row.get::<_, i64>(self.width)?.saturating_add(1);
            }
            self.saved += 1;
            count += 1;
        }
        Ok(count)
    }

    /// A table whose rows have numbers.
    fn numbered(&mut self, source: &mut Source<'_>) -> Result<Vec<Gap>, VaultError> {
        let select = |limit| {
            format!(
                "SELECT {}, rowid FROM {} WHERE rowid >= ? ORDER BY rowid LIMIT {limit}",
                self.columns, self.table
            )
        };
        let (many, one) = (select(500), select(1));
        let (mut next, mut gaps) = (0_i64, Vec::new());
        loop {
            match source.read(|c| self.take(c, &many, Some(&mut next)))? {
                Some(0) => return Ok(gaps),
                Some(_) => {}
                None => {
                    let Some(good) = self.behind(source, &one, next)? else {
                        gaps.push(Some((next, i64::MAX)));
                        return Ok(gaps);
                    };
                    gaps.push(Some((next, good - 1)));
                    next = good;
                }
            }
        }
    }

    /// The least number behind one that cannot be read from which on rows can be read again.
    ///
    /// What is asked is "from here on", not "behind here": the search for a number behind the last
    /// one of a damaged page would begin on that page, and lose the row that follows it.
    fn behind(
        &self,
        source: &mut Source<'_>,
        one: &str,
        first: i64,
    ) -> Result<Option<i64>, VaultError> {
        const ONE_BY_ONE: i64 = 64;
        const MOST: i64 = 1 << 48;
        let mut readable = |number: i64| -> Result<bool, VaultError> {
            let read = source.read(|c| {
                let mut statement = c.prepare_cached(one)?;
                let mut rows = statement.query([number])?;
                if let Some(row) = rows.next()? {
                    for column in 0..self.width {
                        // Long values lie on pages of their own.
                        row.get_ref(column)?;
                    }
                }
                Ok(())
            });
            Ok(read?.is_some())
        };
        let (mut bad, mut step) = (first, 1);
        let mut good = loop {
            let bound = first.saturating_add(step);
            if readable(bound)? {
                break bound;
            }
            if step > MOST {
                return Ok(None);
            }
            bad = bound;
            step = if step < ONE_BY_ONE {
                step + 1
            } else {
                step * 2
            };
        };
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2;
            if readable(middle)? {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Ok(Some(good))
    }

    /// A table whose rows have no numbers: from both ends, up to the page that does not open.
    fn keyed(&mut self, source: &mut Source<'_>) -> Result<Vec<Gap>, VaultError> {
        let mut statement = self
            .target
            .prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")?;
        let rows = statement.query_map([self.table], |row| row.get::<_, String>(0))?;
        let keys: Vec<String> = rows.collect::<Result<_, _>>()?;
        for (gaps, direction) in [(Vec::new(), "ASC"), (vec![None], "DESC")] {
            let order: Vec<String> = keys
                .iter()
                .map(|key| format!("\"{key}\" {direction}"))
                .collect();
            let sql = format!(
                "SELECT {} FROM {} ORDER BY {}",
                self.columns,
                self.table,
                order.join(", ")
            );
            let read = source.read(|c| self.take(c, &sql, None))?;
            if read.is_some() {
                return Ok(gaps);
            }
        }
        Ok(vec![None])
    }
}

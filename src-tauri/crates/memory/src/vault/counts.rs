//! How many rows each table holds.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{Reader, Vault};
use crate::error::VaultError;
use crate::table::keyword::Index;
use crate::table::memory_text;

const TABLES: [&str; 21] = [
    "memories",
    "memory_text",
    "memory_versions",
    "memory_tags",
    "source_keys",
    "source_paths",
    "chunks",
    "token_vectors",
    "word_weights",
    "embedding_models",
    "sources",
    "files",
    "ingest_errors",
    "golden_queries",
    "judgements",
    "pair_scores",
    "research",
    "documents",
    "document_chunks",
    "traces",
    "undo_log",
];

/// Name and countable rows of each table and index.
fn counted() -> impl Iterator<Item = (String, String)> {
    let indexes = [Index::Words, Index::Trigrams].map(|index| {
        let rows = format!("{}_docsize", index.table());
        (index.table().to_owned(), rows)
    });
    let tables = TABLES.map(|table| (table.to_owned(), table.to_owned()));
    tables.into_iter().chain(indexes)
}

fn count(connection: &Connection, rows: &str) -> Result<u32, VaultError> {
    memory_text::flush(connection)?;
    let sql = format!("SELECT count(*) FROM {rows}");
    Ok(connection.query_row(&sql, [], |row| row.get(0))?)
}

impl Reader<'_> {
    /// Rows per table and index, by name.
    pub fn table_counts(&self) -> Result<BTreeMap<String, u32>, VaultError> {
        counted()
            .map(|(name, rows)| Ok((name, count(self.connection(), &rows)?)))
            .collect()
    }
}

impl Vault {
    /// Rows per table and index, by name; and those that could not be counted, since a page of
    /// theirs is damaged.
    ///
    /// # Errors
    /// As [`Vault::read`], damage aside.
    pub fn count_tables(&self) -> Result<(BTreeMap<String, u32>, Vec<String>), VaultError> {
        let (mut counts, mut damaged) = (BTreeMap::new(), Vec::new());
        for (name, rows) in counted() {
            // Each with a connection of its own where need be: one that met a damaged page is lost.
            match self.read(|r| count(r.connection(), &rows)) {
                Ok(count) => {
                    counts.insert(name, count);
                }
                Err(VaultError::Damaged) => damaged.push(name),
                Err(error) => return Err(error),
            }
        }
        Ok((counts, damaged))
    }
}

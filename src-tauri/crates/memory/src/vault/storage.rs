//! What takes the space of the database, by kind.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::Vault;
use crate::error::VaultError;
use crate::table::memory_text;

/// What a part of the database is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StorageKind {
    /// Memories with their tags, versions, holders and sightings, the trash included.
    Memories,
    /// The keyword indexes, and the folded texts that they are made from.
    Keywords,
    /// Chunks, their vectors, and the graphs over these.
    Vectors,
    /// The vectors of memories' tokens, for the reranker.
    TokenVectors,
    /// The words by which memories should be found, with their weights.
    WordWeights,
    /// Documents with their chunks, indexes and vectors.
    Documents,
    /// Past research.
    Research,
    /// Past queries with their traces.
    History,
    /// Golden queries, judgements, and scores that the reranker gave.
    Judgements,
    /// Watched folders and files, and what could not be read.
    Sources,
    /// Everything else: settings, undo, counters, the schema.
    Other,
    /// Pages that nothing uses at present.
    Free,
}

/// The kind of a table by how its name begins, the more special beginnings first; and, where a row of
/// one table is what a person would count, that table.
const KINDS: [(StorageKind, &[&str], Option<&str>); 10] = [
    (StorageKind::Documents, &["document"], Some("documents")),
    (
        StorageKind::Keywords,
        &["memory_text", "text_changes", "words", "trigrams"],
        Some("words_docsize"),
    ),
    (
        StorageKind::Vectors,
        &["chunk", "embedding", "vec"],
        Some("chunks"),
    ),
    (
        StorageKind::TokenVectors,
        &["token_vectors"],
        Some("token_vectors"),
    ),
    (
        StorageKind::WordWeights,
        &["word_weights", "expanders"],
        Some("word_weights"),
    ),
    (
        StorageKind::Memories,
        &[
            "memor",
            "source_",
            "tombstones",
            "withdrawn",
            "holders",
            "sightings",
            "kept_apart",
            "near_",
            "touched",
        ],
        Some("memories"),
    ),
    (StorageKind::Research, &["research"], Some("research")),
    (StorageKind::History, &["traces"], Some("traces")),
    (
        StorageKind::Judgements,
        &["golden", "judgements", "pair_scores"],
        Some("judgements"),
    ),
    (
        StorageKind::Sources,
        &["sources", "skipped", "files", "ingest_errors"],
        Some("files"),
    ),
];

/// What one kind takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// What it is for.
    pub kind: StorageKind,
    /// Bytes of its pages.
    pub bytes: u64,
    /// What there is of it, where that can be counted.
    pub rows: Option<u32>,
}

fn kind_of(table: &str) -> StorageKind {
    KINDS
        .iter()
        .find(|(_, beginnings, _)| beginnings.iter().any(|begin| table.starts_with(begin)))
        .map_or(StorageKind::Other, |(kind, ..)| *kind)
}

fn rows_of(kind: StorageKind, connection: &Connection) -> Result<Option<u32>, VaultError> {
    let table = KINDS
        .iter()
        .find_map(|(of, _, table)| (*of == kind).then_some(*table)?);
    let Some(table) = table else {
        return Ok(None);
    };
    let sql = format!("SELECT count(*) FROM {table}");
    Ok(Some(connection.query_row(&sql, [], |row| row.get(0))?))
}

/// SQLite has no unsigned numbers; nothing takes less than nothing.
fn unsigned(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or(0)
}

fn storage_of(connection: &Connection) -> Result<Vec<Storage>, VaultError> {
    memory_text::flush(connection)?;
    let mut bytes = BTreeMap::<StorageKind, u64>::new();
    let mut statement = connection.prepare(
        "SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d \
         LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let table: String = row.get(0)?;
        *bytes.entry(kind_of(&table)).or_default() += unsigned(row.get(1)?);
    }
    let free: i64 = connection.query_row(
        "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
        [],
        |row| row.get(0),
    )?;
    bytes.insert(StorageKind::Free, unsigned(free));
    let with_rows = |(kind, bytes)| {
        Ok(Storage {
            kind,
            bytes,
            rows: rows_of(kind, connection)?,
        })
    };
    bytes.into_iter().map(with_rows).collect()
}

impl Vault {
    /// What each kind takes of the database. Looks at every page.
    ///
    /// # Errors
    /// As [`Vault::read`].
    pub fn storage(&self) -> Result<Vec<Storage>, VaultError> {
        self.read(|r| storage_of(r.connection()))
    }
}

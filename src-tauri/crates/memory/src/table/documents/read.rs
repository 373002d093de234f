//! Reading documents and their chunks, and searching them by keyword.

use std::ops::Range;

use rusqlite::{Connection, ErrorCode, OptionalExtension as _};

use super::COLUMN_WEIGHTS;
use crate::error::VaultError;
use crate::filter::count;
use crate::memory::Millis;

/// A document without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRow {
    /// The id it was given.
    pub id: String,
    /// Its title; empty when it has none.
    pub title: String,
    /// Length of its text in characters.
    pub characters: u32,
    /// How many chunks it has.
    pub chunks: u32,
    /// When it was last taken in.
    pub ingested_at: Millis,
}

/// A document with its text.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    /// What lists show.
    pub row: DocumentRow,
    /// The text as it was given.
    pub content: String,
}

/// Leaves the text out.
impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document")
            .field("characters", &self.row.characters)
            .finish_non_exhaustive()
    }
}

/// A chunk of a document.
#[derive(Clone, PartialEq, Eq)]
pub struct DocumentChunk {
    /// Names the chunk; never used again.
    pub chunk_id: i64,
    /// The document's id.
    pub document: String,
    /// Its title.
    pub title: String,
    /// The chunk's place in it, from 0.
    pub ordinal: u32,
    /// How many chunks the document has.
    pub of: u32,
    /// The bytes of the document.
    pub range: Range<usize>,
    /// The text.
    pub text: String,
}

/// Leaves the text out.
impl std::fmt::Debug for DocumentChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentChunk")
            .field("chunk_id", &self.chunk_id)
            .field("ordinal", &self.ordinal)
            .finish_non_exhaustive()
    }
}

const ROW: &str = "SELECT d.id, d.title, length(d.content), \
     (SELECT count(*) FROM document_chunks c WHERE c.document = d.number), d.ingested_at";

/// Reads documents.
pub struct Documents<'a>(pub(super) &'a Connection);

impl<'a> Documents<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// How many documents there are.
    pub fn count(&self) -> Result<u32, VaultError> {
        count(
            self.0
                .prepare_cached("SELECT count(*) FROM documents")?
                .query_row([], |row| row.get(0))?,
        )
    }

    /// All documents by id, without their texts.
    pub fn list(&self) -> Result<Vec<DocumentRow>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached(&format!("{ROW} FROM documents d ORDER BY d.id"))?;
        let rows = statement.query_map([], row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One document.
    pub fn get(&self, id: &str) -> Result<Option<Document>, VaultError> {
        Ok(self
            .0
            .prepare_cached(&format!("{ROW}, d.content FROM documents d WHERE d.id = ?"))?
            .query_row([id], |found| {
                Ok(Document {
                    row: row(found)?,
                    content: found.get(5)?,
                })
            })
            .optional()?)
    }

    /// Chunks by name, in the order asked for; those that are gone are left out.
    pub fn chunks(&self, ids: &[i64]) -> Result<Vec<DocumentChunk>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT d.id, d.title, c.ordinal, \
             (SELECT count(*) FROM document_chunks o WHERE o.document = c.document), c.start, \
             c.end, substr(CAST(d.content AS BLOB), c.start + 1, c.end - c.start) \
             FROM document_chunks c JOIN documents d ON d.number = c.document \
             WHERE c.chunk_id = ?",
        )?;
        let mut found = Vec::with_capacity(ids.len());
        for &chunk_id in ids {
            let chunk = statement
                .query_row([chunk_id], |row| {
                    Ok(DocumentChunk {
                        chunk_id,
                        document: row.get(0)?,
                        title: row.get(1)?,
                        ordinal: row.get(2)?,
                        of: row.get(3)?,
                        range: row.get::<_, u32>(4)? as usize..row.get::<_, u32>(5)? as usize,
                        text: String::from_utf8_lossy(&row.get::<_, Vec<u8>>(6)?).into_owned(),
                    })
                })
                .optional()?;
            found.extend(chunk);
        }
        Ok(found)
    }

    /// Folded title and content of chunks, in the order asked for; those that are gone are left out.
    pub fn folded(&self, ids: &[i64]) -> Result<Vec<(i64, [String; 2])>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT title, content FROM document_chunks WHERE chunk_id = ?")?;
        let mut found = Vec::with_capacity(ids.len());
        for &id in ids {
            let columns = statement
                .query_row([id], |row| Ok([row.get(0)?, row.get(1)?]))
                .optional()?;
            found.extend(columns.map(|columns| (id, columns)));
        }
        Ok(found)
    }

    /// The best matches of an FTS5 expression in the word index: chunk and BM25 score (positive,
    /// higher is better), best first, ties by chunk.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] when the expression is not valid FTS5.
    pub fn words(&self, expression: &str, limit: u32) -> Result<Vec<(i64, f64)>, VaultError> {
        self.search("document_words", expression, limit)
    }

    /// The same for the trigram index.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] when the expression is not valid FTS5.
    pub fn trigrams(&self, expression: &str, limit: u32) -> Result<Vec<(i64, f64)>, VaultError> {
        self.search("document_trigrams", expression, limit)
    }

    fn search(
        &self,
        table: &str,
        expression: &str,
        limit: u32,
    ) -> Result<Vec<(i64, f64)>, VaultError> {
        let [title, content] = COLUMN_WEIGHTS;
        let mut statement = self.0.prepare_cached(&format!(
            "SELECT rowid, -bm25({table}, {title:?}, {content:?}) AS score FROM {table} \
             WHERE {table} MATCH ? ORDER BY score DESC, rowid LIMIT ?"
        ))?;
        let rows = statement
            .query_map((expression, limit), |row| Ok((row.get(0)?, row.get(1)?)))
            .and_then(|rows| rows.collect::<Result<Vec<_>, _>>());
        rows.map_err(|error| match error.sqlite_error_code() {
            // FTS5's own message quotes the query.
            Some(ErrorCode::Unknown) => VaultError::Invalid {
                what: "keyword expression",
            },
            _ => error.into(),
        })
    }

    /// Chunks whose folded title or content contains a folded text. Reads every chunk: for what no
    /// index can answer.
    pub fn containing(&self, needle: &str) -> Result<Vec<i64>, VaultError> {
        if needle.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.0.prepare_cached(
            "SELECT chunk_id FROM document_chunks \
             WHERE instr(content, ?1) > 0 OR instr(title, ?1) > 0 ORDER BY chunk_id",
        )?;
        let rows = statement.query_map([needle], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<DocumentRow> {
    Ok(DocumentRow {
        id: row.get(0)?,
        title: row.get(1)?,
        characters: row.get(2)?,
        chunks: row.get(3)?,
        ingested_at: row.get(4)?,
    })
}

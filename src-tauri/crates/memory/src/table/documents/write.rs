//! Taking documents in, and out.

use std::cell::Cell;
use std::ops::{Deref, Range};

use rusqlite::{Connection, OptionalExtension as _};

use super::read::Documents;
use super::vectors_table;
use crate::error::VaultError;
use crate::fold::fold;
use crate::memory::Millis;
use crate::table::state;

/// Deletes all vectors of a document, whichever model made them.
fn forget_vectors(connection: &Connection, document: i64) -> Result<(), VaultError> {
    let vectors: Vec<(i64, i64, bool)> = {
        let mut statement = connection.prepare_cached(
            "SELECT v.model, v.chunk_id, v.reason IS NULL FROM document_vectors v \
             JOIN document_chunks c ON c.chunk_id = v.chunk_id WHERE c.document = ?",
        )?;
        let rows = statement.query_map([document], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        rows.collect::<Result<_, _>>()?
    };
    for (model, chunk_id, stored) in vectors {
        if stored {
            let sql = format!("DELETE FROM {} WHERE chunk_id = ?", vectors_table(model));
            connection.prepare_cached(&sql)?.execute([chunk_id])?;
        }
        connection
            .prepare_cached("DELETE FROM document_vectors WHERE model = ? AND chunk_id = ?")?
            .execute((model, chunk_id))?;
    }
    Ok(())
}

/// A document to be taken in.
#[derive(Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Names it; taking in the same id again replaces what was there.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
    /// Its text.
    pub content: String,
}

/// Leaves the text out.
impl std::fmt::Debug for NewDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewDocument")
            .field("bytes", &self.content.len())
            .finish_non_exhaustive()
    }
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentPut {
    /// It is new.
    Stored,
    /// It took the place of another text under the same id.
    Replaced,
    /// The same text was there under the same id; nothing changed.
    Unchanged,
}

/// Writes documents.
pub struct DocumentsMut<'a> {
    read: Documents<'a>,
    scrub: &'a Cell<bool>,
}

impl<'a> Deref for DocumentsMut<'a> {
    type Target = Documents<'a>;

    fn deref(&self) -> &Documents<'a> {
        &self.read
    }
}

impl<'a> DocumentsMut<'a> {
    pub(crate) fn new(connection: &'a Connection, scrub: &'a Cell<bool>) -> Self {
        Self {
            read: Documents::new(connection),
            scrub,
        }
    }

    pub(super) fn connection(&self) -> &'a Connection {
        self.read.0
    }

    /// Takes a document in, cut into `chunks` (bytes of its text).
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a blank id, a blank text, no chunk, or a chunk outside the text.
    pub fn put(
        &self,
        new: &NewDocument,
        chunks: &[Range<usize>],
        now: Millis,
    ) -> Result<DocumentPut, VaultError> {
        if new.id.trim().is_empty() {
            return Err(VaultError::Invalid {
                what: "document id",
            });
        }
        if new.content.trim().is_empty() {
            return Err(VaultError::Invalid {
                what: "document text",
            });
        }
        // Checked first, so that a caller who goes on after a refusal has lost nothing.
        let texts: Vec<&str> = chunks
            .iter()
            .map(|range| new.content.get(range.clone()))
            .collect::<Option<_>>()
            .filter(|texts: &Vec<&str>| !texts.is_empty())
            .ok_or(VaultError::Invalid { what: "chunk" })?;
        let connection = self.connection();
        let present: Option<(i64, bool)> = connection
            .prepare_cached("SELECT number, title = ? AND content = ? FROM documents WHERE id = ?")?
            .query_row((&new.title, &new.content, &new.id), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let outcome = match present {
            Some((_, true)) => return Ok(DocumentPut::Unchanged),
            Some((number, false)) => {
                self.take_away(number)?;
                DocumentPut::Replaced
            }
            None => DocumentPut::Stored,
        };
        connection
            .prepare_cached(
                "INSERT INTO documents(id, title, content, ingested_at) VALUES(?, ?, ?, ?)",
            )?
            .execute((&new.id, &new.title, &new.content, now))?;
        let number = connection.last_insert_rowid();
        let title = fold(&new.title);
        let mut insert = connection.prepare_cached(
            "INSERT INTO document_chunks(document, ordinal, start, end, title, content) \
             VALUES(?, ?, ?, ?, ?, ?)",
        )?;
        for (ordinal, (range, text)) in chunks.iter().zip(texts).enumerate() {
            insert.execute((
                number,
                ordinal as i64,
                range.start as i64,
                range.end as i64,
                &title,
                fold(text),
            ))?;
        }
        Ok(outcome)
    }

    /// Removes a document for good: text, chunks, words and vectors. After the transaction the file
    /// is rebuilt so that no byte of it stays. False when there was none.
    pub fn delete(&self, id: &str) -> Result<bool, VaultError> {
        let connection = self.connection();
        let number: Option<i64> = connection
            .prepare_cached("SELECT number FROM documents WHERE id = ?")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let Some(number) = number else {
            return Ok(false);
        };
        self.take_away(number)?;
        state::want_scrub(connection)?;
        self.scrub.set(true);
        Ok(true)
    }

    fn take_away(&self, number: i64) -> Result<(), VaultError> {
        let connection = self.connection();
        forget_vectors(connection, number)?;
        for sql in [
            "DELETE FROM document_chunks WHERE document = ?",
            "DELETE FROM documents WHERE number = ?",
        ] {
            connection.prepare_cached(sql)?.execute([number])?;
        }
        Ok(())
    }
}

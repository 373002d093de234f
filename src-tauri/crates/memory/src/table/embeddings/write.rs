//! Writing vectors.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension as _};

use super::read::{ModelRow, flaw};
use super::{EmbeddingsMut, to_bytes, tokens, vectors_table, words};
use crate::error::VaultError;
use crate::memory::MemoryId;

/// What became of the vectors of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// Stored.
    Stored,
    /// The memory was changed or removed meanwhile; nothing was stored. A changed one is still
    /// in the queue.
    Stale,
    /// A vector was unusable: the memory is marked, with this reason.
    Refused(&'static str),
}

/// Deletes all vectors of a memory, whichever model made them.
pub(crate) fn forget(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    tokens::forget(connection, id)?;
    words::forget(connection, id)?;
    let chunks: Vec<(i64, i64)> = {
        let mut statement =
            connection.prepare_cached("SELECT chunk_id, model FROM chunks WHERE memory_id = ?")?;
        let rows = statement.query_map([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    if chunks.is_empty() {
        return Ok(());
    }
    for (chunk_id, model) in chunks {
        let sql = format!("DELETE FROM {} WHERE chunk_id = ?", vectors_table(model));
        connection.prepare_cached(&sql)?.execute([chunk_id])?;
    }
    connection
        .prepare_cached("DELETE FROM chunks WHERE memory_id = ?")?
        .execute([id.0])?;
    Ok(())
}

/// Puts a memory into every model's queue, unless it is blank.
pub(crate) fn enqueue(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO embedding_queue SELECT number, m.id, NULL \
             FROM embedding_models, memories m WHERE m.id = ? AND NOT m.blank",
        )?
        .execute([id.0])?;
    Ok(())
}

impl EmbeddingsMut<'_> {
    /// Makes a model known: a table for its vectors, and every memory in its queue. A model that is
    /// known already is returned as it is. The first one is active at once; a later one has to be
    /// filled first and then [activated](Self::activate).
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a dimension outside 1–8192.
    pub fn register(&self, model_id: &str, dimension: u32) -> Result<ModelRow, VaultError> {
        if !(1..=8192).contains(&dimension) {
            return Err(VaultError::Invalid { what: "dimension" });
        }
        if let Some(known) = self.find(model_id, dimension)? {
            return Ok(known);
        }
        let connection = self.0.0;
        let active = self.active()?.is_none();
        connection.execute(
            "INSERT INTO embedding_models(model_id, dimension, active) VALUES(?, ?, ?)",
            (model_id, dimension, active),
        )?;
        let number = connection.last_insert_rowid();
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE {} USING vec0(chunk_id INTEGER PRIMARY KEY, \
             embedding float[{dimension}] distance_metric=cosine)",
            vectors_table(number)
        ))?;
        connection.execute(
            "INSERT INTO embedding_queue SELECT ?, id, NULL FROM memories WHERE NOT blank",
            [number],
        )?;
        Ok(ModelRow {
            number,
            model_id: model_id.to_owned(),
            dimension,
            active,
        })
    }

    /// Lets searches use this model from now on.
    ///
    /// # Errors
    /// [`VaultError::NotFound`].
    pub fn activate(&self, model: &ModelRow) -> Result<(), VaultError> {
        if self.find(&model.model_id, model.dimension)?.is_none() {
            return Err(VaultError::NotFound);
        }
        self.0.0.execute(
            "UPDATE embedding_models SET active = (number = ?)",
            [model.number],
        )?;
        Ok(())
    }

    /// Lets searches use a model that is filled, and drops the vectors that earlier builds of the same
    /// model made, of memories and of documents: nothing compares with them any more. `same` tells
    /// from a name whether it is another build of this model.
    ///
    /// # Errors
    /// [`VaultError::NotFound`].
    pub fn take_over(
        &self,
        model: &ModelRow,
        same: impl Fn(&str) -> bool,
    ) -> Result<(), VaultError> {
        self.activate(model)?;
        for other in self.models()? {
            if other.number == model.number || !same(&other.model_id) {
                continue;
            }
            let number = other.number;
            crate::table::documents::forget_model(self.0.0, &other)?;
            self.0
                .0
                .execute_batch(&format!("DROP TABLE {}", vectors_table(number)))?;
            for table in [
                "chunks",
                "token_vectors",
                "embedding_queue",
                "vector_graphs",
            ] {
                self.0
                    .0
                    .execute(&format!("DELETE FROM {table} WHERE model = ?"), [number])?;
            }
            self.0
                .0
                .execute("DELETE FROM embedding_models WHERE number = ?", [number])?;
        }
        Ok(())
    }

    /// Stores the vectors of a memory, one per chunk, in place of those it had. `version` is the
    /// one that was embedded: if the memory has another by now, nothing is stored.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a chunk outside the text.
    pub fn put(
        &self,
        model: &ModelRow,
        id: MemoryId,
        version: u32,
        chunks: &[(Range<usize>, Vec<f32>)],
    ) -> Result<Put, VaultError> {
        let connection = self.0.0;
        let present: Option<(u32, i64)> = connection
            .prepare_cached("SELECT version, octet_length(content) FROM memories WHERE id = ?")?
            .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((present, length)) = present else {
            return Ok(Put::Stale);
        };
        if present != version {
            return Ok(Put::Stale);
        }
        let length = length.max(0) as usize;
        if chunks
            .iter()
            .any(|(range, _)| range.start > range.end || range.end > length)
        {
            return Err(VaultError::Invalid { what: "chunk" });
        }
        let flaw = if chunks.is_empty() {
            Some("the model reads nothing in it")
        } else {
            chunks.iter().find_map(|(_, vector)| flaw(model, vector))
        };
        self.take_away(model, id)?;
        if let Some(reason) = flaw {
            self.refuse(model, id, reason)?;
            return Ok(Put::Refused(reason));
        }
        let sql = format!(
            "INSERT INTO {}(chunk_id, embedding) VALUES(?, ?)",
            vectors_table(model.number)
        );
        for (ordinal, (range, vector)) in chunks.iter().enumerate() {
            connection
                .prepare_cached(
                    "INSERT INTO chunks(model, memory_id, ordinal, start, end) \
                     VALUES(?, ?, ?, ?, ?)",
                )?
                .execute((
                    model.number,
                    id.0,
                    ordinal as i64,
                    range.start as i64,
                    range.end as i64,
                ))?;
            let chunk_id = connection.last_insert_rowid();
            connection
                .prepare_cached(&sql)?
                .execute((chunk_id, to_bytes(vector)))?;
        }
        connection
            .prepare_cached("DELETE FROM embedding_queue WHERE model = ? AND memory_id = ?")?
            .execute((model.number, id.0))?;
        Ok(Put::Stored)
    }

    /// Takes one model's vectors of a memory away.
    fn take_away(&self, model: &ModelRow, id: MemoryId) -> Result<(), VaultError> {
        let sql = format!(
            "DELETE FROM {} WHERE chunk_id = ?",
            vectors_table(model.number)
        );
        for chunk in self.chunks_of(model, id)? {
            self.0.0.prepare_cached(&sql)?.execute([chunk.chunk_id])?;
        }
        for table in ["chunks", "token_vectors"] {
            let sql = format!("DELETE FROM {table} WHERE memory_id = ? AND model = ?");
            self.0
                .0
                .prepare_cached(&sql)?
                .execute((id.0, model.number))?;
        }
        Ok(())
    }

    /// Marks a memory as one that this model cannot embed, so that it is not tried again and
    /// again. `reason` in plain words, without the memory's text.
    pub fn refuse(&self, model: &ModelRow, id: MemoryId, reason: &str) -> Result<(), VaultError> {
        self.take_away(model, id)?;
        self.0
            .0
            .prepare_cached("INSERT OR REPLACE INTO embedding_queue VALUES(?, ?, ?)")?
            .execute((model.number, id.0, reason))?;
        Ok(())
    }

    /// Puts the refused memories back into the queue. Returns how many.
    pub fn retry_refused(&self, model: &ModelRow) -> Result<u32, VaultError> {
        let count = self.0.0.execute(
            "UPDATE embedding_queue SET reason = NULL WHERE model = ? AND reason IS NOT NULL",
            [model.number],
        )?;
        Ok(count as u32)
    }
}

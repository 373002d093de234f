//! The vectors of a memory's tokens, as the reranker packed them: opaque bytes here. Derived like the
//! vectors beside them, and more revealing than these: they go whenever those go.

use rusqlite::{Connection, OptionalExtension as _};

use super::EmbeddingsMut;
use super::read::{Embeddings, ModelRow, Pending, pending};
use crate::error::VaultError;
use crate::memory::MemoryId;

pub(crate) const MIGRATION: &str = "
CREATE TABLE token_vectors(
    number INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL,
    model INTEGER NOT NULL,
    version INTEGER NOT NULL,
    packed BLOB NOT NULL,
    UNIQUE(memory_id, model)
);
";

impl Embeddings<'_> {
    /// The packed token vectors of a memory, if they were kept of this version of its text.
    pub fn tokens_of(
        &self,
        model: &ModelRow,
        id: MemoryId,
        version: u32,
    ) -> Result<Option<Vec<u8>>, VaultError> {
        Ok(self
            .0
            .prepare_cached(
                "SELECT packed FROM token_vectors WHERE memory_id = ? AND model = ? AND version = ?",
            )?
            .query_row((id.0, model.number, version), |row| row.get(0))
            .optional()?)
    }

    /// Living memories below a number, newest first, that have vectors of the model but none of
    /// their tokens.
    pub fn without_tokens(
        &self,
        model: &ModelRow,
        below: MemoryId,
        limit: u32,
    ) -> Result<Vec<Pending>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT m.id, m.version, m.content FROM memories m \
             WHERE m.id < ?2 AND m.deleted_at IS NULL \
             AND EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id AND c.model = ?1) \
             AND NOT EXISTS (SELECT 1 FROM token_vectors t WHERE t.memory_id = m.id AND t.model = ?1) \
             ORDER BY m.id DESC LIMIT ?3",
        )?;
        let rows = statement.query_map((model.number, below.0, limit), pending)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl EmbeddingsMut<'_> {
    /// Keeps the token vectors of a memory beside its vectors. Nothing is stored when the memory has
    /// another version by now, is gone, or has no vectors of this model.
    pub fn keep_tokens(
        &self,
        model: &ModelRow,
        id: MemoryId,
        version: u32,
        packed: &[u8],
    ) -> Result<(), VaultError> {
        self.connection()
            .prepare_cached(
                "INSERT OR REPLACE INTO token_vectors(memory_id, model, version, packed) \
                 SELECT m.id, ?2, m.version, ?4 FROM memories m WHERE m.id = ?1 AND m.version = ?3 \
                 AND EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id AND c.model = ?2)",
            )?
            .execute((id.0, model.number, version, packed))?;
        Ok(())
    }

    /// Lets go of everything that [`EmbeddingsMut::keep_tokens`] kept.
    pub fn forget_tokens(&self) -> Result<(), VaultError> {
        self.connection().execute("DELETE FROM token_vectors", [])?;
        Ok(())
    }
}

/// Deletes what was kept of a memory's tokens, whichever model made it.
pub(super) fn forget(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    connection
        .prepare_cached("DELETE FROM token_vectors WHERE memory_id = ?")?
        .execute([id.0])?;
    Ok(())
}

/// The text stayed as it was while its memory got another version.
pub(crate) fn carry(connection: &Connection, id: MemoryId, version: u32) -> Result<(), VaultError> {
    connection
        .prepare_cached("UPDATE token_vectors SET version = ? WHERE memory_id = ?")?
        .execute((version, id.0))?;
    Ok(())
}

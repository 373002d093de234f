//! The words that a memory should be found by, with their weights, as the expander gave them: opaque bytes
//! here. Derived like the vectors, and as revealing as the text: they go whenever the text changes or goes.

use rusqlite::{Connection, OptionalExtension as _};

use super::EmbeddingsMut;
use super::read::{Embeddings, Pending, pending};
use crate::error::VaultError;
use crate::memory::MemoryId;

pub(crate) const MIGRATION: &str = "
CREATE TABLE expanders(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE word_weights(
    memory_id INTEGER PRIMARY KEY,
    expander INTEGER NOT NULL,
    packed BLOB NOT NULL
);
CREATE INDEX word_weights_expander ON word_weights(expander);
";

/// The number of the expander named first among the parameters; null while it has kept nothing.
const EXPANDER: &str = "(SELECT number FROM expanders WHERE name = ?1)";

impl Embeddings<'_> {
    /// Living memories below a number, newest first, of which this expander has kept no words.
    pub fn without_words(
        &self,
        expander: &str,
        below: MemoryId,
        limit: u32,
    ) -> Result<Vec<Pending>, VaultError> {
        let mut statement = self.0.prepare_cached(&format!(
            "SELECT m.id, m.version, m.content FROM memories m \
             WHERE m.id < ?2 AND m.deleted_at IS NULL AND NOT m.blank \
             AND NOT EXISTS (SELECT 1 FROM word_weights w \
                 WHERE w.memory_id = m.id AND w.expander = {EXPANDER}) \
             ORDER BY m.id DESC LIMIT ?3"
        ))?;
        let rows = statement.query_map((expander, below.0, limit), pending)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Of how many living memories this expander has kept words.
    pub fn count_words(&self, expander: &str) -> Result<u32, VaultError> {
        let mut statement = self.0.prepare_cached(&format!(
            "SELECT (SELECT count(*) FROM word_weights WHERE expander = {EXPANDER}) \
             - (SELECT count(*) FROM memories m INDEXED BY memories_trash \
                JOIN word_weights w ON w.memory_id = m.id \
                WHERE m.deleted_at IS NOT NULL AND w.expander = {EXPANDER})"
        ))?;
        Ok(statement.query_row([expander], |row| row.get(0))?)
    }

    /// Hands over the words that this expander kept, living memory by living memory.
    pub fn for_each_words(
        &self,
        expander: &str,
        mut each: impl FnMut(MemoryId, &[u8]),
    ) -> Result<(), VaultError> {
        // Without its index: the rows are read where they lie, one after the other.
        let mut statement = self.0.prepare_cached(&format!(
            "SELECT memory_id, packed FROM word_weights NOT INDEXED \
             WHERE expander = {EXPANDER} AND memory_id NOT IN \
                 (SELECT id FROM memories INDEXED BY memories_trash WHERE deleted_at IS NOT NULL) \
             ORDER BY memory_id"
        ))?;
        let mut rows = statement.query([expander])?;
        while let Some(row) = rows.next()? {
            let packed = row.get_ref(1)?.as_blob().unwrap_or_default();
            each(MemoryId(row.get(0)?), packed);
        }
        Ok(())
    }

    /// The words that this expander kept of a memory.
    pub fn words_of(&self, expander: &str, id: MemoryId) -> Result<Option<Vec<u8>>, VaultError> {
        let mut statement = self.0.prepare_cached(&format!(
            "SELECT packed FROM word_weights WHERE memory_id = ?2 AND expander = {EXPANDER}"
        ))?;
        Ok(statement
            .query_row((expander, id.0), |row| row.get(0))
            .optional()?)
    }
}

impl EmbeddingsMut<'_> {
    /// Keeps the words of a memory, in place of those it had. Nothing is stored when the memory has another
    /// version than the one that was read, or is gone.
    pub fn keep_words(
        &self,
        expander: &str,
        id: MemoryId,
        version: u32,
        packed: &[u8],
    ) -> Result<(), VaultError> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO expanders(name) VALUES(?)")?
            .execute([expander])?;
        self.connection()
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO word_weights(memory_id, expander, packed) \
                 SELECT id, {EXPANDER}, ?4 FROM memories WHERE id = ?2 AND version = ?3"
            ))?
            .execute((expander, id.0, version, packed))?;
        Ok(())
    }
}

/// Deletes the words of a memory.
pub(super) fn forget(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    connection
        .prepare_cached("DELETE FROM word_weights WHERE memory_id = ?")?
        .execute([id.0])?;
    Ok(())
}

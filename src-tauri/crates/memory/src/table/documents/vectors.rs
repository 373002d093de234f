//! The vectors of chunks: one vec0 table per model, beside those of the memories.

use rusqlite::{Connection, OptionalExtension as _};

use super::read::Documents;
use super::vectors_table;
use super::write::DocumentsMut;
use crate::error::VaultError;
use crate::filter::count;
use crate::table::embeddings::{MAX_NEIGHBOURS, ModelRow, flaw, to_bytes};

/// Deletes all vectors that a model made of documents.
pub(crate) fn forget_model(connection: &Connection, model: &ModelRow) -> Result<(), VaultError> {
    if has_table(connection, model)? {
        connection.execute_batch(&format!("DROP TABLE {}", vectors_table(model.number)))?;
    }
    connection.execute(
        "DELETE FROM document_vectors WHERE model = ?",
        [model.number],
    )?;
    Ok(())
}

fn has_table(connection: &Connection, model: &ModelRow) -> Result<bool, VaultError> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)")?
        .query_row([vectors_table(model.number)], |row| row.get(0))?)
}

impl Documents<'_> {
    /// Chunks that the model has not embedded yet: name and text, oldest first.
    pub fn pending(&self, model: &ModelRow, limit: u32) -> Result<Vec<(i64, String)>, VaultError> {
        let waiting: Vec<i64> = {
            let mut statement = self.0.prepare_cached(
                "SELECT chunk_id FROM document_chunks WHERE chunk_id NOT IN \
                 (SELECT chunk_id FROM document_vectors WHERE model = ?) \
                 ORDER BY chunk_id LIMIT ?",
            )?;
            let rows = statement.query_map((model.number, limit), |row| row.get(0))?;
            rows.collect::<Result<_, _>>()?
        };
        Ok(self
            .chunks(&waiting)?
            .into_iter()
            .map(|chunk| (chunk.chunk_id, chunk.text))
            .collect())
    }

    /// How many chunks have a vector of the model, and how many there are.
    pub fn counts(&self, model: &ModelRow) -> Result<(u32, u32), VaultError> {
        let done = self
            .0
            .prepare_cached(
                "SELECT count(*) FROM document_vectors WHERE model = ? AND reason IS NULL",
            )?
            .query_row([model.number], |row| row.get(0))?;
        let total = self
            .0
            .prepare_cached("SELECT count(*) FROM document_chunks")?
            .query_row([], |row| row.get(0))?;
        Ok((count(done)?, count(total)?))
    }

    /// The chunks nearest to `query`: name and cosine similarity, best first, ties by name. An exact
    /// scan by vec0.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a vector that is not the model's, or `k` = 0.
    pub fn nearest(
        &self,
        model: &ModelRow,
        query: &[f32],
        k: u32,
    ) -> Result<Vec<(i64, f64)>, VaultError> {
        if k == 0 || flaw(model, query).is_some() {
            return Err(VaultError::Invalid {
                what: "query vector",
            });
        }
        if !has_table(self.0, model)? {
            return Ok(Vec::new());
        }
        let mut statement = self.0.prepare_cached(&format!(
            "SELECT chunk_id, distance FROM {} WHERE embedding MATCH ? AND k = ?",
            vectors_table(model.number)
        ))?;
        let rows = statement.query_map((to_bytes(query), k.min(MAX_NEIGHBOURS)), |row| {
            Ok((row.get::<_, i64>(0)?, 1.0 - row.get::<_, f64>(1)?))
        })?;
        let mut found: Vec<(i64, f64)> = rows.collect::<Result<_, _>>()?;
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(found)
    }
}

impl DocumentsMut<'_> {
    /// Stores the vector of a chunk, or marks the chunk when the vector is unusable or there is
    /// none. A chunk that is gone meanwhile, or has its vector, is passed over.
    pub fn put_vector(
        &self,
        model: &ModelRow,
        chunk_id: i64,
        vector: Option<&[f32]>,
    ) -> Result<(), VaultError> {
        let connection = self.connection();
        let waits: Option<bool> = connection
            .prepare_cached(
                "SELECT NOT EXISTS (SELECT 1 FROM document_vectors v \
                 WHERE v.model = ? AND v.chunk_id = c.chunk_id) \
                 FROM document_chunks c WHERE c.chunk_id = ?",
            )?
            .query_row((model.number, chunk_id), |row| row.get(0))
            .optional()?;
        if waits != Some(true) {
            return Ok(());
        }
        let reason = match vector {
            None => Some("the model failed"),
            Some(vector) => flaw(model, vector),
        };
        if let (Some(vector), None) = (vector, reason) {
            if !has_table(connection, model)? {
                connection.execute_batch(&format!(
                    "CREATE VIRTUAL TABLE {} USING vec0(chunk_id INTEGER PRIMARY KEY, \
                     embedding float[{}] distance_metric=cosine)",
                    vectors_table(model.number),
                    model.dimension
                ))?;
            }
            connection
                .prepare_cached(&format!(
                    "INSERT INTO {}(chunk_id, embedding) VALUES(?, ?)",
                    vectors_table(model.number)
                ))?
                .execute((chunk_id, to_bytes(vector)))?;
        }
        connection
            .prepare_cached("INSERT INTO document_vectors VALUES(?, ?, ?)")?
            .execute((model.number, chunk_id, reason))?;
        Ok(())
    }
}

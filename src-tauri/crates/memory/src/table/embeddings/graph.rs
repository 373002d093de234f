//! The stored form of an approximate index over a model's vectors, if one is used. It holds chunks'
//! numbers and links, no vectors, and can be thrown away and built again at any time.

use rusqlite::OptionalExtension as _;

use super::EmbeddingsMut;
use super::read::{Embeddings, ModelRow};
use crate::error::VaultError;

pub(crate) const MIGRATION: &str = "
CREATE TABLE vector_graphs(model INTEGER PRIMARY KEY, graph BLOB NOT NULL);
";

impl Embeddings<'_> {
    /// The graph that was stored last.
    pub fn graph(&self, model: &ModelRow) -> Result<Option<Vec<u8>>, VaultError> {
        Ok(self
            .0
            .prepare_cached("SELECT graph FROM vector_graphs WHERE model = ?")?
            .query_row([model.number], |row| row.get(0))
            .optional()?)
    }
}

impl EmbeddingsMut<'_> {
    /// Stores a graph in place of the last one; `None` removes that.
    pub fn store_graph(&self, model: &ModelRow, graph: Option<&[u8]>) -> Result<(), VaultError> {
        match graph {
            Some(graph) => self
                .connection()
                .prepare_cached("INSERT OR REPLACE INTO vector_graphs VALUES(?, ?)")?
                .execute((model.number, graph))?,
            None => self
                .connection()
                .prepare_cached("DELETE FROM vector_graphs WHERE model = ?")?
                .execute([model.number])?,
        };
        Ok(())
    }
}

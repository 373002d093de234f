//! Vectors: one vec0 table per model and dimension, the chunks they stand for, and the queue of
//! memories that still wait for theirs.
//!
//! A memory is embedded by a model when it is not blank and has no row in that model's queue. A row
//! with a reason is a memory that could not be embedded. Vectors of memories in the trash stay, so
//! that restoring brings them back as they were; nothing here returns them meanwhile.

mod graph;
mod read;
mod tokens;
mod words;
mod write;

pub use read::{Chunk, Embeddings, MAX_NEIGHBOURS, ModelRow, Pending};
pub use write::Put;

pub(crate) use read::flaw;
pub(crate) use write::{enqueue, forget};

pub(crate) use graph::MIGRATION as GRAPHS;
pub(crate) use tokens::{MIGRATION as TOKENS, carry as carry_tokens};
pub(crate) use words::MIGRATION as WORDS;

use std::ops::Deref;

use rusqlite::Connection;

pub(crate) const MIGRATION: &str = "
CREATE TABLE embedding_models(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model_id TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    active INTEGER NOT NULL,
    UNIQUE(model_id, dimension)
);
CREATE TABLE chunks(
    chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL,
    memory_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    UNIQUE(memory_id, model, ordinal)
);
CREATE TABLE embedding_queue(
    model INTEGER NOT NULL,
    memory_id INTEGER NOT NULL,
    reason TEXT,
    PRIMARY KEY(model, memory_id)
) WITHOUT ROWID;
CREATE INDEX embedding_queue_memory ON embedding_queue(memory_id);
CREATE TRIGGER memories_queued AFTER INSERT ON memories WHEN NOT new.blank BEGIN
    INSERT INTO embedding_queue SELECT number, new.id, NULL FROM embedding_models;
END;
";

/// Writes vectors.
pub struct EmbeddingsMut<'a>(Embeddings<'a>);

impl<'a> Deref for EmbeddingsMut<'a> {
    type Target = Embeddings<'a>;

    fn deref(&self) -> &Embeddings<'a> {
        &self.0
    }
}

impl<'a> EmbeddingsMut<'a> {
    fn connection(&self) -> &'a Connection {
        self.0.0
    }

    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Embeddings::new(connection))
    }
}

/// The vec0 table of a model.
fn vectors_table(number: i64) -> String {
    format!("embeddings_{number}")
}

pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn from_bytes(bytes: &[u8], into: &mut Vec<f32>) {
    into.clear();
    into.extend(
        bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&four| f32::from_le_bytes(four)),
    );
}

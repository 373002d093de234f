//! The tables: one file each, with its statements, its rows, and its handles for reading and writing.

pub(crate) mod documents;
pub(crate) mod embeddings;
pub(crate) mod files;
pub(crate) mod judgements;
pub(crate) mod keyword;
pub(crate) mod memories;
pub(crate) mod memory_text;
pub(crate) mod pair_scores;
pub(crate) mod research;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod state;
pub(crate) mod traces;
pub(crate) mod undo;

use crate::error::VaultError;

/// SQLite's integers are signed; no file or log reaches their end.
fn signed(number: u64) -> Result<i64, VaultError> {
    i64::try_from(number).map_err(|_| VaultError::Invalid {
        what: "file position",
    })
}

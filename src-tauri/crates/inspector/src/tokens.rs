//! The vectors of memories' tokens, which the reranker reads in place of the text: kept beside the
//! memories' vectors unless a person would rather have the space, and filled in for vaults that were
//! embedded before there were any.

use std::sync::atomic::Ordering;

use memory::{MemoryId, ModelRow, Vault, VaultError};
use models::{Embedder, read_tokens};
use serde_json::Value;

use crate::error::EdgeError;
use crate::kept;
use crate::session::Session;

const KEPT: &str = "keep_token_vectors";

/// Memories read between two writes.
const BATCH: u32 = 16;

/// Whether this vault keeps them; it does unless it was told not to.
pub(crate) fn are_kept(vault: &Vault) -> bool {
    kept::value(vault, KEPT).and_then(|value| value.as_bool()) != Some(false)
}

/// Keeps them from now on, or lets them go.
pub(crate) fn keep(session: &Session, kept: bool) -> Result<(), EdgeError> {
    session.vault.write(|w| {
        w.settings().set(KEPT, &Value::from(kept).to_string())?;
        if !kept {
            w.embeddings().forget_tokens()?;
        }
        Ok(())
    })?;
    session.tokens_below.store(START, Ordering::SeqCst);
    session.wake.rouse();
    Ok(())
}

/// Where filling in goes on: everything from this number on has been seen to.
pub(crate) const START: i64 = i64::MAX;

/// Nothing is left to fill in.
const DONE: i64 = i64::MIN;

/// Fills in what is missing of the newest memories that were not seen to yet; returns how many.
pub(crate) fn fill_in(
    session: &Session,
    model: &ModelRow,
    embedder: &dyn Embedder,
) -> Result<usize, VaultError> {
    let below = session.tokens_below.load(Ordering::SeqCst);
    if below == DONE || !are_kept(&session.vault) {
        return Ok(0);
    }
    let missing = session
        .vault
        .read(|r| r.embeddings().without_tokens(model, MemoryId(below), BATCH))?;
    let Some(last) = missing.last().map(|item| item.id.0) else {
        session.tokens_below.store(DONE, Ordering::SeqCst);
        return Ok(0);
    };
    let mut ready = Vec::with_capacity(missing.len());
    for item in &missing {
        // What the model fails on now is read with the text when a query asks for it.
        if let Ok(tokens) = read_tokens(embedder, &item.content) {
            ready.push((item.id, item.version, tokens.to_bytes()));
        }
    }
    session.vault.write(|w| {
        for (id, version, packed) in &ready {
            w.embeddings().keep_tokens(model, *id, *version, packed)?;
        }
        Ok(())
    })?;
    session.tokens_below.store(last, Ordering::SeqCst);
    Ok(missing.len())
}

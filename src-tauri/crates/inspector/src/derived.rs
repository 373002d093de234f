//! What is derived of a text beside its vectors: the vectors of its tokens, which the reranker reads in its
//! place, and the words by which it should be found. New memories get both with their vectors; here both are
//! filled in for vaults that were embedded before there were any.

use std::sync::atomic::{AtomicI64, Ordering};

use memory::{MemoryId, ModelRow, Pending, Vault, VaultError};
use models::{Embedder, read_tokens, read_words};
use serde_json::Value;

use crate::error::EdgeError;
use crate::kept;
use crate::session::Session;

const KEPT: &str = "keep_token_vectors";

/// Memories read between two writes.
const BATCH: u32 = 16;

/// Whether this vault keeps the vectors of tokens; it does unless it was told not to.
pub(crate) fn tokens_are_kept(vault: &Vault) -> bool {
    kept::value(vault, KEPT).and_then(|value| value.as_bool()) != Some(false)
}

/// Keeps them from now on, or lets them go.
pub(crate) fn keep_tokens(session: &Session, kept: bool) -> Result<(), EdgeError> {
    session.vault.write(|w| {
        w.settings().set(KEPT, &Value::from(kept).to_string())?;
        if !kept {
            w.embeddings().forget_tokens()?;
        }
        Ok(())
    })?;
    session.tokens_below.begin_anew();
    session.wake.rouse();
    Ok(())
}

/// How far filling in has come: everything from a number on has been seen to, the newest first.
pub(crate) struct Cursor(AtomicI64);

impl Default for Cursor {
    fn default() -> Self {
        Self(AtomicI64::new(Self::START))
    }
}

impl Cursor {
    const START: i64 = i64::MAX;

    /// Nothing is left.
    const DONE: i64 = i64::MIN;

    /// After memories came that may lack what is filled in.
    pub(crate) fn begin_anew(&self) {
        self.0.store(Self::START, Ordering::SeqCst);
    }

    /// Sees to the next memories below and returns how many these were; when there are none, it is done.
    fn advance(
        &self,
        next: impl FnOnce(MemoryId) -> Result<Vec<Pending>, VaultError>,
        see_to: impl FnOnce(&[Pending]) -> Result<(), VaultError>,
    ) -> Result<usize, VaultError> {
        let below = self.0.load(Ordering::SeqCst);
        if below == Self::DONE {
            return Ok(0);
        }
        let batch = next(MemoryId(below))?;
        // Where nothing is missing nothing is written: a vault that is only looked at stays as it is.
        if !batch.is_empty() {
            see_to(&batch)?;
        }
        let reached = batch.last().map_or(Self::DONE, |item| item.id.0);
        // Unless it was begun anew meanwhile.
        let _ = self
            .0
            .compare_exchange(below, reached, Ordering::SeqCst, Ordering::SeqCst);
        Ok(batch.len())
    }
}

/// Fills in what is missing of the newest memories that were not seen to yet; returns of how many. What a
/// model fails on now is left out: the reranker reads the text itself, and the sparse leg does not find it.
pub(crate) fn fill_in(
    session: &Session,
    model: &ModelRow,
    embedder: &dyn Embedder,
) -> Result<usize, VaultError> {
    let words = fill_in_words(session, embedder)?;
    if words > 0 {
        return Ok(words);
    }
    if !tokens_are_kept(&session.vault) {
        return Ok(0);
    }
    session.tokens_below.advance(
        |below| {
            session
                .vault
                .read(|r| r.embeddings().without_tokens(model, below, BATCH))
        },
        |missing| {
            let read = missing.iter().filter_map(|item| {
                let tokens = read_tokens(embedder, &item.content).ok()?;
                Some((item.id, item.version, tokens.to_bytes()))
            });
            let ready: Vec<_> = read.collect();
            session.vault.write(|w| {
                for (id, version, packed) in &ready {
                    w.embeddings().keep_tokens(model, *id, *version, packed)?;
                }
                Ok(())
            })
        },
    )
}

fn fill_in_words(session: &Session, embedder: &dyn Embedder) -> Result<usize, VaultError> {
    let Some(expander) = embedder.expander() else {
        return Ok(0);
    };
    session.words_below.advance(
        |below| {
            session
                .vault
                .read(|r| r.embeddings().without_words(expander.id(), below, BATCH))
        },
        |missing| {
            let read = missing.iter().filter_map(|item| {
                let words = read_words(embedder, &item.content).ok()??;
                Some((item.id, item.version, words.to_bytes()))
            });
            let ready: Vec<_> = read.collect();
            session.vault.write(|w| {
                for (id, version, packed) in &ready {
                    w.embeddings()
                        .keep_words(expander.id(), *id, *version, packed)?;
                }
                Ok(())
            })?;
            let filled: Vec<MemoryId> = ready.iter().map(|(id, ..)| *id).collect();
            session.engine.note_changed_words(&filled)
        },
    )
}

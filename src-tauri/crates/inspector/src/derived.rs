//! What is derived of a text beside its vectors: the vectors of its tokens, which the reranker reads in its
//! place, and the words by which it should be found. New memories get both with their vectors; here both are
//! filled in for vaults that were embedded before there were any.

use memory::{MemoryId, ModelRow, VaultError};
use models::{Embedder, read_tokens, read_words};
use serde_json::Value;

use crate::error::EdgeError;
use crate::kept::{self, tokens_are_kept};
use crate::session::Session;

/// Memories read between two writes.
const BATCH: u32 = 16;

/// Keeps the vectors of tokens from now on, or lets them go.
pub(crate) fn keep_tokens(session: &Session, kept: bool) -> Result<(), EdgeError> {
    session.vault.write(|w| {
        w.settings()
            .set(kept::TOKENS, &Value::from(kept).to_string())?;
        if !kept {
            w.embeddings().forget_tokens()?;
        }
        Ok(())
    })?;
    session.tokens_below.begin_anew();
    session.wake.rouse();
    Ok(())
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

//! Embeds behind ingestion: a memory is keyword-searchable first, its vector follows.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use memory::{MemoryId, ModelRow, Vault, VaultError};
use models::{Embedder, ModelIdentity, Share, name_of, of_document};

use crate::derived;
use crate::frequent;
use crate::kept::tokens_are_kept;
use crate::near;
use crate::session::Session;
use crate::view::Notice;

/// Memories embedded between two writes at most, and the tokens after which no other one is begun:
/// long enough to keep the writer idle mostly, short enough that a new memory gets its vector within
/// about a second, however long the texts are.
const BATCH: u32 = 64;
const BATCH_TOKENS: usize = 4096;

/// A person who asked so lately is likely to ask again: a core is left to them.
const IN_USE: i64 = 10_000;

/// Vectors linked into an approximate index between two looks at what is pending.
const LINKED_TOGETHER: usize = 128;

/// Memories compared with older ones between two looks at what is pending.
const NEAR_TOGETHER: u32 = 32;

/// How long the background work sleeps when nothing is pending and nobody wakes it.
const NAP: Duration = Duration::from_millis(700);

/// What the background work knows of whoever uses the vault.
pub(crate) trait Surroundings: Send + 'static {
    /// Milliseconds since somebody last used it; `None` once everything has ended.
    fn idle(&self) -> Option<i64>;
    /// Says how far it is.
    fn tell(&self, notice: &Notice);
}

/// Starts the background work of a session; it ends when the session closes.
pub(crate) fn start(
    session: &Arc<Session>,
    embedder: Arc<dyn Embedder>,
    around: impl Surroundings,
) {
    if session.embedding.swap(true, Ordering::SeqCst) {
        return;
    }
    let workers = session.workers.clone();
    let session = Arc::clone(session);
    workers.start(move || {
        // The model's row comes first: without one there is nothing that a mirror could mirror.
        let ready = model_row(&session.vault, embedder.identity())
            .and_then(|_| session.engine.refresh_mirror());
        if let Err(error) = ready {
            tracing::warn!(%error, "the vectors could not be read into memory");
        }
        if let Err(error) = frequent::warm(&session.vault, embedder.as_ref()) {
            tracing::warn!(%error, "frequent queries were not embedded ahead");
        }
        while !session.closing.load(Ordering::SeqCst) {
            match step(&session, embedder.as_ref(), &around) {
                Ok(true) => {}
                Ok(false) => session.wake.wait(NAP),
                Err(VaultError::Locked) => break,
                Err(error) => {
                    tracing::warn!(%error, "embedding pauses");
                    session.wake.wait(NAP * 10);
                }
            }
        }
    });
}

/// Embeds one batch. False when nothing was pending.
fn step(
    session: &Session,
    embedder: &dyn Embedder,
    around: &impl Surroundings,
) -> Result<bool, VaultError> {
    if let Some(idle) = around.idle() {
        embedder.take_share(if idle < IN_USE {
            Share::AllButOne
        } else {
            Share::Whole
        });
    }
    let done = embed_batch(&session.vault, embedder)?;
    if done.is_empty() {
        let model = settle(&session.vault, embedder.identity())?;
        let chunks = embed_chunks(&session.vault, embedder)?;
        let linked = session.engine.link_vectors(LINKED_TOGETHER)?;
        let filled = derived::fill_in(session, &model, embedder)?;
        let compared = near::link(session, &model, NEAR_TOGETHER)?;
        return Ok(chunks + linked + filled + compared > 0);
    }
    session.engine.note_changed(&done)?;
    // Does nothing while the mirror is in step.
    session.engine.refresh_mirror()?;
    let (done, total) = counts(&session.vault, embedder.identity())?;
    around.tell(&Notice::Embedded { done, total });
    Ok(true)
}

/// Embeds the newest pending memories and returns which they were.
pub(crate) fn embed_batch(
    vault: &Vault,
    embedder: &dyn Embedder,
) -> Result<Vec<MemoryId>, VaultError> {
    let identity = embedder.identity();
    let model = model_row(vault, identity)?;
    let pending = vault.read(|r| r.embeddings().pending(&model, BATCH))?;
    if pending.is_empty() {
        return Ok(Vec::new());
    }
    let mut texts = Vec::new();
    let mut ready = Vec::with_capacity(pending.len());
    let mut tokens = 0;
    for item in &pending {
        if tokens >= BATCH_TOKENS {
            break;
        }
        tokens += embedder.token_count(&item.content);
        let spans = embedder.chunks(&item.content);
        let from = texts.len();
        texts.extend(
            spans
                .iter()
                .filter_map(|span| item.content.get(span.clone())),
        );
        ready.push((item, spans, from..texts.len()));
    }
    // All pieces at once, so that they can be shared out; one that fails is looked for alone.
    let mut together = embedder.read_passages(&texts).ok().map(Vec::into_iter);
    let ready: Vec<_> = ready
        .into_iter()
        .map(|(item, spans, at)| {
            let read = match &mut together {
                Some(passages) => Ok(passages.take(at.len()).collect()),
                None => embedder.read_passages(&texts[at.clone()]),
            };
            // Of the first passage alone; what fails here is filled in later, if it can be.
            let words = texts[at].first().map(|first| embedder.words_of(first));
            let words = words.and_then(Result::ok).flatten();
            (item.id, item.version, spans, read.map(of_document), words)
        })
        .collect();
    let keeps_tokens = tokens_are_kept(vault);
    let expander = embedder.expander();
    vault.write(|w| {
        let mut done = Vec::with_capacity(ready.len());
        for (id, version, spans, read, words) in ready {
            match read {
                Ok((vectors, tokens)) => {
                    let chunks: Vec<_> = spans.into_iter().zip(vectors).collect();
                    w.embeddings().put(&model, id, version, &chunks)?;
                    if keeps_tokens {
                        w.embeddings()
                            .keep_tokens(&model, id, version, &tokens.to_bytes())?;
                    }
                    if let (Some(expander), Some(words)) = (expander, &words) {
                        w.embeddings()
                            .keep_words(expander.id(), id, version, &words.to_bytes())?;
                    }
                }
                Err(_) => w.embeddings().refuse(&model, id, "the model failed")?,
            }
            done.push(id);
        }
        Ok(done)
    })
}

/// Embeds the oldest pending chunks of documents and returns how many there were. A chunk that
/// exceeds the model's window is embedded in parts and stands for their mean.
pub(crate) fn embed_chunks(vault: &Vault, embedder: &dyn Embedder) -> Result<usize, VaultError> {
    let identity = embedder.identity();
    let pending = vault.read(|r| {
        match r.embeddings().find(&identity.id, identity.dimension)? {
            Some(model) => Ok(Some((r.documents().pending(&model, BATCH)?, model))),
            // Its row comes with the first batch of memories.
            None => Ok(None),
        }
    })?;
    let Some((pending, model)) = pending.filter(|(pending, _)| !pending.is_empty()) else {
        return Ok(0);
    };
    let ready: Vec<_> = pending
        .into_iter()
        .map(|(chunk_id, text)| (chunk_id, mean_vector(embedder, &text)))
        .collect();
    vault.write(|w| {
        for (chunk_id, vector) in &ready {
            w.documents()
                .put_vector(&model, *chunk_id, vector.as_deref())?;
        }
        Ok(ready.len())
    })
}

/// The vector of a text of any length; `None` when the model fails.
fn mean_vector(embedder: &dyn Embedder, text: &str) -> Option<Vec<f32>> {
    let spans = embedder.chunks(text);
    let parts: Vec<&str> = spans
        .iter()
        .filter_map(|span| text.get(span.clone()))
        .collect();
    let vectors = embedder.embed_passages(&parts).ok()?;
    let mut sum = vec![0.0_f32; embedder.identity().dimension as usize];
    for vector in &vectors {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += value;
        }
    }
    let length = sum.len();
    models::unit_vector(sum, length).ok()
}

/// The vault's row for a model. Reading first keeps an idle program from writing.
fn model_row(vault: &Vault, identity: &ModelIdentity) -> Result<ModelRow, VaultError> {
    let found = vault.read(|r| r.embeddings().find(&identity.id, identity.dimension))?;
    match found {
        Some(model) => Ok(model),
        None => vault.write(|w| w.embeddings().register(&identity.id, identity.dimension)),
    }
}

/// Once every memory has its vector, searches use this model, whatever model the vault's vectors came
/// from before. Returns its row.
pub(crate) fn settle(vault: &Vault, identity: &ModelIdentity) -> Result<ModelRow, VaultError> {
    let model = model_row(vault, identity)?;
    if !model.active {
        vault.write(|w| {
            w.embeddings()
                .take_over(&model, |other| name_of(other) == identity.name())
        })?;
    }
    Ok(model)
}

/// How many memories have a vector, and how many should.
pub(crate) fn counts(vault: &Vault, identity: &ModelIdentity) -> Result<(u32, u32), VaultError> {
    let model = model_row(vault, identity)?;
    vault.read(|r| r.embeddings().counts(&model))
}

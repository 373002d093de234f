//! Embedding for scripts, and how far it is.

use crate::derived;
use crate::embedding::{counts, embed_batch, embed_chunks, settle};
use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::near;
use crate::view::{EmbeddingView, ModelState};

/// Memories compared with older ones between two writes.
const NEAR_TOGETHER: u32 = 256;

/// Memories embedded earlier that a script compares with older ones besides its own.
const COMPARED_BESIDES: usize = 1000;

impl Inspector {
    /// Embeds everything that is pending; for scripts. Says how far it is. Does nothing without a
    /// model, and says why: keywords work without.
    pub fn embed_pending(
        &self,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<EmbeddingView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let Some(embedder) = self.inner.model.wait() else {
            let reason = match self.inner.model.state() {
                ModelState::Missing { reason } | ModelState::Failed { reason } => Some(reason),
                ModelState::Loading | ModelState::Ready { .. } => None,
            };
            return Ok(EmbeddingView {
                reason,
                ..self.embedding()?
            });
        };
        let identity = embedder.identity().clone();
        let mut made = 0;
        let view = loop {
            let done = embed_batch(&session.vault, embedder.as_ref())?;
            session.engine.note_changed(&done)?;
            made += done.len();
            let (embedded, total) = counts(&session.vault, &identity)?;
            progress(embedded, total);
            if done.is_empty() {
                break EmbeddingView {
                    embedded,
                    pending: total.saturating_sub(embedded),
                    reason: (embedded < total).then(|| "the model refused their texts".to_owned()),
                };
            }
        };
        let model = settle(&session.vault, &identity)?;
        while embed_chunks(&session.vault, embedder.as_ref())? > 0 {}
        while derived::fill_in(&session, &model, embedder.as_ref())? > 0 {}
        // With the model at hand; whatever lies farther back is the next one's, or the window's.
        let session = self.inner.session_searching()?;
        let mut left = made + COMPARED_BESIDES;
        while left > 0 {
            match near::link(&session, &model, NEAR_TOGETHER)? {
                0 => break,
                compared => left = left.saturating_sub(compared),
            }
        }
        Ok(view)
    }

    /// How far the vectors of the model that was used last are.
    pub fn embedding(&self) -> Result<EmbeddingView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let now = self.inner.now();
        let (embedded, total) = session.vault.read(|r| match r.embeddings().active()? {
            Some(model) => r.embeddings().counts(&model),
            None => Ok((0, r.memories().living(now)?)),
        })?;
        Ok(EmbeddingView {
            embedded,
            pending: total.saturating_sub(embedded),
            reason: None,
        })
    }
}

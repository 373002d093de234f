//! Models: whatever turns text into numbers by means of a learned model.
//!
//! - [`Embedder`]: one vector per text (for nearest neighbours) and one vector per token (for late
//!   interaction). [`LocalEmbedder`] runs an ONNX model in this process, offline.
//! - [`Expander`]: the words by which a text should be found, with weights, from a second model in the same
//!   folder.
//! - [`Reranker`]: reads query and document together and scores the pair in 0..1.
//!   [`LateInteraction`] needs nothing but an embedder, [`CrossEncoder`] a folder with a second
//!   model, [`HttpReranker`] a service; the last one is guarded by a [`Breaker`].
//! - [`Script`]: which writing systems a text uses, since a model that does not know a script must
//!   abstain instead of voting noise.
//!
//! What is deliberately absent: downloading (the set-up does it), storage (vectors live in the
//! vault), any knowledge of memories or stages, and logging of texts.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::single_range_in_vec_init,
        clippy::unchecked_time_subtraction
    )
)]

mod cache;
mod chunk;
mod derived;
mod embedder;
mod error;
mod expander;
mod files;
mod local;
mod local_expander;
mod packed;
mod rerank;
mod runtime;
mod script;
pub mod testing;
mod vectors;

pub use chunk::{OVERLAP_TOKENS, WINDOW_TOKENS, words_in};
pub use derived::{of_document, read_tokens, read_words};
pub use embedder::{Embedder, ModelIdentity, Passage, Share, name_of};
pub use error::ModelError;
pub use expander::{Expander, Word, Words};
pub use files::{ModelFile, ModelFiles};
pub use local::{LocalEmbedder, LocalOptions};
pub use packed::PackedTokens;
pub use rerank::{
    Breaker, BreakerState, BreakerView, Clock, CrossEncoder, Document, HttpReranker,
    HttpRerankerConfig, LateInteraction, Permit, RerankError, Reranker, ScoreScale, Trip, TripKind,
    monotonic_clock,
};
pub use script::{Script, ScriptCounts};
pub use vectors::{TokenVectors, cosine, unit_vector};

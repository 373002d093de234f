//! Rerankers: they see query and document together.

mod breaker;
mod cross_encoder;
mod http;
mod late_interaction;

use std::time::Duration;

pub use breaker::{
    Breaker, BreakerState, BreakerView, Clock, Permit, Trip, TripKind, monotonic_clock,
};
pub use cross_encoder::CrossEncoder;
pub use http::{HttpReranker, HttpRerankerConfig, ScoreScale};
pub use late_interaction::LateInteraction;

use crate::{ModelError, ModelIdentity, PackedTokens, Script};

/// What is read together with a query.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its text.
    pub text: &'a str,
    /// The vectors of its tokens by the model that [`Reranker::reads_tokens_of`] names, if they
    /// were kept: then it need not be read again.
    pub tokens: Option<&'a PackedTokens>,
}

/// Scores query–document pairs.
pub trait Reranker: Send + Sync {
    /// A stable name for traces and score caches; it changes when scores would.
    fn name(&self) -> &str;

    /// Whether scores for text in this script mean anything, see [`crate::Embedder::covers`].
    fn covers(&self, script: Script) -> bool;

    /// One entry per document, in the documents' order: its score in 0..1, or `None` when the
    /// deadline came before its turn, so that what was read in time is not lost.
    ///
    /// `word_idf` gives the weight of a word of the query as it stands in the query; the caller
    /// folds and stems as its index does. Rerankers that weigh words by themselves ignore it.
    ///
    /// # Errors
    /// Only when not a single score came about. [`RerankError::Deadline`] when time was too short
    /// even for the first document.
    fn score(
        &self,
        query: &str,
        documents: &[&str],
        word_idf: &dyn Fn(&str) -> f64,
        deadline: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError>;

    /// The same where the vectors of tokens were kept, for rerankers that can do with those.
    ///
    /// # Errors
    /// As for [`Reranker::score`].
    fn score_kept(
        &self,
        query: &str,
        documents: &[Document<'_>],
        word_idf: &dyn Fn(&str) -> f64,
        deadline: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError> {
        let texts: Vec<&str> = documents.iter().map(|document| document.text).collect();
        self.score(query, &texts, word_idf, deadline)
    }

    /// The model whose token vectors [`Reranker::score_kept`] can do with in place of a text.
    fn reads_tokens_of(&self) -> Option<&ModelIdentity> {
        None
    }

    /// Drops and zeroizes whatever is cached, for when the vault is locked.
    fn forget(&self) {}

    /// The state of the circuit breaker, for rerankers that have one.
    fn breaker(&self) -> Option<BreakerView> {
        None
    }
}

/// Why no score came about. No variant carries query or document text, nor a server's words.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The deadline passed before the first score.
    #[error("the reranker had no score before the deadline")]
    Deadline,
    /// The circuit breaker is open: nothing was sent.
    #[error("the reranker is paused for another {} s after a failure", remaining.as_secs())]
    Open {
        /// How much longer; zero while another query is probing.
        remaining: Duration,
    },
    /// The server asked for a pause (HTTP 429).
    #[error("the reranking service limits the rate, paused for {} s", pause.as_secs())]
    RateLimited {
        /// How long nothing will be sent.
        pause: Duration,
    },
    /// The server failed (HTTP 5xx).
    #[error("the reranking service failed with status {status}")]
    Server {
        /// The HTTP status.
        status: u16,
    },
    /// The server refused the request, for instance a wrong key (other HTTP statuses).
    #[error("the reranking service refused the request with status {status}")]
    Refused {
        /// The HTTP status.
        status: u16,
    },
    /// The server did not answer within the time-out.
    #[error("the reranking service did not answer in time")]
    Timeout,
    /// No connection, or it broke.
    #[error("the reranking service cannot be reached")]
    Connection,
    /// The answer cannot be used.
    #[error("the reranker's answer cannot be used: {reason}")]
    Answer {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The configuration cannot work.
    #[error("the reranker is not set up right: {reason}")]
    Configuration {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The local model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// The logistic function, which turns a cross-encoder's logit into a score in 0..1.
pub(crate) fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

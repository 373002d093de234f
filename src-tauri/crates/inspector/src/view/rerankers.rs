//! The rerankers: what is set up, what is in use, and how the service stands.

use retrieval::constants::RerankBackend;
use serde::{Deserialize, Serialize};

/// All rerankers. The service's key never leaves the core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct RerankersView {
    /// The one that the presets that ship with the program use.
    pub backend: RerankBackend,
    /// A cross-encoder in a folder.
    pub cross_encoder: Option<CrossEncoderView>,
    /// A reranking service.
    pub service: Option<RerankServiceView>,
}

/// A cross-encoder that was set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct CrossEncoderView {
    /// Its folder.
    pub folder: String,
    /// Its name in traces, once it is loaded.
    pub name: Option<String>,
    /// Why it cannot be used.
    pub fault: Option<String>,
}

/// A service that was set up: query and memory texts are sent there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct RerankServiceView {
    /// Its address.
    pub endpoint: String,
    /// The model's name there.
    pub model: String,
    /// What its numbers are.
    pub scale: ScoreScaleView,
    /// Whether a key is stored in the vault.
    pub key_stored: bool,
    /// How its breaker stands; `None` before the service was needed.
    pub breaker: Option<BreakerStateView>,
}

/// What a service's numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ScoreScaleView {
    /// 0..1, as Jina and Cohere give.
    #[default]
    Probability,
    /// Logits, as many self-hosted servers give.
    Logit,
}

/// Whether requests pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Passing {
    /// Requests pass.
    Closed,
    /// Nothing is sent.
    Open,
    /// The pause is over; the next request probes.
    HalfOpen,
}

/// What opened a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum BreakerCause {
    /// HTTP 429.
    RateLimited,
    /// HTTP 5xx.
    Server,
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    Connection,
}

/// A breaker from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct BreakerStateView {
    /// Whether requests pass.
    pub state: Passing,
    /// Seconds until the next try; 0 unless open.
    pub remaining_seconds: u32,
    /// What opened it.
    pub cause: Option<BreakerCause>,
}

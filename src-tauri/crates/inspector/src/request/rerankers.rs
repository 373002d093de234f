//! Setting a reranker up.

use retrieval::constants::RerankBackend;
use serde::{Deserialize, Serialize};

use crate::view::ScoreScaleView;

/// Which reranker is used from now on, with what it needs. What is absent stays as it was.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct RerankerRequest {
    /// The reranker to use.
    pub backend: RerankBackend,
    /// The folder of a cross-encoder.
    #[serde(default)]
    pub folder: Option<String>,
    /// The address of a service, such as `https://host/v1/rerank`.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The model's name there.
    #[serde(default)]
    pub model: Option<String>,
    /// What its numbers are.
    #[serde(default)]
    pub scale: ScoreScaleView,
    /// The service's key; an empty one forgets the stored key.
    #[serde(default)]
    pub key: Option<String>,
    /// True says that queries and memory texts may be sent to the service.
    #[serde(default)]
    pub sends_texts: bool,
}

/// Leaves the key out.
impl std::fmt::Debug for RerankerRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RerankerRequest")
            .field("backend", &self.backend)
            .field("folder", &self.folder)
            .field("endpoint", &self.endpoint)
            .field("model", &self.model)
            .field("has_key", &self.key.is_some())
            .finish_non_exhaustive()
    }
}

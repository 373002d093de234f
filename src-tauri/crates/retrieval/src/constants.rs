//! Every number that shapes a ranking. All of them can be changed while a query stands.

use serde::{Deserialize, Serialize};

/// How the two lists become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum FusionMethod {
    /// Reciprocal rank fusion: Σ wᵢ / (k + rankᵢ).
    Rrf,
    /// Σ wᵢ · score normalised to 0..1 over the list's candidates, weights made to sum to 1.
    Convex,
}

/// Who reads query and text together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum RerankBackend {
    /// Nobody: the decayed order stands.
    Off,
    /// Late interaction over the local model's token embeddings.
    Embedded,
    /// A cross-encoder in a local folder.
    CrossEncoder,
    /// A server that speaks the Jina or Cohere shape.
    Http,
}

/// Which time a memory's age is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum DecayClock {
    /// When it happened.
    CreatedAt,
    /// When the same thing was last said.
    LastSeenAt,
}

/// The constants of one ranking. `Default` is the preset "Standard".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct Constants {
    /// How many candidates each leg hands to fusion, 1–500; never fewer than 4 × `results`.
    pub candidates: u32,
    /// How the lists become one.
    pub fusion: FusionMethod,
    /// The k of reciprocal rank fusion, 0–1000.
    #[specta(type = i32)]
    pub rrf_k: f64,
    /// Weight of the semantic leg, 0–10; 0 removes it.
    #[specta(type = i32)]
    pub knn_weight: f64,
    /// Weight of the keyword leg, 0–10; 0 removes it.
    #[specta(type = i32)]
    pub bm25_weight: f64,
    /// Days after which the part of a score above the floor has halved, 0.1–3650.
    #[specta(type = i32)]
    pub half_life_days: f64,
    /// What an infinitely old memory keeps of its score, 0–1; 1 turns decay off.
    #[specta(type = i32)]
    pub decay_floor: f64,
    /// Which time age is counted from.
    pub decay_clock: DecayClock,
    /// Who reranks.
    pub rerank: RerankBackend,
    /// How many of the best are reranked, 0–200.
    pub rerank_window: u32,
    /// Share of the reranker's score in the final one, 0–1; the rest is the decayed score,
    /// min-max-normalised over the window.
    #[specta(type = i32)]
    pub rerank_blend: f64,
    /// How many results are returned, 1–100.
    pub results: u32,
    /// Tokens that the context block may take, 64–1,000,000.
    pub token_budget: u32,
    /// Trades relevance against repetition (maximal marginal relevance).
    pub mmr: bool,
    /// 1 = relevance alone, 0 = difference alone.
    #[specta(type = i32)]
    pub mmr_lambda: f64,
    /// Drops candidates whose normalised content equals that of a better one.
    pub dedup: bool,
}

impl Default for Constants {
    fn default() -> Self {
        Self {
            candidates: 40,
            fusion: FusionMethod::Rrf,
            rrf_k: 60.0,
            knn_weight: 1.0,
            bm25_weight: 1.0,
            half_life_days: 14.0,
            decay_floor: 0.7,
            decay_clock: DecayClock::CreatedAt,
            rerank: RerankBackend::Embedded,
            rerank_window: 20,
            rerank_blend: 0.7,
            results: 10,
            token_budget: 2048,
            mmr: false,
            mmr_lambda: 0.7,
            dedup: true,
        }
    }
}

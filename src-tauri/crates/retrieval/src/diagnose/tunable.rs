//! The constants that a slider moves, one by one.

use crate::constants::{Constants, FusionMethod, HALF_LIFE_RANGE, RerankBackend};

/// A constant that a slider moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tunable {
    /// Candidates per leg.
    Candidates,
    /// Share of the similarity to the best keyword hits.
    KnnFeedback,
    /// Words at which a short text counts half.
    Bm25Short,
    /// Words at which a long text counts half.
    Bm25Long,
    /// The k of reciprocal rank fusion.
    RrfK,
    /// Weight of the semantic leg.
    KnnWeight,
    /// Weight of the keyword leg.
    Bm25Weight,
    /// Half-life in days.
    HalfLifeDays,
    /// Floor of decay.
    DecayFloor,
    /// Rerank window.
    RerankWindow,
    /// Share of the reranker.
    RerankBlend,
    /// Number of results.
    Results,
    /// Tokens of the context block.
    TokenBudget,
    /// λ of MMR.
    MmrLambda,
}

impl Tunable {
    /// All of them, in the order of the sliders.
    pub const ALL: [Self; 14] = [
        Self::Candidates,
        Self::KnnFeedback,
        Self::Bm25Short,
        Self::Bm25Long,
        Self::RrfK,
        Self::KnnWeight,
        Self::Bm25Weight,
        Self::HalfLifeDays,
        Self::DecayFloor,
        Self::RerankWindow,
        Self::RerankBlend,
        Self::Results,
        Self::TokenBudget,
        Self::MmrLambda,
    ];

    /// The name of the field in [`Constants`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::KnnFeedback => "knn_feedback",
            Self::Bm25Short => "bm25_short",
            Self::Bm25Long => "bm25_long",
            Self::RrfK => "rrf_k",
            Self::KnnWeight => "knn_weight",
            Self::Bm25Weight => "bm25_weight",
            Self::HalfLifeDays => "half_life_days",
            Self::DecayFloor => "decay_floor",
            Self::RerankWindow => "rerank_window",
            Self::RerankBlend => "rerank_blend",
            Self::Results => "results",
            Self::TokenBudget => "token_budget",
            Self::MmrLambda => "mmr_lambda",
        }
    }

    /// The lowest and the highest value allowed.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::Candidates => (1.0, Constants::MAX_CANDIDATES as f64),
            Self::KnnFeedback => (0.0, 2.0),
            Self::Bm25Long => (0.0, 10_000.0),
            Self::RrfK => (0.0, 1000.0),
            Self::KnnWeight | Self::Bm25Weight => (0.0, 10.0),
            Self::HalfLifeDays => HALF_LIFE_RANGE,
            Self::DecayFloor | Self::RerankBlend | Self::MmrLambda => (0.0, 1.0),
            Self::Bm25Short | Self::RerankWindow => (0.0, 200.0),
            Self::Results => (1.0, 100.0),
            Self::TokenBudget => (64.0, 1_000_000.0),
        }
    }

    /// Whether only whole numbers are allowed.
    pub const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Candidates | Self::RerankWindow | Self::Results | Self::TokenBudget
        )
    }

    /// Its value.
    pub fn of(self, constants: &Constants) -> f64 {
        match self {
            Self::Candidates => f64::from(constants.candidates),
            Self::KnnFeedback => constants.knn_feedback,
            Self::Bm25Short => constants.bm25_short,
            Self::Bm25Long => constants.bm25_long,
            Self::RrfK => constants.rrf_k,
            Self::KnnWeight => constants.knn_weight,
            Self::Bm25Weight => constants.bm25_weight,
            Self::HalfLifeDays => constants.half_life_days,
            Self::DecayFloor => constants.decay_floor,
            Self::RerankWindow => f64::from(constants.rerank_window),
            Self::RerankBlend => constants.rerank_blend,
            Self::Results => f64::from(constants.results),
            Self::TokenBudget => f64::from(constants.token_budget),
            Self::MmrLambda => constants.mmr_lambda,
        }
    }

    /// The constants with this one at another value.
    #[must_use]
    pub fn set(self, constants: &Constants, value: f64) -> Constants {
        let mut changed = constants.clone();
        match self {
            Self::Candidates => changed.candidates = value as u32,
            Self::KnnFeedback => changed.knn_feedback = value,
            Self::Bm25Short => changed.bm25_short = value,
            Self::Bm25Long => changed.bm25_long = value,
            Self::RrfK => changed.rrf_k = value,
            Self::KnnWeight => changed.knn_weight = value,
            Self::Bm25Weight => changed.bm25_weight = value,
            Self::HalfLifeDays => changed.half_life_days = value,
            Self::DecayFloor => changed.decay_floor = value,
            Self::RerankWindow => changed.rerank_window = value as u32,
            Self::RerankBlend => changed.rerank_blend = value,
            Self::Results => changed.results = value as u32,
            Self::TokenBudget => changed.token_budget = value as u32,
            Self::MmrLambda => changed.mmr_lambda = value,
        }
        changed
    }

    /// Whether the lists of the legs stand still while it moves, so that the order changes at steps
    /// that can be told exactly.
    pub const fn keeps_the_lists(self) -> bool {
        !matches!(self, Self::KnnFeedback | Self::Bm25Short | Self::Bm25Long)
    }

    /// Whether it makes any difference under these constants.
    pub(super) fn matters(self, constants: &Constants) -> bool {
        match self {
            Self::RrfK => constants.fusion == FusionMethod::Rrf,
            Self::RerankWindow | Self::RerankBlend => constants.rerank != RerankBackend::Off,
            Self::MmrLambda => constants.mmr,
            _ => true,
        }
    }
}

//! What the golden queries say of constants that move.

use retrieval::constants::Constants;
use serde::{Deserialize, Serialize};

use super::{DifferenceView, ScoresView};

/// A choice of constants on golden queries that took no part in choosing it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct HeldOutView {
    /// How many.
    pub queries: u32,
    /// Means under the present constants.
    pub present: ScoresView,
    /// Means under the chosen ones.
    pub chosen: ScoresView,
    /// Chosen minus present; not corrected, since nothing was tried on these.
    pub difference: DifferenceView,
}

/// Mean scores with a constant at one value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SweepPoint {
    /// The constant's value.
    pub value: f64,
    /// The means.
    pub scores: ScoresView,
    /// Lower end of the 95 % interval of mean nDCG@10.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Mean scores with a part of the pipeline taken out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct AblationView {
    /// `keywords_only`, `vectors_only`, `no_decay`, `no_rerank` or `no_sparse`.
    pub name: String,
    /// The means.
    pub scores: ScoresView,
}

/// One constant through its range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SweepView {
    /// The constant.
    pub constant: String,
    /// Its present value.
    pub current: f64,
    /// The value with the best nDCG@10; the nearest to the present one where several are best.
    pub best: f64,
    /// The best value against the present one, corrected for the number of values tried.
    pub difference: DifferenceView,
    /// Golden queries measured.
    pub queries: u32,
    /// How many of them chose; everything here but `held_out` is of those.
    pub choosing: u32,
    /// About how many more it takes to hold half of them out; 0 when half are.
    pub needed: u32,
    /// The best value on the other half; absent when none is held out or the present value is best.
    pub held_out: Option<HeldOutView>,
    /// In rising order.
    pub points: Vec<SweepPoint>,
    /// The present constants with a part taken out.
    pub ablations: Vec<AblationView>,
    /// Pairs that the reranker had no time to read.
    pub unread: u32,
}

/// One try of a sweep over several constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct TrialView {
    /// Its place in the plan, from 0.
    pub number: u32,
    /// `present`, `keywords_only`, `vectors_only`, `no_decay`, `no_rerank` or `no_sparse`; absent for a draw.
    pub name: Option<String>,
    /// The value of each constant that moves, in the order asked for.
    pub values: Vec<f64>,
    /// All constants.
    pub constants: Constants,
    /// Means over the queries that choose.
    pub scores: ScoresView,
    /// Lower end of the 95 % interval of mean nDCG@10.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Milliseconds that a query takes, mean: searching and reading a pair as measured in this
    /// session, ranking as measured now.
    pub ms: f64,
    /// nDCG@10 of each query that chooses.
    pub ndcg: Vec<f64>,
}

/// A query that chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct TrialQuery {
    /// `q7`.
    pub id: String,
    /// The query.
    pub text: String,
}

/// A piece of a sweep over several constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct TrialsView {
    /// Trials in the whole plan: the present constants, the ablations, and the draws.
    pub total: u32,
    /// Those asked for.
    pub trials: Vec<TrialView>,
    /// The queries that choose; `ndcg` counts along them.
    pub queries: Vec<TrialQuery>,
    /// About how many more golden queries it takes to hold half of them out; 0 when half are.
    pub needed: u32,
    /// Pairs that the reranker had no time to read.
    pub unread: u32,
}

//! What judged queries say of constants.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The grades of one query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct GradesView {
    /// `q7`; absent while nothing is judged.
    pub golden: Option<String>,
    /// Grade 0–3 by memory.
    pub grades: BTreeMap<String, u32>,
}

/// A golden query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct GoldenQueryView {
    /// `q7`.
    pub id: String,
    /// The query.
    pub text: String,
    /// `hybrid`, `lexical`, `semantic` or `auto`.
    pub mode: String,
    /// When it was first judged, RFC 3339.
    pub created_at: String,
    /// Grade 0–3 by memory; those in the trash are left out.
    pub grades: BTreeMap<String, u32>,
}

/// Mean scores, each 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ScoresView {
    /// Whether a relevant memory is among the first five.
    pub success_5: f64,
    /// One over the rank of the first relevant memory within ten.
    pub mrr_10: f64,
    /// Normalised discounted cumulated gain of the first ten.
    pub ndcg_10: f64,
    /// Share of the relevant memories among the first ten.
    pub recall_10: f64,
}

/// Scores, and how far they can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MetricsView {
    /// When nothing unjudged is relevant.
    pub lower: ScoresView,
    /// When everything unjudged among the first ten is relevant.
    pub upper: ScoresView,
    /// Share of the first ten that somebody judged, 0..1.
    pub judged_10: f64,
}

/// One golden query under two sets of constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct QueryMeasureView {
    /// `q7`.
    pub id: String,
    /// The query.
    pub text: String,
    /// How many memories are judged for it.
    pub judged: u32,
    /// Under the constants compared with.
    pub baseline: MetricsView,
    /// Under the constants asked about.
    pub current: MetricsView,
    /// Place of the first relevant memory under the baseline, from 1.
    pub baseline_rank: Option<u32>,
    /// Its place under the constants asked about.
    pub current_rank: Option<u32>,
}

/// All golden queries under two sets of constants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MeasureView {
    /// What is compared with: a preset's name.
    pub baseline_name: String,
    /// Golden queries in all; those without a relevant memory have no scores.
    pub golden: u32,
    /// Means under the constants compared with.
    pub baseline: MetricsView,
    /// Means under the constants asked about.
    pub current: MetricsView,
    /// Queries whose nDCG@10 rose.
    pub better: u32,
    /// Queries whose nDCG@10 fell.
    pub worse: u32,
    /// Pairs that the reranker has not read yet; ask again with `score_unseen`.
    pub unread: u32,
    /// One by one, those with a relevant memory.
    pub queries: Vec<QueryMeasureView>,
}

/// Whether a difference is more than luck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceVerdict {
    /// The second is better.
    Better,
    /// The second is worse.
    Worse,
    /// They differ by less than 0.01, with confidence.
    Same,
    /// Not enough is judged.
    CannotTell,
}

/// A difference of mean nDCG@10 and what may be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DifferenceView {
    /// Second minus first.
    pub mean: f64,
    /// Lower end of the 95 % interval (paired bootstrap).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Of the paired randomisation test, corrected (Holm) where several were made.
    pub p: f64,
    /// What may be said.
    pub verdict: DifferenceVerdict,
    /// About how many more judged queries would settle it, when it cannot be told.
    pub more: Option<u32>,
}

/// Two sets of constants on all golden queries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ComparisonView {
    /// The scores; the first set is the baseline.
    pub measure: MeasureView,
    /// The difference.
    pub difference: DifferenceView,
}

/// What came of importing judgements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ImportedView {
    /// Judgements stored.
    pub judged: u32,
    /// Names of queries that are neither golden nor among the topics.
    pub unknown_queries: Vec<String>,
    /// Names of memories that the vault does not hold.
    pub unknown_memories: Vec<String>,
}

/// Judgements as other programs read them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ExportedView {
    /// TREC qrels: `query 0 memory grade`.
    pub qrels: String,
    /// `query<TAB>text`.
    pub topics: String,
}

/// One expectation of a regression suite and where it was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ExpectationView {
    /// The id, or the text that must be contained.
    pub expect: String,
    /// Its place, from 1; absent when the results do not hold it.
    pub rank: Option<u32>,
    /// Whether that is high enough.
    pub passed: bool,
}

/// One query of a regression suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct CaseView {
    /// The query.
    pub query: String,
    /// Within how many of the first.
    pub top: u32,
    /// Whether everything expected was there.
    pub passed: bool,
    /// One by one.
    pub expected: Vec<ExpectationView>,
}

/// How a regression suite went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SuiteView {
    /// Whether every query passed.
    pub passed: bool,
    /// Queries that did not.
    pub failures: u32,
    /// One by one.
    pub cases: Vec<CaseView>,
}

//! What the golden queries leave on the table, and where.

use retrieval::stage::Stage;
use serde::{Deserialize, Serialize};

/// Where the next improvement lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum HeadroomFix {
    /// Nearly everything that can be had is had; or nothing was measured.
    #[default]
    Nothing,
    /// The candidates are there, in the wrong order.
    Ranking,
    /// What is relevant does not reach fusion.
    Retrieval,
    /// Both about as much.
    Both,
}

/// What one stage did to the golden queries. Scores lie in 0..1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct StageEffectView {
    /// The stage.
    pub stage: Stage,
    /// Mean recall among what came in; for a leg, among all that it found.
    pub recall_in: f64,
    /// Mean recall among what went on.
    pub recall_out: f64,
    /// Mean nDCG@10 of the list that came in; absent for a leg.
    pub ndcg_in: Option<f64>,
    /// Mean nDCG@10 of the list that went on.
    pub ndcg_out: f64,
    /// Queries whose list left it better.
    pub helped: u32,
    /// Queries whose list left it worse; for a leg, whose cutoff lost a relevant memory.
    pub hurt: u32,
}

/// What one golden query leaves on the table. Scores lie in 0..1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct QueryHeadroomView {
    /// `q7`.
    pub id: String,
    /// The query.
    pub text: String,
    /// nDCG@10 of the results.
    pub actual: f64,
    /// Of the best order of the candidates that fusion got.
    pub oracle: f64,
    /// Of the best order of everything that the legs found.
    pub deep: f64,
}

/// What all golden queries leave on the table: `actual`, `ranking`, `cutoff` and `unfound` add up to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct HeadroomView {
    /// Mean nDCG@10 of the results.
    pub actual: f64,
    /// A better order of the same candidates would add this.
    pub ranking: f64,
    /// Found, but below the legs' cutoffs.
    pub cutoff: f64,
    /// Found by neither leg.
    pub unfound: f64,
    /// What to work on.
    pub fix: HeadroomFix,
    /// Knn to select, in order; empty when nothing relevant is judged.
    pub stages: Vec<StageEffectView>,
    /// One by one, those with a relevant memory.
    pub queries: Vec<QueryHeadroomView>,
    /// Pairs that the reranker had no time to read.
    pub unread: u32,
}

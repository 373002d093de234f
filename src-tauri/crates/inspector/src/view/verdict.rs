//! Why a memory is not among the results: the ledger of keywords and shared words, the gates, and what would help.

use serde::{Deserialize, Serialize};

/// One term's part in a memory's keyword score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct LedgerTerm {
    /// The term as indexed.
    pub term: String,
    /// `word`, `trigram` or `substring`.
    pub index: String,
    /// How many memories contain it.
    pub document_frequency: u32,
    /// Inverse document frequency.
    pub idf: f64,
    /// How often it occurs here.
    pub term_frequency: f64,
    /// The length factor `1 − b + b · length / average length`.
    pub length_norm: f64,
    /// Its part of the sum.
    pub contribution: f64,
}

/// One word that a query and a memory share, typed or added by the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SharedWord {
    /// How it is written; a piece that continues a word begins with `##`.
    pub word: String,
    /// Whether it stands in the query; all others the model added.
    pub typed: bool,
    /// Its weight in the query times its rarity.
    pub query_weight: f64,
    /// Its weight in the memory.
    pub memory_weight: f64,
    /// The product of both, its part of the sparse leg's sum.
    pub product: f64,
}

/// Why the keyword leg gave a memory its score, and the sparse leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct LedgerView {
    /// The memory.
    pub id: String,
    /// Every term of the query, those that matched nothing too.
    pub terms: Vec<LedgerTerm>,
    /// The sum of the contributions of the word index.
    pub sum: f64,
    /// What SQLite's `bm25()` says (sign turned).
    pub engine: Option<f64>,
    /// Whether both agree within 1e-9.
    pub reconciles: bool,
    /// What the sparse leg adds up, the largest part first.
    pub shared_words: Vec<SharedWord>,
}

/// How a memory passed one gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// Passed.
    Ok,
    /// A leg did not find it; another may have.
    Missed,
    /// Here it left the last list that still held it.
    Lost,
    /// Behind the gate that lost it.
    NotReached,
    /// The gate itself broke.
    Failed,
}

/// One gate between the vault and the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct GateView {
    /// `stored`, `trash`, `expired`, `scope`, `embedded`, `knn`, `bm25`, `sparse`, `fusion`, `decay`, `rerank`, `select`, `duplicate`, `budget`.
    pub name: String,
    /// How it went.
    pub verdict: GateVerdict,
    /// The memory's value here, for example its rank.
    pub value: Option<f64>,
    /// What would have been enough.
    pub threshold: Option<f64>,
    /// Value against threshold; negative = short by.
    pub margin: Option<f64>,
    /// The list was not followed to the memory: its rank is the value or a later one.
    pub beyond: bool,
    /// One sentence.
    pub note: String,
}

/// What one constant alone would have to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct FixView {
    /// The constant's name.
    pub constant: String,
    /// Its present value.
    pub current: f64,
    /// The intervals in which the memory is among the results; empty = impossible alone.
    pub intervals: Vec<(f64, f64)>,
    /// The value in them nearest to the present one.
    pub nearest: Option<f64>,
    /// Judged queries that gain.
    pub gained: u32,
    /// Judged queries that lose.
    pub lost: u32,
    /// Change of nDCG over the judged queries; absent when nothing is judged.
    pub ndcg_delta: Option<f64>,
}

/// One constant of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct PairPartView {
    /// The constant's name.
    pub constant: String,
    /// Its present value.
    pub current: f64,
    /// The value to set.
    pub value: f64,
    /// Where it may be while the other one stands at its own value.
    pub interval: (f64, f64),
}

/// Two constants that bring a memory in together, where none does alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct PairView {
    /// Both, in the order of the pipeline.
    pub parts: [PairPartView; 2],
    /// The memory's rank then, from 1.
    pub rank: u32,
    /// The results that it pushes out.
    pub displaced: Vec<String>,
    /// Judged queries that gain.
    pub gained: u32,
    /// Judged queries that lose.
    pub lost: u32,
    /// Change of nDCG over the judged queries; absent when nothing is judged.
    pub ndcg_delta: Option<f64>,
}

/// Why a query missed a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct VerdictView {
    /// The query.
    pub query: String,
    /// The memory.
    pub expected: String,
    /// Whether it is among the results.
    pub in_results: bool,
    /// The gate that lost it.
    pub lost_at: Option<String>,
    /// One sentence.
    pub headline: String,
    /// All gates in order.
    pub gates: Vec<GateView>,
    /// The smallest change of each constant.
    pub fixes: Vec<FixView>,
}

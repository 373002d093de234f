//! What stands beside the memories of a query: research that was done before, and documents.
//!
//! A lane never mixes with the eight stages: it has its own list, its own scores and its own block
//! of text, and it can fail without costing the query anything.

pub mod documents;
pub mod found;
pub mod research;

use serde::{Deserialize, Serialize};

use crate::report::{Report, Status};

/// The lanes of one query, as the trace keeps them: names and numbers, no text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct Lanes {
    /// Past research; absent in traces from before there was such a lane.
    pub memory_lookup: Option<MemoryLookup>,
    /// Documents; absent likewise.
    #[serde(default)]
    pub documents: Option<DocumentLookup>,
}

/// The event of looking into the research cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MemoryLookup {
    /// How it ended.
    pub status: Status,
    /// Why it was skipped or failed, in plain words.
    pub reason: Option<String>,
    /// Wall time in milliseconds.
    pub elapsed_ms: f64,
    /// The query's words that were compared.
    pub keywords: Vec<String>,
    /// How many entries were compared.
    pub entries: u32,
    /// How many were similar enough.
    pub matched: u32,
    /// The best of them, best first.
    pub hits: Vec<ResearchHit>,
    /// The next best, which a lower threshold or a longer list would let in, best first; absent in
    /// traces from before there were such.
    #[serde(default)]
    pub near_misses: Vec<ResearchMiss>,
    /// Tokens of what is injected.
    pub tokens: u32,
    /// Tokens that the hits would cost in full.
    pub naive_tokens: u32,
}

/// Research that was not found again, but nearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ResearchMiss {
    /// Names the entry.
    pub key: String,
    /// Similarity of the keyword sets, 0..1.
    pub similarity: f64,
}

/// Research that was found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ResearchHit {
    /// Names the entry.
    pub key: String,
    /// Its place, from 1.
    pub rank: u32,
    /// Similarity of the keyword sets, 0..1.
    pub similarity: f64,
    /// Whether it is injected.
    pub injected: bool,
    /// Tokens of its entry in the block; of what it would be, when it is not in.
    pub tokens: u32,
    /// Tokens of its findings in full.
    pub naive_tokens: u32,
}

/// A search of the documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DocumentLookup {
    /// How it ended.
    pub status: Status,
    /// Why it was skipped, degraded or failed, in plain words.
    pub reason: Option<String>,
    /// Wall time in milliseconds.
    pub elapsed_ms: f64,
    /// How many documents there are.
    pub documents: u32,
    /// The semantic leg.
    pub knn: LegReport,
    /// The keyword leg.
    pub bm25: LegReport,
    /// The best chunks, best first.
    pub hits: Vec<DocumentHit>,
    /// The next best, which a longer list would let in, then the nearest of those that only their
    /// meaning speaks for, which a lower cosine would; absent in traces from before there were such.
    #[serde(default)]
    pub near_misses: Vec<DocumentMiss>,
    /// Tokens of all hits together.
    pub tokens: u32,
}

/// How one leg of the documents went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct LegReport {
    /// How it ended.
    pub status: Status,
    /// Why it was skipped, degraded or failed.
    pub reason: Option<String>,
    /// How many chunks it found.
    pub found: u32,
}

impl LegReport {
    pub(crate) fn of(report: &Report, found: usize) -> Self {
        Self {
            status: report.status,
            reason: report.reason.clone(),
            found: u32::try_from(found).unwrap_or(u32::MAX),
        }
    }
}

/// A chunk that nearly answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DocumentMiss {
    /// Names the chunk, as `c42`.
    pub id: String,
    /// The document's id.
    pub document: String,
    /// The chunk's place in its document, from 0.
    pub chunk: u32,
    /// How many chunks the document has.
    pub chunks: u32,
    /// Its place behind the hits, from 1; absent when it is in neither list.
    pub rank: Option<u32>,
    /// Cosine similarity, −1..1; absent when meaning did not see it.
    pub cosine: Option<f64>,
}

/// A chunk that answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DocumentHit {
    /// Names the chunk, as `c42`.
    pub id: String,
    /// The document's id.
    pub document: String,
    /// The chunk's place in its document, from 0.
    pub chunk: u32,
    /// How many chunks the document has.
    pub chunks: u32,
    /// Place in the list, from 1.
    pub rank: u32,
    /// The fused score.
    pub score: f64,
    /// Place in the semantic list.
    pub knn_rank: Option<u32>,
    /// Cosine similarity, −1..1.
    pub cosine: Option<f64>,
    /// Place in the keyword list.
    pub bm25_rank: Option<u32>,
    /// Score of the keyword list.
    pub bm25: Option<f64>,
    /// Tokens of its text.
    pub tokens: u32,
}

//! What stands beside the memories of a query: research that was done before, and documents.
//!
//! A lane never mixes with the seven stages: it has its own list, its own scores and its own block
//! of text, and it can fail without costing the query anything.

pub mod research;

use serde::{Deserialize, Serialize};

use crate::trace::Status;

/// The lanes of one query, as the trace keeps them: names and numbers, no text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct Lanes {
    /// Past research; absent in traces from before there was such a lane.
    pub memory_lookup: Option<MemoryLookup>,
}

/// The event of looking into the research cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MemoryLookup {
    /// How it ended.
    pub status: Status,
    /// Why it was skipped or failed, in plain words.
    pub reason: Option<String>,
    /// Wall time in milliseconds.
    #[specta(type = i32)]
    pub elapsed_ms: f64,
    /// The query's words that were compared.
    pub keywords: Vec<String>,
    /// How many entries were compared.
    pub entries: u32,
    /// How many were similar enough.
    pub matched: u32,
    /// The best of them, best first.
    pub hits: Vec<ResearchHit>,
    /// Tokens of what is injected.
    pub tokens: u32,
    /// Tokens that the hits would cost in full.
    pub naive_tokens: u32,
}

/// Research that was found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ResearchHit {
    /// Names the entry.
    pub key: String,
    /// Its place, from 1.
    pub rank: u32,
    /// Similarity of the keyword sets, 0..1.
    #[specta(type = i32)]
    pub similarity: f64,
    /// Whether it is injected.
    pub injected: bool,
    /// Tokens of what is injected of it; of what would be, when it is not.
    pub tokens: u32,
    /// Tokens of its findings in full.
    pub naive_tokens: u32,
}

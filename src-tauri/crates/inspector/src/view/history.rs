//! Past queries.

use std::collections::BTreeMap;

use retrieval::trace::{Level, Mode, Trace};
use serde::{Deserialize, Serialize};

use super::{MemoryCard, UsageCounts};
use crate::channel::ChannelName;
use crate::request::FilterRequest;

/// Past queries, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct HistoryView {
    /// How many are kept in all.
    pub total: u32,
    /// The page.
    pub entries: Vec<HistoryEntry>,
}

/// Whether a past query found what it should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum HistoryOutcome {
    /// A memory that was judged to answer it was among the results.
    Found,
    /// Memories were judged to answer it, and none was among the results.
    Missed,
    /// It had results; nobody has judged them.
    Unjudged,
    /// It had none.
    Empty,
}

/// A past query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct HistoryEntry {
    /// `t12`.
    pub id: String,
    /// When it was asked, RFC 3339.
    pub at: String,
    /// The query as typed.
    pub query: String,
    /// The clock it was asked with, RFC 3339.
    pub clock: String,
    /// The mode asked for.
    pub mode: Mode,
    /// Who asked.
    pub channel: ChannelName,
    /// How much of the pipeline ran.
    pub level: Level,
    /// Stages that failed or had less to work with.
    pub troubled: Vec<String>,
    /// What could be seen.
    pub filter: FilterRequest,
    /// How many results it had.
    pub results: u32,
    /// Whether it found what it should have, by the judgements of today.
    pub outcome: HistoryOutcome,
    /// The best rank at which it found something that answers it.
    pub found_rank: Option<u32>,
    /// What the answer made of what an agent was given, where that was asked for.
    pub usage: Option<UsageCounts>,
    /// Wall time of all stages in milliseconds.
    pub elapsed_ms: f64,
}

/// A past query as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct StoredTraceView {
    /// `t12`.
    pub id: String,
    /// When it was asked, RFC 3339.
    pub at: String,
    /// What could be seen.
    pub filter: FilterRequest,
    /// Who asked.
    pub channel: ChannelName,
    /// The account, with the clock and the constants of then; lists as far as they were stored.
    pub trace: Trace,
    /// The memories in the lists as they are today, by id. Those that are gone are missing here.
    pub cards: BTreeMap<String, MemoryCard>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct SavedFileView {
    /// Where.
    pub path: String,
    /// Its length.
    pub bytes: u32,
}

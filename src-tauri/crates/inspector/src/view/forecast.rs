//! What time alone will do to a list of results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// When the results change while time passes and nothing else does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ForecastView {
    /// The moment from which `memories` look ahead, RFC 3339.
    pub clock: String,
    /// Where the changes start, RFC 3339.
    pub from: String,
    /// Up to where they are known, RFC 3339.
    pub until: String,
    /// False with MMR on: then the list is looked at in even steps.
    pub exact: bool,
    /// Whether the reranker has not read all that comes into its window; such rows count 0.
    pub unread: bool,
    /// How many results are returned at most.
    pub results: u32,
    /// Every change of the list, in order.
    pub changes: Vec<ForecastChange>,
    /// What becomes of every memory that is a result at some time, by id.
    pub memories: BTreeMap<String, MemoryFate>,
}

/// One change of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ForecastChange {
    /// RFC 3339.
    pub at: String,
    /// Memories that become results.
    pub entered: Vec<String>,
    /// Memories that were results.
    pub left: Vec<String>,
    /// How many of the others change their rank.
    pub moved: u32,
}

/// What becomes of one memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct MemoryFate {
    /// Its rank at the clock, from 1; absent when it is no result then.
    pub rank: Option<u32>,
    /// When it stops being a result, RFC 3339.
    pub leaves_at: Option<String>,
    /// When it becomes one, RFC 3339.
    pub enters_at: Option<String>,
    /// When its rank next changes, RFC 3339.
    pub next_at: Option<String>,
    /// Its rank then; absent when it is no result then.
    pub next_rank: Option<u32>,
}

/// Memories that came in after a query was answered and would be among its results now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ArrivalsView {
    /// Their ids, best first.
    pub entering: Vec<String>,
}

//! A query's answer: its trace, the cards of its memories, and the block that reaches the agent.

use std::collections::BTreeMap;

use retrieval::context::fence::LaneName;
use retrieval::trace::{ScoreTerm, Trace};
use serde::{Deserialize, Serialize};

use super::{LaneTexts, MemoryCard};
use crate::request::Lists;

/// A query's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct QueryView {
    /// Names the gathered candidates, for re-ranking under other constants.
    pub recall: String,
    /// The account, its lists cut to the first 120; of a retune, those that the caller holds empty.
    pub trace: Trace,
    /// The lists' digests, by which a retune knows what the caller holds.
    pub lists: Lists,
    /// How many of the results outside the rerank cache still wait to be read.
    pub unscored: u32,
    /// The memories in the lists, by id; of a retune, those that the caller does not hold.
    pub cards: BTreeMap<String, MemoryCard>,
    /// The block that would reach the agent.
    pub context: ContextView,
    /// Names the texts beside the memories, by which a retune knows what the caller holds.
    pub beside: String,
    /// The texts of what stands beside the memories; absent in a retune whose caller has them.
    pub lanes: Option<LaneTexts>,
}

/// A result of a query, with its text and everything that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultView {
    /// `m42`.
    pub id: String,
    /// Place in the list, from 1.
    pub rank: u32,
    /// The final score.
    pub score: f64,
    /// What the score is made of.
    pub terms: Vec<ScoreTerm>,
    /// The whole text.
    pub content: String,
    /// Path and line.
    pub source: Option<String>,
    /// RFC 3339.
    pub created_at: Option<String>,
    /// How far `created_at` can be trusted: `record`, `session`, `file` or `unknown`.
    pub created_at_quality: String,
    /// When the same thing was last said, RFC 3339.
    pub last_seen_at: String,
    /// How often it was said.
    pub seen_count: u32,
    /// After this moment no query sees it, RFC 3339.
    pub expires_at: Option<String>,
    /// The organisation or project; empty when there is only one.
    pub org: String,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: Option<String>,
    /// Who spoke.
    pub role: String,
    /// What the text is.
    pub kind: String,
    /// The tool.
    pub tool_name: Option<String>,
    /// The arguments of a tool call, as JSON text.
    pub tool_payload: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Pinned.
    pub pinned: bool,
    /// `normal`, `flagged` or `approved`. Flagged text reads like a planted instruction.
    pub trust: String,
}

/// The block that would reach the agent, and what it costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ContextView {
    /// The fenced text.
    pub block: String,
    /// Tokens of the whole block.
    pub tokens: u32,
    /// Tokens of the past research in it.
    pub research_tokens: u32,
    /// The budget.
    pub budget: u32,
    /// Tokens that all candidates together would have cost.
    pub naive_tokens: u32,
    /// What each memory, piece of research and chunk of a document costs and whether it got in, in
    /// the order of the block.
    pub entries: Vec<ContextEntry>,
}

/// The place of a memory, of past research or of a chunk in the context block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ContextEntry {
    /// `m42`, the key of research, or `c42` for a chunk.
    pub id: String,
    /// Where it comes from.
    pub lane: LaneName,
    /// What it costs.
    pub tokens: u32,
    /// Whether it is in the block.
    pub included: bool,
    /// Why not.
    pub reason: Option<String>,
}

//! What stands beside the memories: research, scrubbed streams.

use std::collections::BTreeMap;

use retrieval::lane::MemoryLookup;
use serde::{Deserialize, Serialize};

/// The texts of the lanes' hits; a trace holds only their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct LaneTexts {
    /// Past research by key, its findings as far as they reach the agent.
    pub research: BTreeMap<String, ResearchView>,
    /// The fenced research that reaches the agent; empty when there is none.
    pub research_block: String,
}

/// Research that was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ResearchView {
    /// Its key: 16 hexadecimal digits.
    pub key: String,
    /// What was asked.
    pub query: String,
    /// What was found.
    pub findings: String,
    /// Whether `findings` is only the start.
    pub cut: bool,
    /// Where.
    pub sources: Vec<ResearchSourceView>,
    /// What the findings cost in tokens.
    pub tokens: u32,
    /// RFC 3339.
    pub saved_at: String,
}

/// Where something was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ResearchSourceView {
    /// The address.
    pub url: String,
    /// Its title; empty when unknown.
    pub title: String,
    /// How far it can be trusted, as whoever did the research put it.
    pub credibility: Option<CredibilityView>,
}

/// A number, usually 0..1, or a word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(untagged)]
pub enum CredibilityView {
    /// A number.
    Score(#[specta(type = i32)] f64),
    /// A word, such as `high`.
    Word(String),
}

/// What a look into the research cache found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LookupView {
    /// The event, as queries carry it.
    #[serde(flatten)]
    pub lookup: MemoryLookup,
    /// The research of its hits, in their order, in full.
    pub research: Vec<ResearchView>,
    /// The fenced text that reaches the agent.
    pub block: String,
}

/// What was taken from another program's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportedResearchView {
    /// Entries that are new here, or newer than what was here.
    pub taken: u32,
    /// Entries that are here already, as new or newer.
    pub known: u32,
    /// Entries older than all that the full cache holds.
    pub no_room: u32,
    /// Entries in the cache now.
    pub kept: u32,
    /// Entries that could not be read.
    pub refused: Vec<RefusedView>,
}

/// A part of a file that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedView {
    /// Where, for example `entry 3`.
    pub place: String,
    /// Why, in plain words.
    pub reason: String,
}

/// What scrubbing a stream removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScrubView {
    /// Memory blocks that were removed.
    pub blocks: u32,
    /// The last block was still open at the end of the stream.
    pub unclosed: bool,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes passed on.
    pub bytes_out: u64,
}

//! What stands beside the memories: research, documents, scrubbed streams.

use std::collections::BTreeMap;

use retrieval::lane::{DocumentLookup, MemoryLookup};
use serde::{Deserialize, Serialize};

use super::HighlightView;

/// The texts of the lanes' hits; a trace holds only their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct LaneTexts {
    /// Past research by key, its findings as far as they reach the agent.
    pub research: BTreeMap<String, ResearchView>,
    /// Chunks of documents by name.
    pub chunks: BTreeMap<String, DocumentChunkView>,
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
    Score(f64),
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
    /// Entries in which secrets were masked.
    pub masked: u32,
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

/// A document without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct DocumentView {
    /// The id it was given.
    pub id: String,
    /// Its title; empty when it has none.
    pub title: String,
    /// Length of its text in characters.
    pub characters: u32,
    /// How many chunks it has.
    pub chunks: u32,
    /// When it was last taken in, RFC 3339.
    pub ingested_at: String,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum DocumentOutcome {
    /// It is new.
    Stored,
    /// It took the place of another text under the same id.
    Replaced,
    /// The same text was there already.
    Unchanged,
}

/// A document that was taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentPutView {
    /// What became of it.
    pub outcome: DocumentOutcome,
    /// Whether secrets in it were masked.
    pub secrets_masked: bool,
    /// The document as it is now.
    #[serde(flatten)]
    pub document: DocumentView,
}

/// The same for the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct StoredDocumentView {
    /// What became of it.
    pub outcome: DocumentOutcome,
    /// Whether secrets in it were masked.
    pub secrets_masked: bool,
    /// The document as it is now.
    pub document: DocumentView,
}

impl From<DocumentPutView> for StoredDocumentView {
    fn from(put: DocumentPutView) -> Self {
        Self {
            outcome: put.outcome,
            secrets_masked: put.secrets_masked,
            document: put.document,
        }
    }
}

/// A document in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct DocumentTextView {
    /// What is known of it.
    pub document: DocumentView,
    /// Its text.
    pub content: String,
}

/// What the documents say to a question, for the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DocumentSearchView {
    /// The account.
    pub lookup: DocumentLookup,
    /// The chunks of its hits, in their order, with their whole text.
    pub texts: Vec<DocumentChunkView>,
}

impl From<DocumentAnswerView> for DocumentSearchView {
    fn from(answer: DocumentAnswerView) -> Self {
        Self {
            lookup: answer.lookup,
            texts: answer.texts,
        }
    }
}

/// A chunk of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DocumentChunkView {
    /// Names the chunk, as `c42`.
    pub id: String,
    /// The document's id.
    pub document: String,
    /// The document's title; empty when it has none.
    pub title: String,
    /// The start of the text, or the part that matched; at most 240 characters.
    pub snippet: String,
    /// What matched within `snippet`.
    pub highlights: Vec<HighlightView>,
    /// The whole text, where it was asked for.
    pub text: Option<String>,
}

/// What the documents say to a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentAnswerView {
    /// The account, as queries carry it.
    #[serde(flatten)]
    pub lookup: DocumentLookup,
    /// The chunks of its hits, in their order, with their whole text.
    pub texts: Vec<DocumentChunkView>,
}

/// What was taken from a plaintext document store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportedDocumentsView {
    /// Documents that are new here.
    pub stored: u32,
    /// Documents that took the place of another text under the same id.
    pub replaced: u32,
    /// Documents that were here already.
    pub unchanged: u32,
    /// Documents in which secrets were masked.
    pub masked: u32,
    /// Lines that could not be read.
    pub refused: Vec<RefusedView>,
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

//! What the window, the CLI and an agent get to see.

mod added;
mod answer;
mod constants;
mod duplicates;
mod forecast;
mod headroom;
mod history;
mod judged;
mod lanes;
mod latency;
mod map;
mod rerankers;
mod sessions;
mod sweep;
mod usage;
mod verdict;

pub use added::{AddOutcome, AddedView};
pub use answer::{ContextEntry, ContextView, QueryView, ResultView};
pub use constants::{ChoiceView, ConstantKind, ConstantView, TrackView};
pub use duplicates::{
    ContradictionView, DuplicateGroupView, DuplicatesView, JoinedView, NearView, PairsView,
};
pub use forecast::{ArrivalsView, ForecastChange, ForecastView, MemoryFate};
pub use headroom::{HeadroomFix, HeadroomView, QueryHeadroomView, StageEffectView};
pub use history::{HistoryEntry, HistoryOutcome, HistoryView, SavedFileView, StoredTraceView};
pub use judged::{
    CaseView, ComparisonView, DifferenceVerdict, DifferenceView, ExpectationView, ExportedView,
    GoldenQueryView, GradesView, ImportedView, MeasureView, MetricsView, QueryMeasureView,
    ScoresView, SuiteView,
};

pub use latency::{LatencyRow, LatencyView};

pub use lanes::{
    CredibilityView, DocumentAnswerView, DocumentChunkView, DocumentOutcome, DocumentPutView,
    DocumentSearchView, DocumentTextView, DocumentView, ImportedDocumentsView,
    ImportedResearchView, LaneTexts, LookupView, RefusedView, ResearchSourceView, ResearchView,
    ScrubView, StoredDocumentView,
};

pub use rerankers::{
    BreakerCause, BreakerStateView, CrossEncoderView, Passing, RerankServiceView, RerankersView,
    ScoreScaleView,
};

pub use map::{
    DraftView, EditKind, MapQuery, MapView, NeighbourMapState, NeighbourMapView, QueryEditView,
    QueryEditsView,
};

pub use sessions::{SessionContentView, SessionView, TurnView};
pub use sweep::{
    AblationView, HeldOutView, SweepPoint, SweepView, TrialQuery, TrialView, TrialsView,
};

pub use usage::{MemoryUseView, UsageCounts, UsageView, UseVerdict};

pub use verdict::{
    FixView, GateVerdict, GateView, LedgerTerm, LedgerView, PairPartView, PairView, SharedWord,
    VerdictView,
};

use retrieval::constants::Constants;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether there is a vault, and whether it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum VaultState {
    /// Nothing has been created yet.
    None,
    /// A vault is there, its key is not.
    Locked,
    /// Closed for work on its files; it opens again by itself.
    AtWork,
    /// Open.
    Open,
}

/// Whether texts can be embedded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ModelState {
    /// Being loaded.
    Loading,
    /// Ready.
    Ready {
        /// The model.
        id: String,
        /// Length of its vectors.
        dimension: u32,
    },
    /// No model files; keyword search only.
    Missing {
        /// What is missing and what to do.
        reason: String,
    },
    /// Files are there, loading failed.
    Failed {
        /// What broke.
        reason: String,
    },
}

/// The state of everything, small enough to be asked for often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct StatusView {
    /// The program's version.
    pub version: String,
    /// The vault.
    pub vault: VaultState,
    /// Whether the open vault is the demo.
    pub demo: bool,
    /// The vault's folder.
    pub folder: String,
    /// The model.
    pub model: ModelState,
    /// Memories, without the trash.
    pub memories: u32,
    /// Memories in the trash.
    pub trash: u32,
    /// Memories that have a vector of the active model.
    pub embedded: u32,
    /// Memories that should have one.
    pub embeddable: u32,
    /// The model that the vault's vectors came from, while those of the one that is loaded are being made;
    /// until then the semantic leg abstains.
    pub vectors_of: Option<String>,
    /// Watched folders and files.
    pub sources: u32,
    /// Rows per table and index.
    pub tables: BTreeMap<String, u32>,
    /// Tables and indexes that could not be counted, since a page of theirs is damaged.
    pub damaged: Vec<String>,
    /// Version of the vault's schema.
    pub schema: u32,
    /// Versions of the libraries inside, by name.
    pub libraries: BTreeMap<String, String>,
    /// Minutes after which an idle vault locks; 0 = never.
    pub lock_after_minutes: u32,
    /// Seconds until an idle vault locks; absent when it never does.
    pub idle_lock_in_seconds: Option<u32>,
    /// What undo would take back, in plain words.
    pub undo: Option<String>,
}

/// How hard a passphrase is to guess.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct StrengthView {
    /// 0 (refused) to 4.
    pub score: u32,
    /// One sentence.
    pub advice: String,
}

/// A piece of text to be marked, in UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct HighlightView {
    /// First unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A memory in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MemoryCard {
    /// `m42`.
    pub id: String,
    /// The start of the text, or the passage that matched, in lines; at most 360 characters.
    pub snippet: String,
    /// What matched within `snippet`.
    pub highlights: Vec<HighlightView>,
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
    /// RFC 3339.
    pub created_at: Option<String>,
    /// `record`, `session`, `file` or `unknown`.
    pub created_at_quality: String,
    /// Days before the query's clock; absent when unknown.
    pub age_days: Option<f64>,
    /// Path and line, as `…/log.jsonl:12`.
    pub source: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Pinned.
    pub pinned: bool,
    /// `normal`, `flagged` or `approved`.
    pub trust: String,
    /// Length of the text in characters.
    pub length: u32,
    /// How often it was seen.
    pub seen_count: u32,
    /// Counts the edits.
    pub version: u32,
}

/// A memory in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MemoryView {
    /// What lists show.
    pub card: MemoryCard,
    /// The whole text.
    pub content: String,
    /// What matched the query, when there is one.
    pub highlights: Vec<HighlightView>,
    /// The arguments of a tool call, as JSON text.
    pub tool_payload: Option<String>,
    /// Full path of the log.
    pub path: Option<String>,
    /// Line in the log, from 1.
    pub line: Option<u32>,
    /// Byte offset in the log, as a decimal number.
    pub offset: Option<String>,
    /// RFC 3339.
    pub last_seen_at: String,
    /// RFC 3339.
    pub expires_at: Option<String>,
    /// Whether that moment has passed: no query brings it up.
    pub expired: bool,
    /// RFC 3339, when in the trash.
    pub deleted_at: Option<String>,
    /// When and where it was said again, the latest first; 500 at most.
    pub sightings: Vec<SightingView>,
    /// What it is linked to as a near duplicate: the one that said it first, or all that say it after
    /// it; an answer shows one of them.
    pub near: Vec<NearView>,
    /// Whether a vector of the active model exists.
    pub embedded: bool,
    /// Earlier texts, latest first.
    pub history: Vec<VersionView>,
}

/// One time that something was said again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct SightingView {
    /// RFC 3339, if its record says so.
    pub at: Option<String>,
    /// In which conversation.
    pub session: Option<String>,
    /// Full path of the log, if it came from one.
    pub path: Option<String>,
    /// Line in the log, from 1.
    pub line: Option<u32>,
}

/// What merging memories would make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MergeDraftView {
    /// The memories; the first would stay.
    pub cards: Vec<MemoryCard>,
    /// Their texts one below the other, each once.
    pub content: String,
}

/// An earlier version of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct VersionView {
    /// Its number.
    pub version: u32,
    /// When it was replaced, RFC 3339.
    pub replaced_at: String,
    /// Its text.
    pub content: String,
}

/// A page of memories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct PageView {
    /// How many there are in all.
    pub total: u32,
    /// The page.
    pub cards: Vec<MemoryCard>,
}

/// How far the vectors follow the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EmbeddingView {
    /// Memories that have a vector.
    pub embedded: u32,
    /// Memories that wait for one; keywords find them without.
    pub pending: u32,
    /// Why they wait, when nothing works on it.
    pub reason: Option<String>,
}

/// Where memories are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WhereaboutsView {
    /// Among the living, expired ones included.
    pub living: Vec<String>,
    /// In the trash.
    pub trash: Vec<String>,
    /// Nowhere.
    pub unknown: Vec<String>,
}

/// A memory in a list for scripts: what the card leaves out as well.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowView {
    /// What lists show.
    #[serde(flatten)]
    pub card: MemoryCard,
    /// The arguments of a tool call, as JSON text.
    pub tool_payload: Option<String>,
    /// RFC 3339.
    pub last_seen_at: String,
    /// RFC 3339.
    pub expires_at: Option<String>,
    /// RFC 3339, when in the trash.
    pub deleted_at: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A page of memories for scripts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowsView {
    /// How many there are in all.
    pub total: u32,
    /// Numbers of memories that stand on damaged pages and are missing; left out when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: u32,
    /// The page.
    pub cards: Vec<RowView>,
}

/// A value of a filter and how many memories have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// How many.
    pub count: u32,
}

/// What one can filter by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct FacetsView {
    /// Agents.
    pub agents: Vec<FacetValue>,
    /// Roles.
    pub roles: Vec<FacetValue>,
    /// Kinds.
    pub kinds: Vec<FacetValue>,
    /// Source files.
    pub sources: Vec<FacetValue>,
    /// Tags.
    pub tags: Vec<FacetValue>,
    /// Earliest creation, RFC 3339.
    pub earliest: Option<String>,
    /// Latest creation, RFC 3339.
    pub latest: Option<String>,
}

/// A watched folder or file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct SourceView {
    /// Its row.
    pub id: String,
    /// Its path.
    pub path: String,
    /// The formats seen in it.
    pub formats: Vec<String>,
    /// `watching`, `polling`, `backfilling`, `paused` or `missing`.
    pub state: String,
    /// Why, when not watching.
    pub state_reason: Option<String>,
    /// Sub-agents' transcripts too.
    pub subagents: bool,
    /// Projects of which nothing is taken in.
    pub left_out: Vec<String>,
    /// Files seen.
    pub files: u32,
    /// Records read.
    pub records: u32,
    /// Memories stored from it.
    pub stored: u32,
    /// Records left out, by reason.
    pub skipped: BTreeMap<String, u32>,
    /// Lines that could not be read.
    pub errors: u32,
    /// When something last came, RFC 3339.
    pub last_seen_at: Option<String>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct IngestErrorView {
    /// The file.
    pub path: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// What is wrong.
    pub reason: String,
}

/// What taking in did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct IngestReport {
    /// Files read.
    pub files: u32,
    /// Bytes read, as a decimal number.
    pub bytes: String,
    /// Records found.
    pub records: u32,
    /// Memories stored (or that would be).
    pub stored: u32,
    /// Records left out, by reason.
    pub skipped: BTreeMap<String, u32>,
    /// Files by format.
    pub formats: BTreeMap<String, u32>,
    /// Which key was taken for what, for generic JSONL: format → mapping.
    pub mappings: BTreeMap<String, String>,
    /// The first 200 errors.
    pub errors: Vec<IngestErrorView>,
    /// How many errors in all.
    pub error_count: u32,
    /// Files and folders met below what was named and left alone, by reason.
    pub left_alone: BTreeMap<String, u32>,
    /// What a dry run met of each project, the one with the most first; empty otherwise.
    pub projects: Vec<ProjectReport>,
    /// Remarks that are no errors, with their number: what was masked, a line not finished yet.
    pub notes: BTreeMap<String, u32>,
    /// Whether it was stopped before the end.
    pub cancelled: bool,
}

/// What a dry run met of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ProjectReport {
    /// Its name in its memories' scopes, mostly a folder; empty for what belongs to none.
    pub project: String,
    /// Its conversations.
    pub sessions: u32,
    /// When its first record that has a time was made, RFC 3339.
    pub first: Option<String>,
    /// The same of its last.
    pub last: Option<String>,
    /// What would be memories, by kind.
    pub kinds: BTreeMap<String, u32>,
}

/// A folder where an agent keeps its logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct FolderOffer {
    /// The agent, as people call it.
    pub agent: String,
    /// The folder.
    pub path: String,
    /// Whether it is watched already.
    pub watched: bool,
    /// Logs and notes in it, sub-agents' transcripts left out.
    pub files: u32,
    /// Their bytes, as a decimal number.
    pub bytes: String,
    /// When the one that was left alone longest was written last, RFC 3339.
    pub first: Option<String>,
    /// When something in it was written last, RFC 3339.
    pub last: Option<String>,
}

/// A named set of constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct PresetView {
    /// Its name.
    pub name: String,
    /// One sentence: when to choose it.
    pub description: String,
    /// The constants.
    pub constants: Constants,
    /// Ships with the program and cannot be changed.
    pub builtin: bool,
    /// The one to begin with.
    pub recommended: bool,
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SettingsView {
    /// Minutes without input after which the vault locks; 0 = never.
    pub lock_after_minutes: u32,
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// The preset in force.
    pub preset: String,
    /// The command that opens a log at a line, with `{file}` and `{line}` in it; empty when none
    /// was set.
    pub editor: String,
    /// The editors that can be chosen.
    pub editors: Vec<EditorView>,
    /// Whether the vectors of memories' tokens are kept in the vault, for the reranker.
    pub keep_token_vectors: bool,
    /// All presets.
    pub presets: Vec<PresetView>,
}

/// An editor that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct EditorView {
    /// Its name.
    pub name: String,
    /// The command that opens a log at a line.
    pub command: String,
}

/// A query to try on the demo memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct GuideStep {
    /// What to type.
    pub query: String,
    /// What to look at.
    pub watch_for: String,
    /// The memory one would expect, when the query is a planted miss.
    pub expected: Option<String>,
}

/// What happened inside, for whoever watches. Counts, never text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Notice {
    /// Memories came, went or changed.
    Memories {
        /// How many were added.
        added: u32,
        /// Ids of the latest added, at most 50.
        latest: Vec<String>,
    },
    /// Vectors were made.
    Embedded {
        /// Memories that have one.
        done: u32,
        /// Memories that should.
        total: u32,
    },
    /// A backfill goes on.
    Progress {
        /// The source's row, or empty for a one-off import.
        source: String,
        /// Files read.
        files_done: u32,
        /// Files in all.
        files_total: u32,
        /// Records stored so far.
        stored: u32,
        /// True with the last notice of this backfill.
        finished: bool,
    },
    /// Sources changed.
    Sources,
    /// The model's state changed.
    Model,
    /// The vault was locked.
    Locked,
    /// The vault was closed for work on its files and is open again; what was read of it before,
    /// and the names of queries, mean nothing any more.
    Reopened,
}

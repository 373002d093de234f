//! What the window, the CLI and an agent may ask for.

mod add;
mod held;
mod history;
mod lab;
mod map;
mod rerankers;

pub use add::{AddRequest, GivenVector};
pub use held::{Held, Lists};
pub use history::{
    ArrivalsRequest, ExportTraceRequest, ForecastRequest, HistoryRequest, RedactionRequest,
    TraceName,
};
pub use lab::{GoldenRequest, HoldOutRequest, TrialMethod, TrialsRequest};
pub use map::{NeighbourMapAction, NeighbourMapRequest};

pub use rerankers::RerankerRequest;

use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::Mode;
use serde::{Deserialize, Serialize};

use crate::view::ResearchSourceView;

/// Which memories may be seen. Empty lists mean "any". Times are RFC 3339.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default, deny_unknown_fields)]
pub struct FilterRequest {
    /// Only this organisation.
    pub org: Option<String>,
    /// Only these agents.
    pub agents: Vec<String>,
    /// Only this session.
    pub session: Option<String>,
    /// Only these roles.
    pub roles: Vec<String>,
    /// Only these kinds.
    pub kinds: Vec<String>,
    /// Only memories whose source path contains this.
    pub source: Option<String>,
    /// Only memories that carry all of these tags.
    pub tags: Vec<String>,
    /// Created at or after.
    pub after: Option<String>,
    /// Created before.
    pub before: Option<String>,
    /// Without those that wait for a person's approval.
    pub unflagged: bool,
}

/// A new query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct QueryRequest {
    /// The text, in the documented query language.
    pub text: String,
    /// Which legs.
    pub mode: Mode,
    /// What may be seen.
    pub filter: FilterRequest,
    /// The constants to rank with.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
    /// False returns before the reranker has read anything; ask [`RetuneRequest`] with
    /// `score_unseen` for the rest.
    pub rerank: bool,
}

/// The same query under other constants: nothing is searched again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct RetuneRequest {
    /// The query, as named by its view.
    pub recall: String,
    /// The constants to rank with.
    pub constants: Constants,
    /// The clock, RFC 3339; the query's own when absent.
    pub now: Option<String>,
    /// True lets the reranker read pairs it has not scored yet.
    pub score_unseen: bool,
    /// What need not be sent again.
    #[serde(default)]
    pub held: Held,
}

/// The block of an earlier query, in the form that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ContextRequest {
    /// The query, as named by its view.
    pub recall: String,
    /// The constants to rank with.
    pub constants: Constants,
    /// The clock, RFC 3339; the query's own when absent.
    pub now: Option<String>,
    /// How it is written.
    pub format: BlockForm,
}

/// How a block is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum BlockForm {
    /// `<memory-context>`: labels and marked lines, for a prompt.
    #[default]
    Context,
    /// `<memory-archive>`: an element for each entry, for the answer of a tool.
    Archive,
}

/// Why is this memory not there?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct WhyRequest {
    /// The query, as named by its view.
    pub recall: String,
    /// The memory that was expected, as `m42`.
    pub expected: String,
    /// The constants in force.
    pub constants: Constants,
    /// The clock, RFC 3339; the query's own when absent.
    pub now: Option<String>,
}

/// How well a memory answers a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct JudgeRequest {
    /// The query, as named by its view.
    pub recall: String,
    /// The memory, as `m42`.
    pub id: String,
    /// 0 (not at all) to 3 (exactly this); absent takes a judgement back.
    pub grade: Option<u32>,
}

/// What do the golden queries say of these constants?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MeasureRequest {
    /// The constants asked about; they are compared with the preset in force.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
    /// True lets the reranker read pairs it has not scored yet, for a second or so.
    pub score_unseen: bool,
}

/// Which of two sets of constants serves the golden queries better?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ComparisonRequest {
    /// The first.
    pub a: Constants,
    /// The second.
    pub b: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
}

/// What do the golden queries say of every value of one constant?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SweepRequest {
    /// The constant's name.
    pub constant: String,
    /// The constants to start from.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
}

/// Judgements from another program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct ImportRequest {
    /// TREC qrels: `query 0 memory grade`.
    pub qrels: String,
    /// `query<TAB>text` for queries that are not golden yet.
    pub topics: String,
}

/// The ranked lists of all golden queries after one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct RunRequest {
    /// The stage.
    pub stage: Stage,
    /// The constants to rank with.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
}

/// A regression suite to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct SuiteRequest {
    /// The suite: `{"queries":[{"query","mode"?,"expect":[id or {"contains"}],"top"}]}`.
    pub suite: String,
    /// The constants to rank with.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
}

/// Constants to be measured on a retrieval set; for scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluateRequest {
    /// Folder of the set.
    pub folder: String,
    /// Name of the preset that ships with the program; the recommended one when absent.
    pub preset: Option<String>,
    /// Changes to it, each `constant=value`. Decay is off unless set.
    pub set: Vec<String>,
    /// Other constants to measure on the same gathered lists: changes to the above, each
    /// `constant=value` or `preset=name`, with blanks between them.
    pub variants: Vec<String>,
    /// Queries to take, evenly spaced; all when absent.
    pub sample: Option<u32>,
}

/// How a list of memories is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Latest first.
    #[default]
    Newest,
    /// Earliest first.
    Oldest,
    /// Last stored first.
    LastStored,
    /// Longest first.
    Longest,
    /// Most often seen first.
    MostSeen,
}

/// Research to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ResearchRequest {
    /// What was asked.
    pub query: String,
    /// What was found; beyond 10,000 characters it is cut.
    pub findings: String,
    /// Where; beyond ten they are dropped.
    pub sources: Vec<ResearchSourceView>,
    /// What the findings cost in tokens; counted when absent.
    pub tokens: Option<u32>,
}

/// A document to be taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct DocumentRequest {
    /// Names it; the same id again replaces it.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
    /// Its text.
    pub content: String,
}

/// A text file to be taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct DocumentFileRequest {
    /// The file's whole path.
    pub path: String,
    /// The document's id; empty = the file's name.
    pub id: String,
    /// Its title; empty = the file's name when the id is another one.
    pub title: String,
}

/// A question to the documents alone.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentQueryRequest {
    /// The text, in the documented query language.
    pub text: String,
    /// Which legs.
    pub mode: Mode,
    /// How many chunks, 1–100.
    pub limit: u32,
    /// The constants to fuse with.
    pub constants: Constants,
}

/// A page of memories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct ListRequest {
    /// What may be seen.
    pub filter: FilterRequest,
    /// Only memories that contain this text, letter case ignored.
    pub contains: Option<String>,
    /// Only these, as `m42`, where given.
    pub only: Option<Vec<String>>,
    /// The trash instead of the living.
    pub trash: bool,
    /// What has expired instead of the living; the trash goes before.
    pub expired: bool,
    /// Order.
    pub sort: SortOrder,
    /// How many to leave out.
    pub offset: u32,
    /// How many to return, 1–500.
    pub limit: u32,
}

/// A change to one memory. Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct EditRequest {
    /// The memory, as `m42`.
    pub id: String,
    /// The version that was shown; a newer one in the vault refuses the edit.
    pub version: Option<u32>,
    /// New text.
    pub content: Option<String>,
    /// New tags.
    pub tags: Option<Vec<String>>,
    /// Pin or unpin.
    pub pinned: Option<bool>,
    /// Approve flagged text.
    pub approve: Option<bool>,
    /// When its time is over, RFC 3339, or `never`.
    pub expires: Option<String>,
}

/// One memory in the place of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct MergeRequest {
    /// The memories; the first stays, the others go to the trash.
    pub members: Vec<MergeMember>,
    /// The text of the one that stays; their texts one below the other when absent.
    pub content: Option<String>,
}

/// A memory to be merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct MergeMember {
    /// The memory, as `m42`.
    pub id: String,
    /// The version that was shown; a newer one in the vault refuses the merge.
    pub version: Option<u32>,
}

/// What to take in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<String>,
    /// `auto`, or the name of a format.
    pub format: Option<String>,
    /// Sub-agents' transcripts too.
    pub subagents: bool,
    /// Projects of which nothing is taken in, as a dry run names them; absent means those that are left out
    /// of the folder where it is watched.
    pub left_out: Option<Vec<String>>,
}

/// Changes to the settings. Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct SettingsRequest {
    /// Minutes without input after which the vault locks; 0 = never.
    pub lock_after_minutes: Option<u32>,
    /// `system`, `light` or `dark`.
    pub theme: Option<String>,
    /// The preset in force.
    pub preset: Option<String>,
    /// The command that opens a log at a line, with `{file}` and `{line}` in it; empty forgets it.
    pub editor: Option<String>,
    /// Whether the vectors of tokens are kept in the vault; false deletes those that are.
    pub keep_token_vectors: Option<bool>,
}

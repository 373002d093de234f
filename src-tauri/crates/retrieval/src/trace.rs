//! What happened to one query, complete enough to be stored, exported and replayed.
//!
//! Absent on purpose: memory text. A trace names memories by id; whoever shows it looks the text up.

use serde::{Deserialize, Serialize};

use crate::constants::Constants;
use crate::lane::Lanes;
use crate::stage::Stage;

pub use crate::report::Status;

/// Which legs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Both legs.
    Hybrid,
    /// Keywords only.
    Lexical,
    /// Embeddings only.
    Semantic,
    /// Lexical first for CJK, exact and technical queries, semantic first otherwise; each falls
    /// back to the other when empty or failed.
    Auto,
}

/// How much of the pipeline could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Everything.
    Full,
    /// Everything but the reranker.
    NoRerank,
    /// The semantic leg is down or abstains.
    KeywordOnly,
    /// The keyword leg is down.
    SemanticOnly,
    /// Both are down: recent memories that contain the text.
    Substring,
    /// Nothing could answer.
    Empty,
}

/// What a number in a score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum TermName {
    /// Cosine similarity of query and memory, −1..1.
    Cosine,
    /// Mean cosine similarity to the best keyword hits, −1..1.
    Feedback,
    /// BM25 of the word index, positive, higher is better.
    WordBm25,
    /// BM25 of the trigram index, positive.
    TrigramBm25,
    /// BM25 of what only a substring scan finds: short terms, pairs of characters, symbols.
    Substring,
    /// Words of the query found inside longer words, as BM25 of the trigram index, positive.
    Inside,
    /// What the shared words give together, see the formula of `sparse`, positive.
    SharedWords,
    /// Bonus for the exact form of an identifier, or for a phrase as typed.
    Exact,
    /// The factor of a text's length on what its words score, 0..1.
    LengthFactor,
    /// What the semantic leg gives to fusion.
    KnnPart,
    /// What the keyword leg gives to fusion.
    Bm25Part,
    /// What the sparse leg gives to fusion.
    SparsePart,
    /// The share of the better neighbour's fused score in the same session.
    NeighbourPart,
    /// The factor of temporal decay, 0..1.
    DecayFactor,
    /// Age in days, of which the factor is made; absent when the row does not age.
    AgeDays,
    /// The half-life in days of the memory's kind, where it has one of its own.
    HalfLifeDays,
    /// The factor of having been said again, from 1; absent without authority.
    AuthorityFactor,
    /// As how often said it counts, of which that factor is made; pinned ones as 8 times at least. Absent
    /// where it is 1.
    TimesSaid,
    /// The reranker's score, 0..1.
    Reranker,
    /// The decayed score, min-max-normalised over the rerank window, 0..1.
    FusedNormalised,
    /// Place below the rerank window: half the decayed score over the best one, minus 1, so that
    /// such rows stay in decayed order and below every row that the reranker got.
    BelowWindow,
    /// The score that came into select, min-max-normalised over the pool, for MMR, 0..1.
    Relevance,
    /// Similarity to the nearest better result, for MMR.
    Redundancy,
}

/// One number in a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ScoreTerm {
    /// What it is.
    pub name: TermName,
    /// Its value.
    pub value: f64,
}

/// Why a stage let a candidate go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// Ranked below the stage's cutoff.
    Cutoff,
    /// Same content as a better one.
    Duplicate,
    /// Would not fit into the token budget.
    Budget,
    /// Flagged text waits for approval before it is injected.
    Flagged,
    /// A result, but the context block holds fewer.
    Beyond,
}

/// Why age does not lower a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Undecayed {
    /// A person pinned it.
    Pinned,
    /// Memories of its kind are evergreen.
    Kind,
    /// Nobody knows when it happened.
    Unknown,
    /// Its time lies after the clock: it counts as new.
    Future,
    /// The query is nothing but filters: the list is in order of time already.
    Listed,
}

/// A candidate in a stage's list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct StageItem {
    /// The memory, as `m42`.
    pub id: String,
    /// Place in this stage's list, from 1.
    pub rank: u32,
    /// Score after this stage.
    pub score: f64,
    /// What the score is made of; the stage's formula over these gives `score` exactly.
    pub terms: Vec<ScoreTerm>,
    /// Why it went no further; `None` when the next stage got it.
    pub dropped: Option<DropReason>,
    /// False when the reranker has not read it yet (or it lies outside the window).
    pub reranked: bool,
    /// In decay's list: why age does not lower its score; absent where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecayed: Option<Undecayed>,
    /// In select's list: the better memory that a duplicate repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<TwinOf>,
}

/// The better memory that a duplicate repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct TwinOf {
    /// That memory.
    pub id: String,
    /// The cosine of both; `None` where the content is the same.
    pub similarity: Option<f64>,
}

/// One stage of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct StageTrace {
    /// Which stage.
    pub name: Stage,
    /// How it ended.
    pub status: Status,
    /// Why it was skipped, degraded or failed, in plain words.
    pub reason: Option<String>,
    /// What it decided, in plain words, one sentence each.
    pub notes: Vec<String>,
    /// Wall time in milliseconds.
    pub elapsed_ms: f64,
    /// How many came in.
    #[serde(rename = "in")]
    pub count_in: u32,
    /// How many went on to the next stage.
    #[serde(rename = "out")]
    pub count_out: u32,
    /// The ranked list, best first, including those that were cut here.
    pub items: Vec<StageItem>,
}

/// Which index answers a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum TermRoute {
    /// The word index.
    Word,
    /// The trigram index.
    Trigram,
    /// A substring scan.
    Substring,
    /// Nothing: a stop word among other words.
    Ignored,
}

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum TermKind {
    /// A plain word.
    Word,
    /// Text in a script without spaces.
    Unspaced,
    /// snake_case, camelCase, dotted, hyphenated.
    Identifier,
    /// A path.
    Path,
    /// An e-mail address.
    Email,
    /// A hash, a UUID or a prefix of one.
    Hash,
    /// Emoji or punctuation only.
    Symbol,
    /// Text in quotes.
    Phrase,
    /// A word too common to count.
    StopWord,
}

/// Where one term of the query went, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct RoutedTerm {
    /// The term as typed.
    pub text: String,
    /// What it is.
    pub kind: TermKind,
    /// Which indexes answer it.
    pub routes: Vec<TermRoute>,
    /// `-word`: memories with it are left out.
    pub excluded: bool,
    /// `"…"`: memories without it are left out.
    pub required: bool,
    /// How many memories contain it; `None` until the keyword leg has run.
    pub matched: Option<u32>,
    /// Plain words.
    pub why: String,
}

/// A word of the query as the sparse leg asks for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ExpandedWord {
    /// How it is written; a piece that continues a word begins with `##`.
    pub word: String,
    /// The model's weight.
    pub weight: f64,
    /// The square root of its inverse document frequency in this vault.
    pub rarity: f64,
    /// Whether it stands in the query; all others the model added.
    pub typed: bool,
}

/// What the query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum QueryKind {
    /// Quotes, ids, hashes, e-mails, paths, CONSTANT_CASE.
    Exact,
    /// Identifiers and error words among plain ones.
    Technical,
    /// A question or a topic in plain words.
    Conceptual,
    /// Nothing to search for.
    Blank,
}

/// Identity of the model whose vectors answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ModelIdentity {
    /// For example `all-MiniLM-L6-v2/int8`.
    pub id: String,
    /// Length of its vectors.
    pub dimension: u32,
}

/// The full account of one query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct Trace {
    /// The query as typed.
    pub query: String,
    /// The clock, RFC 3339 in UTC.
    pub now: String,
    /// The mode asked for.
    pub mode: Mode,
    /// The mode that ran.
    pub effective_mode: Mode,
    /// What the query is.
    pub query_kind: QueryKind,
    /// Where each term went.
    pub terms: Vec<RoutedTerm>,
    /// The words that the sparse leg looked for, what counts most first; none in traces from before there
    /// was such a leg.
    #[serde(default)]
    pub expansion: Vec<ExpandedWord>,
    /// How much of the pipeline could run.
    pub level: Level,
    /// The constants in force.
    pub constants: Constants,
    /// The model, when the semantic leg had one.
    pub model: Option<ModelIdentity>,
    /// Counts the writes of the vault, so that two traces can be told apart.
    pub index_epoch: u32,
    /// How many memories the filters let through.
    pub searchable: u32,
    /// One per stage, in order; traces from before there was `sparse` have seven.
    pub stages: Vec<StageTrace>,
    /// The final list, best first, as memory ids.
    pub results: Vec<String>,
    /// What stood beside the memories.
    #[serde(default)]
    pub lanes: Lanes,
}

impl Trace {
    /// The part of one stage.
    pub fn stage(&self, stage: Stage) -> Option<&StageTrace> {
        self.stages.iter().find(|part| part.name == stage)
    }
}

//! The formats, one file each, behind one trait.
//!
//! To add one: write its file, list it in [`all`], put an invented sample into
//! `tests/fixtures/formats/<name>` with what it yields beside it, and name it in the test of samples.

mod agentzero;
mod aider;
mod chatgpt;
mod claude_ai;
mod claude_code;
mod claude_mem;
mod cline;
mod codex;
mod content;
mod conversation;
mod copilot;
mod csv;
mod cursor;
mod document;
mod gemini;
mod head;
mod hermes;
mod json;
mod jsonl;
mod langchain;
mod langgraph;
mod langgraph_saver;
mod letta;
mod markdown;
mod mcp_memory;
mod mem0;
mod openai_agents;
mod openclaw;
mod opencode;
mod openhands;
mod outcome;
mod plain_log;
mod swe_agent;
mod tags;

use std::path::Path;
use std::sync::OnceLock;

use memory::{CreatedAtQuality, Kind, Millis, NewMemory, Provenance, Role, Scope, Trust};

pub use crate::database::{
    Asked, Beside, Database, Keys, Reader, Schema, Table, Unpack, Withdrawn,
};

pub use agentzero::AgentZero;
pub use aider::Aider;
pub use chatgpt::ChatGpt;
pub use claude_ai::ClaudeAi;
pub use claude_code::ClaudeCode;
pub(crate) use claude_code::is_subagent_file;
pub use claude_mem::ClaudeMem;
pub use cline::Cline;
pub use codex::Codex;
pub use copilot::Copilot;
pub use csv::Csv;
pub use cursor::Cursor;
pub use document::Document;
pub use gemini::Gemini;
pub(crate) use head::BEGINNING;
pub use head::Head;
pub use hermes::Hermes;
pub use jsonl::Jsonl;
pub use langchain::LangChain;
pub use langgraph::LangGraph;
pub use langgraph_saver::LangGraphSaver;
pub use letta::Letta;
pub use markdown::Markdown;
pub use mcp_memory::McpMemory;
pub use mem0::Mem0;
pub use openai_agents::OpenAiAgents;
pub use openclaw::OpenClaw;
pub use opencode::OpenCode;
pub use openhands::OpenHands;
pub use outcome::{FileContext, Line, Outcome, Place};
pub(crate) use outcome::{digest, reason};
pub use plain_log::PlainLog;
pub use swe_agent::SweAgent;

/// One kind of file.
pub trait Format: Send + Sync {
    /// Its name for the user: `claude-code`, `markdown`, …
    fn name(&self) -> &'static str;

    /// How sure it is that a file is of its kind: 0 (not at all) to 100. No text is of a format that is
    /// a database and nothing else.
    fn detect(&self, _path: &Path, _head: &Head) -> u8 {
        0
    }

    /// Whether a file in a folder has a name under which such files are kept, where its ending alone
    /// would not let it be read.
    fn keeps(&self, _path: &Path) -> bool {
        false
    }

    /// Whether such files are rewritten as a whole rather than appended to. Then every change is
    /// read from the beginning, and entries that are gone from the file are put into the trash.
    fn rewritten(&self) -> bool {
        false
    }

    /// How its database is read, where it has one.
    fn database(&self) -> Option<&'static dyn Database> {
        None
    }

    /// How such a file is cut into records.
    fn framing(&self, _head: &Head) -> Framing {
        Framing::Lines
    }

    /// A parser for one file, at its beginning.
    fn parser(&self, _file: &FileContext) -> Box<dyn Parser> {
        Box::new(NoText)
    }
}

/// What a parser is given as a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Each line.
    Lines,
    /// Each value of a JSON document: the records of a list, or one object as a whole.
    Values,
}

/// Reads one file, line by line, from the beginning.
///
/// What it knows must follow from the lines it was given: a restart feeds it the same lines again
/// and drops what comes out.
pub trait Parser: Send {
    /// Takes one line.
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>);

    /// Whether an unterminated last line may be taken as it stands, since nothing that is appended
    /// could change its meaning.
    fn takes_unterminated(&self, _text: &str) -> bool {
        false
    }

    /// Whether the beginning of a last line says something on its own, when the rest does not come for
    /// a while. It is replaced by the whole line.
    fn takes_half(&self, _text: &str) -> bool {
        false
    }

    /// There is nothing more to read for now: gives out what is still open.
    fn finish(&mut self, _out: &mut Vec<Outcome>) {}

    /// The beginning of an entry that [`Self::finish`] gave out although it may still grow. Reading
    /// goes on there, and its memory is updated when it did grow.
    fn still_open(&self) -> Option<Place> {
        None
    }

    /// Whether entries of this kind stay open at all.
    fn keeps_open(&self) -> bool {
        false
    }

    /// The file was written again at this moment, for records that carry no time.
    fn touched(&mut self, modified: Option<Millis>);

    /// Takes what is open for finished; whatever comes next is something new.
    fn settle(&mut self) {}

    /// Whose memories these are, for a line too long to be parsed.
    fn scope(&self) -> Scope;

    /// Which key was taken for what, where that was guessed.
    fn mapping(&self) -> Option<String> {
        None
    }
}

/// Takes a text for a format that has none, only a database: asked for by name, it gives nothing.
struct NoText;

impl Parser for NoText {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        out.push(Outcome::Malformed(line.place.line, "not a database"));
    }

    fn touched(&mut self, _modified: Option<Millis>) {}

    fn scope(&self) -> Scope {
        Scope::default()
    }
}

/// Every format, the special ones first.
pub fn all() -> &'static [Box<dyn Format>] {
    static ALL: OnceLock<Vec<Box<dyn Format>>> = OnceLock::new();
    ALL.get_or_init(|| {
        vec![
            Box::new(ClaudeCode),
            Box::new(Codex),
            Box::new(OpenClaw),
            Box::new(Gemini),
            Box::new(Cursor),
            Box::new(ChatGpt),
            Box::new(ClaudeAi),
            Box::new(Cline),
            Box::new(OpenCode),
            Box::new(Copilot),
            Box::new(OpenHands),
            Box::new(SweAgent),
            Box::new(Letta),
            Box::new(Mem0),
            Box::new(ClaudeMem),
            Box::new(LangChain),
            Box::new(OpenAiAgents),
            Box::new(Hermes),
            Box::new(LangGraph),
            Box::new(LangGraphSaver),
            Box::new(AgentZero),
            Box::new(McpMemory),
            Box::new(Aider),
            Box::new(Markdown),
            Box::new(Jsonl),
            Box::new(Csv),
            Box::new(PlainLog),
        ]
    })
}

/// Whether a name is one under which files of some format are kept.
pub(crate) fn is_kept(path: &Path) -> bool {
    all().iter().any(|format| format.keeps(path))
}

/// The format of this name.
pub fn named(name: &str) -> Option<&'static dyn Format> {
    all()
        .iter()
        .find(|format| format.name() == name)
        .map(AsRef::as_ref)
}

/// What a file was recognised as.
#[derive(Clone, Copy)]
pub struct Recognised {
    /// The format that is surest; the earlier one when two are equally sure.
    pub format: &'static dyn Format,
    /// The next one, where it is nearly as sure: a person may want to decide.
    pub runner_up: Option<&'static dyn Format>,
}

/// From here on nothing else is worth naming.
const CERTAIN: u8 = 80;
/// From here on a runner-up is worth naming.
const POSSIBLE: u8 = 25;

/// What a file is, by its name and by its lines.
pub fn recognise(path: &Path, head: &Head) -> Option<Recognised> {
    let mut sure: Vec<(u8, &'static dyn Format)> = all()
        .iter()
        .map(|format| (format.detect(path, head), format.as_ref()))
        .filter(|(confidence, _)| *confidence > 0)
        .collect();
    sure.sort_by_key(|(confidence, _)| u8::MAX - confidence);
    let (confidence, format) = *sure.first()?;
    let runner_up = sure
        .get(1)
        .filter(|(other, _)| confidence < CERTAIN && *other >= POSSIBLE)
        .map(|(_, format)| *format);
    Some(Recognised { format, runner_up })
}

/// A memory with nothing but its text, to be filled in.
pub(crate) fn draft(scope: Scope, place: Place, path: &Path, content: String) -> NewMemory {
    NewMemory {
        scope,
        role: Role::Memory,
        kind: Kind::Text,
        content,
        tool_name: None,
        tool_payload: None,
        created_at: None,
        created_at_quality: CreatedAtQuality::Unknown,
        expires_at: None,
        provenance: Some(Provenance {
            // The row is known when the batch is written.
            file_id: 0,
            path: crate::identity::path_text(path),
            offset: place.offset,
            line: place.line,
        }),
        source_key: String::new(),
        tags: Vec::new(),
        pinned: false,
        trust: Trust::Normal,
    }
}

/// When something happened, from the best there is: the record's own time, the last one before it
/// in the same file, the file's.
pub(crate) fn moment(
    record: Option<Millis>,
    session: Option<Millis>,
    file: Option<Millis>,
) -> (Option<Millis>, CreatedAtQuality) {
    match (record, session, file) {
        (Some(at), _, _) => (Some(at), CreatedAtQuality::Record),
        (None, Some(at), _) => (Some(at), CreatedAtQuality::Session),
        (None, None, Some(at)) => (Some(at), CreatedAtQuality::File),
        (None, None, None) => (None, CreatedAtQuality::Unknown),
    }
}

/// Counts how often a record came before in the same file, so that equal records without an id get
/// different keys, and the same ones each time the file is read.
#[derive(Debug, Default)]
pub(crate) struct Occurrences(std::collections::HashMap<String, u32>);

impl Occurrences {
    /// The digest, with its number when it is not the first.
    pub(crate) fn key(&mut self, digest: String) -> String {
        let count = self.0.entry(digest.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            digest
        } else {
            format!("{digest}.{count}")
        }
    }
}

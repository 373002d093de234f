//! OpenClaw and Pi transcripts: `agents/<id>/sessions/<session>.jsonl`, a header line and a tree of
//! entries with ids; and OpenClaw's newer database, `agents/<id>/agent/openclaw-agent.sqlite`, with a
//! row for each line. A long one is packed with zstd there.
//!
//! Both have the same names, so that what was read from the files is known when the program has moved
//! it into its database.

mod envelope;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::{
    Beside, Database, FileContext, Format, Head, Line, Outcome, Parser, Place, Reader, Table,
    content, digest, draft, json, moment, reason,
};
use crate::time;

/// See the module.
pub struct OpenClaw;

impl Format for OpenClaw {
    fn name(&self) -> &'static str {
        "openclaw"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let header = |object: &Map<String, Value>| {
            text(object, "type") == Some("session")
                && object.contains_key("id")
                && (object.contains_key("version") || object.contains_key("cwd"))
        };
        let entry = |object: &Map<String, Value>| text(object, "type").is_some();
        if head.headed(header, entry) { 95 } else { 0 }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Transcript::new(file, file.stem()))
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&OpenClaw)
    }
}

impl Database for OpenClaw {
    fn tables(&self) -> &'static [Table] {
        // A session's first row is its header. Its key, session and number, leads there.
        const HEADER: Beside = Beside {
            table: "transcript_events",
            by: "session_id",
            of: "session_id",
            takes: &[("event_json", "header")],
        };
        &[Table {
            name: "transcript_events",
            needs: &["session_id", "seq", "event_json"],
            takes: &["event_zstd", "created_at"],
            beside: &[HEADER],
            packed: &["event_zstd"],
            ..Table::PLAIN
        }]
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Events {
            file: file.clone(),
            sessions: HashMap::new(),
            last: Scope::default(),
        })
    }
}

/// Reads the database.
struct Events {
    file: FileContext,
    sessions: HashMap<String, Transcript>,
    /// Whose the row before was.
    last: Scope,
}

impl Reader for Events {
    fn row(
        &mut self,
        _table: &str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let Some(event) = text(row, "event_json").or_else(|| text(row, "event_zstd")) else {
            return skip(out, reason::EMPTY);
        };
        let session = text(row, "session_id").unwrap_or_default();
        let transcript = self
            .sessions
            .entry(session.to_owned())
            .or_insert_with(|| Transcript::of_session(&self.file, session, row));
        transcript.line(&Line { text: event, place }, out);
        self.last = transcript.scope();
    }

    fn scope(&self) -> Scope {
        self.last.clone()
    }
}

struct Transcript {
    file: FileContext,
    agent: &'static str,
    session: String,
    org: String,
    last_time: Option<Millis>,
    seen: HashSet<String>,
}

impl Transcript {
    fn new(file: &FileContext, session: String) -> Self {
        let within = |folder: &str| {
            file.path
                .components()
                .any(|part| part.as_os_str() == folder)
        };
        Self {
            agent: if within(".pi") { "pi" } else { "openclaw" },
            session,
            file: file.clone(),
            org: String::new(),
            last_time: None,
            seen: HashSet::new(),
        }
    }

    /// A session of the database, of which this is the first row that is read.
    fn of_session(file: &FileContext, session: &str, row: &Map<String, Value>) -> Self {
        let mut transcript = Self::new(file, session.to_owned());
        let header = text(row, "header")
            .and_then(|header| serde_json::from_str::<Map<String, Value>>(header).ok())
            .filter(|header| text(header, "type") == Some("session"));
        if let Some(header) = header {
            transcript.headed(&header);
        }
        transcript.last_time = row
            .get("created_at")
            .and_then(|value| time::from_json(value, &file.zone));
        transcript
    }

    fn headed(&mut self, header: &Map<String, Value>) {
        text(header, "id")
            .unwrap_or_default()
            .clone_into(&mut self.session);
        text(header, "cwd")
            .unwrap_or_default()
            .clone_into(&mut self.org);
    }
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn skip(out: &mut Vec<Outcome>, reason: &'static str) {
    out.push(Outcome::Skip(reason.into()));
}

impl Parser for Transcript {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.entry(&object, line.place, out);
        }
    }

    fn takes_unterminated(&self, text: &str) -> bool {
        json::is_whole_object(text)
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        Scope {
            org: self.org.clone(),
            agent: self.agent.to_owned(),
            session: Some(self.session.clone()),
        }
    }
}

/// What the memories of an entry share.
struct Entry<'a> {
    id: &'a str,
    place: Place,
    time: Option<Millis>,
}

impl Transcript {
    fn entry(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let time = json::stamp(object, "timestamp", &self.file.zone, out);
        self.last_time = time.or(self.last_time);
        let kind = text(object, "type").unwrap_or_default();
        let id = text(object, "id").unwrap_or_default();
        if kind == "session" {
            self.headed(object);
            return skip(out, "session metadata");
        }
        // Only the same id with the same words is the same entry: losing one is worse than storing
        // one twice.
        if !id.is_empty() {
            let body = serde_json::to_string(object).unwrap_or_default();
            if !self.seen.insert(digest(&[id, &body])) {
                return skip(out, reason::DUPLICATE);
            }
        }
        let entry = Entry { id, place, time };
        match kind {
            "message" => match object.get("message").and_then(Value::as_object) {
                Some(message) => self.message(&entry, message, out),
                None => skip(out, reason::EMPTY),
            },
            "compaction" | "branch_summary" => {
                let summary = text(object, "summary").unwrap_or_default();
                self.give(&entry, 0, Role::System, Kind::Summary, summary, out);
            }
            "custom_message" if object.get("display") == Some(&Value::Bool(true)) => {
                let content = object.get("content").map(content::flat).unwrap_or_default();
                let content = content.counted(out);
                self.give(&entry, 0, Role::System, Kind::Text, &content, out);
            }
            "custom"
            | "custom_message"
            | "model_change"
            | "thinking_level_change"
            | "label"
            | "session_info" => {
                skip(out, "session metadata");
            }
            _ => out.push(Outcome::Skip(unknown(kind))),
        }
    }

    fn message(&self, entry: &Entry<'_>, message: &Map<String, Value>, out: &mut Vec<Outcome>) {
        match text(message, "role").unwrap_or_default() {
            "user" => self.blocks(entry, message, Role::User, out),
            "assistant" => self.blocks(entry, message, Role::Assistant, out),
            "toolResult" => {
                let flat = message
                    .get("content")
                    .map(content::answer)
                    .unwrap_or_default();
                let pictures = flat.pictures;
                let content = flat.counted(out);
                if content.trim().is_empty() {
                    return skip(out, reason::EMPTY);
                }
                let mut memory = self.memory(entry, 0, content);
                (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
                memory.tool_name = text(message, "toolName").map(str::to_owned);
                if pictures {
                    memory.tags.push("image".to_owned());
                }
                if message.get("isError") == Some(&Value::Bool(true)) {
                    memory.tags.push("error".to_owned());
                }
                out.push(Outcome::Memory(Box::new(memory)));
            }
            "bashExecution" => {
                let command = text(message, "command").unwrap_or_default();
                let output = text(message, "output").unwrap_or_default();
                let mut memory = self.memory(
                    entry,
                    0,
                    format!("$ {command}\n{output}").trim_end().to_owned(),
                );
                (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
                memory.tool_name = Some("bash".to_owned());
                out.push(Outcome::Memory(Box::new(memory)));
            }
            "branchSummary" | "compactionSummary" => {
                let summary = text(message, "summary").unwrap_or_default();
                self.give(entry, 0, Role::System, Kind::Summary, summary, out);
            }
            "custom" if message.get("display") != Some(&Value::Bool(true)) => {
                skip(out, "session metadata");
            }
            "custom" | "system" | "developer" => self.blocks(entry, message, Role::System, out),
            _ => skip(out, "session metadata"),
        }
    }

    fn blocks(
        &self,
        entry: &Entry<'_>,
        message: &Map<String, Value>,
        role: Role,
        out: &mut Vec<Outcome>,
    ) {
        let blocks = match message.get("content") {
            Some(Value::String(said)) => return self.give(entry, 0, role, Kind::Text, said, out),
            Some(Value::Array(blocks)) => blocks.as_slice(),
            _ => &[],
        };
        let before = out.len();
        for (index, block) in blocks.iter().enumerate() {
            if let Some(bare) = block.as_str() {
                self.give(entry, index, role, Kind::Text, bare, out);
                continue;
            }
            let Some(block) = block.as_object() else {
                skip(out, reason::PART);
                continue;
            };
            match text(block, "type").unwrap_or_default() {
                "text" => {
                    let said = text(block, "text").unwrap_or_default();
                    self.give(entry, index, role, Kind::Text, said, out);
                }
                "thinking" => {
                    let thought = text(block, "thinking").unwrap_or_default();
                    self.give(entry, index, role, Kind::Thinking, thought, out);
                }
                "toolCall" => {
                    let name = text(block, "name").unwrap_or("tool");
                    let input = block.get("arguments").unwrap_or(&Value::Null);
                    let mut memory = self.memory(entry, index, json::call_line(name, input));
                    (memory.role, memory.kind) = (role, Kind::ToolCall);
                    memory.tool_name = Some(name.to_owned());
                    memory.tool_payload = (!input.is_null()).then(|| input.to_string());
                    out.push(Outcome::Memory(Box::new(memory)));
                }
                "image" => skip(out, reason::IMAGE),
                kind => out.push(Outcome::Skip(unknown(kind))),
            }
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn give(
        &self,
        entry: &Entry<'_>,
        index: usize,
        role: Role,
        kind: Kind,
        said: &str,
        out: &mut Vec<Outcome>,
    ) {
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        // The agent was asked to stay silent, and did.
        if role == Role::Assistant
            && (said.trim_start().starts_with("NO_REPLY") || said.trim() == "HEARTBEAT_OK")
        {
            return skip(out, "silent turn");
        }
        if let Some(messages) = envelope::queued(said).filter(|_| role == Role::User) {
            out.push(Outcome::Note(reason::INJECTED));
            for (at, message) in messages.into_iter().enumerate() {
                self.give(entry, index + at, role, kind, message, out);
            }
            return;
        }
        let words = match (role, kind) {
            (Role::User, Kind::Text) => envelope::without_context(said),
            (Role::Assistant, Kind::Text) => envelope::without_directives(said),
            _ => said,
        };
        if words.trim().is_empty() {
            return skip(out, reason::INJECTED);
        }
        if words.len() < said.len() {
            out.push(Outcome::Note(reason::INJECTED));
        }
        let mut memory = self.memory(entry, index, words.to_owned());
        (memory.role, memory.kind) = (role, kind);
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn memory(&self, entry: &Entry<'_>, index: usize, content: String) -> NewMemory {
        let mut memory = draft(self.scope(), entry.place, &self.file.path, content);
        (memory.created_at, memory.created_at_quality) =
            moment(entry.time, self.last_time, self.file.modified);
        // Entries of the first version have no ids; their place stands in.
        let id = match entry.id {
            "" => format!("@{}", entry.place.offset),
            id => id.to_owned(),
        };
        let words = digest(&[&memory.content]);
        memory.source_key = format!("{}/{id}#{index}:{}", self.session, &words[..16]);
        memory
    }
}

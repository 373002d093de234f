//! Claude Code transcripts: `~/.claude/projects/<slug>/<session>.jsonl`, and its sub-agents' beside
//! them.
//!
//! One API message is several lines, one per block, under one `message.id` with different `uuid`s;
//! so a record is known by its `uuid` and a block by message and content. The session is the file:
//! the `sessionId` of a record changes when a session is resumed into the same file. Records copied
//! into a fork carry where they came from and take that record's key, so that they are stored once.

mod queue;
mod stream;
mod words;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use memory::{CreatedAtQuality, Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::{
    FileContext, Format, Head, Line, Outcome, Parser, Place, content, digest, draft, json, moment,
    reason,
};
use queue::Queue;
use stream::Stream;
use words::Piece;

/// See the module.
pub struct ClaudeCode;

/// Types of records without a `uuid`, which describe the session rather than say something.
const METADATA: [&str; 20] = [
    "summary",
    "custom-title",
    "ai-title",
    "tag",
    "last-prompt",
    "agent-name",
    "agent-setting",
    "permission-mode",
    "mode",
    "pr-link",
    "queue-operation",
    "worktree-state",
    "bridge-session",
    "file-history-snapshot",
    "file-history-delta",
    "content-replacement",
    "cost-state",
    "atis-latch",
    "frame-link",
    "progress",
];

/// Whether the path is that of a sub-agent's transcript.
pub(crate) fn is_subagent_file(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with("agent-") && name.ends_with(".jsonl"))
}

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let kind = |object: &Map<String, Value>| {
            object
                .get("type")
                .and_then(Value::as_str)
                .map(str::to_owned)
                .unwrap_or_default()
        };
        let chained = |object: &Map<String, Value>| {
            object.contains_key("uuid")
                && matches!(
                    kind(object).as_str(),
                    "user" | "assistant" | "system" | "attachment" | "progress"
                )
                && !object.contains_key("id")
        };
        // Summaries and snapshots of files name no session.
        let owned = |object: &Map<String, Value>| {
            ["sessionId", "leafUuid", "snapshot"]
                .iter()
                .any(|key| object.contains_key(*key))
        };
        let typed = |object: &Map<String, Value>| {
            chained(object) || (METADATA.contains(&kind(object).as_str()) && owned(object))
        };
        if head.share(typed) >= 0.5 {
            return 95;
        }
        // Records of types that are not known yet may be the most of it.
        let kin = |object: &Map<String, Value>| {
            typed(object) || (!kind(object).is_empty() && owned(object))
        };
        let sure = |object: &Map<String, Value>| {
            chained(object) && owned(object) && object.contains_key("message")
        };
        if head.share(kin) >= 0.8 && head.share(sure) >= 0.05 {
            return 90;
        }
        let inside = path.components().any(|part| part.as_os_str() == "projects")
            && path.extension().is_some_and(|ending| ending == "jsonl");
        // A first line longer than the sample, cut in the middle.
        let first = head.lines.first().map_or("", String::as_str);
        let cut = head.objects.is_empty() && first.starts_with('{');
        let holds = |key: &str| cut && first.contains(key);
        if holds("\"parentUuid\":") && holds("\"sessionId\":") {
            return if inside { 80 } else { 70 };
        }
        if inside && head.share(typed) > 0.0 {
            60
        } else {
            0
        }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Transcript {
            session: file.stem(),
            subagent_file: is_subagent_file(&file.path),
            file: file.clone(),
            tools: HashMap::new(),
            seen: HashSet::new(),
            last_time: None,
            org: String::new(),
            fork_of: None,
            queue: Queue::default(),
            stream: Stream::default(),
        })
    }
}

struct Transcript {
    file: FileContext,
    session: String,
    subagent_file: bool,
    /// Names of the tools, by the id of their call.
    tools: HashMap<String, String>,
    /// Digests of records and blocks that were taken.
    seen: HashSet<String>,
    last_time: Option<Millis>,
    org: String,
    fork_of: Option<String>,
    queue: Queue,
    stream: Stream,
}

/// What all blocks of a record share.
struct Record<'a> {
    object: &'a Map<String, Value>,
    message: Option<&'a Map<String, Value>>,
    place: Place,
    key: String,
    scope: Scope,
    created_at: Option<Millis>,
    quality: CreatedAtQuality,
    tags: Vec<String>,
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn flag(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or(false)
}

impl Parser for Transcript {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.record(&object, line.place, out);
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
            agent: "claude-code".to_owned(),
            session: Some(self.session.clone()),
        }
    }
}

impl Transcript {
    fn record(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let skip =
            |out: &mut Vec<Outcome>, reason: &'static str| out.push(Outcome::Skip(reason.into()));
        let kind = text(object, "type").unwrap_or_default();
        let record_time = json::stamp(object, "timestamp", &self.file.zone, out);
        self.last_time = record_time.or(self.last_time);
        if let Some(cwd) = text(object, "cwd") {
            cwd.clone_into(&mut self.org);
        }
        let fork = object.get("forkedFrom").and_then(Value::as_object);
        if let Some(parent) = fork.and_then(|fork| text(fork, "sessionId")) {
            self.fork_of = Some(parent.to_owned());
        }
        let side = self.subagent_file || flag(object, "isSidechain");
        match kind {
            _ if side && !self.file.subagents => return skip(out, reason::SUBAGENT),
            "user" | "assistant" | "system" => {}
            "attachment" if queued_prompt(object).is_some() => {}
            "attachment" => return skip(out, "attachment"),
            "queue-operation" => return self.queued(object, record_time, place, out),
            _ if METADATA.contains(&kind) => return skip(out, "session metadata"),
            _ => return out.push(Outcome::Skip(unknown(kind))),
        }
        if flag(object, "isMeta") {
            return skip(out, reason::META);
        }
        let original = fork.and_then(|fork| text(fork, "messageUuid"));
        // Only the same id with the same words is the same record: ids are made by programs, and
        // losing a record is worse than storing one twice.
        let body = object
            .get("message")
            .or_else(|| object.get("attachment"))
            .map(Value::to_string)
            .unwrap_or_default();
        let uuid = original.or_else(|| text(object, "uuid").filter(|uuid| !uuid.is_empty()));
        // A record without an id is known by its words and its time.
        let key = uuid.map_or_else(
            || {
                let time = record_time.map(|time| time.to_string()).unwrap_or_default();
                format!("{}/{}", self.session, digest(&[&time, &body]))
            },
            str::to_owned,
        );
        if !self.seen.insert(digest(&["record", &key, &body])) {
            return skip(out, reason::DUPLICATE);
        }
        let (created_at, quality) = moment(record_time, self.last_time, self.file.modified);
        let mut tags = Vec::new();
        if side {
            tags.push("subagent".to_owned());
        }
        if let (Some(parent), None) = (&self.fork_of, original) {
            tags.push(format!("fork of {parent}"));
        }
        let mut scope = self.scope();
        if let (Some(parent), Some(_)) = (&self.fork_of, original) {
            scope.session = Some(parent.clone());
        }
        let record = Record {
            object,
            message: object.get("message").and_then(Value::as_object),
            place,
            key,
            scope,
            created_at,
            quality,
            tags,
        };
        match kind {
            "system" => self.system(&record, out),
            "attachment" => {
                let prompt = queued_prompt(object).unwrap_or_default();
                if self.queue.attached(&prompt) {
                    self.said(&record, 0, true, &prompt, &[], out);
                } else {
                    skip(out, reason::TWICE);
                }
            }
            _ => self.message(&record, kind == "user", out),
        }
    }

    /// A message typed while the agent worked, once the running turn has taken it in.
    fn queued(
        &mut self,
        object: &Map<String, Value>,
        time: Option<Millis>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let Some(waiting) = self.queue.operation(object, time, place) else {
            return out.push(Outcome::Skip("session metadata".into()));
        };
        let (created_at, quality) = moment(waiting.time, self.last_time, self.file.modified);
        let stamp = waiting
            .time
            .map_or_else(|| waiting.place.offset.to_string(), |time| time.to_string());
        let record = Record {
            object,
            message: None,
            place: waiting.place,
            key: format!("{}/queued@{stamp}", self.session),
            scope: self.scope(),
            created_at,
            quality,
            tags: Vec::new(),
        };
        self.said(&record, 0, true, &waiting.content, &[], out);
    }

    fn system(&self, record: &Record<'_>, out: &mut Vec<Outcome>) {
        let subtype = text(record.object, "subtype").unwrap_or_default();
        let content = text(record.object, "content").unwrap_or_default();
        if subtype != "compact_boundary" || content.is_empty() {
            return out.push(Outcome::Skip("session metadata".into()));
        }
        let mut memory = self.memory(record, 0, content.to_owned());
        (memory.role, memory.kind) = (Role::System, Kind::Event);
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn message(&mut self, record: &Record<'_>, user: bool, out: &mut Vec<Outcome>) {
        let Some(message) = record.message else {
            return out.push(Outcome::Skip(reason::EMPTY.into()));
        };
        let before = out.len();
        match message.get("content") {
            Some(Value::String(content)) if user && self.queue.is_known(content) => {
                out.push(Outcome::Skip(reason::TWICE.into()));
            }
            Some(Value::String(content)) => self.said(record, 0, user, content, &[], out),
            Some(Value::Array(blocks)) => {
                let pictures = blocks.iter().any(|block| block["type"] == "image");
                let tags = if pictures {
                    vec!["image".to_owned()]
                } else {
                    Vec::new()
                };
                for (index, block) in blocks.iter().enumerate() {
                    if let Some(bare) = block.as_str() {
                        self.said(record, index, user, bare, &tags, out);
                        continue;
                    }
                    let Some(block) = block.as_object() else {
                        out.push(Outcome::Skip(reason::PART.into()));
                        continue;
                    };
                    self.block(record, index, user, block, &tags, out);
                }
            }
            _ => {}
        }
        if out.len() == before {
            out.push(Outcome::Skip(reason::EMPTY.into()));
        }
    }

    fn block(
        &mut self,
        record: &Record<'_>,
        index: usize,
        user: bool,
        block: &Map<String, Value>,
        tags: &[String],
        out: &mut Vec<Outcome>,
    ) {
        let kind = text(block, "type").unwrap_or_default();
        // Streaming writes the same block again under a new uuid.
        let id = record.message.and_then(|message| text(message, "id"));
        let id = id.filter(|_| !user);
        if let Some(id) = id {
            let body = serde_json::to_string(block).unwrap_or_default();
            if !self.seen.insert(digest(&["block", id, kind, &body])) {
                return out.push(Outcome::Skip(reason::DUPLICATE.into()));
            }
        }
        match kind {
            "text" => {
                let content = text(block, "text").unwrap_or_default();
                if user && self.queue.is_known(content) {
                    return out.push(Outcome::Skip(reason::TWICE.into()));
                }
                self.said(record, index, user, content, tags, out);
                self.streamed(id, out);
            }
            "thinking" => {
                let content = text(block, "thinking").unwrap_or_default();
                if content.trim().is_empty() {
                    return out.push(Outcome::Skip(reason::ENCRYPTED.into()));
                }
                let mut memory = self.memory(record, index, content.to_owned());
                (memory.role, memory.kind) = (Role::Assistant, Kind::Thinking);
                out.push(Outcome::Memory(Box::new(memory)));
                self.streamed(id, out);
            }
            "redacted_thinking" => out.push(Outcome::Skip(reason::ENCRYPTED.into())),
            "tool_use" | "server_tool_use" => {
                let name = text(block, "name").unwrap_or("tool");
                let input = block.get("input").unwrap_or(&Value::Null);
                if let Some(id) = text(block, "id") {
                    self.tools.insert(id.to_owned(), name.to_owned());
                }
                let mut memory = self.memory(record, index, json::call_line(name, input));
                (memory.role, memory.kind) = (Role::Assistant, Kind::ToolCall);
                memory.tool_name = Some(name.to_owned());
                memory.tool_payload = (!input.is_null()).then(|| input.to_string());
                out.push(Outcome::Memory(Box::new(memory)));
            }
            kind if kind.ends_with("tool_result") => self.result(record, index, block, out),
            "document" => {
                let flat = content::flat(&block.clone().into());
                if !flat.words {
                    return out.push(Outcome::Skip(reason::IMAGE.into()));
                }
                let mut memory = self.memory(record, index, flat.text);
                memory.role = Role::User;
                memory.tags.push("document".to_owned());
                out.push(Outcome::Memory(Box::new(memory)));
            }
            "image" => out.push(Outcome::Skip(reason::IMAGE.into())),
            _ => out.push(Outcome::Skip(unknown(kind))),
        }
    }

    fn streamed(&mut self, id: Option<&str>, out: &mut [Outcome]) {
        if let (Some(id), Some(last)) = (id, out.last_mut()) {
            self.stream.take(id, last);
        }
    }

    fn result(
        &self,
        record: &Record<'_>,
        index: usize,
        block: &Map<String, Value>,
        out: &mut Vec<Outcome>,
    ) {
        let told = record.object.get("toolUseResult");
        let mut flat = block
            .get("content")
            .map(content::answer)
            .unwrap_or_default();
        if flat.text.trim().is_empty()
            && let Some(result) = told
        {
            flat = content::answer(result);
        }
        let pictures = flat.pictures;
        let mut content = flat.counted(out);
        if content.trim().is_empty() {
            return out.push(Outcome::Skip(reason::EMPTY.into()));
        }
        if let Some(words) = words::refusal(&content) {
            let mut memory = self.memory(record, index, words.to_owned());
            (memory.role, memory.kind) = (Role::User, Kind::Text);
            memory.tags.push("refusal".to_owned());
            out.push(Outcome::Skip("notice of the program".into()));
            return out.push(Outcome::Memory(Box::new(memory)));
        }
        let answers = words::answers(told, &content);
        if !answers.is_empty() {
            out.push(Outcome::Skip("notice of the program".into()));
            for answer in answers {
                let mut memory = self.memory(record, index, answer);
                (memory.role, memory.kind) = (Role::User, Kind::Text);
                memory.tags.push("answer".to_owned());
                out.push(Outcome::Memory(Box::new(memory)));
            }
            return;
        }
        if let (kept, true) = words::without_reminders(&content) {
            if kept.trim().is_empty() {
                return out.push(Outcome::Skip(reason::INJECTED.into()));
            }
            out.push(Outcome::Note(reason::INJECTED));
            content = String::from(kept.trim_end());
        }
        let mut memory = self.memory(record, index, content);
        (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
        memory.tool_name = text(block, "tool_use_id").and_then(|id| self.tools.get(id).cloned());
        if pictures {
            memory.tags.push("image".to_owned());
        }
        if flag(block, "is_error") {
            memory.tags.push("error".to_owned());
        }
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn said(
        &self,
        record: &Record<'_>,
        index: usize,
        user: bool,
        content: &str,
        tags: &[String],
        out: &mut Vec<Outcome>,
    ) {
        if content.trim().is_empty() {
            return out.push(Outcome::Skip(reason::EMPTY.into()));
        }
        let summary =
            flag(record.object, "isCompactSummary") || (user && words::is_summary(content));
        if user && !summary {
            return self.persons(record, index, content, tags, out);
        }
        let mut memory = self.memory(record, index, content.to_owned());
        memory.tags.extend_from_slice(tags);
        let synthetic = record
            .message
            .is_some_and(|message| text(message, "model") == Some("<synthetic>"));
        (memory.role, memory.kind) = if summary {
            (Role::System, Kind::Summary)
        } else if flag(record.object, "isApiErrorMessage") || synthetic {
            memory.tags.push("api-error".to_owned());
            (Role::System, Kind::Event)
        } else {
            (Role::Assistant, Kind::Text)
        };
        out.push(Outcome::Memory(Box::new(memory)));
    }

    /// A user record's text: what the person wrote, and what their own commands printed.
    fn persons(
        &self,
        record: &Record<'_>,
        index: usize,
        content: &str,
        tags: &[String],
        out: &mut Vec<Outcome>,
    ) {
        let (pieces, cut) = words::pieces(content);
        if pieces.is_empty() {
            let why = if cut { reason::INJECTED } else { reason::EMPTY };
            return out.push(Outcome::Skip(why.into()));
        }
        if cut {
            out.push(Outcome::Note(reason::INJECTED));
        }
        for piece in pieces {
            let memory = match piece {
                Piece::Words(words, command) => {
                    let mut memory = self.memory(record, index, words);
                    (memory.role, memory.kind) = (Role::User, Kind::Text);
                    memory.tags.extend_from_slice(tags);
                    memory.tags.extend(command);
                    memory
                }
                Piece::Printed(text, complained) => {
                    let mut memory = self.memory(record, index, text);
                    (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
                    memory.tool_name = Some("bash".to_owned());
                    if complained {
                        memory.tags.push("error".to_owned());
                    }
                    memory
                }
            };
            out.push(Outcome::Memory(Box::new(memory)));
        }
    }

    fn memory(&self, record: &Record<'_>, index: usize, content: String) -> NewMemory {
        let mut memory = draft(record.scope.clone(), record.place, &self.file.path, content);
        memory.created_at = record.created_at;
        memory.created_at_quality = record.quality;
        memory.tags.clone_from(&record.tags);
        let words = digest(&[&memory.content]);
        memory.source_key = format!("{}#{index}:{}", record.key, &words[..16]);
        memory
    }
}

/// The prompt of an attachment that holds what a person typed while the agent worked.
fn queued_prompt(object: &Map<String, Value>) -> Option<String> {
    let attachment = object.get("attachment")?.as_object()?;
    if text(attachment, "type") != Some("queued_command") {
        return None;
    }
    let prompt = content::flat(attachment.get("prompt")?).text;
    (!prompt.trim().is_empty()).then_some(prompt)
}

/// Counts an unknown type under its name, unless the name itself could be text.
pub(crate) fn unknown(kind: &str) -> std::borrow::Cow<'static, str> {
    let plain = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '-' | '.');
    if !kind.is_empty() && kind.len() <= 32 && kind.chars().all(plain) {
        format!("unknown type: {kind}").into()
    } else {
        "unknown type".into()
    }
}

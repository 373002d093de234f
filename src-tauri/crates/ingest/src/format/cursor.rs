//! Cursor's agent transcripts: `~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl`,
//! lines of role and message. They carry no times; since some version a person's message begins
//! with one in words. And its databases, `state.vscdb` ([`store`]).

mod store;
mod workspace;

use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::tags::{block, inside, without_blocks};
use super::{
    Database, FileContext, Format, Head, Line, Occurrences, Outcome, Parser, Place, content,
    digest, draft, json, moment, reason,
};
use crate::time;

/// See the module.
pub struct Cursor;

/// Blocks that the program puts around a person's query.
const TAGS: [&str; 12] = [
    "timestamp",
    "user_info",
    "system_reminder",
    "system-reminder",
    "attached_files",
    "additional_data",
    "open_and_recently_viewed_files",
    "git_status",
    "agent_transcripts",
    "agent_skills",
    "rules",
    "project_layout",
];

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

impl Format for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let spoken = head.share(|object| {
            let bare = object
                .keys()
                .all(|key| matches!(key.as_str(), "role" | "message"));
            let said = bare && text(object, "role").is_some();
            (said
                && object
                    .get("message")
                    .is_some_and(|message| message.get("content").is_some()))
                || text(object, "type") == Some("turn_ended")
        });
        let within = path
            .components()
            .any(|part| part.as_os_str() == "agent-transcripts");
        let tagged = head.lines.iter().any(|line| line.contains("<user_query>"));
        match (spoken >= 0.8, within || tagged) {
            (true, true) => 90,
            _ => 0,
        }
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&Cursor)
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        let parts: Vec<_> = file
            .path
            .components()
            .map(std::path::Component::as_os_str)
            .collect();
        let project = parts
            .iter()
            .position(|part| *part == "projects")
            .and_then(|index| parts.get(index + 1))
            .map(|part| part.to_string_lossy().into_owned());
        Box::new(Transcript {
            session: file.stem(),
            subagent: parts.iter().any(|part| *part == "subagents"),
            org: project.unwrap_or_default(),
            file: file.clone(),
            occurrences: Occurrences::default(),
            last_time: None,
        })
    }
}

struct Transcript {
    file: FileContext,
    session: String,
    org: String,
    subagent: bool,
    occurrences: Occurrences,
    last_time: Option<Millis>,
}

fn skip(out: &mut Vec<Outcome>, reason: &'static str) {
    out.push(Outcome::Skip(reason.into()));
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
            agent: "cursor".to_owned(),
            session: Some(self.session.clone()),
        }
    }
}

impl Transcript {
    fn record(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if self.subagent && !self.file.subagents {
            return skip(out, reason::SUBAGENT);
        }
        let role = match text(object, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            Some("system") => return skip(out, reason::INJECTED),
            _ if object.contains_key("type") => return skip(out, "session event"),
            _ => return skip(out, reason::EMPTY),
        };
        let content = object
            .get("message")
            .and_then(|message| message.get("content").or(Some(message)));
        let before = out.len();
        match content {
            Some(Value::String(said)) => self.said(role, said, place, out),
            Some(Value::Array(parts)) => {
                for part in parts {
                    self.part(role, part, place, out);
                }
            }
            _ => {}
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn part(&mut self, role: Role, part: &Value, place: Place, out: &mut Vec<Outcome>) {
        let field = |key: &str| part.get(key).and_then(Value::as_str);
        match field("type").unwrap_or_default() {
            _ if part.is_string() => self.said(role, part.as_str().unwrap_or_default(), place, out),
            "text" => self.said(role, field("text").unwrap_or_default(), place, out),
            "thinking" | "reasoning" => {
                let thought = field("thinking").or(field("text")).unwrap_or_default();
                self.give(role, Kind::Thinking, thought, place, out);
            }
            "tool_use" | "tool-call" => {
                let name = field("name").or(field("toolName")).unwrap_or("tool");
                let input = part.get("input").or_else(|| part.get("args"));
                let input = input.unwrap_or(&Value::Null);
                let mut memory = self.memory(json::call_line(name, input), place);
                (memory.role, memory.kind) = (Role::Assistant, Kind::ToolCall);
                memory.tool_name = Some(name.to_owned());
                memory.tool_payload = (!input.is_null()).then(|| input.to_string());
                self.push(memory, out);
            }
            "tool_result" | "tool-result" => {
                let result = part.get("content").or_else(|| part.get("result"));
                let said = result.map(content::flat).unwrap_or_default().counted(out);
                self.give(Role::Tool, Kind::ToolResult, &said, place, out);
            }
            "image" | "image_url" => skip(out, reason::IMAGE),
            kind => out.push(Outcome::Skip(unknown(kind))),
        }
    }

    fn said(&mut self, role: Role, said: &str, place: Place, out: &mut Vec<Outcome>) {
        if role != Role::User {
            let kind = if role == Role::Tool {
                Kind::ToolResult
            } else {
                Kind::Text
            };
            return self.give(role, kind, said, place, out);
        }
        let begins = said.trim_start();
        if let Some(stamp) = block(begins, "timestamp") {
            self.last_time = time::from_text(stamp.inner, &self.file.zone).or(self.last_time);
        }
        // With a query marked as such, all around it is the program's.
        let (kept, cut) = without_blocks(said, &TAGS);
        let marked = kept.trim_start().starts_with("<user_query>");
        let words = match inside(&kept, "user_query").filter(|_| marked) {
            Some(query) => query.trim().to_owned(),
            None if cut => kept.trim().to_owned(),
            None => kept,
        };
        if words.trim().is_empty() && cut {
            return skip(out, reason::INJECTED);
        }
        self.give(role, Kind::Text, &words, place, out);
    }

    fn give(&mut self, role: Role, kind: Kind, said: &str, place: Place, out: &mut Vec<Outcome>) {
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        let mut memory = self.memory(said.to_owned(), place);
        (memory.role, memory.kind) = (role, kind);
        self.push(memory, out);
    }

    fn memory(&self, content: String, place: Place) -> NewMemory {
        let mut memory = draft(self.scope(), place, &self.file.path, content);
        (memory.created_at, memory.created_at_quality) =
            moment(None, self.last_time, self.file.modified);
        if self.subagent {
            memory.tags.push("subagent".to_owned());
        }
        memory
    }

    /// There are no ids: session and words name a record, and which of equal ones it is.
    fn push(&mut self, mut memory: NewMemory, out: &mut Vec<Outcome>) {
        let payload = memory.tool_payload.as_deref().unwrap_or_default();
        let key = digest(&[
            "cursor",
            &self.org,
            &self.session,
            memory.role.as_str(),
            &memory.content,
            payload,
        ]);
        memory.source_key = self.occurrences.key(key);
        out.push(Outcome::Memory(Box::new(memory)));
    }
}

//! Hermes Agent's sessions, `~/.hermes/state.db`: one row per message, calls as JSON beside the words.
//!
//! A message that was compacted away stays as history; one that was taken back is left out, and marked
//! where it was read before.

use std::path::Path;

use memory::{Kind, Role, Scope};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Turn, role, skip, text};
use super::{
    Beside, Database, FileContext, Format, Outcome, Place, Reader, Schema, Table, Withdrawn, reason,
};

/// See the module.
pub struct Hermes;

/// Begin a content that is no text but a list of its parts.
const PARTS: [&str; 2] = ["\0json:", "\u{1}json:"];

impl Format for Hermes {
    fn name(&self) -> &'static str {
        "hermes"
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&Hermes)
    }
}

impl Database for Hermes {
    fn tables(&self) -> &'static [Table] {
        const SESSION: Beside = Beside {
            table: "sessions",
            by: "id",
            of: "session_id",
            takes: &[("source", "source"), ("cwd", "cwd")],
        };
        &[Table {
            name: "messages",
            needs: &["id", "session_id", "role", "content", "timestamp"],
            takes: &[
                "tool_call_id",
                "tool_calls",
                "tool_name",
                "reasoning",
                "reasoning_content",
                "active",
                "compacted",
                "_compressed_summary",
                "display_kind",
            ],
            beside: &[SESSION],
            withdrawn: Some(Withdrawn {
                session: "session_id",
                stands: "active",
                unless: "compacted",
            }),
            ..Table::PLAIN
        }]
    }

    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        schema.has(&self.tables()[0])
            && schema.column("messages", "tool_calls")
            && schema.column("sessions", "source")
            && schema.column("sessions", "cwd")
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Messages {
            talk: Conversation::new("hermes", None, file),
        })
    }
}

struct Messages {
    talk: Conversation,
}

/// What a column says that is 0 or 1, or absent in older databases.
fn flag(row: &Map<String, Value>, key: &str, absent: bool) -> bool {
    row.get(key)
        .and_then(Value::as_i64)
        .map_or(absent, |flag| flag != 0)
}

impl Reader for Messages {
    fn row(
        &mut self,
        _table: &str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        self.talk.session = text(row, "session_id").map(str::to_owned);
        text(row, "cwd")
            .unwrap_or_default()
            .clone_into(&mut self.talk.org);
        self.talk.subagent = matches!(text(row, "source"), Some("subagent" | "tool"));
        self.talk.last_time = None;
        let at = self.talk.time(row, "timestamp", out);
        if !flag(row, "active", true) && !flag(row, "compacted", false) {
            return skip(out, "on another branch");
        }
        if text(row, "display_kind") == Some("hidden") {
            return skip(out, reason::INJECTED);
        }
        if self.talk.leaves_out(out) {
            return;
        }
        let number = row.get("id").map(Value::to_string).unwrap_or_default();
        let turn = Turn {
            role: role(row),
            id: Some(&number),
            at,
            place,
            changes: false,
        };
        self.said(&turn, row, out);
    }

    fn scope(&self) -> Scope {
        self.talk.scope()
    }
}

impl Messages {
    fn said(&mut self, turn: &Turn<'_>, row: &Map<String, Value>, out: &mut Vec<Outcome>) {
        let content = text(row, "content").unwrap_or_default();
        let parts = PARTS.iter().find_map(|begin| content.strip_prefix(begin));
        let content = parts
            .and_then(|parts| serde_json::from_str(parts).ok())
            .unwrap_or_else(|| Value::from(content));
        if turn.role == Role::Tool {
            let id = text(row, "tool_call_id");
            return self
                .talk
                .answer(turn, id, text(row, "tool_name"), &content, out);
        }
        let before = out.len();
        let thought = text(row, "reasoning").or_else(|| text(row, "reasoning_content"));
        if let Some(thought) = thought.filter(|thought| !thought.trim().is_empty()) {
            self.talk.give(turn, Kind::Thinking, thought, out);
        }
        if flag(row, "_compressed_summary", false) {
            let turn = Turn {
                role: Role::System,
                ..*turn
            };
            let summary = content.as_str().unwrap_or_default();
            return self.talk.give(&turn, Kind::Summary, summary, out);
        }
        let calls = text(row, "tool_calls").and_then(|calls| serde_json::from_str(calls).ok());
        let calls: Vec<Value> = calls.unwrap_or_default();
        let blank = content.as_str().is_some_and(|said| said.trim().is_empty());
        if !blank {
            self.talk.message(turn, &content, out);
        }
        for call in &calls {
            let id = call.get("id").and_then(Value::as_str);
            let name = call.pointer("/function/name").and_then(Value::as_str);
            let input = call.pointer("/function/arguments").unwrap_or(&Value::Null);
            self.talk.call(turn, id, name.unwrap_or("tool"), input, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

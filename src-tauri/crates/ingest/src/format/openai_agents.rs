//! Sessions of OpenAI's Agents SDK: a table of sessions and one of items, each item a JSON object as
//! its API takes and gives them.

use std::path::Path;

use memory::{Kind, Millis, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::conversation::{Conversation, Turn, role, rows, skip, text};
use super::{
    Database, FileContext, Format, Line, Outcome, Place, Reader, Schema, Table, json, reason,
};

/// See the module.
pub struct OpenAiAgents;

impl Format for OpenAiAgents {
    fn name(&self) -> &'static str {
        "openai-agents"
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&OpenAiAgents)
    }
}

impl Database for OpenAiAgents {
    fn tables(&self) -> &'static [Table] {
        &[Table {
            name: "agent_messages",
            needs: &["id", "session_id", "message_data"],
            takes: &["created_at"],
            ..Table::PLAIN
        }]
    }

    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        schema.has(&self.tables()[0]) && schema.column("agent_sessions", "session_id")
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Items {
            talk: Conversation::new("openai-agents", None, file),
        })
    }
}

struct Items {
    talk: Conversation,
}

impl Reader for Items {
    fn row(
        &mut self,
        _table: &str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        self.talk.session = text(row, "session_id").map(str::to_owned);
        self.talk.last_time = None;
        let at = self.talk.time(row, "created_at", out);
        let number = row.get("id").map(Value::to_string).unwrap_or_default();
        let item = text(row, "message_data").unwrap_or_default();
        let before = out.len();
        for item in json::objects(&Line { text: item, place }, out) {
            self.item(&item, (&number, at), place, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn scope(&self) -> Scope {
        self.talk.scope()
    }
}

impl Items {
    fn item(
        &mut self,
        item: &Map<String, Value>,
        (number, at): (&str, Option<Millis>),
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let mut turn = Turn {
            role: role(item),
            id: Some(number),
            at,
            place,
            changes: false,
        };
        let value = |key: &str| item.get(key).unwrap_or(&Value::Null);
        let kind = text(item, "type").unwrap_or("message");
        match kind {
            "message" => self.talk.message(&turn, value("content"), out),
            "reasoning" => {
                turn.role = Role::Assistant;
                let thoughts = [rows(item, "summary"), rows(item, "content")].concat();
                let thoughts: Vec<&str> = thoughts
                    .iter()
                    .filter_map(|thought| text(thought, "text"))
                    .collect();
                if thoughts.is_empty() {
                    return skip(out, reason::ENCRYPTED);
                }
                self.talk
                    .give(&turn, Kind::Thinking, &thoughts.join("\n"), out);
            }
            "function_call" | "custom_tool_call" | "mcp_call" => {
                let input = [value("arguments"), value("input")];
                let input = input.into_iter().find(|it| !it.is_null());
                let input = input.unwrap_or(&Value::Null);
                let id = text(item, "call_id").or_else(|| text(item, "id"));
                let name = text(item, "name").unwrap_or("tool");
                self.talk.call(&turn, id, name, input, out);
                // A call to a server stands with its answer.
                if kind == "mcp_call" && !value("output").is_null() {
                    self.talk
                        .answer(&turn, id, Some(name), value("output"), out);
                }
            }
            kind if kind.ends_with("_output") => {
                let id = text(item, "call_id");
                self.talk.answer(&turn, id, None, value("output"), out);
            }
            // What the provider's own tools did, and what only the program reads.
            kind => out.push(Outcome::Skip(unknown(kind))),
        }
    }
}

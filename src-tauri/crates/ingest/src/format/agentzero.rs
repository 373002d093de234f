//! AgentZero's memory, a table of what was said and remembered. Each row has its own end, after which
//! the program deletes it; here it stays, under that end.

use memory::{Kind, Role, Scope};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Turn, role, skip, text};
use super::{Database, FileContext, Format, Outcome, Place, Reader, Table, reason};
use crate::time;

/// See the module.
pub struct AgentZero;

impl Format for AgentZero {
    fn name(&self) -> &'static str {
        "agentzero"
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&AgentZero)
    }
}

impl Database for AgentZero {
    fn tables(&self) -> &'static [Table] {
        &[Table {
            name: "memory",
            needs: &["id", "role", "content", "created_at", "privacy_boundary"],
            takes: &[
                "source_channel",
                "conversation_id",
                "expires_at",
                "org_id",
                "agent_id",
            ],
            ..Table::PLAIN
        }]
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Memory { file: file.clone() })
    }
}

struct Memory {
    file: FileContext,
}

/// What a column says, where it says anything.
fn said<'a>(row: &'a Map<String, Value>, column: &str) -> Option<&'a str> {
    text(row, column).filter(|text| !text.trim().is_empty())
}

impl Reader for Memory {
    fn row(
        &mut self,
        _table: &str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let Some(content) = said(row, "content") else {
            return skip(out, reason::EMPTY);
        };
        let mut talk = Conversation::new("agentzero", None, &self.file);
        talk.session = said(row, "conversation_id").map(str::to_owned);
        said(row, "org_id")
            .unwrap_or_default()
            .clone_into(&mut talk.org);
        let number = row.get("id").map(Value::to_string).unwrap_or_default();
        // Databases number their rows alike; a row without a conversation is of its agent.
        let agent = said(row, "agent_id").unwrap_or_default();
        let id = format!("{agent} {number}");
        let turn = Turn {
            role: match text(row, "role") {
                Some("memory" | "fact") => Role::Memory,
                _ => role(row),
            },
            id: Some(&id),
            at: talk.time(row, "created_at", out),
            place,
            changes: false,
        };
        let kind = match turn.role {
            Role::Tool => Kind::ToolResult,
            Role::Memory => Kind::Fact,
            _ => Kind::Text,
        };
        let mut memory = talk.memory(&turn, kind, content.to_owned());
        if !agent.is_empty() {
            agent.clone_into(&mut memory.scope.agent);
        }
        memory.expires_at = row
            .get("expires_at")
            .filter(|end| !end.is_null())
            .and_then(|end| time::from_json(end, &self.file.zone));
        let tags = ["privacy_boundary", "source_channel"];
        let tags = tags.iter().filter_map(|column| said(row, column));
        memory.tags.extend(tags.map(str::to_owned));
        talk.push(&turn, memory, out);
    }

    fn scope(&self) -> Scope {
        Conversation::new("agentzero", None, &self.file).scope()
    }
}

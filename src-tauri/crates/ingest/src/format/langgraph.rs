//! LangGraph's store, a SQLite database of what agents keep for good, by namespace and key: values are
//! written anew, and what is gone from it was deleted there. Where its checkpoints lie in the same
//! database, the last state of each thread is read with it.

use std::path::Path;

use memory::{Kind, Role, Scope};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Turn, skip, text};
use super::langgraph_saver::{CHECKPOINTS, States};
use super::{
    Database, FileContext, Format, Line, Outcome, Place, Reader, Schema, Table, digest, json,
    reason,
};
use crate::time;

/// See the module.
pub struct LangGraph;

const STORE: &str = "store";

/// Keys under which a value's words stand, when it has a single one of them.
const WORDS: [&str; 7] = [
    "memory", "content", "text", "fact", "data", "value", "summary",
];

impl Format for LangGraph {
    fn name(&self) -> &'static str {
        "langgraph"
    }

    fn rewritten(&self) -> bool {
        true
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&LangGraph)
    }
}

impl Database for LangGraph {
    fn tables(&self) -> &'static [Table] {
        &[
            Table {
                name: STORE,
                needs: &["prefix", "key", "value"],
                takes: &["created_at", "updated_at", "expires_at"],
                ..Table::PLAIN
            },
            CHECKPOINTS,
        ]
    }

    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        schema.has(&self.tables()[0])
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Store {
            talk: Conversation::new("langgraph", None, file),
            states: States::new(file),
        })
    }
}

struct Store {
    talk: Conversation,
    states: States,
}

/// The words of a value: those under a key that holds words, or all of it as JSON.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let mut held = WORDS.iter().filter_map(|key| object.get(*key));
            match (held.next(), held.next()) {
                (Some(inner @ (Value::String(_) | Value::Object(_))), None) => words(inner),
                _ => value.to_string(),
            }
        }
        other => other.to_string(),
    }
}

impl Reader for Store {
    fn row(&mut self, table: &str, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if table == CHECKPOINTS.name {
            return self.states.checkpoint(row, place, out);
        }
        let prefix = text(row, "prefix").unwrap_or_default();
        let key = text(row, "key").unwrap_or_default();
        let value = text(row, "value").unwrap_or_default();
        let before = out.len();
        let Some(value) = json::objects(&Line { text: value, place }, out)
            .into_iter()
            .next()
        else {
            if out.len() == before {
                skip(out, reason::EMPTY);
            }
            return;
        };
        let said = words(&Value::Object(value));
        if said.trim().is_empty() || said == "{}" {
            return skip(out, reason::EMPTY);
        }
        self.talk.last_time = None;
        prefix.clone_into(&mut self.talk.org);
        let made = self.talk.time(row, "created_at", out);
        let changed = self.talk.time(row, "updated_at", out);
        let turn = Turn {
            role: Role::Memory,
            id: Some(key),
            at: changed.or(made),
            place,
            changes: false,
        };
        let name = digest(&["langgraph", prefix, key, &said]);
        let mut memory = self.talk.memory(&turn, Kind::Fact, said);
        memory.source_key = name;
        memory.expires_at = row
            .get("expires_at")
            .filter(|end| !end.is_null())
            .and_then(|end| time::from_json(end, &self.talk.file.zone));
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn scope(&self) -> Scope {
        self.talk.scope()
    }
}

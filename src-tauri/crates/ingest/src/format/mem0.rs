//! Memories of mem0 as its programs give them out: `{"results": [{"id", "memory", "created_at",
//! "metadata"}], "relations": […]}`, or the list alone. A file of them is written anew as a whole,
//! so that what is gone from it was deleted there. Beside its vectors mem0 keeps a database of what
//! became of each memory (`history.db`): the last thing said of it is what it is now, and it has the
//! same name as in an export.

use std::collections::BTreeMap;
use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, Turn, role, rows, skip, text};
use super::{
    Database, FileContext, Format, Framing, Head, Outcome, Parser, Place, Reader, Schema, Table,
    reason,
};
use crate::time;

/// See the module.
pub struct Mem0;

/// Keys under which the list stands.
const LISTS: [&str; 2] = ["results", "memories"];

fn is_memory(object: &Map<String, Value>) -> bool {
    let beside = [
        "created_at",
        "metadata",
        "user_id",
        "agent_id",
        "hash",
        "categories",
        "event",
    ];
    ["id", "memory"]
        .iter()
        .all(|key| text(object, key).is_some())
        && beside.iter().any(|key| object.contains_key(*key))
}

fn listed(object: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    LISTS
        .iter()
        .find_map(|key| object.get(*key)?.as_array())
        .into_iter()
        .flatten()
}

impl Format for Mem0 {
    fn name(&self) -> &'static str {
        "mem0"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let one = match head.one() {
            Some(object) => {
                let items: Vec<&Value> = listed(object).collect();
                let known = items
                    .iter()
                    .filter(|item| item.as_object().is_some_and(is_memory));
                !items.is_empty() && known.count() * 2 >= items.len()
            }
            None => head.is_one(&["results", "memory", "created_at"]),
        };
        if one || head.share_of_records(is_memory) >= 0.5 {
            92
        } else {
            0
        }
    }

    fn rewritten(&self) -> bool {
        true
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("mem0") && name.ends_with(".json")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Store {
            talk: Conversation::new("mem0", None, file),
        })
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&Mem0)
    }
}

const HISTORY: &str = "history";

impl Database for Mem0 {
    fn tables(&self) -> &'static [Table] {
        &[
            Table {
                name: HISTORY,
                needs: &["id", "memory_id", "old_memory", "new_memory", "event"],
                takes: &["created_at", "updated_at", "is_deleted"],
                ..Table::PLAIN
            },
            Table {
                name: "messages",
                needs: &["id", "session_scope", "role", "content"],
                takes: &["created_at"],
                ..Table::PLAIN
            },
        ]
    }

    /// Older ones keep no messages.
    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        schema.has(&self.tables()[0])
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(History {
            store: Store {
                talk: Conversation::new("mem0", None, file),
            },
            last: BTreeMap::new(),
        })
    }
}

/// Reads the database.
struct History {
    store: Store,
    /// The last event of each memory, by when it came.
    last: BTreeMap<String, (Place, Map<String, Value>)>,
}

impl Reader for History {
    fn row(&mut self, table: &str, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if table != HISTORY {
            return self.message(row, place, out);
        }
        let Some(id) = text(row, "memory_id") else {
            return skip(out, reason::EMPTY);
        };
        // Rows are written as things happen, whatever their times say.
        if self
            .last
            .insert(id.to_owned(), (place, row.clone()))
            .is_some()
        {
            skip(out, "what it was before");
        }
    }

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        let mut last: Vec<_> = std::mem::take(&mut self.last).into_iter().collect();
        last.sort_by_key(|(_, (place, _))| place.offset);
        for (id, (place, row)) in last {
            let deleted = row.get("is_deleted").and_then(Value::as_i64) == Some(1);
            let event = if deleted {
                "DELETE"
            } else {
                text(&row, "event").unwrap_or_default()
            };
            let item = serde_json::json!({
                "id": id, "memory": row.get("new_memory"), "event": event,
                "created_at": row.get("created_at"), "updated_at": row.get("updated_at"),
            });
            if let Some(item) = item.as_object() {
                self.store.memory(item, place, out);
            }
        }
    }

    fn scope(&self) -> Scope {
        self.store.talk.scope()
    }
}

impl History {
    /// One of the last ten that mem0 was given in a conversation.
    fn message(&mut self, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let talk = &mut self.store.talk;
        talk.session = text(row, "session_scope").map(str::to_owned);
        talk.last_time = None;
        let turn = Turn {
            role: role(row),
            id: text(row, "id"),
            at: talk.time(row, "created_at", out),
            place,
            changes: false,
        };
        let said = text(row, "content").unwrap_or_default();
        talk.give(&turn, Kind::Text, said, out);
        talk.session = None;
    }
}

struct Store {
    talk: Conversation,
}

impl Objects for Store {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if is_memory(object) {
            self.memory(object, place, out);
            return;
        }
        let before = out.len();
        for item in listed(object) {
            match item.as_object() {
                Some(item) => self.memory(item, place, out),
                None => skip(out, reason::PART),
            }
        }
        for relation in rows(object, "relations") {
            self.relation(relation, place, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

impl Store {
    fn memory(&mut self, item: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if text(item, "event") == Some("DELETE") {
            return skip(out, "deleted there");
        }
        let said = text(item, "memory").unwrap_or_default();
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        // The words are as old as their last change, and no other's time says anything about them.
        self.talk.last_time = None;
        let changed = self.talk.time(item, "updated_at", out);
        let made = self.talk.time(item, "created_at", out);
        let mut memory = self.fact(text(item, "id"), changed.or(made), place, said.to_owned());
        let categories = item.get("categories").and_then(Value::as_array);
        let categories = categories.into_iter().flatten().filter_map(Value::as_str);
        memory.tags.extend(categories.map(str::to_owned));
        memory.expires_at = item
            .get("expiration_date")
            .and_then(|end| time::from_json(end, &self.talk.file.zone));
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn relation(&mut self, item: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let first = |keys: &[&str]| keys.iter().find_map(|key| text(item, key));
        let parts = [
            first(&["source"]),
            first(&["relationship", "relation"]),
            first(&["target", "destination"]),
        ];
        let [Some(from), Some(how), Some(to)] = parts else {
            return skip(out, reason::PART);
        };
        self.talk.last_time = None;
        let memory = self.fact(None, None, place, format!("{from} {how} {to}"));
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn fact(
        &self,
        id: Option<&str>,
        at: Option<Millis>,
        place: Place,
        content: String,
    ) -> NewMemory {
        let turn = Turn {
            role: Role::Memory,
            id,
            at,
            place,
            changes: false,
        };
        let key = super::digest(&["mem0", id.unwrap_or_default(), &content]);
        let mut memory = self.talk.memory(&turn, Kind::Fact, content);
        memory.source_key = key;
        memory
    }
}

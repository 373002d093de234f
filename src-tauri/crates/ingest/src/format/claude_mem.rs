//! claude-mem's database and what its export script writes of it: observations, summaries of sessions
//! and a person's prompts, as rows of tables or, in the export, as lists of one object. A row has the
//! same name in both.

use std::collections::HashMap;
use std::path::Path;

use memory::{Kind, Role, Scope};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, Turn, rows, skip, text};
use super::{
    Beside, Database, FileContext, Format, Framing, Head, Outcome, Parser, Place, Reader, Schema,
    Table, reason,
};

/// See the module.
pub struct ClaudeMem;

/// Keys of the export that stand before its lists, or are lists.
const KEYS: [&str; 3] = ["exportedAt", "exportedAtEpoch", "observations"];
/// What a summary says, in its order.
const SUMMARY: [&str; 6] = [
    "request",
    "investigated",
    "learned",
    "completed",
    "next_steps",
    "notes",
];

impl Format for ClaudeMem {
    fn name(&self) -> &'static str {
        "claude-mem"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        if head.is_one(&KEYS) { 95 } else { 0 }
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("claude-mem") && name.ends_with(".json")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Export::new(file))
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&ClaudeMem)
    }
}

const OBSERVATIONS: &str = "observations";
const SUMMARIES: &str = "session_summaries";
const PROMPTS: &str = "user_prompts";

/// Of which conversation of the agent a row is. Prompts name it themselves.
const SESSION: Beside = Beside {
    table: "sdk_sessions",
    by: "memory_session_id",
    of: "memory_session_id",
    takes: &[
        ("content_session_id", "content_session_id"),
        ("project", "project"),
    ],
};
const PROJECT: Beside = Beside {
    table: "sdk_sessions",
    by: "content_session_id",
    of: "content_session_id",
    takes: &[("project", "project")],
};

impl Database for ClaudeMem {
    fn tables(&self) -> &'static [Table] {
        const TIMES: [&str; 2] = ["created_at", "created_at_epoch"];
        &[
            Table {
                name: OBSERVATIONS,
                needs: &["id", "memory_session_id", "title", "narrative"],
                takes: &[
                    "project", "text", "type", "subtitle", "facts", "concepts", TIMES[0], TIMES[1],
                ],
                beside: &[SESSION],
                ..Table::PLAIN
            },
            Table {
                name: SUMMARIES,
                needs: &["id", "memory_session_id", "learned"],
                takes: &[
                    "project",
                    "request",
                    "investigated",
                    "completed",
                    "next_steps",
                    "notes",
                    TIMES[0],
                    TIMES[1],
                ],
                beside: &[SESSION],
                ..Table::PLAIN
            },
            Table {
                name: PROMPTS,
                needs: &["id", "content_session_id", "prompt_text"],
                takes: &TIMES,
                beside: &[PROJECT],
                ..Table::PLAIN
            },
        ]
    }

    /// Older ones have no prompts yet.
    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        self.tables()[..2].iter().all(|table| schema.has(table))
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Export::new(file))
    }
}

struct Export {
    talk: Conversation,
    /// The agent's own session and the project, by the name that claude-mem gave a session.
    sessions: HashMap<String, (Option<String>, Option<String>)>,
}

/// The entries of a list, which may stand as JSON inside a string.
fn entries(row: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = match row.get(key) {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(Value::Array(items)) => items.clone(),
        _ => Vec::new(),
    };
    let words = list.iter().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

impl Objects for Export {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let before = out.len();
        for session in rows(object, "sessions") {
            let field = |key: &str| text(session, key).map(str::to_owned);
            if let Some(name) = field("memory_session_id") {
                let known = (field("content_session_id"), field("project"));
                self.sessions.insert(name, known);
            }
            skip(out, "session metadata");
        }
        for row in rows(object, "observations") {
            self.observation(row, place, out);
        }
        for row in rows(object, "summaries") {
            self.summary(row, place, out);
        }
        for row in rows(object, "prompts") {
            self.prompt(row, place, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

impl Reader for Export {
    fn row(&mut self, table: &str, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        // Rows stand in no order that would date them.
        self.talk.last_time = None;
        match table {
            OBSERVATIONS => self.observation(row, place, out),
            SUMMARIES => self.summary(row, place, out),
            _ => self.prompt(row, place, out),
        }
    }

    fn scope(&self) -> Scope {
        self.talk.scope()
    }
}

impl Export {
    fn new(file: &FileContext) -> Self {
        Self {
            talk: Conversation::new("claude-mem", Some(file.stem()), file),
            sessions: HashMap::new(),
        }
    }

    fn summary(&mut self, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let said: Vec<String> = SUMMARY
            .iter()
            .filter_map(|key| Some((*key, text(row, key)?.trim())))
            .filter(|(_, said)| !said.is_empty())
            .map(|(key, said)| format!("{}: {said}", key.replace('_', " ")))
            .collect();
        let id = self.enter("summary", row);
        let turn = self.turn(Role::System, &id, row, place, out);
        self.talk.give(&turn, Kind::Summary, &said.join("\n"), out);
    }

    fn prompt(&mut self, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let id = self.enter("prompt", row);
        let turn = self.turn(Role::User, &id, row, place, out);
        let said = text(row, "prompt_text").unwrap_or_default();
        self.talk.give(&turn, Kind::Text, said, out);
    }

    /// Goes to the row's session; returns the row's name within it. Numbers are a database's own,
    /// but sessions have names of their own everywhere.
    fn enter(&mut self, table: &str, row: &Map<String, Value>) -> String {
        let memory = text(row, "memory_session_id");
        let own = text(row, "content_session_id");
        let known = memory.and_then(|name| self.sessions.get(name)).or_else(|| {
            let mut all = self.sessions.values();
            all.find(|(session, _)| own.is_some() && session.as_deref() == own)
        });
        let session = own
            .or_else(|| known.and_then(|(session, _)| session.as_deref()))
            .or(memory)
            .map(str::to_owned);
        let project = text(row, "project").or_else(|| known.and_then(|(_, it)| it.as_deref()));
        self.talk.org = project.unwrap_or_default().to_owned();
        self.talk.session = session.or_else(|| Some(self.talk.file.stem()));
        let number = row.get("id").map(Value::to_string).unwrap_or_default();
        format!("{table} {number}")
    }

    fn turn<'a>(
        &mut self,
        role: Role,
        id: &'a str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) -> Turn<'a> {
        let at = self.talk.time(row, "created_at_epoch", out);
        let at = at.or_else(|| self.talk.time(row, "created_at", out));
        Turn {
            role,
            id: Some(id),
            at,
            place,
            changes: false,
        }
    }

    fn observation(&mut self, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let mut said: Vec<String> = ["title", "subtitle", "narrative"]
            .iter()
            .filter_map(|key| text(row, key))
            .map(str::to_owned)
            .collect();
        said.extend(entries(row, "facts").iter().map(|fact| format!("- {fact}")));
        said.retain(|part| !part.trim().is_empty());
        // Older rows have nothing but a text.
        if said.is_empty() {
            said.extend(text(row, "text").map(str::to_owned));
        }
        let said = said.join("\n");
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        let id = self.enter("observation", row);
        let turn = self.turn(Role::Memory, &id, row, place, out);
        let mut memory = self.talk.memory(&turn, Kind::Fact, said);
        memory.tags.extend(text(row, "type").map(str::to_owned));
        memory.tags.extend(entries(row, "concepts"));
        self.talk.push(&turn, memory, out);
    }
}

//! What formats of conversations share: the parts of a message become memories of one scope, under
//! the message's own name and time, and a tool's answer gets the name of its tool.

use std::collections::HashMap;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::content::{self, Part};
use super::{
    FileContext, Line, Occurrences, Outcome, Parser, Place, digest, draft, json, moment, reason,
};
use crate::time;

/// A conversation that is being read.
pub(crate) struct Conversation {
    pub file: FileContext,
    pub agent: &'static str,
    pub org: String,
    pub session: Option<String>,
    /// What follows is a sub-agent's.
    pub subagent: bool,
    /// The last time that a record carried.
    pub last_time: Option<Millis>,
    tools: HashMap<String, String>,
    occurrences: Occurrences,
}

/// Who says something, where and when.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub role: Role,
    /// The message's name, as the program gave it.
    pub id: Option<&'a str>,
    pub at: Option<Millis>,
    pub place: Place,
    /// The program writes it again in other words while it works on it: the last ones count.
    pub changes: bool,
}

/// The text under a key.
pub(crate) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// Whose words a record with a `role` is: the program's own where it is none of the three.
pub(crate) fn role(object: &Map<String, Value>) -> Role {
    match text(object, "role") {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::System,
    }
}

/// The objects of the list under a key.
pub(crate) fn rows<'a>(object: &'a Map<String, Value>, key: &str) -> Vec<&'a Map<String, Value>> {
    let items = object.get(key).and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect()
}

/// Counts what is left out.
pub(crate) fn skip(out: &mut Vec<Outcome>, reason: &'static str) {
    out.push(Outcome::Skip(reason.into()));
}

/// What reads a conversation out of JSON objects, one after the other. All else that a parser does is
/// the same for every one of them.
pub(crate) trait Objects: Send {
    fn talk(&self) -> &Conversation;
    fn talk_mut(&mut self) -> &mut Conversation;
    /// Takes one object.
    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>);
}

impl<T: Objects> Parser for T {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.object(&object, line.place, out);
        }
    }

    fn takes_unterminated(&self, text: &str) -> bool {
        json::is_whole_object(text)
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.talk_mut().file.modified = modified;
    }

    fn scope(&self) -> Scope {
        self.talk().scope()
    }
}

impl Conversation {
    pub(crate) fn new(agent: &'static str, session: Option<String>, file: &FileContext) -> Self {
        Self {
            file: file.clone(),
            agent,
            org: String::new(),
            session,
            subagent: false,
            last_time: None,
            tools: HashMap::new(),
            occurrences: Occurrences::default(),
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope {
            org: self.org.clone(),
            agent: self.agent.to_owned(),
            session: self.session.clone(),
        }
    }

    /// The time that a record carries under a key, kept for those behind it that carry none.
    pub(crate) fn time(
        &mut self,
        object: &Map<String, Value>,
        key: &str,
        out: &mut Vec<Outcome>,
    ) -> Option<Millis> {
        let value = object.get(key).filter(|value| !value.is_null())?;
        self.time_of(value, out)
    }

    /// The same for a time that stands elsewhere.
    pub(crate) fn time_of(&mut self, value: &Value, out: &mut Vec<Outcome>) -> Option<Millis> {
        let at = time::from_json(value, &self.file.zone);
        if at.is_none() && value.as_str().is_none_or(|text| !text.is_empty()) {
            out.push(Outcome::Note(reason::TIME));
        }
        self.last_time = at.or(self.last_time);
        at
    }

    /// Whether a sub-agent's record is to be left out; then it is counted.
    pub(crate) fn leaves_out(&self, out: &mut Vec<Outcome>) -> bool {
        let left = self.subagent && !self.file.subagents;
        if left {
            skip(out, reason::SUBAGENT);
        }
        left
    }

    /// Everything that a content value holds, in its order: words as one memory up to a call, an
    /// answer or a thought, each of which is one of its own.
    pub(crate) fn message(&mut self, turn: &Turn<'_>, content: &Value, out: &mut Vec<Outcome>) {
        let before = out.len();
        let mut said: Vec<String> = Vec::new();
        let mut pictures = false;
        for part in content::parts(content) {
            match part {
                Part::Text(words) => said.push(words.to_owned()),
                Part::Picture(name) => {
                    pictures = true;
                    said.push(name);
                }
                Part::Left(why) => skip(out, why),
                part => {
                    self.words(turn, &std::mem::take(&mut said), pictures, out);
                    pictures = false;
                    match part {
                        Part::Thinking(thought) => self.give(turn, Kind::Thinking, thought, out),
                        Part::Call { id, name, input } => self.call(turn, id, name, input, out),
                        Part::Answer { id, content } => self.answer(turn, id, None, content, out),
                        Part::Text(_) | Part::Picture(_) | Part::Left(_) => {}
                    }
                }
            }
        }
        self.words(turn, &said, pictures, out);
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn words(&mut self, turn: &Turn<'_>, said: &[String], pictures: bool, out: &mut Vec<Outcome>) {
        let said = said.join("\n");
        if said.trim().is_empty() {
            return;
        }
        let kind = match turn.role {
            Role::Tool => Kind::ToolResult,
            _ => Kind::Text,
        };
        let mut memory = self.memory(turn, kind, said);
        if pictures {
            memory.tags.push("image".to_owned());
        }
        self.push(turn, memory, out);
    }

    /// One text, blank ones counted.
    pub(crate) fn give(&mut self, turn: &Turn<'_>, kind: Kind, said: &str, out: &mut Vec<Outcome>) {
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        let memory = self.memory(turn, kind, said.to_owned());
        self.push(turn, memory, out);
    }

    /// A call to a tool; its name is remembered for the answer.
    pub(crate) fn call(
        &mut self,
        turn: &Turn<'_>,
        id: Option<&str>,
        name: &str,
        input: &Value,
        out: &mut Vec<Outcome>,
    ) {
        if let Some(id) = id {
            self.tools.insert(id.to_owned(), name.to_owned());
        }
        // Some programs write the arguments as JSON inside a string.
        let inner = input
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok())
            .filter(|value| value.is_object() || value.is_array());
        let input = inner.as_ref().unwrap_or(input);
        let mut memory = self.memory(turn, Kind::ToolCall, json::call_line(name, input));
        memory.role = Role::Assistant;
        memory.tool_name = Some(name.to_owned());
        memory.tool_payload = match input {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        self.push(turn, memory, out);
    }

    /// Whether a call of this id was given.
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.tools.contains_key(id)
    }

    /// A tool's answer, whoever's name it stands under.
    pub(crate) fn answer(
        &mut self,
        turn: &Turn<'_>,
        id: Option<&str>,
        name: Option<&str>,
        content: &Value,
        out: &mut Vec<Outcome>,
    ) {
        let flat = content::answer(content);
        let pictures = flat.pictures;
        let said = flat.counted(out);
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        let mut memory = self.memory(turn, Kind::ToolResult, said);
        memory.role = Role::Tool;
        memory.tool_name = name
            .map(str::to_owned)
            .or_else(|| self.tools.get(id?).cloned());
        if pictures {
            memory.tags.push("image".to_owned());
        }
        self.push(turn, memory, out);
    }

    /// A memory of this turn, to be filled in and given to [`Self::push`].
    pub(crate) fn memory(&self, turn: &Turn<'_>, kind: Kind, content: String) -> NewMemory {
        let mut memory = draft(self.scope(), turn.place, &self.file.path, content);
        (memory.created_at, memory.created_at_quality) =
            moment(turn.at, self.last_time, self.file.modified);
        (memory.role, memory.kind) = (turn.role, kind);
        if self.subagent {
            memory.tags.push("subagent".to_owned());
        }
        memory
    }

    /// Names a memory and gives it: by its session and message and which of the message's parts it
    /// is; where messages have no names, by what it says and which of equal ones it is.
    pub(crate) fn push(&mut self, turn: &Turn<'_>, mut memory: NewMemory, out: &mut Vec<Outcome>) {
        let session = self.session.as_deref().unwrap_or_default();
        let kind = memory.kind.as_str();
        let name = if let Some(id) = turn.id {
            digest(&[self.agent, session, id, kind])
        } else {
            let payload = memory.tool_payload.as_deref().unwrap_or_default();
            let role = memory.role.as_str();
            digest(&[self.agent, session, role, kind, &memory.content, payload])
        };
        memory.source_key = self.occurrences.key(name);
        out.push(if turn.changes {
            Outcome::Grown(Box::new(memory))
        } else {
            Outcome::Memory(Box::new(memory))
        });
    }
}

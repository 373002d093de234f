//! Gemini CLI sessions: `~/.gemini/tmp/<project>/chats/session-….jsonl`, in older versions one JSON
//! object per file.
//!
//! A message is written again, as a whole, whenever more of it is known; the last writing counts.
//! So the last one stays open until another begins, and what was given out before is recognised by
//! its key. A list of messages may also be replaced by another one, and turns can be taken back.

use std::collections::HashMap;
use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::content::Part;
use super::{
    FileContext, Format, Framing, Head, Line, Outcome, Parser, Place, content, draft, json, moment,
    reason,
};

/// See the module.
pub struct Gemini;

impl Format for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let is_header = |object: &Map<String, Value>| {
            object.contains_key("sessionId") && object.contains_key("projectHash")
        };
        let entry = |object: &Map<String, Value>| {
            object.contains_key("type") || object.keys().all(|key| key.starts_with('$'))
        };
        let begins = head.headed(is_header, entry);
        let document = head.document.as_ref().is_some_and(|document| {
            !document.list
                && ["\"sessionId\"", "\"projectHash\"", "\"messages\""]
                    .iter()
                    .all(|key| document.opening.contains(key))
        });
        if begins || document { 95 } else { 0 }
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Chat {
            session: file.stem(),
            project: String::new(),
            subagent: false,
            file: file.clone(),
            open: None,
            places: HashMap::new(),
            given: HashMap::new(),
            last_time: None,
        })
    }
}

struct Message {
    /// Where it was first written.
    place: Place,
    /// The line of this writing, to which reading returns while it is open.
    line: Place,
    object: Map<String, Value>,
    given: bool,
}

struct Chat {
    file: FileContext,
    session: String,
    project: String,
    subagent: bool,
    open: Option<Message>,
    /// Where each message was first written.
    places: HashMap<String, Place>,
    /// What each part of a message read when it was given out last.
    given: HashMap<String, String>,
    last_time: Option<Millis>,
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn skip(out: &mut Vec<Outcome>, reason: &'static str) {
    out.push(Outcome::Skip(reason.into()));
}

impl Parser for Chat {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.record(object, line.place, out);
        }
    }

    fn takes_unterminated(&self, text: &str) -> bool {
        json::is_whole_object(text)
    }

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
    }

    fn still_open(&self) -> Option<Place> {
        self.open.as_ref().map(|message| message.line)
    }

    fn keeps_open(&self) -> bool {
        true
    }

    fn settle(&mut self) {
        self.open = None;
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        Scope {
            org: self.project.clone(),
            agent: "gemini".to_owned(),
            session: Some(self.session.clone()),
        }
    }
}

impl Chat {
    fn record(&mut self, mut object: Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if let Some(session) = text(&object, "sessionId") {
            session.clone_into(&mut self.session);
            self.subagent = text(&object, "kind") == Some("subagent");
            text(&object, "projectHash")
                .unwrap_or_default()
                .clone_into(&mut self.project);
            skip(out, "session metadata");
            if let Some(Value::Array(messages)) = object.remove("messages") {
                self.replace(messages, place, out);
            }
            return;
        }
        if let Some(Value::Object(set)) = object.get_mut("$set") {
            skip(out, "session metadata");
            if let Some(Value::Array(messages)) = set.remove("messages") {
                self.replace(messages, place, out);
            }
            return;
        }
        if let Some(target) = object.get("$rewindTo") {
            self.close(out);
            // An unknown message takes everything back.
            let from = target
                .as_str()
                .and_then(|id| self.places.get(id).copied())
                .unwrap_or_default();
            out.push(Outcome::TakenBack {
                session: self.session.clone(),
                from: from.offset,
                to: place.offset,
                at: self.last_time.or(self.file.modified),
            });
            self.places.retain(|_, known| known.offset < from.offset);
            out.push(Outcome::Note("turns rolled back"));
            return skip(out, "session metadata");
        }
        self.writing(object, place, place, out);
    }

    /// One writing of a message.
    fn writing(
        &mut self,
        object: Map<String, Value>,
        place: Place,
        line: Place,
        out: &mut Vec<Outcome>,
    ) {
        let Some(id) = text(&object, "id").map(str::to_owned) else {
            return skip(out, "session metadata");
        };
        let again = self
            .open
            .as_ref()
            .is_some_and(|open| text(&open.object, "id") == Some(&id));
        let line = match &self.open {
            Some(open) if again => open.line,
            _ => line,
        };
        if again {
            skip(out, "written again in full");
        } else {
            self.close(out);
        }
        let place = *self.places.entry(id).or_insert(place);
        self.open = Some(Message {
            place,
            line,
            object,
            given: false,
        });
    }

    /// Takes a list that stands for all messages so far. Those that are not in it were taken back.
    fn replace(&mut self, messages: Vec<Value>, place: Place, out: &mut Vec<Outcome>) {
        self.close(out);
        let kept: Vec<&str> = messages
            .iter()
            .filter_map(|message| message.get("id")?.as_str())
            .collect();
        let gone: Vec<(String, Place)> = self
            .places
            .iter()
            .filter(|(id, _)| !kept.contains(&id.as_str()))
            .map(|(id, place)| (id.clone(), *place))
            .collect();
        for (id, from) in gone {
            self.places.remove(&id);
            out.push(Outcome::TakenBack {
                session: self.session.clone(),
                from: from.offset,
                to: from.offset + 1,
                at: self.last_time.or(self.file.modified),
            });
        }
        for (offset, message) in (place.offset..).zip(messages) {
            match message {
                // They share a line; a byte each tells them apart.
                Value::Object(message) => {
                    let own = Place { offset, ..place };
                    self.writing(message, own, place, out);
                }
                _ => skip(out, reason::PART),
            }
        }
        self.close(out);
    }

    fn close(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
        self.open = None;
    }

    fn give(&mut self, out: &mut Vec<Outcome>) {
        let Some(mut message) = self.open.take() else {
            return;
        };
        if !message.given {
            message.given = true;
            self.message(&message, out);
        }
        self.open = Some(message);
    }

    fn message(&mut self, message: &Message, out: &mut Vec<Outcome>) {
        if self.subagent && !self.file.subagents {
            return skip(out, reason::SUBAGENT);
        }
        let object = &message.object;
        let time = json::stamp(object, "timestamp", &self.file.zone, out);
        self.last_time = time.or(self.last_time);
        let role = match text(object, "type").unwrap_or_default() {
            "user" => Role::User,
            "gemini" => Role::Assistant,
            "info" | "warning" | "error" => return skip(out, "notice of the program"),
            kind => return out.push(Outcome::Skip(unknown(kind))),
        };
        let before = out.len();
        let thoughts = object.get("thoughts").and_then(Value::as_array);
        for (index, thought) in thoughts.into_iter().flatten().enumerate() {
            let part = |key: &str| thought.get(key).and_then(Value::as_str).unwrap_or_default();
            let thought = format!("{}\n{}", part("subject"), part("description"));
            if thought.trim().is_empty() {
                skip(out, reason::EMPTY);
                continue;
            }
            let mut memory = self.memory(message, time, thought.trim().to_owned());
            (memory.role, memory.kind) = (role, Kind::Thinking);
            self.push(message, &format!("#thought{index}"), memory, out);
        }
        let calls = object.get("toolCalls").and_then(Value::as_array);
        for (index, call) in calls.into_iter().flatten().enumerate() {
            let name = call.get("name").and_then(Value::as_str).unwrap_or("tool");
            let input = call.get("args").unwrap_or(&Value::Null);
            let mut memory = self.memory(message, time, json::call_line(name, input));
            (memory.role, memory.kind) = (Role::Assistant, Kind::ToolCall);
            memory.tool_name = Some(name.to_owned());
            memory.tool_payload = Some(input.to_string());
            self.push(message, &format!("#call{index}"), memory, out);
            let result = call.get("result").map(result_text).unwrap_or_default();
            if !result.trim().is_empty() {
                let mut memory = self.memory(message, time, result);
                (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
                memory.tool_name = Some(name.to_owned());
                self.push(message, &format!("#result{index}"), memory, out);
            }
        }
        // A person's own words, where the content holds the files they named as well.
        let shown = object
            .get("displayContent")
            .filter(|shown| role == Role::User && content::flat(shown).words);
        let said = shown
            .or_else(|| object.get("content"))
            .unwrap_or(&Value::Null);
        let mut words: Vec<String> = Vec::new();
        for (index, part) in content::parts(said).into_iter().enumerate() {
            let (role, kind, said, tool) = match part {
                Part::Text(text) => {
                    words.push(text.to_owned());
                    continue;
                }
                Part::Picture(name) => {
                    words.push(name);
                    continue;
                }
                Part::Left(why) => {
                    skip(out, why);
                    continue;
                }
                // The list of calls holds them, with what came of them.
                Part::Call { .. } | Part::Answer { .. } if calls.is_some() => {
                    skip(out, reason::TWICE);
                    continue;
                }
                Part::Thinking(thought) => (role, Kind::Thinking, thought.to_owned(), None),
                Part::Call { name, input, .. } => {
                    let line = json::call_line(name, input);
                    (Role::Assistant, Kind::ToolCall, line, Some((name, input)))
                }
                Part::Answer { content, .. } => {
                    let answer = content::answer(content).counted(out);
                    (Role::Tool, Kind::ToolResult, answer, None)
                }
            };
            if said.trim().is_empty() {
                skip(out, reason::EMPTY);
                continue;
            }
            let mut memory = self.memory(message, time, said);
            (memory.role, memory.kind) = (role, kind);
            if let Some((name, input)) = tool {
                memory.tool_name = Some(name.to_owned());
                memory.tool_payload = Some(input.to_string());
            }
            self.push(message, &format!("#part{index}"), memory, out);
        }
        let said = words.join("\n");
        if !said.trim().is_empty() {
            let mut memory = self.memory(message, time, said);
            (memory.role, memory.kind) = (role, Kind::Text);
            self.push(message, "", memory, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn memory(&self, message: &Message, time: Option<Millis>, content: String) -> NewMemory {
        let mut memory = draft(self.scope(), message.place, &self.file.path, content);
        (memory.created_at, memory.created_at_quality) =
            moment(time, self.last_time, self.file.modified);
        if self.subagent {
            memory.tags.push("subagent".to_owned());
        }
        memory
    }

    /// Gives a part of a message, unless it was given before and reads the same.
    fn push(
        &mut self,
        message: &Message,
        part: &str,
        mut memory: NewMemory,
        out: &mut Vec<Outcome>,
    ) {
        let id = text(&message.object, "id").unwrap_or_default();
        let key = format!("{}/{id}{part}", self.session);
        let payload = memory.tool_payload.as_deref().unwrap_or_default();
        let reads = super::digest(&[&memory.content, payload]);
        if self.given.get(&key) == Some(&reads) {
            return skip(out, "written again in full");
        }
        memory.source_key.clone_from(&key);
        let before = self.given.insert(key, reads);
        out.push(match before {
            None => Outcome::Memory(Box::new(memory)),
            Some(_) => Outcome::Grown(Box::new(memory)),
        });
    }
}

/// The text of `[{"functionResponse": {"response": {"output": …}}}]`.
fn result_text(result: &Value) -> String {
    let parts = result
        .as_array()
        .map_or(std::slice::from_ref(result), Vec::as_slice);
    let texts: Vec<String> = parts
        .iter()
        .filter_map(|part| {
            let response = part.pointer("/functionResponse/response").unwrap_or(part);
            let output = response
                .get("output")
                .or_else(|| response.get("error"))
                .or_else(|| response.get("text"));
            match output.unwrap_or(response) {
                Value::String(text) => Some(text.clone()),
                Value::Null => None,
                other => Some(other.to_string()),
            }
        })
        .collect();
    texts.join("\n")
}

//! Gemini CLI sessions: `~/.gemini/tmp/<project>/chats/session-….jsonl`.
//!
//! A message is written again, as a whole, whenever more of it is known. So the last one stays open
//! until another begins, and what was given out before is recognised by its key.

use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::{FileContext, Format, Head, Line, Outcome, Parser, Place, draft, json, moment, reason};
use crate::time;

/// See the module.
pub struct Gemini;

impl Format for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let header = head.objects.first().is_some_and(|object| {
            object.contains_key("sessionId") && object.contains_key("projectHash")
        });
        if header { 95 } else { 0 }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Chat {
            session: file.stem(),
            project: String::new(),
            file: file.clone(),
            open: None,
            last_time: None,
        })
    }
}

struct Message {
    place: Place,
    object: Map<String, Value>,
    given: bool,
}

struct Chat {
    file: FileContext,
    session: String,
    project: String,
    open: Option<Message>,
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
        self.open.as_ref().map(|message| message.place)
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
    fn record(&mut self, object: Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if let Some(session) = text(&object, "sessionId") {
            session.clone_into(&mut self.session);
            text(&object, "projectHash")
                .unwrap_or_default()
                .clone_into(&mut self.project);
            return skip(out, "session metadata");
        }
        if object.contains_key("$rewindTo") {
            self.close(out);
            out.push(Outcome::Note("turns rolled back"));
            return skip(out, "session metadata");
        }
        let Some(id) = text(&object, "id") else {
            return skip(out, "session metadata");
        };
        let again = self
            .open
            .as_ref()
            .is_some_and(|open| text(&open.object, "id") == Some(id));
        if again {
            skip(out, "written again in full");
        } else {
            self.close(out);
        }
        let place = self
            .open
            .as_ref()
            .filter(|_| again)
            .map_or(place, |open| open.place);
        self.open = Some(Message {
            place,
            object,
            given: false,
        });
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
        let object = &message.object;
        let time = object
            .get("timestamp")
            .and_then(|value| time::from_json(value, &self.file.zone));
        self.last_time = time.or(self.last_time);
        let id = text(object, "id").unwrap_or_default();
        let make = |part: &str, content: String| -> NewMemory {
            let mut memory = draft(self.scope(), message.place, &self.file.path, content);
            (memory.created_at, memory.created_at_quality) =
                moment(time, self.last_time, self.file.modified);
            memory.source_key = format!("{}/{id}{part}", self.session);
            memory
        };
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
            let content = format!("{}\n{}", part("subject"), part("description"));
            if content.trim().is_empty() {
                continue;
            }
            let mut memory = make(&format!("#thought{index}"), content.trim().to_owned());
            (memory.role, memory.kind) = (role, Kind::Thinking);
            out.push(Outcome::Memory(Box::new(memory)));
        }
        let calls = object.get("toolCalls").and_then(Value::as_array);
        for (index, call) in calls.into_iter().flatten().enumerate() {
            let name = call.get("name").and_then(Value::as_str).unwrap_or("tool");
            let input = call.get("args").unwrap_or(&Value::Null);
            let mut memory = make(&format!("#call{index}"), json::call_line(name, input));
            (memory.role, memory.kind) = (Role::Assistant, Kind::ToolCall);
            memory.tool_name = Some(name.to_owned());
            memory.tool_payload = Some(input.to_string());
            out.push(Outcome::Memory(Box::new(memory)));
            let result = call.get("result").map(result_text).unwrap_or_default();
            if !result.trim().is_empty() {
                let mut memory = make(&format!("#result{index}"), result);
                (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
                memory.tool_name = Some(name.to_owned());
                out.push(Outcome::Memory(Box::new(memory)));
            }
        }
        let said = object
            .get("content")
            .map(json::content_text)
            .unwrap_or_default()
            .0;
        if !said.trim().is_empty() {
            let mut memory = make("", said);
            (memory.role, memory.kind) = (role, Kind::Text);
            out.push(Outcome::Memory(Box::new(memory)));
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
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

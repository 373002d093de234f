//! Letta's agent files (`.af`): an agent's messages and its blocks of core memory, in one object;
//! or a single agent at the top, as older versions wrote it. Some published files hold that object
//! as text inside a JSON string.
//!
//! Variables and secrets of the agent stand in the file too; they are not looked at.

use std::path::Path;

use memory::{Kind, Millis, Role, Scope};
use serde_json::{Map, Value};

use super::content;
use super::conversation::{Conversation, Turn, rows, skip, text};
use super::{FileContext, Format, Framing, Head, Line, Outcome, Parser, Place, json, reason};

/// See the module.
pub struct Letta;

impl Format for Letta {
    fn name(&self) -> &'static str {
        "letta"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let new = head.is_one(&["agents", "blocks"]);
        let old = head.is_one(&["core_memory", "messages"]);
        let quoted = head.lines.len() == 1 && head.lines[0].trim_start().starts_with("\"{");
        match (new || old || quoted, self.keeps(path)) {
            (true, true) => 97,
            (true, false) if !quoted => 90,
            // The first keys may be longer than what is looked at.
            (_, true) if head.is_one(&["agents"]) || head.is_one(&["agent_type"]) => 90,
            _ => 0,
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending == "af")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Agents {
            talk: Conversation::new("letta", Some(file.stem()), file),
        })
    }
}

struct Agents {
    talk: Conversation,
}

/// The text inside, where the whole file is a JSON string.
fn unquoted(text: &str) -> Option<String> {
    let text = text.trim();
    text.starts_with('"')
        .then(|| serde_json::from_str(text).ok())
        .flatten()
}

impl Parser for Agents {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        let inner = unquoted(line.text);
        let line = Line {
            text: inner.as_deref().unwrap_or(line.text),
            place: line.place,
        };
        for object in json::objects(&line, out) {
            self.file(&object, line.place, out);
        }
    }

    fn takes_unterminated(&self, text: &str) -> bool {
        json::is_whole_object(text) || unquoted(text).is_some()
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.talk.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        self.talk.scope()
    }
}

impl Agents {
    fn file(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let before = out.len();
        let agents = rows(object, "agents");
        let blocks = rows(object, "blocks");
        for block in &blocks {
            let id = text(block, "id").unwrap_or_default();
            let holder = agents.iter().find(|agent| {
                let ids = agent.get("block_ids").and_then(Value::as_array);
                ids.into_iter()
                    .flatten()
                    .any(|held| held.as_str() == Some(id))
            });
            self.enter(holder.copied());
            self.block(block, place, out);
        }
        for agent in &agents {
            self.agent(agent, place, out);
        }
        if agents.is_empty() {
            self.agent(object, place, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    /// Whose the next ones are.
    fn enter(&mut self, agent: Option<&Map<String, Value>>) {
        if let Some(agent) = agent {
            let name = text(agent, "id").or_else(|| text(agent, "name"));
            if let Some(name) = name {
                self.talk.session = Some(name.to_owned());
            }
        }
        self.talk.last_time = None;
    }

    fn agent(&mut self, agent: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        self.enter(Some(agent));
        for block in rows(agent, "core_memory") {
            self.block(block, place, out);
        }
        for message in rows(agent, "messages") {
            self.message(message, place, out);
        }
    }

    /// A block is written again as the agent learns: its last text counts.
    fn block(&mut self, block: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let (label, value) = (text(block, "label"), text(block, "value"));
        let value = value.unwrap_or_default().trim();
        if value.is_empty() {
            return skip(out, reason::EMPTY);
        }
        let label = label.unwrap_or("memory");
        let id = format!("block {}", text(block, "id").unwrap_or(label));
        let turn = Turn {
            role: Role::Memory,
            id: Some(&id),
            at: None,
            place,
            changes: true,
        };
        let mut memory = self
            .talk
            .memory(&turn, Kind::Fact, format!("{label}: {value}"));
        memory.tags.push(label.to_owned());
        self.talk.push(&turn, memory, out);
    }

    fn message(&mut self, message: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let at = self.talk.time(message, "created_at", out);
        let turn = |role| Turn {
            role,
            id: text(message, "id"),
            at,
            place,
            changes: false,
        };
        let parts = ["content", "text"].iter().find_map(|key| message.get(*key));
        let parts = parts.unwrap_or(&Value::Null);
        match text(message, "role") {
            Some("user") => self.received(&turn(Role::User), parts, out),
            Some("assistant") => self.model(&turn(Role::Assistant), message, parts, out),
            Some("tool") => {
                let returns = rows(message, "tool_returns");
                for answer in &returns {
                    let said = ["func_response", "stdout", "stderr"]
                        .iter()
                        .filter_map(|key| answer.get(*key))
                        .find(|said| content::flat(said).words)
                        .unwrap_or(&Value::Null);
                    let call = text(answer, "tool_call_id").or(text(message, "tool_call_id"));
                    self.talk.answer(&turn(Role::Tool), call, None, said, out);
                }
                if returns.is_empty() {
                    let said = content::flat(parts).counted(out);
                    let inner =
                        wrapped(&said).and_then(|it| Some(text(&it, "message")?.to_owned()));
                    let said = Value::String(inner.unwrap_or(said));
                    let (call, name) = (text(message, "tool_call_id"), text(message, "name"));
                    self.talk.answer(&turn(Role::Tool), call, name, &said, out);
                }
            }
            _ => skip(out, reason::INJECTED),
        }
    }

    /// A message to the agent: JSON that says what kind of event it is, or plain words.
    fn received(&mut self, turn: &Turn<'_>, parts: &Value, out: &mut Vec<Outcome>) {
        let said = content::flat(parts).text;
        let Some(event) = wrapped(&said) else {
            return self.talk.message(turn, parts, out);
        };
        let words = text(&event, "message").unwrap_or_default();
        match text(&event, "type") {
            Some("user_message") => self.talk.give(turn, Kind::Text, words, out),
            Some("system_alert") if words.contains("summary") => {
                let turn = Turn {
                    role: Role::System,
                    ..*turn
                };
                self.talk.give(&turn, Kind::Summary, words, out);
            }
            Some(_) => skip(out, reason::INJECTED),
            None => self.talk.give(turn, Kind::Text, &said, out),
        }
    }

    fn model(
        &mut self,
        turn: &Turn<'_>,
        message: &Map<String, Value>,
        parts: &Value,
        out: &mut Vec<Outcome>,
    ) {
        let before = out.len();
        let calls = rows(message, "tool_calls");
        let function = |call: &Map<String, Value>| -> (String, Value) {
            let function = call
                .get("function")
                .and_then(Value::as_object)
                .unwrap_or(call);
            let arguments = function.get("arguments").unwrap_or(&Value::Null);
            let arguments = arguments
                .as_str()
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_else(|| arguments.clone());
            (
                text(function, "name").unwrap_or("tool").to_owned(),
                arguments,
            )
        };
        let speaks = calls.iter().any(|call| function(call).0 == SPEAKS);
        let flat = content::flat(parts);
        if speaks && flat.words {
            // Beside a call that speaks to the person, the text is for the agent itself.
            self.talk.give(turn, Kind::Thinking, &flat.text, out);
        } else if flat.words || flat.pictures {
            self.talk.message(turn, parts, out);
        }
        for call in &calls {
            let (name, input) = function(call);
            let said = input.get("message").and_then(Value::as_str);
            match said.filter(|_| name == SPEAKS) {
                Some(said) => self.talk.give(turn, Kind::Text, said, out),
                None => self.talk.call(turn, text(call, "id"), &name, &input, out),
            }
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

/// The tool by which older agents speak to the person.
const SPEAKS: &str = "send_message";

/// The object that a text is.
fn wrapped(said: &str) -> Option<Map<String, Value>> {
    let said = said.trim();
    said.starts_with('{')
        .then(|| serde_json::from_str(said).ok())
        .flatten()
}

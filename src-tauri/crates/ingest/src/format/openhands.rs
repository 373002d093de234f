//! OpenHands: a file for each event of a conversation, `<conversation>/events/event-00001-….json`
//! of the newer kind (`kind`, `source`), or `sessions/<id>/events/1.json` of the older (`action` or
//! `observation`). Times carry no zone.

use std::path::Path;

use memory::{Kind, Role};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, Turn, skip, text};
use super::{FileContext, Format, Framing, Head, Outcome, Parser, Place, reason};

/// See the module.
pub struct OpenHands;

/// What events of the newer kind end with.
const KINDS: [&str; 3] = ["Event", "Observation", "Condensation"];

fn is_event(object: &Map<String, Value>) -> bool {
    let kind = text(object, "kind").unwrap_or_default();
    let older = text(object, "action").is_some()
        && object.get("args").is_some_and(Value::is_object)
        || text(object, "observation").is_some()
            && object.get("extras").is_some_and(Value::is_object);
    let known = older || KINDS.iter().any(|ending| kind.ends_with(ending));
    let from = matches!(
        text(object, "source"),
        Some("user" | "agent" | "environment" | "hook")
    );
    known && from && object.contains_key("id") && object.contains_key("timestamp")
}

impl Format for OpenHands {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let one = match head.one() {
            Some(object) => is_event(object),
            // What an event says may be longer than what is looked at; its name is enough then.
            None => self.keeps(path) && head.is_one(&[]),
        };
        if one || head.share_of_records(is_event) >= 0.5 {
            93
        } else {
            0
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let events = path.parent().and_then(Path::file_name);
        let number = |stem: &str| stem.bytes().all(|b| b.is_ascii_digit());
        events.is_some_and(|folder| folder == "events")
            && name
                .strip_suffix(".json")
                .is_some_and(|stem| stem.starts_with("event-") || number(stem))
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        // Events that were saved together are a conversation of their own.
        let folder = file.path.ancestors().nth(2).and_then(Path::file_name);
        let session = match folder.filter(|_| self.keeps(&file.path)) {
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => file.stem(),
        };
        Box::new(Event {
            talk: Conversation::new("openhands", Some(session), file),
        })
    }
}

struct Event {
    talk: Conversation,
}

impl Objects for Event {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let at = self.talk.time(object, "timestamp", out);
        let id = object.get("id").map(|id| match id {
            Value::String(id) => id.clone(),
            other => other.to_string(),
        });
        let turn = Turn {
            role: match text(object, "source") {
                Some("user") => Role::User,
                Some("agent") => Role::Assistant,
                _ => Role::System,
            },
            id: id.as_deref(),
            at,
            place,
            changes: false,
        };
        match text(object, "kind") {
            Some(kind) => self.of_kind(kind, &turn, object, out),
            None => self.older(&turn, object, out),
        }
    }
}

impl Event {
    fn of_kind(
        &mut self,
        kind: &str,
        turn: &Turn<'_>,
        object: &Map<String, Value>,
        out: &mut Vec<Outcome>,
    ) {
        let tool = text(object, "tool_name");
        let call = text(object, "tool_call_id");
        let as_tool = Turn {
            role: Role::Tool,
            ..*turn
        };
        match kind {
            "MessageEvent" if turn.role == Role::System => skip(out, reason::INJECTED),
            "MessageEvent" => {
                let message = object.get("llm_message").and_then(Value::as_object);
                let Some(message) = message else {
                    return skip(out, reason::EMPTY);
                };
                self.thought(turn, message, out);
                let content = message.get("content").unwrap_or(&Value::Null);
                self.talk.message(turn, content, out);
            }
            "ActionEvent" => {
                self.thought(turn, object, out);
                if let Some(said) = object.get("thought").filter(|said| says(said)) {
                    self.talk.message(turn, said, out);
                }
                let action = object.get("action").unwrap_or(&Value::Null);
                let input = object
                    .get("tool_call")
                    .and_then(|call| call.get("arguments"));
                let name = tool.unwrap_or("action");
                let said = ["message", "thought"]
                    .iter()
                    .find_map(|key| action.get(*key)?.as_str());
                match (name, said) {
                    ("finish", Some(said)) => self.talk.give(turn, Kind::Text, said, out),
                    ("think", Some(said)) => self.talk.give(turn, Kind::Thinking, said, out),
                    _ => self
                        .talk
                        .call(turn, call, name, input.unwrap_or(action), out),
                }
            }
            "ObservationEvent" => {
                let seen = object.get("observation").unwrap_or(&Value::Null);
                let said = ["content", "output", "result", "error", "message"]
                    .iter()
                    .filter_map(|key| seen.get(*key))
                    .find(|said| says(said))
                    .unwrap_or(seen);
                self.talk.answer(&as_tool, call, tool, said, out);
            }
            "UserRejectObservation" | "AgentErrorEvent" => {
                let said = object
                    .get("rejection_reason")
                    .or_else(|| object.get("error"));
                let said = said.unwrap_or(&Value::Null);
                self.talk.answer(&as_tool, call, tool, said, out);
            }
            "Condensation" => {
                let summary = Turn {
                    role: Role::System,
                    ..*turn
                };
                let said = text(object, "summary").unwrap_or_default();
                self.talk.give(&summary, Kind::Summary, said, out);
            }
            "SystemPromptEvent" => skip(out, reason::INJECTED),
            _ => skip(out, "session event"),
        }
    }

    fn thought(&mut self, turn: &Turn<'_>, object: &Map<String, Value>, out: &mut Vec<Outcome>) {
        if let Some(thought) = text(object, "reasoning_content").filter(|it| !it.trim().is_empty())
        {
            self.talk.give(turn, Kind::Thinking, thought, out);
        }
    }

    fn older(&mut self, turn: &Turn<'_>, object: &Map<String, Value>, out: &mut Vec<Outcome>) {
        let nothing = Map::new();
        let args = object.get("args").and_then(Value::as_object);
        let args = args.unwrap_or(&nothing);
        let content = text(object, "content").or_else(|| text(args, "content"));
        let content = content.unwrap_or_default();
        if let Some(seen) = text(object, "observation") {
            if matches!(
                seen,
                "agent_state_changed" | "null" | "recall" | "user_rejected"
            ) {
                return skip(out, "session event");
            }
            let as_tool = Turn {
                role: Role::Tool,
                ..*turn
            };
            let said = Value::String(content.to_owned());
            return self.talk.answer(&as_tool, None, Some(seen), &said, out);
        }
        let action = text(object, "action").unwrap_or_default();
        match action {
            "message" if turn.role == Role::System => skip(out, reason::INJECTED),
            "message" => self.talk.give(turn, Kind::Text, content, out),
            "system" | "recall" => skip(out, reason::INJECTED),
            "change_agent_state" | "null" | "" | "pause" | "resume" | "stop" => {
                skip(out, "session event");
            }
            "think" => {
                let said = text(args, "thought").unwrap_or_default();
                self.talk.give(turn, Kind::Thinking, said, out);
            }
            "finish" => {
                let said = text(args, "final_thought").filter(|said| !said.is_empty());
                let said = said.or_else(|| text(args, "thought")).unwrap_or_default();
                self.talk.give(turn, Kind::Text, said, out);
            }
            "condensation" => {
                let said = text(args, "summary").unwrap_or_default();
                let summary = Turn {
                    role: Role::System,
                    ..*turn
                };
                self.talk.give(&summary, Kind::Summary, said, out);
            }
            name => {
                if let Some(said) = text(args, "thought").filter(|said| !said.trim().is_empty()) {
                    self.talk.give(turn, Kind::Text, said, out);
                }
                let mut input = args.clone();
                input.remove("thought");
                self.talk.call(turn, None, name, &Value::Object(input), out);
            }
        }
    }
}

/// Whether there are words in a value.
fn says(value: &Value) -> bool {
    super::content::flat(value).words
}

//! Trajectories of SWE-agent (`<instance>.traj`) and mini-swe-agent (`<instance>.traj.json`): one
//! object for a whole run, without times.
//!
//! Every step repeats the whole prompt, so of a step only what is new in it is read. What the
//! environment answers stands under the user's name there; here it is the tool's.

use std::path::Path;

use memory::{Kind, Role};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, Turn, rows, skip, text};
use super::{FileContext, Format, Framing, Head, Outcome, Parser, Place, content, reason};

/// See the module.
pub struct SweAgent;

/// The name under which an action's tool goes: an action is what is typed into a shell.
const SHELL: &str = "shell";

impl Format for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let steps = head.is_one(&["trajectory"])
            && (self.keeps(path) || head.is_one(&["trajectory", "info"]));
        let messages = head.is_one(&["messages", "trajectory_format"])
            || self.keeps(path) && head.is_one(&["messages"]);
        if steps || messages { 93 } else { 0 }
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".traj") || name.ends_with(".traj.json")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        let stem = file.stem();
        let instance = stem.strip_suffix(".traj").unwrap_or(&stem).to_owned();
        Box::new(Run {
            talk: Conversation::new("swe-agent", Some(instance), file),
        })
    }
}

struct Run {
    talk: Conversation,
}

impl Objects for Run {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let steps = rows(object, "trajectory");
        let mut history = rows(object, "history");
        if history.is_empty() {
            history = rows(object, "messages");
        }
        if history.is_empty()
            && let Some(first) = steps.first()
        {
            history = ["query", "messages"]
                .iter()
                .map(|key| rows(first, key))
                .find(|prompt| !prompt.is_empty())
                .unwrap_or_default();
        }
        let before = out.len();
        self.history(&history, !steps.is_empty(), place, out);
        for step in steps {
            self.step(step, place, out);
        }
        if object.contains_key("info") {
            skip(out, "session metadata");
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

impl Run {
    fn turn<'a>(role: Role, place: Place) -> Turn<'a> {
        Turn {
            role,
            id: None,
            at: None,
            place,
            changes: false,
        }
    }

    /// The messages; `repeated` says that the steps hold all but the beginning.
    fn history(
        &mut self,
        messages: &[&Map<String, Value>],
        repeated: bool,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let mut begun = false;
        for message in messages {
            if message.get("is_demo") == Some(&Value::Bool(true))
                || text(message, "message_type") == Some("demonstration")
            {
                skip(out, "demonstration");
                continue;
            }
            let nothing = Value::Null;
            let content = message.get("content").unwrap_or(&nothing);
            match text(message, "role") {
                Some("system") => skip(out, reason::INJECTED),
                Some("user") if !begun => {
                    self.talk
                        .message(&Self::turn(Role::User, place), content, out);
                }
                _ if repeated => {
                    begun = true;
                    skip(out, reason::TWICE);
                }
                Some("assistant") => {
                    begun = true;
                    self.model(message, content, place, out);
                }
                Some("user" | "tool" | "environment" | "exit") => {
                    let call = text(message, "tool_call_id");
                    let turn = Self::turn(Role::Tool, place);
                    self.talk.answer(&turn, call, None, content, out);
                }
                _ => skip(out, reason::META),
            }
        }
    }

    fn model(
        &mut self,
        message: &Map<String, Value>,
        content: &Value,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let turn = Self::turn(Role::Assistant, place);
        let before = out.len();
        if content::flat(content).words {
            self.talk.message(&turn, content, out);
        }
        for call in rows(message, "tool_calls") {
            let function = call
                .get("function")
                .and_then(Value::as_object)
                .unwrap_or(call);
            let name = text(function, "name").unwrap_or("tool");
            let input = function.get("arguments").unwrap_or(&Value::Null);
            self.talk.call(&turn, text(call, "id"), name, input, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn step(&mut self, step: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let turn = Self::turn(Role::Assistant, place);
        let field = |key: &str| text(step, key).map(str::trim).unwrap_or_default();
        let before = out.len();
        let thought = match field("thought") {
            "" => field("response"),
            thought => thought,
        };
        if !thought.is_empty() {
            self.talk.give(&turn, Kind::Text, thought, out);
        }
        if !field("action").is_empty() {
            let input = serde_json::json!({ "command": field("action") });
            self.talk.call(&turn, None, SHELL, &input, out);
        }
        if !field("observation").is_empty() {
            let seen = Value::String(field("observation").to_owned());
            let turn = Self::turn(Role::Tool, place);
            self.talk.answer(&turn, None, Some(SHELL), &seen, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

//! GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, one event a line with its
//! type, its data, an id and a time.

use std::collections::HashSet;
use std::path::Path;

use memory::{Kind, Role};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::conversation::{Conversation, Objects, Turn, rows, skip, text};
use super::{FileContext, Format, Head, Outcome, Parser, Place, digest, reason};

/// See the module.
pub struct Copilot;

/// Beginnings of types that only this program writes.
const KINDS: [&str; 8] = [
    "session.",
    "user.message",
    "assistant.",
    "tool.execution_",
    "subagent.",
    "hook.",
    "skill.",
    "system.",
];

impl Format for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let event = |object: &Map<String, Value>| {
            let kind = text(object, "type").unwrap_or_default();
            object.get("data").is_some_and(Value::is_object)
                && ["id", "timestamp", "parentId"]
                    .iter()
                    .all(|key| object.contains_key(*key))
                && (KINDS.iter().any(|known| kind.starts_with(known)) || kind == "abort")
        };
        if head.share(event) >= 0.5 { 95 } else { 0 }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        let stem = file.stem();
        let folder = file.path.parent().and_then(Path::file_name);
        let session = match folder {
            Some(folder) if stem == "events" => folder.to_string_lossy().into_owned(),
            _ => stem,
        };
        Box::new(Events {
            talk: Conversation::new("copilot", Some(session), file),
            thoughts: HashSet::new(),
        })
    }
}

struct Events {
    talk: Conversation,
    /// Thoughts that were given: they stand in a message and in an event of their own.
    thoughts: HashSet<String>,
}

impl Objects for Events {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let at = self.talk.time(object, "timestamp", out);
        let nothing = Map::new();
        let data = object.get("data").and_then(Value::as_object);
        let data = data.unwrap_or(&nothing);
        let kind = text(object, "type").unwrap_or_default();
        if object.get("ephemeral") == Some(&Value::Bool(true)) || kind.ends_with("_delta") {
            return skip(out, "a piece of what follows whole");
        }
        let turn = |role| Turn {
            role,
            id: text(object, "id"),
            at,
            place,
            changes: false,
        };
        let said = text(data, "content").unwrap_or_default();
        let of_another = text(data, "parentToolCallId").or_else(|| text(object, "agentId"));
        self.talk.subagent = of_another.is_some();
        match kind {
            "session.start" | "session.resume" => {
                if let Some(session) = text(data, "sessionId") {
                    self.talk.session = Some(session.to_owned());
                }
                let folder = data.get("context").and_then(|context| context.get("cwd"));
                if let Some(folder) = folder.and_then(Value::as_str) {
                    folder.clone_into(&mut self.talk.org);
                }
                skip(out, "session metadata");
            }
            "session.compaction_complete" => {
                let summary = text(data, "summaryContent").unwrap_or_default();
                self.talk
                    .give(&turn(Role::System), Kind::Summary, summary, out);
            }
            _ if self.talk.leaves_out(out) => {}
            "user.message" => {
                // What a skill or another program says in the person's name.
                if text(data, "source").is_some_and(|source| source != "user") {
                    return skip(out, reason::INJECTED);
                }
                self.talk.give(&turn(Role::User), Kind::Text, said, out);
                let attached = data.get("attachments").and_then(Value::as_array);
                for _ in attached.into_iter().flatten() {
                    skip(out, "attachment");
                }
            }
            "assistant.message" => self.answered(&turn(Role::Assistant), data, said, out),
            "assistant.reasoning" => self.thought(&turn(Role::Assistant), said, out),
            "tool.execution_start" => {
                let id = text(data, "toolCallId");
                if id.is_some_and(|id| self.talk.knows_call(id)) {
                    return skip(out, reason::TWICE);
                }
                let name = text(data, "toolName").unwrap_or("tool");
                let input = data.get("arguments").unwrap_or(&Value::Null);
                self.talk.call(&turn(Role::Assistant), id, name, input, out);
            }
            "tool.execution_complete" => {
                let whole = |result: &Value| {
                    let inner = result.get("content").or_else(|| result.get("message"));
                    inner.unwrap_or(result).clone()
                };
                let result = data.get("result").filter(|result| !result.is_null());
                let result = result.or_else(|| data.get("error")).map(whole);
                let result = result.unwrap_or(Value::Null);
                let id = text(data, "toolCallId");
                self.talk.answer(&turn(Role::Tool), id, None, &result, out);
            }
            "system.message" | "skill.invoked" => skip(out, reason::INJECTED),
            "session.error" | "session.warning" | "session.info" => {
                skip(out, "notice of the program");
            }
            _ if KINDS.iter().any(|known| kind.starts_with(known)) || kind == "abort" => {
                skip(out, "session event");
            }
            kind => out.push(Outcome::Skip(unknown(kind))),
        }
    }
}

impl Events {
    fn answered(
        &mut self,
        turn: &Turn<'_>,
        data: &Map<String, Value>,
        said: &str,
        out: &mut Vec<Outcome>,
    ) {
        let before = out.len();
        if let Some(thought) = text(data, "reasoningText").filter(|it| !it.trim().is_empty()) {
            self.thought(turn, thought, out);
        }
        if !said.trim().is_empty() {
            self.talk.give(turn, Kind::Text, said, out);
        }
        for call in rows(data, "toolRequests") {
            let name = text(call, "name").unwrap_or("tool");
            let input = call.get("arguments").unwrap_or(&Value::Null);
            self.talk
                .call(turn, text(call, "toolCallId"), name, input, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    fn thought(&mut self, turn: &Turn<'_>, said: &str, out: &mut Vec<Outcome>) {
        if !said.trim().is_empty() && !self.thoughts.insert(digest(&[said])) {
            return skip(out, reason::TWICE);
        }
        self.talk.give(turn, Kind::Thinking, said, out);
    }
}

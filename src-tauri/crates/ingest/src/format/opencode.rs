//! OpenCode's storage: a file for each part of a message, `storage/part/<message>/<part>.json`.
//!
//! Whose words they are stands beside, in `storage/message/<session>/<message>.json`, and the
//! project in `storage/session/<project>/<session>.json`: both are looked up for every part. A part
//! is written again while it streams and while its tool runs, and the last writing counts.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memory::{Kind, Role};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::conversation::{Conversation, Objects, Turn, skip, text};
use super::{FileContext, Format, Framing, Head, Outcome, Parser, Place, reason};

/// See the module.
pub struct OpenCode;

/// What a part always has.
const KEYS: [&str; 4] = ["id", "sessionID", "messageID", "type"];
/// A message's or a session's own file is a few kilobytes long; summaries with differences more.
const LONGEST: u64 = 16 * 1024 * 1024;

impl Format for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        // What a tool put out may be longer than what is looked at; the name is enough then.
        let long = head.one().is_none() && head.is_one(&[]);
        match (head.is_one(&KEYS), self.keeps(path)) {
            (true, true) => 97,
            (true, false) => 85,
            (false, true) if long => 90,
            _ => 0,
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        let part = path
            .ancestors()
            .nth(2)
            .and_then(Path::file_name)
            .is_some_and(|name| name == "part");
        part && path.extension().is_some_and(|ending| ending == "json")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Part {
            storage: file.path.ancestors().nth(3).map(Path::to_path_buf),
            talk: Conversation::new("opencode", None, file),
        })
    }
}

struct Part {
    talk: Conversation,
    /// The folder in which parts, messages and sessions lie.
    storage: Option<PathBuf>,
}

impl Objects for Part {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let session = text(object, "sessionID").unwrap_or_default();
        self.talk.session = Some(session.to_owned());
        let message = self.message_of(session, text(object, "messageID").unwrap_or_default());
        self.enter(session, message.as_ref());
        if self.talk.leaves_out(out) {
            return;
        }
        let sent = message.as_ref().and_then(|message| message.get("time"));
        if let Some(sent) = sent.and_then(Value::as_object) {
            self.talk.time(sent, "created", out);
        }
        let role = message.as_ref().and_then(|message| text(message, "role"));
        let mut turn = Turn {
            role: match role {
                Some("user") => Role::User,
                Some("assistant") => Role::Assistant,
                _ => Role::System,
            },
            id: text(object, "id"),
            at: None,
            place,
            changes: true,
        };
        if let Some(time) = object.get("time").and_then(Value::as_object) {
            turn.at = self.talk.time(time, "start", out);
        }
        turn.at = turn.at.or(self.talk.last_time);
        let said = text(object, "text").unwrap_or_default();
        let is = |key: &str| object.get(key) == Some(&Value::Bool(true));
        match text(object, "type").unwrap_or_default() {
            "text" if is("synthetic") || is("ignored") => skip(out, reason::INJECTED),
            "text" => {
                if turn.role == Role::System {
                    out.push(Outcome::Note("whose words these are is not known"));
                }
                let summary = message
                    .as_ref()
                    .is_some_and(|message| message.get("summary") == Some(&Value::Bool(true)));
                let kind = if summary { Kind::Summary } else { Kind::Text };
                if summary {
                    turn.role = Role::System;
                }
                self.talk.give(&turn, kind, said, out);
            }
            "reasoning" => {
                turn.role = Role::Assistant;
                self.talk.give(&turn, Kind::Thinking, said, out);
            }
            "tool" => self.tool(&turn, object, out),
            "subtask" => {
                let name = text(object, "agent").unwrap_or("subtask");
                let input = serde_json::json!({
                    "prompt": object.get("prompt"), "description": object.get("description"),
                });
                self.talk.call(&turn, None, name, &input, out);
            }
            "file" => {
                let picture = text(object, "mime").is_some_and(|mime| mime.starts_with("image/"));
                skip(
                    out,
                    if picture {
                        reason::IMAGE
                    } else {
                        "a file that is only named"
                    },
                );
            }
            "step-start" | "step-finish" | "snapshot" | "patch" | "agent" | "retry"
            | "compaction" => skip(out, "session event"),
            kind => out.push(Outcome::Skip(unknown(kind))),
        }
    }
}

impl Part {
    fn tool(&mut self, turn: &Turn<'_>, object: &Map<String, Value>, out: &mut Vec<Outcome>) {
        let name = text(object, "tool").unwrap_or("tool");
        let id = text(object, "callID");
        let nothing = Map::new();
        let state = object.get("state").and_then(Value::as_object);
        let state = state.unwrap_or(&nothing);
        // Its arguments are still streaming.
        if text(state, "status") == Some("pending") {
            return skip(out, "not finished yet");
        }
        let time = state.get("time").and_then(Value::as_object);
        let mut turn = *turn;
        if let Some(time) = time {
            turn.at = self.talk.time(time, "start", out).or(turn.at);
        }
        let input = state.get("input").unwrap_or(&Value::Null);
        self.talk.call(&turn, id, name, input, out);
        let Some(answer) = state.get("output").or_else(|| state.get("error")) else {
            return;
        };
        if let Some(time) = time {
            turn.at = self.talk.time(time, "end", out).or(turn.at);
        }
        self.talk.answer(&turn, id, Some(name), answer, out);
    }

    fn message_of(&self, session: &str, message: &str) -> Option<Map<String, Value>> {
        let folder = self.storage.as_ref()?.join("message");
        read(
            &folder
                .join(plain(session)?)
                .join(format!("{}.json", plain(message)?)),
        )
    }

    /// The project of a session, and whether another session asked for it.
    fn enter(&mut self, session: &str, message: Option<&Map<String, Value>>) {
        let found = self.storage.as_ref().and_then(|storage| {
            let name = format!("{}.json", plain(session)?);
            let projects = std::fs::read_dir(storage.join("session")).ok()?;
            projects
                .flatten()
                .find_map(|project| read(&project.path().join(&name)))
        });
        let within = message.and_then(|message| message.get("path")?.get("cwd")?.as_str());
        let folder = found.as_ref().and_then(|found| text(found, "directory"));
        folder
            .or(within)
            .unwrap_or_default()
            .clone_into(&mut self.talk.org);
        self.talk.subagent = found.is_some_and(|found| found.contains_key("parentID"));
    }
}

/// A name that leads nowhere else.
fn plain(name: &str) -> Option<&str> {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!name.is_empty() && name.chars().all(safe)).then_some(name)
}

fn read(path: &Path) -> Option<Map<String, Value>> {
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(LONGEST)
        .read_to_end(&mut bytes)
        .ok()?;
    serde_json::from_slice(&bytes).ok()
}

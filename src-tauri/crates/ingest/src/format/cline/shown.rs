//! What the program showed: `ui_messages.json`.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use memory::{Kind, Millis, Role};
use serde_json::{Map, Value};

use super::Task;
use crate::format::conversation::{Turn, skip, text};
use crate::format::{Outcome, Place, reason};

/// Reason for what the other file of the task holds as it was.
const BESIDE: &str = "a tool's call or answer that the history beside it holds";

/// A longer file is not looked into for times.
const LONGEST: u64 = 32 * 1024 * 1024;

/// What was shown in a task, for reading what was sent.
#[derive(Default)]
pub(super) struct Shown {
    /// When each text was shown first.
    pub at: HashMap<String, Millis>,
    /// All of the file was read; it may be torn, since it is rewritten in place.
    pub whole: bool,
}

impl Shown {
    /// Of a file, if there is one.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LONGEST).read_to_end(&mut bytes))
            .ok()?;
        let mut shown = Self::default();
        let text_of = String::from_utf8_lossy(&bytes);
        let mut rest = text_of.trim_start().strip_prefix('[')?;
        loop {
            rest = rest.trim_start_matches([',', ' ', '\t', '\r', '\n']);
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let Some(Ok(Value::Object(message))) = values.next() else {
                shown.whole = rest.trim() == "]";
                return Some(shown);
            };
            rest = &rest[values.byte_offset()..];
            let at = message.get("ts").and_then(Value::as_i64);
            let words = text(&message, "text").unwrap_or_default().trim();
            if let Some(at) = at.filter(|_| !words.is_empty()) {
                shown.at.entry(words.to_owned()).or_insert(at);
            }
        }
    }
}

impl Task {
    pub(super) fn shown(
        &mut self,
        object: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let at = self.talk.time(object, "ts", out);
        if object.get("partial") == Some(&Value::Bool(true)) {
            return skip(out, "not finished yet");
        }
        let kind = text(object, "type").unwrap_or_default();
        let what = text(object, kind).unwrap_or_default();
        let words = text(object, "text").unwrap_or_default();
        let inner: Option<Value> = serde_json::from_str(words).ok().filter(Value::is_object);
        let field = |key: &str| inner.as_ref().and_then(|inner| inner.get(key)?.as_str());
        // Without names a message is known by its words: it has the same ones in the other file.
        let turn = |role| Turn {
            role,
            id: None,
            at,
            place,
            changes: false,
        };
        let pictures = object
            .get("images")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        for _ in 0..pictures {
            skip(out, reason::IMAGE);
        }
        let before = out.len();
        match (kind, what) {
            ("say", "task" | "user_feedback") => {
                self.talk.give(&turn(Role::User), Kind::Text, words, out);
            }
            // The first words are the person's, in versions that do not mark them.
            ("say", "text") if !self.begun => {
                self.talk.give(&turn(Role::User), Kind::Text, words, out);
            }
            ("say", "text" | "completion_result") => {
                self.talk
                    .give(&turn(Role::Assistant), Kind::Text, words, out);
            }
            ("ask", "followup" | "plan_mode_respond") => {
                let said = field("question").or(field("response")).unwrap_or(words);
                self.talk
                    .give(&turn(Role::Assistant), Kind::Text, said, out);
            }
            ("say", "reasoning") => {
                let said = if words.is_empty() {
                    text(object, "reasoning").unwrap_or_default()
                } else {
                    words
                };
                self.talk
                    .give(&turn(Role::Assistant), Kind::Thinking, said, out);
            }
            ("say", "condense_context") => {
                let summary = object
                    .get("contextCondense")
                    .and_then(|it| it.get("summary"));
                let said = summary.and_then(Value::as_str).unwrap_or_default();
                self.talk
                    .give(&turn(Role::System), Kind::Summary, said, out);
            }
            (
                _,
                "tool"
                | "command"
                | "use_mcp_server"
                | "browser_action_launch"
                | "browser_action"
                | "command_output"
                | "mcp_server_response"
                | "browser_action_result"
                | "subtask_result",
            ) if self.sent_beside => skip(out, BESIDE),
            (_, "command" | "browser_action_launch") => {
                let input = Value::String(words.to_owned());
                self.talk
                    .call(&turn(Role::Assistant), None, what, &input, out);
            }
            (_, "tool" | "use_mcp_server" | "browser_action") => {
                let name = field("tool").or(field("toolName")).or(field("action"));
                let input = inner.clone().unwrap_or_else(|| words.into());
                let name = name.unwrap_or(what).to_owned();
                self.talk
                    .call(&turn(Role::Assistant), None, &name, &input, out);
            }
            (
                _,
                "command_output"
                | "mcp_server_response"
                | "browser_action_result"
                | "subtask_result",
            ) => {
                let said = Value::String(words.to_owned());
                self.talk.answer(&turn(Role::Tool), None, None, &said, out);
            }
            (_, "error" | "diff_error" | "clineignore_error" | "rooignore_error") => {
                skip(out, "notice of the program");
            }
            ("say", "user_feedback_diff") => skip(out, "a person's change of a file"),
            _ => skip(out, "session event"),
        }
        self.begun |= out[before..]
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Memory(_)));
    }
}

//! What was sent to the model and came back: `api_conversation_history.json`.
//!
//! The program writes under the person's name: the person's words stand in tags, and around them
//! stand the state of the editor and the answers of tools, each under a line that names its tool.

use memory::{Kind, Role};
use serde_json::{Map, Value};

use super::Task;
use crate::format::content::{self, Part};
use crate::format::conversation::{Turn, skip, text};
use crate::format::tags::{block, inside, without_blocks};
use crate::format::{Outcome, Place, reason};

/// Tags around what a person wrote.
const PERSON: [&str; 4] = ["task", "user_message", "feedback", "answer"];
/// Tags around what the program adds.
const PROGRAM: [&str; 8] = [
    "environment_details",
    "explicit_instructions",
    "file_content",
    "folder_content",
    "url_content",
    "workspace_diagnostics",
    "notice",
    "system-reminder",
];
/// Tools that older versions call by tags in the text.
const TOOLS: [&str; 23] = [
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "ask_followup_question",
    "attempt_completion",
    "plan_mode_respond",
    "load_mcp_documentation",
    "new_task",
    "condense",
    "switch_mode",
    "fetch_instructions",
    "codebase_search",
    "update_todo_list",
];

impl Task {
    pub(super) fn sent(
        &mut self,
        object: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        if self.talk.leaves_out(out) {
            return;
        }
        let at = self.talk.time(object, "ts", out);
        let is = |key: &str| object.get(key) == Some(&Value::Bool(true));
        let turn = |role| Turn {
            role,
            id: text(object, "id"),
            at,
            place,
            changes: false,
        };
        if is("isTruncationMarker") {
            return skip(out, reason::META);
        }
        if text(object, "type") == Some("reasoning") {
            let said = text(object, "text").unwrap_or_default();
            return match said.trim() {
                "" => skip(out, reason::ENCRYPTED),
                _ => self
                    .talk
                    .give(&turn(Role::Assistant), Kind::Thinking, said, out),
            };
        }
        let content = object.get("content").unwrap_or(&Value::Null);
        if is("isSummary") {
            let said = content::flat(content).counted(out);
            return self
                .talk
                .give(&turn(Role::System), Kind::Summary, &said, out);
        }
        let before = out.len();
        match text(object, "role") {
            Some("assistant") => self.model(&turn(Role::Assistant), content, out),
            Some("user") => self.person(&turn(Role::User), content, out),
            Some("tool") => self.talk.message(&turn(Role::Tool), content, out),
            _ => skip(out, reason::INJECTED),
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }

    /// Words, at the time at which they were shown where they carry none.
    fn say(&mut self, turn: &Turn<'_>, kind: Kind, said: &str, out: &mut Vec<Outcome>) {
        let shown = self.shown_beside.as_ref();
        let shown = shown.and_then(|shown| shown.at.get(said.trim()).copied());
        let at = turn.at.or(shown);
        self.talk.last_time = at.or(self.talk.last_time);
        self.talk.give(&Turn { at, ..*turn }, kind, said, out);
    }

    fn model(&mut self, turn: &Turn<'_>, content: &Value, out: &mut Vec<Outcome>) {
        for part in content::parts(content) {
            match part {
                // Put in the place of turns that were left out.
                Part::Text(words) if is_notice(words) => skip(out, reason::INJECTED),
                Part::Text(words) => self.written(turn, words, out),
                Part::Picture(_) => skip(out, reason::IMAGE),
                Part::Thinking(thought) => self.say(turn, Kind::Thinking, thought, out),
                Part::Call { id, name, input } => self.called(turn, id, name, input, out),
                Part::Answer { id, content } => self.talk.answer(turn, id, None, content, out),
                Part::Left(why) => skip(out, why),
            }
        }
    }

    /// A call; what says something to the person is said.
    fn called(
        &mut self,
        turn: &Turn<'_>,
        id: Option<&str>,
        name: &str,
        input: &Value,
        out: &mut Vec<Outcome>,
    ) {
        let key = match name {
            "attempt_completion" => "result",
            "ask_followup_question" => "question",
            "plan_mode_respond" => "response",
            _ => return self.talk.call(turn, id, name, input, out),
        };
        let said = input.get(key).and_then(Value::as_str).unwrap_or_default();
        self.say(turn, Kind::Text, said, out);
    }

    /// A model's text, in which calls may stand as tags.
    fn written(&mut self, turn: &Turn<'_>, words: &str, out: &mut Vec<Outcome>) {
        let mut said = String::new();
        let mut rest = words;
        while !rest.is_empty() {
            let at = rest.trim_start();
            let call = TOOLS
                .iter()
                .find_map(|name| Some((*name, block(at, name)?)));
            let thought = block(at, "thinking");
            let before = (call.is_some() || thought.is_some()).then(|| std::mem::take(&mut said));
            if let Some(before) = before.filter(|before| !before.trim().is_empty()) {
                self.say(turn, Kind::Text, before.trim(), out);
            }
            if let Some(thought) = thought {
                let inner = thought.inner.trim();
                self.say(turn, Kind::Thinking, inner, out);
                rest = thought.rest;
            } else if let Some((name, call)) = call {
                self.called(turn, None, name, &arguments(call.inner), out);
                rest = call.rest;
            } else {
                let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
                said.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
        let said = said.trim();
        if !said.is_empty() {
            self.say(turn, Kind::Text, said, out);
        }
    }

    fn person(&mut self, turn: &Turn<'_>, content: &Value, out: &mut Vec<Outcome>) {
        // The tool whose answer follows, in versions that write answers as text.
        let mut tool: Option<String> = None;
        let attached = |part: &Value| part.get("type").and_then(Value::as_str) == Some("file");
        let mut parts = content.clone();
        if let Value::Array(parts) = &mut parts {
            let all = parts.len();
            parts.retain(|part| !attached(part));
            for _ in parts.len()..all {
                skip(out, "attachment");
            }
        }
        for part in content::parts(&parts) {
            match part {
                Part::Text(words) => self.received(turn, words, &mut tool, out),
                Part::Answer { id, content } => {
                    // What a person said to a call stands inside its answer, or is all of it.
                    let answer = content::flat(content).text;
                    let found = ["feedback", "answer"].iter();
                    let said: Vec<&str> = found.filter_map(|tag| inside(&answer, tag)).collect();
                    let whole = ["feedback", "answer"].iter().any(|tag| {
                        block(&answer, tag).is_some_and(|found| found.rest.trim().is_empty())
                    });
                    if !whole {
                        self.talk.answer(turn, id, None, content, out);
                    }
                    for said in said {
                        self.typed(turn, said.trim(), true, out);
                    }
                }
                Part::Picture(_) => skip(out, reason::IMAGE),
                Part::Thinking(thought) => self.say(turn, Kind::Thinking, thought, out),
                Part::Call { id, name, input } => self.talk.call(turn, id, name, input, out),
                Part::Left(why) => skip(out, why),
            }
        }
    }

    /// One text under the person's name.
    fn received(
        &mut self,
        turn: &Turn<'_>,
        words: &str,
        tool: &mut Option<String>,
        out: &mut Vec<Outcome>,
    ) {
        let (kept, cut) = without_blocks(words, &PROGRAM);
        let kept = kept.trim();
        if kept.is_empty() {
            return skip(out, if cut { reason::INJECTED } else { reason::EMPTY });
        }
        let named = answered(kept);
        // Elsewhere such a tag is a person's own mention of it.
        let wraps = |tag: &&&str| {
            let opens = format!("<{tag}>");
            let closes = kept.ends_with(&format!("</{tag}>"));
            named.is_some()
                || kept.starts_with(&opens)
                || closes && kept.contains(&format!("\n{opens}\n"))
        };
        let marked = PERSON
            .iter()
            .filter(wraps)
            .find_map(|tag| inside(kept, tag));
        if let Some((name, answer)) = named {
            *tool = Some(name.to_owned());
            if !answer.is_empty() {
                self.tool_said(turn, tool.as_deref(), answer, out);
            }
            if let Some(said) = marked {
                self.typed(turn, said.trim(), true, out);
            } else if answer.is_empty() {
                skip(out, "a line that names a tool");
            }
        } else if let Some(said) = marked {
            self.typed(turn, said.trim(), true, out);
        } else if tool.is_some() {
            self.tool_said(turn, tool.as_deref(), kept, out);
        } else if self.begun && is_notice(kept) {
            skip(out, reason::INJECTED);
        } else {
            self.typed(turn, kept, false, out);
        }
    }

    /// Words under the person's name. Where what was shown lies beside, it has them as they were
    /// typed; what it does not have was put there by the program, or put in other words.
    /// Of a file that is torn just now, only words in a person's tags are believed.
    fn typed(&mut self, turn: &Turn<'_>, said: &str, marked: bool, out: &mut Vec<Outcome>) {
        self.begun = true;
        let others = self
            .shown_beside
            .as_ref()
            .is_some_and(|shown| !shown.at.contains_key(said) && (shown.whole || !marked));
        if others {
            return skip(out, "words that the person did not type so");
        }
        self.say(turn, Kind::Text, said, out);
    }

    fn tool_said(
        &mut self,
        turn: &Turn<'_>,
        tool: Option<&str>,
        said: &str,
        out: &mut Vec<Outcome>,
    ) {
        let said = Value::String(said.to_owned());
        self.talk.answer(turn, None, tool, &said, out);
    }
}

/// The tool and what follows of `[read_file for 'a.py'] Result:`.
fn answered(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.strip_prefix('[')?.split_once("] Result:")?;
    let name = head.split(' ').next()?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (!head.contains('\n') && !name.is_empty() && name.chars().all(plain))
        .then(|| (name, rest.trim()))
}

/// `[ERROR] …`, `[TASK RESUMPTION] …`, `[NOTE] …`
fn is_notice(text: &str) -> bool {
    if text.starts_with("(The user did not provide") {
        return true;
    }
    let head = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    head.is_some_and(|(head, _)| {
        head.len() > 2 && head.chars().all(|c| c.is_ascii_uppercase() || c == ' ')
    })
}

/// The arguments of a call in tags: `<path>a.py</path>`.
fn arguments(inner: &str) -> Value {
    let mut found = Map::new();
    let mut rest = inner.trim_start();
    while let Some(name) = rest
        .strip_prefix('<')
        .and_then(|tag| Some(&tag[..tag.find('>')?]))
    {
        let Some(argument) = block(rest, name) else {
            break;
        };
        found.insert(name.to_owned(), argument.inner.trim().into());
        rest = argument.rest.trim_start();
    }
    if found.is_empty() && !inner.trim().is_empty() {
        return inner.trim().into();
    }
    Value::Object(found)
}

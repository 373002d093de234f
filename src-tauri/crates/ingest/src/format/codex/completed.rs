//! Items that newer versions write when they are complete, in the place of response items or beside
//! them: reasoning, plans, and calls with their answers in one.

use memory::{Kind, Role};
use serde_json::{Map, Value, json};

use super::{At, Channel, Rollout, skip, text};
use crate::format::{Outcome, content, reason};

/// A call and what came of it.
pub(super) struct Call<'a> {
    pub id: Option<&'a str>,
    pub name: String,
    pub input: Value,
    pub answer: Option<Value>,
}

/// What an item of a tool says, when it is one.
pub(super) fn call<'a>(kind: &str, item: &'a Map<String, Value>) -> Option<Call<'a>> {
    let first = |keys: &[&str]| {
        let value = keys.iter().find_map(|key| item.get(*key))?;
        (!value.is_null()).then(|| value.clone())
    };
    let (name, input, answer) = match kind {
        "CommandExecution" | "commandExecution" | "command_execution" => (
            "shell".to_owned(),
            json!({"command": first(&["command"])}),
            first(&[
                "aggregated_output",
                "aggregatedOutput",
                "formatted_output",
                "stdout",
            ]),
        ),
        "McpToolCall" | "mcpToolCall" | "mcp_tool_call" => (
            text(item, "tool").unwrap_or("tool").to_owned(),
            first(&["arguments"]).unwrap_or_default(),
            first(&["result", "error"]).map(|answer| answer.get("Ok").cloned().unwrap_or(answer)),
        ),
        "FileChange" | "fileChange" | "file_change" => (
            "apply_patch".to_owned(),
            first(&["changes"]).unwrap_or_default(),
            first(&["stdout"]),
        ),
        "WebSearch" | "webSearch" | "web_search" => (
            "web_search".to_owned(),
            json!({"query": first(&["query"])}),
            None,
        ),
        _ => return None,
    };
    let id = text(item, "id").or_else(|| text(item, "call_id"));
    Some(Call {
        id,
        name,
        input,
        answer,
    })
}

/// Paths of the files that a patch changed, which say more than its first words.
fn paths(input: &Value) -> Option<String> {
    let paths: Vec<&str> = match input {
        Value::Object(changes) => changes.keys().map(String::as_str).collect(),
        Value::Array(changes) => changes
            .iter()
            .filter_map(|change| change.get("path")?.as_str())
            .collect(),
        _ => return None,
    };
    (!paths.is_empty()).then(|| paths.join(" "))
}

impl Rollout {
    /// Gives a thought or a plan, unless it stands in a response item as well.
    pub(super) fn considered(
        &mut self,
        kind: &str,
        item: &Map<String, Value>,
        at: At,
        out: &mut Vec<Outcome>,
    ) {
        let keys: &[&str] = match kind {
            "Plan" | "plan" => &["text", "content"],
            _ => &["raw_content", "content", "summary_text", "summary", "text"],
        };
        let said = keys
            .iter()
            .filter_map(|key| item.get(*key).map(content::flat))
            .find(|flat| flat.words)
            .unwrap_or_default()
            .text;
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        match kind {
            "Plan" | "plan" => self.say(Channel::Item, Role::Assistant, &[&said], at, out),
            _ if !self.said.is_news(Channel::Item, "thinking", &said) => skip(out, reason::TWICE),
            _ => self.give(at, Role::Assistant, Kind::Thinking, &said, out),
        }
    }

    /// Gives a call and its answer, unless they stand in response items as well.
    pub(super) fn called(&mut self, call: Call<'_>, at: At, out: &mut Vec<Outcome>) {
        if call.id.is_some_and(|id| self.tools.contains_key(id)) {
            return skip(out, reason::TWICE);
        }
        let id = call.id.unwrap_or_default();
        let input = paths(&call.input)
            .filter(|_| call.name == "apply_patch")
            .map_or_else(|| call.input.clone(), Value::String);
        self.give_call(
            Channel::Item,
            id,
            &call.name,
            &input,
            Some(call.input.to_string()),
            at,
            out,
        );
        if let Some(answer) = call.answer {
            let flat = content::answer(&answer);
            self.give_answer(Some(id), flat, at, out);
        }
        if !id.is_empty() {
            self.completed.insert(id.to_owned());
        }
    }
}

//! Calls to tools and their answers, in the record of a message or as records of their own.

use memory::{Kind, NewMemory, Role};
use serde_json::{Map, Value};

use super::keys::{PAYLOAD, TOOL, found, scalar};
use super::{Common, Records};
use crate::format::{Outcome, json, reason};

/// Whether a record is what stands among the parts of a message elsewhere: a call, its answer, a
/// thought.
pub(super) fn is_part(record: &Map<String, Value>) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| record.contains_key(*key));
    let kind = record.get("type").and_then(Value::as_str);
    match kind.filter(|_| !has(&["role"])) {
        Some("function_call" | "tool_use" | "tool_call") => {
            has(&["name", "function"]) && !has(&["content", "text"])
        }
        Some("function_call_output" | "tool_result") => {
            has(&["call_id", "tool_use_id", "tool_call_id"])
        }
        Some("reasoning") => has(&["summary"]),
        _ => false,
    }
}

/// Arguments that are a string as they stand, others as JSON.
fn as_written(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

impl Records {
    pub(super) fn tool(
        &mut self,
        memory: &mut NewMemory,
        record: &Map<String, Value>,
        around: &Map<String, Value>,
    ) {
        let call = record
            .get("tool_call_id")
            .and_then(Value::as_str)
            .and_then(|id| self.tools.get(id).cloned());
        let about_tools = matches!(memory.kind, Kind::ToolCall | Kind::ToolResult);
        let explicit = found(record, &TOOL[..4], |value| scalar(value).is_some());
        if !about_tools && explicit.is_none() {
            return;
        }
        memory.tool_name = call.or_else(|| self.value("tool", &TOOL, record, around));
        memory.tool_payload =
            found(record, &PAYLOAD, |value| !value.is_null()).map(|(key, value)| {
                self.mapping.entry("payload").or_insert(key);
                as_written(value)
            });
    }

    /// OpenAI's `tool_calls` of an assistant's message.
    pub(super) fn calls(
        &mut self,
        record: &Map<String, Value>,
        common: &Common,
        out: &mut Vec<Outcome>,
    ) {
        let calls = record.get("tool_calls").and_then(Value::as_array);
        let older = record.get("function_call").filter(|call| call.is_object());
        for call in calls.into_iter().flatten().chain(older) {
            let function = call.get("function").unwrap_or(call);
            let Some(name) = function.get("name").and_then(Value::as_str) else {
                out.push(Outcome::Skip(reason::PART.into()));
                continue;
            };
            let id = call.get("id").and_then(Value::as_str);
            if let Some(id) = id {
                self.tools.insert(id.to_owned(), name.to_owned());
            }
            let arguments = function.get("arguments").or_else(|| function.get("args"));
            let payload = arguments.map(as_written);
            let parsed = payload
                .as_deref()
                .and_then(|payload| serde_json::from_str::<Value>(payload).ok())
                .unwrap_or(Value::Null);
            let line = json::call_line(name, &parsed);
            let mut memory = self.draft(common, Role::Assistant, Kind::ToolCall, line);
            memory.tool_name = Some(name.to_owned());
            memory.tool_payload = payload;
            memory.source_key = self.key(&common.session, id, &memory, common.own);
            out.push(Outcome::Memory(Box::new(memory)));
        }
    }
}

//! Which key of a record means what, and what its words stand for.

use std::borrow::Cow;

use memory::{Kind, Role};
use serde_json::{Map, Value};

pub(super) const ROLE: [&str; 9] = [
    "role",
    "speaker",
    "author",
    "from",
    "sender",
    "actor",
    "source",
    "user_type",
    "type",
];
pub(super) const TEXT: [&str; 18] = [
    "content",
    "text",
    "message",
    "msg",
    "body",
    "value",
    "utterance",
    "parts",
    "mes",
    "page_content",
    "prompt",
    "output",
    "result",
    "tool_response",
    "tool_output",
    "summary",
    "log",
    "event",
];
pub(super) const TIME: [&str; 13] = [
    "timestamp",
    "ts",
    "time",
    "created_at",
    "createdAt",
    "create_time",
    "created",
    "datetime",
    "date",
    "@timestamp",
    "asctime",
    "sent_at",
    "updated_at",
];
pub(super) const ID: [&str; 6] = ["id", "uuid", "message_id", "messageId", "event_id", "_id"];
pub(super) const SESSION: [&str; 10] = [
    "session",
    "session_id",
    "sessionId",
    "conversation",
    "conversation_id",
    "conversationId",
    "thread",
    "thread_id",
    "chat_id",
    "run_id",
];
pub(super) const AGENT: [&str; 5] = ["agent", "agent_id", "agent_name", "assistant_name", "app"];
pub(super) const ORG: [&str; 6] = [
    "org",
    "org_id",
    "organization",
    "project",
    "workspace",
    "tenant",
];
pub(super) const TOOL: [&str; 5] = ["tool_name", "tool", "function_name", "toolName", "name"];
pub(super) const PAYLOAD: [&str; 6] = [
    "tool_payload",
    "tool_input",
    "arguments",
    "args",
    "input",
    "parameters",
];
pub(super) const LEVEL: [&str; 3] = ["level", "severity", "levelname"];
const KIND: [&str; 2] = ["kind", "type"];
/// Keys of a text that may mean something else: asked when a record says nothing under any other.
pub(super) const LAST: [(&str, Option<Role>); 16] = [
    ("note", None),
    ("memory", None),
    ("fact", None),
    ("observation", None),
    ("description", None),
    ("instruction", Some(Role::User)),
    ("question", Some(Role::User)),
    ("query", Some(Role::User)),
    ("input", Some(Role::User)),
    ("request", Some(Role::User)),
    ("answer", Some(Role::Assistant)),
    ("response", Some(Role::Assistant)),
    ("completion", Some(Role::Assistant)),
    ("reply", Some(Role::Assistant)),
    ("action", Some(Role::Assistant)),
    ("title", None),
];
/// Keys of reasoning that stands beside what is said.
pub(super) const THOUGHT: [&str; 5] = [
    "reasoning_content",
    "reasoning",
    "thinking",
    "thought",
    "thoughts",
];

pub(super) fn is_text(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => parts
            .iter()
            .any(|part| part.is_string() || part.is_object() || part.is_array() && is_text(part)),
        Value::Object(object) => [
            "content", "text", "parts", "stdout", "stderr", "output", "result",
        ]
        .iter()
        .any(|key| object.get(*key).is_some_and(is_text)),
        _ => false,
    }
}

/// The first key of the list that is there and passes.
pub(super) fn found<'a>(
    object: &'a Map<String, Value>,
    keys: &[&'static str],
    test: impl Fn(&Value) -> bool,
) -> Option<(&'static str, &'a Value)> {
    keys.iter().find_map(|key| {
        object
            .get(*key)
            .filter(|value| test(value))
            .map(|value| (*key, value))
    })
}

/// A string or a number as text.
pub(super) fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) if !text.trim().is_empty() && text.len() <= 200 => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// The role that a word stands for.
pub(super) fn role_of(word: &str) -> Option<Role> {
    match word.to_ascii_lowercase().as_str() {
        "user" | "human" | "customer" | "client" | "person" | "prompter" => Some(Role::User),
        "assistant" | "ai" | "bot" | "agent" | "model" | "gpt" | "chatgpt" | "claude" | "llm" => {
            Some(Role::Assistant)
        }
        "system" | "developer" => Some(Role::System),
        "tool" | "function" | "tool_result" | "toolresult" | "observation" | "environment"
        | "ipython" => Some(Role::Tool),
        "memory" | "note" => Some(Role::Memory),
        _ => None,
    }
}

pub(super) fn kind_of(record: &Map<String, Value>, role: Role, log: bool) -> Kind {
    let named = KIND
        .iter()
        .filter_map(|key| record.get(*key).and_then(Value::as_str))
        .find_map(|word| match word {
            "fact" | "preference" | "memory" => Some(Kind::Fact),
            "thinking" | "reasoning" => Some(Kind::Thinking),
            "tool_call" | "tool_use" | "function_call" => Some(Kind::ToolCall),
            "tool_result" | "function_call_output" => Some(Kind::ToolResult),
            "summary" => Some(Kind::Summary),
            "event" => Some(Kind::Event),
            _ => None,
        });
    named.unwrap_or(match role {
        Role::Tool => Kind::ToolResult,
        _ if log => Kind::Event,
        _ => Kind::Text,
    })
}

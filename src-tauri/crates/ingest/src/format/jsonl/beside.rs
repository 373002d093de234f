//! What a record says besides its text: reasoning, and words under keys that nobody knows.

use serde_json::{Map, Value};

use super::keys::{LAST, TEXT, THOUGHT, is_text};
use super::turns;
use crate::format::content;

/// Keys whose words say something about the record.
const ABOUT: [&str; 20] = [
    "name",
    "title",
    "model",
    "path",
    "file",
    "filename",
    "cwd",
    "url",
    "uri",
    "user_agent",
    "userAgent",
    "logger",
    "thread",
    "version",
    "tags",
    "labels",
    "metadata",
    "meta",
    "additional_kwargs",
    "response_metadata",
];

/// The reasoning of a record.
pub(super) fn thought(record: &Map<String, Value>) -> Option<String> {
    let more = record.get("additional_kwargs").and_then(Value::as_object);
    let within = |object: &Map<String, Value>| {
        THOUGHT.iter().find_map(|key| {
            let flat = object
                .get(*key)
                .filter(|said| is_text(said))
                .map(content::flat)?;
            flat.words.then_some(flat.text)
        })
    };
    within(record).or_else(|| within(more?))
}

/// How many texts of more than one word a record has under keys that nobody asked for. `said` is what
/// was taken from it.
pub(super) fn others(record: &Map<String, Value>, said: &[&str]) -> usize {
    let asked = |key: &str| {
        TEXT.contains(&key)
            || THOUGHT.contains(&key)
            || ABOUT.contains(&key)
            || turns::is_key(key)
            || super::PAYLOAD.contains(&key)
            || super::TIME.contains(&key)
            || super::ROLE.contains(&key)
            || super::SESSION.contains(&key)
            || super::AGENT.contains(&key)
            || super::ORG.contains(&key)
            || super::TOOL.contains(&key)
            || key == "tool_calls"
            || key == "function_call"
    };
    record
        .iter()
        .filter(|(key, value)| !asked(key) && is_text(value))
        .filter(|(_, value)| {
            let text = content::flat(value).text;
            let text = text.trim();
            text.contains(char::is_whitespace) && !said.iter().any(|said| said.contains(text))
        })
        .count()
}

/// The text of a record that has none under the usual keys, with its key and who says such.
pub(super) fn last(
    record: &Map<String, Value>,
) -> Option<(&'static str, String, Option<memory::Role>)> {
    LAST.iter().find_map(|(key, role)| {
        let value = record.get(*key).filter(|value| is_text(value))?;
        let flat = content::flat(value);
        flat.words.then_some((*key, flat.text, *role))
    })
}

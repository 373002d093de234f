//! What a content value holds: a string, or parts of many kinds, nested as programs please.

use serde_json::Value;

use super::json::call_line;
use super::{Outcome, reason};

/// One part.
#[derive(Debug, PartialEq)]
pub(crate) enum Part<'a> {
    /// Words.
    Text(&'a str),
    /// What stands for a picture.
    Picture(String),
    /// Reasoning.
    Thinking(&'a str),
    /// A call to a tool.
    Call {
        /// Its id, for its answer.
        id: Option<&'a str>,
        /// The tool.
        name: &'a str,
        /// The arguments.
        input: &'a Value,
    },
    /// A tool's answer.
    Answer {
        /// Id of the call.
        id: Option<&'a str>,
        /// Its content.
        content: &'a Value,
    },
    /// Left out, and why.
    Left(&'static str),
}

/// The parts of a content value, in order, nested lists flattened.
pub(crate) fn parts(value: &Value) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'a>(value: &'a Value, found: &mut Vec<Part<'a>>) {
    let object = match value {
        Value::String(text) => return found.push(Part::Text(text)),
        Value::Array(items) => return items.iter().for_each(|item| collect(item, found)),
        Value::Object(object) => object,
        Value::Null => return,
        Value::Bool(_) | Value::Number(_) => return found.push(Part::Left(reason::PART)),
    };
    let text = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| object.get(*key).and_then(Value::as_str))
    };
    let under = |keys: &[&str]| keys.iter().find_map(|key| object.get(*key));
    let kind = text(&["type", "content_type"]).unwrap_or_default();
    match kind {
        "thinking" | "reasoning" | "thought" => match text(&["thinking", "text", "reasoning"]) {
            Some(thought) if !thought.trim().is_empty() => found.push(Part::Thinking(thought)),
            _ => found.push(Part::Left(reason::ENCRYPTED)),
        },
        "redacted_thinking" => found.push(Part::Left(reason::ENCRYPTED)),
        "tool_use" | "server_tool_use" | "tool_call" | "toolCall" | "tool-call"
        | "function_call" => {
            let function = object.get("function");
            let inner = |key: &str| function.and_then(|function| function.get(key));
            found.push(Part::Call {
                id: text(&["id", "call_id", "tool_call_id", "toolCallId"]),
                name: text(&["name", "tool_name", "toolName"])
                    .or_else(|| inner("name")?.as_str())
                    .unwrap_or("tool"),
                input: under(&["input", "arguments", "args"])
                    .or_else(|| inner("arguments"))
                    .unwrap_or(&Value::Null),
            });
        }
        "tool_result" | "tool-result" | "toolResult" | "function_call_output" | "tool_return" => {
            found.push(Part::Answer {
                id: text(&["tool_use_id", "call_id", "tool_call_id", "toolCallId"]),
                content: under(&["content", "output", "result", "text"]).map_or(
                    &Value::Null,
                    // Some say of what type their answer is, and have it as the value.
                    |said| said.get("type").and(said.get("value")).unwrap_or(said),
                ),
            });
        }
        kind if kind.contains("image") => {
            let source = object.get("source").unwrap_or(value);
            found.push(Part::Picture(picture(Some(source))));
        }
        _ if object.contains_key("inlineData") => {
            found.push(Part::Picture(picture(object.get("inlineData"))));
        }
        _ => match under(&["text", "content", "parts"]) {
            Some(inner) => collect(inner, found),
            None => found.push(Part::Left(reason::PART)),
        },
    }
}

/// All text of a content value, and what of it is none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Flat {
    /// The parts with text, joined by line ends; pictures are named.
    pub text: String,
    /// There was a picture.
    pub pictures: bool,
    /// Whether there is anything but pictures in the text.
    pub words: bool,
    /// Why parts were left out, each.
    pub left: Vec<&'static str>,
}

impl Flat {
    /// Counts what was left out, and gives the text.
    pub(crate) fn counted(self, out: &mut Vec<Outcome>) -> String {
        let skips = self.left.into_iter().map(|why| Outcome::Skip(why.into()));
        out.extend(skips);
        self.text
    }
}

/// Everything of a content value as one text.
pub(crate) fn flat(value: &Value) -> Flat {
    let mut flat = Flat::default();
    let mut texts: Vec<String> = Vec::new();
    for part in parts(value) {
        match part {
            Part::Picture(name) => {
                flat.pictures = true;
                texts.push(name);
                continue;
            }
            Part::Left(reason) => {
                flat.left.push(reason);
                continue;
            }
            Part::Text(text) | Part::Thinking(text) => texts.push(text.to_owned()),
            Part::Call { name, input, .. } => texts.push(call_line(name, input)),
            Part::Answer { content, .. } => {
                let answer = self::flat(content);
                flat.pictures |= answer.pictures;
                flat.left.extend(answer.left);
                texts.push(answer.text);
            }
        }
        flat.words |= texts.last().is_some_and(|text| !text.trim().is_empty());
    }
    flat.text = texts.join("\n");
    flat
}

/// What stands for a picture: `[image image/png, 12345 bytes]`.
fn picture(source: Option<&Value>) -> String {
    let text = |key: &str| {
        source
            .and_then(|source| source.get(key))
            .and_then(Value::as_str)
    };
    let mime = text("media_type")
        .or(text("mimeType"))
        .unwrap_or("of unknown type");
    let size = text("data").map_or_else(String::new, |data| {
        match data
            .strip_prefix("[encoded data, ")
            .and_then(|data| data.split_once(' '))
        {
            Some((bytes, _)) => format!(", {bytes} bytes"),
            None => format!(", {} bytes", data.len() / 4 * 3),
        }
    });
    format!("[image {mime}{size}]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_parts_are_read_and_the_rest_is_counted() {
        let value = json!([
            "bare",
            {"type": "text", "text": "said"},
            {"type": "tool_result", "content": [{"type": "text", "text": "seven"}]},
            {"type": "tool-result", "toolCallId": "c", "output": {"type": "text", "value": "eight"}},
            {"type": "thinking", "thinking": "why"},
            {"type": "tool_use", "name": "ls", "input": {"path": "a"}},
            {"type": "of-tomorrow", "blob": 1},
            {"type": "image_url"},
            7
        ]);
        let flat = flat(&value);
        assert_eq!(
            flat.text,
            "bare\nsaid\nseven\neight\nwhy\nls: a\n[image of unknown type]"
        );
        assert_eq!(flat.left, [reason::PART, reason::PART]);
        assert!(flat.pictures && flat.words);
        let pictures = super::flat(
            &json!([{"type": "image", "source": {"media_type": "image/png", "data": "QUJD"}}]),
        );
        assert_eq!(pictures.text, "[image image/png, 3 bytes]");
        assert!(!pictures.words);
    }
}

//! What a content value holds: a string, or parts of many kinds, nested as programs please.

use serde_json::{Map, Value};

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

/// What some programs wrap a part in instead of naming its kind, and the kind it is.
const WRAPPED: [(&str, &str); 7] = [
    ("functionCall", "tool_use"),
    ("toolUse", "tool_use"),
    ("functionResponse", "tool_result"),
    ("toolResult", "tool_result"),
    ("reasoningContent", "reasoning"),
    ("reasoningText", "reasoning"),
    ("inlineData", "image"),
];

/// What a command has printed.
const PRINTED: [&str; 5] = ["stdout", "stderr", "output", "result", "error"];

/// The text under the first of these keys that has one.
fn first_text<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter()
        .find_map(|key| object.get(*key).and_then(Value::as_str))
}

fn collect<'a>(value: &'a Value, found: &mut Vec<Part<'a>>) {
    let object = match value {
        Value::String(text) => return found.push(Part::Text(text)),
        Value::Array(items) => return items.iter().for_each(|item| collect(item, found)),
        Value::Object(object) => object,
        Value::Null => return,
        Value::Bool(_) | Value::Number(_) => return found.push(Part::Left(reason::PART)),
    };
    let kind = first_text(object, &["type", "content_type"]).unwrap_or_default();
    let wrapped = WRAPPED
        .iter()
        .find_map(|(key, kind)| Some((*kind, object.get(*key)?.as_object()?)));
    match wrapped {
        Some((kind, inner)) if !object.contains_key("type") => of_kind(kind, inner, found),
        _ if object.get("thought").and_then(Value::as_bool) == Some(true) => {
            of_kind("thinking", object, found);
        }
        _ => of_kind(kind, object, found),
    }
}

fn of_kind<'a>(kind: &str, object: &'a Map<String, Value>, found: &mut Vec<Part<'a>>) {
    let text = |keys: &[&str]| first_text(object, keys);
    let under = |keys: &[&str]| keys.iter().find_map(|key| object.get(*key));
    match kind {
        "thinking" | "reasoning" | "thought" => thoughts(object, found),
        "redacted_thinking" => found.push(Part::Left(reason::ENCRYPTED)),
        "tool_use" | "server_tool_use" | "mcp_tool_use" | "tool_call" | "toolCall"
        | "tool-call" | "function_call" => {
            let function = object.get("function");
            let inner = |key: &str| function.and_then(|function| function.get(key));
            found.push(Part::Call {
                id: text(&["call_id", "id", "tool_call_id", "toolCallId", "toolUseId"]),
                name: text(&["name", "tool_name", "toolName"])
                    .or_else(|| inner("name")?.as_str())
                    .unwrap_or("tool"),
                input: under(&["input", "arguments", "args"])
                    .or_else(|| inner("arguments"))
                    .unwrap_or(&Value::Null),
            });
        }
        "toolResult" | "function_call_output" | "tool_return" | "tool-result" => {
            found.push(answer_of(object));
        }
        kind if kind.ends_with("tool_result") => found.push(answer_of(object)),
        kind if kind.contains("image") => {
            found.push(Part::Picture(picture(object.get("source"), object)));
            let words = ["caption", "alt", "alt_text"].iter();
            found.extend(words.filter_map(|key| object.get(*key)?.as_str().map(Part::Text)));
        }
        "document" if object.get("source").is_some_and(says) => {
            collect_of(&object["source"], &["data", "content"], found);
        }
        _ => {
            if let Some(inner) = under(&["text", "content", "parts", "refusal", "transcript"]) {
                return collect(inner, found);
            }
            let before = found.len();
            for printed in PRINTED.iter().filter_map(|key| object.get(*key)) {
                if printed.is_string() || printed.is_array() || printed.is_object() {
                    collect(printed, found);
                }
            }
            // What a search found is known by its title at least.
            if found.len() == before && kind.ends_with("_result") {
                found.extend(text(&["title"]).map(Part::Text));
            }
            if found.len() == before {
                found.push(Part::Left(reason::PART));
            }
        }
    }
}

/// Whether a document is given as its text.
fn says(source: &Value) -> bool {
    source.get("type").and_then(Value::as_str) == Some("text") || source.get("content").is_some()
}

fn collect_of<'a>(value: &'a Value, keys: &[&str], found: &mut Vec<Part<'a>>) {
    match keys.iter().find_map(|key| value.get(*key)) {
        Some(inner) => collect(inner, found),
        None => found.push(Part::Left(reason::PART)),
    }
}

fn thoughts<'a>(object: &'a Map<String, Value>, found: &mut Vec<Part<'a>>) {
    const KEYS: [&str; 6] = [
        "thinking",
        "text",
        "reasoning",
        "reasoningText",
        "content",
        "summary",
    ];
    let before = found.len();
    for value in KEYS.iter().filter_map(|key| object.get(*key)) {
        let mut inner = Vec::new();
        collect(value, &mut inner);
        found.extend(inner.into_iter().filter_map(|part| match part {
            Part::Text(thought) | Part::Thinking(thought) if !thought.trim().is_empty() => {
                Some(Part::Thinking(thought))
            }
            _ => None,
        }));
        if found.len() > before {
            return;
        }
    }
    found.push(Part::Left(reason::ENCRYPTED));
}

fn answer_of(object: &Map<String, Value>) -> Part<'_> {
    let content = ["content", "output", "result", "response", "text"]
        .iter()
        .find_map(|key| object.get(*key));
    Part::Answer {
        id: first_text(
            object,
            &[
                "tool_use_id",
                "call_id",
                "tool_call_id",
                "toolCallId",
                "toolUseId",
            ],
        ),
        content: content.map_or(
            &Value::Null,
            // Some say of what type their answer is, and have it as the value.
            |said| said.get("type").and(said.get("value")).unwrap_or(said),
        ),
    }
}

/// What a tool answered: its text, what it printed, or else its answer as it stands.
pub(crate) fn answer(content: &Value) -> Flat {
    let as_it_stands = |text: String| Flat {
        words: true,
        text,
        ..Flat::default()
    };
    match content {
        Value::Number(_) | Value::Bool(_) => as_it_stands(content.to_string()),
        Value::Object(object) if !object.is_empty() => {
            let flat = flat(content);
            let nothing = !flat.words && !flat.pictures;
            if nothing && !object.contains_key("type") && !names_output(object) {
                as_it_stands(content.to_string())
            } else {
                flat
            }
        }
        _ => flat(content),
    }
}

fn names_output(object: &Map<String, Value>) -> bool {
    PRINTED.iter().any(|key| object.contains_key(*key))
        || ["text", "content", "parts"]
            .iter()
            .any(|key| object.contains_key(*key))
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
                let answer = answer(content);
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
fn picture(source: Option<&Value>, part: &Map<String, Value>) -> String {
    let text = |key: &str| {
        let within = source.and_then(|source| source.get(key));
        within.or_else(|| part.get(key)).and_then(Value::as_str)
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

    #[test]
    fn parts_that_name_no_kind_and_words_beside_data_are_read() {
        for (value, text) in [
            (
                json!([{"functionCall": {"name": "ls", "args": {"path": "a"}}}]),
                "ls: a",
            ),
            (
                json!([{"toolUse": {"toolUseId": "1", "name": "ls", "input": {"path": "a"}}}]),
                "ls: a",
            ),
            (
                json!([{"toolResult": {"content": [{"text": "seven"}]}}]),
                "seven",
            ),
            (
                json!([{"functionResponse": {"name": "ls", "response": {"output": "seven"}}}]),
                "seven",
            ),
            (
                json!([{"reasoningContent": {"reasoningText": {"text": "why"}}}]),
                "why",
            ),
            (
                json!([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "why"}]}]),
                "why",
            ),
            (json!([{"type": "refusal", "refusal": "no"}]), "no"),
            (
                json!([{"type": "input_audio", "transcript": "heard"}]),
                "heard",
            ),
            (
                json!([{"type": "document", "source": {"type": "text", "data": "a page"}}]),
                "a page",
            ),
            (
                json!([{"type": "web_search_tool_result", "content": [{"type": "web_search_result", "title": "Hours"}]}]),
                "Hours",
            ),
            (
                json!([{"type": "image_url", "caption": "a crane"}]),
                "[image of unknown type]\na crane",
            ),
            (
                json!({"stdout": "out", "stderr": "err", "exit_code": 1}),
                "out\nerr",
            ),
            (json!([[{"type": "text", "text": "a"}], ["b"]]), "a\nb"),
        ] {
            let flat = flat(&value);
            assert_eq!((flat.text.as_str(), flat.left.len()), (text, 0), "{value}");
        }
        assert!(matches!(
            parts(&json!({"text": "why", "thought": true}))[..],
            [Part::Thinking("why")]
        ));
        for (answered, text) in [
            (json!({"temperature": 21}), r#"{"temperature":21}"#),
            (json!(7), "7"),
            (json!({"stdout": "", "stderr": ""}), "\n"),
            (json!([{"type": "text", "text": "a"}]), "a"),
        ] {
            assert_eq!(answer(&answered).text, text, "{answered}");
        }
    }
}

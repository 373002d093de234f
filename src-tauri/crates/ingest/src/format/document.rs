//! Files that are one JSON document rather than lines of JSON: a list of records, or one object
//! over many lines.

use serde_json::{Map, Value};

use super::json;

/// How much of the beginning is kept for looking at.
const OPENING: usize = 64 * 1024;
/// How many records of a list are read for recognising it.
const SAMPLED: usize = 5;

/// The beginning of a document.
#[derive(Debug, Default)]
pub struct Document {
    /// A list; otherwise one object.
    pub list: bool,
    /// The first 64 KiB of its text.
    pub opening: String,
    /// The first whole objects of a list.
    pub objects: Vec<Map<String, Value>>,
    /// The object that it is, where what is looked at holds all of it.
    pub one: Option<Map<String, Value>>,
}

impl Document {
    /// Of the beginning of a file; `None` when it is no document.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(['\u{feff}', '\0', ' ', '\t', '\r', '\n']);
        let list = match text.strip_prefix('[') {
            // A log may begin with a bracket too.
            Some(rest) if rest.trim_start().starts_with(['{', '[']) => true,
            Some(_) => return None,
            None => false,
        };
        if !list && !is_opened(text) {
            return None;
        }
        let end = (0..=OPENING.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        Some(Self {
            list,
            opening: text[..end].to_owned(),
            objects: if list {
                sample(json::shallow(text).as_deref().unwrap_or(text))
            } else {
                Vec::new()
            },
            one: (!list).then(|| serde_json::from_str(text).ok()).flatten(),
        })
    }

    /// Whether the beginning holds all of these as keys or words.
    pub fn holds(&self, words: &[&str]) -> bool {
        words.iter().all(|word| self.opening.contains(word))
    }

    /// Share of the sampled objects that pass, 0 when there are none.
    pub fn share(&self, test: impl Fn(&Map<String, Value>) -> bool) -> f64 {
        if self.objects.is_empty() {
            return 0.0;
        }
        self.objects.iter().filter(|object| test(object)).count() as f64 / self.objects.len() as f64
    }
}

/// Whether the first line opens an object without closing it, as printing over lines does.
fn is_opened(text: &str) -> bool {
    let Some((first, _)) = text.split_once('\n') else {
        return false;
    };
    let first = first.trim();
    first.starts_with('{')
        && first.ends_with(['{', '[', ','])
        && serde_json::from_str::<serde::de::IgnoredAny>(first).is_err()
}

fn sample(text: &str) -> Vec<Map<String, Value>> {
    let mut objects = Vec::new();
    let mut rest = text;
    while objects.len() < SAMPLED {
        rest = rest.trim_start_matches(['[', ',', ' ', '\t', '\r', '\n']);
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(Value::Object(object))) => objects.push(object),
            Some(Ok(_)) => {}
            _ => break,
        }
        rest = &rest[stream.byte_offset()..];
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_from_lines() {
        for (text, list) in [
            ("[{\"a\":1},{\"a\":2}]", Some(true)),
            ("[\n  {\n    \"a\": 1\n  }\n]\n", Some(true)),
            ("{\n  \"a\": 1\n}\n", Some(false)),
            ("{\"a\":1}\n{\"a\":2}\n", None),
            ("[2026-09-20 10:00:00] started\n", None),
            ("{\"a\":\"torn\nnext\n", None),
            ("{\"a\":1}", None),
        ] {
            let found = Document::of(text);
            assert_eq!(found.as_ref().map(|document| document.list), list, "{text}");
        }
        let list = Document::of("[{\"a\":1},{\"a\":2},{\"a\":").unwrap();
        assert_eq!(list.objects.len(), 2);
    }
}

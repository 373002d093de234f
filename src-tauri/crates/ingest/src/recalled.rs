//! Cuts out what the agent was merely reminded of: fenced blocks of recalled memory in a transcript.
//! Stored again, they would multiply with every session.
//!
//! A block is cut however it was written down: with attributes, escaped as HTML or JSON, in any
//! letter case, truncated at either end. The mention of a tag in a sentence is not a block: an
//! opening tag whose end is missing counts only at the beginning of a line, and so does a stray
//! closing tag.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let open = r"(?:<|&lt;|&#0*60;|&#x0*3c;|\\u003c|＜|‹)";
    let close = r"(?:>|&gt;|&#0*62;|&#x0*3e;|\\u003e|＞|›)";
    Regex::new(&format!(
        r"(?i){open}\s*(?P<end>/|&#x2f;|&#47;)?\s*memory-(?P<name>context|archive)(?:\s[^<>＜＞]{{0,300}}?|\s*/)?{close}"
    ))
    .ok()
});

struct Tag {
    start: usize,
    end: usize,
    closing: bool,
    context: bool,
}

/// The text without its blocks of recalled memory, borrowed when there are none. What stands before
/// a stray closing tag, or behind an opening one that is never closed, belongs to a block as well.
pub fn cut(text: &str) -> Cow<'_, str> {
    cut_with(text, |_| true)
}

/// The same for what somebody said: an unpaired tag is a mention, and the words around it stay,
/// unless the text begins with a block that was cut short.
pub fn cut_said(text: &str) -> Cow<'_, str> {
    cut_with(text, |tag| {
        let behind = text[tag.end..].trim_start();
        let begins = text[..tag.start].trim().is_empty();
        let block = ["<entry", "&lt;entry", "[System note", "[m"];
        !tag.closing && begins && block.iter().any(|mark| behind.starts_with(mark))
    })
}

fn cut_with(text: &str, cuts_unpaired: impl Fn(&Tag) -> bool) -> Cow<'_, str> {
    // Most texts hold neither word, and finding that out is cheap.
    if !mentions(text) {
        return Cow::Borrowed(text);
    }
    let Some(pattern) = TAG.as_ref() else {
        return Cow::Borrowed("");
    };
    let tags: Vec<Tag> = pattern
        .captures_iter(text)
        .filter_map(|found| {
            let whole = found.get(0)?;
            Some(Tag {
                start: whole.start(),
                end: whole.end(),
                closing: found.name("end").is_some(),
                context: found.name("name")?.as_str().eq_ignore_ascii_case("context"),
            })
        })
        .collect();
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    let mut index = 0;
    while let Some(tag) = tags.get(index) {
        index += 1;
        if tag.start < from {
            continue;
        }
        if tag.closing {
            // What stands before a stray closing tag was the block's content.
            if begins_line(text, tag.start) && cuts_unpaired(tag) {
                kept.clear();
                from = tag.end;
            }
            continue;
        }
        match closing_of(&tags[index - 1..]) {
            Some(end) => {
                kept.push_str(&text[from..tag.start]);
                from = end;
            }
            None if begins_line(text, tag.start) && cuts_unpaired(tag) => {
                kept.push_str(&text[from..tag.start]);
                from = text.len();
            }
            None => {}
        }
    }
    if from == 0 && kept.is_empty() {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Where the block that the first tag opens ends, nested blocks of the same name included.
fn closing_of(tags: &[Tag]) -> Option<usize> {
    let context = tags.first()?.context;
    let mut depth = 0_u32;
    let mut last = None;
    for tag in tags.iter().filter(|tag| tag.context == context) {
        if tag.closing {
            depth = depth.saturating_sub(1);
            last = Some(tag.end);
            if depth == 0 {
                break;
            }
        } else {
            depth += 1;
        }
    }
    last
}

fn begins_line(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    // `\n` may itself still be escaped.
    let line = line.rsplit("\\n").next().unwrap_or_default();
    line.chars()
        .all(|c| c.is_whitespace() || matches!(c, '>' | '"'))
}

fn mentions(text: &str) -> bool {
    contains_ignoring_case(text, b"memory-context")
        || contains_ignoring_case(text, b"memory-archive")
}

fn contains_ignoring_case(text: &str, needle: &[u8]) -> bool {
    let bytes = text.as_bytes();
    bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'-')
        .any(|(dash, _)| {
            let start = dash.checked_sub(6);
            start
                .and_then(|start| bytes.get(start..start + needle.len()))
                .is_some_and(|part| part.eq_ignore_ascii_case(needle))
        })
}

/// Cuts every string inside a JSON text, so that it stays valid.
pub(crate) fn cut_in_json(json: &str) -> Cow<'_, str> {
    if !mentions(json) {
        return Cow::Borrowed(json);
    }
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(json) else {
        return cut(json);
    };
    if cut_strings(&mut value) {
        Cow::Owned(value.to_string())
    } else {
        Cow::Borrowed(json)
    }
}

fn cut_strings(value: &mut serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => {
            let Cow::Owned(shorter) = cut(text) else {
                return false;
            };
            *text = shorter;
            true
        }
        // Every string must be visited, so the answers are counted rather than short-circuited.
        Value::Array(items) => {
            items
                .iter_mut()
                .filter_map(|item| cut_strings(item).then_some(()))
                .count()
                > 0
        }
        Value::Object(object) => {
            object
                .values_mut()
                .filter_map(|item| cut_strings(item).then_some(()))
                .count()
                > 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_go_and_the_rest_stays() {
        for (text, left) in [
            (
                "before <memory-context>old</memory-context> after",
                "before  after",
            ),
            (
                "<memory-context foo=\"1\">\nold\n</memory-context>\nFix it",
                "\nFix it",
            ),
            (
                "<memory-archive><entry id=\"m1\" score=0.87>old</entry></memory-archive>x",
                "x",
            ),
            ("&lt;memory-context&gt;old&lt;/memory-context&gt;x", "x"),
            (
                r"\u003cmemory-context\u003eold\u003c/memory-context\u003ex",
                "x",
            ),
            ("Fix it\n<memory-context>\nold, cut", "Fix it\n"),
            ("old, cut\n</memory-context>\nFix it", "\nFix it"),
            ("</MEMORY-CONTEXT >x", "x"),
            (
                "<memory-context>a<memory-context>b</memory-context>c</memory-context>d",
                "d",
            ),
            ("＜memory-context＞old＜/memory-context＞x", "x"),
        ] {
            assert_eq!(cut(text), left, "{text}");
            assert_eq!(cut(&cut(text)), left, "twice: {text}");
        }
    }

    #[test]
    fn a_mention_is_no_block() {
        for text in [
            "The `<memory-context>` tag is used for recall.",
            "a < b and <memory-contextual> stays",
            "memory-context",
            "",
        ] {
            assert!(
                matches!(cut(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }

    #[test]
    fn what_somebody_said_around_an_unpaired_tag_stays() {
        for text in [
            "an important question\n</memory-context>\nand the rest",
            "how do I write it?\n<memory-context>\nis what I typed",
            "<memory-context>\nis the tag that I mean",
        ] {
            assert_eq!(cut_said(text), text);
        }
        assert_eq!(
            cut_said("Fix it\n<memory-context>\nold\n</memory-context>"),
            "Fix it\n"
        );
        assert_eq!(cut_said("<memory-archive><entry id=\"m1\">cut short"), "");
    }

    #[test]
    fn json_stays_valid() {
        let json = r#"{"a":"<memory-context>\nold","b":["x"]}"#;
        let value: serde_json::Value = serde_json::from_str(&cut_in_json(json)).unwrap();
        assert_eq!(value, serde_json::json!({"a": "", "b": ["x"]}));
    }
}

//! JSON as agents really write it: torn lines, two records on one line, lone surrogates, pictures
//! of several megabytes inside a string.

use std::borrow::Cow;
use std::fmt::Write as _;

use jiff::tz::TimeZone;
use memory::Millis;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{Line, Outcome, reason};

/// A run of base64 or hex this long is data, not text.
const ENCODED_BYTES: usize = 4096;
/// How many places of a broken line are tried as the beginning of a whole record.
const RETRIES: usize = 64;

/// One record of a line.
#[derive(Debug)]
pub(crate) enum Record {
    Object(Map<String, Value>),
    /// Valid JSON of another kind.
    Other,
    /// Not valid.
    Torn,
}

/// The records of a line: one, several when a line end was lost, and whatever whole record follows
/// a torn one. The second part names the repairs that were needed.
pub(crate) fn records(line: &str) -> (Vec<Record>, Vec<&'static str>) {
    let line = line.trim();
    if line.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut repairs = Vec::new();
    let mut text = Cow::Borrowed(line);
    if line.len() >= ENCODED_BYTES
        && let Cow::Owned(shorter) = without_encoded_data(line)
    {
        text = Cow::Owned(shorter);
        repairs.push(reason::ENCODED);
    }
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        return (vec![record(value)], repairs);
    }
    if let Some(shallow) = shallow(&text) {
        text = Cow::Owned(shallow);
        repairs.push(reason::DEEP);
    }
    if let Some(repaired) = repair(&text) {
        text = Cow::Owned(repaired);
        repairs.push(reason::SURROGATE);
    }
    let mut found = Vec::new();
    let mut rest: &str = &text;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            let used = stream.byte_offset();
            // `12abc` is not the number 12 with something glued to it.
            if value.is_object() || rest[used..].trim_start().is_empty() {
                found.push(record(value));
                rest = &rest[used..];
                continue;
            }
        }
        found.push(Record::Torn);
        match whole_after_torn(rest) {
            Some(next) => rest = &rest[next..],
            None => break,
        }
    }
    (found, repairs)
}

/// The time under a key of a record. One that is there and not understood is noted.
pub(crate) fn stamp(
    object: &Map<String, Value>,
    key: &str,
    zone: &TimeZone,
    out: &mut Vec<Outcome>,
) -> Option<Millis> {
    let value = object.get(key)?;
    let time = crate::time::from_json(value, zone);
    let silent = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    if time.is_none() && !silent {
        out.push(Outcome::Note(reason::TIME));
    }
    time
}

/// The objects of a line; what else it holds is reported.
pub(crate) fn objects(line: &Line<'_>, out: &mut Vec<Outcome>) -> Vec<Map<String, Value>> {
    let (records, repairs) = records(line.text);
    out.extend(repairs.into_iter().map(Outcome::Note));
    let mut objects = Vec::with_capacity(records.len());
    for record in records {
        match record {
            Record::Object(object) => objects.push(object),
            Record::Other => out.push(Outcome::Malformed(line.place.line, reason::NOT_OBJECT)),
            Record::Torn => out.push(Outcome::Malformed(line.place.line, reason::NOT_JSON)),
        }
    }
    objects
}

fn record(value: Value) -> Record {
    match value {
        Value::Object(object) => Record::Object(object),
        _ => Record::Other,
    }
}

/// Where, behind a torn record, a whole one begins. An object inside the torn record is not taken
/// for one: a record begins with the same key as the torn one, or carries its own time or id.
fn whole_after_torn(torn: &str) -> Option<usize> {
    let first_key = |text: &str| -> Option<String> {
        let key = text.strip_prefix('{')?.trim_start().strip_prefix('"')?;
        Some(key[..key.find('"')?].to_owned())
    };
    let expected = first_key(torn);
    torn.match_indices("{\"")
        .map(|(index, _)| index)
        .filter(|index| *index > 0)
        .take(RETRIES)
        .find(|index| {
            let candidate = &torn[*index..];
            let mut stream = serde_json::Deserializer::from_str(candidate).into_iter::<Value>();
            let Some(Ok(Value::Object(object))) = stream.next() else {
                return false;
            };
            let rest = candidate[stream.byte_offset()..].trim_start();
            (rest.is_empty() || rest.starts_with('{'))
                && ((expected.is_some() && first_key(candidate) == expected)
                    || object.contains_key("timestamp")
                    || object.contains_key("uuid"))
        })
}

/// Whether the text is one whole JSON object, which nothing appended to it could change.
pub(crate) fn is_whole_object(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('{')
        && text.ends_with('}')
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Replaces what JSON forbids and logs contain: halves of surrogate pairs and raw control bytes.
/// `None` when there is nothing to repair.
fn repair(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let unit = |at: usize| -> Option<u16> {
        if bytes.get(at) != Some(&b'\\') || bytes.get(at + 1) != Some(&b'u') {
            return None;
        }
        u16::from_str_radix(line.get(at + 2..at + 6)?, 16).ok()
    };
    let mut repaired = String::with_capacity(line.len());
    let (mut kept, mut index) = (0, 0);
    while index < bytes.len() {
        match bytes[index] {
            b'\\' => match unit(index) {
                Some(0xd800..=0xdbff) => {
                    if matches!(unit(index + 6), Some(0xdc00..=0xdfff)) {
                        index += 12;
                    } else {
                        repaired.push_str(&line[kept..index]);
                        repaired.push_str("\\ufffd");
                        index += 6;
                        kept = index;
                    }
                }
                Some(0xdc00..=0xdfff) => {
                    repaired.push_str(&line[kept..index]);
                    repaired.push_str("\\ufffd");
                    index += 6;
                    kept = index;
                }
                _ => index += 2,
            },
            byte if byte < 0x20 && !byte.is_ascii_whitespace() => {
                repaired.push_str(&line[kept..index]);
                // Writing into a string cannot fail.
                let _ = write!(repaired, "\\u{byte:04x}");
                index += 1;
                kept = index;
            }
            _ => index += 1,
        }
    }
    if kept == 0 {
        return None;
    }
    repaired.push_str(&line[kept..]);
    Some(repaired)
}

/// Levels of a record that are read. No program writes more on purpose, and no parser should have to
/// go down as far as somebody cares to nest.
const DEEPEST: u32 = 100;

/// Puts `null` in the place of what is nested deeper than [`DEEPEST`], by counting brackets outside of
/// strings; `None` when nothing is.
pub(super) fn shallow(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut kept = String::new();
    let (mut from, mut depth, mut index) = (0, 0_u32, 0);
    let mut deep = false;
    while index < bytes.len() {
        match bytes[index] {
            b'"' => {
                index += 1;
                while index < bytes.len() && bytes[index] != b'"' {
                    index += if bytes[index] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth == DEEPEST + 1 {
                    kept.push_str(&text[from..index]);
                    kept.push_str("null");
                    deep = true;
                    from = bytes.len();
                }
            }
            b'}' | b']' => {
                if depth == DEEPEST + 1 {
                    from = index + 1;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        index += 1;
    }
    kept.push_str(&text[from..]);
    deep.then_some(kept)
}

/// Replaces every run of base64 longer than 4 KiB by its size and hash, in the raw line, so that a
/// picture of 60 MB is never copied, indexed or embedded.
fn without_encoded_data(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let encoded =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-');
    let mut out = String::new();
    let (mut kept, mut index) = (0, 0);
    while index < bytes.len() {
        // Steps of the whole length find every long run while looking at few bytes of short ones.
        let Some(probe) = bytes.get(index + ENCODED_BYTES - 1) else {
            break;
        };
        if !encoded(*probe) {
            index += ENCODED_BYTES;
            continue;
        }
        let middle = index + ENCODED_BYTES - 1;
        let start = bytes[index..middle]
            .iter()
            .rposition(|b| !encoded(*b))
            .map_or(index, |place| index + place + 1);
        let end = bytes[middle..]
            .iter()
            .position(|b| !encoded(*b))
            .map_or(bytes.len(), |place| middle + place);
        if end - start >= ENCODED_BYTES {
            let hash = hex::encode(&Sha256::digest(&bytes[start..end])[..8]);
            out.push_str(&line[kept..start]);
            let size = (end - start) / 4 * 3;
            let _ = write!(out, "[encoded data, {size} bytes, sha256 {hash}]");
            kept = end;
        }
        index = end;
    }
    if kept == 0 {
        return Cow::Borrowed(line);
    }
    out.push_str(&line[kept..]);
    Cow::Owned(out)
}

/// One line that says what a tool was asked to do: its name and its main argument. The whole
/// arguments are the payload.
pub(crate) fn call_line(name: &str, input: &Value) -> String {
    const MAIN: [&str; 14] = [
        "command",
        "cmd",
        "file_path",
        "path",
        "notebook_path",
        "pattern",
        "query",
        "url",
        "prompt",
        "description",
        "skill",
        "input",
        "action",
        "question",
    ];
    const LONGEST: usize = 2000;
    /// More arguments within arguments than any tool takes.
    const DEEPEST: u8 = 4;
    fn words(value: &Value, depth: u8) -> Option<Cow<'_, str>> {
        let depth = depth.checked_sub(1)?;
        match value {
            // Some give their arguments as JSON in a string.
            Value::String(text) if text.starts_with('{') => serde_json::from_str::<Value>(text)
                .ok()
                .and_then(|inner| Some(Cow::Owned(words(&inner, depth)?.into_owned())))
                .or(Some(text.into())),
            Value::String(text) => Some(text.into()),
            Value::Array(items) if items.iter().all(Value::is_string) && !items.is_empty() => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                Some(items.join(" ").into())
            }
            Value::Array(items) => items.iter().find_map(|item| words(item, depth)),
            Value::Object(object) => MAIN
                .iter()
                .find_map(|key| words(object.get(*key)?, depth))
                .or_else(|| object.values().find_map(Value::as_str).map(Cow::from))
                .or_else(|| object.values().find_map(|inner| words(inner, depth))),
            _ => None,
        }
    }
    let main = words(input, DEEPEST);
    match main
        .as_deref()
        .map(str::trim)
        .filter(|main| !main.is_empty())
    {
        Some(main) => {
            let end = main
                .char_indices()
                .nth(LONGEST)
                .map_or(main.len(), |(index, _)| index);
            format!("{name}: {}", &main[..end])
        }
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `text` of each whole record, `!` for a torn one.
    fn texts(line: &str) -> Vec<String> {
        records(line)
            .0
            .into_iter()
            .map(|record| match record {
                Record::Object(object) => object["text"].as_str().unwrap_or("?").to_owned(),
                Record::Other => "other".to_owned(),
                Record::Torn => "!".to_owned(),
            })
            .collect()
    }

    #[test]
    fn glued_and_torn_records_come_apart() {
        assert_eq!(texts(r#"{"text":"a"}{"text":"b"}"#), ["a", "b"]);
        assert_eq!(texts(r#"{"text":"to{"text":"whole"}"#), ["!", "whole"]);
        assert_eq!(
            texts(r#"{"text":"a"} {"text":"to{"text":"b"}{"text":"c"}"#),
            ["a", "!", "b", "c"]
        );
        assert_eq!(texts(r#"{"text":"spl"#), ["!"]);
        assert_eq!(texts("  "), Vec::<String>::new());
        assert_eq!(texts("[1]"), ["other"]);
        assert_eq!(texts("12abc"), ["!"]);
    }

    #[test]
    fn a_call_is_known_by_its_main_argument() {
        use serde_json::json;
        for (input, line) in [
            (json!({"command": ["ls", "-la"]}), "t: ls -la"),
            (json!({"type": "exec", "command": ["ls"]}), "t: ls"),
            (json!("{\"path\":\"a\"}"), "t: a"),
            (json!("{not json"), "t: {not json"),
            (
                json!({"questions": [{"question": "which bay?"}]}),
                "t: which bay?",
            ),
            (json!({"n": 1}), "t"),
            (Value::Null, "t"),
        ] {
            assert_eq!(call_line("t", &input), line);
        }
    }

    #[test]
    fn an_object_inside_a_torn_record_is_no_record() {
        assert_eq!(
            texts(r#"{"type":"user","message":{"role":"user","text":"inner"}"#),
            ["!"]
        );
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced_and_pairs_kept() {
        assert_eq!(texts(r#"{"text":"x \ud83d y"}"#), ["x \u{fffd} y"]);
        assert_eq!(
            texts(r#"{"text":"\ude00 \ud83d\ude00"}"#),
            ["\u{fffd} \u{1f600}"]
        );
        assert_eq!(texts(r#"{"text":"\\ud83d"}"#), ["\\ud83d"]);
        assert_eq!(texts("{\"text\":\"a\u{1}b\"}"), ["a\u{1}b"]);
    }

    #[test]
    fn what_is_nested_too_deep_is_left_aside_and_the_rest_is_read() {
        for depth in [200, 100_000] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"}\":", "}]")] {
                let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let line = format!(r#"{{"x":{deep},"text":"a"}}{{"text":"b"}}"#);
                assert_eq!(texts(&line), ["a", "b"]);
                assert_eq!(records(&line).1, [reason::DEEP]);
                assert_eq!(texts(&format!(r#"{{"text":"a","x":{deep}"#)), ["!"]);
                assert_eq!(texts(&open.repeat(depth)), ["!"]);
            }
        }
        let fine = format!(r#"{{"text":"a","x":{}{}}}"#, "[".repeat(99), "]".repeat(99));
        assert_eq!(texts(&fine), ["a"]);
        assert!(records(&fine).1.is_empty());
    }

    #[test]
    fn long_encoded_data_becomes_its_size() {
        for length in [4096, 5000, 70_000] {
            for lead in [0, 1, 4000, 4095, 9000] {
                let lead = "a b ".repeat(lead / 4 + 1);
                let data = "QUJD".repeat(length / 4);
                let (found, repairs) = records(&format!(r#"{{"text":"{lead}<{data}> end"}}"#));
                let Some(Record::Object(object)) = found.first() else {
                    panic!("a record")
                };
                let text = object["text"].as_str().unwrap();
                assert!(
                    text.starts_with(&format!("{lead}<[encoded data, ")),
                    "{length}"
                );
                assert!(text.ends_with("]> end"));
                assert_eq!(repairs, [reason::ENCODED]);
            }
        }
        let short = format!(
            r#"{{"text":"{} x {}"}}"#,
            "A".repeat(4000),
            "B".repeat(4000)
        );
        assert!(records(&short).1.is_empty());
    }
}

//! Reads a plaintext document store: JSON Lines, a document or a piece of one on each line.
//!
//! A line is an object with an id and a text, under the names that such stores give them. Lines with
//! a piece number and the same id are pieces of one document and are joined in the order of their
//! numbers; without a number, a later line with the same id takes the place of an earlier one, and a
//! whole document that of its pieces. A line in whose place another one stands is named as refused.
//! Vectors and other fields are left aside.

use std::collections::BTreeMap;

use memory::NewDocument;
use serde_json::Value;

/// Characters of an id; longer ones are texts.
pub(crate) const LONGEST_ID: usize = 300;

const ID: [&str; 6] = ["document_id", "doc_id", "id", "_id", "key", "path"];
const TEXT: [&str; 5] = ["text", "content", "body", "page_content", "document"];
const TITLE: [&str; 3] = ["title", "name", "heading"];
const PIECE: [&str; 5] = ["chunk_index", "chunk", "ordinal", "index", "seq"];

const LATER: &str = "a later line of the same id takes its place";
const WHOLE: &str = "a piece of a document that is there as a whole";

/// A line that was not taken: its number, from 1, and why.
pub(crate) type Refused = (usize, &'static str);

struct Gathered {
    title: String,
    whole: Option<(usize, String)>,
    pieces: BTreeMap<u64, (usize, String)>,
}

/// The documents in the order of their first line, and the lines that were refused.
pub(crate) fn read(bytes: &[u8]) -> (Vec<NewDocument>, Vec<Refused>) {
    let mut order: Vec<String> = Vec::new();
    let mut found: BTreeMap<String, Gathered> = BTreeMap::new();
    let mut refused = Vec::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match record(line) {
            Err(reason) => refused.push((number, reason)),
            Ok(record) => {
                let document = found.entry(record.id.clone()).or_insert_with(|| {
                    order.push(record.id);
                    Gathered {
                        title: String::new(),
                        whole: None,
                        pieces: BTreeMap::new(),
                    }
                });
                if !record.title.is_empty() {
                    document.title = record.title;
                }
                let line = (number, record.text);
                let before = match record.piece {
                    Some(piece) => document.pieces.insert(piece, line),
                    None => document.whole.replace(line),
                };
                refused.extend(before.map(|(number, _)| (number, LATER)));
            }
        }
    }
    let documents = order
        .into_iter()
        .filter_map(|id| {
            let document = found.remove(&id)?;
            let pieces = document.pieces.into_values();
            let content = if let Some((_, whole)) = document.whole {
                refused.extend(pieces.map(|(number, _)| (number, WHOLE)));
                whole
            } else {
                pieces
                    .map(|(_, text)| text)
                    .collect::<Vec<_>>()
                    .join("\n\n")
            };
            Some(NewDocument {
                id,
                title: document.title,
                content,
            })
        })
        .collect();
    refused.sort_unstable();
    (documents, refused)
}

struct Record {
    id: String,
    title: String,
    text: String,
    piece: Option<u64>,
}

fn record(line: &[u8]) -> Result<Record, &'static str> {
    let line = std::str::from_utf8(line).map_err(|_| "not UTF-8")?;
    let value: Value = serde_json::from_str(line).map_err(|_| "not JSON")?;
    if !value.is_object() {
        return Err("not an object");
    }
    let id = match first(&value, &ID) {
        Some(Value::String(id)) if !id.trim().is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err("no id"),
    };
    if id.chars().count() > LONGEST_ID {
        return Err("an id that is too long");
    }
    let text = first(&value, &TEXT)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
        .ok_or("no text")?;
    let metadata = value.get("metadata").unwrap_or(&Value::Null);
    let title = first(&value, &TITLE)
        .or_else(|| first(metadata, &TITLE))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let piece = first(&value, &PIECE)
        .or_else(|| first(metadata, &PIECE))
        .and_then(Value::as_u64);
    Ok(Record {
        id,
        title: title.to_owned(),
        text: text.to_owned(),
        piece,
    })
}

fn first<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| value.get(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn documents_pieces_and_replacements_are_told_apart() {
        let text = "\u{feff}{\"id\": \"a\", \"text\": \"first\", \"title\": \"A\"}\r\n\n\
            {\"doc_id\": \"b\", \"content\": \"two\", \"chunk_index\": 1}\n\
            {\"doc_id\": \"b\", \"content\": \"one\", \"chunk_index\": 0, \"metadata\": {\"title\": \"B\"}}\n\
            {\"id\": 7, \"body\": \"seven\", \"embedding\": [0.1]}\n\
            {\"id\": \"a\", \"text\": \"second\"}";
        let (documents, refused) = read(text.as_bytes());
        assert_eq!(refused, [(1, LATER)]);
        let shown: Vec<_> = documents
            .iter()
            .map(|d| (d.id.as_str(), d.title.as_str(), d.content.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", "A", "second"),
                ("b", "B", "one\n\ntwo"),
                ("7", "", "seven")
            ]
        );
    }

    #[test]
    fn a_whole_document_stands_for_its_pieces_and_each_of_them_is_named() {
        let text = "{\"id\": \"a\", \"text\": \"piece zero\", \"chunk_index\": 0}\n\
            {\"id\": \"a\", \"text\": \"whole\"}\n\
            {\"id\": \"a\", \"text\": \"piece one\", \"chunk_index\": 1}\n\
            {\"id\": \"a\", \"text\": \"another zero\", \"chunk_index\": 0}";
        let (documents, refused) = read(text.as_bytes());
        assert_eq!(documents.len(), 1);
        assert_eq!(documents[0].content, "whole");
        assert_eq!(refused, [(1, LATER), (3, WHOLE), (4, WHOLE)]);
    }

    #[test]
    fn lines_that_are_no_document_are_refused_by_number() {
        let mut text = b"{\"id\": \"a\", \"text\": \"kept\"}\n\
            {\"id\": \"b\"\n[1]\n{\"text\": \"x\"}\n{\"id\": \"c\", \"text\": \" \"}\n"
            .to_vec();
        text.extend(b"{\"id\": \"d\", \"text\": \"\xff\"}");
        let (documents, refused) = read(&text);
        assert_eq!(documents.len(), 1);
        assert_eq!(
            refused,
            [
                (2, "not JSON"),
                (3, "not an object"),
                (4, "no id"),
                (5, "no text"),
                (6, "not UTF-8")
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_bytes_are_read_and_every_line_is_accounted_for(lines in proptest::collection::vec(prop_oneof![
            "[^\n]{0,30}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 0..20),
            "[a-c]{1,3}".prop_map(|id| format!("{{\"id\": \"{id}\", \"text\": \"{id} text\"}}").into_bytes()),
            "[a-c]".prop_map(|id| format!("{{\"id\": \"{id}\", \"text\": \"p\", \"chunk\": 1}}").into_bytes()),
        ], 0..12)) {
            let (documents, refused) = read(&lines.join(&b'\n'));
            let good = lines.iter().filter(|line| record(line).is_ok()).count();
            let ids: std::collections::BTreeSet<_> = documents.iter().map(|d| &d.id).collect();
            prop_assert_eq!(ids.len(), documents.len());
            prop_assert!(documents.len() <= good.max(1));
            prop_assert!(documents.iter().all(|d| !d.content.trim().is_empty()));
            let blank = lines.iter().filter(|line| line.trim_ascii().is_empty()).count();
            // A byte order mark at the very start is no part of the first line.
            let bad = refused.iter().filter(|(_, why)| ![LATER, WHOLE].contains(why)).count();
            prop_assert!(refused.len() - bad <= good);
            prop_assert!((good + bad + blank).abs_diff(lines.len()) <= 1);
        }
    }
}

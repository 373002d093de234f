//! Reads the JSON file of another program's research cache.
//!
//! Accepted: a list of entries, an object of entries by key, or an object that holds either under
//! `entries`, `cache`, `research`, `results` or `items`. An entry is an object with the query and
//! the findings; the rest is optional. Every field has the names that such programs give it.

use ingest::moment;
use memory::{Credibility, Millis, NewResearch, ResearchSource};
use serde_json::Value;

const LISTS: [&str; 5] = ["entries", "cache", "research", "results", "items"];
const QUERY: [&str; 4] = ["query", "question", "topic", "original_query"];
const FINDINGS: [&str; 6] = [
    "findings", "summary", "content", "result", "answer", "report",
];
const SOURCES: [&str; 3] = ["sources", "references", "citations"];
const TOKENS: [&str; 5] = [
    "token_count",
    "tokens",
    "tokens_used",
    "total_tokens",
    "n_tokens",
];
const SAVED: [&str; 6] = [
    "saved_at",
    "created_at",
    "timestamp",
    "cached_at",
    "date",
    "time",
];
const ADDRESS: [&str; 4] = ["url", "link", "href", "uri"];
const TITLE: [&str; 2] = ["title", "name"];
const CREDIBILITY: [&str; 4] = ["credibility", "credibility_score", "score", "reliability"];

/// An entry as it was read.
pub(crate) struct FileEntry {
    pub(crate) research: NewResearch,
    pub(crate) saved_at: Option<Millis>,
}

/// A file whose outer shape was understood: each entry by its place or key, read or refused.
pub(crate) type FileEntries = Vec<(String, Result<FileEntry, &'static str>)>;

/// Reads the file's text.
///
/// # Errors
/// What is wrong with the file as a whole, in words that quote nothing of it.
pub(crate) fn read(text: &str) -> Result<FileEntries, String> {
    let root: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            format!(
                "not JSON at line {}, column {}",
                error.line(),
                error.column()
            )
        })?;
    if first(&root, &QUERY).is_some_and(Value::is_string) {
        return Ok(vec![("entry 1".to_owned(), entry(&root))]);
    }
    let inside = LISTS
        .iter()
        .filter_map(|name| root.get(*name))
        .find(|value| value.is_array() || value.is_object());
    match inside.unwrap_or(&root) {
        Value::Array(list) => Ok((1..)
            .zip(list)
            .map(|(place, value)| (format!("entry {place}"), entry(value)))
            .collect()),
        Value::Object(object) => Ok(object
            .iter()
            .map(|(key, value)| {
                let key: String = key.chars().take(32).collect();
                (format!("entry {key}"), entry(value))
            })
            .collect()),
        _ => Err("neither a list nor an object of entries".to_owned()),
    }
}

/// Reads one entry.
pub(crate) fn entry(value: &Value) -> Result<FileEntry, &'static str> {
    if !value.is_object() {
        return Err("not an object");
    }
    let query = first(value, &QUERY)
        .and_then(Value::as_str)
        .filter(|query| !query.trim().is_empty())
        .ok_or("no query")?;
    let findings = first(value, &FINDINGS)
        .and_then(text_of)
        .filter(|findings| !findings.trim().is_empty())
        .ok_or("no findings")?;
    let sources = match first(value, &SOURCES) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list
            .iter()
            .map(|value| source(value).ok_or("a source without an address"))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err("sources that are no list"),
    };
    let tokens = match first(value, &TOKENS) {
        None | Some(Value::Null) => 0,
        Some(number) => number
            .as_f64()
            .filter(|number| (0.0..=f64::from(u32::MAX)).contains(number))
            .ok_or("a token count that is none")? as u32,
    };
    Ok(FileEntry {
        research: NewResearch {
            query: query.to_owned(),
            findings,
            sources,
            tokens,
        },
        saved_at: first(value, &SAVED).and_then(moment),
    })
}

fn first<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| value.get(name))
}

/// A text, or a list of texts as paragraphs.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => list
            .iter()
            .map(Value::as_str)
            .collect::<Option<Vec<_>>>()
            .map(|parts| parts.join("\n")),
        _ => None,
    }
}

/// An address alone, or an object with one.
fn source(value: &Value) -> Option<ResearchSource> {
    let text = |names: &[&str]| {
        first(value, names)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    match value {
        Value::String(url) => Some(ResearchSource {
            url: url.clone(),
            title: String::new(),
            credibility: None,
        }),
        Value::Object(_) => Some(ResearchSource {
            url: text(&ADDRESS)?,
            title: text(&TITLE).unwrap_or_default(),
            credibility: match first(value, &CREDIBILITY) {
                Some(Value::Number(number)) => number.as_f64().map(Credibility::Score),
                Some(Value::String(word)) => Some(Credibility::Word(word.clone())),
                _ => None,
            },
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn queries(text: &str) -> Vec<Result<String, &'static str>> {
        read(text)
            .unwrap()
            .into_iter()
            .map(|(_, entry)| entry.map(|entry| entry.research.query))
            .collect()
    }

    #[test]
    fn a_list_an_object_and_either_inside_another_are_read() {
        let entry = r#"{"query": "tea", "findings": "Steep it."}"#;
        for text in [
            format!("[{entry}]"),
            format!("\u{feff}{{\"0011223344556677\": {entry}}}"),
            format!("{{\"version\": 1, \"entries\": [{entry}]}}"),
            format!("{{\"cache\": {{\"0011223344556677\": {entry}}}}}"),
            entry.to_owned(),
        ] {
            assert_eq!(queries(&text), [Ok("tea".to_owned())], "{text}");
        }
        assert!(queries("[]").is_empty() && queries("{}").is_empty());
    }

    #[test]
    fn everything_in_an_entry_is_taken() {
        let value = serde_json::json!({
            "topic": "tea",
            "findings": ["Steep it.", "Wait."],
            "sources": [
                "https://example.invalid/a",
                {"link": "https://example.invalid/b", "title": "B", "credibility": 0.9},
                {"url": "https://example.invalid/c", "credibility": "high"},
            ],
            "tokens_used": 12,
            "timestamp": 1_780_000_000.5,
        });
        let entry = entry(&value).ok().unwrap();
        assert_eq!(entry.research.findings, "Steep it.\nWait.");
        assert_eq!(entry.research.tokens, 12);
        assert_eq!(entry.saved_at, Some(1_780_000_000_500));
        let sources = &entry.research.sources;
        assert_eq!(sources[1].title, "B");
        assert_eq!(sources[1].credibility, Some(Credibility::Score(0.9)));
        assert_eq!(
            sources[2].credibility,
            Some(Credibility::Word("high".into()))
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        assert_eq!(
            queries(
                r#"[{"findings": "x"}, 7, {"query": "q", "findings": ""}, {"query": "q", "findings": "x", "sources": [{}]}, {"query": "q", "findings": "x", "tokens": "many"}]"#
            ),
            [
                Err("no query"),
                Err("not an object"),
                Err("no findings"),
                Err("a source without an address"),
                Err("a token count that is none"),
            ]
        );
        for (text, wanted) in [
            ("[{\"query\": \"quinkfern\",\n", "not JSON at line 2"),
            ("\"quinkfern\"", "neither a list"),
        ] {
            let error = read(text).err().unwrap();
            assert!(
                error.contains(wanted) && !error.contains("quinkfern"),
                "{error}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_is_read_or_refused(text in "[\\[{]?(\"?(query|findings|entries|sources|x)\"?|[:,\\[\\]{}]|\"a\"|1|null){0,16}") {
            match read(&text) {
                Ok(entries) => for (_, entry) in entries {
                    if let Ok(entry) = entry {
                        prop_assert!(!entry.research.query.trim().is_empty());
                        prop_assert!(!entry.research.findings.trim().is_empty());
                    }
                },
                Err(reason) => prop_assert!(!reason.is_empty()),
            }
        }
    }
}

//! Numbers under a key, such as `port 4002`, and whether an answer holds another one under the same key.
//!
//! Strict on purpose: a wrong "contradicted?" costs a person's trust. The key must be the nearest word
//! before the number in its sentence and the same word in both; both numbers must be of one sort; the memory
//! must hold one value of it and the answer not that; and the answer must speak of what else the
//! sentence is about.

use std::collections::BTreeSet;

use memory::fold;

use super::names::{Number, number, tokens};
use super::words::stem;
use super::{Clash, TermKind, words};

/// Words that only count or number: another figure behind them contradicts nothing.
const COUNTERS: [&str; 24] = [
    "line", "lines", "page", "pages", "step", "row", "column", "item", "issue", "pull", "request",
    "commit", "chapter", "section", "figure", "table", "test", "tests", "took", "after", "around",
    "about", "least", "most",
];

/// Words that stand between a key and its value.
const JOINING: [&str; 16] = [
    "is", "was", "are", "on", "to", "at", "of", "in", "the", "now", "set", "equals", "be", "must",
    "uses", "stays",
];

/// How many words before a number are looked at for its key.
const REACH: usize = 3;

/// Words of the sentence, the key aside, that the answer must hold too.
const SUBJECT: usize = 2;

/// A number and what it is the value of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The key's stem.
    stem: String,
    /// The key as written.
    key: String,
    number: Number,
    written: String,
    /// Stems of the other words of the sentence.
    about: Vec<String>,
}

/// The values of a text.
pub(super) fn values(text: &str) -> Vec<Value> {
    sentences(text).into_iter().flat_map(of_sentence).collect()
}

fn of_sentence(sentence: &str) -> Vec<Value> {
    let tokens = tokens(sentence);
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let Some(number) = number(token.text, tokens.get(place + 1)) else {
            continue;
        };
        if !number.is_telling() {
            continue;
        }
        let before = words::words(&sentence[..token.at]);
        // Words that are too short or too common for a term count as steps of the way.
        let steps = fold(&sentence[..token.at]);
        let near: Vec<&str> = steps
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .rev()
            .take(REACH)
            .collect();
        let Some(key) = before
            .iter()
            .rev()
            .find(|term| term.kind == TermKind::Word && !JOINING.contains(&term.folded.as_str()))
        else {
            continue;
        };
        if !near.contains(&key.folded.as_str()) || COUNTERS.contains(&key.folded.as_str()) {
            continue;
        }
        let about = words::words(sentence)
            .into_iter()
            .filter(|term| term.kind == TermKind::Word && term.key != key.key)
            .map(|term| term.key)
            .collect::<BTreeSet<String>>();
        found.push(Value {
            stem: stem(&key.folded),
            key: key.written.clone(),
            written: if number.unit.is_empty() || number.unit == "v" {
                token.text.to_owned()
            } else {
                format!("{} {}", number.figures, number.unit)
            },
            number,
            about: about.into_iter().collect(),
        });
    }
    found
}

/// Sentences and lines.
fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' | ';' => characters
                .peek()
                .is_none_or(|&(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            out.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    out.push(&text[start..]);
    out
}

/// The first value of the memory that an answer gives otherwise. `said` are all terms of the answer.
pub(super) fn clash(
    memory: &str,
    answer: &[Value],
    said: &BTreeSet<(TermKind, String)>,
) -> Option<Clash> {
    let held = values(memory);
    held.iter().find_map(|value| {
        let same =
            |other: &&Value| other.stem == value.stem && other.number.unit == value.number.unit;
        let alone = held
            .iter()
            .filter(same)
            .all(|other| other.number == value.number);
        let repeated = said.contains(&(TermKind::Name, value.number.key()));
        let shared = value
            .about
            .iter()
            .filter(|stem| said.contains(&(TermKind::Word, (*stem).clone())))
            .count();
        if !alone || repeated || shared == 0 || shared < SUBJECT.min(value.about.len()) {
            return None;
        }
        let other = answer.iter().find(same)?;
        Some(Clash {
            key: value.key.clone(),
            remembered: value.written.clone(),
            said: other.written.clone(),
        })
    })
}

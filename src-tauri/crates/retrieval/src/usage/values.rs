//! Numbers under a key, such as `port 4002`, and whether an answer holds another one under the same key.
//!
//! Strict on purpose: a wrong "contradicted?" costs a person's trust. The key must be the nearest word
//! before the number in its sentence and the same word in both; both numbers must be of one sort; the memory
//! must hold one value of it and the answer not that; and the answer must speak of what else the
//! sentence is about.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use memory::fold_with_map;

use super::names::{Number, number, tokens};
use super::{Clash, Term, TermKind, words};

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
    /// Stems of the words of the sentence, the key's among them.
    about: Rc<BTreeSet<String>>,
}

impl Value {
    /// What another value must have in common with it.
    fn sort(&self) -> (&str, &str) {
        (&self.stem, &self.number.unit)
    }
}

/// The values of a text.
pub(super) fn values(text: &str) -> Vec<Value> {
    sentences(text).into_iter().flat_map(of_sentence).collect()
}

fn of_sentence(sentence: &str) -> Vec<Value> {
    let tokens = tokens(sentence);
    // A line of a log may be one sentence with thousands of numbers, so what does not hang on the number is
    // looked up once, and only where there is one.
    let around = LazyCell::new(|| Around::of(sentence));
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let Some(number) = number(token.text, tokens.get(place + 1)) else {
            continue;
        };
        if !number.is_telling() {
            continue;
        }
        let at = around.folded_up_to(token.at);
        // Words that are too short or too common for a term count as steps of the way.
        let near: Vec<&str> = around.folded[..at]
            .rsplit(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(REACH)
            .collect();
        let before = around.words.partition_point(|term| term.at < at);
        let Some(key) = around.words[..before]
            .iter()
            .rev()
            .find(|term| term.kind == TermKind::Word && !JOINING.contains(&term.folded.as_str()))
        else {
            continue;
        };
        if !near.contains(&key.folded.as_str()) || COUNTERS.contains(&key.folded.as_str()) {
            continue;
        }
        found.push(Value {
            stem: key.key.clone(),
            key: key.written.clone(),
            written: if number.unit.is_empty() || number.unit == "v" {
                token.text.to_owned()
            } else {
                format!("{} {}", number.figures, number.unit)
            },
            number,
            about: Rc::clone(&around.about),
        });
    }
    found
}

/// What the numbers of a sentence have in common.
struct Around {
    folded: String,
    /// For each byte of it the byte of the sentence that it came from.
    map: Vec<u32>,
    words: Vec<Term>,
    about: Rc<BTreeSet<String>>,
}

impl Around {
    fn of(sentence: &str) -> Self {
        let (folded, map) = fold_with_map(sentence);
        let words = words::words(sentence);
        let about = words.iter().filter(|term| term.kind == TermKind::Word);
        let about = about.map(|term| term.key.clone()).collect();
        Self {
            folded,
            map,
            words,
            about: Rc::new(about),
        }
    }

    /// Where what came from the bytes before a place ends.
    fn folded_up_to(&self, place: usize) -> usize {
        self.map.partition_point(|&from| (from as usize) < place)
    }
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
    let mut first: BTreeMap<_, &Value> = BTreeMap::new();
    for value in answer {
        first.entry(value.sort()).or_insert(value);
    }
    held.iter().find_map(|value| {
        let other = first.get(&value.sort())?;
        let alone = held
            .iter()
            .filter(|other| other.sort() == value.sort())
            .all(|other| other.number == value.number);
        let repeated = said.contains(&(TermKind::Name, value.number.key()));
        if !alone || repeated {
            return None;
        }
        let others = || value.about.iter().filter(|stem| **stem != value.stem);
        let shared = others()
            .filter(|stem| said.contains(&(TermKind::Word, (*stem).clone())))
            .count();
        if shared == 0 || shared < SUBJECT.min(others().count()) {
            return None;
        }
        Some(Clash {
            key: value.key.clone(),
            remembered: value.written.clone(),
            said: other.written.clone(),
        })
    })
}

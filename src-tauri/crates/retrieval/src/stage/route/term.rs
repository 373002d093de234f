//! One term of a query, and what each index is asked for it.

use std::collections::BTreeSet;

use memory::fold;
use models::Script;

use crate::trace::{RoutedTerm, TermKind, TermRoute};

use super::kind::has_alphanumeric;

/// What an index is asked for: never syntax, always one quoted phrase.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Phrase {
    /// The folded text.
    pub text: String,
    /// The last word may go on.
    pub prefix: bool,
}

impl Phrase {
    /// The phrase in the words of FTS5: in quotes, inner quotes doubled.
    pub fn expression(&self) -> String {
        let star = if self.prefix { " *" } else { "" };
        format!("\"{}\"{star}", self.text.replace('"', "\"\""))
    }

    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            prefix: false,
        }
    }
}

/// Joins phrases so that any of them may match. `None` when there is none.
pub fn any_of<'a>(phrases: impl IntoIterator<Item = &'a Phrase>) -> Option<String> {
    let distinct: BTreeSet<&Phrase> = phrases.into_iter().collect();
    let joined: Vec<String> = distinct.into_iter().map(Phrase::expression).collect();
    (!joined.is_empty()).then(|| joined.join(" OR "))
}

/// When the parts of a term are asked of the word index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartsAsked {
    /// Beside the whole.
    Beside,
    /// Only when no memory holds the whole.
    LastResort,
    /// In place of the whole, which is counted and not scored: it would count its words twice.
    Instead,
}

/// A text that earns a bonus where it stands exactly so.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The text, folded unless `accented`.
    pub text: String,
    /// 1 for what is hardly there by chance, ¼ for ordinary dotted words, less for compounds.
    pub weight: f64,
    /// To be looked for in the unfolded text (lower case, composed), since the accents matter.
    pub accented: bool,
    /// May go on behind its end.
    pub prefix: bool,
}

impl Literal {
    /// Whether the text holds it as a word of its own, not as a part of a longer one.
    pub fn is_in(&self, text: &str) -> bool {
        let starts_with_letter = self.text.starts_with(char::is_alphanumeric);
        let ends_with_letter = self.text.ends_with(char::is_alphanumeric);
        text.match_indices(self.text.as_str()).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            let joins = |c: Option<char>| {
                c.is_some_and(|c| c.is_alphanumeric() && !Script::of(c).is_unspaced())
            };
            !(starts_with_letter && joins(before))
                && (self.prefix || !(ends_with_letter && joins(after)))
        })
    }
}

/// One term with everything the keyword leg needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What the trace shows.
    pub shown: RoutedTerm,
    /// The search form.
    pub folded: String,
    /// Phrases for the word index.
    pub words: Vec<Phrase>,
    /// Parts of an identifier for the word index.
    pub parts: Vec<Phrase>,
    /// When the parts are asked.
    pub parts_asked: PartsAsked,
    /// Phrases for the trigram index: pieces of text without blanks, each of 3 code points or more.
    pub trigrams: Vec<Phrase>,
    /// Words to look for inside longer ones, each of 3 code points or more.
    pub inside: Vec<Phrase>,
    /// Texts for the substring scan.
    pub needles: Vec<String>,
    /// Two-character pieces of a long run, and words between text without blanks, for the
    /// substring scan.
    pub pairs: Vec<String>,
    /// What earns the bonus for the exact form.
    pub literals: Vec<Literal>,
    /// An id, an address, a number, a symbol: an embedding cannot tell it from its neighbours.
    pub opaque: bool,
}

impl Term {
    pub(super) fn new(text: &str, kind: TermKind, why: impl Into<String>) -> Self {
        Self {
            shown: RoutedTerm {
                text: text.to_owned(),
                kind,
                routes: Vec::new(),
                excluded: false,
                required: false,
                matched: None,
                why: why.into(),
            },
            folded: fold(text),
            words: Vec::new(),
            parts: Vec::new(),
            parts_asked: PartsAsked::Beside,
            trigrams: Vec::new(),
            inside: Vec::new(),
            needles: Vec::new(),
            pairs: Vec::new(),
            literals: Vec::new(),
            opaque: false,
        }
    }

    /// A term that no index is asked for.
    pub fn ignored(text: &str, kind: TermKind, why: &str) -> Self {
        let mut term = Self::new(text, kind, why);
        term.shown.routes = vec![TermRoute::Ignored];
        term
    }

    /// Whether one of a text's folded columns holds every literal of the term as it was typed;
    /// line breaks count as blanks.
    pub fn stands_in(&self, columns: &[String]) -> bool {
        columns.iter().any(|column| {
            let flat = column.split_whitespace().collect::<Vec<_>>().join(" ");
            self.literals.iter().all(|literal| literal.is_in(&flat))
        })
    }

    /// True when no index is asked for it.
    pub fn is_ignored(&self) -> bool {
        self.shown.routes == [TermRoute::Ignored]
    }

    /// Fills in the routes from what is asked.
    pub(super) fn routed(mut self) -> Self {
        // Folding can take away all that was a letter; such a phrase asks for nothing.
        self.words.retain(|phrase| has_alphanumeric(&phrase.text));
        self.parts.retain(|phrase| has_alphanumeric(&phrase.text));
        let routes = &mut self.shown.routes;
        routes.clear();
        if !self.words.is_empty() || !self.parts.is_empty() {
            routes.push(TermRoute::Word);
        }
        if !self.trigrams.is_empty() || !self.inside.is_empty() {
            routes.push(TermRoute::Trigram);
        }
        if !self.needles.is_empty() || !self.pairs.is_empty() {
            routes.push(TermRoute::Substring);
        }
        if routes.is_empty() {
            routes.push(TermRoute::Ignored);
        }
        self
    }
}

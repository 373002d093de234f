//! route: decides per term which index answers it, and for the query which legs run.
//!
//! Rule: text in scripts without blanks goes to the trigram index from three code points on and to
//! the substring scan below; symbols go to the substring scan; all else goes to the word index,
//! and also to the trigram index so that it is found inside longer words. Identifiers, paths,
//! addresses and hashes keep their exact form beside their parts. The query language stands in
//! [`language`]. Source: what SQLite's `unicode61` and `trigram` tokenisers can and cannot answer
//! (FTS5 documentation, "The Trigram Tokenizer").
//!
//! Inputs: the text as typed, the mode and the filter asked for. Outputs: [`Route`]: the terms
//! with what each index is asked, the kind of the query, the legs to run and in which order, the
//! narrowed filter, and a sentence for every decision.
//! Guarantee: total (any Unicode text gives a route) and pure; no text of the user ever becomes
//! syntax; stop words alone never void a query; at most [`MAX_TERMS`] terms of at most
//! [`language::MAX_CHARACTERS`] characters are read, with a note when there were more.

mod filters;
mod kind;
pub mod language;
pub mod stop_words;
pub mod term;
mod terms;

use memory::Filter;

use crate::trace::{Mode, QueryKind, TermKind, TermRoute};

pub(crate) use self::kind::{is_separator, is_unspaced};
pub(crate) use self::stop_words::is_stop_word;

use self::filters::Narrowed;
use self::language::{Literally, Piece, cut};
use self::term::Term;
use self::terms::terms_of;

/// How many terms of a query are read.
pub const MAX_TERMS: usize = 64;

/// Words that make a query technical although they are ordinary ones.
const TECHNICAL_WORDS: &[&str] = &[
    "assert",
    "backtrace",
    "bug",
    "code",
    "commit",
    "compile",
    "crash",
    "deadlock",
    "deprecated",
    "errno",
    "error",
    "exception",
    "exit",
    "fail",
    "failed",
    "failing",
    "fatal",
    "hash",
    "id",
    "null",
    "overflow",
    "panic",
    "regression",
    "segfault",
    "sha",
    "stack",
    "stacktrace",
    "stderr",
    "syntax",
    "throws",
    "timeout",
    "trace",
    "traceback",
    "undefined",
    "unhandled",
    "warning",
];

/// Which legs run, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legs {
    /// Both, side by side.
    Both,
    /// The keyword leg alone.
    KeywordOnly,
    /// The semantic leg alone.
    SemanticOnly,
    /// The keyword leg; the semantic one only if it finds nothing or fails.
    KeywordFirst,
    /// The semantic leg; the keyword one only if it finds nothing or fails.
    SemanticFirst,
}

/// What became of a query's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The terms, in the order typed.
    pub terms: Vec<Term>,
    /// What the query is.
    pub kind: QueryKind,
    /// The legs to run.
    pub legs: Legs,
    /// The filter of the query, narrowed by its text.
    pub filter: Filter,
    /// The filter and the text exclude each other.
    pub contradiction: bool,
    /// The text is nothing but filters: what they let through is listed in order of time.
    pub listing: bool,
    /// What is embedded: the text without filters and exclusions.
    pub semantic_text: String,
    /// Every term is an id, an address, a number or a symbol, which embeddings cannot tell apart.
    pub opaque: bool,
    /// What was decided, one sentence each.
    pub notes: Vec<String>,
}

impl Route {
    /// Terms that an index is asked for, exclusions left out.
    pub fn asked(&self) -> impl Iterator<Item = &Term> {
        self.terms
            .iter()
            .filter(|term| !term.is_ignored() && !term.shown.excluded)
    }

    /// Whether there is nothing to search for.
    pub fn is_blank(&self) -> bool {
        self.kind == QueryKind::Blank
    }
}

/// Routes a query by its text alone. Any text is fine.
pub fn route(text: &str, mode: Mode, asked: &Filter) -> Route {
    route_literally(text, mode, asked, &Literally::default())
}

/// Routes a query, taking as text what the vault shows not to be meant otherwise.
pub fn route_literally(text: &str, mode: Mode, asked: &Filter, literally: &Literally) -> Route {
    let cut = cut(text);
    let mut notes = Vec::new();
    if !cut.options.is_empty() {
        notes.push(format!(
            "{} among a command’s words: looked for as text. In quotes behind the minus it would leave memories out.",
            quoted(&cut.options)
        ));
    }
    if cut.shortened {
        notes.push(format!(
            "The query is long: only its first {} characters were read.",
            grouped(language::MAX_CHARACTERS)
        ));
    }

    let mut filter = asked.clone();
    let (mut contradiction, mut filters) = (false, false);
    let mut terms: Vec<Term> = Vec::new();
    let mut semantic: Vec<String> = Vec::new();
    for piece in cut.pieces {
        match piece {
            Piece::Text(typed) => {
                terms.extend(terms_of(&typed));
                semantic.push(typed);
            }
            Piece::Phrase(inner) => {
                terms.push(terms::phrase(&inner));
                semantic.push(inner);
            }
            Piece::Excluded {
                text,
                quoted: false,
            } if literally.minus(&text).is_some() => {
                let typed = format!("-{text}");
                let why = literally.minus(&text).unwrap_or_default();
                notes.push(format!("“{typed}” {why}: looked for as text."));
                terms.extend(terms_of(&typed));
                semantic.push(typed);
            }
            Piece::Excluded { text, quoted } => terms.push(terms::excluded(&text, quoted)),
            Piece::Field { field, typed, .. } if literally.fields.contains(&typed) => {
                notes.push(format!(
                    "No memory has the {} in “{typed}”: looked for as text.",
                    field.name()
                ));
                for word in typed.replace('"', " ").split_whitespace() {
                    terms.extend(terms_of(word));
                    semantic.push(word.to_owned());
                }
            }
            Piece::Field {
                field,
                value,
                typed,
            } => match filters::narrow(&mut filter, asked, field, &value) {
                Narrowed::Yes => {
                    filters = true;
                    notes.push(format!(
                        "Only memories whose {} is “{value}”.",
                        field.name()
                    ));
                }
                Narrowed::Contradiction => {
                    contradiction = true;
                    notes.push(format!(
                        "“{typed}” contradicts the filter: no memory can satisfy both."
                    ));
                }
                Narrowed::NotAValue(hint) => {
                    notes.push(format!("“{typed}” was taken as text: {hint}."));
                    terms.extend(terms_of(&typed));
                    semantic.push(typed);
                }
            },
        }
    }
    if terms.len() > MAX_TERMS {
        terms.truncate(MAX_TERMS);
        notes.push(format!(
            "The query has many words: only its first {MAX_TERMS} were read."
        ));
    }
    settle_exclusions(&mut terms, &mut semantic, &mut notes);
    settle_stop_words(&mut terms, &mut notes);
    settle_symbols(&mut terms);

    let kind = query_kind(&terms);
    let listing = kind == QueryKind::Blank && filters && !contradiction;
    if listing {
        notes.push(
            "Nothing but filters: the memories that they let through, the oldest first.".to_owned(),
        );
    } else if kind == QueryKind::Blank {
        notes.push("Nothing to look for: type a word, a name, an id, or a question.".to_owned());
    } else if terms
        .iter()
        .any(|t| t.is_ignored() && t.shown.why.contains("operators"))
    {
        notes.push("AND, OR, NOT and NEAR are plain words here and were left out.".to_owned());
    }
    let opaque = terms.iter().any(|t| !t.is_ignored() && !t.shown.excluded)
        && terms
            .iter()
            .filter(|t| !t.is_ignored() && !t.shown.excluded)
            .all(|t| t.opaque);
    let legs = legs(mode, kind, &terms, &mut notes);
    Route {
        terms,
        kind,
        legs,
        filter,
        contradiction,
        listing,
        semantic_text: semantic.join(" "),
        opaque,
        notes,
    }
}

/// “a”, “b” stand / “a” stands
fn quoted(typed: &[String]) -> String {
    let all: Vec<String> = typed.iter().map(|one| format!("“{one}”")).collect();
    let verb = if all.len() == 1 { "stands" } else { "stand" };
    format!("{} {verb}", all.join(", "))
}

/// The fields of a query that filter, each as typed, with what it alone lets through of what was
/// asked for.
pub fn fields_alone(text: &str, asked: &Filter) -> Vec<(String, Filter)> {
    let field = |piece| match piece {
        Piece::Field {
            field,
            value,
            typed,
        } => Some((typed, filters::alone(asked, field, &value)?)),
        _ => None,
    };
    cut(text).pieces.into_iter().filter_map(field).collect()
}

/// A query of exclusions alone would list everything else: then they are text.
fn settle_exclusions(terms: &mut Vec<Term>, semantic: &mut Vec<String>, notes: &mut Vec<String>) {
    let excluded = terms.iter().any(|t| t.shown.excluded);
    let other = terms.iter().any(|t| !t.shown.excluded && !t.is_ignored());
    if !excluded || other {
        return;
    }
    let taken: Vec<Term> = std::mem::take(terms);
    for term in taken {
        if term.shown.excluded {
            semantic.push(term.shown.text.clone());
            terms.extend(terms_of(&term.shown.text));
        } else {
            terms.push(term);
        }
    }
    notes.push("A minus needs something to subtract from: taken as text.".to_owned());
}

/// Stop words count only when the query has nothing else.
fn settle_stop_words(terms: &mut [Term], notes: &mut Vec<String>) {
    let stop = |t: &Term| t.shown.kind == TermKind::StopWord && !t.is_ignored();
    let other = terms
        .iter()
        .any(|t| !stop(t) && !t.is_ignored() && !t.shown.excluded);
    let some = terms.iter().any(stop);
    if !some {
        return;
    }
    if other {
        for term in terms.iter_mut().filter(|t| stop(t)) {
            term.words.clear();
            term.shown.routes = vec![TermRoute::Ignored];
        }
    } else {
        for term in terms.iter_mut().filter(|t| stop(t)) {
            "a common word, but the query has no other".clone_into(&mut term.shown.why);
        }
        notes.push(
            "The query has common words only, so they were looked for all the same.".to_owned(),
        );
    }
}

/// A symbol typed among few words is meant: memories without it are left out. In a sentence it is
/// decoration.
fn settle_symbols(terms: &mut [Term]) {
    let asked = terms
        .iter()
        .filter(|t| !t.is_ignored() && !t.shown.excluded)
        .count();
    if asked > 3 {
        return;
    }
    for term in terms.iter_mut() {
        if term.shown.kind == TermKind::Symbol && !term.is_ignored() {
            term.shown.required = true;
            term.shown
                .why
                .push_str("; memories without it are left out");
        }
    }
}

fn query_kind(terms: &[Term]) -> QueryKind {
    let asked: Vec<&Term> = terms
        .iter()
        .filter(|t| !t.is_ignored() && !t.shown.excluded)
        .collect();
    if asked.is_empty() {
        return QueryKind::Blank;
    }
    let whole = |t: &Term| t.shown.text.starts_with('[') && t.shown.text.ends_with(']');
    let brackets = |t: &Term| t.shown.kind != TermKind::Phrase && has_brackets(&t.shown.text);
    let exact = asked
        .iter()
        .filter(|t| {
            t.opaque && !brackets(t) || t.shown.kind == TermKind::Phrase || is_all_capitals(t)
        })
        .count();
    let bracketed = asked.iter().any(|t| whole(t));
    let technical = asked.iter().any(|t| {
        matches!(
            t.shown.kind,
            TermKind::Identifier | TermKind::Path | TermKind::Hash | TermKind::Email
        ) || brackets(t)
            || TECHNICAL_WORDS.binary_search(&t.folded.as_str()).is_ok()
    });
    if exact * 2 >= asked.len() && exact > 0 || bracketed && asked.len() <= 2 {
        QueryKind::Exact
    } else if technical || exact > 0 {
        QueryKind::Technical
    } else {
        QueryKind::Conceptual
    }
}

/// `ENOENT`, `SIGTERM`: names rather than words.
fn is_all_capitals(term: &Term) -> bool {
    let letters = || term.shown.text.chars().filter(|c| c.is_alphabetic());
    term.shown.kind == TermKind::Word && letters().count() >= 3 && letters().all(char::is_uppercase)
}

/// Brackets of code: any but round ones, which prose has too, and those of a call.
fn has_brackets(text: &str) -> bool {
    text.contains(['[', ']', '{', '}', '<', '>']) || text.contains("()")
}

fn legs(mode: Mode, kind: QueryKind, terms: &[Term], notes: &mut Vec<String>) -> Legs {
    match mode {
        Mode::Hybrid => Legs::Both,
        Mode::Lexical => Legs::KeywordOnly,
        Mode::Semantic => Legs::SemanticOnly,
        Mode::Auto => {
            let unspaced = terms
                .iter()
                .any(|t| t.shown.kind == TermKind::Unspaced && !t.shown.excluded);
            if unspaced || matches!(kind, QueryKind::Exact | QueryKind::Technical) {
                let why = match kind {
                    _ if unspaced => "the query has text written without blanks",
                    QueryKind::Exact => "the query is an exact pattern",
                    _ => "the query is technical",
                };
                notes.push(format!("Keywords first, because {why}."));
                Legs::KeywordFirst
            } else {
                notes.push("Meaning first, because the query is in plain words.".to_owned());
                Legs::SemanticFirst
            }
        }
    }
}

/// 2000 → 2,000.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
#[path = "route/tests.rs"]
mod tests;

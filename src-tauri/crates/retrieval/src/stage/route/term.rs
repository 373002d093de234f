//! What one term of a query is, and what each index is asked for it.

use std::collections::BTreeSet;

use memory::fold;
use models::Script;
use unicode_normalization::UnicodeNormalization;

use crate::trace::{RoutedTerm, TermKind, TermRoute};

use super::stop_words::is_stop_word;

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

    fn new(text: impl Into<String>) -> Self {
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

/// A text that earns a bonus where it stands exactly so.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The text, folded unless `accented`.
    pub text: String,
    /// 1 for what is hardly there by chance, ¼ for ordinary hyphenated and dotted words.
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
    /// The parts are asked only when no memory holds the whole.
    pub parts_as_last_resort: bool,
    /// Phrases for the trigram index: pieces of text without blanks, each of 3 code points or more.
    pub trigrams: Vec<Phrase>,
    /// Words to look for inside longer ones, each of 3 code points or more.
    pub inside: Vec<Phrase>,
    /// Texts for the substring scan.
    pub needles: Vec<String>,
    /// Two-character pieces of a long run, for the substring scan.
    pub pairs: Vec<String>,
    /// What earns the bonus for the exact form.
    pub literals: Vec<Literal>,
    /// An id, an address, a number, a symbol: an embedding cannot tell it from its neighbours.
    pub opaque: bool,
}

impl Term {
    fn new(text: &str, kind: TermKind, why: impl Into<String>) -> Self {
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
            parts_as_last_resort: false,
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

    /// True when no index is asked for it.
    pub fn is_ignored(&self) -> bool {
        self.shown.routes == [TermRoute::Ignored]
    }

    /// Fills in the routes from what is asked.
    fn routed(mut self) -> Self {
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

fn has_alphanumeric(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn is_unspaced(c: char) -> bool {
    // The middle dot of Japanese separates words although it sits among the syllables.
    c != '・' && Script::of(c).is_unspaced()
}

/// Marks that only ever stand between words.
fn is_separator(c: char) -> bool {
    !c.is_alphanumeric()
        && matches!(c as u32, 0x3000..=0x303F | 0x30FB | 0xFF00..=0xFF0F | 0xFF1A..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF65 | 0x2010..=0x2027 | 0x2030..=0x205E)
}

/// Makes terms of a text between blanks: several where scripts with and without blanks meet.
pub fn terms_of(typed: &str) -> Vec<Term> {
    let mut runs: Vec<(bool, String)> = Vec::new();
    if typed.chars().any(is_unspaced) {
        for c in typed.chars() {
            if is_separator(c) {
                runs.push((false, String::new()));
                continue;
            }
            // Marks that combine with the character before stay with it.
            let combining = Script::of(c) == Script::Common
                && unicode_normalization::char::is_combining_mark(c);
            let unspaced = if combining {
                runs.last().is_some_and(|r| r.0)
            } else {
                is_unspaced(c)
            };
            match runs.last_mut() {
                Some((kind, run)) if *kind == unspaced => run.push(c),
                _ => runs.push((unspaced, c.to_string())),
            }
        }
    } else {
        runs.push((false, typed.to_owned()));
    }
    let mixed = runs.len() > 1;
    runs.into_iter()
        .filter(|(_, run)| !run.is_empty())
        .filter_map(|(unspaced, run)| {
            if unspaced {
                Some(unspaced_run(&run))
            } else if mixed && !has_alphanumeric(&run) && run.is_ascii() {
                // A comma between two Chinese words, say.
                None
            } else {
                Some(spaced(&run))
            }
        })
        .collect()
}

/// A run of a script without blanks.
fn unspaced_run(run: &str) -> Term {
    let folded = fold(run);
    let characters: Vec<char> = folded.chars().collect();
    if characters.len() < 3 {
        let mut term = Term::new(
            run,
            TermKind::Unspaced,
            "shorter than three characters, which the trigram index cannot answer: looked for as a substring",
        );
        term.needles = vec![folded];
        return term.routed();
    }
    let mut term = Term::new(
        run,
        TermKind::Unspaced,
        if characters.len() == 3 {
            "written without blanks: the trigram index answers it"
        } else {
            "written without blanks: looked for as overlapping pieces of three characters, any of which may match"
        },
    );
    let piece = |range: &[char]| Phrase::new(range.iter().collect::<String>());
    term.trigrams = characters.windows(3).map(piece).collect();
    if (4..=12).contains(&characters.len()) {
        term.trigrams.push(piece(&characters));
    }
    if characters.len() > 3 {
        // Most Chinese words have two characters, so a run of several words shares pairs with a
        // text that puts other words between them, but often no piece of three.
        term.pairs = characters
            .windows(2)
            .filter(|pair| bears_words(pair[0]) && bears_words(pair[1]))
            .map(|pair| pair.iter().collect())
            .collect::<BTreeSet<String>>()
            .into_iter()
            .collect();
    }
    term.routed()
}

/// Scripts in which two characters make a word. Hiragana is grammar, Thai letters are sounds.
fn bears_words(c: char) -> bool {
    match Script::of(c) {
        Script::Han | Script::Hangul => true,
        Script::Kana => ('\u{30A1}'..='\u{30FF}').contains(&c),
        _ => false,
    }
}

const OPENING: &[char] = &[
    '(', '[', '{', '<', '"', '\'', '\u{2018}', '\u{2019}', '«', '»', '¿', '¡', '`', '*',
];
const CLOSING: &[char] = &[
    ')', ']', '}', '>', '"', '\'', '\u{2018}', '\u{2019}', '«', '»', '`', '*', '.', ',', ';', ':',
    '!', '?', '…', '(', '[', '{', '<',
];

/// Text of scripts with blanks.
fn spaced(typed: &str) -> Term {
    if !has_alphanumeric(typed) {
        return symbol(typed);
    }
    let core = typed.trim_start_matches(OPENING).trim_end_matches(CLOSING);
    if matches!(core, "AND" | "OR" | "NOT" | "NEAR") {
        return Term::ignored(
            typed,
            TermKind::StopWord,
            "AND, OR, NOT and NEAR are no operators here: any word may match, \"quotes\" require, a minus excludes",
        );
    }
    let bracketed = typed.starts_with('[') && typed.ends_with(']') && typed.len() > 2;
    let kind = kind_of(core);
    let mut term = match kind {
        TermKind::Email => email(typed, core),
        TermKind::Path => path(typed, core),
        TermKind::Hash => hash(typed, core),
        TermKind::Identifier => identifier(typed, core),
        _ => word(typed, core),
    };
    if bracketed {
        term.literals.push(Literal {
            text: fold(typed),
            weight: 0.25,
            accented: false,
            prefix: false,
        });
    }
    term.routed()
}

fn symbol(typed: &str) -> Term {
    let folded = fold(typed);
    let worth_looking_for = folded.chars().any(|c| {
        !c.is_ascii()
            && !c.is_whitespace()
            && !is_separator(c)
            && !unicode_normalization::char::is_combining_mark(c)
    });
    if !worth_looking_for {
        return Term::ignored(
            typed,
            TermKind::Symbol,
            "punctuation alone: there is nothing to look for",
        );
    }
    let mut term = Term::new(
        typed,
        TermKind::Symbol,
        "a symbol that no index holds as a word: looked for as a substring",
    );
    term.needles = vec![folded];
    term.opaque = true;
    term.routed()
}

/// What a trimmed text of a script with blanks is.
pub fn kind_of(core: &str) -> TermKind {
    if is_email(core) {
        TermKind::Email
    } else if is_uuid(core) || is_hash(core) {
        TermKind::Hash
    } else if core.contains(['/', '\\']) {
        TermKind::Path
    } else if is_identifier(core) {
        TermKind::Identifier
    } else {
        TermKind::Word
    }
}

fn is_email(core: &str) -> bool {
    core.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.contains('@')
            && !core.contains("://")
            && domain.split('.').count() > 1
            && domain.split('.').all(has_alphanumeric)
    })
}

/// Eight, four, four, four and twelve hexadecimal digits.
fn is_uuid(core: &str) -> bool {
    let groups: Vec<&str> = core.split('-').collect();
    groups.len() == 5
        && groups.iter().zip([8, 4, 4, 4, 12]).all(|(group, length)| {
            group.len() == length && group.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// At least six hexadecimal digits, letters and figures among them, so that neither `facade` nor
/// `202603` is taken for a commit.
fn is_hash(core: &str) -> bool {
    (6..=128).contains(&core.len())
        && core.bytes().all(|b| b.is_ascii_hexdigit())
        && core.bytes().any(|b| b.is_ascii_digit())
        && core.bytes().any(|b| b.is_ascii_alphabetic())
}

fn is_identifier(core: &str) -> bool {
    has_symbol(core) || is_camel_case(core) || has_letter_and_digit(core)
}

/// Holds something that is neither letter nor digit, apostrophes aside.
fn has_symbol(core: &str) -> bool {
    core.chars().any(|c| {
        !c.is_alphanumeric()
            && !matches!(c, '\'' | '\u{2019}' | '\u{2018}')
            && !unicode_normalization::char::is_combining_mark(c)
    })
}

fn has_letter_and_digit(core: &str) -> bool {
    core.chars().any(char::is_numeric) && core.chars().any(char::is_alphabetic)
}

fn is_camel_case(core: &str) -> bool {
    camel_parts(core).len() > 1
}

/// `XMLHttpRequest` → XML, Http, Request.
fn camel_parts(core: &str) -> Vec<String> {
    let characters: Vec<char> = core.chars().collect();
    let mut parts = vec![String::new()];
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|i| characters[i]);
        let next_is_lower = characters.get(at + 1).is_some_and(|n| n.is_lowercase());
        let starts = before.is_some_and(|b| {
            c.is_uppercase() && (b.is_lowercase() || b.is_uppercase() && next_is_lower)
        });
        if starts {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// Written so that chance hardly explains finding it: CONSTANT_CASE, snake_case, ids with digits,
/// words with a sign at their edge such as `C++`, `.NET` and `50%`.
fn is_telling(core: &str) -> bool {
    let edge = !core.starts_with(char::is_alphanumeric) || !core.ends_with(char::is_alphanumeric);
    edge || core.contains('_')
        || core.contains("::")
        || (has_symbol(core) && core.chars().any(char::is_numeric))
        || (has_symbol(core)
            && core.chars().any(char::is_alphabetic)
            && !core.chars().any(char::is_lowercase))
}

fn literal(text: &str, weight: f64) -> Literal {
    Literal {
        text: fold(text),
        weight,
        accented: false,
        prefix: false,
    }
}

/// Strips what a tokeniser would not see at the edges, so that a phrase never is without a word.
fn edge_trimmed(core: &str) -> &str {
    core.trim_matches(|c: char| !c.is_alphanumeric())
}

fn email(typed: &str, core: &str) -> Term {
    let mut term = Term::new(
        typed,
        TermKind::Email,
        "an e-mail address: looked for as a whole, by its name only if no memory holds it",
    );
    term.folded = fold(core);
    term.words = vec![Phrase::new(fold(core))];
    if let Some((local, _)) = core.split_once('@')
        && has_alphanumeric(local)
    {
        term.parts = vec![Phrase::new(fold(local))];
    }
    term.parts_as_last_resort = true;
    term.literals = vec![literal(core, 1.0)];
    term.opaque = true;
    term
}

fn path(typed: &str, core: &str) -> Term {
    let mut term = Term::new(
        typed,
        TermKind::Path,
        "a path: looked for as a whole, by its last part only if no memory holds it",
    );
    term.folded = fold(core);
    term.words = vec![Phrase::new(fold(core))];
    let last = core.rsplit(['/', '\\']).find(|part| has_alphanumeric(part));
    if let Some(last) = last
        && last != core
    {
        term.parts = vec![Phrase::new(fold(last))];
    }
    term.parts_as_last_resort = true;
    term.literals = vec![literal(core.trim_end_matches(['/', '\\']), 1.0)];
    term.opaque = true;
    term
}

fn hash(typed: &str, core: &str) -> Term {
    let prefix = !is_uuid(core);
    let mut term = Term::new(
        typed,
        TermKind::Hash,
        if prefix {
            "a hash or the start of one: longer hashes that begin so match too"
        } else {
            "a UUID: looked for as a whole"
        },
    );
    term.folded = fold(core);
    term.words = vec![Phrase {
        text: fold(core),
        prefix,
    }];
    term.literals = vec![Literal {
        prefix,
        ..literal(core, 1.0)
    }];
    term.opaque = true;
    term
}

fn identifier(typed: &str, core: &str) -> Term {
    let telling = is_telling(core);
    let mut term = Term::new(
        typed,
        TermKind::Identifier,
        "an identifier: its exact form first, then its parts",
    );
    term.folded = fold(core);
    term.words = vec![Phrase::new(fold(core))];
    let trimmed = edge_trimmed(core);
    let pieces: Vec<&str> = trimmed
        .split(|c: char| !c.is_alphanumeric())
        .filter(|p| !p.is_empty())
        .collect();
    let asked = |part: &str| {
        let numeric = part.chars().all(char::is_numeric);
        let length = part.chars().count();
        length >= if numeric { 3 } else { 2 } && !is_stop_word(&part.to_lowercase())
    };
    if pieces.len() > 1 {
        term.parts = pieces
            .iter()
            .filter(|p| asked(p))
            .map(|p| Phrase::new(fold(p)))
            .collect();
    }
    // camelCase is one word to the index, so its parts can only be found inside words.
    let mut inside: BTreeSet<Phrase> = pieces
        .iter()
        .flat_map(|piece| {
            let parts = camel_parts(piece);
            if parts.len() > 1 { parts } else { Vec::new() }
        })
        .filter(|part| asked(part))
        .map(|part| Phrase::new(fold(&part)))
        .filter(|part| part.text.chars().count() >= 3)
        .collect();
    let whole = fold(trimmed);
    if whole.chars().count() >= 3 {
        inside.insert(Phrase::new(whole));
    }
    term.inside = inside.into_iter().collect();
    let constant =
        telling && !core.chars().any(char::is_lowercase) && core.chars().any(char::is_alphabetic);
    if constant && core.chars().any(char::is_numeric) {
        term.parts_as_last_resort = true;
        term.shown.why =
            "an identifier: looked for as a whole, by its parts only if no memory holds it"
                .to_owned();
    }
    term.literals = vec![literal(core, if telling { 1.0 } else { 0.25 })];
    term.opaque = telling;
    term
}

fn word(typed: &str, core: &str) -> Term {
    let lower: String = core
        .nfc()
        .collect::<String>()
        .to_lowercase()
        .replace(['\u{2019}', '\u{2018}'], "'");
    let folded = fold(core);
    // `thé` folds to `the`, but whoever types the accent does not mean the article.
    if is_stop_word(&lower) {
        let mut term = Term::new(
            typed,
            TermKind::StopWord,
            "too common a word to count among others",
        );
        term.folded.clone_from(&folded);
        term.words = vec![Phrase::new(folded)];
        return term;
    }
    let mut term = Term::new(
        typed,
        TermKind::Word,
        "a word: the word index answers it; also looked for inside longer words",
    );
    if folded.chars().count() >= 3 {
        term.inside = vec![Phrase::new(folded.clone())];
    } else {
        term.shown.why = "a word: the word index answers it".to_owned();
    }
    if folded != lower {
        term.literals = vec![Literal {
            text: lower,
            weight: 1.0,
            accented: true,
            prefix: false,
        }];
    }
    term.words = vec![Phrase::new(folded.clone())];
    term.folded = folded;
    term
}

/// Text in quotes: every result must hold it.
pub fn phrase(inner: &str) -> Term {
    let mut term = Term::new(
        inner,
        TermKind::Phrase,
        "in quotes: memories without it are left out",
    );
    term.shown.required = true;
    ask_as_a_whole(&mut term);
    term.literals = vec![literal(inner, 1.0)];
    term.routed()
}

/// What must not be there.
pub fn excluded(inner: &str, quoted: bool) -> Term {
    let kind = if quoted {
        TermKind::Phrase
    } else if inner.chars().any(is_unspaced) {
        TermKind::Unspaced
    } else {
        TermKind::Word
    };
    let mut term = Term::new(inner, kind, "behind a minus: memories with it are left out");
    term.shown.excluded = true;
    ask_as_a_whole(&mut term);
    term.routed()
}

/// Finds the index that can answer a text as one phrase.
fn ask_as_a_whole(term: &mut Term) {
    if !term.folded.chars().any(is_unspaced) {
        term.words = vec![Phrase::new(term.folded.clone())];
    } else if term.folded.chars().count() >= 3 {
        term.trigrams = vec![Phrase::new(term.folded.clone())];
    } else {
        term.needles = vec![term.folded.clone()];
    }
}

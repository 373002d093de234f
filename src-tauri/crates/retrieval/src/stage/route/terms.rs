//! Makes terms of text: what the word index, the trigram index and the scan are asked for it.

use std::collections::BTreeSet;

use memory::fold;
use models::Script;
use unicode_normalization::UnicodeNormalization;

use crate::trace::TermKind;

use super::kind::{
    bears_words, camel_parts, has_alphanumeric, is_compound, is_separator, is_telling, is_unspaced,
    is_uuid, kind_of,
};
use super::stop_words::is_stop_word;
use super::term::{Literal, PartsAsked, Phrase, Term};

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
                let mut term = spaced(&run);
                // The word index holds `在gateway上` as one word.
                if mixed && term.folded.chars().count() > 1 && !term.is_ignored() {
                    term.pairs.push(term.folded.clone());
                    term = term.routed();
                }
                Some(term)
            }
        })
        .collect()
}

/// A run of a script without blanks.
fn unspaced_run(run: &str) -> Term {
    let folded = fold(run);
    if folded.trim().is_empty() {
        return Term::ignored(
            run,
            TermKind::Symbol,
            "invisible: there is nothing to look for",
        );
    }
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
    term.parts_asked = PartsAsked::LastResort;
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
    let file = without_place(core);
    let of_last = last.map(without_place).filter(|_| last != Some(core));
    if file != core {
        // A compiler and an editor name a place in the file, a person mostly does not.
        term.parts.push(Phrase::new(fold(file)));
    }
    term.parts.extend(
        last.filter(|last| *last != core)
            .into_iter()
            .chain(of_last)
            .map(|part| Phrase::new(fold(part))),
    );
    term.parts.dedup();
    term.parts_asked = PartsAsked::LastResort;
    term.literals = vec![literal(core.trim_end_matches(['/', '\\']), 1.0)];
    term.opaque = true;
    term
}

/// `client.rs:42:7` → `client.rs`.
fn without_place(file: &str) -> &str {
    let mut name = file;
    while let Some((before, place)) = name.rsplit_once(':')
        && !place.is_empty()
        && place.bytes().all(|b| b.is_ascii_digit())
        && has_alphanumeric(before)
    {
        name = before;
    }
    name
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

/// The bonus for a compound such as `two-dimensional` that stands as it was typed. Its words already
/// count one by one; measured on English sets, more than this puts chance before relevance.
const COMPOUND: f64 = 0.05;

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
    if let Some(bare) = bare_version(trimmed) {
        term.words.push(Phrase::new(bare));
    }
    let compound = is_compound(core) && !term.parts.is_empty();
    let humps: Vec<Vec<String>> = pieces.iter().map(|piece| camel_parts(piece)).collect();
    // camelCase is one word to the index, so its parts can only be found inside words.
    let mut inside: BTreeSet<Phrase> = humps
        .iter()
        .filter(|parts| parts.len() > 1)
        .flatten()
        .filter(|part| asked(part))
        .map(|part| Phrase::new(fold(part)))
        .collect();
    let words: Vec<String> = humps.into_iter().flatten().collect();
    let lettered = words
        .iter()
        .all(|word| word.chars().any(char::is_alphabetic));
    if words.len() > 1 && lettered {
        // One name in another spelling: `retryBudget`, `retry_budget`, `retry-budget`.
        inside.insert(Phrase::new(fold(&words.concat())));
        if words.len() > pieces.len() {
            term.words.push(Phrase::new(fold(&words.join(" "))));
            if pieces.len() == 1 {
                term.parts = words
                    .iter()
                    .filter(|part| asked(part))
                    .map(|part| Phrase::new(fold(part)))
                    .collect();
                term.parts_asked = PartsAsked::LastResort;
            }
        }
        if !compound {
            inside.extend(term.parts.iter().cloned());
        }
    }
    inside.insert(Phrase::new(fold(trimmed)));
    inside.retain(|part| part.text.chars().count() >= 3);
    term.inside = inside.into_iter().collect();
    let constant =
        telling && !core.chars().any(char::is_lowercase) && core.chars().any(char::is_alphabetic);
    if constant && core.chars().any(char::is_numeric) {
        term.parts_asked = PartsAsked::LastResort;
        "an identifier: looked for as a whole, by its parts only if no memory holds it"
            .clone_into(&mut term.shown.why);
    }
    let weight = if compound {
        term.parts_asked = PartsAsked::Instead;
        "a compound: its words, and first among equals the memories that hold it as it stands"
            .clone_into(&mut term.shown.why);
        COMPOUND
    } else if telling {
        1.0
    } else {
        0.25
    };
    term.literals = vec![literal(core, weight)];
    term.opaque = telling;
    term
}

/// `v1.2.3` → `1.2.3`: both are written of one release.
fn bare_version(trimmed: &str) -> Option<&str> {
    let bare = trimmed.strip_prefix(['v', 'V'])?;
    let version = bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.contains('.')
        && !bare.contains(|c: char| c.is_whitespace());
    version.then_some(bare)
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
        "a word: the word index answers it".clone_into(&mut term.shown.why);
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

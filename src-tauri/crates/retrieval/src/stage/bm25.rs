//! bm25: the memories that contain words of the query.
//!
//! Formula: s(d) = W(d) + 0.2·T(d) + 0.2·I(d) + S(d) + E(d), where
//! - W is BM25 over the word index (any word may match), k₁ = 1.2, b = 0.75, columns weighted
//!   content 1, tool name 0.6, payload 0.4. Source: Robertson and Zaragoza, "The Probabilistic
//!   Relevance Framework", 2009, as computed by SQLite's `bm25()`, sign turned;
//! - T is BM25 over the trigram index for text in scripts without blanks. Most words of Chinese and
//!   Japanese have two characters, so pieces of three find the candidates, and the pairs in S rank
//!   them: measured on three sets, pairs alone reach an nDCG@10 0.03 to 0.09 above pieces of three;
//! - I is BM25 over the trigram index for words found inside longer ones (`shipping` in
//!   `getShippingMethodId`). Words that stand in some memory as whole ones are asked apart from the
//!   others and count a share of that, so small that none of it ranks above the last memory with
//!   a whole word: `port` is not in `import`;
//! - S is BM25 over the substring scan, for what no index can answer: terms of one or two
//!   characters, pairs of characters, and words between characters without blanks, which the word
//!   index holds as one word with their neighbours (see [`crate::scan`]);
//! - E is the bonus for exact forms: the share of the query's identifiers, addresses, paths and
//!   quoted phrases that stand in the memory exactly so, times the best score without it. A memory
//!   that holds all of them comes before every one that holds none.
//!
//! With `bm25_short` s > 0 or `bm25_long` v > 0 words are balanced by length: W and I count
//! n/(n + min(s, u/2)) · v/(min(n, u) + v) times, n the text's words (bytes over 6), u how many are
//! usual for its agent, role and kind (see [`crate::usual`]). BM25's own normalisation prefers the
//! shortest texts, which in a conversation say least, and measures length against the mean, which one
//! very long memory moves for all others. Scripts without blanks gain nothing from it.
//!
//! Inputs: the routed terms, the scope. Output: at most `depth` memories, best first, ties by id,
//! with the five numbers; per term, how many memories contain it.
//! Guarantee: an index that fails is named, and the other or the scan answers in its place; no text
//! of the query is ever read as syntax.

mod run;

use std::collections::{BTreeSet, HashMap};

use self::run::Run;
use crate::ids::Scope;
use crate::postings::Postings;
use crate::report::Report;
use crate::scan::scan;
use crate::stage::route::term::{Literal, Phrase, Term};
use crate::usual::Length;
use memory::{Filter, MemoryId, Millis, Reader};

const TRIGRAM_WEIGHT: f64 = 0.2;
const INSIDE_WEIGHT: f64 = 0.2;

/// The factor of a text's length, see the formula; a constant of 0 leaves its half out.
pub fn length_factor(length: Length, short: f64, long: f64) -> f64 {
    let half_short = if short > 0.0 {
        length.words / (length.words + short.min(length.usual / 2.0))
    } else {
        1.0
    };
    let half_long = if long > 0.0 {
        long / (length.counted() + long)
    } else {
        1.0
    };
    half_short * half_long
}

/// How many rows an index is asked for when a scope keeps some of them out.
const SCOPED_LIMIT: u32 = 5000;

/// The stage's formula over its five numbers.
pub fn combine(word: f64, trigram: f64, inside: f64, substring: f64, exact: f64) -> f64 {
    word + TRIGRAM_WEIGHT * trigram + INSIDE_WEIGHT * inside + substring + exact
}

/// The bonus of a text that holds exact forms of so much weight, of those asked for: their share,
/// times the best score without it. A part of one whole form earns no more than its own weight,
/// whatever else was asked.
pub fn exact_bonus<'a>(held: f64, asked: impl IntoIterator<Item = &'a Literal>, best: f64) -> f64 {
    let all: f64 = asked.into_iter().map(|literal| literal.weight).sum();
    best * held / all.max(1.0)
}

/// One memory of the keyword list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KeywordParts {
    /// BM25 of the word index.
    pub word: f64,
    /// BM25 of the trigram index for text without blanks.
    pub trigram: f64,
    /// BM25 of the trigram index for words inside words.
    pub inside: f64,
    /// BM25 of the substring scan.
    pub substring: f64,
    /// Bonus for exact forms.
    pub exact: f64,
}

impl KeywordParts {
    /// [`combine`] over the parts.
    pub fn score(&self) -> f64 {
        self.balanced(1.0)
    }

    /// The same with the factor of a text's length on the words.
    pub fn balanced(&self, length: f64) -> f64 {
        combine(
            length * self.word,
            self.trigram,
            length * self.inside,
            self.substring,
            self.exact,
        )
    }
}

/// What the indexes were asked, kept for the ledger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Phrases of the word index, any of which may match.
    pub words: BTreeSet<Phrase>,
    /// Phrases of the trigram index for text without blanks.
    pub trigrams: BTreeSet<Phrase>,
    /// Phrases of the trigram index for words inside words.
    pub inside: BTreeSet<Phrase>,
    /// The same for words that stand in some memory as whole ones.
    pub partly: BTreeSet<Phrase>,
    /// What these count of their BM25, 0..1.
    pub partly_share: f64,
    /// Needles of the scan.
    pub needles: BTreeSet<String>,
    /// Exact forms.
    pub literals: Vec<Literal>,
    /// The highest score without the bonus.
    pub best_without_bonus: f64,
}

/// What the leg found and how it went.
#[derive(Clone, Debug)]
pub struct KeywordOutcome {
    /// How it went.
    pub report: Report,
    /// Best first.
    pub hits: Vec<(MemoryId, KeywordParts)>,
    /// Per term of the route, how many memories contain it.
    pub matched: Vec<Option<u32>>,
    /// What the indexes were asked.
    pub asked: Asked,
}

impl KeywordOutcome {
    /// Nothing, and why.
    pub fn none(report: Report, terms: usize) -> Self {
        Self {
            report,
            hits: Vec::new(),
            matched: vec![None; terms],
            asked: Asked::default(),
        }
    }
}

/// Which indexes are made to fail, in tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// The word index.
    pub word_index: bool,
    /// The trigram index.
    pub trigram_index: bool,
    /// The vectors in memory.
    pub mirror: bool,
}

/// What the leg works with.
pub struct KeywordInput<'a> {
    /// The terms.
    pub terms: &'a [Term],
    /// The words in memory, which answer faster than the indexes; `None` leaves all to these.
    pub postings: Option<&'a Postings>,
    /// The filter, which the indexes apply themselves.
    pub filter: &'a Filter,
    /// What else may not be returned.
    pub scope: &'a Scope,
    /// The clock, for expiry.
    pub now: Millis,
    /// How many.
    pub depth: usize,
    /// Faults to inject.
    pub faults: Faults,
}

/// Runs the leg.
pub fn bm25(reader: &Reader<'_>, input: &KeywordInput<'_>) -> KeywordOutcome {
    // What cannot be read from memory is read from the indexes, which are the reference.
    let words = input
        .postings
        .and_then(|postings| postings.current(reader).ok().flatten());
    let mut run = Run {
        reader,
        input,
        words,
        limit: if input.scope.is_open() {
            input.depth as u32
        } else {
            SCOPED_LIMIT.max(input.depth as u32)
        },
        word_fault: None,
        trigram_fault: None,
        scan_fault: None,
        parts: HashMap::new(),
    };
    let mut report = Report::ok();
    let mut matched: Vec<Option<u32>> = vec![None; input.terms.len()];
    let mut asked = Asked::default();

    run.ask_words(&mut asked, &mut matched);
    run.ask_inside(&mut asked, &mut matched, &mut report);
    run.ask_trigrams(&mut asked, &mut matched, &mut report);
    if run.word_fault.is_some() && run.trigram_fault.is_some() {
        report = Report::failed(format!(
            "both keyword indexes failed ({}; {})",
            run.word_fault.as_deref().unwrap_or_default(),
            run.trigram_fault.as_deref().unwrap_or_default()
        ));
        return KeywordOutcome {
            report,
            hits: Vec::new(),
            matched,
            asked,
        };
    }
    run.scan_needles(&mut asked, &mut matched, &mut report);
    if let Some(why) = &run.word_fault {
        report.degrade(format!(
            "the word index failed ({why}): words were looked for in the trigram index"
        ));
    }
    if let Some(why) = &run.trigram_fault {
        report.degrade(format!(
            "the trigram index failed ({why}): text without blanks was looked for as substrings"
        ));
    }
    if let Some(why) = &run.scan_fault {
        report.degrade(format!("the substring scan failed ({why})"));
    }
    if let Err(error) = run.reward_exact_forms(&mut asked) {
        report.degrade(format!("exact forms could not be checked ({error})"));
    }
    let hits = ranked(run.parts, input.depth);
    KeywordOutcome {
        report,
        hits,
        matched,
        asked,
    }
}

/// The last resort when neither leg can answer: memories that contain the terms, by substring.
pub fn by_substring(reader: &Reader<'_>, input: &KeywordInput<'_>, why: &str) -> KeywordOutcome {
    let needles: BTreeSet<String> = asked_terms(input.terms)
        .map(|(_, term)| term.folded.clone())
        .filter(|needle| !needle.trim().is_empty())
        .collect();
    let list: Vec<String> = needles.iter().cloned().collect();
    match scan(reader, None, &list, input.scope) {
        Ok(found) => {
            let parts = found
                .hits
                .into_iter()
                .map(|(id, substring)| {
                    (
                        id,
                        KeywordParts {
                            substring,
                            ..KeywordParts::default()
                        },
                    )
                })
                .collect();
            let matched = input
                .terms
                .iter()
                .map(|term| {
                    list.iter()
                        .position(|needle| *needle == term.folded)
                        .map(|at| found.found[at])
                })
                .collect();
            KeywordOutcome {
                report: Report::degraded(format!(
                    "{why}: memories were searched for the text itself"
                )),
                hits: ranked(parts, input.depth),
                matched,
                asked: Asked {
                    needles,
                    ..Asked::default()
                },
            }
        }
        Err(error) => KeywordOutcome::none(
            Report::failed(format!("{why}; and the texts cannot be read: {error}")),
            input.terms.len(),
        ),
    }
}

fn asked_terms(terms: &[Term]) -> impl Iterator<Item = (usize, &Term)> {
    terms
        .iter()
        .enumerate()
        .filter(|(_, term)| !term.is_ignored() && !term.shown.excluded)
}

fn ranked(parts: HashMap<MemoryId, KeywordParts>, depth: usize) -> Vec<(MemoryId, KeywordParts)> {
    let mut hits: Vec<(MemoryId, KeywordParts)> = parts.into_iter().collect();
    hits.sort_by(|a, b| crate::order::by_score_then_id((a.1.score(), a.0), (b.1.score(), b.0)));
    hits.truncate(depth);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_the_constants_length_counts_half() {
        let length = |words: f64, usual: f64| Length { words, usual };
        assert_eq!(length_factor(length(1.0, 1.0), 0.0, 0.0), 1.0);
        assert!((length_factor(length(30.0, 90.0), 30.0, 0.0) - 0.5).abs() < 1e-12);
        assert!((length_factor(length(400.0, 900.0), 0.0, 400.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_counts_as_longer_than_usual_and_short_is_half_of_it() {
        let length = |words: f64, usual: f64| Length { words, usual };
        let usual = length_factor(length(100.0, 100.0), 0.0, 400.0);
        assert!((length_factor(length(5000.0, 100.0), 0.0, 400.0) - usual).abs() < 1e-12);
        assert!((length_factor(length(10.0, 20.0), 200.0, 0.0) - 0.5).abs() < 1e-12);
    }
}

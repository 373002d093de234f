//! bm25: the memories that contain words of the query.
//!
//! Formula: s(d) = W(d) + 0.5·T(d) + 0.2·I(d) + 4·S(d) + E(d), where
//! - W is BM25 over the word index (any word may match), k₁ = 1.2, b = 0.75, columns weighted
//!   content 1, tool name 0.6, payload 0.4. Source: Robertson and Zaragoza, "The Probabilistic
//!   Relevance Framework", 2009, as computed by SQLite's `bm25()`, sign turned;
//! - T is BM25 over the trigram index for text in scripts without blanks. Overlapping pieces count
//!   every character up to three times, hence the half;
//! - I is BM25 over the trigram index for words found inside longer ones (`shipping` in
//!   `getShippingMethodId`): below any hit of the whole word;
//! - S in 0..1 is the substring scan for what no index can answer (see [`crate::scan`]);
//! - E is the bonus for exact forms: the share of the query's identifiers, addresses, paths and
//!   quoted phrases that stand in the memory exactly so, times the best score without it. A memory
//!   that holds all of them comes before every one that holds none.
//!
//! Inputs: the routed terms, the scope. Output: at most `depth` memories, best first, ties by id,
//! with the five numbers; per term, how many memories contain it.
//! Guarantee: an index that fails is named, and the other or the scan answers in its place; no text
//! of the query is ever read as syntax.

use std::collections::{BTreeSet, HashMap};

use memory::{Filter, MemoryId, Millis, Reader, VaultError};
use unicode_normalization::UnicodeNormalization;

use crate::ids::Scope;
use crate::report::Report;
use crate::scan::scan;
use crate::stage::route::term::{Literal, Phrase, Term, any_of};
use crate::trace::Status;

const TRIGRAM_WEIGHT: f64 = 0.5;
const INSIDE_WEIGHT: f64 = 0.2;
const SUBSTRING_WEIGHT: f64 = 4.0;
/// A word that more memories than this contain as a word is not looked for inside longer ones.
const INSIDE_CAP: u32 = 2000;
/// Above so many memories, pairs of characters are looked for only when pieces of three found few.
const PAIRS_CAP: u32 = 20_000;
/// What counts as few.
const FEW_HITS: usize = 40;
/// How many rows an index is asked for when a scope keeps some of them out.
const SCOPED_LIMIT: u32 = 5000;

/// The stage's formula over its five numbers.
pub fn combine(word: f64, trigram: f64, inside: f64, substring: f64, exact: f64) -> f64 {
    word + TRIGRAM_WEIGHT * trigram + INSIDE_WEIGHT * inside + SUBSTRING_WEIGHT * substring + exact
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
    /// Substring matches, 0..1.
    pub substring: f64,
    /// Bonus for exact forms.
    pub exact: f64,
}

impl KeywordParts {
    /// [`combine`] over the parts.
    pub fn score(&self) -> f64 {
        combine(
            self.word,
            self.trigram,
            self.inside,
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

/// One run over the indexes.
struct Run<'a> {
    reader: &'a Reader<'a>,
    input: &'a KeywordInput<'a>,
    limit: u32,
    word_fault: Option<String>,
    trigram_fault: Option<String>,
    scan_fault: Option<String>,
    parts: HashMap<MemoryId, KeywordParts>,
}

/// Runs the leg.
pub fn bm25(reader: &Reader<'_>, input: &KeywordInput<'_>) -> KeywordOutcome {
    let mut run = Run {
        reader,
        input,
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
    match scan(reader, &list, input.scope) {
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

impl Run<'_> {
    fn words(&mut self, expression: &str) -> Option<Vec<(MemoryId, f64)>> {
        let result = if self.input.faults.word_index {
            Err(VaultError::Damaged)
        } else {
            self.reader
                .words()
                .search(expression, self.input.filter, self.input.now, self.limit)
        };
        result
            .map_err(|error| self.word_fault = Some(error.to_string()))
            .ok()
    }

    fn trigrams(&mut self, expression: &str) -> Option<Vec<(MemoryId, f64)>> {
        let result = if self.input.faults.trigram_index {
            Err(VaultError::Damaged)
        } else {
            self.reader
                .trigrams()
                .search(expression, self.input.filter, self.input.now, self.limit)
        };
        result
            .map_err(|error| self.trigram_fault = Some(error.to_string()))
            .ok()
    }

    fn count_words(&mut self, phrases: &[Phrase]) -> Option<u32> {
        if self.word_fault.is_some() {
            return None;
        }
        let expression = any_of(phrases)?;
        let result = if self.input.faults.word_index {
            Err(VaultError::Damaged)
        } else {
            self.reader
                .words()
                .matches(&expression, self.input.filter, self.input.now)
        };
        result
            .map_err(|error| self.word_fault = Some(error.to_string()))
            .ok()
    }

    fn count_trigrams(&mut self, phrases: &[Phrase]) -> Option<u32> {
        if self.trigram_fault.is_some() {
            return None;
        }
        let expression = any_of(phrases)?;
        let result = if self.input.faults.trigram_index {
            Err(VaultError::Damaged)
        } else {
            self.reader
                .trigrams()
                .matches(&expression, self.input.filter, self.input.now)
        };
        result
            .map_err(|error| self.trigram_fault = Some(error.to_string()))
            .ok()
    }

    fn add(&mut self, hits: Vec<(MemoryId, f64)>, into: impl Fn(&mut KeywordParts) -> &mut f64) {
        for (id, score) in hits {
            if self.input.scope.lets(id) && score.is_finite() {
                *into(self.parts.entry(id).or_default()) += score;
            }
        }
    }

    fn ask_words(&mut self, asked: &mut Asked, matched: &mut [Option<u32>]) {
        for (at, term) in asked_terms(self.input.terms) {
            let whole = self.count_words(&term.words);
            matched[at] = whole;
            asked.words.extend(term.words.iter().cloned());
            if !term.parts_as_last_resort || whole == Some(0) {
                asked.words.extend(term.parts.iter().cloned());
            }
            asked.literals.extend(term.literals.iter().cloned());
        }
        if let Some(expression) = any_of(&asked.words)
            && let Some(hits) = self.words(&expression)
        {
            self.add(hits, |parts| &mut parts.word);
        }
    }

    /// Words inside words; all words when the word index is down.
    fn ask_inside(&mut self, asked: &mut Asked, matched: &mut [Option<u32>], report: &mut Report) {
        let mut common = 0;
        for (at, term) in asked_terms(self.input.terms) {
            let too_common = matched[at].is_some_and(|count| count > INSIDE_CAP);
            common += u32::from(too_common && !term.inside.is_empty());
            if !too_common {
                asked.inside.extend(term.inside.iter().cloned());
            }
        }
        if common > 0 {
            report.notes.push(format!(
                "{common} common word(s) were looked for as whole words only, which saves time."
            ));
        }
        let mut phrases = asked.inside.clone();
        if self.word_fault.is_some() {
            let long = |phrase: &&Phrase| phrase.text.chars().count() >= 3;
            phrases.extend(asked.words.iter().filter(long).map(|p| Phrase {
                text: p.text.clone(),
                prefix: false,
            }));
        }
        let Some(expression) = any_of(&phrases) else {
            // Nothing to ask, but a broken index must be known for the fallbacks.
            if self.word_fault.is_some() && self.input.faults.trigram_index {
                self.trigram_fault = Some(VaultError::Damaged.to_string());
            }
            return;
        };
        if let Some(hits) = self.trigrams(&expression) {
            self.add(hits, |parts| &mut parts.inside);
        }
        for (at, term) in asked_terms(self.input.terms) {
            let wanted = matched[at].is_none_or(|count| count == 0);
            if wanted && let Some(count) = self.count_trigrams(&term.inside) {
                matched[at] = Some(count);
            }
        }
    }

    fn ask_trigrams(
        &mut self,
        asked: &mut Asked,
        matched: &mut [Option<u32>],
        report: &mut Report,
    ) {
        for (at, term) in asked_terms(self.input.terms) {
            asked.trigrams.extend(term.trigrams.iter().cloned());
            if !term.trigrams.is_empty() {
                matched[at] = self.count_trigrams(&term.trigrams);
            }
        }
        let found = match any_of(&asked.trigrams) {
            Some(expression) => {
                let hits = self.trigrams(&expression).unwrap_or_default();
                let found = hits.len();
                self.add(hits, |parts| &mut parts.trigram);
                found
            }
            None => 0,
        };
        let rows = self
            .reader
            .words()
            .statistics()
            .map_or(0, |statistics| statistics.rows);
        let pairs: BTreeSet<String> = asked_terms(self.input.terms)
            .flat_map(|(_, term)| term.pairs.iter().cloned())
            .collect();
        if pairs.is_empty() {
            return;
        }
        if rows <= PAIRS_CAP || found < FEW_HITS {
            asked.needles.extend(pairs);
        } else {
            report.notes.push(
                "Pairs of characters were not looked for: pieces of three found enough.".to_owned(),
            );
        }
    }

    fn scan_needles(
        &mut self,
        asked: &mut Asked,
        matched: &mut [Option<u32>],
        report: &mut Report,
    ) {
        for (_, term) in asked_terms(self.input.terms) {
            asked.needles.extend(term.needles.iter().cloned());
            if self.trigram_fault.is_some() {
                asked
                    .needles
                    .extend(term.trigrams.iter().map(|phrase| phrase.text.clone()));
            }
            if self.word_fault.is_some() && term.inside.is_empty() && !term.words.is_empty() {
                // Too short for trigrams.
                asked.needles.insert(term.folded.clone());
            }
        }
        let needles: Vec<String> = asked.needles.iter().cloned().collect();
        if needles.is_empty() {
            return;
        }
        let found = match scan(self.reader, &needles, self.input.scope) {
            Ok(found) => found,
            Err(error) => {
                self.scan_fault = Some(error.to_string());
                return;
            }
        };
        for (at, term) in asked_terms(self.input.terms) {
            let counts = needles
                .iter()
                .zip(&found.found)
                .filter(|(needle, _)| {
                    term.needles.contains(needle)
                        || matched[at].is_none() && term.folded == **needle
                })
                .map(|(_, count)| *count);
            if let Some(count) = counts.max() {
                matched[at] = Some(matched[at].map_or(count, |old| old.max(count)));
            }
        }
        self.add(found.hits, |parts| &mut parts.substring);
        if report.status == Status::Ok && needles.len() == 1 {
            report
                .notes
                .push("One short piece was looked for by reading every text.".to_owned());
        }
    }

    /// Adds the bonus, see the formula.
    fn reward_exact_forms(&mut self, asked: &mut Asked) -> Result<(), VaultError> {
        let best = self
            .parts
            .values()
            .map(KeywordParts::score)
            .fold(0.0, f64::max);
        asked.best_without_bonus = best;
        if asked.literals.is_empty() || self.parts.is_empty() {
            return Ok(());
        }
        let ids: Vec<MemoryId> = self.parts.keys().copied().collect();
        let mut held: HashMap<MemoryId, f64> = HashMap::new();
        let (accented, folded): (Vec<&Literal>, Vec<&Literal>) =
            asked.literals.iter().partition(|literal| literal.accented);
        if !folded.is_empty() {
            for (id, columns) in self.reader.text().folded_columns(&ids)? {
                *held.entry(id).or_default() += weight_in(&folded, &columns);
            }
        }
        if !accented.is_empty() {
            for memory in self.reader.memories().get_many(&ids)? {
                let text: String = memory.content.nfc().collect::<String>().to_lowercase();
                *held.entry(memory.id).or_default() += weight_in(&accented, &[text]);
            }
        }
        let all: f64 = asked
            .literals
            .iter()
            .map(|literal| literal.weight)
            .sum::<f64>()
            .max(1.0);
        for (id, weight) in held {
            if let Some(parts) = self.parts.get_mut(&id) {
                parts.exact = best * weight / all;
            }
        }
        Ok(())
    }
}

fn weight_in(literals: &[&Literal], texts: &[String]) -> f64 {
    literals
        .iter()
        .filter(|literal| texts.iter().any(|text| literal.is_in(text)))
        .map(|literal| literal.weight)
        .sum()
}

//! One run over the keyword indexes and the texts.

use std::collections::{BTreeSet, HashMap, HashSet};

use memory::{KeywordIndex, MATCH_COUNT_CAP, MemoryId, Reader, VaultError, fold};
use unicode_normalization::UnicodeNormalization;

use super::{Asked, INSIDE_WEIGHT, KeywordInput, KeywordParts, asked_terms, exact_bonus};
use crate::postings::{Ask, Words};
use crate::report::{Report, Status};
use crate::scan::scan;
use crate::stage::route::term::{Literal, PartsAsked, Phrase, any_of};

/// A word that more memories than this contain as a word is not looked for inside longer ones.
const INSIDE_CAP: u32 = 2000;

/// Above so many memories, pairs of characters are looked for only when pieces of three found few.
const PAIRS_CAP: u32 = 20_000;

/// What the best memory with a mere part of a word gets of the score of the last one that holds
/// the whole.
const PARTLY_BELOW: f64 = 0.9;

/// What counts as few.
const FEW_HITS: usize = 40;

/// One run over the indexes.
pub(super) struct Run<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) input: &'a KeywordInput<'a>,
    pub(super) words: Option<Words<'a>>,
    pub(super) limit: u32,
    pub(super) word_fault: Option<String>,
    pub(super) trigram_fault: Option<String>,
    pub(super) scan_fault: Option<String>,
    pub(super) parts: HashMap<MemoryId, KeywordParts>,
}

/// Which index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Words,
    Trigrams,
}

impl Run<'_> {
    fn index(&self, index: Index) -> Result<KeywordIndex<'_>, VaultError> {
        let (fails, keyword) = match index {
            Index::Words => (self.input.faults.word_index, self.reader.words()),
            Index::Trigrams => (self.input.faults.trigram_index, self.reader.trigrams()),
        };
        if fails {
            return Err(VaultError::Damaged);
        }
        Ok(keyword)
    }

    fn note_fault<T>(&mut self, index: Index, result: Result<T, VaultError>) -> Option<T> {
        let fault = match index {
            Index::Words => &mut self.word_fault,
            Index::Trigrams => &mut self.trigram_fault,
        };
        result
            .map_err(|error| *fault = Some(error.to_string()))
            .ok()
    }

    /// What can be answered from memory, and what only the index can.
    fn split<'p>(
        &self,
        index: Index,
        phrases: impl IntoIterator<Item = &'p Phrase>,
    ) -> Result<(Vec<Ask>, Vec<&'p Phrase>), VaultError> {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let distinct: BTreeSet<&Phrase> = phrases.into_iter().collect();
        for phrase in distinct {
            let ask = match (&self.words, index) {
                (None, _) => None,
                (Some(words), Index::Words) => words.term(self.reader, phrase)?,
                (Some(_), Index::Trigrams) => Words::piece(phrase),
            };
            match ask {
                // Words with one stem would count it once each, as they do in the index.
                Some(ask) => here.push(ask),
                None => there.push(phrase),
            }
        }
        Ok((here, there))
    }

    /// The best memories for any of the phrases, best first.
    fn search<'p>(
        &mut self,
        index: Index,
        phrases: impl IntoIterator<Item = &'p Phrase>,
    ) -> Option<Vec<(MemoryId, f64)>> {
        let result = self.try_search(index, phrases);
        self.note_fault(index, result)
    }

    fn try_search<'p>(
        &self,
        index: Index,
        phrases: impl IntoIterator<Item = &'p Phrase>,
    ) -> Result<Vec<(MemoryId, f64)>, VaultError> {
        let KeywordInput {
            filter, scope, now, ..
        } = *self.input;
        let keyword = self.index(index)?;
        let (here, there) = self.split(index, phrases)?;
        let (Some(words), false) = (&self.words, here.is_empty()) else {
            return match any_of(there) {
                Some(expression) => keyword.search(&expression, filter, now, self.limit),
                None => Ok(Vec::new()),
            };
        };
        // A sum: a memory may have its share of it from either side.
        let others = match any_of(there) {
            Some(expression) => keyword.search(&expression, filter, now, u32::MAX)?,
            None => Vec::new(),
        };
        let passes = |id| scope.lets(id);
        Ok(words.best(&here, &others, self.limit as usize, &passes))
    }

    /// How many memories hold any of the phrases, whatever else the query requires.
    fn count<'p>(
        &mut self,
        index: Index,
        phrases: impl IntoIterator<Item = &'p Phrase>,
    ) -> Option<u32> {
        let faulty = match index {
            Index::Words => self.word_fault.is_some(),
            Index::Trigrams => self.trigram_fault.is_some(),
        };
        let phrases: Vec<&Phrase> = phrases.into_iter().collect();
        if faulty || phrases.is_empty() {
            return None;
        }
        let result = self.try_count(index, &phrases);
        self.note_fault(index, result)
    }

    fn try_count(&self, index: Index, phrases: &[&Phrase]) -> Result<u32, VaultError> {
        let keyword = self.index(index)?;
        let (here, there) = self.split(index, phrases.iter().copied())?;
        if let (Some(words), true) = (&self.words, there.is_empty()) {
            let passes = |id| self.input.scope.passes_filter(id);
            return Ok(words.matches(&here, MATCH_COUNT_CAP, &passes));
        }
        match any_of(phrases.iter().copied()) {
            Some(expression) => keyword.matches(&expression, self.input.filter, self.input.now),
            None => Ok(0),
        }
    }

    fn add(&mut self, hits: Vec<(MemoryId, f64)>, into: impl Fn(&mut KeywordParts) -> &mut f64) {
        for (id, score) in hits {
            if self.input.scope.lets(id) && score.is_finite() {
                *into(self.parts.entry(id).or_default()) += score;
            }
        }
    }

    pub(super) fn ask_words(&mut self, asked: &mut Asked, matched: &mut [Option<u32>]) {
        for (at, term) in asked_terms(self.input.terms) {
            let whole = self.count(Index::Words, &term.words);
            matched[at] = whole;
            if term.parts_asked != PartsAsked::Instead {
                asked.words.extend(term.words.iter().cloned());
            }
            if term.parts_asked != PartsAsked::LastResort || whole == Some(0) {
                asked.words.extend(term.parts.iter().cloned());
            }
            asked.literals.extend(term.literals.iter().cloned());
        }
        if !asked.words.is_empty()
            && let Some(hits) = self.search(Index::Words, &asked.words)
        {
            self.add(hits, |parts| &mut parts.word);
        }
    }

    /// Words inside words; all words when the word index is down.
    pub(super) fn ask_inside(
        &mut self,
        asked: &mut Asked,
        matched: &mut [Option<u32>],
        report: &mut Report,
    ) {
        let mut common = 0;
        for (at, term) in asked_terms(self.input.terms) {
            let too_common = matched[at].is_some_and(|count| count > INSIDE_CAP);
            common += u32::from(too_common && !term.inside.is_empty());
            if !too_common {
                let stands_whole = matched[at].is_some_and(|count| count > 0);
                let into = if stands_whole {
                    &mut asked.partly
                } else {
                    &mut asked.inside
                };
                into.extend(term.inside.iter().cloned());
            }
        }
        asked.partly = &asked.partly - &asked.inside;
        self.ask_partly(asked);
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
        if phrases.is_empty() {
            // Nothing to ask, but a broken index must be known for the fallbacks.
            if self.word_fault.is_some() && self.input.faults.trigram_index {
                self.trigram_fault = Some(VaultError::Damaged.to_string());
            }
            return;
        }
        if let Some(hits) = self.search(Index::Trigrams, &phrases) {
            self.add(hits, |parts| &mut parts.inside);
        }
        for (at, term) in asked_terms(self.input.terms) {
            let wanted = matched[at].is_none_or(|count| count == 0);
            if wanted && let Some(count) = self.count(Index::Trigrams, &term.inside) {
                matched[at] = Some(count);
            }
        }
    }

    /// Parts of words that others hold as whole ones, below all of these.
    fn ask_partly(&mut self, asked: &mut Asked) {
        if asked.partly.is_empty() {
            return;
        }
        let whole = self.parts.values().map(|parts| parts.word);
        let least = whole.filter(|word| *word > 0.0).fold(f64::MAX, f64::min);
        let hits = self
            .search(Index::Trigrams, &asked.partly)
            .unwrap_or_default();
        let best = hits.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        asked.partly_share = if best > 0.0 {
            (PARTLY_BELOW * least / (INSIDE_WEIGHT * best)).min(1.0)
        } else {
            1.0
        };
        let share = asked.partly_share;
        let hits = hits.into_iter().map(|(id, score)| (id, score * share));
        self.add(hits.collect(), |parts| &mut parts.inside);
    }

    pub(super) fn ask_trigrams(
        &mut self,
        asked: &mut Asked,
        matched: &mut [Option<u32>],
        report: &mut Report,
    ) {
        for (at, term) in asked_terms(self.input.terms) {
            asked.trigrams.extend(term.trigrams.iter().cloned());
            if !term.trigrams.is_empty() {
                matched[at] = self.count(Index::Trigrams, &term.trigrams);
            }
        }
        let mut found = 0;
        if !asked.trigrams.is_empty() {
            let hits = self
                .search(Index::Trigrams, &asked.trigrams)
                .unwrap_or_default();
            found = hits.len();
            self.add(hits, |parts| &mut parts.trigram);
        }
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

    pub(super) fn scan_needles(
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
        let found = match scan(self.reader, self.words.as_ref(), &needles, self.input.scope) {
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
    pub(super) fn reward_exact_forms(&mut self, asked: &mut Asked) -> Result<(), VaultError> {
        let best = self
            .parts
            .values()
            .map(KeywordParts::score)
            .fold(0.0, f64::max);
        asked.best_without_bonus = best;
        if asked.literals.is_empty() || self.parts.is_empty() {
            return Ok(());
        }
        let ids = self.possible_holders(&asked.literals);
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
        for (id, weight) in held {
            if let Some(parts) = self.parts.get_mut(&id) {
                parts.exact = exact_bonus(weight, &asked.literals, best);
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// The hits that may hold one of the literals: all of them, or those that the words in memory
    /// do not rule out.
    fn possible_holders(&self, literals: &[Literal]) -> Vec<MemoryId> {
        let all: Vec<MemoryId> = self.parts.keys().copied().collect();
        let shortlist = self.words.as_ref().and_then(|words| {
            let mut any = HashSet::new();
            for literal in literals {
                any.extend(words.possible_holders(&fold(&literal.text), &all)?);
            }
            Some(any.into_iter().collect())
        });
        shortlist.unwrap_or(all)
    }
}

fn weight_in(literals: &[&Literal], texts: &[String]) -> f64 {
    literals
        .iter()
        .filter(|literal| texts.iter().any(|text| literal.is_in(text)))
        .map(|literal| literal.weight)
        .sum()
}

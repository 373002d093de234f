//! The ledger: why the keyword leg gave one memory its score, term by term, and the sparse leg, word by word.
//!
//! Formula: Σ over phrases p of idf(p) · f·(k₁ + 1) / (f + k₁·L), with
//! idf(p) = max(ln((N − n + ½)/(n + ½)), 10⁻⁶) over N rows of which n hold p,
//! f the occurrences of p, each counting its column's weight, and L = 1 − b + b·length/average
//! length over all columns. Source: SQLite's own `bm25()` (k₁ and b are fixed there);
//! the sum must reproduce it within 10⁻⁹, or the ledger says that it does not. The formula of the sparse leg
//! stands in [`crate::stage::sparse`].

use std::collections::BTreeSet;

use memory::{COLUMN_WEIGHTS, KeywordIndex, MemoryId, VaultError};
use models::Words;

use crate::arithmetic::TOLERANCE;
use crate::engine::Engine;
use crate::gathered::Gathered;
use crate::scan::{length_norm, part, scan};
use crate::stage::route::term::{Phrase, any_of};
use crate::trace::TermRoute;

/// What `bm25()` takes for the idf of a phrase that half of the rows hold, or more.
const LEAST_IDF: f64 = 1e-6;

/// One phrase's part in a memory's keyword score.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerRow {
    /// The phrase as the index was asked for it.
    pub term: String,
    /// Which index.
    pub index: TermRoute,
    /// How many memories hold it, filters aside.
    pub document_frequency: u32,
    /// Inverse document frequency.
    pub idf: f64,
    /// Occurrences here, each counting its column's weight.
    pub term_frequency: f64,
    /// L.
    pub length_norm: f64,
    /// Its part of the sum.
    pub contribution: f64,
}

/// All rows of one index, with the index's own answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// The sum of the contributions.
    pub sum: f64,
    /// What SQLite's `bm25()` says, sign turned; `None` when the memory does not match.
    pub engine: Option<f64>,
}

impl Sum {
    /// Two sums as one.
    fn and(self, other: Self) -> Self {
        let engine = match (self.engine, other.engine) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0.0) + two.unwrap_or(0.0)),
        };
        Self {
            sum: self.sum + other.sum,
            engine,
        }
    }

    /// Whether both agree.
    pub fn reconciles(&self) -> bool {
        (self.sum - self.engine.unwrap_or(0.0)).abs() < TOLERANCE
    }
}

/// A word that the query and a memory share, as the expander sees both.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedWord {
    /// How it is written.
    pub word: String,
    /// Whether it stands in the query.
    pub typed: bool,
    /// Its weight in the query times its rarity.
    pub query_weight: f64,
    /// Its weight in the memory.
    pub memory_weight: f64,
}

impl SharedWord {
    /// Its part of the sum.
    pub fn product(&self) -> f64 {
        self.query_weight * self.memory_weight
    }
}

/// The ledger of one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    /// The memory.
    pub id: MemoryId,
    /// A row per phrase and needle, those that match nothing here too.
    pub rows: Vec<LedgerRow>,
    /// The word index.
    pub words: Sum,
    /// The trigram index, text without blanks.
    pub trigrams: Sum,
    /// The trigram index, words inside words.
    pub inside: Sum,
    /// What the sparse leg adds up, the largest part first.
    pub shared: Vec<SharedWord>,
}

impl Ledger {
    /// What the sparse leg gives it.
    pub fn shared_sum(&self) -> f64 {
        self.shared.iter().map(SharedWord::product).sum()
    }

    /// Whether every index agrees with its rows.
    pub fn reconciles(&self) -> bool {
        [&self.words, &self.trigrams, &self.inside]
            .into_iter()
            .all(Sum::reconciles)
    }
}

impl Engine {
    /// The ledger of a memory for a gathered query, whether or not the query found it.
    ///
    /// # Errors
    /// Those of the vault; a memory that is not there has only zeros.
    pub fn ledger(&self, gathered: &Gathered, id: MemoryId) -> Result<Ledger, VaultError> {
        let asked = &gathered.asked;
        let words = self.words_of(id)?;
        let shared = words.map_or_else(Vec::new, |words| gathered.shared_words(&words));
        self.vault().read(|reader| {
            let texts = reader
                .text()
                .folded_columns(&[id])?
                .pop()
                .map_or_else(Default::default, |(_, columns)| columns);
            let mut rows = Vec::new();
            let words = tally(
                &reader.words(),
                &asked.words,
                &texts,
                id,
                TermRoute::Word,
                &mut rows,
            )?;
            let trigrams = tally(
                &reader.trigrams(),
                &asked.trigrams,
                &texts,
                id,
                TermRoute::Trigram,
                &mut rows,
            )?;
            let inside = tally(
                &reader.trigrams(),
                &asked.inside,
                &texts,
                id,
                TermRoute::Trigram,
                &mut rows,
            )?;
            let from = rows.len();
            let mut partly = tally(
                &reader.trigrams(),
                &asked.partly,
                &texts,
                id,
                TermRoute::Trigram,
                &mut rows,
            )?;
            for row in &mut rows[from..] {
                row.contribution *= asked.partly_share;
            }
            partly.sum *= asked.partly_share;
            partly.engine = partly.engine.map(|score| score * asked.partly_share);
            let inside = inside.and(partly);
            let needles: Vec<String> = asked.needles.iter().cloned().collect();
            let scan = scan(reader, None, &needles, &gathered.scope)?;
            let length: usize = texts.iter().map(String::len).sum();
            let norm = length_norm(length as f64, scan.average);
            for ((needle, document_frequency), idf) in
                needles.into_iter().zip(scan.found).zip(scan.idf)
            {
                let count: usize = texts.iter().map(|text| overlapping(text, &needle)).sum();
                rows.push(LedgerRow {
                    term: needle,
                    index: TermRoute::Substring,
                    document_frequency,
                    idf,
                    term_frequency: count as f64,
                    length_norm: norm,
                    contribution: part(idf, count as f64, norm),
                });
            }
            Ok(Ledger {
                id,
                rows,
                words,
                trigrams,
                inside,
                shared,
            })
        })
    }

    /// The words that the expander kept of a memory; `None` without any, or without an expander.
    pub(crate) fn words_of(&self, id: MemoryId) -> Result<Option<Words>, VaultError> {
        let Some(embedder) = self.embedder() else {
            return Ok(None);
        };
        let Some(expander) = embedder.expander() else {
            return Ok(None);
        };
        let packed = self
            .vault()
            .read(|reader| reader.embeddings().words_of(expander.id(), id))?;
        Ok(packed.and_then(|packed| Words::from_bytes(&packed)))
    }
}

impl Gathered {
    /// What the query shares with these words, the largest part first.
    fn shared_words(&self, words: &Words) -> Vec<SharedWord> {
        let mut shared: Vec<SharedWord> = self
            .expansion
            .iter()
            .map(|asked| SharedWord {
                word: asked.shown.word.clone(),
                typed: asked.shown.typed,
                query_weight: asked.factor(),
                memory_weight: words.weight(asked.number),
            })
            .filter(|word| word.memory_weight > 0.0)
            .collect();
        shared.sort_by(|a, b| b.product().total_cmp(&a.product()));
        shared
    }

    /// The score that the sparse leg gives to a text of these words.
    pub(crate) fn sum_of_shared(&self, words: &Words) -> f64 {
        let asked = self.expansion.iter();
        asked
            .map(|asked| asked.factor() * words.weight(asked.number))
            .sum()
    }
}

fn tally(
    index: &KeywordIndex<'_>,
    phrases: &BTreeSet<Phrase>,
    texts: &[String; 3],
    id: MemoryId,
    route: TermRoute,
    rows: &mut Vec<LedgerRow>,
) -> Result<Sum, VaultError> {
    let Some(expression) = any_of(phrases) else {
        return Ok(Sum::default());
    };
    let statistics = index.statistics()?;
    let average: f64 = statistics.average_length.iter().sum();
    let length: f64 = index.lengths(id)?.into_iter().map(f64::from).sum();
    let length_norm = if average > 0.0 {
        length_norm(length, average)
    } else {
        1.0
    };
    let columns = texts
        .iter()
        .map(|text| index.tokens(text))
        .collect::<Result<Vec<_>, _>>()?;
    let mut sum = 0.0;
    for phrase in phrases {
        let document_frequency = index.document_frequency(&phrase.expression())?;
        let held = f64::from(document_frequency);
        let idf = ((f64::from(statistics.rows) - held + 0.5) / (held + 0.5)).ln();
        let idf = if idf <= 0.0 { LEAST_IDF } else { idf };
        let tokens = index.tokens(&phrase.text)?;
        let term_frequency: f64 = columns
            .iter()
            .zip(COLUMN_WEIGHTS)
            .map(|(column, weight)| weight * occurrences(column, &tokens, phrase.prefix) as f64)
            .sum();
        let contribution = part(idf, term_frequency, length_norm);
        sum += contribution;
        rows.push(LedgerRow {
            term: phrase.text.clone(),
            index: route,
            document_frequency,
            idf,
            term_frequency,
            length_norm,
            contribution,
        });
    }
    Ok(Sum {
        sum,
        engine: index.score(&expression, id)?,
    })
}

/// How often a text holds a needle, overlapping places counted, as the scan counts them.
fn overlapping(text: &str, needle: &str) -> usize {
    text.char_indices()
        .filter(|&(at, _)| text[at..].starts_with(needle))
        .count()
}

/// How often a phrase stands in a column.
fn occurrences(column: &[String], phrase: &[String], prefix: bool) -> usize {
    let Some((last, before)) = phrase.split_last() else {
        return 0;
    };
    column
        .windows(phrase.len())
        .filter(|window| {
            let (end, start) = (&window[phrase.len() - 1], &window[..phrase.len() - 1]);
            start == before
                && if prefix {
                    end.starts_with(last.as_str())
                } else {
                    end == last
                }
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_counted_where_they_overlap_too() {
        let column: Vec<String> = "a a a b".split(' ').map(str::to_owned).collect();
        let phrase = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(occurrences(&column, &phrase("a a"), false), 2);
        assert_eq!(occurrences(&column, &phrase("a b"), false), 1);
        assert_eq!(
            occurrences(&["9fceb02d".to_owned()], &phrase("9fceb0"), true),
            1
        );
        assert_eq!(occurrences(&column, &[], false), 0);
    }
}

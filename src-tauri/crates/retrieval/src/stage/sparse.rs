//! sparse: the memories that share words with the query, those that the model adds among them.
//!
//! Formula: s(d) = Σ over the words w that query and memory share of q(w)·r(w)·m(w), q and m the weights that
//! the expander gives, r(w) = √ln(1 + (N − n + ½)/(n + ½)) over N memories with words of which n have w: the
//! square root of the inverse document frequency, so that words that stand everywhere count little.
//! Source: Formal, Piwowarski, Clinchant, "SPLADE", SIGIR 2021 (arXiv:2107.05720); the rarity is this vault's,
//! as the model learned its own from other texts.
//!
//! Inputs: the query's text without filters and exclusions, the mirror of the words, the scope. Output: at
//! most `depth` memories with their sums, best first, ties by id; the query's words.
//! Guarantee: filters act before the cut; the sum over the words shown is the score; where the model does not
//! know the script of most of the query's letters the leg abstains; whatever breaks is named and never an
//! error.

use memory::MemoryId;
use models::Embedder;

use crate::expansions::{Asked, Expansions};
use crate::ids::Scope;
use crate::report::Report;
use crate::stage::knn::abstains;
use crate::trace::ExpandedWord;

/// A word of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryWord {
    /// Its number in the expander's vocabulary.
    pub number: u16,
    /// As it is shown.
    pub shown: ExpandedWord,
}

impl QueryWord {
    /// What a memory's weight of it is multiplied with.
    pub fn factor(&self) -> f64 {
        self.shown.weight * self.shown.rarity
    }
}

/// What the leg found and how it went.
#[derive(Clone, Debug)]
pub struct SparseOutcome {
    /// How it went.
    pub report: Report,
    /// Best first.
    pub hits: Vec<(MemoryId, f64)>,
    /// The query's words, the heaviest first.
    pub words: Vec<QueryWord>,
}

impl SparseOutcome {
    /// Nothing, and why.
    pub fn none(report: Report) -> Self {
        Self {
            report,
            hits: Vec::new(),
            words: Vec::new(),
        }
    }
}

/// What the leg works with.
pub struct SparseInput<'a> {
    /// The words of the memories.
    pub expansions: &'a Expansions,
    /// The model with its expander; `None` when there is none.
    pub embedder: Option<&'a dyn Embedder>,
    /// What is expanded.
    pub text: &'a str,
    /// What may be returned.
    pub scope: &'a Scope,
    /// How many.
    pub depth: usize,
}

/// Runs the leg.
pub fn sparse(input: &SparseInput<'_>) -> SparseOutcome {
    let Some(embedder) = input.embedder else {
        return SparseOutcome::none(Report::failed("no embedding model is loaded"));
    };
    let Some(expander) = embedder.expander() else {
        return SparseOutcome::none(Report::skipped("no expander is loaded"));
    };
    if let Some(reason) = abstains(input.text, |script| embedder.covers(script)) {
        return SparseOutcome::none(Report::skipped(reason));
    }
    let lists = match input.expansions.current(expander.id()) {
        Ok(Some(lists)) => lists,
        Ok(None) => {
            return SparseOutcome::none(Report::skipped(
                "the words of the memories are still being read into memory",
            ));
        }
        Err(error) => {
            return SparseOutcome::none(Report::failed(format!(
                "the words cannot be read: {error}"
            )));
        }
    };
    if lists.len() == 0 {
        return SparseOutcome::none(Report::skipped("no memory has been expanded yet"));
    }
    let words = match expander.expand_query(input.text) {
        Ok(words) => words,
        Err(error) => return SparseOutcome::none(Report::failed(error.to_string())),
    };
    let typed = expander.typed(input.text);
    let mut words: Vec<QueryWord> = words
        .iter()
        .map(|word| QueryWord {
            number: word.number,
            shown: ExpandedWord {
                word: expander.spelling(word.number),
                weight: word.weight(),
                rarity: rarity(lists.holders(word.number), lists.len()),
                typed: typed.binary_search(&word.number).is_ok(),
            },
        })
        .collect();
    words.sort_by(|a, b| {
        b.factor()
            .total_cmp(&a.factor())
            .then_with(|| a.number.cmp(&b.number))
    });
    let asked: Vec<Asked> = words
        .iter()
        .map(|word| Asked {
            number: word.number,
            factor: word.factor(),
        })
        .collect();
    SparseOutcome {
        report: Report::ok(),
        hits: lists.best(&asked, input.depth, input.scope),
        words,
    }
}

/// √idf of a word that `holders` of `memories` have.
pub fn rarity(holders: usize, memories: usize) -> f64 {
    let (held, all) = (holders as f64, memories as f64);
    libm::log1p((all - held + 0.5) / (held + 0.5)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_everywhere_counts_little_and_a_rare_one_much() {
        assert!(rarity(100, 100) < 0.1);
        assert!((rarity(1, 1000) - (1.0 + 999.5_f64 / 1.5).ln().sqrt()).abs() < 1e-12);
        assert!(rarity(0, 1000) > rarity(1, 1000));
    }
}

//! BM25 over the words in memory, by FTS5's own formula.
//!
//! score(d) = Σ over phrases of idf · f·(k₁ + 1) / (f + k₁·(1 − b + b·|d|/average)), with
//! idf = ln((N − n + ½)/(n + ½)), or 10⁻⁶ where that is not positive; f counts the phrase in the
//! columns by their weights, |d| all tokens of the memory, n the memories that hold the phrase,
//! filters aside. Source: SQLite, "FTS5 Extension", the bm25() function.

use std::collections::{HashMap, HashSet};

use memchr::memmem;
use memory::MemoryId;

use crate::constants::{B, K1};

use super::Ask;
use super::best::{List, best};
use super::held::Held;
use super::lexicon::{Lengths, Lexicon, runs_of};

/// A run of fewer characters stands in too many words to tell memories apart.
const TELLING: usize = 3;

/// What a phrase weighs that stands in half of the memories or more.
const LEAST_IDF: f64 = 1e-6;

/// A memory, its bytes, and needles with how often each stands there.
pub(crate) type Places = (MemoryId, u64, Vec<(usize, u32)>);

/// How often needles stand where.
#[derive(Debug, Default)]
pub(crate) struct Occurrences {
    /// Those of each memory that has any.
    pub places: Vec<Places>,
    /// How many memories were looked at.
    pub texts: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A phrase's part of the scores.
struct Phrase<'a> {
    lexicon: &'a Lexicon,
    held: Held<'a>,
    idf: f64,
    lengths: &'a Lengths,
    average: f64,
}

impl Phrase<'_> {
    fn contribution(&self, frequency: f64, length: u32) -> f64 {
        let norm = K1 * (1.0 - B + B * f64::from(length) / self.average);
        self.idf * (frequency * (K1 + 1.0) / (frequency + norm))
    }
}

impl List for Phrase<'_> {
    fn rows(&self) -> &[u32] {
        &self.held.rows
    }

    fn score(&self, at: usize) -> f64 {
        let row = self.held.rows[at] as usize;
        self.contribution(self.held.frequency(self.lexicon, at), self.lengths.of[row])
    }

    fn highest(&self) -> f64 {
        let most = self.held.most();
        if most.is_finite() {
            self.contribution(most, self.lengths.shortest)
        } else {
            self.idf * (K1 + 1.0)
        }
    }
}

/// Scores that came from elsewhere.
struct Given {
    rows: Vec<u32>,
    scores: Vec<f64>,
}

impl List for Given {
    fn rows(&self) -> &[u32] {
        &self.rows
    }

    fn score(&self, at: usize) -> f64 {
        self.scores[at]
    }

    fn highest(&self) -> f64 {
        self.scores.iter().copied().fold(0.0, f64::max)
    }
}

impl Lexicon {
    pub fn best(
        &self,
        asks: &[Ask],
        others: &[(MemoryId, f64)],
        limit: usize,
        passes: &dyn Fn(MemoryId) -> bool,
    ) -> Vec<(MemoryId, f64)> {
        let phrases: Vec<Phrase<'_>> = asks.iter().map(|ask| self.phrase(ask)).collect();
        let mut given: Vec<(u32, f64)> = others
            .iter()
            .filter_map(|&(id, score)| Some((*self.rows.get(&id)?, score)))
            .collect();
        given.sort_unstable_by_key(|&(row, _)| row);
        let (rows, scores) = given.into_iter().unzip();
        let given = Given { rows, scores };
        let lists: Vec<&dyn List> = phrases
            .iter()
            .map(|phrase| phrase as &dyn List)
            .chain([&given as &dyn List])
            .collect();
        best(&lists, limit, |row| {
            let id = self.ids[row as usize];
            (id != MemoryId(0) && passes(id)).then_some(id)
        })
    }

    fn phrase(&self, ask: &Ask) -> Phrase<'_> {
        let lengths = match ask {
            Ask::Term(_) => &self.words,
            Ask::Piece(_) => &self.trigrams,
        };
        let held = self.held(ask);
        let memories = f64::from(self.len());
        let holders = self.living(&held.rows) as f64;
        let idf = ((memories - holders + 0.5) / (holders + 0.5)).ln();
        Phrase {
            lexicon: self,
            held,
            idf: if idf <= 0.0 { LEAST_IDF } else { idf },
            lengths,
            average: lengths.total as f64 / memories.max(1.0),
        }
    }

    /// Counts up to `most`.
    pub fn matches(&self, asks: &[Ask], most: u32, passes: &dyn Fn(MemoryId) -> bool) -> u32 {
        let mut seen = vec![0_u64; self.ids.len().div_ceil(64)];
        let mut count = 0;
        for (run, _) in asks.iter().flat_map(|ask| self.runs_of_ask(ask)) {
            for &row in &self.postings[run as usize].rows {
                let (word, bit) = (row as usize / 64, 1 << (row % 64));
                let id = self.ids[row as usize];
                if seen[word] & bit == 0 && id != MemoryId(0) && passes(id) {
                    seen[word] |= bit;
                    count += 1;
                    if count == most {
                        return count;
                    }
                }
            }
        }
        count
    }

    pub fn occurrences(
        &self,
        needles: &[String],
        passes: &dyn Fn(MemoryId) -> bool,
    ) -> Occurrences {
        let mut found = Occurrences::default();
        for (&id, &bytes) in self.ids.iter().zip(&self.bytes) {
            if id != MemoryId(0) && passes(id) {
                found.texts += 1;
                found.bytes += u64::from(bytes);
            }
        }
        let mut places: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
        for (number, needle) in needles.iter().enumerate() {
            self.runs_with(needle, |run, times| {
                self.rows_of(run, |row, columns| {
                    let count = columns.iter().sum::<u32>() * times;
                    let here = places.entry(row).or_default();
                    match here.last_mut() {
                        Some((last, sum)) if *last == number => *sum += count,
                        _ => here.push((number, count)),
                    }
                });
            });
        }
        found.places = places
            .into_iter()
            .map(|(row, here)| (self.ids[row as usize], self.bytes[row as usize], here))
            .filter(|&(id, ..)| passes(id))
            .map(|(id, bytes, here)| (id, u64::from(bytes), here))
            .collect();
        found
    }

    /// Those among some memories that hold every run of the text, see [`Words`](super::Words).
    pub fn possible_holders(&self, text: &str, among: &[MemoryId]) -> Option<HashSet<MemoryId>> {
        let mut rows: Vec<u32> = among
            .iter()
            .filter_map(|id| self.rows.get(id).copied())
            .collect();
        rows.sort_unstable();
        let mut told = false;
        for run in runs_of(text).filter(|run| run.chars().nth(TELLING - 1).is_some()) {
            told = true;
            let mut holds = vec![false; rows.len()];
            self.runs_with(run, |run, _| {
                let posting = &self.postings[run as usize].rows;
                if posting.len() < rows.len() {
                    for place in posting
                        .iter()
                        .filter_map(|row| rows.binary_search(row).ok())
                    {
                        holds[place] = true;
                    }
                } else {
                    for (row, holds) in rows.iter().zip(&mut holds) {
                        *holds = *holds || posting.binary_search(row).is_ok();
                    }
                }
            });
            let mut held = holds.into_iter();
            rows.retain(|_| held.next().unwrap_or(false));
        }
        let ids = rows.into_iter().map(|row| self.ids[row as usize]).collect();
        told.then_some(ids)
    }

    /// Calls `f` with every run that holds the piece, and how often it does.
    pub(super) fn runs_with(&self, piece: &str, mut f: impl FnMut(u32, u32)) {
        let finder = memmem::Finder::new(piece);
        let vocabulary = self.vocabulary.as_bytes();
        let mut from = 0;
        let mut last: Option<(usize, u32)> = None;
        while let Some(at) = finder.find(&vocabulary[from..]).map(|at| from + at) {
            let run = self.starts.partition_point(|&start| start as usize <= at) - 1;
            last = match last {
                Some((same, times)) if same == run => Some((run, times + 1)),
                Some((other, times)) => {
                    f(other as u32, times);
                    Some((run, 1))
                }
                None => Some((run, 1)),
            };
            from = at + 1;
        }
        if let Some((run, times)) = last {
            f(run as u32, times);
        }
    }

    /// Calls `f` with every row of a living memory that holds the run, and how often each of its
    /// columns does.
    pub(super) fn rows_of(&self, run: u32, mut f: impl FnMut(u32, [u32; 3])) {
        let posting = &self.postings[run as usize];
        for (&row, &count) in posting.rows.iter().zip(&posting.counts) {
            if self.ids[row as usize] == MemoryId(0) {
                continue;
            }
            if count > 0 {
                f(row, [u32::from(count), 0, 0]);
            } else if let Some(&columns) = self.odd.get(&(run, row)) {
                f(row, columns);
            }
        }
    }
}

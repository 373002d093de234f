//! BM25 over the words in memory, by FTS5's own formula.
//!
//! score(d) = Σ over phrases of idf · f·(k₁ + 1) / (f + k₁·(1 − b + b·|d|/average)), with
//! idf = ln((N − n + ½)/(n + ½)), or 10⁻⁶ where that is not positive; f counts the phrase in the
//! columns by their weights, |d| all tokens of the memory, n the memories that hold the phrase,
//! filters aside. k₁ = 1.2, b = 0.75. Source: SQLite, "FTS5 Extension", the bm25() function.

use std::collections::{HashMap, HashSet};

use memchr::memmem;
use memory::{COLUMN_WEIGHTS, MemoryId};

use super::Ask;
use super::lexicon::{Lexicon, runs_of};

/// A run of fewer characters stands in too many words to tell memories apart.
const TELLING: usize = 3;

const K1: f64 = 1.2;
const B: f64 = 0.75;
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

/// How often a phrase stands where, by row.
struct Tally {
    frequency: Vec<f64>,
    touched: Vec<u32>,
}

impl Lexicon {
    pub fn scores(&self, asks: &[Ask], passes: &dyn Fn(MemoryId) -> bool) -> Vec<(MemoryId, f64)> {
        let memories = f64::from(self.len());
        let mut scores = vec![0.0_f64; self.ids.len()];
        let mut found: Vec<u32> = Vec::new();
        let mut tally = self.tally();
        for ask in asks {
            let lengths = match ask {
                Ask::Term(_) => &self.words,
                Ask::Piece(_) => &self.trigrams,
            };
            let average = lengths.total as f64 / memories.max(1.0);
            self.count_into(ask, &mut tally);
            let holders = tally.touched.len() as f64;
            let mut idf = ((memories - holders + 0.5) / (holders + 0.5)).ln();
            if idf <= 0.0 {
                idf = LEAST_IDF;
            }
            for &row in &tally.touched {
                let at = row as usize;
                let frequency = std::mem::take(&mut tally.frequency[at]);
                let norm = K1 * (1.0 - B + B * f64::from(lengths.of[at]) / average);
                if scores[at] <= 0.0 {
                    found.push(row);
                }
                scores[at] += idf * (frequency * (K1 + 1.0) / (frequency + norm));
            }
            tally.touched.clear();
        }
        found
            .into_iter()
            .map(|row| (self.ids[row as usize], scores[row as usize]))
            .filter(|&(id, _)| passes(id))
            .collect()
    }

    pub fn matches(&self, asks: &[Ask], passes: &dyn Fn(MemoryId) -> bool) -> u32 {
        let mut tally = self.tally();
        for ask in asks {
            self.count_into(ask, &mut tally);
        }
        tally
            .touched
            .iter()
            .filter(|&&row| passes(self.ids[row as usize]))
            .count() as u32
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

    pub fn possible_holders(&self, text: &str) -> Option<HashSet<MemoryId>> {
        let mut common: Option<HashSet<u32>> = None;
        for run in runs_of(text).filter(|run| run.chars().nth(TELLING - 1).is_some()) {
            let mut here = HashSet::new();
            self.runs_with(run, |run, _| {
                self.rows_of(run, |row, _| {
                    if common.as_ref().is_none_or(|rows| rows.contains(&row)) {
                        here.insert(row);
                    }
                });
            });
            common = Some(here);
        }
        Some(
            common?
                .into_iter()
                .map(|row| self.ids[row as usize])
                .collect(),
        )
    }

    fn tally(&self) -> Tally {
        Tally {
            frequency: vec![0.0; self.ids.len()],
            touched: Vec::new(),
        }
    }

    fn count_into(&self, ask: &Ask, tally: &mut Tally) {
        let mut count = |run, times| {
            self.rows_of(run, |row, columns| {
                let at = row as usize;
                let frequency: f64 = columns
                    .iter()
                    .zip(COLUMN_WEIGHTS)
                    .map(|(&count, weight)| f64::from(count) * weight)
                    .sum();
                if tally.frequency[at] <= 0.0 {
                    tally.touched.push(row);
                }
                tally.frequency[at] += frequency * f64::from(times);
            });
        };
        match ask {
            Ask::Term(term) => {
                for &(run, times) in self.terms.get(term.as_str()).map_or(&[][..], Vec::as_slice) {
                    count(run, times);
                }
            }
            Ask::Piece(piece) => self.runs_with(piece, count),
        }
    }

    /// Calls `f` with every run that holds the piece, and how often it does.
    fn runs_with(&self, piece: &str, mut f: impl FnMut(u32, u32)) {
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
    fn rows_of(&self, run: u32, mut f: impl FnMut(u32, [u32; 3])) {
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

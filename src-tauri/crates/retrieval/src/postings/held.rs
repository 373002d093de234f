//! The rows that hold what was asked for, and how often each of them does.

use std::borrow::Cow;

use memory::COLUMN_WEIGHTS;

use super::Ask;
use super::lexicon::Lexicon;

/// Rows in ascending order; those of memories that are gone may be among them.
pub(super) struct Held<'a> {
    pub rows: Cow<'a, [u32]>,
    frequencies: Frequencies<'a>,
}

enum Frequencies<'a> {
    /// As counted for one run, each so many times.
    Counted {
        run: u32,
        counts: &'a [u8],
        times: f64,
    },
    /// Over several runs.
    Summed(Vec<f64>),
}

impl Held<'_> {
    /// How often it stands in the row at this place, each occurrence counting its column's weight.
    pub fn frequency(&self, lexicon: &Lexicon, at: usize) -> f64 {
        match &self.frequencies {
            Frequencies::Counted { run, counts, times } => match counts[at] {
                0 => lexicon
                    .odd
                    .get(&(*run, self.rows[at]))
                    .map_or(0.0, |&columns| weighed(columns) * times),
                count => f64::from(count) * COLUMN_WEIGHTS[0] * times,
            },
            Frequencies::Summed(sums) => sums[at],
        }
    }

    /// No row holds it more often than this.
    pub fn most(&self) -> f64 {
        match &self.frequencies {
            Frequencies::Counted { counts, times, .. } => {
                // A count of 0 stands for one that a byte does not hold.
                let (least, most) = counts.iter().fold((u8::MAX, 0), |(least, most), &count| {
                    (least.min(count), most.max(count))
                });
                if least == 0 {
                    f64::INFINITY
                } else {
                    f64::from(most) * COLUMN_WEIGHTS[0] * times
                }
            }
            Frequencies::Summed(sums) => sums.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// Occurrences by column, weighed.
fn weighed(columns: [u32; 3]) -> f64 {
    columns
        .iter()
        .zip(COLUMN_WEIGHTS)
        .map(|(&count, weight)| f64::from(count) * weight)
        .sum()
}

impl Lexicon {
    /// The rows that hold it.
    pub(super) fn held(&self, ask: &Ask) -> Held<'_> {
        let runs = self.runs_of_ask(ask);
        if let [(run, times)] = runs[..] {
            let posting = &self.postings[run as usize];
            return Held {
                rows: Cow::Borrowed(&posting.rows),
                frequencies: Frequencies::Counted {
                    run,
                    counts: &posting.counts,
                    times: f64::from(times),
                },
            };
        }
        let mut all: Vec<(u32, f64)> = Vec::new();
        for (run, times) in runs {
            self.rows_of(run, |row, columns| {
                all.push((row, weighed(columns) * f64::from(times)));
            });
        }
        // Rows of one run stand in order already, which this sort makes use of; and a stable one
        // adds up in the order of the runs.
        all.sort_by_key(|&(row, _)| row);
        let (mut rows, mut sums): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
        for (row, frequency) in all {
            match (rows.last(), sums.last_mut()) {
                (Some(&last), Some(sum)) if last == row => *sum += frequency,
                _ => {
                    rows.push(row);
                    sums.push(frequency);
                }
            }
        }
        Held {
            rows: Cow::Owned(rows),
            frequencies: Frequencies::Summed(sums),
        }
    }

    /// The runs that give a term or hold a piece, and how many of it each.
    pub(super) fn runs_of_ask(&self, ask: &Ask) -> Vec<(u32, u32)> {
        match ask {
            Ask::Term(term) => self.terms.get(term.as_str()).cloned().unwrap_or_default(),
            Ask::Piece(piece) => {
                let mut runs = Vec::new();
                self.runs_with(piece, |run, times| runs.push((run, times)));
                runs
            }
        }
    }
}

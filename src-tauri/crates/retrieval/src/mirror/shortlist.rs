//! The quick look at every row that says which of them are rescored.
//!
//! Rows are compared by one byte per number with a scale per row. From [`SIGNS_FROM`] rows on, one
//! bit per number, its sign, says first which share of the rows is worth that: the Hamming distance
//! of two rows of signs estimates their angle, P(signs differ) = angle/π where directions are
//! random. Source: Charikar, "Similarity estimation techniques from rounding algorithms", 2002, with
//! the vector's own axes for the random ones. A share, not a number of rows: where texts have a lot
//! in common, signs tell neighbours apart less well, and a fixed number would lose some.
//!
//! SIMD instructions (AVX-512, AVX2, NEON, SVE, or none) are chosen at run time by `simsimd`.

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;
use simsimd::{BinarySimilarity, SpatialSimilarity};
use zeroize::Zeroize;

use super::rounded::quantise;

/// From so many rows on, signs choose. Below, reading a byte of every number takes some ten
/// milliseconds and loses next to nothing; at a million it takes sixty.
pub(super) const SIGNS_FROM: usize = 200_000;

/// One row in so many is compared by bytes after signs have chosen. Measured on sums of random
/// directions, the hardest case there is: see ARCHITECTURE.md, knn.
const CHOSEN_SHARE: usize = 8;

/// And at least so many for each that is rescored.
const CHOSEN_EACH: usize = 8;

/// Fewer rows than this are not shared between threads.
const SHARED_FROM: usize = 8_192;

/// How many rows are fetched from memory at a time.
const FETCHED_TOGETHER: usize = 16;
/// Bytes of a line of the processor's cache.
const CACHE_LINE: usize = 64;

/// What every row is compared by.
pub(super) struct Shortlist {
    dimension: usize,
    /// One byte per number.
    numbers: Vec<i8>,
    /// What a step of the row stands for.
    scales: Vec<f32>,
    /// One bit per number, whole bytes per row; none while there are few rows.
    signs: Option<Vec<u8>>,
}

impl Shortlist {
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            numbers: Vec::new(),
            scales: Vec::new(),
            signs: None,
        }
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The vector of a row, each number to within half a step of its byte; `None` for a row that
    /// never was.
    pub fn vector(&self, row: u32) -> Option<Vec<f32>> {
        let scale = *self.scales.get(row as usize)?;
        let numbers = self.numbers_of(row).iter();
        Some(numbers.map(|&number| f32::from(number) * scale).collect())
    }

    fn sign_bytes(&self) -> usize {
        self.dimension.div_ceil(8)
    }

    /// How many rows signs choose when `kept` are wanted; `None` when all are compared by bytes.
    pub fn chosen(&self, kept: usize) -> Option<usize> {
        let rows = self.scales.len();
        let chosen = (rows / CHOSEN_SHARE).max(kept.saturating_mul(CHOSEN_EACH));
        (self.signs.is_some() && chosen < rows).then_some(chosen)
    }

    /// Notes the vector of a row; rows come into being in order.
    pub fn set(&mut self, row: u32, vector: &[f32]) {
        let row = row as usize;
        if row >= self.scales.len() {
            self.scales.resize(row + 1, 0.0);
            self.numbers.resize((row + 1) * self.dimension, 0);
        }
        let at = row * self.dimension;
        self.scales[row] = quantise(vector, &mut self.numbers[at..at + self.dimension]);
        if self.signs.is_some() {
            self.note_signs(row);
        } else if self.scales.len() >= SIGNS_FROM {
            self.use_signs();
        }
    }

    /// From now on signs choose.
    pub fn use_signs(&mut self) {
        self.signs = Some(Vec::new());
        for row in 0..self.scales.len() {
            self.note_signs(row);
        }
    }

    fn note_signs(&mut self, row: usize) {
        let bytes = self.sign_bytes();
        let at = row * self.dimension;
        if let Some(signs) = &mut self.signs {
            signs.resize(signs.len().max((row + 1) * bytes), 0);
            signs_into(
                &mut signs[row * bytes..(row + 1) * bytes],
                &self.numbers[at..at + self.dimension],
            );
        }
    }

    /// Zeroizes a row.
    pub fn wipe(&mut self, row: u32) {
        let at = row as usize * self.dimension;
        self.numbers[at..at + self.dimension].zeroize();
        self.scales[row as usize].zeroize();
        self.note_signs(row as usize);
    }

    fn numbers_of(&self, row: u32) -> &[i8] {
        let at = row as usize * self.dimension;
        &self.numbers[at..at + self.dimension]
    }

    /// Brings rows that lie far apart into the cache: read one after the other, each would wait for
    /// memory alone.
    fn fetch(&self, rows: &[u32]) {
        let lines = rows
            .iter()
            .flat_map(|&row| self.numbers_of(row).iter().step_by(CACHE_LINE));
        std::hint::black_box(lines.fold(0, |all, &number| all ^ number));
    }

    /// At most `kept` rows among those that pass, those that promise to be nearest to a vector of
    /// length 1; all that pass when there are no more. Ties by row. `most` says that nearly all
    /// rows pass, so that it is cheaper to compare first.
    pub fn best_rows(
        &self,
        query: &[f32],
        kept: usize,
        most: bool,
        passes: &(impl Fn(u32) -> bool + Sync),
    ) -> Vec<u32> {
        let mut wanted = vec![0_i8; self.dimension];
        quantise(query, &mut wanted);
        let none = || BestRows::new(kept);
        let compare = |best: &mut BestRows, row: u32| {
            if passes(row) {
                let product = i8::dot(&wanted, self.numbers_of(row)).unwrap_or(0.0);
                best.offer(product as f32 * self.scales[row as usize], row);
            }
        };
        let best = match (&self.signs, self.chosen(kept)) {
            (Some(signs), Some(chosen)) => {
                let bytes = self.sign_bytes().max(1);
                let rows = if most {
                    by_signs(signs, bytes, &wanted, chosen, |_| true)
                } else {
                    by_signs(signs, bytes, &wanted, chosen, passes)
                };
                rows.par_chunks(FETCHED_TOGETHER)
                    .with_min_len(SHARED_FROM / FETCHED_TOGETHER)
                    .fold(none, |mut best, block| {
                        self.fetch(block);
                        for &row in block {
                            compare(&mut best, row);
                        }
                        best
                    })
                    .reduce(none, BestRows::with)
            }
            _ => (0..self.scales.len() as u32)
                .into_par_iter()
                .with_min_len(SHARED_FROM)
                .fold(none, |mut best, row| {
                    compare(&mut best, row);
                    best
                })
                .reduce(none, BestRows::with),
        };
        wanted.zeroize();
        best.into_rows()
    }
}

impl Drop for Shortlist {
    fn drop(&mut self) {
        self.numbers.zeroize();
        self.scales.zeroize();
        if let Some(signs) = &mut self.signs {
            signs.zeroize();
        }
    }
}

/// In order, the rows whose signs differ least from those wanted, `chosen` of them, and all that
/// differ no more than the last of these.
fn by_signs(
    signs: &[u8],
    bytes: usize,
    wanted: &[i8],
    chosen: usize,
    passes: impl Fn(u32) -> bool + Sync,
) -> Vec<u32> {
    let mut of_query = vec![0; bytes];
    signs_into(&mut of_query, wanted);
    let furthest = bytes * 8;
    let differing: Vec<u16> = signs
        .par_chunks_exact(bytes)
        .enumerate()
        .with_min_len(SHARED_FROM)
        .map(|(row, signs)| {
            if passes(row as u32) {
                u8::hamming(&of_query, signs).unwrap_or(0.0) as u16
            } else {
                u16::MAX
            }
        })
        .collect();
    let mut how_many = vec![0_usize; furthest + 1];
    for &differing in differing.iter().filter(|&&differing| differing != u16::MAX) {
        how_many[usize::from(differing)] += 1;
    }
    of_query.zeroize();
    let mut sum = 0;
    let limit = how_many
        .iter()
        .position(|&rows| {
            sum += rows;
            sum >= chosen
        })
        .unwrap_or(furthest) as u16;
    (0_u32..)
        .zip(differing)
        .filter(|&(_, differing)| differing <= limit)
        .map(|(row, _)| row)
        .collect()
}

/// One bit per number, set where it is positive.
fn signs_into(bits: &mut [u8], numbers: &[i8]) {
    bits.fill(0);
    for (at, &number) in numbers.iter().enumerate() {
        bits[at / 8] |= u8::from(number > 0) << (at % 8);
    }
}

/// The highest so many rows, with a threshold that saves most offers any work.
struct BestRows {
    rows: Vec<(f32, u32)>,
    kept: usize,
    threshold: f32,
}

impl BestRows {
    fn new(kept: usize) -> Self {
        Self {
            rows: Vec::new(),
            kept,
            threshold: f32::NEG_INFINITY,
        }
    }

    /// Rows are offered in ascending order: a later one that only equals the threshold comes after
    /// all that are kept.
    fn offer(&mut self, score: f32, row: u32) {
        if score <= self.threshold {
            return;
        }
        self.rows.push((score, row));
        if self.rows.len() == 2 * self.kept {
            self.cut();
            self.threshold = self.rows[self.kept - 1].0;
        }
    }

    fn cut(&mut self) {
        if self.rows.len() > self.kept {
            self.rows.select_nth_unstable_by(self.kept - 1, |a, b| {
                b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
            });
            self.rows.truncate(self.kept);
        }
    }

    /// The best of both.
    fn with(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self.cut();
        self
    }

    fn into_rows(mut self) -> Vec<u32> {
        self.cut();
        self.rows.into_iter().map(|(_, row)| row).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever instructions this processor has, they count what counting by hand does.
        #[test]
        fn the_bits_that_differ_are_counted(
            pairs in prop::collection::vec((any::<u8>(), any::<u8>()), 0..200),
        ) {
            let (a, b): (Vec<u8>, Vec<u8>) = pairs.into_iter().unzip();
            let by_hand: u32 = a.iter().zip(&b).map(|(a, b)| (a ^ b).count_ones()).sum();
            prop_assert_eq!(u8::hamming(&a, &b), Some(f64::from(by_hand)));
        }

        #[test]
        fn the_best_rows_are_those_of_a_sorted_list(
            scores in prop::collection::vec(-4_i8..4, 1..300),
            kept in 1_usize..40,
            from in 0_u32..300,
        ) {
            // On two threads, the second from this row on.
            let (mut best, mut other) = (BestRows::new(kept), BestRows::new(kept));
            let mut sorted: Vec<(i8, u32)> = Vec::new();
            for (row, &score) in (0..).zip(&scores) {
                let shared = if row < from { &mut best } else { &mut other };
                shared.offer(f32::from(score), row);
                sorted.push((-score, row));
            }
            let best = other.with(best);
            sorted.sort_unstable();
            let mut wanted: Vec<u32> = sorted.into_iter().take(kept).map(|(_, row)| row).collect();
            wanted.sort_unstable();
            let mut rows = best.into_rows();
            rows.sort_unstable();
            prop_assert_eq!(rows, wanted);
        }
    }

    #[test]
    fn a_wiped_row_leaves_nothing() {
        let mut rows = Shortlist::new(9);
        rows.set(0, &[1.0; 9]);
        rows.set(1, &[0.5; 9]);
        rows.use_signs();
        rows.set(2, &[0.5; 9]);
        rows.wipe(0);
        assert_eq!(rows.signs.as_deref(), Some(&[0, 0, 0xff, 1, 0xff, 1][..]));
        assert!(rows.numbers[..9].iter().all(|&number| number == 0));
        assert!(rows.scales[0].abs() < f32::EPSILON);
    }

    #[test]
    fn signs_choose_from_a_number_of_rows_on() {
        let mut rows = Shortlist::new(8);
        for row in 1..SIGNS_FROM as u32 {
            rows.set(row - 1, &[1.0; 8]);
        }
        assert_eq!(rows.chosen(40), None);
        rows.set(SIGNS_FROM as u32 - 1, &[1.0; 8]);
        assert_eq!(rows.chosen(40), Some(SIGNS_FROM / CHOSEN_SHARE));
        assert_eq!(rows.chosen(10_000), Some(80_000));
        assert_eq!(rows.chosen(SIGNS_FROM), None);
    }
}

//! The best rows of a sum over several lists, without adding up all of it.
//!
//! Once `limit` rows are known, a row must beat the last of them. The lists whose highest scores
//! together cannot do that alone need not be read from end to end: rows found in the others are
//! looked up in them, and only while there is hope. Nothing is left out that belongs to the answer.
//! Source: Turtle and Flood, "Query evaluation: strategies and optimizations", 1995 (MaxScore), read
//! in windows of rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use memory::MemoryId;

/// One part of a sum.
pub(super) trait List {
    /// In ascending order.
    fn rows(&self) -> &[u32];
    /// The score of the row at this place, never negative.
    fn score(&self, at: usize) -> f64;
    /// No score is higher.
    fn highest(&self) -> f64;

    /// Adds the scores of the rows from the place `at` on that lie in the window; the place behind
    /// them.
    fn add_up(&self, mut at: usize, window: &mut Window) -> usize {
        let rows = self.rows();
        while let Some(&row) = rows.get(at) {
            let place = (row - window.start) as usize;
            let Some(sum) = window.sums.get_mut(place) else {
                break;
            };
            *sum += self.score(at);
            window.touched[place / 64] |= 1 << (place % 64);
            at += 1;
        }
        at
    }
}

/// The sums of the rows that are looked at.
pub(super) struct Window {
    /// The first row.
    start: u32,
    sums: Vec<f64>,
    /// A bit for every row that has a sum.
    touched: Vec<u64>,
}

/// How many rows are looked at together: their sums stay in the fastest cache.
const WINDOW: usize = 4096;

/// Sums of bounds are rounded otherwise than sums of scores.
const SLACK: f64 = 1.0 + 1e-9;

/// A score and who has it; the greater, the better, of two equal ones the lower id.
#[derive(PartialEq)]
struct Scored(f64, Reverse<MemoryId>);

impl Eq for Scored {}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// A list while it is read.
struct Reading<'a> {
    list: &'a dyn List,
    rows: &'a [u32],
    highest: f64,
    /// Where the window starts.
    from: usize,
    /// What comes next.
    at: usize,
}

impl Reading<'_> {
    /// Its score for a row no earlier than the last one asked for.
    fn probe(&mut self, row: u32) -> f64 {
        self.at += gallop(&self.rows[self.at..], row);
        self.from = self.at;
        if self.rows.get(self.at) == Some(&row) {
            self.list.score(self.at)
        } else {
            0.0
        }
    }

    /// Its score for a row of the window, without going on.
    fn look_up(&self, row: u32) -> f64 {
        let place = self.from + gallop(&self.rows[self.from..], row);
        if self.rows.get(place) == Some(&row) {
            self.list.score(place)
        } else {
            0.0
        }
    }
}

/// How many rows at the front are lower, found in steps that double.
fn gallop(rows: &[u32], row: u32) -> usize {
    let mut step = 1;
    while step < rows.len() && rows[step] < row {
        step *= 2;
    }
    let from = step / 2;
    let to = rows.len().min(step + 1);
    from + rows[from..to].partition_point(|&other| other < row)
}

/// The `limit` best sums, best first, ties by id. `id` names the memory of a row; `None` for one
/// that may not be returned.
pub(super) fn best(
    lists: &[&dyn List],
    limit: usize,
    id: impl Fn(u32) -> Option<MemoryId>,
) -> Vec<(MemoryId, f64)> {
    if limit == 0 {
        return Vec::new();
    }
    let mut readings: Vec<Reading<'_>> = lists
        .iter()
        .map(|&list| Reading {
            list,
            rows: list.rows(),
            highest: list.highest(),
            from: 0,
            at: 0,
        })
        .collect();
    // From the list that adds least to the one that adds most, and what they add up to so far.
    let mut order: Vec<usize> = (0..readings.len()).collect();
    order.sort_by(|&a, &b| readings[a].highest.total_cmp(&readings[b].highest));
    let ceilings: Vec<f64> = order
        .iter()
        .scan(0.0, |sum, &list| {
            *sum += readings[list].highest * SLACK;
            Some(*sum)
        })
        .collect();
    // So many of them, in that order, need not be read.
    let mut spared = 0;
    let mut found: BinaryHeap<Reverse<Scored>> = BinaryHeap::new();
    let mut least = f64::NEG_INFINITY;
    let mut window = Window {
        start: 0,
        sums: vec![0.0; WINDOW],
        touched: vec![0; WINDOW / 64],
    };
    while let Some(start) = order[spared..]
        .iter()
        .filter_map(|&list| readings[list].rows.get(readings[list].at).copied())
        .min()
    {
        window.start = start;
        for &list in &order[spared..] {
            let reading = &mut readings[list];
            reading.from = reading.at;
            reading.at = reading.list.add_up(reading.at, &mut window);
        }
        let read = spared;
        let others = read.checked_sub(1).map_or(0.0, |last| ceilings[last]);
        for word in 0..WINDOW / 64 {
            let mut bits = std::mem::take(&mut window.touched[word]);
            while bits != 0 {
                let place = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let mut sum = std::mem::take(&mut window.sums[place]);
                if sum * SLACK + others < least {
                    continue;
                }
                let row = start + place as u32;
                let Some(id) = id(row) else {
                    continue;
                };
                let hopeless = (0..read).rev().any(|at| {
                    if sum * SLACK + ceilings[at] < least {
                        return true;
                    }
                    sum += readings[order[at]].probe(row);
                    false
                });
                if hopeless || sum * SLACK < least {
                    continue;
                }
                // Added up in the order of the lists whatever was read first, so that equal
                // memories have equal scores to the last digit.
                let score = readings.iter().map(|reading| reading.look_up(row)).sum();
                let scored = Reverse(Scored(score, Reverse(id)));
                if found.len() < limit {
                    found.push(scored);
                } else if let Some(mut last) = found.peek_mut()
                    && scored < *last
                {
                    *last = scored;
                }
                if found.len() == limit
                    && let Some(Reverse(last)) = found.peek()
                {
                    least = last.0;
                }
            }
        }
        while spared < order.len() && ceilings[spared] < least {
            spared += 1;
        }
    }
    found
        .into_sorted_vec()
        .into_iter()
        .map(|Reverse(Scored(score, Reverse(id)))| (id, score))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug)]
    struct Plain {
        rows: Vec<u32>,
        scores: Vec<f64>,
        /// How far above its highest score a list says it reaches.
        loose: f64,
    }

    impl List for Plain {
        fn rows(&self) -> &[u32] {
            &self.rows
        }

        fn score(&self, at: usize) -> f64 {
            self.scores[at]
        }

        fn highest(&self) -> f64 {
            self.loose * self.scores.iter().copied().fold(0.0, f64::max)
        }
    }

    /// Few different scores, so that there are ties; rows far apart, so that windows are skipped.
    fn list() -> impl Strategy<Value = Plain> {
        (
            prop::collection::btree_map(0_u32..30_000, 1_u8..6, 0..200),
            0.01_f64..4.0,
            1.0_f64..2.0,
        )
            .prop_map(|(held, weight, loose)| Plain {
                rows: held.keys().copied().collect(),
                scores: held.values().map(|&v| weight * f64::from(v)).collect(),
                loose,
            })
    }

    proptest! {
        #[test]
        fn what_is_spared_never_belonged_to_the_answer(
            lists in prop::collection::vec(list(), 1..7),
            limit in 1_usize..60,
            gone in 1_u32..5,
        ) {
            // Ids run against the rows, as after an edit.
            let id = |row: u32| (row % 5 != gone).then_some(MemoryId(i64::from(40_000 - row)));
            let mut sums = std::collections::BTreeMap::new();
            for list in &lists {
                for (&row, &score) in list.rows.iter().zip(&list.scores) {
                    *sums.entry(row).or_insert(0.0) += score;
                }
            }
            let mut wanted: Vec<(MemoryId, f64)> = sums
                .into_iter()
                .filter_map(|(row, sum)| Some((id(row)?, sum)))
                .collect();
            wanted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            wanted.truncate(limit);
            let lists: Vec<&dyn List> = lists.iter().map(|list| list as &dyn List).collect();
            prop_assert_eq!(best(&lists, limit, id), wanted);
        }

        #[test]
        fn galloping_finds_what_a_search_from_the_start_finds(
            rows in prop::collection::btree_set(0_u32..500, 0..200),
            row in 0_u32..500,
        ) {
            let rows: Vec<u32> = rows.into_iter().collect();
            prop_assert_eq!(gallop(&rows, row), rows.partition_point(|&other| other < row));
        }
    }

    #[test]
    fn a_common_list_is_not_read_to_its_end() {
        use std::cell::Cell;
        struct Watched(Vec<u32>, Cell<u32>);
        impl List for Watched {
            fn rows(&self) -> &[u32] {
                &self.0
            }
            fn score(&self, _: usize) -> f64 {
                self.1.set(self.1.get() + 1);
                0.1
            }
            fn highest(&self) -> f64 {
                0.1
            }
        }
        let common = Watched((0..1_000_000).collect(), Cell::default());
        let rare = Plain {
            rows: (0..1000).map(|at| at * 1000).collect(),
            scores: vec![3.0; 1000],
            loose: 1.0,
        };
        let found = best(&[&common, &rare], 10, |row| Some(MemoryId(row.into())));
        assert_eq!(found.len(), 10);
        assert!(common.1.get() < 50_000, "{} were read", common.1.get());
    }
}

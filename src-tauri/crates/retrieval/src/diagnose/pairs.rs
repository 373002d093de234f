//! Two constants together, for where none alone is enough.
//!
//! With one constant at some value, the intervals of every other one are known exactly
//! ([`super::fixes`]). So one of the two is set to the steps of its ladder, and where it lifts the
//! memory highest the intervals of the others are asked. Of the pairs found so, the one that moves
//! least is drawn in: each of its constants in turn goes as near to its present value as its exact
//! interval lets it, until both stand still.
//!
//! Guarantee: both values were tried together and bring the memory in; with one of them standing, the
//! other one's interval is exact, and neither can come nearer alone. Not promised: that no other pair
//! moves less, which only a search over all pairs of values could tell.

use std::time::Duration;

use memory::{MemoryId, Millis};

use crate::constants::{Constants, Tunable};
use crate::engine::Engine;
use crate::gathered::Gathered;

/// Constants that are set to a step while the others' intervals are asked.
const BEGUN: usize = 4;

/// Pairs that are drawn in, those that move least first.
const DRAWN_IN: usize = 3;

/// Rounds of drawing in; most stand still after two.
const ROUNDS: usize = 4;

/// Digits after the point that a value is written with at most.
const DIGITS: i32 = 9;

/// One constant of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPart {
    /// Which constant.
    pub constant: Tunable,
    /// Its present value.
    pub current: f64,
    /// The value to set: a slider's, near the end of the interval that is nearest to the present one.
    pub value: f64,
    /// The closed interval around `value` that brings the memory in while the other one stands at its
    /// own value.
    pub interval: (f64, f64),
}

/// Two constants that bring a memory in together.
#[derive(Clone, Debug, PartialEq)]
pub struct PairFix {
    /// Both, in the order of the pipeline.
    pub parts: [PairPart; 2],
    /// The memory's rank then, from 1.
    pub rank: usize,
    /// Results that it pushes out.
    pub displaced: Vec<MemoryId>,
}

impl PairFix {
    /// The constants with both at their values.
    pub fn under(&self, constants: &Constants) -> Constants {
        under(constants, &self.parts)
    }
}

impl Engine {
    /// [`Gathered::pair`], once the reranker has read for `deadline` at most what might come into its
    /// window.
    pub fn pair(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        deadline: Duration,
    ) -> Option<PairFix> {
        self.read_all(gathered, expected, constants, now, deadline);
        gathered.pair(expected, constants, now)
    }
}

impl Gathered {
    /// The smallest pair found of constants that bring a memory in together; `None` when it was not
    /// gathered, is among the results, or no pair that was tried is enough. Pairs of query and text
    /// that the reranker has not read count 0.
    pub fn pair(&self, expected: MemoryId, constants: &Constants, now: Millis) -> Option<PairFix> {
        let constants = &constants.clamped();
        self.candidate(expected)?;
        let before = self.rank(constants, now);
        if before.place(expected).is_some() {
            return None;
        }
        let ask = Ask {
            gathered: self,
            expected,
            constants,
            now,
        };
        let mut pairs = ask.begun();
        pairs.sort_by(|a, b| effort(a).total_cmp(&effort(b)));
        let drawn = pairs
            .into_iter()
            .take(DRAWN_IN)
            .filter_map(|pair| ask.drawn_in(pair));
        let mut parts = drawn.min_by(|a, b| effort(a).total_cmp(&effort(b)))?;
        parts.sort_by_key(|part| part.constant);
        let after = self.rank(&under(constants, &parts), now);
        Some(PairFix {
            parts,
            rank: after.place(expected)? + 1,
            displaced: before.displaced_by(&after),
        })
    }
}

/// Constants that move a ranking whose lists stand.
fn movable() -> impl Iterator<Item = Tunable> {
    Tunable::ALL
        .into_iter()
        .filter(|constant| constant.keeps_the_lists() && !constant.only_packs())
}

/// The constants with each of these at its value.
fn under(constants: &Constants, parts: &[PairPart]) -> Constants {
    parts.iter().fold(constants.clone(), |changed, part| {
        part.constant.set(&changed, part.value)
    })
}

/// How far both constants move, each as a share of its value.
fn effort(parts: &[PairPart; 2]) -> f64 {
    let moved = |part: &PairPart| ((part.value + 0.05) / (part.current + 0.05)).ln().abs();
    parts.iter().map(moved).sum()
}

/// One search.
struct Ask<'a> {
    gathered: &'a Gathered,
    expected: MemoryId,
    constants: &'a Constants,
    now: Millis,
}

impl Ask<'_> {
    /// Where the memory stands in the last list that holds every candidate.
    fn depth(&self, constants: &Constants) -> Option<usize> {
        let ranking = self.gathered.rank(constants, self.now);
        let mut rows = ranking.reranked.iter();
        rows.position(|row| row.id() == self.expected)
    }

    /// Pairs whose first constant stands on a step of its ladder, the second at its nearest value.
    fn begun(&self) -> Vec<[PairPart; 2]> {
        let standing = self.depth(self.constants).unwrap_or(usize::MAX);
        let mut firsts: Vec<(usize, Tunable, f64)> = movable()
            .filter(|constant| constant.matters(self.constants))
            .filter_map(|constant| {
                let current = constant.of(self.constants);
                let mut steps = constant.number().ladder.values();
                // The nearest first, so that of equal steps the smallest is taken.
                steps.sort_by(|a, b| (a - current).abs().total_cmp(&(b - current).abs()));
                let tried = steps.into_iter().filter_map(|value| {
                    let depth = self.depth(&constant.set(self.constants, value))?;
                    Some((depth, constant, value))
                });
                tried.min_by_key(|(depth, ..)| *depth)
            })
            .filter(|(depth, ..)| *depth < standing)
            .collect();
        firsts.sort_by_key(|(depth, ..)| *depth);
        firsts.truncate(BEGUN);
        let mut pairs = Vec::new();
        for (_, constant, value) in firsts {
            let first = PairPart {
                constant,
                current: constant.of(self.constants),
                value,
                interval: (value, value),
            };
            let others = movable().filter(|other| *other != constant);
            pairs.extend(others.filter_map(|other| Some([first, self.part(other, &first)?])));
        }
        pairs
    }

    /// A constant as near to its present value as it may be while another one stands.
    fn part(&self, constant: Tunable, standing: &PairPart) -> Option<PairPart> {
        let under = standing.constant.set(self.constants, standing.value);
        if !constant.matters(&under) {
            return None;
        }
        let current = constant.of(self.constants);
        let intervals = self
            .gathered
            .intervals(constant, self.expected, &under, self.now);
        let away = |(low, high): (f64, f64)| (current.clamp(low, high) - current).abs();
        let interval = intervals
            .into_iter()
            .min_by(|a, b| away(*a).total_cmp(&away(*b)))?;
        let value = written(interval, current, constant.number().track.step);
        let holds = self
            .gathered
            .rank(&constant.set(&under, value), self.now)
            .place(self.expected)
            .is_some();
        holds.then_some(PairPart {
            constant,
            current,
            value,
            interval,
        })
    }

    /// Both constants as near to their present values as they may be.
    fn drawn_in(&self, [mut a, mut b]: [PairPart; 2]) -> Option<[PairPart; 2]> {
        for _ in 0..ROUNDS {
            let before = (a.value, b.value);
            a = self.part(a.constant, &b)?;
            b = self.part(b.constant, &a)?;
            if before == (a.value, b.value) {
                break;
            }
        }
        // The interval of the first belongs to where the second came to stand.
        let value = a.value;
        a = PairPart {
            value,
            ..self.part(a.constant, &b)?
        };
        let (low, high) = a.interval;
        (low..=high).contains(&value).then_some([a, b])
    }
}

/// The value of a slider in an interval that is nearest to `current`; where the interval lies between two
/// of them, a number with as few digits as it allows.
fn written((low, high): (f64, f64), current: f64, step: f64) -> f64 {
    if (low..=high).contains(&current) {
        return current;
    }
    let nearest = current.clamp(low, high);
    let inwards = |per_unit: f64| {
        let whole = if nearest > current {
            (nearest * per_unit).ceil()
        } else {
            (nearest * per_unit).floor()
        };
        whole / per_unit
    };
    let digits = (0..=DIGITS).map(|digits| 10_f64.powi(digits));
    [1.0 / step]
        .into_iter()
        .chain(digits)
        .map(inwards)
        .find(|value| (low..=high).contains(value))
        .unwrap_or(nearest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gathered::testing::{NOW, candidates, gathered, some_constants};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn a_pair_brings_the_memory_in_and_neither_comes_nearer_alone(
            found in candidates(), constants in some_constants(), pick in any::<prop::sample::Index>(),
        ) {
            let gathered = gathered(&found, NOW);
            let expected = gathered.ids[pick.index(gathered.ids.len())];
            let place = |constants: &Constants| gathered.rank(constants, NOW).place(expected);
            let Some(pair) = gathered.pair(expected, &constants, NOW) else {
                return Ok(());
            };
            prop_assert!(place(&constants).is_none());
            let [a, b] = pair.parts;
            prop_assert!(a.constant < b.constant);
            let both = b.constant.set(&a.constant.set(&constants, a.value), b.value);
            prop_assert_eq!(place(&both), Some(pair.rank - 1));
            for (moving, standing) in [(a, b), (b, a)] {
                let under = standing.constant.set(&constants, standing.value);
                let (low, high) = moving.interval;
                prop_assert!((low..=high).contains(&moving.value));
                for end in [low, high] {
                    prop_assert!(place(&moving.constant.set(&under, end)).is_some());
                }
                // What lies between the interval and the present value does not do.
                let nearest = moving.current.clamp(low, high);
                // A leg's weight may be as small as one likes, and is 0 nonetheless.
                if (nearest - moving.current).abs() > 1e-9 {
                    let short = nearest + (moving.current - nearest) * 1e-6;
                    let short = if moving.constant.is_whole() {
                        nearest + (moving.current - nearest).signum()
                    } else {
                        short
                    };
                    prop_assert!(
                        place(&moving.constant.set(&under, short)).is_none(),
                        "{:?} at {short} does too", moving.constant
                    );
                }
            }
        }
    }

    #[test]
    fn a_value_is_a_sliders_where_its_interval_allows() {
        assert_eq!(written((12.34, 80.0), 10.0, 0.5), 12.5);
        assert_eq!(written((1e-200, 5.0), 0.0, 0.05), 0.05);
        assert_eq!(written((0.0, 0.4319), 0.7, 0.01), 0.43);
        assert_eq!(written((0.43187, 0.4319), 0.7, 0.01), 0.4319);
        assert_eq!(written((3.0, 9.0), 5.0, 1.0), 5.0);
    }
}

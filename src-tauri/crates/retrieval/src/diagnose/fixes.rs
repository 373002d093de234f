//! The smallest fix: for each constant alone, where it would have to be for a memory to be among
//! the results.
//!
//! The candidate lists are fixed, so "is it among the results" is a step function of a constant.
//! Whole-numbered constants are tried at every value. For the others the places where two rows of
//! the list change order are known in closed form ([`super::roots`]); between two such places the
//! order of the list before the reranker stands still. Each piece is tried inside, and where two
//! neighbouring trials differ the step is found by bisection on the real ranking, so that both ends
//! of an interval given out have been tried and hold, and so does the next number inside each. The
//! present value is a trial too: whether it is in an interval is never an inference.

use std::collections::BTreeSet;

use memory::{MemoryId, Millis};

use crate::constants::{Constants, Tunable};
use crate::context::fence::Fence;
use crate::context::pack::{Fate, Purse};
use crate::gathered::Gathered;
use crate::stage::select::Lookup;
use crate::trace::DropReason;

use super::intervals::{bounded, pulled_in, stepwise, whole_intervals};

/// What one constant alone would have to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// Which constant.
    pub constant: Tunable,
    /// Its present value.
    pub current: f64,
    /// Closed intervals in which the memory is among the results (for what shapes the block alone: in
    /// the context block), in order; empty = impossible alone.
    pub intervals: Vec<(f64, f64)>,
    /// The value in them that is nearest to the present one.
    pub nearest: Option<f64>,
}

impl Gathered {
    /// For each constant alone, where it would have to be for the memory to be among the results.
    /// Pairs that the reranker has not read count 0.
    pub fn fixes(&self, expected: MemoryId, constants: &Constants, now: Millis) -> Vec<Fix> {
        let constants = &constants.clamped();
        Tunable::ALL
            .into_iter()
            .filter(|constant| constant.keeps_the_lists() && !constant.cuts_lanes())
            .map(|constant| {
                let intervals = if self.candidate(expected).is_none() {
                    Vec::new()
                } else {
                    self.intervals(constant, expected, constants, now)
                };
                let current = constant.of(constants);
                Fix {
                    constant,
                    current,
                    nearest: nearest(&intervals, current),
                    intervals,
                }
            })
            .collect()
    }

    /// Where a constant would have to be for the memory to be among the results.
    pub(super) fn intervals(
        &self,
        constant: Tunable,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
    ) -> Vec<(f64, f64)> {
        let (low, high) = constant.range();
        if constant == Tunable::TokenBudget {
            return self.budget_intervals(expected, constants, now);
        }
        if constant == Tunable::ContextResults {
            return whole_intervals(low as u32, high as u32, |value| {
                let ranking = self.rank(&constant.set(constants, f64::from(value)), now);
                ranking.selected.iter().any(|row| {
                    row.id() == expected && row.result.is_some() && row.dropped.is_none()
                })
            });
        }
        let holds = |value: f64| {
            self.rank(&constant.set(constants, value), now)
                .place(expected)
                .is_some()
        };
        if !constant.matters(constants) {
            return if holds(constant.of(constants)) {
                vec![(low, high)]
            } else {
                Vec::new()
            };
        }
        if constant.is_whole() {
            return whole_intervals(low as u32, high as u32, |value| holds(f64::from(value)));
        }
        let ranking = self.rank(constants, now);
        let mut steps = self.steps(constant, expected, constants, now, &ranking);
        bounded(&mut steps, low, high);
        let crossings = self.blend_crossings(constant, expected, constants, now, &steps);
        steps.extend(crossings);
        bounded(&mut steps, low, high);
        // A leg of weight 0 is gone, which is not what the smallest weight does: hence the trials
        // right beside the ends of the range.
        let beside = (high - low) * 1e-9;
        let mut trials: Vec<f64> = Vec::with_capacity(steps.len() + 4);
        trials.extend([low, low + beside]);
        trials.extend(
            steps
                .windows(2)
                .map(|piece| f64::midpoint(piece[0], piece[1])),
        );
        trials.extend([high - beside, high]);
        if constant == Tunable::HalfLifeDays {
            // Far below their ages, rows of equal fused scores come so near to each other that
            // rounding makes them equal somewhere inside a piece: its ends are tried as well.
            let inner = &steps[1..steps.len().saturating_sub(1).max(1)];
            trials.extend(
                inner
                    .iter()
                    .flat_map(|step| [step * (1.0 - 1e-9), step * (1.0 + 1e-9)]),
            );
        }
        let current = constant.of(constants);
        if (low..=high).contains(&current) {
            trials.push(current);
        }
        trials.sort_by(f64::total_cmp);
        trials.dedup();
        pulled_in(stepwise(&trials, &holds), current, &holds)
    }

    /// Budgets with which a result is in the context block.
    fn budget_intervals(
        &self,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
    ) -> Vec<(f64, f64)> {
        let (low, high) = Tunable::TokenBudget.range();
        let ranking = self.rank(constants, now);
        let Some(own) = ranking
            .selected
            .iter()
            .find(|row| row.id() == expected && row.result.is_some())
        else {
            return Vec::new();
        };
        if own.dropped == Some(DropReason::Flagged) {
            return Vec::new();
        }
        let mut rows: Vec<_> = ranking
            .selected
            .iter()
            .filter(|row| row.result.is_some() && row.dropped != Some(DropReason::Flagged))
            .collect();
        rows.sort_by_key(|row| row.result);
        let Some(at) = rows.iter().position(|row| row.id() == expected) else {
            return Vec::new();
        };
        let costs: Vec<u32> = rows[..=at]
            .iter()
            .map(|row| self.price(row.reranked.decayed.fused.candidate))
            .collect();
        let overhead = self.fence_tokens(Fence::Context);
        // Past research is paid for first.
        let research = self.research_costs(constants);
        let paid: Vec<u32> = research.iter().chain(&costs).copied().collect();
        // Which of the rows before it fit changes only where a sum of costs is reached.
        let sums = sums_of(&paid, overhead, high as u64);
        let mut edges: Vec<u32> = vec![low as u32, high as u32];
        edges.extend(
            sums.iter()
                .flat_map(|&sum| [sum.saturating_sub(1), sum])
                .filter(|sum| (low as u32..=high as u32).contains(sum)),
        );
        edges.sort_unstable();
        edges.dedup();
        let mut intervals: Vec<(f64, f64)> = Vec::new();
        let mut open: Option<u32> = None;
        let mut last = 0;
        for edge in edges {
            let mut purse = Purse::new(edge, overhead);
            for &cost in &research {
                purse.pay(cost);
            }
            let fits = purse.memories(&costs, constants.context_results)[at] == Fate::In;
            match (fits, open) {
                (true, None) => open = Some(edge),
                (false, Some(from)) => {
                    intervals.push((f64::from(from), f64::from(last)));
                    open = None;
                }
                _ => {}
            }
            last = edge;
        }
        intervals.extend(open.map(|from| (f64::from(from), f64::from(last))));
        intervals
    }
}

/// Overhead plus every sum of some of the costs, as far as a budget reaches. With many costs only
/// the sums of neighbours from the start are taken, which are enough for the upper end.
fn sums_of(costs: &[u32], overhead: u32, highest: u64) -> BTreeSet<u32> {
    let mut sums: BTreeSet<u32> = BTreeSet::from([overhead]);
    for &cost in costs {
        let grown: Vec<u32> = if sums.len() > 4096 {
            sums.iter().next_back().copied().into_iter().collect()
        } else {
            sums.iter().copied().collect()
        };
        for sum in grown {
            let sum = u64::from(sum) + u64::from(cost);
            if sum <= highest {
                sums.insert(sum as u32);
            }
        }
    }
    sums
}

pub(super) fn nearest(intervals: &[(f64, f64)], current: f64) -> Option<f64> {
    intervals
        .iter()
        .map(|&(low, high)| current.clamp(low, high))
        .min_by(|a, b| (a - current).abs().total_cmp(&(b - current).abs()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::constants::RerankBackend;
    use crate::gathered::testing::{Found, NOW, candidates, gathered, some_constants};

    /// `INTERVAL_CASES` makes the long form: 20,000 and more.
    fn cases() -> u32 {
        std::env::var("INTERVAL_CASES")
            .ok()
            .and_then(|cases| cases.parse().ok())
            .unwrap_or(2000)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases()))]

        #[test]
        fn intervals_agree_with_stepping_through_the_range(
            found in candidates(), constants in some_constants(), pick in any::<prop::sample::Index>(),
        ) {
            let gathered = gathered(&found, NOW);
            let expected = gathered.ids[pick.index(gathered.ids.len())];
            let holds = |constant: Tunable, value: f64| {
                gathered.rank(&constant.set(&constants, value), NOW).place(expected).is_some()
            };
            // Rows that differ but whose scores are equal to the last digits: there rounding decides,
            // and the step has no exact place.
            let rounded = |constant: Tunable, value: f64| {
                let ranking = gathered.rank(&constant.set(&constants, value), NOW);
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
                let differ = |a: &crate::stage::decay::Decayed, b: &crate::stage::decay::Decayed| {
                    a.age != b.age || a.fused.score != b.fused.score || a.said != b.said
                };
                ranking.decayed.windows(2).any(|p| differ(&p[0], &p[1]) && close(p[0].score, p[1].score))
                    || ranking.reranked.windows(2).any(|p| {
                        (differ(&p[0].decayed, &p[1].decayed) || p[0].made != p[1].made)
                            && (p[0].score - p[1].score).abs() < 1e-12
                    })
            };
            for fix in gathered.fixes(expected, &constants, NOW) {
                let constant = fix.constant;
                if constant.only_packs() {
                    continue;
                }
                let (low, high) = constant.range();
                let values: Vec<f64> = if constant.is_whole() {
                    (low as u32..=(high as u32).min(60)).map(f64::from).collect()
                } else {
                    (0..=150).map(|at| low + (high - low) * f64::from(at * at) / 22_500.0).collect()
                };
                for value in values {
                    let inside = fix.intervals.iter().any(|&(from, to)| (from..=to).contains(&value));
                    let near_an_edge = fix.intervals.iter().any(|&(from, to)| {
                        (from - value).abs() < 1e-9 || (to - value).abs() < 1e-9
                    });
                    prop_assert!(
                        near_an_edge || inside == holds(constant, value) || rounded(constant, value),
                        "{constant:?} = {value}: intervals {:?}", fix.intervals
                    );
                }
                if let Some(nearest) = fix.nearest {
                    prop_assert!(holds(constant, nearest), "{constant:?} = {nearest} was promised");
                    let current = fix.current;
                    let less = nearest + (current - nearest) * 1e-6;
                    if !constant.is_whole() && (nearest - current).abs() > 1e-6 {
                        prop_assert!(!holds(constant, less) || rounded(constant, less), "{constant:?}: less than {nearest} is enough");
                    }
                    if constant.is_whole() && nearest != current {
                        prop_assert!(!holds(constant, nearest + (current - nearest).signum()));
                    }
                }
            }
        }
    }

    /// Ages of more than fifty half-lives: what they leave of two equal scores differs in the last bits only,
    /// and rounding makes them equal here and unequal there, so that the id decides in some places and the
    /// age in others.
    #[test]
    fn no_half_life_is_promised_where_rounding_makes_two_scores_equal() {
        let row = |knn: Option<f64>, bm25: Option<f64>, days: f64, text: &str| Found {
            knn,
            bm25,
            days,
            text: text.to_owned(),
            ..Found::default()
        };
        let found = [
            row(Some(0.9), None, 140.3, "the older one, first by its id"),
            row(None, Some(9.0), 140.0, "the younger one"),
        ];
        let gathered = gathered(&found, NOW);
        let expected = gathered.ids[1];
        let mut decided_by_rounding = 0;
        for step in 0..800 {
            let constants = Constants {
                half_life_days: 2.5 + f64::from(step) / 1000.0,
                decay_floor: 0.2,
                results: 1,
                rerank: RerankBackend::Off,
                dedup: false,
                ..Constants::default()
            };
            let holds = |value: f64| {
                let there = Tunable::HalfLifeDays.set(&constants, value);
                gathered.rank(&there, NOW).place(expected).is_some()
            };
            let fixes = gathered.fixes(expected, &constants, NOW);
            let fix = fixes
                .iter()
                .find(|fix| fix.constant == Tunable::HalfLifeDays)
                .unwrap();
            let current = constants.half_life_days;
            let inside = |value: f64| {
                let mut all = fix.intervals.iter();
                all.any(|&(from, to)| (from..=to).contains(&value))
            };
            assert_eq!(
                inside(current),
                holds(current),
                "{current}: {:?}",
                fix.intervals
            );
            assert!(
                fix.nearest.is_none_or(holds),
                "{current}: {:?}",
                fix.nearest
            );
            for &(from, to) in &fix.intervals {
                assert!(holds(from) && holds(to), "{from} to {to}");
                assert!(from == to || (holds(from.next_up()) && holds(to.next_down())));
            }
            decided_by_rounding += u32::from(!holds(current));
        }
        assert!(
            (1..800).contains(&decided_by_rounding),
            "{decided_by_rounding} of 800"
        );
    }

    #[test]
    fn a_budget_that_fits_is_found() {
        let found: Vec<Found> = (0..3)
            .map(|at| Found {
                knn: Some(0.9 - f64::from(at) / 10.0),
                text: "word ".repeat(60) + &at.to_string(),
                ..Found::default()
            })
            .collect();
        let gathered = gathered(&found, NOW);
        let constants = Constants {
            token_budget: 200,
            rerank: RerankBackend::Off,
            ..Constants::default()
        };
        let last = gathered.ids[2];
        let fixes = gathered.fixes(last, &constants, NOW);
        let budget = fixes
            .iter()
            .find(|fix| fix.constant == Tunable::TokenBudget)
            .unwrap();
        let dropped = |value: f64| {
            let ranking = gathered.rank(&Tunable::TokenBudget.set(&constants, value), NOW);
            ranking
                .selected
                .iter()
                .find(|row| row.id() == last)
                .unwrap()
                .dropped
        };
        let enough = budget.nearest.unwrap();
        assert_eq!(
            (dropped(enough), dropped(enough - 1.0)),
            (None, Some(DropReason::Budget))
        );
        for value in (64..2000).step_by(7) {
            let inside = budget
                .intervals
                .iter()
                .any(|&(from, to)| (from..=to).contains(&f64::from(value)));
            assert_eq!(
                inside,
                dropped(f64::from(value)).is_none(),
                "budget {value}: {:?}",
                budget.intervals
            );
        }
    }
}

//! The smallest fix: for each constant alone, where it would have to be for a memory to be among
//! the results.
//!
//! The candidate lists are fixed, so "is it among the results" is a step function of a constant.
//! Whole-numbered constants are tried at every value. For the others the places where two rows of
//! the list change order are known in closed form ([`super::roots`]); between two such places the
//! order of the list before the reranker stands still. Each piece is tried inside, and where two
//! neighbouring trials differ the step is found by bisection on the real ranking, so that both ends
//! of an interval given out have been tried and hold.

use std::collections::BTreeSet;

use memory::{MemoryId, Millis};

use crate::arrange::Ranking;
use crate::constants::{Constants, FusionMethod, RerankBackend};
use crate::context::pack;
use crate::gathered::{Gathered, slot};
use crate::stage::decay::{Age, Decayed};
use crate::stage::select::Lookup;
use crate::trace::DropReason;

use super::roots;

/// Lists longer than this get their steps from comparisons with the memory alone.
const ALL_PAIRS: usize = 120;
/// Where the blend is looked at between two known steps, to catch its own steps.
const LOOKS: u32 = 16;
/// Trials where no closed form is known.
const GRID: u32 = 400;

/// A constant that a slider moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tunable {
    /// Candidates per leg.
    Candidates,
    /// The k of reciprocal rank fusion.
    RrfK,
    /// Weight of the semantic leg.
    KnnWeight,
    /// Weight of the keyword leg.
    Bm25Weight,
    /// Half-life in days.
    HalfLifeDays,
    /// Floor of decay.
    DecayFloor,
    /// Rerank window.
    RerankWindow,
    /// Share of the reranker.
    RerankBlend,
    /// Number of results.
    Results,
    /// Tokens of the context block.
    TokenBudget,
    /// λ of MMR.
    MmrLambda,
}

impl Tunable {
    /// All of them, in the order of the sliders.
    pub const ALL: [Self; 11] = [
        Self::Candidates,
        Self::RrfK,
        Self::KnnWeight,
        Self::Bm25Weight,
        Self::HalfLifeDays,
        Self::DecayFloor,
        Self::RerankWindow,
        Self::RerankBlend,
        Self::Results,
        Self::TokenBudget,
        Self::MmrLambda,
    ];

    /// The name of the field in [`Constants`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::RrfK => "rrf_k",
            Self::KnnWeight => "knn_weight",
            Self::Bm25Weight => "bm25_weight",
            Self::HalfLifeDays => "half_life_days",
            Self::DecayFloor => "decay_floor",
            Self::RerankWindow => "rerank_window",
            Self::RerankBlend => "rerank_blend",
            Self::Results => "results",
            Self::TokenBudget => "token_budget",
            Self::MmrLambda => "mmr_lambda",
        }
    }

    /// The lowest and the highest value allowed.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::Candidates => (1.0, Constants::MAX_CANDIDATES as f64),
            Self::RrfK => (0.0, 1000.0),
            Self::KnnWeight | Self::Bm25Weight => (0.0, 10.0),
            Self::HalfLifeDays => (0.1, 3650.0),
            Self::DecayFloor | Self::RerankBlend | Self::MmrLambda => (0.0, 1.0),
            Self::RerankWindow => (0.0, 200.0),
            Self::Results => (1.0, 100.0),
            Self::TokenBudget => (64.0, 1_000_000.0),
        }
    }

    /// Whether only whole numbers are allowed.
    pub const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Candidates | Self::RerankWindow | Self::Results | Self::TokenBudget
        )
    }

    /// Its value.
    pub fn of(self, constants: &Constants) -> f64 {
        match self {
            Self::Candidates => f64::from(constants.candidates),
            Self::RrfK => constants.rrf_k,
            Self::KnnWeight => constants.knn_weight,
            Self::Bm25Weight => constants.bm25_weight,
            Self::HalfLifeDays => constants.half_life_days,
            Self::DecayFloor => constants.decay_floor,
            Self::RerankWindow => f64::from(constants.rerank_window),
            Self::RerankBlend => constants.rerank_blend,
            Self::Results => f64::from(constants.results),
            Self::TokenBudget => f64::from(constants.token_budget),
            Self::MmrLambda => constants.mmr_lambda,
        }
    }

    /// The constants with this one at another value.
    #[must_use]
    pub fn set(self, constants: &Constants, value: f64) -> Constants {
        let mut changed = constants.clone();
        match self {
            Self::Candidates => changed.candidates = value as u32,
            Self::RrfK => changed.rrf_k = value,
            Self::KnnWeight => changed.knn_weight = value,
            Self::Bm25Weight => changed.bm25_weight = value,
            Self::HalfLifeDays => changed.half_life_days = value,
            Self::DecayFloor => changed.decay_floor = value,
            Self::RerankWindow => changed.rerank_window = value as u32,
            Self::RerankBlend => changed.rerank_blend = value,
            Self::Results => changed.results = value as u32,
            Self::TokenBudget => changed.token_budget = value as u32,
            Self::MmrLambda => changed.mmr_lambda = value,
        }
        changed
    }

    /// Whether it makes any difference under these constants.
    fn matters(self, constants: &Constants) -> bool {
        match self {
            Self::RrfK => constants.fusion == FusionMethod::Rrf,
            Self::RerankWindow | Self::RerankBlend => constants.rerank != RerankBackend::Off,
            Self::MmrLambda => constants.mmr,
            _ => true,
        }
    }
}

/// What one constant alone would have to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// Which constant.
    pub constant: Tunable,
    /// Its present value.
    pub current: f64,
    /// Closed intervals in which the memory is among the results (for the token budget: in the
    /// context block), in order; empty = impossible alone.
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

    fn intervals(
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
        trials.sort_by(f64::total_cmp);
        stepwise(&trials, holds)
    }

    /// Where the order of the list before the reranker, or the reranked order, may change.
    fn steps(
        &self,
        constant: Tunable,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        ranking: &Ranking,
    ) -> Vec<f64> {
        let (low, high) = constant.range();
        let even = |count: u32| {
            (1..count).map(move |at| low + (high - low) * f64::from(at) / f64::from(count))
        };
        if constant == Tunable::MmrLambda || constants.mmr {
            return even(GRID).collect();
        }
        if constant == Tunable::RerankBlend {
            return blend_steps(self, expected, constants, ranking);
        }
        // Weight 0 removes a leg, and its rows with it: the rows are taken where both count.
        let probe = match constant {
            Tunable::KnnWeight | Tunable::Bm25Weight if constant.of(constants) <= 0.0 => {
                &self.rank(&constant.set(constants, 1.0), now).decayed
            }
            _ => &ranking.decayed,
        };
        let rows: Vec<Row> = probe.iter().map(|row| self.row(row, constants)).collect();
        let all = rows.len() <= ALL_PAIRS && ranking.rerank_report.ran();
        let mut steps: Vec<f64> = Vec::new();
        for (at, a) in rows.iter().enumerate() {
            for b in &rows[at + 1..] {
                if all || a.id == expected || b.id == expected {
                    a.steps_against(b, constant, constants, &mut steps);
                }
            }
        }
        if rows.len() > ALL_PAIRS && ranking.rerank_report.ran() {
            steps.extend(even(GRID));
        }
        steps
    }

    /// Where the memory and another row of the rerank window change places inside a piece in which
    /// the order before the reranker stands still: the normalised scores move there all the same.
    fn blend_crossings(
        &self,
        constant: Tunable,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        steps: &[f64],
    ) -> Vec<f64> {
        let mut crossings = Vec::new();
        let Some(at) = slot(constants.rerank) else {
            return crossings;
        };
        if matches!(constant, Tunable::RerankBlend | Tunable::MmrLambda) {
            return crossings;
        }
        let scores = self.pair_scores[at].read().scores.clone();
        let read = |candidate: u32| {
            scores
                .get(&candidate)
                .map_or(0.0, |score| score.clamp(0.0, 1.0))
        };
        let blend = constants.rerank_blend;
        for piece in steps.windows(2) {
            let (from, to) = (piece[0], piece[1]);
            let there = constant.set(constants, f64::midpoint(from, to));
            let ranking = self.rank(&there, now);
            if !ranking.rerank_report.ran() {
                return crossings;
            }
            let window = ranking.decayed.len().min(constants.rerank_window as usize);
            let rows: Vec<(f64, Row)> = ranking.decayed[..window]
                .iter()
                .map(|row| (read(row.fused.candidate), self.row(row, &there)))
                .collect();
            let (Some((_, best)), Some((_, last))) = (rows.first(), rows.last()) else {
                continue;
            };
            let Some((own_read, own)) = rows.iter().find(|(_, row)| row.id == expected) else {
                continue;
            };
            for (other_read, other) in rows.iter().filter(|(_, row)| row.id != expected) {
                // The difference of both blends, times the spread of the window.
                let difference = |value: f64| {
                    let spread = best.score(constant, value, constants)
                        - last.score(constant, value, constants);
                    let ahead = own.score(constant, value, constants)
                        - other.score(constant, value, constants);
                    blend * (own_read - other_read) * spread + (1.0 - blend) * ahead
                };
                let look = |part: u32| from + (to - from) * f64::from(part) / f64::from(LOOKS);
                for part in 0..LOOKS {
                    crossings.extend(roots::between(look(part), look(part + 1), difference));
                }
            }
        }
        crossings
    }

    fn row(&self, decayed: &Decayed, constants: &Constants) -> Row {
        let cutoff = constants.leg_cutoff();
        let place =
            |position: Option<usize>| position.filter(|at| *at < cutoff).map(|at| at as f64 + 1.0);
        let candidate = decayed.fused.candidate;
        let sum = constants.knn_weight + constants.bm25_weight;
        // What the leg gives per unit of weight. Under the convex combination the sum of the weights
        // divides every score alike and so changes no order.
        let unit = |part: Option<f64>, weight: f64| match constants.fusion {
            FusionMethod::Rrf => part.map_or(0.0, |part| part / weight),
            FusionMethod::Convex => part.map_or(0.0, |part| part * sum / weight),
        };
        Row {
            id: decayed.id(),
            knn_rank: place(self.knn.iter().position(|(at, _)| *at == candidate))
                .filter(|_| decayed.fused.knn_part.is_some()),
            bm25_rank: place(self.bm25.iter().position(|(at, _)| *at == candidate))
                .filter(|_| decayed.fused.bm25_part.is_some()),
            knn_unit: unit(
                decayed.fused.knn_part,
                constants.knn_weight.max(f64::MIN_POSITIVE),
            ),
            bm25_unit: unit(
                decayed.fused.bm25_part,
                constants.bm25_weight.max(f64::MIN_POSITIVE),
            ),
            fused: decayed.fused.score,
            factor: decayed.factor,
            days: match decayed.age {
                Age::Days(days) => days,
                Age::Evergreen | Age::Unknown => 0.0,
            },
        }
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
            .map(|row| self.cost(row.reranked.decayed.fused.candidate))
            .collect();
        let overhead = self.overhead();
        // Which of the rows before it fit changes only where a sum of costs is reached.
        let sums = sums_of(&costs, overhead, high as u64);
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
            let fits = pack::choose(&costs, overhead, edge)[at];
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

/// One row of the list, as a function of the constants.
struct Row {
    id: MemoryId,
    knn_rank: Option<f64>,
    bm25_rank: Option<f64>,
    knn_unit: f64,
    bm25_unit: f64,
    fused: f64,
    factor: f64,
    days: f64,
}

impl Row {
    /// Its decayed score with one constant at another value. Under the convex combination without
    /// the division by the sum of the weights, which all rows share.
    fn score(&self, constant: Tunable, value: f64, constants: &Constants) -> f64 {
        let at = |which: Tunable| {
            if which == constant {
                value
            } else {
                which.of(constants)
            }
        };
        let (knn_weight, bm25_weight) = (at(Tunable::KnnWeight), at(Tunable::Bm25Weight));
        let fused = match constants.fusion {
            FusionMethod::Rrf => {
                let k = at(Tunable::RrfK);
                self.knn_rank.map_or(0.0, |rank| knn_weight / (k + rank))
                    + self.bm25_rank.map_or(0.0, |rank| bm25_weight / (k + rank))
            }
            FusionMethod::Convex => knn_weight * self.knn_unit + bm25_weight * self.bm25_unit,
        };
        let floor = at(Tunable::DecayFloor);
        fused * (floor + (1.0 - floor) * (-self.days / at(Tunable::HalfLifeDays)).exp2())
    }

    fn steps_against(
        &self,
        other: &Self,
        constant: Tunable,
        constants: &Constants,
        steps: &mut Vec<f64>,
    ) {
        let (low, high) = constant.range();
        let (a, b) = (self, other);
        match constant {
            Tunable::RrfK => {
                let terms = |row: &Self, sign: f64| {
                    [
                        row.knn_rank
                            .map(|rank| (sign * row.factor * constants.knn_weight, rank)),
                        row.bm25_rank
                            .map(|rank| (sign * row.factor * constants.bm25_weight, rank)),
                    ]
                };
                let terms: Vec<(f64, f64)> = terms(a, 1.0)
                    .into_iter()
                    .chain(terms(b, -1.0))
                    .flatten()
                    .collect();
                steps.extend(roots::cubic(numerator(&terms), low, high));
            }
            Tunable::KnnWeight => steps.extend(roots::linear(
                constants.bm25_weight * (a.factor * a.bm25_unit - b.factor * b.bm25_unit),
                a.factor * a.knn_unit - b.factor * b.knn_unit,
                low,
                high,
            )),
            Tunable::Bm25Weight => steps.extend(roots::linear(
                constants.knn_weight * (a.factor * a.knn_unit - b.factor * b.knn_unit),
                a.factor * a.bm25_unit - b.factor * b.bm25_unit,
                low,
                high,
            )),
            Tunable::DecayFloor => {
                let (young, old) = (a.faded(constants), b.faded(constants));
                steps.extend(roots::linear(
                    a.fused * young - b.fused * old,
                    a.fused * (1.0 - young) - b.fused * (1.0 - old),
                    low,
                    high,
                ));
            }
            Tunable::HalfLifeDays => {
                let floor = constants.decay_floor;
                let found = roots::two_exponentials(
                    floor * (a.fused - b.fused),
                    ((1.0 - floor) * a.fused, a.days),
                    (-(1.0 - floor) * b.fused, b.days),
                    1.0 / high,
                    1.0 / low,
                );
                steps.extend(found.into_iter().map(|rate| 1.0 / rate));
            }
            _ => {}
        }
    }

    /// 2^(−age/half-life).
    fn faded(&self, constants: &Constants) -> f64 {
        (-self.days / constants.half_life_days).exp2()
    }
}

/// The numerator of Σ wᵢ/(x + rᵢ) over at most four terms, as coefficients of 1, x, x², x³.
fn numerator(terms: &[(f64, f64)]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for (at, &(weight, _)) in terms.iter().enumerate() {
        let mut product = [weight, 0.0, 0.0, 0.0];
        for (other, &(_, rank)) in terms.iter().enumerate() {
            if other != at {
                for power in (0..4).rev() {
                    let lower = if power > 0 { product[power - 1] } else { 0.0 };
                    product[power] = product[power] * rank + lower;
                }
            }
        }
        for (total, part) in sum.iter_mut().zip(product) {
            *total += part;
        }
    }
    sum
}

/// Where the memory and another row of the window change places as the blend moves.
fn blend_steps(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    ranking: &Ranking,
) -> Vec<f64> {
    use crate::stage::rerank::Made;
    let parts = |made: Made| match made {
        Made::Read {
            reranker,
            normalised,
        } => Some((reranker, normalised)),
        Made::Unread { normalised } => Some((0.0, normalised)),
        Made::Decayed | Made::Below => None,
    };
    debug_assert!(gathered.candidate(expected).is_some() && constants.rerank != RerankBackend::Off);
    let rows: Vec<(MemoryId, (f64, f64))> = ranking
        .reranked
        .iter()
        .filter_map(|row| Some((row.id(), parts(row.made)?)))
        .collect();
    let Some(&(_, (own, own_normalised))) = rows.iter().find(|(id, _)| *id == expected) else {
        return Vec::new();
    };
    rows.iter()
        .filter(|(id, _)| *id != expected)
        .filter_map(|(_, (other, normalised))| {
            roots::linear(
                own_normalised - normalised,
                (own - own_normalised) - (other - normalised),
                0.0,
                1.0,
            )
        })
        .collect()
}

/// Sorts, and keeps what lies in the range, with both its ends.
fn bounded(steps: &mut Vec<f64>, low: f64, high: f64) {
    steps.retain(|step| *step > low && *step < high);
    steps.extend([low, high]);
    steps.sort_by(f64::total_cmp);
    steps.dedup();
}

/// Runs of whole numbers that hold.
fn whole_intervals(low: u32, high: u32, holds: impl Fn(u32) -> bool) -> Vec<(f64, f64)> {
    let mut intervals: Vec<(f64, f64)> = Vec::new();
    let mut open = false;
    for value in low..=high {
        let held = holds(value);
        match (held, open, intervals.last_mut()) {
            (true, true, Some(last)) => last.1 = f64::from(value),
            (true, _, _) => intervals.push((f64::from(value), f64::from(value))),
            _ => {}
        }
        open = held;
    }
    intervals
}

/// Intervals of a step function, from trials in order: between two trials that differ the step is
/// found by bisection. Both ends of every interval have been tried and hold.
fn stepwise(trials: &[f64], holds: impl Fn(f64) -> bool) -> Vec<(f64, f64)> {
    let mut intervals: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, bool)> = None;
    for &trial in trials {
        let held = holds(trial);
        match before {
            None if held => intervals.push((trial, trial)),
            Some((_, true)) if held => {
                if let Some(last) = intervals.last_mut() {
                    last.1 = trial;
                }
            }
            Some((from, true)) => {
                if let Some(last) = intervals.last_mut() {
                    last.1 = edge(from, trial, &holds);
                }
            }
            Some((from, false)) if held => intervals.push((edge(trial, from, &holds), trial)),
            _ => {}
        }
        before = Some((trial, held));
    }
    intervals
}

/// The last value that holds on the way from one that does to one that does not.
fn edge(mut inside: f64, mut outside: f64, holds: &impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(inside, outside);
        if middle == inside || middle == outside || (inside - outside).abs() < 1e-12 {
            break;
        }
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

fn nearest(intervals: &[(f64, f64)], current: f64) -> Option<f64> {
    intervals
        .iter()
        .map(|&(low, high)| current.clamp(low, high))
        .min_by(|a, b| (a - current).abs().total_cmp(&(b - current).abs()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gathered::testing::{Found, gathered};

    const NOW: Millis = 1_775_000_000_000;

    fn candidates() -> impl Strategy<Value = Vec<Found>> {
        proptest::collection::vec(
            (
                proptest::option::of(0.0..1.0_f64),
                proptest::option::of(0.0..20.0_f64),
                0.0..300.0_f64,
                proptest::option::weighted(0.8, 0.0..1.0_f64),
                0..6_u8,
            ),
            3..16,
        )
        .prop_map(|rows| {
            rows.into_iter()
                .map(|(knn, bm25, days, reranker, text)| Found {
                    knn: knn.or(bm25.is_none().then_some(0.5)),
                    bm25,
                    days,
                    reranker,
                    text: format!("text {text}"),
                })
                .collect()
        })
    }

    fn some_constants() -> impl Strategy<Value = Constants> {
        (
            (
                0.0..120.0_f64,
                0.1..5.0_f64,
                0.1..5.0_f64,
                0.5..100.0_f64,
                0.0..1.0_f64,
            ),
            (
                any::<bool>(),
                any::<bool>(),
                any::<bool>(),
                1..8_u32,
                1..5_u32,
                0.0..1.0_f64,
            ),
        )
            .prop_map(
                |(
                    (rrf_k, knn_weight, bm25_weight, half_life_days, decay_floor),
                    (convex, rerank, dedup, rerank_window, results, rerank_blend),
                )| {
                    Constants {
                        rrf_k,
                        knn_weight,
                        bm25_weight,
                        half_life_days,
                        decay_floor,
                        fusion: if convex {
                            FusionMethod::Convex
                        } else {
                            FusionMethod::Rrf
                        },
                        rerank: if rerank {
                            RerankBackend::Embedded
                        } else {
                            RerankBackend::Off
                        },
                        dedup,
                        rerank_window,
                        rerank_blend,
                        results,
                        ..Constants::default()
                    }
                },
            )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn intervals_agree_with_stepping_through_the_range(
            found in candidates(), constants in some_constants(), pick in any::<prop::sample::Index>(),
        ) {
            let gathered = gathered(&found, NOW);
            let expected = gathered.ids[pick.index(gathered.ids.len())];
            let holds = |constant: Tunable, value: f64| {
                gathered.rank(&constant.set(&constants, value), NOW).place(expected).is_some()
            };
            for fix in gathered.fixes(expected, &constants, NOW) {
                let constant = fix.constant;
                if constant == Tunable::TokenBudget {
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
                        near_an_edge || inside == holds(constant, value),
                        "{constant:?} = {value}: intervals {:?}", fix.intervals
                    );
                }
                if let Some(nearest) = fix.nearest {
                    prop_assert!(holds(constant, nearest), "{constant:?} = {nearest} was promised");
                    let current = fix.current;
                    let less = nearest + (current - nearest) * 1e-6;
                    if !constant.is_whole() && (nearest - current).abs() > 1e-6 {
                        prop_assert!(!holds(constant, less), "{constant:?}: less than {nearest} is enough");
                    }
                    if constant.is_whole() && nearest != current {
                        prop_assert!(!holds(constant, nearest + (current - nearest).signum()));
                    }
                }
            }
        }
    }

    #[test]
    fn a_budget_that_fits_is_found() {
        let found: Vec<Found> = (0..3)
            .map(|at| Found {
                knn: Some(0.9 - f64::from(at) / 10.0),
                bm25: None,
                days: 0.0,
                reranker: None,
                text: "word ".repeat(60) + &at.to_string(),
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

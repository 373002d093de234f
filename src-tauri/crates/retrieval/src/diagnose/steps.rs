//! Where the order of a list may change as one constant moves, in closed form where there is one.

use std::collections::HashMap;

use memory::{MemoryId, Millis};

use crate::constants::{Constants, FusionMethod, RerankBackend, Tunable};
use crate::gathered::{Gathered, slot};
use crate::lists::Lists;
use crate::ranking::Ranking;
use crate::stage::decay::{Age, Decayed, LEAST_FACTOR, doublings, factor};
use crate::stage::fusion::Fused;
use crate::stage::rerank::{Made, Reranked, excess, length_factor};

use super::roots;

/// Lists longer than this get their steps from comparisons with the memory alone.
const ALL_PAIRS: usize = 120;

/// Where the blend is looked at between two known steps, to catch its own steps.
const LOOKS: u32 = 16;

/// The weights of the legs, in the order of [`Found`].
const WEIGHTS: [Tunable; LEGS] = [
    Tunable::KnnWeight,
    Tunable::Bm25Weight,
    Tunable::SparseWeight,
];

const LEGS: usize = 3;

/// The leg whose weight a constant is.
fn leg_of(constant: Tunable) -> Option<usize> {
    WEIGHTS.iter().position(|weight| *weight == constant)
}

/// Trials where no closed form is known.
const GRID: u32 = 400;

impl Gathered {
    /// Where the order of the list before the reranker, or the reranked order, may change.
    pub(super) fn steps(
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
        if constant == Tunable::RerankLong {
            return length_steps(self, expected, constants, ranking);
        }
        // Weight 0 removes a leg, and its rows with it: the rows are taken where both count.
        // So with a share of 0, which leaves no neighbours to look at.
        let rows = match constant {
            Tunable::KnnWeight
            | Tunable::Bm25Weight
            | Tunable::SparseWeight
            | Tunable::NeighbourShare
                if constant.of(constants) <= 0.0 =>
            {
                let probe = constant.set(constants, 1.0);
                self.rows(&self.rank(&probe, now), &probe)
            }
            _ => self.rows(ranking, constants),
        };
        let all = rows.len() <= ALL_PAIRS && ranking.rerank_report.ran();
        let mut steps: Vec<f64> = Vec::new();
        for (at, a) in rows.iter().enumerate() {
            for b in &rows[at + 1..] {
                if all || a.id == expected || b.id == expected {
                    a.steps_against(b, constant, constants, &mut steps);
                }
            }
        }
        for row in &rows {
            row.turns(constant, constants, &mut steps);
        }
        if constant == Tunable::HalfLifeDays && constants.decay_floor < LEAST_FACTOR {
            // Where the factor of a row comes to rest at the least one.
            steps.extend(rows.iter().map(|row| row.days / -libm::log2(LEAST_FACTOR)));
        }
        if rows.len() > ALL_PAIRS && ranking.rerank_report.ran() {
            steps.extend(even(GRID));
        }
        steps
    }

    /// Where the memory and another row of the rerank window change places inside a piece in which
    /// the order before the reranker stands still: the normalised scores move there all the same.
    pub(super) fn blend_crossings(
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
        if matches!(
            constant,
            Tunable::RerankBlend | Tunable::RerankLong | Tunable::MmrLambda
        ) {
            return crossings;
        }
        let scores = self.pair_scores[at].read().scores.clone();
        let read = |candidate: u32| {
            let factor = length_factor(self.text_length(candidate), constants.rerank_long);
            scores
                .get(&candidate)
                .map_or(0.0, |score| score.clamp(0.0, 1.0) * factor)
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
                .map(|row| read(row.fused.candidate))
                .zip(self.rows(&ranking, &there))
                .collect();
            let (Some((_, best)), Some((_, last))) = (rows.first(), rows.last()) else {
                continue;
            };
            let Some((own_read, own)) = rows.iter().find(|(_, row)| row.id == expected) else {
                continue;
            };
            let looks = looks(constant, from, to);
            let at_looks = |row: &Row| -> Vec<f64> {
                let score = |&look: &f64| row.score(constant, look, constants);
                looks.iter().map(score).collect()
            };
            // The difference of both blends, times the spread of the window.
            let difference = |gap: f64, [best, last, own, other]: [f64; 4]| {
                blend * gap * (best - last) + (1.0 - blend) * (own - other)
            };
            let (bests, lasts, owns) = (at_looks(best), at_looks(last), at_looks(own));
            for (other_read, other) in rows.iter().filter(|(_, row)| row.id != expected) {
                let gap = own_read - other_read;
                let values: Vec<f64> = at_looks(other)
                    .into_iter()
                    .enumerate()
                    .map(|(at, other)| difference(gap, [bests[at], lasts[at], owns[at], other]))
                    .collect();
                crossings.extend(roots::sign_changes(&looks, &values, |value| {
                    let rows = [best, last, own, other];
                    difference(gap, rows.map(|row| row.score(constant, value, constants)))
                }));
            }
        }
        crossings
    }
}

impl Gathered {
    /// The rows of the decayed list, as functions of the constants.
    fn rows(&self, ranking: &Ranking, constants: &Constants) -> Vec<Row> {
        let found: HashMap<u32, Found> = ranking
            .fused
            .iter()
            .map(|row| (row.candidate, found_of(row, &ranking.lists, constants)))
            .collect();
        // Where nothing is shared there are no neighbours either.
        let sharing = ranking.fused.iter().any(|row| row.neighbour_part.is_some());
        let row = |row: &Decayed| {
            let candidate = row.fused.candidate;
            let around = self.neighbours.get(candidate as usize);
            let around = around.filter(|_| sharing).into_iter().flatten().flatten();
            let (days, own_half_life) = match row.age {
                Age::Days {
                    days,
                    own_half_life,
                } => (days, own_half_life),
                Age::Without(_) => (0.0, None),
            };
            Row {
                id: row.id(),
                own: found.get(&candidate).copied().unwrap_or_default(),
                around: around.filter_map(|at| found.get(at).copied()).collect(),
                fused: row.fused.score,
                factor: row.factor,
                authority: row.authority,
                doublings: doublings(row.said),
                days,
                own_half_life,
            }
        };
        ranking.decayed.iter().map(row).collect()
    }
}

fn found_of(row: &Fused, lists: &Lists, constants: &Constants) -> Found {
    let cutoff = constants.leg_cutoff();
    let place =
        |position: Option<usize>| position.filter(|at| *at < cutoff).map(|at| at as f64 + 1.0);
    let weights = constants.leg_weights();
    let sum: f64 = weights.iter().sum();
    // What the leg gives per unit of weight. Under the convex combination the sum of the weights
    // divides every score alike and so changes no order.
    let unit = |part: Option<f64>, weight: f64| match constants.fusion {
        FusionMethod::Rrf => part.map_or(0.0, |part| part / weight),
        FusionMethod::Convex => part.map_or(0.0, |part| part * sum / weight),
    };
    let parts = [row.knn_part, row.bm25_part, row.sparse_part];
    let places = [
        lists.knn_place(row.candidate),
        lists.bm25_place(row.candidate),
        lists.sparse_place(row.candidate),
    ];
    Found {
        ranks: std::array::from_fn(|leg| place(places[leg]).filter(|_| parts[leg].is_some())),
        units: std::array::from_fn(|leg| unit(parts[leg], weights[leg].max(f64::MIN_POSITIVE))),
    }
}

/// Places of a piece at which a difference is looked at: dense where the constant is small, for those that
/// act through their inverse; the ends alone where every score is linear in it.
fn looks(constant: Tunable, from: f64, to: f64) -> Vec<f64> {
    let share = |part: u32| f64::from(part) / f64::from(LOOKS);
    let geometric = |shift: f64| {
        let (start, ratio) = (from + shift, (to + shift) / (from + shift));
        (0..=LOOKS).map(move |part| start * ratio.powf(share(part)) - shift)
    };
    match constant {
        Tunable::HalfLifeDays => geometric(0.0).collect(),
        Tunable::RrfK => geometric(1.0).collect(),
        Tunable::NeighbourShare | Tunable::DecayFloor | Tunable::Authority => vec![from, to],
        _ if leg_of(constant).is_some() => vec![from, to],
        _ => (0..=LOOKS)
            .map(|part| from + (to - from) * share(part))
            .collect(),
    }
}

/// What the legs give a memory, as a function of the constants of fusion.
#[derive(Clone, Copy, Default)]
struct Found {
    ranks: [Option<f64>; LEGS],
    units: [f64; LEGS],
}

impl Found {
    /// Its fused score before any sharing.
    fn score(&self, weights: [f64; LEGS], k: f64, method: FusionMethod) -> f64 {
        match method {
            FusionMethod::Rrf => {
                let legs = self.ranks.iter().zip(weights);
                legs.map(|(rank, weight)| rank.map_or(0.0, |rank| weight / (k + rank)))
                    .sum()
            }
            FusionMethod::Convex => self.units.iter().zip(weights).map(|(u, w)| w * u).sum(),
        }
    }

    /// The terms w/(k + r) of which its score is made under reciprocal rank fusion, times a factor.
    fn terms(&self, times: f64, constants: &Constants) -> impl Iterator<Item = (f64, f64)> {
        let weights = constants.leg_weights().map(|weight| times * weight);
        let legs = self.ranks.into_iter().zip(weights);
        legs.filter_map(|(rank, weight)| Some((weight, rank?)))
    }

    /// Its score with this much more of another's.
    fn with(&self, other: &Self, share: f64) -> Self {
        Self {
            units: std::array::from_fn(|leg| self.units[leg] + share * other.units[leg]),
            ..*self
        }
    }

    /// What all legs but one give per unit of their weights, and that one.
    fn apart(units: [f64; LEGS], leg: usize, constants: &Constants) -> (f64, f64) {
        let others = (0..LEGS).filter(|other| *other != leg);
        let weights = constants.leg_weights();
        let rest = others.map(|other| weights[other] * units[other]);
        (rest.sum(), units[leg])
    }
}

/// One row of the list, as a function of the constants.
struct Row {
    id: MemoryId,
    own: Found,
    /// Its neighbours in the list, of which the better one shares.
    around: Vec<Found>,
    fused: f64,
    /// The factor of its age.
    factor: f64,
    /// The factor of how often it was said, and how many doublings that is.
    authority: f64,
    doublings: f64,
    days: f64,
    /// The half-life of its kind, which no slider moves.
    own_half_life: Option<f64>,
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
        let before =
            |found: &Found| found.score(WEIGHTS.map(at), at(Tunable::RrfK), constants.fusion);
        let shared = self.around.iter().map(before).fold(0.0, f64::max);
        let fused = before(&self.own) + at(Tunable::NeighbourShare) * shared;
        let floor = at(Tunable::DecayFloor);
        let half_life = self.own_half_life.unwrap_or(at(Tunable::HalfLifeDays));
        let authority = 1.0 + at(Tunable::Authority) * self.doublings;
        fused * factor(self.days, half_life, floor) * authority
    }

    /// What its fused score is multiplied by.
    fn kept(&self) -> f64 {
        self.factor * self.authority
    }

    /// What the factor of its age multiplies.
    fn lifted(&self) -> f64 {
        self.fused * self.authority
    }

    /// Each way in which its score may come about: with either neighbour as the better one.
    fn ways(&self) -> Vec<Option<&Found>> {
        if self.around.is_empty() {
            vec![None]
        } else {
            self.around.iter().map(Some).collect()
        }
    }

    /// Where the other neighbour becomes the better one: its score has a bend there.
    fn turns(&self, constant: Tunable, constants: &Constants, steps: &mut Vec<f64>) {
        let [one, other] = self.around.as_slice() else {
            return;
        };
        let (low, high) = constant.range();
        if constant == Tunable::RrfK {
            let terms = one
                .terms(1.0, constants)
                .chain(other.terms(-1.0, constants));
            steps.extend(roots::reciprocals(&terms.collect::<Vec<_>>(), low, high));
        } else if let Some(leg) = leg_of(constant) {
            let difference = std::array::from_fn(|leg| one.units[leg] - other.units[leg]);
            let (rest, own) = Found::apart(difference, leg, constants);
            steps.extend(roots::linear(rest, own, low, high));
        }
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
            // The score of each is that of one of its ways, so two rows meet where two ways do.
            Tunable::RrfK | Tunable::KnnWeight | Tunable::Bm25Weight | Tunable::SparseWeight => {
                for with_a in a.ways() {
                    for with_b in b.ways() {
                        a.meets(with_a, b, with_b, constant, constants, steps);
                    }
                }
            }
            Tunable::NeighbourShare => {
                let (mine, theirs) = (a.shared(constants), b.shared(constants));
                steps.extend(roots::linear(
                    a.kept() * mine.0 - b.kept() * theirs.0,
                    a.kept() * mine.1 - b.kept() * theirs.1,
                    low,
                    high,
                ));
            }
            Tunable::DecayFloor => {
                let (young, old) = (a.faded(constants), b.faded(constants));
                steps.extend(roots::linear(
                    a.lifted() * young - b.lifted() * old,
                    a.lifted() * (1.0 - young) - b.lifted() * (1.0 - old),
                    low,
                    high,
                ));
            }
            Tunable::Authority => {
                let (mine, theirs) = (a.fused * a.factor, b.fused * b.factor);
                steps.extend(roots::linear(
                    mine - theirs,
                    mine * a.doublings - theirs * b.doublings,
                    low,
                    high,
                ));
            }
            Tunable::HalfLifeDays => {
                let floor = constants.decay_floor;
                let terms = |row: &Self, sign: f64| match row.own_half_life {
                    Some(_) => [(sign * row.lifted() * row.factor, 0.0), (0.0, 0.0)],
                    None => [
                        (sign * floor * row.lifted(), 0.0),
                        (sign * (1.0 - floor) * row.lifted(), row.days),
                    ],
                };
                let found = roots::exponentials(
                    &[terms(a, 1.0), terms(b, -1.0)].concat(),
                    1.0 / high,
                    1.0 / low,
                );
                steps.extend(found.into_iter().map(|rate| 1.0 / rate));
            }
            _ => {}
        }
    }

    /// Where it meets another row while these neighbours share with them.
    fn meets(
        &self,
        with: Option<&Found>,
        other: &Self,
        with_other: Option<&Found>,
        constant: Tunable,
        constants: &Constants,
        steps: &mut Vec<f64>,
    ) {
        let (low, high) = constant.range();
        let share = constants.neighbour_share;
        if constant == Tunable::RrfK {
            let mut terms: Vec<(f64, f64)> = Vec::with_capacity(8);
            for (row, with, sign) in [(self, with, 1.0), (other, with_other, -1.0)] {
                let times = sign * row.kept();
                terms.extend(row.own.terms(times, constants));
                let shared = with.into_iter();
                terms.extend(shared.flat_map(|found| found.terms(times * share, constants)));
            }
            steps.extend(roots::reciprocals(&terms, low, high));
            return;
        }
        let whole = |row: &Self, with: Option<&Found>| {
            with.map_or(row.own, |found| row.own.with(found, share))
        };
        let (a, b) = (whole(self, with), whole(other, with_other));
        if let Some(leg) = leg_of(constant) {
            let difference =
                std::array::from_fn(|leg| self.kept() * a.units[leg] - other.kept() * b.units[leg]);
            let (rest, own) = Found::apart(difference, leg, constants);
            steps.extend(roots::linear(rest, own, low, high));
        }
    }

    /// Its fused score before any sharing, and that of its better neighbour.
    fn shared(&self, constants: &Constants) -> (f64, f64) {
        let score =
            |found: &Found| found.score(constants.leg_weights(), constants.rrf_k, constants.fusion);
        let better = self.around.iter().map(score).fold(0.0, f64::max);
        (score(&self.own), better)
    }

    /// 2^(−age/half-life).
    fn faded(&self, constants: &Constants) -> f64 {
        let half_life = self.own_half_life.unwrap_or(constants.half_life_days);
        libm::exp2(-self.days / half_life)
    }
}

/// Where the memory and another row of the window change places as what long texts keep moves: the
/// roots of b·(r·L/(L + e) − r₂·L/(L + e₂)) + (1 − b)·(n − n₂), times both denominators.
fn length_steps(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    ranking: &Ranking,
) -> Vec<f64> {
    let parts = |row: &Reranked| {
        let excess = excess(gathered.text_length(row.decayed.fused.candidate));
        match row.made {
            Made::Read {
                reranker,
                normalised,
                ..
            } => Some((reranker, excess, normalised)),
            Made::Unread { normalised } => Some((0.0, excess, normalised)),
            Made::Decayed | Made::Below => None,
        }
    };
    let own = ranking.reranked.iter().find(|row| row.id() == expected);
    let Some((own, own_excess, own_normalised)) = own.and_then(parts) else {
        return Vec::new();
    };
    let blend = constants.rerank_blend;
    let others = ranking.reranked.iter().filter(|row| row.id() != expected);
    others
        .filter_map(parts)
        .flat_map(|(other, excess, normalised)| {
            let still = (1.0 - blend) * (own_normalised - normalised);
            roots::quadratic([
                still * own_excess * excess,
                blend * (own * excess - other * own_excess) + still * (own_excess + excess),
                blend * (own - other) + still,
            ])
        })
        .collect()
}

/// Where the memory and another row of the window change places as the blend moves.
fn blend_steps(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    ranking: &Ranking,
) -> Vec<f64> {
    let parts = |made: Made| match made {
        Made::Read {
            reranker,
            length,
            normalised,
        } => Some((reranker * length, normalised)),
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

//! Where the order of a list may change as one constant moves, in closed form where there is one.

use memory::{MemoryId, Millis};

use crate::constants::{Constants, FusionMethod, RerankBackend, Tunable};
use crate::gathered::{Gathered, slot};
use crate::lists::Lists;
use crate::ranking::Ranking;
use crate::stage::decay::{Age, Decayed, LEAST_FACTOR, factor};
use crate::stage::rerank::Made;

use super::roots;

/// Lists longer than this get their steps from comparisons with the memory alone.
const ALL_PAIRS: usize = 120;

/// Where the blend is looked at between two known steps, to catch its own steps.
const LOOKS: u32 = 16;

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
        // Weight 0 removes a leg, and its rows with it: the rows are taken where both count.
        let probe = match constant {
            Tunable::KnnWeight | Tunable::Bm25Weight if constant.of(constants) <= 0.0 => {
                &self.rank(&constant.set(constants, 1.0), now)
            }
            _ => ranking,
        };
        let rows: Vec<Row> = probe
            .decayed
            .iter()
            .map(|row| row_of(row, &probe.lists, constants))
            .collect();
        let all = rows.len() <= ALL_PAIRS && ranking.rerank_report.ran();
        let mut steps: Vec<f64> = Vec::new();
        for (at, a) in rows.iter().enumerate() {
            for b in &rows[at + 1..] {
                if all || a.id == expected || b.id == expected {
                    a.steps_against(b, constant, constants, &mut steps);
                }
            }
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
                .map(|row| {
                    let lists = &ranking.lists;
                    (read(row.fused.candidate), row_of(row, lists, &there))
                })
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
                crossings.extend(roots::sign_changes(&looks(constant, from, to), difference));
            }
        }
        crossings
    }
}

fn row_of(decayed: &Decayed, lists: &Lists, constants: &Constants) -> Row {
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
        knn_rank: place(lists.knn_place(candidate)).filter(|_| decayed.fused.knn_part.is_some()),
        bm25_rank: place(lists.bm25_place(candidate)).filter(|_| decayed.fused.bm25_part.is_some()),
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
            Age::Days { days, .. } => days,
            Age::Without(_) => 0.0,
        },
        own_half_life: match decayed.age {
            Age::Days { own_half_life, .. } => own_half_life,
            Age::Without(_) => None,
        },
    }
}

/// Places of a piece at which a difference is looked at: dense where the constant is small, for
/// those that act through their inverse.
fn looks(constant: Tunable, from: f64, to: f64) -> Vec<f64> {
    let share = |part: u32| f64::from(part) / f64::from(LOOKS);
    let geometric = |shift: f64| {
        let (start, ratio) = (from + shift, (to + shift) / (from + shift));
        (0..=LOOKS).map(move |part| start * ratio.powf(share(part)) - shift)
    };
    match constant {
        Tunable::HalfLifeDays => geometric(0.0).collect(),
        Tunable::RrfK => geometric(1.0).collect(),
        _ => (0..=LOOKS)
            .map(|part| from + (to - from) * share(part))
            .collect(),
    }
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
        let half_life = self.own_half_life.unwrap_or(at(Tunable::HalfLifeDays));
        fused * factor(self.days, half_life, floor)
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
                let terms = |row: &Self, sign: f64| match row.own_half_life {
                    Some(_) => [(sign * row.fused * row.factor, 0.0), (0.0, 0.0)],
                    None => [
                        (sign * floor * row.fused, 0.0),
                        (sign * (1.0 - floor) * row.fused, row.days),
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

    /// 2^(−age/half-life).
    fn faded(&self, constants: &Constants) -> f64 {
        let half_life = self.own_half_life.unwrap_or(constants.half_life_days);
        libm::exp2(-self.days / half_life)
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

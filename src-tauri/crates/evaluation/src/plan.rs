//! Which values of which constants a sweep tries.
//!
//! One constant goes through [`values`]. Several go through a grid of them, or through random draws:
//! where only some constants matter, as many draws try many more values of each than a grid does
//! (Bergstra and Bengio, "Random search for hyper-parameter optimization", 2012). The same seed gives
//! the same draws, so a sweep can be stopped and gone on with.

use std::collections::BTreeSet;

use retrieval::constants::{Constants, RerankBackend, Tunable};

use crate::random::Random;

/// How several constants are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every value of each with every value of the others, as many values as the count allows.
    Grid,
    /// Values drawn at random, as densely as [`values`] lie.
    Random {
        /// The same gives the same draws.
        seed: u64,
    },
}

/// Constants to be tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// `present`, or the name of an ablation; `None` for a draw.
    pub name: Option<&'static str>,
    /// All of them.
    pub constants: Constants,
}

/// The present constants, the ablations, and at most `count` combinations of `axes` beside
/// them, each once. The same arguments give the same list.
pub fn trials(present: &Constants, axes: &[Tunable], method: Method, count: usize) -> Vec<Trial> {
    let mut all = vec![Trial {
        name: Some("present"),
        constants: present.clone(),
    }];
    all.extend(
        ablations(present)
            .into_iter()
            .map(|(name, constants)| Trial {
                name: Some(name),
                constants,
            }),
    );
    let combinations = match method {
        Method::Grid => grid(present, axes, count),
        Method::Random { seed } => draws(present, axes, seed, count),
    };
    let own: Vec<u64> = axes.iter().map(|axis| axis.of(present).to_bits()).collect();
    let mut seen = BTreeSet::from([own]);
    for combination in combinations {
        if seen.insert(combination.iter().map(|value| value.to_bits()).collect()) {
            let constants = axes
                .iter()
                .zip(&combination)
                .fold(present.clone(), |held, (axis, value)| {
                    axis.set(&held, *value)
                });
            // Legs without weight rank nothing.
            if constants.out_of_range().is_none() && constants.has_a_leg() {
                all.push(Trial {
                    name: None,
                    constants,
                });
            }
        }
    }
    all
}

fn grid(present: &Constants, axes: &[Tunable], count: usize) -> Vec<Vec<f64>> {
    let Ok(dimensions) = u32::try_from(axes.len()) else {
        return Vec::new();
    };
    let fits = |each: usize| each.checked_pow(dimensions).is_some_and(|all| all <= count);
    let each = (2..=count)
        .take_while(|each| fits(*each))
        .last()
        .unwrap_or(1);
    axes.iter().fold(vec![Vec::new()], |held, axis| {
        let own = thinned(&values(*axis, axis.of(present)), each);
        held.iter()
            .flat_map(|before| {
                own.iter().map(move |value| {
                    let mut longer = before.clone();
                    longer.push(*value);
                    longer
                })
            })
            .collect()
    })
}

/// At most so many of the values, evenly spaced, both ends among them.
fn thinned(values: &[f64], each: usize) -> Vec<f64> {
    if values.len() <= each || each < 2 {
        return values.iter().copied().take(each.max(1)).collect();
    }
    (0..each)
        .map(|step| values[(step * (values.len() - 1) + (each - 1) / 2) / (each - 1)])
        .collect()
}

fn draws(present: &Constants, axes: &[Tunable], seed: u64, count: usize) -> Vec<Vec<f64>> {
    let mut random = Random(seed);
    let ladders: Vec<Vec<f64>> = axes
        .iter()
        .map(|axis| values(*axis, axis.of(present)))
        .collect();
    (0..count)
        .map(|_| {
            axes.iter()
                .zip(&ladders)
                .map(|(axis, ladder)| {
                    let at = random.share() * (ladder.len() - 1) as f64;
                    let (low, part) = (at.floor() as usize, at.fract());
                    let high = (low + 1).min(ladder.len() - 1);
                    let drawn = ladder[low] + part * (ladder[high] - ladder[low]);
                    readable(drawn, *axis)
                })
                .collect()
        })
        .collect()
}

/// A value that a person can read and keep: whole where constants go beyond ten, else hundredths.
fn readable(value: f64, axis: Tunable) -> f64 {
    if axis.is_whole() || axis.range().1 > 10.0 {
        value.round()
    } else {
        (value * 100.0).round() / 100.0
    }
}

/// The constants with one part of the pipeline taken out.
pub fn ablations(constants: &Constants) -> Vec<(&'static str, Constants)> {
    let legs = |knn_weight: f64, bm25_weight: f64, sparse_weight: f64| Constants {
        knn_weight,
        bm25_weight,
        sparse_weight,
        ..constants.clone()
    };
    let sparse = constants.sparse_weight > 0.0;
    let two_legs = legs(constants.knn_weight, constants.bm25_weight, 0.0);
    let mut ablations = vec![
        ("keywords_only", legs(0.0, 1.0, 0.0)),
        ("vectors_only", legs(1.0, 0.0, 0.0)),
        (
            "no_decay",
            Constants {
                decay_floor: 1.0,
                ..constants.clone()
            },
        ),
        (
            "no_rerank",
            Constants {
                rerank: RerankBackend::Off,
                ..constants.clone()
            },
        ),
    ];
    if sparse {
        ablations.push(("no_sparse", two_legs));
    }
    ablations
}

/// The values that a sweep tries, rising, the present one among them. Empty for a constant that only
/// cuts the context block.
pub fn values(tunable: Tunable, current: f64) -> Vec<f64> {
    let mut values = tunable.number().ladder.values();
    if values.is_empty() {
        return values;
    }
    values.push(current);
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    values
}

#[cfg(test)]
mod tests;

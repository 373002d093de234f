//! Which values of which constants a sweep tries.
//!
//! One constant goes through [`values`]. Several go through a grid of them, or through random draws:
//! where only some constants matter, as many draws try many more values of each than a grid does
//! (Bergstra and Bengio, "Random search for hyper-parameter optimization", 2012). The same seed gives
//! the same draws, so a sweep can be stopped and gone on with.

use std::collections::BTreeSet;

use retrieval::constants::{Constants, RerankBackend};
use retrieval::diagnose::Tunable;

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

/// The present constants, the four ablations, and at most `count` combinations of `axes` beside
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
            // Both legs without weight rank nothing.
            if constants.out_of_range().is_none()
                && constants.knn_weight + constants.bm25_weight > 0.0
            {
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
    let one_leg = |knn: f64, bm25: f64| Constants {
        knn_weight: knn,
        bm25_weight: bm25,
        ..constants.clone()
    };
    vec![
        ("keywords_only", one_leg(0.0, 1.0)),
        ("vectors_only", one_leg(1.0, 0.0)),
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
    ]
}

/// The values that a sweep tries, rising, the present one among them: closer together where a step
/// matters more. Empty for a constant that only cuts the context block.
pub fn values(tunable: Tunable, current: f64) -> Vec<f64> {
    let evenly = |to: u32, parts: u32| -> Vec<f64> {
        (0..=parts)
            .map(|step| f64::from(to * step) / f64::from(parts))
            .collect()
    };
    let mut values = match tunable {
        Tunable::Candidates => vec![
            10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 130.0, 160.0, 200.0, 250.0,
            300.0, 400.0, 500.0,
        ],
        Tunable::RrfK => vec![
            0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 150.0,
            200.0,
        ],
        Tunable::KnnWeight | Tunable::Bm25Weight => evenly(3, 30),
        Tunable::KnnFeedback => evenly(2, 20),
        Tunable::Bm25Short => vec![
            0.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 150.0, 200.0,
        ],
        Tunable::Bm25Long => vec![
            0.0, 100.0, 150.0, 200.0, 250.0, 300.0, 400.0, 500.0, 600.0, 800.0, 1000.0, 1500.0,
            2000.0,
        ],
        Tunable::HalfLifeDays => vec![
            1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 365.0,
        ],
        Tunable::DecayFloor | Tunable::RerankBlend | Tunable::MmrLambda => evenly(1, 20),
        Tunable::RerankWindow => evenly(100, 20),
        Tunable::Results => evenly(20, 20).into_iter().skip(1).collect(),
        Tunable::TokenBudget => Vec::new(),
    };
    if values.is_empty() {
        return values;
    }
    values.push(current);
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: [Tunable; 3] = [Tunable::RrfK, Tunable::DecayFloor, Tunable::RerankWindow];

    #[test]
    fn every_ladder_is_rising_within_range_and_holds_the_present_value() {
        for tunable in Tunable::ALL {
            let current = tunable.of(&Constants::default());
            let values = values(tunable, current);
            if tunable == Tunable::TokenBudget {
                assert!(values.is_empty());
                continue;
            }
            let (low, high) = tunable.range();
            assert!(values.contains(&current), "{}", tunable.name());
            assert!(values.iter().all(|value| (low..=high).contains(value)));
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn the_present_and_the_ablations_always_come_first() {
        for method in [Method::Grid, Method::Random { seed: 3 }] {
            let all = trials(&Constants::default(), &AXES, method, 30);
            let names: Vec<_> = all.iter().filter_map(|trial| trial.name).collect();
            assert_eq!(
                names,
                [
                    "present",
                    "keywords_only",
                    "vectors_only",
                    "no_decay",
                    "no_rerank"
                ]
            );
            assert!(all[..5].iter().all(|trial| trial.name.is_some()));
            assert_eq!(all[0].constants, Constants::default());
        }
    }

    #[test]
    fn a_grid_is_as_fine_as_the_count_allows() {
        let all = trials(&Constants::default(), &AXES, Method::Grid, 30);
        // Three values of each; k = 60, floor 0.7 and window 20 do not fall on all of them.
        assert_eq!(all.len(), 5 + 27);
        let ks: BTreeSet<u64> = all[5..]
            .iter()
            .map(|trial| trial.constants.rrf_k.to_bits())
            .collect();
        assert_eq!(ks.len(), 3);
        assert!(all.iter().any(|trial| trial.constants.rrf_k == 200.0));
        assert!(trials(&Constants::default(), &AXES, Method::Grid, 7).len() <= 5 + 7);
    }

    #[test]
    fn draws_stay_within_range_are_readable_and_the_same_again() {
        let method = Method::Random { seed: 11 };
        let all = trials(&Constants::default(), &AXES, method, 200);
        assert!(all.len() > 190);
        for trial in &all[5..] {
            let constants = &trial.constants;
            assert_eq!(constants.out_of_range(), None);
            assert!(
                constants.rrf_k.to_string().len() <= 5,
                "{}",
                constants.rrf_k
            );
            assert_eq!(
                constants.half_life_days,
                Constants::default().half_life_days
            );
        }
        assert_eq!(all, trials(&Constants::default(), &AXES, method, 200));
        let other = trials(
            &Constants::default(),
            &AXES,
            Method::Random { seed: 12 },
            200,
        );
        assert_ne!(all, other);
        // Half of the draws of k lie below the middle of its ladder, not of its range.
        let low = all[5..]
            .iter()
            .filter(|trial| trial.constants.rrf_k < 15.0)
            .count();
        assert!((60..140).contains(&low), "{low}");
    }

    #[test]
    fn two_legs_are_never_both_without_weight() {
        let axes = [Tunable::KnnWeight, Tunable::Bm25Weight];
        let all = trials(&Constants::default(), &axes, Method::Grid, 100);
        assert!(
            all.iter()
                .all(|trial| trial.constants.knn_weight + trial.constants.bm25_weight > 0.0)
        );
        assert_eq!(
            all.len(),
            5 + 100 - 1 - 1,
            "the empty pair and the present one are left out"
        );
    }
}

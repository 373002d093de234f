//! Whether a difference between two sets of constants is more than luck.
//!
//! Input: one difference of a score per query, second minus first, in −1..1. The same input and
//! seed give the same answer. Sources: Efron and Tibshirani, "An Introduction to the Bootstrap"
//! (1993), ch. 12 (bootstrap-t) and 13 (percentile); Smucker, Allan and Carterette, "A comparison
//! of statistical significance tests for information retrieval evaluation" (2007), for the
//! randomisation test; Holm, "A simple sequentially rejective multiple test procedure" (1979).

use crate::random::Random;

/// Resamples of the bootstrap, and rounds of the randomisation test.
pub const ROUNDS: u32 = 4000;

/// Differences smaller than this in the mean do not matter to anybody.
pub const NEGLIGIBLE: f64 = 0.01;

/// Share of false alarms that is put up with.
const ALPHA: f64 = 0.05;

/// Up to this many differences every assignment of signs is tried: 2¹² of them.
const EXACT: usize = 12;

/// With fewer, even the clearest result has p ≥ 2 / 2⁵ > 0.05.
pub const FEWEST: u32 = 6;

/// Standard errors that a difference must lie from 0 to be found with 80 % power at the 5 % level.
const REACH: f64 = 1.96 + 0.84;

/// A mean and where it lies with 95 % confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The second is better.
    Better,
    /// The second is worse.
    Worse,
    /// They differ by less than [`NEGLIGIBLE`], with confidence.
    Same,
    /// Not enough is judged.
    CannotTell {
        /// About how many more judged queries would settle it.
        more: u32,
    },
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// The paired bootstrap interval of the mean difference, 95 %.
///
/// Bootstrap-t: the percentile interval is too narrow for the few dozen queries that a person
/// judges. Where resamples have no spread (nearly all differences alike) it falls back to
/// percentiles. Clamped to what is possible, −1..1.
pub fn interval(differences: &[f64], seed: u64) -> Interval {
    let centre = mean(differences);
    let error = deviation(differences) / (differences.len().max(1) as f64).sqrt();
    if differences.len() < 2 || error == 0.0 {
        return Interval {
            mean: centre,
            low: centre,
            high: centre,
        };
    }
    let mut random = Random(seed);
    let mut resample = vec![0.0; differences.len()];
    let mut means = Vec::with_capacity(ROUNDS as usize);
    let mut studentised = Vec::with_capacity(ROUNDS as usize);
    for _ in 0..ROUNDS {
        for slot in &mut resample {
            *slot = differences[random.below(differences.len())];
        }
        let drawn = mean(&resample);
        means.push(drawn);
        let spread = deviation(&resample) / (resample.len() as f64).sqrt();
        if spread > error * 1e-6 {
            studentised.push((drawn - centre) / spread);
        }
    }
    let (low, high) = if studentised.len() * 50 > means.len() * 49 {
        studentised.sort_unstable_by(f64::total_cmp);
        (
            centre - quantile(&studentised, 1.0 - ALPHA / 2.0) * error,
            centre - quantile(&studentised, ALPHA / 2.0) * error,
        )
    } else {
        means.sort_unstable_by(f64::total_cmp);
        (
            quantile(&means, ALPHA / 2.0),
            quantile(&means, 1.0 - ALPHA / 2.0),
        )
    };
    Interval {
        mean: centre,
        low: low.clamp(-1.0, 1.0),
        high: high.clamp(-1.0, 1.0),
    }
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (share * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

/// The paired randomisation test: how often the mean would be as far from 0 as it is if each
/// query's two scores could as well have been swapped. Two-sided; exact up to twelve queries.
pub fn randomisation(differences: &[f64], seed: u64) -> f64 {
    // A pair without a difference is the same either way round.
    let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    if moved.is_empty() {
        return 1.0;
    }
    let observed = moved.iter().sum::<f64>().abs() - 1e-12;
    let swapped = |signs: &mut dyn FnMut(usize) -> bool| {
        let sum: f64 = moved
            .iter()
            .enumerate()
            .map(|(at, value)| if signs(at) { -value } else { *value })
            .sum();
        sum.abs() >= observed
    };
    if moved.len() <= EXACT {
        let all = 1_u32 << moved.len();
        let extreme = (0..all)
            .filter(|bits| swapped(&mut |at| bits >> at & 1 == 1))
            .count();
        return extreme as f64 / f64::from(all);
    }
    let mut random = Random(seed);
    let mut extreme = 0_u32;
    for _ in 0..ROUNDS {
        let (mut bits, mut left) = (0, 0);
        extreme += u32::from(swapped(&mut |_| {
            if left == 0 {
                (bits, left) = (random.next(), 64);
            }
            left -= 1;
            bits >> left & 1 == 1
        }));
    }
    f64::from(extreme + 1) / f64::from(ROUNDS + 1)
}

/// Holm's correction: the p-values of several comparisons, made such that the chance of any false
/// alarm among them stays below the level. Same order as given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut floor = 0.0_f64;
    for (step, at) in order.into_iter().enumerate() {
        let left = (p_values.len() - step) as f64;
        floor = floor.max((left * p_values[at]).min(1.0));
        adjusted[at] = floor;
    }
    adjusted
}

/// What the differences allow to say, given their interval and the (corrected) p-value.
pub fn verdict(differences: &[f64], interval: Interval, p: f64) -> Verdict {
    let count = u32::try_from(differences.len()).unwrap_or(u32::MAX);
    if count >= FEWEST {
        if p < ALPHA && interval.low > 0.0 {
            return Verdict::Better;
        }
        if p < ALPHA && interval.high < 0.0 {
            return Verdict::Worse;
        }
        if interval.low > -NEGLIGIBLE && interval.high < NEGLIGIBLE {
            return Verdict::Same;
        }
    }
    // By the normal approximation, for the difference seen or the smallest one worth knowing.
    let size = interval.mean.abs().max(2.0 * NEGLIGIBLE);
    let needed = (REACH * deviation(differences) / size).powi(2).ceil() as u32;
    Verdict::CannotTell {
        more: needed.max(FEWEST).saturating_sub(count).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Roughly normal: the sum of twelve uniform numbers.
    fn normal(random: &mut Random) -> f64 {
        (0..12)
            .map(|_| random.next() as f64 / u64::MAX as f64)
            .sum::<f64>()
            - 6.0
    }

    /// Of 400 simulated studies, how often the interval holds the true mean.
    fn coverage(count: usize, draw: impl Fn(&mut Random) -> f64, truth: f64) -> f64 {
        let mut random = Random(7);
        let held = (0..400)
            .filter(|study| {
                let sample: Vec<f64> = (0..count).map(|_| draw(&mut random)).collect();
                let interval = interval(&sample, *study);
                interval.low <= truth && truth <= interval.high
            })
            .count();
        held as f64 / 400.0
    }

    #[test]
    fn the_interval_covers_the_truth_as_often_as_it_says() {
        // 95 % with the noise of 400 studies: three standard errors are 0.033.
        let even = coverage(25, |random| 0.05 + 0.2 * normal(random), 0.05);
        assert!((0.917..=0.983).contains(&even), "{even}");
        // Most queries unchanged, some better: what tuning really looks like.
        let skewed = |random: &mut Random| if random.below(10) < 4 { 0.3 } else { 0.0 };
        let covered = coverage(40, skewed, 0.12);
        assert!((0.90..=0.99).contains(&covered), "{covered}");
    }

    #[test]
    fn the_test_raises_false_alarms_as_rarely_as_it_says() {
        let mut random = Random(11);
        let alarms = (0..600)
            .filter(|study| {
                let sample: Vec<f64> = (0..20).map(|_| normal(&mut random)).collect();
                randomisation(&sample, *study) < 0.05
            })
            .count();
        assert!((12..=50).contains(&alarms), "{alarms} of 600, 30 expected");
    }

    #[test]
    fn a_clear_difference_is_called_and_a_vague_one_is_not() {
        let judge = |values: &[f64]| {
            let interval = interval(values, 1);
            verdict(values, interval, randomisation(values, 1))
        };
        let clear: Vec<f64> = (0..30).map(|n| 0.2 + 0.01 * f64::from(n % 5)).collect();
        assert_eq!(judge(&clear), Verdict::Better);
        let worse: Vec<f64> = clear.iter().map(|value| -value).collect();
        assert_eq!(judge(&worse), Verdict::Worse);
        assert_eq!(judge(&[0.0; 20]), Verdict::Same);
        assert_eq!(judge(&[0.0; 2]), Verdict::CannotTell { more: 4 });
        assert_eq!(judge(&[]), Verdict::CannotTell { more: 6 });
        let vague = [0.4, -0.3, 0.2, -0.2, 0.0, 0.1, -0.1, 0.3];
        let Verdict::CannotTell { more } = judge(&vague) else {
            panic!("too few to tell");
        };
        assert!((50..400).contains(&more), "{more}");
    }

    #[test]
    fn holm_as_in_the_paper() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// The sampled test agrees with trying every assignment of signs.
        #[test]
        fn the_sampled_test_agrees_with_the_exact_one(
            values in proptest::collection::vec(-100..100i32, 13..16),
        ) {
            let values: Vec<f64> = values.into_iter().map(|v| f64::from(v) / 100.0).collect();
            let observed = values.iter().sum::<f64>().abs() - 1e-12;
            let all = 1_u32 << values.len();
            let extreme = (0..all)
                .filter(|bits| {
                    let sum: f64 = values
                        .iter()
                        .enumerate()
                        .map(|(at, v)| if bits >> at & 1 == 1 { -v } else { *v })
                        .sum();
                    sum.abs() >= observed
                })
                .count();
            let exact = extreme as f64 / f64::from(all);
            prop_assert!((randomisation(&values, 3) - exact).abs() < 0.04);
        }

        /// Turning every difference round turns the answer round.
        #[test]
        fn both_directions_are_treated_alike(
            values in proptest::collection::vec(-100..100i32, 1..12),
        ) {
            let values: Vec<f64> = values.into_iter().map(|v| f64::from(v) / 100.0).collect();
            let turned: Vec<f64> = values.iter().map(|v| -v).collect();
            prop_assert_eq!(randomisation(&values, 1), randomisation(&turned, 1));
            let (a, b) = (interval(&values, 1), interval(&turned, 1));
            prop_assert!((a.mean + b.mean).abs() < 1e-12);
            prop_assert!(a.low <= a.mean + 1e-9 && a.mean <= a.high + 1e-9);
        }
    }
}

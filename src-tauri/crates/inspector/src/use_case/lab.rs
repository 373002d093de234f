//! Constants against each other on the golden queries: two sets, and one constant swept.

use std::time::{Duration, Instant};

use evaluation::metrics::{self, Scores};
use evaluation::statistics;
use memory::Millis;
use retrieval::constants::{Constants, RerankBackend};
use retrieval::diagnose::Tunable;

use crate::error::EdgeError;
use crate::golden::{self, Golden};
use crate::inspector::{Inner, Inspector};
use crate::request::{ComparisonRequest, SweepRequest};
use crate::view::{AblationView, ComparisonView, SweepPoint, SweepView};
use crate::{convert, tuning};

/// How long the reranker may read for a comparison or a sweep.
const READING: Duration = Duration::from_secs(15);

impl Inspector {
    /// Two sets of constants on all golden queries, and whether the difference is more than luck.
    pub fn compare(&self, request: &ComparisonRequest) -> Result<ComparisonView, EdgeError> {
        tuning::check(&request.a)?;
        tuning::check(&request.b)?;
        // The window asks by itself when memories come in: that must not keep the vault open.
        let session = self.inner.session()?;
        let now = convert::moment("now", request.now.as_deref())?.unwrap_or_else(Inner::now);
        let golden = session.golden()?;
        let until = Instant::now() + READING;
        let unread = session.read_unseen(&golden, &request.a, now, until)
            + session.read_unseen(&golden, &request.b, now, until);
        let mut measure = golden::measure(&golden, &request.a, &request.b, now);
        measure.unread = unread;
        let differences: Vec<f64> = measure
            .queries
            .iter()
            .map(|query| query.current.lower.ndcg_10 - query.baseline.lower.ndcg_10)
            .collect();
        Ok(ComparisonView {
            difference: golden::difference(&differences, golden::p_value(&differences)),
            measure,
        })
    }

    /// One constant through its range, everything else as it is, and the present constants with
    /// one part of the pipeline taken out at a time.
    pub fn sweep(&self, request: &SweepRequest) -> Result<SweepView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let now = convert::moment("now", request.now.as_deref())?.unwrap_or_else(Inner::now);
        let constants = &request.constants;
        let tunable = Tunable::ALL
            .into_iter()
            .find(|tunable| tunable.name() == request.constant)
            // Every memory that a larger budget lets in was in the list before.
            .filter(|tunable| *tunable != Tunable::TokenBudget)
            .ok_or_else(|| {
                EdgeError::bad_request("constant", "a constant that moves the ranking")
            })?;
        let golden = session.golden()?;
        let until = Instant::now() + READING;
        let mut unread = 0;
        let mut measured = |constants: &Constants| {
            unread += session.read_unseen(&golden, constants, now, until);
            scores(&golden, constants, now)
        };
        let present = measured(constants);
        let current = tunable.of(constants);
        let mut tried = Vec::new();
        for value in grid(tunable, current) {
            let changed = tunable.set(constants, value);
            if tuning::check(&changed).is_ok() {
                tried.push((value, measured(&changed)));
            }
        }
        let ablations = ablations(constants)
            .into_iter()
            .map(|(name, changed)| AblationView {
                name: name.to_owned(),
                scores: metrics::mean(&measured(&changed)).into(),
            })
            .collect();
        let differences: Vec<Vec<f64>> = tried
            .iter()
            .map(|(_, scores)| {
                let pairs = scores.iter().zip(&present);
                pairs.map(|(new, old)| new.ndcg_10 - old.ndcg_10).collect()
            })
            .collect();
        let corrected = statistics::holm(
            &differences
                .iter()
                .map(|one| golden::p_value(one))
                .collect::<Vec<_>>(),
        );
        let best = best(&tried, current);
        Ok(SweepView {
            constant: request.constant.clone(),
            current,
            best: best.map_or(current, |at| tried[at].0),
            difference: best.map_or_else(
                || golden::difference(&[], 1.0),
                |at| golden::difference(&differences[at], corrected[at]),
            ),
            queries: u32::try_from(present.len()).unwrap_or(u32::MAX),
            points: tried.iter().map(point).collect(),
            ablations,
            unread,
        })
    }
}

/// Scores of the golden queries that have a relevant memory; the same queries for all constants.
fn scores(golden: &[Golden], constants: &Constants, now: Millis) -> Vec<Scores> {
    golden
        .iter()
        .filter_map(|one| one.measure(constants, now))
        .map(|measured| measured.lower)
        .collect()
}

fn point((value, scores): &(f64, Vec<Scores>)) -> SweepPoint {
    let ndcg: Vec<f64> = scores.iter().map(|score| score.ndcg_10).collect();
    let interval = golden::interval(&ndcg);
    SweepPoint {
        value: *value,
        scores: metrics::mean(scores).into(),
        low: interval.low.max(0.0),
        high: interval.high,
    }
}

/// The place of the best mean nDCG@10, the nearest to the present value where several are best.
fn best(tried: &[(f64, Vec<Scores>)], current: f64) -> Option<usize> {
    let means: Vec<f64> = tried
        .iter()
        .map(|(_, scores)| metrics::mean(scores).ndcg_10)
        .collect();
    let top = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..tried.len())
        .filter(|at| means[*at] >= top - 1e-9)
        .min_by(|a, b| {
            let distance = |at: &usize| (tried[*at].0 - current).abs();
            distance(a).total_cmp(&distance(b))
        })
}

/// The values that a sweep tries, the present one among them: closer together where a step
/// matters more.
fn grid(tunable: Tunable, current: f64) -> Vec<f64> {
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
    values.push(current);
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    values
}

/// The constants with one part of the pipeline taken out.
fn ablations(constants: &Constants) -> Vec<(&'static str, Constants)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grid_is_rising_within_range_and_holds_the_present_value() {
        for tunable in Tunable::ALL {
            let current = tunable.of(&Constants::default());
            let values = grid(tunable, current);
            let (low, high) = tunable.range();
            assert!(values.contains(&current), "{}", tunable.name());
            assert!(values.iter().all(|value| (low..=high).contains(value)));
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn of_equally_good_values_the_nearest_is_best() {
        let at = |value: f64, ndcg_10: f64| {
            let score = Scores {
                ndcg_10,
                ..Scores::default()
            };
            (value, vec![score])
        };
        let tried = [at(1.0, 0.5), at(5.0, 0.5), at(9.0, 0.2)];
        assert_eq!(best(&tried, 9.0), Some(1));
        assert_eq!(best(&tried, 0.0), Some(0));
        assert_eq!(best(&[], 0.0), None);
    }
}

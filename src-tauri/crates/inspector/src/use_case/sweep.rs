//! Constants moved through their ranges on the golden queries: one, or several at once.

use std::time::Instant;

use evaluation::metrics::{self, Scores};
use evaluation::{plan, statistics};
use memory::Millis;
use retrieval::constants::{Constants, Tunable};

use crate::error::EdgeError;
use crate::golden::{self, Golden};
use crate::held_out::Split;
use crate::inspector::Inspector;
use crate::request::{SweepRequest, TrialMethod, TrialsRequest};
use crate::session::Session;
use crate::view::{AblationView, SweepPoint, SweepView, TrialQuery, TrialView, TrialsView};
use crate::{convert, tuning};

/// Constants that move together: with more, the tries would lie too far apart to say anything.
const AXES: usize = 6;

/// Tries beside the present constants and the ablations.
const TRIALS: u32 = 500;

impl Inspector {
    /// One constant through its range, everything else as it is, and the present constants with
    /// one part of the pipeline taken out at a time. The best value is chosen on one half of the
    /// golden queries and reported on the other.
    pub fn sweep(&self, request: &SweepRequest) -> Result<SweepView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let constants = &request.constants;
        let tunable = moving(&request.constant)?;
        let golden = session.golden()?;
        let split = Split::of(&golden);
        let until = Instant::now() + golden::READING;
        let mut unread = 0;
        let mut measured = |constants: &Constants| {
            unread += session.read_unseen(&golden, constants, now, until);
            golden::scores(&golden, constants, now)
        };
        let present = measured(constants);
        let current = tunable.of(constants);
        let mut tried = Vec::new();
        for value in plan::values(tunable, current) {
            let changed = tunable.set(constants, value);
            if tuning::check(&changed).is_ok() {
                tried.push((value, measured(&changed)));
            }
        }
        let ablations = plan::ablations(constants)
            .into_iter()
            .map(|(name, changed)| AblationView {
                name: name.to_owned(),
                scores: metrics::mean(&split.choose(&measured(&changed))).into(),
            })
            .collect();
        let choosing: Vec<(f64, Vec<Scores>)> = tried
            .iter()
            .map(|(value, scores)| (*value, split.choose(scores)))
            .collect();
        let own = split.choose(&present);
        let differences: Vec<Vec<f64>> = choosing
            .iter()
            .map(|(_, scores)| {
                let pairs = scores.iter().zip(&own);
                pairs.map(|(new, old)| new.ndcg_10 - old.ndcg_10).collect()
            })
            .collect();
        let corrected = statistics::holm(
            &differences
                .iter()
                .map(|one| golden::p_value(one))
                .collect::<Vec<_>>(),
        );
        let best = best(&choosing, current);
        Ok(SweepView {
            constant: request.constant.clone(),
            current,
            best: best.map_or(current, |at| tried[at].0),
            difference: best.map_or_else(
                || golden::difference(&[], 1.0),
                |at| golden::difference(&differences[at], corrected[at]),
            ),
            queries: u32::try_from(present.len()).unwrap_or(u32::MAX),
            choosing: split.choosing(),
            needed: split.needed(),
            held_out: best
                // The present value against itself says nothing.
                .filter(|at| (tried[*at].0 - current).abs() > 1e-9)
                .and_then(|at| split.report(&present, &tried[at].1)),
            points: choosing.iter().map(point).collect(),
            ablations,
            unread,
        })
    }

    /// Several constants at once: a piece of a plan of trials, measured on the half of the golden
    /// queries that chooses. The same request always has the same plan, so that a sweep can be
    /// stopped after any piece and gone on with later.
    pub fn trials(&self, request: &TrialsRequest) -> Result<TrialsView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let mut axes = Vec::new();
        for name in &request.axes {
            let axis = moving(name)?;
            if axes.contains(&axis) {
                return Err(EdgeError::bad_request("axes", "each constant once"));
            }
            axes.push(axis);
        }
        if axes.is_empty() || axes.len() > AXES {
            return Err(EdgeError::bad_request("axes", "one to six constants"));
        }
        if !(1..=TRIALS).contains(&request.count) {
            return Err(EdgeError::bad_request("count", "1 to 500"));
        }
        let method = match request.method {
            TrialMethod::Grid => plan::Method::Grid,
            TrialMethod::Random => plan::Method::Random {
                seed: u64::from(request.seed),
            },
        };
        let plan = plan::trials(&request.constants, &axes, method, request.count as usize);
        let golden = session.golden()?;
        let split = Split::of(&golden);
        let until = Instant::now() + golden::READING;
        let mut unread = 0;
        let trials = (0_u32..)
            .zip(&plan)
            .skip(request.skip as usize)
            .take(request.take as usize)
            .map(|(number, trial)| {
                let constants = &trial.constants;
                unread += session.read_unseen(&golden, constants, now, until);
                let scores = split.choose(&golden::scores(&golden, constants, now));
                let ndcg: Vec<f64> = scores.iter().map(|score| score.ndcg_10).collect();
                let interval = golden::interval(&ndcg);
                TrialView {
                    number,
                    name: trial.name.map(ToOwned::to_owned),
                    values: axes.iter().map(|axis| axis.of(constants)).collect(),
                    constants: constants.clone(),
                    scores: metrics::mean(&scores).into(),
                    low: interval.low.max(0.0),
                    high: interval.high,
                    ms: milliseconds(&session, &golden, constants, now),
                    ndcg,
                }
            })
            .collect();
        let named: Vec<(&str, String)> = golden
            .iter()
            .filter(|one| one.has_relevant())
            .map(|one| (one.text.as_str(), golden::name(one.id)))
            .collect();
        let places: Vec<usize> = (0..named.len()).collect();
        Ok(TrialsView {
            total: u32::try_from(plan.len()).unwrap_or(u32::MAX),
            trials,
            queries: split
                .choose(&places)
                .into_iter()
                .map(|at| TrialQuery {
                    id: named[at].1.clone(),
                    text: named[at].0.to_owned(),
                })
                .collect(),
            needed: split.needed(),
            unread,
        })
    }
}

/// A constant that moves the ranking; every memory that a larger token budget or block lets in was
/// in the list before.
fn moving(name: &str) -> Result<Tunable, EdgeError> {
    Tunable::ALL
        .into_iter()
        .find(|tunable| tunable.name() == name)
        .filter(|tunable| !tunable.only_packs())
        .ok_or_else(|| EdgeError::bad_request("constant", "a constant that moves the ranking"))
}

/// What a query takes under these constants, mean over the golden ones: searching as long as it
/// took when their candidates were gathered, ranking as it takes now, and reading as many pairs as
/// the window holds, each as long as pairs have taken in this session.
fn milliseconds(session: &Session, golden: &[Golden], constants: &Constants, now: Millis) -> f64 {
    let pair = session
        .engine
        .ms_per_pair(constants.rerank)
        .unwrap_or_default();
    let total: f64 = golden
        .iter()
        .map(|one| {
            let gathered = &one.gathered;
            // The legs run side by side.
            let searching = gathered.route_report.elapsed_ms
                + gathered
                    .knn_report
                    .elapsed_ms
                    .max(gathered.bm25_report.elapsed_ms)
                    .max(gathered.sparse_report.elapsed_ms);
            let start = Instant::now();
            let ranking = gathered.rank(constants, now);
            let spent = start.elapsed().as_secs_f64() * 1000.0;
            searching + spent + pair * ranking.window(constants) as f64
        })
        .sum();
    total / golden.len().max(1) as f64
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

#[cfg(test)]
mod tests {
    use super::*;

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

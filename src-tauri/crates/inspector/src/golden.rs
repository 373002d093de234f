//! The golden queries with what they found, kept so that measuring constants searches nothing.
//!
//! Candidates are gathered once per query, as deep as for a query in the window, and dropped when
//! memories or vectors change or another model answers. Stored traces, settings and judgements
//! leave them be.

mod lists;

use std::sync::Arc;
use std::time::{Duration, Instant};

use evaluation::metrics::Judgements;
use evaluation::suite::{self, Measured};
use memory::{GoldenQuery, GoldenQueryId, Millis};
use retrieval::constants::Constants;
use retrieval::{CancelFlag, Engine, Gathered, Query};

pub(crate) use lists::Candidates;

use crate::convert;
use crate::error::EdgeError;
use crate::request::FilterRequest;
use crate::session::{DEPTH, Session};
use crate::view::{
    DifferenceVerdict, DifferenceView, MeasureView, MetricsView, QueryMeasureView, ScoresView,
};

/// How long the reranker may read for what the tuning lab measures.
pub(crate) const READING: Duration = Duration::from_secs(15);

use evaluation::metrics::Scores;
use evaluation::statistics::{self, Interval, Verdict};

/// The same differences give the same interval every time.
const SEED: u64 = 0x1e7e;

/// Changes of nDCG smaller than this are rounding.
pub(crate) const NOTHING: f64 = 1e-9;

/// How long the reranker may read for one query, whatever is left of the time for all.
const PATIENCE: Duration = Duration::from_millis(500);

/// A golden query, ready to be ranked.
pub(crate) struct Golden {
    pub(crate) id: GoldenQueryId,
    pub(crate) text: String,
    pub(crate) judged: Judgements,
    pub(crate) gathered: Arc<Gathered>,
}

/// A golden query's name at the edge.
pub(crate) fn name(id: GoldenQueryId) -> String {
    format!("q{}", id.0)
}

/// Reads a golden query's name.
pub(crate) fn id(text: &str) -> Result<GoldenQueryId, EdgeError> {
    text.strip_prefix('q')
        .and_then(|digits| digits.parse().ok())
        .map(GoldenQueryId)
        .ok_or_else(|| EdgeError::bad_request("id", "a golden query's id, for example q7"))
}

impl Session {
    /// All golden queries with their candidates, oldest first. Searches only those that were not
    /// searched since the memories last changed.
    pub(crate) fn golden(&self) -> Result<Vec<Golden>, EdgeError> {
        let (content, queries) = self
            .vault
            .read(|r| Ok((r.content_epoch()?, r.judgements().golden()?)))?;
        let model = self
            .engine
            .embedder()
            .map(|embedder| embedder.identity().id.clone());
        let stamp = Some((content, model));
        let mut held = self.golden.lock();
        if held.stamp != stamp {
            held.lists.clear();
            held.stamp = stamp;
        }
        held.lists
            .retain(|id, _| queries.iter().any(|query| query.id == *id));
        let mut golden = Vec::with_capacity(queries.len());
        for query in queries {
            let gathered = if let Some(known) = held.lists.get(&query.id) {
                Arc::clone(known)
            } else {
                let gathered = Arc::new(gather(&self.engine, &query, self.now())?);
                held.lists.insert(query.id, Arc::clone(&gathered));
                gathered
            };
            golden.push(Golden {
                id: query.id,
                judged: query
                    .grades
                    .iter()
                    .map(|(id, grade)| (id.to_string(), i32::from(*grade)))
                    .collect(),
                text: query.question.text,
                gathered,
            });
        }
        Ok(golden)
    }

    /// Lets the reranker read what it has not read of these constants' windows, until the time is
    /// up. Returns how many pairs are left.
    pub(crate) fn read_unseen(
        &self,
        golden: &[Golden],
        constants: &Constants,
        now: Millis,
        until: Instant,
    ) -> u32 {
        let mut left = 0;
        for one in golden {
            let remaining = until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                left += one.gathered.unread(constants, now).len();
                continue;
            }
            // A query that was begun is finished: half-read windows help nobody.
            let patience = remaining.max(PATIENCE);
            self.engine
                .score_window(&one.gathered, constants, now, patience);
        }
        u32::try_from(left).unwrap_or(u32::MAX)
    }
}

fn gather(engine: &Engine, query: &GoldenQuery, now: Millis) -> Result<Gathered, EdgeError> {
    let asked = &query.question;
    let filter: FilterRequest = serde_json::from_str(&asked.filter)
        .map_err(|_| EdgeError::internal("read a golden query's filter"))?;
    Ok(engine.gather(
        &Query {
            filter: convert::filter(&filter)?,
            depth: DEPTH,
            // One list serves whatever constants are tried, so what is near enough is the standard.
            ..Query::new(asked.text.as_str(), convert::mode(&asked.mode)?, now)
        },
        &CancelFlag::default(),
    )?)
}

impl Golden {
    /// The results under these constants, best first.
    pub(crate) fn ranked(&self, constants: &Constants, now: Millis) -> Vec<String> {
        self.gathered
            .rank(constants, now)
            .results()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// What the results are worth; `None` when no judged memory is relevant.
    pub(crate) fn measure(&self, constants: &Constants, now: Millis) -> Option<Measured> {
        suite::measure(&self.ranked(constants, now), &self.judged)
    }

    /// What the results would be worth had the query found something else.
    pub(crate) fn measure_in(
        &self,
        gathered: &Gathered,
        constants: &Constants,
        now: Millis,
    ) -> Option<Measured> {
        let results = gathered.rank(constants, now).results();
        let names: Vec<String> = results.iter().map(ToString::to_string).collect();
        suite::measure(&names, &self.judged)
    }

    /// Whether it can be measured at all.
    pub(crate) fn has_relevant(&self) -> bool {
        self.judged.values().any(|grade| *grade > 0)
    }

    fn first_relevant(&self, ranked: &[String]) -> Option<u32> {
        ranked
            .iter()
            .position(|id| self.judged.get(id).is_some_and(|grade| *grade > 0))
            .and_then(|at| u32::try_from(at + 1).ok())
    }
}

/// Scores of the golden queries that have a relevant memory; the same queries for all constants.
pub(crate) fn scores(golden: &[Golden], constants: &Constants, now: Millis) -> Vec<Scores> {
    golden
        .iter()
        .filter_map(|one| one.measure(constants, now))
        .map(|measured| measured.lower)
        .collect()
}

/// All golden queries under two sets of constants.
pub(crate) fn measure(
    golden: &[Golden],
    baseline: &Constants,
    current: &Constants,
    now: Millis,
) -> MeasureView {
    let mut queries = Vec::with_capacity(golden.len());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut better, mut worse) = (0, 0);
    for one in golden {
        let (old, new) = (one.ranked(baseline, now), one.ranked(current, now));
        let (Some(a), Some(b)) = (
            suite::measure(&old, &one.judged),
            suite::measure(&new, &one.judged),
        ) else {
            continue;
        };
        let change = b.lower.ndcg_10 - a.lower.ndcg_10;
        better += u32::from(change > NOTHING);
        worse += u32::from(change < -NOTHING);
        queries.push(QueryMeasureView {
            id: name(one.id),
            text: one.text.clone(),
            judged: u32::try_from(one.judged.len()).unwrap_or(u32::MAX),
            baseline: a.into(),
            current: b.into(),
            baseline_rank: one.first_relevant(&old),
            current_rank: one.first_relevant(&new),
        });
        before.push(a);
        after.push(b);
    }
    MeasureView {
        baseline_name: String::new(),
        golden: u32::try_from(golden.len()).unwrap_or(u32::MAX),
        baseline: suite::overall(&before).into(),
        current: suite::overall(&after).into(),
        better,
        worse,
        unread: 0,
        queries,
    }
}

/// How the nDCG@10 of judged queries changes: how many gain, how many lose, and the mean change
/// (`None` when no query has a relevant memory).
pub(crate) fn collateral(
    golden: &[Golden],
    baseline: &[Option<Measured>],
    changed: &Constants,
    now: Millis,
) -> (u32, u32, Option<f64>) {
    let (mut gained, mut lost, mut sum, mut count) = (0, 0, 0.0, 0_u32);
    for (one, before) in golden.iter().zip(baseline) {
        let (Some(before), Some(after)) = (before, one.measure(changed, now)) else {
            continue;
        };
        let change = after.lower.ndcg_10 - before.lower.ndcg_10;
        gained += u32::from(change > NOTHING);
        lost += u32::from(change < -NOTHING);
        sum += change;
        count += 1;
    }
    let mean = (count > 0).then(|| sum / f64::from(count));
    (gained, lost, mean)
}

/// The interval of a mean score over queries.
pub(crate) fn interval(values: &[f64]) -> Interval {
    statistics::interval(values, SEED)
}

/// The p-value of differences, one per query.
pub(crate) fn p_value(differences: &[f64]) -> f64 {
    statistics::randomisation(differences, SEED)
}

/// What differences, one per query, allow to say.
pub(crate) fn difference(differences: &[f64], p: f64) -> DifferenceView {
    let interval = interval(differences);
    let (verdict, more) = match statistics::verdict(differences, interval, p) {
        Verdict::Better => (DifferenceVerdict::Better, None),
        Verdict::Worse => (DifferenceVerdict::Worse, None),
        Verdict::Same => (DifferenceVerdict::Same, None),
        Verdict::CannotTell { more } => (DifferenceVerdict::CannotTell, Some(more)),
    };
    DifferenceView {
        mean: interval.mean,
        low: interval.low,
        high: interval.high,
        p,
        verdict,
        more,
    }
}

impl From<Scores> for ScoresView {
    fn from(scores: Scores) -> Self {
        Self {
            success_5: scores.success_5,
            mrr_10: scores.mrr_10,
            ndcg_10: scores.ndcg_10,
            recall_10: scores.recall_10,
        }
    }
}

impl From<Measured> for MetricsView {
    fn from(measured: Measured) -> Self {
        Self {
            lower: measured.lower.into(),
            upper: measured.upper.into(),
            judged_10: measured.judged_10,
        }
    }
}

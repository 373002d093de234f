//! How long queries took, read off the stored traces.

use memory::TRACES_KEPT;
use retrieval::stage::Stage;
use retrieval::trace::Status;
use serde::Deserialize;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::view::{LatencyRow, LatencyView};

/// How many whole queries are given one by one.
const RECENT: usize = 50;

/// What is read of a trace; its texts and scores are skipped over.
#[derive(Deserialize)]
struct Timed {
    stages: Vec<TimedStage>,
}

#[derive(Deserialize)]
struct TimedStage {
    name: Stage,
    status: Status,
    elapsed_ms: f64,
}

impl Inspector {
    /// How long the queries that a person asked lately took, stage by stage. A trace that this
    /// program cannot read is left out.
    pub fn latencies(&self) -> Result<LatencyView, EdgeError> {
        let session = self.inner.session()?;
        let stored = session.vault.read(|r| r.traces().latest(TRACES_KEPT))?;
        let timed: Vec<Timed> = stored
            .iter()
            .rev()
            .filter_map(|trace| serde_json::from_str(&trace.json).ok())
            .collect();
        Ok(latencies(&timed))
    }
}

fn latencies(timed: &[Timed]) -> LatencyView {
    let whole: Vec<f64> = timed.iter().map(|trace| whole(&trace.stages)).collect();
    let stages = Stage::ALL
        .into_iter()
        .filter_map(|name| {
            let times = timed
                .iter()
                .flat_map(|trace| &trace.stages)
                .filter(|stage| stage.name == name && stage.status != Status::Skipped)
                .map(|stage| stage.elapsed_ms)
                .collect();
            row(name.name(), times)
        })
        .collect();
    LatencyView {
        queries: u32::try_from(timed.len()).unwrap_or(u32::MAX),
        stages,
        recent: whole[whole.len().saturating_sub(RECENT)..].to_vec(),
        whole: row("whole", whole),
    }
}

fn whole(stages: &[TimedStage]) -> f64 {
    let of = |name: Stage| {
        stages
            .iter()
            .filter(|stage| stage.name == name)
            .map(|stage| stage.elapsed_ms)
            .sum::<f64>()
    };
    let sum: f64 = stages.iter().map(|stage| stage.elapsed_ms).sum();
    // The legs run side by side: what the longest of them takes is what one waits for.
    let legs = [Stage::Knn, Stage::Bm25, Stage::Sparse].map(of);
    sum - legs.iter().sum::<f64>() + legs.into_iter().fold(0.0, f64::max)
}

/// `None` without any time. A share's value is the time that so many did not exceed.
fn row(name: &str, mut times: Vec<f64>) -> Option<LatencyRow> {
    times.retain(|time| time.is_finite());
    times.sort_by(f64::total_cmp);
    let slowest = *times.last()?;
    let at_most = |share: f64| {
        let place = (times.len() as f64 * share).ceil() as usize;
        times[place.clamp(1, times.len()) - 1]
    };
    Some(LatencyRow {
        name: name.to_owned(),
        ran: u32::try_from(times.len()).unwrap_or(u32::MAX),
        p50: at_most(0.5),
        p95: at_most(0.95),
        slowest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(times: &[(Stage, Status, f64)]) -> Timed {
        Timed {
            stages: times
                .iter()
                .map(|&(name, status, elapsed_ms)| TimedStage {
                    name,
                    status,
                    elapsed_ms,
                })
                .collect(),
        }
    }

    #[test]
    fn legs_run_side_by_side_and_what_was_skipped_does_not_count() {
        let slow = trace(&[
            (Stage::Route, Status::Ok, 1.0),
            (Stage::Knn, Status::Ok, 10.0),
            (Stage::Bm25, Status::Ok, 4.0),
            (Stage::Rerank, Status::Ok, 100.0),
        ]);
        let fast = trace(&[
            (Stage::Route, Status::Ok, 1.0),
            (Stage::Knn, Status::Skipped, 0.0),
            (Stage::Bm25, Status::Ok, 2.0),
            (Stage::Rerank, Status::Skipped, 0.0),
        ]);
        let view = latencies(&[slow, fast]);
        assert_eq!(view.queries, 2);
        assert_eq!(view.recent, [111.0, 3.0]);
        let whole = view.whole.unwrap();
        assert_eq!((whole.p50, whole.p95, whole.slowest), (3.0, 111.0, 111.0));
        let names: Vec<(&str, u32)> = view
            .stages
            .iter()
            .map(|row| (row.name.as_str(), row.ran))
            .collect();
        assert_eq!(
            names,
            [("route", 2), ("knn", 1), ("bm25", 2), ("rerank", 1)]
        );
        assert_eq!(latencies(&[]), LatencyView::default());
    }

    #[test]
    fn a_share_is_the_time_that_so_many_did_not_exceed() {
        let row = row("knn", (1..=100).map(f64::from).rev().collect()).unwrap();
        assert_eq!((row.p50, row.p95, row.slowest), (50.0, 95.0, 100.0));
    }
}

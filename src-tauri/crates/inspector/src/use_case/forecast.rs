//! What time will do to a standing query, and what came in since it was answered.

use std::collections::BTreeSet;
use std::time::Duration;

use memory::Millis;
use retrieval::{CancelFlag, Forecast, Gathered, Query};

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::{ArrivalsRequest, ForecastRequest};
use crate::view::{ArrivalsView, ForecastChange, ForecastView, MemoryFate};
use crate::{convert, time, tuning};

const DAY: Millis = 86_400_000;

/// How long the reranker may read for one forecast.
const READING: Duration = Duration::from_secs(3);

/// How long the reranker may read to see whether something new is worth mentioning.
const GLANCE: Duration = Duration::from_millis(800);

impl Inspector {
    /// When the results of a standing query change while time passes and nothing else does.
    pub fn forecast(&self, request: &ForecastRequest) -> Result<ForecastView, EdgeError> {
        tuning::check(&request.constants)?;
        if !(1..=3650).contains(&request.days) {
            return Err(EdgeError::bad_request("days", "1 to 3650"));
        }
        // The window asks by itself after every answer: that must not keep the vault open.
        let session = self.inner.session()?;
        let gathered = session.recalled(&request.recall)?;
        let own = gathered.query.now;
        let now = convert::moment("now", request.now.as_deref())?.unwrap_or(own);
        let from = convert::moment("from", request.from.as_deref())?
            .unwrap_or(now)
            .min(now);
        let until = own.saturating_add(i64::from(request.days) * DAY).max(now);
        let forecast = session
            .engine
            .forecast(&gathered, &request.constants, from, until, READING);
        Ok(view(&forecast, &gathered, now, request.constants.results))
    }

    /// Which of these new memories would be among the results, were the query asked now. Nothing
    /// is stored and no running query is called off.
    pub fn arrivals(&self, request: &ArrivalsRequest) -> Result<ArrivalsView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session()?;
        let held = session.recalled(&request.recall)?;
        let ids: BTreeSet<_> = convert::memory_ids(&request.ids)?.into_iter().collect();
        let now = self.inner.now();
        let query = Query {
            now,
            ..held.query.clone()
        };
        let gathered = session.engine.gather(&query, &CancelFlag::new())?;
        session
            .engine
            .score_window(&gathered, &request.constants, now, GLANCE);
        let results = gathered.rank(&request.constants, now).results();
        Ok(ArrivalsView {
            entering: results
                .into_iter()
                .filter(|id| ids.contains(id))
                .map(|id| id.to_string())
                .collect(),
        })
    }
}

fn view(forecast: &Forecast, gathered: &Gathered, now: Millis, results: u32) -> ForecastView {
    let mut before = &forecast.start;
    let changes = forecast
        .changes
        .iter()
        .map(|change| {
            let after = &change.results;
            let entered = after.iter().filter(|id| !before.contains(id));
            let left = before.iter().filter(|id| !after.contains(id));
            let moved = after
                .iter()
                .enumerate()
                .filter(|(rank, id)| before.iter().position(|one| one == *id) != Some(*rank))
                .filter(|(_, id)| before.contains(id))
                .count();
            let shown = ForecastChange {
                at: time::to_rfc3339(change.at),
                entered: entered.map(ToString::to_string).collect(),
                left: left.map(ToString::to_string).collect(),
                moved: u32::try_from(moved).unwrap_or(u32::MAX),
            };
            before = after;
            shown
        })
        .collect();
    let memories = forecast
        .memories()
        .into_iter()
        .filter(|id| gathered.candidate(*id).is_some())
        .map(|id| {
            let fate = forecast.fate(id, now);
            let shown = MemoryFate {
                rank: fate.rank,
                leaves_at: fate.leaves.map(time::to_rfc3339),
                enters_at: fate.enters.map(time::to_rfc3339),
                next_at: fate.next.map(|(at, _)| time::to_rfc3339(at)),
                next_rank: fate.next.and_then(|(_, rank)| rank),
            };
            (id.to_string(), shown)
        })
        .collect();
    ForecastView {
        clock: time::to_rfc3339(now),
        from: time::to_rfc3339(forecast.from),
        until: time::to_rfc3339(forecast.until),
        exact: forecast.exact,
        unread: !forecast.unread.is_empty(),
        results,
        changes,
        memories,
    }
}

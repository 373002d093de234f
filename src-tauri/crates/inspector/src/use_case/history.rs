//! Past queries: the list of them, one as it was, and one as a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memory::{GoldenQuery, MemoryId, StoredTrace};
use retrieval::Query;
use retrieval::trace::{Status, Trace};

use super::judge::question;
use super::query::ROWS_SENT;
use crate::account::{Account, Kept, LastKept, Summary};
use crate::channel::ChannelName;
use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::{ExportTraceRequest, FilterRequest, HistoryRequest, TraceName};
use crate::session::Session;
use crate::view::{
    HistoryEntry, HistoryOutcome, HistoryView, MemoryCard, SavedFileView, StoredTraceView,
};
use crate::{convert, private_file, redact, time, tuning};

/// Questions of agents whose use is judged for one page. An open list asks again and again, and every new
/// memory may change a judgement.
const USAGES_LISTED: usize = 50;

/// Says what kind of file it is, and in which form.
const FORMAT: &str = "lethescope-trace/1";

impl Inspector {
    /// Past queries, newest first, each with what today's judgements say of it.
    pub fn history(&self, request: &HistoryRequest) -> Result<HistoryView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let before = request.before.as_deref().map(row_of).transpose()?;
        let limit = request.limit.clamp(1, 200);
        let (total, rows, golden) = session.vault.read(|r| {
            Ok((
                r.traces().count()?,
                r.traces().page(before, limit)?,
                r.judgements().golden()?,
            ))
        })?;
        let mut entries = Vec::with_capacity(rows.len());
        let ground = request.usage.then(|| session.ground()).transpose()?;
        let mut left = USAGES_LISTED;
        for row in &rows {
            let Some(mut entry) = entry(row, &golden)? else {
                continue;
            };
            if let Some(ground) = ground
                && left > 0
                && entry.channel != ChannelName::Window
            {
                entry.usage = Some(session.usage(row, ground)?.counts());
                left -= 1;
            }
            entries.push(entry);
        }
        Ok(HistoryView { total, entries })
    }

    /// A past query as it was: with the clock, the constants and the lists of then.
    pub fn stored_trace(&self, id: &str) -> Result<StoredTraceView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let row = stored(&session, id)?;
        let Account {
            filter,
            channel,
            trace,
            ..
        } = Account::read(&row.json)?;
        Ok(StoredTraceView {
            id: name(row.id),
            at: time::to_rfc3339(row.at),
            cards: cards(&session, &filter, &trace)?,
            filter,
            channel,
            trace,
        })
    }

    /// Forgets all past queries. Returns how many there were.
    pub fn clear_history(&self) -> Result<u32, EdgeError> {
        let session = self.inner.session_in_use()?;
        let mut last = session.last_kept.lock();
        *last = None;
        Ok(session.vault.write(|w| w.traces().clear())?)
    }

    /// A trace as the JSON text of a file: all of it, or for a bug report without any text.
    pub fn export_trace(&self, request: &ExportTraceRequest) -> Result<String, EdgeError> {
        let session = self.inner.session_in_use()?;
        let Account { filter, trace, .. } = named(&session, &request.trace)?;
        let text = match request.redacted {
            Some(wanted) => serde_json::to_string_pretty(&redact::bundle(&trace, &filter, wanted)),
            None => serde_json::to_string_pretty(&serde_json::json!({
                "format": FORMAT,
                "program": env!("CARGO_PKG_VERSION"),
                "filter": filter,
                "trace": trace,
            })),
        };
        text.map_err(|_| EdgeError::internal("write a trace"))
    }

    /// Writes a trace to a place that a person chose; nobody else can read the file.
    pub fn save_trace(
        &self,
        request: &ExportTraceRequest,
        path: &str,
    ) -> Result<SavedFileView, EdgeError> {
        let text = self.export_trace(request)?;
        private_file::write(Path::new(path), text.as_bytes())?;
        Ok(SavedFileView {
            path: path.to_owned(),
            bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
        })
    }
}

impl Session {
    /// Stores the account of a query. What was typed on the way to it is one question with it.
    pub(crate) fn keep_trace(
        &self,
        channel: ChannelName,
        session: Option<&str>,
        filter: &FilterRequest,
        trace: &Trace,
    ) {
        let Ok(json) = serde_json::to_string(&Kept {
            channel,
            session,
            filter,
            trace,
        }) else {
            return;
        };
        let at = self.now();
        // Held until it is written, so that two queries in a row are stored in this order.
        let mut last = self.last_kept.lock();
        let replaced = last
            .as_ref()
            .filter(|last| last.goes_on(at, trace, filter))
            .map(|last| last.row);
        let row = self.vault.write(|w| match replaced {
            Some(row) => w.traces().replace(row, &json, at),
            None => w.traces().put(&json, at),
        });
        match row {
            Ok(row) => {
                *last = Some(LastKept {
                    row,
                    at,
                    text: trace.query.clone(),
                    mode: trace.mode,
                    filter: filter.clone(),
                    constants: trace.constants.clone(),
                });
            }
            Err(error) => tracing::warn!(%error, "a trace was not stored"),
        }
    }
}

fn name(row: i64) -> String {
    format!("t{row}")
}

fn row_of(id: &str) -> Result<i64, EdgeError> {
    id.strip_prefix('t')
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| EdgeError::bad_request("id", "a stored trace's id, for example t12"))
}

pub(super) fn stored(session: &Session, id: &str) -> Result<StoredTrace, EdgeError> {
    let row = row_of(id)?;
    session
        .vault
        .read(|r| r.traces().get(row))?
        .ok_or_else(|| EdgeError::not_found(&format!("stored trace {id}")))
}

fn named(session: &Session, which: &TraceName) -> Result<Account, EdgeError> {
    match which {
        TraceName::Stored { id } => Account::read(&stored(session, id)?.json),
        TraceName::Recall {
            recall,
            constants,
            now,
        } => {
            tuning::check(constants)?;
            let gathered = session.recalled(recall)?;
            let now = convert::moment("now", now.as_deref())?.unwrap_or(gathered.query.now);
            let mut trace = gathered.arrange(constants, now);
            for stage in &mut trace.stages {
                stage.items.truncate(ROWS_SENT);
            }
            Ok(Account {
                filter: convert::filter_request(&gathered.query.filter),
                channel: ChannelName::Window,
                session: None,
                trace,
            })
        }
    }
}

/// A row of the list; none for a row that cannot be read.
fn entry(row: &StoredTrace, golden: &[GoldenQuery]) -> Result<Option<HistoryEntry>, EdgeError> {
    let Some(summary) = Summary::read(&row.json) else {
        return Ok(None);
    };
    let (outcome, found_rank) = outcome(&summary, row.at, golden)?;
    Ok(Some(HistoryEntry {
        id: name(row.id),
        at: time::to_rfc3339(row.at),
        clock: summary.now,
        mode: summary.mode,
        channel: summary.channel,
        level: summary.level,
        troubled: summary
            .stages
            .iter()
            .filter(|stage| matches!(stage.status, Status::Failed | Status::Degraded))
            .map(|stage| stage.name.name().to_owned())
            .collect(),
        filter: summary.filter,
        results: u32::try_from(summary.results.len()).unwrap_or(u32::MAX),
        outcome,
        found_rank,
        usage: None,
        elapsed_ms: summary.stages.iter().map(|stage| stage.elapsed_ms).sum(),
        query: summary.query,
    }))
}

fn outcome(
    summary: &Summary,
    at: memory::Millis,
    golden: &[GoldenQuery],
) -> Result<(HistoryOutcome, Option<u32>), EdgeError> {
    let asked = question(&Query {
        filter: convert::filter(&summary.filter)?,
        ..Query::new(summary.query.as_str(), summary.mode, at)
    })?;
    let answers: BTreeSet<String> = golden
        .iter()
        .filter(|query| query.question == asked)
        .flat_map(|query| &query.grades)
        .filter(|(_, grade)| **grade > 0)
        .map(|(id, _)| id.to_string())
        .collect();
    let rank = (1_u32..)
        .zip(&summary.results)
        .find(|(_, id)| answers.contains(*id))
        .map(|(rank, _)| rank);
    let outcome = match rank {
        Some(_) => HistoryOutcome::Found,
        None if !answers.is_empty() => HistoryOutcome::Missed,
        None if summary.results.is_empty() => HistoryOutcome::Empty,
        None => HistoryOutcome::Unjudged,
    };
    Ok((outcome, rank))
}

/// The memories of all lists as they are today, those in the trash too.
fn cards(
    session: &Session,
    filter: &FilterRequest,
    trace: &Trace,
) -> Result<BTreeMap<String, MemoryCard>, EdgeError> {
    let ids: BTreeSet<MemoryId> = trace
        .stages
        .iter()
        .flat_map(|stage| stage.items.iter().map(|item| item.id.as_str()))
        .chain(trace.results.iter().map(String::as_str))
        .filter_map(|id| id.parse().ok())
        .collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let clock = time::from_rfc3339(&trace.now).unwrap_or_default();
    let filter = convert::filter(filter)?;
    let (route, memories) = session.vault.read(|r| {
        let route = retrieval::route_in(r, &trace.query, trace.mode, &filter, clock)?;
        Ok((route, r.memories().get_many(&ids)?))
    })?;
    Ok(memories
        .iter()
        .map(|memory| {
            let card = convert::card(memory, clock, Some(&route));
            (card.id.clone(), card)
        })
        .collect())
}

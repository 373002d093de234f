//! Asking, and re-ranking what was found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use retrieval::constants::RerankBackend;
use retrieval::context::fence::Fence;
use retrieval::stage::Stage;
use retrieval::trace::{StageItem, Trace};
use retrieval::{Gathered, Query};

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::{Held, QueryRequest, RetuneRequest};
use crate::session::{DEPTH, Session};
use crate::use_case::context::context_view;
use crate::view::{MemoryCard, QueryView, ResultView};
use crate::{convert, lanes, time, tuning};

/// Rows of a stage's list that are sent to the window.
pub(super) const ROWS_SENT: usize = 120;

/// How long a query waits for its reranker.
const RERANK_DEADLINE: Duration = Duration::from_secs(10);

impl Inspector {
    /// Searches and ranks.
    pub fn query(&self, request: &QueryRequest) -> Result<QueryView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session_asked(tuning::needs_model(request))?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        self.inner.prepare_reranker(&session, &request.constants);
        let cancel = session.begin_query();
        let engine = &session.engine;
        let mut gathered = engine.gather(
            &Query {
                text: request.text.clone(),
                mode: request.mode,
                filter: convert::filter(&request.filter)?,
                depth: DEPTH,
                now,
                near_enough: request.constants.document_cosine,
            },
            &cancel,
        )?;
        lanes::look_beside(&session, &mut gathered);
        let gathered = Arc::new(gathered);
        if request.rerank {
            engine.score_window(&gathered, &request.constants, now, RERANK_DEADLINE);
        }
        let trace = gathered.arrange(&request.constants, now);
        let recall = session.keep(Arc::clone(&gathered));
        self.view(&session, &gathered, recall, trace, &Held::default(), true)
    }

    /// Ranks the candidates of an earlier query under other constants.
    pub fn retune(&self, request: &RetuneRequest) -> Result<QueryView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let (recall, gathered) = recalled_under(&session, request)?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| gathered.query.now);
        if request.score_unseen {
            session
                .engine
                .score_window(&gathered, &request.constants, now, RERANK_DEADLINE);
        }
        let trace = gathered.arrange(&request.constants, now);
        self.view(
            &session,
            &gathered,
            recall,
            trace,
            &request.held,
            request.score_unseen,
        )
    }

    /// The results of an answer with their texts.
    pub fn results(&self, answer: &QueryView) -> Result<Vec<ResultView>, EdgeError> {
        let session = self.inner.session()?;
        let ids = convert::memory_ids(&answer.trace.results)?;
        let memories = session.vault.read(|r| r.memories().get_many(&ids))?;
        let items: BTreeMap<&str, &StageItem> = answer
            .trace
            .stage(Stage::Select)
            .map(|stage| {
                stage
                    .items
                    .iter()
                    .map(|item| (item.id.as_str(), item))
                    .collect()
            })
            .unwrap_or_default();
        Ok(memories
            .into_iter()
            .zip(1..)
            .map(|(memory, rank)| {
                let id = memory.id.to_string();
                let item = items.get(id.as_str());
                ResultView {
                    rank,
                    score: item.map_or(0.0, |item| item.score),
                    terms: item.map(|item| item.terms.clone()).unwrap_or_default(),
                    id,
                    source: memory
                        .provenance
                        .as_ref()
                        .map(|from| format!("{}:{}", from.path, from.line)),
                    created_at: memory.created_at.map(time::to_rfc3339),
                    created_at_quality: memory.created_at_quality.to_string(),
                    last_seen_at: time::to_rfc3339(memory.last_seen_at),
                    seen_count: memory.seen_count,
                    expires_at: memory.expires_at.map(time::to_rfc3339),
                    org: memory.scope.org,
                    agent: memory.scope.agent,
                    session: memory.scope.session,
                    role: memory.role.to_string(),
                    kind: memory.kind.to_string(),
                    tool_name: memory.tool_name,
                    tool_payload: memory.tool_payload,
                    tags: memory.tags,
                    pinned: memory.pinned,
                    trust: memory.trust.to_string(),
                    content: memory.content,
                }
            })
            .collect())
    }

    /// Stores the account of a query that a person or an agent asked (not of every move of a slider),
    /// behind its answer. Scripts leave the vault as it is.
    fn remember(&self, session: &Arc<Session>, gathered: &Gathered, trace: &Trace) {
        *self.inner.last_trace.lock() = Some(trace.clone());
        let Some(channel) = self.inner.asked_by else {
            return;
        };
        let filter = convert::filter_request(&gathered.query.filter);
        let (session, trace) = (Arc::clone(session), trace.clone());
        let asked_in = self.inner.asked_in.lock().clone();
        let reads = self.inner.background;
        self.inner.storing.start(move || {
            session.keep_trace(channel, asked_in.as_deref(), &filter, &trace);
            // Agents' programs end soon; what their reranker said is not worth a second writing.
            if reads && let Err(error) = session.engine.save_pairs() {
                tracing::warn!(%error, "what the reranker said was not stored");
            }
        });
    }

    fn view(
        &self,
        session: &Arc<Session>,
        gathered: &Gathered,
        recall: String,
        mut trace: Trace,
        held: &Held,
        asked: bool,
    ) -> Result<QueryView, EdgeError> {
        let unscored = unscored(&trace);
        let context = context_view(gathered, &trace, Fence::Context);
        for stage in &mut trace.stages {
            stage.items.truncate(ROWS_SENT);
        }
        if unscored == 0 && asked && !trace.query.trim().is_empty() {
            self.remember(session, gathered, &trace);
        }
        let cards = cards(gathered, &trace, &held.cards)?;
        let beside = lanes::digest(&trace);
        let lanes = (beside != held.beside).then(|| lanes::texts(gathered, &trace));
        let lists = held.leave_out(&mut trace);
        Ok(QueryView {
            recall,
            trace,
            lists,
            unscored,
            cards,
            context,
            beside,
            lanes,
        })
    }
}

/// What an earlier query gathered. Where meaning is asked first, what is near enough decides
/// whether words are asked at all: when that comes out otherwise, it is gathered anew.
fn recalled_under(
    session: &Session,
    request: &RetuneRequest,
) -> Result<(String, Arc<Gathered>), EdgeError> {
    let gathered = session.recalled(&request.recall)?;
    let near_enough = request.constants.document_cosine;
    if !gathered.is_routed_otherwise(near_enough) {
        return Ok((request.recall.clone(), gathered));
    }
    let query = Query {
        near_enough,
        ..gathered.query.clone()
    };
    let mut anew = session.engine.gather(&query, &session.begin_query())?;
    lanes::look_beside(session, &mut anew);
    let anew = Arc::new(anew);
    Ok((session.keep(Arc::clone(&anew)), anew))
}

/// Rows of the window that the reranker has not read.
fn unscored(trace: &Trace) -> u32 {
    if trace.constants.rerank == RerankBackend::Off {
        return 0;
    }
    let Some(stage) = trace.stage(Stage::Rerank) else {
        return 0;
    };
    if matches!(
        stage.status,
        retrieval::trace::Status::Skipped | retrieval::trace::Status::Failed
    ) {
        return 0;
    }
    let window = trace.constants.rerank_window as usize;
    let read = stage
        .items
        .iter()
        .take(window)
        .filter(|item| item.reranked)
        .count();
    u32::try_from(window.min(stage.items.len()) - read).unwrap_or(u32::MAX)
}

fn cards(
    gathered: &Gathered,
    trace: &Trace,
    held: &[String],
) -> Result<BTreeMap<String, MemoryCard>, EdgeError> {
    let listed = trace
        .stages
        .iter()
        .flat_map(|stage| stage.items.iter().map(|item| item.id.as_str()));
    let mut ids: BTreeSet<&str> = listed
        .chain(trace.results.iter().map(String::as_str))
        .collect();
    for id in held {
        ids.remove(id.as_str());
    }
    let mut cards = BTreeMap::new();
    for id in ids {
        let Some(at) = gathered.candidate(convert::memory_id(id)?) else {
            continue;
        };
        let candidate = &gathered.candidates[at as usize];
        let card = convert::candidate_card(candidate, gathered.query.now, &gathered.route);
        cards.insert(id.to_owned(), card);
    }
    Ok(cards)
}

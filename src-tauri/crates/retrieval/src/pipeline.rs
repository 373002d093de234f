//! Takes a query through the stages that touch the vault and the models.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::time::Instant;

use memory::MemoryId;
use parking_lot::{Mutex, RwLock};

use crate::candidate::neighbours;
use crate::engine::{Engine, Models};
use crate::gathered::{Gathered, PairScores};
use crate::ids::Scope;
use crate::legs::{LegsRun, route_mode};
use crate::lists::LastLists;
use crate::meant::route_in;
use crate::query::{CancelFlag, Query, RetrievalError};
use crate::report::{Report, elapsed};
use crate::rerankers::reranker_views;
use crate::scope::{Scoped, scope_of};
use crate::stage::route::Route;
use crate::trace::{ModelIdentity, QueryKind};
use crate::usual::usual_lengths;

impl Engine {
    /// Runs the legs of a query, [`Query::depth`] deep.
    ///
    /// # Errors
    /// [`RetrievalError::Cancelled`], or [`RetrievalError::Vault`] when the vault cannot be read at
    /// all. A leg that fails is no error: it is named in the trace, and the other one answers.
    pub fn gather(&self, query: &Query, cancel: &CancelFlag) -> Result<Gathered, RetrievalError> {
        let span = tracing::info_span!("gather");
        // All of it on threads that stay: a new thread per leg begins with the caches of a core it
        // never ran on, and a leg that is through has nobody to help the other one.
        rayon::scope(|_| span.in_scope(|| self.gather_here(query, cancel)))
    }

    fn gather_here(&self, query: &Query, cancel: &CancelFlag) -> Result<Gathered, RetrievalError> {
        cancel.check()?;
        let models = self.models.read().clone();
        let start = Instant::now();
        let Query {
            text,
            mode,
            filter,
            now,
            ..
        } = query;
        let route = tracing::info_span!("route").in_scope(|| {
            self.vault
                .read(|reader| route_in(reader, text, *mode, filter, *now))
        })?;
        let mut route_report = Report::ok();
        let epoch = self.vault.epoch();
        let Scoped {
            scope,
            searchable,
            notes,
        } = self
            .vault
            .read(|reader| scope_of(reader, &route, query.now))?;
        route_report.notes = notes;
        let nothing = route.kind == QueryKind::Blank && !route.listing
            || route.contradiction
            || searchable == 0;
        route_report.elapsed_ms = elapsed(start);
        cancel.check()?;

        let legs = if nothing {
            let why = if route.contradiction {
                "the query contradicts its filter"
            } else if searchable == 0 {
                "the filter lets no memory through"
            } else {
                "there is nothing to look for"
            };
            LegsRun {
                mode: route_mode(query.mode, route.legs),
                ..LegsRun::none(why, &route)
            }
        } else if route.listing {
            self.list_by_time(query, &route)?
        } else {
            self.run_legs(query, &route, &scope, &models, cancel)?
        };
        self.finish(
            query,
            route,
            route_report,
            legs,
            epoch,
            searchable,
            scope,
            &models,
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is one part of what was gathered, used once"
    )]
    pub(crate) fn finish(
        &self,
        query: &Query,
        route: Route,
        route_report: Report,
        legs: LegsRun,
        epoch: u64,
        searchable: u32,
        scope: Scope,
        models: &Models,
    ) -> Result<Gathered, RetrievalError> {
        let LegsRun {
            knn,
            bm25,
            sparse,
            mode: effective_mode,
            fallback,
            read,
            best_cosine,
        } = legs;
        let mut wanted: Vec<MemoryId> = knn.hits.iter().map(|hit| hit.id).collect();
        wanted.extend(bm25.hits.iter().map(|(id, _)| *id));
        wanted.extend(sparse.hits.iter().map(|(id, _)| *id));
        let known: HashSet<MemoryId> = read.iter().map(|candidate| candidate.id).collect();
        wanted.retain(|id| !known.contains(id));
        wanted.sort_unstable();
        wanted.dedup();
        let mut candidates = self.read_many_candidates(&wanted, models)?;
        candidates.extend(read);
        candidates.sort_unstable_by_key(|candidate| candidate.id);
        // A memory that was deleted or expired since an index saw it is no candidate.
        candidates.retain(|candidate| {
            let memory = candidate.memory();
            memory.deleted_at.is_none()
                && (memory.expires_at.is_none_or(|at| at > query.now)
                    || route.filter.shows_taken_back())
        });
        let ids: Vec<MemoryId> = candidates.iter().map(|candidate| candidate.id).collect();
        let place: HashMap<MemoryId, u32> = ids.iter().copied().zip(0..).collect();
        let gathered = Gathered {
            knn: knn
                .hits
                .into_iter()
                .filter_map(|hit| Some((*place.get(&hit.id)?, hit)))
                .collect(),
            bm25: bm25
                .hits
                .into_iter()
                .filter_map(|(id, parts)| Some((*place.get(&id)?, parts)))
                .collect(),
            sparse: sparse
                .hits
                .into_iter()
                .filter_map(|(id, score)| Some((*place.get(&id)?, score)))
                .collect(),
            expansion: sparse.words,
            query: query.clone(),
            matched: bm25.matched,
            effective_mode,
            route_report,
            knn_report: knn.report,
            bm25_report: bm25.report,
            sparse_report: sparse.report,
            asked: bm25.asked,
            fallback,
            neighbours: neighbours(&candidates),
            usual: usual_lengths(&candidates),
            candidates,
            ids,
            model: models.embedder.as_ref().map(|embedder| {
                let identity = embedder.identity();
                ModelIdentity {
                    id: identity.id.clone(),
                    dimension: identity.dimension,
                }
            }),
            epoch,
            searchable,
            beside: None,
            best_cosine,
            scope,
            query_vector: knn.query_vector,
            rerankers: reranker_views(&models.rerankers, &route),
            route,
            pair_scores: std::array::from_fn(|_| RwLock::new(PairScores::default())),
            word_idf: Mutex::new(HashMap::new()),
            tokenizer: models.embedder.clone(),
            overhead: OnceLock::new(),
            last_lists: LastLists::default(),
        };
        self.recall_pairs(&gathered);
        Ok(gathered)
    }
}

/// Shows nothing of what the engine holds.
impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("mirror", &self.mirror)
            .finish_non_exhaustive()
    }
}

//! The engine: takes a query through the stages that touch the vault and the models.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use lru::LruCache;
use memory::{Memory, MemoryId, PairScore, Vault, VaultError};
use models::Embedder;
use parking_lot::{Mutex, RwLock};

use crate::expansions::Expansions;
use crate::gathered::{Candidate, Gathered, PairScores, neighbours};
use crate::ids::Scope;
use crate::lane::Lanes;
use crate::legs::{LegsRun, route_mode};
use crate::meant::route_in;
use crate::mirror::{Mirror, MirrorState};
use crate::postings::Postings;
use crate::query::{CancelFlag, Query, RetrievalError};
use crate::report::{Report, elapsed};
use crate::rerankers::{PairKey, ReadingCost, Rerankers, reranker_views};
use crate::scope::{Scoped, scope_of};
use crate::stage::bm25::Faults;
use crate::stage::route::Route;
use crate::trace::{ModelIdentity, QueryKind};
use crate::usual::usual_lengths;

/// How many scores of rerankers are kept over queries.
const PAIRS_KEPT: usize = 20_000;

/// Fewer memories than this are read on one connection.
const READ_TOGETHER: usize = 128;

#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) rerankers: Rerankers,
}

/// Answers queries over one vault. Shared between threads.
pub struct Engine {
    vault: Vault,
    pub(crate) models: RwLock<Models>,
    mirror: Mirror,
    pub(crate) postings: Postings,
    pub(crate) expansions: Expansions,
    pub(crate) pairs: Mutex<LruCache<PairKey, f64>>,
    pub(crate) reading_costs: Mutex<[ReadingCost; 3]>,
    /// Queries whose stored scores were read already.
    pub(crate) looked_up: Mutex<LruCache<u64, ()>>,
    /// Scores that are not stored yet.
    pub(crate) waiting: Mutex<Vec<PairScore>>,
    pub(crate) faults: Faults,
}

impl Engine {
    /// An engine with these models; both may come later through [`Engine::set_models`].
    pub fn new(vault: Vault, embedder: Option<Arc<dyn Embedder>>, rerankers: Rerankers) -> Self {
        let kept = NonZeroUsize::new(PAIRS_KEPT).unwrap_or(NonZeroUsize::MIN);
        Self {
            mirror: Mirror::new(vault.clone()),
            postings: Postings::new(vault.clone()),
            expansions: Expansions::new(vault.clone()),
            vault,
            models: RwLock::new(Models {
                embedder,
                rerankers,
            }),
            pairs: Mutex::new(LruCache::new(kept)),
            reading_costs: Mutex::default(),
            looked_up: Mutex::new(LruCache::new(kept)),
            waiting: Mutex::default(),
            faults: Faults::default(),
        }
    }

    /// Makes parts fail, for tests of the degradation.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Exchanges the models, for example once they are loaded.
    pub fn set_models(&self, embedder: Option<Arc<dyn Embedder>>, rerankers: Rerankers) {
        *self.models.write() = Models {
            embedder,
            rerankers,
        };
    }

    /// The vault.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The model in use.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.models.read().embedder.clone()
    }

    /// The rerankers at hand.
    pub fn rerankers(&self) -> Rerankers {
        self.models.read().rerankers.clone()
    }

    /// The vectors in memory.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// Builds the mirrors of vectors and of words if they are missing or out of date; to be called in the
    /// background, after unlocking, after the models were set, and whenever a trace says that one is out
    /// of date. `None` when there is no model.
    pub fn refresh_mirror(&self) -> Result<Option<MirrorState>, VaultError> {
        let Some(embedder) = self.embedder() else {
            return Ok(None);
        };
        if let Some(expander) = embedder.expander() {
            self.expansions.refresh(expander.id())?;
        }
        let identity = embedder.identity();
        match self.mirror.state(identity)? {
            ready @ MirrorState::Ready { .. } => Ok(Some(ready)),
            MirrorState::Missing | MirrorState::Stale => self.mirror.build(identity).map(Some),
        }
    }

    /// Reads what was derived of these memories again: after they were embedded, edited, removed or restored.
    pub fn note_changed(&self, ids: &[MemoryId]) -> Result<(), VaultError> {
        self.mirror.note_changed(ids)?;
        self.expansions.note_changed(ids)
    }

    /// The same of the words alone.
    pub fn note_changed_words(&self, ids: &[MemoryId]) -> Result<(), VaultError> {
        self.expansions.note_changed(ids)
    }

    /// Drops the mirrors of vectors and of words, after memories changed that nobody can name.
    pub fn clear_mirrors(&self) {
        self.mirror.clear();
        self.expansions.clear();
    }

    /// Links at most so many vectors into the approximate index, if one is used; how many are left.
    /// To be called in the background, like [`Engine::refresh_mirror`].
    pub fn link_vectors(&self, most: usize) -> Result<usize, VaultError> {
        match self.embedder() {
            Some(embedder) => self.mirror.link(embedder.identity(), most),
            None => Ok(0),
        }
    }

    /// Reads the words of all memories into memory, or those that changed since; to be called in the
    /// background after unlocking and after many memories were stored. Until then the indexes in the
    /// vault answer, more slowly. Returns how many memories are held.
    pub fn refresh_postings(&self) -> Result<u32, VaultError> {
        self.postings.refresh()
    }

    /// Forgets everything that was read from the vault, for when it is locked.
    pub fn forget(&self) {
        self.mirror.clear();
        self.postings.clear();
        self.expansions.clear();
        self.pairs.lock().clear();
        self.looked_up.lock().clear();
        self.waiting.lock().clear();
        let models = self.models.read();
        if let Some(embedder) = &models.embedder {
            embedder.forget();
        }
        let Rerankers {
            embedded,
            cross_encoder,
            http,
        } = &models.rerankers;
        for reranker in [embedded, cross_encoder, http].into_iter().flatten() {
            reranker.forget();
        }
    }

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

    /// Memories with what ranking needs of them.
    pub(crate) fn candidates(&self, memories: Vec<Memory>, models: &Models) -> Vec<Candidate> {
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let directions = match &models.embedder {
            Some(embedder) => self.mirror.directions(embedder.identity(), &ids),
            None => vec![None; ids.len()],
        };
        memories
            .into_iter()
            .zip(directions)
            .map(|(memory, direction)| Candidate::new(memory, direction))
            .collect()
    }

    /// Reads these candidates.
    pub(crate) fn read_candidates(
        &self,
        wanted: &[MemoryId],
        models: &Models,
    ) -> Result<Vec<Candidate>, VaultError> {
        let memories = self
            .vault
            .read(|reader| reader.memories().get_many(wanted))?;
        Ok(self.candidates(memories, models))
    }

    /// The same on two connections when there are many: what it costs is the decryption of their
    /// pages.
    fn read_many_candidates(
        &self,
        wanted: &[MemoryId],
        models: &Models,
    ) -> Result<Vec<Candidate>, VaultError> {
        if wanted.len() < READ_TOGETHER {
            return self.read_candidates(wanted, models);
        }
        let (first, second) = wanted.split_at(wanted.len() / 2);
        let (first, second) = rayon::join(
            || self.read_candidates(first, models),
            || self.read_candidates(second, models),
        );
        let mut candidates = first?;
        candidates.extend(second?);
        Ok(candidates)
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
            lanes: Lanes::default(),
            beside: Vec::new(),
            scope,
            query_vector: knn.query_vector,
            rerankers: reranker_views(&models.rerankers, &route),
            route,
            pair_scores: std::array::from_fn(|_| RwLock::new(PairScores::default())),
            word_idf: Mutex::new(HashMap::new()),
            tokenizer: models.embedder.clone(),
            overhead: OnceLock::new(),
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

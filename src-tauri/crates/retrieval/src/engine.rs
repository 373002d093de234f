//! What answers queries over one vault: its models, and what is held of it in memory.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use memory::{Memory, MemoryId, PairScore, Vault, VaultError};
use models::Embedder;
use parking_lot::{Mutex, RwLock};

use crate::candidate::Candidate;
use crate::expansions::Expansions;
use crate::mirror::{Mirror, MirrorState};
use crate::postings::Postings;
use crate::rerankers::{PairKey, ReadingCost, Rerankers};
use crate::stage::bm25::Faults;

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
    pub(crate) vault: Vault,
    pub(crate) models: RwLock<Models>,
    pub(crate) mirror: Mirror,
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
        let (memories, links) = self.vault.read(|reader| {
            let memories = reader.memories();
            Ok((memories.get_many(wanted)?, memories.near_links(wanted)?))
        })?;
        let mut candidates = self.candidates(memories, models);
        for candidate in &mut candidates {
            if let Some(link) = links.get(&candidate.id) {
                candidate.link(link.root);
            }
        }
        Ok(candidates)
    }

    /// The same on two connections when there are many: what it costs is the decryption of their
    /// pages.
    pub(crate) fn read_many_candidates(
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
}

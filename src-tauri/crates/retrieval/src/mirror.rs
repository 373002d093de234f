//! The vectors of the active model, mirrored in memory for search.
//!
//! Every vector is kept twice: for a quick look at all of them with SIMD instructions chosen at run
//! time, as one byte per number, and one bit besides from some hundred thousand on; and as two bytes per number, for rescoring the best (a cosine is then off by some 10⁻⁶). vec0 in the vault remains the durable index; this can
//! be thrown away and built again at any time.
//!
//! A memory with several chunks is scored by the mean of its best chunk and of all its chunks:
//! the best chunk alone would favour long memories, which get more tries at it.
//!
//! Guarantees: filters act before the cut; what is held in memory is zeroized when it is dropped;
//! a mirror that may have missed a write says so instead of answering.

mod choice;
mod graph;
mod index;
mod linked;
mod rounded;
mod shortlist;

use std::collections::HashSet;

use memory::{MemoryId, Vault, VaultError};
use models::ModelIdentity;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use zeroize::Zeroize;

pub use self::choice::{KnnIndex, Shortcut};
use self::index::Index;
use crate::ids::Scope;

/// How much of a memory's score comes from all its chunks; the rest from the best.
const WHOLE_SHARE: f64 = 0.5;

/// One neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The memory.
    pub id: MemoryId,
    /// Its similarity to the query, see [`memory_score`].
    pub cosine: f64,
    /// The chunk that is nearest to the query.
    pub chunk_id: i64,
}

/// The score of a memory from the cosines of its chunks.
pub fn memory_score(cosines: impl IntoIterator<Item = f64>) -> f64 {
    let (mut best, mut sum, mut count) = (f64::NEG_INFINITY, 0.0, 0_u32);
    for cosine in cosines {
        best = best.max(cosine);
        sum += cosine;
        count += 1;
    }
    match count {
        0 => 0.0,
        1 => best,
        _ => (1.0 - WHOLE_SHARE) * best + WHOLE_SHARE * sum / f64::from(count),
    }
}

/// Whether the mirror can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorState {
    /// It has not been built for this model.
    Missing,
    /// The vault has changed behind its back.
    Stale,
    /// It holds what the vault holds.
    Ready {
        /// Memories.
        memories: u32,
        /// Their chunks.
        chunks: u32,
    },
}

/// The mirror of one vault. Shared between threads.
pub struct Mirror {
    vault: Vault,
    index: RwLock<Option<Index>>,
    /// Ids noted while a new index is being built, to be read again when it is in place.
    noted: Mutex<Option<Vec<MemoryId>>>,
    /// The last epoch for which the number of memories was compared, and whether it agreed.
    compared: Mutex<Option<(u64, bool)>>,
    /// The share of exact neighbours found in the last self-check.
    recall: Mutex<Option<f64>>,
}

impl Mirror {
    /// An empty mirror.
    pub fn new(vault: Vault) -> Self {
        Self {
            vault,
            index: RwLock::new(None),
            noted: Mutex::new(None),
            compared: Mutex::new(None),
            recall: Mutex::new(None),
        }
    }

    /// A search shares its rows between the threads of a pool. A thread that waits for another one's
    /// half may begin a second query meanwhile, which reads here again: it must not stand in line
    /// behind a writer that waits for the first.
    fn read(&self) -> RwLockReadGuard<'_, Option<Index>> {
        self.index.read_recursive()
    }

    /// Reads all vectors of the model from the vault. Searches go on with the old index meanwhile.
    /// A model without vectors gives an empty mirror.
    pub fn build(&self, model: &ModelIdentity) -> Result<MirrorState, VaultError> {
        *self.noted.lock() = Some(Vec::new());
        let built = self.vault.read(|reader| {
            let Some(row) = reader.embeddings().find(&model.id, model.dimension)? else {
                return Ok(None);
            };
            let mut index = Index::new(row.clone());
            reader
                .embeddings()
                .for_each(&row, |chunk_id, id, vector| index.add(chunk_id, id, vector))?;
            if KnnIndex::of(reader)? == KnnIndex::Hnsw {
                index.use_links(reader.embeddings().graph(&row)?.as_deref());
            }
            Ok(Some(index))
        });
        let built = match built {
            Ok(built) => built,
            Err(error) => {
                *self.noted.lock() = None;
                return Err(error);
            }
        };
        *self.index.write() = built;
        *self.compared.lock() = None;
        let noted = self.noted.lock().take().unwrap_or_default();
        self.note_changed(&noted)?;
        self.check(model);
        self.state(model)
    }

    /// Reads the vectors of these memories again: after they were embedded, edited or restored.
    pub fn note_changed(&self, ids: &[MemoryId]) -> Result<(), VaultError> {
        if ids.is_empty() {
            return Ok(());
        }
        if let Some(noted) = self.noted.lock().as_mut() {
            noted.extend_from_slice(ids);
        }
        let Some(row) = self.read().as_ref().map(|index| index.model.clone()) else {
            return Ok(());
        };
        let read = self.vault.read(|reader| {
            let living: HashSet<MemoryId> = reader
                .memories()
                .get_many(ids)?
                .into_iter()
                .filter(|memory| memory.deleted_at.is_none())
                .map(|memory| memory.id)
                .collect();
            ids.iter()
                .filter(|id| living.contains(id))
                .map(|&id| Ok((id, reader.embeddings().vectors_of(&row, id)?)))
                .collect::<Result<Vec<_>, VaultError>>()
        })?;
        let mut guard = self.index.write();
        if let Some(index) = guard.as_mut().filter(|index| index.model == row) {
            for &id in ids {
                index.remove(id);
            }
            for (id, mut vectors) in read {
                for (chunk, vector) in &mut vectors {
                    index.add(chunk.chunk_id, id, vector);
                    vector.zeroize();
                }
            }
        }
        *self.compared.lock() = None;
        Ok(())
    }

    /// Forgets these memories: after they went to the trash or were purged.
    pub fn note_removed(&self, ids: &[MemoryId]) {
        if let Some(noted) = self.noted.lock().as_mut() {
            noted.extend_from_slice(ids);
        }
        if let Some(index) = self.index.write().as_mut() {
            for &id in ids {
                index.remove(id);
            }
        }
        *self.compared.lock() = None;
    }

    /// Drops and zeroizes everything, for when the vault is locked.
    pub fn clear(&self) {
        *self.index.write() = None;
        *self.compared.lock() = None;
        *self.recall.lock() = None;
    }

    /// Whether it can answer for this model. Compares the number of memories with the vault's once
    /// per write, so that a write nobody told about is noticed.
    pub fn state(&self, model: &ModelIdentity) -> Result<MirrorState, VaultError> {
        let (row, memories, chunks) = {
            let guard = self.read();
            let Some(index) = guard.as_ref().filter(|index| index.is_of(model)) else {
                return Ok(MirrorState::Missing);
            };
            (
                index.model.clone(),
                index.rows.len() as u32,
                index.len() as u32,
            )
        };
        let epoch = self.vault.epoch();
        let known = *self.compared.lock();
        let agrees = match known {
            Some((at, agrees)) if at == epoch => agrees,
            _ => {
                let (embedded, _) = self.vault.read(|reader| reader.embeddings().counts(&row))?;
                let agrees = embedded == memories;
                *self.compared.lock() = Some((epoch, agrees));
                agrees
            }
        };
        Ok(if agrees {
            MirrorState::Ready { memories, chunks }
        } else {
            MirrorState::Stale
        })
    }

    /// The `k` memories nearest to a query vector of length 1 among those the scope lets through:
    /// best first, ties by id. `None` when the mirror holds no vectors of this model.
    pub fn nearest(
        &self,
        model: &ModelIdentity,
        query: &[f32],
        k: usize,
        scope: &Scope,
    ) -> Option<Vec<Neighbour>> {
        let guard = self.read();
        let index = guard
            .as_ref()
            .filter(|index| index.is_of(model) && query.len() == index.dimension)?;
        Some(index.nearest(query, k, scope))
    }

    /// Similarity of a memory to a query vector; `None` when it has no vector here.
    pub fn similarity(&self, model: &ModelIdentity, query: &[f32], id: MemoryId) -> Option<f64> {
        let guard = self.read();
        let index = guard
            .as_ref()
            .filter(|index| index.is_of(model) && query.len() == index.dimension)?;
        index.score(query, id).map(|neighbour| neighbour.cosine)
    }

    /// How many memories that the scope lets through lie nearer to the query than this one, and
    /// its own similarity; exact.
    pub fn place(
        &self,
        model: &ModelIdentity,
        query: &[f32],
        id: MemoryId,
        scope: &Scope,
    ) -> Option<(usize, f64)> {
        let guard = self.read();
        let index = guard
            .as_ref()
            .filter(|index| index.is_of(model) && query.len() == index.dimension)?;
        let own = index.score(query, id)?.cosine;
        let nearer = index
            .rows
            .keys()
            .map(|&other| MemoryId(other))
            .filter(|&other| other != id && scope.lets(other))
            .filter_map(|other| index.score(query, other))
            .filter(|other| other.cosine > own || (other.cosine >= own && other.id < id))
            .count();
        Some((nearer, own))
    }

    /// The memories that have a vector of this model, by id.
    pub fn memories(&self, model: &ModelIdentity) -> Option<Vec<MemoryId>> {
        let guard = self.read();
        let index = guard.as_ref().filter(|index| index.is_of(model))?;
        let mut ids: Vec<MemoryId> = index.rows.keys().map(|&id| MemoryId(id)).collect();
        ids.sort_unstable();
        Some(ids)
    }

    /// Which of these lie within a cosine of a vector of length 1, each by the direction of all its
    /// chunks together; in their order.
    pub(crate) fn within(
        &self,
        model: &ModelIdentity,
        of: &[f32],
        ids: &[MemoryId],
        from: f64,
    ) -> Vec<(MemoryId, f64)> {
        let directions = self.directions(model, ids);
        let near = ids.iter().zip(directions);
        near.filter_map(|(&id, direction)| Some((id, dot(of, &direction?))))
            .filter(|(_, similarity)| *similarity >= from)
            .collect()
    }

    /// One vector of length 1 per memory, the direction of all its chunks together, for comparing
    /// memories with each other; `None` for those without.
    pub fn directions(&self, model: &ModelIdentity, ids: &[MemoryId]) -> Vec<Option<Vec<f32>>> {
        let guard = self.read();
        match guard.as_ref().filter(|index| index.is_of(model)) {
            Some(index) => ids.iter().map(|&id| index.direction(id)).collect(),
            None => vec![None; ids.len()],
        }
    }
}

/// Shows sizes only.
impl std::fmt::Debug for Mirror {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chunks = self.read().as_ref().map(Index::len);
        f.debug_struct("Mirror")
            .field("chunks", &chunks)
            .finish_non_exhaustive()
    }
}

/// Dot product, which is the cosine of two vectors of length 1.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    models::cosine(a, b)
}

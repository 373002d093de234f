//! The vectors of the active model, mirrored in memory for search.
//!
//! Every vector is kept twice: as one byte per number with a scale per vector, for a scan of all
//! of them with SIMD instructions chosen at run time, and in full, for rescoring the best. vec0 in
//! the vault remains the durable index; this can be thrown away and built again at any time.
//!
//! A memory with several chunks is scored by the mean of its best chunk and of all its chunks:
//! the best chunk alone would favour long memories, which get more tries at it.
//!
//! Guarantees: filters act before the cut; what is held in memory is zeroized when it is dropped;
//! a mirror that may have missed a write says so instead of answering.

use std::collections::{HashMap, HashSet};

use memory::{MemoryId, ModelRow, Vault, VaultError};
use models::ModelIdentity;
use parking_lot::{Mutex, RwLock};
use simsimd::SpatialSimilarity;
use zeroize::Zeroize;

use crate::ids::Scope;

/// How many rows are rescored in full for every memory asked for.
const RESCORED_PER_RESULT: usize = 4;
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
}

impl Mirror {
    /// An empty mirror.
    pub fn new(vault: Vault) -> Self {
        Self {
            vault,
            index: RwLock::new(None),
            noted: Mutex::new(None),
            compared: Mutex::new(None),
        }
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
        let Some(row) = self.index.read().as_ref().map(|index| index.model.clone()) else {
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
            ids.iter().for_each(|&id| index.remove(id));
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
            ids.iter().for_each(|&id| index.remove(id));
        }
        *self.compared.lock() = None;
    }

    /// Drops and zeroizes everything, for when the vault is locked.
    pub fn clear(&self) {
        *self.index.write() = None;
        *self.compared.lock() = None;
    }

    /// Whether it can answer for this model. Compares the number of memories with the vault's once
    /// per write, so that a write nobody told about is noticed.
    pub fn state(&self, model: &ModelIdentity) -> Result<MirrorState, VaultError> {
        let (row, memories, chunks) = {
            let guard = self.index.read();
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
        let guard = self.index.read();
        let index = guard
            .as_ref()
            .filter(|index| index.is_of(model) && query.len() == index.dimension)?;
        Some(index.nearest(query, k, scope))
    }

    /// Similarity of a memory to a query vector; `None` when it has no vector here.
    pub fn similarity(&self, model: &ModelIdentity, query: &[f32], id: MemoryId) -> Option<f64> {
        let guard = self.index.read();
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
        let guard = self.index.read();
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

    /// One vector of length 1 per memory, the direction of all its chunks together, for comparing
    /// memories with each other; `None` for those without.
    pub fn directions(&self, model: &ModelIdentity, ids: &[MemoryId]) -> Vec<Option<Vec<f32>>> {
        let guard = self.index.read();
        match guard.as_ref().filter(|index| index.is_of(model)) {
            Some(index) => ids.iter().map(|&id| index.direction(id)).collect(),
            None => vec![None; ids.len()],
        }
    }
}

/// Shows sizes only.
impl std::fmt::Debug for Mirror {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chunks = self.index.read().as_ref().map(Index::len);
        f.debug_struct("Mirror")
            .field("chunks", &chunks)
            .finish_non_exhaustive()
    }
}

struct Index {
    model: ModelRow,
    dimension: usize,
    /// One byte per number.
    small: Vec<i8>,
    /// What a byte of the row stands for.
    scales: Vec<f32>,
    /// In full.
    exact: Vec<f32>,
    /// Memory and chunk of a row; memory 0 marks a free row.
    owners: Vec<(MemoryId, i64)>,
    /// The rows of a memory.
    rows: HashMap<i64, Vec<u32>>,
    free: Vec<u32>,
}

const NOBODY: MemoryId = MemoryId(0);

impl Index {
    fn new(model: ModelRow) -> Self {
        Self {
            dimension: model.dimension as usize,
            model,
            small: Vec::new(),
            scales: Vec::new(),
            exact: Vec::new(),
            owners: Vec::new(),
            rows: HashMap::new(),
            free: Vec::new(),
        }
    }

    fn is_of(&self, model: &ModelIdentity) -> bool {
        self.model.model_id == model.id && self.model.dimension == model.dimension
    }

    fn len(&self) -> usize {
        self.owners.len() - self.free.len()
    }

    fn add(&mut self, chunk_id: i64, id: MemoryId, vector: &[f32]) {
        if vector.len() != self.dimension {
            return;
        }
        let mut bytes = vec![0_i8; self.dimension];
        let scale = quantise(vector, &mut bytes);
        let row = if let Some(row) = self.free.pop() {
            let at = row as usize * self.dimension;
            self.small[at..at + self.dimension].copy_from_slice(&bytes);
            self.exact[at..at + self.dimension].copy_from_slice(vector);
            self.scales[row as usize] = scale;
            self.owners[row as usize] = (id, chunk_id);
            row
        } else {
            self.small.extend_from_slice(&bytes);
            self.exact.extend_from_slice(vector);
            self.scales.push(scale);
            self.owners.push((id, chunk_id));
            self.owners.len() as u32 - 1
        };
        self.rows.entry(id.0).or_default().push(row);
    }

    fn remove(&mut self, id: MemoryId) {
        for row in self.rows.remove(&id.0).unwrap_or_default() {
            let at = row as usize * self.dimension;
            self.small[at..at + self.dimension].zeroize();
            self.exact[at..at + self.dimension].zeroize();
            self.owners[row as usize] = (NOBODY, 0);
            self.free.push(row);
        }
    }

    fn vector(&self, row: u32) -> &[f32] {
        let at = row as usize * self.dimension;
        &self.exact[at..at + self.dimension]
    }

    fn score(&self, query: &[f32], id: MemoryId) -> Option<Neighbour> {
        let rows = self.rows.get(&id.0)?;
        let cosines: Vec<f64> = rows
            .iter()
            .map(|&row| dot(query, self.vector(row)))
            .collect();
        let (best, _) = cosines
            .iter()
            .zip(0..)
            .max_by(|a, b| a.0.total_cmp(b.0))
            .map(|(c, at)| (at, c))?;
        Some(Neighbour {
            id,
            cosine: memory_score(cosines),
            chunk_id: self.owners[rows[best] as usize].1,
        })
    }

    fn nearest(&self, query: &[f32], k: usize, scope: &Scope) -> Vec<Neighbour> {
        let mut small_query = vec![0_i8; self.dimension];
        quantise(query, &mut small_query);
        let open = scope.is_open();
        let mut kept = k.saturating_mul(RESCORED_PER_RESULT).max(256);
        loop {
            let mut best = BestRows::new(kept);
            for ((row, &(owner, _)), (bytes, scale)) in (0_u32..).zip(&self.owners).zip(
                self.small
                    .chunks_exact(self.dimension.max(1))
                    .zip(&self.scales),
            ) {
                if owner == NOBODY || !(open || scope.lets(owner)) {
                    continue;
                }
                let product = i8::dot(&small_query, bytes).unwrap_or(0.0);
                best.offer(product as f32 * scale, row);
            }
            let full = best.rows.len() >= kept;
            let owners: HashSet<MemoryId> = best
                .rows
                .iter()
                .map(|&(_, row)| self.owners[row as usize].0)
                .collect();
            // Several chunks of one memory may have taken the places of others.
            if full && owners.len() < k && kept < self.owners.len() {
                kept = kept.saturating_mul(4);
                continue;
            }
            let mut found: Vec<Neighbour> = owners
                .into_iter()
                .filter_map(|id| self.score(query, id))
                .collect();
            found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.id.cmp(&b.id)));
            found.truncate(k);
            return found;
        }
    }

    fn direction(&self, id: MemoryId) -> Option<Vec<f32>> {
        let rows = self.rows.get(&id.0)?;
        let mut sum = vec![0.0_f32; self.dimension];
        for &row in rows {
            sum.iter_mut()
                .zip(self.vector(row))
                .for_each(|(total, value)| *total += value);
        }
        let length = dot(&sum, &sum).sqrt() as f32;
        if length > 0.0 {
            sum.iter_mut().for_each(|value| *value /= length);
        }
        Some(sum)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.small.zeroize();
        self.exact.zeroize();
        self.scales.zeroize();
    }
}

/// The highest so many rows, with a threshold that saves most offers any work.
struct BestRows {
    rows: Vec<(f32, u32)>,
    kept: usize,
    threshold: f32,
}

impl BestRows {
    fn new(kept: usize) -> Self {
        Self {
            rows: Vec::with_capacity(2 * kept),
            kept,
            threshold: f32::NEG_INFINITY,
        }
    }

    fn offer(&mut self, score: f32, row: u32) {
        if score < self.threshold {
            return;
        }
        self.rows.push((score, row));
        if self.rows.len() == 2 * self.kept {
            self.rows.select_nth_unstable_by(self.kept - 1, |a, b| {
                b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
            });
            self.rows.truncate(self.kept);
            self.threshold = self.rows[self.kept - 1].0;
        }
    }
}

/// Rounds a vector to bytes, the largest number becoming ±127; returns what one step stands for.
fn quantise(vector: &[f32], into: &mut [i8]) -> f32 {
    let largest = vector
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest <= 0.0 {
        into.fill(0);
        return 0.0;
    }
    let factor = 127.0 / largest;
    for (byte, value) in into.iter_mut().zip(vector) {
        *byte = (value * factor).round() as i8;
    }
    largest / 127.0
}

/// Dot product, which is the cosine of two vectors of length 1.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    models::cosine(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(dimension: u32) -> Index {
        Index::new(ModelRow {
            number: 1,
            model_id: "m".into(),
            dimension,
            active: true,
        })
    }

    /// A pseudo-random vector of length 1.
    fn vector(seed: u64, dimension: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let raw = (0..dimension)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
            })
            .collect();
        models::unit_vector(raw, dimension).unwrap()
    }

    fn brute(index: &Index, query: &[f32], k: usize, scope: &Scope) -> Vec<MemoryId> {
        let mut all: Vec<Neighbour> = index
            .rows
            .keys()
            .filter(|&&id| scope.lets(MemoryId(id)))
            .filter_map(|&id| index.score(query, MemoryId(id)))
            .collect();
        all.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.id.cmp(&b.id)));
        all.truncate(k);
        all.iter().map(|n| n.id).collect()
    }

    #[test]
    fn the_scan_finds_what_an_exact_one_finds() {
        let mut index = index(64);
        for id in 1..=3000 {
            index.add(id, MemoryId(id), &vector(id as u64, 64));
        }
        let query = vector(99_999, 64);
        for k in [1, 10, 40] {
            let found: Vec<MemoryId> = index
                .nearest(&query, k, &Scope::default())
                .iter()
                .map(|n| n.id)
                .collect();
            assert_eq!(
                found,
                brute(&index, &query, k, &Scope::default()),
                "k = {k}"
            );
        }
    }

    #[test]
    fn filters_act_before_the_cut() {
        let mut index = index(32);
        for id in 1..=2000 {
            index.add(id, MemoryId(id), &vector(id as u64, 32));
        }
        let scope = Scope {
            allowed: Some((1..=2000).step_by(401).map(MemoryId).collect()),
            ..Scope::default()
        };
        let query = vector(7, 32);
        let found: Vec<MemoryId> = index
            .nearest(&query, 10, &scope)
            .iter()
            .map(|n| n.id)
            .collect();
        assert_eq!(found.len(), 5);
        assert_eq!(found, brute(&index, &query, 10, &scope));
    }

    #[test]
    fn many_chunks_of_one_memory_leave_room_for_the_others() {
        let mut index = index(16);
        let query = vector(1, 16);
        for chunk in 0..2000 {
            index.add(chunk, MemoryId(1), &query);
        }
        for id in 2..=40 {
            index.add(10_000 + id, MemoryId(id), &vector(id as u64 + 5, 16));
        }
        assert_eq!(index.nearest(&query, 30, &Scope::default()).len(), 30);
    }

    #[test]
    fn a_long_memory_is_not_favoured_for_its_many_tries() {
        let one = memory_score([0.6]);
        let many = memory_score([0.6, 0.1, 0.1, 0.0]);
        assert!(many < one && many > 0.3);
        assert!(memory_score([]).abs() < f64::EPSILON);
    }

    #[test]
    fn removed_rows_are_wiped_and_used_again() {
        let mut index = index(4);
        index.add(1, MemoryId(1), &[1.0, 0.0, 0.0, 0.0]);
        index.add(2, MemoryId(2), &[0.0, 1.0, 0.0, 0.0]);
        index.remove(MemoryId(1));
        assert_eq!(index.vector(0), [0.0; 4]);
        assert_eq!(
            index
                .nearest(&[1.0, 0.0, 0.0, 0.0], 5, &Scope::default())
                .len(),
            1
        );
        index.add(3, MemoryId(3), &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(index.owners.len(), 2);
        assert_eq!(
            index.nearest(&[1.0, 0.0, 0.0, 0.0], 1, &Scope::default())[0].id,
            MemoryId(3)
        );
    }
}

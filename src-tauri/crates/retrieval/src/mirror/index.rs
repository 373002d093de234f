//! The vectors themselves, in one block each way.

use std::collections::{HashMap, HashSet};

use memory::{MemoryId, ModelRow};
use models::ModelIdentity;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use zeroize::Zeroize;

use super::linked::Linked;
use super::rounded::quantise;
use super::shortlist::Shortlist;
use super::{Neighbour, dot, memory_score};
use crate::ids::Scope;

/// How many rows are rescored beyond those asked for: bytes misplace neighbours by a few places,
/// whatever the number asked for.
const RESCORED_BEYOND: usize = 256;

/// Fewer memories than this are not shared between threads.
const RESCORED_TOGETHER: usize = 128;

pub(super) struct Index {
    pub(super) model: ModelRow,
    pub(super) dimension: usize,
    /// What every row is compared by.
    shortlist: Shortlist,
    /// Two bytes per number: a cosine is off by some 10⁻⁶, for half the memory of full numbers.
    fine: Vec<i16>,
    /// What one step of the row stands for.
    fine_scales: Vec<f32>,
    /// Memory and chunk of a row; memory 0 marks a free row.
    owners: Vec<(MemoryId, i64)>,
    /// The rows of a memory.
    pub(super) rows: HashMap<i64, Vec<u32>>,
    free: Vec<u32>,
    /// An approximate index over the rows, if one is used.
    pub(super) linked: Option<Linked>,
}

/// A filter that lets fewer than one in so many memories through is narrow.
const NARROW_SHARE: usize = 8;

const NOBODY: MemoryId = MemoryId(0);

impl Index {
    pub(super) fn new(model: ModelRow) -> Self {
        let dimension = model.dimension as usize;
        Self {
            shortlist: Shortlist::new(dimension),
            dimension,
            model,
            fine: Vec::new(),
            fine_scales: Vec::new(),
            owners: Vec::new(),
            rows: HashMap::new(),
            free: Vec::new(),
            linked: None,
        }
    }

    pub(super) fn is_of(&self, model: &ModelIdentity) -> bool {
        self.model.model_id == model.id && self.model.dimension == model.dimension
    }

    pub(super) fn len(&self) -> usize {
        self.owners.len() - self.free.len()
    }

    /// How many rows signs choose in a search for `k` memories, see [`Shortlist::chosen`].
    pub(super) fn chosen_by_signs(&self, k: usize) -> Option<usize> {
        self.shortlist.chosen(k.saturating_add(RESCORED_BEYOND))
    }

    pub(super) fn add(&mut self, chunk_id: i64, id: MemoryId, vector: &[f32]) {
        if vector.len() != self.dimension {
            return;
        }
        let row = self.free.pop().unwrap_or_else(|| {
            self.fine.resize(self.fine.len() + self.dimension, 0);
            self.fine_scales.push(0.0);
            self.owners.push((NOBODY, 0));
            self.owners.len() as u32 - 1
        });
        let at = row as usize * self.dimension;
        self.fine_scales[row as usize] = quantise(vector, &mut self.fine[at..at + self.dimension]);
        self.owners[row as usize] = (id, chunk_id);
        self.shortlist.set(row, vector);
        self.rows.entry(id.0).or_default().push(row);
        if let Some(linked) = &mut self.linked {
            linked.note_row(row);
        }
    }

    pub(super) fn remove(&mut self, id: MemoryId) {
        for row in self.rows.remove(&id.0).unwrap_or_default() {
            let at = row as usize * self.dimension;
            self.fine[at..at + self.dimension].zeroize();
            self.shortlist.wipe(row);
            if let Some(linked) = &mut self.linked {
                linked.forget_row(row, self.owners[row as usize].1);
            }
            self.owners[row as usize] = (NOBODY, 0);
            self.free.push(row);
        }
    }

    fn steps(&self, row: u32) -> (&[i16], f32) {
        let at = row as usize * self.dimension;
        (
            &self.fine[at..at + self.dimension],
            self.fine_scales[row as usize],
        )
    }

    /// The vector of a row, each number to within half a step.
    pub(super) fn vector(&self, row: u32) -> Vec<f32> {
        let (steps, step) = self.steps(row);
        steps.iter().map(|&at| f32::from(at) * step).collect()
    }

    fn cosine(&self, query: &[f32], row: u32) -> f64 {
        let (steps, step) = self.steps(row);
        f64::from(dot_steps(query, steps)) * f64::from(step)
    }

    pub(super) fn score(&self, query: &[f32], id: MemoryId) -> Option<Neighbour> {
        let rows = self.rows.get(&id.0)?;
        let cosines: Vec<f64> = rows.iter().map(|&row| self.cosine(query, row)).collect();
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

    pub(super) fn nearest(&self, query: &[f32], k: usize, scope: &Scope) -> Vec<Neighbour> {
        let open = scope.is_open();
        let passes = |row: u32| {
            let (owner, _) = self.owners[row as usize];
            owner != NOBODY && (open || scope.lets(owner))
        };
        let by_links = self.linked.as_ref().and_then(|linked| {
            // With few that pass, the graph would be walked in vain: looking at those is quick.
            let narrow = scope
                .allowed
                .as_ref()
                .is_some_and(|allowed| allowed.len() < self.rows.len() / NARROW_SHARE);
            let rows =
                (!narrow).then(|| linked.rows(&self.shortlist, query, k, open, &passes))??;
            let owners = self.owners_of(&rows);
            (owners.len() >= k.min(self.rows.len())).then_some(owners)
        });
        if let Some(owners) = by_links {
            return self.best_of(query, k, owners);
        }
        let mut kept = k.saturating_add(RESCORED_BEYOND);
        loop {
            let best = self.shortlist.best_rows(query, kept, open, &passes);
            let full = best.len() >= kept;
            let owners = self.owners_of(&best);
            // Several chunks of one memory may have taken the places of others.
            if full && owners.len() < k && kept < self.owners.len() {
                kept = kept.saturating_mul(4);
                continue;
            }
            return self.best_of(query, k, owners);
        }
    }

    fn owners_of(&self, rows: &[u32]) -> HashSet<MemoryId> {
        rows.iter()
            .map(|&row| self.owners[row as usize].0)
            .filter(|&owner| owner != NOBODY)
            .collect()
    }

    /// Starts or takes over an approximate index; what it does not hold is linked later.
    pub(super) fn use_links(&mut self, stored: Option<&[u8]>) {
        let living = |row: &u32| self.owners[*row as usize].0 != NOBODY;
        let rows: Vec<u32> = (0..self.owners.len() as u32).filter(living).collect();
        let linked = Linked::new(&self.shortlist, stored, &rows, |row| {
            self.owners[row as usize].1
        });
        self.linked = Some(linked);
    }

    /// Links at most so many rows; how many are left.
    pub(super) fn link(&self, most: usize) -> usize {
        self.linked.as_ref().map_or(0, |linked| {
            linked.link(&self.shortlist, most, |row| self.owners[row as usize].1)
        })
    }

    /// Which share of the `k` memories nearest to each of some evenly spaced memories a search
    /// finds; `None` when it compares all of them or there is nothing to find.
    pub(super) fn recall(&self, k: usize, sample: usize) -> Option<f64> {
        if self.linked.is_none() && self.chosen_by_signs(k).is_none() {
            return None;
        }
        let living: Vec<u32> = (0..self.owners.len() as u32)
            .filter(|&row| self.owners[row as usize].0 != NOBODY)
            .collect();
        let step = (living.len() / sample.max(1)).max(1);
        let (mut found, mut wanted) = (0, 0);
        for &row in living.iter().step_by(step).take(sample) {
            let query = self.vector(row);
            let exact = self.best_of(&query, k, self.rows.keys().map(|&id| MemoryId(id)));
            let near = self.nearest(&query, k, &Scope::default());
            wanted += exact.len();
            // One as near as the last counts too: it might as well have been named.
            let least = exact.last().map_or(0.0, |last| last.cosine);
            found += near.iter().filter(|one| one.cosine >= least).count();
        }
        (wanted > 0).then(|| found as f64 / wanted as f64)
    }

    /// The nearest of these memories, rescored.
    fn best_of(
        &self,
        query: &[f32],
        k: usize,
        ids: impl IntoIterator<Item = MemoryId>,
    ) -> Vec<Neighbour> {
        let ids: Vec<MemoryId> = ids.into_iter().collect();
        let mut found: Vec<Neighbour> = ids
            .into_par_iter()
            .with_min_len(RESCORED_TOGETHER)
            .filter_map(|id| self.score(query, id))
            .collect();
        found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.id.cmp(&b.id)));
        found.truncate(k);
        found
    }

    pub(super) fn direction(&self, id: MemoryId) -> Option<Vec<f32>> {
        let rows = self.rows.get(&id.0)?;
        if let [only] = rows.as_slice() {
            return Some(self.vector(*only));
        }
        let mut sum = vec![0.0_f32; self.dimension];
        for &row in rows {
            sum.iter_mut()
                .zip(self.vector(row))
                .for_each(|(total, value)| *total += value);
        }
        let length = dot(&sum, &sum).sqrt() as f32;
        if length > 0.0 {
            for value in &mut sum {
                *value /= length;
            }
        }
        Some(sum)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.fine.zeroize();
        self.fine_scales.zeroize();
    }
}

/// Σ qᵢ·sᵢ in eight independent sums, which lets the compiler use vector instructions.
fn dot_steps(query: &[f32], steps: &[i16]) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0_f32; LANES];
    let (q, s) = (query.chunks_exact(LANES), steps.chunks_exact(LANES));
    let rest: f32 = q
        .remainder()
        .iter()
        .zip(s.remainder())
        .map(|(x, &y)| x * f32::from(y))
        .sum();
    for (x, y) in q.zip(s) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * f32::from(y[lane]);
        }
    }
    sums.iter().sum::<f32>() + rest
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

    /// So many vectors around so many directions, as texts about so many subjects have.
    fn clustered(rows: u64, clusters: u64, dimension: usize) -> Index {
        let mut index = index(dimension as u32);
        for at in 0..rows {
            let id = at as i64 + 1;
            index.add(id, MemoryId(id), &around(at % clusters, at, dimension));
        }
        index
    }

    /// A vector near the direction of a cluster.
    fn around(cluster: u64, seed: u64, dimension: usize) -> Vec<f32> {
        let center = vector(1_000_000 + cluster, dimension);
        let raw = center
            .iter()
            .zip(vector(2_000_000 + seed, dimension))
            .map(|(center, own)| 1.3 * center + own)
            .collect();
        models::unit_vector(raw, dimension).unwrap()
    }

    fn ids(found: &[Neighbour]) -> Vec<MemoryId> {
        found.iter().map(|neighbour| neighbour.id).collect()
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
    fn a_cosine_is_off_by_a_few_millionths() {
        let mut index = index(384);
        let query = vector(1, 384);
        for id in 1..=200 {
            let other = vector(id as u64 * 77, 384);
            index.add(id, MemoryId(id), &other);
            let found = index.score(&query, MemoryId(id)).unwrap().cosine;
            assert!((found - dot(&query, &other)).abs() < 1e-5);
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

    #[test]
    fn signs_and_rescoring_find_what_an_exact_scan_finds() {
        let mut index = clustered(60_000, 150, 384);
        index.shortlist.use_signs();
        assert_eq!(index.chosen_by_signs(40), Some(7500));
        let (mut found, mut wanted) = (0, 0);
        for cluster in 0..12 {
            let query = around(cluster, 77_000_000 + cluster, 384);
            let exact = brute(&index, &query, 40, &Scope::default());
            let near = ids(&index.nearest(&query, 40, &Scope::default()));
            wanted += exact.len();
            found += exact.iter().filter(|id| near.contains(id)).count();
        }
        let recall = found as f64 / wanted as f64;
        assert!(recall >= 0.995, "recall@40 {recall}");
    }

    #[test]
    fn with_all_rows_chosen_signs_answer_like_bytes() {
        let mut index = clustered(700, 9, 96);
        for id in (3..700).step_by(7) {
            index.remove(MemoryId(id));
        }
        let query = around(3, 5_000, 96);
        let by_bytes = index.nearest(&query, 100, &Scope::default());
        index.shortlist.use_signs();
        assert_eq!(index.chosen_by_signs(100), None);
        assert_eq!(index.nearest(&query, 100, &Scope::default()), by_bytes);
    }

    #[test]
    fn filters_act_before_the_cut_by_signs() {
        let mut index = clustered(40_000, 4, 64);
        index.shortlist.use_signs();
        let query = around(0, 31, 64);
        // Those of another cluster only, which no choice without the filter would hold.
        let scope = Scope {
            allowed: Some(
                (1..40_000)
                    .filter(|id| id % 32 == 3)
                    .map(MemoryId)
                    .collect(),
            ),
            ..Scope::default()
        };
        assert!(index.chosen_by_signs(10).is_some());
        let near = ids(&index.nearest(&query, 10, &scope));
        assert_eq!(near, brute(&index, &query, 10, &scope));
    }
}

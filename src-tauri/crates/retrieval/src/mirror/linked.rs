//! The approximate index in step with the rows: what is linked, what waits, what is not stored yet.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::graph::Graph;
use super::shortlist::Shortlist;

/// How many rows are looked up for each asked for, before they are rescored.
const OVER_FETCH: usize = 3;

/// With more rows waiting, all are scanned: those that wait are compared one by one.
const WAITING_MOST: usize = 5000;

/// After so many changes the graph is worth storing.
pub(super) const CHECKPOINT_EVERY: usize = 100;

/// A graph and the rows beside it.
pub(super) struct Linked {
    graph: Graph,
    /// Rows that are not in it yet.
    waiting: Mutex<Vec<u32>>,
    /// Changes since it was stored.
    unsaved: AtomicUsize,
    /// Held while rows are linked.
    linking: Mutex<()>,
}

impl Linked {
    /// Takes over a stored graph, or starts an empty one if there is none that fits.
    pub fn new(
        shortlist: &Shortlist,
        stored: Option<&[u8]>,
        rows: &[u32],
        chunk_of: impl Fn(u32) -> i64,
    ) -> Self {
        let places: HashMap<i64, u32> = rows.iter().map(|&row| (chunk_of(row), row)).collect();
        let stored = stored.and_then(|bytes| {
            let row_of = |chunk| places.get(&chunk).copied();
            // One that cannot be read is built anew: it is derived from the vectors.
            Graph::load(bytes, shortlist.dimension(), row_of).ok()
        });
        let graph = match stored {
            Some(graph) if !graph.is_worn() => graph,
            _ => Graph::new(shortlist.dimension(), rows.len()),
        };
        let waiting: Vec<u32> = rows
            .iter()
            .copied()
            .filter(|&row| !graph.holds(chunk_of(row)))
            .collect();
        Self {
            graph,
            waiting: Mutex::new(waiting),
            unsaved: AtomicUsize::new(0),
            linking: Mutex::new(()),
        }
    }

    /// A row has a new vector.
    pub fn note_row(&mut self, row: u32) {
        self.waiting.get_mut().push(row);
    }

    /// The vector of a row is gone.
    pub fn forget_row(&mut self, row: u32, chunk: i64) {
        self.waiting.get_mut().retain(|&waiting| waiting != row);
        self.graph.remove(chunk);
        *self.unsaved.get_mut() += 1;
    }

    /// Links at most so many of the rows that wait; how many are left.
    pub fn link(&self, shortlist: &Shortlist, most: usize, chunk_of: impl Fn(u32) -> i64) -> usize {
        let _one_at_a_time = self.linking.lock();
        // In order, so that the same rows give the same graph.
        let batch: Vec<u32> = self.waiting.lock().iter().copied().take(most).collect();
        for &row in &batch {
            if let Err(error) = self.graph.add(shortlist, chunk_of(row), row) {
                tracing::warn!(%error, "a vector could not be linked");
            }
        }
        self.unsaved.fetch_add(batch.len(), Ordering::Relaxed);
        let mut waiting = self.waiting.lock();
        waiting.drain(..batch.len());
        waiting.len()
    }

    /// About the nearest rows among those that pass, more than `k`; `None` when too many wait.
    pub fn rows(
        &self,
        shortlist: &Shortlist,
        query: &[f32],
        k: usize,
        open: bool,
        passes: &dyn Fn(u32) -> bool,
    ) -> Option<Vec<u32>> {
        self.waiting()?;
        let waiting = self.waiting.lock().clone();
        let wanted = k.saturating_mul(OVER_FETCH);
        let mut rows = self
            .graph
            .nearest(shortlist, query, wanted, (!open).then_some(passes))
            .ok()?;
        rows.extend(waiting.into_iter().filter(|&row| passes(row)));
        Some(rows)
    }

    /// How many rows wait; `None` when they are too many for the graph to answer.
    pub fn waiting(&self) -> Option<usize> {
        let waiting = self.waiting.lock().len();
        (waiting <= WAITING_MOST).then_some(waiting)
    }

    /// Whether it should be built anew.
    pub fn is_worn(&self) -> bool {
        self.graph.is_worn()
    }

    /// What is to be stored, if enough has changed.
    pub fn checkpoint(&self) -> Option<Vec<u8>> {
        (self.unsaved.load(Ordering::Relaxed) >= CHECKPOINT_EVERY)
            .then(|| self.graph.save().ok())
            .flatten()
    }

    /// It was stored.
    pub fn note_stored(&self) {
        self.unsaved.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use memory::{MemoryId, ModelRow};

    use super::super::index::Index;
    use crate::ids::Scope;

    const DIMENSION: usize = 64;

    /// A pseudo-random vector of length 1, near one of thirty directions.
    fn vector(seed: u64) -> Vec<f32> {
        let mut parts = [seed % 30 + 1, seed + 1000].map(|seed| {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            (0..DIMENSION)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
                })
                .collect::<Vec<f32>>()
        });
        let own = std::mem::take(&mut parts[1]);
        let sum = parts[0].iter().zip(own).map(|(a, b)| a + b).collect();
        models::unit_vector(sum, DIMENSION).unwrap()
    }

    /// An index over memories of these numbers, in this order.
    fn index(ids: impl Iterator<Item = i64>) -> Index {
        let mut index = Index::new(ModelRow {
            number: 1,
            model_id: "m".into(),
            dimension: DIMENSION as u32,
            active: true,
        });
        for id in ids {
            index.add(id, MemoryId(id), &vector(id as u64));
        }
        index
    }

    fn near(index: &Index, seed: u64, k: usize) -> Vec<MemoryId> {
        let found = index.nearest(&vector(seed), k, &Scope::default());
        found.iter().map(|neighbour| neighbour.id).collect()
    }

    /// The share of a scan's neighbours that the graph finds too.
    fn agreement(linked: &Index, scanned: &Index) -> f64 {
        let (mut same, mut all) = (0, 0);
        for seed in 90_000..90_020 {
            let wanted: HashSet<MemoryId> = near(scanned, seed, 40).into_iter().collect();
            all += wanted.len();
            same += near(linked, seed, 40)
                .iter()
                .filter(|id| wanted.contains(id))
                .count();
        }
        same as f64 / all as f64
    }

    fn stored(index: &Index) -> Vec<u8> {
        index.linked.as_ref().unwrap().checkpoint().unwrap()
    }

    #[test]
    fn the_graph_finds_what_the_scan_finds_and_its_check_says_so() {
        let scanned = index(1..=6000);
        let mut linked = index(1..=6000);
        assert_eq!(linked.recall(40, 5), None);
        linked.use_links(None);
        assert_eq!(linked.linked.as_ref().unwrap().waiting(), None, "too many");
        assert_eq!(linked.link(5000), 1000);
        assert!(agreement(&linked, &scanned) > 0.98, "some wait");
        assert_eq!(linked.link(5000), 0);
        let agreement = agreement(&linked, &scanned);
        assert!(agreement > 0.98, "{agreement}");
        assert!(linked.recall(40, 5).unwrap() > 0.98);
    }

    #[test]
    fn a_stored_graph_fits_rows_in_another_order_and_what_changed_since() {
        let mut first = index(1..=3000);
        first.use_links(None);
        first.link(usize::MAX);
        // Fewer than a quarter are gone, some are new, and all lie elsewhere.
        let later = || (500..=3100).rev();
        let mut second = index(later());
        second.use_links(Some(&stored(&first)));
        assert_eq!(second.linked.as_ref().unwrap().waiting(), Some(100));
        assert!(agreement(&second, &index(later())) > 0.97);
        second.link(usize::MAX);
        assert!(agreement(&second, &index(later())) > 0.97);
        assert!(!near(&second, 7, 40).contains(&MemoryId(7)));
    }

    #[test]
    fn a_graph_that_cannot_be_read_or_is_mostly_gone_is_built_anew() {
        let mut first = index(1..=1000);
        first.use_links(None);
        first.link(usize::MAX);
        let bytes = stored(&first);
        let waiting = |index: &Index| index.linked.as_ref().unwrap().waiting();
        for (damaged, rows) in [
            (&bytes[..bytes.len() / 2], 1..=1000),
            (&bytes[..0], 1..=1000),
            (&bytes[..], 700..=1000),
        ] {
            let count = rows.clone().count();
            let mut second = index(rows);
            second.use_links(Some(damaged));
            assert_eq!(waiting(&second), Some(count));
        }
        let mut other = index(1..=1000);
        other.use_links(Some(&bytes));
        assert_eq!(waiting(&other), Some(0));
    }

    #[test]
    fn removed_rows_are_not_found_and_used_again() {
        let mut linked = index(1..=2000);
        linked.use_links(None);
        linked.link(usize::MAX);
        for id in 1..=200 {
            linked.remove(MemoryId(id));
        }
        assert!(near(&linked, 5, 400).iter().all(|id| id.0 > 200));
        linked.add(9001, MemoryId(9001), &vector(5));
        assert_eq!(near(&linked, 5, 3)[0], MemoryId(9001), "while it waits");
        linked.link(usize::MAX);
        assert_eq!(near(&linked, 5, 3)[0], MemoryId(9001));
        // One comes back from the trash, under its old number.
        linked.add(7, MemoryId(7), &vector(7));
        linked.link(usize::MAX);
        assert_eq!(near(&linked, 7, 1), [MemoryId(7)]);
    }

    #[test]
    fn filters_act_before_the_cut() {
        let mut linked = index(1..=3000);
        linked.use_links(None);
        linked.link(usize::MAX);
        let scanned = index(1..=3000);
        for share in [2, 50] {
            let scope = Scope {
                allowed: Some(
                    (1..=3000)
                        .filter(|id| id % share == 1)
                        .map(MemoryId)
                        .collect(),
                ),
                ..Scope::default()
            };
            let query = vector(4);
            let found = linked.nearest(&query, 30, &scope);
            let wanted = scanned.nearest(&query, 30, &scope);
            assert_eq!(found.len(), 30);
            let right = found.iter().filter(|one| wanted.contains(one)).count();
            assert!(right >= 29, "{right} of 30, one in {share} passes");
        }
    }
}

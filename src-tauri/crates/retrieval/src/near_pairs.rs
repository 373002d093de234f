//! Which memories mean nearly the same: all pairs from a cosine on, with what keeps each of them apart.
//!
//! What a query hides of them is decided by [`crate::stage::select`], pair by pair; this is for the person who
//! wants to know what there is before a threshold moves, and to settle it.

use std::collections::HashMap;

use memory::{Memory, MemoryId, VaultError};

use crate::alike::Apart;
use crate::candidate::Candidate;
use crate::engine::Engine;
use crate::ids::Scope;
use crate::near_links::Model;

/// The newest memories that are compared with all older ones: each costs a look at every vector.
pub const COMPARED: usize = 20_000;

/// Older neighbours looked at of each: of a larger group not every pair is found.
const NEIGHBOURS: usize = 16;

/// Memories whose pairs are judged together.
const TOGETHER: usize = 256;

/// How far the score of a memory of several chunks may lie below the cosine of the whole.
const SLACK: f64 = 0.1;

/// Two memories that lie near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// The one with the lower id, which was stored first.
    pub older: MemoryId,
    /// The other.
    pub newer: MemoryId,
    /// The cosine of both.
    pub similarity: f64,
    /// What keeps them apart; `None` when one may stand for the other.
    pub apart: Option<Apart>,
}

/// All that were found.
#[derive(Clone, Debug, Default)]
pub struct NearPairs {
    /// The nearest first, ties by id.
    pub pairs: Vec<NearPair>,
    /// How many memories were compared with all older ones, the newest first.
    pub compared: usize,
    /// How many have a vector.
    pub of: usize,
}

impl Engine {
    /// The pairs of living memories of one scope, role and tool from the cosine `low` on. Pairs of
    /// which a person said that both are to be kept are among them; none without a model. `None` when
    /// it was called off.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn near_pairs(
        &self,
        low: f64,
        called_off: impl Fn() -> bool,
    ) -> Result<Option<NearPairs>, VaultError> {
        let Some(embedder) = self.embedder() else {
            return Ok(Some(NearPairs::default()));
        };
        self.refresh_mirror()?;
        let model = embedder.identity();
        let Some(ids) = self.mirror.memories(model) else {
            return Ok(Some(NearPairs::default()));
        };
        let from = ids.len().saturating_sub(COMPARED);
        let mut found = NearPairs {
            pairs: Vec::new(),
            compared: ids.len() - from,
            of: ids.len(),
        };
        for together in ids[from..].chunks(TOGETHER) {
            let mut near: Vec<(MemoryId, MemoryId, f64)> = Vec::new();
            let directions = self.mirror.directions(model, together);
            for (&newer, own) in together.iter().zip(directions) {
                if called_off() {
                    return Ok(None);
                }
                let Some(own) = own else { continue };
                let older = self.older_neighbours(model, newer, &own, low);
                near.extend(older.into_iter().map(|(older, near)| (older, newer, near)));
            }
            found
                .pairs
                .extend(self.judged(Model(embedder.as_ref()), near)?);
        }
        found.pairs.sort_by(|a, b| {
            let by_similarity = b.similarity.total_cmp(&a.similarity);
            by_similarity.then((a.older, a.newer).cmp(&(b.older, b.newer)))
        });
        Ok(Some(found))
    }

    fn older_neighbours(
        &self,
        model: &models::ModelIdentity,
        newer: MemoryId,
        own: &[f32],
        low: f64,
    ) -> Vec<(MemoryId, f64)> {
        // One more: the memory itself is its nearest neighbour.
        let near = self
            .mirror
            .nearest(model, own, 2 * NEIGHBOURS + 1, &Scope::default());
        let older: Vec<MemoryId> = near
            .unwrap_or_default()
            .into_iter()
            .filter(|one| one.id < newer && one.cosine >= low - SLACK)
            .map(|one| one.id)
            .collect();
        let mut older = self.mirror.within(model, own, &older, low);
        older.truncate(NEIGHBOURS);
        older
    }

    /// What keeps each pair apart, by the texts; those of other scopes, roles and tools are no pairs.
    fn judged(
        &self,
        model: Model<'_>,
        near: Vec<(MemoryId, MemoryId, f64)>,
    ) -> Result<Vec<NearPair>, VaultError> {
        let mut ids: Vec<MemoryId> = near.iter().flat_map(|(a, b, _)| [*a, *b]).collect();
        ids.sort_unstable();
        ids.dedup();
        let memories = self.vault().read(|r| r.memories().get_many(&ids))?;
        let told = |memory: &Memory| memory.deleted_at.is_none() && model.reads(&memory.content);
        let candidates: HashMap<MemoryId, Candidate> = memories
            .into_iter()
            .filter(told)
            .map(|memory| (memory.id, Candidate::new(memory, None)))
            .collect();
        let judged = near.into_iter().filter_map(|(older, newer, similarity)| {
            let (a, b) = (candidates.get(&older)?, candidates.get(&newer)?);
            a.is_comparable(b).then(|| NearPair {
                older,
                newer,
                similarity,
                apart: a.apart_from(b),
            })
        });
        Ok(judged.collect())
    }
}

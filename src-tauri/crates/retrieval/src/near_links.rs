//! Links a memory to the one that said nearly the same before it.
//!
//! Inputs: the memories that wait to be compared, the oldest first, their vectors and texts, a
//! cosine, and the pairs that a person keeps apart. Output: for each the nearest root, a memory linked
//! to none, from that cosine on that may stand for it (see [`crate::alike`]); none makes it a root itself.
//!
//! Guarantee: whoever is linked lies within the cosine of its root, so likeness is not passed on from
//! one to the next until nothing is left of it. A link hides nothing for good: both memories stay
//! as they are, and an answer shows the better one.

use std::collections::{HashMap, HashSet};

use memory::{Memory, MemoryId, Seen, Standing, Trust, VaultError};
use models::{Embedder, ScriptCounts};

use crate::candidate::Candidate;
use crate::engine::Engine;
use crate::ids::{IdSet, Scope};

/// Roots looked at for one memory, the nearest first.
const NEAREST: usize = 8;

/// The model whose vectors are compared.
#[derive(Clone, Copy)]
pub(crate) struct Model<'a>(pub(crate) &'a dyn Embedder);

impl Model<'_> {
    /// Whether its vectors tell all of this text: two that differ in a script that it does not read may lie
    /// at a cosine of 1.
    pub(crate) fn reads(self, text: &str) -> bool {
        let scripts = ScriptCounts::of(text).contained();
        scripts.into_iter().all(|script| self.0.covers(script))
    }
}

/// What is known while memories are compared.
struct Known<'a> {
    engine: &'a Engine,
    model: Model<'a>,
    from: f64,
    roots: Scope,
    kept_apart: HashSet<(MemoryId, MemoryId)>,
}

impl Engine {
    /// Compares at most so many of the memories that wait, and links those that say nearly the same as
    /// an older one, from a cosine on. To be called in the background, once all have their vectors.
    /// Returns how many were compared.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn link_near(&self, from: f64, most: u32) -> Result<usize, VaultError> {
        let models = self.models.read().clone();
        let Some(embedder) = models.embedder.as_deref() else {
            return Ok(0);
        };
        let waiting = self.vault().read(|r| r.memories().near_queue(most))?;
        if waiting.is_empty() {
            return Ok(0);
        }
        self.refresh_mirror()?;
        let (memories, roots, kept_apart) = self.vault().read(|r| {
            let memories = r.memories();
            Ok((
                memories.get_many(&waiting)?,
                memories.near_roots()?,
                memories.kept_apart()?,
            ))
        })?;
        let mut known = Known {
            engine: self,
            model: Model(embedder),
            from,
            roots: Scope {
                allowed: Some(roots.into_iter().collect()),
                ..Scope::default()
            },
            kept_apart: kept_apart.into_iter().collect(),
        };
        let mut candidates = self.candidates(memories, &models);
        candidates.sort_unstable_by_key(|candidate| candidate.id);
        let (mut standings, mut again) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let standing = known.standing(&candidate, &mut again)?;
            standings.push((seen(candidate.memory()), standing));
        }
        let compared = standings.len();
        self.vault().write(|w| {
            for &(seen, standing) in &standings {
                w.memories().set_near(seen, standing)?;
            }
            w.memories().near_again(&again)
        })?;
        Ok(compared)
    }
}

impl Known<'_> {
    fn standing(
        &mut self,
        candidate: &Candidate,
        again: &mut Vec<MemoryId>,
    ) -> Result<Standing, VaultError> {
        let flagged = candidate.memory().trust == Trust::Flagged;
        let (Some(own), false) = (candidate.direction(), flagged) else {
            return Ok(Standing::Apart);
        };
        if !candidate.is_comparable(candidate) || !self.model.reads(candidate.text()) {
            return Ok(Standing::Apart);
        }
        let (mirror, model) = (&self.engine.mirror, self.model.0.identity());
        let near = mirror.nearest(model, own, NEAREST, &self.roots);
        let ids: Vec<MemoryId> = near
            .unwrap_or_default()
            .into_iter()
            .map(|one| one.id)
            .filter(|id| *id != candidate.id)
            .filter(|id| {
                let pair = (candidate.id.min(*id), candidate.id.max(*id));
                !self.kept_apart.contains(&pair)
            })
            .collect();
        let near = mirror.within(model, own, &ids, self.from);
        let ids: Vec<MemoryId> = near.iter().map(|(id, _)| *id).collect();
        let read = self.engine.vault().read(|r| r.memories().get_many(&ids))?;
        let mut read: HashMap<MemoryId, Memory> =
            read.into_iter().map(|root| (root.id, root)).collect();
        let mut best: Option<(Seen, f64)> = None;
        let mut newer = Vec::new();
        for (id, similarity) in near {
            let Some(root) = read.remove(&id).filter(|root| root.deleted_at.is_none()) else {
                continue;
            };
            let root_seen = seen(&root);
            if !candidate.may_stand_for(&Candidate::new(root, None)) {
                continue;
            }
            if id > candidate.id {
                newer.push(id);
            } else if best.is_none_or(|(_, highest)| similarity > highest) {
                best = Some((root_seen, similarity));
            }
        }
        if let Some((root, similarity)) = best {
            return Ok(Standing::Linked(root, similarity));
        }
        // An older memory came late, or says something else now: what was the first to say this is not
        // any more.
        again.extend(newer);
        self.roots
            .allowed
            .get_or_insert_with(IdSet::default)
            .insert(candidate.id);
        Ok(Standing::Root)
    }
}

fn seen(memory: &Memory) -> Seen {
    Seen {
        id: memory.id,
        version: memory.version,
    }
}

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
use crate::mirror::dot;

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
        let Some(embedder) = self.embedder() else {
            return Ok(0);
        };
        let waiting = self.vault().read(|r| r.memories().near_queue(most))?;
        if waiting.is_empty() {
            return Ok(0);
        }
        self.refresh_mirror()?;
        let (mut memories, roots, kept_apart) = self.vault().read(|r| {
            let memories = r.memories();
            Ok((
                memories.get_many(&waiting)?,
                memories.near_roots()?,
                memories.kept_apart()?,
            ))
        })?;
        let mut known = Known {
            engine: self,
            model: Model(embedder.as_ref()),
            from,
            roots: Scope {
                allowed: Some(roots.into_iter().collect()),
                ..Scope::default()
            },
            kept_apart: kept_apart.into_iter().collect(),
        };
        memories.sort_unstable_by_key(|memory| memory.id);
        let directions = self.mirror.directions(embedder.identity(), &waiting);
        let directions: HashMap<MemoryId, Option<Vec<f32>>> =
            waiting.iter().copied().zip(directions).collect();
        let (mut standings, mut again) = (Vec::new(), Vec::new());
        for memory in memories {
            let own = directions.get(&memory.id).cloned().flatten();
            let seen = seen(&memory);
            let standing = known.standing(memory, own, &mut again)?;
            standings.push((seen, standing));
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
        memory: Memory,
        own: Option<Vec<f32>>,
        again: &mut Vec<MemoryId>,
    ) -> Result<Standing, VaultError> {
        let flagged = memory.trust == Trust::Flagged;
        let candidate = Candidate::new(memory, own);
        let (Some(own), false) = (candidate.direction(), flagged) else {
            return Ok(Standing::Apart);
        };
        if !candidate.is_comparable(&candidate) || !self.model.reads(candidate.text()) {
            return Ok(Standing::Apart);
        }
        let mirror = &self.engine.mirror;
        let near = mirror.nearest(self.model.0.identity(), own, NEAREST, &self.roots);
        let ids: Vec<MemoryId> = near
            .unwrap_or_default()
            .into_iter()
            .map(|one| one.id)
            .filter(|id| *id != candidate.id)
            .collect();
        let directions = mirror.directions(self.model.0.identity(), &ids);
        let near: Vec<(MemoryId, f64)> = ids
            .into_iter()
            .zip(directions)
            .filter_map(|(id, direction)| Some((id, dot(own, &direction?))))
            .filter(|(_, similarity)| *similarity >= self.from)
            .collect();
        let mut best: Option<(Seen, f64)> = None;
        let mut newer = Vec::new();
        for (id, similarity) in near {
            let pair = (id.min(candidate.id), id.max(candidate.id));
            if self.kept_apart.contains(&pair) {
                continue;
            }
            let found = self.engine.vault().read(|r| r.memories().get(id))?;
            let Some(root) = found.filter(|root| root.deleted_at.is_none()) else {
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

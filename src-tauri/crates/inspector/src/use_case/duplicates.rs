//! Memories that mean nearly the same: what there is, and what a person says of it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use memory::{Memory, MemoryId};
use retrieval::NearPairs;
use retrieval::alike::Apart;

use crate::convert;
use crate::error::{EdgeError, ErrorCode};
use crate::inspector::Inspector;
use crate::near;
use crate::session::Session;
use crate::view::{ContradictionView, DuplicateGroupView, DuplicatesView, JoinedView, PairsView};

/// Groups and pairs that are shown.
const SHOWN: usize = 50;
/// Members of a group that are shown.
const MEMBERS: usize = 12;
/// Pairs are counted at every hundredth from the lowest cosine on.
const STEPS: u32 = 20;

impl Inspector {
    /// The memories that mean nearly the same from a cosine on (the vault's when none is given), how many pairs every other cosine would take for one, and what lies as near and may
    /// contradict each other. Compares the vectors of all memories once, until one of them changes.
    ///
    /// # Errors
    /// `bad_request` for a cosine below 0.8 or above 1.
    pub fn duplicates(&self, at: Option<f64>) -> Result<DuplicatesView, EdgeError> {
        let (low, _) = near::RANGE;
        let session = self.inner.session_searching()?;
        let in_force = near::threshold(&session.vault);
        let at = at.unwrap_or(in_force);
        near::check("at", at)?;
        let found = near_pairs(&session, low)?;
        let kept: HashSet<(MemoryId, MemoryId)> = session
            .vault
            .read(|r| r.memories().kept_apart())?
            .into_iter()
            .collect();
        let open = || {
            let pairs = found.pairs.iter();
            pairs.filter(|pair| !kept.contains(&(pair.older, pair.newer)))
        };
        let joined = (0..=STEPS)
            .map(|step| {
                let at = (100.0 * low + f64::from(step)).round() / 100.0;
                let pairs = open().filter(|pair| pair.apart.is_none() && pair.similarity >= at);
                JoinedView {
                    at,
                    pairs: pairs.count() as u32,
                }
            })
            .collect();
        let near = || open().filter(|pair| pair.similarity >= at);
        let groups = groups(
            near()
                .filter(|pair| pair.apart.is_none())
                .map(|pair| (pair.older, pair.newer, pair.similarity)),
        );
        let contradictions: Vec<_> = near()
            .filter_map(|pair| {
                Some((
                    pair,
                    pair.apart.filter(|apart| Apart::may_contradict(*apart))?,
                ))
            })
            .collect();
        let cards = Cards::read(
            self,
            &session,
            groups
                .iter()
                .take(SHOWN)
                .flat_map(|group| group.ids.iter().take(MEMBERS).copied())
                .chain(
                    contradictions
                        .iter()
                        .take(SHOWN)
                        .flat_map(|(pair, _)| [pair.older, pair.newer]),
                ),
        )?;
        Ok(DuplicatesView {
            in_force,
            at,
            compared: found.compared as u32,
            of: found.of as u32,
            joined,
            group_count: groups.len() as u32,
            groups: groups
                .iter()
                .take(SHOWN)
                .map(|group| DuplicateGroupView {
                    cards: group
                        .ids
                        .iter()
                        .take(MEMBERS)
                        .filter_map(|id| cards.of(*id))
                        .collect(),
                    count: group.ids.len() as u32,
                    similarity: group.similarity,
                })
                .collect(),
            contradiction_count: contradictions.len() as u32,
            contradictions: contradictions
                .iter()
                .take(SHOWN)
                .filter_map(|(pair, apart)| {
                    Some(ContradictionView {
                        older: cards.of(pair.older)?,
                        newer: cards.of(pair.newer)?,
                        similarity: pair.similarity,
                        apart: *apart,
                    })
                })
                .collect(),
            kept: kept.len() as u32,
        })
    }

    /// Moves the cosine from which on memories are linked as near duplicates; the links are made anew in
    /// the background, by a script at once.
    ///
    /// # Errors
    /// `bad_request` for a cosine below 0.8 or above 1.
    pub fn set_near_duplicate(&self, at: f64) -> Result<DuplicatesView, EdgeError> {
        near::check("at", at)?;
        let session = self.inner.session_in_use()?;
        near::set_threshold(&session, at)?;
        self.duplicates(None)
    }

    /// Keeps memories beside each other, however near they lie: each stays a result of its own, and
    /// is asked about no more.
    pub fn keep_apart(&self, ids: &[String]) -> Result<PairsView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let ids = mentioned(ids)?;
        let now = self.inner.now();
        let pairs = session
            .vault
            .write(|w| w.memories().keep_apart(&ids, now))?;
        session.wake.rouse();
        Ok(PairsView { pairs })
    }

    /// Takes [`Inspector::keep_apart`] back.
    pub fn let_join(&self, ids: &[String]) -> Result<PairsView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let ids = mentioned(ids)?;
        let pairs = session.vault.write(|w| w.memories().let_join(&ids))?;
        session.wake.rouse();
        Ok(PairsView { pairs })
    }
}

fn mentioned(ids: &[String]) -> Result<Vec<MemoryId>, EdgeError> {
    let mut ids = convert::memory_ids(ids)?;
    ids.sort_unstable();
    ids.dedup();
    if ids.len() < 2 {
        return Err(EdgeError::bad_request("ids", "two memories or more"));
    }
    Ok(ids)
}

/// All pairs from the lowest cosine on; held until a memory or a vector changes.
fn near_pairs(session: &Session, low: f64) -> Result<Arc<NearPairs>, EdgeError> {
    // One that asks meanwhile waits for the same answer.
    let mut held = session.near.lock();
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is not general enough over the reader's lifetime"
    )]
    let epoch = session.vault.read(|r| r.content_epoch())?;
    if let Some((at, pairs)) = &*held
        && *at == epoch
    {
        return Ok(Arc::clone(pairs));
    }
    let pairs = session
        .engine
        .near_pairs(low, || session.closing.load(Ordering::SeqCst))?
        .ok_or_else(|| EdgeError::new(ErrorCode::Locked, &[]))?;
    let pairs = Arc::new(pairs);
    *held = Some((epoch, Arc::clone(&pairs)));
    Ok(pairs)
}

/// Memories that hang together.
struct Group {
    ids: Vec<MemoryId>,
    similarity: f64,
}

/// The groups that pairs make, the largest first, ties by the latest member.
fn groups(pairs: impl Iterator<Item = (MemoryId, MemoryId, f64)>) -> Vec<Group> {
    let mut leads: BTreeMap<MemoryId, MemoryId> = BTreeMap::new();
    let mut lowest: BTreeMap<MemoryId, f64> = BTreeMap::new();
    for (older, newer, similarity) in pairs {
        let (a, b) = (lead(&mut leads, older), lead(&mut leads, newer));
        let (first, second) = (a.min(b), a.max(b));
        leads.insert(second, first);
        let both = [first, second].map(|one| lowest.get(&one).copied().unwrap_or(f64::INFINITY));
        lowest.insert(first, similarity.min(both[0]).min(both[1]));
    }
    let ids: Vec<MemoryId> = leads.keys().copied().collect();
    let mut found: BTreeMap<MemoryId, Vec<MemoryId>> = BTreeMap::new();
    for id in ids {
        found.entry(lead(&mut leads, id)).or_default().push(id);
    }
    let mut groups: Vec<Group> = found
        .into_iter()
        .map(|(first, ids)| Group {
            similarity: lowest.get(&first).copied().unwrap_or(1.0),
            ids,
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.ids.len(), group.ids.last().copied())));
    groups
}

/// Whom a memory is grouped under; itself when it is new.
fn lead(leads: &mut BTreeMap<MemoryId, MemoryId>, id: MemoryId) -> MemoryId {
    let mut at = id;
    while let Some(&next) = leads.get(&at).filter(|next| **next != at) {
        at = next;
    }
    // The way is shorter next time.
    leads.insert(id, at);
    at
}

/// Cards by id.
struct Cards {
    memories: BTreeMap<MemoryId, Memory>,
    now: memory::Millis,
}

impl Cards {
    fn read(
        inspector: &Inspector,
        session: &Session,
        ids: impl Iterator<Item = MemoryId>,
    ) -> Result<Self, EdgeError> {
        let ids: Vec<MemoryId> = ids.collect();
        let memories = session.vault.read(|r| r.memories().get_many(&ids))?;
        Ok(Self {
            memories: memories
                .into_iter()
                .map(|memory| (memory.id, memory))
                .collect(),
            now: inspector.inner.now(),
        })
    }

    fn of(&self, id: MemoryId) -> Option<crate::view::MemoryCard> {
        Some(convert::card(self.memories.get(&id)?, self.now, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_share_a_memory_are_one_group() {
        let pair = |a: i64, b: i64, near: f64| (MemoryId(a), MemoryId(b), near);
        let pairs = [
            pair(5, 9, 0.99),
            pair(1, 2, 0.98),
            pair(2, 3, 0.97),
            pair(3, 7, 0.96),
            pair(1, 7, 0.95),
        ];
        let groups = groups(pairs.into_iter());
        let shown: Vec<(Vec<i64>, f64)> = groups
            .iter()
            .map(|group| (group.ids.iter().map(|id| id.0).collect(), group.similarity))
            .collect();
        assert_eq!(shown, [(vec![1, 2, 3, 7], 0.95), (vec![5, 9], 0.99)]);
    }
}

//! Making one memory of several.

use std::collections::BTreeSet;

use super::MemoriesMut;
use super::change::{set_seen, touch, write_fields};
use super::insert::tags_json;
use super::remove::move_to_trash;
use super::{sightings, tombstones};
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId, Millis, Trust};
use crate::table::undo::{self, Action, Edited, Fields};

/// A memory to be merged, and the version that was looked at; any when absent.
pub type Member = (MemoryId, Option<u32>);

impl MemoriesMut<'_> {
    /// Puts one memory in the place of several. The first keeps its name, log line and age and gets
    /// the text; the others go to the trash, and their log lines do not bring them back. It carries
    /// all tags, is pinned when one was, trusted no more than the least trusted, ends when the last
    /// of them would have, and was seen as often, when and where as all together. Noted for undo as one
    /// action.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for fewer than two memories, for memories of different organisations
    /// or agents, which may not see each other's, and for a blank text; [`VaultError::NotFound`]
    /// (also for one in the trash); [`VaultError::Conflict`] when one was changed meanwhile.
    pub fn merge(
        &self,
        members: &[Member],
        content: &str,
        now: Millis,
    ) -> Result<Memory, VaultError> {
        if content.trim().is_empty() {
            return Err(VaultError::Invalid { what: "content" });
        }
        let mut named = BTreeSet::new();
        let mut all = Vec::new();
        for &(id, version) in members {
            if !named.insert(id) {
                continue;
            }
            let memory = self
                .get(id)?
                .filter(|memory| memory.deleted_at.is_none())
                .ok_or(VaultError::NotFound)?;
            if version.is_some_and(|version| version != memory.version) {
                return Err(VaultError::Conflict);
            }
            all.push(memory);
        }
        let [stays, goes @ ..] = all.as_slice() else {
            return Err(VaultError::Invalid { what: "memories" });
        };
        if goes.is_empty() {
            return Err(VaultError::Invalid { what: "memories" });
        }
        let whose = |memory: &Memory| (memory.scope.org.clone(), memory.scope.agent.clone());
        if goes.iter().any(|memory| whose(memory) != whose(stays)) {
            return Err(VaultError::Invalid { what: "scope" });
        }

        let before = Fields::of(stays);
        let tags: Vec<String> = all.iter().flat_map(|memory| memory.tags.clone()).collect();
        let merged = Fields {
            content: content.to_owned(),
            tags: super::read::tags_from(&tags_json(&tags)),
            pinned: all.iter().any(|memory| memory.pinned),
            trust: least_trusted(&all).as_str().to_owned(),
            expires_at: all
                .iter()
                .map(|memory| memory.expires_at)
                .reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b)))
                .flatten(),
        };
        if merged.content != stays.content {
            tombstones::set_reworded(self.0, stays)?;
        }
        let version = write_fields(self.0, stays, &merged, now)?;
        touch(self.0, stays.id)?;
        let seen = goes.iter().fold(
            [(stays.last_seen_at, stays.seen_count); 2],
            |[before, (latest, count)], memory| {
                let latest = latest.max(memory.last_seen_at);
                [before, (latest, count.saturating_add(memory.seen_count))]
            },
        );
        set_seen(self.0, stays.id, seen[1])?;
        let gone: Vec<MemoryId> = goes.iter().map(|memory| memory.id).collect();
        for &id in &gone {
            move_to_trash(self.0, id, now)?;
            sightings::join(self.0, stays.id, id)?;
        }
        let action = Action::Merge {
            kept: Edited {
                id: stays.id,
                from: stays.version,
                version,
                before,
                after: Some(merged),
            },
            seen,
            gone,
        };
        undo::record(self.0, &action, now)?;
        self.get(stays.id)?.ok_or(VaultError::NotFound)
    }
}

/// Flagged text stays flagged until somebody has approved it, whatever it is merged with; and what
/// was approved was approved without the rest.
fn least_trusted(all: &[Memory]) -> Trust {
    let has = |trust| all.iter().any(|memory| memory.trust == trust);
    if has(Trust::Flagged) {
        Trust::Flagged
    } else if all.iter().all(|memory| memory.trust == Trust::Approved) {
        Trust::Approved
    } else {
        Trust::Normal
    }
}

//! What must be stored, what may be, and what must not.

use std::collections::{BTreeMap, BTreeSet};

use memory::Memory;
use proptest::prelude::*;

use super::folder::{File, Folder};
use super::lines::Said;

/// What a memory says, in the form in which the oracle knows it.
pub fn key_of(memory: &Memory) -> Said {
    Said::of(&memory.scope.org, memory.content.clone())
}

/// The beginning of an entry that was in sight before its end was written.
struct Half {
    /// What can be stored of it.
    shown: BTreeSet<Said>,
    /// What it will be.
    whole: Said,
}

/// How often each file says something.
type Counts = BTreeMap<u32, usize>;

/// What a person put other words to.
struct Reworded {
    /// Where it was said when the person did.
    said: Counts,
    /// Its file would take it away again.
    in_store: bool,
}

#[derive(Default)]
pub struct Oracle {
    /// Said in logs that were looked at: stays, whatever becomes of the file.
    logged: BTreeSet<Said>,
    /// In stores when they were looked at last.
    held: BTreeSet<Said>,
    /// By the file's number.
    halves: BTreeMap<u32, Vec<Half>>,
    /// Seen by somebody who was stopped, or a person's doing that leaves it open.
    perhaps: BTreeSet<Said>,
    gone: BTreeSet<Said>,
    trashed: Vec<Said>,
    reworded: BTreeMap<Said, Reworded>,
    /// A person's words: whether they must be there.
    own_words: BTreeMap<Said, bool>,
}

fn counts(folder: &Folder, said: &Said) -> Counts {
    folder
        .files
        .iter()
        .map(|file| {
            (
                file.number,
                file.complete().filter(|other| *other == said).count(),
            )
        })
        .collect()
}

impl Oracle {
    fn note_halves(&mut self, file: &File) {
        let halves = self.halves.entry(file.number).or_default();
        // A packed file is another one: what was seen of the old one before is not told from other words.
        if !file.packed {
            halves.retain(|half| file.complete().all(|said| *said != half.whole));
        }
        if let Some((shown, whole)) = file.half() {
            halves.push(Half { shown, whole });
        }
    }

    /// Everything was looked at.
    pub fn seen(&mut self, folder: &Folder) {
        self.held.clear();
        for file in &folder.files {
            let into = if file.kind.is_store() {
                &mut self.held
            } else {
                &mut self.logged
            };
            into.extend(file.complete().cloned());
            self.note_halves(file);
        }
        for (said, reworded) in &self.reworded {
            let now = counts(folder, said);
            let more =
                |(file, count): (&u32, &usize)| *count > *reworded.said.get(file).unwrap_or(&0);
            if now.iter().any(more) {
                // Said once more, after the person's change.
                self.perhaps.insert(said.clone());
            }
        }
    }

    /// Somebody looked and was stopped: anything may have been seen.
    pub fn perhaps_seen(&mut self, folder: &Folder) {
        for file in folder.files.iter().filter(|file| !file.kind.is_store()) {
            self.perhaps.extend(file.complete().cloned());
            if let Some((shown, whole)) = file.half() {
                self.halves
                    .entry(file.number)
                    .or_default()
                    .push(Half { shown, whole });
            }
        }
    }

    /// Whether it is known of a memory that it will not grow, and no person had a hand in it yet.
    pub fn is_settled(&self, memory: &Memory) -> bool {
        let key = key_of(memory);
        let half = self
            .halves
            .values()
            .flatten()
            .any(|half| half.shown.contains(&key));
        !half && !self.own_words.contains_key(&key)
    }

    pub fn deleted(&mut self, memory: &Memory, purged: bool) {
        let key = key_of(memory);
        self.perhaps.remove(&key);
        self.gone.insert(key.clone());
        if !purged {
            self.trashed.push(key);
        }
    }

    pub fn restorable(&mut self) -> Option<Said> {
        self.trashed.pop()
    }

    pub fn restored(&mut self, key: &Said) {
        self.gone.remove(key);
        self.perhaps.insert(key.clone());
    }

    pub fn reworded(&mut self, folder: &Folder, memory: &Memory, words: &str) {
        let key = key_of(memory);
        let own = Said::of(&key.org, words.to_owned());
        let in_store = self.held.contains(&key);
        self.own_words.insert(own, !in_store);
        self.perhaps.remove(&key);
        let said = counts(folder, &key);
        self.reworded.insert(key, Reworded { said, in_store });
    }

    pub fn check(&self, memories: &[Memory]) -> Result<(), TestCaseError> {
        let mut found: BTreeMap<Said, u32> = BTreeMap::new();
        for memory in memories {
            *found.entry(key_of(memory)).or_default() += 1;
        }
        for (said, times) in &found {
            prop_assert_eq!(*times, 1, "stored once: {:?}", said);
            prop_assert!(self.may_be(said), "not to be there: {:?}", said);
        }
        let must = self.logged.union(&self.held);
        for said in
            must.filter(|said| !self.gone.contains(*said) && !self.reworded.contains_key(*said))
        {
            prop_assert!(found.contains_key(said), "lost: {:?}", said);
        }
        for (said, must) in &self.own_words {
            prop_assert!(
                !must || found.contains_key(said),
                "a person's words are lost: {:?}",
                said
            );
        }
        Ok(())
    }

    fn may_be(&self, said: &Said) -> bool {
        if self.gone.contains(said) {
            return false;
        }
        if self.perhaps.contains(said) || self.own_words.contains_key(said) {
            return true;
        }
        if let Some(reworded) = self.reworded.get(said) {
            return reworded.in_store;
        }
        self.logged.contains(said)
            || self.held.contains(said)
            || self
                .halves
                .values()
                .flatten()
                .any(|half| half.shown.contains(said))
    }
}

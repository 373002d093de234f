//! The words of all memories as the expander gave them, mirrored in memory for the sparse leg: for each word
//! of the vocabulary the memories that have it, with their weights in 8 bits.
//!
//! The vault holds them durably, memory by memory; this can be thrown away and built again at any time.
//!
//! Guarantees: a search is exact; what is held in memory is wiped when it is dropped; a mirror that may have
//! missed a write says so instead of answering.

use std::collections::{HashMap, HashSet};

use memory::{MemoryId, Vault, VaultError};
use models::{Word, Words};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use zeroize::Zeroize as _;

use crate::ids::Scope;
use crate::order::by_score_then_id;

/// What counts of a query's word: its weight there times its rarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// Its number in the vocabulary.
    pub number: u16,
    /// The factor on the weight that a memory gives it.
    pub factor: f64,
}

/// The memories that have a word, by place, rising.
#[derive(Default)]
struct Holders {
    places: Vec<u32>,
    steps: Vec<u8>,
}

impl Drop for Holders {
    fn drop(&mut self) {
        self.places.zeroize();
        self.steps.zeroize();
    }
}

/// The lists of one expander.
struct Held {
    expander: String,
    /// The memory at each place; none where one was taken away.
    ids: Vec<Option<MemoryId>>,
    places: HashMap<MemoryId, u32>,
    words: HashMap<u16, Holders>,
}

impl Held {
    fn new(expander: &str) -> Self {
        Self {
            expander: expander.to_owned(),
            ids: Vec::new(),
            places: HashMap::new(),
            words: HashMap::new(),
        }
    }

    fn add(&mut self, id: MemoryId, words: &Words) {
        let Ok(place) = u32::try_from(self.ids.len()) else {
            return;
        };
        self.ids.push(Some(id));
        self.places.insert(id, place);
        for word in words.iter() {
            let holders = self.words.entry(word.number).or_default();
            holders.places.push(place);
            holders.steps.push(word.steps);
        }
    }

    /// Takes memories away, in one pass over all lists.
    fn remove(&mut self, ids: &[MemoryId]) {
        let gone: HashSet<u32> = ids.iter().filter_map(|id| self.places.remove(id)).collect();
        if gone.is_empty() {
            return;
        }
        for &place in &gone {
            self.ids[place as usize] = None;
        }
        for holders in self.words.values_mut() {
            let mut kept = 0;
            for at in 0..holders.places.len() {
                if !gone.contains(&holders.places[at]) {
                    holders.places[kept] = holders.places[at];
                    holders.steps[kept] = holders.steps[at];
                    kept += 1;
                }
            }
            holders.places.truncate(kept);
            holders.steps.truncate(kept);
        }
    }

    /// Σ over the words of factor · weight, for every memory that has one of them: the best that the scope
    /// lets through.
    fn best(&self, asked: &[Asked], most: usize, scope: &Scope) -> Vec<(MemoryId, f64)> {
        let mut scores = vec![0.0_f64; self.ids.len()];
        for word in asked {
            let number = word.number;
            if let Some(holders) = self.words.get(&number) {
                for (&place, &steps) in holders.places.iter().zip(&holders.steps) {
                    scores[place as usize] += word.factor * Word { number, steps }.weight();
                }
            }
        }
        let mut found: Vec<(MemoryId, f64)> = self
            .ids
            .iter()
            .zip(scores)
            .filter(|(_, score)| *score > 0.0)
            .filter_map(|(id, score)| Some(((*id)?, score)))
            .filter(|(id, _)| scope.lets(*id))
            .collect();
        let order =
            |a: &(MemoryId, f64), b: &(MemoryId, f64)| by_score_then_id((a.1, a.0), (b.1, b.0));
        if found.len() > most && most > 0 {
            found.select_nth_unstable_by(most - 1, order);
        }
        found.truncate(most);
        found.sort_unstable_by(order);
        found
    }
}

/// The words of one vault's memories. Shared between threads.
pub struct Expansions {
    vault: Vault,
    held: RwLock<Option<Held>>,
    /// Ids noted while new lists are being built, to be read again when these are in place.
    noted: Mutex<Option<Vec<MemoryId>>>,
    /// The last epoch for which the number of memories was compared, and whether it agreed.
    compared: Mutex<Option<(u64, bool)>>,
}

impl Expansions {
    /// Without any words yet.
    pub fn new(vault: Vault) -> Self {
        Self {
            vault,
            held: RwLock::new(None),
            noted: Mutex::new(None),
            compared: Mutex::new(None),
        }
    }

    /// Reads the words of all memories, unless they are held and in step. Searches go on with the old lists
    /// meanwhile.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn refresh(&self, expander: &str) -> Result<(), VaultError> {
        if self.is_current(expander)? {
            return Ok(());
        }
        *self.noted.lock() = Some(Vec::new());
        let built = self.vault.read(|reader| {
            let mut held = Held::new(expander);
            reader.embeddings().for_each_words(expander, |id, packed| {
                // What cannot be read counts as a memory without words.
                held.add(id, &Words::from_bytes(packed).unwrap_or_default());
            })?;
            Ok(held)
        });
        let built = match built {
            Ok(built) => built,
            Err(error) => {
                *self.noted.lock() = None;
                return Err(error);
            }
        };
        *self.held.write() = Some(built);
        *self.compared.lock() = None;
        let noted = self.noted.lock().take().unwrap_or_default();
        self.note_changed(&noted)
    }

    /// Reads the words of these memories again: after they were expanded, edited, removed or restored.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn note_changed(&self, ids: &[MemoryId]) -> Result<(), VaultError> {
        if ids.is_empty() {
            return Ok(());
        }
        if let Some(noted) = self.noted.lock().as_mut() {
            noted.extend_from_slice(ids);
        }
        let Some(expander) = self.held.read().as_ref().map(|held| held.expander.clone()) else {
            return Ok(());
        };
        let read = self.vault.read(|reader| {
            let memories = reader.memories().get_many(ids)?.into_iter();
            let living = memories.filter(|memory| memory.deleted_at.is_none());
            living
                .map(|memory| {
                    let packed = reader.embeddings().words_of(&expander, memory.id)?;
                    Ok((memory.id, packed))
                })
                .collect::<Result<Vec<_>, VaultError>>()
        })?;
        let mut guard = self.held.write();
        if let Some(held) = guard.as_mut().filter(|held| held.expander == expander) {
            held.remove(ids);
            for (id, packed) in read {
                if let Some(mut packed) = packed {
                    held.add(id, &Words::from_bytes(&packed).unwrap_or_default());
                    packed.zeroize();
                }
            }
        }
        *self.compared.lock() = None;
        Ok(())
    }

    /// Drops and wipes everything, for when the vault is locked.
    pub fn clear(&self) {
        *self.held.write() = None;
        *self.compared.lock() = None;
    }

    /// Whether what is held is what the vault holds. Compares the number of memories with the vault's once
    /// per write, so that a write nobody told about is noticed.
    fn is_current(&self, expander: &str) -> Result<bool, VaultError> {
        let held = {
            let guard = self.held.read();
            let Some(held) = guard.as_ref().filter(|held| held.expander == expander) else {
                return Ok(false);
            };
            held.places.len()
        };
        let epoch = self.vault.epoch();
        if let Some((at, agrees)) = *self.compared.lock()
            && at == epoch
        {
            return Ok(agrees);
        }
        let kept = self
            .vault
            .read(|reader| reader.embeddings().count_words(expander))?;
        let agrees = kept as usize == held;
        *self.compared.lock() = Some((epoch, agrees));
        Ok(agrees)
    }

    /// The lists of this expander, held still for one query; `None` while they are missing or out of step.
    ///
    /// # Errors
    /// Those of the vault.
    pub(crate) fn current(&self, expander: &str) -> Result<Option<Lists<'_>>, VaultError> {
        Ok(if self.is_current(expander)? {
            Some(Lists(self.held.read()))
        } else {
            None
        })
    }
}

/// Shows sizes only.
impl std::fmt::Debug for Expansions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let memories = self.held.read().as_ref().map(|held| held.places.len());
        f.debug_struct("Expansions")
            .field("memories", &memories)
            .finish_non_exhaustive()
    }
}

/// The lists, held still for one query.
pub(crate) struct Lists<'a>(RwLockReadGuard<'a, Option<Held>>);

impl Lists<'_> {
    /// How many memories have words.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |held| held.places.len())
    }

    /// How many of them have this one.
    pub fn holders(&self, number: u16) -> usize {
        let held = self.0.as_ref();
        held.and_then(|held| held.words.get(&number))
            .map_or(0, |holders| holders.places.len())
    }

    /// The memories with the highest sums, best first, ties by id.
    pub fn best(&self, asked: &[Asked], most: usize, scope: &Scope) -> Vec<(MemoryId, f64)> {
        self.0
            .as_ref()
            .map_or_else(Vec::new, |held| held.best(asked, most, scope))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(pairs: &[(u16, u8)]) -> Words {
        Words::of(
            pairs
                .iter()
                .map(|&(number, steps)| (number, f32::from(steps) / 64.0)),
        )
        .unwrap()
    }

    fn some_words() -> impl Strategy<Value = Vec<(u16, u8)>> {
        proptest::collection::btree_map(0..12_u16, 1..=255_u8, 0..8)
            .prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #[test]
        fn the_best_are_those_of_a_plain_sum_whatever_came_and_went(
            memories in proptest::collection::vec(some_words(), 0..30),
            gone in proptest::collection::vec(0..30_i64, 0..10),
            asked in proptest::collection::vec((0..12_u16, 0.1..3.0_f64), 0..5),
            most in 1..12_usize,
        ) {
            let mut held = Held::new("test");
            for (id, pairs) in (0..).map(MemoryId).zip(&memories) {
                held.add(id, &words(pairs));
            }
            let gone: Vec<MemoryId> = gone.into_iter().map(MemoryId).collect();
            held.remove(&gone);
            let asked: Vec<Asked> =
                asked.into_iter().map(|(number, factor)| Asked { number, factor }).collect();
            let mut expected: Vec<(MemoryId, f64)> = (0..)
                .map(MemoryId)
                .zip(&memories)
                .filter(|(id, _)| !gone.contains(id))
                .map(|(id, pairs)| {
                    let own = words(pairs);
                    (id, asked.iter().map(|word| word.factor * own.weight(word.number)).sum())
                })
                .filter(|(_, score)| *score > 0.0)
                .collect();
            expected.sort_by(|a, b| by_score_then_id((a.1, a.0), (b.1, b.0)));
            expected.truncate(most);
            prop_assert_eq!(held.best(&asked, most, &Scope::default()), expected);
            for number in 0..12 {
                let living = (0..).map(MemoryId).zip(&memories).filter(|(id, _)| !gone.contains(id));
                let having = living.filter(|(_, pairs)| pairs.iter().any(|(own, _)| *own == number));
                let holders = held.words.get(&number).map_or(0, |holders| holders.places.len());
                prop_assert_eq!(holders, having.count());
            }
        }
    }
}

//! Sets of memory ids, asked once per vector of the vault, and the name of a content.

use memory::MemoryId;

/// Names a content, so that equal ones are found.
pub type Fingerprint = [u8; 16];

/// Ids above this are kept in a hash set, so that one large id does not cost megabytes.
const LARGEST_BIT: i64 = 1 << 26;

/// A set of ids: one bit each.
#[derive(Clone, Debug, Default)]
pub struct IdSet {
    bits: Vec<u64>,
    large: std::collections::HashSet<i64>,
    len: usize,
}

impl IdSet {
    /// Adds an id.
    pub fn insert(&mut self, id: MemoryId) {
        if !(0..LARGEST_BIT).contains(&id.0) {
            self.len += usize::from(self.large.insert(id.0));
            return;
        }
        let (word, bit) = ((id.0 / 64) as usize, 1_u64 << (id.0 % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.len += usize::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    /// Whether the id is in the set.
    pub fn contains(&self, id: MemoryId) -> bool {
        if !(0..LARGEST_BIT).contains(&id.0) {
            return self.large.contains(&id.0);
        }
        self.bits
            .get((id.0 / 64) as usize)
            .is_some_and(|word| word >> (id.0 % 64) & 1 == 1)
    }

    /// How many ids.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl FromIterator<MemoryId> for IdSet {
    fn from_iter<I: IntoIterator<Item = MemoryId>>(ids: I) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

/// Which memories a leg may return.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Only these; `None` = all living ones.
    pub allowed: Option<IdSet>,
    /// None of these.
    pub excluded: IdSet,
    /// Nor any of these, whose time is over.
    pub expired: IdSet,
    /// What the filter alone lets through; `None` = all living ones.
    pub filtered: Option<IdSet>,
}

impl Scope {
    /// Whether a memory may be returned.
    pub fn lets(&self, id: MemoryId) -> bool {
        self.allowed.as_ref().is_none_or(|set| set.contains(id))
            && !self.excluded.contains(id)
            && !self.expired.contains(id)
    }

    /// Whether the filter alone lets a memory through.
    pub fn passes_filter(&self, id: MemoryId) -> bool {
        self.filtered.as_ref().is_none_or(|set| set.contains(id)) && !self.expired.contains(id)
    }

    /// Whether anything is kept out.
    pub fn is_open(&self) -> bool {
        self.allowed.is_none() && self.excluded.is_empty() && self.expired.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let ids = [1, 63, 64, 65, 1_000_000, LARGEST_BIT, i64::MAX];
        let set: IdSet = ids.into_iter().chain(ids).map(MemoryId).collect();
        assert_eq!(set.len(), ids.len());
        assert!(ids.into_iter().all(|id| set.contains(MemoryId(id))));
        assert!(
            [0, 2, 62, 66, LARGEST_BIT + 1]
                .into_iter()
                .all(|id| !set.contains(MemoryId(id)))
        );
        assert!(!IdSet::default().contains(MemoryId(1)));
    }

    #[test]
    fn a_scope_excludes_after_it_allows() {
        let scope = Scope {
            allowed: Some([MemoryId(1), MemoryId(2)].into_iter().collect()),
            excluded: std::iter::once(MemoryId(2)).collect(),
            ..Scope::default()
        };
        assert!(scope.lets(MemoryId(1)) && !scope.lets(MemoryId(2)) && !scope.lets(MemoryId(3)));
        assert!(Scope::default().lets(MemoryId(9)));
    }
}

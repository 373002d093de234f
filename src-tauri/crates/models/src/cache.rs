//! A bounded least-recently-used cache whose values are wiped when they leave.
//!
//! Keys are SHA-256 hashes, so that no text stays behind in memory as a key.

use lru::LruCache;
use sha2::{Digest, Sha256};

pub(crate) type Key = [u8; 32];

pub(crate) fn key(text: &str) -> Key {
    Sha256::digest(text.as_bytes()).into()
}

/// Bounded by the sum of its values' sizes. Values must wipe themselves when dropped.
pub(crate) struct SizedCache<V> {
    entries: LruCache<Key, (V, usize)>,
    held: usize,
    limit: usize,
}

impl<V> SizedCache<V> {
    pub(crate) fn new(limit: usize) -> Self {
        SizedCache {
            entries: LruCache::unbounded(),
            held: 0,
            limit,
        }
    }

    pub(crate) fn get(&mut self, key: &Key) -> Option<&V> {
        self.entries.get(key).map(|(value, _)| value)
    }

    /// Keeps the value, dropping the least recently used ones until the limit holds. A value that
    /// exceeds the limit by itself is not kept.
    pub(crate) fn put(&mut self, key: Key, value: V, bytes: usize) {
        if bytes > self.limit {
            return;
        }
        if let Some((_, old)) = self.entries.put(key, (value, bytes)) {
            self.held -= old;
        }
        self.held += bytes;
        while self.held > self.limit {
            match self.entries.pop_lru() {
                Some((_, (_, freed))) => self.held -= freed,
                None => break,
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.held = 0;
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_least_recently_used_leaves_first() {
        let mut cache = SizedCache::new(100);
        cache.put(key("a"), 1, 40);
        cache.put(key("b"), 2, 40);
        assert_eq!(cache.get(&key("a")), Some(&1));
        cache.put(key("c"), 3, 40);
        assert_eq!(cache.get(&key("b")), None);
        assert_eq!(cache.get(&key("a")), Some(&1));
        assert_eq!(cache.get(&key("c")), Some(&3));
        assert_eq!(cache.held, 80);
    }

    #[test]
    fn replacing_counts_once_and_an_oversized_value_is_not_kept() {
        let mut cache = SizedCache::new(100);
        cache.put(key("a"), 1, 40);
        cache.put(key("a"), 2, 60);
        assert_eq!((cache.len(), cache.held), (1, 60));
        cache.put(key("b"), 3, 101);
        assert_eq!((cache.len(), cache.held), (1, 60));
        cache.clear();
        assert_eq!((cache.len(), cache.held), (0, 0));
    }

    #[test]
    fn values_are_dropped_when_they_leave() {
        struct Counted(Arc<AtomicUsize>);
        impl Drop for Counted {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let dropped = Arc::new(AtomicUsize::new(0));
        let mut cache = SizedCache::new(1);
        cache.put(key("a"), Counted(Arc::clone(&dropped)), 1);
        cache.put(key("b"), Counted(Arc::clone(&dropped)), 1);
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        cache.clear();
        assert_eq!(dropped.load(Ordering::SeqCst), 2);
    }
}

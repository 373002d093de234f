//! What became of the memories that agents were given, held until memories change.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use memory::{Millis, TRACES_KEPT};

use crate::view::UsageView;

/// Judgements by row and time of their trace, each with the state of the memories that it holds for.
pub(crate) struct Usages(LruCache<(i64, Millis), (u64, Arc<UsageView>)>);

impl Default for Usages {
    fn default() -> Self {
        let kept = NonZeroUsize::new(TRACES_KEPT as usize).unwrap_or(NonZeroUsize::MIN);
        Self(LruCache::new(kept))
    }
}

impl Usages {
    /// What is held of a trace, unless memories have changed since.
    pub(crate) fn at(&mut self, name: (i64, Millis), epoch: u64) -> Option<Arc<UsageView>> {
        let (held, view) = self.0.get(&name)?;
        (*held == epoch).then(|| Arc::clone(view))
    }

    /// Holds it.
    pub(crate) fn hold(&mut self, name: (i64, Millis), epoch: u64, view: Arc<UsageView>) {
        self.0.put(name, (epoch, view));
    }
}

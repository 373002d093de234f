//! An open vault with everything that lives only while it is open.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ingest::Watcher;
use lru::LruCache;
use memory::{Millis, Vault};
use models::Reranker;
use parking_lot::{Condvar, Mutex};
use retrieval::{CancelFlag, Engine, Gathered, NearPairs, Rerankers};

use crate::account::LastKept;
use crate::cursor::Cursor;
use crate::error::EdgeError;
use crate::golden::Candidates;
use crate::neighbours::Neighbours;
use crate::rerankers::{Backends, at_hand};
use crate::time::Clock;
use crate::usages::Usages;
use crate::workers::Workers;

/// How deep each leg is searched, so that a slider never has to search again.
pub(crate) const DEPTH: u32 = 500;

/// Queries whose candidates are kept for re-ranking; older ones must be asked again.
const RECALLS_KEPT: usize = 24;

/// An open vault.
pub(crate) struct Session {
    pub(crate) vault: Vault,
    pub(crate) demo: bool,
    pub(crate) engine: Engine,
    clock: Clock,
    pub(crate) workers: Workers,
    pub(crate) watcher: Mutex<Option<Watcher>>,
    recalls: Mutex<LruCache<String, Arc<Gathered>>>,
    next_recall: AtomicU64,
    /// What the golden queries found.
    pub(crate) golden: Mutex<Candidates>,
    /// The pairs of memories that mean nearly the same, and the state of the vault they were found in.
    pub(crate) near: Mutex<Option<(u64, Arc<NearPairs>)>>,
    /// The memories laid out by their neighbours.
    pub(crate) neighbours: Mutex<Neighbours>,
    /// The trace that was stored last.
    pub(crate) last_kept: Mutex<Option<LastKept>>,
    /// What became of what agents were given.
    pub(crate) usages: Mutex<Usages>,
    /// Cancels the query that runs when a newer one starts.
    running: Mutex<Option<CancelFlag>>,
    /// Told to every background thread of this session.
    pub(crate) closing: Arc<AtomicBool>,
    /// Whether the background work that embeds has been started.
    pub(crate) embedding: AtomicBool,
    /// How far the token vectors of memories embedded earlier have been filled in.
    pub(crate) tokens_below: Cursor,
    /// The same of the words by which they should be found.
    pub(crate) words_below: Cursor,
    /// Rouses it before its nap is over.
    pub(crate) wake: Wake,
    /// Rerankers that a person set up.
    pub(crate) backends: Backends,
}

/// Rouses a napping thread.
#[derive(Default)]
pub(crate) struct Wake {
    roused: Mutex<bool>,
    condition: Condvar,
}

impl Wake {
    pub(crate) fn rouse(&self) {
        *self.roused.lock() = true;
        self.condition.notify_all();
    }

    /// Sleeps until roused, at most for `nap`.
    pub(crate) fn wait(&self, nap: Duration) {
        let mut roused = self.roused.lock();
        if !*roused {
            self.condition.wait_for(&mut roused, nap);
        }
        *roused = false;
    }
}

impl Session {
    pub(crate) fn new(
        vault: Vault,
        demo: bool,
        engine: Engine,
        clock: Clock,
        workers: Workers,
    ) -> Self {
        Self {
            vault,
            demo,
            engine,
            clock,
            workers,
            watcher: Mutex::new(None),
            recalls: Mutex::new(LruCache::new(
                NonZeroUsize::new(RECALLS_KEPT).unwrap_or(NonZeroUsize::MIN),
            )),
            next_recall: AtomicU64::new(1),
            golden: Mutex::default(),
            near: Mutex::default(),
            neighbours: Mutex::default(),
            last_kept: Mutex::new(None),
            usages: Mutex::default(),
            running: Mutex::new(None),
            closing: Arc::new(AtomicBool::new(false)),
            embedding: AtomicBool::new(false),
            tokens_below: Cursor::default(),
            words_below: Cursor::default(),
            wake: Wake::default(),
            backends: Backends::default(),
        }
    }

    /// Every reranker that can be used now, this embedded one among them.
    pub(crate) fn rerankers(&self, embedded: Option<Arc<dyn Reranker>>) -> Rerankers {
        at_hand(&self.vault, &self.backends, embedded)
    }

    /// By the clock of the whole program.
    pub(crate) fn now(&self) -> Millis {
        (self.clock)()
    }

    /// Starts a query: the one before it is cancelled, its answer is no longer wanted.
    pub(crate) fn begin_query(&self) -> CancelFlag {
        let flag = CancelFlag::default();
        if let Some(older) = self.running.lock().replace(flag.clone()) {
            older.cancel();
        }
        flag
    }

    /// Keeps the candidates and names them.
    pub(crate) fn keep(&self, gathered: Arc<Gathered>) -> String {
        let name = format!("r{}", self.next_recall.fetch_add(1, Ordering::Relaxed));
        self.recalls.lock().put(name.clone(), gathered);
        name
    }

    pub(crate) fn recall(&self, name: &str) -> Option<Arc<Gathered>> {
        self.recalls.lock().get(name).cloned()
    }

    /// The candidates of that name, for a request that cannot do without.
    ///
    /// # Errors
    /// When they were never kept or made room for others.
    pub(crate) fn recalled(&self, name: &str) -> Result<Arc<Gathered>, EdgeError> {
        self.recall(name)
            .ok_or_else(|| EdgeError::not_found("query of that name any more; ask it again"))
    }

    /// Stops the background work, forgets every text in memory, and closes the vault.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.wake.rouse();
        if let Some(flag) = self.running.lock().take() {
            flag.cancel();
        }
        // Dropping the watcher waits for the batch it is writing.
        drop(self.watcher.lock().take());
        self.recalls.lock().clear();
        *self.golden.lock() = Candidates::default();
        *self.usages.lock() = Usages::default();
        *self.near.lock() = None;
        let mut neighbours = self.neighbours.lock();
        neighbours.stop();
        *neighbours = Neighbours::None;
        drop(neighbours);
        *self.last_kept.lock() = None;
        self.engine.forget();
        self.vault.lock();
    }
}

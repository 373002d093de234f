//! The local model: found, checked and loaded once, in the background, and loaded again on demand.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use models::{Embedder, LocalEmbedder, LocalOptions, ModelFiles};
use parking_lot::{Condvar, Mutex};

use crate::view::ModelState;

enum Slot {
    /// Nobody needed it yet.
    Idle,
    Loading,
    Ready(Arc<dyn Embedder>),
    Missing(String),
    Failed(String),
}

/// Holds the model, or why there is none.
pub(crate) struct Model {
    folders: Vec<PathBuf>,
    slot: Mutex<Slot>,
    settled: Condvar,
}

impl Model {
    pub(crate) fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            slot: Mutex::new(Slot::Idle),
            settled: Condvar::new(),
        }
    }

    /// Loads the model, again if need be; takes about a tenth of a second once the files are in memory.
    pub(crate) fn load(&self) {
        *self.slot.lock() = Slot::Loading;
        self.fill();
    }

    /// Takes it over to load the model; false when somebody else has.
    pub(crate) fn begin(&self) -> bool {
        let mut slot = self.slot.lock();
        let idle = matches!(*slot, Slot::Idle);
        if idle {
            *slot = Slot::Loading;
        }
        idle
    }

    /// Loads the model for whoever has begun to.
    pub(crate) fn fill(&self) {
        let slot = match ModelFiles::locate(&self.folders) {
            Err(error) => Slot::Missing(error.to_string()),
            Ok(files) => match LocalEmbedder::load_with(&files, &options()) {
                Ok(embedder) => Slot::Ready(Arc::new(embedder)),
                Err(error) => Slot::Failed(error.to_string()),
            },
        };
        *self.slot.lock() = slot;
        self.settled.notify_all();
    }

    /// Waits until loading has ended, and loads it when nobody has; `None` when there is no model.
    pub(crate) fn wait(&self) -> Option<Arc<dyn Embedder>> {
        if self.begin() {
            self.fill();
        }
        let mut slot = self.slot.lock();
        while matches!(*slot, Slot::Loading) {
            self.settled.wait(&mut slot);
        }
        ready(&slot)
    }

    /// Waits until loading has ended, at most for `patience`; whether it has, or never began.
    pub(crate) fn settles_within(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut slot = self.slot.lock();
        while matches!(*slot, Slot::Loading) {
            if self.settled.wait_until(&mut slot, until).timed_out() {
                break;
            }
        }
        !matches!(*slot, Slot::Loading)
    }

    /// The model if it is ready now.
    pub(crate) fn get(&self) -> Option<Arc<dyn Embedder>> {
        ready(&self.slot.lock())
    }

    pub(crate) fn state(&self) -> ModelState {
        match &*self.slot.lock() {
            Slot::Idle | Slot::Loading => ModelState::Loading,
            Slot::Ready(embedder) => ModelState::Ready {
                id: embedder.identity().id.clone(),
                dimension: embedder.identity().dimension,
            },
            Slot::Missing(reason) => ModelState::Missing {
                reason: reason.clone(),
            },
            Slot::Failed(reason) => ModelState::Failed {
                reason: reason.clone(),
            },
        }
    }
}

/// Passages may take every physical core: two threads of one core share what does the arithmetic. A
/// container may allow fewer.
fn options() -> LocalOptions {
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    LocalOptions {
        passage_cores: num_cpus::get_physical().min(allowed),
        ..LocalOptions::default()
    }
}

fn ready(slot: &Slot) -> Option<Arc<dyn Embedder>> {
    match slot {
        Slot::Ready(embedder) => Some(Arc::clone(embedder)),
        _ => None,
    }
}

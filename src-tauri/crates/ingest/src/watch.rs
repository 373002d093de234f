//! Keeps taking in what is appended, within a fraction of a second, for as long as a source is
//! watched.
//!
//! The system's notifications say where to look, never what to believe: a file is read by its
//! cursor, whatever the event claims. What the system cannot watch (too many folders, network file
//! systems) is looked at every half second instead, and says so. Since events get lost, every
//! source is compared with the disk now and then anyway.

mod files;
mod mount;
mod sources;
mod worker;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded, unbounded};
use memory::{MemoryId, Millis, SourceId, SourceRow, SourceState, Vault};
use parking_lot::Mutex;

use crate::report::{Options, Progress};
use worker::{Message, Worker};

/// Tells the time: milliseconds since 1970, UTC.
pub type Clock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// What is happening to a source, and why when it is not simply watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchState {
    /// What is happening.
    pub state: SourceState,
    /// Why, in plain words.
    pub reason: Option<String>,
}

/// A folder or file to be watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Its row.
    pub source: SourceId,
    /// Its path.
    pub path: PathBuf,
    /// How to read it.
    pub options: Options,
}

impl From<&SourceRow> for Watched {
    fn from(row: &SourceRow) -> Self {
        Self {
            source: row.id,
            path: crate::identity::path_of(&row.path),
            options: Options {
                format: row.format.clone(),
                subagents: row.subagents,
                ..Options::default()
            },
        }
    }
}

/// Something that a watcher did or noticed. It carries no text of any memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Memories came, changed or went.
    Memories {
        /// The source.
        source: SourceId,
        /// New ones.
        new: Vec<MemoryId>,
        /// Those that grew, were seen again or came back.
        changed: Vec<MemoryId>,
        /// Those put into the trash because their entry is gone from its file.
        gone: Vec<MemoryId>,
    },
    /// A source is in another state. It is in the vault already.
    State {
        /// The source.
        source: SourceId,
        /// The new state.
        state: WatchState,
    },
    /// How far the first reading of a source is.
    Progress {
        /// The source.
        source: SourceId,
        /// How far.
        progress: Progress,
        /// It is done.
        finished: bool,
    },
    /// A file could not be read, or lines of it. The errors are in the vault already.
    Errors {
        /// The source.
        source: SourceId,
        /// The file.
        path: PathBuf,
    },
    /// The vault refuses (locked, disk full): nothing is taken in until it accepts again. Positions
    /// are kept, so nothing is lost.
    Halted {
        /// Why, in plain words.
        reason: String,
    },
}

/// Watches sources on a thread of its own, until it is dropped.
pub struct Watcher {
    messages: Sender<Message>,
    stop: Arc<AtomicBool>,
    /// Raised to end the first reading of a source, which can take minutes.
    cancels: Mutex<HashMap<SourceId, Arc<AtomicBool>>>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Watcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

impl Watcher {
    /// Starts with nothing to watch. `on_change` is called on the watcher's thread and should
    /// return soon.
    pub fn start(vault: Vault, clock: Clock, on_change: Box<dyn Fn(Change) + Send>) -> Self {
        let (messages, inbox) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let mut worker = Worker::new(vault, clock, on_change, messages.clone(), Arc::clone(&stop));
        let thread = std::thread::Builder::new()
            .name("ingest-watch".to_owned())
            .spawn(move || worker.run(&inbox))
            .ok();
        Self {
            messages,
            stop,
            cancels: Mutex::default(),
            thread,
        }
    }

    /// Reads what is there and not yet in the vault, then follows it. Watching a source again
    /// takes the new path and options.
    pub fn watch(&self, watched: Watched) {
        let cancel = Arc::new(AtomicBool::new(false));
        self.cancel(watched.source, Some(Arc::clone(&cancel)));
        self.send(Message::Watch(watched, cancel));
    }

    /// Stops following a source, also while it is still being read for the first time. Its memories
    /// and positions stay.
    pub fn unwatch(&self, source: SourceId) {
        self.cancel(source, None);
        self.send(Message::Unwatch(source));
    }

    /// Compares a source with the disk now.
    pub fn rescan(&self, source: SourceId) {
        self.send(Message::Rescan(source));
    }

    /// Waits until everything asked for so far is done; false when that took longer.
    pub fn settle(&self, patience: Duration) -> bool {
        let (done, answer) = bounded(1);
        self.send(Message::Settle(done));
        answer.recv_timeout(patience).is_ok()
    }

    fn cancel(&self, source: SourceId, next: Option<Arc<AtomicBool>>) {
        let mut cancels = self.cancels.lock();
        let before = match next {
            Some(next) => cancels.insert(source, next),
            None => cancels.remove(&source),
        };
        if let Some(before) = before {
            before.store(true, Ordering::Relaxed);
        }
    }

    fn send(&self, message: Message) {
        // The thread ends before its inbox does only when it was told to.
        let _ = self.messages.send(message);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for cancel in self.cancels.lock().values() {
            cancel.store(true, Ordering::Relaxed);
        }
        self.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

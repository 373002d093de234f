//! The watcher's thread: what is due, and when.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use memory::{FileRow, Millis, SourceId, Vault, VaultError};
use notify::RecommendedWatcher;

use super::{Change, Clock, WatchState, Watched};
use crate::intake::End;
use crate::journal::{self, Written};
use crate::reading::Reading;

/// How often any other is compared with the disk, in case events got lost.
pub(super) const SWEEP: Duration = Duration::from_secs(30);

pub(super) enum Message {
    Event(SourceId, notify::Result<notify::Event>),
    Watch(Watched, Arc<AtomicBool>),
    Unwatch(SourceId),
    Rescan(SourceId),
    Settle(Sender<()>),
    Stop,
}

pub(super) struct Source {
    pub(super) watched: Watched,
    /// Raised when the source is no longer wanted.
    pub(super) cancel: Arc<AtomicBool>,
    pub(super) state: WatchState,
    /// Absent while polling or missing.
    pub(super) watcher: Option<RecommendedWatcher>,
    /// Size and time of the files when last looked at, by identity.
    pub(super) seen: HashMap<String, (u64, Option<Millis>)>,
    /// Faults that were noted, so that they are noted once.
    pub(super) faults: HashSet<(PathBuf, String)>,
    pub(super) next_sweep: Instant,
}

pub(super) struct Due {
    pub(super) at: Instant,
    pub(super) source: SourceId,
    pub(super) end: End,
}

pub(super) struct Open {
    pub(super) reading: Reading,
    pub(super) row: Option<FileRow>,
    pub(super) used: u64,
}

pub(super) struct Worker {
    pub(super) vault: Vault,
    pub(super) clock: Clock,
    pub(super) on_change: Box<dyn Fn(Change) + Send>,
    pub(super) messages: Sender<Message>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) sources: BTreeMap<SourceId, Source>,
    pub(super) due: HashMap<PathBuf, Due>,
    pub(super) folders: HashMap<PathBuf, (Instant, SourceId)>,
    pub(super) open: HashMap<String, Open>,
    /// Until when databases are left in peace.
    pub(super) resting: HashMap<PathBuf, Instant>,
    pub(super) uses: u64,
    pub(super) halted: bool,
}

impl Worker {
    pub(super) fn new(
        vault: Vault,
        clock: Clock,
        on_change: Box<dyn Fn(Change) + Send>,
        messages: Sender<Message>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        Self {
            vault,
            clock,
            on_change,
            messages,
            stop,
            sources: BTreeMap::new(),
            due: HashMap::new(),
            folders: HashMap::new(),
            open: HashMap::new(),
            resting: HashMap::new(),
            uses: 0,
            halted: false,
        }
    }

    pub(super) fn run(&mut self, inbox: &Receiver<Message>) {
        while !self.stop.load(Ordering::Relaxed) {
            match inbox.recv_timeout(self.wait()) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // A burst is taken in before files are read, so that it is debounced; an endless one
            // doesn't keep them from being read.
            for message in inbox.try_iter().take(4096) {
                if matches!(message, Message::Stop) {
                    return;
                }
                self.take(message);
            }
            self.work();
        }
    }

    fn wait(&self) -> Duration {
        let now = Instant::now();
        self.due
            .values()
            .map(|due| due.at)
            .chain(self.folders.values().map(|(at, _)| *at))
            .chain(self.sources.values().map(|source| source.next_sweep))
            .min()
            .map_or(SWEEP, |next| next.saturating_duration_since(now))
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Event(source, event) => self.event(source, event),
            Message::Watch(watched, cancel) => self.watch(watched, cancel),
            Message::Unwatch(source) => {
                self.sources.remove(&source);
                self.due.retain(|_, due| due.source != source);
                self.folders.retain(|_, (_, owner)| *owner != source);
            }
            Message::Rescan(source) => {
                if let Some(source) = self.sources.get_mut(&source) {
                    source.seen.clear();
                    source.next_sweep = Instant::now();
                }
            }
            Message::Settle(done) => {
                let ids: Vec<SourceId> = self.sources.keys().copied().collect();
                for id in ids {
                    self.sweep(id);
                }
                for due in self.due.values_mut() {
                    due.at = Instant::now();
                }
                self.work();
                let _ = done.send(());
            }
            Message::Stop => {}
        }
    }

    fn work(&mut self) {
        let now = Instant::now();
        let folders: Vec<(PathBuf, SourceId)> = self
            .folders
            .iter()
            .filter(|(_, (at, _))| *at <= now)
            .map(|(path, (_, source))| (path.clone(), *source))
            .collect();
        for (path, source) in folders {
            self.folders.remove(&path);
            self.look_into(&path, source);
        }
        let sweeps: Vec<SourceId> = self
            .sources
            .iter()
            .filter(|(_, source)| source.next_sweep <= now)
            .map(|(id, _)| *id)
            .collect();
        for source in sweeps {
            self.sweep(source);
        }
        let mut files: Vec<(Instant, PathBuf)> = self
            .due
            .iter()
            .filter(|(_, due)| due.at <= Instant::now())
            .map(|(path, due)| (due.at, path.clone()))
            .collect();
        files.sort();
        for (_, path) in files {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Some(due) = self.due.remove(&path) {
                self.read(&path, &due);
            }
        }
    }

    pub(super) fn tell(&self, source: SourceId, written: &Written) {
        if written.new.is_empty() && written.changed.is_empty() && written.gone.is_empty() {
            return;
        }
        (self.on_change)(Change::Memories {
            source,
            new: written.new.clone(),
            changed: written.changed.clone(),
            gone: written.gone.clone(),
        });
    }

    /// Notes a fault that was not noted before.
    pub(super) fn note_new_fault(&mut self, id: SourceId, path: &Path, reason: &str) {
        let fault = (path.to_path_buf(), reason.to_owned());
        if self
            .sources
            .get_mut(&id)
            .is_some_and(|source| source.faults.insert(fault))
        {
            self.note_fault(id, path, reason);
        }
    }

    pub(super) fn note_fault(&mut self, source: SourceId, path: &Path, reason: &str) {
        match journal::fault(&self.vault, Some(source), path, reason, (self.clock)()) {
            Ok(()) => (self.on_change)(Change::Errors {
                source,
                path: path.to_path_buf(),
            }),
            Err(error) => self.halt(&error),
        }
    }

    pub(super) fn halt(&mut self, error: &VaultError) {
        if !self.halted {
            self.halted = true;
            (self.on_change)(Change::Halted {
                reason: error.to_string(),
            });
        }
    }
}

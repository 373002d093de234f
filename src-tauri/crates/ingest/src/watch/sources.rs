//! What is watched, how, and where the system says that something changed.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use memory::{Millis, SourceId, SourceState, VaultError};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::mount::silent_file_system;
use super::worker::{Due, Message, SWEEP, Source, Worker};
use super::{Change, WatchState, Watched};
use crate::backfill::Job;
use crate::database::database_of;
use crate::intake::End;
use crate::journal;
use crate::report::{self, IngestError, Progress};
use crate::walk::{self, FileFound, left_alone, walk};

/// Events about a file within this time are one.
const DEBOUNCE: Duration = Duration::from_millis(60);
/// How often a source is looked at that the system cannot watch, or that is missing.
const POLL: Duration = Duration::from_millis(500);
/// How long after a new folder appeared it is looked at again: files written before the system
/// began to watch it are not reported.
const NEW_FOLDER: Duration = Duration::from_millis(250);
/// How long a file is gone before it counts as removed.
const REMOVED: Duration = Duration::from_secs(2);
/// A vault that refused is asked again after this time.
const RETRY: Duration = Duration::from_secs(1);

impl Worker {
    pub(super) fn watch(&mut self, watched: Watched, cancel: Arc<AtomicBool>) {
        let id = watched.source;
        self.sources.insert(
            id,
            Source {
                watched,
                cancel,
                state: WatchState {
                    state: SourceState::Paused,
                    reason: None,
                },
                watcher: None,
                seen: HashMap::new(),
                faults: HashSet::new(),
                next_sweep: Instant::now() + SWEEP,
            },
        );
        self.begin(id);
    }

    /// Watches first and reads then, so that nothing falls between.
    pub(super) fn begin(&mut self, id: SourceId) {
        let Some(source) = self.sources.get(&id) else {
            return;
        };
        let watched = source.watched.clone();
        let cancel = Arc::clone(&source.cancel);
        if !watched.path.exists() {
            let reason = "the folder or file is not there".to_owned();
            self.set_state(id, SourceState::Missing, Some(reason), POLL);
            return;
        }
        let walked = walk(std::slice::from_ref(&watched.path));
        let watching = self.notifications(id, &watched.path);
        self.set_state(id, SourceState::Backfilling, None, SWEEP);
        if let Some(source) = self.sources.get_mut(&id) {
            source.seen = sizes(&walked.files);
            for (path, reason) in &walked.errors {
                source.faults.insert((path.clone(), reason.clone()));
            }
        }
        match self.backfill(&watched, &walked, &cancel) {
            Ok(()) => self.halted = false,
            Err(IngestError::Vault(error)) => {
                self.halt(&error);
                if let Some(source) = self.sources.get_mut(&id) {
                    source.seen.clear();
                }
            }
            Err(error @ IngestError::UnknownFormat) => {
                return self.set_state(id, SourceState::Paused, Some(error.to_string()), SWEEP);
            }
        }
        match watching {
            Ok(watcher) => {
                if let Some(source) = self.sources.get_mut(&id) {
                    source.watcher = Some(watcher);
                }
                self.set_state(id, SourceState::Watching, None, SWEEP);
            }
            Err(reason) => self.set_state(id, SourceState::Polling, Some(reason), POLL),
        }
        if self.halted
            && let Some(source) = self.sources.get_mut(&id)
        {
            source.next_sweep = Instant::now() + RETRY;
        }
    }

    pub(super) fn backfill(
        &self,
        watched: &Watched,
        walked: &walk::Walked,
        cancel: &AtomicBool,
    ) -> Result<(), IngestError> {
        let source = watched.source;
        let job = Job {
            vault: &self.vault,
            source: Some(source),
            options: &watched.options,
            now: &*self.clock,
            cancel,
        };
        let mut last = Progress::default();
        job.run(
            walked,
            &mut |progress| {
                last = progress.clone();
                (self.on_change)(Change::Progress {
                    source,
                    progress,
                    finished: false,
                });
            },
            &mut |written| self.tell(source, written),
        )?;
        last.files_done = last.files_total;
        (self.on_change)(Change::Progress {
            source,
            progress: last,
            finished: true,
        });
        Ok(())
    }

    /// Asks the system to report changes; the reason, in plain words, when it cannot.
    pub(super) fn notifications(
        &self,
        id: SourceId,
        path: &Path,
    ) -> Result<RecommendedWatcher, String> {
        let remedy = "Looking for changes twice a second instead.";
        if let Some(kind) = silent_file_system(path) {
            return Err(format!(
                "A {kind} file system doesn't report what other machines write. {remedy}"
            ));
        }
        let inbox = self.messages.clone();
        let in_words = |error: &notify::Error| match &error.kind {
            notify::ErrorKind::MaxFilesWatch => format!(
                "The system's limit of watched folders is reached (fs.inotify.max_user_watches). \
                 {remedy} Raise the limit and watch the folder again to follow it live."
            ),
            notify::ErrorKind::Io(error) => {
                format!(
                    "The system cannot watch it: {}. {remedy}",
                    report::in_words(error)
                )
            }
            _ => format!("The system cannot watch it. {remedy}"),
        };
        let mut watcher = notify::recommended_watcher(move |event| {
            let _ = inbox.send(Message::Event(id, event));
        })
        .map_err(|error| in_words(&error))?;
        if path.is_dir() {
            watcher
                .watch(path, RecursiveMode::Recursive)
                .map_err(|error| in_words(&error))?;
        } else {
            // A file that is replaced is another file: its folder is what stays.
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            watcher
                .watch(folder, RecursiveMode::NonRecursive)
                .map_err(|error| in_words(&error))?;
        }
        Ok(watcher)
    }

    pub(super) fn set_state(
        &mut self,
        id: SourceId,
        state: SourceState,
        reason: Option<String>,
        sweep: Duration,
    ) {
        let Some(source) = self.sources.get_mut(&id) else {
            return;
        };
        source.next_sweep = Instant::now() + sweep;
        let new = WatchState { state, reason };
        if source.state == new {
            return;
        }
        source.state = new.clone();
        let stored = self
            .vault
            .write(|writer| writer.sources().set_state(id, state, new.reason.as_deref()));
        match stored {
            // Removed meanwhile: its unwatching is on the way.
            Ok(()) | Err(VaultError::NotFound) => {}
            Err(error) => self.halt(&error),
        }
        (self.on_change)(Change::State {
            source: id,
            state: new,
        });
    }

    /// Compares a source with the disk and schedules what differs.
    pub(super) fn sweep(&mut self, id: SourceId) {
        let Some(source) = self.sources.get_mut(&id) else {
            return;
        };
        let path = source.watched.path.clone();
        let state = source.state.state;
        if !path.exists() {
            source.watcher = None;
            source.seen.clear();
            let reason = "the folder or file is not there".to_owned();
            return self.set_state(id, SourceState::Missing, Some(reason), POLL);
        }
        if matches!(state, SourceState::Missing) {
            return self.begin(id);
        }
        source.next_sweep = Instant::now()
            + if source.watcher.is_some() {
                SWEEP
            } else {
                POLL
            };
        let walked = walk(std::slice::from_ref(&path));
        let Some(source) = self.sources.get_mut(&id) else {
            return;
        };
        let new = sizes(&walked.files);
        let at = Instant::now();
        for found in &walked.files {
            if source.seen.get(&found.identity) != new.get(&found.identity) {
                self.due.entry(found.path.clone()).or_insert(Due {
                    at,
                    source: id,
                    end: End::Wait,
                });
            }
        }
        let unnoted: Vec<(PathBuf, String)> = walked
            .errors
            .iter()
            .filter(|fault| source.faults.insert((*fault).clone()))
            .cloned()
            .collect();
        source.seen = new;
        match journal::removed(&self.vault, &walked, (self.clock)()) {
            Ok(all) => all.iter().for_each(|(_, written)| self.tell(id, written)),
            Err(error) => self.halt(&error),
        }
        for (path, reason) in unnoted {
            self.note_fault(id, &path, &reason);
        }
    }

    pub(super) fn event(&mut self, id: SourceId, event: notify::Result<notify::Event>) {
        let Some(source) = self.sources.get_mut(&id) else {
            return;
        };
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                // Folders may be unwatched from now on.
                source.next_sweep = Instant::now();
                source.seen.clear();
                if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) {
                    source.watcher = None;
                    let reason = "The system's limit of watched folders is reached \
                                  (fs.inotify.max_user_watches). Looking for changes twice a second \
                                  instead. Raise the limit and watch the folder again to follow it live.";
                    self.set_state(
                        id,
                        SourceState::Polling,
                        Some(reason.to_owned()),
                        Duration::ZERO,
                    );
                }
                return;
            }
        };
        if event.need_rescan() {
            source.seen.clear();
            source.next_sweep = Instant::now();
        }
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let root = source.watched.path.clone();
        let removed = matches!(event.kind, EventKind::Remove(_));
        for path in event.paths {
            // What is written into a database goes into its log first.
            let path = database_of(&path).unwrap_or(path);
            if removed {
                if let Some(source) = self.sources.get_mut(&id) {
                    // A file that is replaced is gone for a moment only.
                    let wait = if path == root { DEBOUNCE } else { REMOVED };
                    source.next_sweep = source.next_sweep.min(Instant::now() + wait);
                }
                continue;
            }
            if path.is_dir() {
                if matches!(
                    event.kind,
                    EventKind::Create(_)
                        | EventKind::Modify(notify::event::ModifyKind::Name(_))
                        | EventKind::Any
                ) {
                    self.look_into(&path, id);
                    self.folders.insert(path, (Instant::now() + NEW_FOLDER, id));
                }
            } else if path == root || (root.is_dir() && left_alone(&root, &path).is_none()) {
                self.schedule(path, id, DEBOUNCE, End::Wait);
            }
        }
    }

    pub(super) fn look_into(&mut self, folder: &Path, id: SourceId) {
        for found in walk(&[folder.to_path_buf()]).files {
            self.schedule(found.path, id, DEBOUNCE, End::Wait);
        }
    }

    /// The first event decides when a file is read, so that a busy one is not put off for ever.
    pub(super) fn schedule(&mut self, path: PathBuf, source: SourceId, after: Duration, end: End) {
        let at = Instant::now() + after;
        let due = self.due.entry(path).or_insert(Due { at, source, end });
        due.end = end;
        due.at = due.at.min(at);
    }
}

fn sizes(files: &[FileFound]) -> HashMap<String, (u64, Option<Millis>)> {
    files
        .iter()
        .map(|found| (found.identity.clone(), (found.size, found.modified)))
        .collect()
}

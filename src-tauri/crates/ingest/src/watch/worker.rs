//! The watcher's thread.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use memory::{FileRow, Millis, SourceId, SourceState, Vault, VaultError};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::mount::silent_file_system;
use super::{Change, Clock, WatchState, Watched};
use crate::backfill::Job;
use crate::identity::identity_of;
use crate::intake::{End, Fault, Session};
use crate::journal::{self, FilePart, Next, Written};
use crate::report::IngestError;
use crate::walk::{self, FileFound, belongs, modified, walk};

/// Events about a file within this time are one.
const DEBOUNCE: Duration = Duration::from_millis(60);
/// An entry that may still grow is given out after this time.
const OPEN_ENTRY: Duration = Duration::from_millis(300);
/// A line without its end is taken after this time.
const QUIET_LINE: Duration = Duration::from_secs(2);
/// How often a source is looked at that the system cannot watch, or that is missing.
const POLL: Duration = Duration::from_millis(500);
/// How often any other is compared with the disk, in case events got lost.
const SWEEP: Duration = Duration::from_secs(30);
/// How long after a new folder appeared it is looked at again: files written before the system
/// began to watch it are not reported.
const NEW_FOLDER: Duration = Duration::from_millis(250);
/// A vault that refused is asked again after this time.
const RETRY: Duration = Duration::from_secs(1);
/// Files kept open with their parsers. Others are reopened and their beginnings read again.
const OPEN_FILES: usize = 64;
/// Records of one transaction.
const BATCH: usize = 1000;

pub(super) enum Message {
    Event(SourceId, notify::Result<notify::Event>),
    Watch(Watched),
    Unwatch(SourceId),
    Rescan(SourceId),
    Settle(Sender<()>),
    Stop,
}

struct Source {
    watched: Watched,
    state: WatchState,
    /// Absent while polling or missing.
    watcher: Option<RecommendedWatcher>,
    /// Size and time of the files when last looked at, by identity.
    seen: HashMap<String, (u64, Option<Millis>)>,
    /// Faults that were noted, so that they are noted once.
    faults: HashSet<(PathBuf, String)>,
    next_sweep: Instant,
}

struct Due {
    at: Instant,
    source: SourceId,
    end: End,
}

struct Open {
    session: Session,
    row: Option<FileRow>,
    used: u64,
}

pub(super) struct Worker {
    vault: Vault,
    clock: Clock,
    on_change: Box<dyn Fn(Change) + Send>,
    messages: Sender<Message>,
    stop: Arc<AtomicBool>,
    sources: BTreeMap<SourceId, Source>,
    due: HashMap<PathBuf, Due>,
    folders: HashMap<PathBuf, (Instant, SourceId)>,
    open: HashMap<String, Open>,
    uses: u64,
    halted: bool,
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
            // A burst is taken in whole before files are read, so that it is debounced.
            while let Ok(message) = inbox.try_recv() {
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
            Message::Watch(watched) => self.watch(watched),
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

    // ---- sources

    fn watch(&mut self, watched: Watched) {
        let id = watched.source;
        self.sources.insert(
            id,
            Source {
                watched,
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
    fn begin(&mut self, id: SourceId) {
        let Some(source) = self.sources.get(&id) else {
            return;
        };
        let watched = source.watched.clone();
        if !watched.path.exists() {
            let reason = "the folder or file is not there".to_owned();
            self.set_state(id, SourceState::Missing, Some(reason), POLL);
            return;
        }
        let walked = walk(std::slice::from_ref(&watched.path));
        let watching = self.notifications(id, &watched.path, &walked.linked_folders);
        self.set_state(id, SourceState::Backfilling, None, SWEEP);
        if let Some(source) = self.sources.get_mut(&id) {
            source.seen = sizes(&walked.files);
            for (path, reason) in &walked.errors {
                source.faults.insert((path.clone(), reason.clone()));
            }
        }
        match self.backfill(&watched, &walked) {
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

    fn backfill(&self, watched: &Watched, walked: &walk::Walked) -> Result<(), IngestError> {
        let source = watched.source;
        let job = Job {
            vault: &self.vault,
            source: Some(source),
            paths: std::slice::from_ref(&watched.path),
            options: &watched.options,
            now: &*self.clock,
            cancel: &self.stop,
        };
        let mut last = crate::report::Progress::default();
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
    fn notifications(
        &self,
        id: SourceId,
        path: &Path,
        linked: &[PathBuf],
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
                    walk::in_words(error)
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
            for folder in linked {
                watcher
                    .watch(folder, RecursiveMode::Recursive)
                    .map_err(|error| in_words(&error))?;
            }
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

    fn set_state(
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
    fn sweep(&mut self, id: SourceId) {
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
            .into_iter()
            .filter(|fault| source.faults.insert(fault.clone()))
            .collect();
        source.seen = new;
        for (path, reason) in unnoted {
            self.note_fault(id, &path, &reason);
        }
    }

    // ---- events

    fn event(&mut self, id: SourceId, event: notify::Result<notify::Event>) {
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
            if removed {
                if path == root {
                    if let Some(source) = self.sources.get_mut(&id) {
                        source.next_sweep = Instant::now() + DEBOUNCE;
                    }
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
            } else if path == root || (root.is_dir() && belongs(&path)) {
                self.schedule(path, id, DEBOUNCE, End::Wait);
            }
        }
    }

    fn look_into(&mut self, folder: &Path, id: SourceId) {
        for found in walk(&[folder.to_path_buf()]).files {
            self.schedule(found.path, id, DEBOUNCE, End::Wait);
        }
    }

    /// The first event decides when a file is read, so that a busy one is not put off for ever.
    fn schedule(&mut self, path: PathBuf, source: SourceId, after: Duration, end: End) {
        let at = Instant::now() + after;
        let due = self.due.entry(path).or_insert(Due { at, source, end });
        due.end = end;
        due.at = due.at.min(at);
    }

    // ---- files

    fn read(&mut self, path: &Path, due: &Due) {
        let Ok(metadata) = std::fs::metadata(path) else {
            return;
        };
        if !metadata.is_file() {
            return;
        }
        let found = FileFound {
            path: path.to_path_buf(),
            identity: identity_of(path, &metadata),
            size: metadata.len(),
            modified: modified(&metadata),
        };
        if let Some(source) = self.sources.get_mut(&due.source) {
            source
                .seen
                .insert(found.identity.clone(), (found.size, found.modified));
        }
        if let Err(error) = self
            .rest_of_rotated(&found, due.source)
            .and_then(|()| self.read_on(&found, due))
        {
            self.halt(&error);
            self.open.remove(&found.identity);
            self.due.insert(
                path.to_path_buf(),
                Due {
                    at: Instant::now() + RETRY,
                    source: due.source,
                    end: due.end,
                },
            );
        } else {
            self.halted = false;
        }
    }

    /// When another file stands under a known name, the old one may have unread lines and a name
    /// that nobody would look at (`app.log.old`).
    fn rest_of_rotated(&mut self, found: &FileFound, source: SourceId) -> Result<(), VaultError> {
        if self.open.contains_key(&found.identity) {
            return Ok(());
        }
        let name = found.path.to_string_lossy();
        let old = self.vault.read(|reader| {
            if reader.files().by_identity(&found.identity)?.is_some() {
                return Ok(None);
            }
            reader.files().by_path(&name)
        })?;
        let (Some(old), Some(folder)) = (old, found.path.parent()) else {
            return Ok(());
        };
        let Ok(neighbours) = std::fs::read_dir(folder) else {
            return Ok(());
        };
        for neighbour in neighbours.flatten() {
            let path = neighbour.path();
            let Ok(metadata) = std::fs::metadata(&path) else {
                continue;
            };
            if metadata.is_file() && identity_of(&path, &metadata) == old.identity {
                let rotated = FileFound {
                    identity: old.identity.clone(),
                    size: metadata.len(),
                    modified: modified(&metadata),
                    path,
                };
                let due = Due {
                    at: Instant::now(),
                    source,
                    end: End::Quiet,
                };
                return self.read_on(&rotated, &due);
            }
        }
        Ok(())
    }

    fn read_on(&mut self, found: &FileFound, due: &Due) -> Result<(), VaultError> {
        let Some(source) = self.sources.get(&due.source) else {
            return Ok(());
        };
        let options = source.watched.options.clone();
        let kept = self
            .open
            .remove(&found.identity)
            .and_then(|mut open| open.session.goes_on().then_some(open));
        let (mut session, mut row, found) = match kept {
            Some(mut open) => {
                open.session.touched(found.modified);
                (open.session, open.row, found.clone())
            }
            None => match journal::begin(Some(&self.vault), found, &options)? {
                Next::Read(begun) => (begun.session, begun.row, begun.found),
                Next::Unchanged => return Ok(()),
                Next::Fault(Fault::Nothing) => return Ok(()),
                Next::Fault(Fault::Unreadable(reason)) => {
                    let new = self.sources.get_mut(&due.source).is_some_and(|source| {
                        source.faults.insert((found.path.clone(), reason.clone()))
                    });
                    if new {
                        self.note_fault(due.source, &found.path, &reason);
                    }
                    return Ok(());
                }
            },
        };
        loop {
            let part = match session.next_part(BATCH, due.end) {
                Ok(part) => part,
                Err(_) => return Ok(()),
            };
            let (end, pending) = (part.end, part.pending);
            if part.bytes > 0 || !part.outcomes.is_empty() || row.is_none() {
                let mut parts = [FilePart {
                    found: found.clone(),
                    row: row.take(),
                    source: Some(due.source),
                    format: session.format.name(),
                    mapping: session.mapping(),
                    part,
                }];
                for written in journal::store(&self.vault, &mut parts, (self.clock)())? {
                    self.tell(due.source, &written);
                    if !written.errors.is_empty() {
                        (self.on_change)(Change::Errors {
                            source: due.source,
                            path: found.path.clone(),
                        });
                    }
                    row = written.row;
                }
            }
            if end {
                let next = match due.end {
                    End::Wait => Some((OPEN_ENTRY, End::GiveOut)),
                    End::GiveOut => Some((QUIET_LINE, End::Quiet)),
                    End::Quiet => None,
                };
                if let (true, Some((after, end))) = (pending, next) {
                    self.schedule(found.path.clone(), due.source, after, end);
                }
                break;
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
        if !session.format.rewritten() {
            self.keep(found.identity, session, row);
        }
        Ok(())
    }

    fn keep(&mut self, identity: String, session: Session, row: Option<FileRow>) {
        self.uses += 1;
        let used = self.uses;
        self.open.insert(identity, Open { session, row, used });
        if self.open.len() > OPEN_FILES
            && let Some(oldest) = self
                .open
                .iter()
                .min_by_key(|(_, open)| open.used)
                .map(|(identity, _)| identity.clone())
        {
            self.open.remove(&oldest);
        }
    }

    // ---- telling

    fn tell(&self, source: SourceId, written: &Written) {
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

    fn note_fault(&mut self, source: SourceId, path: &Path, reason: &str) {
        match journal::fault(&self.vault, Some(source), path, reason, (self.clock)()) {
            Ok(()) => (self.on_change)(Change::Errors {
                source,
                path: path.to_path_buf(),
            }),
            Err(error) => self.halt(&error),
        }
    }

    fn halt(&mut self, error: &VaultError) {
        if !self.halted {
            self.halted = true;
            (self.on_change)(Change::Halted {
                reason: error.to_string(),
            });
        }
    }
}

fn sizes(files: &[FileFound]) -> HashMap<String, (u64, Option<Millis>)> {
    files
        .iter()
        .map(|found| (found.identity.clone(), (found.size, found.modified)))
        .collect()
}

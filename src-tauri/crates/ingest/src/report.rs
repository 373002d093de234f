//! What reading did, or would do, in numbers and plain words, without a word of the text itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use memory::{Millis, NewMemory};

use crate::taken::Taken;
use crate::tally::add;

/// How to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The name of a format, or `None` (also `auto`) to recognise it per file.
    pub format: Option<String>,
    /// Sub-agents' transcripts too.
    pub subagents: bool,
    /// Projects of which nothing is taken in, as `org` of their memories' scopes.
    pub left_out: BTreeSet<String>,
}

impl Options {
    /// The format that was asked for, `auto` meaning none.
    pub(crate) fn wanted_format(&self) -> Option<&str> {
        self.format
            .as_deref()
            .filter(|name| !name.is_empty() && *name != "auto")
    }

    /// Whether a memory belongs to a project that is left out.
    pub(crate) fn leaves_out(&self, memory: &NewMemory) -> bool {
        self.left_out.contains(&memory.scope.org)
    }
}

/// What a dry run met of one project, left out or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Its conversations.
    pub sessions: BTreeSet<String>,
    /// When its first record that has a time was made.
    pub first: Option<Millis>,
    /// The same of its last.
    pub last: Option<Millis>,
    /// What would be memories, by kind.
    pub kinds: BTreeMap<String, u32>,
}

impl Project {
    pub(crate) fn count(&mut self, memory: &NewMemory) {
        if let Some(session) = &memory.scope.session {
            self.sessions.insert(session.clone());
        }
        if let Some(at) = memory.created_at {
            self.first = Some(self.first.map_or(at, |first| first.min(at)));
            self.last = Some(self.last.map_or(at, |last| last.max(at)));
        }
        add(&mut self.kinds, memory.kind.as_str(), 1);
    }
}

/// Something that could not be read. The rest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file or folder.
    pub path: PathBuf,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong, in plain words; never a piece of the text.
    pub reason: String,
}

/// How many errors a report carries in full; the rest is only counted.
pub(crate) const ERRORS_KEPT: usize = 200;

/// What reading did, or would do.
///
/// The counts add up: `records` = `stored` + the sum of `skipped`; a line that could not be read
/// is no record and counts in `error_count` instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files read.
    pub files: u32,
    /// Files met in a folder and left alone, since they hold no agent's memory.
    pub other_files: u32,
    /// The same by reason, closed folders counting as one each.
    pub left_alone: BTreeMap<String, u32>,
    /// Bytes read.
    pub bytes: u64,
    /// Records found.
    pub records: u32,
    /// Memories stored (or that would be).
    pub stored: u32,
    /// Records left out, by reason.
    pub skipped: BTreeMap<String, u32>,
    /// Files by format.
    pub formats: BTreeMap<String, u32>,
    /// For formats that are guessed: which key was taken for what, by format.
    pub mappings: BTreeMap<String, String>,
    /// The first 200 errors.
    pub errors: Vec<ReadError>,
    /// How many errors in all.
    pub error_count: u32,
    /// What a dry run met, by project; a backfill leaves it empty.
    pub projects: BTreeMap<String, Project>,
    /// Remarks that are no errors, such as bytes that were not UTF-8, with their number.
    pub notes: BTreeMap<String, u32>,
    /// True when it was stopped before the end.
    pub cancelled: bool,
    /// What was taken of the files that a person named.
    pub(crate) named: Taken,
}

impl Report {
    pub(crate) fn error(&mut self, path: &Path, line: u64, reason: impl Into<String>) {
        self.error_count += 1;
        if self.errors.len() < ERRORS_KEPT {
            self.errors.push(ReadError {
                path: path.to_path_buf(),
                line,
                reason: reason.into(),
            });
        }
    }

    /// An error of a file as a whole that is not to be lost behind those of its lines.
    pub(crate) fn error_first(&mut self, path: &Path, reason: String) {
        self.error_count += 1;
        self.errors.truncate(ERRORS_KEPT - 1);
        self.errors.insert(
            0,
            ReadError {
                path: path.to_path_buf(),
                line: 0,
                reason,
            },
        );
    }

    /// Says of which of the files that a person named nothing was taken.
    pub(crate) fn note_nothing_taken(&mut self) {
        for (path, reason) in std::mem::take(&mut self.named).nothing() {
            let said = |error: &ReadError| error.path == path && error.line == 0;
            if !self.errors.iter().any(said) {
                self.error_first(&path, reason);
            }
        }
    }

    pub(crate) fn leave_alone(&mut self, reason: &str, count: u32) {
        self.other_files += count;
        add(&mut self.left_alone, reason, count);
    }

    pub(crate) fn skip(&mut self, reason: &str, count: u32) {
        add(&mut self.skipped, reason, count);
    }

    /// Counts what would be a memory to its project.
    pub(crate) fn met(&mut self, memory: &NewMemory) {
        let project = memory.scope.org.clone();
        self.projects.entry(project).or_default().count(memory);
    }

    pub(crate) fn note(&mut self, note: &str, count: u32) {
        add(&mut self.notes, note, count);
    }
}

/// How far a backfill is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files read to the end.
    pub files_done: u32,
    /// Files in all.
    pub files_total: u32,
    /// Bytes read.
    pub bytes_done: u64,
    /// Bytes in all, as the files were when it began.
    pub bytes_total: u64,
    /// Records found so far.
    pub records: u32,
    /// Memories stored so far.
    pub stored: u32,
}

/// Reading had to stop as a whole. Faults of single files and lines are never of this kind: they
/// are in the [`Report`].
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The vault refused.
    #[error(transparent)]
    Vault(#[from] memory::VaultError),
    /// [`Options::format`] names no format.
    #[error("no format of this name")]
    UnknownFormat,
}

/// An error of the operating system, in plain words.
pub(crate) fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
        ErrorKind::FileTooLarge => "unpacked it is longer than 256 MiB: unpack it first".to_owned(),
        kind => format!("cannot be read: {kind}"),
    }
}

//! Reads a file that changed, and keeps it open for the next time.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use memory::{FileRow, SourceId, VaultError};

use super::Change;
use super::worker::{Due, Open, Worker};
use crate::archive;
use crate::database::{self, LOCKED};
use crate::fault::Fault;
use crate::identity::{identity_of, path_text};
use crate::intake::End;
use crate::journal::{self, Begun, Next};
use crate::reading::Reading;
use crate::walk::{self, FileFound, modified};

/// An entry that may still grow is given out after this time.
const OPEN_ENTRY: Duration = Duration::from_millis(300);
/// A line without its end is taken after this time.
const QUIET_LINE: Duration = Duration::from_secs(2);
/// A database that is locked is tried again after this time.
const LOCKED_RETRY: Duration = Duration::from_secs(5);
/// A database rests this many times as long as reading it took: a table without an index is searched
/// as a whole for what is new.
const REST: u32 = 5;
/// A vault that refused is asked again after this time.
const RETRY: Duration = Duration::from_secs(1);
/// Files kept open with their parsers. Others are reopened and their beginnings read again.
const OPEN_FILES: usize = 64;
/// Records of one transaction.
const BATCH: usize = 1000;

impl Worker {
    pub(super) fn read(&mut self, path: &Path, due: &Due) {
        let Some(source) = self.sources.get(&due.source) else {
            return;
        };
        let Some(found) = walk::one(&source.watched.path, path) else {
            return;
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
    pub(super) fn rest_of_rotated(
        &mut self,
        found: &FileFound,
        source: SourceId,
    ) -> Result<(), VaultError> {
        if self.open.contains_key(&found.identity) {
            return Ok(());
        }
        let name = path_text(&found.path);
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
                let rotated = FileFound::new(path, &metadata, false);
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

    /// Reads what is new in a file, or in the files of an archive. One that is not whole yet is
    /// looked at again when it is quiet.
    pub(super) fn read_on(&mut self, found: &FileFound, due: &Due) -> Result<(), VaultError> {
        let content = match archive::look(found) {
            None => return self.read_file(found, due),
            Some(Ok(content)) => content,
            Some(Err(reason)) if due.end == End::Quiet => {
                self.note_new_fault(due.source, &found.path, &reason);
                return Ok(());
            }
            Some(Err(_)) => {
                self.schedule(found.path.clone(), due.source, QUIET_LINE, End::Quiet);
                return Ok(());
            }
        };
        for (found, reason) in &content.faults {
            self.note_new_fault(due.source, &found.path, reason);
        }
        let due = Due {
            end: End::Quiet,
            ..*due
        };
        for member in &content.members {
            self.read_file(member, &due)?;
        }
        Ok(())
    }

    fn read_file(&mut self, found: &FileFound, due: &Due) -> Result<(), VaultError> {
        if found.member.is_some() || !database::is_database_name(&found.path) {
            return self.read_parts(found, due);
        }
        let began = Instant::now();
        if let Some(rests) = self.resting.get(&found.path)
            && let Some(left) = rests.checked_duration_since(began)
            && due.end != End::Quiet
        {
            self.schedule(found.path.clone(), due.source, left, due.end);
            return Ok(());
        }
        let read = self.read_parts(found, due);
        let rest = began.elapsed() * REST;
        self.resting
            .insert(found.path.clone(), Instant::now() + rest);
        read
    }

    fn read_parts(&mut self, found: &FileFound, due: &Due) -> Result<(), VaultError> {
        let Some(source) = self.sources.get(&due.source) else {
            return Ok(());
        };
        let options = source.watched.options.clone();
        let kept = self
            .open
            .remove(&found.identity)
            .and_then(|mut open| open.reading.goes_on().then_some(open));
        let mut begun = match kept {
            Some(mut open) => {
                open.reading.touched(found.modified, (self.clock)());
                Begun::followed(found.clone(), open.reading, open.row)
            }
            None => match journal::begin(Some(&self.vault), found, &options, (self.clock)())? {
                Next::Read(begun) => *begun,
                Next::Unchanged
                | Next::Fault(Fault::Nothing | Fault::Unfinished | Fault::Foreign(_)) => {
                    return Ok(());
                }
                Next::Emptied(row) if due.end == End::Quiet => {
                    let written = journal::emptied(&self.vault, &row, (self.clock)())?;
                    self.tell(due.source, &written);
                    return Ok(());
                }
                Next::Emptied(_) => {
                    self.schedule(found.path.clone(), due.source, QUIET_LINE, End::Quiet);
                    return Ok(());
                }
                Next::Fault(Fault::Unreadable(reason)) => {
                    self.note_fault_of(found, due, &reason);
                    return Ok(());
                }
            },
        };
        loop {
            let part = match begun.reading.next_part(BATCH, due.end) {
                Ok(part) => part,
                Err(Fault::Nothing | Fault::Unfinished | Fault::Foreign(_)) => return Ok(()),
                Err(Fault::Unreadable(reason)) => {
                    self.note_fault_of(&begun.found, due, &reason);
                    return Ok(());
                }
            };
            let (end, pending) = (part.end, part.pending);
            if part.bytes > 0 || !part.outcomes.is_empty() || begun.row.is_none() {
                let mut parts = [begun.part(Some(due.source), &options, part)];
                for written in journal::store(&self.vault, &mut parts, (self.clock)())? {
                    self.tell(due.source, &written);
                    if !written.errors.is_empty() {
                        (self.on_change)(Change::Errors {
                            source: due.source,
                            path: begun.found.path.clone(),
                        });
                    }
                    begun.row = written.row;
                }
            }
            if end {
                let next = match due.end {
                    End::Wait => Some((OPEN_ENTRY, End::GiveOut)),
                    End::GiveOut => Some((QUIET_LINE, End::Quiet)),
                    End::Quiet => None,
                };
                if let (true, Some((after, end))) = (pending, next) {
                    self.schedule(begun.found.path.clone(), due.source, after, end);
                }
                break;
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
        if begun.reading.keeps() {
            self.keep(begun.found.identity, begun.reading, begun.row);
        }
        Ok(())
    }

    /// Notes why a file was not read. A database that its program keeps to itself is tried again, and
    /// only one that stays so is worth a word.
    fn note_fault_of(&mut self, found: &FileFound, due: &Due, reason: &str) {
        if reason == LOCKED {
            self.schedule(found.path.clone(), due.source, LOCKED_RETRY, End::Quiet);
            if due.end != End::Quiet {
                return;
            }
        }
        // What is being written anew is looked at again.
        if !is_rewritten_now(found) {
            self.note_new_fault(due.source, &found.path, reason);
        }
    }

    pub(super) fn keep(&mut self, identity: String, reading: Reading, row: Option<FileRow>) {
        self.uses += 1;
        let used = self.uses;
        self.open.insert(identity, Open { reading, row, used });
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
}

/// Whether the archive in which a file lies was written again since it was looked into.
fn is_rewritten_now(found: &FileFound) -> bool {
    let archive = |path: &Path| {
        std::fs::metadata(path)
            .ok()
            .filter(std::fs::Metadata::is_file)
    };
    let archive = found.path.ancestors().skip(1).find_map(archive);
    found.member.is_some() && archive.is_some_and(|archive| modified(&archive) != found.modified)
}

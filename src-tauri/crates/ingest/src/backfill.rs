//! Takes in what is already there: batches of records across files, one transaction each.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memory::{Millis, SourceId, Vault};

use crate::archive;
use crate::database::is_database_name;
use crate::fault::Fault;
use crate::format::{self, Outcome, digest, reason};
use crate::intake::End;
use crate::journal::{self, Begun, FilePart, Next, Written};
use crate::report::{IngestError, Options, Progress, Report};
use crate::tally::add;
use crate::walk::{FileFound, Walked, walk};

/// Most records of one transaction.
const BATCH: usize = 1000;
/// Most bytes read for one transaction.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;
/// A file that wasn't written for this long is taken for finished, its last line included.
const QUIET: Millis = 2000;

/// Reads everything and stores nothing: what a backfill of these paths into an empty vault would do
/// at that moment.
pub fn dry_run(paths: &[PathBuf], options: &Options, now: Millis) -> Report {
    let walked = walk(paths);
    let mut report = Report::default();
    begin_report(&mut report, &walked);
    let mut seen = Seen::default();
    for found in &walked.files {
        let unfolded = unfold(found, &mut report);
        for (found, fault) in &unfolded.faults {
            note_fault(&mut report, found, fault);
        }
        let mut any = false;
        for found in &unfolded.files {
            any |= foretell(found, options, now, &mut seen, &mut report);
        }
        unfolded.note_nothing(found, any, &mut report);
    }
    report.note_nothing_taken();
    report
}

/// What reading a file would do; whether it would be read at all.
fn foretell(
    found: &FileFound,
    options: &Options,
    now: Millis,
    seen: &mut Seen,
    report: &mut Report,
) -> bool {
    match journal::begin(None, found, options, now) {
        Ok(Next::Read(mut begun)) => {
            note_file(report, &begun);
            loop {
                match begun.reading.next_part(BATCH, End::Quiet) {
                    Ok(part) => {
                        report.bytes += part.bytes;
                        let mut written = Written::default();
                        for outcome in part.outcomes {
                            seen.count(outcome, options, report, &mut written);
                        }
                        count(report, &found.path, &written);
                        if part.end {
                            note_pending(report, part.pending);
                            break;
                        }
                    }
                    Err(fault) => {
                        note_fault(report, found, &fault);
                        break;
                    }
                }
            }
            note_mapping(report, &begun);
        }
        Ok(Next::Fault(fault)) => {
            note_fault(report, found, &fault);
            return false;
        }
        // Without a vault there is nothing to compare with and nothing to fail.
        Ok(Next::Unchanged | Next::Emptied(_)) | Err(_) => {}
    }
    true
}

/// What a dry run has met, so that it counts like a vault would.
#[derive(Default)]
struct Seen {
    keys: HashSet<String>,
    texts: HashSet<String>,
}

impl Seen {
    fn count(
        &mut self,
        outcome: Outcome,
        options: &Options,
        report: &mut Report,
        written: &mut Written,
    ) {
        match outcome {
            Outcome::Memory(memory) | Outcome::Grown(memory) => {
                written.records += 1;
                let scope = &memory.scope;
                if options.leaves_out(&memory) {
                    report.met(&memory);
                    return add(&mut written.skipped, reason::PROJECT, 1);
                }
                let file = match (&scope.session, &memory.provenance) {
                    (None, Some(from)) => from.path.as_str(),
                    _ => "",
                };
                let text = hex::encode(memory::fingerprint_of(&memory));
                let key = [&scope.org, &scope.agent, &memory.source_key, file, &text];
                if !self.keys.insert(digest(&key)) {
                    return add(&mut written.skipped, "already stored", 1);
                }
                if self.texts.insert(text) {
                    written.stored += 1;
                    report.met(&memory);
                } else {
                    add(&mut written.skipped, "repeated", 1);
                }
            }
            Outcome::Skip(reason) => {
                written.records += 1;
                add(&mut written.skipped, &reason, 1);
            }
            Outcome::Malformed(line, reason) => written.errors.push((line, reason)),
            Outcome::TakenBack { .. } => {}
            Outcome::Note(note) => add(&mut written.notes, note, 1),
        }
    }
}

/// Takes in everything below the paths that is not in the vault yet.
///
/// Oldest file first, in batches of at most 1,000 records; a batch's memories and the positions of
/// its files are one transaction, so that a crash or a cancellation loses nothing and doubles
/// nothing. `progress` is told after each batch. What cannot be read is in the report and stops
/// nothing else.
///
/// # Errors
/// [`IngestError::Vault`] when the vault refuses (locked, disk full); what was committed stays.
/// [`IngestError::UnknownFormat`].
pub fn backfill(
    vault: &Vault,
    source: Option<SourceId>,
    paths: &[PathBuf],
    options: &Options,
    now: &dyn Fn() -> Millis,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<Report, IngestError> {
    let walked = walk(paths);
    let job = Job {
        vault,
        source,
        options,
        now,
        cancel,
    };
    job.run(&walked, progress, &mut |_| {})
}

/// One backfill.
pub(crate) struct Job<'a> {
    pub vault: &'a Vault,
    pub source: Option<SourceId>,
    pub options: &'a Options,
    pub now: &'a dyn Fn() -> Millis,
    pub cancel: &'a AtomicBool,
}

/// Parts that wait for their transaction.
#[derive(Default)]
struct Batch {
    parts: Vec<FilePart>,
    records: usize,
    bytes: u64,
}

impl Batch {
    /// Whether a part waits for the row that this file is to be noted in.
    fn holds(&self, next: &Next) -> bool {
        let row = match next {
            Next::Read(begun) => begun.row.as_ref(),
            Next::Emptied(row) => Some(row.as_ref()),
            Next::Unchanged | Next::Fault(_) => None,
        };
        row.is_some_and(|row| {
            let mut waiting = self.parts.iter().filter_map(|part| part.row.as_ref());
            waiting.any(|waits| waits.id == row.id)
        })
    }

    fn is_full(&self) -> bool {
        self.records >= BATCH || self.bytes >= BATCH_BYTES
    }
}

impl Job<'_> {
    pub(crate) fn run(
        &self,
        walked: &Walked,
        progress: &mut dyn FnMut(Progress),
        written: &mut dyn FnMut(&Written),
    ) -> Result<Report, IngestError> {
        if let Some(name) = self.options.wanted_format()
            && format::named(name).is_none()
        {
            return Err(IngestError::UnknownFormat);
        }
        let mut report = Report::default();
        begin_report(&mut report, walked);
        for (path, reason) in &walked.errors {
            journal::fault(self.vault, self.source, path, reason, (self.now)())?;
        }
        let mut state = Progress {
            files_total: walked.files.len() as u32,
            bytes_total: walked.files.iter().map(|found| found.size).sum(),
            ..Progress::default()
        };
        let mut batch = Batch::default();
        let aside = journal::moved_aside(self.vault, walked)?;
        for found in aside.iter().chain(&walked.files) {
            if self.cancel.load(Ordering::Relaxed) {
                report.cancelled = true;
                break;
            }
            let unfolded = unfold(found, &mut report);
            if unfolded.archive {
                state.bytes_total += unfolded.files.iter().map(|it| it.size).sum::<u64>();
                state.bytes_done += found.size;
            }
            for (found, fault) in &unfolded.faults {
                self.fault(&mut report, found, fault)?;
            }
            let mut any = false;
            for found in &unfolded.files {
                if self.cancel.load(Ordering::Relaxed) {
                    report.cancelled = true;
                    break;
                }
                let (report, state) = (&mut report, &mut state);
                any |= self.file(found, &mut batch, report, state, progress, written)?;
            }
            if !report.cancelled {
                unfolded.note_nothing(found, any, &mut report);
            }
            state.files_done += 1;
        }
        self.flush(&mut batch, &mut report, &mut state, progress, written)?;
        if !report.cancelled {
            for (path, done) in journal::removed(self.vault, walked, (self.now)())? {
                count(&mut report, &path, &done);
                report.note("a file is not there any more", 1);
                written(&done);
            }
            report.note_nothing_taken();
        }
        Ok(report)
    }

    /// Reads a file; whether it could be begun.
    fn file(
        &self,
        found: &FileFound,
        batch: &mut Batch,
        report: &mut Report,
        state: &mut Progress,
        progress: &mut dyn FnMut(Progress),
        written: &mut dyn FnMut(&Written),
    ) -> Result<bool, IngestError> {
        let begin = || journal::begin(Some(self.vault), found, self.options, (self.now)());
        let mut next = begin()?;
        if batch.holds(&next) {
            // What is waiting may tell that this is another file.
            self.flush(batch, report, state, progress, written)?;
            next = begin()?;
        }
        match next {
            Next::Read(mut begun) => {
                note_file(report, &begun);
                self.read(&mut begun, batch, report, state, progress, written)?;
                note_mapping(report, &begun);
            }
            Next::Unchanged => state.bytes_done += found.size,
            Next::Emptied(row) if self.is_quiet(found) => {
                let done = journal::emptied(self.vault, &row, (self.now)())?;
                count(report, &found.path, &done);
                report.note("emptied", 1);
                written(&done);
            }
            Next::Emptied(_) => note_pending(report, true),
            Next::Fault(fault) => {
                state.bytes_done += found.size;
                self.fault(report, found, &fault)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Nothing was written for a while, or when cannot be told: a file that is dated ahead. What lies
    /// in an archive is never written on.
    fn is_quiet(&self, found: &FileFound) -> bool {
        let age = |modified| (self.now)().saturating_sub(modified);
        found.member.is_some()
            || found
                .modified
                .is_none_or(|modified| age(modified) >= QUIET || age(modified) <= -QUIET)
    }

    fn read(
        &self,
        begun: &mut Begun,
        batch: &mut Batch,
        report: &mut Report,
        state: &mut Progress,
        progress: &mut dyn FnMut(Progress),
        written: &mut dyn FnMut(&Written),
    ) -> Result<(), IngestError> {
        let end = if self.is_quiet(&begun.found) {
            End::Quiet
        } else {
            End::GiveOut
        };
        loop {
            let part = match begun
                .reading
                .next_part(BATCH - batch.records.min(BATCH - 1), end)
            {
                Ok(part) => part,
                Err(fault) => return self.fault(report, &begun.found, &fault),
            };
            let done = part.end;
            if done {
                note_pending(report, part.pending);
            }
            report.bytes += part.bytes;
            state.bytes_done += part.bytes;
            batch.records += part.outcomes.len();
            batch.bytes += part.bytes;
            let part = begun.part(self.source, self.options, part);
            batch.parts.push(part);
            if batch.is_full() || !done {
                begun.row = self.flush(batch, report, state, progress, written)?;
            }
            if done {
                return Ok(());
            }
            if self.cancel.load(Ordering::Relaxed) {
                report.cancelled = true;
                return Ok(());
            }
        }
    }

    /// Commits the batch; returns the row of its last file.
    fn flush(
        &self,
        batch: &mut Batch,
        report: &mut Report,
        state: &mut Progress,
        progress: &mut dyn FnMut(Progress),
        written: &mut dyn FnMut(&Written),
    ) -> Result<Option<memory::FileRow>, IngestError> {
        let mut batch = std::mem::take(batch);
        if batch.parts.is_empty() {
            return Ok(None);
        }
        let results = journal::store(self.vault, &mut batch.parts, (self.now)())?;
        let mut row = None;
        for (part, result) in batch.parts.iter().zip(results) {
            count(report, &part.found.path, &result);
            written(&result);
            row = result.row;
        }
        state.records = report.records;
        state.stored = report.stored;
        progress(state.clone());
        Ok(row)
    }

    fn fault(
        &self,
        report: &mut Report,
        found: &FileFound,
        fault: &Fault,
    ) -> Result<(), IngestError> {
        if let Some(reason) = note_fault(report, found, fault) {
            journal::fault(self.vault, self.source, &found.path, reason, (self.now)())?;
        }
        Ok(())
    }
}

/// A file, or the files of an archive.
struct Unfolded {
    archive: bool,
    files: Vec<FileFound>,
    faults: Vec<(FileFound, Fault)>,
}

/// What there is to be read in a file; what an archive holds beside that is noted.
fn unfold(found: &FileFound, report: &mut Report) -> Unfolded {
    let (archive, files, faults) = match archive::look(found) {
        None => (false, vec![found.clone()], Vec::new()),
        Some(Err(reason)) => (true, Vec::new(), vec![(found.clone(), reason)]),
        Some(Ok(content)) => {
            if let Some(note) = content.note(&found.path) {
                report.note(&note, 1);
            }
            for (reason, files) in &content.others {
                report.leave_alone(reason, *files);
            }
            (true, content.members, content.faults)
        }
    };
    let faults = faults
        .into_iter()
        .map(|(found, reason)| (found, Fault::Unreadable(reason)));
    Unfolded {
        archive,
        files,
        faults: faults.collect(),
    }
}

impl Unfolded {
    /// A person who names an archive is told when not `any` file of it could be read.
    fn note_nothing(&self, found: &FileFound, any: bool, report: &mut Report) {
        let told = self.faults.iter().any(|(at, _)| at.path == found.path);
        if found.named && self.archive && !any && !told {
            report.error(&found.path, 0, "nothing in it could be read as a log");
        }
    }
}

fn begin_report(report: &mut Report, walked: &Walked) {
    for (reason, files) in &walked.others {
        report.leave_alone(reason, *files);
    }
    for (path, reason) in &walked.errors {
        report.error(path, 0, reason.clone());
    }
}

fn note_file(report: &mut Report, begun: &Begun) {
    report.files += 1;
    let found = &begun.found;
    if found.named && found.member.is_none() && !begun.reading.continued() {
        report.named.ask(&found.path);
    }
    let format = begun.reading.format().name();
    add(&mut report.formats, format, 1);
    if let Some(other) = begun.reading.runner_up() {
        report.note(&format!("read as {format}, may be {other}"), 1);
    }
}

fn note_mapping(report: &mut Report, begun: &Begun) {
    if let Some(mapping) = begun.reading.mapping() {
        report
            .mappings
            .entry(begun.reading.format().name().to_owned())
            .or_insert(mapping);
    }
}

fn note_pending(report: &mut Report, pending: bool) {
    if pending {
        report.note("last line not finished yet", 1);
    }
}

/// Notes why a file was not read; returns the reason when it is worth an error. A text that is no
/// log, met in a folder, is none; a file that a person named and that gave nothing always is.
fn note_fault<'a>(report: &mut Report, found: &FileFound, fault: &'a Fault) -> Option<&'a str> {
    let reason = match fault {
        Fault::Unreadable(reason) => reason,
        Fault::Foreign(reason) if found.named || !is_database_name(&found.path) => {
            report.error(&found.path, 0, *reason);
            return Some(reason);
        }
        Fault::Foreign(reason) => {
            report.leave_alone(reason, 1);
            return None;
        }
        Fault::Nothing | Fault::Unfinished => {
            let reason = match found.size {
                0 => "an empty file",
                _ => "no line that is whole",
            };
            if found.named {
                report.error(&found.path, 0, reason);
            } else {
                report.leave_alone(reason, 1);
            }
            return None;
        }
    };
    let doubtful = found
        .path
        .extension()
        .is_some_and(|ending| ["txt", "out", "csv", "tsv"].iter().any(|it| ending == *it));
    // A name that others use as well.
    let doubtful = doubtful
        || found
            .path
            .file_name()
            .is_some_and(|name| name == "memories.json");
    if doubtful && !found.named {
        report.leave_alone(reason, 1);
        return None;
    }
    report.error(&found.path, 0, reason.clone());
    Some(reason)
}

fn count(report: &mut Report, path: &Path, written: &Written) {
    report.named.count(path, written);
    report.records += written.records;
    report.stored += written.stored;
    for (reason, count) in &written.skipped {
        report.skip(reason, *count);
    }
    for (note, count) in &written.notes {
        report.note(note, *count);
    }
    for (line, reason) in &written.errors {
        report.error(path, *line, *reason);
    }
}

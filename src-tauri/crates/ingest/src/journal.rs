//! What the vault knows about a file, and the one transaction that moves it on: memories, position,
//! counters and errors together or not at all.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use memory::{
    FileRow, Grown, Inserted, MemoryId, Millis, NewFile, NewMemory, Role, SourceId, Spot, Stretch,
    Vault, VaultError, Writer,
};

use crate::database;
use crate::format::{self, Outcome};
use crate::identity::{identity_of, path_of, path_text};
use crate::intake::{Fault, Part, hash_of_all};
use crate::reading::Reading;
use crate::report::{Options, add};
use crate::snapshot;
use crate::tail::Cursor;
use crate::walk::{FileFound, Walked};

/// The row of a file, found by what it is and then by its name.
fn find(vault: &Vault, found: &FileFound) -> Result<Option<FileRow>, VaultError> {
    vault.read(|reader| {
        if let Some(row) = reader.files().by_identity(&found.identity)? {
            return Ok(Some(row));
        }
        reader.files().by_path(&path_text(&found.path))
    })
}

/// A file ready to be read on, with its row when it has one.
pub(crate) struct Begun {
    pub found: FileFound,
    pub reading: Reading,
    pub row: Option<FileRow>,
}

/// What to do with a file.
pub(crate) enum Next {
    Read(Box<Begun>),
    Unchanged,
    /// A file that is rewritten as a whole and holds nothing any more.
    Emptied(Box<FileRow>),
    Fault(Fault),
}

/// Opens a file where it was left. `vault` is absent when nothing is to be stored; no record is from
/// after `now`.
pub(crate) fn begin(
    vault: Option<&Vault>,
    found: &FileFound,
    options: &Options,
    now: Millis,
) -> Result<Next, VaultError> {
    let mut found = found.clone();
    let mut row = match vault {
        Some(vault) => find(vault, &found)?,
        None => None,
    };
    if let Some(row) = &row
        && row.identity == found.identity
        && path_of(&row.path) != found.path
    {
        // Two names of one file: the first one stays, as long as it leads there.
        let old = path_of(&row.path);
        if std::fs::metadata(&old)
            .is_ok_and(|metadata| identity_of(&old, &metadata) == row.identity)
        {
            found.path = old;
        }
    }
    let mut cursor = row.as_ref().map(cursor_of);
    // What was taken depends on how it was read: another way reads it anew.
    let anew = row.as_ref().is_some_and(|row| {
        let other_format = options.wanted_format().is_some()
            && row.format.is_some()
            && options.wanted_format() != row.format.as_deref();
        other_format || (options.subagents && !row.subagents)
    });
    if anew {
        cursor = None;
    } else if let Some(row) = &row {
        let same = row.size == found.size && path_of(&row.path) == found.path;
        // Its name holds a checksum of all that it is.
        let all_read = row.identity == found.identity && row.offset == found.size;
        if found.member.is_some() && same && all_read {
            return Ok(Next::Unchanged);
        }
        let is_text = || !database::is_database(&found.path);
        if is_rewritten(row)
            && same
            && is_text()
            && hash_of_all(&found).is_ok_and(|hash| hash == row.head_hash)
        {
            return Ok(Next::Unchanged);
        }
    }
    let known = row.as_ref().and_then(|row| row.format.clone());
    let reading = match Reading::open(&found, options, known.as_deref(), cursor.as_ref(), now) {
        Ok(reading) => reading,
        Err(Fault::Nothing)
            if row
                .as_ref()
                .is_some_and(|row| is_rewritten(row) && path_of(&row.path) == found.path) =>
        {
            return Ok(row.map_or(Next::Unchanged, |row| Next::Emptied(Box::new(row))));
        }
        Err(fault) => return Ok(Next::Fault(fault)),
    };
    if let (Some(row), Some(cursor)) = (&row, &cursor)
        && path_of(&row.path) == found.path
        && reading.is_unchanged(cursor)
    {
        return Ok(Next::Unchanged);
    }
    // Another file under an old name, or an old number given to a new file, gets its own row:
    // the file that was read before may live on under another name.
    let stranger = row.as_ref().is_some_and(|row| {
        let same_file = row.identity == found.identity && path_of(&row.path) == found.path;
        !same_file && !anew && !reading.format().rewritten() && !reading.continued()
    });
    if stranger {
        row = None;
    }
    Ok(Next::Read(Box::new(Begun {
        found,
        reading,
        row,
    })))
}

/// The cursor that a row holds.
pub(crate) fn cursor_of(row: &FileRow) -> Cursor {
    Cursor {
        offset: row.offset,
        lines: row.line,
        head_hash: row.head_hash.clone(),
        tail_hash: row.tail_hash.clone(),
        digest: row.digest.clone(),
    }
}

fn is_rewritten(row: &FileRow) -> bool {
    row.format
        .as_deref()
        .and_then(format::named)
        .is_some_and(format::Format::rewritten)
}

/// A part to be stored, with the file it came from.
pub(crate) struct FilePart {
    pub found: FileFound,
    /// The file's row, when it has one.
    pub row: Option<FileRow>,
    pub source: Option<SourceId>,
    pub format: &'static str,
    pub mapping: Option<String>,
    /// Sub-agents' records were taken.
    pub subagents: bool,
    pub part: Part,
}

/// What became of a part.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub row: Option<FileRow>,
    pub records: u32,
    pub stored: u32,
    pub skipped: BTreeMap<String, u32>,
    pub notes: BTreeMap<String, u32>,
    pub errors: Vec<(u64, &'static str)>,
    /// New memories.
    pub new: Vec<MemoryId>,
    /// Memories whose text grew or that came back.
    pub changed: Vec<MemoryId>,
    /// Memories that went into the trash.
    pub gone: Vec<MemoryId>,
}

/// Stores parts in one transaction. No file may occur twice.
pub(crate) fn store(
    vault: &Vault,
    parts: &mut [FilePart],
    now: Millis,
) -> Result<Vec<Written>, VaultError> {
    vault.write(|writer| {
        parts
            .iter_mut()
            .map(|part| store_part(writer, part, now))
            .collect()
    })
}

fn store_part(
    writer: &Writer<'_>,
    part: &mut FilePart,
    now: Millis,
) -> Result<Written, VaultError> {
    let path = path_text(&part.found.path);
    let mut row = match part.row.take() {
        Some(row) => row,
        None => writer.files().add(&NewFile {
            source_id: part.source,
            path: path.clone(),
            identity: part.found.identity.clone(),
        })?,
    };
    let mut written = Written::default();
    let rewritten = format::named(part.format).is_some_and(format::Format::rewritten);
    let open_at = part.part.cursor.offset;
    let was_open = row.open_key.take();
    let mut open_key = was_open.clone().filter(|_| open_at == row.offset);
    let mut entries = Vec::new();
    for outcome in part.part.outcomes.drain(..) {
        match outcome {
            Outcome::Memory(mut memory) | Outcome::Grown(mut memory) if rewritten => {
                belong(&mut memory, &row);
                entries.push(*memory);
            }
            Outcome::Memory(mut memory) => {
                belong(&mut memory, &row);
                insert(writer, &memory, now, &mut written)?;
                if spot(&memory).offset == open_at {
                    open_key = Some(writer.memories().record_name(&memory));
                }
            }
            Outcome::Grown(mut memory) => {
                belong(&mut memory, &row);
                let here = spot(&memory).offset;
                let before = was_open.as_deref().filter(|_| here == row.offset);
                grow(writer, &memory, before, now, &mut written)?;
                if here == open_at {
                    open_key = Some(writer.memories().record_name(&memory));
                }
            }
            Outcome::Skip(reason) => {
                written.records += 1;
                add(&mut written.skipped, &reason, 1);
            }
            Outcome::Malformed(line, reason) => {
                writer.files().error(row.id, line, reason, now)?;
                written.errors.push((line, reason));
            }
            Outcome::TakenBack {
                session,
                from,
                to,
                at,
            } => {
                let stretch = Stretch {
                    file_id: row.id.0,
                    session: &session,
                    from,
                    to,
                };
                // A clock that ran ahead must not leave them in sight until then.
                let at = at.unwrap_or(now).min(now);
                let marked = writer.memories().take_back(&stretch, at)?;
                written.changed.extend(marked);
            }
            Outcome::Note(note) => add(&mut written.notes, note, 1),
        }
    }
    if rewritten {
        let whole = part.part.snapshot;
        snapshot::take(writer, &row, &path, &entries, whole, now, &mut written)?;
    }
    for (reason, count) in &written.skipped {
        writer
            .sources()
            .count_skipped(part.source, reason, *count)?;
    }
    let cursor = &part.part.cursor;
    row.path = path;
    row.identity.clone_from(&part.found.identity);
    row.source_id = part.source.or(row.source_id);
    row.size = part.found.size;
    row.offset = cursor.offset;
    row.line = cursor.lines;
    row.head_hash.clone_from(&cursor.head_hash);
    row.tail_hash.clone_from(&cursor.tail_hash);
    row.digest.clone_from(&cursor.digest);
    row.open_key = open_key;
    row.subagents |= part.subagents;
    row.format = Some(part.format.to_owned());
    row.mapping.clone_from(&part.mapping);
    row.records += written.records;
    row.stored += written.stored;
    row.last_seen_at = Some(now);
    writer.files().update(&row)?;
    written.row = Some(row);
    Ok(written)
}

fn belong(memory: &mut NewMemory, row: &FileRow) {
    if let Some(provenance) = &mut memory.provenance {
        provenance.file_id = row.id.0;
    }
}

pub(crate) fn spot(memory: &NewMemory) -> Spot {
    memory
        .provenance
        .as_ref()
        .map_or_else(Spot::default, |from| Spot {
            offset: from.offset,
            line: from.line,
        })
}

pub(crate) fn insert(
    writer: &Writer<'_>,
    memory: &NewMemory,
    now: Millis,
    written: &mut Written,
) -> Result<Option<MemoryId>, VaultError> {
    let inserted = writer.memories().insert(memory, now)?;
    count_inserted(inserted, written);
    // What a rewritten file holds too is now held by this one as well.
    if let Inserted::Repeated(id) = inserted
        && memory.role == Role::Memory
        && let Some(from) = &memory.provenance
        && !writer.memories().holders(id)?.is_empty()
    {
        let file = memory::FileId(from.file_id);
        writer.memories().hold(id, file, &from.path, spot(memory))?;
    }
    Ok(inserted.memory())
}

fn count_inserted(inserted: Inserted, written: &mut Written) {
    written.records += 1;
    let reason = match inserted {
        Inserted::Stored(id) => {
            written.stored += 1;
            return written.new.push(id);
        }
        Inserted::Returned(id) => {
            written.stored += 1;
            return written.changed.push(id);
        }
        Inserted::Known(_) => "already stored",
        Inserted::Repeated(id) => {
            written.changed.push(id);
            "repeated"
        }
        Inserted::Longer(id) => {
            written.changed.push(id);
            GROWN
        }
        Inserted::Forgotten => "deleted before",
    };
    add(&mut written.skipped, reason, 1);
}

/// Reason under which a record counts whose memory got what is new in it.
const GROWN: &str = "grown";

/// Stores an entry that was given out before, or gives its memory the words it has now.
fn grow(
    writer: &Writer<'_>,
    memory: &NewMemory,
    before: Option<&str>,
    now: Millis,
    written: &mut Written,
) -> Result<(), VaultError> {
    match writer.memories().grow(memory, before, now)? {
        Grown::Same(_) => {}
        Grown::Changed(id) => {
            written.records += 1;
            written.changed.push(id);
            add(&mut written.skipped, GROWN, 1);
        }
        Grown::Inserted(inserted) => count_inserted(inserted, written),
    }
    Ok(())
}

/// Files that were read before and now lie under a name that nobody would look at (`app.log.old`):
/// their last lines are not lost. Only folders that hold such a file's old name are looked into.
pub(crate) fn moved_aside(vault: &Vault, walked: &Walked) -> Result<Vec<FileFound>, VaultError> {
    let known: HashSet<&str> = walked
        .files
        .iter()
        .map(|found| found.identity.as_str())
        .collect();
    let paths: HashSet<&Path> = walked
        .files
        .iter()
        .map(|found| found.path.as_path())
        .collect();
    let rows = vault.read(|reader| reader.files().all())?;
    let mut folders: HashMap<PathBuf, HashMap<String, PathBuf>> = HashMap::new();
    let mut aside = Vec::new();
    for row in &rows {
        let path = path_of(&row.path);
        let asked = paths.contains(path.as_path())
            || walked.roots.iter().any(|root| path.starts_with(root));
        if !asked
            || is_rewritten(row)
            || row.format.is_none()
            || known.contains(row.identity.as_str())
        {
            continue;
        }
        let Some(folder) = path.parent() else {
            continue;
        };
        let names = folders
            .entry(folder.to_path_buf())
            .or_insert_with(|| identities_in(folder));
        if let Some(path) = names.get(&row.identity)
            && let Ok(metadata) = std::fs::metadata(path)
            && !aside
                .iter()
                .any(|found: &FileFound| found.identity == row.identity)
        {
            aside.push(FileFound::new(path.clone(), &metadata, false));
        }
    }
    Ok(aside)
}

fn identities_in(folder: &Path) -> HashMap<String, PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return HashMap::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let metadata = std::fs::symlink_metadata(&path).ok()?;
            metadata
                .is_file()
                .then(|| (identity_of(&path, &metadata), path))
        })
        .collect()
}

/// Releases what a rewritten file held, since it holds nothing any more.
pub(crate) fn emptied(vault: &Vault, row: &FileRow, now: Millis) -> Result<Written, VaultError> {
    let mut written = Written::default();
    vault.write(|writer| {
        snapshot::release_all(writer, row.id, now, &mut written)?;
        let mut row = row.clone();
        (row.size, row.offset, row.line) = (0, 0, 0);
        row.head_hash.clear();
        writer.files().update(&row)
    })?;
    Ok(written)
}

/// Releases what rewritten files below these folders held that are not there any more. A folder that
/// is itself gone says nothing about its files.
pub(crate) fn removed(
    vault: &Vault,
    walked: &Walked,
    now: Millis,
) -> Result<Vec<(PathBuf, Written)>, VaultError> {
    let known: HashSet<&str> = walked
        .files
        .iter()
        .map(|found| found.identity.as_str())
        .collect();
    let rows = vault.read(|reader| reader.files().all())?;
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| is_rewritten(row) && row.size > 0) {
        let path = path_of(&row.path);
        let gone = walked.roots.iter().any(|root| path.starts_with(root))
            && !known.contains(row.identity.as_str())
            && std::fs::symlink_metadata(&path)
                .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if gone {
            let written = emptied(vault, row, now)?;
            all.push((path, written));
        }
    }
    Ok(all)
}

/// Notes that a file as a whole could not be read.
pub(crate) fn fault(
    vault: &Vault,
    source: Option<SourceId>,
    path: &Path,
    reason: &str,
    now: Millis,
) -> Result<(), VaultError> {
    let name = path_text(path);
    let identity = std::fs::metadata(path).map_or_else(
        |_| format!("missing:{name}"),
        |metadata| identity_of(path, &metadata),
    );
    vault.write(|writer| {
        let row = match writer.files().by_path(&name)? {
            Some(row) => row,
            None => writer.files().add(&NewFile {
                source_id: source,
                path: name.clone(),
                identity: identity.clone(),
            })?,
        };
        writer.files().error(row.id, 0, reason, now)?;
        Ok(())
    })
}

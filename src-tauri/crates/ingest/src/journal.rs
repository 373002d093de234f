//! What the vault knows about a file, and the one transaction that moves it on: memories, position,
//! counters and errors together or not at all.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use memory::{
    Edit, FileRow, Filter, Inserted, Memory, MemoryId, Millis, NewFile, NewMemory, Role, SourceId,
    Stretch, Vault, VaultError, Writer,
};

use crate::format::{self, Outcome};
use crate::identity::identity_of;
use crate::intake::{Fault, Part, Session, hash_of_all};
use crate::report::{Options, add};
use crate::tail::Cursor;
use crate::walk::FileFound;

/// Setting under which the memories are listed that were put into the trash because their entry
/// was gone from its file: when it comes back, so do they. What a person deleted is not among them.
const GONE: &str = "ingest.gone";
/// How many of them are remembered.
const GONE_KEPT: usize = 10_000;

/// The row of a file, found by what it is and then by its name.
fn find(vault: &Vault, found: &FileFound) -> Result<Option<FileRow>, VaultError> {
    vault.read(|reader| {
        if let Some(row) = reader.files().by_identity(&found.identity)? {
            return Ok(Some(row));
        }
        reader.files().by_path(&found.path.to_string_lossy())
    })
}

/// A file ready to be read on, with its row when it has one.
pub(crate) struct Begun {
    pub found: FileFound,
    pub session: Session,
    pub row: Option<FileRow>,
}

/// What to do with a file.
pub(crate) enum Next {
    Read(Box<Begun>),
    Unchanged,
    Fault(Fault),
}

/// Opens a file where it was left. `vault` is absent when nothing is to be stored.
pub(crate) fn begin(
    vault: Option<&Vault>,
    found: &FileFound,
    options: &Options,
) -> Result<Next, VaultError> {
    let mut found = found.clone();
    let mut row = match vault {
        Some(vault) => find(vault, &found)?,
        None => None,
    };
    if let Some(row) = &row
        && row.identity == found.identity
        && Path::new(&row.path) != found.path
    {
        // Two names of one file: the first one stays, as long as it leads there.
        let old = PathBuf::from(&row.path);
        if std::fs::metadata(&old)
            .is_ok_and(|metadata| identity_of(&old, &metadata) == row.identity)
        {
            found.path = old;
        }
    }
    let mut cursor = row.as_ref().map(cursor_of);
    if let Some(row) = &row {
        let rewritten = row
            .format
            .as_deref()
            .and_then(format::named)
            .is_some_and(format::Format::rewritten);
        let same = row.size == found.size && Path::new(&row.path) == found.path;
        if rewritten && same && hash_of_all(&found).is_ok_and(|hash| hash == row.head_hash) {
            return Ok(Next::Unchanged);
        }
        // Sub-agents were left out and now are wanted.
        if options.subagents && row.stored == 0 && format::is_subagent_file(&found.path) {
            cursor = None;
        }
    }
    let known = row.as_ref().and_then(|row| row.format.clone());
    let session = match Session::open(&found, options, known.as_deref(), cursor.as_ref()) {
        Ok(session) => session,
        Err(fault) => return Ok(Next::Fault(fault)),
    };
    // Another file under an old name, or an old number given to a new file, gets its own row:
    // the file that was read before may live on under another name.
    let stranger = row.as_ref().is_some_and(|row| {
        let same_file = row.identity == found.identity && Path::new(&row.path) == found.path;
        !same_file && !session.format.rewritten() && !session.continued()
    });
    if stranger {
        row = None;
    }
    Ok(Next::Read(Box::new(Begun {
        found,
        session,
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
    }
}

/// A part to be stored, with the file it came from.
pub(crate) struct FilePart {
    pub found: FileFound,
    /// The file's row, when it has one.
    pub row: Option<FileRow>,
    pub source: Option<SourceId>,
    pub format: &'static str,
    pub mapping: Option<String>,
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
    let path = part.found.path.to_string_lossy().into_owned();
    let mut row = match part.row.take() {
        Some(row) => row,
        None => writer.files().add(&NewFile {
            source_id: part.source,
            path: path.clone(),
            identity: part.found.identity.clone(),
        })?,
    };
    let mut written = Written::default();
    let mut present = HashSet::new();
    for outcome in part.part.outcomes.drain(..) {
        match outcome {
            Outcome::Memory(mut memory) => {
                belong(&mut memory, &row);
                let id = insert(writer, &memory, now, &mut written)?;
                present.extend(id);
            }
            Outcome::Grown(mut memory) => {
                belong(&mut memory, &row);
                grow(writer, &memory, now, &mut written)?;
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
    if part.part.snapshot {
        trash_vanished(writer, &path, &present, now, &mut written)?;
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

fn insert(
    writer: &Writer<'_>,
    memory: &NewMemory,
    now: Millis,
    written: &mut Written,
) -> Result<Option<MemoryId>, VaultError> {
    written.records += 1;
    let (id, reason) = match writer.memories().insert(memory, now)? {
        Inserted::Stored(id) => {
            written.stored += 1;
            written.new.push(id);
            return Ok(Some(id));
        }
        Inserted::Known(id) => (Some(id), "already stored"),
        Inserted::Repeated(id) => {
            written.changed.push(id);
            (Some(id), "repeated")
        }
        Inserted::Forgotten => match come_back(writer, memory)? {
            Some(id) => {
                written.changed.push(id);
                written.stored += 1;
                return Ok(Some(id));
            }
            None => (None, "deleted before"),
        },
    };
    add(&mut written.skipped, reason, 1);
    Ok(id)
}

/// Stores an entry that was given out before, or lengthens its memory.
fn grow(
    writer: &Writer<'_>,
    memory: &NewMemory,
    now: Millis,
    written: &mut Written,
) -> Result<(), VaultError> {
    let Some(old) = writer
        .memories()
        .by_source_key(&memory.scope.agent, &memory.source_key)?
    else {
        insert(writer, memory, now, written)?;
        return Ok(());
    };
    // A text that was edited, or that belongs to an equal entry elsewhere, is not ours to change.
    let ours = memory.content.len() > old.content.len()
        && memory.content.starts_with(&old.content)
        && old.deleted_at.is_none()
        && same_place(&old, memory);
    if ours {
        let edit = Edit {
            content: Some(memory.content.clone()),
            trust: Some(memory.trust),
            ..Edit::default()
        };
        writer.memories().edit(old.id, &edit, None, now)?;
        written.changed.push(old.id);
    }
    Ok(())
}

fn same_place(old: &Memory, new: &NewMemory) -> bool {
    match (&old.provenance, &new.provenance) {
        (Some(old), Some(new)) => old.file_id == new.file_id && old.offset == new.offset,
        _ => false,
    }
}

fn gone_list(writer: &Writer<'_>) -> Result<BTreeSet<i64>, VaultError> {
    let text = writer.settings().get(GONE)?;
    Ok(text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default())
}

fn set_gone_list(writer: &Writer<'_>, list: &BTreeSet<i64>) -> Result<(), VaultError> {
    let latest: Vec<&i64> = list.iter().rev().take(GONE_KEPT).collect();
    let text =
        serde_json::to_string(&latest).map_err(|_| VaultError::Invalid { what: "setting" })?;
    writer.settings().set(GONE, &text)
}

/// Takes a memory out of the trash when it was put there only because its entry was gone.
fn come_back(writer: &Writer<'_>, memory: &NewMemory) -> Result<Option<MemoryId>, VaultError> {
    let old = writer
        .memories()
        .by_source_key(&memory.scope.agent, &memory.source_key)?;
    let Some(old) = old.filter(|old| old.deleted_at.is_some()) else {
        return Ok(None);
    };
    let mut list = gone_list(writer)?;
    if !list.remove(&old.id.0) {
        return Ok(None);
    }
    set_gone_list(writer, &list)?;
    writer.memories().bring_back(&[old.id])?;
    Ok(Some(old.id))
}

/// Puts the memories of entries that are gone from a rewritten file into the trash, unless a person
/// edited or pinned them or something else said the same.
fn trash_vanished(
    writer: &Writer<'_>,
    path: &str,
    present: &HashSet<MemoryId>,
    now: Millis,
    written: &mut Written,
) -> Result<(), VaultError> {
    let filter = Filter {
        source: Some(path.to_owned()),
        roles: vec![Role::Memory],
        ..Filter::default()
    };
    let ids = writer.memories().ids(&filter, now)?;
    let missing: Vec<MemoryId> = ids.into_iter().filter(|id| !present.contains(id)).collect();
    let gone: Vec<MemoryId> = writer
        .memories()
        .get_many(&missing)?
        .into_iter()
        .filter(|memory| {
            memory.version == 1
                && !memory.pinned
                && memory.seen_count == 1
                && memory
                    .provenance
                    .as_ref()
                    .is_some_and(|from| from.path == path)
        })
        .map(|memory| memory.id)
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    let mut list = gone_list(writer)?;
    list.extend(gone.iter().map(|id| id.0));
    set_gone_list(writer, &list)?;
    writer.memories().withdraw(&gone, now)?;
    written.gone = gone;
    Ok(())
}

/// Notes that a file as a whole could not be read.
pub(crate) fn fault(
    vault: &Vault,
    source: Option<SourceId>,
    path: &Path,
    reason: &str,
    now: Millis,
) -> Result<(), VaultError> {
    let name = path.to_string_lossy().into_owned();
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
        writer.files().error(row.id, 0, reason, now)
    })
}

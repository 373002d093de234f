//! What the vault knows about a file, and the one transaction that moves it on: memories, position,
//! counters and errors together or not at all.

mod whereabouts;
mod written;

use std::path::Path;

use memory::{
    FileRow, Grown, Millis, NewFile, NewMemory, SourceId, Stretch, Vault, VaultError, Writer,
};

use crate::database;
use crate::fault::Fault;
use crate::format::{self, Outcome, reason};
use crate::identity::{identity_of, path_of, path_text};
use crate::intake::{Half, Known, Part, hash_of_all};
use crate::reading::Reading;
use crate::report::Options;
use crate::snapshot;
use crate::tail::Cursor;
use crate::tally::add;
use crate::walk::FileFound;
pub(crate) use whereabouts::{emptied, moved_aside, removed};
use whereabouts::{is_emptied, is_rewritten, lives_beside};
use written::{GROWN, count_inserted};
pub(crate) use written::{Written, insert, spot};

/// The row of a file, found by what it is and then by its name.
fn find(vault: &Vault, found: &FileFound) -> Result<Option<FileRow>, VaultError> {
    vault.read(|reader| {
        if let Some(row) = reader.files().by_identity(&found.identity)? {
            return Ok(Some(row));
        }
        reader.files().by_path(&path_text(&found.path))
    })
}

/// A file that is being read on, with its row when it has one.
pub(crate) struct Begun {
    pub found: FileFound,
    pub reading: Reading,
    pub row: Option<FileRow>,
    before: Before,
}

/// What is to become of what was stored of a file before.
#[derive(Default)]
struct Before {
    /// What the entry is called whose half was stored, if that half still stands where reading goes on.
    half: Option<String>,
    /// All of it was taken for something else.
    misjudged: bool,
}

impl Begun {
    /// A file that was followed since it was read last.
    pub(crate) fn followed(found: FileFound, reading: Reading, row: Option<FileRow>) -> Self {
        let open_key = row.as_ref().and_then(|row| row.open_key.as_deref());
        let half = open_key.and_then(half_of).map(|(name, _)| name.to_owned());
        Self {
            found,
            reading,
            row,
            before: Before {
                half,
                misjudged: false,
            },
        }
    }

    /// What was read of it, to be stored. The row comes back with what was written.
    pub(crate) fn part(
        &mut self,
        source: Option<SourceId>,
        options: &Options,
        mut part: Part,
    ) -> FilePart {
        for outcome in &mut part.outcomes {
            if let Outcome::Memory(memory) | Outcome::Grown(memory) = outcome
                && options.leaves_out(memory)
            {
                *outcome = Outcome::Skip(reason::PROJECT.into());
            }
        }
        FilePart {
            found: self.found.clone(),
            row: self.row.take(),
            source,
            format: self.reading.format().name(),
            mapping: self.reading.mapping(),
            before: std::mem::take(&mut self.before),
            asked: options.wanted_format().is_some(),
            subagents: options.subagents,
            part,
        }
    }
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
    if row.as_ref().is_some_and(|row| lives_beside(row, &found)) {
        row = None;
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
    let known = row.as_ref().and_then(|row| {
        Some(Known {
            format: row.format.clone()?,
            asked: row.format_asked,
        })
    });
    let mut reading = match Reading::open(&found, options, known.as_ref(), cursor.as_ref(), now) {
        Ok(reading) => reading,
        Err(Fault::Nothing) => {
            let name = path_text(&found.path);
            // The row found by the file's number may be that of another one, gone since.
            let by_name = match vault {
                Some(vault) => vault.read(|reader| reader.files().by_path(&name))?,
                None => None,
            };
            let mut rows = row.into_iter().chain(by_name);
            let emptied = rows.find(|row| is_rewritten(row) && is_emptied(row, &found));
            return Ok(match emptied {
                Some(row) => Next::Emptied(Box::new(FileRow {
                    path: path_text(&found.path),
                    ..row
                })),
                None => Next::Fault(Fault::Nothing),
            });
        }
        Err(fault) => return Ok(Next::Fault(fault)),
    };
    if let (Some(row), Some(cursor)) = (&row, &cursor)
        && path_of(&row.path) == found.path
        && reading.is_unchanged(cursor)
    {
        return Ok(Next::Unchanged);
    }
    let half = row.as_ref().and_then(|row| {
        let (name, half) = half_of(row.open_key.as_deref()?)?;
        let stands = row.identity == found.identity && reading.goes_on_from(row.offset, &half);
        stands.then(|| name.to_owned())
    });
    if let (Some(row), None) = (&mut row, &half) {
        row.open_key = None;
    }
    // Another file under an old name, or an old number given to a new file, gets its own row:
    // the file that was read before may live on under another name.
    let stranger = row.as_ref().is_some_and(|row| {
        let same_file = row.identity == found.identity && path_of(&row.path) == found.path;
        !same_file
            && !anew
            && !reading.is_misjudged()
            && half.is_none()
            && !reading.format().rewritten()
            && !reading.continued()
    });
    if stranger {
        row = None;
    }
    let before = Before {
        half,
        misjudged: reading.is_misjudged(),
    };
    Ok(Next::Read(Box::new(Begun {
        found,
        reading,
        row,
        before,
    })))
}

/// What a row says of an entry of which half was stored: its name, and the half.
fn half_of(open_key: &str) -> Option<(&str, Half)> {
    let mut parts = open_key.split('@');
    let (name, end, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let half = Half {
        end: end.parse().ok()?,
        hash: hash.to_owned(),
    };
    Some((name, half))
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

/// A part to be stored, with the file it came from.
pub(crate) struct FilePart {
    pub found: FileFound,
    /// The file's row, when it has one.
    pub row: Option<FileRow>,
    source: Option<SourceId>,
    format: &'static str,
    mapping: Option<String>,
    before: Before,
    /// A person asked for the format.
    asked: bool,
    /// Sub-agents' records were taken.
    subagents: bool,
    part: Part,
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
    if part.before.misjudged {
        for id in writer.memories().read_from(row.id)? {
            if writer.memories().release(id, row.id, now)? {
                written.gone.push(id);
            }
        }
        row.open_key = None;
    }
    let rewritten = format::named(part.format).is_some_and(format::Format::rewritten);
    let open_at = part.part.cursor.offset;
    let was_open = row.open_key.take();
    let mut open_key = was_open.filter(|_| open_at == row.offset);
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
                    open_key = open_key_of(writer, &memory, part.part.half.as_ref())?;
                }
            }
            Outcome::Grown(mut memory) => {
                belong(&mut memory, &row);
                let here = spot(&memory).offset;
                let before = part.before.half.as_deref().filter(|_| here == row.offset);
                grow(writer, &memory, before, now, &mut written)?;
                if here == open_at {
                    open_key = open_key_of(writer, &memory, part.part.half.as_ref())?;
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
    row.format_asked = part.asked || row.format_asked && row.format.as_deref() == Some(part.format);
    row.format = Some(part.format.to_owned());
    row.mapping.clone_from(&part.mapping);
    row.records += written.records;
    row.stored += written.stored;
    row.last_seen_at = Some(now);
    writer.files().update(&row)?;
    written.row = Some(row);
    Ok(written)
}

/// What is noted of an entry of which half was stored; see [`half_of`].
fn open_key_of(
    writer: &Writer<'_>,
    memory: &NewMemory,
    half: Option<&Half>,
) -> Result<Option<String>, VaultError> {
    let Some(Half { end, hash }) = half else {
        return Ok(None);
    };
    let name = writer.memories().record_name(memory)?;
    Ok(Some(format!("{name}@{end}@{hash}")))
}

fn belong(memory: &mut NewMemory, row: &FileRow) {
    if let Some(provenance) = &mut memory.provenance {
        provenance.file_id = row.id.0;
    }
}

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

//! A file that is rewritten as a whole: what it holds now, against what it held.
//!
//! An entry that only moved keeps its memory, with tags and pin. One that is gone takes its memory
//! along only when no other file holds it; and a file out of which nothing could be read takes
//! nothing away.

use std::collections::HashSet;

use memory::{FileId, FileRow, Memory, Millis, NewMemory, Recognised, Role, VaultError, Writer};

use crate::journal::{Written, insert, spot};
use crate::tally::add;

/// Note under which entries count that are no longer in their file.
const WITHDRAWN: &str = "no longer in its file: moved to the trash";

/// Takes the entries of a file. `whole` says that they are all that it holds.
pub(crate) fn take(
    writer: &Writer<'_>,
    row: &FileRow,
    path: &str,
    entries: &[NewMemory],
    whole: bool,
    now: Millis,
    written: &mut Written,
) -> Result<(), VaultError> {
    let held = writer.memories().held_by(row.id)?;
    let mut present = HashSet::new();
    let mut fresh = HashSet::new();
    for (at, entry) in entries.iter().enumerate() {
        match writer.memories().recognised(entry, now)? {
            Recognised::Living(id) => {
                present.insert(id);
            }
            Recognised::New => {
                fresh.insert(at);
            }
            Recognised::Gone => {}
        }
    }
    let mut missing: Vec<Memory> = held
        .into_iter()
        .filter(|memory| whole && memory.role == Role::Memory && !present.contains(&memory.id))
        .collect();
    if entries.is_empty() && !missing.is_empty() {
        writer.files().error(row.id, 0, NOTHING, now)?;
        written.errors.push((0, NOTHING));
        return Ok(());
    }
    for (at, entry) in entries.iter().enumerate() {
        let moved = if fresh.contains(&at) {
            position_of(writer, &missing, entry)?
        } else {
            None
        };
        let id = if let Some((index, edited)) = moved {
            let memory = missing.swap_remove(index);
            writer.memories().move_entry(&memory, entry, edited, now)?;
            written.records += 1;
            written.changed.push(memory.id);
            add(&mut written.skipped, "moved", 1);
            Some(memory.id)
        } else {
            insert(writer, entry, now, written)?
        };
        if let Some(id) = id.filter(|_| entry.role == Role::Memory) {
            writer.memories().hold(id, row.id, path, spot(entry))?;
        }
    }
    for memory in missing {
        release(writer, &memory, row.id, now, written)?;
    }
    Ok(())
}

/// Why a file that held memories takes none away.
const NOTHING: &str = "nothing in it could be read as an entry; what it held stays";

/// Releases everything that a file held.
pub(crate) fn release_all(
    writer: &Writer<'_>,
    file: FileId,
    now: Millis,
    written: &mut Written,
) -> Result<(), VaultError> {
    for memory in writer.memories().held_by(file)? {
        if memory.role == Role::Memory {
            release(writer, &memory, file, now, written)?;
        }
    }
    Ok(())
}

fn release(
    writer: &Writer<'_>,
    memory: &Memory,
    file: FileId,
    now: Millis,
    written: &mut Written,
) -> Result<(), VaultError> {
    if writer.memories().release(memory.id, file, now)? {
        written.gone.push(memory.id);
        add(&mut written.notes, WITHDRAWN, 1);
    }
    Ok(())
}

/// Which of the missing memories the entry is, under another heading; and whether a person has
/// changed its text since.
fn position_of(
    writer: &Writer<'_>,
    missing: &[Memory],
    entry: &NewMemory,
) -> Result<Option<(usize, bool)>, VaultError> {
    for (index, memory) in missing.iter().enumerate() {
        if (memory.role, memory.kind) != (entry.role, entry.kind)
            || (&memory.scope.org, &memory.scope.agent) != (&entry.scope.org, &entry.scope.agent)
        {
            continue;
        }
        if same_entry(&memory.content, &entry.content) {
            return Ok(Some((index, false)));
        }
        if memory.version > 1 {
            let history = writer.memories().history(memory.id)?;
            let edited = history
                .iter()
                .any(|version| same_entry(&version.content, &entry.content));
            if edited {
                return Ok(Some((index, true)));
            }
        }
    }
    Ok(None)
}

/// Whether two texts are one entry, headings in the first line aside.
fn same_entry(old: &str, new: &str) -> bool {
    let body = |text: &str| -> String {
        text.split_once('\n')
            .map_or(text, |(_, body)| body)
            .trim()
            .to_owned()
    };
    let (old_body, new_body) = (body(old), body(new));
    !new_body.is_empty()
        && (old_body == new_body || old.trim() == new_body || old_body == new.trim())
}

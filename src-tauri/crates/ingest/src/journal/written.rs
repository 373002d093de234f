//! What became of what was read.

use std::collections::BTreeMap;

use memory::{FileRow, Inserted, MemoryId, Millis, NewMemory, Role, Spot, VaultError, Writer};

use crate::tally::add;

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

pub(super) fn count_inserted(inserted: Inserted, written: &mut Written) {
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
pub(super) const GROWN: &str = "grown";

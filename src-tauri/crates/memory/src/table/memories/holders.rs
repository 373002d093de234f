//! Which files hold a memory. A file that is rewritten as a whole takes a memory away only as the
//! last one that holds it.
//!
//! Where nothing is noted, the file it was read from is its only holder.

use super::{Memories, MemoriesMut};
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId, Millis};
use crate::table::files::FileId;
use crate::table::signed;

/// Schema 8. `touched` lists what a person changed: no file takes that away.
pub(crate) const MIGRATION: &str = "
CREATE TABLE holders(
    file_id INTEGER NOT NULL,
    memory_id INTEGER NOT NULL,
    source_offset INTEGER NOT NULL,
    source_line INTEGER NOT NULL,
    PRIMARY KEY(file_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX holders_memory ON holders(memory_id);
CREATE TABLE touched(memory_id INTEGER PRIMARY KEY);
INSERT INTO touched SELECT id FROM memories WHERE version > 1;
CREATE INDEX memories_file ON memories(file_id) WHERE deleted_at IS NULL AND role = 'memory';
";

/// Where in a file a memory stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Bytes before it.
    pub offset: u64,
    /// Its line, from 1.
    pub line: u64,
}

impl Memories<'_> {
    /// The living written memories that a file holds.
    pub fn held_by(&self, file: FileId) -> Result<Vec<Memory>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT memory_id FROM holders WHERE file_id = ?1 \
             UNION SELECT m.id FROM memories m WHERE m.file_id = ?1 AND m.deleted_at IS NULL \
                 AND m.role = 'memory' \
                 AND NOT EXISTS (SELECT 1 FROM holders h WHERE h.memory_id = m.id)",
        )?;
        let rows = statement.query_map([file.0], |row| row.get(0).map(MemoryId))?;
        let ids: Vec<MemoryId> = rows.collect::<Result<_, _>>()?;
        let mut held = self.get_many(&ids)?;
        held.retain(|memory| memory.deleted_at.is_none());
        Ok(held)
    }

    /// The living memories that were read from a file.
    pub fn read_from(&self, file: FileId) -> Result<Vec<MemoryId>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT id FROM memories WHERE file_id = ? AND deleted_at IS NULL ORDER BY id",
        )?;
        let rows = statement.query_map([file.0], |row| row.get(0).map(MemoryId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The files that are noted as holding a memory.
    pub fn holders(&self, id: MemoryId) -> Result<Vec<FileId>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT file_id FROM holders WHERE memory_id = ? ORDER BY file_id")?;
        let rows = statement.query_map([id.0], |row| row.get(0).map(FileId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a person edited, tagged, pinned or merged it.
    pub fn is_touched(&self, id: MemoryId) -> Result<bool, VaultError> {
        Ok(self
            .0
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM touched WHERE memory_id = ?)")?
            .query_row([id.0], |row| row.get(0))?)
    }
}

impl MemoriesMut<'_> {
    /// Notes that a file holds a memory, and where. The file it was read from holds it too, unless
    /// it is the same. A memory that this file was the source of leads to where it stands now.
    pub fn hold(
        &self,
        id: MemoryId,
        file: FileId,
        path: &str,
        spot: Spot,
    ) -> Result<(), VaultError> {
        let (offset, line) = (signed(spot.offset)?, signed(spot.line)?);
        self.0
            .prepare_cached(
                "INSERT OR IGNORE INTO holders SELECT file_id, id, source_offset, source_line \
                 FROM memories WHERE id = ?1 AND file_id <> ?2 AND path_id IS NOT NULL \
                     AND NOT EXISTS (SELECT 1 FROM holders WHERE memory_id = ?1)",
            )?
            .execute((id.0, file.0))?;
        self.0
            .prepare_cached("INSERT OR REPLACE INTO holders VALUES(?, ?, ?, ?)")?
            .execute((file.0, id.0, offset, line))?;
        self.lead_to(id, file, path, (offset, line))
    }

    /// Leads a memory that comes from this file, or from none that holds it, to its place.
    fn lead_to(
        &self,
        id: MemoryId,
        file: FileId,
        path: &str,
        (offset, line): (i64, i64),
    ) -> Result<(), VaultError> {
        let path = self.path_id(path)?;
        self.0
            .prepare_cached(
                "UPDATE memories SET file_id = ?2, path_id = ?3, source_offset = ?4, \
                 source_line = ?5 WHERE id = ?1 \
                 AND (file_id = ?2 OR file_id IS NULL OR NOT EXISTS \
                     (SELECT 1 FROM holders h WHERE h.memory_id = ?1 AND h.file_id = memories.file_id)) \
                 AND (file_id, path_id, source_offset, source_line) IS NOT (?2, ?3, ?4, ?5)",
            )?
            .execute((id.0, file.0, path, offset, line))?;
        Ok(())
    }

    /// A file holds a memory no longer. Nobody else does: it goes to the trash, not as a person's
    /// action, and comes back when a source holds it again; unless a person changed it. Returns
    /// whether it went.
    pub fn release(&self, id: MemoryId, file: FileId, now: Millis) -> Result<bool, VaultError> {
        let noted = self
            .0
            .prepare_cached("DELETE FROM holders WHERE file_id = ? AND memory_id = ?")?
            .execute((file.0, id.0))?
            > 0;
        let Some(memory) = self.get(id)?.filter(|memory| memory.deleted_at.is_none()) else {
            return Ok(false);
        };
        if let Some(&other) = self.holders(id)?.first() {
            let (path, offset, line): (Option<String>, i64, i64) = self
                .0
                .prepare_cached(
                    "SELECT (SELECT path FROM files WHERE id = h.file_id), h.source_offset, \
                     h.source_line FROM holders h WHERE h.memory_id = ? AND h.file_id = ?",
                )?
                .query_row((id.0, other.0), |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?;
            if let Some(path) = path {
                self.lead_to(id, other, &path, (offset, line))?;
            }
            return Ok(false);
        }
        let elsewhere = memory
            .provenance
            .as_ref()
            .is_some_and(|from| from.file_id != file.0);
        // Before holders were noted, a repetition may have been another file's.
        let unsure = !noted && memory.seen_count > 1;
        if elsewhere || unsure || memory.pinned || self.is_touched(id)? {
            return Ok(false);
        }
        // Whoever brings it back holds it; this file does not do so besides.
        self.0
            .prepare_cached("UPDATE memories SET file_id = NULL WHERE id = ?")?
            .execute([id.0])?;
        self.withdraw(id, now)
    }
}

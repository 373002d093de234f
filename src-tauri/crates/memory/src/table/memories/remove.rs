//! Into the trash, out of it, and gone.

use rusqlite::{Connection, OptionalExtension as _};

use super::{MemoriesMut, tombstones};
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};
use crate::table::memory_text::{self, Folded};
use crate::table::undo::{self, Action};
use crate::table::{embeddings, state};

impl MemoriesMut<'_> {
    /// Moves memories into the trash: gone from every index at once, and the log lines they came
    /// from do not bring them back. Returns how many moved; others were not there or in the trash
    /// already. Can be undone.
    pub fn trash(&self, ids: &[MemoryId], now: Millis) -> Result<u32, VaultError> {
        let mut moved = Vec::new();
        for &id in ids {
            if move_to_trash(self.0, id, now)? {
                moved.push(id);
            }
        }
        let count = moved.len() as u32;
        if count > 0 {
            undo::record(self.0, &Action::Trash { ids: moved }, now)?;
        }
        Ok(count)
    }

    /// Moves a memory into the trash because no source holds it: what nobody did, nobody is asked
    /// to undo. Returns whether it moved.
    pub(super) fn withdraw(&self, id: MemoryId, now: Millis) -> Result<bool, VaultError> {
        let moved = take_out(self.0, id, now)?;
        if moved {
            tombstones::set_withdrawn(self.0, id)?;
        }
        Ok(moved)
    }

    /// Takes a memory out of the trash that was there because no source held it. Not to be undone
    /// either. Returns whether it moved.
    pub(super) fn bring_back(&self, id: MemoryId) -> Result<bool, VaultError> {
        Ok(tombstones::is_withdrawn(self.0, id)? && move_to_living(self.0, id)?.is_some())
    }

    /// Takes memories out of the trash, with their tags, vectors and everything else. Returns how
    /// many moved. Can be undone.
    pub fn restore(&self, ids: &[MemoryId], now: Millis) -> Result<u32, VaultError> {
        let mut moved = Vec::new();
        for &id in ids {
            moved.extend(move_to_living(self.0, id)?.map(|deleted_at| (id, deleted_at)));
        }
        let count = moved.len() as u32;
        if count > 0 {
            undo::record(self.0, &Action::Restore { ids: moved }, now)?;
        }
        Ok(count)
    }

    /// Everything that is in the trash.
    pub fn trashed(&self) -> Result<Vec<MemoryId>, VaultError> {
        self.0
            .prepare_cached("SELECT id FROM memories WHERE deleted_at IS NOT NULL ORDER BY id")?
            .query_map([], |row| row.get(0).map(MemoryId))?
            .collect::<Result<_, _>>()
            .map_err(Into::into)
    }

    /// Removes memories for good: rows, vectors, earlier versions, undo notes. After the
    /// transaction the file is rebuilt so that no byte of them stays. Only digests of their source
    /// keys and texts survive, so that what they said stays forgotten. Returns how many there were.
    pub fn purge(&self, ids: &[MemoryId]) -> Result<u32, VaultError> {
        let mut purged = Vec::new();
        for &id in ids {
            let there: Option<i64> = self
                .0
                .query_row("SELECT 1 FROM memories WHERE id = ?", [id.0], |row| {
                    row.get(0)
                })
                .optional()?;
            if there.is_none() {
                continue;
            }
            tombstones::set(self.0, id, true)?;
            tombstones::lift(self.0, id)?;
            memory_text::remove(self.0, id)?;
            embeddings::forget(self.0, id)?;
            for sql in [
                "DELETE FROM embedding_queue WHERE memory_id = ?",
                "DELETE FROM memory_versions WHERE memory_id = ?",
                "DELETE FROM holders WHERE memory_id = ?",
                "DELETE FROM sightings WHERE memory_id = ?",
                "DELETE FROM touched WHERE memory_id = ?",
                "UPDATE source_keys SET memory_id = NULL WHERE memory_id = ?",
                "DELETE FROM memories WHERE id = ?",
            ] {
                self.0.prepare_cached(sql)?.execute([id.0])?;
            }
            purged.push(id);
        }
        if !purged.is_empty() {
            undo::forget(self.0, &purged)?;
            // Words that only purged memories held stay in the indexes' segments until these are
            // merged.
            self.0.execute_batch(
                "INSERT INTO words(words) VALUES('optimize'); \
                 INSERT INTO trigrams(trigrams) VALUES('optimize');",
            )?;
            state::want_scrub(self.0)?;
            self.scrub.set(true);
        }
        Ok(purged.len() as u32)
    }
}

/// As a person's action: its words stay gone. False when it is not among the living.
pub(crate) fn move_to_trash(
    connection: &Connection,
    id: MemoryId,
    deleted_at: Millis,
) -> Result<bool, VaultError> {
    let moved = take_out(connection, id, deleted_at)?;
    if moved {
        tombstones::set(connection, id, false)?;
    }
    Ok(moved)
}

fn take_out(connection: &Connection, id: MemoryId, deleted_at: Millis) -> Result<bool, VaultError> {
    let moved = connection
        .prepare_cached("UPDATE memories SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL")?
        .execute((deleted_at, id.0))?;
    if moved > 0 {
        memory_text::remove(connection, id)?;
    }
    Ok(moved > 0)
}

/// When it had been deleted; `None` when it is not in the trash.
pub(crate) fn move_to_living(
    connection: &Connection,
    id: MemoryId,
) -> Result<Option<Millis>, VaultError> {
    let found = connection
        .prepare_cached(
            "SELECT deleted_at, content, tool_name, tool_payload FROM memories \
             WHERE id = ? AND deleted_at IS NOT NULL",
        )?
        .query_row([id.0], |row| {
            Ok((
                row.get::<_, Millis>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, Option<String>>(2)?,
                row.get::<_, Option<String>>(3)?,
            ))
        })
        .optional()?;
    let Some((deleted_at, content, name, payload)) = found else {
        return Ok(None);
    };
    connection
        .prepare_cached("UPDATE memories SET deleted_at = NULL WHERE id = ?")?
        .execute([id.0])?;
    tombstones::lift(connection, id)?;
    let text = Folded::of(&content, name.as_deref(), payload.as_deref());
    memory_text::put(connection, id, &text)?;
    Ok(Some(deleted_at))
}

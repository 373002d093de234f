//! Editing a memory.

use rusqlite::{Connection, params};

use super::MemoriesMut;
use super::insert::tags_json;
use super::record_key::fingerprint;
use super::tombstones;
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId, Millis, Trust};
use crate::table::embeddings;
use crate::table::memory_text::{self, Folded};
use crate::table::undo::{self, Action, Edited, Fields, Seen};

/// A change to one memory. Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// New text; not blank.
    pub content: Option<String>,
    /// New tags.
    pub tags: Option<Vec<String>>,
    /// Pin or unpin.
    pub pinned: Option<bool>,
    /// New label.
    pub trust: Option<Trust>,
    /// When its time is over.
    pub expires: Option<Expiry>,
}

/// When a memory's time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// It has no end.
    Never,
    /// From then on no query brings it up.
    At(Millis),
}

impl Expiry {
    const fn moment(self) -> Option<Millis> {
        match self {
            Self::Never => None,
            Self::At(moment) => Some(moment),
        }
    }
}

impl MemoriesMut<'_> {
    /// Changes a memory, notes the change for undo, and returns it as it is now. A new text takes
    /// the old vectors away and keeps the old text as a version. An edit that changes nothing
    /// leaves no trace.
    ///
    /// # Errors
    /// [`VaultError::NotFound`] (also for a memory in the trash), [`VaultError::Conflict`] when
    /// `expected_version` is not the present one, [`VaultError::Invalid`] for a blank text.
    pub fn edit(
        &self,
        id: MemoryId,
        edit: &Edit,
        expected_version: Option<u32>,
        now: Millis,
    ) -> Result<Memory, VaultError> {
        let before = self.get(id)?.ok_or(VaultError::NotFound)?;
        if before.deleted_at.is_some() {
            return Err(VaultError::NotFound);
        }
        if expected_version.is_some_and(|version| version != before.version) {
            return Err(VaultError::Conflict);
        }
        if edit
            .content
            .as_ref()
            .is_some_and(|content| content.trim().is_empty())
        {
            return Err(VaultError::Invalid { what: "content" });
        }
        let old = Fields::of(&before);
        let mut new = old.clone();
        if let Some(content) = &edit.content {
            new.content.clone_from(content);
        }
        if let Some(tags) = &edit.tags {
            new.tags = super::read::tags_from(&tags_json(tags));
        }
        new.pinned = edit.pinned.unwrap_or(new.pinned);
        if let Some(trust) = edit.trust {
            trust.as_str().clone_into(&mut new.trust);
        }
        if let Some(expires) = edit.expires {
            new.expires_at = expires.moment();
        }
        if new == old {
            return Ok(before);
        }
        if new.content != old.content {
            tombstones::set_reworded(self.0, &before)?;
        }
        let version = write_fields(self.0, &before, &new, now)?;
        touch(self.0, id)?;
        let action = Action::Edit(Edited {
            id,
            from: before.version,
            version,
            before: old,
            after: Some(new),
        });
        undo::record(self.0, &action, now)?;
        self.get(id)?.ok_or(VaultError::NotFound)
    }
}

/// Notes that a person changed a memory.
pub(super) fn touch(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO touched VALUES(?)")?
        .execute([id.0])?;
    Ok(())
}

/// Writes when a memory was last seen, and how often.
pub(crate) fn set_seen(
    connection: &Connection,
    id: MemoryId,
    (last_seen_at, seen_count): Seen,
) -> Result<(), VaultError> {
    connection
        .prepare_cached("UPDATE memories SET last_seen_at = ?, seen_count = ? WHERE id = ?")?
        .execute((last_seen_at, seen_count, id.0))?;
    Ok(())
}

/// Writes what can be edited, and everything that hangs on it. Returns the new version.
pub(crate) fn write_fields(
    connection: &Connection,
    before: &Memory,
    fields: &Fields,
    now: Millis,
) -> Result<u32, VaultError> {
    let id = before.id;
    let version = before.version + 1;
    let tool = (before.tool_name.as_deref(), before.tool_payload.as_deref());
    if fields.content != before.content {
        connection
            .prepare_cached("INSERT INTO memory_versions VALUES(?, ?, ?, ?)")?
            .execute((id.0, before.version, now, &before.content))?;
        embeddings::forget(connection, id)?;
        memory_text::remove(connection, id)?;
        memory_text::put(connection, id, &Folded::of(&fields.content, tool.0, tool.1))?;
    }
    connection
        .prepare_cached(
            "UPDATE memories SET content = ?, length = ?, blank = ?, fingerprint = ?, tags = ?, \
             pinned = ?, trust = ?, expires_at = ?, version = ? WHERE id = ?",
        )?
        .execute(params![
            fields.content,
            fields.content.chars().count() as i64,
            fields.content.trim().is_empty(),
            fingerprint(
                &before.scope,
                before.role,
                before.kind,
                &fields.content,
                tool
            ),
            tags_json(&fields.tags),
            fields.pinned,
            fields.trust,
            fields.expires_at,
            version,
            id.0,
        ])?;
    if fields.content == before.content {
        embeddings::carry_tokens(connection, id, version)?;
    } else {
        embeddings::enqueue(connection, id)?;
    }
    Ok(version)
}

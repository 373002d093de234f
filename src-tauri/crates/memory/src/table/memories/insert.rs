//! Storing a record: new, known, repeated, back again, or never again.

use rusqlite::{OptionalExtension as _, params};

use super::MemoriesMut;
use super::record_key::{self, Half, KeyRow, RecordKey, fingerprint_of};
use super::sightings;
use super::tombstones::{self, Tomb};
use crate::error::VaultError;
use crate::fold::fold;
use crate::memory::{Memory, MemoryId, Millis, NewMemory};
use crate::table::memory_text::{self, Folded};
use crate::table::signed;

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// A new memory.
    Stored(MemoryId),
    /// The same record with the same words was stored before; nothing changed.
    Known(MemoryId),
    /// The same agent and role said the same thing before: that memory was seen once more.
    Repeated(MemoryId),
    /// The same record, with more behind what it said before: the memory is longer now.
    Longer(MemoryId),
    /// It was in the trash only because no source held it any more. One does again.
    Returned(MemoryId),
    /// A person deleted what this record says. It stays deleted.
    Forgotten,
}

/// What a record would meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// A living memory holds it.
    Living(MemoryId),
    /// It was deleted, or withdrawn by its source.
    Gone,
    /// Nothing.
    New,
}

impl Inserted {
    /// The memory that holds the record, if one does.
    pub const fn memory(self) -> Option<MemoryId> {
        match self {
            Self::Stored(id)
            | Self::Known(id)
            | Self::Repeated(id)
            | Self::Longer(id)
            | Self::Returned(id) => Some(id),
            Self::Forgotten => None,
        }
    }
}

/// Trimmed, sorted, without blanks and repetitions, as JSON.
pub(crate) fn tags_json(tags: &[String]) -> String {
    let mut tags: Vec<&str> = tags
        .iter()
        .map(|tag| tag.trim())
        .filter(|tag| !tag.is_empty())
        .collect();
    tags.sort_unstable();
    tags.dedup();
    serde_json::Value::from(tags).to_string()
}

impl MemoriesMut<'_> {
    /// Stores a record. Safe to repeat: the same `source_key` with the same words is stored once.
    /// With more behind the words that it had, its memory grows; with other words it is stored as
    /// well, beside what it said before.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for an empty source key.
    pub fn insert(&self, new: &NewMemory, now: Millis) -> Result<Inserted, VaultError> {
        if new.source_key.is_empty() {
            return Err(VaultError::Invalid { what: "source key" });
        }
        let key = RecordKey::of(new);
        let name = match record_key::find(self.0, &key.base)? {
            Some(row) if row.said == Some(key.said) => return self.again(row.memory),
            Some(row) => {
                let with_text = key.with_text(&key.said);
                if let Some(row) = record_key::find(self.0, &with_text)? {
                    return self.again(row.memory);
                }
                if let Some(grown) = self.grow_from(&key, &row, new, now)? {
                    return Ok(grown);
                }
                with_text
            }
            None => {
                if let Some(row) = self.known_by_bare_key(&key, new)? {
                    return self.again(row.memory);
                }
                key.base
            }
        };
        self.insert_as(&name, &key.said, new, now)
    }

    /// Whether [`Self::insert`] would store a new memory, and if not, which living one holds the
    /// record.
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn recognised(&self, new: &NewMemory, now: Millis) -> Result<Recognised, VaultError> {
        let key = RecordKey::of(new);
        let mut row = record_key::find(self.0, &key.base)?;
        if row.as_ref().is_some_and(|row| row.said != Some(key.said)) {
            row = record_key::find(self.0, &key.with_text(&key.said))?;
        }
        if row.is_none() {
            row = self.known_by_bare_key(&key, new)?;
        }
        if let Some(row) = row {
            return Ok(match self.memory_of(&row)? {
                Some(memory) if memory.deleted_at.is_none() => Recognised::Living(memory.id),
                _ => Recognised::Gone,
            });
        }
        let fingerprint = fingerprint_of(new);
        Ok(match self.twin(&fingerprint, now)? {
            Some(id) => Recognised::Living(id),
            None => match tombstones::find(self.0, &fingerprint)? {
                Some(Tomb::Reworded(id)) => Recognised::Living(id),
                Some(Tomb::Deleted(_) | Tomb::Withdrawn(_)) => Recognised::Gone,
                None => Recognised::New,
            },
        })
    }

    /// The memory of a known record, in the trash too; `None` when it was purged.
    pub(super) fn memory_of(&self, row: &KeyRow) -> Result<Option<Memory>, VaultError> {
        row.memory.map_or(Ok(None), |id| self.get(id))
    }

    /// What became of a record that is known.
    pub(super) fn again(&self, memory: Option<MemoryId>) -> Result<Inserted, VaultError> {
        let Some(id) = memory else {
            return Ok(Inserted::Forgotten);
        };
        let deleted: Option<bool> = self
            .0
            .prepare_cached("SELECT deleted_at IS NOT NULL FROM memories WHERE id = ?")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        Ok(match deleted {
            Some(false) => Inserted::Known(id),
            Some(true) if self.bring_back(id)? => Inserted::Returned(id),
            Some(true) | None => Inserted::Forgotten,
        })
    }

    /// The row of a record that was stored when its key alone named it, if it said the same then.
    /// It gets its full name.
    fn known_by_bare_key(
        &self,
        key: &RecordKey,
        new: &NewMemory,
    ) -> Result<Option<KeyRow>, VaultError> {
        let Some(row) = record_key::find(self.0, &key.bare)? else {
            return Ok(None);
        };
        if let Some(id) = row.memory {
            let same = self.get(id)?.is_some_and(|memory| {
                memory.scope.org == new.scope.org && memory.content == new.content
            }) || self
                .history(id)?
                .iter()
                .any(|version| version.content == new.content);
            if !same {
                return Ok(None);
            }
        }
        let row = KeyRow {
            memory: row.memory,
            said: Some(key.said),
            start: 0,
            length: Some(new.content.len()),
        };
        record_key::put(self.0, &key.base, &row)?;
        Ok(Some(row))
    }

    /// Stores a record under a name that is not known.
    pub(super) fn insert_as(
        &self,
        name: &Half,
        said: &Half,
        new: &NewMemory,
        now: Millis,
    ) -> Result<Inserted, VaultError> {
        let fingerprint = fingerprint_of(new);
        let seen_at = new.created_at.unwrap_or(now);
        let inserted = match self.twin(&fingerprint, now)? {
            Some(id) => self.seen_again(id, new, now)?,
            None => match tombstones::find(self.0, &fingerprint)? {
                Some(Tomb::Deleted(memory)) => {
                    self.remember(name, said, memory, new)?;
                    return Ok(Inserted::Forgotten);
                }
                Some(Tomb::Reworded(id)) => self.seen_again(id, new, now)?,
                Some(Tomb::Withdrawn(id)) if self.bring_back(id)? => Inserted::Returned(id),
                _ => Inserted::Stored(self.store(new, fingerprint, seen_at)?),
            },
        };
        self.remember(name, said, inserted.memory(), new)?;
        Ok(inserted)
    }

    pub(super) fn seen_again(
        &self,
        id: MemoryId,
        new: &NewMemory,
        now: Millis,
    ) -> Result<Inserted, VaultError> {
        self.0
            .prepare_cached(
                "UPDATE memories SET last_seen_at = max(last_seen_at, ?), \
                 seen_count = seen_count + 1 WHERE id = ?",
            )?
            .execute((new.created_at.unwrap_or(now), id.0))?;
        let path = new.provenance.as_ref().map(|from| self.path_id(&from.path));
        sightings::note(self.0, id, new, path.transpose()?)?;
        Ok(Inserted::Repeated(id))
    }

    /// The living memory that says the same, if there is one.
    pub(super) fn twin(
        &self,
        fingerprint: &Half,
        now: Millis,
    ) -> Result<Option<MemoryId>, VaultError> {
        Ok(self
            .0
            .prepare_cached(
                "SELECT id FROM memories WHERE fingerprint = ? AND deleted_at IS NULL \
                 AND (expires_at IS NULL OR expires_at > ?) ORDER BY id LIMIT 1",
            )?
            .query_row((fingerprint, now), |row| row.get(0).map(MemoryId))
            .optional()?)
    }

    fn remember(
        &self,
        name: &Half,
        said: &Half,
        memory: Option<MemoryId>,
        new: &NewMemory,
    ) -> Result<(), VaultError> {
        let row = KeyRow {
            memory,
            said: Some(*said),
            start: 0,
            length: Some(new.content.len()),
        };
        record_key::put(self.0, name, &row)
    }

    fn store(
        &self,
        new: &NewMemory,
        fingerprint: Half,
        seen_at: Millis,
    ) -> Result<MemoryId, VaultError> {
        let (mut path, mut offset, mut line) = (None, None, None);
        if let Some(provenance) = &new.provenance {
            path = Some(self.path_id(&provenance.path)?);
            offset = Some(signed(provenance.offset)?);
            line = Some(signed(provenance.line)?);
        }
        self.0
            .prepare_cached(
                "INSERT INTO memories(org, agent, session, role, kind, created_at, \
                 created_at_quality, last_seen_at, seen_count, expires_at, pinned, trust, version, \
                 blank, length, file_id, path_id, source_offset, source_line, fingerprint, tags, \
                 tool_name, content, tool_payload) \
                 VALUES(?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                new.scope.org,
                new.scope.agent,
                new.scope.session,
                new.role.as_str(),
                new.kind.as_str(),
                new.created_at,
                new.created_at_quality.as_str(),
                seen_at,
                new.expires_at,
                new.pinned,
                new.trust.as_str(),
                new.content.trim().is_empty(),
                new.content.chars().count() as i64,
                new.provenance.as_ref().map(|provenance| provenance.file_id),
                path,
                offset,
                line,
                fingerprint,
                tags_json(&new.tags),
                new.tool_name,
                new.content,
                new.tool_payload,
            ])?;
        let id = MemoryId(self.0.last_insert_rowid());
        let text = Folded::of(
            &new.content,
            new.tool_name.as_deref(),
            new.tool_payload.as_deref(),
        );
        memory_text::put(self.0, id, &text)?;
        Ok(id)
    }

    /// Paths repeat with every line of a log, so a row holds the path's number.
    pub(crate) fn path_id(&self, path: &str) -> Result<i64, VaultError> {
        let known = self
            .0
            .prepare_cached("SELECT id FROM source_paths WHERE path = ?")?
            .query_row([path], |row| row.get(0))
            .optional()?;
        if let Some(id) = known {
            return Ok(id);
        }
        self.0
            .prepare_cached("INSERT INTO source_paths(path, folded) VALUES(?, ?)")?
            .execute((path, fold(path)))?;
        Ok(self.0.last_insert_rowid())
    }
}

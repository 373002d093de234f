//! Storing a record: new, known, repeated, or never again.

use rusqlite::{OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};

use super::MemoriesMut;
use crate::error::VaultError;
use crate::fold::fold;
use crate::memory::{Kind, MemoryId, Millis, NewMemory, Role, Scope};
use crate::table::memory_text::{self, Folded};

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// A new memory.
    Stored(MemoryId),
    /// The same record was stored before; nothing changed.
    Known(MemoryId),
    /// The same agent and role said the same thing before: that memory was seen once more.
    Repeated(MemoryId),
    /// A person deleted what this record was stored as. It stays deleted.
    Forgotten,
}

/// Half of a SHA-256 over length-prefixed parts, so that no two lists of parts read alike.
fn digest(parts: &[&str]) -> [u8; 16] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    let mut half = [0; 16];
    half.copy_from_slice(&digest.finalize()[..16]);
    half
}

/// What stands for a record for ever. A digest, because it must outlive a purge and the key may
/// hold text of the record.
pub(crate) fn key_digest(agent: &str, source_key: &str) -> [u8; 16] {
    digest(&[agent, source_key])
}

/// Equal for memories of the same organisation, agent, role and kind that say the same thing,
/// letter case, diacritics and Unicode form aside.
pub(crate) fn fingerprint(scope: &Scope, role: Role, kind: Kind, text: &Folded) -> [u8; 16] {
    digest(&[
        &scope.org,
        &scope.agent,
        role.as_str(),
        kind.as_str(),
        text.content.trim(),
        &text.tool_name,
        &text.tool_payload,
    ])
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

fn signed(number: u64) -> Result<i64, VaultError> {
    i64::try_from(number).map_err(|_| VaultError::Invalid {
        what: "file position",
    })
}

impl MemoriesMut<'_> {
    /// Stores a record. Safe to repeat: the same `source_key` of the same agent is stored once.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for an empty source key.
    pub fn insert(&self, new: &NewMemory, now: Millis) -> Result<Inserted, VaultError> {
        if new.source_key.is_empty() {
            return Err(VaultError::Invalid { what: "source key" });
        }
        let connection = self.0;
        let key = key_digest(&new.scope.agent, &new.source_key);
        let known: Option<(Option<i64>, bool)> = connection
            .prepare_cached(
                "SELECT k.memory_id, m.deleted_at IS NOT NULL FROM source_keys k \
                 LEFT JOIN memories m ON m.id = k.memory_id WHERE k.key = ?",
            )?
            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match known {
            Some((Some(id), false)) => return Ok(Inserted::Known(MemoryId(id))),
            Some(_) => return Ok(Inserted::Forgotten),
            None => {}
        }
        let text = Folded::of(
            &new.content,
            new.tool_name.as_deref(),
            new.tool_payload.as_deref(),
        );
        let fingerprint = fingerprint(&new.scope, new.role, new.kind, &text);
        let seen_at = new.created_at.unwrap_or(now);
        let twin: Option<i64> = connection
            .prepare_cached(
                "SELECT id FROM memories WHERE fingerprint = ? AND deleted_at IS NULL \
                 AND (expires_at IS NULL OR expires_at > ?) ORDER BY id LIMIT 1",
            )?
            .query_row((fingerprint, now), |row| row.get(0))
            .optional()?;
        let remember_key = |id: i64| -> Result<(), VaultError> {
            connection
                .prepare_cached("INSERT INTO source_keys VALUES(?, ?)")?
                .execute((key, id))?;
            Ok(())
        };
        if let Some(id) = twin {
            connection
                .prepare_cached(
                    "UPDATE memories SET last_seen_at = max(last_seen_at, ?), \
                     seen_count = seen_count + 1 WHERE id = ?",
                )?
                .execute((seen_at, id))?;
            remember_key(id)?;
            return Ok(Inserted::Repeated(MemoryId(id)));
        }
        let id = self.store(new, fingerprint, seen_at)?;
        remember_key(id)?;
        memory_text::put(connection, MemoryId(id), &text)?;
        Ok(Inserted::Stored(MemoryId(id)))
    }

    fn store(
        &self,
        new: &NewMemory,
        fingerprint: [u8; 16],
        seen_at: Millis,
    ) -> Result<i64, VaultError> {
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
        Ok(self.0.last_insert_rowid())
    }

    /// Paths repeat with every line of a log, so a row holds the path's number.
    fn path_id(&self, path: &str) -> Result<i64, VaultError> {
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

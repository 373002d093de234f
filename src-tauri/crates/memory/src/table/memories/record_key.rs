//! What makes a record this record, a text this text, and what outlives both.
//!
//! A record is named by organisation, agent, what its format calls it and, where the format has no
//! session, the file; beside the name stands a digest of what it said. The same name with the same
//! words is the same record; with other words it is never taken for known. Everything is a digest,
//! because it must outlive a purge and a key may hold text of the record.

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use crate::error::VaultError;
use crate::memory::{Kind, MemoryId, NewMemory, Role, Scope};

/// Schema 8. `length` counts the bytes of the record's text so far, `start` those of them that
/// another memory holds; a row without a length is a second name: an earlier text of the record.
/// Rows without a digest were made when a name alone was enough.
pub(crate) const TELL_TEXTS_APART: &str = "
ALTER TABLE source_keys ADD COLUMN digest BLOB;
ALTER TABLE source_keys ADD COLUMN start INTEGER NOT NULL DEFAULT 0;
ALTER TABLE source_keys ADD COLUMN length INTEGER;
";

/// Half of a SHA-256.
pub(crate) type Half = [u8; 16];

/// Over length-prefixed parts, so that no two lists of parts read alike.
fn digest(parts: &[&[u8]]) -> Half {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let mut half = [0; 16];
    half.copy_from_slice(&digest.finalize()[..16]);
    half
}

/// Equal for memories of the same organisation, agent, role and kind that say the same, Unicode form
/// and blanks around it aside. Letter case, accents and compatibility forms tell texts apart: folding
/// is for searching.
pub(crate) fn fingerprint(
    scope: &Scope,
    role: Role,
    kind: Kind,
    content: &str,
    tool: (Option<&str>, Option<&str>),
) -> Half {
    let composed = |text: &str| -> String { text.trim().nfc().collect() };
    digest(&[
        b"text",
        scope.org.as_bytes(),
        scope.agent.as_bytes(),
        role.as_str().as_bytes(),
        kind.as_str().as_bytes(),
        composed(content).as_bytes(),
        composed(tool.0.unwrap_or_default()).as_bytes(),
        composed(tool.1.unwrap_or_default()).as_bytes(),
    ])
}

/// Equal for records that a vault would take for the same thing said again.
pub fn fingerprint_of(new: &NewMemory) -> Half {
    let tool = (new.tool_name.as_deref(), new.tool_payload.as_deref());
    fingerprint(&new.scope, new.role, new.kind, &new.content, tool)
}

/// The names of a record.
pub(super) struct RecordKey {
    /// What the record is called.
    pub base: Half,
    /// What it was called before the organisation and the text counted.
    pub bare: Half,
    /// What it says.
    pub said: Half,
}

impl RecordKey {
    pub fn of(new: &NewMemory) -> Self {
        let file = match (&new.scope.session, &new.provenance) {
            (None, Some(from)) => from.file_id.to_string(),
            _ => String::new(),
        };
        let agent = new.scope.agent.as_bytes();
        let key = new.source_key.as_bytes();
        Self {
            base: digest(&[
                b"record",
                new.scope.org.as_bytes(),
                agent,
                key,
                file.as_bytes(),
            ]),
            bare: digest(&[agent, key]),
            said: said(new, &new.content),
        }
    }

    /// The name of this very text of the record.
    pub fn with_text(&self, said: &Half) -> Half {
        digest(&[b"record and text", &self.base, said])
    }
}

/// What a record says, were this its text.
pub(super) fn said(new: &NewMemory, content: &str) -> Half {
    digest(&[
        new.role.as_str().as_bytes(),
        new.kind.as_str().as_bytes(),
        new.tool_name.as_deref().unwrap_or_default().as_bytes(),
        new.tool_payload.as_deref().unwrap_or_default().as_bytes(),
        content.as_bytes(),
    ])
}

/// A name that is known.
#[derive(Clone, Debug)]
pub(super) struct KeyRow {
    /// The memory; `None` when it was purged.
    pub memory: Option<MemoryId>,
    pub said: Option<Half>,
    pub start: usize,
    pub length: Option<usize>,
}

impl KeyRow {
    /// As it is kept under an earlier text of the record: a second name.
    pub(super) fn former(self) -> Self {
        Self {
            length: None,
            ..self
        }
    }
}

pub(super) fn find(connection: &Connection, key: &Half) -> Result<Option<KeyRow>, VaultError> {
    Ok(connection
        .prepare_cached("SELECT memory_id, digest, start, length FROM source_keys WHERE key = ?")?
        .query_row([key], |row| {
            Ok(KeyRow {
                memory: row.get::<_, Option<i64>>(0)?.map(MemoryId),
                said: row.get(1)?,
                start: row.get::<_, i64>(2)?.max(0) as usize,
                length: row
                    .get::<_, Option<i64>>(3)?
                    .map(|length| length.max(0) as usize),
            })
        })
        .optional()?)
}

/// Notes under a name what stands for it now.
pub(super) fn put(connection: &Connection, key: &Half, row: &KeyRow) -> Result<(), VaultError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO source_keys VALUES(?, ?, ?, ?, ?)")?
        .execute((
            key,
            row.memory.map(|id| id.0),
            row.said,
            row.start as i64,
            row.length.map(|length| length as i64),
        ))?;
    Ok(())
}

/// Whether records under other names than this one are stored as this memory too.
pub(super) fn is_shared(
    connection: &Connection,
    id: MemoryId,
    but: &Half,
) -> Result<bool, VaultError> {
    Ok(connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM source_keys \
             WHERE memory_id = ? AND length IS NOT NULL AND key <> ?)",
        )?
        .query_row((id.0, but), |row| row.get(0))?)
}

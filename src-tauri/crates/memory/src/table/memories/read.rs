//! Looking memories up.

use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::record_key::{self, RecordKey};
use crate::error::VaultError;
use crate::filter::Condition;
use crate::memory::{
    CreatedAtQuality, Filter, Kind, Memory, MemoryId, Millis, NewMemory, Provenance, Role, Scope,
    Trust,
};
use crate::table::keyword::{self, Index};

/// An earlier text of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub version: u32,
    /// When it was replaced.
    pub replaced_at: Millis,
    /// The text.
    pub content: String,
}

pub(super) const COLUMNS: &str = "m.id, m.org, m.agent, m.session, m.role, m.kind, m.content, \
    m.tool_name, m.tool_payload, m.created_at, m.created_at_quality, m.last_seen_at, m.seen_count, \
    m.expires_at, m.file_id, (SELECT path FROM source_paths p WHERE p.id = m.path_id), \
    m.source_offset, m.source_line, m.tags, m.pinned, m.trust, m.version, m.deleted_at";

/// A name that the vault cannot hold means damage, not a default.
fn named<T>(row: &Row<'_>, index: usize, read: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text = row.get_ref(index)?.as_str()?;
    read(text).ok_or(rusqlite::Error::IntegralValueOutOfRange(index, 0))
}

pub(super) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let path: Option<String> = row.get(15)?;
    let provenance = match path {
        Some(path) => Some(Provenance {
            file_id: row.get::<_, Option<i64>>(14)?.unwrap_or(0),
            path,
            offset: row.get::<_, i64>(16)?.max(0) as u64,
            line: row.get::<_, i64>(17)?.max(0) as u64,
        }),
        None => None,
    };
    Ok(Memory {
        id: MemoryId(row.get(0)?),
        scope: Scope {
            org: row.get(1)?,
            agent: row.get(2)?,
            session: row.get(3)?,
        },
        role: named(row, 4, Role::from_name)?,
        kind: named(row, 5, Kind::from_name)?,
        content: row.get(6)?,
        tool_name: row.get(7)?,
        tool_payload: row.get(8)?,
        created_at: row.get(9)?,
        created_at_quality: named(row, 10, CreatedAtQuality::from_name)?,
        last_seen_at: row.get(11)?,
        seen_count: row.get(12)?,
        expires_at: row.get(13)?,
        provenance,
        tags: tags_from(row.get_ref(18)?.as_str()?),
        pinned: row.get(19)?,
        trust: named(row, 20, Trust::from_name)?,
        version: row.get(21)?,
        deleted_at: row.get(22)?,
    })
}

pub(crate) fn tags_from(json: &str) -> Vec<String> {
    if json == "[]" {
        return Vec::new();
    }
    serde_json::from_str(json).unwrap_or_default()
}

/// Reads memories.
pub struct Memories<'a>(pub(super) &'a Connection);

impl<'a> Memories<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// One memory, in the trash or not.
    pub fn get(&self, id: MemoryId) -> Result<Option<Memory>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.id = ?");
        Ok(self
            .0
            .prepare_cached(&sql)?
            .query_row([id.0], memory)
            .optional()?)
    }

    /// Several, in the order asked for; those that are not there are left out.
    pub fn get_many(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.id = ?");
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(statement.query_row([id.0], memory).optional()?);
        }
        Ok(found)
    }

    /// At most so many from this number on, in the trash or not, ascending.
    pub fn from(&self, id: MemoryId, limit: u32) -> Result<Vec<Memory>, VaultError> {
        let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.id >= ? ORDER BY m.id LIMIT ?");
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map((id.0, limit), memory)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Ids of the living, unexpired memories that pass the filter, ascending.
    pub fn ids(&self, filter: &Filter, now: Millis) -> Result<Vec<MemoryId>, VaultError> {
        let condition = Condition::living(filter, now);
        let sql = format!(
            "SELECT m.id FROM memories m WHERE {} ORDER BY m.id",
            condition.sql
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(condition.values), |row| {
            row.get(0).map(MemoryId)
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether any living, unexpired memory passes the filter.
    pub fn any(&self, filter: &Filter, now: Millis) -> Result<bool, VaultError> {
        let condition = Condition::living(filter, now);
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM memories m WHERE {})",
            condition.sql
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        Ok(statement.query_row(params_from_iter(condition.values), |row| row.get(0))?)
    }

    /// How many living, unexpired memories pass the filter.
    pub fn count(&self, filter: &Filter, now: Millis) -> Result<u32, VaultError> {
        self.counted(Condition::living(filter, now))
    }

    /// How many memories are living and unexpired, without looking at each: the word index knows
    /// how many rows it has. Within a write, as of the last commit.
    pub fn living(&self, now: Millis) -> Result<u32, VaultError> {
        let expired = u32::try_from(self.expired(now)?.len()).unwrap_or(u32::MAX);
        Ok(keyword::rows(self.0, Index::Words)?.saturating_sub(expired))
    }

    /// The memories whose time is over and that are not in the trash, in no order.
    pub fn expired(&self, now: Millis) -> Result<Vec<MemoryId>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT id FROM memories INDEXED BY memories_expiry \
             WHERE expires_at <= ? AND deleted_at IS NULL",
        )?;
        let rows = statement.query_map([now], |row| row.get(0).map(MemoryId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many memories are in the trash.
    pub fn trash_count(&self) -> Result<u32, VaultError> {
        self.counted(Condition::trash(&Filter::default()))
    }

    pub(super) fn counted(&self, condition: Condition) -> Result<u32, VaultError> {
        let sql = format!("SELECT count(*) FROM memories m WHERE {}", condition.sql);
        let rows = self
            .0
            .prepare_cached(&sql)?
            .query_row(params_from_iter(condition.values), |row| row.get(0))?;
        crate::filter::count(rows)
    }

    /// The earlier texts of a memory, latest first.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Version>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT version, replaced_at, content FROM memory_versions \
             WHERE memory_id = ? ORDER BY version DESC",
        )?;
        let rows = statement.query_map([id.0], |row| {
            Ok(Version {
                version: row.get(0)?,
                replaced_at: row.get(1)?,
                content: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The memory that a record was stored as, in the trash or not, whatever it says now. `None`
    /// also when it was purged.
    pub fn by_record(&self, new: &NewMemory) -> Result<Option<Memory>, VaultError> {
        let row = record_key::find(self.0, &RecordKey::of(new).base)?;
        match row.and_then(|row| row.memory) {
            Some(id) => self.get(id),
            None => Ok(None),
        }
    }
}

//! What was said when, across conversations and within one: first times and later ones alike.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::Memories;
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};

/// One time that something was said in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What was said.
    pub id: MemoryId,
    /// When.
    pub at: Millis,
    /// In which conversation.
    pub session: String,
}

/// Which turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns<'a> {
    /// Of this conversation only.
    pub session: Option<&'a str>,
    /// At or after.
    pub from: Millis,
    /// Before.
    pub until: Millis,
    /// Only what persons said, and calls of tools.
    pub asking: bool,
    /// The latest first, otherwise the earliest.
    pub latest_first: bool,
    /// How many.
    pub limit: u32,
}

impl Memories<'_> {
    /// Living memories by the times that they were said, in conversations that have a name. Ties break by
    /// memory; what has no time is left out.
    pub fn turns(&self, wanted: &Turns<'_>) -> Result<Vec<Turn>, VaultError> {
        let asking = if wanted.asking {
            " AND (m.role = 'user' AND m.kind = 'text' OR m.kind = 'tool_call')"
        } else {
            ""
        };
        let (first, again) = match wanted.session {
            Some(_) => ("m.session = ?1", "s.session = ?1"),
            None => (
                "?1 IS NULL AND m.session IS NOT NULL",
                "?1 IS NULL AND s.session IS NOT NULL",
            ),
        };
        let direction = if wanted.latest_first { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT m.id AS id, m.created_at AS at, m.session FROM memories m \
             WHERE {first} AND m.created_at >= ?2 AND m.created_at < ?3 \
             AND m.deleted_at IS NULL{asking} \
             UNION ALL SELECT m.id, s.at, s.session FROM sightings s \
             JOIN memories m ON m.id = s.memory_id \
             WHERE {again} AND s.at >= ?2 AND s.at < ?3 AND m.deleted_at IS NULL{asking} \
             ORDER BY at {direction}, id {direction} LIMIT ?4"
        );
        let session = wanted.session.map(str::to_owned);
        let values = [
            session.map_or(Value::Null, Value::Text),
            Value::Integer(wanted.from),
            Value::Integer(wanted.until),
            Value::Integer(i64::from(wanted.limit)),
        ];
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            Ok(Turn {
                id: MemoryId(row.get(0)?),
                at: row.get(1)?,
                session: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

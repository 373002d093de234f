//! What a map shows of every memory beside its place.

use super::read::Memories;
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};

/// One memory on a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapPoint {
    /// The memory.
    pub id: MemoryId,
    /// Its agent.
    pub agent: String,
    /// The name of its kind.
    pub kind: String,
    /// When it happened; `None` when that is not known.
    pub created_at: Option<Millis>,
}

impl Memories<'_> {
    /// All living memories that have not expired, by id.
    pub fn map_points(&self, now: Millis) -> Result<Vec<MapPoint>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT id, agent, kind, CASE created_at_quality WHEN 'unknown' THEN NULL ELSE created_at END \
             FROM memories WHERE deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?) \
             ORDER BY id",
        )?;
        let rows = statement.query_map([now], |row| {
            Ok(MapPoint {
                id: MemoryId(row.get(0)?),
                agent: row.get(1)?,
                kind: row.get(2)?,
                created_at: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

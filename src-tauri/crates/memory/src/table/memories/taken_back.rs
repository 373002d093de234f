//! What a person took back in the agent: kept, marked, and out of answers unless asked for.

use rusqlite::params;

use super::MemoriesMut;
use super::insert::tags_json;
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis, TAKEN_BACK};

/// A stretch of a session's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// Row of the file.
    pub file_id: i64,
    /// The session.
    pub session: &'a str,
    /// Bytes before its first record.
    pub from: u64,
    /// Bytes before the first record after it.
    pub to: u64,
}

impl MemoriesMut<'_> {
    /// Marks the living memories of a stretch as taken back at a moment. Pinned ones are a person's
    /// choice and stay as they are. Nobody did this by hand, so it is not to be undone. Returns
    /// those that were marked now.
    pub fn take_back(
        &self,
        stretch: &Stretch<'_>,
        at: Millis,
    ) -> Result<Vec<MemoryId>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT id, tags FROM memories WHERE deleted_at IS NULL AND session = ? \
             AND file_id = ? AND source_offset >= ? AND source_offset < ? AND NOT pinned",
        )?;
        let found: Vec<(i64, String)> = statement
            .query_map(
                params![
                    stretch.session,
                    stretch.file_id,
                    i64::try_from(stretch.from).unwrap_or(i64::MAX),
                    i64::try_from(stretch.to).unwrap_or(i64::MAX),
                ],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?
            .collect::<Result<_, _>>()?;
        let mut marked = Vec::new();
        for (id, tags) in found {
            let mut tags = super::read::tags_from(&tags);
            if tags.iter().any(|tag| tag == TAKEN_BACK) {
                continue;
            }
            tags.push(TAKEN_BACK.to_owned());
            self.0
                .prepare_cached(
                    "UPDATE memories SET tags = ?1, \
                     expires_at = min(coalesce(expires_at, ?2), ?2) WHERE id = ?3",
                )?
                .execute(params![tags_json(&tags), at, id])?;
            marked.push(MemoryId(id));
        }
        Ok(marked)
    }
}

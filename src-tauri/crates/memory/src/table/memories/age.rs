//! Moves a whole vault in time.

use super::MemoriesMut;
use crate::error::VaultError;
use crate::memory::Millis;

impl MemoriesMut<'_> {
    /// Moves every memory whose time comes from its record or its session by `by` milliseconds, and
    /// lets it have been seen again as long after as before. For invented logs that are to look as if
    /// they were written today; times taken from files stand. Returns how many moved.
    pub fn move_in_time(&self, by: Millis) -> Result<u32, VaultError> {
        self.0.execute("UPDATE sightings SET at = at + ?1", [by])?;
        let moved = self.0.execute(
            "UPDATE memories SET created_at = created_at + ?1, last_seen_at = max(created_at + ?1, \
             coalesce((SELECT max(at) FROM sightings WHERE memory_id = memories.id), 0)) \
             WHERE created_at IS NOT NULL AND created_at_quality IN ('record', 'session')",
            [by],
        )?;
        Ok(moved as u32)
    }
}

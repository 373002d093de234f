//! Storing what a person or an agent wrote by hand: it has no log, and undo takes it back.

use std::fmt::Write as _;

use super::MemoriesMut;
use super::insert::Inserted;
use super::record_key::fingerprint_of;
use super::sightings;
use crate::error::VaultError;
use crate::memory::{Millis, NewMemory};
use crate::table::undo::{self, Action};

impl MemoriesMut<'_> {
    /// Stores a memory that stands in no log, whatever its source key. What is new goes into the
    /// trash when it is taken back; what was there already is said once less then.
    ///
    /// # Errors
    /// When the vault cannot be written.
    pub fn add(&self, new: &NewMemory, now: Millis) -> Result<Inserted, VaultError> {
        // Every time it is written is a record of its own.
        let mut source_key = format!("by hand, {now}, ");
        for byte in fingerprint_of(new) {
            // Writing into a String cannot fail.
            let _ = write!(source_key, "{byte:02x}");
        }
        let new = &NewMemory {
            source_key,
            ..new.clone()
        };
        let inserted = self.insert(new, now)?;
        let sighting = match inserted {
            Inserted::Repeated(id) => sightings::latest(self.0, id)?,
            _ => None,
        };
        let action = match inserted {
            Inserted::Stored(id) | Inserted::Returned(id) => Some(Action::Add { id }),
            Inserted::Repeated(id) => self.get(id)?.map(|memory| Action::Say {
                id,
                sighting,
                seen: [
                    (memory.last_seen_at, memory.seen_count.saturating_sub(1)),
                    (memory.last_seen_at, memory.seen_count),
                ],
            }),
            Inserted::Known(_) | Inserted::Longer(_) | Inserted::Forgotten => None,
        };
        if let Some(action) = action {
            undo::record(self.0, &action, now)?;
        }
        Ok(inserted)
    }
}

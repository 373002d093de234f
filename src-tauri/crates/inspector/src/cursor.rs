//! How far work behind the vault has come, for whoever goes on with it.

use std::sync::atomic::{AtomicI64, Ordering};

use memory::{MemoryId, Pending, VaultError};

/// How far filling in has come: everything from a number on has been seen to, the newest first.
pub(crate) struct Cursor(AtomicI64);

impl Default for Cursor {
    fn default() -> Self {
        Self(AtomicI64::new(Self::START))
    }
}

impl Cursor {
    const START: i64 = i64::MAX;

    /// Nothing is left.
    const DONE: i64 = i64::MIN;

    /// After memories came that may lack what is filled in.
    pub(crate) fn begin_anew(&self) {
        self.0.store(Self::START, Ordering::SeqCst);
    }

    /// Sees to the next memories below and returns how many these were; when there are none, it is done.
    pub(crate) fn advance(
        &self,
        next: impl FnOnce(MemoryId) -> Result<Vec<Pending>, VaultError>,
        see_to: impl FnOnce(&[Pending]) -> Result<(), VaultError>,
    ) -> Result<usize, VaultError> {
        let below = self.0.load(Ordering::SeqCst);
        if below == Self::DONE {
            return Ok(0);
        }
        let batch = next(MemoryId(below))?;
        // Where nothing is missing nothing is written: a vault that is only looked at stays as it is.
        if !batch.is_empty() {
            see_to(&batch)?;
        }
        let reached = batch.last().map_or(Self::DONE, |item| item.id.0);
        // Unless it was begun anew meanwhile.
        let _ = self
            .0
            .compare_exchange(below, reached, Ordering::SeqCst, Ordering::SeqCst);
        Ok(batch.len())
    }
}

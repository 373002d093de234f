//! What a purge leaves to be done after its transaction: no byte of a purged memory stays in
//! the file, not even encrypted.

use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::Vault;
use crate::error::VaultError;
use crate::table::state;

impl Vault {
    /// Rebuilds the file without its free pages and empties the write-ahead log. When a reader or
    /// another program stands in the way, the note in the vault stays and the next unlock or purge
    /// tries again.
    pub(super) fn scrub(&self) {
        let guard = self.0.writer.lock();
        let Some(connection) = guard.as_ref() else {
            return;
        };
        self.0.vacuuming.store(true, Ordering::SeqCst);
        let result = scrub(connection);
        self.0.vacuuming.store(false, Ordering::SeqCst);
        if let Err(error) = result {
            tracing::warn!(%error, "purged pages could not be overwritten yet");
        }
    }
}

fn scrub(connection: &Connection) -> Result<(), VaultError> {
    connection.execute_batch("VACUUM")?;
    truncate(connection)?;
    state::scrubbed(connection)?;
    truncate(connection)
}

fn truncate(connection: &Connection) -> Result<(), VaultError> {
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 {
        Ok(())
    } else {
        Err(VaultError::Busy)
    }
}

//! One row about the vault itself: how often it was written, and whether a purge is unfinished.

use rusqlite::Connection;

use crate::error::VaultError;

pub(crate) const MIGRATION: &str = "
CREATE TABLE vault_state(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    scrub_pending INTEGER NOT NULL
);
INSERT INTO vault_state VALUES(1, 0, 0);
";

pub(crate) fn epoch(connection: &Connection) -> Result<u64, VaultError> {
    let epoch: i64 = connection
        .prepare_cached("SELECT epoch FROM vault_state")?
        .query_row([], |row| row.get(0))?;
    Ok(epoch.unsigned_abs())
}

pub(crate) fn advance(connection: &Connection) -> Result<u64, VaultError> {
    connection
        .prepare_cached("UPDATE vault_state SET epoch = epoch + 1")?
        .execute([])?;
    epoch(connection)
}

pub(crate) fn scrub_pending(connection: &Connection) -> Result<bool, VaultError> {
    let pending = connection.query_row("SELECT scrub_pending FROM vault_state", [], |row| {
        row.get(0)
    })?;
    Ok(pending)
}

pub(crate) fn want_scrub(connection: &Connection) -> Result<(), VaultError> {
    connection.execute("UPDATE vault_state SET scrub_pending = 1", [])?;
    Ok(())
}

pub(crate) fn scrubbed(connection: &Connection) -> Result<(), VaultError> {
    connection.execute("UPDATE vault_state SET scrub_pending = 0", [])?;
    Ok(())
}

//! One row about the vault itself: how often it was written, how often what a query can find was
//! written, and whether a purge is unfinished.

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

/// Schema 2: writes of memories and vectors are counted on their own, so that candidates gathered
/// for a query outlive stored traces, settings and judgements.
pub(crate) const COUNT_CONTENT: &str = "
ALTER TABLE vault_state ADD COLUMN content INTEGER NOT NULL DEFAULT 0;
";

pub(crate) fn content_epoch(connection: &Connection) -> Result<u64, VaultError> {
    let epoch: i64 = connection
        .prepare_cached("SELECT content FROM vault_state")?
        .query_row([], |row| row.get(0))?;
    Ok(epoch.unsigned_abs())
}

pub(crate) fn advance_content(connection: &Connection) -> Result<(), VaultError> {
    connection
        .prepare_cached("UPDATE vault_state SET content = content + 1")?
        .execute([])?;
    Ok(())
}

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

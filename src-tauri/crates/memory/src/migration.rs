//! The schema and how an older vault gets there. Each table's file holds its own statements.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Fault, VaultError};
use crate::table;

/// "Leth" in ASCII: names the file's owner for whoever inspects it.
const APPLICATION_ID: i64 = 0x4c65_7468;

/// Every step takes the schema from its index to the next number.
const STEPS: &[&[&str]] = &[
    FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH, TENTH, ELEVENTH, TWELFTH,
    THIRTEENTH,
];

const FIRST: &[&str] = &[
    table::state::MIGRATION,
    table::memories::MIGRATION,
    table::memory_text::MIGRATION,
    table::keyword::MIGRATION,
    table::embeddings::MIGRATION,
    table::sources::MIGRATION,
    table::files::MIGRATION,
    table::settings::MIGRATION,
    table::traces::MIGRATION,
    table::undo::MIGRATION,
];

/// Golden queries.
const SECOND: &[&str] = &[table::judgements::MIGRATION, table::state::COUNT_CONTENT];

/// The research cache.
const THIRD: &[&str] = &[table::research::MIGRATION];

/// What queries over many memories need.
const FOURTH: &[&str] = &[
    table::memories::COUNT_BLANK,
    table::memory_text::NOTE_CHANGES,
];

/// Documents.
const FIFTH: &[&str] = &[table::documents::MIGRATION];

/// A stored approximate index.
const SIXTH: &[&str] = &[table::embeddings::GRAPHS];

/// What rerankers said.
const SEVENTH: &[&str] = &[table::pair_scores::MIGRATION];

/// Records and texts told apart by what they say; who holds a memory; how a file was read.
const EIGHTH: &[&str] = &[
    table::memories::TELL_TEXTS_APART,
    table::memories::HOLDERS,
    table::memories::TOMBSTONES,
    table::files::READ_HOW,
];

/// Whose choice a file's format was.
const NINTH: &[&str] = &[table::files::ASKED_FOR];

/// The vectors of tokens.
const TENTH: &[&str] = &[table::embeddings::TOKENS];

/// Where and when memories were said again.
const ELEVENTH: &[&str] = &[table::memories::SIGHTINGS];

/// The words that memories should be found by.
const TWELFTH: &[&str] = &[table::embeddings::WORDS];

/// Memories that mean nearly the same.
const THIRTEENTH: &[&str] = &[table::memories::NEAR];

/// The schema from which on fingerprints are of the text itself.
const RENEWED: u32 = 8;

/// The newest schema this program knows.
pub const SCHEMA_VERSION: u32 = STEPS.len() as u32;

/// The schema version of an open database; 0 for an empty one.
pub(crate) fn version(connection: &Connection) -> Result<u32, VaultError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// The schema version, if this program knows it.
///
/// # Errors
/// [`VaultError::TooNew`].
pub(crate) fn refuse_newer(connection: &Connection) -> Result<u32, VaultError> {
    let found = version(connection)?;
    if found > SCHEMA_VERSION {
        return Err(VaultError::TooNew {
            found,
            known: SCHEMA_VERSION,
        });
    }
    Ok(found)
}

/// Brings the database to [`SCHEMA_VERSION`], in one transaction.
///
/// # Errors
/// [`VaultError::TooNew`]; [`VaultError::NotAVault`] when another program's tables are in it.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), VaultError> {
    let found = refuse_newer(connection)?;
    let owner: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if owner != APPLICATION_ID && (owner != 0 || tables > 0) {
        return Err(VaultError::not_a_vault(path, Fault::ForeignTables));
    }
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Another program may have migrated while this one waited for its turn.
    let found = version(&transaction)?;
    for step in STEPS.iter().skip(found as usize) {
        for statements in *step {
            transaction.execute_batch(statements)?;
        }
    }
    if found < RENEWED {
        table::memories::renew(&transaction)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION.max(found))?;
    transaction.commit()?;
    Ok(())
}

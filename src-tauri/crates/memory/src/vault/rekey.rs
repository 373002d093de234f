//! Another data key: every page is encrypted anew, for when the old key may be known to somebody.
//!
//! The database is built anew beside the old one and seen to open before it takes its place. The two
//! files of a vault cannot be exchanged in one step, so the new key file lies ready as
//! `vault.keys.new` before the database is exchanged; which of both key files is the database's own is
//! told by how the database begins. Killed at any moment, the vault opens: as it was before, or under
//! the new key.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zeroize::Zeroizing;

use super::backup::{exclude_others, verify};
use super::connection::{self, Access, Way};
use super::folder::{self, DATABASE, INDEX, KEYS, LOG, UNFINISHED_KEYS};
use super::keys::{DataKey, KeyFile, SlotKind};
use super::{Vault, opening};
use crate::error::VaultError;
use crate::passphrase::Passphrase;
use crate::table::state;

/// What a change of the data key did.
#[derive(Debug)]
pub struct Rekeyed {
    /// The new recovery code, if there was one before.
    pub recovery_code: Option<Zeroizing<String>>,
    /// Slots that are gone: their secrets, which nobody gave, would be needed to wrap the new key.
    pub slots_gone: u32,
}

impl Vault {
    /// Encrypts the vault anew under a new random key, which the given passphrase opens. Backups and
    /// copies made before still open with what opened them then.
    ///
    /// # Errors
    /// [`VaultError::Busy`] when anybody has the vault open; [`VaultError::Damaged`] when it is not
    /// whole; [`VaultError::Invalid`] for a recovery code, which cannot stand in for the passphrase
    /// here; as [`Vault::unlock`]. The vault is as it was before then.
    pub fn rekey(dir: &Path, secret: &Passphrase) -> Result<Rekeyed, VaultError> {
        let head = opening::database_head(dir)?;
        let held = folder::hold(dir)?;
        held.clear_parts(dir);
        opening::keys_of(dir, &head);
        let database = dir.join(DATABASE);
        let old = KeyFile::read(&dir.join(KEYS))?;
        let (key, place) = old.open(&dir.join(KEYS), secret)?;
        let (new_key, mut file) = old.anew(place, secret)?;
        let slots = old.slots();
        let had_code = slots.iter().any(|slot| slot.kind == SlotKind::RecoveryCode);
        let recovery_code = had_code
            .then(|| file.put_recovery_code(&new_key))
            .transpose()?;
        // Refused before the work, not after it.
        drop(exclude_others(&database)?);
        let fresh = dir.join(format!("{DATABASE}.{}.part", folder::random_name()?));
        let done = build(&database, &key, &fresh, &new_key)
            .and_then(|()| exchange(dir, &fresh, &mut file));
        for end in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(folder::with_end(&fresh, end));
        }
        done?;
        Ok(Rekeyed {
            slots_gone: (slots.len() - 1 - usize::from(had_code)) as u32,
            recovery_code,
        })
    }
}

/// Builds the database anew under another key, and sees that it opens and holds the same.
fn build(
    database: &Path,
    key: &DataKey,
    fresh: &Path,
    new_key: &DataKey,
) -> Result<(), VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    let old = connection::open(database, key, Access::Write, Way::Live, &never)?;
    folder::write_new(fresh, b"")?;
    connection::snapshot(database, key, Way::Live, fresh)?;
    connection::change_key(fresh, key, new_key)?;
    let memories = verify(fresh, new_key)?;
    let new = connection::open(fresh, new_key, Access::Write, Way::Live, &never)?;
    let count = "SELECT count(*) FROM memories";
    let before: u32 = old.query_row(count, [], |row| row.get(0))?;
    if before != memories || state::epoch(&old)? != state::epoch(&new)? {
        return Err(VaultError::Busy);
    }
    opening::close(new)?;
    // The log of the old database must be gone before another takes its place.
    opening::close(old)?;
    folder::sync_file(fresh)
}

fn exchange(dir: &Path, fresh: &Path, file: &mut KeyFile) -> Result<(), VaultError> {
    let database = dir.join(DATABASE);
    let _nobody = exclude_others(&database)?;
    if folder::look(&dir.join(LOG))?.is_some_and(|log| log.len() > 0) {
        return Err(VaultError::Busy);
    }
    folder::remove(&dir.join(LOG))?;
    folder::remove(&dir.join(INDEX))?;
    let head = opening::head_of(fresh)?;
    file.note_database(&head);
    // What an earlier change left that was killed before it exchanged anything.
    folder::remove(&dir.join(UNFINISHED_KEYS))?;
    folder::write_new(&dir.join(UNFINISHED_KEYS), &file.text()?)?;
    folder::sync(dir)?;
    fs::rename(fresh, &database).map_err(|error| VaultError::writing(&database, &error))?;
    folder::sync(dir)?;
    opening::keys_of(dir, &head);
    Ok(())
}

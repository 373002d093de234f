//! Changing what opens a vault. The data key stays: a slot wraps it anew, and the key file is
//! exchanged in one step, after the new one has been seen to open.

use std::path::Path;

use zeroize::Zeroizing;

use super::folder::{self, KEYS};
use super::keys::{DataKey, KeyFile, KeySlot, SlotKind};
use super::{KdfCost, Vault};
use crate::error::VaultError;
use crate::passphrase::Passphrase;

impl Vault {
    /// The slots of the vault in the folder; needs no secret.
    ///
    /// # Errors
    /// [`VaultError::NotAVault`], [`VaultError::TooNew`], [`VaultError::File`].
    pub fn key_slots(dir: &Path) -> Result<Vec<KeySlot>, VaultError> {
        if let Ok(head) = super::opening::database_head(dir) {
            super::opening::keys_of(dir, &head);
        }
        Ok(KeyFile::read(&dir.join(KEYS))?.slots())
    }

    /// Sees that a secret opens the vault in the folder, without opening it.
    ///
    /// # Errors
    /// [`VaultError::WrongPassphrase`], and as [`Self::key_slots`].
    pub fn opens(dir: &Path, secret: &Passphrase) -> Result<(), VaultError> {
        let head = super::opening::database_head(dir)?;
        super::opening::keys_of(dir, &head);
        let path = dir.join(KEYS);
        KeyFile::read(&path)?.open(&path, secret).map(drop)
    }

    /// A new passphrase takes the place of the one that is given. Given a recovery code, it takes the
    /// place of the only passphrase, or joins several.
    ///
    /// # Errors
    /// [`VaultError::WrongPassphrase`], and as [`Self::key_slots`]. The vault opens as before then.
    pub fn change_passphrase(
        dir: &Path,
        current: &Passphrase,
        new: &Passphrase,
        cost: KdfCost,
    ) -> Result<(), VaultError> {
        change(dir, current, |file, key, opened| {
            let slots = file.slots();
            let of_passphrases = |slot: &&KeySlot| slot.kind == SlotKind::Passphrase;
            let place = match slots[opened].kind {
                SlotKind::Passphrase => Some(opened),
                _ if slots.iter().filter(of_passphrases).count() == 1 => slots
                    .iter()
                    .position(|slot| slot.kind == SlotKind::Passphrase),
                _ => None,
            };
            file.put_passphrase(key, place, new, cost)?;
            Ok(((), Some(new.clone())))
        })
    }

    /// One more passphrase that opens the vault.
    ///
    /// # Errors
    /// As [`Self::change_passphrase`]; [`VaultError::Invalid`] when there are sixteen slots.
    pub fn add_passphrase(
        dir: &Path,
        current: &Passphrase,
        new: &Passphrase,
        cost: KdfCost,
    ) -> Result<(), VaultError> {
        change(dir, current, |file, key, _| {
            file.put_passphrase(key, None, new, cost)?;
            Ok(((), Some(new.clone())))
        })
    }

    /// Draws a recovery code. It is nowhere but in the answer; one that was drawn before no longer
    /// opens anything.
    ///
    /// # Errors
    /// As [`Self::add_passphrase`].
    pub fn draw_recovery_code(
        dir: &Path,
        current: &Passphrase,
    ) -> Result<Zeroizing<String>, VaultError> {
        change(dir, current, |file, key, _| {
            let code = file.put_recovery_code(key)?;
            let proof = Passphrase::new(code.as_str().to_owned())?;
            Ok((code, Some(proof)))
        })
    }

    /// Takes the slot of that number away.
    ///
    /// # Errors
    /// As [`Self::change_passphrase`]; [`VaultError::NotFound`]; [`VaultError::LastKeySlot`].
    pub fn remove_key_slot(
        dir: &Path,
        current: &Passphrase,
        number: u32,
    ) -> Result<(), VaultError> {
        change(dir, current, |file, _, _| {
            file.remove(number)?;
            Ok(((), None))
        })
    }
}

/// Exchanges the key file for what `f` makes of it, if the secret it names opens that.
fn change<T>(
    dir: &Path,
    current: &Passphrase,
    f: impl FnOnce(&mut KeyFile, &DataKey, usize) -> Result<(T, Option<Passphrase>), VaultError>,
) -> Result<T, VaultError> {
    let path = dir.join(KEYS);
    // Looked at first, so that a folder without a vault is named as such.
    let head = super::opening::database_head(dir)?;
    let held = folder::hold(dir)?;
    held.clear_parts(dir);
    super::opening::keys_of(dir, &head);
    let mut file = KeyFile::read(&path)?;
    let (key, opened) = file.open(&path, current)?;
    let (made, proof) = f(&mut file, &key, opened)?;
    let text = file.text()?;
    let again = KeyFile::parse(&path, &text)?;
    if let Some(secret) = proof {
        let (seen, _) = again.open(&path, &secret)?;
        if seen != key {
            return Err(VaultError::Invalid { what: "key file" });
        }
    }
    folder::replace(&path, &text)?;
    Ok(made)
}

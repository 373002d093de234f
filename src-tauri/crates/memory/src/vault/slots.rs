//! Changing what opens a vault. The data key stays: a slot wraps it anew, and the key file is
//! exchanged in one step, after the new one has been seen to open.

use std::path::Path;

use zeroize::Zeroizing;

use super::folder::{self, KEYS};
use super::keys::{DataKey, KeyFile, KeySlot, KeychainEntry, SlotKind};
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
            Ok(((), Some(Proof::Typed(new.clone()))))
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
            Ok(((), Some(Proof::Typed(new.clone()))))
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
            Ok((code, Some(Proof::Typed(proof))))
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

    /// Adds a slot for the system's keychain, in the place of the one of the given name if there is such
    /// a one. `keep` puts the entry into the keychain, after the passphrase has proved right and before
    /// the key file says that it is there; whoever kept it takes it back when this fails after all.
    ///
    /// # Errors
    /// Whatever `keep` says; as [`Self::add_passphrase`]. The vault opens as before then.
    pub fn add_keychain_slot<E: From<VaultError>>(
        dir: &Path,
        current: &Passphrase,
        instead_of: Option<&str>,
        keep: impl FnOnce(&KeychainEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        change(dir, current, |file, key, _| {
            let entry = file.put_kept(key, instead_of)?;
            keep(&entry)?;
            Ok(((), Some(Proof::Kept(entry))))
        })
    }

    /// Takes the slot away whose secret a keychain keeps under that name. Needs no secret: it only
    /// closes a way in, and never the last one that a person can type.
    ///
    /// # Errors
    /// [`VaultError::NotFound`]; as [`Self::key_slots`].
    pub fn drop_keychain_slot(dir: &Path, name: &str) -> Result<(), VaultError> {
        exchange(dir, |file, _| {
            file.remove_kept(name)?;
            Ok(((), None))
        })
    }
}

/// What must open the new key file before it takes the old one's place.
enum Proof {
    Typed(Passphrase),
    Kept(KeychainEntry),
}

/// Exchanges the key file for what `f` makes of it, if the secret it names opens that.
fn change<T, E: From<VaultError>>(
    dir: &Path,
    current: &Passphrase,
    f: impl FnOnce(&mut KeyFile, &DataKey, usize) -> Result<(T, Option<Proof>), E>,
) -> Result<T, E> {
    exchange(dir, |file, path| {
        let (key, opened) = file.open(path, current)?;
        let (made, proof) = f(file, &key, opened)?;
        Ok((made, proof.map(|proof| (key, proof))))
    })
}

/// Exchanges the key file for what `f` makes of it, if the proof gives the same key there.
fn exchange<T, E: From<VaultError>>(
    dir: &Path,
    f: impl FnOnce(&mut KeyFile, &Path) -> Result<(T, Option<(DataKey, Proof)>), E>,
) -> Result<T, E> {
    let path = dir.join(KEYS);
    // Looked at first, so that a folder without a vault is named as such.
    let head = super::opening::database_head(dir)?;
    let held = folder::hold(dir)?;
    held.clear_parts(dir);
    super::opening::keys_of(dir, &head);
    let mut file = KeyFile::read(&path)?;
    let (made, proof) = f(&mut file, &path)?;
    let text = file.text()?;
    let again = KeyFile::parse(&path, &text)?;
    if let Some((key, proof)) = proof {
        let seen = match &proof {
            Proof::Typed(secret) => again.open(&path, secret)?.0,
            Proof::Kept(entry) => again.open_kept(&path, entry)?,
        };
        if seen != key {
            return Err(VaultError::Invalid { what: "key file" }.into());
        }
    }
    folder::replace(&path, &text)?;
    Ok(made)
}

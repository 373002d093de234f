//! What opens the vault: passphrases, the recovery code, and the system's keychain.

use memory::{KdfCost, Passphrase, SlotKind, Vault, VaultError};
use serde::{Deserialize, Serialize};

use super::keychain::RemovedView;
use crate::at_work::AtWork;
use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::strength::strong;

/// A slot of the key file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct KeySlotView {
    /// Its number, from 1.
    pub number: u32,
    /// `passphrase`, `recovery_code`, `keychain` or `unknown`.
    pub kind: String,
    /// Mebibytes that one guess takes.
    pub memory_mib: u32,
    /// Passes over them.
    pub passes: u32,
}

/// What a change of the data key did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct RekeyedView {
    /// The new recovery code, if there was one before; it is shown this once.
    pub recovery_code: Option<String>,
    /// Other slots that are gone: their secrets would be needed to wrap the new key.
    pub slots_gone: u32,
    /// Whether this machine's keychain opens the vault again; absent when it did not before either.
    pub keychain: Option<bool>,
}

impl Inspector {
    /// Encrypts everything anew under another random key. The vault is closed for it, and open again
    /// afterwards if it was before, whatever became of it.
    pub fn rekey(&self, current: String) -> Result<RekeyedView, EdgeError> {
        let (secret, folder) = (Passphrase::new(current.clone())?, &self.inner.paths.vault);
        let work = AtWork::begin(&self.inner);
        if work.is_to_open() {
            // Nothing is closed for a guess.
            self.told(Vault::opens(folder, &secret))?;
        }
        work.close();
        let before = self.keychain_before_rekey();
        let done = self.told(Vault::rekey(folder, &secret));
        let keychain = match &done {
            Ok(_) => self.renew_keychain(&secret, &before),
            Err(_) => None,
        };
        if work.is_to_open() {
            self.open(current)?;
        }
        let done = done?;
        Ok(RekeyedView {
            recovery_code: done.recovery_code.map(|code| code.as_str().to_owned()),
            slots_gone: done.slots_gone - u32::from(keychain.is_some()),
            keychain,
        })
    }

    /// The slots of the person's vault; it need not be open.
    pub fn key_slots(&self) -> Result<Vec<KeySlotView>, EdgeError> {
        let slots = Vault::key_slots(&self.inner.paths.vault);
        Ok(self
            .told(slots)?
            .iter()
            .map(|slot| KeySlotView {
                number: slot.number,
                kind: match slot.kind {
                    SlotKind::Passphrase => "passphrase",
                    SlotKind::RecoveryCode => "recovery_code",
                    SlotKind::Keychain => "keychain",
                    SlotKind::Unknown => "unknown",
                }
                .to_owned(),
                memory_mib: slot.cost.memory_kib / 1024,
                passes: slot.cost.passes,
            })
            .collect())
    }

    /// A new passphrase takes the place of the current one. A recovery code may stand for the
    /// current one.
    pub fn change_passphrase(&self, current: String, new: String) -> Result<(), EdgeError> {
        let (current, new) = (Passphrase::new(current)?, strong(new)?);
        let folder = &self.inner.paths.vault;
        self.told(Vault::change_passphrase(
            folder,
            &current,
            &new,
            KdfCost::STANDARD,
        ))
    }

    /// One more passphrase that opens the vault.
    pub fn add_passphrase(&self, current: String, new: String) -> Result<(), EdgeError> {
        let (current, new) = (Passphrase::new(current)?, strong(new)?);
        let folder = &self.inner.paths.vault;
        self.told(Vault::add_passphrase(
            folder,
            &current,
            &new,
            KdfCost::STANDARD,
        ))
    }

    /// Draws a recovery code, which is shown this once; the one before opens nothing any more.
    pub fn draw_recovery_code(&self, current: String) -> Result<String, EdgeError> {
        let current = Passphrase::new(current)?;
        let code = self.told(Vault::draw_recovery_code(&self.inner.paths.vault, &current))?;
        Ok(code.as_str().to_owned())
    }

    /// Takes a slot away; never the last one that a person can type. What a keychain keeps for it is
    /// deleted too, if this machine's keychain has it.
    pub fn remove_key_slot(&self, current: String, number: u32) -> Result<RemovedView, EdgeError> {
        let current = Passphrase::new(current)?;
        let folder = &self.inner.paths.vault;
        let kept_as = self
            .told(Vault::key_slots(folder))?
            .into_iter()
            .find(|slot| slot.number == number)
            .and_then(|slot| slot.kept_as);
        match Vault::remove_key_slot(folder, &current, number) {
            Err(VaultError::NotFound) => {
                return Err(EdgeError::not_found(&format!(
                    "key slot of number {number}"
                )));
            }
            result => self.told(result)?,
        }
        Ok(RemovedView {
            entry_left: kept_as.is_some_and(|name| !self.forget_entry(&name)),
        })
    }

    pub(super) fn told<T>(&self, result: Result<T, VaultError>) -> Result<T, EdgeError> {
        result.map_err(|error| EdgeError::about(&self.inner.paths.vault, error))
    }
}

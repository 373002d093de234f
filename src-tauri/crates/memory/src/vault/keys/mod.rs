//! The key file: a random data key, wrapped once per slot.
//!
//! `vault.keys` is JSON. A secret (a passphrase, a recovery code, or what a keychain keeps) goes through
//! Argon2id; its output opens an XChaCha20-Poly1305 box that holds the 32-byte data key, with the
//! key-derivation parameters and the salt as associated data, so that neither can be swapped. Three
//! values tell failures apart, where the database alone would give one and the same error: the
//! checksum says that the key file is whole, the box says that the secret is right, and the key-check
//! value says that the key is this vault's. If all hold and the database does not open, its first page
//! is damaged, or it is another vault's: the key file notes how its database begins (a random salt,
//! which is in the clear).

mod cost;
mod kept;
mod random;
mod recovery;
mod slot;

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::folder;
use crate::error::{Fault, VaultError};
use crate::passphrase::Passphrase;
pub use cost::KdfCost;
pub use kept::KeychainEntry;
use slot::Slot;
pub use slot::SlotKind;

const FORMAT: &str = "lethescope-keys";
const VERSION: u32 = 1;

/// A foreign file with thousands of slots would keep this program busy for hours.
const MOST_SLOTS: usize = 16;

/// A key file has some hundred bytes per slot.
const MOST_BYTES: u64 = 64 * 1024;

/// The key of the database; wiped when dropped.
pub(crate) type DataKey = Zeroizing<[u8; 32]>;

/// A slot, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySlot {
    /// Its place in the key file, from 1.
    pub number: u32,
    /// What opens it.
    pub kind: SlotKind,
    /// What one guess costs.
    pub cost: KdfCost,
    /// Under which name a keychain keeps its secret; of a keychain's slot alone.
    pub kept_as: Option<String>,
}

/// A key file, read or made.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct KeyFile {
    format: String,
    version: u32,
    slots: Vec<Slot>,
    key_check: String,
    /// SHA-256 over the slots and the key-check value, as hexadecimal digits.
    checksum: String,
    /// The first 16 bytes of the database, as hexadecimal digits. Absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    database: Option<String>,
}

fn key_check(key: &DataKey) -> String {
    let mut digest = Sha256::new();
    digest.update(b"lethescope key check");
    digest.update(key.as_slice());
    hex::encode(&digest.finalize()[..16])
}

impl KeyFile {
    /// A new data key, and the key file that gives it back for the passphrase.
    pub(crate) fn make(pass: &Passphrase, cost: KdfCost) -> Result<(DataKey, Self), VaultError> {
        let key = slot::new_key()?;
        let slot = Slot::wrap(SlotKind::Passphrase, &key, pass.as_bytes(), cost)?;
        let file = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            key_check: key_check(&key),
            slots: vec![slot],
            checksum: String::new(),
            database: None,
        };
        Ok((key, file))
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// [`VaultError::TooNew`]; [`VaultError::NotAVault`] when it is damaged, of something else, or
    /// asks for more than unlocking may cost; [`VaultError::File`].
    pub(crate) fn read(path: &Path) -> Result<Self, VaultError> {
        let not_ours = |fault| VaultError::not_a_vault(path, fault);
        match folder::look(path)? {
            None => return Err(not_ours(Fault::KeysMissing)),
            Some(found) if found.is_dir() => return Err(not_ours(Fault::Folder)),
            Some(found) if found.len() > MOST_BYTES => return Err(not_ours(Fault::KeysDamaged)),
            Some(_) => {}
        }
        let text = std::fs::read(path).map_err(|error| VaultError::reading(path, &error))?;
        Self::parse(path, &text)
    }

    /// Reads the text of a key file; `path` names it in errors.
    pub(crate) fn parse(path: &Path, text: &[u8]) -> Result<Self, VaultError> {
        let not_ours = |fault| VaultError::not_a_vault(path, fault);
        let file: Self = serde_json::from_slice(text).map_err(|_| not_ours(Fault::KeysDamaged))?;
        if file.format != FORMAT {
            return Err(not_ours(Fault::KeysForeign));
        }
        if file.version > VERSION {
            return Err(VaultError::TooNew {
                found: file.version,
                known: VERSION,
            });
        }
        if file.checksum() != file.checksum || file.slots.is_empty() {
            return Err(not_ours(Fault::KeysDamaged));
        }
        if file.slots.len() > MOST_SLOTS || file.slots.iter().any(|slot| !slot.cost.is_sane()) {
            return Err(not_ours(Fault::KeysTooCostly));
        }
        Ok(file)
    }

    /// The data key, and the place of the slot that gave it.
    ///
    /// # Errors
    /// [`VaultError::WrongPassphrase`]; [`VaultError::NotAVault`] when the key is not this vault's.
    pub(crate) fn open(
        &self,
        path: &Path,
        secret: &Passphrase,
    ) -> Result<(DataKey, usize), VaultError> {
        let code = recovery::read(secret.as_str());
        for (place, slot) in self.slots.iter().enumerate() {
            let secret = match (slot.kind(), &code) {
                (SlotKind::Passphrase, _) => secret.as_bytes(),
                (SlotKind::RecoveryCode, Some(code)) => code.as_bytes(),
                _ => continue,
            };
            if let Some(key) = self.try_slot(path, slot, secret)? {
                return Ok((key, place));
            }
        }
        Err(VaultError::WrongPassphrase)
    }

    /// The data key, by what a keychain kept.
    ///
    /// # Errors
    /// As [`Self::open`]; [`VaultError::WrongPassphrase`] also when no slot has this entry's name.
    pub(crate) fn open_kept(
        &self,
        path: &Path,
        entry: &KeychainEntry,
    ) -> Result<DataKey, VaultError> {
        let named = |slot: &&Slot| slot.kept_as() == Some(entry.name());
        match self.slots.iter().find(named) {
            Some(slot) => self
                .try_slot(path, slot, entry.secret())?
                .ok_or(VaultError::WrongPassphrase),
            None => Err(VaultError::WrongPassphrase),
        }
    }

    /// The data key if the secret is the slot's, and the slot this vault's.
    fn try_slot(
        &self,
        path: &Path,
        slot: &Slot,
        secret: &[u8],
    ) -> Result<Option<DataKey>, VaultError> {
        match slot.unwrap(secret)? {
            Err(()) => Err(VaultError::not_a_vault(path, Fault::KeysDamaged)),
            Ok(Some(key)) if key_check(&key) != self.key_check => {
                Err(VaultError::not_a_vault(path, Fault::KeysOfOther))
            }
            Ok(key) => Ok(key),
        }
    }

    /// Another data key, and a key file in which the secret of one slot of this file opens it.
    pub(crate) fn anew(
        &self,
        place: usize,
        secret: &Passphrase,
    ) -> Result<(DataKey, Self), VaultError> {
        match self.slots.get(place) {
            Some(slot) if slot.kind() == SlotKind::Passphrase => Self::make(secret, slot.cost),
            _ => Err(VaultError::Invalid {
                what: "secret: it takes a passphrase",
            }),
        }
    }

    /// The slots, in their order.
    pub(crate) fn slots(&self) -> Vec<KeySlot> {
        (1..)
            .zip(&self.slots)
            .map(|(number, slot)| KeySlot {
                number,
                kind: slot.kind(),
                cost: slot.cost,
                kept_as: slot.kept_as().map(str::to_owned),
            })
            .collect()
    }

    /// Wraps the key under one more passphrase, in the place of another slot or behind all.
    pub(crate) fn put_passphrase(
        &mut self,
        key: &DataKey,
        place: Option<usize>,
        pass: &Passphrase,
        cost: KdfCost,
    ) -> Result<(), VaultError> {
        let slot = Slot::wrap(SlotKind::Passphrase, key, pass.as_bytes(), cost)?;
        self.put(place, slot)
    }

    /// Draws a recovery code and wraps the key under it, in the place of the one before.
    pub(crate) fn put_recovery_code(
        &mut self,
        key: &DataKey,
    ) -> Result<Zeroizing<String>, VaultError> {
        let code = recovery::draw()?;
        let secret = recovery::read(&code).ok_or(VaultError::Invalid {
            what: "recovery code",
        })?;
        // 160 random bits: slowing down guesses would gain nothing.
        let slot = Slot::wrap(
            SlotKind::RecoveryCode,
            key,
            secret.as_bytes(),
            KdfCost::TEST,
        )?;
        let before = self
            .slots
            .iter()
            .position(|slot| slot.kind() == SlotKind::RecoveryCode);
        self.put(before, slot)?;
        Ok(code)
    }

    /// Draws a secret for a keychain and wraps the key under it, in the place of the slot of that name
    /// or behind all.
    pub(crate) fn put_kept(
        &mut self,
        key: &DataKey,
        instead_of: Option<&str>,
    ) -> Result<KeychainEntry, VaultError> {
        let entry = KeychainEntry::draw()?;
        let slot = Slot::wrap_kept(key, &entry)?;
        let place = instead_of.and_then(|name| self.place_of(name));
        self.put(place, slot)?;
        Ok(entry)
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.slots
            .iter()
            .position(|slot| slot.kept_as() == Some(name))
    }

    /// Takes the slot away whose secret a keychain keeps under that name.
    ///
    /// # Errors
    /// [`VaultError::NotFound`].
    pub(crate) fn remove_kept(&mut self, name: &str) -> Result<(), VaultError> {
        let place = self.place_of(name).ok_or(VaultError::NotFound)?;
        self.remove(place as u32 + 1)
    }

    fn put(&mut self, place: Option<usize>, slot: Slot) -> Result<(), VaultError> {
        if let Some(place) = place {
            self.slots[place] = slot;
        } else if self.slots.len() < MOST_SLOTS {
            self.slots.push(slot);
        } else {
            return Err(VaultError::Invalid {
                what: "number of key slots",
            });
        }
        Ok(())
    }

    /// Takes a slot away.
    ///
    /// # Errors
    /// [`VaultError::NotFound`]; [`VaultError::LastKeySlot`] when nothing that a person can type would
    /// open the vault any more.
    pub(crate) fn remove(&mut self, number: u32) -> Result<(), VaultError> {
        let place = (number as usize)
            .checked_sub(1)
            .filter(|&place| place < self.slots.len())
            .ok_or(VaultError::NotFound)?;
        let others = self
            .slots
            .iter()
            .enumerate()
            .filter(|&(other, slot)| other != place && slot.kind().is_typed());
        if others.count() == 0 {
            return Err(VaultError::LastKeySlot);
        }
        self.slots.remove(place);
        Ok(())
    }

    /// Notes how the database begins, so that another one in its place is known for what it is.
    pub(crate) fn note_database(&mut self, head: &[u8]) {
        self.database = Some(hex::encode(head));
    }

    /// Whether the database that begins so is the one this key file was made for; `None` when it
    /// does not say.
    pub(crate) fn is_of(&self, head: &[u8]) -> Option<bool> {
        self.database
            .as_ref()
            .map(|noted| *noted == hex::encode(head))
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> Result<Vec<u8>, VaultError> {
        let mut whole = self.clone();
        whole.checksum = self.checksum();
        let mut text = serde_json::to_vec_pretty(&whole)
            .map_err(|_| VaultError::Invalid { what: "key file" })?;
        text.push(b'\n');
        Ok(text)
    }

    fn checksum(&self) -> String {
        let mut digest = Sha256::new();
        for part in self.slots.iter().flat_map(Slot::covered) {
            digest.update(part);
        }
        digest.update(self.key_check.as_bytes());
        hex::encode(digest.finalize())
    }
}

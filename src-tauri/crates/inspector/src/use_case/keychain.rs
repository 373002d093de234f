//! Opening the vault by the system's keychain, and what it keeps for that.
//!
//! The keychain holds the secret of one key slot, never the data key, and nothing here draws a data
//! key: without its entry the vault opens by what a person types, as before.

use std::path::Path;
use std::time::Duration;

use memory::{KeychainEntry, Passphrase, Vault, VaultError};
use serde::{Deserialize, Serialize};

use super::FindingView;
use crate::error::{EdgeError, ErrorCode};
use crate::inspector::Inspector;
use crate::keychain::{self, Dialog, KeychainError, PATIENCE, PATIENCE_WITH_A_PERSON};
use crate::session::Session;
use crate::view::StatusView;

/// What the system's keychain can do for the vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct KeychainView {
    /// Whether a key slot of the vault is a keychain's, this machine's or another's.
    pub slot: bool,
    /// How the keychain answers.
    pub state: KeychainState,
}

/// How the system's keychain answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum KeychainState {
    /// It opens the vault; or, where no slot is a keychain's, it could keep one.
    Ready,
    /// This system has none, or none is running.
    Absent,
    /// It is locked.
    Locked,
    /// It has no entry for this vault: deleted, or of another machine.
    NoEntry,
    /// It answered something else, or nothing in time.
    Refused,
}

/// What was left of a way in that was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct RemovedView {
    /// Whether a keychain may still have the entry of a slot that is gone: it could not be reached, or
    /// it is another machine's. It opens older backups, and this vault no more.
    pub entry_left: bool,
}

/// What this machine's keychain had for a vault whose key is about to change.
pub(super) enum Before {
    /// It opened none of the slots.
    Nothing,
    /// It opened the slot of that name.
    Entry(String),
    /// It could not be asked.
    Unknown,
}

impl Inspector {
    /// Whether a slot is a keychain's, and how this system's keychain answers. No dialog is shown.
    pub fn keychain(&self) -> Result<KeychainView, EdgeError> {
        let names = self.names()?;
        let slot = !names.is_empty();
        let asked = if slot {
            self.entry_of(names, Dialog::Unwanted, PATIENCE)
                .and_then(|entry| entry.map(drop).ok_or(KeychainError::NoEntry))
        } else {
            // Any answer to a question that has none says that somebody is there.
            let probe = self.entry_of(vec!["none".into()], Dialog::Unwanted, PATIENCE);
            probe.map(drop)
        };
        let state = match asked {
            Ok(()) => KeychainState::Ready,
            Err(KeychainError::Absent) => KeychainState::Absent,
            Err(KeychainError::Locked) => KeychainState::Locked,
            Err(KeychainError::NoEntry) => KeychainState::NoEntry,
            Err(KeychainError::Refused(_)) => KeychainState::Refused,
        };
        Ok(KeychainView { slot, state })
    }

    /// Whether a key slot is a keychain's. A key file that cannot be read is for opening to tell of.
    pub fn has_keychain_slot(&self) -> bool {
        self.names().is_ok_and(|names| !names.is_empty())
    }

    /// Opens the person's vault by the system's keychain. A person has asked for it, so that a locked
    /// keychain may ask in turn, in its own dialog.
    pub fn unlock_by_keychain(&self) -> Result<StatusView, EdgeError> {
        self.open_kept(Dialog::Welcome, PATIENCE_WITH_A_PERSON)?;
        self.status()
    }

    /// Opens the person's vault by the system's keychain without any dialog. Whoever cannot wait says
    /// how long the keychain may take.
    pub fn open_by_keychain(&self, within: Option<Duration>) -> Result<(), EdgeError> {
        self.open_kept(Dialog::Unwanted, within.unwrap_or(PATIENCE))
    }

    /// Lets this machine's keychain open the vault, by a slot of its own: in the place of the one that
    /// it had before, beside those of other machines.
    pub fn use_keychain(&self, passphrase: String) -> Result<KeychainView, EdgeError> {
        let passphrase = Passphrase::new(passphrase)?;
        let before = self.entry_of(self.names()?, Dialog::Unwanted, PATIENCE)?;
        self.add_entry(&passphrase, before.as_ref().map(KeychainEntry::name))?;
        self.keychain()
    }

    /// Closes the way in by this machine's keychain. It takes no passphrase to shut a door.
    pub fn forget_keychain(&self) -> Result<RemovedView, EdgeError> {
        let names = self.names()?;
        let only = <&[String; 1]>::try_from(names.as_slice()).ok().cloned();
        let found = self.entry_of(names, Dialog::Unwanted, PATIENCE);
        let name = match (found, only) {
            (Ok(Some(entry)), _) => entry.name().to_owned(),
            (_, Some([name])) => name,
            (Ok(None), None) => {
                return Err(EdgeError::not_found("key slot of this machine's keychain"));
            }
            (Err(error), None) => return Err(error.into()),
        };
        self.told(Vault::drop_keychain_slot(&self.inner.paths.vault, &name))?;
        Ok(RemovedView {
            entry_left: !self.forget_entry(&name),
        })
    }

    /// What a check notes: slots for keychains of which this machine's can open none.
    pub(super) fn keychain_finding(&self, session: &Session) -> Option<FindingView> {
        let names = names_of(session.vault.dir()).ok()?;
        if names.is_empty() || !matches!(self.entry_of(names, Dialog::Unwanted, PATIENCE), Ok(None))
        {
            return None;
        }
        Some(FindingView {
            kind: "keychain".into(),
            fault: false,
            place: "vault.keys".into(),
            sentence:
                "This machine's keychain has no entry for this vault, though a key slot is a \
                keychain's."
                    .into(),
            remedy: "`lethescope keys keychain` makes one; a slot whose entry was deleted can be \
                removed."
                .into(),
        })
    }

    /// What this machine's keychain opens, before the key is changed.
    pub(super) fn keychain_before_rekey(&self) -> Before {
        let Some(names) = self.names().ok().filter(|names| !names.is_empty()) else {
            return Before::Nothing;
        };
        match self.entry_of(names, Dialog::Unwanted, PATIENCE) {
            Ok(Some(entry)) => Before::Entry(entry.name().to_owned()),
            Ok(None) => Before::Nothing,
            Err(_) => Before::Unknown,
        }
    }

    /// Draws the slot of this machine's keychain anew after a change of the key, and deletes what it
    /// kept for the old one. Whether that could be done; `None` where there was nothing to do.
    pub(super) fn renew_keychain(&self, passphrase: &Passphrase, before: &Before) -> Option<bool> {
        match before {
            Before::Nothing => None,
            Before::Unknown => Some(false),
            Before::Entry(name) => {
                self.forget_entry(name);
                Some(self.add_entry(passphrase, None).is_ok())
            }
        }
    }

    /// Deletes an entry; whether it is gone for certain.
    pub(super) fn forget_entry(&self, name: &str) -> bool {
        let name = name.to_owned();
        let delete = move |keychain: &dyn keychain::Keychain| keychain.delete(&name);
        keychain::ask(&self.inner.keychain, PATIENCE, delete).is_ok()
    }

    fn open_kept(&self, dialog: Dialog, patience: Duration) -> Result<(), EdgeError> {
        let folder = &self.inner.paths.vault;
        let names = self.names()?;
        if names.is_empty() {
            return Err(EdgeError::not_found("key slot of a keychain"));
        }
        let entry = self
            .entry_of(names, dialog, patience)?
            .ok_or(KeychainError::NoEntry)?;
        let vault = Vault::unlock_by_keychain(folder, &entry).map_err(|error| match error {
            // Nobody has mistyped anything, so this does not count as a guess.
            VaultError::WrongPassphrase => another_form(),
            error => EdgeError::about(folder, error),
        })?;
        self.inner.adopt(vault, false)
    }

    /// Puts an entry into the keychain and its slot into the key file; both or neither.
    fn add_entry(&self, passphrase: &Passphrase, before: Option<&str>) -> Result<(), EdgeError> {
        let folder = &self.inner.paths.vault;
        let mut kept = None;
        let added = Vault::add_keychain_slot(folder, passphrase, before, |entry| {
            let name = entry.name().to_owned();
            kept = Some(name.clone());
            let entry = entry.clone();
            let put = move |keychain: &dyn keychain::Keychain| keychain.put(&name, entry.secret());
            keychain::ask(&self.inner.keychain, PATIENCE_WITH_A_PERSON, put)?;
            Ok::<_, Refusal>(())
        });
        match added {
            Ok(()) => {
                if let Some(before) = before {
                    self.forget_entry(before);
                }
                Ok(())
            }
            Err(refusal) => {
                if let Some(name) = kept {
                    self.forget_entry(&name);
                }
                Err(match refusal {
                    Refusal::Vault(error) => EdgeError::about(folder, error),
                    Refusal::Keychain(error) => error.into(),
                })
            }
        }
    }

    /// Under which names keychains keep secrets of this vault's slots.
    fn names(&self) -> Result<Vec<String>, EdgeError> {
        self.told(names_of(&self.inner.paths.vault))
    }

    /// The first of the entries that this machine's keychain has; `None` when it has none of them.
    fn entry_of(
        &self,
        names: Vec<String>,
        dialog: Dialog,
        patience: Duration,
    ) -> Result<Option<KeychainEntry>, KeychainError> {
        keychain::ask(&self.inner.keychain, patience, move |keychain| {
            for name in names {
                match keychain.get(&name, dialog) {
                    Ok(secret) => {
                        let entry = KeychainEntry::read(&name, &secret);
                        return entry
                            .map(Some)
                            .ok_or_else(|| KeychainError::Refused(FORM.into()));
                    }
                    Err(KeychainError::NoEntry) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(None)
        })
    }
}

const FORM: &str = "its entry for this vault is not the one that was put there";

fn another_form() -> EdgeError {
    EdgeError::new(ErrorCode::KeychainRefused, &[("reason", FORM)])
}

fn names_of(folder: &Path) -> Result<Vec<String>, VaultError> {
    let slots = Vault::key_slots(folder)?;
    Ok(slots.into_iter().filter_map(|slot| slot.kept_as).collect())
}

/// Who stood in the way of a new slot.
enum Refusal {
    Vault(VaultError),
    Keychain(KeychainError),
}

impl From<VaultError> for Refusal {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

impl From<KeychainError> for Refusal {
    fn from(error: KeychainError) -> Self {
        Self::Keychain(error)
    }
}

#[cfg(test)]
mod tests;

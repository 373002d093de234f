//! One slot: the data key in a box that one secret opens.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::cost::{KdfCost, derive};
use super::kept::KeychainEntry;
use super::random::random;
use super::{DataKey, FORMAT, VERSION};
use crate::error::VaultError;

/// What opens a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A passphrase that a person chose.
    Passphrase,
    /// A code that this program drew and showed once.
    RecoveryCode,
    /// A secret that lies in the system's keychain.
    Keychain,
    /// Something that this program does not know.
    Unknown,
}

impl SlotKind {
    /// Whether a person can type what opens it. An entry of a keychain can vanish with its machine.
    pub const fn is_typed(self) -> bool {
        matches!(self, Self::Passphrase | Self::RecoveryCode)
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Passphrase => "passphrase",
            Self::RecoveryCode => "recovery-code",
            Self::Keychain => "keychain",
            Self::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Slot {
    kind: String,
    kdf: String,
    pub(super) cost: KdfCost,
    salt: String,
    nonce: String,
    wrapped: String,
}

/// A new data key.
pub(super) fn new_key() -> Result<DataKey, VaultError> {
    random::<32>()
}

impl Slot {
    /// Wraps the key under a secret.
    pub(super) fn wrap(
        kind: SlotKind,
        key: &DataKey,
        secret: &[u8],
        cost: KdfCost,
    ) -> Result<Self, VaultError> {
        let salt = random::<16>()?;
        Self::wrap_salted(kind, key, secret, cost, salt.as_slice())
    }

    /// Wraps the key under the secret of a keychain, whose name is the salt.
    pub(super) fn wrap_kept(key: &DataKey, entry: &KeychainEntry) -> Result<Self, VaultError> {
        let salt = hex::decode(entry.name()).map_err(|_| VaultError::Invalid {
            what: "name of a keychain's entry",
        })?;
        // 256 random bits: slowing down guesses would gain nothing.
        let kind = SlotKind::Keychain;
        Self::wrap_salted(kind, key, entry.secret(), KdfCost::TEST, &salt)
    }

    fn wrap_salted(
        kind: SlotKind,
        key: &DataKey,
        secret: &[u8],
        cost: KdfCost,
        salt: &[u8],
    ) -> Result<Self, VaultError> {
        let nonce = random::<24>()?;
        let mut slot = Self {
            kind: kind.as_str().to_owned(),
            kdf: "argon2id/19".to_owned(),
            cost,
            salt: hex::encode(salt),
            nonce: hex::encode(nonce.as_slice()),
            wrapped: String::new(),
        };
        let wrapping = derive(secret, salt, cost)?;
        let wrapped = XChaCha20Poly1305::new(wrapping.as_slice().into())
            .encrypt(
                XNonce::from_slice(nonce.as_slice()),
                Payload {
                    msg: key.as_slice(),
                    aad: &slot.associated_data(),
                },
            )
            .map_err(|_| VaultError::Invalid { what: "key" })?;
        slot.wrapped = hex::encode(wrapped);
        Ok(slot)
    }

    /// The key, if the secret is the slot's. `Err(())` for a slot that cannot be read at all.
    pub(super) fn unwrap(&self, secret: &[u8]) -> Result<Result<Option<DataKey>, ()>, VaultError> {
        let decoded = (
            hex::decode(&self.salt),
            hex::decode(&self.nonce),
            hex::decode(&self.wrapped),
        );
        let (Ok(salt), Ok(nonce), Ok(wrapped)) = decoded else {
            return Ok(Err(()));
        };
        if nonce.len() != 24 {
            return Ok(Err(()));
        }
        let wrapping = derive(secret, &salt, self.cost)?;
        let opened = XChaCha20Poly1305::new(wrapping.as_slice().into()).decrypt(
            XNonce::from_slice(&nonce),
            Payload {
                msg: &wrapped,
                aad: &self.associated_data(),
            },
        );
        let Ok(opened) = opened.map(Zeroizing::new) else {
            return Ok(Ok(None));
        };
        let mut key = Zeroizing::new([0; 32]);
        if opened.len() != key.len() {
            return Ok(Err(()));
        }
        key.copy_from_slice(&opened);
        Ok(Ok(Some(key)))
    }

    pub(super) fn kind(&self) -> SlotKind {
        [
            SlotKind::Passphrase,
            SlotKind::RecoveryCode,
            SlotKind::Keychain,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == self.kind)
        .unwrap_or(SlotKind::Unknown)
    }

    /// Under which name a keychain keeps its secret; `None` for a slot of another kind.
    pub(super) fn kept_as(&self) -> Option<&str> {
        (self.kind() == SlotKind::Keychain).then_some(self.salt.as_str())
    }

    /// Everything that decides how the box is opened.
    pub(super) fn associated_data(&self) -> Vec<u8> {
        format!(
            "{FORMAT}/{VERSION}/{}/{}/{}/{}/{}/{}",
            self.kind, self.kdf, self.cost.memory_kib, self.cost.passes, self.cost.lanes, self.salt
        )
        .into_bytes()
    }

    /// What the key file's checksum covers.
    pub(super) fn covered(&self) -> [Vec<u8>; 3] {
        [
            self.associated_data(),
            self.nonce.clone().into_bytes(),
            self.wrapped.clone().into_bytes(),
        ]
    }
}

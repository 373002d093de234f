//! What the system's keychain keeps for a slot: 32 random bytes under the slot's own name.

use std::fmt;

use zeroize::Zeroizing;

use super::random::random;
use crate::error::VaultError;

const SECRET_BYTES: usize = 32;

/// A secret for a keychain, and the name under which it lies there. The name is the slot's salt: drawn
/// at random, in the clear in the key file, and authenticated with the box, so that two vaults never
/// take each other's secret.
#[derive(Clone)]
pub struct KeychainEntry {
    name: String,
    secret: Zeroizing<[u8; SECRET_BYTES]>,
}

impl KeychainEntry {
    /// A new name and a new secret.
    pub(super) fn draw() -> Result<Self, VaultError> {
        Ok(Self {
            name: hex::encode(random::<16>()?.as_slice()),
            secret: random()?,
        })
    }

    /// What a keychain gave back for a name; `None` when no slot's secret is so long.
    pub fn read(name: &str, secret: &[u8]) -> Option<Self> {
        let mut kept = Zeroizing::new([0; SECRET_BYTES]);
        if secret.len() != kept.len() {
            return None;
        }
        kept.copy_from_slice(secret);
        Some(Self {
            name: name.to_owned(),
            secret: kept,
        })
    }

    /// The name under which the keychain keeps the secret.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The secret.
    pub fn secret(&self) -> &[u8] {
        self.secret.as_slice()
    }
}

impl fmt::Debug for KeychainEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeychainEntry(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_read_again_and_nothing_shorter() {
        let drawn = KeychainEntry::draw().unwrap();
        let read = KeychainEntry::read(drawn.name(), drawn.secret()).unwrap();
        assert_eq!(read.secret(), drawn.secret());
        assert_eq!(drawn.name().len(), 32);
        for wrong in [&b""[..], &drawn.secret()[1..], &[7; 33]] {
            assert!(KeychainEntry::read(drawn.name(), wrong).is_none());
        }
    }

    #[test]
    fn debug_output_is_silent() {
        let drawn = KeychainEntry::draw().unwrap();
        assert_eq!(format!("{drawn:?}"), "KeychainEntry(…)");
    }
}

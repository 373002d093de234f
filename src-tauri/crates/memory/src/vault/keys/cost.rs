//! What one guess of a passphrase costs, and the derivation that costs it.

use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::DataKey;
use crate::error::VaultError;

/// What one guess of the passphrase costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KdfCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl KdfCost {
    /// 64 MiB, three passes, four lanes: about 0.2 s.
    pub const STANDARD: Self = Self {
        memory_kib: 64 * 1024,
        passes: 3,
        lanes: 4,
    };
    /// As cheap as Argon2id allows. Protects nothing: for tests, and for what is as hard to guess as
    /// a key anyway (a recovery code, the demo's random passphrase).
    pub const TEST: Self = Self {
        memory_kib: 64,
        passes: 1,
        lanes: 1,
    };

    /// Four times the standard: bounds what a foreign key file can make this program spend before
    /// the passphrase was even looked at.
    pub(crate) const fn is_sane(self) -> bool {
        self.memory_kib <= 4 * Self::STANDARD.memory_kib
            && self.passes <= 4 * Self::STANDARD.passes
            && self.lanes <= 4 * Self::STANDARD.lanes
    }
}

/// Stretches a secret to a key.
///
/// # Errors
/// [`VaultError::Invalid`] for a cost out of bounds; [`VaultError::Io`] when there is no memory for it.
pub(super) fn derive(secret: &[u8], salt: &[u8], cost: KdfCost) -> Result<DataKey, VaultError> {
    const WHAT: VaultError = VaultError::Invalid {
        what: "cost of the passphrase",
    };
    if !cost.is_sane() {
        return Err(WHAT);
    }
    let params =
        Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(|_| WHAT)?;
    let mut key = Zeroizing::new([0; 32]);
    // The blocks hold what the key is derived from, so they are wiped as well.
    let mut blocks = Zeroizing::new(Vec::new());
    blocks
        .try_reserve_exact(params.block_count())
        .map_err(|_| VaultError::Io(std::io::ErrorKind::OutOfMemory))?;
    blocks.resize(params.block_count(), argon2::Block::default());
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(secret, salt, key.as_mut_slice(), blocks.as_mut_slice())
        .map_err(|_| WHAT)?;
    Ok(key)
}

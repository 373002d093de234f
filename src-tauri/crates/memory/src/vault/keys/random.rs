//! What is drawn from the system's generator: keys, salts, nonces, codes.

use zeroize::Zeroizing;

use crate::error::VaultError;

/// Random bytes, wiped when dropped.
pub(super) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, VaultError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice())
        .map_err(|_| VaultError::Io(std::io::ErrorKind::Unsupported))?;
    Ok(bytes)
}

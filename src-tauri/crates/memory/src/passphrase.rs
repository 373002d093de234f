//! The passphrase, kept out of every log and wiped when dropped.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use zeroize::{Zeroize, Zeroizing};

use crate::error::VaultError;

/// A passphrase in normal form C, so that the same keys open the vault on every system.
/// Blanks count, at the edges too.
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes the text over and wipes it.
    ///
    /// # Errors
    /// [`VaultError::WeakPassphrase`] when it is empty.
    pub fn new(mut text: String) -> Result<Self, VaultError> {
        // Composition never lengthens UTF-8 by more than this, so the buffer never moves and
        // leaves no copy behind.
        let mut normal = Zeroizing::new(String::with_capacity(text.len() * 3));
        normal.extend(text.nfc());
        text.zeroize();
        if normal.is_empty() {
            return Err(VaultError::WeakPassphrase);
        }
        Ok(Self(normal))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_and_decomposed_text_is_the_same_passphrase() {
        let composed = Passphrase::new("caf\u{e9}".to_owned()).unwrap();
        let decomposed = Passphrase::new("cafe\u{301}".to_owned()).unwrap();
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
    }

    #[test]
    fn blanks_count_and_nothing_is_refused() {
        assert_eq!(Passphrase::new(" a".to_owned()).unwrap().as_bytes(), b" a");
        assert!(matches!(
            Passphrase::new(String::new()),
            Err(VaultError::WeakPassphrase)
        ));
    }

    #[test]
    fn debug_output_is_silent() {
        let secret = Passphrase::new("hunter2".to_owned()).unwrap();
        assert!(!format!("{secret:?}").contains("hunter2"));
    }
}

//! The login keychain of macOS.
//!
//! An entry lets in the program that made it; another one (the window, for an entry of the command
//! line's) is let in by a person, in a dialog of the system. Without a dialog that counts as locked.

use security_framework::base::Error;
use security_framework::os::macos::keychain::SecKeychain;
use zeroize::Zeroizing;

use super::{Dialog, Keychain, KeychainError, SERVICE};

/// The keychain in which the system keeps new entries.
pub(super) struct KeychainServices;

impl Keychain for KeychainServices {
    fn get(&self, name: &str, dialog: Dialog) -> Result<Zeroizing<Vec<u8>>, KeychainError> {
        // Dialogs are off for the whole process until this is dropped.
        let _quiet = match dialog {
            Dialog::Unwanted => Some(SecKeychain::disable_user_interaction()?),
            Dialog::Welcome => None,
        };
        let (secret, _) = SecKeychain::default()?.find_generic_password(SERVICE, name)?;
        Ok(Zeroizing::new(secret.to_vec()))
    }

    fn put(&self, name: &str, secret: &[u8]) -> Result<(), KeychainError> {
        Ok(SecKeychain::default()?.set_generic_password(SERVICE, name, secret)?)
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        let _quiet = SecKeychain::disable_user_interaction()?;
        let (_, item) = SecKeychain::default()?.find_generic_password(SERVICE, name)?;
        item.delete();
        Ok(())
    }
}

impl From<Error> for KeychainError {
    fn from(error: Error) -> Self {
        match error.code() {
            // errSecItemNotFound
            -25300 => Self::NoEntry,
            // errSecInteractionNotAllowed, errSecInteractionRequired, errSecAuthFailed, and a dialog
            // that was closed (userCanceledErr)
            -25308 | -25315 | -25293 | -128 => Self::Locked,
            // errSecNotAvailable, errSecNoSuchKeychain, errSecNoDefaultKeychain
            -25291 | -25294 | -25307 => Self::Absent,
            code => Self::Refused(format!("error {code} of Keychain Services")),
        }
    }
}

//! The Credential Manager of Windows, by the keyring crate's store. It is open as long as its owner is
//! logged in, so nothing here is ever locked.

use std::collections::HashMap;

use keyring_core::Entry;
use keyring_core::api::CredentialStoreApi as _;
use windows_native_keyring_store::Store;
use zeroize::Zeroizing;

use super::{Dialog, Keychain, KeychainError, SERVICE};

/// The credentials of whoever is logged in.
pub(super) struct Credentials;

impl Keychain for Credentials {
    fn get(&self, name: &str, _: Dialog) -> Result<Zeroizing<Vec<u8>>, KeychainError> {
        Ok(Zeroizing::new(entry(name)?.get_secret()?))
    }

    fn put(&self, name: &str, secret: &[u8]) -> Result<(), KeychainError> {
        Ok(entry(name)?.set_secret(secret)?)
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        Ok(entry(name)?.delete_credential()?)
    }
}

fn entry(name: &str) -> Result<Entry, KeychainError> {
    // Otherwise the system would copy it to the other machines of a domain.
    let here = HashMap::from([("persistence", "Local")]);
    Ok(Store::new()?.build(SERVICE, name, Some(&here))?)
}

impl From<keyring_core::Error> for KeychainError {
    fn from(error: keyring_core::Error) -> Self {
        use keyring_core::Error;
        match error {
            Error::NoEntry => Self::NoEntry,
            Error::NoStorageAccess(_) => Self::Absent,
            // Its other variants may hold what was stored.
            Error::PlatformFailure(inner) => Self::Refused(inner.to_string()),
            _ => Self::Refused("the Credential Manager gave an answer of another form".into()),
        }
    }
}

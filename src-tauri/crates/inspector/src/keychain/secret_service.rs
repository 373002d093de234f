//! The Secret Service of a Linux desktop (GNOME Keyring, KWallet, KeePassXC), over the session bus.
//!
//! The keyring crate's own store for it unlocks whatever it finds locked, with a dialog, before it
//! reads; an agent's hook must not. So this asks the service itself, by the crate beneath that store.
//! The secret crosses the bus encrypted for this session.

use std::collections::HashMap;

use secret_service::blocking::{Item, SecretService};
use secret_service::{EncryptionType, Error};
use zeroize::Zeroizing;

use super::{Dialog, Keychain, KeychainError, LABEL, SERVICE};

/// Connects for each question: there are one or two in the life of a program.
pub(super) struct Bus;

impl Keychain for Bus {
    fn get(&self, name: &str, dialog: Dialog) -> Result<Zeroizing<Vec<u8>>, KeychainError> {
        let service = connect()?;
        let found = service.search_items(attributes(name))?;
        let item = match (found.unlocked.first(), found.locked.first()) {
            (Some(item), _) => item,
            (None, Some(item)) if dialog == Dialog::Welcome => {
                item.unlock()?;
                item
            }
            (None, Some(_)) => return Err(KeychainError::Locked),
            (None, None) => return Err(nothing_found(&service)?),
        };
        Ok(Zeroizing::new(item.get_secret()?))
    }

    fn put(&self, name: &str, secret: &[u8]) -> Result<(), KeychainError> {
        let service = connect()?;
        let collection = match service.get_default_collection() {
            Err(Error::NoResult) => {
                return Err(KeychainError::Refused(
                    "it has no default keyring yet: make one in the system's program for passwords"
                        .into(),
                ));
            }
            found => found?,
        };
        if collection.is_locked()? {
            return Err(KeychainError::Locked);
        }
        let replace = true;
        let kind = "application/octet-stream";
        collection.create_item(LABEL, attributes(name), secret, replace, kind)?;
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        let service = connect()?;
        let found = service.search_items(attributes(name))?;
        if !found.locked.is_empty() {
            return Err(KeychainError::Locked);
        }
        if found.unlocked.is_empty() {
            return Err(nothing_found(&service)?);
        }
        found.unlocked.iter().try_for_each(Item::delete)?;
        Ok(())
    }
}

fn connect() -> Result<SecretService<'static>, KeychainError> {
    Ok(SecretService::connect(EncryptionType::Dh)?)
}

/// The names that the keyring crate gives them too, so that other programs show them as they do its.
fn attributes(name: &str) -> HashMap<&str, &str> {
    HashMap::from([("service", SERVICE), ("username", name)])
}

/// Some services show nothing of what is locked, not even that it is there.
fn nothing_found(service: &SecretService) -> Result<KeychainError, KeychainError> {
    match service.get_default_collection() {
        Ok(collection) if collection.is_locked()? => Ok(KeychainError::Locked),
        _ => Ok(KeychainError::NoEntry),
    }
}

impl From<Error> for KeychainError {
    fn from(error: Error) -> Self {
        match &error {
            Error::Unavailable => Self::Absent,
            Error::Locked | Error::Prompt | Error::PromptDisconnected => Self::Locked,
            Error::NoResult => Self::NoEntry,
            Error::Zbus(inner) => of_bus(inner),
            _ => Self::Refused(error.to_string()),
        }
    }
}

fn of_bus(error: &zbus::Error) -> KeychainError {
    let name = match error {
        // No bus, or one that is gone.
        zbus::Error::Connection(..)
        | zbus::Error::InputOutput(_)
        | zbus::Error::Address(_)
        | zbus::Error::Handshake(_) => return KeychainError::Absent,
        zbus::Error::MethodError(name, _, _) => name.as_str().to_owned(),
        zbus::Error::FDO(inner) => zbus::DBusError::name(inner.as_ref()).as_str().to_owned(),
        _ => return KeychainError::Refused(error.to_string()),
    };
    let absent = [
        "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner",
        "org.freedesktop.DBus.Error.Disconnected",
    ];
    match name.as_str() {
        "org.freedesktop.Secret.Error.IsLocked" => KeychainError::Locked,
        "org.freedesktop.Secret.Error.NoSuchObject" => KeychainError::NoEntry,
        name if absent.contains(&name) || name.starts_with("org.freedesktop.DBus.Error.Spawn.") => {
            KeychainError::Absent
        }
        name => KeychainError::Refused(name.to_owned()),
    }
}

//! The system's keychain: Secret Service, Keychain Services or Credential Manager.
//!
//! It keeps one secret per key slot, under this program's name. That there is none, that it is locked
//! and that it has no such entry are three answers with three remedies, so they are told apart.
//!
//! Absent on purpose: a file in its place. Where no keychain answers, a person types the passphrase.

#[cfg(target_os = "macos")]
mod apple;
#[cfg(test)]
pub(crate) mod in_memory;
#[cfg(all(unix, not(target_os = "macos")))]
mod secret_service;
#[cfg(windows)]
mod windows;

use std::sync::{Arc, mpsc};
use std::time::Duration;

use zeroize::Zeroizing;

/// Under which name all entries of this program lie.
const SERVICE: &str = "lethescope";

/// What a person sees in the system's own list of secrets.
#[cfg(all(unix, not(target_os = "macos")))]
const LABEL: &str = "Lethescope: opens a vault";

/// How long a program waits for an answer that needs nobody: a keychain may have to be started first.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// How long one waits for an answer that a person may have to give in a dialog of the system.
pub(crate) const PATIENCE_WITH_A_PERSON: Duration = Duration::from_mins(2);

/// Why a keychain did not do what was asked. Never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeychainError {
    /// This system has none, or none is running.
    #[error("there is no keychain on this system")]
    Absent,
    /// It is locked, or lets this program in only after a dialog that was not wanted.
    #[cfg_attr(windows, allow(dead_code, reason = "nothing is ever locked there"))]
    #[error("the keychain is locked")]
    Locked,
    /// It has no entry of that name.
    #[error("the keychain has no such entry")]
    NoEntry,
    /// It answered something else, or nothing in time.
    #[error("the keychain refused: {0}")]
    Refused(String),
}

/// Whether the system may show a dialog in which a person unlocks the keychain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// Somebody has just asked for it, in a window.
    Welcome,
    /// Nobody may be there.
    Unwanted,
}

/// A place where the system keeps secrets.
pub(crate) trait Keychain: Send + Sync {
    /// The secret of that name.
    fn get(&self, name: &str, dialog: Dialog) -> Result<Zeroizing<Vec<u8>>, KeychainError>;
    /// Keeps a secret under that name, in the place of one that is there.
    fn put(&self, name: &str, secret: &[u8]) -> Result<(), KeychainError>;
    /// Forgets the secret of that name. Never shows a dialog.
    fn delete(&self, name: &str) -> Result<(), KeychainError>;
}

/// The keychain of the system this program was built for.
pub(crate) fn of_system() -> Arc<dyn Keychain> {
    #[cfg(target_os = "macos")]
    return Arc::new(apple::KeychainServices);
    #[cfg(all(unix, not(target_os = "macos")))]
    return Arc::new(secret_service::Bus);
    #[cfg(windows)]
    return Arc::new(windows::Credentials);
}

/// Asks on a thread of its own and stops waiting when patience ends: what answers may be a program
/// that hangs, and an agent's hook has no time to find out.
pub(crate) fn ask<T: Send + 'static>(
    keychain: &Arc<dyn Keychain>,
    patience: Duration,
    question: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
) -> Result<T, KeychainError> {
    let (sender, receiver) = mpsc::channel();
    let keychain = Arc::clone(keychain);
    std::thread::spawn(move || {
        // Nobody listens any more when patience has ended.
        let _ = sender.send(question(keychain.as_ref()));
    });
    receiver.recv_timeout(patience).unwrap_or_else(|_| {
        let waited = patience.as_millis();
        Err(KeychainError::Refused(format!(
            "it did not answer within {waited} ms"
        )))
    })
}

//! A keychain of a test: a map, and whatever is to be wrong with it.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use zeroize::Zeroizing;

use super::{Dialog, Keychain, KeychainError};

/// Answers as it is told to.
#[derive(Default)]
pub(crate) struct InMemory {
    pub(crate) kept: Mutex<BTreeMap<String, Vec<u8>>>,
    /// What every question is answered with.
    pub(crate) refusal: Mutex<Option<KeychainError>>,
    /// How long it thinks first.
    pub(crate) delay: Mutex<Duration>,
    /// Every dialog that reading allowed for.
    pub(crate) dialogs: Mutex<Vec<Dialog>>,
}

impl InMemory {
    fn answer(&self) -> Result<(), KeychainError> {
        std::thread::sleep(*self.delay.lock());
        self.refusal.lock().clone().map_or(Ok(()), Err)
    }
}

impl Keychain for InMemory {
    fn get(&self, name: &str, dialog: Dialog) -> Result<Zeroizing<Vec<u8>>, KeychainError> {
        self.dialogs.lock().push(dialog);
        self.answer()?;
        let kept = self.kept.lock().get(name).cloned();
        kept.map(Zeroizing::new).ok_or(KeychainError::NoEntry)
    }

    fn put(&self, name: &str, secret: &[u8]) -> Result<(), KeychainError> {
        self.answer()?;
        self.kept.lock().insert(name.to_owned(), secret.to_vec());
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        self.answer()?;
        match self.kept.lock().remove(name) {
            Some(_) => Ok(()),
            None => Err(KeychainError::NoEntry),
        }
    }
}

//! The one error that leaves the core.

use std::collections::BTreeMap;
use std::path::Path;

use memory::VaultError;
use serde::{Deserialize, Serialize};

use crate::keychain::KeychainError;

/// What went wrong, as something a program can act on. A code exists only if someone handles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// There is no vault in the folder.
    NoVault,
    /// There is one already.
    VaultExists,
    /// Wrong passphrase.
    WrongPassphrase,
    /// The passphrase is too weak to be accepted.
    WeakPassphrase,
    /// The files are not those of a vault that can be opened: which one, why, what to do.
    NotAVault,
    /// The vault is open, and what was asked for stands on a damaged page.
    Damaged,
    /// The vault was written by a newer program.
    VaultTooNew,
    /// The vault is locked.
    Locked,
    /// This system has no keychain, or none is running.
    KeychainAbsent,
    /// The system's keychain is locked.
    KeychainLocked,
    /// The system's keychain has no entry for the vault: deleted, or of another machine.
    KeychainNoEntry,
    /// The system's keychain answered something else, or nothing in time.
    KeychainRefused,
    /// Another program holds the vault.
    Busy,
    /// The disk is full.
    DiskFull,
    /// The memory, source or query is not there.
    NotFound,
    /// Somebody changed it meanwhile.
    Conflict,
    /// A value is out of its range or not understood.
    BadRequest,
    /// A path cannot be read.
    Unreadable,
    /// A file cannot be written.
    Unwritable,
    /// A newer query took this one's place.
    Cancelled,
    /// Anything else.
    Internal,
}

/// An error at the edge. Its words live in the window's catalogue and in the CLI's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type, thiserror::Error)]
#[error("{code:?}: {args:?}")]
pub struct EdgeError {
    /// What went wrong.
    pub code: ErrorCode,
    /// Values for the sentence, for example `path`. Never memory text, never a key.
    pub args: BTreeMap<String, String>,
    /// Whether trying again may help.
    pub retryable: bool,
    /// Finds the event in the log.
    pub trace_id: String,
}

impl EdgeError {
    /// An error with one value for its sentence.
    pub fn new(code: ErrorCode, args: &[(&str, &str)]) -> Self {
        Self {
            code,
            args: args
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            retryable: matches!(
                code,
                ErrorCode::Busy
                    | ErrorCode::DiskFull
                    | ErrorCode::WrongPassphrase
                    | ErrorCode::KeychainLocked
            ),
            trace_id: next_trace_id(),
        }
    }

    /// A value was refused: which, and what would do.
    pub fn bad_request(what: &str, expected: &str) -> Self {
        Self::new(
            ErrorCode::BadRequest,
            &[("what", what), ("expected", expected)],
        )
    }

    /// Something that should not happen. `what` names the step, never data.
    pub fn internal(what: &str) -> Self {
        Self::new(ErrorCode::Internal, &[("what", what)])
    }

    /// What befell the files in a folder, which its sentence names.
    pub fn about(folder: &Path, error: VaultError) -> Self {
        let mut edge = Self::from(error);
        edge.args
            .entry("path".to_owned())
            .or_insert_with(|| folder.display().to_string());
        edge
    }

    /// A thing that is not there.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, &[("what", what)])
    }
}

impl From<retrieval::RetrievalError> for EdgeError {
    fn from(error: retrieval::RetrievalError) -> Self {
        match error {
            retrieval::RetrievalError::Cancelled => Self::new(ErrorCode::Cancelled, &[]),
            retrieval::RetrievalError::Vault(error) => error.into(),
        }
    }
}

impl From<KeychainError> for EdgeError {
    fn from(error: KeychainError) -> Self {
        match error {
            KeychainError::Absent => Self::new(ErrorCode::KeychainAbsent, &[]),
            KeychainError::Locked => Self::new(ErrorCode::KeychainLocked, &[]),
            KeychainError::NoEntry => Self::new(ErrorCode::KeychainNoEntry, &[]),
            KeychainError::Refused(reason) => {
                Self::new(ErrorCode::KeychainRefused, &[("reason", &reason)])
            }
        }
    }
}

/// Counts the errors of this run; enough to find the event in the log.
fn next_trace_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("e{}", COUNT.fetch_add(1, Ordering::Relaxed) + 1)
}

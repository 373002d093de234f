//! What can go wrong with a vault. No variant can carry memory text, query text or a key: SQLite's
//! own messages quote both, so only its codes are kept.

use std::io::ErrorKind;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why a vault did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no vault in the folder.
    #[error("there is no vault in this folder")]
    NoVault,
    /// There is one already, or a file that a vault would overwrite.
    #[error("this folder already holds a vault")]
    Exists,
    /// The key slot did not open.
    #[error("wrong passphrase")]
    WrongPassphrase,
    /// The passphrase is empty.
    #[error("the passphrase is too weak")]
    WeakPassphrase,
    /// The file is not a vault, or can no longer be read as one.
    #[error("{} is not a readable vault: {why}", path.display())]
    NotAVault {
        /// The file.
        path: PathBuf,
        /// What it is instead, in plain words.
        why: &'static str,
    },
    /// A newer program wrote it.
    #[error("the vault has schema {found}, this program knows {known}")]
    TooNew {
        /// The vault's schema version.
        found: u32,
        /// The newest this program knows.
        known: u32,
    },
    /// [`Vault::lock`](crate::Vault::lock) was called.
    #[error("the vault is locked")]
    Locked,
    /// Another program held the write lock for longer than five seconds.
    #[error("another program is writing to the vault")]
    Busy,
    /// No room on the disk; nothing of the transaction was kept.
    #[error("the disk is full")]
    DiskFull,
    /// The memory, source or file is not there.
    #[error("not found")]
    NotFound,
    /// It was changed meanwhile.
    #[error("changed meanwhile")]
    Conflict,
    /// A value that cannot be stored or asked for.
    #[error("invalid {what}")]
    Invalid {
        /// Which value.
        what: &'static str,
    },
    /// The database file is damaged beyond its first page.
    #[error("the vault's file is damaged")]
    Damaged,
    /// The operating system refused.
    #[error("file access failed: {0}")]
    Io(ErrorKind),
    /// SQLite refused; the extended result code.
    #[error("SQLite error {code}")]
    Sqlite {
        /// SQLite's extended result code; 1 and −1 for errors of the binding.
        code: i32,
    },
}

impl From<std::io::Error> for VaultError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull,
            kind => Self::Io(kind),
        }
    }
}

impl From<rusqlite::Error> for VaultError {
    fn from(error: rusqlite::Error) -> Self {
        if matches!(error, rusqlite::Error::QueryReturnedNoRows) {
            return Self::NotFound;
        }
        let Some(failure) = error.sqlite_error() else {
            return match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..) => Self::Damaged,
                _ => Self::Sqlite { code: -1 },
            };
        };
        match failure.code {
            ErrorCode::DiskFull => Self::DiskFull,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Damaged,
            _ => Self::Sqlite {
                code: failure.extended_code,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_disks_are_named_whoever_reports_them() {
        let io = std::io::Error::from(ErrorKind::StorageFull);
        assert!(matches!(VaultError::from(io), VaultError::DiskFull));
        let full = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(13), None);
        assert!(matches!(VaultError::from(full), VaultError::DiskFull));
    }

    #[test]
    fn messages_of_sqlite_are_dropped() {
        let failure = rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(1),
            Some("syntax error near hunter2".to_owned()),
        );
        let error = VaultError::from(failure);
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}

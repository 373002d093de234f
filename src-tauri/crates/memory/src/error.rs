//! What can go wrong with a vault. No variant can carry memory text, query text or a key: SQLite's
//! own messages quote both, so only its codes are kept.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What is wrong with a vault's files, as far as one can tell without its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The key file is there, the database is not.
    DatabaseMissing,
    /// The database is there, the key file is not.
    KeysMissing,
    /// A file of no bytes.
    Empty,
    /// A folder where a file belongs.
    Folder,
    /// A file where the vault's folder belongs.
    FileForFolder,
    /// A database that nobody encrypted.
    Plain,
    /// The key file's checksum does not hold.
    KeysDamaged,
    /// Something else under the key file's name.
    KeysForeign,
    /// The key file opens, and its key is another vault's.
    KeysOfOther,
    /// The key file wants more memory or time than an unlock may take.
    KeysTooCostly,
    /// The database does not begin as the one that the key file was made for.
    DatabaseOfOther,
    /// The database begins as it should, and its first page does not open.
    FirstPage,
    /// The first page does not open, and the key file is too old to say whose database it is.
    FirstPageOrOther,
    /// It opens, and holds another program's tables.
    ForeignTables,
    /// A write-ahead log without the database that it belongs to.
    LogAlone,
    /// A file that this program did not write as a backup.
    NotABackup,
    /// A backup that is cut short or whose bytes are not those that were written.
    BackupDamaged,
}

impl Fault {
    /// What the file is instead, in plain words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::DatabaseMissing => "the database is missing, its key file (vault.keys) is there",
            Self::KeysMissing => "its key file (vault.keys) is missing",
            Self::Empty => "the file is empty",
            Self::Folder => "a folder, where a file of the vault belongs",
            Self::FileForFolder => "a file, where the vault's folder belongs",
            Self::Plain => "a SQLite database without encryption",
            Self::KeysDamaged => "the key file is damaged",
            Self::KeysForeign => "the key file is not of this program",
            Self::KeysOfOther => "the key file belongs to another vault",
            Self::KeysTooCostly => {
                "the key file asks for more memory or time than unlocking may take"
            }
            Self::DatabaseOfOther => "the database belongs to another vault than its key file",
            Self::FirstPage => "its first page is damaged",
            Self::FirstPageOrOther => "its first page is damaged or belongs to another vault",
            Self::ForeignTables => "an encrypted database of another program",
            Self::LogAlone => "a write-ahead log whose database (vault.db) is missing",
            Self::NotABackup => "not a backup of a vault",
            Self::BackupDamaged => "a damaged backup",
        }
    }

    /// What one can do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::DatabaseMissing | Self::LogAlone => {
                "Put vault.db back from where it was moved, or restore a backup."
            }
            Self::KeysMissing => {
                "Put vault.keys back from where it was moved or from a backup: without it nobody can open the database."
            }
            Self::Empty | Self::FirstPage | Self::FirstPageOrOther => "Restore a backup.",
            Self::Folder | Self::ForeignTables | Self::Plain => {
                "Name another folder, or move it away."
            }
            Self::FileForFolder => "Name the folder that holds vault.db.",
            Self::NotABackup => "Name another file.",
            Self::BackupDamaged => "Take an older backup, or another copy of this one.",
            Self::KeysDamaged | Self::KeysForeign | Self::KeysTooCostly => {
                "Take vault.keys from a backup; the database may be whole."
            }
            Self::KeysOfOther | Self::DatabaseOfOther => {
                "Put vault.db and vault.keys of one and the same vault side by side."
            }
        }
    }
}

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
    #[error("{} is not a readable vault: {}", path.display(), fault.words())]
    NotAVault {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        fault: Fault,
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
    /// The only slot that opens by what a person can type was to be taken away.
    #[error("the last key slot stays")]
    LastKeySlot,
    /// The operating system refused a file of the vault.
    #[error("cannot {} {}: {kind}", if *writing { "write" } else { "read" }, path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        kind: ErrorKind,
        /// Whether it was to be written.
        writing: bool,
    },
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

impl VaultError {
    /// What is wrong with a file of the vault.
    pub(crate) fn not_a_vault(path: &Path, fault: Fault) -> Self {
        Self::NotAVault {
            path: path.to_owned(),
            fault,
        }
    }

    /// A file that could not be read.
    pub(crate) fn reading(path: &Path, error: &std::io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            kind: error.kind(),
            writing: false,
        }
    }

    /// A file that could not be written.
    pub(crate) fn writing(path: &Path, error: &std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull,
            kind => Self::File {
                path: path.to_owned(),
                kind,
                writing: true,
            },
        }
    }
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

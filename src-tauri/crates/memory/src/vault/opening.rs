//! Creating a vault and opening one: what is in the folder, and what is wrong with it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::Connection;

use super::connection::{self, Access, Way};
use super::folder::{self, DATABASE, KEYS, UNFINISHED_KEYS};
use super::keys::{DataKey, KeyFile, KeychainEntry};
use super::sqlite::RawFile;
use super::{KdfCost, Vault};
use crate::error::{Fault, VaultError};
use crate::migration;
use crate::passphrase::Passphrase;

/// How many bytes at the beginning of a database are its salt.
const HEAD: usize = 16;

impl Vault {
    /// Whether the folder holds a vault, or something in its place, or cannot be looked into. A
    /// creation that was cut short does not count.
    pub fn exists(dir: &Path) -> bool {
        folder::occupied(dir).unwrap_or(true)
    }

    /// Creates a vault in the folder, and the folder too if need be. Of several programs that try
    /// at once exactly one succeeds. What is built stands under other names until it is whole.
    ///
    /// # Errors
    /// [`VaultError::Exists`]; [`VaultError::File`] when the folder cannot be written.
    pub fn create(dir: &Path, pass: &Passphrase, cost: KdfCost) -> Result<Self, VaultError> {
        if folder::occupied(dir)? {
            return Err(VaultError::Exists);
        }
        folder::make(dir)?;
        let held = folder::hold(dir)?;
        if folder::occupied(dir)? {
            return Err(VaultError::Exists);
        }
        folder::clear_unfinished(dir)?;
        let made = build(dir, pass, cost);
        if made.is_err() {
            // Without its database the key file opens nothing; with it, it is the vault's.
            if !folder::occupied(dir).unwrap_or(true) {
                let _ = folder::remove(&folder::unfinished_database(dir));
                let _ = folder::remove(&dir.join(UNFINISHED_KEYS));
            }
        }
        let key = made?;
        drop(held);
        Self::open(dir, key, Way::Live)
    }

    /// Opens the vault in the folder. One whose files or folder cannot be written is opened for
    /// reading.
    ///
    /// # Errors
    /// [`VaultError::NoVault`], [`VaultError::WrongPassphrase`], [`VaultError::NotAVault`] (with
    /// what it is instead), [`VaultError::TooNew`], [`VaultError::File`]. The files stay as they
    /// were.
    pub fn unlock(dir: &Path, pass: &Passphrase) -> Result<Self, VaultError> {
        Self::unlock_by(dir, &typed(pass))
    }

    /// Opens the vault in the folder by what a keychain kept for it.
    ///
    /// # Errors
    /// As [`Self::unlock`]; [`VaultError::WrongPassphrase`] when no slot is of this entry.
    pub fn unlock_by_keychain(dir: &Path, entry: &KeychainEntry) -> Result<Self, VaultError> {
        Self::unlock_by(dir, &|file, path| file.open_kept(path, entry))
    }

    fn unlock_by(dir: &Path, turn: Turn) -> Result<Self, VaultError> {
        let head = database_head(dir)?;
        let (file, key, path) = match open_keys(dir, keys_of(dir, &head), turn) {
            // A creation was cut short between its last two steps.
            Err(first) if is_no_key_file(&first) => match open_keys(dir, UNFINISHED_KEYS, turn) {
                Ok(opened) => opened,
                Err(VaultError::WrongPassphrase) => return Err(VaultError::WrongPassphrase),
                Err(_) => return Err(first),
            },
            opened => opened?,
        };
        let database = dir.join(DATABASE);
        // Whoever exchanges the vault's files holds the folder. A folder that cannot be held cannot
        // be written either.
        let held = folder::hold(dir).ok();
        if database_head(dir)? != head {
            drop(held);
            return Self::unlock_by(dir, turn);
        }
        if let Some(held) = &held {
            held.clear_parts(dir);
        }
        let vault = Self::open_somehow(dir, key).map_err(|error| match error {
            VaultError::NotAVault {
                fault: Fault::FirstPageOrOther,
                ..
            } => VaultError::not_a_vault(
                &database,
                match file.is_of(&head) {
                    Some(true) => Fault::FirstPage,
                    Some(false) => Fault::DatabaseOfOther,
                    None => Fault::FirstPageOrOther,
                },
            ),
            error => error,
        })?;
        drop(held);
        if path.ends_with(UNFINISHED_KEYS) {
            finish_keys(dir);
        }
        Ok(vault)
    }

    /// Opens for writing, or for reading where the system allows no more.
    fn open_somehow(dir: &Path, key: DataKey) -> Result<Self, VaultError> {
        let database = dir.join(DATABASE);
        let refused = if RawFile::open(&database)?.is_writable()? {
            match Self::open(dir, key.clone(), Way::Live) {
                // The file may be written, but the log beside it not.
                Err(VaultError::Sqlite { code }) if is_refusal(code) => ErrorKind::PermissionDenied,
                opened => return opened,
            }
        } else {
            // What does not open takes no lock from another connection of this process.
            match fs::OpenOptions::new().write(true).open(&database) {
                Ok(_) => ErrorKind::PermissionDenied,
                Err(error) => error.kind(),
            }
        };
        Self::open(dir, key, Way::frozen(&database, refused)?)
    }

    /// Opens the vault for reading alone, as if its disk could not be written.
    ///
    /// # Errors
    /// As [`Self::unlock`].
    pub fn unlock_to_read(dir: &Path, pass: &Passphrase) -> Result<Self, VaultError> {
        let head = database_head(dir)?;
        let (_, key, _) = open_keys(dir, keys_of(dir, &head), &typed(pass))?;
        let way = Way::frozen(&dir.join(DATABASE), ErrorKind::ReadOnlyFilesystem)?;
        Self::open(dir, key, way)
    }
}

/// SQLite's codes for a file that it may not open or write.
fn is_refusal(code: i32) -> bool {
    use rusqlite::ffi::{SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY};
    [SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY].contains(&(code & 0xff))
}

fn is_no_key_file(error: &VaultError) -> bool {
    matches!(
        error,
        VaultError::NotAVault {
            fault: Fault::KeysMissing | Fault::KeysDamaged | Fault::KeysForeign,
            ..
        }
    )
}

/// Gets the data key out of a key file, whose path is for errors.
type Turn<'a> = &'a dyn Fn(&KeyFile, &Path) -> Result<DataKey, VaultError>;

/// By what a person typed.
fn typed(pass: &Passphrase) -> impl Fn(&KeyFile, &Path) -> Result<DataKey, VaultError> {
    move |file, path| Ok(file.open(path, pass)?.0)
}

fn open_keys(
    dir: &Path,
    name: &str,
    turn: Turn,
) -> Result<(KeyFile, DataKey, std::path::PathBuf), VaultError> {
    let path = dir.join(name);
    let file = KeyFile::read(&path).map_err(|error| match error {
        // What is missing is named by what is there.
        VaultError::NotAVault {
            fault: Fault::KeysMissing,
            ..
        } => VaultError::not_a_vault(&dir.join(DATABASE), Fault::KeysMissing),
        error => error,
    })?;
    let key = turn(&file, &path)?;
    Ok((file, key, path))
}

/// The name of the key file of the database that begins so. When the key of the data was being changed
/// and the database is exchanged already, its key file gets its lasting name here.
pub(super) fn keys_of(dir: &Path, head: &[u8]) -> &'static str {
    let is_of = |name| {
        KeyFile::read(&dir.join(name))
            .ok()
            .and_then(|file| file.is_of(head))
    };
    if is_of(KEYS) != Some(false) || is_of(UNFINISHED_KEYS) != Some(true) {
        return KEYS;
    }
    match fs::rename(dir.join(UNFINISHED_KEYS), dir.join(KEYS)) {
        Ok(()) => {
            let _ = folder::sync(dir);
            KEYS
        }
        // Somebody else was quicker, or nothing can be written here.
        Err(_) if is_of(KEYS) == Some(true) => KEYS,
        Err(_) => UNFINISHED_KEYS,
    }
}

/// Gives a key file that has proved right its lasting name. Left for the next time when it cannot.
fn finish_keys(dir: &Path) {
    let Ok(_held) = folder::hold(dir) else { return };
    if folder::publish(&dir.join(UNFINISHED_KEYS), &dir.join(KEYS)).is_ok() {
        let _ = folder::sync(dir);
    }
}

/// The first bytes of the database, which are its salt.
///
/// # Errors
/// [`VaultError::NoVault`], or whatever stands in its place.
pub(super) fn database_head(dir: &Path) -> Result<Vec<u8>, VaultError> {
    if !folder::occupied(dir)? {
        return Err(match folder::look(dir)? {
            Some(found) if !found.is_dir() => VaultError::not_a_vault(dir, Fault::FileForFolder),
            _ => VaultError::NoVault,
        });
    }
    let database = dir.join(DATABASE);
    let not_ours = |fault| VaultError::not_a_vault(&database, fault);
    match folder::look(&database)? {
        None => return Err(not_ours(Fault::DatabaseMissing)),
        Some(found) if found.is_dir() => return Err(not_ours(Fault::Folder)),
        Some(_) => {}
    }
    let head = head_of(&database)?;
    if head.is_empty() {
        return Err(not_ours(Fault::Empty));
    }
    if head == b"SQLite format 3\0" {
        return Err(not_ours(Fault::Plain));
    }
    Ok(head)
}

/// The first bytes of a database.
pub(super) fn head_of(path: &Path) -> Result<Vec<u8>, VaultError> {
    RawFile::open(path)?.head(HEAD)
}

/// Builds an empty vault aside and gives its files their names: the database first, so that a key
/// file under its lasting name always has one.
fn build(dir: &Path, pass: &Passphrase, cost: KdfCost) -> Result<DataKey, VaultError> {
    let (key, mut file) = KeyFile::make(pass, cost)?;
    let building = folder::unfinished_database(dir);
    // SQLite gives its side files the permissions of the database, so this comes first.
    folder::write_new(&building, b"")?;
    fill(&building, &key)?;
    file.note_database(&head_of(&building)?);
    folder::write_new(&dir.join(UNFINISHED_KEYS), &file.text()?)?;
    folder::sync_file(&building)?;
    folder::publish(&building, &dir.join(DATABASE))?;
    folder::publish(&dir.join(UNFINISHED_KEYS), &dir.join(KEYS))?;
    folder::sync(dir)?;
    Ok(key)
}

/// Makes an empty file a database of the newest schema, complete without side files.
pub(super) fn fill(path: &Path, key: &DataKey) -> Result<(), VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    let mut connection = connection::open(path, key, Access::Write, Way::Live, &never)?;
    migration::migrate(&mut connection, path)?;
    close(connection)
}

/// Closes the only connection to a database, so that all of it is in one file.
pub(super) fn close(connection: Connection) -> Result<(), VaultError> {
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy != 0 {
        return Err(VaultError::Busy);
    }
    connection.close().map_err(|(_, error)| error.into())
}

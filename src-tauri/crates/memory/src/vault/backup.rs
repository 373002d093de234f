//! Backups: one file that holds a snapshot of the database and the key file that opens it.
//!
//! The file is a tar archive of `vault.keys` and `vault.db`, as encrypted as the vault itself: what
//! opens the vault opens the backup, and whoever has lost this program still has both files.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::connection::{self, Access, Log, Way};
use super::folder::{self, DATABASE, INDEX, KEYS, LOG, UNFINISHED_KEYS};
use super::keys::{DataKey, KeyFile};
use super::sqlite::RawFile;
use super::{Vault, opening};
use crate::error::{Fault, VaultError};
use crate::migration;
use crate::passphrase::Passphrase;

/// How often and how long to wait for those that have the database open.
const PATIENCE: u32 = 100;
const NAP: Duration = Duration::from_millis(20);

/// What a backup holds, or what came back from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Memories, those in the trash among them.
    pub memories: u32,
    /// Where the vault went that was in the place of the restored one.
    pub set_aside: Option<PathBuf>,
}

impl Vault {
    /// Writes a backup while the vault is in use: the state of one moment, seen to open and to be
    /// whole before it gets its name. An older backup of that name is replaced, nothing else is.
    ///
    /// # Errors
    /// [`VaultError::NotAVault`] when something that is no backup has the name;
    /// [`VaultError::File`], [`VaultError::DiskFull`], [`VaultError::Damaged`].
    pub fn back_up(&self, file: &Path) -> Result<Snapshot, VaultError> {
        if self.has_file(file) {
            return Err(VaultError::not_a_vault(file, Fault::NotABackup));
        }
        if folder::look(file)?.is_some() {
            unpack(file, &mut |_, _| Ok(()))?;
        }
        let key = self
            .0
            .readers
            .lock()
            .key
            .clone()
            .ok_or(VaultError::Locked)?;
        if !parent(file).is_dir() {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(VaultError::writing(parent(file), &missing));
        }
        let name = folder::random_name()?;
        let database = folder::with_end(file, &format!(".{name}.db.part"));
        let archive = folder::with_end(file, &format!(".{name}.part"));
        let written = self
            .write_backup(&key, &database, &archive)
            .and_then(|memories| {
                fs::rename(&archive, file).map_err(|error| VaultError::writing(file, &error))?;
                folder::sync(parent(file))?;
                Ok(memories)
            });
        for leftover in [&database, &archive] {
            let _ = fs::remove_file(leftover);
        }
        Ok(Snapshot {
            memories: written?,
            set_aside: None,
        })
    }

    /// Whether a file has the shape of a backup; it is not opened, which needs its secret.
    pub fn is_backup(file: &Path) -> bool {
        unpack(file, &mut |_, _| Ok(())).is_ok()
    }

    /// Whether a file is one of the vault's own.
    fn has_file(&self, file: &Path) -> bool {
        [DATABASE, LOG, INDEX, KEYS, UNFINISHED_KEYS]
            .iter()
            .any(|name| {
                let own = fs::canonicalize(self.0.dir.join(name));
                own.is_ok_and(|own| fs::canonicalize(file).is_ok_and(|file| file == own))
            })
    }

    fn write_backup(
        &self,
        key: &DataKey,
        database: &Path,
        archive: &Path,
    ) -> Result<u32, VaultError> {
        let keys = self.0.dir.join(KEYS);
        let mut keys = KeyFile::read(&keys)?;
        folder::write_new(database, b"")?;
        connection::snapshot(&self.0.dir.join(DATABASE), key, self.0.way, database).map_err(
            |error| match error {
                VaultError::Sqlite { .. } => {
                    VaultError::writing(database, &io::Error::from(io::ErrorKind::Other))
                }
                error => error,
            },
        )?;
        let memories = verify(database, key)?;
        keys.note_database(&opening::head_of(database)?);
        pack(archive, &keys.text()?, database)
            .map_err(|error| VaultError::writing(archive, &error))?;
        Ok(memories)
    }

    /// Puts a backup in the vault's folder, after it was seen to open with this secret and to be
    /// whole. A vault that is there is refused, or, with `replace`, set aside in a folder beside it;
    /// `close` is called right before, for whoever asks and has it open.
    ///
    /// # Errors
    /// [`VaultError::NotAVault`] (no backup, or a damaged one), [`VaultError::WrongPassphrase`],
    /// [`VaultError::Exists`], [`VaultError::Busy`] when a program has the vault open that is to be
    /// set aside. What is in the folder stays as it was then.
    pub fn restore(
        file: &Path,
        dir: &Path,
        secret: &Passphrase,
        replace: bool,
        close: impl FnOnce(),
    ) -> Result<Snapshot, VaultError> {
        let before = folder::occupied(dir)?;
        if before && !replace {
            return Err(VaultError::Exists);
        }
        if folder::look(file)?.is_none() {
            return Err(VaultError::reading(
                file,
                &io::Error::from(io::ErrorKind::NotFound),
            ));
        }
        folder::make(dir)?;
        let held = folder::hold(dir)?;
        held.clear_parts(dir);
        let database = dir.join(format!("{DATABASE}.{}.part", folder::random_name()?));
        let restored = unpack_into(file, &database, secret).and_then(|(keys, memories)| {
            close();
            let set_aside = if folder::occupied(dir)? {
                Some(exchange(dir, "before-restore", &database, &keys)?)
            } else {
                folder::clear_unfinished(dir)?;
                install(dir, &database, &keys)?;
                None
            };
            Ok(Snapshot {
                memories,
                set_aside,
            })
        });
        let _ = fs::remove_file(&database);
        restored
    }
}

fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Puts a whole database and its key file in place, the key file under its lasting name last.
fn install(dir: &Path, database: &Path, keys: &[u8]) -> Result<(), VaultError> {
    folder::write_new(&dir.join(UNFINISHED_KEYS), keys)?;
    folder::sync_file(database)?;
    folder::publish(database, &dir.join(DATABASE))?;
    folder::publish(&dir.join(UNFINISHED_KEYS), &dir.join(KEYS))?;
    folder::sync(dir)
}

/// Puts a whole database and its key file in the place of those that are there. These are kept in a
/// new folder beside them, whose name begins so. Killed between any two steps, the vault opens: as it
/// was, or as the new one, whose key file is known by the database that it names.
///
/// # Errors
/// [`VaultError::Busy`] when a program has the vault open.
pub(super) fn exchange(
    dir: &Path,
    name: &str,
    database: &Path,
    keys: &[u8],
) -> Result<PathBuf, VaultError> {
    let place = dir.join(DATABASE);
    let _nobody = exclude_others(&place)?;
    let aside = (1..=u16::MAX)
        .map(|number| dir.join(format!("{name}-{number}")))
        .find(|aside| !aside.exists())
        .unwrap_or_else(|| dir.join(name));
    folder::make(&aside)?;
    keep(dir, &aside, UNFINISHED_KEYS)?;
    folder::remove(&dir.join(UNFINISHED_KEYS))?;
    if KeyFile::read(&dir.join(KEYS)).is_ok() {
        keep(dir, &aside, KEYS)?;
    } else {
        // It opens nothing, and does not say of which database it is.
        shift(dir, &aside, KEYS)?;
    }
    keep(dir, &aside, DATABASE)?;
    folder::write_new(&dir.join(UNFINISHED_KEYS), keys)?;
    folder::sync_file(database)?;
    // The log of the old database would be taken for one of the new.
    for name in [INDEX, LOG] {
        shift(dir, &aside, name)?;
    }
    folder::sync(&aside)?;
    folder::sync(dir)?;
    fs::rename(database, &place).map_err(|error| VaultError::writing(&place, &error))?;
    folder::sync(dir)?;
    let lasting = dir.join(KEYS);
    fs::rename(dir.join(UNFINISHED_KEYS), &lasting)
        .map_err(|error| VaultError::writing(&lasting, &error))?;
    folder::sync(dir)?;
    Ok(aside)
}

/// Gives a file of the vault a second name in another folder, or a copy where there are none.
fn keep(dir: &Path, aside: &Path, name: &str) -> Result<(), VaultError> {
    let (from, to) = (dir.join(name), aside.join(name));
    let Some(found) = folder::look(&from)? else {
        return Ok(());
    };
    if found.is_dir() {
        return shift(dir, aside, name);
    }
    if fs::hard_link(&from, &to).is_ok() {
        return Ok(());
    }
    fs::copy(&from, &to).map_err(|error| VaultError::writing(&to, &error))?;
    folder::sync_file(&to)
}

/// Moves a file of the vault into another folder.
fn shift(dir: &Path, aside: &Path, name: &str) -> Result<(), VaultError> {
    let from = dir.join(name);
    match fs::rename(&from, aside.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(VaultError::writing(&from, &error))
        }
        _ => Ok(()),
    }
}

/// Keeps everybody from a database that is to be moved away, until what this gives is dropped.
///
/// # Errors
/// [`VaultError::Busy`] when anybody has it open.
pub(super) fn exclude_others(database: &Path) -> Result<Option<RawFile>, VaultError> {
    if folder::look(database)?.is_none_or(|found| !found.is_file()) {
        return Ok(None);
    }
    let file = RawFile::open(database)?;
    // A read that began before everything was closed may still end.
    let mut patience = PATIENCE;
    while let Err(error) = file.exclude_others() {
        if !matches!(error, VaultError::Busy) || patience == 0 {
            return Err(error);
        }
        patience -= 1;
        std::thread::sleep(NAP);
    }
    // Elsewhere a file that is open cannot be moved.
    Ok(cfg!(unix).then_some(file))
}

/// Sees that a database opens and is whole; counts its memories.
pub(super) fn verify(database: &Path, key: &DataKey) -> Result<u32, VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    let way = Way::Frozen(io::ErrorKind::ReadOnlyFilesystem, Log::None);
    let connection = connection::open(database, key, Access::Read, way, &never)?;
    migration::refuse_newer(&connection)?;
    let first = |sql: &str| -> Result<Option<String>, VaultError> {
        use rusqlite::OptionalExtension as _;
        Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?)
    };
    if first("PRAGMA cipher_integrity_check")?.is_some()
        || first("PRAGMA integrity_check(1)")?.as_deref() != Some("ok")
    {
        return Err(VaultError::Damaged);
    }
    Ok(connection.query_row("SELECT count(*) FROM memories", [], |row| row.get(0))?)
}

fn pack(archive: &Path, keys: &[u8], database: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut builder = tar::Builder::new(options.open(archive)?);
    let header = |size| {
        let mut header = tar::Header::new_ustar();
        header.set_size(size);
        header.set_mode(0o600);
        header
    };
    builder.append_data(&mut header(keys.len() as u64), KEYS, keys)?;
    let content = fs::File::open(database)?;
    let size = content.metadata()?.len();
    builder.append_data(&mut header(size), DATABASE, content)?;
    builder.into_inner()?.sync_all()
}

/// Gives `f` each file of a backup, by name and in order.
///
/// # Errors
/// [`VaultError::NotAVault`] when it is none.
fn unpack(
    file: &Path,
    f: &mut dyn FnMut(&str, &mut dyn io::Read) -> Result<(), VaultError>,
) -> Result<(), VaultError> {
    let none = || VaultError::not_a_vault(file, Fault::NotABackup);
    let content = fs::File::open(file).map_err(|error| VaultError::reading(file, &error))?;
    let mut archive = tar::Archive::new(content);
    let entries = archive.entries().map_err(|_| none())?;
    for (entry, expected) in entries.zip([KEYS, DATABASE]) {
        let mut entry = entry.map_err(|_| none())?;
        // By these names alone: nothing in the archive says where anything goes.
        if entry.path_bytes().as_ref() != expected.as_bytes() {
            return Err(none());
        }
        f(expected, &mut entry)?;
        if expected == DATABASE {
            return Ok(());
        }
    }
    Err(none())
}

pub(super) fn unpack_into(
    file: &Path,
    database: &Path,
    secret: &Passphrase,
) -> Result<(Vec<u8>, u32), VaultError> {
    let damaged = || VaultError::not_a_vault(file, Fault::BackupDamaged);
    let mut keys = Vec::new();
    let mut key = None;
    unpack(file, &mut |name, content| {
        if name == KEYS {
            content
                .take(64 * 1024)
                .read_to_end(&mut keys)
                .map_err(|_| damaged())?;
            let (opened, _) = KeyFile::parse(file, &keys)?.open(file, secret)?;
            key = Some(opened);
            return Ok(());
        }
        folder::write_new(database, b"")?;
        let mut copy = fs::OpenOptions::new()
            .write(true)
            .open(database)
            .map_err(|error| VaultError::writing(database, &error))?;
        io::copy(content, &mut copy).map_err(|error| {
            match VaultError::writing(database, &error) {
                VaultError::DiskFull => VaultError::DiskFull,
                _ => damaged(),
            }
        })?;
        Ok(())
    })?;
    let key = key.ok_or_else(damaged)?;
    let memories = verify(database, &key).map_err(|error| match error {
        VaultError::TooNew { .. } => error,
        _ => damaged(),
    })?;
    Ok((keys, memories))
}

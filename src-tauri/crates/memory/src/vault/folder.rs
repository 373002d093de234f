//! What lies in a vault's folder, and how files get there: written aside, synced, renamed.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{Fault, VaultError};

pub(super) const DATABASE: &str = "vault.db";
pub(super) const LOG: &str = "vault.db-wal";
pub(super) const INDEX: &str = "vault.db-shm";
pub(super) const KEYS: &str = "vault.keys";
/// The key file of a vault that is being created: renamed last, when its database stands.
pub(super) const UNFINISHED_KEYS: &str = "vault.keys.new";
/// The database of a vault that is being created: nothing can have been stored in it yet.
const UNFINISHED_DATABASE: &str = "vault.db.new";
/// Where a key file goes whose database is nowhere to be seen.
const STRAY_KEYS: &str = "vault.keys.unfinished";

/// What is known of a file; `None` when nothing is there.
///
/// # Errors
/// [`VaultError::NotAVault`] when the folder is a file; [`VaultError::File`] when the system refuses.
pub(super) fn look(path: &Path) -> Result<Option<fs::Metadata>, VaultError> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(VaultError::not_a_vault(
            path.parent().unwrap_or(path),
            Fault::FileForFolder,
        )),
        Err(error) => Err(VaultError::reading(path, &error)),
    }
}

/// Whether a vault, or anything that a vault would overwrite, is in the folder.
pub(super) fn occupied(dir: &Path) -> Result<bool, VaultError> {
    if look(&dir.join(KEYS))?.is_some() {
        return Ok(true);
    }
    // An empty database beside an unfinished key file was left by a creation that was cut short.
    Ok(match look(&dir.join(DATABASE))? {
        Some(found) => !is_empty(&found) || look(&dir.join(UNFINISHED_KEYS))?.is_none(),
        None => false,
    })
}

fn is_empty(found: &fs::Metadata) -> bool {
    found.is_file() && found.len() == 0
}

/// The folder, held against other programs that create a vault or change its keys in it.
pub(super) struct Held(Option<fs::File>);

impl Held {
    /// Removes what a program left that was killed while it built a database or a key file aside.
    /// Whoever builds one holds the folder, so nobody is at it.
    pub fn clear_parts(&self, dir: &Path) {
        let Ok(entries) = fs::read_dir(dir) else {
            return;
        };
        if self.0.is_none() {
            return;
        }
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(is_part) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether a file is being built aside: `vault.db.0123456789ab.part`, with whatever SQLite puts beside
/// it.
fn is_part(name: &str) -> bool {
    let rest = [DATABASE, KEYS]
        .iter()
        .find_map(|begin| name.strip_prefix(begin)?.strip_prefix('.'));
    rest.and_then(|rest| rest.split_once(".part"))
        .is_some_and(|(random, end)| {
            random.len() == 12
                && random.bytes().all(|byte| byte.is_ascii_hexdigit())
                && ["", "-wal", "-shm", "-journal"].contains(&end)
        })
}

/// Waits for the folder. A file system without locks is not waited for: what is published there is
/// still put in place exclusively.
pub(super) fn hold(dir: &Path) -> Result<Held, VaultError> {
    #[cfg(unix)]
    let file = fs::File::open(dir);
    #[cfg(not(unix))]
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(dir.join("vault.lock"));
    let file = file.map_err(|error| VaultError::reading(dir, &error))?;
    Ok(Held(file.lock().is_ok().then_some(file)))
}

/// Makes the folder, for its owner alone. A folder that already holds something keeps its
/// permissions: it may be shared on purpose, and the vault's files are private on their own.
pub(super) fn make(dir: &Path) -> Result<(), VaultError> {
    if look(dir)?.is_some_and(|found| !found.is_dir()) {
        return Err(VaultError::not_a_vault(dir, Fault::FileForFolder));
    }
    let refused = |error: std::io::Error| VaultError::writing(dir, &error);
    fs::create_dir_all(dir).map_err(refused)?;
    #[cfg(unix)]
    if fs::read_dir(dir).map_err(refused)?.next().is_none() {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(refused)?;
    }
    Ok(())
}

/// The place in which a new database is built.
pub(super) fn unfinished_database(dir: &Path) -> PathBuf {
    dir.join(UNFINISHED_DATABASE)
}

/// Takes away what an earlier creation left that was cut short before its database was in place.
/// To be called with the folder held and not occupied.
///
/// # Errors
/// [`VaultError::NotAVault`] when there is a write-ahead log without its database: it may hold
/// memories, and a new database would take it for its own.
pub(super) fn clear_unfinished(dir: &Path) -> Result<(), VaultError> {
    let log = dir.join(LOG);
    if look(&log)?.is_some_and(|found| found.len() > 0) {
        return Err(VaultError::not_a_vault(&log, Fault::LogAlone));
    }
    let building = unfinished_database(dir);
    let keys = dir.join(UNFINISHED_KEYS);
    let was_building = look(&building)?.is_some();
    if look(&keys)?.is_some() && !was_building && look(&dir.join(DATABASE))?.is_none() {
        // Its database may only have been moved away, and nothing else opens it.
        fs::rename(&keys, dir.join(STRAY_KEYS))
            .map_err(|error| VaultError::writing(&keys, &error))?;
    }
    remove(&keys)?;
    for end in ["", "-wal", "-shm", "-journal"] {
        remove(&with_end(&building, end))?;
        // What is here is empty: the database was looked at above, the log just now.
        remove(&with_end(&dir.join(DATABASE), end))?;
    }
    Ok(())
}

/// The path with something behind its name.
pub(super) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Removes a file if it is there.
pub(super) fn remove(path: &Path) -> Result<(), VaultError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(VaultError::writing(path, &error)),
        _ => Ok(()),
    }
}

/// Writes a file that must not be there yet, for its owner alone, down to the disk.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = (|| {
        let mut file = options.open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    })();
    written.map_err(|error| VaultError::writing(path, &error))
}

/// Exchanges a file: the old content is there or the new, whatever happens.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    let aside = with_end(path, &format!(".{}.part", random_name()?));
    let done = write_new(&aside, bytes)
        .and_then(|()| fs::rename(&aside, path).map_err(|error| VaultError::writing(path, &error)));
    if done.is_err() {
        let _ = fs::remove_file(&aside);
    }
    done?;
    sync(path.parent().unwrap_or(path))
}

/// A name that nobody else has chosen.
pub(super) fn random_name() -> Result<String, VaultError> {
    let mut random = [0_u8; 6];
    getrandom::fill(&mut random).map_err(|_| VaultError::Io(ErrorKind::Unsupported))?;
    Ok(hex::encode(random))
}

/// Brings a file's content to the disk.
pub(super) fn sync_file(path: &Path) -> Result<(), VaultError> {
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| VaultError::writing(path, &error))
}

/// Gives a file its name, which nobody may have taken.
///
/// # Errors
/// [`VaultError::Exists`] when somebody has.
pub(super) fn publish(from: &Path, to: &Path) -> Result<(), VaultError> {
    // A second name is refused when it is taken, where a renaming would replace the file.
    match fs::hard_link(from, to) {
        Ok(()) => remove(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(VaultError::Exists),
        // Not every file system has second names.
        Err(_) if look(to)?.is_some() => Err(VaultError::Exists),
        Err(_) => fs::rename(from, to).map_err(|error| VaultError::writing(to, &error)),
    }
}

/// Brings the folder's names to the disk: without it a power cut can undo a renaming.
pub(super) fn sync(dir: &Path) -> Result<(), VaultError> {
    #[cfg(unix)]
    fs::File::open(dir)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| VaultError::writing(dir, &error))?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

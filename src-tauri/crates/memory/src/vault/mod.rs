//! The vault: one encrypted file, its key slots, a few connections.
//!
//! Absent on purpose: an exclusive lock. Several programs may have the same vault open; SQLite's own
//! locks order their writes, and readers are never blocked.

mod connection;
mod handles;
mod key_slot;
mod scrub;
mod sqlite;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::VaultError;
use crate::migration;
use crate::passphrase::Passphrase;
use crate::table::keyword::Tokenizers;
use crate::table::{memory_text, state};
use connection::Access;
use key_slot::DataKey;

pub use handles::{Reader, Writer};
pub use key_slot::KdfCost;
pub use sqlite::prepare_sqlite;

/// Read connections kept open between reads. More are opened when more reads run at once.
const IDLE_READERS: usize = 3;

const DATABASE: &str = "vault.db";
const KEYS: &str = "vault.keys";
/// The key file of a vault that is being created. Renamed last: with it, creation was cut short
/// and nothing can have been stored yet.
const UNFINISHED_KEYS: &str = "vault.keys.new";

/// An open vault. Clones share it.
#[derive(Clone)]
pub struct Vault(Arc<Shared>);

struct Shared {
    dir: PathBuf,
    readers: Mutex<Readers>,
    writer: Mutex<Option<Connection>>,
    locked: AtomicBool,
    epoch: AtomicU64,
    vacuuming: Arc<AtomicBool>,
    tokenizers: Tokenizers,
}

struct Readers {
    key: Option<Arc<DataKey>>,
    idle: Vec<Connection>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault").finish_non_exhaustive()
    }
}

impl Vault {
    /// Whether the folder holds a vault, or something in its place. A creation that was cut short
    /// does not count.
    pub fn exists(dir: &Path) -> bool {
        dir.join(KEYS).exists()
            || (dir.join(DATABASE).exists() && !dir.join(UNFINISHED_KEYS).exists())
    }

    /// Creates a vault in the folder, and the folder too if need be.
    ///
    /// # Errors
    /// [`VaultError::Exists`]; [`VaultError::Io`] when the folder cannot be written.
    pub fn create(dir: &Path, pass: &Passphrase, cost: KdfCost) -> Result<Self, VaultError> {
        if Self::exists(dir) {
            return Err(VaultError::Exists);
        }
        make_private_folder(dir)?;
        for leftover in [DATABASE, "vault.db-wal", "vault.db-shm", UNFINISHED_KEYS] {
            match fs::remove_file(dir.join(leftover)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        let (key, keys) = key_slot::make(pass, cost)?;
        key_slot::write(&dir.join(UNFINISHED_KEYS), &keys)?;
        // SQLite gives its side files the permissions of the database, so these come first.
        key_slot::write(&dir.join(DATABASE), b"")?;
        let vault = Self::open(dir, key)?;
        fs::rename(dir.join(UNFINISHED_KEYS), dir.join(KEYS))?;
        Ok(vault)
    }

    /// Opens the vault in the folder.
    ///
    /// # Errors
    /// [`VaultError::NoVault`], [`VaultError::WrongPassphrase`], [`VaultError::NotAVault`] (with
    /// what it is instead), [`VaultError::TooNew`]. The files stay as they were.
    pub fn unlock(dir: &Path, pass: &Passphrase) -> Result<Self, VaultError> {
        let database = dir.join(DATABASE);
        let not_ours = |path: &Path, why| VaultError::NotAVault {
            path: path.to_owned(),
            why,
        };
        if !Self::exists(dir) {
            return Err(VaultError::NoVault);
        }
        if database.is_dir() {
            return Err(not_ours(&database, "a folder"));
        }
        if !database.exists() {
            return Err(not_ours(
                &database,
                "the key file is there, the database is missing",
            ));
        }
        let mut head = Vec::with_capacity(16);
        fs::File::open(&database)?.take(16).read_to_end(&mut head)?;
        if head.is_empty() {
            return Err(not_ours(&database, "the file is empty"));
        }
        if head == b"SQLite format 3\0" {
            return Err(not_ours(&database, "a SQLite database without encryption"));
        }
        let keys = dir.join(KEYS);
        if !keys.exists() {
            return Err(not_ours(&database, "its key file (vault.keys) is missing"));
        }
        let key = key_slot::open(&keys, pass)?;
        Self::open(dir, key)
    }

    fn open(dir: &Path, key: DataKey) -> Result<Self, VaultError> {
        let vacuuming = Arc::new(AtomicBool::new(false));
        let mut writer = connection::open(&dir.join(DATABASE), &key, Access::Write, &vacuuming)?;
        migration::migrate(&mut writer, &dir.join(DATABASE))?;
        let epoch = state::epoch(&writer)?;
        let unscrubbed = state::scrub_pending(&writer)?;
        let vault = Self(Arc::new(Shared {
            dir: dir.to_owned(),
            readers: Mutex::new(Readers {
                key: Some(Arc::new(key)),
                idle: Vec::new(),
            }),
            writer: Mutex::new(Some(writer)),
            locked: AtomicBool::new(false),
            epoch: AtomicU64::new(epoch),
            vacuuming,
            tokenizers: Tokenizers::open()?,
        }));
        if unscrubbed {
            vault.scrub();
        }
        Ok(vault)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// Runs `f` on one consistent state of the vault. Many reads run at once, and none waits for
    /// a write.
    ///
    /// # Errors
    /// [`VaultError::Locked`], and whatever `f` returns.
    pub fn read<T>(
        &self,
        f: impl FnOnce(&Reader<'_>) -> Result<T, VaultError>,
    ) -> Result<T, VaultError> {
        let connection = self.take_reader()?;
        let result = (|| {
            let snapshot = Transaction::new_unchecked(&connection, TransactionBehavior::Deferred)?;
            f(&Reader::new(&snapshot, &self.0.tokenizers))
        })();
        let mut readers = self.0.readers.lock();
        if readers.key.is_some() && readers.idle.len() < IDLE_READERS {
            readers.idle.push(connection);
        }
        result
    }

    fn take_reader(&self) -> Result<Connection, VaultError> {
        let key = {
            let mut readers = self.0.readers.lock();
            let key = readers.key.clone().ok_or(VaultError::Locked)?;
            if let Some(connection) = readers.idle.pop() {
                return Ok(connection);
            }
            key
        };
        let path = self.0.dir.join(DATABASE);
        connection::open(&path, &key, Access::Read, &self.0.vacuuming)
    }

    /// Runs `f` in one transaction: all of it is kept when `f` returns `Ok`, nothing otherwise.
    /// One write runs at a time; calling `write` inside `write` never returns.
    ///
    /// # Errors
    /// [`VaultError::Locked`], [`VaultError::Busy`] when another program writes for longer than
    /// five seconds, [`VaultError::DiskFull`], and whatever `f` returns.
    pub fn write<T>(
        &self,
        f: impl FnOnce(&Writer<'_>) -> Result<T, VaultError>,
    ) -> Result<T, VaultError> {
        let (result, scrub) = {
            let guard = self.0.writer.lock();
            let connection = guard.as_ref().ok_or(VaultError::Locked)?;
            if self.0.locked.load(Ordering::SeqCst) {
                return Err(VaultError::Locked);
            }
            let result = self.transact(connection, f);
            match result {
                Ok((value, scrub)) => (Ok(value), scrub),
                Err(error) => (Err(name_full_disk(connection, error)), false),
            }
        };
        if scrub {
            self.scrub();
        }
        // `lock` may have come while the connection was in use, and left closing it to us.
        if self.0.locked.load(Ordering::SeqCst) {
            *self.0.writer.lock() = None;
        }
        result
    }

    /// Runs `f` in a transaction of which nothing is kept, whatever it returns: to find out what a
    /// change would do. Writes wait meanwhile, reads do not.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn try_out<T>(
        &self,
        f: impl FnOnce(&Writer<'_>) -> Result<T, VaultError>,
    ) -> Result<T, VaultError> {
        let result = {
            let guard = self.0.writer.lock();
            let connection = guard.as_ref().ok_or(VaultError::Locked)?;
            if self.0.locked.load(Ordering::SeqCst) {
                return Err(VaultError::Locked);
            }
            let transaction =
                Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let writer = Writer::new(Reader::new(&transaction, &self.0.tokenizers));
            let result = f(&writer);
            transaction.rollback()?;
            result
        };
        if self.0.locked.load(Ordering::SeqCst) {
            *self.0.writer.lock() = None;
        }
        result
    }

    fn transact<T>(
        &self,
        connection: &Connection,
        f: impl FnOnce(&Writer<'_>) -> Result<T, VaultError>,
    ) -> Result<(T, bool), VaultError> {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let writer = Writer::new(Reader::new(&transaction, &self.0.tokenizers));
        let value = f(&writer)?;
        memory_text::flush(&transaction)?;
        let scrub = writer.scrub_wanted();
        if writer.content_touched() {
            state::advance_content(&transaction)?;
            memory_text::forget_changes(&transaction)?;
        }
        let epoch = state::advance(&transaction)?;
        transaction.commit()?;
        self.0.epoch.store(epoch, Ordering::SeqCst);
        Ok((value, scrub))
    }

    /// Counts the committed writes over the vault's whole life. Writes of other programs are
    /// noticed with the next write of this one; [`Reader::epoch`] is always exact.
    pub fn epoch(&self) -> u64 {
        self.0.epoch.load(Ordering::SeqCst)
    }

    /// Forgets the key and closes every connection; those in use are closed when they come back.
    /// Later calls get [`VaultError::Locked`].
    pub fn lock(&self) {
        self.0.locked.store(true, Ordering::SeqCst);
        {
            let mut readers = self.0.readers.lock();
            readers.key = None;
            readers.idle.clear();
        }
        self.0.tokenizers.clear();
        if let Some(mut writer) = self.0.writer.try_lock() {
            *writer = None;
        }
    }

    /// True after [`Self::lock`].
    pub fn is_locked(&self) -> bool {
        self.0.locked.load(Ordering::SeqCst)
    }
}

/// SQLite calls some full disks an input/output error; the operating system knows better.
fn name_full_disk(connection: &Connection, error: VaultError) -> VaultError {
    const IO_ERROR: i32 = rusqlite::ffi::SQLITE_IOERR;
    match error {
        VaultError::Sqlite { code } if code & 0xff == IO_ERROR => {
            let system = sqlite::last_system_error(connection);
            match std::io::Error::from_raw_os_error(system).into() {
                VaultError::DiskFull => VaultError::DiskFull,
                _ => error,
            }
        }
        _ => error,
    }
}

/// Makes the folder, for its owner alone. A folder that already holds something keeps its
/// permissions: it may be shared on purpose, and the vault's files are private on their own.
fn make_private_folder(dir: &Path) -> Result<(), VaultError> {
    fs::create_dir_all(dir)?;
    #[cfg(unix)]
    if fs::read_dir(dir)?.next().is_none() {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

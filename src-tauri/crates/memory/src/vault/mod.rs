//! The vault: one encrypted file, its key slots, a few connections.
//!
//! Absent on purpose: an exclusive lock. Several programs may have the same vault open; SQLite's own
//! locks order their writes, and readers are never blocked.

mod around;
mod backup;
mod check;
mod connection;
mod counts;
mod folder;
mod handles;
mod import;
mod keys;
mod opening;
mod proof;
mod rekey;
mod salvage;
mod scrub;
mod slots;
mod sqlite;
mod storage;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::VaultError;
use crate::migration;
use crate::table::keyword::Tokenizers;
use crate::table::{memory_text, state};
use connection::{Access, Way};
use folder::DATABASE;
use keys::DataKey;

pub use backup::Snapshot;
pub use check::{Finding, Found};
pub use connection::database_name;
pub use handles::{Reader, Writer};
pub use import::{Imported, Prefer};
pub use keys::{KdfCost, KeySlot, KeychainEntry, SlotKind};
pub use proof::FileOnDisk;
pub use rekey::Rekeyed;
pub use salvage::{Gap, Salvage};
pub use sqlite::prepare_sqlite;
pub use storage::{Storage, StorageKind};

/// Read connections kept open between reads. More are opened when more reads run at once.
const IDLE_READERS: usize = 3;

/// An open vault. Clones share it.
#[derive(Clone)]
pub struct Vault(Arc<Shared>);

struct Shared {
    dir: PathBuf,
    way: Way,
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
    fn open(dir: &Path, key: DataKey, way: Way) -> Result<Self, VaultError> {
        let database = dir.join(DATABASE);
        let vacuuming = Arc::new(AtomicBool::new(false));
        let access = if way.is_live() {
            Access::Write
        } else {
            Access::Read
        };
        let mut connection = connection::open(&database, &key, access, way, &vacuuming)?;
        if way.is_live() {
            migration::migrate(&mut connection, &database)?;
        } else if migration::version(&connection)? != migration::SCHEMA_VERSION {
            // An older one would have to be written to be understood.
            migration::refuse_newer(&connection)?;
            return Err(way.refusal(&database));
        }
        // A page that cannot be read costs what stands on it, not the rest of the vault.
        let epoch = unless_damaged(state::epoch(&connection), 0)?;
        let unscrubbed = way.is_live() && unless_damaged(state::scrub_pending(&connection), false)?;
        let mut readers = Readers {
            key: Some(Arc::new(key)),
            idle: Vec::new(),
        };
        let writer = if way.is_live() {
            Some(connection)
        } else {
            readers.idle.push(connection);
            None
        };
        let vault = Self(Arc::new(Shared {
            dir: dir.to_owned(),
            way,
            readers: Mutex::new(readers),
            writer: Mutex::new(writer),
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
        // A connection that met a page it could not open refuses every page from then on.
        if !matches!(result, Err(VaultError::Damaged)) {
            let mut readers = self.0.readers.lock();
            if readers.key.is_some() && readers.idle.len() < IDLE_READERS {
                readers.idle.push(connection);
            }
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
        self.open_reader(&key)
    }

    /// A connection that has read nothing yet.
    fn new_reader(&self) -> Result<Connection, VaultError> {
        let key = self.0.readers.lock().key.clone();
        self.open_reader(&*key.ok_or(VaultError::Locked)?)
    }

    fn open_reader(&self, key: &DataKey) -> Result<Connection, VaultError> {
        let path = self.0.dir.join(DATABASE);
        connection::open(&path, key, Access::Read, self.0.way, &self.0.vacuuming)
    }

    /// Whether nothing can be written: the disk or the permissions do not let it.
    pub fn is_read_only(&self) -> bool {
        !self.0.way.is_live()
    }

    /// Why there is no connection to write with.
    fn unwritable(&self) -> VaultError {
        if self.0.locked.load(Ordering::SeqCst) || self.0.way.is_live() {
            VaultError::Locked
        } else {
            self.0.way.refusal(&self.0.dir.join(DATABASE))
        }
    }

    /// Opens the writing connection anew, after it met a page that it could not open.
    fn renew_writer(&self, writer: &mut Option<Connection>) {
        let key = self.0.readers.lock().key.clone();
        *writer = None;
        if let Some(key) = key {
            let path = self.0.dir.join(DATABASE);
            *writer =
                connection::open(&path, &key, Access::Write, self.0.way, &self.0.vacuuming).ok();
        }
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
            let mut guard = self.0.writer.lock();
            let connection = guard.as_ref().ok_or_else(|| self.unwritable())?;
            if self.0.locked.load(Ordering::SeqCst) {
                return Err(VaultError::Locked);
            }
            let result = self.transact(connection, f);
            match result {
                Ok((value, scrub)) => (Ok(value), scrub),
                Err(error) => {
                    let error = self.name_refusal(connection, error);
                    if matches!(error, VaultError::Damaged) {
                        self.renew_writer(&mut guard);
                    }
                    (Err(error), false)
                }
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
            let mut guard = self.0.writer.lock();
            let connection = guard.as_ref().ok_or_else(|| self.unwritable())?;
            if self.0.locked.load(Ordering::SeqCst) {
                return Err(VaultError::Locked);
            }
            let transaction =
                Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let writer = Writer::new(Reader::new(&transaction, &self.0.tokenizers));
            let result = f(&writer);
            let back = transaction.rollback();
            if matches!(result, Err(VaultError::Damaged)) {
                self.renew_writer(&mut guard);
            } else {
                back?;
            }
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

    /// SQLite calls some full disks an input/output error, and names no file that it may not
    /// write; the operating system knows better.
    fn name_refusal(&self, connection: &Connection, error: VaultError) -> VaultError {
        use rusqlite::ffi::{SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_READONLY};
        let VaultError::Sqlite { code } = error else {
            return error;
        };
        let path = self.0.dir.join(DATABASE);
        let system = std::io::Error::from_raw_os_error(sqlite::last_system_error(connection));
        match code & 0xff {
            SQLITE_IOERR => match VaultError::writing(&path, &system) {
                VaultError::DiskFull => VaultError::DiskFull,
                _ => error,
            },
            SQLITE_CANTOPEN | SQLITE_READONLY => VaultError::File {
                path,
                kind: match system.kind() {
                    kind @ std::io::ErrorKind::ReadOnlyFilesystem => kind,
                    _ => std::io::ErrorKind::PermissionDenied,
                },
                writing: true,
            },
            _ => error,
        }
    }

    /// True after [`Self::lock`].
    pub fn is_locked(&self) -> bool {
        self.0.locked.load(Ordering::SeqCst)
    }
}

fn unless_damaged<T>(result: Result<T, VaultError>, otherwise: T) -> Result<T, VaultError> {
    match result {
        Err(VaultError::Damaged) => Ok(otherwise),
        result => result,
    }
}

//! The only unsafe code of this crate: five things that SQLite offers through C alone.
//!
//! 1. A zeroing allocator. When a process recovers the write-ahead log that a killed process left,
//!    SQLite copies an uninitialised heap buffer into the `-shm` file; with decrypted pages on the
//!    same heap, plaintext reaches the disk. Memory that is zero when handed out and wiped when
//!    given back has nothing to leak. (`cipher_memory_security` would do a part of this at several
//!    times the cost of every full-text write.)
//! 2. The raw key, given as bytes: a `PRAGMA key` would pass through statement text and its hooks.
//! 3. Registration of sqlite-vec, which is linked statically.
//! 4. A database's file as SQLite holds it ([`RawFile`]).
//! 5. The index of its write-ahead log as SQLite holds it ([`log_index`]).
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use rusqlite::{Connection, OpenFlags, ffi};
use zeroize::Zeroizing;

use super::keys::DataKey;
use crate::error::VaultError;

/// SQLite wants 8-byte alignment; 16 keeps vector code happy. The header holds the block's size.
const HEADER: usize = 16;

/// Older releases can corrupt a database when a write-ahead log is reset under a reader.
const OLDEST_SAFE_SQLITE: i32 = 3_051_003;

/// The entry point of an extension.
type Entry = unsafe extern "C" fn(
    *mut ffi::sqlite3,
    *mut *mut std::ffi::c_char,
    *const ffi::sqlite3_api_routines,
) -> c_int;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

unsafe extern "C" fn allocate(size: c_int) -> *mut c_void {
    let Ok(size) = usize::try_from(size) else {
        return ptr::null_mut();
    };
    let Some(layout) = layout(size) else {
        return ptr::null_mut();
    };
    // SAFETY: the layout is never empty (it includes the header). The header is written within
    // the block just allocated, which is aligned to 16 and at least 16 bytes long.
    unsafe {
        let Some(block) = NonNull::new(alloc_zeroed(layout)) else {
            return ptr::null_mut();
        };
        block.cast::<usize>().as_ptr().write(size);
        block.as_ptr().add(HEADER).cast()
    }
}

unsafe extern "C" fn size_of_block(block: *mut c_void) -> c_int {
    if block.is_null() {
        return 0;
    }
    // SAFETY: SQLite passes only pointers that `allocate` returned, so the size lies before it.
    unsafe { block.byte_sub(HEADER).cast::<usize>().read() as c_int }
}

unsafe extern "C" fn release(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: as above; the layout is computed from the same size as in `allocate`, and the whole
    // block belongs to us until `dealloc`.
    unsafe {
        let start = block.byte_sub(HEADER);
        let size = start.cast::<usize>().read();
        let start = start.cast::<u8>();
        ptr::write_bytes(start, 0, size + HEADER);
        // Without this the wipe of memory about to be freed may be optimised away.
        black_box(start);
        if let Some(layout) = layout(size) {
            dealloc(start, layout);
        }
    }
}

unsafe extern "C" fn resize(block: *mut c_void, size: c_int) -> *mut c_void {
    // SAFETY: the source has at least `kept` bytes, the target too, and they are different blocks.
    unsafe {
        let grown = allocate(size);
        if grown.is_null() || block.is_null() {
            return grown;
        }
        let kept = size_of_block(block).min(size);
        ptr::copy_nonoverlapping(block.cast::<u8>(), grown.cast(), kept as usize);
        release(block);
        grown
    }
}

unsafe extern "C" fn round_up(size: c_int) -> c_int {
    size.saturating_add(15) & !15
}

unsafe extern "C" fn start(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn stop(_: *mut c_void) {}

/// Prepares SQLite for vaults: allocator and vector extension. Must run before anything else in
/// the process opens a SQLite database; a program that reads foreign databases calls it first.
/// Opening a vault calls it too; only the first call does anything.
///
/// # Errors
/// [`VaultError::Sqlite`] when SQLite was already in use with another allocator, or is too old.
pub fn prepare_sqlite() -> Result<(), VaultError> {
    static PREPARED: OnceLock<c_int> = OnceLock::new();
    let code = *PREPARED.get_or_init(|| {
        if rusqlite::version_number() < OLDEST_SAFE_SQLITE {
            return ffi::SQLITE_MISMATCH;
        }
        let methods = ffi::sqlite3_mem_methods {
            xMalloc: Some(allocate),
            xFree: Some(release),
            xRealloc: Some(resize),
            xSize: Some(size_of_block),
            xRoundup: Some(round_up),
            xInit: Some(start),
            xShutdown: Some(stop),
            pAppData: ptr::null_mut(),
        };
        // SAFETY: SQLite copies the struct during the call, and refuses (SQLITE_MISUSE) when it
        // is already running. sqlite-vec's entry point has the signature of every extension's; its
        // crate declares it without arguments. No call needs a connection.
        unsafe {
            let code = ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods);
            if code != ffi::SQLITE_OK {
                return code;
            }
            // Counting every allocation under one global lock makes parallel readers wait.
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0 as c_int);
            let entry: Entry =
                std::mem::transmute::<*const (), Entry>(sqlite_vec::sqlite3_vec_init as *const ());
            ffi::sqlite3_auto_extension(Some(entry))
        }
    });
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(VaultError::Sqlite { code })
    }
}

/// Gives a connection its raw key, before the first page is read.
pub(super) fn set_key(connection: &Connection, key: &DataKey) -> Result<(), VaultError> {
    give_key(connection, key, &[], ffi::sqlite3_key_v2)
}

/// Encrypts every page anew under another raw key. The salt is what the file begins with then.
pub(super) fn change_key(
    connection: &Connection,
    key: &DataKey,
    salt: &[u8; 16],
) -> Result<(), VaultError> {
    give_key(connection, key, salt, ffi::sqlite3_rekey_v2)
}

/// One of SQLCipher's functions that take a key for a named database.
type TakesKey =
    unsafe extern "C" fn(*mut ffi::sqlite3, *const std::ffi::c_char, *const c_void, c_int) -> c_int;

fn give_key(
    connection: &Connection,
    key: &DataKey,
    salt: &[u8],
    to: TakesKey,
) -> Result<(), VaultError> {
    // SQLCipher takes bytes in the form x'…' as the key itself; anything else it would stretch.
    let mut text = Zeroizing::new(Vec::with_capacity(100));
    text.extend_from_slice(b"x'");
    for part in [key.as_slice(), salt] {
        text.extend_from_slice(Zeroizing::new(hex::encode(part)).as_bytes());
    }
    text.push(b'\'');
    // SAFETY: the handle lives as long as `connection`; SQLCipher copies the key during the call.
    let code = unsafe {
        to(
            connection.handle(),
            c"main".as_ptr(),
            text.as_ptr().cast(),
            text.len() as c_int,
        )
    };
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(VaultError::Sqlite { code })
    }
}

/// The operating system's number for the connection's last file error.
pub(super) fn last_system_error(connection: &Connection) -> i32 {
    // SAFETY: the handle lives as long as `connection`.
    unsafe { ffi::sqlite3_system_errno(connection.handle()) }
}

/// A database's file without its key. POSIX takes every lock that a process has on a file as soon as
/// the process closes any handle of it; SQLite's own handles know of each other and spare them.
/// So nothing of this program opens a vault's database but through SQLite.
pub(super) struct RawFile(Connection);

impl RawFile {
    /// Opens the file at `path`, for writing too if the system allows it.
    pub fn open(path: &Path) -> Result<Self, VaultError> {
        prepare_sqlite()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags).map(Self).map_err(
            |error| match std::fs::File::open(path) {
                // It did not open, so closing takes no lock from anybody.
                Err(system) => VaultError::reading(path, &system),
                Ok(_) => error.into(),
            },
        )
    }

    /// Whether the system lets this process write it.
    pub fn is_writable(&self) -> Result<bool, VaultError> {
        Ok(!self.0.is_readonly("main")?)
    }

    /// Its first bytes; fewer when it has no more.
    pub fn head(&self, length: usize) -> Result<Vec<u8>, VaultError> {
        let mut head = vec![0; length];
        let known = self.read(&mut head, 0)?;
        head.truncate(known);
        Ok(head)
    }

    /// Reads from a place on, until the buffer is full or the file ends; how many bytes that were.
    pub fn read(&self, buffer: &mut [u8], from: u64) -> Result<usize, VaultError> {
        let (mut size, mut known) = (0, 0);
        with(&self.0, |file, methods| {
            // SAFETY: `with` gives an open file and its methods; `known` is at most the buffer's
            // length.
            unsafe {
                let code = methods.xFileSize.map(|f| f(file, &raw mut size));
                if code != Some(ffi::SQLITE_OK) {
                    return code;
                }
                let left = u64::try_from(size).unwrap_or(0).saturating_sub(from);
                known = buffer
                    .len()
                    .min(usize::try_from(left).unwrap_or(usize::MAX));
                methods.xRead.map(|f| {
                    f(
                        file,
                        buffer.as_mut_ptr().cast(),
                        known as c_int,
                        from.cast_signed(),
                    )
                })
            }
        })?;
        Ok(known)
    }

    /// Keeps everybody else from opening it, this process's other handles too, until this is dropped.
    ///
    /// # Errors
    /// [`VaultError::Busy`] when somebody has it open.
    pub fn exclude_others(&self) -> Result<(), VaultError> {
        for level in [ffi::SQLITE_LOCK_SHARED, ffi::SQLITE_LOCK_EXCLUSIVE] {
            with(&self.0, |file, methods| {
                // SAFETY: as above; the levels come in the order that SQLite asks for.
                unsafe { methods.xLock.map(|f| f(file, level)) }
            })?;
        }
        Ok(())
    }
}

/// Gives `f` the file of a connection's database as SQLite holds it.
fn with(
    connection: &Connection,
    f: impl FnOnce(*mut ffi::sqlite3_file, &ffi::sqlite3_io_methods) -> Option<c_int>,
) -> Result<(), VaultError> {
    let mut file: *mut ffi::sqlite3_file = ptr::null_mut();
    // SAFETY: the handle and the file live as long as the connection; SQLite writes the file's
    // address to where the last argument points. An open file has methods, which are static.
    let code = unsafe {
        let code = ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_FILE_POINTER,
            (&raw mut file).cast(),
        );
        match file.as_ref().and_then(|file| file.pMethods.as_ref()) {
            Some(methods) if code == ffi::SQLITE_OK => f(file, methods),
            _ => Some(code),
        }
    };
    match code.unwrap_or(ffi::SQLITE_MISUSE) {
        ffi::SQLITE_OK => Ok(()),
        ffi::SQLITE_BUSY => Err(VaultError::Busy),
        code => Err(VaultError::Sqlite { code }),
    }
}

/// SQLite maps the index of a write-ahead log in pieces of this many bytes.
const INDEX_PIECE: usize = 32 * 1024;

/// The index of the write-ahead log, which is shared memory and a file (`-shm`). That file carries
/// the locks of everybody who reads, so it is looked at where SQLite holds it and never opened. The
/// connection must be in a read transaction: only then SQLite has an index.
pub(super) fn log_index(connection: &Connection, size: usize) -> Result<Vec<u8>, VaultError> {
    let mut bytes = Vec::with_capacity(size);
    for piece in 0..size.div_ceil(INDEX_PIECE) {
        let mut place: *mut c_void = ptr::null_mut();
        with(connection, |file, methods| {
            // SAFETY: `with` gives an open file and its methods. Nothing is extended; SQLite writes
            // the address of a mapped piece, or null where there is none.
            unsafe {
                methods.xShmMap.map(|f| {
                    f(
                        file,
                        piece as c_int,
                        INDEX_PIECE as c_int,
                        0,
                        (&raw mut place).cast(),
                    )
                })
            }
        })?;
        let Some(place) = NonNull::new(place) else {
            break;
        };
        let place = place.cast::<u8>();
        // SAFETY: a piece has that many bytes and stays mapped as long as the connection is open.
        // Others may write it meanwhile, hence the volatile reads: whatever is seen was there.
        bytes.extend((0..INDEX_PIECE).map(|at| unsafe { place.add(at).read_volatile() }));
    }
    bytes.truncate(size);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zero_when_handed_out_and_keep_their_bytes_when_resized() {
        // SAFETY: the functions are used as SQLite uses them.
        unsafe {
            let block = allocate(100).cast::<u8>();
            assert_eq!(block as usize % 16, 0);
            assert_eq!(size_of_block(block.cast()), 100);
            assert!((0..100).all(|i| *block.add(i) == 0));
            ptr::write_bytes(block, 7, 100);
            let grown = resize(block.cast(), 5000).cast::<u8>();
            assert!((0..100).all(|i| *grown.add(i) == 7));
            assert!((100..5000).all(|i| *grown.add(i) == 0));
            let shrunk = resize(grown.cast(), 10).cast::<u8>();
            assert_eq!(size_of_block(shrunk.cast()), 10);
            assert!((0..10).all(|i| *shrunk.add(i) == 7));
            release(shrunk.cast());
            release(ptr::null_mut());
            assert!(allocate(-1).is_null());
        }
    }

    #[test]
    fn sqlite_uses_the_allocator_and_knows_vectors() {
        prepare_sqlite().unwrap();
        prepare_sqlite().unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let version: String = connection
            .query_row("SELECT vec_version()", [], |row| row.get(0))
            .unwrap();
        assert!(version.starts_with('v'));
    }
}

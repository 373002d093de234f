//! One connection to the encrypted file, set up so that nothing leaves it in the clear.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::keys::DataKey;
use super::{folder, sqlite};
use crate::error::{Fault, VaultError};
use crate::fold::fold;
use crate::table::memory_text;

/// How long a writer waits for another program's write to end.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Pages kept decrypted. Every page read costs an HMAC, so a big cache is worth its memory.
const WRITER_CACHE_KIB: u32 = 64 * 1024;
const READER_CACHE_KIB: u32 = 32 * 1024;

/// Statements kept compiled per connection.
const STATEMENTS: usize = 128;

/// What a connection may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// How the file can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It can be written; other programs may be writing it.
    Live,
    /// Neither it nor anything beside it can be written, for this reason.
    Frozen(ErrorKind, Log),
}

/// What a database that cannot be written has beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Log {
    /// Nothing: all of it is in its file.
    None,
    /// A write-ahead log without the index that says where its pages are.
    Alone,
    /// A log and its index, perhaps in use by a program that may write.
    Indexed,
}

impl Way {
    /// How to reach a database that cannot be written.
    pub fn frozen(path: &Path, reason: ErrorKind) -> Result<Self, VaultError> {
        let log = folder::look(&folder::with_end(path, "-wal"))?;
        let index = folder::look(&folder::with_end(path, "-shm"))?;
        Ok(Self::Frozen(
            reason,
            match (log, index) {
                (Some(log), Some(_)) if log.len() > 0 => Log::Indexed,
                (Some(log), None) if log.len() > 0 => Log::Alone,
                _ => Log::None,
            },
        ))
    }

    pub const fn is_live(self) -> bool {
        matches!(self, Self::Live)
    }

    /// The error of whoever wants to write all the same.
    pub fn refusal(self, path: &Path) -> VaultError {
        VaultError::File {
            path: path.to_owned(),
            kind: match self {
                Self::Live => ErrorKind::Other,
                Self::Frozen(reason, _) => reason,
            },
            writing: true,
        }
    }

    fn connect(self, path: &Path) -> Result<Connection, VaultError> {
        let Self::Frozen(_, log) = self else {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            return Ok(Connection::open_with_flags(path, flags)?);
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let name = |options| database_name(path, options);
        let flags_of_names = flags | OpenFlags::SQLITE_OPEN_URI;
        Ok(match log {
            Log::None => Connection::open_with_flags(name("immutable=1"), flags_of_names)?,
            Log::Indexed => Connection::open_with_flags(name("readonly_shm=1"), flags_of_names)?,
            Log::Alone => {
                // The index is made in memory then, which SQLite does for whoever is alone. Nobody
                // can write, so locks, which a disk of that kind may not have, guard nothing.
                #[cfg(unix)]
                let alone = Connection::open_with_flags_and_vfs(path, flags, c"unix-none")?;
                #[cfg(not(unix))]
                let alone = Connection::open_with_flags(path, flags)?;
                alone.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
                alone
            }
        })
    }
}

/// The name under which SQLite opens a file with options, `immutable=1` for example.
pub fn database_name(path: &Path, options: &str) -> String {
    format!("file:{}?{options}", percent_encoded(path))
}

/// A path as SQLite's file names with options want it.
fn percent_encoded(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                encoded.push(char::from(byte));
            }
            _ => {
                let _ = write!(encoded, "%{byte:02x}");
            }
        }
    }
    encoded
}

/// Opens the file at `path`, which must exist (an empty file becomes a new database).
///
/// # Errors
/// [`VaultError::NotAVault`] when the first page does not open with this key.
pub(super) fn open(
    path: &Path,
    key: &DataKey,
    access: Access,
    way: Way,
    vacuuming: &Arc<AtomicBool>,
) -> Result<Connection, VaultError> {
    sqlite::prepare_sqlite()?;
    let mut connection = way.connect(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise statements that compare an indexed column with a parameter are compiled anew for
    // every value: a fifth of the time of an insertion.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Otherwise SQLCipher writes what goes wrong to the standard error stream.
    connection.execute_batch("PRAGMA cipher_log_level = NONE")?;
    sqlite::set_key(&connection, key)?;
    // SHA-256 halves the cost of authenticating a page against the default, SHA-512. This is part
    // of the file format: every connection must say so before it reads the first page.
    connection.execute_batch("PRAGMA cipher_hmac_algorithm = HMAC_SHA256")?;
    connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
        .map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                VaultError::not_a_vault(path, Fault::FirstPageOrOther)
            }
            _ => error.into(),
        })?;
    settle(&connection, access)?;
    connection.create_scalar_function(
        "fold",
        1,
        FunctionFlags::SQLITE_UTF8
            | FunctionFlags::SQLITE_DETERMINISTIC
            | FunctionFlags::SQLITE_INNOCUOUS,
        |context| match context.get_raw(0) {
            ValueRef::Text(bytes) => Ok(Some(fold(&String::from_utf8_lossy(bytes)))),
            _ => Ok(None),
        },
    )?;
    let vacuuming = Arc::clone(vacuuming);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        authorize(context.action, vacuuming.load(Ordering::SeqCst))
    }))?;
    Ok(connection)
}

/// Writes what the database holds at this moment into an empty file, under the same key.
pub(super) fn snapshot(
    path: &Path,
    key: &DataKey,
    way: Way,
    into: &Path,
) -> Result<(), VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    let mut connection = open(path, key, Access::Read, way, &never)?;
    // This connection runs one statement, whose new file is encrypted as the old one is.
    connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
    connection.execute_batch(
        "PRAGMA query_only = OFF; PRAGMA cipher_default_hmac_algorithm = HMAC_SHA256",
    )?;
    let into = into.to_str().ok_or(VaultError::Invalid {
        what: "name of the backup: it is not UTF-8",
    })?;
    connection.execute("VACUUM INTO ?", [into])?;
    Ok(())
}

/// Encrypts a database that nobody else has open under another key, and lets it begin differently.
pub(super) fn change_key(path: &Path, from: &DataKey, to: &DataKey) -> Result<(), VaultError> {
    let never = Arc::new(AtomicBool::new(false));
    let connection = open(path, from, Access::Read, Way::Live, &never)?;
    connection.execute_batch("PRAGMA query_only = OFF")?;
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| VaultError::Io(ErrorKind::Unsupported))?;
    sqlite::change_key(&connection, to, &salt)?;
    connection.close().map_err(|(_, error)| error.into())
}

fn settle(connection: &Connection, access: Access) -> Result<(), VaultError> {
    connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;")?;
    // Sorters and temporary tables would otherwise be written to the disk unencrypted.
    let temp_store: i64 = connection.query_row("PRAGMA temp_store", [], |row| row.get(0))?;
    if temp_store != 2 {
        return Err(VaultError::Invalid { what: "temp_store" });
    }
    connection.execute_batch(memory_text::STAGING)?;
    let cache = match access {
        Access::Write => {
            let mode: String =
                connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
            if mode != "wal" {
                return Err(VaultError::Invalid {
                    what: "journal mode",
                });
            }
            connection.execute_batch(
                "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; \
                 PRAGMA journal_size_limit = 67108864;",
            )?;
            WRITER_CACHE_KIB
        }
        Access::Read => {
            connection.execute_batch("PRAGMA query_only = ON")?;
            READER_CACHE_KIB
        }
    };
    connection.execute_batch(&format!("PRAGMA cache_size = -{cache}"))?;
    Ok(())
}

/// Refuses every statement that could put plaintext on the disk or change the key.
fn authorize(action: AuthAction<'_>, vacuuming: bool) -> Authorization {
    const PRAGMAS: [&str; 8] = [
        "temp_store",
        "temp_store_directory",
        "journal_mode",
        "key",
        "rekey",
        "hexkey",
        "hexrekey",
        "writable_schema",
    ];
    let forbidden = match action {
        // VACUUM attaches a nameless database of its own, which lives in memory.
        AuthAction::Attach { filename } => !(vacuuming && filename.is_empty()),
        AuthAction::Detach { .. } => !vacuuming,
        // A file name that is computed instead of written out arrives without its argument.
        AuthAction::Unknown { code, .. } => code == rusqlite::ffi::SQLITE_ATTACH,
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => {
            let name = pragma_name.to_ascii_lowercase();
            pragma_value.is_some()
                && (PRAGMAS.contains(&name.as_str()) || name.starts_with("cipher_"))
        }
        AuthAction::Function { function_name } => {
            matches!(function_name, "load_extension" | "sqlcipher_export")
        }
        _ => false,
    };
    if forbidden {
        Authorization::Deny
    } else {
        Authorization::Allow
    }
}

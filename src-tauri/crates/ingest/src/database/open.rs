//! Opens another program's database so that nothing can be written and nothing of it can run.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{Table, beside, is_vault, log_of};
use crate::fault::Fault;
use crate::tail::LINE_LIMIT;

/// How long a program that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often opening is tried while the program moves its log into the database.
const TRIES: u32 = 3;
const BETWEEN: Duration = Duration::from_millis(50);
/// How long one part may be read. A table that is searched to its end takes seconds.
const LONGEST: Duration = Duration::from_mins(2);
/// How many steps of SQLite's machine go by between two looks at the time.
const STEPS: i32 = 100_000;

/// Why a database cannot be read that a program keeps to itself.
pub(crate) const LOCKED: &str =
    "locked by the program that writes it: waited five seconds, try again when it is idle";
const DAMAGED: &str = "a damaged database: what could be read of it was taken";
const CLOSED: &str = "cannot be opened: no permission, or without its log in a folder that cannot be \
                      written to (copy it elsewhere first)";
const VAULT: &str = "a vault of this program, which is no log";

/// The tables of a database and their columns.
#[derive(Debug, Default)]
pub struct Schema(BTreeMap<String, HashSet<String>>);

impl Schema {
    /// Whether a table is there, with the columns that it needs.
    pub fn has(&self, table: &Table) -> bool {
        table
            .needs
            .iter()
            .all(|column| self.column(table.name, column))
    }

    /// Whether a table of this name has a column.
    pub fn column(&self, table: &str, column: &str) -> bool {
        self.0
            .get(table)
            .is_some_and(|columns| columns.contains(column))
    }
}

/// A connection for reading, and what there is to be read.
pub(super) fn open(path: &Path) -> Result<(Connection, Schema), Fault> {
    if is_vault(path) {
        return Err(Fault::Foreign(VAULT));
    }
    let mut tries = 1;
    loop {
        match connect(path) {
            Ok(open) => return Ok(open),
            Err(error) if is_passing(&error) && tries < TRIES => {
                tries += 1;
                std::thread::sleep(BETWEEN);
            }
            Err(error) => return Err(why(&error)),
        }
    }
}

fn is_passing(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure)
}

fn connect(path: &Path) -> rusqlite::Result<(Connection, Schema)> {
    // Whoever opens SQLite first decides for the process how it allocates.
    memory::prepare_sqlite().map_err(|_| rusqlite::Error::InvalidQuery)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    match settle(&mut connection) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {}
        schema => return schema.map(|schema| (connection, schema)),
    }
    // A folder that cannot be written to: the index of the log cannot be made there.
    drop(connection);
    let mut connection = frozen(path, flags)?;
    let schema = settle(&mut connection)?;
    Ok((connection, schema))
}

/// Opens a database in a folder that cannot be written to. The index that its program made is used
/// as it is; where there is none, nobody has it open, and one is made in memory.
fn frozen(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    if beside(path, "-shm").exists() && log_of(path).exists() {
        let name = memory::database_name(path, "readonly_shm=1");
        return Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_URI);
    }
    #[cfg(unix)]
    let alone = Connection::open_with_flags_and_vfs(path, flags, c"unix-none")?;
    #[cfg(not(unix))]
    let alone = Connection::open_with_flags(path, flags)?;
    alone.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    Ok(alone)
}

/// Takes from a connection whatever a stranger's database could make it do, and reads its tables.
fn settle(connection: &mut Connection) -> rusqlite::Result<Schema> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(
        Limit::SQLITE_LIMIT_LENGTH,
        (LINE_LIMIT + 1024 * 1024) as i32,
    )?;
    // Whatever is sorted stays in memory: a temporary file would be plaintext on the disk.
    connection.execute_batch(
        "PRAGMA cipher_log_level = NONE; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;
         PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON",
    )?;
    limit_time(connection)?;
    let schema = schema(connection)?;
    connection.authorizer(Some(|context: AuthContext<'_>| allowed(&context.action)))?;
    Ok(schema)
}

/// Gives what runs from now on a while to end in.
pub(super) fn limit_time(connection: &mut Connection) -> rusqlite::Result<()> {
    let end = Instant::now() + LONGEST;
    connection.progress_handler(STEPS, Some(move || Instant::now() > end))
}

/// Reading rows, with the few functions of the statements here, and those by which columns get their
/// standards.
fn allowed(action: &AuthAction<'_>) -> Authorization {
    const FUNCTIONS: [&str; 20] = [
        "octet_length",
        "count",
        "max",
        "total",
        "typeof",
        "coalesce",
        "current_timestamp",
        "current_date",
        "current_time",
        "unixepoch",
        "datetime",
        "date",
        "time",
        "julianday",
        "strftime",
        "lower",
        "hex",
        "random",
        "randomblob",
        "json",
    ];
    let known = |name: &str| FUNCTIONS.iter().any(|it| it.eq_ignore_ascii_case(name));
    match action {
        AuthAction::Select | AuthAction::Read { .. } => Authorization::Allow,
        AuthAction::Function { function_name } if known(function_name) => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// Plain tables and their plain columns: no views, nothing virtual, nothing that is computed.
fn schema(connection: &Connection) -> rusqlite::Result<Schema> {
    let mut tables = connection.prepare(
        "SELECT lower(name), name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0
         AND sql LIKE 'CREATE TABLE%' AND sql NOT LIKE '%WITHOUT ROWID%' LIMIT 1000",
    )?;
    let names: Vec<(String, String)> = tables
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut columns = connection
        .prepare("SELECT lower(name) FROM pragma_table_xinfo(?) WHERE hidden = 0 LIMIT 1000")?;
    let mut schema = Schema::default();
    for (table, name) in names {
        let found: HashSet<String> = columns
            .query_map([name], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        // A column of that name would stand for the row's number.
        if !found.contains("rowid") {
            schema.0.insert(table, found);
        }
    }
    Ok(schema)
}

/// An error of SQLite, in plain words.
pub(super) fn why(error: &rusqlite::Error) -> Fault {
    if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
        return Fault::Foreign("no SQLite database, or an encrypted one");
    }
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LOCKED,
        Some(ErrorCode::DatabaseCorrupt) => DAMAGED,
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => CLOSED,
        Some(ErrorCode::PermissionDenied) => "no permission to read it",
        Some(ErrorCode::OperationInterrupted) => "a database that takes minutes to search: stopped",
        Some(ErrorCode::TooBig) => "a row that is too long to be read",
        Some(ErrorCode::SystemIoFailure) => "cannot be read: the disk or the system refuses",
        _ => "a database that SQLite does not understand",
    };
    Fault::Unreadable(reason.to_owned())
}

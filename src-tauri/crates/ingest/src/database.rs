//! Databases of other programs, read like logs: row by row, and from where they were left.
//!
//! The programs are running, and what they keep is theirs. A database is opened for reading alone and
//! only while it is read; nothing is written into it, and no transaction outlives the reading of a few
//! rows. What SQLite needs beside a database that has a write-ahead log (`-wal`, `-shm`) it makes, as
//! for every reader. A connection that stayed open would be told of changes by `PRAGMA data_version`,
//! but a program that ends while somebody reads cannot put its log away; so the sizes and times of
//! database and log say when to look, and what is new the rows say themselves ([`marks`]).
//!
//! A database is data from a stranger: no view, trigger, function or virtual table of it is run
//! ([`open`]), a long value is left where it is, and a page that is damaged costs what lies on it.

mod asked;
mod marks;
mod open;
mod rows;
mod statement;
mod withdrawn;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memory::Scope;
use serde_json::{Map, Value};

use crate::format::{FileContext, Outcome, Place};

pub use asked::Asked;
pub(crate) use open::LOCKED;
pub use open::Schema;
pub(crate) use rows::Rows;

/// A kind of database: the tables that are read, and what becomes of their rows.
pub trait Database: Send + Sync {
    /// The tables that are read, in their order.
    fn tables(&self) -> &'static [Table];

    /// Whether a database is of this kind: all of the tables are there, unless said otherwise. Where it
    /// lies may tell more than tables that many programs have.
    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        self.tables().iter().all(|table| schema.has(table))
    }

    /// What makes memories of the rows.
    fn reader(&self, file: &FileContext) -> Box<dyn Reader>;
}

/// Makes memories of rows. What it knows must follow from the rows that it was given.
pub trait Reader: Send {
    /// What must be known before a row is taken, where it stands elsewhere in the database and is not
    /// known yet. It is asked again until it asks for nothing.
    fn asks(&mut self, _table: &str, _row: &Map<String, Value>) -> Option<Asked> {
        None
    }

    /// What was found of that, if there is anything.
    fn told(&mut self, _asked: &Asked, _found: Option<&Map<String, Value>>) {}

    /// Takes a row of a table, with its columns by their names; those of other tables are named as
    /// [`Beside`] says.
    fn row(&mut self, table: &str, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>);

    /// There are no more rows for now.
    fn finish(&mut self, _out: &mut Vec<Outcome>) {}

    /// Whose memories these are, for a row too long to be read.
    fn scope(&self) -> Scope;
}

/// A table that is read.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Columns without which it is another program's.
    pub needs: &'static [&'static str],
    /// Columns that are read where they are there.
    pub takes: &'static [&'static str],
    /// The column with the time of a row's last change, where rows are changed after they were
    /// written. Other tables only grow.
    pub changed: Option<&'static str>,
    /// What is looked up in other tables.
    pub beside: &'static [Beside],
    /// Those of its columns whose bytes are text packed with zstd.
    pub packed: &'static [&'static str],
    /// How its program takes rows back, where it does.
    pub withdrawn: Option<Withdrawn>,
    /// Which of its rows are read, where it holds many other things.
    pub keys: Option<Keys>,
    /// A row that changes gets a new number, higher than all others, and its old one is gone. What a
    /// reader knows does not come from rows before.
    pub replaced: bool,
    /// Columns whose bytes its format takes apart itself.
    pub unpacks: &'static [(&'static str, Unpack)],
    /// Columns that are the same in rows of which the last one says most of what the others say: of a
    /// database that is compared as a whole that one is read alone.
    pub versions: &'static [&'static str],
}

/// Takes bytes apart; nothing where they are something else.
pub type Unpack = fn(&[u8]) -> Option<Value>;

/// Rows that are told from others by how a column of theirs begins. Of the others nothing else is read.
#[derive(Clone, Copy)]
pub struct Keys {
    /// The column.
    pub column: &'static str,
    /// Its beginnings in rows that are read.
    pub begins: &'static [&'static str],
    /// Why the others are left out.
    pub others: &'static str,
}

/// How rows are taken back that were read before: they are marked, or gone while others of their
/// session are there. A session of which nothing is left was deleted or put away, and what was read of
/// it stays as it is.
#[derive(Clone, Copy)]
pub struct Withdrawn {
    /// The column that names the session.
    pub session: &'static str,
    /// The column that is 0 in a row that does not stand any more.
    pub stands: &'static str,
    /// The column that is not 0 where that is because it was summarised.
    pub unless: &'static str,
}

impl Table {
    /// A table that says nothing of itself, for what the others leave out.
    pub const PLAIN: Table = Table {
        name: "",
        needs: &[],
        takes: &[],
        changed: None,
        beside: &[],
        packed: &[],
        withdrawn: None,
        keys: None,
        replaced: false,
        unpacks: &[],
        versions: &[],
    };
}

/// What a row of another table says about a row.
pub struct Beside {
    /// The other table.
    pub table: &'static str,
    /// Its column that holds what the row's column holds.
    pub by: &'static str,
    /// That column of the row.
    pub of: &'static str,
    /// Its columns that are read, and under which names.
    pub takes: &'static [(&'static str, &'static str)],
}

/// Endings of databases.
const ENDINGS: [&str; 5] = ["db", "db3", "sqlite", "sqlite3", "vscdb"];
/// How every database begins that is not encrypted.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The end of a write-ahead log's name.
const LOG: &str = "-wal";

/// Whether a name is one that databases have.
pub(crate) fn is_database_name(path: &Path) -> bool {
    let ending = path
        .extension()
        .map(|it| it.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Whether a file is to be opened as a database: by its name, or by its first bytes when its name
/// says nothing. Closing a file takes the locks that SQLite holds on it for this process, so a
/// database is not opened to look at it where its name is enough.
pub(crate) fn is_database(path: &Path) -> bool {
    if is_database_name(path) {
        return true;
    }
    let mut begins = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begins))
        .is_ok_and(|_| begins == MAGIC)
}

/// Whether it is a vault of this program, which is nobody's log.
pub(crate) fn is_vault(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "vault.db")
        && path.with_file_name("vault.keys").exists()
}

/// A file beside a database.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// The log of what was written last, which is not in the database's own file yet.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    beside(path, LOG)
}

/// The database that a log belongs to.
pub(crate) fn database_of(log: &Path) -> Option<PathBuf> {
    let name = log.file_name()?.to_str()?.strip_suffix(LOG)?;
    let path = log.with_file_name(name);
    is_database_name(&path).then_some(path)
}

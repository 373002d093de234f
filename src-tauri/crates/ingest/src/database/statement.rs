//! Reads one row of a table, and what other tables say about it.

use std::borrow::Cow;
use std::fmt::Write as _;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde_json::{Map, Value};

use super::open::Schema;
use super::{Table, Unpack};
use crate::format::{Outcome, digest, reason};
use crate::tail::LINE_LIMIT;
use crate::unpack::unpack_zstd;

const BINARY: &str = "bytes that are no text left aside";
const PACKED: &str = "packed bytes that cannot be unpacked left aside";

/// The statements for one table. Names in them are this program's own; values are bound.
pub(super) struct Statement {
    length: String,
    row: String,
    /// The names of the row's own columns, then of those of other tables.
    own: Vec<&'static str>,
    beside: Vec<&'static str>,
    packed: &'static [&'static str],
    unpacks: &'static [(&'static str, Unpack)],
    /// Columns that may change without the row being another one.
    flags: Vec<&'static str>,
    changes: bool,
}

/// What is known of a row before it is read.
pub(super) struct Measured {
    /// How many bytes it has.
    pub bytes: u64,
    /// What tells it from others, in a table of many things.
    pub key: Option<String>,
}

impl Statement {
    /// For the columns that are there.
    pub(super) fn of(table: &'static Table, schema: &Schema) -> Self {
        let own: Vec<&'static str> = table
            .needs
            .iter()
            .chain(table.takes)
            .copied()
            .filter(|column| schema.column(table.name, column))
            .collect();
        let mut columns: Vec<String> = own.iter().map(|it| format!("t.\"{it}\"")).collect();
        let mut from = format!("\"{}\" AS t", table.name);
        let mut beside = Vec::new();
        for (at, other) in table.beside.iter().enumerate() {
            let there = |column: &str| schema.column(other.table, column);
            if !there(other.by) || !schema.column(table.name, other.of) {
                continue;
            }
            let _ = write!(
                from,
                " LEFT JOIN \"{}\" AS b{at} ON b{at}.\"{}\" = t.\"{}\"",
                other.table, other.by, other.of
            );
            for (column, name) in other.takes.iter().filter(|(column, _)| there(column)) {
                columns.push(format!("b{at}.\"{column}\""));
                beside.push(*name);
            }
        }
        let lengths: Vec<String> = columns
            .iter()
            .map(|column| format!("coalesce(octet_length({column}), 0)"))
            .collect();
        let of_one = format!("FROM {from} WHERE t.rowid = ?1 LIMIT 1");
        let key = table.keys.map(|keys| format!("t.\"{}\"", keys.column));
        let key = key.unwrap_or_else(|| "NULL".to_owned());
        Self {
            length: format!("SELECT {}, {key} {of_one}", lengths.join(" + ")),
            row: format!("SELECT {} {of_one}", columns.join(", ")),
            own,
            beside,
            packed: table.packed,
            unpacks: table.unpacks,
            flags: table
                .withdrawn
                .map_or_else(Vec::new, |it| vec![it.stands, it.unless]),
            changes: table.changed.is_some(),
        }
    }

    /// How many bytes a row has, and its key; nothing else is loaded for that.
    pub(super) fn measure(
        &self,
        connection: &Connection,
        number: i64,
    ) -> rusqlite::Result<Option<Measured>> {
        let mut statement = connection.prepare_cached(&self.length)?;
        let measured = statement.query_row([number], |row| {
            let bytes: i64 = row.get(0)?;
            let key = match row.get_ref(1)? {
                ValueRef::Text(key) | ValueRef::Blob(key) => {
                    Some(String::from_utf8_lossy(key).into_owned())
                }
                _ => None,
            };
            let bytes = bytes.max(0) as u64;
            Ok(Measured { bytes, key })
        });
        measured.optional()
    }

    /// How many bytes of a row came out of packed ones.
    pub(super) fn unpacked(&self, row: &Map<String, Value>) -> u64 {
        let texts = self
            .packed
            .iter()
            .filter_map(|name| row.get(*name)?.as_str());
        texts.map(|text| text.len() as u64).sum()
    }

    /// A row, and a digest of what its own columns say; of what its first one says where the others
    /// change.
    pub(super) fn row(
        &self,
        connection: &Connection,
        number: i64,
        out: &mut Vec<Outcome>,
    ) -> rusqlite::Result<Option<(Map<String, Value>, String)>> {
        let mut statement = connection.prepare_cached(&self.row)?;
        let mut rows = statement.query([number])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let mut found = Map::new();
        for (at, name) in self.own.iter().enumerate() {
            let unpack = self.unpacks.iter().find(|(column, _)| column == name);
            let value = match unpack {
                Some((_, unpack)) => apart(row, at, *unpack, out)?,
                None if self.packed.contains(name) => unpacked(row, at, out)?,
                None => value(row, at, out)?,
            };
            found.insert((*name).to_owned(), value);
        }
        let says = match self.own.first() {
            Some(name) if self.changes => found.get(*name).map(Value::to_string),
            _ if self.flags.is_empty() => serde_json::to_string(&found).ok(),
            _ => {
                let mut lasting = found.clone();
                lasting.retain(|name, _| !self.flags.contains(&name.as_str()));
                serde_json::to_string(&lasting).ok()
            }
        };
        let says = digest(&[&says.unwrap_or_default()]);
        for (at, name) in self.beside.iter().enumerate() {
            let value = value(row, self.own.len() + at, out)?;
            // What the row says itself counts.
            let own = found.entry(*name).or_insert(Value::Null);
            if own.is_null() {
                *own = value;
            }
        }
        Ok(Some((found, says)))
    }
}

/// The text in a packed value. What cannot be unpacked, and what would be longer than a row may be,
/// is left aside.
fn unpacked(row: &Row<'_>, at: usize, out: &mut Vec<Outcome>) -> rusqlite::Result<Value> {
    let ValueRef::Blob(bytes) = row.get_ref(at)? else {
        return value(row, at, out);
    };
    let text = unpack_zstd(bytes, LINE_LIMIT as u64)
        .ok()
        .and_then(|text| String::from_utf8(text).ok());
    if text.is_none() {
        out.push(Outcome::Note(PACKED));
    }
    Ok(text.map_or(Value::Null, Value::from))
}

/// What a format makes of bytes. What it does not understand is left aside.
pub(super) fn apart(
    row: &Row<'_>,
    at: usize,
    unpack: Unpack,
    out: &mut Vec<Outcome>,
) -> rusqlite::Result<Value> {
    let ValueRef::Blob(bytes) = row.get_ref(at)? else {
        return value(row, at, out);
    };
    let found = unpack(bytes);
    if found.is_none() {
        out.push(Outcome::Note(PACKED));
    }
    Ok(found.unwrap_or_default())
}

/// A value as JSON. Bytes are taken for text where they are text.
pub(super) fn value(row: &Row<'_>, at: usize, out: &mut Vec<Outcome>) -> rusqlite::Result<Value> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => {
                out.push(Outcome::Note(reason::NOT_UTF8));
                text.into()
            }
        },
        ValueRef::Blob(bytes) => std::str::from_utf8(bytes).map_or_else(
            |_| {
                out.push(Outcome::Note(BINARY));
                Value::Null
            },
            Value::from,
        ),
    })
}

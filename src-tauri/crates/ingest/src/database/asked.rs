//! Looks up a single row that a reader asks for, to understand another one.

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::{Map, Value};

use super::Unpack;
use super::open::Schema;
use super::statement::{apart, value};
use crate::tail::LINE_LIMIT;

/// A row that a reader asks for.
pub struct Asked {
    /// Its table.
    pub table: &'static str,
    /// What columns of it hold.
    pub by: Vec<(&'static str, String)>,
    /// Columns that are read where they are there.
    pub takes: &'static [&'static str],
    /// How bytes in them are taken apart, where they are no text.
    pub unpack: Option<Unpack>,
}

impl Asked {
    /// The row, with its columns by their names, and its number as `rowid`; none where it, its table or a
    /// column to find it by is missing, and where it is too long to be read.
    pub(super) fn find(
        &self,
        connection: &Connection,
        schema: &Schema,
    ) -> rusqlite::Result<Option<Map<String, Value>>> {
        let there = |column: &str| schema.column(self.table, column);
        let takes: Vec<&str> = self.takes.iter().copied().filter(|it| there(it)).collect();
        if takes.is_empty() || !self.by.iter().all(|(column, _)| there(column)) {
            return Ok(None);
        }
        let (mut columns, mut lengths, mut by) = (Vec::new(), Vec::new(), Vec::new());
        for column in &takes {
            columns.push(format!("\"{column}\""));
            lengths.push(format!("coalesce(octet_length(\"{column}\"), 0)"));
        }
        for (at, (column, _)) in self.by.iter().enumerate() {
            by.push(format!("\"{column}\" = ?{}", at + 1));
        }
        let of_one = format!("FROM \"{}\" WHERE {} LIMIT 1", self.table, by.join(" AND "));
        let values: Vec<&dyn ToSql> = self.by.iter().map(|(_, held)| held as _).collect();
        let length = format!("SELECT {} {of_one}", lengths.join(" + "));
        let length: Option<i64> = connection
            .prepare_cached(&length)?
            .query_row(values.as_slice(), |row| row.get(0))
            .optional()?;
        if length.is_none_or(|length| length > LINE_LIMIT as i64) {
            return Ok(None);
        }
        let row = format!("SELECT {}, rowid {of_one}", columns.join(", "));
        let mut row = connection.prepare_cached(&row)?;
        let mut rows = row.query(values.as_slice())?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let mut found = Map::new();
        found.insert(
            "rowid".to_owned(),
            value(row, takes.len(), &mut Vec::new())?,
        );
        for (at, column) in takes.iter().enumerate() {
            // What of it is no text is counted where the row itself is read.
            let mut unseen = Vec::new();
            let held = match self.unpack {
                Some(unpack) => apart(row, at, unpack, &mut unseen)?,
                None => value(row, at, &mut unseen)?,
            };
            found.insert((*column).to_owned(), held);
        }
        Ok(Some(found))
    }
}

//! A filter as a condition of SQL, applied before any cut.

use rusqlite::types::Value;

use crate::error::VaultError;
use crate::fold::fold;
use crate::memory::{Filter, Millis, Trust};

/// A condition and the values of its `?` in order.
pub(crate) struct Condition {
    pub sql: String,
    pub values: Vec<Value>,
}

impl Condition {
    /// Living memories that have not expired and pass the filter; `m` names the memories' table.
    pub fn living(filter: &Filter, now: Millis) -> Self {
        let now = if filter.shows_taken_back() {
            Millis::MIN
        } else {
            now
        };
        let mut condition = Self {
            sql: "m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?)".to_owned(),
            values: vec![Value::Integer(now)],
        };
        condition.narrow(filter);
        condition
    }

    /// The trash, as far as it passes the filter. Expired memories are in it too.
    pub fn trash(filter: &Filter) -> Self {
        let mut condition = Self {
            sql: "m.deleted_at IS NOT NULL".to_owned(),
            values: Vec::new(),
        };
        condition.narrow(filter);
        condition
    }

    /// Living memories whose time is over, as far as they pass the filter.
    pub fn expired(filter: &Filter, now: Millis) -> Self {
        let mut condition = Self {
            sql: "m.deleted_at IS NULL AND m.expires_at <= ?".to_owned(),
            values: vec![Value::Integer(now)],
        };
        condition.narrow(filter);
        condition
    }

    pub fn and(&mut self, sql: &str, value: impl Into<Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.push(value.into());
    }

    /// One statement for every number of values: the list travels as one JSON text.
    fn one_of<'a>(&mut self, column: &str, values: impl Iterator<Item = &'a str>) {
        let values: Vec<&str> = values.collect();
        match values.as_slice() {
            [] => {}
            [one] => self.and(&format!("m.{column} = ?"), (*one).to_owned()),
            many => self.and(
                &format!("m.{column} IN (SELECT value FROM json_each(?))"),
                serde_json::Value::from(many).to_string(),
            ),
        }
    }

    /// One time that it was said, the first or a later one, fits conversation, log and time alike.
    fn said(&mut self, filter: &Filter) {
        let mut first: Vec<&str> = Vec::new();
        let mut again: Vec<&str> = Vec::new();
        let mut values = Vec::new();
        let mut both = |at_first, later, value: Value| {
            first.push(at_first);
            again.push(later);
            values.push(value);
        };
        if let Some(session) = &filter.session {
            both("m.session = ?", "s.session = ?", session.clone().into());
        }
        if let Some(source) = &filter.source {
            both(
                "m.path_id IN (SELECT id FROM source_paths WHERE instr(folded, ?) > 0)",
                "s.path_id IN (SELECT id FROM source_paths WHERE instr(folded, ?) > 0)",
                fold(source).into(),
            );
        }
        if let Some(after) = filter.after {
            both("m.created_at >= ?", "s.at >= ?", after.into());
        }
        if let Some(before) = filter.before {
            both("m.created_at < ?", "s.at < ?", before.into());
        }
        if values.is_empty() {
            return;
        }
        let (first, again) = (first.join(" AND "), again.join(" AND "));
        self.sql += &[
            " AND (",
            &first,
            " OR m.id IN (SELECT s.memory_id FROM sightings s WHERE ",
            &again,
            "))",
        ]
        .concat();
        self.values.extend(values.iter().cloned());
        self.values.append(&mut values);
    }

    fn narrow(&mut self, filter: &Filter) {
        if let Some(org) = &filter.org {
            self.and("m.org = ?", org.clone());
        }
        self.one_of("agent", filter.agents.iter().map(String::as_str));
        self.one_of("role", filter.roles.iter().map(|role| role.as_str()));
        self.one_of("kind", filter.kinds.iter().map(|kind| kind.as_str()));
        self.said(filter);
        for tag in &filter.tags {
            self.and(
                "EXISTS (SELECT 1 FROM memory_tags t WHERE t.tag = ? AND t.memory_id = m.id)",
                tag.clone(),
            );
        }
        if filter.unflagged {
            self.and("m.trust <> ?", Trust::Flagged.as_str().to_owned());
        }
    }
}

/// Rows are counted in 32 bits throughout; a vault with more is out of this program's reach.
pub(crate) fn count(rows: i64) -> Result<u32, VaultError> {
    u32::try_from(rows).map_err(|_| VaultError::Damaged)
}

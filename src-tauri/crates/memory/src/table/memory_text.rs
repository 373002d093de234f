//! The folded copy of every living memory's text. The keyword indexes take their content from here
//! and are kept in step by the triggers of this table alone.
//!
//! New rows wait in a temporary table (in memory, one per connection) and move over in one statement.
//! A statement whose triggers write to a virtual table opens a savepoint, and FTS5 answers every
//! savepoint by flushing what it has gathered: row by row that costs four times as much. Whatever
//! reads the copies or the indexes calls [`flush`] first, and so does the commit.

use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use crate::error::VaultError;
use crate::filter::Condition;
use crate::fold::fold;
use crate::memory::{Filter, MemoryId, Millis};

pub(crate) const MIGRATION: &str = "
CREATE TABLE memory_text(
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    tool_payload TEXT NOT NULL
);
";

/// Schema 4: which rows went, came back or were exchanged. Rows that are new have the highest ids;
/// whatever keeps a copy of the texts in memory finds those by themselves.
pub(crate) const NOTE_CHANGES: &str = "
CREATE TABLE text_changes(seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL);
CREATE TRIGGER memory_text_came_back AFTER INSERT ON memory_text
    WHEN EXISTS (SELECT 1 FROM memory_text WHERE id > new.id)
BEGIN
    INSERT INTO text_changes(id) VALUES(new.id);
END;
CREATE TRIGGER memory_text_went AFTER DELETE ON memory_text BEGIN
    INSERT INTO text_changes(id) VALUES(old.id);
END;
";

/// How many changes are kept: who has missed more reads all texts again.
const CHANGES_KEPT: u32 = 10_000;

/// Drops changes that are too old to be of use.
pub(crate) fn forget_changes(connection: &Connection) -> Result<(), VaultError> {
    connection
        .prepare_cached(
            "DELETE FROM text_changes WHERE seq <= (SELECT max(seq) FROM text_changes) - ?",
        )?
        .execute([CHANGES_KEPT])?;
    Ok(())
}

/// A moment in the history of the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextMark {
    /// The last change noted.
    pub change: i64,
    /// The highest id.
    pub newest: i64,
}

/// Where new rows wait; every connection has its own.
pub(crate) const STAGING: &str = "
CREATE TEMP TABLE staged_text(
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    tool_payload TEXT NOT NULL
);
";

/// A memory's folded text.
pub(crate) struct Folded {
    pub content: String,
    pub tool_name: String,
    pub tool_payload: String,
}

impl Folded {
    pub fn of(content: &str, tool_name: Option<&str>, tool_payload: Option<&str>) -> Self {
        Self {
            content: fold(content),
            tool_name: tool_name.map(fold).unwrap_or_default(),
            tool_payload: tool_payload.map(fold).unwrap_or_default(),
        }
    }
}

pub(crate) fn put(
    connection: &Connection,
    id: MemoryId,
    folded: &Folded,
) -> Result<(), VaultError> {
    connection
        .prepare_cached("INSERT INTO temp.staged_text VALUES(?, ?, ?, ?)")?
        .execute((
            id.0,
            &folded.content,
            &folded.tool_name,
            &folded.tool_payload,
        ))?;
    Ok(())
}

/// Moves the waiting rows into the table, and through its triggers into the indexes.
pub(crate) fn flush(connection: &Connection) -> Result<(), VaultError> {
    let waiting: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM temp.staged_text)")?
        .query_row([], |row| row.get(0))?;
    if waiting {
        connection
            .prepare_cached("INSERT INTO memory_text SELECT * FROM temp.staged_text ORDER BY id")?
            .execute([])?;
        connection
            .prepare_cached("DELETE FROM temp.staged_text")?
            .execute([])?;
    }
    Ok(())
}

pub(crate) fn remove(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    flush(connection)?;
    connection
        .prepare_cached("DELETE FROM memory_text WHERE id = ?")?
        .execute([id.0])?;
    Ok(())
}

/// Brings the copies in step with the memories: those without a living memory go, those that are
/// missing or say something else are made anew.
pub(crate) fn rebuild(connection: &Connection) -> Result<(), VaultError> {
    flush(connection)?;
    connection.execute_batch(
        "DELETE FROM memory_text WHERE NOT EXISTS (SELECT 1 FROM memories m \
             WHERE m.id = memory_text.id AND m.deleted_at IS NULL \
             AND memory_text.content = fold(m.content)); \
         INSERT INTO memory_text SELECT id, fold(content), coalesce(fold(tool_name), ''), \
             coalesce(fold(tool_payload), '') FROM memories m WHERE deleted_at IS NULL \
             AND NOT EXISTS (SELECT 1 FROM memory_text t WHERE t.id = m.id) ORDER BY id;",
    )?;
    Ok(())
}

/// Reads folded texts.
pub struct Texts<'a>(&'a Connection);

impl<'a> Texts<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// Folded contents, for exact checks: in the order asked for, those without one left out.
    pub fn folded(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, String)>, VaultError> {
        flush(self.0)?;
        let mut statement = self
            .0
            .prepare_cached("SELECT content FROM memory_text WHERE id = ?")?;
        let mut found = Vec::with_capacity(ids.len());
        for &id in ids {
            let content: Option<String> =
                statement.query_row([id.0], |row| row.get(0)).optional()?;
            found.extend(content.map(|content| (id, content)));
        }
        Ok(found)
    }

    /// The moment that this read sees.
    pub fn mark(&self) -> Result<TextMark, VaultError> {
        flush(self.0)?;
        Ok(self
            .0
            .prepare_cached(
                "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'text_changes'), 0), \
                 coalesce((SELECT max(id) FROM memory_text), 0)",
            )?
            .query_row([], |row| {
                Ok(TextMark {
                    change: row.get(0)?,
                    newest: row.get(1)?,
                })
            })?)
    }

    /// The memories whose texts came, went or changed since a moment, ascending; `None` when there
    /// are more than `most`, or when some changes are forgotten already.
    pub fn changed_since(
        &self,
        since: TextMark,
        most: u32,
    ) -> Result<Option<Vec<MemoryId>>, VaultError> {
        flush(self.0)?;
        let now = self.mark()?;
        let kept: Option<i64> = self
            .0
            .prepare_cached("SELECT min(seq) FROM text_changes")?
            .query_row([], |row| row.get(0))?;
        if now.change > since.change && kept.is_none_or(|first| first > since.change + 1) {
            return Ok(None);
        }
        let mut statement = self.0.prepare_cached(
            "SELECT id FROM (SELECT id FROM memory_text WHERE id > ?1 \
             UNION SELECT id FROM text_changes WHERE seq > ?2) ORDER BY id LIMIT ?3",
        )?;
        let rows = statement
            .query_map((since.newest, since.change, i64::from(most) + 1), |row| {
                row.get(0).map(MemoryId)
            })?;
        let ids: Vec<MemoryId> = rows.collect::<Result<_, _>>()?;
        Ok((ids.len() <= most as usize).then_some(ids))
    }

    /// Calls `f` with every living memory and its folded content, tool name and tool payload, by
    /// ascending id.
    pub fn for_each(&self, mut f: impl FnMut(MemoryId, [&str; 3])) -> Result<(), VaultError> {
        flush(self.0)?;
        let mut statement = self.0.prepare_cached(
            "SELECT id, content, tool_name, tool_payload FROM memory_text ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let text = |column| -> Result<&str, VaultError> {
                row.get_ref(column)?
                    .as_str()
                    .map_err(|_| VaultError::Damaged)
            };
            f(MemoryId(row.get(0)?), [text(1)?, text(2)?, text(3)?]);
        }
        Ok(())
    }

    /// Folded content, tool name and tool payload: in the order asked for, those without left out.
    pub fn folded_columns(
        &self,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, [String; 3])>, VaultError> {
        flush(self.0)?;
        let mut statement = self.0.prepare_cached(
            "SELECT content, tool_name, tool_payload FROM memory_text WHERE id = ?",
        )?;
        let mut found = Vec::with_capacity(ids.len());
        for &id in ids {
            let columns = statement
                .query_row([id.0], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
                .optional()?;
            found.extend(columns.map(|columns| (id, columns)));
        }
        Ok(found)
    }

    /// Memories whose folded text (content, tool name or payload) contains every one of the
    /// needles, newest first. Needles must be folded; empty ones are ignored, and without any
    /// other nothing is found. Reads every text: for terms that no index can answer.
    pub fn containing(
        &self,
        needles: &[String],
        filter: &Filter,
        now: Millis,
        limit: u32,
    ) -> Result<Vec<MemoryId>, VaultError> {
        flush(self.0)?;
        let mut condition = Condition::living(filter, now);
        let mut any = false;
        for needle in needles.iter().filter(|needle| !needle.is_empty()) {
            any = true;
            // ?1-style numbers would clash with the filter's, so the needle is given three times.
            condition.sql.push_str(
                " AND (instr(x.content, ?) > 0 OR instr(x.tool_name, ?) > 0 \
                 OR instr(x.tool_payload, ?) > 0)",
            );
            for _ in 0..3 {
                condition.values.push(needle.clone().into());
            }
        }
        if !any {
            return Ok(Vec::new());
        }
        condition.values.push(i64::from(limit).into());
        let sql = format!(
            "SELECT m.id FROM memory_text x JOIN memories m ON m.id = x.id WHERE {} \
             ORDER BY m.created_at DESC, m.id DESC LIMIT ?",
            condition.sql
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(condition.values), |row| {
            row.get(0).map(MemoryId)
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

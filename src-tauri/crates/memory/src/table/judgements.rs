//! Golden queries, and how well each judged memory answers them.
//!
//! A query is golden as long as at least one memory is judged for it: the last judgement takes the
//! query with it. A purge forgets the judgements of its memories; those of memories in the trash
//! rest until they are restored.

use std::collections::BTreeMap;
use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};

pub(crate) const MIGRATION: &str = "
CREATE TABLE golden_queries(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    mode TEXT NOT NULL,
    filter TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE(text, mode, filter)
);
CREATE TABLE judgements(
    query_id INTEGER NOT NULL REFERENCES golden_queries(id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    grade INTEGER NOT NULL CHECK (grade BETWEEN 0 AND 3),
    judged_at INTEGER NOT NULL,
    PRIMARY KEY(query_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX judgements_by_memory ON judgements(memory_id);
CREATE TRIGGER last_judgement_gone AFTER DELETE ON judgements
WHEN NOT EXISTS (SELECT 1 FROM judgements WHERE query_id = OLD.query_id)
BEGIN
    DELETE FROM golden_queries WHERE id = OLD.query_id;
END;
";

/// The best grade.
pub const MAX_GRADE: u8 = 3;

/// A golden query's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoldenQueryId(pub i64);

/// What a golden query asks. The same question asked twice is one golden query.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The text as typed.
    pub text: String,
    /// The mode's name.
    pub mode: String,
    /// What may be seen, as JSON.
    pub filter: String,
}

/// Leaves the text out: what people ask is as private as what they remember.
impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// A golden query with its judgements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldenQuery {
    /// Its row.
    pub id: GoldenQueryId,
    /// What it asks.
    pub question: Question,
    /// When it was first judged.
    pub created_at: Millis,
    /// Grades 0–3 of living memories.
    pub grades: BTreeMap<MemoryId, u8>,
}

/// Reads judgements.
pub struct Judgements<'a>(&'a Connection);

impl<'a> Judgements<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// Every golden query, oldest first.
    pub fn golden(&self) -> Result<Vec<GoldenQuery>, VaultError> {
        let mut queries = self
            .0
            .prepare_cached(
                "SELECT id, text, mode, filter, created_at FROM golden_queries ORDER BY id",
            )?
            .query_map([], |row| {
                Ok(GoldenQuery {
                    id: GoldenQueryId(row.get(0)?),
                    question: Question {
                        text: row.get(1)?,
                        mode: row.get(2)?,
                        filter: row.get(3)?,
                    },
                    created_at: row.get(4)?,
                    grades: BTreeMap::new(),
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        let mut statement = self.0.prepare_cached(
            "SELECT query_id, memory_id, grade FROM judgements \
             JOIN memories ON memories.id = memory_id WHERE deleted_at IS NULL",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let query = GoldenQueryId(row.get(0)?);
            if let Ok(at) = queries.binary_search_by_key(&query, |golden| golden.id) {
                queries[at]
                    .grades
                    .insert(MemoryId(row.get(1)?), row.get(2)?);
            }
        }
        Ok(queries)
    }

    /// The golden query that asks this.
    pub fn find(&self, question: &Question) -> Result<Option<GoldenQueryId>, VaultError> {
        Ok(self
            .0
            .prepare_cached(
                "SELECT id FROM golden_queries WHERE text = ? AND mode = ? AND filter = ?",
            )?
            .query_row((&question.text, &question.mode, &question.filter), |row| {
                row.get(0).map(GoldenQueryId)
            })
            .optional()?)
    }

    /// Grades of living memories for one query; empty when it is not golden.
    pub fn grades(&self, query: GoldenQueryId) -> Result<BTreeMap<MemoryId, u8>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT memory_id, grade FROM judgements \
             JOIN memories ON memories.id = memory_id WHERE query_id = ? AND deleted_at IS NULL",
        )?;
        let rows =
            statement.query_map([query.0], |row| Ok((MemoryId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Writes judgements.
pub struct JudgementsMut<'a>(Judgements<'a>);

impl<'a> Deref for JudgementsMut<'a> {
    type Target = Judgements<'a>;

    fn deref(&self) -> &Judgements<'a> {
        &self.0
    }
}

impl<'a> JudgementsMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Judgements(connection))
    }

    /// Says how well a memory answers a question, 0 (not at all) to [`MAX_GRADE`]; the first
    /// judgement makes the question golden. An earlier grade is replaced.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a higher grade or a filter that is not JSON,
    /// [`VaultError::NotFound`] when there is no such memory.
    pub fn judge(
        &self,
        question: &Question,
        memory: MemoryId,
        grade: u8,
        now: Millis,
    ) -> Result<GoldenQueryId, VaultError> {
        if grade > MAX_GRADE {
            return Err(VaultError::Invalid { what: "grade" });
        }
        if serde_json::from_str::<serde::de::IgnoredAny>(&question.filter).is_err() {
            return Err(VaultError::Invalid { what: "filter" });
        }
        let connection = self.0.0;
        let there: Option<i64> = connection
            .prepare_cached("SELECT 1 FROM memories WHERE id = ?")?
            .query_row([memory.0], |row| row.get(0))
            .optional()?;
        if there.is_none() {
            return Err(VaultError::NotFound);
        }
        let query = if let Some(known) = self.find(question)? {
            known
        } else {
            connection
                .prepare_cached(
                    "INSERT INTO golden_queries(text, mode, filter, created_at) \
                         VALUES(?, ?, ?, ?)",
                )?
                .execute((&question.text, &question.mode, &question.filter, now))?;
            GoldenQueryId(connection.last_insert_rowid())
        };
        connection
            .prepare_cached("INSERT OR REPLACE INTO judgements VALUES(?, ?, ?, ?)")?
            .execute((query.0, memory.0, grade, now))?;
        Ok(query)
    }

    /// Takes a judgement back; false when there was none.
    pub fn withdraw(&self, query: GoldenQueryId, memory: MemoryId) -> Result<bool, VaultError> {
        let removed = self
            .0
            .0
            .prepare_cached("DELETE FROM judgements WHERE query_id = ? AND memory_id = ?")?
            .execute((query.0, memory.0))?;
        Ok(removed > 0)
    }

    /// Forgets a golden query and its judgements; false when it was not there.
    pub fn remove(&self, query: GoldenQueryId) -> Result<bool, VaultError> {
        let removed = self
            .0
            .0
            .prepare_cached("DELETE FROM golden_queries WHERE id = ?")?
            .execute([query.0])?;
        Ok(removed > 0)
    }
}

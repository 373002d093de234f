//! What rerankers said about pairs of a query and a memory, so that a query asked again after a
//! restart is not read again. A cache: the newest [`PAIR_SCORES_KEPT`] pairs, no text.
//!
//! A query is known by a digest of its text and of everything else that its scores depend on. A
//! memory's row goes with the memory; an edited memory has another version and is read anew.

use std::ops::Deref;

use rusqlite::Connection;

use crate::error::VaultError;
use crate::memory::MemoryId;

pub(crate) const MIGRATION: &str = "
CREATE TABLE pair_scores(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    query BLOB NOT NULL,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    score REAL NOT NULL,
    UNIQUE(query, memory_id)
);
CREATE INDEX pair_scores_by_memory ON pair_scores(memory_id);
";

/// How many pairs are kept: some thousand queries.
pub const PAIR_SCORES_KEPT: u32 = 50_000;

/// The name of a query for one reranker: the start of a SHA-256.
pub type PairQuery = [u8; 16];

/// One pair that a reranker has read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairScore {
    /// The query.
    pub query: PairQuery,
    /// The memory.
    pub memory: MemoryId,
    /// The version of its text.
    pub version: u32,
    /// What the reranker said, 0..1.
    pub score: f64,
}

/// Reads pairs.
pub struct PairScores<'a>(&'a Connection);

impl<'a> PairScores<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// Everything that was said under a query, as memory, version and score.
    pub fn of(&self, query: &PairQuery) -> Result<Vec<(MemoryId, u32, f64)>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT memory_id, version, score FROM pair_scores WHERE query = ?")?;
        let rows = statement.query_map([query.as_slice()], |row| {
            Ok((MemoryId(row.get(0)?), row.get(1)?, row.get(2)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Writes pairs.
pub struct PairScoresMut<'a>(PairScores<'a>);

impl<'a> Deref for PairScoresMut<'a> {
    type Target = PairScores<'a>;

    fn deref(&self) -> &PairScores<'a> {
        &self.0
    }
}

impl<'a> PairScoresMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(PairScores(connection))
    }

    /// Keeps pairs, in place of what was said about them before, and lets the oldest beyond `kept`
    /// go. Pairs of memories that are gone are left out, as are scores that are no numbers.
    pub fn put(&self, pairs: &[PairScore], kept: u32) -> Result<(), VaultError> {
        let connection = self.0.0;
        let mut insert = connection.prepare_cached(
            "INSERT OR REPLACE INTO pair_scores(query, memory_id, version, score) \
             SELECT ?1, id, ?3, ?4 FROM memories WHERE id = ?2",
        )?;
        for pair in pairs.iter().filter(|pair| pair.score.is_finite()) {
            insert.execute((
                pair.query.as_slice(),
                pair.memory.0,
                pair.version,
                pair.score,
            ))?;
        }
        // Numbers only grow, so this keeps at most as many rows as asked for.
        connection
            .prepare_cached(
                "DELETE FROM pair_scores \
                 WHERE number <= (SELECT max(number) FROM pair_scores) - ?",
            )?
            .execute([kept])?;
        Ok(())
    }
}

//! The research cache: what past research found, so that it need not be done again. At most
//! [`RESEARCH_KEPT`] entries; the oldest goes when another comes.

use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::VaultError;
use crate::memory::Millis;

pub(crate) const MIGRATION: &str = "
CREATE TABLE research(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    query TEXT NOT NULL,
    findings TEXT NOT NULL,
    sources TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    saved_at INTEGER NOT NULL
);
CREATE INDEX research_by_age ON research(saved_at, number);
";

/// How many entries are kept.
pub const RESEARCH_KEPT: u32 = 100;
/// Characters of findings that are kept.
pub const FINDINGS_CHARACTERS: usize = 10_000;
/// Sources that are kept.
pub const SOURCES_KEPT: usize = 10;

/// How far a source can be trusted, in the words of whoever did the research.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Credibility {
    /// A number, usually 0..1.
    Score(f64),
    /// A word, such as `high`.
    Word(String),
}

/// Where something was found.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchSource {
    /// The address.
    pub url: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// How far it can be trusted, when somebody said so.
    #[serde(default)]
    pub credibility: Option<Credibility>,
}

/// Leaves the address out: it tells what was researched.
impl std::fmt::Debug for ResearchSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResearchSource").finish_non_exhaustive()
    }
}

/// Research to be kept.
#[derive(Clone, PartialEq)]
pub struct NewResearch {
    /// What was asked.
    pub query: String,
    /// What was found; beyond [`FINDINGS_CHARACTERS`] it is cut.
    pub findings: String,
    /// Where; beyond [`SOURCES_KEPT`] they are dropped.
    pub sources: Vec<ResearchSource>,
    /// What the findings cost in tokens.
    pub tokens: u32,
}

/// Leaves the texts out.
impl std::fmt::Debug for NewResearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewResearch")
            .field("sources", &self.sources.len())
            .field("tokens", &self.tokens)
            .finish_non_exhaustive()
    }
}

/// An entry of the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct ResearchEntry {
    /// See [`research_key`].
    pub key: String,
    /// What was asked and found.
    pub research: NewResearch,
    /// When it was saved.
    pub saved_at: Millis,
}

/// The query as the key sees it: lower case, every run of blanks one blank, none at the ends.
pub fn normalised_query(query: &str) -> String {
    query
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Names an entry: the first 16 hexadecimal digits of the SHA-256 of the normalised query.
pub fn research_key(query: &str) -> String {
    let digest = Sha256::digest(normalised_query(query).as_bytes());
    hex::encode(&digest[..8])
}

/// Reads the research cache.
pub struct Research<'a>(&'a Connection);

impl<'a> Research<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// Every entry, newest first.
    pub fn all(&self) -> Result<Vec<ResearchEntry>, VaultError> {
        let rows = self
            .0
            .prepare_cached(
                "SELECT key, query, findings, sources, tokens, saved_at FROM research \
                 ORDER BY saved_at DESC, number DESC",
            )?
            .query_map([], parts)?
            .collect::<Result<Vec<_>, _>>()?;
        rows.into_iter().map(entry).collect()
    }

    /// Names and queries of every entry, newest first: all that finding needs.
    pub fn queries(&self) -> Result<Vec<(String, String)>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT key, query FROM research ORDER BY saved_at DESC, number DESC",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One entry.
    pub fn get(&self, key: &str) -> Result<Option<ResearchEntry>, VaultError> {
        self.0
            .prepare_cached(
                "SELECT key, query, findings, sources, tokens, saved_at FROM research WHERE key = ?",
            )?
            .query_row([key], parts)
            .optional()?
            .map(entry)
            .transpose()
    }
}

/// A row before its sources are read.
type Parts = (String, String, String, String, u32, Millis);

fn parts(row: &Row<'_>) -> rusqlite::Result<Parts> {
    Ok((
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
        row.get(5)?,
    ))
}

fn entry(
    (key, query, findings, sources, tokens, saved_at): Parts,
) -> Result<ResearchEntry, VaultError> {
    Ok(ResearchEntry {
        key,
        research: NewResearch {
            query,
            findings,
            sources: serde_json::from_str(&sources).map_err(|_| VaultError::Damaged)?,
            tokens,
        },
        saved_at,
    })
}

/// Writes the research cache.
pub struct ResearchMut<'a>(Research<'a>);

impl<'a> Deref for ResearchMut<'a> {
    type Target = Research<'a>;

    fn deref(&self) -> &Research<'a> {
        &self.0
    }
}

impl<'a> ResearchMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Research(connection))
    }

    /// Keeps research in place of what was kept for the same query, and lets the oldest entries
    /// beyond [`RESEARCH_KEPT`] go. Returns its key.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a blank query or blank findings.
    pub fn put(&self, new: &NewResearch, saved_at: Millis) -> Result<String, VaultError> {
        if new.query.trim().is_empty() {
            return Err(VaultError::Invalid { what: "query" });
        }
        if new.findings.trim().is_empty() {
            return Err(VaultError::Invalid { what: "findings" });
        }
        let connection = self.0.0;
        let key = research_key(&new.query);
        let findings = match new.findings.char_indices().nth(FINDINGS_CHARACTERS) {
            Some((end, _)) => &new.findings[..end],
            None => new.findings.as_str(),
        };
        let sources = &new.sources[..new.sources.len().min(SOURCES_KEPT)];
        let sources =
            serde_json::to_string(sources).map_err(|_| VaultError::Invalid { what: "source" })?;
        self.remove(&key)?;
        connection
            .prepare_cached(
                "INSERT INTO research(key, query, findings, sources, tokens, saved_at) \
                 VALUES(?, ?, ?, ?, ?, ?)",
            )?
            .execute((&key, &new.query, findings, sources, new.tokens, saved_at))?;
        connection
            .prepare_cached(
                "DELETE FROM research WHERE number NOT IN (SELECT number FROM research \
                 ORDER BY saved_at DESC, number DESC LIMIT ?)",
            )?
            .execute([RESEARCH_KEPT])?;
        Ok(key)
    }

    /// Forgets an entry; false when it was not there.
    pub fn remove(&self, key: &str) -> Result<bool, VaultError> {
        let removed = self
            .0
            .0
            .prepare_cached("DELETE FROM research WHERE key = ?")?
            .execute([key])?;
        Ok(removed > 0)
    }

    /// Forgets everything. Returns how many entries there were.
    pub fn clear(&self) -> Result<u32, VaultError> {
        let removed = self.0.0.execute("DELETE FROM research", [])?;
        Ok(removed as u32)
    }
}

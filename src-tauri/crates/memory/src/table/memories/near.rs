//! Memories that mean nearly the same: which one a memory is linked to as a near duplicate, which are still to
//! be compared, and pairs of which a person said that both are to be kept.
//!
//! A link goes to the memory that said it first, its root, which is itself linked to none. Both stay whole: an
//! answer shows one of them, and the link goes when either changes. Triggers see to that, and put
//! whatever has a new vector or has to be compared anew into the queue.

use std::collections::HashMap;

use rusqlite::Connection;

use super::MemoriesMut;
use super::read::Memories;
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};

// A purge takes the pairs of its memories with it; those of memories in the trash rest.
pub(crate) const MIGRATION: &str = "
CREATE TABLE kept_apart(
    one INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    said_at INTEGER NOT NULL,
    PRIMARY KEY(one, other),
    CHECK(one < other)
) WITHOUT ROWID;
CREATE INDEX kept_apart_by_other ON kept_apart(other);
CREATE TABLE near_links(
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    root_id INTEGER REFERENCES memories(id) ON DELETE CASCADE,
    similarity REAL
);
CREATE INDEX near_links_root ON near_links(root_id) WHERE root_id IS NOT NULL;
CREATE TABLE near_queue(
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE
);
INSERT INTO near_queue SELECT id FROM memories WHERE deleted_at IS NULL;
CREATE TRIGGER near_came AFTER INSERT ON chunks
BEGIN
    INSERT OR IGNORE INTO near_queue
        SELECT id FROM memories WHERE id = NEW.memory_id AND deleted_at IS NULL;
END;
CREATE TRIGGER near_changed AFTER UPDATE OF content, tool_payload, deleted_at, trust ON memories
WHEN OLD.content IS NOT NEW.content OR OLD.deleted_at IS NOT NEW.deleted_at
    OR OLD.tool_payload IS NOT NEW.tool_payload OR OLD.trust IS NOT NEW.trust
BEGIN
    INSERT OR IGNORE INTO near_queue SELECT memory_id FROM near_links WHERE root_id = NEW.id;
    DELETE FROM near_links WHERE memory_id = NEW.id OR root_id = NEW.id;
    DELETE FROM near_queue WHERE memory_id = NEW.id AND NEW.deleted_at IS NOT NULL;
    INSERT OR IGNORE INTO near_queue SELECT NEW.id WHERE NEW.deleted_at IS NULL;
END;
CREATE TRIGGER near_went BEFORE DELETE ON memories
BEGIN
    INSERT OR IGNORE INTO near_queue SELECT memory_id FROM near_links WHERE root_id = OLD.id;
END;
";

/// What a memory is linked to as a near duplicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearLink {
    /// The memory that said it first.
    pub root: MemoryId,
    /// The cosine of both.
    pub similarity: f64,
}

/// A memory as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The memory.
    pub id: MemoryId,
    /// Its version.
    pub version: u32,
}

/// How a memory stands to those that were stored before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// It is the first to say what it says.
    Root,
    /// A root says nearly the same, at this cosine.
    Linked(Seen, f64),
    /// It has no vector, or says nothing that another may stand for.
    Apart,
}

impl Memories<'_> {
    /// The pairs that are kept apart, the lower id first in each.
    pub fn kept_apart(&self) -> Result<Vec<(MemoryId, MemoryId)>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT one, other FROM kept_apart ORDER BY one, other")?;
        let rows =
            statement.query_map([], |row| Ok((MemoryId(row.get(0)?), MemoryId(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What these are linked to, those that are linked.
    pub fn near_links(&self, ids: &[MemoryId]) -> Result<HashMap<MemoryId, NearLink>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT root_id, similarity FROM near_links WHERE memory_id = ? AND root_id IS NOT NULL",
        )?;
        let mut links = HashMap::new();
        for &id in ids {
            let mut rows = statement.query([id.0])?;
            if let Some(row) = rows.next()? {
                let link = NearLink {
                    root: MemoryId(row.get(0)?),
                    similarity: row.get(1)?,
                };
                links.insert(id, link);
            }
        }
        Ok(links)
    }

    /// What is linked to a memory, by id.
    pub fn linked_to(&self, root: MemoryId) -> Result<Vec<(MemoryId, f64)>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT memory_id, similarity FROM near_links WHERE root_id = ? ORDER BY memory_id",
        )?;
        let rows = statement.query_map([root.0], |row| Ok((MemoryId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The memories that were compared and are linked to none, by id.
    pub fn near_roots(&self) -> Result<Vec<MemoryId>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT memory_id FROM near_links WHERE root_id IS NULL ORDER BY 1")?;
        let rows = statement.query_map([], |row| Ok(MemoryId(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The memories that are still to be compared, the oldest first.
    pub fn near_queue(&self, limit: u32) -> Result<Vec<MemoryId>, VaultError> {
        let mut statement = self
            .0
            .prepare_cached("SELECT memory_id FROM near_queue ORDER BY 1 LIMIT ?")?;
        let rows = statement.query_map([limit], |row| Ok(MemoryId(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl MemoriesMut<'_> {
    /// Notes what a memory is linked to after it was compared. One that cannot be compared leaves the
    /// queue and is nobody's root. Whatever was changed since it was read stays in the queue.
    pub fn set_near(&self, seen: Seen, standing: Standing) -> Result<(), VaultError> {
        let root = match standing {
            Standing::Linked(root, _) => Some(root),
            Standing::Root | Standing::Apart => None,
        };
        for one in [Some(seen), root].into_iter().flatten() {
            if !is_as_seen(self.0, one)? {
                return Ok(());
            }
        }
        self.0
            .prepare_cached("DELETE FROM near_queue WHERE memory_id = ?")?
            .execute([seen.id.0])?;
        let (root, similarity) = match standing {
            Standing::Apart => return Ok(()),
            Standing::Root => (None, None),
            Standing::Linked(root, similarity) => (Some(root.id.0), Some(similarity)),
        };
        self.0
            .prepare_cached("INSERT OR REPLACE INTO near_links VALUES(?, ?, ?)")?
            .execute((seen.id.0, root, similarity))?;
        Ok(())
    }

    /// Compares these and what is linked to them anew.
    pub fn near_again(&self, ids: &[MemoryId]) -> Result<(), VaultError> {
        for &id in ids {
            self.0
                .prepare_cached(
                    "INSERT OR IGNORE INTO near_queue \
                     SELECT memory_id FROM near_links WHERE root_id = ?1 OR memory_id = ?1",
                )?
                .execute([id.0])?;
            self.0
                .prepare_cached("DELETE FROM near_links WHERE root_id = ?1 OR memory_id = ?1")?
                .execute([id.0])?;
        }
        Ok(())
    }

    /// Compares all memories anew.
    pub fn near_anew(&self) -> Result<(), VaultError> {
        self.0.execute_batch(
            "DELETE FROM near_links; INSERT OR IGNORE INTO near_queue \
             SELECT id FROM memories WHERE deleted_at IS NULL;",
        )?;
        Ok(())
    }

    /// Keeps each of these memories beside each other one, however near they lie. Returns how many
    /// pairs were not kept apart before.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for fewer than two memories; [`VaultError::NotFound`] when one is not
    /// in the vault.
    pub fn keep_apart(&self, ids: &[MemoryId], now: Millis) -> Result<u32, VaultError> {
        let mut added = 0;
        for (one, other) in self.pairs(ids)? {
            added += self
                .0
                .prepare_cached("INSERT OR IGNORE INTO kept_apart VALUES(?, ?, ?)")?
                .execute((one.0, other.0, now))?;
        }
        self.near_again(ids)?;
        Ok(added as u32)
    }

    /// Takes [`MemoriesMut::keep_apart`] back. Returns how many pairs were kept apart.
    ///
    /// # Errors
    /// Those of [`MemoriesMut::keep_apart`].
    pub fn let_join(&self, ids: &[MemoryId]) -> Result<u32, VaultError> {
        let mut gone = 0;
        for (one, other) in self.pairs(ids)? {
            gone += self
                .0
                .prepare_cached("DELETE FROM kept_apart WHERE one = ? AND other = ?")?
                .execute((one.0, other.0))?;
        }
        self.near_again(ids)?;
        Ok(gone as u32)
    }

    /// All pairs of these, the lower id first in each.
    fn pairs(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, MemoryId)>, VaultError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() < 2 {
            return Err(VaultError::Invalid { what: "memories" });
        }
        for &id in &ids {
            if !is_there(self.0, id)? {
                return Err(VaultError::NotFound);
            }
        }
        let pairs = ids.iter().enumerate().flat_map(|(at, &one)| {
            let behind = ids[at + 1..].iter();
            behind.map(move |&other| (one, other))
        });
        Ok(pairs.collect())
    }
}

fn is_there(connection: &Connection, id: MemoryId) -> Result<bool, VaultError> {
    Ok(connection
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM memories WHERE id = ?)")?
        .query_row([id.0], |row| row.get(0))?)
}

fn is_as_seen(connection: &Connection, seen: Seen) -> Result<bool, VaultError> {
    Ok(connection
        .prepare_cached(
            "SELECT EXISTS(SELECT 1 FROM memories WHERE id = ? AND version = ? AND deleted_at IS NULL)",
        )?
        .query_row((seen.id.0, seen.version), |row| row.get(0))?)
}

//! What stays gone although its words turn up again, and what may come back when they do.
//!
//! A tombstone holds by what was said within the scope, so that no other file name, heading or key
//! brings back what a person deleted; nor what a person put other words to, while the memory with those
//! words lives. What went only because no source held it any more is no
//! tombstone: its words bring it back, with its tags and everything else.

use rusqlite::{Connection, OptionalExtension as _};

use super::Memories;
use super::record_key::{Half, fingerprint};
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId};
use crate::table::settings::Settings;

/// Schema 8. `memory_id` is 0 for what was purged.
pub(crate) const MIGRATION: &str = "
CREATE TABLE tombstones(
    fingerprint BLOB NOT NULL,
    memory_id INTEGER NOT NULL,
    PRIMARY KEY(fingerprint, memory_id)
) WITHOUT ROWID;
CREATE INDEX tombstones_memory ON tombstones(memory_id) WHERE memory_id > 0;
CREATE TABLE withdrawn(memory_id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL);
CREATE INDEX withdrawn_fingerprint ON withdrawn(fingerprint);
";

/// Setting that listed, before schema 8, what sources had withdrawn.
const WITHDRAWN_ONCE: &str = "ingest.gone";

/// Why words that nobody living says are known.
pub(super) enum Tomb {
    /// A person deleted them; `None` when for good.
    Deleted(Option<MemoryId>),
    /// A person put other words in their place; the memory that has these lives.
    Reworded(MemoryId),
    /// No source held them.
    Withdrawn(MemoryId),
}

pub(super) fn find(
    connection: &Connection,
    fingerprint: &Half,
) -> Result<Option<Tomb>, VaultError> {
    let stone: Option<(i64, bool)> = connection
        .prepare_cached(
            "SELECT t.memory_id, m.id IS NOT NULL FROM tombstones t \
             LEFT JOIN memories m ON m.id = t.memory_id AND m.deleted_at IS NULL \
             WHERE t.fingerprint = ? ORDER BY m.id IS NOT NULL DESC, t.memory_id DESC LIMIT 1",
        )?
        .query_row([fingerprint], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((id, lives)) = stone {
        return Ok(Some(if lives {
            Tomb::Reworded(MemoryId(id))
        } else {
            Tomb::Deleted((id > 0).then_some(MemoryId(id)))
        }));
    }
    let withdrawn: Option<i64> = connection
        .prepare_cached(
            "SELECT memory_id FROM withdrawn WHERE fingerprint = ? ORDER BY memory_id LIMIT 1",
        )?
        .query_row([fingerprint], |row| row.get(0))
        .optional()?;
    Ok(withdrawn.map(|id| Tomb::Withdrawn(MemoryId(id))))
}

fn prints(connection: &Connection, memory: &Memory) -> Result<Vec<Half>, VaultError> {
    let tool = (memory.tool_name.as_deref(), memory.tool_payload.as_deref());
    let print = |text: &str| fingerprint(&memory.scope, memory.role, memory.kind, text, tool);
    let mut all = vec![print(&memory.content)];
    let history = Memories::new(connection).history(memory.id)?;
    all.extend(history.iter().map(|version| print(&version.content)));
    Ok(all)
}

/// Notes that a person is about to give a memory another text.
pub(super) fn set_reworded(connection: &Connection, memory: &Memory) -> Result<(), VaultError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO tombstones SELECT fingerprint, id FROM memories WHERE id = ?",
        )?
        .execute([memory.id.0])?;
    Ok(())
}

/// Sets tombstones for everything a memory says and said. A memory that is about to be purged
/// leaves them without its name.
pub(super) fn set(connection: &Connection, id: MemoryId, purged: bool) -> Result<(), VaultError> {
    let Some(memory) = Memories::new(connection).get(id)? else {
        return Ok(());
    };
    let name = if purged { 0 } else { id.0 };
    for print in prints(connection, &memory)? {
        connection
            .prepare_cached("INSERT OR IGNORE INTO tombstones VALUES(?, ?)")?
            .execute((print, name))?;
    }
    Ok(())
}

/// Takes away what stands between a memory and its words.
pub(super) fn lift(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    for sql in [
        "DELETE FROM tombstones WHERE memory_id = ? AND memory_id > 0",
        "DELETE FROM withdrawn WHERE memory_id = ?",
    ] {
        connection.prepare_cached(sql)?.execute([id.0])?;
    }
    Ok(())
}

/// Notes that a memory is in the trash only because no source holds it.
pub(super) fn set_withdrawn(connection: &Connection, id: MemoryId) -> Result<(), VaultError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO withdrawn SELECT id, fingerprint FROM memories WHERE id = ?",
        )?
        .execute([id.0])?;
    Ok(())
}

pub(super) fn is_withdrawn(connection: &Connection, id: MemoryId) -> Result<bool, VaultError> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM withdrawn WHERE memory_id = ?)")?
        .query_row([id.0], |row| row.get(0))?)
}

/// Schema 8, over what is there: fingerprints are of the text and no longer of its folded copy, and
/// the trash is told from what was withdrawn.
pub(crate) fn renew(connection: &Connection) -> Result<(), VaultError> {
    let memories = Memories::new(connection);
    let ids: Vec<(i64, bool)> = {
        let mut statement =
            connection.prepare("SELECT id, deleted_at IS NOT NULL FROM memories ORDER BY id")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    let once: Vec<i64> = Settings::new(connection)
        .get(WITHDRAWN_ONCE)?
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    for (id, deleted) in ids {
        let id = MemoryId(id);
        let Some(memory) = memories.get(id)? else {
            continue;
        };
        let tool = (memory.tool_name.as_deref(), memory.tool_payload.as_deref());
        let print = fingerprint(
            &memory.scope,
            memory.role,
            memory.kind,
            &memory.content,
            tool,
        );
        connection
            .prepare_cached("UPDATE memories SET fingerprint = ? WHERE id = ?")?
            .execute((print, id.0))?;
        match (deleted, once.contains(&id.0)) {
            (true, true) => set_withdrawn(connection, id)?,
            (true, false) => set(connection, id, false)?,
            (false, _) => {}
        }
    }
    connection.execute("DELETE FROM settings WHERE key = ?", [WITHDRAWN_ONCE])?;
    Ok(())
}

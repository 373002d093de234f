//! Sessions: what one conversation holds, without its texts.

use rusqlite::Row;

use super::read::Memories;
use crate::error::VaultError;
use crate::filter::count;
use crate::memory::{Millis, Scope};

/// One conversation of an agent. Counts are of living memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Whose; the session is never absent.
    pub scope: Scope,
    /// The start of what the person said first; of whatever came first where nobody spoke.
    pub opening: String,
    /// Earliest creation.
    pub first: Option<Millis>,
    /// Latest creation.
    pub last: Option<Millis>,
    /// All memories.
    pub memories: u32,
    /// What the person said.
    pub said: u32,
    /// Calls of tools.
    pub calls: u32,
    /// Results that say that they failed.
    pub errors: u32,
    /// The log that holds the first of them.
    pub path: Option<String>,
}

/// Sessions listed at most.
const MOST: u32 = 2000;

// The opening is looked up by the index over sessions, one short walk each. A person's text is
// preferred; within it, and within the rest, the earliest.
const SQL: &str = "
SELECT g.org, g.agent, g.session, g.first, g.last, g.memories, g.said, g.calls,
    (SELECT count(*) FROM memories e WHERE e.session = g.session AND e.deleted_at IS NULL
        AND e.agent = g.agent AND e.org = g.org
        AND EXISTS (SELECT 1 FROM memory_tags t WHERE t.tag = 'error' AND t.memory_id = e.id)),
    (SELECT path FROM source_paths p WHERE p.id = g.path_id),
    (SELECT substr(o.content, 1, 400) FROM memories o WHERE o.session = g.session
        AND o.deleted_at IS NULL AND o.agent = g.agent AND o.org = g.org
        ORDER BY o.role <> 'user' OR o.kind <> 'text', o.created_at IS NULL, o.created_at, o.id LIMIT 1)
FROM (SELECT m.org, m.agent, m.session, min(m.created_at) AS first, max(m.created_at) AS last,
        count(*) AS memories, sum(m.role = 'user' AND m.kind = 'text') AS said,
        sum(m.kind = 'tool_call') AS calls, min(m.path_id) AS path_id
    FROM memories m WHERE m.deleted_at IS NULL AND m.session IS NOT NULL
    GROUP BY m.session, m.agent, m.org) g
ORDER BY g.last IS NULL, g.last DESC, g.session LIMIT ?";

impl Memories<'_> {
    /// The sessions, the one that was active last first; 2,000 at most.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, VaultError> {
        let mut statement = self.0.prepare_cached(SQL)?;
        let rows = statement.query_map([MOST], |row| Ok(session(row)))?;
        rows.map(|row| row?).collect()
    }
}

fn session(row: &Row<'_>) -> Result<SessionRow, VaultError> {
    Ok(SessionRow {
        scope: Scope {
            org: row.get(0)?,
            agent: row.get(1)?,
            session: row.get(2)?,
        },
        first: row.get(3)?,
        last: row.get(4)?,
        memories: count(row.get(5)?)?,
        said: count(row.get(6)?)?,
        calls: count(row.get(7)?)?,
        errors: count(row.get(8)?)?,
        path: row.get(9)?,
        opening: row.get(10)?,
    })
}

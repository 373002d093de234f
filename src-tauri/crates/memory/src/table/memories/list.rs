//! Browsing: pages and the values one can filter by.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::read::{COLUMNS, Memories, memory};
use crate::error::VaultError;
use crate::filter::Condition;
use crate::fold::fold;
use crate::memory::{Filter, Memory, MemoryId, Millis};
use crate::table::memory_text;

/// How a list is sorted. Ties are broken by id; memories of unknown age come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Latest first.
    #[default]
    Newest,
    /// Earliest first.
    Oldest,
    /// Last stored first.
    LastStored,
    /// Longest first.
    Longest,
    /// Most often seen first.
    MostSeen,
}

impl Sort {
    const fn order(self) -> &'static str {
        match self {
            Self::Newest => "m.created_at DESC, m.id DESC",
            Self::Oldest => "m.created_at ASC NULLS LAST, m.id",
            Self::LastStored => "m.id DESC",
            Self::Longest => "m.length DESC, m.id DESC",
            Self::MostSeen => "m.seen_count DESC, m.id DESC",
        }
    }
}

/// Which page of which list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// What may be seen.
    pub filter: Filter,
    /// Only memories whose text contains this, folded before it is compared.
    pub contains: Option<String>,
    /// Only these, where given.
    pub only: Option<Vec<MemoryId>>,
    /// The trash instead of the living.
    pub trash: bool,
    /// What has expired instead of the living; the trash goes before.
    pub expired: bool,
    /// Order.
    pub sort: Sort,
    /// How many to leave out.
    pub offset: u32,
    /// How many to return.
    pub limit: u32,
    /// Expired memories are left out as of this moment (not from the trash).
    pub now: Millis,
}

/// The values one can filter by, each with the number of living memories, most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Agents.
    pub agents: Vec<(String, u32)>,
    /// Roles.
    pub roles: Vec<(String, u32)>,
    /// Kinds.
    pub kinds: Vec<(String, u32)>,
    /// Paths of the logs.
    pub sources: Vec<(String, u32)>,
    /// Tags.
    pub tags: Vec<(String, u32)>,
    /// Earliest creation.
    pub earliest: Option<Millis>,
    /// Latest creation.
    pub latest: Option<Millis>,
}

impl Memories<'_> {
    /// How many there are in all, and the page.
    pub fn list(&self, query: &ListQuery) -> Result<(u32, Vec<Memory>), VaultError> {
        let mut condition = if query.trash {
            Condition::trash(&query.filter)
        } else if query.expired {
            Condition::expired(&query.filter, query.now)
        } else {
            Condition::living(&query.filter, query.now)
        };
        if let Some(only) = &query.only {
            let ids: Vec<i64> = only.iter().map(|id| id.0).collect();
            // One statement for every number of ids: the list travels as one JSON text.
            condition.and(
                "m.id IN (SELECT value FROM json_each(?))",
                serde_json::Value::from(ids).to_string(),
            );
        }
        let needle = query.contains.as_deref().map(fold).unwrap_or_default();
        if !needle.is_empty() {
            memory_text::flush(self.0)?;
            // The trash has no folded copies.
            let sql = if query.trash {
                "instr(fold(m.content), ?) > 0"
            } else {
                "instr((SELECT x.content FROM memory_text x WHERE x.id = m.id), ?) > 0"
            };
            condition.and(sql, needle);
        }
        let total = self.counted(Condition {
            sql: condition.sql.clone(),
            values: condition.values.clone(),
        })?;
        // Sorting ids alone keeps the texts of all other pages out of the sorter.
        let sql = format!(
            "SELECT {COLUMNS} FROM (SELECT m.id AS page_id FROM memories m WHERE {} ORDER BY {order} \
             LIMIT ? OFFSET ?) JOIN memories m ON m.id = page_id ORDER BY {order}",
            condition.sql,
            order = query.sort.order()
        );
        let mut values = condition.values;
        values.push(Value::Integer(i64::from(query.limit)));
        values.push(Value::Integer(i64::from(query.offset)));
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), memory)?;
        Ok((total, rows.collect::<Result<_, _>>()?))
    }

    /// The values one can filter by.
    pub fn facets(&self) -> Result<Facets, VaultError> {
        let (earliest, latest) = self.0.query_row(
            "SELECT (SELECT min(created_at) FROM memories WHERE deleted_at IS NULL), \
             (SELECT max(created_at) FROM memories WHERE deleted_at IS NULL)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(Facets {
            agents: self.facet(
                "SELECT agent, count(*) FROM memories WHERE deleted_at IS NULL GROUP BY 1",
            )?,
            roles: self
                .facet("SELECT role, count(*) FROM memories WHERE deleted_at IS NULL GROUP BY 1")?,
            kinds: self
                .facet("SELECT kind, count(*) FROM memories WHERE deleted_at IS NULL GROUP BY 1")?,
            sources: self.facet(
                "SELECT p.path, c FROM (SELECT path_id, count(*) AS c FROM memories \
                 WHERE deleted_at IS NULL AND path_id IS NOT NULL GROUP BY 1) \
                 JOIN source_paths p ON p.id = path_id",
            )?,
            tags: self.facet(
                "SELECT tag, count(*) FROM memory_tags WHERE memory_id NOT IN \
                 (SELECT id FROM memories WHERE deleted_at IS NOT NULL) GROUP BY 1",
            )?,
            earliest,
            latest,
        })
    }

    fn facet(&self, sql: &str) -> Result<Vec<(String, u32)>, VaultError> {
        let mut statement = self.0.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut values: Vec<(String, u32)> = rows.collect::<Result<_, _>>()?;
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(values)
    }
}

//! Memories: which are there already, and the rows of those that are not.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, params_from_iter};

use super::{Import, Prefer, number};
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId};
use crate::table::memories::{Edit, Expiry, Memories};
use crate::table::memory_text::{self, Folded};

/// What belongs to a memory alone, and is stored with it.
const COLUMNS: &str = "org, agent, session, role, kind, created_at, created_at_quality, \
    last_seen_at, seen_count, expires_at, deleted_at, pinned, trust, version, blank, length, \
    source_offset, source_line, fingerprint, tags, tool_name, content, tool_payload";

const SIGHTING: &str = "memory_id, at, session, file_id, path_id, line";

/// Where a memory of the archive stands here.
enum Standing {
    Here(i64),
    Gone,
    New,
}

impl Import<'_, '_> {
    /// How far each log was read, for logs that this vault has not met.
    pub(super) fn files(&mut self) -> Result<(), VaultError> {
        const FILE: &str = "path, identity, size, offset, line, head_hash, tail_hash, format, \
            mapping, records, stored, errors, last_seen_at, subagents, digest, open_key, \
            format_asked";
        self.each(
            &format!("SELECT id, {FILE} FROM files ORDER BY id"),
            |s, mut row| {
                let id = row.remove(0);
                let sql = "SELECT id FROM files WHERE path = ? AND identity = ?";
                let here = if let Some(here) = s.here(sql, &[&row[0], &row[1]])? {
                    here
                } else {
                    let free = s
                        .here("SELECT id FROM files WHERE id = ?", &[&id])?
                        .is_none();
                    let mut values = vec![if free { id.clone() } else { Value::Null }];
                    values.extend(row);
                    s.put("files", &format!("id, {FILE}"), values)?;
                    s.to.last_insert_rowid()
                };
                s.files.insert(number(&id)?, here);
                Ok(())
            },
        )
    }

    pub(super) fn memories(&mut self) -> Result<(), VaultError> {
        let ids: Vec<i64> = {
            let mut statement = self.from.prepare("SELECT id FROM memories ORDER BY id")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect::<Result<_, _>>()?
        };
        for id in ids {
            match self.standing(id)? {
                Standing::Here(here) => {
                    self.here.insert(id, here);
                    self.known(id, here)?;
                }
                Standing::Gone => self.report.forgotten += 1,
                Standing::New => self.add(id)?,
            }
        }
        self.sightings()?;
        self.kept_apart()?;
        self.names_and_tombstones()
    }

    /// Which near duplicates are both to be kept.
    fn kept_apart(&mut self) -> Result<(), VaultError> {
        self.each("SELECT one, other, said_at FROM kept_apart", |s, row| {
            let here = |id: &Value| Ok::<_, VaultError>(s.here.get(&number(id)?).copied());
            let (Some(one), Some(other)) = (here(&row[0])?, here(&row[1])?) else {
                return Ok(());
            };
            if one != other {
                s.to.prepare_cached("INSERT OR IGNORE INTO kept_apart VALUES(?, ?, ?)")?
                    .execute((one.min(other), one.max(other), &row[2]))?;
            }
            Ok(())
        })
    }

    /// When and where memories were said again. One that was here already was also said where its
    /// record in the archive says.
    fn sightings(&mut self) -> Result<(), VaultError> {
        const PLACE: &str = "(SELECT path FROM source_paths WHERE id = path_id)";
        self.each(
            &format!(
                "SELECT memory_id, at, session, file_id, {PLACE}, line, 0, (SELECT deleted_at \
                     FROM memories m WHERE m.id = memory_id) IS NOT NULL, id FROM sightings \
                 UNION ALL SELECT id, created_at, session, file_id, {PLACE}, source_line, 1, \
                     deleted_at IS NOT NULL, id FROM memories ORDER BY 7 DESC, 9"
            ),
            |s, mut row| {
                row.truncate(8);
                let deleted = row.pop() == Some(Value::Integer(1));
                let first = row.pop() == Some(Value::Integer(1));
                let Some(&here) = s.here.get(&number(&row[0])?) else {
                    return Ok(());
                };
                let added = s.added.contains(&here);
                if if added { first } else { deleted } {
                    return Ok(());
                }
                row[0] = here.into();
                row[3] = match row[3] {
                    Value::Integer(file) => s.files.get(&file).map_or(Value::Null, |&id| id.into()),
                    _ => Value::Null,
                };
                if let Value::Text(path) = &row[4] {
                    row[4] = s.writer.memories().path_id(path)?.into();
                }
                if !added {
                    s.said_here_too(here, &row)?;
                    return Ok(());
                }
                s.put("sightings", SIGHTING, row).map(drop)
            },
        )
    }

    fn said_here_too(&self, here: i64, row: &[Value]) -> Result<(), VaultError> {
        let known = "SELECT 1 FROM memories WHERE id = ?1 AND created_at IS ?2 AND session IS ?3 \
                AND ?4 IS ?4 AND path_id IS ?5 AND source_line IS ?6 \
            UNION ALL SELECT 1 FROM sightings WHERE memory_id = ?1 AND at IS ?2 \
                AND session IS ?3 AND path_id IS ?5 AND line IS ?6";
        let values: Vec<&Value> = row.iter().collect();
        if self.here(known, &values)?.is_some() {
            return Ok(());
        }
        self.put("sightings", SIGHTING, row.to_vec())?;
        self.to
            .prepare_cached(
                "UPDATE memories SET seen_count = seen_count + 1, \
                 last_seen_at = max(last_seen_at, coalesce(?, last_seen_at)) WHERE id = ?",
            )?
            .execute((&row[1], here))?;
        Ok(())
    }

    /// The same words of the same speaker, or the same record with the words that it had first.
    fn standing(&self, id: i64) -> Result<Standing, VaultError> {
        let fingerprint: Value = self
            .from
            .prepare_cached("SELECT fingerprint FROM memories WHERE id = ?")?
            .query_row([id], |row| row.get(0))?;
        for sql in [
            "SELECT id FROM memories WHERE id = ?2 AND fingerprint = ?1",
            "SELECT id FROM memories WHERE fingerprint = ?1 AND deleted_at IS NULL AND ?2 LIMIT 1",
        ] {
            match self.here(sql, &[&fingerprint, &Value::Integer(id)])? {
                Some(here) if !self.added.contains(&here) => return Ok(Standing::Here(here)),
                _ => {}
            }
        }
        let mut keys = self
            .from
            .prepare_cached("SELECT key, digest FROM source_keys WHERE memory_id = ?")?;
        let mut rows = keys.query([id])?;
        while let Some(row) = rows.next()? {
            let (key, digest): (Value, Value) = (row.get(0)?, row.get(1)?);
            let here: Option<Option<i64>> = self
                .to
                .prepare_cached("SELECT memory_id FROM source_keys WHERE key = ? AND digest IS ?")?
                .query_row((key, digest), |row| row.get(0))
                .optional()?;
            match here {
                Some(Some(here)) if !self.added.contains(&here) => return Ok(Standing::Here(here)),
                Some(None) => return Ok(Standing::Gone),
                _ => {}
            }
        }
        // Another record that said so was deleted here, to the trash or for good.
        let sql = "SELECT memory_id FROM tombstones WHERE fingerprint = ? LIMIT 1";
        Ok(if self.here(sql, &[&fingerprint])?.is_some() {
            Standing::Gone
        } else {
            Standing::New
        })
    }

    fn known(&mut self, id: i64, here: i64) -> Result<(), VaultError> {
        let theirs = Memories::new(self.from).get(MemoryId(id))?;
        let mine = Memories::new(self.to).get(MemoryId(here))?;
        let (Some(theirs), Some(mine)) = (theirs, mine) else {
            return Err(VaultError::Damaged);
        };
        self.report.known += 1;
        // Another record that says the same was deleted there: that says nothing of this one.
        let other_record = id != here && theirs.deleted_at.is_some();
        if other_record || !differ(&mine, &theirs) {
            return Ok(());
        }
        self.report.differing.push(mine.id);
        if self.prefer == Prefer::Archive {
            self.take_theirs(&mine, &theirs)?;
        }
        Ok(())
    }

    fn take_theirs(&self, mine: &Memory, theirs: &Memory) -> Result<(), VaultError> {
        let memories = self.writer.memories();
        if mine.deleted_at.is_some() {
            memories.restore(&[mine.id], self.now)?;
        }
        let edit = Edit {
            content: Some(theirs.content.clone()).filter(|text| !text.trim().is_empty()),
            tags: Some(theirs.tags.clone()),
            pinned: Some(theirs.pinned),
            trust: Some(theirs.trust),
            expires: Some(theirs.expires_at.map_or(Expiry::Never, Expiry::At)),
        };
        memories.edit(mine.id, &edit, None, self.now)?;
        if theirs.deleted_at.is_some() {
            memories.trash(&[mine.id], self.now)?;
        }
        Ok(())
    }

    fn add(&mut self, id: i64) -> Result<(), VaultError> {
        let sql = format!(
            "SELECT {COLUMNS}, file_id, (SELECT path FROM source_paths WHERE id = path_id) \
             FROM memories WHERE id = ?"
        );
        let mut row: Vec<Value> = {
            let mut statement = self.from.prepare_cached(&sql)?;
            let width = statement.column_count();
            statement.query_row([id], |row| {
                (0..width).map(|column| row.get(column)).collect()
            })?
        };
        let path = match row.pop() {
            Some(Value::Text(path)) => Value::Integer(self.writer.memories().path_id(&path)?),
            _ => Value::Null,
        };
        let file = match row.pop() {
            Some(Value::Integer(file)) => {
                self.files.get(&file).map_or(Value::Null, |&id| id.into())
            }
            _ => Value::Null,
        };
        // A number that was given once here is not given again.
        let last = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memories'), 0)";
        let last: i64 = self.to.query_row(last, [], |row| row.get(0))?;
        let given = if id > last {
            Value::Integer(id)
        } else {
            Value::Null
        };
        row.extend([file, path, given]);
        let places = vec!["?"; row.len()].join(", ");
        let sql = format!("INSERT INTO memories({COLUMNS}, file_id, path_id, id) VALUES({places})");
        self.to
            .prepare_cached(&sql)?
            .execute(params_from_iter(row))?;
        let here = self.to.last_insert_rowid();
        self.here.insert(id, here);
        self.added.insert(here);
        self.report.added += 1;
        let memory = Memories::new(self.to)
            .get(MemoryId(here))?
            .ok_or(VaultError::NotFound)?;
        if memory.deleted_at.is_none() {
            let tool = (memory.tool_name.as_deref(), memory.tool_payload.as_deref());
            let text = Folded::of(&memory.content, tool.0, tool.1);
            memory_text::put(self.to, memory.id, &text)?;
        }
        Ok(())
    }

    /// What hangs on memories: earlier versions, names of records, holders, and what stays gone.
    fn names_and_tombstones(&mut self) -> Result<(), VaultError> {
        let tables = [
            (
                "memory_versions",
                "memory_id, version, replaced_at, content",
            ),
            ("touched", "memory_id"),
            ("withdrawn", "memory_id, fingerprint"),
            ("source_keys", "memory_id, key, digest, start, length"),
            ("tombstones", "memory_id, fingerprint"),
            ("holders", "memory_id, file_id, source_offset, source_line"),
        ];
        for (table, columns) in tables {
            self.each(&format!("SELECT {columns} FROM {table}"), |s, mut row| {
                let owner = match row[0] {
                    Value::Integer(0) | Value::Null => Some(row[0].clone()),
                    Value::Integer(id) => match s.here.get(&id) {
                        // What hangs on a memory that was here is as it is here; names that it is
                        // known by there are learned.
                        Some(here) if s.added.contains(here) || table == "source_keys" => {
                            Some(Value::Integer(*here))
                        }
                        _ => None,
                    },
                    _ => return Err(VaultError::Damaged),
                };
                let Some(owner) = owner else { return Ok(()) };
                if table == "tombstones" && owner == Value::Integer(0) && s.lives(&row[1])? {
                    return Ok(());
                }
                if table == "holders" {
                    let Some(&file) = s.files.get(&number(&row[1])?) else {
                        return Ok(());
                    };
                    row[1] = Value::Integer(file);
                }
                row[0] = owner;
                s.put(table, columns, row)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Whether a memory says so that this import did not bring.
    fn lives(&self, fingerprint: &Value) -> Result<bool, VaultError> {
        let mut statement = self.to.prepare_cached(
            "SELECT id FROM memories WHERE fingerprint = ? AND deleted_at IS NULL",
        )?;
        let mut rows = statement.query([fingerprint])?;
        while let Some(row) = rows.next()? {
            if !self.added.contains(&row.get(0)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn differ(mine: &Memory, theirs: &Memory) -> bool {
    let of = |memory: &Memory| {
        (
            memory.content.clone(),
            memory.tags.clone(),
            memory.pinned,
            memory.trust,
            memory.expires_at,
            memory.deleted_at.is_some(),
        )
    };
    of(mine) != of(theirs)
}

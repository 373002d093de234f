//! The notes of what was done, and the last of them.

use rusqlite::{Connection, OptionalExtension as _};
use serde::{Deserialize, Serialize};

use crate::error::VaultError;
use crate::memory::{Memory, MemoryId, Millis};

pub(crate) const MIGRATION: &str = "
CREATE TABLE undo_log(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, action TEXT NOT NULL);
";

/// How many actions can be taken back.
pub const UNDO_KEPT: u32 = 200;

/// The part of a memory that can be edited.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fields {
    pub content: String,
    pub tags: Vec<String>,
    pub pinned: bool,
    pub trust: String,
    /// Absent in what was noted before it could be edited, when nothing expired.
    #[serde(default)]
    pub expires_at: Option<Millis>,
}

impl Fields {
    pub fn of(memory: &Memory) -> Self {
        Self {
            content: memory.content.clone(),
            tags: memory.tags.clone(),
            pinned: memory.pinned,
            trust: memory.trust.as_str().to_owned(),
            expires_at: memory.expires_at,
        }
    }
}

/// A memory whose fields were written, and what they had been.
#[derive(Serialize, Deserialize)]
pub(crate) struct Edited {
    pub id: MemoryId,
    /// The version that was edited.
    pub from: u32,
    /// The version the edit made; another one now means that something came in between.
    pub version: u32,
    pub before: Fields,
    /// What the edit made of it; absent in what was noted before logs made versions too.
    #[serde(default)]
    pub after: Option<Fields>,
}

impl Edited {
    /// The fields without this edit, when a source has changed the memory since: what the edit
    /// changed is put back, the rest stays as it is.
    pub(super) fn taken_back_from(&self, present: &Fields) -> Result<Fields, VaultError> {
        fn back<T: Clone + PartialEq>(before: &T, after: &T, present: &T) -> Result<T, VaultError> {
            if before == after {
                Ok(present.clone())
            } else if present == after {
                Ok(before.clone())
            } else {
                Err(VaultError::Conflict)
            }
        }
        let (before, after) = (&self.before, self.after.as_ref());
        let after = after.ok_or(VaultError::Conflict)?;
        Ok(Fields {
            content: back(&before.content, &after.content, &present.content)?,
            tags: back(&before.tags, &after.tags, &present.tags)?,
            pinned: back(&before.pinned, &after.pinned, &present.pinned)?,
            trust: back(&before.trust, &after.trust, &present.trust)?,
            expires_at: back(&before.expires_at, &after.expires_at, &present.expires_at)?,
        })
    }
}

/// When a memory was last seen, and how often.
pub(crate) type Seen = (Millis, u32);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Edit(Edited),
    Merge {
        kept: Edited,
        /// Of the kept one, before and after.
        seen: [Seen; 2],
        /// Moved into the trash by it.
        gone: Vec<MemoryId>,
    },
    Trash {
        ids: Vec<MemoryId>,
    },
    Restore {
        /// With the moment each had been deleted at.
        ids: Vec<(MemoryId, Millis)>,
    },
    /// Written by hand.
    Add {
        id: MemoryId,
    },
    /// Written by hand, and there already.
    Say {
        id: MemoryId,
        /// Before and after.
        seen: [Seen; 2],
        /// The note of it. Absent in what was noted before there were any.
        #[serde(default)]
        sighting: Option<i64>,
    },
}

impl Action {
    /// Plain words, without any memory's text.
    pub(super) fn describe(&self) -> String {
        let some = |ids: usize, one: MemoryId| match ids {
            1 => one.to_string(),
            many => format!("{many} memories"),
        };
        let nobody = MemoryId(0);
        match self {
            Self::Edit(edited) => format!("edit of {}", edited.id),
            Self::Merge { kept, gone, .. } => {
                format!("merge of {} memories into {}", gone.len() + 1, kept.id)
            }
            Self::Trash { ids } => format!(
                "deletion of {}",
                some(ids.len(), ids.first().copied().unwrap_or(nobody))
            ),
            Self::Restore { ids } => format!(
                "restoring of {}",
                some(ids.len(), ids.first().map_or(nobody, |(id, _)| *id))
            ),
            Self::Add { id } => format!("adding of {id}"),
            Self::Say { id, .. } => format!("adding of what {id} says"),
        }
    }

    /// Without the purged ones; `None` when nothing is left to undo.
    fn without(self, purged: &[MemoryId]) -> Option<Self> {
        match self {
            Self::Edit(edited) if purged.contains(&edited.id) => None,
            Self::Add { id } | Self::Say { id, .. } if purged.contains(&id) => None,
            Self::Edit(_) | Self::Add { .. } | Self::Say { .. } => Some(self),
            Self::Merge { kept, gone, .. } if purged.contains(&kept.id) => {
                Self::Trash { ids: gone }.without(purged)
            }
            Self::Merge {
                kept,
                seen,
                mut gone,
            } => {
                gone.retain(|id| !purged.contains(id));
                Some(Self::Merge { kept, seen, gone })
            }
            Self::Trash { mut ids } => {
                ids.retain(|id| !purged.contains(id));
                (!ids.is_empty()).then_some(Self::Trash { ids })
            }
            Self::Restore { mut ids } => {
                ids.retain(|(id, _)| !purged.contains(id));
                (!ids.is_empty()).then_some(Self::Restore { ids })
            }
        }
    }
}

impl Action {
    pub(super) fn edited(&mut self) -> Option<&mut Edited> {
        match self {
            Self::Edit(edited) | Self::Merge { kept: edited, .. } => Some(edited),
            Self::Trash { .. } | Self::Restore { .. } | Self::Add { .. } | Self::Say { .. } => None,
        }
    }
}

pub(super) fn parse(json: &str) -> Result<Action, VaultError> {
    serde_json::from_str(json).map_err(|_| VaultError::Damaged)
}

pub(super) fn write(action: &Action) -> Result<String, VaultError> {
    serde_json::to_string(action).map_err(|_| VaultError::Invalid { what: "action" })
}

pub(crate) fn record(
    connection: &Connection,
    action: &Action,
    now: Millis,
) -> Result<(), VaultError> {
    connection
        .prepare_cached("INSERT INTO undo_log(at, action) VALUES(?, ?)")?
        .execute((now, write(action)?))?;
    connection
        .prepare_cached("DELETE FROM undo_log WHERE id <= ?")?
        .execute([connection.last_insert_rowid() - i64::from(UNDO_KEPT)])?;
    Ok(())
}

/// Takes purged memories, and with them their old texts, out of the log.
pub(crate) fn forget(connection: &Connection, purged: &[MemoryId]) -> Result<(), VaultError> {
    let actions: Vec<(i64, String)> = {
        let mut statement = connection.prepare_cached("SELECT id, action FROM undo_log")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    for (row, json) in actions {
        match parse(&json)?.without(purged) {
            None => {
                connection.execute("DELETE FROM undo_log WHERE id = ?", [row])?;
            }
            Some(rest) => {
                let rest = write(&rest)?;
                if rest != json {
                    connection
                        .execute("UPDATE undo_log SET action = ? WHERE id = ?", (rest, row))?;
                }
            }
        }
    }
    Ok(())
}

/// Reads what can be undone.
pub struct Undo<'a>(pub(super) &'a Connection);

impl<'a> Undo<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    pub(super) fn last(&self) -> Result<Option<(i64, Action)>, VaultError> {
        let found: Option<(i64, String)> = self
            .0
            .prepare_cached("SELECT id, action FROM undo_log ORDER BY id DESC LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found
            .map(|(row, json)| Ok((row, parse(&json)?)))
            .transpose()
    }

    /// What [`UndoMut::undo`](super::UndoMut::undo) would take back, in plain words without memory text, for example
    /// `edit of m7` or `deletion of 3 memories`.
    pub fn next(&self) -> Result<Option<String>, VaultError> {
        Ok(self.last()?.map(|(_, action)| action.describe()))
    }
}

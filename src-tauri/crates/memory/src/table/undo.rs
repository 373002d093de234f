//! What a person did to memories, so that it can be taken back, the latest first.
//!
//! Undoing an edit writes the old fields as a new version: numbers only ever grow, so that nothing
//! that remembers "memory 7, version 3" can be fooled. Purges are not here; they are final.

use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _};
use serde::{Deserialize, Serialize};

use crate::error::VaultError;
use crate::memory::{Memory, MemoryId, Millis};
use crate::table::memories::{
    Memories, forget_sighting, move_to_living, move_to_trash, part, write_fields,
};

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
    fn taken_back_from(&self, present: &Fields) -> Result<Fields, VaultError> {
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
    fn describe(&self) -> String {
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
    fn edited(&mut self) -> Option<&mut Edited> {
        match self {
            Self::Edit(edited) | Self::Merge { kept: edited, .. } => Some(edited),
            Self::Trash { .. } | Self::Restore { .. } | Self::Add { .. } | Self::Say { .. } => None,
        }
    }
}

fn parse(json: &str) -> Result<Action, VaultError> {
    serde_json::from_str(json).map_err(|_| VaultError::Damaged)
}

fn write(action: &Action) -> Result<String, VaultError> {
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
pub struct Undo<'a>(&'a Connection);

impl<'a> Undo<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    fn last(&self) -> Result<Option<(i64, Action)>, VaultError> {
        let found: Option<(i64, String)> = self
            .0
            .prepare_cached("SELECT id, action FROM undo_log ORDER BY id DESC LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found
            .map(|(row, json)| Ok((row, parse(&json)?)))
            .transpose()
    }

    /// What [`UndoMut::undo`] would take back, in plain words without memory text, for example
    /// `edit of m7` or `deletion of 3 memories`.
    pub fn next(&self) -> Result<Option<String>, VaultError> {
        Ok(self.last()?.map(|(_, action)| action.describe()))
    }
}

/// Takes back what a person did.
pub struct UndoMut<'a>(Undo<'a>);

impl<'a> Deref for UndoMut<'a> {
    type Target = Undo<'a>;

    fn deref(&self) -> &Undo<'a> {
        &self.0
    }
}

impl<'a> UndoMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Undo(connection))
    }

    /// Takes back the latest action and returns what it was, in the words of [`Undo::next`];
    /// `None` when there is nothing left.
    ///
    /// # Errors
    /// [`VaultError::Conflict`] when the memory was changed in between by other means; nothing is
    /// overwritten then.
    pub fn undo(&self, now: Millis) -> Result<Option<String>, VaultError> {
        let connection = self.0.0;
        let Some((row, action)) = self.last()? else {
            return Ok(None);
        };
        match &action {
            Action::Edit(edited) => take_back_edit(connection, row, edited, now)?,
            Action::Merge { kept, seen, gone } => {
                take_back_edit(connection, row, kept, now)?;
                take_back_seen(connection, kept.id, *seen)?;
                for &id in gone {
                    move_to_living(connection, id)?;
                    part(connection, kept.id, id)?;
                }
            }
            Action::Trash { ids } => {
                for &id in ids {
                    move_to_living(connection, id)?;
                }
            }
            Action::Restore { ids } => {
                for &(id, deleted_at) in ids {
                    move_to_trash(connection, id, deleted_at)?;
                }
            }
            Action::Add { id } => {
                move_to_trash(connection, *id, now)?;
            }
            Action::Say { id, seen, sighting } => {
                take_back_seen(connection, *id, *seen)?;
                if let Some(note) = sighting {
                    forget_sighting(connection, *note)?;
                }
            }
        }
        connection.execute("DELETE FROM undo_log WHERE id = ?", [row])?;
        Ok(Some(action.describe()))
    }
}

pub(crate) fn set_seen(
    connection: &Connection,
    id: MemoryId,
    (last_seen_at, seen_count): Seen,
) -> Result<(), VaultError> {
    connection
        .prepare_cached("UPDATE memories SET last_seen_at = ?, seen_count = ? WHERE id = ?")?
        .execute((last_seen_at, seen_count, id.0))?;
    Ok(())
}

/// What was seen since then stays counted.
fn take_back_seen(
    connection: &Connection,
    id: MemoryId,
    [before, after]: [Seen; 2],
) -> Result<(), VaultError> {
    let present = Memories::new(connection)
        .get(id)?
        .ok_or(VaultError::NotFound)?;
    let latest = if present.last_seen_at == after.0 {
        before.0
    } else {
        present.last_seen_at
    };
    let count = present.seen_count.saturating_sub(after.1 - before.1);
    set_seen(connection, id, (latest, count))
}

/// Writes the fields as they had been. The edit before this one expects the version it made; what
/// stands there now is the same text under a new number.
fn take_back_edit(
    connection: &Connection,
    row: i64,
    edited: &Edited,
    now: Millis,
) -> Result<(), VaultError> {
    let present = Memories::new(connection)
        .get(edited.id)?
        .ok_or(VaultError::NotFound)?;
    let fields = if present.version == edited.version {
        edited.before.clone()
    } else {
        edited.taken_back_from(&Fields::of(&present))?
    };
    let now_called = write_fields(connection, &present, &fields, now)?;
    let earlier: Vec<(i64, String)> = {
        let mut statement = connection
            .prepare_cached("SELECT id, action FROM undo_log WHERE id < ? ORDER BY id DESC")?;
        let rows = statement.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    for (row, json) in earlier {
        let mut action = parse(&json)?;
        let Some(earlier) = action.edited().filter(|earlier| earlier.id == edited.id) else {
            continue;
        };
        if earlier.version == edited.from {
            earlier.version = now_called;
            connection.execute(
                "UPDATE undo_log SET action = ? WHERE id = ?",
                (write(&action)?, row),
            )?;
        }
        break;
    }
    Ok(())
}

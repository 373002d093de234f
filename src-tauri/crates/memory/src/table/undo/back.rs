//! Taking the last of them back.

use std::ops::Deref;

use rusqlite::Connection;

use super::note::{Action, Edited, Fields, Seen, Undo, parse, write};
use crate::error::VaultError;
use crate::memory::{MemoryId, Millis};
use crate::table::memories::{
    Memories, forget_sighting, move_to_living, move_to_trash, part, set_seen, write_fields,
};

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
        Self(Undo::new(connection))
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

//! A record that is read again with other words: more behind what it said, or something else.
//!
//! What a log does to a memory is no person's action: it makes a version, and nobody is asked to
//! undo it. What a person did is not undone by a log either: an edited, merged or deleted memory is
//! left as it is, and what is new becomes a memory of its own.

use super::MemoriesMut;
use super::change::write_fields;
use super::insert::Inserted;
use super::record_key::{self, Half, KeyRow, RecordKey, fingerprint_of, said};
use super::tombstones::{self, Tomb};
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId, Millis, NewMemory};
use crate::table::undo::Fields;

/// What became of a record that was given out before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grown {
    /// It says what it said.
    Same(MemoryId),
    /// Its memory has a new version.
    Changed(MemoryId),
    /// It was not known after all, or what is new stands beside what a person changed.
    Inserted(Inserted),
}

/// A record that says what it said.
fn as_grown(again: Inserted) -> Grown {
    match again {
        Inserted::Known(id) => Grown::Same(id),
        other => Grown::Inserted(other),
    }
}

impl MemoriesMut<'_> {
    /// What a record is called, in hex: lets [`Self::grow`] find it when its name changes with its
    /// first line. One that says something else than the first of its name has a name with its text.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn record_name(&self, new: &NewMemory) -> Result<String, VaultError> {
        let key = RecordKey::of(new);
        let first =
            record_key::find(self.0, &key.base)?.is_none_or(|row| row.said == Some(key.said));
        let name = if first {
            key.base
        } else {
            key.with_text(&key.said)
        };
        Ok(hex::encode(name))
    }

    /// Takes a record again of which the last words count: its memory gets them. `before` is what
    /// [`Self::record_name`] called it when only a half of it was there, which is then no version worth
    /// keeping.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for an empty source key.
    pub fn grow(
        &self,
        new: &NewMemory,
        before: Option<&str>,
        now: Millis,
    ) -> Result<Grown, VaultError> {
        let key = RecordKey::of(new);
        let earlier = before
            .and_then(|name| hex::decode(name).ok())
            .and_then(|name| Half::try_from(name).ok())
            .filter(|name| *name != key.base);
        if let Some(name) = earlier
            && let Some(half) = record_key::find(self.0, &name)?
        {
            match record_key::find(self.0, &key.base)? {
                None => {
                    record_key::put(self.0, &key.base, &half)?;
                    record_key::put(self.0, &name, &half.former())?;
                }
                Some(_) => return self.grow_beside(&key, &name, &half, new, now),
            }
        }
        let Some(row) = record_key::find(self.0, &key.base)? else {
            return self.insert(new, now).map(Grown::Inserted);
        };
        if row.said == Some(key.said) {
            return Ok(match row.memory {
                Some(id) => Grown::Same(id),
                None => Grown::Inserted(Inserted::Forgotten),
            });
        }
        // Stored as another record of this name.
        if let Some(own) = record_key::find(self.0, &key.with_text(&key.said))?
            && own.length.is_some()
        {
            return self.again(own.memory).map(as_grown);
        }
        match self.grow_from(&key, &row, new, now)? {
            Some(Inserted::Longer(id)) => return Ok(Grown::Changed(id)),
            Some(inserted) => return Ok(Grown::Inserted(inserted)),
            None => {}
        }
        let Some(memory) = self
            .memory_of(&row)?
            .filter(|memory| memory.deleted_at.is_none())
        else {
            return Ok(Grown::Inserted(Inserted::Forgotten));
        };
        // Without a session nothing but its first line says that it is the same entry.
        let same = new.scope.session.is_some() || before.is_some();
        let ours = same
            && row.said == Some(said(new, &memory.content))
            && !record_key::is_shared(self.0, memory.id, &key.base)?;
        if !ours {
            return self.insert(new, now).map(Grown::Inserted);
        }
        if let Some(other) = self.gives_way(&memory, &new.content, new, now)? {
            self.move_on(&key, &row, other.memory(), 0, new)?;
            return Ok(Grown::Inserted(other));
        }
        self.revise(&memory, &new.content, new, before.is_none(), now)?;
        self.move_on(&key, &row, Some(memory.id), 0, new)?;
        Ok(Grown::Changed(memory.id))
    }

    /// The half of a record became whole whose name another record has.
    fn grow_beside(
        &self,
        key: &RecordKey,
        name: &Half,
        half: &KeyRow,
        new: &NewMemory,
        now: Millis,
    ) -> Result<Grown, VaultError> {
        if half.said == Some(key.said) {
            return self.again(half.memory).map(as_grown);
        }
        let ours = self.memory_of(half)?.filter(|memory| {
            memory.deleted_at.is_none() && half.said == Some(said(new, &memory.content))
        });
        let Some(memory) = ours else {
            return self.insert(new, now).map(Grown::Inserted);
        };
        record_key::put(self.0, name, &half.clone().former())?;
        if let Some(other) = self.gives_way(&memory, &new.content, new, now)? {
            return Ok(Grown::Inserted(other));
        }
        self.revise(&memory, &new.content, new, false, now)?;
        let whole = KeyRow {
            memory: Some(memory.id),
            said: Some(key.said),
            start: 0,
            length: Some(new.content.len()),
        };
        record_key::put(self.0, &key.with_text(&key.said), &whole)?;
        Ok(Grown::Changed(memory.id))
    }

    /// What becomes of a memory that is about to say what another one says already, or what a person
    /// deleted: it goes, unless a person had a hand in it.
    fn gives_way(
        &self,
        memory: &Memory,
        text: &str,
        new: &NewMemory,
        now: Millis,
    ) -> Result<Option<Inserted>, VaultError> {
        let says = NewMemory {
            content: text.to_owned(),
            ..new.clone()
        };
        let print = fingerprint_of(&says);
        let other = match self.twin(&print, now)? {
            Some(id) => Some(id),
            None => match tombstones::find(self.0, &print)? {
                Some(Tomb::Reworded(id)) => Some(id),
                Some(Tomb::Deleted(_)) => None,
                Some(Tomb::Withdrawn(_)) | None => return Ok(None),
            },
        };
        let touched = memory.pinned || self.is_touched(memory.id)?;
        if other == Some(memory.id) || touched {
            return Ok(None);
        }
        self.withdraw(memory.id, now)?;
        Ok(Some(match other {
            Some(id) => self.seen_again(id, new, now)?,
            None => Inserted::Forgotten,
        }))
    }

    /// Lengthens the memory of a record whose text begins with what it said before; `None` when it
    /// does not.
    pub(super) fn grow_from(
        &self,
        key: &RecordKey,
        row: &KeyRow,
        new: &NewMemory,
        now: Millis,
    ) -> Result<Option<Inserted>, VaultError> {
        let Some(length) = row.length.filter(|length| {
            let begin = new.content.get(..*length);
            *length < new.content.len()
                && begin.is_some_and(|begin| row.said == Some(said(new, begin)))
        }) else {
            return Ok(None);
        };
        let memory = self.memory_of(row)?;
        let held = new.content.get(row.start..length);
        let (start, id) = match memory {
            Some(memory)
                if memory.deleted_at.is_none() && Some(memory.content.as_str()) == held =>
            {
                let text = new.content.get(row.start..).unwrap_or(&new.content);
                if !record_key::is_shared(self.0, memory.id, &key.base)? {
                    if let Some(other) = self.gives_way(&memory, text, new, now)? {
                        self.move_on(key, row, other.memory(), row.start, new)?;
                        return Ok(Some(other));
                    }
                    self.revise(&memory, text, new, false, now)?;
                    self.move_on(key, row, Some(memory.id), row.start, new)?;
                    return Ok(Some(Inserted::Longer(memory.id)));
                }
                (row.start, self.beside(key, row.start, new, now)?)
            }
            // Edited, merged, deleted: what a person made of it stands, and so does what is new.
            _ => {
                let rest = &new.content[length..];
                let start = length + (rest.len() - rest.trim_start_matches(['\n', '\r']).len());
                if new.content[start..].trim().is_empty() {
                    return Ok(Some(match row.memory {
                        Some(id) => Inserted::Known(id),
                        None => Inserted::Forgotten,
                    }));
                }
                (start, self.beside(key, start, new, now)?)
            }
        };
        if let Some(memory) = id.memory() {
            self.move_on(key, row, Some(memory), start, new)?;
        }
        Ok(Some(id))
    }

    /// Stores the text from `start` on as a memory of its own.
    fn beside(
        &self,
        key: &RecordKey,
        start: usize,
        new: &NewMemory,
        now: Millis,
    ) -> Result<Inserted, VaultError> {
        let rest = NewMemory {
            content: new.content[start..].to_owned(),
            ..new.clone()
        };
        let text = said(&rest, &rest.content);
        self.insert_as(&key.with_text(&text), &text, &rest, now)
    }

    /// From now on the record is what it says now; what it said before is known too.
    fn move_on(
        &self,
        key: &RecordKey,
        row: &KeyRow,
        memory: Option<MemoryId>,
        start: usize,
        new: &NewMemory,
    ) -> Result<(), VaultError> {
        if let Some(before) = &row.said {
            record_key::put(self.0, &key.with_text(before), &row.clone().former())?;
        }
        let now = KeyRow {
            memory,
            said: Some(key.said),
            start,
            length: Some(new.content.len()),
        };
        record_key::put(self.0, &key.base, &now)
    }

    /// An entry that a file held turned up at another place of it, under another heading: its
    /// memory stays, with tags and pin, and gets the text as it is now unless a person changed it.
    pub fn move_entry(
        &self,
        memory: &Memory,
        new: &NewMemory,
        edited: bool,
        now: Millis,
    ) -> Result<(), VaultError> {
        if !edited {
            self.revise(memory, &new.content, new, true, now)?;
        }
        let key = RecordKey::of(new);
        let row = KeyRow {
            memory: Some(memory.id),
            said: Some(key.said),
            start: 0,
            length: Some(new.content.len()),
        };
        record_key::put(self.0, &key.base, &row)
    }

    /// Gives a memory the text that its source has now. Tags, pin and approval are a person's and
    /// stay; new words are not approved with the old ones. Noted as a version if `keep`, never for
    /// undo.
    pub fn revise(
        &self,
        memory: &Memory,
        content: &str,
        new: &NewMemory,
        keep: bool,
        now: Millis,
    ) -> Result<(), VaultError> {
        let mut fields = Fields::of(memory);
        content.clone_into(&mut fields.content);
        if new.trust != memory.trust && memory.content != content {
            new.trust.as_str().clone_into(&mut fields.trust);
        }
        write_fields(self.0, memory, &fields, now)?;
        if !keep {
            self.0
                .prepare_cached("DELETE FROM memory_versions WHERE memory_id = ? AND version = ?")?
                .execute((memory.id.0, memory.version))?;
        }
        Ok(())
    }
}

//! The memories themselves.

mod add;
mod age;
mod change;
mod grow;
mod holders;
mod insert;
mod list;
mod merge;
mod near;
mod points;
mod read;
mod record_key;
mod remove;
mod sessions;
mod sightings;
mod taken_back;
mod tombstones;
mod turns;

pub use change::{Edit, Expiry};
pub use grow::Grown;
pub use holders::Spot;
pub use insert::{Inserted, Recognised};
pub use list::{Facets, ListQuery, Sort};
pub use merge::Member;
pub use near::{NearLink, Seen, Standing};
pub use points::MapPoint;
pub use read::{Memories, Version};
pub use record_key::fingerprint_of;
pub use sessions::SessionRow;
pub use sightings::Sighting;
pub use taken_back::Stretch;
pub use turns::{Turn, Turns};

pub(crate) use change::{set_seen, write_fields};
pub(crate) use holders::MIGRATION as HOLDERS;
pub(crate) use near::MIGRATION as NEAR;
pub(crate) use record_key::TELL_TEXTS_APART;
pub(crate) use remove::{move_to_living, move_to_trash};
pub(crate) use sightings::{MIGRATION as SIGHTINGS, forget as forget_sighting, part};
pub(crate) use tombstones::{MIGRATION as TOMBSTONES, renew};

use std::cell::Cell;
use std::ops::Deref;

use rusqlite::Connection;

// Long columns stand last, so that conditions on the others never walk overflow pages.
// Tags live in the row; the table beside it is an index that triggers derive.
// A source key outlives its memory: with a NULL memory it is the tombstone of a purged one.
pub(crate) const MIGRATION: &str = "
CREATE TABLE memories(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at INTEGER,
    created_at_quality TEXT NOT NULL,
    last_seen_at INTEGER NOT NULL,
    seen_count INTEGER NOT NULL,
    expires_at INTEGER,
    deleted_at INTEGER,
    pinned INTEGER NOT NULL,
    trust TEXT NOT NULL,
    version INTEGER NOT NULL,
    blank INTEGER NOT NULL,
    length INTEGER NOT NULL,
    file_id INTEGER,
    path_id INTEGER,
    source_offset INTEGER,
    source_line INTEGER,
    fingerprint BLOB NOT NULL,
    tags TEXT NOT NULL,
    tool_name TEXT,
    content TEXT NOT NULL,
    tool_payload TEXT
);
CREATE INDEX memories_created ON memories(created_at) WHERE deleted_at IS NULL;
CREATE INDEX memories_fingerprint ON memories(fingerprint) WHERE deleted_at IS NULL;
CREATE INDEX memories_facets ON memories(agent, role, kind, path_id, blank, expires_at)
    WHERE deleted_at IS NULL;
CREATE INDEX memories_session ON memories(session) WHERE deleted_at IS NULL AND session IS NOT NULL;
CREATE INDEX memories_expiry ON memories(expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_trash ON memories(deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE memory_tags(
    tag TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    PRIMARY KEY(tag, memory_id)
) WITHOUT ROWID;
CREATE TRIGGER memories_tagged AFTER INSERT ON memories WHEN new.tags <> '[]' BEGIN
    INSERT INTO memory_tags SELECT value, new.id FROM json_each(new.tags);
END;
CREATE TRIGGER memories_retagged AFTER UPDATE OF tags ON memories WHEN new.tags <> old.tags BEGIN
    DELETE FROM memory_tags
        WHERE memory_id = old.id AND tag IN (SELECT value FROM json_each(old.tags));
    INSERT INTO memory_tags SELECT value, new.id FROM json_each(new.tags);
END;
CREATE TRIGGER memories_untagged AFTER DELETE ON memories WHEN old.tags <> '[]' BEGIN
    DELETE FROM memory_tags
        WHERE memory_id = old.id AND tag IN (SELECT value FROM json_each(old.tags));
END;

CREATE TABLE source_paths(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    folded TEXT NOT NULL
);
CREATE TABLE source_keys(key BLOB PRIMARY KEY, memory_id INTEGER) WITHOUT ROWID;
CREATE INDEX source_keys_memory ON source_keys(memory_id);
CREATE TABLE memory_versions(
    memory_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    replaced_at INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY(memory_id, version)
);
";

/// Schema 4: blank memories are counted without looking at the others.
pub(crate) const COUNT_BLANK: &str = "
CREATE INDEX memories_blank ON memories(id) WHERE blank AND deleted_at IS NULL;
";

/// Writes memories.
pub struct MemoriesMut<'a> {
    reads: Memories<'a>,
    scrub: &'a Cell<bool>,
}

impl<'a> Deref for MemoriesMut<'a> {
    type Target = Memories<'a>;

    fn deref(&self) -> &Memories<'a> {
        &self.reads
    }
}

impl<'a> MemoriesMut<'a> {
    pub(crate) fn new(connection: &'a Connection, scrub: &'a Cell<bool>) -> Self {
        Self {
            reads: Memories::new(connection),
            scrub,
        }
    }
}

//! What a person did to memories, so that it can be taken back, the latest first.
//!
//! Undoing an edit writes the old fields as a new version: numbers only ever grow, so that nothing
//! that remembers "memory 7, version 3" can be fooled. Purges are not here; they are final.

mod back;
mod note;

pub use back::UndoMut;
pub use note::{UNDO_KEPT, Undo};

pub(crate) use note::{Action, Edited, Fields, MIGRATION, Seen, forget, record};

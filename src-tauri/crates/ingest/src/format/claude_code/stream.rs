//! Snapshots of a message that is still being written: each holds what the one before it said, and
//! more. They are one memory, with its last words.

use std::collections::HashMap;

use memory::Kind;

use crate::format::Outcome;

/// The last text of each message, by its id and the kind of the block, with its key.
#[derive(Debug, Default)]
pub(super) struct Stream(HashMap<(String, Kind), (String, String)>);

impl Stream {
    /// Takes what a block of a message gave.
    pub(super) fn take(&mut self, id: &str, outcome: &mut Outcome) {
        let Outcome::Memory(memory) = outcome else {
            return;
        };
        let place = (id.to_owned(), memory.kind);
        let (said, known) = self.0.entry(place).or_default();
        let has_grown = !known.is_empty()
            && memory.content.len() > said.len()
            && memory.content.starts_with(said.as_str());
        said.clone_from(&memory.content);
        if has_grown {
            memory.source_key.clone_from(known);
            *outcome = Outcome::Grown(memory.clone());
        } else {
            known.clone_from(&memory.source_key);
        }
    }
}

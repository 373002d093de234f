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
        if let Some((before, key)) = self.0.get(&place)
            && memory.content.len() > before.len()
            && memory.content.starts_with(before.as_str())
        {
            memory.source_key.clone_from(key);
            let last = (memory.content.clone(), key.clone());
            self.0.insert(place, last);
            *outcome = Outcome::Grown(memory.clone());
            return;
        }
        self.0
            .insert(place, (memory.content.clone(), memory.source_key.clone()));
    }
}

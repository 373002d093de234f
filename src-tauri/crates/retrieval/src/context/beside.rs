//! What stands beside the memories of a query in a block.

use zeroize::Zeroize as _;

use super::entry::Entry;
use super::fence::Fence;

/// Research or a chunk that stands beside the memories of a query, ready to be fenced.
pub struct Beside {
    pub(super) entry: Entry<'static>,
    pub(super) flagged: bool,
    /// Tokens of the entry in the context form.
    pub(crate) cost: u32,
}

impl Beside {
    /// `flagged` text waits for a person's approval.
    pub fn new(entry: Entry<'static>, flagged: bool, tokens: impl Fn(&str) -> u32) -> Self {
        let cost = tokens(&Fence::Context.entry(&entry));
        Self {
            entry,
            flagged,
            cost,
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.entry.content.to_mut().zeroize();
    }
}

//! What became of a memory written by hand.

use serde::{Deserialize, Serialize};

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum AddOutcome {
    /// It is new.
    Stored,
    /// The same agent knew the same already: it was said once more.
    Known,
}

/// A memory written by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct AddedView {
    /// `m42`.
    pub id: String,
    /// Whether it is new.
    pub outcome: AddOutcome,
    /// Whether secrets in it were masked.
    pub secrets_masked: bool,
    /// Whether it reads like a planted instruction and waits for approval.
    pub flagged: bool,
}

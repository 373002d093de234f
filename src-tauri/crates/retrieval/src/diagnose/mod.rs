//! The miss verdict: which gate lost a memory, by how much, and what would bring it back.
//!
//! Diagnosing changes nothing in the vault. It may let the reranker read pairs, since "would be
//! first if read" can be known in no other way.

mod beside;
mod drafts;
mod edits;
mod fixes;
mod gate;
mod intervals;
mod legs;
mod lists;
mod pairs;
pub(crate) mod roots;
mod steps;
mod verdict;

pub use beside::{BesideGate, BesideName, BesideVerdict};
pub use drafts::Draft;
pub use edits::{Change, Edit, Edits};
pub use fixes::Fix;
pub use gate::{Gate, GateName, GateVerdict};
pub use pairs::{PairFix, PairPart};
pub use verdict::Verdict;

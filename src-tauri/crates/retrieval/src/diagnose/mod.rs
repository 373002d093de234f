//! The miss verdict: which gate lost a memory, by how much, and what would bring it back.
//!
//! Diagnosing changes nothing in the vault. It may let the reranker read pairs, since "would be
//! first if read" can be known in no other way.

mod fixes;
mod roots;
mod verdict;

pub use fixes::{Fix, Tunable};
pub use verdict::{Gate, GateName, GateVerdict, Verdict};

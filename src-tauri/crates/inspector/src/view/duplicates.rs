//! Memories that mean nearly the same.

use retrieval::alike::Apart;
use serde::{Deserialize, Serialize};

use super::MemoryCard;

/// Memories that mean nearly the same, and what may contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DuplicatesView {
    /// The cosine from which on this vault links two memories as near duplicates.
    pub in_force: f64,
    /// The cosine that was asked about.
    pub at: f64,
    /// Memories that were compared with all older ones, the newest first.
    pub compared: u32,
    /// Memories that have a vector.
    pub of: u32,
    /// How many pairs each cosine takes for one, from the lowest cosine on.
    pub joined: Vec<JoinedView>,
    /// Memories of which one may stand for the others, the largest group first; 50 at most.
    pub groups: Vec<DuplicateGroupView>,
    /// How many groups there are.
    pub group_count: u32,
    /// Pairs that lie as near and differ in a number, a negation, an opposite or their order, the
    /// nearest first; 50 at most.
    pub contradictions: Vec<ContradictionView>,
    /// How many such pairs there are.
    pub contradiction_count: u32,
    /// Pairs of which a person said that both are to be kept.
    pub kept: u32,
}

/// How many pairs a cosine takes for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct JoinedView {
    /// The cosine.
    pub at: f64,
    /// The pairs.
    pub pairs: u32,
}

/// Memories of which one may stand for the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct DuplicateGroupView {
    /// The memories, the oldest first; 12 at most.
    pub cards: Vec<MemoryCard>,
    /// How many there are.
    pub count: u32,
    /// The lowest cosine that holds it together.
    pub similarity: f64,
}

/// Two memories that lie near each other and may contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ContradictionView {
    /// The one that was stored first.
    pub older: MemoryCard,
    /// The other.
    pub newer: MemoryCard,
    /// The cosine of both.
    pub similarity: f64,
    /// What they differ in.
    pub apart: Apart,
}

/// Whether pairs changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct PairsView {
    /// How many pairs are kept apart now that were not, or the other way round.
    pub pairs: u32,
}

/// A memory that another is linked to as a near duplicate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct NearView {
    /// That memory.
    pub id: String,
    /// The cosine of both.
    pub similarity: f64,
    /// Whether it was the first to say it.
    pub first: bool,
}

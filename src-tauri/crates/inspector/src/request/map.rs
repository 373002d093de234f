//! What may be asked of the map.

use serde::{Deserialize, Serialize};

/// What is to happen to the neighbour map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum NeighbourMapAction {
    /// Nothing: how far is it?
    Look,
    /// Lay out what is there, unless that is done or being done.
    Start,
    /// Call it off.
    Stop,
}

/// The memories laid out by their neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct NeighbourMapRequest {
    /// What is to happen first.
    pub action: NeighbourMapAction,
    /// The standing query, whose place is wanted too.
    pub recall: Option<String>,
}

//! The neighbour map of an open vault: none, being laid out, or there.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use models::ModelIdentity;
use retrieval::CancelFlag;
use retrieval::neighbour_map::NeighbourMap;

/// The work is told in so many parts.
pub(crate) const PARTS: f64 = 1000.0;

/// The neighbour map of a session.
#[derive(Default)]
pub(crate) enum Neighbours {
    /// None, and nobody is at work.
    #[default]
    None,
    /// Being laid out.
    Running {
        /// In [`PARTS`].
        done: Arc<AtomicU32>,
        /// Calls it off.
        cancel: CancelFlag,
    },
    /// Laid out from the vectors of this model.
    Ready(Arc<NeighbourMap>, ModelIdentity),
}

impl Neighbours {
    /// Calls the work off; a map that is there stays.
    pub(crate) fn stop(&mut self) {
        if let Self::Running { cancel, .. } = self {
            cancel.cancel();
            *self = Self::None;
        }
    }
}

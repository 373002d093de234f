//! What is asked, how it is called off, and what can go wrong with the whole of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memory::{Filter, Millis, VaultError};

use crate::constants::Constants;
use crate::trace::Mode;

/// A query.
#[derive(Clone, PartialEq)]
pub struct Query {
    /// The text, in the query language of [`crate::stage::route::language`].
    pub text: String,
    /// Which legs.
    pub mode: Mode,
    /// Which memories may be seen.
    pub filter: Filter,
    /// How many candidates each leg gathers, at most [`Constants::MAX_CANDIDATES`].
    pub depth: u32,
    /// The clock.
    pub now: Millis,
    /// Below this cosine the nearest memory does not answer a query whose meaning is asked first:
    /// [`Constants::document_cosine`].
    pub near_enough: f64,
}

impl Query {
    /// A query over everything, as deep as can be.
    pub fn new(text: impl Into<String>, mode: Mode, now: Millis) -> Self {
        Self {
            text: text.into(),
            mode,
            filter: Filter::default(),
            depth: Constants::MAX_CANDIDATES,
            now,
            near_enough: Constants::default().document_cosine,
        }
    }

    /// The depth in force.
    pub fn depth(&self) -> usize {
        self.depth.clamp(1, Constants::MAX_CANDIDATES) as usize
    }
}

/// Leaves the text out: what people ask is as private as what they remember.
impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query")
            .field("mode", &self.mode)
            .field("depth", &self.depth)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// Calls a query off. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag: the query ends with [`RetrievalError::Cancelled`] at its next step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn check(&self) -> Result<(), RetrievalError> {
        if self.is_cancelled() {
            Err(RetrievalError::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// Why a query gave no account at all. A leg that fails is no such reason: it stands in the trace.
#[derive(Debug, thiserror::Error)]
pub enum RetrievalError {
    /// The flag was raised.
    #[error("the query was called off")]
    Cancelled,
    /// The vault cannot be read at all, for example because it is locked.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

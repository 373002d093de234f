//! What the golden queries found, kept while the vault stays as it is.

use std::collections::HashMap;
use std::sync::Arc;

use memory::GoldenQueryId;
use retrieval::Gathered;

/// Candidates by golden query, and the state of the vault they belong to.
#[derive(Default)]
pub(crate) struct Candidates {
    pub(super) stamp: Option<(u64, Option<String>)>,
    pub(super) lists: HashMap<GoldenQueryId, Arc<Gathered>>,
}

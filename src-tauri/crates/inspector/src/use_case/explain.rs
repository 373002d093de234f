//! Why a score is what it is, and why a memory was missed.

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::WhyRequest;
use crate::view::{LedgerView, VerdictView};

impl Inspector {
    /// Why the keyword leg gave a memory its score.
    pub fn ledger(&self, _recall: &str, _id: &str) -> Result<LedgerView, EdgeError> {
        Err(EdgeError::internal("ledger"))
    }

    /// Why a memory is not among the results, and the smallest change that brings it in.
    pub fn why(&self, _request: &WhyRequest) -> Result<VerdictView, EdgeError> {
        Err(EdgeError::internal("why"))
    }
}

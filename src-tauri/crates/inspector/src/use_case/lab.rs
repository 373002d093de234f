//! Two sets of constants against each other on the golden queries.

use std::time::Instant;

use crate::error::EdgeError;
use crate::golden;
use crate::held_out::Split;
use crate::inspector::Inspector;
use crate::request::{ComparisonRequest, HoldOutRequest};
use crate::view::{ComparisonView, HeldOutView};
use crate::{convert, tuning};

impl Inspector {
    /// Two sets of constants on all golden queries, and whether the difference is more than luck.
    pub fn compare(&self, request: &ComparisonRequest) -> Result<ComparisonView, EdgeError> {
        tuning::check(&request.a)?;
        tuning::check(&request.b)?;
        // The window asks by itself when memories come in: that must not keep the vault open.
        let session = self.inner.session()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let golden = session.golden()?;
        let until = Instant::now() + golden::READING;
        let unread = session.read_unseen(&golden, &request.a, now, until)
            + session.read_unseen(&golden, &request.b, now, until);
        let mut measure = golden::measure(&golden, &request.a, &request.b, now);
        measure.unread = unread;
        let differences: Vec<f64> = measure
            .queries
            .iter()
            .map(|query| query.current.lower.ndcg_10 - query.baseline.lower.ndcg_10)
            .collect();
        Ok(ComparisonView {
            difference: golden::difference(&differences, golden::p_value(&differences)),
            measure,
        })
    }

    /// What a choice of constants is worth on the golden queries that took no part in choosing it;
    /// `None` while there are too few to hold any out.
    pub fn hold_out(&self, request: &HoldOutRequest) -> Result<Option<HeldOutView>, EdgeError> {
        tuning::check(&request.present)?;
        tuning::check(&request.chosen)?;
        let session = self.inner.session()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let golden = session.golden()?;
        let until = Instant::now() + golden::READING;
        session.read_unseen(&golden, &request.present, now, until);
        session.read_unseen(&golden, &request.chosen, now, until);
        let split = Split::of(&golden);
        Ok(split.report(
            &golden::scores(&golden, &request.present, now),
            &golden::scores(&golden, &request.chosen, now),
        ))
    }
}

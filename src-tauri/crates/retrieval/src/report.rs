//! How a stage that touched the vault or a model went.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// How a stage ended. Failed is never shown as empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As intended.
    Ok,
    /// Did not run, on purpose.
    Skipped,
    /// Ran with less than it should have.
    Degraded,
    /// Broke.
    Failed,
}

/// Status, reason, notes and time of a gathered stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Why it was skipped, degraded or failed.
    pub reason: Option<String>,
    /// What it decided, one sentence each.
    pub notes: Vec<String>,
    /// Milliseconds of wall time.
    pub elapsed_ms: f64,
}

impl Report {
    /// As intended.
    pub fn ok() -> Self {
        Self {
            status: Status::Ok,
            reason: None,
            notes: Vec::new(),
            elapsed_ms: 0.0,
        }
    }

    /// Did not run, on purpose.
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self {
            status: Status::Skipped,
            reason: Some(reason.into()),
            ..Self::ok()
        }
    }

    /// Ran with less than it should have.
    pub fn degraded(reason: impl Into<String>) -> Self {
        Self {
            status: Status::Degraded,
            reason: Some(reason.into()),
            ..Self::ok()
        }
    }

    /// Broke.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            status: Status::Failed,
            reason: Some(reason.into()),
            ..Self::ok()
        }
    }

    /// Lowers the status to degraded, unless it is worse already, and adds a reason.
    pub fn degrade(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if self.status == Status::Ok {
            self.status = Status::Degraded;
        }
        self.reason = Some(match self.reason.take() {
            Some(old) => format!("{old}; {reason}"),
            None => reason,
        });
    }

    /// Whether the stage has something to say.
    pub fn ran(&self) -> bool {
        matches!(self.status, Status::Ok | Status::Degraded)
    }
}

/// Milliseconds since then.
pub(crate) fn elapsed(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

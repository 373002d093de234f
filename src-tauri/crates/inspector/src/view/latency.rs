//! How long queries took.

use serde::{Deserialize, Serialize};

/// How long the queries that a person asked lately took, from their stored traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct LatencyView {
    /// How many queries; the vault keeps the last 500.
    pub queries: u32,
    /// The whole query: the stages one after the other, except that both legs run side by side and
    /// only the slower counts. Absent when there is no query.
    pub whole: Option<LatencyRow>,
    /// Every stage that ran, in the pipeline's order.
    pub stages: Vec<LatencyRow>,
    /// Milliseconds of the last fifty whole queries, oldest first.
    pub recent: Vec<f64>,
}

/// One stage's times, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct LatencyRow {
    /// The stage, or `whole`.
    pub name: String,
    /// In how many queries it ran.
    pub ran: u32,
    /// Half of them took at most this.
    pub p50: f64,
    /// 95 of a hundred took at most this.
    pub p95: f64,
    /// The slowest.
    pub slowest: f64,
}

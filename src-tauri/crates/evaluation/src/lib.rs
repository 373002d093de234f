//! Whether a ranking is good: retrieval sets, judgements, metrics, statistics, and tests of a vault.
//!
//! Absent on purpose: any opinion on constants; it measures what it is given.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        clippy::float_cmp,
        clippy::format_collect
    )
)]

mod corpus;
mod dataset;
pub mod halves;
pub mod headroom;
pub mod junit;
pub mod metrics;
pub mod plan;
mod random;
mod run;
pub mod statistics;
pub mod suite;
pub mod trec;

pub use corpus::{Corpus, CorpusError};
pub use dataset::{Dataset, DatasetError, Document, JudgedQuery};
pub use run::{Evaluation, Outcome, Variant};

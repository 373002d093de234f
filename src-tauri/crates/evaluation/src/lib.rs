//! Whether a ranking is good: retrieval sets, judgements, metrics.
//!
//! Absent on purpose: any opinion on constants; it measures what it is given.

mod corpus;
mod dataset;
pub mod metrics;
mod run;

pub use corpus::{Corpus, CorpusError};
pub use dataset::{Dataset, DatasetError, Document, JudgedQuery};
pub use run::{Evaluation, Outcome, StageRecall};

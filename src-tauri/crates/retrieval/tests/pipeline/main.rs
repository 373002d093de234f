//! The pipeline over small vaults: known failures as cases, degradation, the account it gives.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod account;
mod cases;
mod degradation;
mod meant;
mod near;
mod pairs;
mod postings;
mod shelf;
mod sparse;
mod speed;
mod vectors;
mod verdict;

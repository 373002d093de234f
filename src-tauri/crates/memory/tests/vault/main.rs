//! The vault as the rest of the program sees it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::redundant_closure_for_method_calls,
    clippy::single_range_in_vec_init
)]

mod backup;
mod canary;
mod concurrency;
mod creating;
mod documents;
mod doors;
mod embeddings;
mod frozen;
mod health;
mod import;
mod judgements;
mod keychain;
mod keyword;
mod memories;
mod merging;
mod near;
mod pair_scores;
mod proof;
mod purge;
mod records;
mod rekey;
mod research;
mod sightings;
mod slots;
mod speed;
mod support;
mod undo;

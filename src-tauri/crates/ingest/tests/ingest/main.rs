//! Files in, memories out: the formats' samples, and what happens to files in the wild.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

mod agents;
mod archives;
mod backfill;
mod cursor_store;
mod databases;
mod formats;
mod graph_states;
mod histories;
mod holding;
mod hostile_databases;
mod key_lines;
mod long;
mod more_formats;
mod recognition;
mod rewritten;
mod samples;
mod secrets;
mod siblings;
mod splits;
mod tailing;
mod times;
mod watching;

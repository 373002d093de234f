//! What the program must do as a whole, seen from outside: through the use-cases and through the
//! command line, on invented data, in folders of its own.
//!
//! Tests that need the local model say so when it is missing and pass;
//! `LETHESCOPE_REQUIRE_MODEL=1` makes them fail instead.

// A test reports by panicking, a skipped test must be visible, and a log is built once: the plainest
// way to write its lines is the best.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::float_cmp,
    clippy::format_collect
)]

mod about;
mod at_work;
#[cfg(unix)]
mod book;
mod canary;
mod clock;
mod constants;
mod context;
mod crash;
mod demo;
mod documents;
mod doors;
mod duplicates;
mod gates;
mod guide;
mod history;
#[cfg(unix)]
mod hook;
mod hostile_input;
mod judging;
#[cfg(target_os = "linux")]
mod keychain;
mod layers;
mod map;
mod mcp;
mod modules;
mod projects;
mod quality;
mod reranker;
mod research;
mod scenarios;
mod scripting;
mod scrub;
mod secrets;
mod self_checks;
mod spine;
mod support;
mod sweeping;
mod tidy;
mod tokens;
mod usage;
mod vault_doors;

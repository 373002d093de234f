//! Tests through the crate's public door: the real local model, a tiny cross-encoder, a mock server.
//!
//! The model is looked for in `LETHESCOPE_MODEL_DIR`, else in `.local/model` of the workspace. Without
//! it the tests that need it say "skipped: no model"; with `LETHESCOPE_REQUIRE_MODEL=1` they fail.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs
)]

mod cross_encoder;
mod http;
mod late_interaction;
mod local;
mod measurements;
mod recorded;

use std::path::PathBuf;

use models::{LocalEmbedder, LocalOptions, ModelFiles};

/// The model folder; `None` after saying that the test is skipped.
fn model_files() -> Option<ModelFiles> {
    let folder = std::env::var_os("LETHESCOPE_MODEL_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../.local/model"),
        PathBuf::from,
    );
    match ModelFiles::locate(&[folder]) {
        Ok(files) => Some(files),
        Err(error) => {
            let required = std::env::var_os("LETHESCOPE_REQUIRE_MODEL").is_some_and(|v| v == "1");
            assert!(!required, "the model is required but: {error}");
            eprintln!("skipped: no model ({error})");
            None
        }
    }
}

fn embedder(graph: Option<&str>) -> Option<LocalEmbedder> {
    let options = LocalOptions {
        graph: graph.map(str::to_owned),
        passage_cores: 2,
        ..LocalOptions::default()
    };
    Some(LocalEmbedder::load_with(&model_files()?, &options).unwrap())
}

/// Invented notes of about the length of an agent's memories.
fn notes(count: usize) -> Vec<String> {
    const SUBJECTS: [&str; 8] = [
        "the payment gateway",
        "the nightly backup of the orders table",
        "the login page on mobile Safari",
        "the retry queue for outgoing mail",
        "the search index of the tea catalogue",
        "the deployment script",
        "the invoice export",
        "the rate limiter in front of the API",
    ];
    const EVENTS: [&str; 7] = [
        "timed out after three attempts because the connection pool was exhausted",
        "was moved to a separate worker so that slow requests no longer block it",
        "must never be restarted during business hours, the client asked twice",
        "now logs the request id, which made the duplicate entries easy to find",
        "failed with a null reference when the customer had no default address",
        "was measured again and takes forty milliseconds less than last week",
        "needs a review by Marta before the change goes to production",
    ];
    (0..count)
        .map(|i| {
            format!(
                "Note {i}: {} {}.",
                SUBJECTS[i % SUBJECTS.len()],
                EVENTS[i / SUBJECTS.len() % EVENTS.len()]
            )
        })
        .collect()
}

//! Use-cases: what the window, the CLI and an agent can ask for.
//!
//! [`Inspector`] holds at most one open vault and has one method per use-case, which takes a
//! `…Request` and gives a `…View` or an [`error::EdgeError`].
//!
//! Absent on purpose: Tauri, JSON strings, terminal output.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod account;
mod asked_in;
mod at_work;
mod channel;
mod convert;
mod cursor;
mod demo;
mod derived;
mod document_file;
mod dumps;
mod editor;
mod embedding;
pub mod error;
mod frequent;
mod golden;
mod held_out;
mod inspector;
mod kept;
mod keychain;
mod lanes;
mod left_out;
mod mask;
mod model;
mod near;
mod neighbours;
mod notices;
mod paths;
mod presets;
mod private_file;
mod redact;
pub mod report;
mod reports;
pub mod request;
mod rerankers;
mod research_file;
mod session;
mod settings;
mod strength;
mod time;
pub mod tuning;
mod usages;
mod use_case;
pub mod view;
mod wiping;
mod workers;

pub use channel::ChannelName;
pub use convert::reason;
pub use dumps::forbid_dumps;
pub use evaluation::headroom::Fix;
pub use evaluation::suite::{CaseOutcome, SuiteOutcome};
pub use evaluation::{Outcome, junit};
pub use ingest::path_text;
pub use ingest::planted::reads_like_an_instruction;
pub use inspector::Inspector;
pub use memory::passphrase_line;
pub use notices::Listener;
pub use paths::Paths;
pub use reports::forbid_reports;
pub use retrieval::alike;
pub use retrieval::constants;
pub use retrieval::stage;
pub use retrieval::trace;
pub use time::Clock;
pub use use_case::{
    AboutView, BackupView, ExportForm, ExportView, FileOnDiskView, FindingView, HealthView,
    ImportView, KeySlotView, KeychainState, KeychainView, KnnIndexView, ProofView, RekeyedView,
    RemovedView, RepairView, StorageView, scrub,
};

//! Takes an agent's logs in: recognises the format, reads every byte once, masks secrets, leaves
//! out what the agent was merely reminded of, and hands memories to the vault.
//!
//! One way in for everything: a file is opened ([`tail`]), cut into lines, turned into outcomes by
//! its [`format`], screened ([`redact`], [`recalled`], [`planted`]) and stored in the same
//! transaction as the offset it was read up to. [`backfill`] does this once, [`Watcher`] keeps
//! doing it. Whatever a parser knows at an offset follows from the bytes before that offset alone,
//! which is why a restart can rebuild it and why it makes no difference how a file grew.
//!
//! Deliberately absent: embedding (it runs behind, on what is already stored), and any clock:
//! `now` is passed in.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod archive;
mod backfill;
mod database;
pub mod discover;
mod escapes;
mod fault;
pub mod format;
mod identity;
mod intake;
mod journal;
pub mod planted;
mod reading;
pub mod recalled;
pub mod redact;
mod report;
mod screen;
mod snapshot;
pub mod tail;
mod taken;
mod tally;
mod time;
pub mod unpack;
mod walk;
mod watch;

pub use backfill::{backfill, dry_run};
pub use discover::{Found, Survey, discover, survey};
pub use identity::{path_of, path_text};
pub use report::{IngestError, Options, Progress, Project, ReadError, Report};
pub use screen::screened;
pub use time::moment;
pub use watch::{Change, Clock, WatchState, Watched, Watcher};

/// The names that [`Options::format`] accepts, besides `auto`.
pub fn format_names() -> Vec<&'static str> {
    format::all().iter().map(|format| format.name()).collect()
}

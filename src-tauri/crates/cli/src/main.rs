//! The `lethescope` program: the use-cases of [`inspector`] for terminals, scripts and CI.
//!
//! Absent on purpose: any knowledge of vaults, queries or logs.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this program is for"
)]

mod arguments;
mod failure;
mod lanes;
mod output;
mod reranker;
mod run;
mod traces;
mod vault;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::Arguments;

fn main() -> ExitCode {
    inspector::forbid_dumps();
    let filter = tracing_subscriber::EnvFilter::try_from_env("LETHESCOPE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            let asked = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            return ExitCode::from(if asked { 0 } else { 2 });
        }
    };
    let json = arguments.json;
    let scrubs = matches!(arguments.command, arguments::Command::Scrub);
    match run::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A suite has reported its one object already.
            if json && !matches!(failure, failure::Failure::Suite) {
                let object = serde_json::json!({
                    "error": { "code": failure.code(), "message": failure.sentence() }
                });
                if scrubs {
                    // What went to stdout so far is text.
                    eprintln!("{object}");
                } else {
                    println!("{object}");
                }
            }
            eprintln!("lethescope: {}", failure.sentence());
            ExitCode::from(failure.exit_code())
        }
    }
}

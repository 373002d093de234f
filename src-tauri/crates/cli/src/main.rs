//! The `lethescope` program: the use-cases of [`inspector`] for terminals, scripts and CI.
//!
//! Absent on purpose: any knowledge of vaults, queries or logs.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this program is for"
)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod about;
mod arguments;
mod asking;
mod failure;
mod given;
mod hook;
mod lanes;
mod mcp;
mod memories;
mod opening;
#[macro_use]
mod output;
mod reranker;
mod run;
mod traces;
mod vault;

use std::io::{ErrorKind as Fault, IsTerminal as _};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::Arguments;
use output::print;

fn main() -> ExitCode {
    inspector::forbid_dumps();
    inspector::forbid_reports();
    let filter = tracing_subscriber::EnvFilter::try_from_env(about::LOG)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(about::LOG_STANDARD));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .try_init();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return unparsed(&error),
    };
    let json = arguments.json;
    let scrubs = matches!(arguments.command, arguments::Command::Scrub);
    let done = run::run(arguments);
    if let Err(failure) = &done {
        if json && !failure.was_reported() {
            let object = error_object(&failure.code(), &failure.sentence());
            if scrubs {
                // What went to stdout so far is text.
                print::complain_json(&object);
            } else {
                print::json(&object);
            }
        }
        print::complain(&failure.sentence());
        return ExitCode::from(failure.exit_code());
    }
    match print::fault() {
        // Whoever read has seen enough.
        None | Some(Fault::BrokenPipe) => ExitCode::SUCCESS,
        Some(fault) => {
            print::complain(&format!("The answer could not be written: {fault}."));
            ExitCode::FAILURE
        }
    }
}

/// Help that was asked for, or what is wrong with the command line.
fn unparsed(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        print::line(text.trim_end());
        return ExitCode::SUCCESS;
    }
    // The arguments were not understood as a whole, so whether JSON was asked for is looked up.
    let json = std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--json");
    if json {
        let sentence = text.split("\n\n").next().unwrap_or_default();
        let sentence = sentence.trim_start_matches("error: ").trim();
        print::json(&error_object("bad_usage", sentence));
    }
    print::complain(text.trim_start_matches("error: ").trim_end());
    ExitCode::from(2)
}

fn error_object(code: &str, message: &str) -> serde_json::Value {
    serde_json::json!({ "error": { "code": code, "message": message } })
}

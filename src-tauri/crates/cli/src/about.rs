//! What the program says of itself: versions and places, licences, a shell's completions, the manual.
//! Completions and manual are written from the description that clap reads, so that they are never
//! about another version.

use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;
use inspector::Inspector;
use inspector::error::{EdgeError, ErrorCode};
use serde_json::json;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::output::{Output, print};

/// The variable that filters this program's own log, and what counts without it.
pub const LOG: &str = "LETHESCOPE_LOG";
/// See [`LOG`].
pub const LOG_STANDARD: &str = "error";

/// Versions and places, or the licences of what is shipped.
pub fn about(inspector: &Inspector, out: &Output, licences: bool) -> Result<(), Failure> {
    if licences {
        out.text("licences", &inspector.third_party_notices()?);
        return Ok(());
    }
    let log = std::env::var(LOG).unwrap_or_else(|_| LOG_STANDARD.into());
    let about = inspector.about(&log)?;
    if out.is_json() {
        print::json(&about);
    } else {
        print::line(about.diagnostics.trim_end());
    }
    Ok(())
}

/// What a shell must know to complete commands, options and their values.
pub fn completions(out: &Output, shell: Shell) {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut script);
    if out.is_json() {
        let script = String::from_utf8_lossy(&script);
        print::json(&json!({ "shell": shell.to_string(), "script": script }));
    } else {
        print::raw(&script);
    }
}

/// One page for the program and one for each command.
pub fn manual(out: &Output, folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::Work(EdgeError::new(
            ErrorCode::Unreadable,
            &[
                ("path", &folder.display().to_string()),
                ("reason", &inspector::reason(error.kind())),
            ],
        ))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(failed)?;
    out.text("folder", &folder.display().to_string());
    Ok(())
}

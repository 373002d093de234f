//! Errors in words for the terminal, and the exit code that goes with them.

use inspector::error::{EdgeError, ErrorCode};

use crate::output::print::inline;

/// Why the program stops.
pub enum Failure {
    /// The command line does not make sense: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Work(EdgeError),
    /// A query of a regression suite failed, which was reported already: exit code 1.
    Suite,
    /// The rest was done, and reported already: exit code 1. Says what was not done.
    Partly(String),
    /// A check found something, which was reported already: exit code 1.
    Unsound,
}

impl From<EdgeError> for Failure {
    fn from(error: EdgeError) -> Self {
        // Values that came from the command line are bad usage, whoever found out.
        if error.code == ErrorCode::BadRequest {
            Self::Usage(words(&error))
        } else {
            Self::Work(error)
        }
    }
}

impl Failure {
    /// The process's exit code.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Work(_) | Self::Suite | Self::Partly(_) | Self::Unsound => 1,
            Self::Usage(_) => 2,
        }
    }

    /// One sentence that says what is wrong and, where possible, what to do.
    pub fn sentence(&self) -> String {
        match self {
            Self::Usage(text) | Self::Partly(text) => text.clone(),
            Self::Work(error) => words(error),
            Self::Suite => "A query of the suite failed.".into(),
            Self::Unsound => "The vault is not sound. What can be read is there; \
                `lethescope repair` mends it and loses nothing that reads."
                .into(),
        }
    }

    /// Whether the one object of the answer says it already.
    pub const fn was_reported(&self) -> bool {
        matches!(self, Self::Suite | Self::Partly(_) | Self::Unsound)
    }

    /// The code for programs.
    pub fn code(&self) -> String {
        match self {
            Self::Usage(_) => "bad_usage".into(),
            Self::Suite => "suite_failed".into(),
            Self::Partly(_) => "not_found".into(),
            Self::Unsound => "unsound".into(),
            Self::Work(error) => serde_json::to_value(error.code)
                .ok()
                .and_then(|value| value.as_str().map(str::to_owned))
                .unwrap_or_default(),
        }
    }
}

/// What always opens the vault, whatever became of the keychain.
const BY_FILE: &str = "The passphrase still opens the vault: name a file that holds it with \
    --passphrase-file";

fn words(error: &EdgeError) -> String {
    let arg = |name: &str| {
        error
            .args
            .get(name)
            .map_or_else(|| "?".to_owned(), |value| inline(value))
    };
    match error.code {
        ErrorCode::NoVault => format!(
            "There is no vault in {}. Create one with `lethescope init --vault DIR`.",
            arg("path")
        ),
        ErrorCode::VaultExists => format!("There is a vault in {} already.", arg("path")),
        ErrorCode::WrongPassphrase => "Wrong passphrase. The vault was not touched.".into(),
        ErrorCode::WeakPassphrase => format!("The passphrase was refused: {}", arg("advice")),
        ErrorCode::NotAVault => format!(
            "Not a vault that can be opened: {}: {}. {} Nothing was touched.",
            arg("path"),
            arg("why"),
            arg("remedy")
        ),
        ErrorCode::Damaged => "This stands on a damaged page of the vault; the rest can be read. \
            `lethescope repair` saves every row that reads and sets the damaged file aside."
            .into(),
        ErrorCode::VaultTooNew => {
            "The vault was written by a newer program. Update this one to open it.".into()
        }
        ErrorCode::Locked => "The vault is locked.".into(),
        ErrorCode::KeychainAbsent => format!(
            "There is no keychain on this system, or none is running: a session without a desktop \
             has none. {BY_FILE}."
        ),
        ErrorCode::KeychainLocked => format!(
            "The system's keychain is locked. Unlock it, which logging in at the desktop does, and \
             try again. {BY_FILE}."
        ),
        ErrorCode::KeychainNoEntry => format!(
            "This machine's keychain has no entry for this vault: it was deleted, or the vault came \
             from another machine. {BY_FILE}; `lethescope keys keychain` makes a new entry."
        ),
        ErrorCode::KeychainRefused => format!(
            "The system's keychain was of no use: {}. {BY_FILE}.",
            arg("reason")
        ),
        ErrorCode::Busy => {
            "Another program is writing to the vault and did not finish within five seconds. Try again.".into()
        }
        ErrorCode::DiskFull => {
            "The disk is full. Nothing that was stored before is lost; make room and try again.".into()
        }
        ErrorCode::NotFound => format!("There is no {}.", arg("what")),
        ErrorCode::Conflict => {
            "The memory was changed meanwhile. Look at it again before editing.".into()
        }
        ErrorCode::BadRequest => format!("{}: expected {}.", arg("what"), arg("expected")),
        ErrorCode::Unreadable => format!("Cannot read {}: {}.", arg("path"), arg("reason")),
        ErrorCode::Unwritable => format!("Cannot write {}: {}.", arg("path"), arg("reason")),
        ErrorCode::Cancelled => "The query was called off.".into(),
        ErrorCode::Internal => format!("Something broke inside ({}).", arg("what")),
    }
}

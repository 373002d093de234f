//! How a command gets into the vault: by the file that holds the passphrase; where none is named, by
//! the system's keychain; and where that does not open it, by asking whoever sits at the terminal.

use std::io::{IsTerminal as _, stderr, stdin};
use std::path::Path;
use std::time::Duration;

use inspector::Inspector;
use inspector::error::{EdgeError, ErrorCode};

use crate::failure::Failure;
use crate::given::{read_bytes, unreadable};
use crate::output::print;

/// Opens the vault for a person's command.
pub(crate) fn open(inspector: &Inspector, file: Option<&Path>) -> Result<(), Failure> {
    match open_unasked(inspector, file, None) {
        Err(Failure::Work(error)) if is_of_keychain(&error) && somebody_is_there() => {
            print::complain(&Failure::from(error).sentence());
            Ok(inspector.open(asked("Passphrase: ")?)?)
        }
        Err(Failure::Usage(_)) if file.is_none() && somebody_is_there() => {
            Ok(inspector.open(asked("Passphrase: ")?)?)
        }
        opened => opened,
    }
}

/// Opens the vault where nobody can be asked. `within` bounds how long the keychain may take.
pub(crate) fn open_unasked(
    inspector: &Inspector,
    file: Option<&Path>,
    within: Option<Duration>,
) -> Result<(), Failure> {
    match file {
        Some(file) => Ok(inspector.open(in_file(file)?)?),
        None if inspector.has_keychain_slot() => Ok(inspector.open_by_keychain(within)?),
        None => Err(none()),
    }
}

/// The passphrase, for what takes nothing else: the keychain opens the vault and does not change what
/// opens it.
pub(crate) fn passphrase(file: Option<&Path>) -> Result<String, Failure> {
    match file {
        Some(file) => in_file(file),
        None if somebody_is_there() => asked("Passphrase: "),
        None => Err(none()),
    }
}

/// The passphrase of a vault that is to be made: at a terminal it is typed twice.
pub(crate) fn new_passphrase(file: Option<&Path>) -> Result<String, Failure> {
    let first = passphrase(file)?;
    if file.is_none() && asked("Once more: ")? != first {
        return Err(Failure::Usage(
            "the two passphrases are not the same".into(),
        ));
    }
    Ok(first)
}

/// Reads the first line of the passphrase file. The text itself is never shown.
fn in_file(file: &Path) -> Result<String, Failure> {
    let bytes = read_bytes(file)?;
    let line = inspector::passphrase_line(&bytes).map_err(|_| {
        unreadable(
            file,
            "it is neither UTF-8 nor UTF-16 with a byte order mark",
        )
    })?;
    if line.is_empty() {
        return Err(Failure::Usage(format!(
            "the first line of {} is empty: it should be the passphrase",
            file.display()
        )));
    }
    Ok(line.as_str().to_owned())
}

/// Whether it was the keychain that did not open the vault.
pub(crate) fn is_of_keychain(error: &EdgeError) -> bool {
    matches!(
        error.code,
        ErrorCode::KeychainAbsent
            | ErrorCode::KeychainLocked
            | ErrorCode::KeychainNoEntry
            | ErrorCode::KeychainRefused
    )
}

/// Whether a question would be seen, and its answer typed.
fn somebody_is_there() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

fn asked(question: &str) -> Result<String, Failure> {
    let typed = rpassword::prompt_password(question).map_err(|error| {
        Failure::Usage(format!(
            "the terminal could not be read: {}",
            inspector::reason(error.kind())
        ))
    })?;
    if typed.is_empty() {
        return Err(none());
    }
    Ok(typed)
}

fn none() -> Failure {
    Failure::Usage(
        "no passphrase: name a file that holds it with --passphrase-file or \
         LETHESCOPE_PASSPHRASE_FILE, or let the system's keychain open the vault with \
         `lethescope keys keychain`"
            .into(),
    )
}

//! What a command is given in a file, or on standard input.

use std::io::Read as _;
use std::path::Path;

use inspector::error::{EdgeError, ErrorCode};

use crate::failure::Failure;

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read_bytes(path)?).map_err(|_| unreadable(path, "not UTF-8"))
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|all| bytes = all)
    };
    read.map_err(|error| unreadable(path, &inspector::reason(error.kind())))?;
    Ok(bytes)
}

pub(crate) fn unreadable(path: &Path, reason: &str) -> Failure {
    Failure::Work(EdgeError::new(
        ErrorCode::Unreadable,
        &[("path", &path.display().to_string()), ("reason", reason)],
    ))
}

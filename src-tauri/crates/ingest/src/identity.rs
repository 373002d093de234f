//! Which file is behind a name: two names of one file are read once, a renamed file goes on, and
//! two files are never one because their names look alike.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Begins the text of a path that is not UTF-8. No absolute path begins so.
const BYTES: &str = "bytes:";

/// A path as text from which [`path_of`] makes the same path again: two paths are never one text.
/// A path that is not UTF-8 is written `bytes:` and then with `\xFF` for the bytes in question.
pub fn path_text(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.starts_with(BYTES) => text.to_owned(),
        _ => {
            let mut text = BYTES.to_owned();
            for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
                text.push_str(&chunk.valid().replace('\\', "\\\\"));
                for byte in chunk.invalid() {
                    text.push_str("\\x");
                    text.push_str(&hex::encode([*byte]));
                }
            }
            text
        }
    }
}

/// The path that a text of [`path_text`] stands for.
pub fn path_of(text: &str) -> PathBuf {
    let Some(escaped) = text.strip_prefix(BYTES) else {
        return PathBuf::from(text);
    };
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let code = rest.get(at + 2..at + 4);
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match (rest.as_bytes().get(at + 1), byte) {
            (Some(b'x'), Some(byte)) => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            (Some(b'\\'), _) => {
                bytes.push(b'\\');
                rest = &rest[at + 2..];
            }
            _ => {
                bytes.push(b'\\');
                rest = &rest[at + 1..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    of_bytes(bytes)
}

#[cfg(unix)]
fn of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// Elsewhere such names cannot be made from bytes; the text is looked for and not found.
#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// Names the file behind a path, as long as the file exists.
///
/// On Unix device and inode, so that a rename is followed and links are resolved. Elsewhere the
/// standard library offers nothing stable: the resolved path stands in, so links are still resolved,
/// but a renamed file is read again (its records are recognised by their words).
#[cfg(unix)]
pub(crate) fn identity_of(_path: &Path, metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    format!("{}:{}", metadata.dev(), metadata.ino())
}

/// See the Unix version.
#[cfg(not(unix))]
pub(crate) fn identity_of(path: &Path, _metadata: &Metadata) -> String {
    let resolved = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    format!("path:{}", path_text(&resolved).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn every_path_has_a_text_of_its_own() {
        let paths: Vec<PathBuf> = [
            &b"/n/a\xff.md"[..],
            b"/n/a\xfe.md",
            b"/n/a\\xff.md",
            b"/n/\\\xff\\\\ b ",
            b"bytes:/n/a",
            b" /blank ",
            "/n/ä\u{fffd}".as_bytes(),
        ]
        .into_iter()
        .map(|bytes| of_bytes(bytes.to_vec()))
        .collect();
        let texts: std::collections::BTreeSet<String> =
            paths.iter().map(|path| path_text(path)).collect();
        assert_eq!(texts.len(), paths.len());
        for path in &paths {
            assert_eq!(path_of(&path_text(path)), *path);
        }
        assert_eq!(path_text(&paths[0]), "bytes:/n/a\\xff.md");
    }
}

//! Which file is behind a name: two names of one file are read once, a renamed file goes on.

use std::fs::Metadata;
use std::path::Path;

/// Names the file behind a path, as long as the file exists.
///
/// On Unix device and inode, so that a rename is followed and links are resolved. Elsewhere the
/// standard library offers nothing stable: the resolved path stands in, so links are still resolved,
/// but a renamed file is read again (its records are recognised by their keys).
#[cfg(unix)]
pub(crate) fn identity_of(_path: &Path, metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    format!("{}:{}", metadata.dev(), metadata.ino())
}

/// See the Unix version.
#[cfg(not(unix))]
pub(crate) fn identity_of(path: &Path, _metadata: &Metadata) -> String {
    let resolved = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    format!("path:{}", resolved.to_string_lossy().to_lowercase())
}

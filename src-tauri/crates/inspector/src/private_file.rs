//! Writes what a person wants to have outside the vault: complete or not at all, and readable by
//! nobody else.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::convert::reason;
use crate::error::{EdgeError, ErrorCode};

/// Writes a file beside its place under a temporary name, then renames it. A file that is there is
/// replaced.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), EdgeError> {
    let refused = |path: &Path, error: &io::Error| {
        let code = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
            _ => ErrorCode::Unwritable,
        };
        EdgeError::new(
            code,
            &[
                ("path", &path.display().to_string()),
                ("reason", &reason(error.kind())),
            ],
        )
    };
    if !path.is_absolute() || path.file_name().is_none() {
        return Err(EdgeError::bad_request("path", "the full path of a file"));
    }
    if path.is_dir() {
        return Err(refused(path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        return Err(refused(folder, &missing));
    }
    let half = half_name(path)?;
    let written = fill(&half, content).and_then(|()| fs::rename(&half, path));
    if let Err(error) = &written {
        let _ = fs::remove_file(&half);
        return Err(refused(path, error));
    }
    Ok(())
}

fn fill(half: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(half)?;
    file.write_all(content)?;
    file.sync_all()
}

fn half_name(path: &Path) -> Result<PathBuf, EdgeError> {
    let mut random = [0_u8; 6];
    getrandom::fill(&mut random).map_err(|_| EdgeError::internal("find a temporary name"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(path.with_file_name(format!(".{name}.{}.part", hex::encode(random))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_complete_private_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        fs::write(&path, "old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn bad_places_are_refused_and_leave_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let code = |path: &Path| write(path, b"x").unwrap_err().code;
        assert_eq!(code(Path::new("trace.json")), ErrorCode::BadRequest);
        assert_eq!(code(folder.path()), ErrorCode::Unwritable);
        let nowhere = folder.path().join("no/such/folder/trace.json");
        assert_eq!(code(&nowhere), ErrorCode::Unwritable);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

//! Where files went: renamed, rotated, replaced, emptied, removed. Told by their numbers (device and
//! inode), their names and what was read of them, since systems give numbers away again.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use memory::{FileRow, Millis, Vault, VaultError};

use super::{Written, snapshot};
use crate::format;
use crate::identity::{identity_of, path_of};
use crate::intake::hash_of_all;
use crate::walk::{FileFound, Walked};

pub(super) fn is_rewritten(row: &FileRow) -> bool {
    row.format
        .as_deref()
        .and_then(format::named)
        .is_some_and(format::Format::rewritten)
}

/// Whether a file in which nothing is stands for the one that a row was made for, renamed or not.
pub(super) fn is_emptied(row: &FileRow, found: &FileFound) -> bool {
    let old = path_of(&row.path);
    old == found.path || row.identity == found.identity && std::fs::symlink_metadata(old).is_err()
}

/// Whether the file that a row was made for was renamed, and this is a new one under its old name.
/// What the old one holds is not for the new one to take away. (Of files that grow, their beginnings
/// tell.) The number of the old one alone does not say that it lives: systems give it to others.
pub(super) fn lives_beside(row: &FileRow, found: &FileFound) -> bool {
    let same = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|metadata| {
            let found = FileFound::new(path.clone(), &metadata, false);
            hash_of_all(&found).is_ok_and(|hash| hash == row.head_hash)
        })
    };
    row.identity != found.identity
        && is_rewritten(row)
        && found
            .path
            .parent()
            .is_some_and(|folder| identities_in(folder).get(&row.identity).is_some_and(same))
}

/// Files that were read before and now lie under a name that nobody would look at (`app.log.old`):
/// their last lines are not lost. Only folders that hold such a file's old name are looked into.
pub(crate) fn moved_aside(vault: &Vault, walked: &Walked) -> Result<Vec<FileFound>, VaultError> {
    let known: HashSet<&str> = walked
        .files
        .iter()
        .map(|found| found.identity.as_str())
        .collect();
    let paths: HashSet<&Path> = walked
        .files
        .iter()
        .map(|found| found.path.as_path())
        .collect();
    let rows = vault.read(|reader| reader.files().all())?;
    let mut folders: HashMap<PathBuf, HashMap<String, PathBuf>> = HashMap::new();
    let mut aside = Vec::new();
    for row in &rows {
        let path = path_of(&row.path);
        let asked = paths.contains(path.as_path())
            || walked.roots.iter().any(|root| path.starts_with(root));
        if !asked
            || is_rewritten(row)
            || row.format.is_none()
            || known.contains(row.identity.as_str())
        {
            continue;
        }
        let Some(folder) = path.parent() else {
            continue;
        };
        let names = folders
            .entry(folder.to_path_buf())
            .or_insert_with(|| identities_in(folder));
        if let Some(path) = names.get(&row.identity)
            && let Ok(metadata) = std::fs::metadata(path)
            && !aside
                .iter()
                .any(|found: &FileFound| found.identity == row.identity)
        {
            aside.push(FileFound::new(path.clone(), &metadata, false));
        }
    }
    Ok(aside)
}

fn identities_in(folder: &Path) -> HashMap<String, PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return HashMap::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let metadata = std::fs::symlink_metadata(&path).ok()?;
            metadata
                .is_file()
                .then(|| (identity_of(&path, &metadata), path))
        })
        .collect()
}

/// Releases what a rewritten file held, since it holds nothing any more.
pub(crate) fn emptied(vault: &Vault, row: &FileRow, now: Millis) -> Result<Written, VaultError> {
    let mut written = Written::default();
    vault.write(|writer| {
        snapshot::release_all(writer, row.id, now, &mut written)?;
        let mut row = row.clone();
        (row.size, row.offset, row.line) = (0, 0, 0);
        row.head_hash.clear();
        writer.files().update(&row)
    })?;
    Ok(written)
}

/// Releases what rewritten files below these folders held that are not there any more. A folder that
/// is itself gone says nothing about its files.
pub(crate) fn removed(
    vault: &Vault,
    walked: &Walked,
    now: Millis,
) -> Result<Vec<(PathBuf, Written)>, VaultError> {
    let known: HashSet<&str> = walked
        .files
        .iter()
        .map(|found| found.identity.as_str())
        .collect();
    let rows = vault.read(|reader| reader.files().all())?;
    let now_at: HashMap<&Path, &str> = walked
        .files
        .iter()
        .map(|found| (found.path.as_path(), found.identity.as_str()))
        .collect();
    let stands =
        |row: &FileRow| now_at.get(path_of(&row.path).as_path()) == Some(&row.identity.as_str());
    // Another file has its name now, or its number, which systems give away again.
    let given_away = |row: &FileRow, what: fn(&FileRow) -> &str| {
        rows.iter()
            .any(|other| other.id != row.id && what(other) == what(row) && stands(other))
    };
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| is_rewritten(row) && row.size > 0) {
        let path = path_of(&row.path);
        if stands(row) || !walked.roots.iter().any(|root| path.starts_with(root)) {
            continue;
        }
        let lost_number =
            !known.contains(row.identity.as_str()) || given_away(row, |row| row.identity.as_str());
        let lost_name = given_away(row, |row| row.path.as_str())
            || std::fs::symlink_metadata(&path)
                .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if lost_number && lost_name {
            let written = emptied(vault, row, now)?;
            all.push((path, written));
        }
    }
    Ok(all)
}

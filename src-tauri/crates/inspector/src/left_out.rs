//! Which projects of a watched folder are left out: a setting of the vault, by the folder's path, so
//! that it also holds when the folder is watched again.

use std::collections::{BTreeMap, BTreeSet};

use ingest::Watched;
use memory::{SourceRow, Vault, VaultError, Writer};

const KEY: &str = "projects_left_out";

/// Paths, each with its projects.
type Kept = BTreeMap<String, BTreeSet<String>>;

fn kept(text: Option<String>) -> Kept {
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// The projects left out of a watched folder.
pub(crate) fn of(vault: &Vault, path: &str) -> Vec<String> {
    let text = vault.read(|r| r.settings().get(KEY)).ok().flatten();
    let projects = kept(text).remove(path).unwrap_or_default();
    projects.into_iter().collect()
}

/// Keeps them; whether one that was left out before is not any more, and is to be read.
pub(crate) fn set(
    writer: &Writer<'_>,
    path: &str,
    projects: &BTreeSet<String>,
) -> Result<bool, VaultError> {
    let mut all = kept(writer.settings().get(KEY)?);
    let before = all.remove(path).unwrap_or_default();
    if &before == projects {
        return Ok(false);
    }
    if !projects.is_empty() {
        all.insert(path.to_owned(), projects.clone());
    }
    let text = serde_json::to_string(&all).unwrap_or_default();
    writer.settings().set(KEY, &text)?;
    Ok(!before.is_subset(projects))
}

/// A source as it is to be watched.
pub(crate) fn watched(vault: &Vault, source: &SourceRow) -> Watched {
    let mut watched = Watched::from(source);
    watched.options.left_out = of(vault, &source.path).into_iter().collect();
    watched
}

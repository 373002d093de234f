//! The vault's health: check, repair, backup, and back from one.

use std::collections::BTreeMap;
use std::path::Path;

use memory::{Found, Gap, Millis, Passphrase, Vault};
use serde::{Deserialize, Serialize};

use crate::at_work::AtWork;
use crate::error::EdgeError;
use crate::inspector::Inspector;

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct FindingView {
    /// `damaged_page`, `structure`, `foreign_key`, `keyword_index`, `searchable_copy`, `vectors`,
    /// `model`, `large_log`, `permissions` or `keychain`.
    pub kind: String,
    /// Whether it is wrong, or only worth knowing.
    pub fault: bool,
    /// The table, the index, the file, or what SQLite says of the structure.
    pub place: String,
    /// What is wrong, in one sentence.
    pub sentence: String,
    /// What one can do about it.
    pub remedy: String,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct HealthView {
    /// Whether nothing is wrong.
    pub sound: bool,
    /// What is wrong.
    pub findings: Vec<FindingView>,
    /// What was done about it; absent when nothing was asked for or needed.
    pub repair: Option<RepairView>,
}

/// What a repair did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct RepairView {
    /// What was wrong before.
    pub before: Vec<FindingView>,
    /// Rows saved from a damaged file, by table; empty when only indexes were built anew.
    pub saved: BTreeMap<String, u32>,
    /// What could not be saved, a sentence per gap.
    pub lost: Vec<String>,
    /// The folder in which the damaged vault now is, whole.
    pub set_aside: Option<String>,
}

/// A backup that was written or restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct BackupView {
    /// The file.
    pub file: String,
    /// Memories in it, the trash included.
    pub memories: u32,
    /// The folder in which the vault now is that was in the place of the restored one.
    pub set_aside: Option<String>,
    /// Older backups in the same folder that made room.
    pub removed: Vec<String>,
}

impl Inspector {
    /// Checks every page, the structure, the indexes, the permissions. Changes nothing.
    pub fn check(&self) -> Result<HealthView, EdgeError> {
        let session = self.inner.session()?;
        let found = session.vault.check()?;
        let mut findings = views(&found);
        findings.extend(self.keychain_finding(&session));
        Ok(HealthView {
            sound: !found.iter().any(|one| one.finding.is_fault()),
            findings,
            repair: None,
        })
    }

    /// Checks, and repairs what can be: indexes are built anew from the rows; from a damaged file
    /// every row that reads is saved into a new one, and the damaged one is set aside.
    pub fn repair(&self, passphrase: String) -> Result<HealthView, EdgeError> {
        let secret = Passphrase::new(passphrase.clone())?;
        let work = AtWork::begin(&self.inner);
        self.open(passphrase.clone())?;
        let found = self.inner.session()?.vault.check()?;
        if !found.iter().any(|one| one.finding.is_fault()) {
            return self.check();
        }
        let mut repair = RepairView {
            before: views(&found),
            saved: BTreeMap::new(),
            lost: Vec::new(),
            set_aside: None,
        };
        if found.iter().any(|one| one.finding.touches_rows()) {
            work.close();
            let folder = &self.inner.paths.vault;
            let salvage =
                Vault::salvage(folder, &secret).map_err(|error| EdgeError::about(folder, error));
            // Whatever became of it, what opened opens again.
            self.open(passphrase)?;
            let salvage = salvage?;
            let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
            repair.saved = salvage
                .saved
                .into_iter()
                .map(|(table, rows)| (table, small(rows)))
                .collect();
            repair.lost = lost(&salvage.lost);
            repair.set_aside = Some(salvage.set_aside.display().to_string());
        } else {
            self.inner.session()?.vault.rebuild_indexes()?;
        }
        Ok(HealthView {
            repair: Some(repair),
            ..self.check()?
        })
    }

    /// Writes an encrypted backup while the vault is in use. In a folder it gets a name that says
    /// when; `keep` is how many of those then stay there, the newest.
    pub fn back_up(&self, target: &Path, keep: Option<u32>) -> Result<BackupView, EdgeError> {
        let in_folder = target.is_dir();
        if keep.is_some_and(|keep| keep == 0 || !in_folder) {
            return Err(EdgeError::bad_request(
                "--keep",
                "a number from 1, and a folder to keep them in",
            ));
        }
        let file = if in_folder {
            target.join(name_of(self.inner.now())?)
        } else {
            target.to_path_buf()
        };
        let snapshot = self.inner.session_in_use()?.vault.back_up(&file)?;
        let removed = match keep {
            Some(keep) => make_room(target, keep as usize),
            None => Vec::new(),
        };
        Ok(BackupView {
            removed,
            ..view(&file, snapshot)
        })
    }

    /// Puts a backup in the place of the vault, which must not be there, or is set aside. Where a
    /// vault was open, the restored one is.
    pub fn restore_backup(
        &self,
        file: &Path,
        passphrase: String,
        replace: bool,
    ) -> Result<BackupView, EdgeError> {
        let (secret, folder) = (
            Passphrase::new(passphrase.clone())?,
            &self.inner.paths.vault,
        );
        let work = AtWork::begin(&self.inner);
        let restored = Vault::restore(file, folder, &secret, replace, || work.close())
            .map_err(|error| EdgeError::about(folder, error));
        if work.is_to_open() && self.inner.session().is_err() {
            let opened = self.open(passphrase);
            // One that is where it was may open by another passphrase, and is locked then.
            if restored.is_ok() {
                opened?;
            }
        }
        Ok(view(file, restored?))
    }
}

fn view(file: &Path, snapshot: memory::Snapshot) -> BackupView {
    BackupView {
        file: file.display().to_string(),
        memories: snapshot.memories,
        set_aside: snapshot.set_aside.map(|path| path.display().to_string()),
        removed: Vec::new(),
    }
}

const PREFIX: &str = "lethescope-";
const SUFFIX: &str = "Z.tar";

/// The name of a backup of that moment; names sort as the moments do.
fn name_of(now: Millis) -> Result<String, EdgeError> {
    let at = jiff::Timestamp::from_millisecond(now)
        .map_err(|_| EdgeError::internal("tell the time of a backup"))?;
    Ok(format!("{PREFIX}{}{SUFFIX}", at.strftime("%Y%m%dT%H%M%S")))
}

/// Removes the oldest backups of a folder, of those that were named by [`name_of`]. What cannot be
/// removed stays for the next time.
fn make_room(folder: &Path, keep: usize) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut backups: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(is_named_by_us) && Vault::is_backup(path)
        })
        .collect();
    backups.sort_unstable();
    let surplus = backups.len().saturating_sub(keep);
    backups
        .drain(..surplus)
        .filter(|path| std::fs::remove_file(path).is_ok())
        .map(|path| path.display().to_string())
        .collect()
}

fn is_named_by_us(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .and_then(|at| at.split_once('T'))
        .is_some_and(|(day, time)| {
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            day.len() == 8 && time.len() == 6 && digits(day) && digits(time)
        })
}

/// What is missing after a salvage, in words.
fn lost(tables: &BTreeMap<String, Vec<Gap>>) -> Vec<String> {
    let sentence = |table: &str, gap: &Gap| match gap {
        Some((first, last)) if first == last => {
            format!("{table}: the row of number {first} is lost.")
        }
        Some((first, i64::MAX)) => format!("{table}: every row from number {first} on is lost."),
        Some((first, last)) => {
            format!("{table}: the rows numbered {first} to {last} are lost.")
        }
        None => format!("{table}: some rows are lost; they have no numbers."),
    };
    tables
        .iter()
        .flat_map(|(table, gaps)| gaps.iter().map(|gap| sentence(table, gap)))
        .collect()
}

fn views(found: &[Found]) -> Vec<FindingView> {
    found
        .iter()
        .map(|one| FindingView {
            kind: one.finding.name().to_owned(),
            fault: one.finding.is_fault(),
            place: one.place.clone(),
            sentence: one.finding.sentence(&one.place),
            remedy: one.finding.remedy().to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_said_in_words() {
        let tables = BTreeMap::from([
            ("memories".to_owned(), vec![Some((7, 9)), Some((12, 12))]),
            ("source_keys".to_owned(), vec![None]),
            ("traces".to_owned(), vec![Some((3, i64::MAX))]),
        ]);
        assert_eq!(
            lost(&tables),
            [
                "memories: the rows numbered 7 to 9 are lost.",
                "memories: the row of number 12 is lost.",
                "source_keys: some rows are lost; they have no numbers.",
                "traces: every row from number 3 on is lost.",
            ]
        );
    }

    #[test]
    fn only_names_that_say_when_are_taken_for_backups() {
        let name = name_of(1_780_000_000_123).unwrap();
        assert_eq!(name, "lethescope-20260528T202640Z.tar");
        assert!(is_named_by_us(&name));
        for other in ["lethescope-mine.tar", "lethescope-20260528T20264Z.tar", "x"] {
            assert!(!is_named_by_us(other), "{other}");
        }
    }
}

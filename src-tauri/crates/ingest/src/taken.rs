//! What was taken of each file that a person named: where it is nothing, the person is told why.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::journal::Written;
use crate::tally::add;

/// Reasons under which a record counts that the vault has, or had until a person deleted it.
const KNOWN: [&str; 5] = [
    "already stored",
    "repeated",
    "grown",
    "moved",
    "deleted before",
];
/// How many reasons are named.
const NAMED: usize = 3;

/// The files that a person named and that are read from their beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken(BTreeMap<PathBuf, Account>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Account {
    taken: u32,
    left: BTreeMap<String, u32>,
    unread: usize,
}

impl Taken {
    /// This file is asked about.
    pub(crate) fn ask(&mut self, path: &Path) {
        self.0.entry(path.to_path_buf()).or_default();
    }

    /// This became of a part of a file.
    pub(crate) fn count(&mut self, path: &Path, written: &Written) {
        let Some(account) = self.0.get_mut(path) else {
            return;
        };
        account.taken += written.stored;
        account.unread += written.errors.len();
        for (reason, count) in &written.skipped {
            if KNOWN.contains(&reason.as_str()) {
                account.taken += count;
            } else {
                add(&mut account.left, reason, *count);
            }
        }
    }

    /// The files of which nothing was taken, and why.
    pub(crate) fn nothing(self) -> impl Iterator<Item = (PathBuf, String)> {
        self.0
            .into_iter()
            .filter(|(_, account)| account.taken == 0)
            .map(|(path, account)| (path, account.reason()))
    }
}

impl Account {
    /// Why nothing was taken.
    fn reason(self) -> String {
        let mut left: Vec<(String, u32)> = self.left.into_iter().collect();
        left.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let left: Vec<String> = left
            .into_iter()
            .take(NAMED)
            .map(|(reason, count)| format!("{reason} ({count})"))
            .collect();
        match (left.is_empty(), self.unread) {
            (false, _) => format!("all that it holds was left out: {}", left.join(", ")),
            (true, 0) => "nothing in it could be read as an entry".to_owned(),
            (true, _) => "no line of it could be read".to_owned(),
        }
    }
}

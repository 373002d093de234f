//! A vault that cannot be written can be read.

use std::fs;
use std::path::Path;

use memory::{Filter, KdfCost, Vault, VaultError};
use tempfile::TempDir;

use crate::support::{NOW, pass, store, words};

fn copy(from: &Path, to: &Path, names: &[&str]) {
    for name in names {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

fn listing(dir: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name(), fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn with_and_without_a_log_everything_is_read_and_nothing_touched() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::create(dir.path(), &pass("p"), KdfCost::TEST).unwrap();
    for number in 0..50 {
        store(&vault, &format!("Tea at four, for the {number} th time"));
    }
    let all = ["vault.db", "vault.keys", "vault.db-wal", "vault.db-shm"];
    let log = fs::metadata(dir.path().join("vault.db-wal")).unwrap().len();
    assert!(log > 0);
    // As they are while a program has it open, and as a copy without the index is.
    let odd = "it's a 100% odd name? #1";
    for (names, expected) in [(&all[..], 50), (&all[..3], 50)] {
        let copied = TempDir::new().unwrap();
        let folder = copied.path().join(odd);
        fs::create_dir(&folder).unwrap();
        copy(dir.path(), &folder, names);
        let before = listing(&folder);
        let read = Vault::unlock_to_read(&folder, &pass("p")).unwrap();
        assert!(read.is_read_only());
        let count = read.read(|r| r.memories().count(&Filter::default(), NOW));
        assert_eq!(count.unwrap(), expected, "{names:?}");
        assert_eq!(words(&read, "tea").len(), expected as usize);
        let refused = read.write(|w| w.settings().set("a", "1"));
        assert!(
            matches!(refused, Err(VaultError::File { writing: true, .. })),
            "{refused:?}"
        );
        drop(read);
        assert_eq!(listing(&folder), before, "{names:?}");
    }
    drop(vault);
    let before = listing(dir.path());
    assert_eq!(before.len(), 2);
    let read = Vault::unlock_to_read(dir.path(), &pass("p")).unwrap();
    assert_eq!(words(&read, "tea").len(), 50);
    read.lock();
    assert!(matches!(read.write(|_| Ok(())), Err(VaultError::Locked)));
    drop(read);
    assert_eq!(listing(dir.path()), before);
}

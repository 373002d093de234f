//! Creating: exclusive, whole or not at all, and never at the cost of what is there.

use std::fs;
use std::sync::Barrier;
use std::thread;

use memory::{Fault, Filter, KdfCost, Vault, VaultError};
use tempfile::TempDir;

use crate::support::{NOW, names, pass, store};

fn count(vault: &Vault) -> u32 {
    vault
        .read(|r| r.memories().count(&Filter::default(), NOW))
        .unwrap()
}

#[test]
fn of_several_at_once_exactly_one_creates() {
    for _ in 0..15 {
        let dir = TempDir::new().unwrap();
        let start = Barrier::new(4);
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|number| {
                    let (dir, start) = (&dir, &start);
                    scope.spawn(move || {
                        start.wait();
                        Vault::create(dir.path(), &pass(&format!("p{number}")), KdfCost::TEST)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let mut winner = None;
        for (number, result) in results.iter().enumerate() {
            match result {
                Ok(_) => assert!(winner.replace(number).is_none(), "two created"),
                Err(error) => assert!(matches!(error, VaultError::Exists), "{error:?}"),
            }
        }
        let winner = winner.unwrap_or_else(|| panic!("nobody created"));
        drop(results);
        for number in 0..4 {
            let opened = Vault::unlock(dir.path(), &pass(&format!("p{number}")));
            assert_eq!(opened.is_ok(), number == winner);
        }
        assert_eq!(names(dir.path()), ["vault.db", "vault.keys"]);
    }
}

#[test]
fn a_key_file_under_its_first_name_opens_its_vault_and_gets_its_lasting_one() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::create(dir.path(), &pass("p"), KdfCost::TEST).unwrap();
    store(&vault, "Tea at four");
    drop(vault);
    let (keys, unfinished) = (
        dir.path().join("vault.keys"),
        dir.path().join("vault.keys.new"),
    );
    fs::rename(&keys, &unfinished).unwrap();
    assert!(Vault::exists(dir.path()));
    assert!(matches!(
        Vault::create(dir.path(), &pass("q"), KdfCost::TEST),
        Err(VaultError::Exists)
    ));
    assert!(matches!(
        Vault::unlock(dir.path(), &pass("q")),
        Err(VaultError::WrongPassphrase)
    ));
    let vault = Vault::unlock(dir.path(), &pass("p")).unwrap();
    assert_eq!(count(&vault), 1);
    assert!(keys.exists() && !unfinished.exists());

    // A half-written one says nothing, and what is missing is named.
    drop(vault);
    fs::rename(&keys, dir.path().join("aside")).unwrap();
    fs::write(&unfinished, "{").unwrap();
    assert!(matches!(
        Vault::unlock(dir.path(), &pass("p")),
        Err(VaultError::NotAVault {
            fault: Fault::KeysMissing,
            ..
        })
    ));
}

#[test]
fn a_creation_cut_short_before_its_database_stood_can_be_repeated() {
    let dir = TempDir::new().unwrap();
    for (files, left) in [
        (&[("vault.keys.new", "{"), ("vault.db.new", "half")][..], 2),
        (&[("vault.db.new", "half"), ("vault.db.new-wal", "half")], 2),
        (&[("vault.keys.new", "{"), ("vault.db", "")], 2),
        // Nobody knows where its database went: it is kept.
        (&[("vault.keys.new", "{")], 3),
    ] {
        for (name, content) in files {
            fs::write(dir.path().join(name), content).unwrap();
        }
        assert!(!Vault::exists(dir.path()), "{files:?}");
        drop(Vault::create(dir.path(), &pass("p"), KdfCost::TEST).unwrap());
        drop(Vault::unlock(dir.path(), &pass("p")).unwrap());
        assert_eq!(names(dir.path()).len(), left, "{:?}", names(dir.path()));
        for name in ["vault.db", "vault.keys"] {
            fs::remove_file(dir.path().join(name)).unwrap();
        }
    }
}

#[test]
fn what_may_hold_memories_is_never_removed() {
    for (name, content) in [
        ("vault.db", "half"),
        ("vault.db-wal", "frames of a database that is elsewhere"),
        ("vault.keys", "keys of a database that is elsewhere"),
    ] {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join(name), content).unwrap();
        fs::write(dir.path().join("vault.keys.new"), "{").unwrap();
        assert!(Vault::create(dir.path(), &pass("p"), KdfCost::TEST).is_err());
        let left = fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(left, content, "{name}");
        assert_eq!(
            fs::read_to_string(dir.path().join("vault.keys.new")).unwrap(),
            "{"
        );
    }
}

//! Another data key: the same memories under it, and whatever moment it is killed at, a vault.

use std::fs;
use std::path::Path;

use memory::{Fault, SlotKind, Vault, VaultError};

use crate::support::{names, pass, store, vault, words};

const FILES: [&str; 2] = ["vault.db", "vault.keys"];

fn kettles(dir: &Path, secret: &str) -> usize {
    let vault = Vault::unlock(dir, &pass(secret)).unwrap();
    assert_eq!(vault.check().unwrap(), []);
    words(&vault, "kettle").len()
}

fn private(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn every_page_is_under_another_key_and_nothing_else_changed() {
    let (keep, vault) = vault();
    for number in 0..40 {
        store(&vault, &format!("kettle number {number}"));
    }
    let dir = vault.dir().to_owned();
    let code = Vault::draw_recovery_code(&dir, &pass("open sesame")).unwrap();
    let cost = memory::KdfCost::TEST;
    Vault::add_passphrase(&dir, &pass("open sesame"), &pass("of another"), cost).unwrap();
    assert!(matches!(
        Vault::rekey(&dir, &pass("open sesame")),
        Err(VaultError::Busy)
    ));
    drop(vault);
    let before = FILES.map(|name| fs::read(dir.join(name)).unwrap());
    assert!(matches!(
        Vault::rekey(&dir, &pass("guess")),
        Err(VaultError::WrongPassphrase)
    ));
    assert!(matches!(
        Vault::rekey(&dir, &pass(&code)),
        Err(VaultError::Invalid { .. })
    ));
    assert_eq!(before, FILES.map(|name| fs::read(dir.join(name)).unwrap()));

    let done = Vault::rekey(&dir, &pass("open sesame")).unwrap();
    assert_eq!(names(&dir), FILES);
    assert_eq!(kettles(&dir, "open sesame"), 40);
    let new_code = done.recovery_code.unwrap();
    assert_eq!(kettles(&dir, &new_code), 40);
    assert_eq!(done.slots_gone, 1);
    for gone in [code.as_str(), "of another"] {
        assert!(matches!(
            Vault::unlock(&dir, &pass(gone)),
            Err(VaultError::WrongPassphrase)
        ));
    }
    let kinds: Vec<_> = Vault::key_slots(&dir)
        .unwrap()
        .iter()
        .map(|slot| slot.kind)
        .collect();
    assert_eq!(kinds, [SlotKind::Passphrase, SlotKind::RecoveryCode]);

    // The old key does not open the new database, nor the new key the old one.
    let after = FILES.map(|name| fs::read(dir.join(name)).unwrap());
    for (database, keys) in [(&before[0], &after[1]), (&after[0], &before[1])] {
        let mixed = keep.path().join("mixed");
        let _ = fs::remove_dir_all(&mixed);
        fs::create_dir(&mixed).unwrap();
        private(&mixed.join("vault.db"), database);
        private(&mixed.join("vault.keys"), keys);
        let refused = Vault::unlock(&mixed, &pass("open sesame"));
        let Err(VaultError::NotAVault { fault, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(fault, Fault::DatabaseOfOther);
    }
}

#[test]
fn between_any_two_of_its_steps_the_vault_opens() {
    let (keep, vault) = vault();
    for number in 0..5 {
        store(&vault, &format!("kettle number {number}"));
    }
    let dir = vault.dir().to_owned();
    drop(vault);
    let [old_database, old_keys] = FILES.map(|name| fs::read(dir.join(name)).unwrap());
    Vault::rekey(&dir, &pass("open sesame")).unwrap();
    let [new_database, new_keys] = FILES.map(|name| fs::read(dir.join(name)).unwrap());
    let half = &new_database[..new_database.len() / 2];
    let states: [&[(&str, &[u8])]; 4] = [
        &[
            ("vault.db", &old_database),
            ("vault.db.00000000aaaa.part", half),
        ],
        &[
            ("vault.db", &old_database),
            ("vault.db.00000000aaaa.part", &new_database),
            ("vault.keys.new", &new_keys[..30]),
        ],
        &[
            ("vault.db", &old_database),
            ("vault.db.00000000aaaa.part", &new_database),
            ("vault.keys.new", &new_keys),
        ],
        &[("vault.db", &new_database), ("vault.keys.new", &new_keys)],
    ];
    for (number, files) in states.iter().enumerate() {
        let state = keep.path().join(format!("state {number}"));
        fs::create_dir(&state).unwrap();
        private(&state.join("vault.keys"), &old_keys);
        for (name, bytes) in *files {
            private(&state.join(name), bytes);
        }
        assert_eq!(kettles(&state, "open sesame"), 5, "state {number}");
        assert!(names(&state).iter().all(|name| !name.contains(".part")));
        Vault::rekey(&state, &pass("open sesame")).unwrap();
        assert_eq!(kettles(&state, "open sesame"), 5, "state {number}");
        assert!(!names(&state).contains(&"vault.keys.new".to_owned()));
    }
}

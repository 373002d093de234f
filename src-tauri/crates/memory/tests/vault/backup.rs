//! Backups: whole, encrypted, restored as they were.

use std::fs;

use memory::{Fault, KdfCost, MemoryId, Vault, VaultError};
use tempfile::TempDir;

use crate::support::{insert, names, pass, record, store, vault, words};

#[test]
fn a_backup_taken_in_use_holds_what_the_log_still_has() {
    let (dir, vault) = vault();
    for number in 0..300 {
        store(&vault, &format!("kettle number {number}"));
    }
    let gone = MemoryId(7);
    vault.write(|w| w.memories().trash(&[gone], 1)).unwrap();
    let log = fs::metadata(vault.dir().join("vault.db-wal")).unwrap();
    assert!(log.len() > 0, "there is something in the log");
    let file = dir.path().join("backup file");
    let written = vault.back_up(&file).unwrap();
    assert_eq!(written.memories, 300);
    store(&vault, "after the backup");
    assert_eq!(names(dir.path()), ["backup file", "v"]);
    let bytes = fs::read(&file).unwrap();
    let plain = b"kettle";
    assert!(!bytes.windows(plain.len()).any(|window| window == plain));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    let elsewhere = dir.path().join("elsewhere");
    assert!(matches!(
        Vault::restore(&file, &elsewhere, &pass("guess"), false, || {
            panic!("nothing is closed for a guess")
        }),
        Err(VaultError::WrongPassphrase)
    ));
    assert!(!Vault::exists(&elsewhere));
    let back = Vault::restore(&file, &elsewhere, &pass("open sesame"), false, || ()).unwrap();
    assert_eq!((back.memories, back.set_aside), (300, None));
    assert_eq!(names(&elsewhere), ["vault.db", "vault.keys"]);
    let restored = Vault::unlock(&elsewhere, &pass("open sesame")).unwrap();
    assert_eq!(words(&restored, "kettle").len(), 100);
    assert_eq!(restored.read(|r| r.memories().trash_count()).unwrap(), 1);
    assert!(restored.check().unwrap().is_empty());
    store(&restored, "written afterwards");
}

#[test]
fn a_vault_in_the_way_is_refused_or_set_aside_and_never_lost() {
    let (dir, vault) = vault();
    store(&vault, "of the backup");
    let file = dir.path().join("backup");
    vault.back_up(&file).unwrap();
    store(&vault, "of later");
    let folder = vault.dir().to_owned();
    let restore = |replace| Vault::restore(&file, &folder, &pass("open sesame"), replace, || ());
    assert!(matches!(restore(false), Err(VaultError::Exists)));
    let close = || vault.lock();
    let done = Vault::restore(&file, &folder, &pass("open sesame"), true, close).unwrap();
    let aside = done.set_aside.unwrap();
    let count = |folder: &std::path::Path| {
        let vault = Vault::unlock(folder, &pass("open sesame")).unwrap();
        vault.read(|r| r.memories().living(0)).unwrap()
    };
    assert_eq!((count(&folder), count(&aside)), (1, 2));
    let again = restore(true).unwrap().set_aside.unwrap();
    assert_ne!(aside, again);
    assert_eq!((count(&folder), count(&aside), count(&again)), (1, 2, 1));
}

#[test]
fn what_is_no_backup_is_neither_restored_nor_replaced() {
    let (dir, vault) = vault();
    store(&vault, "Tea at four");
    let notes = dir.path().join("notes.txt");
    fs::write(&notes, "notes of mine").unwrap();
    let refused = |result: Result<_, VaultError>| match result {
        Err(VaultError::NotAVault { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(vault.back_up(&notes)), Fault::NotABackup);
    let database = vault.dir().join("vault.db");
    assert_eq!(refused(vault.back_up(&database)), Fault::NotABackup);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "notes of mine");

    let file = dir.path().join("backup");
    vault.back_up(&file).unwrap();
    vault.back_up(&file).unwrap();
    let whole = fs::read(&file).unwrap();
    let elsewhere = dir.path().join("elsewhere");
    let mut restored = 0;
    for (cut, flip) in [
        (100, None),
        (whole.len() / 2, None),
        (whole.len(), Some(20_000)),
    ] {
        let mut bytes = whole[..cut].to_vec();
        if let Some(at) = flip {
            bytes[at] ^= 1;
        }
        fs::write(&notes, bytes).unwrap();
        let fault = refused(Vault::restore(
            &notes,
            &elsewhere,
            &pass("open sesame"),
            false,
            || panic!("nothing is closed for a file that is no backup"),
        ));
        assert!(matches!(fault, Fault::NotABackup | Fault::BackupDamaged));
        assert!(names(&elsewhere).is_empty(), "{:?}", names(&elsewhere));
        restored += 1;
    }
    assert_eq!(restored, 3);
    let nowhere = vault.back_up(&dir.path().join("no/such/folder/backup"));
    assert!(matches!(
        nowhere,
        Err(VaultError::File { writing: true, .. })
    ));
}

#[test]
fn a_new_passphrase_opens_later_backups_and_the_old_one_earlier_ones() {
    let (dir, vault) = vault();
    insert(&vault, &record("k", "Tea at four"));
    let (early, late) = (dir.path().join("early"), dir.path().join("late"));
    vault.back_up(&early).unwrap();
    let new = pass("new words");
    Vault::change_passphrase(vault.dir(), &pass("open sesame"), &new, KdfCost::TEST).unwrap();
    vault.back_up(&late).unwrap();
    for (file, secret) in [(&early, "open sesame"), (&late, "new words")] {
        let target = TempDir::new().unwrap();
        let folder = target.path().join("v");
        Vault::restore(file, &folder, &pass(secret), false, || ()).unwrap();
        assert!(Vault::unlock(&folder, &pass(secret)).is_ok());
    }
}

//! Opening: what is a vault, whose, and what is none.

use std::fs;

use memory::{Fault, KdfCost, Passphrase, SCHEMA_VERSION, Vault, VaultError};
use tempfile::TempDir;

use crate::support::{insert, pass, record, store, vault};

/// What is wrong, and with which file.
fn fault(result: Result<Vault, VaultError>) -> (Fault, String) {
    match result.unwrap_err() {
        VaultError::NotAVault { path, fault } => {
            let name = path.file_name().unwrap().to_string_lossy();
            (fault, name.into_owned())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_stored_is_there_after_reopening() {
    let (_dir, vault) = vault();
    let id = store(&vault, "Tea at four");
    let path = vault.dir().to_owned();
    drop(vault);
    let vault = Vault::unlock(&path, &pass("open sesame")).unwrap();
    let memory = vault.read(|r| r.memories().get(id)).unwrap().unwrap();
    assert_eq!(memory.content, "Tea at four");
    assert_eq!(vault.epoch(), 1);
}

#[test]
fn strange_passphrases_open_what_they_closed_and_nothing_else() {
    let long = "x".repeat(200);
    let strange = [
        "o'neil\"; --",
        "密码は秘密 비밀번호",
        " leading blank",
        "leading blank",
        "x'00'",
        &long,
        "👩\u{200d}💻",
    ];
    for (index, text) in strange.iter().enumerate() {
        let dir = TempDir::new().unwrap();
        drop(Vault::create(dir.path(), &pass(text), KdfCost::TEST).unwrap());
        for (other_index, other) in strange.iter().enumerate() {
            let opened = Vault::unlock(dir.path(), &pass(other));
            if index == other_index {
                assert!(opened.is_ok(), "{text:?}");
            } else {
                assert!(
                    matches!(opened, Err(VaultError::WrongPassphrase)),
                    "{other:?} on {text:?}"
                );
            }
        }
    }
    let dir = TempDir::new().unwrap();
    drop(Vault::create(dir.path(), &pass("cafe\u{301} 한"), KdfCost::TEST).unwrap());
    let composed = pass("caf\u{e9} \u{1112}\u{1161}\u{11ab}");
    assert!(Vault::unlock(dir.path(), &composed).is_ok());
    assert!(matches!(
        Passphrase::new(String::new()),
        Err(VaultError::WeakPassphrase)
    ));
}

#[test]
fn a_wrong_passphrase_touches_nothing() {
    let (_dir, vault) = vault();
    store(&vault, "Tea at four");
    let path = vault.dir().to_owned();
    drop(vault);
    let before = (
        fs::read(path.join("vault.db")),
        fs::read(path.join("vault.keys")),
    );
    assert!(matches!(
        Vault::unlock(&path, &pass("open sesam")),
        Err(VaultError::WrongPassphrase)
    ));
    let after = (
        fs::read(path.join("vault.db")),
        fs::read(path.join("vault.keys")),
    );
    assert_eq!(before.0.unwrap(), after.0.unwrap());
    assert_eq!(before.1.unwrap(), after.1.unwrap());
}

#[test]
fn nothing_there_and_something_there_already() {
    let dir = TempDir::new().unwrap();
    assert!(!Vault::exists(dir.path()));
    assert!(matches!(
        Vault::unlock(dir.path(), &pass("p")),
        Err(VaultError::NoVault)
    ));
    assert!(matches!(
        Vault::unlock(&dir.path().join("missing"), &pass("p")),
        Err(VaultError::NoVault)
    ));
    drop(Vault::create(dir.path(), &pass("p"), KdfCost::TEST).unwrap());
    assert!(Vault::exists(dir.path()));
    assert!(matches!(
        Vault::create(dir.path(), &pass("q"), KdfCost::TEST),
        Err(VaultError::Exists)
    ));
    assert!(Vault::unlock(dir.path(), &pass("p")).is_ok());
}

#[test]
fn every_fault_of_the_files_is_told_from_the_others() {
    let database = || "vault.db".to_owned();
    let whole = || {
        let dir = TempDir::new().unwrap();
        drop(Vault::create(dir.path(), &pass("p"), KdfCost::TEST).unwrap());
        dir
    };
    let unlock = |dir: &TempDir| fault(Vault::unlock(dir.path(), &pass("p")));

    let dir = TempDir::new().unwrap();
    memory::prepare_sqlite().unwrap();
    let plain = rusqlite::Connection::open(dir.path().join("vault.db")).unwrap();
    plain.execute_batch("CREATE TABLE t(x)").unwrap();
    drop(plain);
    assert_eq!(unlock(&dir), (Fault::Plain, database()));
    assert!(matches!(
        Vault::create(dir.path(), &pass("p"), KdfCost::TEST),
        Err(VaultError::Exists)
    ));

    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("vault.db")).unwrap();
    assert_eq!(unlock(&dir), (Fault::Folder, database()));

    let dir = whole();
    fs::write(dir.path().join("vault.db"), "").unwrap();
    assert_eq!(unlock(&dir), (Fault::Empty, database()));
    fs::remove_file(dir.path().join("vault.db")).unwrap();
    assert_eq!(unlock(&dir), (Fault::DatabaseMissing, database()));

    let dir = whole();
    fs::remove_file(dir.path().join("vault.keys")).unwrap();
    assert_eq!(unlock(&dir), (Fault::KeysMissing, database()));
    assert!(matches!(
        Vault::create(dir.path(), &pass("p"), KdfCost::TEST),
        Err(VaultError::Exists)
    ));
    let keys = || "vault.keys".to_owned();
    fs::write(dir.path().join("vault.keys"), "tea").unwrap();
    assert_eq!(unlock(&dir), (Fault::KeysDamaged, keys()));
    fs::remove_file(dir.path().join("vault.keys")).unwrap();
    fs::create_dir(dir.path().join("vault.keys")).unwrap();
    assert_eq!(unlock(&dir), (Fault::Folder, keys()));

    let (dir, other) = (whole(), whole());
    fs::copy(other.path().join("vault.db"), dir.path().join("vault.db")).unwrap();
    assert_eq!(unlock(&dir), (Fault::DatabaseOfOther, database()));

    let file = dir.path().join("a file");
    fs::write(&file, "tea").unwrap();
    let unlocked = fault(Vault::unlock(&file, &pass("p")));
    assert_eq!(unlocked, (Fault::FileForFolder, "a file".to_owned()));
    let created = fault(Vault::create(&file, &pass("p"), KdfCost::TEST));
    assert_eq!(created, (Fault::FileForFolder, "a file".to_owned()));

    let long = dir.path().join("x".repeat(300));
    for result in [
        Vault::unlock(&long, &pass("p")),
        Vault::create(&long, &pass("p"), KdfCost::TEST),
    ] {
        match result.unwrap_err() {
            VaultError::File { path, kind, .. } => {
                assert_eq!(kind, std::io::ErrorKind::InvalidFilename);
                assert!(path.starts_with(&long));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn damage_is_told_from_a_wrong_passphrase() {
    let (_dir, vault) = vault();
    store(&vault, "Tea at four");
    let path = vault.dir().to_owned();
    drop(vault);
    let unlock = || fault(Vault::unlock(&path, &pass("open sesame"))).0;
    let database = path.join("vault.db");
    let whole = fs::read(&database).unwrap();
    let mut damaged = whole.clone();
    damaged[100] ^= 1;
    fs::write(&database, &damaged).unwrap();
    assert_eq!(unlock(), Fault::FirstPage);
    assert!(matches!(
        Vault::unlock(&path, &pass("wrong")),
        Err(VaultError::WrongPassphrase)
    ));
    fs::write(&database, &whole).unwrap();

    // One flipped digit of the wrapped key must not read as a wrong passphrase.
    let keys = path.join("vault.keys");
    let text = fs::read_to_string(&keys).unwrap();
    let at = text.find("\"wrapped\": \"").unwrap() + 15;
    let mut flipped = text.clone().into_bytes();
    flipped[at] = if flipped[at] == b'0' { b'1' } else { b'0' };
    fs::write(&keys, flipped).unwrap();
    assert_eq!(unlock(), Fault::KeysDamaged);
    fs::write(&keys, &text).unwrap();
    assert!(Vault::unlock(&path, &pass("open sesame")).is_ok());

    // Another vault's keys, even under the same passphrase.
    let other = TempDir::new().unwrap();
    drop(Vault::create(other.path(), &pass("open sesame"), KdfCost::TEST).unwrap());
    fs::copy(other.path().join("vault.keys"), &keys).unwrap();
    assert_eq!(unlock(), Fault::DatabaseOfOther);

    // A key file from before it said whose database it is for.
    let line = text.find("\"database\"").unwrap();
    let comma = text[..line].rfind(',').unwrap();
    let older = format!("{}\n}}\n", &text[..comma]);
    fs::write(&keys, older).unwrap();
    assert!(Vault::unlock(&path, &pass("open sesame")).is_ok());
    fs::write(&database, &damaged).unwrap();
    assert_eq!(unlock(), Fault::FirstPageOrOther);
}

#[test]
fn a_key_file_cannot_make_an_unlock_cost_what_it_likes() {
    use sha2::{Digest as _, Sha256};
    let dir = TempDir::new().unwrap();
    drop(Vault::create(dir.path(), &pass("p"), KdfCost::TEST).unwrap());
    let keys = dir.path().join("vault.keys");
    let text = fs::read_to_string(&keys).unwrap();
    for (name, value) in [("memory_kib", 2_097_152), ("passes", 64), ("lanes", 64)] {
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file["slots"][0]["cost"][name] = value.into();
        let slot = &file["slots"][0];
        let field = |name: &str| slot[name].as_str().unwrap().to_owned();
        let cost = |name: &str| slot["cost"][name].as_u64().unwrap();
        let mut digest = Sha256::new();
        digest.update(format!(
            "lethescope-keys/1/{}/{}/{}/{}/{}/{}",
            field("kind"),
            field("kdf"),
            cost("memory_kib"),
            cost("passes"),
            cost("lanes"),
            field("salt")
        ));
        digest.update(field("nonce"));
        digest.update(field("wrapped"));
        digest.update(file["key_check"].as_str().unwrap());
        file["checksum"] = hex::encode(digest.finalize()).into();
        fs::write(&keys, file.to_string()).unwrap();
        assert_eq!(
            fault(Vault::unlock(dir.path(), &pass("p"))),
            (Fault::KeysTooCostly, "vault.keys".to_owned()),
            "{name}"
        );
    }
}

#[test]
fn migrating_again_changes_nothing_and_newer_vaults_are_refused() {
    let (_dir, vault) = vault();
    let path = vault.dir().to_owned();
    let schema = |vault: &Vault| {
        vault
            .read(|r| {
                assert_eq!(r.schema()?, SCHEMA_VERSION);
                let mut statement = r
                    .connection()
                    .prepare("SELECT name || coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
                let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
                Ok(rows.collect::<Result<Vec<_>, _>>()?)
            })
            .unwrap()
    };
    let before = schema(&vault);
    assert!(before.len() > 20);
    drop(vault);
    let vault = Vault::unlock(&path, &pass("open sesame")).unwrap();
    assert_eq!(schema(&vault), before);
    vault
        .write(|w| Ok(w.connection().pragma_update(None, "user_version", 99)?))
        .unwrap();
    drop(vault);
    assert!(matches!(
        Vault::unlock(&path, &pass("open sesame")),
        Err(VaultError::TooNew {
            found: 99,
            known: SCHEMA_VERSION
        })
    ));
}

#[cfg(unix)]
#[test]
fn folder_and_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_dir, vault) = vault();
    store(&vault, "Tea at four");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(vault.dir()), 0o700);
    let mut files = 0;
    for entry in fs::read_dir(vault.dir()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        files += 1;
    }
    assert_eq!(files, 4, "database, log, shared memory, keys");
}

#[test]
fn statements_that_would_write_plaintext_are_refused() {
    let (dir, vault) = vault();
    let aside = dir.path().join("aside.db");
    let attach = format!("ATTACH '{}' AS aside KEY ''", aside.display());
    for sql in [
        attach.as_str(),
        "ATTACH '' AS aside",
        "PRAGMA temp_store = FILE",
        "PRAGMA TEMP_STORE = 1",
        "PRAGMA rekey = 'x'",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA cipher_log = stderr",
        "SELECT load_extension('x')",
    ] {
        assert!(
            vault
                .read(|r| Ok(r.connection().execute_batch(sql)?))
                .is_err(),
            "{sql}"
        );
        assert!(
            vault
                .write(|w| Ok(w.connection().execute_batch(sql)?))
                .is_err(),
            "{sql}"
        );
    }
    let computed = vault.write(|w| {
        w.connection()
            .execute("ATTACH ? AS aside", [aside.to_str().unwrap()])?;
        Ok(())
    });
    assert!(computed.is_err());
    assert!(!aside.exists());
    let temp_store: i64 = vault
        .read(|r| {
            Ok(r.connection()
                .query_row("PRAGMA temp_store", [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(temp_store, 2);
}

#[test]
fn reads_cannot_write() {
    let (_dir, vault) = vault();
    let result = vault.read(|r| Ok(r.connection().execute("DELETE FROM memories", [])?));
    assert!(
        matches!(result, Err(VaultError::Sqlite { code: 8 })),
        "{result:?}"
    );
}

#[test]
fn a_full_disk_is_named_and_leaves_nothing_half_written() {
    let (_dir, vault) = vault();
    store(&vault, "before");
    let error = vault
        .write(|w| {
            let pages: i64 = w
                .connection()
                .query_row("PRAGMA page_count", [], |row| row.get(0))?;
            let cap = format!("PRAGMA max_page_count = {}", pages + 20);
            w.connection().execute_batch(&cap)?;
            for number in 0..10_000 {
                let text = format!("{number} {}", "filling the disk ".repeat(20));
                w.memories()
                    .insert(&record(&number.to_string(), &text), 1)?;
            }
            Ok(())
        })
        .unwrap_err();
    assert!(matches!(error, VaultError::DiskFull), "{error:?}");
    vault
        .write(|w| {
            assert_eq!(w.memories().count(&memory::Filter::default(), 0)?, 1);
            w.connection()
                .execute_batch("PRAGMA max_page_count = 1000000")?;
            w.check_keyword_indexes()
        })
        .unwrap();
    insert(&vault, &record("after", "after"));
}

#[test]
fn locked_vaults_answer_nothing() {
    let (_dir, vault) = vault();
    let clone = vault.clone();
    vault.lock();
    vault.lock();
    assert!(clone.is_locked());
    assert!(matches!(clone.read(|r| r.epoch()), Err(VaultError::Locked)));
    assert!(matches!(clone.write(|_| Ok(())), Err(VaultError::Locked)));
}

//! Work on the files of an open vault: it is closed for it and open again, without having been locked.

use std::fs;
use std::sync::{Arc, Mutex};

use inspector::Inspector;
use inspector::error::ErrorCode;
use inspector::request::ListRequest;
use inspector::view::{Notice, VaultState};

use crate::support::{PASSPHRASE, Sandbox};

const OTHER: &str = "seven copper kettles on a quiet shelf";

struct Window {
    sandbox: Sandbox,
    inspector: Inspector,
    told: Arc<Mutex<Vec<Notice>>>,
}

/// The demo's memories in a person's vault, open.
fn window() -> Window {
    let sandbox = Sandbox::new();
    let inspector = Inspector::for_scripts(sandbox.paths(false));
    inspector.create_demo_vault(PASSPHRASE.into()).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let listening = Arc::clone(&told);
    inspector.subscribe(Box::new(move |notice| {
        if matches!(notice, Notice::Locked | Notice::Reopened) {
            listening.lock().unwrap().push(notice);
        }
    }));
    Window {
        sandbox,
        inspector,
        told,
    }
}

impl Window {
    fn told(&self) -> Vec<Notice> {
        std::mem::take(&mut self.told.lock().unwrap())
    }

    fn memories(&self) -> u32 {
        let page = self.inspector.list_memories(&ListRequest::default());
        page.unwrap().total
    }

    fn assert_locked(&self) {
        assert_eq!(self.inspector.status().unwrap().vault, VaultState::Locked);
    }
}

#[test]
fn another_key_leaves_the_vault_open_and_a_guess_closes_nothing() {
    let window = window();
    let before = window.memories();
    let database = window.sandbox.vault().join("vault.db");
    let head = |bytes: Vec<u8>| bytes[..16].to_vec();
    let old = head(fs::read(&database).unwrap());
    let guess = window.inspector.rekey("guess".into()).unwrap_err();
    assert_eq!(guess.code, ErrorCode::WrongPassphrase);
    assert_eq!((window.memories(), window.told()), (before, vec![]));

    window.inspector.rekey(PASSPHRASE.into()).unwrap();
    assert_ne!(head(fs::read(&database).unwrap()), old);
    assert_eq!(window.memories(), before);
    assert_eq!(window.told(), [Notice::Reopened]);
    // A recovery code opens, but cannot stand in for the passphrase here.
    let code = window.inspector.draw_recovery_code(PASSPHRASE.into());
    let refused = window.inspector.rekey(code.unwrap()).unwrap_err();
    assert_eq!(refused.code, ErrorCode::BadRequest);
    assert_eq!(window.memories(), before, "open as before");
}

#[test]
fn a_script_that_has_nothing_open_opens_nothing() {
    let window = window();
    window.inspector.lock().unwrap();
    window.inspector.rekey(PASSPHRASE.into()).unwrap();
    window.assert_locked();
    assert_eq!(window.told(), [Notice::Locked]);
}

#[test]
fn a_backup_comes_back_open_and_a_wrong_one_closes_nothing() {
    let window = window();
    let inspector = &window.inspector;
    let before = window.memories();
    let file = window.sandbox.path("mine.tar");
    assert!(inspector.back_up(&file, None).unwrap().memories >= before);
    inspector.delete_memories(&["m1".to_owned()]).unwrap();
    inspector
        .change_passphrase(PASSPHRASE.into(), OTHER.into())
        .unwrap();

    let restore =
        |path: &std::path::Path, with: &str| inspector.restore_backup(path, with.to_owned(), true);
    let guess = restore(&file, OTHER).unwrap_err();
    assert_eq!(guess.code, ErrorCode::WrongPassphrase);
    let notes = window.sandbox.write("notes.txt", "tea");
    let refused = restore(notes.as_ref(), PASSPHRASE).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotAVault);
    assert_eq!((window.memories(), window.told()), (before - 1, vec![]));

    let restored = restore(&file, PASSPHRASE).unwrap();
    assert_eq!(window.memories(), before);
    assert_eq!(window.told(), [Notice::Reopened]);
    let aside = restored.set_aside.unwrap();
    assert!(fs::exists(std::path::Path::new(&aside).join("vault.db")).unwrap());
}

#[test]
fn a_damaged_vault_is_mended_and_open_again() {
    let window = window();
    let before = window.memories();
    let database = window.sandbox.vault().join("vault.db");
    // Everything into the file, then one byte of its last page.
    assert!(window.inspector.check().unwrap().sound);
    window.inspector.lock().unwrap();
    let mut bytes = fs::read(&database).unwrap();
    let end = bytes.len();
    bytes[end - 2_000] ^= 1;
    fs::write(&database, &bytes).unwrap();
    window.inspector.unlock(PASSPHRASE.into()).unwrap();
    window.told();

    assert!(!window.inspector.check().unwrap().sound);
    let guess = window.inspector.repair("guess".into()).unwrap_err();
    assert_eq!(guess.code, ErrorCode::WrongPassphrase);
    assert_eq!(window.told(), []);
    let health = window.inspector.repair(PASSPHRASE.into()).unwrap();
    let repair = health.repair.unwrap();
    assert!(health.sound && repair.set_aside.is_some());
    assert_eq!(window.told(), [Notice::Reopened]);
    assert!(window.memories() <= before);
    assert!(window.memories() > 0);
}

#[test]
fn a_word_of_the_memories_is_in_no_file_of_the_vault() {
    let window = window();
    let proof = window.inspector.prove("Payment").unwrap();
    assert!(proof.memories > 0, "the word is stored");
    let found: Vec<u32> = proof.files.iter().map(|file| file.found).collect();
    assert!(
        found.len() >= 2 && found.iter().all(|count| *count == 0),
        "{proof:?}"
    );
    // What the key file says in the clear is found there.
    let proof = window.inspector.prove("argon2id").unwrap();
    let keys = proof.files.iter().find(|file| file.name == "vault.keys");
    assert_eq!(keys.unwrap().found, 1);
    let short = window.inspector.prove("tea").unwrap_err();
    assert_eq!(short.code, ErrorCode::BadRequest);
    assert!(!short.to_string().contains("tea"));
}

//! A vault and a keychain that answers as a test wants it to.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::*;
use crate::keychain::in_memory::InMemory;
use crate::paths::Paths;
use crate::time::system_clock;

const PASSPHRASE: &str = "tulip ladder seven moss";

struct Desk {
    folder: TempDir,
    keychain: Arc<InMemory>,
    inspector: Inspector,
}

fn inspector(folder: &Path, keychain: &Arc<InMemory>) -> Inspector {
    let paths = Paths {
        vault: folder.join("vault"),
        demo: folder.join("demo"),
        evaluation: folder.join("evaluation"),
        models: Vec::new(),
        demo_logs: Vec::new(),
        notices: Vec::new(),
        home: folder.to_path_buf(),
        editor: None,
    };
    Inspector::over(keychain.clone(), paths, false, None, system_clock())
}

/// A locked vault, and a keychain that knows nothing of it.
fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let keychain = Arc::new(InMemory::default());
    let inspector = inspector(folder.path(), &keychain);
    inspector.create_vault(PASSPHRASE.into()).unwrap();
    inspector.lock().unwrap();
    Desk {
        folder,
        keychain,
        inspector,
    }
}

/// The same with a slot for the keychain.
fn desk_with_slot() -> Desk {
    let desk = desk();
    desk.inspector.use_keychain(PASSPHRASE.into()).unwrap();
    desk
}

impl Desk {
    fn opens(&self) -> Result<(), ErrorCode> {
        let opened = self.inspector.open_by_keychain(None);
        self.inspector.lock().unwrap();
        opened.map_err(|error| error.code)
    }

    fn state(&self) -> (bool, KeychainState) {
        let view = self.inspector.keychain().unwrap();
        (view.slot, view.state)
    }

    fn kinds(&self) -> Vec<String> {
        let slots = self.inspector.key_slots().unwrap();
        slots.into_iter().map(|slot| slot.kind).collect()
    }

    fn refuse(&self, error: KeychainError) {
        *self.keychain.refusal.lock() = Some(error);
    }
}

#[test]
fn the_keychain_opens_what_a_passphrase_allowed_it_to() {
    let desk = desk();
    assert_eq!(desk.state(), (false, KeychainState::Ready));
    assert!(!desk.inspector.has_keychain_slot());
    assert_eq!(desk.opens(), Err(ErrorCode::NotFound));
    let wrong = desk.inspector.use_keychain("guess".into()).unwrap_err();
    assert_eq!(wrong.code, ErrorCode::WrongPassphrase);
    assert!(desk.keychain.kept.lock().is_empty());

    let view = desk.inspector.use_keychain(PASSPHRASE.into()).unwrap();
    assert!(view.slot && view.state == KeychainState::Ready);
    assert_eq!(desk.kinds(), ["passphrase", "keychain"]);
    assert_eq!(desk.opens(), Ok(()));
    // Another start of the program, and the passphrase as before.
    let again = inspector(desk.folder.path(), &desk.keychain);
    again.open_by_keychain(None).unwrap();
    again.lock().unwrap();
    again.open(PASSPHRASE.into()).unwrap();
}

#[test]
fn only_the_window_s_button_lets_the_system_ask() {
    let desk = desk_with_slot();
    desk.keychain.dialogs.lock().clear();
    desk.inspector.open_by_keychain(None).unwrap();
    desk.inspector.keychain().unwrap();
    assert!(!desk.keychain.dialogs.lock().contains(&Dialog::Welcome));
    desk.keychain.dialogs.lock().clear();
    desk.inspector.unlock_by_keychain().unwrap();
    assert_eq!(*desk.keychain.dialogs.lock(), [Dialog::Welcome]);
}

#[test]
fn absent_locked_deleted_and_refused_are_four_answers() {
    for (error, code, state) in [
        (
            KeychainError::Absent,
            ErrorCode::KeychainAbsent,
            KeychainState::Absent,
        ),
        (
            KeychainError::Locked,
            ErrorCode::KeychainLocked,
            KeychainState::Locked,
        ),
        (
            KeychainError::NoEntry,
            ErrorCode::KeychainNoEntry,
            KeychainState::NoEntry,
        ),
        (
            KeychainError::Refused("out of tea".into()),
            ErrorCode::KeychainRefused,
            KeychainState::Refused,
        ),
    ] {
        let desk = desk_with_slot();
        desk.refuse(error);
        assert_eq!(desk.opens(), Err(code));
        assert_eq!(desk.state(), (true, state));
        desk.inspector.open(PASSPHRASE.into()).unwrap();
    }
}

#[test]
fn a_keychain_that_hangs_is_not_waited_for() {
    let desk = desk_with_slot();
    *desk.keychain.delay.lock() = Duration::from_secs(20);
    let start = Instant::now();
    let error = desk
        .inspector
        .open_by_keychain(Some(Duration::from_millis(50)))
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::KeychainRefused);
    assert_eq!(error.args["reason"], "it did not answer within 50 ms");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_keychain_that_keeps_nothing_leaves_the_vault_as_it_was() {
    let desk = desk();
    let file = desk.folder.path().join("vault/vault.keys");
    let before = std::fs::read(&file).unwrap();
    for (error, code) in [
        (KeychainError::Absent, ErrorCode::KeychainAbsent),
        (KeychainError::Locked, ErrorCode::KeychainLocked),
    ] {
        desk.refuse(error);
        let refused = desk.inspector.use_keychain(PASSPHRASE.into()).unwrap_err();
        assert_eq!(refused.code, code);
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
}

#[test]
fn a_copy_on_another_machine_is_told_so_and_gets_a_slot_of_its_own() {
    let desk = desk_with_slot();
    let elsewhere = Arc::new(InMemory::default());
    let other = inspector(desk.folder.path(), &elsewhere);
    let error = other.open_by_keychain(None).unwrap_err();
    assert_eq!(error.code, ErrorCode::KeychainNoEntry);
    other.use_keychain(PASSPHRASE.into()).unwrap();
    other.open_by_keychain(None).unwrap();
    assert_eq!(desk.opens(), Ok(()));
    assert_eq!(desk.kinds(), ["passphrase", "keychain", "keychain"]);
    // Once more on the same machine is no third.
    other.use_keychain(PASSPHRASE.into()).unwrap();
    assert_eq!(desk.kinds().len(), 3);
    assert_eq!(elsewhere.kept.lock().len(), 1);
    // Each machine shuts its own door.
    assert!(!other.forget_keychain().unwrap().entry_left);
    assert!(elsewhere.kept.lock().is_empty());
    assert_eq!(desk.opens(), Ok(()));
    assert_eq!(desk.kinds(), ["passphrase", "keychain"]);
}

#[test]
fn another_vault_s_secret_opens_nothing() {
    let (one, two) = (desk_with_slot(), desk_with_slot());
    let foreign = two.keychain.kept.lock().values().next().unwrap().clone();
    one.keychain
        .kept
        .lock()
        .values_mut()
        .for_each(|kept| kept.clone_from(&foreign));
    assert_eq!(one.opens(), Err(ErrorCode::KeychainRefused));
    one.keychain
        .kept
        .lock()
        .values_mut()
        .for_each(|kept| kept.truncate(5));
    assert_eq!(one.opens(), Err(ErrorCode::KeychainRefused));
    // A wrong entry is nobody's guess: the next passphrase need not wait.
    let wrong = one.inspector.inner.wrong_tries.load(Relaxed);
    assert_eq!(wrong, 0);
}

#[test]
fn a_slot_that_is_removed_takes_its_entry_along_when_it_can() {
    let desk = desk_with_slot();
    let last = desk.inspector.remove_key_slot(PASSPHRASE.into(), 1);
    let last = last.unwrap_err();
    assert_eq!(last.code, ErrorCode::BadRequest);
    assert!(last.args["expected"].contains("a person can type"));
    let removed = desk
        .inspector
        .remove_key_slot(PASSPHRASE.into(), 2)
        .unwrap();
    assert!(!removed.entry_left && desk.keychain.kept.lock().is_empty());

    let desk = desk_with_slot();
    desk.refuse(KeychainError::Locked);
    let removed = desk
        .inspector
        .remove_key_slot(PASSPHRASE.into(), 2)
        .unwrap();
    assert!(removed.entry_left);
    assert_eq!(desk.kinds(), ["passphrase"]);
    // The only keychain's slot is known without asking.
    let desk = desk_with_slot();
    desk.refuse(KeychainError::Absent);
    assert!(desk.inspector.forget_keychain().unwrap().entry_left);
    assert_eq!(desk.kinds(), ["passphrase"]);
}

#[test]
fn another_data_key_gets_another_entry_or_none() {
    let desk = desk_with_slot();
    let before: Vec<_> = desk.keychain.kept.lock().keys().cloned().collect();
    let done = desk.inspector.rekey(PASSPHRASE.into()).unwrap();
    assert_eq!((done.keychain, done.slots_gone), (Some(true), 0));
    let after: Vec<_> = desk.keychain.kept.lock().keys().cloned().collect();
    assert!(after.len() == 1 && after != before);
    assert_eq!(desk.opens(), Ok(()));

    desk.refuse(KeychainError::Locked);
    let done = desk.inspector.rekey(PASSPHRASE.into()).unwrap();
    assert_eq!((done.keychain, done.slots_gone), (Some(false), 0));
    assert_eq!(desk.kinds(), ["passphrase"]);

    // An entry that was gone before is one more slot that is gone.
    let desk = desk_with_slot();
    desk.keychain.kept.lock().clear();
    let done = desk.inspector.rekey(PASSPHRASE.into()).unwrap();
    assert_eq!((done.keychain, done.slots_gone), (None, 1));
    let desk = self::desk();
    let done = desk.inspector.rekey(PASSPHRASE.into()).unwrap();
    assert_eq!((done.keychain, done.slots_gone), (None, 0));
}

#[test]
fn a_check_notes_an_entry_that_is_gone() {
    let desk = desk_with_slot();
    let notes = || {
        desk.inspector.open(PASSPHRASE.into()).unwrap();
        let health = desk.inspector.check().unwrap();
        assert!(health.sound);
        let kinds = health.findings.into_iter().map(|one| one.kind);
        kinds.filter(|kind| kind == "keychain").count()
    };
    assert_eq!(notes(), 0);
    desk.refuse(KeychainError::Locked);
    assert_eq!(notes(), 0);
    *desk.keychain.refusal.lock() = None;
    desk.keychain.kept.lock().clear();
    assert_eq!(notes(), 1);
}

//! Changing what opens a vault.

use std::fs;
use std::path::Path;

use memory::{KdfCost, Passphrase, SlotKind, Vault, VaultError};
use tempfile::TempDir;

use crate::support::{pass, store, vault};

/// Whether a vault with the one memory of [`filled`] was opened, and not by another secret than its own.
pub fn is_open(unlocked: Result<Vault, VaultError>) -> bool {
    match unlocked {
        Ok(vault) => {
            assert_eq!(vault.read(|r| r.memories().living(0)).unwrap(), 1);
            true
        }
        Err(VaultError::WrongPassphrase) => false,
        Err(other) => panic!("{other:?}"),
    }
}

fn opens(dir: &Path, secret: &str) -> bool {
    is_open(Vault::unlock(dir, &pass(secret)))
}

pub fn kinds(dir: &Path) -> Vec<SlotKind> {
    let slots = Vault::key_slots(dir).unwrap();
    slots.iter().map(|slot| slot.kind).collect()
}

pub fn filled() -> (TempDir, std::path::PathBuf) {
    let (dir, vault) = vault();
    store(&vault, "Tea at four");
    let path = vault.dir().to_owned();
    (dir, path)
}

fn change(dir: &Path, from: &str, to: &str) -> Result<(), VaultError> {
    Vault::change_passphrase(dir, &pass(from), &pass(to), KdfCost::TEST)
}

#[test]
fn a_new_passphrase_opens_and_the_old_one_does_not_any_more() {
    let (_keep, dir) = filled();
    let before = fs::read(dir.join("vault.keys")).unwrap();
    assert!(matches!(
        change(&dir, "guess", "mine now"),
        Err(VaultError::WrongPassphrase)
    ));
    assert_eq!(fs::read(dir.join("vault.keys")).unwrap(), before);
    change(&dir, "open sesame", "new words").unwrap();
    assert!(opens(&dir, "new words") && !opens(&dir, "open sesame"));
    assert_eq!(kinds(&dir), [SlotKind::Passphrase]);
    let names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    // What is open stays open under the same key.
    let vault = Vault::unlock(&dir, &pass("new words")).unwrap();
    change(&dir, "new words", "newer words").unwrap();
    assert_eq!(vault.read(|r| r.memories().living(0)).unwrap(), 1);
    drop(vault);
    assert!(opens(&dir, "newer words"));
}

#[test]
fn a_recovery_code_opens_however_it_is_typed_and_gives_a_new_passphrase() {
    let (_keep, dir) = filled();
    let first = Vault::draw_recovery_code(&dir, &pass("open sesame")).unwrap();
    assert_eq!(kinds(&dir), [SlotKind::Passphrase, SlotKind::RecoveryCode]);
    let text = fs::read_to_string(dir.join("vault.keys")).unwrap();
    assert!(!text.contains(first.as_str()));
    for typed in [
        first.to_string(),
        first.to_lowercase(),
        first.replace('-', " "),
        format!(" {} ", first.replace('-', "")),
    ] {
        assert!(opens(&dir, &typed));
    }
    let second = Vault::draw_recovery_code(&dir, &pass("open sesame")).unwrap();
    assert!(opens(&dir, &second) && !opens(&dir, &first));
    change(&dir, &second, "remembered again").unwrap();
    assert!(opens(&dir, "remembered again") && !opens(&dir, "open sesame") && opens(&dir, &second));
}

#[test]
fn slots_come_and_go_and_the_last_one_stays() {
    let (_keep, dir) = filled();
    let add =
        |new: &str| Vault::add_passphrase(&dir, &pass("open sesame"), &pass(new), KdfCost::TEST);
    add("second").unwrap();
    assert!(opens(&dir, "second") && opens(&dir, "open sesame"));
    // Changing one leaves the other.
    change(&dir, "second", "third").unwrap();
    assert!(opens(&dir, "third") && opens(&dir, "open sesame") && !opens(&dir, "second"));
    let remove = |by: &str, number| Vault::remove_key_slot(&dir, &pass(by), number);
    for number in [0, 3, u32::MAX] {
        assert!(matches!(remove("third", number), Err(VaultError::NotFound)));
    }
    remove("third", 1).unwrap();
    assert!(opens(&dir, "third") && !opens(&dir, "open sesame"));
    assert!(matches!(remove("third", 1), Err(VaultError::LastKeySlot)));
    assert!(opens(&dir, "third"));
    for number in 0..15 {
        Vault::add_passphrase(
            &dir,
            &pass("third"),
            &pass(&number.to_string()),
            KdfCost::TEST,
        )
        .unwrap();
    }
    assert!(matches!(
        Vault::add_passphrase(&dir, &pass("third"), &pass("seventeenth"), KdfCost::TEST),
        Err(VaultError::Invalid { .. })
    ));
    assert!(opens(&dir, "14"));
}

#[test]
fn changes_at_once_lose_none_of_each_other() {
    let (_keep, dir) = filled();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let dir = &dir;
            scope.spawn(move || {
                let new = Passphrase::new(format!("of thread {number}")).unwrap();
                Vault::add_passphrase(dir, &pass("open sesame"), &new, KdfCost::TEST).unwrap();
            });
        }
    });
    assert_eq!(kinds(&dir).len(), 9);
    for number in 0..8 {
        assert!(opens(&dir, &format!("of thread {number}")));
    }
}

//! A slot whose secret lies in a keychain. The keychain here is whatever the test holds on to.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use memory::{KdfCost, KeychainEntry, SlotKind, Vault, VaultError};

use crate::slots::{filled, is_open, kinds};
use crate::support::pass;

/// Adds a slot, and gives back what the keychain was given.
fn keep(dir: &Path, by: &str, instead_of: Option<&str>) -> Result<KeychainEntry, VaultError> {
    let mut kept = None;
    Vault::add_keychain_slot(dir, &pass(by), instead_of, |entry| {
        kept = Some(entry.clone());
        Ok::<_, VaultError>(())
    })?;
    Ok(kept.unwrap())
}

fn opens(dir: &Path, entry: &KeychainEntry) -> bool {
    is_open(Vault::unlock_by_keychain(dir, entry))
}

#[test]
fn what_was_kept_opens_the_vault_and_the_passphrase_still_does() {
    let (_keep, dir) = filled();
    let entry = keep(&dir, "open sesame", None).unwrap();
    assert!(opens(&dir, &entry));
    assert!(Vault::unlock(&dir, &pass("open sesame")).is_ok());
    assert_eq!(kinds(&dir), [SlotKind::Passphrase, SlotKind::Keychain]);
    let slots = Vault::key_slots(&dir).unwrap();
    assert_eq!(slots[0].kept_as, None);
    assert_eq!(slots[1].kept_as.as_deref(), Some(entry.name()));
    // The key file holds the name, never the secret, however it may be spelt.
    let text = fs::read_to_string(dir.join("vault.keys")).unwrap();
    assert!(text.contains(entry.name()));
    let spelt = entry
        .secret()
        .iter()
        .fold(String::new(), |mut spelt, byte| {
            write!(spelt, "{byte:02x}").unwrap();
            spelt
        });
    assert!(!text.contains(&spelt));
    // Nobody types it.
    assert!(matches!(
        Vault::unlock(&dir, &pass(&spelt)),
        Err(VaultError::WrongPassphrase)
    ));
}

#[test]
fn another_secret_or_another_vault_s_does_not_open_it() {
    let (_keep, dir) = filled();
    let (_other_keep, other) = filled();
    let entry = keep(&dir, "open sesame", None).unwrap();
    let foreign = keep(&other, "open sesame", None).unwrap();
    assert!(!opens(&dir, &foreign));
    let mixed = KeychainEntry::read(entry.name(), foreign.secret()).unwrap();
    assert!(!opens(&dir, &mixed));
    assert!(opens(&dir, &entry) && opens(&other, &foreign));
}

#[test]
fn a_slot_that_was_given_another_salt_does_not_open() {
    let (_keep, dir) = filled();
    let entry = keep(&dir, "open sesame", None).unwrap();
    let path = dir.join("vault.keys");
    let other = "0".repeat(32);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(entry.name(), &other)).unwrap();
    let renamed = KeychainEntry::read(&other, entry.secret()).unwrap();
    assert!(matches!(
        Vault::unlock_by_keychain(&dir, &renamed),
        Err(VaultError::NotAVault { .. })
    ));
}

#[test]
fn nothing_changes_when_the_passphrase_is_wrong_or_the_keychain_refuses() {
    let (_keep, dir) = filled();
    let before = fs::read(dir.join("vault.keys")).unwrap();
    let mut asked = false;
    let wrong = Vault::add_keychain_slot(&dir, &pass("guess"), None, |_| {
        asked = true;
        Ok::<_, VaultError>(())
    });
    assert!(matches!(wrong, Err(VaultError::WrongPassphrase)) && !asked);
    let refused =
        Vault::add_keychain_slot(&dir, &pass("open sesame"), None, |_| Err(VaultError::Busy));
    assert!(matches!(refused, Err(VaultError::Busy)));
    assert_eq!(fs::read(dir.join("vault.keys")).unwrap(), before);
}

#[test]
fn a_new_slot_takes_the_place_of_the_named_one_and_joins_the_others() {
    let (_keep, dir) = filled();
    let first = keep(&dir, "open sesame", None).unwrap();
    let elsewhere = keep(&dir, "open sesame", None).unwrap();
    let second = keep(&dir, "open sesame", Some(first.name())).unwrap();
    assert!(!opens(&dir, &first) && opens(&dir, &elsewhere) && opens(&dir, &second));
    assert_eq!(kinds(&dir).len(), 3);
}

#[test]
fn a_keychain_alone_is_never_what_is_left() {
    let (_keep, dir) = filled();
    let entry = keep(&dir, "open sesame", None).unwrap();
    let remove = |by: &str, number| Vault::remove_key_slot(&dir, &pass(by), number);
    assert!(matches!(
        remove("open sesame", 1),
        Err(VaultError::LastKeySlot)
    ));
    let code = Vault::draw_recovery_code(&dir, &pass("open sesame")).unwrap();
    remove("open sesame", 1).unwrap();
    assert!(opens(&dir, &entry) && Vault::unlock(&dir, &pass(&code)).is_ok());
    Vault::drop_keychain_slot(&dir, entry.name()).unwrap();
    assert!(!opens(&dir, &entry));
    assert_eq!(kinds(&dir), [SlotKind::RecoveryCode]);
    assert!(matches!(
        Vault::drop_keychain_slot(&dir, entry.name()),
        Err(VaultError::NotFound)
    ));
}

#[test]
fn another_passphrase_leaves_the_slot_and_another_data_key_does_not() {
    let (_keep, dir) = filled();
    let entry = keep(&dir, "open sesame", None).unwrap();
    let new = pass("new words");
    Vault::change_passphrase(&dir, &pass("open sesame"), &new, KdfCost::TEST).unwrap();
    assert!(opens(&dir, &entry));
    let done = Vault::rekey(&dir, &new).unwrap();
    assert_eq!(done.slots_gone, 1);
    assert!(!opens(&dir, &entry));
    let entry = keep(&dir, "new words", None).unwrap();
    assert!(opens(&dir, &entry));
}

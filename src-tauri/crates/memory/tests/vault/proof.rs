//! What lies on the disk says nothing, and looking at it disturbs nobody.

use std::collections::BTreeMap;

use memory::{StorageKind, Vault};

use crate::support::{pass, store, vault};

const WORD: &str = "kettledrum";

fn forms() -> [Vec<u8>; 2] {
    let wide = WORD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [WORD.as_bytes().to_vec(), wide]
}

#[test]
fn a_stored_word_is_in_no_file_and_a_word_of_the_key_file_is_found_there() {
    let (_keep, vault) = vault();
    for number in 0..200 {
        store(&vault, &format!("{WORD} number {number}"));
    }
    let forms = forms();
    let sought: Vec<&[u8]> = forms.iter().map(Vec::as_slice).collect();
    let files = vault.files_on_disk(32, &sought).unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    assert_eq!(
        names,
        ["vault.db", "vault.db-wal", "vault.db-shm", "vault.keys"]
    );
    for file in &files {
        assert_eq!((file.found, file.head.len()), (0, 32), "{}", file.name);
        let known = std::fs::metadata(vault.dir().join(file.name)).unwrap();
        assert_eq!(file.bytes, known.len(), "{}", file.name);
    }
    assert_ne!(&files[0].head[..15], b"SQLite format 3");

    // The scan can find something: what stands in the key file, once for each slot.
    let found = |sought: &[&[u8]]| {
        let files = vault.files_on_disk(0, sought).unwrap();
        let found: Vec<u64> = files.iter().map(|file| file.found).collect();
        found
    };
    assert_eq!(found(&[b"argon2id"]), [0, 0, 0, 1]);
    // And in the others: how each of them begins.
    assert_eq!(found(&[&files[0].head])[0], 1);
    assert_eq!(found(&[&files[1].head])[1], 1);
    assert!(found(&[&files[2].head])[2] >= 1);
}

/// Looking at the files takes no lock away: another process still cannot end the log.
#[cfg(target_os = "linux")]
#[test]
fn who_reads_keeps_the_locks() {
    let (_keep, vault) = vault();
    store(&vault, "Tea at four");
    let locks = || {
        let own = format!(" {} ", std::process::id());
        let text = std::fs::read_to_string("/proc/locks").unwrap();
        text.lines().filter(|line| line.contains(&own)).count()
    };
    let before = locks();
    vault.files_on_disk(32, &[b"kettle"]).unwrap();
    assert_eq!(locks(), before);
    assert!(before > 0, "an open vault holds a lock on its index");
}

#[test]
fn every_page_belongs_to_a_kind() {
    let (_keep, vault) = vault();
    for number in 0..300 {
        store(&vault, &format!("kettle number {number}"));
    }
    let storage = vault.storage().unwrap();
    let bytes: BTreeMap<StorageKind, u64> =
        storage.iter().map(|one| (one.kind, one.bytes)).collect();
    let memories = storage
        .iter()
        .find(|one| one.kind == StorageKind::Memories)
        .unwrap();
    assert_eq!(memories.rows, Some(300));
    assert!(bytes[&StorageKind::Keywords] > 0);
    let dir = vault.dir().to_owned();
    vault.lock();
    drop(vault);
    // With the log emptied into it, the file is its pages and nothing else.
    let vault = Vault::unlock(&dir, &pass("open sesame")).unwrap();
    vault.check().unwrap();
    let all: u64 = vault.storage().unwrap().iter().map(|one| one.bytes).sum();
    let size = std::fs::metadata(dir.join("vault.db")).unwrap().len();
    assert_eq!(all, size);
}

//! Making one memory of several.

use memory::{Edit, Expiry, Inserted, Memory, MemoryId, Trust, Vault, VaultError};

use crate::support::{NOW, insert, record, store, vault, words};

fn get(vault: &Vault, id: MemoryId) -> Memory {
    vault.read(|r| r.memories().get(id)).unwrap().unwrap()
}

fn merge(vault: &Vault, ids: &[MemoryId], text: &str) -> Result<Memory, VaultError> {
    let members: Vec<_> = ids.iter().map(|&id| (id, None)).collect();
    vault.write(|w| w.memories().merge(&members, text, NOW + 9))
}

fn edit(vault: &Vault, id: MemoryId, edit: &Edit) {
    vault
        .write(|w| w.memories().edit(id, edit, None, NOW))
        .unwrap();
}

#[test]
fn one_stays_with_everything_the_others_had() {
    let (_dir, vault) = vault();
    let a = store(&vault, "kettle is blue");
    let b = store(&vault, "kettle stands in the kitchen");
    let marked = Edit {
        tags: Some(vec!["home".to_owned()]),
        pinned: Some(true),
        trust: Some(Trust::Flagged),
        expires: Some(Expiry::At(NOW + 50)),
        ..Edit::default()
    };
    edit(&vault, b, &marked);
    let (first, second) = (get(&vault, a), get(&vault, b));

    let merged = merge(&vault, &[a, b], "the blue kettle stands in the kitchen").unwrap();
    assert_eq!(merged.id, a);
    assert_eq!(merged.content, "the blue kettle stands in the kitchen");
    assert_eq!(merged.created_at, first.created_at);
    assert_eq!(merged.provenance, first.provenance);
    assert_eq!(merged.tags, ["home"]);
    assert!(merged.pinned);
    // Merging is no way around the approval of flagged text, nor a way to lose something sooner.
    assert_eq!(merged.trust, Trust::Flagged);
    assert_eq!(merged.expires_at, None);
    assert_eq!(merged.seen_count, first.seen_count + second.seen_count);
    assert_eq!(words(&vault, "kettle"), [a]);
    assert!(get(&vault, b).deleted_at.is_some());
    let history = vault.read(|r| r.memories().history(a)).unwrap();
    assert_eq!(history[0].content, "kettle is blue");

    let next = vault.read(|r| r.undo().next()).unwrap().unwrap();
    assert_eq!(next, "merge of 2 memories into m1");
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    let (one, two) = (get(&vault, a), get(&vault, b));
    assert_eq!(one.content, first.content);
    assert_eq!(one.seen_count, first.seen_count);
    assert_eq!(two, second);
    vault.write(|w| w.check_keyword_indexes()).unwrap();
}

#[test]
fn what_was_seen_after_it_stays_counted_when_it_is_undone() {
    let (_dir, vault) = vault();
    let a = store(&vault, "one");
    let b = store(&vault, "two");
    merge(&vault, &[a, b], "one and two").unwrap();
    vault
        .write(|w| {
            let sql = "UPDATE memories SET seen_count = seen_count + 1, last_seen_at = ?";
            w.connection().execute(sql, [NOW + 77])?;
            Ok(())
        })
        .unwrap();
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(get(&vault, a).seen_count, 2);
    assert_eq!(get(&vault, a).last_seen_at, NOW + 77);
}

#[test]
fn what_cannot_be_merged_is_refused_and_left_as_it_is() {
    let (_dir, vault) = vault();
    let a = store(&vault, "one");
    let b = store(&vault, "two");
    let mut foreign = record("foreign", "three");
    foreign.scope.agent = "another agent".to_owned();
    let Inserted::Stored(c) = insert(&vault, &foreign) else {
        panic!("not stored");
    };
    let invalid = |result| match result {
        Err(VaultError::Invalid { what }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(invalid(merge(&vault, &[], "text")), "memories");
    assert_eq!(invalid(merge(&vault, &[a, a], "text")), "memories");
    assert_eq!(invalid(merge(&vault, &[a, b], "  ")), "content");
    assert_eq!(invalid(merge(&vault, &[a, b, c], "text")), "scope");
    let gone = merge(&vault, &[a, MemoryId(99)], "text");
    assert!(matches!(gone, Err(VaultError::NotFound)));
    let stale = [(a, Some(1)), (b, Some(7))];
    let stale = vault.write(|w| w.memories().merge(&stale, "text", NOW));
    assert!(matches!(stale, Err(VaultError::Conflict)));
    assert_eq!(vault.read(|r| r.undo().next()).unwrap(), None);
    vault.write(|w| w.memories().trash(&[b], NOW)).unwrap();
    let trashed = merge(&vault, &[a, b], "text");
    assert!(matches!(trashed, Err(VaultError::NotFound)));
    assert_eq!(get(&vault, a).version, 1);
}

#[test]
fn purging_one_of_them_leaves_undo_what_it_can_take_back() {
    let (_dir, vault) = vault();
    let [a, b, c] = ["one", "two", "three"].map(|text| store(&vault, text));
    merge(&vault, &[a, b, c], "all").unwrap();
    vault.write(|w| w.memories().purge(&[b])).unwrap();
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(get(&vault, a).content, "one");
    assert_eq!(get(&vault, c).deleted_at, None);

    merge(&vault, &[a, c], "both").unwrap();
    vault.write(|w| w.memories().purge(&[a])).unwrap();
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(get(&vault, c).deleted_at, None);
}

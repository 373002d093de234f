//! Near duplicates: what waits to be compared, links, and pairs that are kept apart.

use memory::{Edit, MemoryId, Seen, Standing, Vault, VaultError};

use crate::support::{NOW, store, vault};

const DIMENSION: u32 = 4;

/// Stores a text with a vector.
fn embedded(vault: &Vault, text: &str) -> MemoryId {
    let id = store(vault, text);
    give_vector(vault, id);
    id
}

fn give_vector(vault: &Vault, id: MemoryId) {
    vault
        .write(|w| {
            let model = w.embeddings().register("test", DIMENSION)?;
            let memory = w.memories().get(id)?.unwrap();
            let chunk = (0..memory.content.len(), vec![1.0, 0.0, 0.0, 0.0]);
            w.embeddings().put(&model, id, memory.version, &[chunk])?;
            Ok(())
        })
        .unwrap();
}

fn queue(vault: &Vault) -> Vec<i64> {
    let queue = vault.read(|r| r.memories().near_queue(100)).unwrap();
    queue.into_iter().map(|id| id.0).collect()
}

fn roots(vault: &Vault) -> Vec<i64> {
    let roots = vault.read(|r| r.memories().near_roots()).unwrap();
    roots.into_iter().map(|id| id.0).collect()
}

fn seen(id: MemoryId) -> Seen {
    Seen { id, version: 1 }
}

/// A root and two that are linked to it.
fn linked() -> (tempfile::TempDir, Vault, [MemoryId; 3]) {
    let (dir, vault) = vault();
    let ids =
        ["tea at four", "tea is at four", "tea at about four"].map(|text| embedded(&vault, text));
    vault
        .write(|w| {
            w.memories().set_near(seen(ids[0]), Standing::Root)?;
            for &id in &ids[1..] {
                w.memories()
                    .set_near(seen(id), Standing::Linked(seen(ids[0]), 0.97))?;
            }
            Ok(())
        })
        .unwrap();
    (dir, vault, ids)
}

#[test]
fn a_memory_waits_as_soon_as_it_has_a_vector() {
    let (_dir, vault) = vault();
    let id = store(&vault, "tea at four");
    assert!(queue(&vault).is_empty());
    give_vector(&vault, id);
    assert_eq!(queue(&vault), [id.0]);
    vault
        .write(|w| w.memories().set_near(seen(id), Standing::Apart))
        .unwrap();
    assert!(queue(&vault).is_empty() && roots(&vault).is_empty());
}

#[test]
fn links_are_read_from_both_sides() {
    let (_dir, vault, [root, one, other]) = linked();
    let links = vault
        .read(|r| r.memories().near_links(&[root, one, other]))
        .unwrap();
    assert_eq!(links.len(), 2);
    assert_eq!((links[&one].root, links[&one].similarity), (root, 0.97));
    let linked = vault.read(|r| r.memories().linked_to(root)).unwrap();
    assert_eq!(linked, [(one, 0.97), (other, 0.97)]);
    assert_eq!((roots(&vault), queue(&vault)), (vec![root.0], vec![]));
}

#[test]
fn a_link_goes_with_either_text_and_both_are_compared_anew() {
    let (_dir, vault, [root, one, other]) = linked();
    let edit = |id: MemoryId, text: &str| {
        let edit = Edit {
            content: Some(text.to_owned()),
            ..Edit::default()
        };
        vault
            .write(|w| w.memories().edit(id, &edit, None, NOW))
            .unwrap();
    };
    let tagged = Edit {
        tags: Some(vec!["drinks".to_owned()]),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(one, &tagged, None, NOW))
        .unwrap();
    assert!(queue(&vault).is_empty(), "a tag says nothing else");
    edit(one, "coffee at five");
    assert_eq!(queue(&vault), [one.0]);
    assert_eq!(
        vault.read(|r| r.memories().linked_to(root)).unwrap(),
        [(other, 0.97)]
    );
    edit(root, "milk at six");
    assert_eq!(queue(&vault), [root.0, one.0, other.0]);
    assert!(
        vault
            .read(|r| r.memories().near_links(&[one, other]))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn the_trash_and_a_purge_take_the_links_along() {
    for purge in [false, true] {
        let (_dir, vault, [root, one, other]) = linked();
        vault
            .write(|w| {
                if purge {
                    w.memories().purge(&[root])
                } else {
                    w.memories().trash(&[root], NOW)
                }
            })
            .unwrap();
        assert_eq!(queue(&vault), [one.0, other.0], "purge {purge}");
        assert!(roots(&vault).is_empty());
        if !purge {
            vault.write(|w| w.memories().restore(&[root], NOW)).unwrap();
            assert_eq!(queue(&vault), [root.0, one.0, other.0]);
        }
    }
}

#[test]
fn what_was_changed_since_it_was_read_stays_in_the_queue() {
    let (_dir, vault, [root, one, _]) = linked();
    let edit = Edit {
        content: Some("coffee at five".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(one, &edit, None, NOW))
        .unwrap();
    let stale = Standing::Linked(seen(root), 0.97);
    vault
        .write(|w| w.memories().set_near(seen(one), stale))
        .unwrap();
    assert_eq!(queue(&vault), [one.0]);
    let now = Seen {
        id: one,
        version: 2,
    };
    let gone = Seen {
        id: root,
        version: 7,
    };
    vault
        .write(|w| w.memories().set_near(now, Standing::Linked(gone, 0.97)))
        .unwrap();
    assert_eq!(queue(&vault), [one.0]);
    vault.write(|w| w.memories().set_near(now, stale)).unwrap();
    assert!(queue(&vault).is_empty());
}

#[test]
fn pairs_are_kept_apart_until_that_is_taken_back() {
    let (_dir, vault, [root, one, other]) = linked();
    let keep = |ids: &[MemoryId]| vault.write(|w| w.memories().keep_apart(ids, NOW));
    assert_eq!(keep(&[other, root, other]).unwrap(), 1);
    assert_eq!(keep(&[root, one, other]).unwrap(), 2);
    let kept = vault.read(|r| r.memories().kept_apart()).unwrap();
    assert_eq!(kept, [(root, one), (root, other), (one, other)]);
    assert_eq!(
        queue(&vault),
        [root.0, one.0, other.0],
        "links are made anew"
    );
    assert!(matches!(keep(&[one]), Err(VaultError::Invalid { .. })));
    assert!(matches!(
        keep(&[one, MemoryId(99)]),
        Err(VaultError::NotFound)
    ));
    let joined = vault
        .write(|w| w.memories().let_join(&[one, root, other]))
        .unwrap();
    assert_eq!(joined, 3);
    keep(&[root, one]).unwrap();
    vault.write(|w| w.memories().purge(&[one])).unwrap();
    assert!(
        vault
            .read(|r| r.memories().kept_apart())
            .unwrap()
            .is_empty()
    );
}

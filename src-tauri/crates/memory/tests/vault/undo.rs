//! Taking back.

use memory::{Edit, ListQuery, Memory, MemoryId, Trust, Vault, VaultError};
use proptest::prelude::*;

use crate::support::{NOW, record, store, vault, words};

fn everything(vault: &Vault) -> Vec<Memory> {
    let mut all = Vec::new();
    for trash in [false, true] {
        let query = ListQuery {
            trash,
            limit: 100,
            ..ListQuery::default()
        };
        all.extend(vault.read(|r| r.memories().list(&query)).unwrap().1);
    }
    all.sort_by_key(|memory| memory.id);
    for memory in &mut all {
        memory.version = 0;
    }
    all
}

#[test]
fn the_words_name_the_action_and_no_text() {
    let (_dir, vault) = vault();
    let a = store(&vault, "secretword");
    let b = store(&vault, "other");
    let undo = || vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(undo(), None);
    let edit = Edit {
        content: Some("new secretword".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(a, &edit, None, NOW))
        .unwrap();
    vault.write(|w| w.memories().trash(&[a, b], NOW)).unwrap();
    vault.write(|w| w.memories().restore(&[b], NOW)).unwrap();
    assert_eq!(
        vault.read(|r| r.undo().next()).unwrap().unwrap(),
        "restoring of m2"
    );
    assert_eq!(undo().unwrap(), "restoring of m2");
    assert_eq!(undo().unwrap(), "deletion of 2 memories");
    assert_eq!(undo().unwrap(), "edit of m1");
    assert_eq!(undo(), None);
    assert_eq!(words(&vault, "secretword"), [a]);
    assert!(words(&vault, "new").is_empty());
}

#[test]
fn actions_that_changed_nothing_are_not_in_the_way() {
    let (_dir, vault) = vault();
    let a = store(&vault, "a");
    assert_eq!(
        vault
            .write(|w| w.memories().trash(&[MemoryId(9)], NOW))
            .unwrap(),
        0
    );
    assert_eq!(vault.write(|w| w.memories().restore(&[a], NOW)).unwrap(), 0);
    assert_eq!(vault.read(|r| r.undo().next()).unwrap(), None);
}

#[test]
fn a_change_by_other_means_is_told_and_not_overwritten() {
    let (_dir, vault) = vault();
    let a = store(&vault, "first");
    let edit = Edit {
        content: Some("second".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(a, &edit, None, NOW))
        .unwrap();
    vault
        .write(|w| {
            w.connection().execute(
                "UPDATE memories SET content = 'third', version = version + 1",
                [],
            )?;
            Ok(())
        })
        .unwrap();
    let undone = vault.write(|w| w.undo().undo(NOW));
    assert!(matches!(undone, Err(VaultError::Conflict)));
    assert_eq!(everything(&vault)[0].content, "third");
}

#[test]
fn undo_after_new_records_came_keeps_them() {
    let (_dir, vault) = vault();
    let a = store(&vault, "a");
    vault.write(|w| w.memories().trash(&[a], NOW)).unwrap();
    let b = store(&vault, "b");
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    let ids: Vec<_> = everything(&vault).iter().map(|memory| memory.id).collect();
    assert_eq!(ids, [a, b]);
}

#[derive(Clone, Debug)]
enum Step {
    Text(usize, String),
    Tags(usize, Vec<String>),
    Pin(usize, bool),
    Approve(usize),
    Trash(Vec<usize>),
    Restore(Vec<usize>),
    Merge(Vec<usize>, String),
    Undo,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = || 0..4_usize;
    let word =
        || proptest::sample::select(vec!["red", "green", "blue", "会議"]).prop_map(str::to_owned);
    proptest::collection::vec(
        prop_oneof![
            3 => (at(), word()).prop_map(|(at, word)| Step::Text(at, word)),
            2 => (at(), proptest::collection::vec(word(), 0..3)).prop_map(|(at, tags)| Step::Tags(at, tags)),
            1 => (at(), any::<bool>()).prop_map(|(at, pin)| Step::Pin(at, pin)),
            1 => at().prop_map(Step::Approve),
            2 => proptest::collection::vec(at(), 0..4).prop_map(Step::Trash),
            2 => proptest::collection::vec(at(), 0..4).prop_map(Step::Restore),
            2 => (proptest::collection::vec(at(), 0..4), word()).prop_map(|(at, text)| Step::Merge(at, text)),
            1 => Just(Step::Undo),
        ],
        0..25,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_sequence_undone_gives_the_start(steps in steps()) {
        let (_dir, vault) = vault();
        for text in ["alpha", "beta", "gamma", "delta"] {
            let mut new = record(text, text);
            new.tags = vec![text.to_owned()];
            vault.write(|w| w.memories().insert(&new, NOW)).unwrap();
        }
        let start = everything(&vault);
        let id = |at: &usize| MemoryId(*at as i64 + 1);
        for (number, step) in steps.iter().enumerate() {
            let now = NOW + number as i64;
            let done = vault.write(|w| {
                let memories = w.memories();
                let edit = match step {
                    Step::Trash(at) => {
                        memories.trash(&at.iter().map(id).collect::<Vec<_>>(), now)?;
                        return Ok(());
                    }
                    Step::Restore(at) => {
                        memories.restore(&at.iter().map(id).collect::<Vec<_>>(), now)?;
                        return Ok(());
                    }
                    Step::Merge(at, text) => {
                        let members: Vec<_> = at.iter().map(|at| (id(at), None)).collect();
                        memories.merge(&members, text, now)?;
                        return Ok(());
                    }
                    Step::Undo => {
                        w.undo().undo(now)?;
                        return Ok(());
                    }
                    Step::Text(at, text) => (at, Edit { content: Some(text.clone()), ..Edit::default() }),
                    Step::Tags(at, tags) => (at, Edit { tags: Some(tags.clone()), ..Edit::default() }),
                    Step::Pin(at, pin) => (at, Edit { pinned: Some(*pin), ..Edit::default() }),
                    Step::Approve(at) => (at, Edit { trust: Some(Trust::Approved), ..Edit::default() }),
                };
                memories.edit(id(edit.0), &edit.1, None, now)?;
                Ok(())
            });
            prop_assert!(matches!(done, Ok(()) | Err(VaultError::NotFound | VaultError::Invalid { what: "memories" })), "{:?}", done);
        }
        while vault.write(|w| w.undo().undo(NOW)).unwrap().is_some() {}
        prop_assert_eq!(everything(&vault), start);
        prop_assert_eq!(words(&vault, "alpha OR beta OR gamma OR delta").len(), 4);
        vault.write(|w| w.check_keyword_indexes()).unwrap();
    }
}

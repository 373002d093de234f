//! Vectors and what waits for them.

use memory::{Edit, MemoryId, ModelRow, Put, Vault, VaultError};

use crate::support::{NOW, store, vault};

fn unit(values: [f32; 4]) -> Vec<f32> {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}

fn model(vault: &Vault) -> ModelRow {
    vault.write(|w| w.embeddings().register("tiny", 4)).unwrap()
}

fn put(vault: &Vault, model: &ModelRow, id: MemoryId, vectors: &[[f32; 4]]) -> Put {
    let chunks: Vec<_> = vectors.iter().map(|&vector| (0..1, unit(vector))).collect();
    let version = vault
        .read(|r| r.memories().get(id))
        .unwrap()
        .unwrap()
        .version;
    vault
        .write(|w| w.embeddings().put(model, id, version, &chunks))
        .unwrap()
}

fn waiting(vault: &Vault, model: &ModelRow) -> Vec<MemoryId> {
    let pending = vault.read(|r| r.embeddings().pending(model, 10)).unwrap();
    pending.into_iter().map(|pending| pending.id).collect()
}

fn counts(vault: &Vault, model: &ModelRow) -> (u32, u32) {
    vault.read(|r| r.embeddings().counts(model)).unwrap()
}

#[test]
fn memories_wait_are_embedded_and_found() {
    let (_dir, vault) = vault();
    let a = store(&vault, "before the model");
    let blank = store(&vault, " \n");
    let model = model(&vault);
    assert!(model.active);
    assert_eq!(
        vault.write(|w| w.embeddings().register("tiny", 4)).unwrap(),
        model
    );
    let b = store(&vault, "after the model");
    assert_eq!(waiting(&vault, &model), [b, a]);
    assert_eq!(counts(&vault, &model), (0, 2));
    assert_eq!(
        put(
            &vault,
            &model,
            a,
            &[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
        ),
        Put::Stored
    );
    assert_eq!(put(&vault, &model, b, &[[0.0, 1.0, 1.0, 0.0]]), Put::Stored);
    assert_eq!(counts(&vault, &model), (2, 2));
    assert!(waiting(&vault, &model).is_empty());
    let query = unit([0.0, 1.0, 0.1, 0.0]);
    let near = vault
        .read(|r| r.embeddings().nearest(&model, &query, 5))
        .unwrap();
    assert_eq!(near.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [a, b]);
    let expected = f64::from(query[1]);
    assert!((near[0].1 - expected).abs() < 1e-6, "{near:?}");
    let vectors = vault
        .read(|r| r.embeddings().vectors_of(&model, a))
        .unwrap();
    assert_eq!(vectors.len(), 2);
    assert_eq!(vectors[1].1, unit([0.0, 1.0, 0.0, 0.0]));
    assert_eq!((vectors[1].0.ordinal, vectors[1].0.memory_id), (1, a));
    let chunk = vectors[1].0.clone();
    assert_eq!(
        vault
            .read(|r| r.embeddings().chunk(chunk.chunk_id))
            .unwrap(),
        Some(chunk)
    );
    assert!(
        vault
            .read(|r| r.embeddings().vectors_of(&model, blank))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn reading_whole_blocks_agrees_with_asking_one_by_one() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    // More than one block of vec0 (1024), with holes.
    let mut ids = Vec::new();
    for number in 0..1_100_u16 {
        let id = store(&vault, &format!("memory {number}"));
        put(
            &vault,
            &model,
            id,
            &[[f32::from(number) + 1.0, 1.0, 0.0, 2.0]],
        );
        ids.push(id);
    }
    let edit = Edit {
        content: Some("changed".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| {
            w.memories().edit(ids[3], &edit, None, NOW)?;
            w.memories().trash(&[ids[1_050]], NOW)?;
            w.memories().purge(&[ids[500]])
        })
        .unwrap();
    let mut seen = Vec::new();
    vault
        .read(|r| {
            r.embeddings().for_each(&model, |chunk, id, vector| {
                seen.push((id, chunk, vector.to_vec()));
            })
        })
        .unwrap();
    seen.sort_by_key(|(id, ..)| *id);
    assert_eq!(seen.len(), 1_097);
    for (id, chunk, vector) in seen {
        let vectors = vault
            .read(|r| r.embeddings().vectors_of(&model, id))
            .unwrap();
        assert_eq!(vectors, [(vectors[0].0.clone(), vector)]);
        assert_eq!(vectors[0].0.chunk_id, chunk);
        assert!(![ids[3], ids[500], ids[1_050]].contains(&id));
    }
}

#[test]
fn rebuilding_the_file_after_a_whole_block_went_keeps_the_others() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    // Neighbours too alike would tie in single precision, so one stands apart.
    let direction = |number: u16| match number {
        1_099 => [0.0, 1.0, 0.0, 0.0],
        _ => [f32::from(number) + 1.0, 1.0, 0.0, 2.0],
    };
    let mut ids = Vec::new();
    for number in 0..1_100_u16 {
        let id = store(&vault, &format!("memory {number}"));
        put(&vault, &model, id, &[direction(number)]);
        ids.push(id);
    }
    vault.write(|w| w.memories().purge(&ids[..1_024])).unwrap();
    for (number, &id) in ids.iter().enumerate().skip(1_024) {
        let expected = unit(direction(number as u16));
        let vectors = vault
            .read(|r| r.embeddings().vectors_of(&model, id))
            .unwrap();
        assert_eq!(vectors[0].1, expected);
    }
    let mut seen = 0;
    vault
        .read(|r| r.embeddings().for_each(&model, |_, _, _| seen += 1))
        .unwrap();
    assert_eq!(seen, 76);
    let query = unit(direction(1_099));
    let near = vault
        .read(|r| r.embeddings().nearest(&model, &query, 1))
        .unwrap();
    assert_eq!(near[0].0, ids[1_099]);
    // And the table still takes new ones.
    let id = store(&vault, "new");
    assert_eq!(
        put(&vault, &model, id, &[[0.0, 0.0, 1.0, 0.0]]),
        Put::Stored
    );
    let near = vault
        .read(|r| r.embeddings().nearest(&model, &[0.0, 0.0, 1.0, 0.0], 1))
        .unwrap();
    assert_eq!(near[0].0, id);
}

#[test]
fn an_edit_takes_vectors_away_and_a_label_does_not() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    let id = store(&vault, "likes tea");
    put(&vault, &model, id, &[[1.0, 2.0, 3.0, 4.0]]);
    let before = vault
        .read(|r| r.embeddings().vectors_of(&model, id))
        .unwrap();
    let tag = Edit {
        tags: Some(vec!["drink".to_owned()]),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(id, &tag, None, NOW))
        .unwrap();
    assert_eq!(
        vault
            .read(|r| r.embeddings().vectors_of(&model, id))
            .unwrap(),
        before
    );
    assert!(waiting(&vault, &model).is_empty());

    let text = Edit {
        content: Some("likes sailing".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(id, &text, None, NOW))
        .unwrap();
    assert!(
        vault
            .read(|r| r.embeddings().vectors_of(&model, id))
            .unwrap()
            .is_empty()
    );
    let query = unit([1.0, 2.0, 3.0, 4.0]);
    assert!(
        vault
            .read(|r| r.embeddings().nearest(&model, &query, 5))
            .unwrap()
            .is_empty()
    );
    assert_eq!(waiting(&vault, &model), [id]);

    // A vector of the old text comes too late.
    let late = vault
        .write(|w| w.embeddings().put(&model, id, 2, &[(0..1, query.clone())]))
        .unwrap();
    assert_eq!(late, Put::Stale);
    assert_eq!(waiting(&vault, &model), [id]);
    assert_eq!(
        put(&vault, &model, id, &[[4.0, 3.0, 2.0, 1.0]]),
        Put::Stored
    );
}

#[test]
fn the_trash_keeps_vectors_but_nobody_sees_them() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    let ids: Vec<_> = (0..30)
        .map(|number| store(&vault, &format!("m {number}")))
        .collect();
    for (number, &id) in ids.iter().enumerate() {
        put(
            &vault,
            &model,
            id,
            &[[1.0, number as f32 / 100.0, 0.0, 0.0]],
        );
    }
    let query = unit([1.0, 0.0, 0.0, 0.0]);
    // The nearest 28 go; the two left must still be found although they stand far behind.
    vault
        .write(|w| w.memories().trash(&ids[..28], NOW))
        .unwrap();
    let near = vault
        .read(|r| r.embeddings().nearest(&model, &query, 2))
        .unwrap();
    assert_eq!(
        near.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        ids[28..]
    );
    assert_eq!(counts(&vault, &model), (2, 2));
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    let near = vault
        .read(|r| r.embeddings().nearest(&model, &query, 2))
        .unwrap();
    assert_eq!(near.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ids[..2]);
    assert_eq!(counts(&vault, &model), (30, 30));
}

#[test]
fn unusable_vectors_are_refused_with_a_reason() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    let id = store(&vault, "text");
    for (vector, reason) in [
        (vec![1.0, 0.0], "length"),
        (vec![1.0, f32::NAN, 0.0, 0.0], "none"),
        (vec![0.0; 4], "zero"),
    ] {
        let put = vault
            .write(|w| w.embeddings().put(&model, id, 1, &[(0..4, vector)]))
            .unwrap();
        assert!(
            matches!(put, Put::Refused(why) if why.contains(reason)),
            "{put:?}"
        );
    }
    assert!(waiting(&vault, &model).is_empty());
    assert_eq!(counts(&vault, &model), (0, 1));
    let refused = vault
        .read(|r| r.embeddings().unembeddable(&model, 5))
        .unwrap();
    assert_eq!(refused.len(), 1);
    assert_eq!(
        vault
            .write(|w| w.embeddings().retry_refused(&model))
            .unwrap(),
        1
    );
    assert_eq!(waiting(&vault, &model), [id]);
    let outside = vault.write(|w| w.embeddings().put(&model, id, 1, &[(0..5, unit([1.0; 4]))]));
    assert!(matches!(outside, Err(VaultError::Invalid { .. })));
    for (query, k) in [(vec![1.0], 5), (unit([1.0; 4]), 0)] {
        let result = vault.read(|r| r.embeddings().nearest(&model, &query, k));
        assert!(matches!(result, Err(VaultError::Invalid { .. })));
    }
    let many = vault
        .read(|r| r.embeddings().nearest(&model, &unit([1.0; 4]), 10_000))
        .unwrap();
    assert!(many.is_empty());
}

#[test]
fn a_new_model_fills_its_own_table_before_it_is_switched_to() {
    let (_dir, vault) = vault();
    let old = model(&vault);
    let id = store(&vault, "text");
    put(&vault, &old, id, &[[1.0, 0.0, 0.0, 0.0]]);
    let new = vault.write(|w| w.embeddings().register("wide", 8)).unwrap();
    assert!(!new.active);
    assert_eq!(waiting(&vault, &new), [id]);
    assert_eq!(counts(&vault, &old), (1, 1));
    vault
        .write(|w| w.embeddings().put(&new, id, 1, &[(0..4, vec![0.5; 8])]))
        .unwrap();
    vault.write(|w| w.embeddings().activate(&new)).unwrap();
    let active = vault.read(|r| r.embeddings().active()).unwrap().unwrap();
    assert_eq!(active.model_id, "wide");
    let text = Edit {
        content: Some("other".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(id, &text, None, NOW))
        .unwrap();
    assert_eq!(
        (waiting(&vault, &old), waiting(&vault, &new)),
        (vec![id], vec![id])
    );
}

#[test]
fn the_graph_that_was_stored_last_is_kept_per_model() {
    let (_dir, vault) = vault();
    let (first, second) = vault
        .write(|w| {
            Ok((
                w.embeddings().register("tiny", 4)?,
                w.embeddings().register("wide", 8)?,
            ))
        })
        .unwrap();
    let graph = |model: &ModelRow| vault.read(|r| r.embeddings().graph(model)).unwrap();
    assert_eq!(graph(&first), None);
    for bytes in [&[1_u8, 2, 3][..], &[4]] {
        vault
            .write(|w| w.embeddings().store_graph(&first, Some(bytes)))
            .unwrap();
        assert_eq!(graph(&first).as_deref(), Some(bytes));
    }
    assert_eq!(graph(&second), None);
    vault
        .write(|w| w.embeddings().store_graph(&first, None))
        .unwrap();
    assert_eq!(graph(&first), None);
}

#[test]
fn another_build_of_a_model_takes_over_when_it_is_filled_and_the_old_vectors_go() {
    let (_dir, vault) = vault();
    let id = store(&vault, "a");
    let register = |name: &str| vault.write(|w| w.embeddings().register(name, 4)).unwrap();
    let old = register("tiny@1");
    let foreign = register("other@1");
    assert_eq!(put(&vault, &old, id, &[[1.0, 0.0, 0.0, 0.0]]), Put::Stored);
    let new = register("tiny@2");
    assert!(old.active && !new.active);
    assert_eq!(waiting(&vault, &new), [id]);
    put(&vault, &new, id, &[[0.0, 1.0, 0.0, 0.0]]);
    vault
        .write(|w| {
            w.embeddings()
                .take_over(&new, |name| name.starts_with("tiny@"))
        })
        .unwrap();
    let models = vault.read(|r| r.embeddings().models()).unwrap();
    let names: Vec<_> = models
        .iter()
        .map(|model| (model.model_id.as_str(), model.active))
        .collect();
    assert_eq!(names, [("other@1", false), ("tiny@2", true)]);
    // The other model's queue stands, and what was embedded anew is found.
    assert_eq!(waiting(&vault, &foreign), [id]);
    let found = vault
        .read(|r| {
            r.embeddings()
                .nearest(&models[1], &unit([0.0, 1.0, 0.0, 0.0]), 3)
        })
        .unwrap();
    assert_eq!(found[0].0, id);
}

/// What was kept of a memory's tokens, at its present version.
fn tokens(vault: &Vault, model: &ModelRow, id: MemoryId) -> Option<Vec<u8>> {
    vault
        .read(|r| {
            let version = r.memories().get(id)?.map_or(0, |memory| memory.version);
            r.embeddings().tokens_of(model, id, version)
        })
        .unwrap()
}

fn keep(vault: &Vault, model: &ModelRow, id: MemoryId, version: u32, packed: &[u8]) {
    vault
        .write(|w| w.embeddings().keep_tokens(model, id, version, packed))
        .unwrap();
}

fn edit(vault: &Vault, id: MemoryId, edit: &Edit) {
    vault
        .write(|w| w.memories().edit(id, edit, None, NOW))
        .unwrap();
}

#[test]
fn token_vectors_are_those_of_the_present_text_or_none() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    let [a, b, unread] = ["one", "two", "three"].map(|text| store(&vault, text));
    for id in [a, b] {
        put(&vault, &model, id, &[[1.0, 0.0, 0.0, 0.0]]);
        keep(&vault, &model, id, 1, b"tokens");
    }
    keep(&vault, &model, unread, 1, b"tokens");
    assert_eq!(tokens(&vault, &model, unread), None, "it has no vectors");
    keep(&vault, &model, a, 7, b"of another version");
    assert_eq!(tokens(&vault, &model, a).as_deref(), Some(&b"tokens"[..]));

    let pinned = Edit {
        pinned: Some(true),
        ..Edit::default()
    };
    edit(&vault, a, &pinned);
    assert_eq!(tokens(&vault, &model, a).as_deref(), Some(&b"tokens"[..]));
    let reworded = Edit {
        content: Some("something else".to_owned()),
        ..Edit::default()
    };
    edit(&vault, a, &reworded);
    assert_eq!(tokens(&vault, &model, a), None);

    vault.write(|w| w.memories().trash(&[b], NOW)).unwrap();
    vault.write(|w| w.memories().purge(&[b])).unwrap();
    let counts = vault.read(|r| r.table_counts()).unwrap();
    assert_eq!(counts["token_vectors"], 0);
}

#[test]
fn memories_embedded_without_their_tokens_are_found_newest_first() {
    let (_dir, vault) = vault();
    let model = model(&vault);
    let ids = ["one", "two", "three", "four"].map(|text| store(&vault, text));
    for &id in &ids[..3] {
        put(&vault, &model, id, &[[1.0, 0.0, 0.0, 0.0]]);
    }
    keep(&vault, &model, ids[1], 1, b"tokens");
    let missing = |below| {
        let found = vault.read(|r| r.embeddings().without_tokens(&model, below, 10));
        let found = found.unwrap().into_iter();
        found.map(|item| item.id).collect::<Vec<_>>()
    };
    assert_eq!(missing(MemoryId(i64::MAX)), [ids[2], ids[0]]);
    assert_eq!(missing(ids[2]), [ids[0]]);
    vault.write(|w| w.embeddings().forget_tokens()).unwrap();
    assert_eq!(missing(MemoryId(i64::MAX)), [ids[2], ids[1], ids[0]]);
}

#[test]
fn another_build_of_a_model_takes_the_tokens_of_the_earlier_one_away() {
    let (_dir, vault) = vault();
    let [old, new] =
        ["tiny@1", "tiny@2"].map(|name| vault.write(|w| w.embeddings().register(name, 4)).unwrap());
    let id = store(&vault, "one");
    put(&vault, &old, id, &[[1.0, 0.0, 0.0, 0.0]]);
    keep(&vault, &old, id, 1, b"old");
    put(&vault, &new, id, &[[0.0, 1.0, 0.0, 0.0]]);
    assert_eq!(
        tokens(&vault, &new, id),
        None,
        "never those of another model"
    );
    vault
        .write(|w| w.embeddings().take_over(&new, |_| true))
        .unwrap();
    let counts = vault.read(|r| r.table_counts()).unwrap();
    assert_eq!(counts["token_vectors"], 0);
}

fn keep_words(vault: &Vault, expander: &str, id: MemoryId, version: u32, packed: &[u8]) {
    vault
        .write(|w| w.embeddings().keep_words(expander, id, version, packed))
        .unwrap();
}

fn words(vault: &Vault, expander: &str) -> Vec<(MemoryId, Vec<u8>)> {
    vault
        .read(|r| {
            let mut all = Vec::new();
            r.embeddings()
                .for_each_words(expander, |id, packed| all.push((id, packed.to_vec())))?;
            assert_eq!(r.embeddings().count_words(expander)? as usize, all.len());
            for (id, packed) in &all {
                assert_eq!(
                    r.embeddings().words_of(expander, *id)?.as_ref(),
                    Some(packed)
                );
            }
            Ok(all)
        })
        .unwrap()
}

fn without_words(vault: &Vault, expander: &str, below: i64) -> Vec<MemoryId> {
    let found = vault
        .read(|r| r.embeddings().without_words(expander, MemoryId(below), 10))
        .unwrap();
    found.into_iter().map(|item| item.id).collect()
}

#[test]
fn words_are_those_of_the_present_text_or_none() {
    let (_dir, vault) = vault();
    let [a, b, gone] = ["one", "two", "three"].map(|text| store(&vault, text));
    let blank = store(&vault, " \n");
    assert_eq!(words(&vault, "e@1"), []);
    assert_eq!(without_words(&vault, "e@1", i64::MAX), [gone, b, a]);
    assert_eq!(without_words(&vault, "e@1", gone.0), [b, a]);
    for id in [a, b, gone] {
        keep_words(&vault, "e@1", id, 1, b"words");
    }
    keep_words(&vault, "e@1", a, 7, b"of another version");
    keep_words(&vault, "e@1", MemoryId(99), 1, b"of nothing");
    assert_eq!(words(&vault, "e@1").len(), 3);
    assert!(
        without_words(&vault, "e@1", i64::MAX).is_empty(),
        "{blank} has none"
    );

    let pinned = Edit {
        pinned: Some(true),
        ..Edit::default()
    };
    edit(&vault, a, &pinned);
    assert_eq!(words(&vault, "e@1").len(), 3, "the text is the same");
    let reworded = Edit {
        content: Some("something else".to_owned()),
        ..Edit::default()
    };
    edit(&vault, a, &reworded);
    assert_eq!(without_words(&vault, "e@1", i64::MAX), [a]);

    vault.write(|w| w.memories().trash(&[gone], NOW)).unwrap();
    assert_eq!(words(&vault, "e@1"), [(b, b"words".to_vec())]);
    vault.write(|w| w.memories().restore(&[gone], NOW)).unwrap();
    assert_eq!(words(&vault, "e@1").len(), 2, "they came back with it");
    vault.write(|w| w.memories().trash(&[gone], NOW)).unwrap();
    vault.write(|w| w.memories().purge(&[gone])).unwrap();
    let counts = vault.read(|r| r.table_counts()).unwrap();
    assert_eq!(counts["word_weights"], 1);
}

#[test]
fn words_of_another_build_of_the_expander_are_not_seen_and_are_replaced() {
    let (_dir, vault) = vault();
    let id = store(&vault, "one");
    keep_words(&vault, "e@1", id, 1, b"old");
    assert_eq!(words(&vault, "e@2"), []);
    assert_eq!(without_words(&vault, "e@2", i64::MAX), [id]);
    keep_words(&vault, "e@2", id, 1, b"new");
    assert_eq!(words(&vault, "e@2"), [(id, b"new".to_vec())]);
    assert_eq!(words(&vault, "e@1"), []);
}

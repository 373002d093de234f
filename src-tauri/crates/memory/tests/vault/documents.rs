//! Documents: apart from memories, replaced by id, searched by word and by vector, gone when deleted.

use memory::{DocumentPut, Filter, NewDocument, Vault, VaultError};
use proptest::prelude::*;

use crate::purge::where_found;
use crate::support::{NOW, store, vault};

fn document(id: &str, content: &str) -> NewDocument {
    NewDocument {
        id: id.to_owned(),
        title: format!("On {id}"),
        content: content.to_owned(),
    }
}

/// In two chunks, the second from the middle on.
fn put(vault: &Vault, new: &NewDocument) -> DocumentPut {
    let length = new.content.len();
    let middle = new.content.floor_char_boundary(length / 2);
    let chunks = [0..middle, middle..length];
    vault
        .write(|w| w.documents().put(new, &chunks, NOW))
        .unwrap()
}

fn words(vault: &Vault, expression: &str) -> Vec<(String, u32)> {
    vault
        .read(|r| {
            let ids: Vec<i64> = r
                .documents()
                .words(expression, 50)?
                .into_iter()
                .map(|(id, _)| id)
                .collect();
            Ok(r.documents()
                .chunks(&ids)?
                .into_iter()
                .map(|chunk| (chunk.document, chunk.ordinal))
                .collect())
        })
        .unwrap()
}

#[test]
fn a_document_is_found_by_its_words_and_never_among_memories() {
    let (_dir, vault) = vault();
    let remembered = store(&vault, "kettles in conversation");
    let text = "Kettles are descaled with vinegar. Teapots are rinsed with hot wáter only.";
    assert_eq!(put(&vault, &document("tea", text)), DocumentPut::Stored);
    assert_eq!(words(&vault, "\"kettle\""), [("tea".to_owned(), 0)]);
    assert_eq!(words(&vault, "\"water\""), [("tea".to_owned(), 1)]);
    vault
        .read(|r| {
            let memories = r.words().search("kettles", &Filter::default(), NOW, 9)?;
            assert_eq!(memories.len(), 1);
            assert_eq!(memories[0].0, remembered);
            assert_eq!(r.memories().count(&Filter::default(), NOW)?, 1);
            assert_eq!(r.documents().trigrams("\"apots\"", 9)?.len(), 1);
            assert_eq!(r.documents().containing("hot water")?.len(), 1);
            assert!(r.documents().containing("")?.is_empty());
            let chunk = &r.documents().chunks(&[2, 77, 1])?[0];
            assert_eq!(
                (chunk.ordinal, chunk.of, &text[chunk.range.clone()]),
                (1, 2, chunk.text.as_str())
            );
            let got = r.documents().get("tea")?.unwrap();
            assert_eq!((got.content.as_str(), got.row.chunks), (text, 2));
            assert_eq!(got.row.characters as usize, text.chars().count());
            Ok(())
        })
        .unwrap();
    let bad = vault.read(|r| r.documents().words("\"", 1));
    assert!(matches!(bad, Err(VaultError::Invalid { .. })));
}

#[test]
fn the_same_id_replaces_and_the_same_text_changes_nothing() {
    let (_dir, vault) = vault();
    let first = document("notes", "apples and more apples");
    assert_eq!(put(&vault, &first), DocumentPut::Stored);
    assert_eq!(put(&vault, &first), DocumentPut::Unchanged);
    assert_eq!(
        put(&vault, &document("notes", "pears and more pears")),
        DocumentPut::Replaced
    );
    assert!(words(&vault, "apples").is_empty());
    assert_eq!(words(&vault, "pears").len(), 2);
    vault
        .write(|w| {
            assert_eq!(w.documents().count()?, 1);
            assert_eq!(w.table_counts()?["document_chunks"], 2);
            w.check_keyword_indexes()
        })
        .unwrap();
}

#[test]
fn what_cannot_be_a_document_is_refused_and_the_old_one_stays() {
    let (_dir, vault) = vault();
    put(&vault, &document("notes", "kept as it was"));
    for (new, chunks) in [
        (document(" ", "text"), vec![0..4]),
        (document("notes", " \n"), vec![0..2]),
        (document("notes", "text"), Vec::new()),
        (document("notes", "text"), vec![0..5]),
        (document("notes", "té"), vec![0..2]),
    ] {
        vault
            .write(|w| {
                let refused = w.documents().put(&new, &chunks, NOW);
                assert!(
                    matches!(refused, Err(VaultError::Invalid { .. })),
                    "{chunks:?}"
                );
                Ok(())
            })
            .unwrap();
    }
    assert_eq!(words(&vault, "kept").len(), 1);
}

#[test]
fn vectors_wait_arrive_and_find() {
    let (_dir, vault) = vault();
    put(&vault, &document("a", "one two"));
    put(&vault, &document("b", "three four"));
    let model = vault.write(|w| w.embeddings().register("tiny", 4)).unwrap();
    let waiting = vault.read(|r| r.documents().pending(&model, 9)).unwrap();
    assert_eq!(waiting.len(), 4);
    assert!(
        vault
            .read(|r| r.documents().nearest(&model, &[1.0; 4], 3))
            .unwrap()
            .is_empty()
    );
    let before = vault.read(|r| r.content_epoch()).unwrap();
    vault
        .write(|w| {
            for (at, (chunk, _)) in waiting.iter().enumerate() {
                let mut vector = [0.1; 4];
                vector[at] = 1.0;
                let vector = (at < 3).then_some(&vector[..]);
                w.documents().put_vector(&model, *chunk, vector)?;
                // A second time changes nothing, and neither does a chunk that is gone.
                w.documents().put_vector(&model, *chunk, vector)?;
                w.documents().put_vector(&model, 999, vector)?;
            }
            Ok(())
        })
        .unwrap();
    vault
        .read(|r| {
            assert_eq!(
                r.content_epoch()?,
                before,
                "memories' candidates outlive it"
            );
            assert!(r.documents().pending(&model, 9)?.is_empty());
            assert_eq!(r.documents().counts(&model)?, (3, 4), "one was refused");
            let near = r.documents().nearest(&model, &[0.0, 1.0, 0.0, 0.0], 2)?;
            assert_eq!(near[0].0, waiting[1].0);
            assert!(near[0].1 > 0.98 && near[1].1 < 0.2, "{near:?}");
            assert!(r.documents().nearest(&model, &[1.0; 3], 2).is_err());
            assert!(r.embeddings().nearest(&model, &[1.0; 4], 2)?.is_empty());
            Ok(())
        })
        .unwrap();
    assert!(vault.write(|w| w.documents().delete("a")).unwrap());
    vault
        .read(|r| {
            assert_eq!(r.documents().counts(&model)?, (1, 2));
            assert_eq!(r.documents().nearest(&model, &[1.0; 4], 9)?.len(), 1);
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_byte_of_a_deleted_document_stays() {
    let (_dir, vault) = vault();
    let model = vault.write(|w| w.embeddings().register("tiny", 4)).unwrap();
    put(
        &vault,
        &document("zqxjkward", "the zqxjkward incident, and zqxjkward again"),
    );
    put(&vault, &document("kept", "something else altogether"));
    let vector = [0.314_15_f32, 0.271_82, 0.161_80, 0.141_42];
    let bytes: Vec<u8> = vector
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    vault
        .write(|w| w.documents().put_vector(&model, 1, Some(&vector)))
        .unwrap();
    assert!(where_found(&vault, b"zqxjkward").len() >= 3);
    assert!(!where_found(&vault, &bytes).is_empty());
    assert!(vault.write(|w| w.documents().delete("zqxjkward")).unwrap());
    assert!(!vault.write(|w| w.documents().delete("zqxjkward")).unwrap());
    let left = where_found(&vault, b"zqxjkward");
    assert!(left.is_empty(), "{left:?}");
    assert!(where_found(&vault, &bytes).is_empty());
    vault.write(|w| w.check_keyword_indexes()).unwrap();
    assert_eq!(words(&vault, "altogether").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_indexes_stay_in_step(steps in proptest::collection::vec(
        (0..4_u8, "[a-c项]{2,6} [a-c项]{2,6}", any::<bool>()), 1..12,
    )) {
        let (_dir, vault) = vault();
        for (id, text, delete) in steps {
            let id = format!("d{id}");
            if delete {
                vault.write(|w| w.documents().delete(&id)).unwrap();
            } else {
                put(&vault, &document(&id, &text));
            }
        }
        vault.write(|w| {
            w.check_keyword_indexes()?;
            let documents = w.documents().list()?;
            assert_eq!(w.table_counts()?["document_chunks"] as usize, documents.len() * 2);
            Ok(())
        }).unwrap();
    }
}

//! Golden queries and their judgements.

use memory::{MemoryId, Question, SCHEMA_VERSION, Vault, VaultError};

use crate::support::{NOW, insert, pass, record, store, vault};

fn question(text: &str) -> Question {
    Question {
        text: text.to_owned(),
        mode: "hybrid".to_owned(),
        filter: "{}".to_owned(),
    }
}

#[test]
fn the_first_judgement_makes_a_query_golden_and_the_last_one_takes_it_along() {
    let (_dir, vault) = vault();
    let (a, b) = (store(&vault, "one"), store(&vault, "two"));
    let asked = question("which one?");
    let query = vault
        .write(|w| {
            let query = w.judgements().judge(&asked, a, 3, NOW)?;
            assert_eq!(w.judgements().judge(&asked, b, 0, NOW + 1)?, query);
            w.judgements().judge(&asked, b, 1, NOW + 2)?;
            Ok(query)
        })
        .unwrap();
    let golden = vault.read(|r| r.judgements().golden()).unwrap();
    assert_eq!(golden.len(), 1);
    assert_eq!((golden[0].id, golden[0].created_at), (query, NOW));
    assert_eq!(golden[0].question, asked);
    let grades: Vec<_> = golden[0].grades.iter().map(|(id, g)| (*id, *g)).collect();
    assert_eq!(grades, [(a, 3), (b, 1)]);
    vault
        .write(|w| {
            assert!(w.judgements().withdraw(query, a)?);
            assert!(!w.judgements().withdraw(query, a)?);
            assert_eq!(w.judgements().find(&asked)?, Some(query));
            assert!(w.judgements().withdraw(query, b)?);
            assert_eq!(w.judgements().find(&asked)?, None);
            Ok(())
        })
        .unwrap();
}

#[test]
fn another_mode_or_filter_is_another_query() {
    let (_dir, vault) = vault();
    let a = store(&vault, "one");
    vault
        .write(|w| {
            let first = w.judgements().judge(&question("q"), a, 1, NOW)?;
            let mut other = question("q");
            other.filter = r#"{"agents":["scout"]}"#.to_owned();
            let second = w.judgements().judge(&other, a, 1, NOW)?;
            assert_ne!(first, second);
            assert!(w.judgements().remove(first)?);
            assert!(!w.judgements().remove(first)?);
            assert_eq!(w.judgements().golden()?.len(), 1);
            Ok(())
        })
        .unwrap();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (_dir, vault) = vault();
    let a = store(&vault, "one");
    vault
        .write(|w| {
            let asked = question("q");
            assert!(matches!(
                w.judgements().judge(&asked, a, 4, NOW),
                Err(VaultError::Invalid { what: "grade" })
            ));
            assert!(matches!(
                w.judgements().judge(&asked, MemoryId(99), 1, NOW),
                Err(VaultError::NotFound)
            ));
            let mut bad = question("q");
            bad.filter = "not JSON".to_owned();
            assert!(w.judgements().judge(&bad, a, 1, NOW).is_err());
            assert!(w.judgements().golden()?.is_empty());
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_trash_rests_judgements_and_a_purge_forgets_them() {
    let (_dir, vault) = vault();
    let (a, b) = (store(&vault, "one"), store(&vault, "two"));
    vault
        .write(|w| {
            w.judgements().judge(&question("both"), a, 2, NOW)?;
            w.judgements().judge(&question("both"), b, 1, NOW)?;
            w.judgements().judge(&question("only a"), a, 3, NOW)?;
            w.memories().trash(&[a], NOW)?;
            let golden = w.judgements().golden()?;
            assert_eq!((golden[0].grades.len(), golden[1].grades.len()), (1, 0));
            assert_eq!(w.judgements().grades(golden[0].id)?.get(&a), None);
            w.memories().restore(&[a], NOW)?;
            assert_eq!(w.judgements().golden()?[1].grades.get(&a), Some(&3));
            w.memories().trash(&[a], NOW)?;
            w.memories().purge(&[a])?;
            Ok(())
        })
        .unwrap();
    let golden = vault.read(|r| r.judgements().golden()).unwrap();
    assert_eq!(golden.len(), 1, "the query that only knew it is gone too");
    assert_eq!(golden[0].grades.keys().collect::<Vec<_>>(), [&b]);
    let left: i64 = vault
        .read(|r| {
            Ok(r.connection()
                .query_row("SELECT count(*) FROM judgements", [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(left, 1);
}

#[test]
fn judging_is_not_a_change_of_content() {
    let (_dir, vault) = vault();
    let content = || vault.read(|r| r.content_epoch()).unwrap();
    let start = content();
    let a = store(&vault, "one");
    let stored = content();
    assert!(stored > start);
    let before = vault.epoch();
    vault
        .write(|w| {
            w.judgements().judge(&question("q"), a, 1, NOW)?;
            w.traces().put("{}", NOW)?;
            w.settings().set("theme", "\"dark\"")
        })
        .unwrap();
    assert_eq!(content(), stored);
    assert_eq!(vault.epoch(), before + 1);
    vault.write(|w| w.memories().trash(&[a], NOW)).unwrap();
    let trashed = content();
    assert!(trashed > stored);
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert!(content() > trashed);
}

#[test]
fn a_vault_of_the_first_schema_is_brought_up_to_date() {
    let (dir, vault) = vault();
    let kept = store(&vault, "kept");
    vault
        .write(|w| {
            Ok(w.connection().execute_batch(
                "DROP TABLE kept_apart; DROP TRIGGER near_came; DROP TRIGGER near_changed; \
                 DROP TRIGGER near_went; DROP TABLE near_links; DROP TABLE near_queue; \
                 DROP TABLE word_weights; DROP TABLE expanders; \
                 DROP TABLE token_vectors; DROP TABLE pair_scores; DROP TABLE vector_graphs; DROP TABLE document_words; DROP TABLE document_trigrams; \
                 DROP TABLE document_chunks; DROP TABLE documents; DROP TABLE document_vectors; \
                 DROP TABLE research; DROP TABLE judgements; DROP TABLE golden_queries; \
                 DROP INDEX memories_blank; DROP TRIGGER memory_text_came_back; \
                 DROP TRIGGER memory_text_went; DROP TABLE text_changes; \
                 DROP TABLE holders; DROP TABLE touched; DROP TABLE tombstones; \
                 DROP TABLE withdrawn; DROP TABLE sightings; DROP INDEX memories_file; \
                 ALTER TABLE source_keys DROP COLUMN digest; \
                 ALTER TABLE source_keys DROP COLUMN start; \
                 ALTER TABLE source_keys DROP COLUMN length; \
                 ALTER TABLE files DROP COLUMN subagents; ALTER TABLE files DROP COLUMN digest; \
                 ALTER TABLE files DROP COLUMN open_key; \
                 ALTER TABLE files DROP COLUMN format_asked; UPDATE memories SET fingerprint = x'00'; \
                 ALTER TABLE vault_state DROP COLUMN content; PRAGMA user_version = 1;",
            )?)
        })
        .unwrap();
    drop(vault);
    let vault = Vault::unlock(&dir.path().join("v"), &pass("open sesame")).unwrap();
    let query = vault
        .write(|w| {
            assert_eq!(w.schema()?, SCHEMA_VERSION);
            assert_eq!(w.content_epoch()?, 0);
            w.judgements().judge(&question("q"), kept, 1, NOW)
        })
        .unwrap();
    assert_eq!(
        vault.read(|r| r.judgements().grades(query)).unwrap()[&kept],
        1
    );
    // What it says is known again by its words.
    assert_eq!(
        insert(&vault, &record("another key", "kept")),
        memory::Inserted::Repeated(kept)
    );
}

//! An archive brought in: the same again adds nothing, an empty vault gets the same under the same
//! numbers, and a vault with memories of its own loses none.

use std::collections::BTreeMap;
use std::path::PathBuf;

use memory::{
    Edit, Expiry, Fault, Imported, MemoryId, Prefer, Provenance, Role, Trust, Vault, VaultError,
};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{NOW, insert, pass, record, store, vault, words};

/// Every row of the tables that an archive brings, as text.
fn rows(vault: &Vault) -> BTreeMap<&'static str, Vec<String>> {
    const TABLES: [(&str, &str); 15] = [
        (
            "memories",
            "SELECT json_array(id, org, agent, session, role, kind, created_at, \
            created_at_quality, last_seen_at, seen_count, expires_at, deleted_at, pinned, trust, \
            version, blank, length, file_id, (SELECT path FROM source_paths WHERE id = path_id), \
            source_offset, source_line, hex(fingerprint), tags, tool_name, content, tool_payload) \
            FROM memories ORDER BY id",
        ),
        (
            "memory_text",
            "SELECT json_array(id, content) FROM memory_text ORDER BY id",
        ),
        (
            "memory_tags",
            "SELECT json_array(tag, memory_id) FROM memory_tags ORDER BY 1",
        ),
        (
            "memory_versions",
            "SELECT json_array(memory_id, version, replaced_at, content) \
            FROM memory_versions ORDER BY 1",
        ),
        (
            "source_keys",
            "SELECT json_array(hex(key), memory_id, hex(digest), start, length) \
            FROM source_keys ORDER BY 1",
        ),
        (
            "tombstones",
            "SELECT json_array(hex(fingerprint), memory_id) FROM tombstones ORDER BY 1",
        ),
        (
            "sightings",
            "SELECT json_array(memory_id, at, session, file_id, (SELECT path FROM source_paths \
            WHERE id = path_id), line) FROM sightings ORDER BY 1",
        ),
        ("touched", "SELECT memory_id FROM touched ORDER BY 1"),
        (
            "vectors",
            "SELECT json_array(c.memory_id, c.ordinal, c.start, c.end, \
            hex(v.embedding)) FROM chunks c JOIN embeddings_1 v ON v.chunk_id = c.chunk_id \
            ORDER BY 1",
        ),
        (
            "token_vectors",
            "SELECT json_array(memory_id, version, hex(packed)) FROM token_vectors ORDER BY 1",
        ),
        (
            "word_weights",
            "SELECT json_array(memory_id, (SELECT name FROM expanders WHERE number = expander), \
            hex(packed)) FROM word_weights ORDER BY 1",
        ),
        (
            "embedding_queue",
            "SELECT json_array(model, memory_id) FROM embedding_queue ORDER BY 1",
        ),
        (
            "documents",
            "SELECT json_array(id, title, content, ingested_at) FROM documents",
        ),
        (
            "research",
            "SELECT json_array(key, query, findings) FROM research",
        ),
        (
            "judgements",
            "SELECT json_array(g.text, j.memory_id, j.grade) FROM judgements j \
            JOIN golden_queries g ON g.id = j.query_id ORDER BY 1",
        ),
    ];
    vault
        .read(|r| {
            let mut found = BTreeMap::new();
            for (name, sql) in TABLES {
                let mut statement = r.connection().prepare(sql)?;
                let rows = statement
                    .query_map([], |row| {
                        row.get::<_, String>(0)
                            .or_else(|_| row.get::<_, i64>(0).map(|number| number.to_string()))
                    })?
                    .collect::<Result<Vec<_>, _>>()?;
                found.insert(name, rows);
            }
            Ok(found)
        })
        .unwrap()
}

/// A vault with something of everything.
fn filled() -> (TempDir, Vault) {
    let (dir, vault) = vault();
    for number in 0..12_u8 {
        let mut new = record(&format!("k{number}"), &format!("kettle number {number}"));
        new.tags = vec![format!("t{}", number % 3)];
        new.pinned = number == 2;
        new.scope.org = String::from(if number % 2 == 0 { "north" } else { "" });
        new.expires_at = (number == 4).then_some(NOW + 1_000_000);
        new.trust = if number == 5 {
            Trust::Flagged
        } else {
            Trust::Normal
        };
        insert(&vault, &new);
    }
    let mut again = record("r1", "kettle number 1");
    again.scope.session = Some("s2".to_owned());
    insert(&vault, &again);
    let mut from_file = record("f1", "of a notes file");
    from_file.role = Role::Memory;
    from_file.provenance = Some(Provenance {
        file_id: 7,
        path: "/notes/house.md".to_owned(),
        offset: 12,
        line: 3,
    });
    insert(&vault, &from_file);
    vault
        .write(|w| {
            w.connection().execute(
                "INSERT INTO files(id, path, identity, size, offset, line, head_hash, tail_hash, \
                 records, stored, errors) \
                 VALUES(7, '/notes/house.md', 'i', 99, 99, 9, '', '', 1, 1, 0)",
                [],
            )?;
            Ok(())
        })
        .unwrap();
    let model = vault
        .write(|w| w.embeddings().register("model/one", 4))
        .unwrap();
    vault
        .write(|w| {
            for number in 1..9_u8 {
                let vector = vec![f32::from(number), 1.0, 0.0, 2.0];
                let id = MemoryId(i64::from(number));
                w.embeddings().put(&model, id, 1, &[(0..5, vector)])?;
                w.embeddings().keep_tokens(&model, id, 1, b"tokens")?;
                w.embeddings().keep_words("words@1", id, 1, b"words")?;
            }
            let edit = Edit {
                content: Some("kettle with another lid".to_owned()),
                expires: Some(Expiry::At(NOW + 5)),
                ..Edit::default()
            };
            w.memories().edit(MemoryId(3), &edit, None, NOW)?;
            w.memories().trash(&[MemoryId(7), MemoryId(8)], NOW)?;
            w.memories().purge(&[MemoryId(12)])?;
            let guide = memory::NewDocument {
                id: "guide".to_owned(),
                title: "The guide".to_owned(),
                content: "how to boil".to_owned(),
            };
            w.documents().put(&guide, &[0..3, 4..11], NOW)?;
            Ok(())
        })
        .unwrap();
    (dir, vault)
}

fn archive(dir: &TempDir, vault: &Vault) -> PathBuf {
    let file = dir.path().join("archive.tar");
    vault.back_up(&file).unwrap();
    file
}

fn import(vault: &Vault, file: &std::path::Path, prefer: Prefer) -> Imported {
    let imported = vault
        .import(file, &pass("open sesame"), prefer, NOW)
        .unwrap();
    assert_eq!(vault.check().unwrap(), []);
    imported
}

#[test]
fn the_same_vault_gets_nothing_and_an_empty_one_gets_the_same() {
    let (dir, vault) = filled();
    let file = archive(&dir, &vault);
    let before = rows(&vault);
    let again = import(&vault, &file, Prefer::Mine);
    assert_eq!((again.added, again.known, again.forgotten), (0, 12, 0));
    assert!(again.differing.is_empty());
    assert_eq!((again.documents, again.research), (0, 0));
    assert_eq!(rows(&vault), before);

    let (_keep, empty) = crate::support::vault();
    let first = import(&empty, &file, Prefer::Mine);
    assert_eq!((first.added, first.known, first.documents), (12, 0, 1));
    assert_eq!(rows(&empty), before);
    let second = import(&empty, &file, Prefer::Archive);
    assert_eq!((second.added, second.known, second.documents), (0, 12, 0));
    assert_eq!(rows(&empty), before);
    assert_eq!(words(&empty, "lid"), [MemoryId(3)]);
    // What was deleted there stays gone here, under any name.
    for text in ["kettle number 6", "kettle number 11"] {
        let mut new = record("another name", text);
        new.scope.org = if text.ends_with('6') { "north" } else { "" }.to_owned();
        assert_eq!(insert(&empty, &new), memory::Inserted::Forgotten, "{text}");
    }
    // Numbers go on where they were.
    assert!(store(&empty, "a new one").0 > 13);
}

#[test]
fn memories_of_another_vault_join_and_nobody_loses_a_number() {
    let (dir, theirs) = filled();
    let file = archive(&dir, &theirs);
    let (_keep, mine) = vault();
    for number in 0..5 {
        store(&mine, &format!("lamp number {number}"));
    }
    let mut twin = record("of mine", "kettle number 1");
    twin.tags = vec!["mine".to_owned()];
    insert(&mine, &twin);
    let gone = store(&mine, "kettle number 9");
    mine.write(|w| w.memories().purge(&[gone])).unwrap();
    let lamps = words(&mine, "lamp");

    let joined = import(&mine, &file, Prefer::Mine);
    assert_eq!((joined.added, joined.known, joined.forgotten), (10, 1, 1));
    assert_eq!(joined.differing, [MemoryId(6)]);
    assert_eq!(words(&mine, "lamp"), lamps);
    assert!(words(&mine, "\"number 9\"").is_empty());
    let tags = |vault: &Vault| {
        let memory = vault.read(|r| r.memories().get(MemoryId(6))).unwrap();
        memory.unwrap().tags
    };
    assert_eq!(tags(&mine), ["mine"]);
    let asked = import(&mine, &file, Prefer::Archive);
    assert_eq!((asked.added, asked.known), (0, 11));
    assert_eq!(asked.differing, [MemoryId(6)]);
    assert_eq!(tags(&mine), ["t1"]);
    assert!(import(&mine, &file, Prefer::Mine).differing.is_empty());
}

#[test]
fn an_edit_made_since_is_named_and_kept_unless_the_archive_is_preferred() {
    let (dir, vault) = filled();
    let file = archive(&dir, &vault);
    let text = |id| {
        let memory = vault.read(|r| r.memories().get(MemoryId(id))).unwrap();
        memory.unwrap()
    };
    vault
        .write(|w| {
            let edit = Edit {
                content: Some("now about lamps".to_owned()),
                ..Edit::default()
            };
            w.memories().edit(MemoryId(2), &edit, None, NOW)?;
            w.memories().restore(&[MemoryId(7)], NOW)
        })
        .unwrap();
    let kept = import(&vault, &file, Prefer::Mine);
    assert_eq!(kept.differing, [MemoryId(2), MemoryId(7)]);
    assert_eq!(
        (kept.added, text(2).content.as_str()),
        (0, "now about lamps")
    );
    let taken = import(&vault, &file, Prefer::Archive);
    assert_eq!(taken.differing, [MemoryId(2), MemoryId(7)]);
    assert_eq!(text(2).content, "kettle number 1");
    assert!(text(7).deleted_at.is_some());
    let history = vault.read(|r| r.memories().history(MemoryId(2))).unwrap();
    assert!(history.iter().any(|old| old.content == "now about lamps"));
}

#[test]
fn what_cannot_be_read_brings_nothing_in() {
    let (dir, vault) = filled();
    let file = archive(&dir, &vault);
    let before = rows(&vault);
    let refused = |file: &std::path::Path, secret| {
        let result = vault.import(file, &pass(secret), Prefer::Mine, NOW);
        assert_eq!(rows(&vault), before);
        let names = std::fs::read_dir(vault.dir()).unwrap();
        let parts = names.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().contains(".part")
        });
        assert_eq!(parts.count(), 0);
        result.unwrap_err()
    };
    assert!(matches!(
        refused(&file, "guess"),
        VaultError::WrongPassphrase
    ));
    assert!(matches!(
        refused(&dir.path().join("nowhere"), "open sesame"),
        VaultError::File { .. }
    ));
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(
        refused(&file, "open sesame"),
        VaultError::NotAVault {
            fault: Fault::BackupDamaged,
            ..
        }
    ));
    // Of a newer program: its files, packed as it would pack them.
    let (other, newer) = crate::support::vault();
    store(&newer, "a kettle of the future");
    newer
        .write(|w| Ok(w.connection().execute_batch("PRAGMA user_version = 999")?))
        .unwrap();
    let of_newer = newer.dir().to_owned();
    drop(newer);
    let newer_file = other.path().join("newer.tar");
    let mut packed = tar::Builder::new(std::fs::File::create(&newer_file).unwrap());
    for name in ["vault.keys", "vault.db"] {
        packed
            .append_path_with_name(of_newer.join(name), name)
            .unwrap();
    }
    packed.finish().unwrap();
    let error = refused(&newer_file, "open sesame");
    assert!(matches!(error, VaultError::TooNew { .. }), "{error:?}");
}

/// One thing that a person does.
#[derive(Clone, Debug)]
enum Step {
    Store(u8),
    Tag(u8, u8),
    Rewrite(u8, u8),
    Trash(u8),
    Restore(u8),
    Purge(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..12_u8).prop_map(Step::Store),
        1 => (0..12_u8, 0..3_u8).prop_map(|(a, b)| Step::Tag(a, b)),
        1 => (0..12_u8, 0..12_u8).prop_map(|(a, b)| Step::Rewrite(a, b)),
        1 => (0..12_u8).prop_map(Step::Trash),
        1 => (0..12_u8).prop_map(Step::Restore),
        1 => (0..12_u8).prop_map(Step::Purge),
    ]
}

fn take(vault: &Vault, step: &Step) {
    let id = |number: u8| MemoryId(i64::from(number) + 1);
    let done = vault.write(|w| {
        let memories = w.memories();
        match *step {
            Step::Store(text) => {
                let text = format!("kettle {text}");
                memories.insert(&record(&format!("k {text}"), &text), NOW)?;
            }
            Step::Tag(memory, tag) => {
                let edit = Edit {
                    tags: Some(vec![format!("t{tag}")]),
                    ..Edit::default()
                };
                memories.edit(id(memory), &edit, None, NOW)?;
            }
            Step::Rewrite(memory, text) => {
                let edit = Edit {
                    content: Some(format!("lamp {text}")),
                    ..Edit::default()
                };
                memories.edit(id(memory), &edit, None, NOW)?;
            }
            Step::Trash(memory) => {
                memories.trash(&[id(memory)], NOW)?;
            }
            Step::Restore(memory) => {
                memories.restore(&[id(memory)], NOW)?;
            }
            Step::Purge(memory) => {
                memories.purge(&[id(memory)])?;
            }
        }
        Ok(())
    });
    assert!(matches!(done, Ok(()) | Err(VaultError::NotFound)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn export_then_import_is_the_identity(steps in prop::collection::vec(step(), 1..25)) {
        let (dir, vault) = vault();
        vault.write(|w| w.embeddings().register("model/one", 4)).unwrap();
        for step in &steps {
            take(&vault, step);
        }
        let file = archive(&dir, &vault);
        let before = rows(&vault);
        let again = import(&vault, &file, Prefer::Archive);
        prop_assert_eq!(again.added, 0);
        prop_assert!(again.differing.is_empty());
        prop_assert_eq!(&rows(&vault), &before);
        let (_keep, empty) = crate::support::vault();
        let first = import(&empty, &file, Prefer::Mine);
        prop_assert_eq!(first.known + first.forgotten, 0);
        prop_assert_eq!(&rows(&empty), &before);
    }
}

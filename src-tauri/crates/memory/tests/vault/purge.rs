//! Purged means gone: from every table, every index, every free page.

use memory::{Edit, MemoryId, Vault};

use crate::support::{NOW, record, store, vault};

/// Names of the tables, shadow tables too, in which the bytes still stand.
pub fn where_found(vault: &Vault, needle: &[u8]) -> Vec<String> {
    vault
        .read(|r| {
            let connection = r.connection();
            let tables: Vec<String> = connection
                .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let mut found = Vec::new();
            for table in tables {
                let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
                let columns = statement.column_count();
                let mut rows = statement.query([])?;
                let mut hit = false;
                while let Some(row) = rows.next()? {
                    for column in 0..columns {
                        let value = row.get_ref(column)?;
                        if let Ok(bytes) = value.as_bytes() {
                            hit |= bytes.windows(needle.len()).any(|window| window == needle);
                        }
                    }
                }
                if hit {
                    found.push(table);
                }
            }
            Ok(found)
        })
        .unwrap()
}

#[test]
fn no_byte_of_a_purged_memory_stays() {
    let (_dir, vault) = vault();
    let model = vault.write(|w| w.embeddings().register("tiny", 4)).unwrap();
    let vector = [0.314_15_f32, 0.271_82, 0.161_80, 0.141_42];
    let bytes: Vec<u8> = vector
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let keep = store(&vault, "something to keep");
    let mut new = record("zqxjkward-key", "the zqxjkward incident");
    new.tags = vec!["zqxjkward-tag".to_owned()];
    new.tool_payload = Some("zqxjkward payload".to_owned());
    vault
        .write(|w| {
            w.memories().insert(&new, NOW)?;
            let id = MemoryId(2);
            let edit = Edit {
                content: Some("zqxjkward again".to_owned()),
                ..Edit::default()
            };
            w.memories().edit(id, &edit, None, NOW)?;
            w.memories().trash(&[id, keep], NOW)?;
            w.embeddings()
                .put(&model, id, 2, &[(0..4, vector.to_vec())])?;
            w.embeddings().put(&model, keep, 1, &[(0..4, vec![1.0; 4])])
        })
        .unwrap();
    assert!(where_found(&vault, b"zqxjkward").len() >= 4);
    assert_eq!(
        where_found(&vault, &bytes).len(),
        2,
        "vec0 and its shadow table"
    );

    assert_eq!(
        vault
            .write(|w| w.memories().purge(&[MemoryId(2), MemoryId(77)]))
            .unwrap(),
        1
    );
    assert!(
        where_found(&vault, b"zqxjkward").is_empty(),
        "{:?}",
        where_found(&vault, b"zqxjkward")
    );
    assert!(where_found(&vault, &bytes).is_empty());
    let (free, pending): (i64, i64) = vault
        .read(|r| {
            let free = r
                .connection()
                .query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
            let sql = "SELECT scrub_pending FROM vault_state";
            Ok((free, r.connection().query_row(sql, [], |row| row.get(0))?))
        })
        .unwrap();
    assert_eq!((free, pending), (0, 0));
    let log = std::fs::metadata(vault.dir().join("vault.db-wal"))
        .unwrap()
        .len();
    assert_eq!(log, 0, "the write-ahead log still holds pages");
    // What was trashed together with it can still be undone.
    assert_eq!(
        vault.write(|w| w.undo().undo(NOW)).unwrap().unwrap(),
        "deletion of m1"
    );
    vault.write(|w| w.check_keyword_indexes()).unwrap();
    assert_eq!(
        vault
            .read(|r| r.embeddings().vectors_of(&model, keep))
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_purge_under_a_reader_is_finished_later() {
    let (_dir, vault) = vault();
    let id = store(&vault, "to go");
    let path = vault.dir().to_owned();
    vault
        .read(|r| {
            r.epoch()?;
            vault.write(|w| w.memories().purge(&[id]))
        })
        .unwrap();
    let pending = |vault: &Vault| -> i64 {
        let sql = "SELECT scrub_pending FROM vault_state";
        vault
            .read(|r| Ok(r.connection().query_row(sql, [], |row| row.get(0))?))
            .unwrap()
    };
    assert_eq!(pending(&vault), 1);
    drop(vault);
    let vault = Vault::unlock(&path, &crate::support::pass("open sesame")).unwrap();
    assert_eq!(pending(&vault), 0);
}

//! Damage is found and named, what can be read is read, and a repair loses no more than the page.

use std::fs;
use std::path::Path;

use memory::{Filter, Finding, ListQuery, MemoryId, Sort, Vault, VaultError};

use crate::support::{NOW, pass, record, store, vault, words};

const PAGE: usize = 4096;

fn findings(vault: &Vault) -> Vec<(Finding, String)> {
    let found = vault.check().unwrap();
    found
        .into_iter()
        .map(|one| (one.finding, one.place))
        .collect()
}

#[track_caller]
fn assert_sound(vault: &Vault, when: &str) {
    let found = findings(vault);
    assert!(found.is_empty(), "{when}: {found:?}");
}

fn unlock(dir: &Path) -> Vault {
    Vault::unlock(dir, &pass("open sesame")).unwrap()
}

/// The pages that belong to a table or an index.
fn pages_of(vault: &Vault, name: &str) -> Vec<usize> {
    vault
        .read(|r| {
            let mut statement = r.connection().prepare(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype IN ('leaf', 'overflow')",
            )?;
            let rows = statement.query_map([name], |row| row.get::<_, i64>(0))?;
            Ok(rows.map(|page| page.unwrap() as usize).collect())
        })
        .unwrap()
}

/// How many rows stand on a page.
fn cells_of(vault: &Vault, page: usize) -> u32 {
    vault
        .read(|r| {
            let sql = "SELECT ncell FROM dbstat WHERE pageno = ?";
            Ok(r.connection()
                .query_row(sql, [page as i64], |row| row.get(0))?)
        })
        .unwrap()
}

fn flip(dir: &Path, page: usize) {
    let path = dir.join("vault.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[(page - 1) * PAGE + 2000] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// A vault of 600 memories whose file is complete, and its folder.
fn filled() -> (tempfile::TempDir, std::path::PathBuf) {
    let (dir, vault) = vault();
    vault
        .write(|w| {
            for number in 0..600 {
                let text = format!("kettle number {number} {}", "and words ".repeat(20));
                let mut new = record(&format!("k{number}"), &text);
                new.tags = vec![format!("t{}", number % 7)];
                w.memories().insert(&new, NOW)?;
            }
            Ok(())
        })
        .unwrap();
    let gone: Vec<MemoryId> = (1..=20).map(MemoryId).collect();
    vault.write(|w| w.memories().trash(&gone, NOW)).unwrap();
    vault
        .write(|w| w.memories().purge(&[MemoryId(600)]))
        .unwrap();
    let path = vault.dir().to_owned();
    assert_sound(&vault, "in the end");
    drop(vault);
    (dir, path)
}

fn saved(vault: &Vault) -> (u32, u32) {
    vault
        .read(|r| Ok((r.memories().living(NOW)?, r.memories().trash_count()?)))
        .unwrap()
}

#[test]
fn a_damaged_page_is_named_with_its_table_and_costs_no_more_than_itself() {
    for table in ["memories", "words_data", "memories_facets", "source_keys"] {
        let (_keep, dir) = filled();
        let vault = unlock(&dir);
        let pages = pages_of(&vault, table);
        let page = pages[pages.len() / 2];
        let cells = cells_of(&vault, page);
        drop(vault);
        flip(&dir, page);

        let vault = unlock(&dir);
        let found = findings(&vault);
        assert!(
            found.contains(&(Finding::DamagedPage, table.to_owned())),
            "{table}: {found:?}"
        );
        let trees = found
            .iter()
            .filter(|one| one.0 == Finding::DamagedPage)
            .count();
        assert_eq!(trees, 1, "{found:?}");
        // What stands elsewhere is read as before, one by one.
        let read = (1..600)
            .filter(|&id| matches!(vault.read(|r| r.memories().get(MemoryId(id))), Ok(Some(_))))
            .count();
        assert!(read > 570, "{table}: {read}");
        let (counts, damaged) = vault.count_tables().unwrap();
        assert!(counts.len() > 15 && damaged.len() <= 1, "{damaged:?}");
        drop(vault);

        let before = fs::read(dir.join("vault.db")).unwrap();
        let salvage = Vault::salvage(&dir, &pass("open sesame")).unwrap();
        assert_eq!(
            fs::read(salvage.set_aside.join("vault.db")).unwrap(),
            before,
            "the damaged one is kept as it was"
        );
        let vault = unlock(&dir);
        assert_sound(&vault, table);
        let (living, trash) = saved(&vault);
        if table == "memories" {
            assert_eq!(salvage.lost.keys().collect::<Vec<_>>(), ["memories"]);
            let [Some((first, last))] = salvage.lost["memories"][..] else {
                panic!("{:?}", salvage.lost);
            };
            assert_eq!(last - first + 1, i64::from(599 - living - trash));
            assert_eq!((living, trash), (579 - cells, 20));
        } else {
            assert_eq!((living, trash), (579, 20), "{table}");
            let lost = salvage.lost.contains_key(table);
            assert_eq!(lost, table == "source_keys", "{:?}", salvage.lost);
        }
        assert_eq!(salvage.saved["memories"], u64::from(living + trash));
        let found = vault.read(|r| r.words().search("kettle", &Filter::default(), NOW, 1_000));
        assert_eq!(found.unwrap().len(), living as usize);
        let tagged: u32 = vault
            .read(|r| {
                let sql = "SELECT count(*) FROM memory_tags";
                Ok(r.connection().query_row(sql, [], |row| row.get(0))?)
            })
            .unwrap();
        assert_eq!(tagged, living + trash);
        // A number that was given once is not given again.
        assert_eq!(
            store(&vault, "the first of the repaired vault"),
            MemoryId(601)
        );
    }
}

#[test]
fn what_stands_around_a_damaged_page_is_listed_and_given_out() {
    let (_keep, dir) = filled();
    let vault = unlock(&dir);
    let pages = pages_of(&vault, "memories");
    let page = pages[pages.len() / 3];
    let cells = cells_of(&vault, page);
    drop(vault);
    flip(&dir, page);

    let vault = unlock(&dir);
    let mut given = Vec::new();
    let unreadable = vault
        .each_readable(|memory| {
            given.push(memory.id);
            Ok::<(), VaultError>(())
        })
        .unwrap();
    assert_eq!((unreadable, given.len() as u32), (cells, 599 - cells));
    assert!(given.is_sorted());
    let query = ListQuery {
        filter: Filter::default(),
        contains: None,
        only: None,
        trash: false,
        expired: false,
        sort: Sort::default(),
        offset: 0,
        limit: 600,
        now: NOW,
    };
    let (total, listed, missing) = vault.list(&query).unwrap();
    assert_eq!(
        (total, listed.len() as u32, missing),
        (579 - cells, 579 - cells, cells)
    );
    let trash = ListQuery {
        trash: true,
        ..query.clone()
    };
    assert_eq!(vault.list(&trash).unwrap().0, 20);
    // Pages of the list join without a gap.
    let second = ListQuery {
        offset: 100,
        limit: 50,
        ..query
    };
    assert_eq!(vault.list(&second).unwrap().1, listed[100..150]);
}

#[test]
fn an_index_out_of_step_is_found_and_built_anew_from_the_rows() {
    let (_keep, dir) = filled();
    let vault = unlock(&dir);
    vault
        .write(|w| {
            w.connection().execute_batch(
                "INSERT INTO words(words, rowid, content, tool_name, tool_payload) \
                 VALUES('delete', 30, 'kettle', '', ''); \
                 DROP TRIGGER memory_text_deleted; DROP TRIGGER memory_text_went; \
                 DELETE FROM memory_text WHERE id = 40;",
            )?;
            Ok(())
        })
        .unwrap();
    let found = findings(&vault);
    assert!(
        found.contains(&(Finding::KeywordIndex, "words".to_owned())),
        "{found:?}"
    );
    assert!(
        found.contains(&(Finding::SearchableCopy, "memory_text".to_owned())),
        "{found:?}"
    );
    vault.rebuild_indexes().unwrap();
    assert_sound(&vault, "in the end");
    assert_eq!(words(&vault, "\"number 39\"").len(), 1);
}

/// Gives some of the memories a vector each.
fn embed(vault: &Vault) {
    let model = vault
        .write(|w| w.embeddings().register("model/one", 4))
        .unwrap();
    vault
        .write(|w| {
            for number in 21..60_u8 {
                let vector = vec![f32::from(number), 1.0, 0.0, 2.0];
                w.embeddings()
                    .put(&model, MemoryId(i64::from(number)), 1, &[(0..5, vector)])?;
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_damaged_page_of_the_vectors_is_named_and_costs_the_vectors_alone() {
    let (_keep, dir) = filled();
    let vault = unlock(&dir);
    embed(&vault);
    assert_sound(&vault, "before");
    let table = "embeddings_1_vector_chunks00";
    let page = pages_of(&vault, table)[0];
    drop(vault);
    flip(&dir, page);

    let vault = unlock(&dir);
    let found = findings(&vault);
    assert!(
        found.contains(&(Finding::DamagedPage, table.to_owned())),
        "{found:?}"
    );
    drop(vault);
    Vault::salvage(&dir, &pass("open sesame")).unwrap();
    let vault = unlock(&dir);
    assert_sound(&vault, "after");
    assert_eq!(saved(&vault), (579, 20));
}

#[test]
fn vectors_out_of_step_are_found_and_waited_for_again() {
    let breaks: [(&str, &[(Finding, &str)]); 5] = [
        (
            "DELETE FROM chunks WHERE memory_id = 30",
            &[(Finding::Vectors, "embeddings_1")],
        ),
        (
            "DELETE FROM embeddings_1 WHERE chunk_id = 12",
            &[(Finding::Vectors, "embeddings_1")],
        ),
        (
            "DELETE FROM embedding_queue WHERE memory_id = 300",
            &[(Finding::Vectors, "embeddings_1")],
        ),
        (
            "UPDATE embedding_models SET active = 0",
            &[(Finding::Model, "embedding_models")],
        ),
        (
            "DELETE FROM embedding_models",
            &[(Finding::Model, "chunks")],
        ),
    ];
    for (sql, expected) in breaks {
        let (_keep, dir) = filled();
        let vault = unlock(&dir);
        embed(&vault);
        assert_sound(&vault, sql);
        vault
            .write(|w| Ok(w.connection().execute_batch(sql)?))
            .unwrap();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(finding, place)| (finding, place.to_owned()))
            .collect();
        assert_eq!(findings(&vault), expected, "{sql}");
        vault.rebuild_indexes().unwrap();
        assert_sound(&vault, sql);
        let (embedded, wanted) = vault
            .read(|r| {
                let found = r.embeddings().find("model/one", 4)?;
                found.map_or(Ok((0, 579)), |model| r.embeddings().counts(&model))
            })
            .unwrap();
        assert!(
            embedded <= 39 && wanted == 579,
            "{sql}: {embedded} {wanted}"
        );
    }
}

#[cfg(unix)]
#[test]
fn files_that_others_may_read_are_named_and_taken_back() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_keep, dir) = filled();
    let keys = dir.join("vault.keys");
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    let vault = unlock(&dir);
    assert_eq!(
        findings(&vault),
        [(Finding::Permissions, "vault.keys".to_owned())]
    );
    vault.rebuild_indexes().unwrap();
    assert_sound(&vault, "in the end");
}

#[test]
fn nothing_is_salvaged_under_an_open_vault() {
    let (_keep, dir) = filled();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "health::holder"])
        .env("LETHESCOPE_HELD", &dir)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let held = dir.join("held");
    while !held.exists() {
        std::thread::yield_now();
    }
    let refused = Vault::salvage(&dir, &pass("open sesame"));
    assert!(matches!(refused, Err(VaultError::Busy)), "{refused:?}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    Vault::salvage(&dir, &pass("open sesame")).unwrap();
}

/// The other half of the test before: has the vault open until its standard input ends.
#[test]
#[ignore = "runs in a process of its own"]
fn holder() {
    let Some(folder) = std::env::var_os("LETHESCOPE_HELD") else {
        return;
    };
    let vault = unlock(Path::new(&folder));
    fs::write(Path::new(&folder).join("held"), "").unwrap();
    let mut rest = String::new();
    std::io::stdin().read_line(&mut rest).unwrap();
    assert_eq!(saved(&vault).1, 20);
}

//! A secret word never reaches the disk in the clear.

use std::path::Path;
use std::process::Command;

use memory::{Edit, Filter, KdfCost, MemoryId, NewDocument, NewResearch, Vault};
use tempfile::TempDir;

use crate::support::{NOW, pass, record};

const SECRET: &str = "quetzalcanary";
const FOLDER: &str = "LETHESCOPE_CANARY_FOLDER";

fn assert_clean(folder: &Path) {
    let utf16 = |big: bool| -> Vec<u8> {
        SECRET
            .encode_utf16()
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    };
    let needles = [SECRET.as_bytes().to_vec(), utf16(false), utf16(true)];
    let mut bytes_read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        bytes_read += bytes.len();
        for needle in &needles {
            assert!(
                !bytes.windows(needle.len()).any(|window| window == needle),
                "{}",
                path.display()
            );
        }
    }
    assert!(bytes_read > 100_000, "there was nothing to look at");
}

fn fill(vault: &Vault) {
    let model = vault.write(|w| w.embeddings().register("tiny", 4)).unwrap();
    for batch in 0..10 {
        vault
            .write(|w| {
                for number in 0..50 {
                    let mut new = record(
                        &format!("{SECRET}-{batch}-{number}"),
                        &format!("{SECRET} {batch} {number} {}", "and words ".repeat(30)),
                    );
                    new.tags = vec![SECRET.to_owned()];
                    new.tool_payload = Some(SECRET.to_owned());
                    w.memories().insert(&new, NOW)?;
                }
                let id = MemoryId(batch * 50 + 1);
                let edit = Edit {
                    content: Some(format!("{SECRET} edited {batch}")),
                    ..Edit::default()
                };
                w.memories().edit(id, &edit, None, NOW)?;
                w.memories().trash(&[MemoryId(batch * 50 + 2)], NOW)?;
                w.settings().set(SECRET, &format!("\"{SECRET}\""))?;
                w.traces().put(&format!("\"{SECRET}\""), NOW)?;
                let research = NewResearch {
                    query: format!("{SECRET} {batch}"),
                    findings: SECRET.to_owned(),
                    sources: Vec::new(),
                    tokens: 1,
                };
                w.research().put(&research, NOW)?;
                let document = NewDocument {
                    id: format!("{SECRET} {batch}"),
                    title: SECRET.to_owned(),
                    content: format!("{SECRET} in a document"),
                };
                w.documents().put(&document, &[0..SECRET.len()], NOW)?;
                let (chunk, _) = w.documents().pending(&model, 1)?.remove(0);
                w.documents().put_vector(&model, chunk, Some(&[1.0; 4]))?;
                w.embeddings().put(&model, id, 2, &[(0..1, vec![1.0; 4])])
            })
            .unwrap();
        vault
            .read(|r| {
                let sorted = r.words().search(SECRET, &Filter::default(), NOW, 1_000)?;
                assert!(!sorted.is_empty());
                r.words().tokens(SECRET)
            })
            .unwrap();
    }
}

#[test]
fn after_writes_a_checkpoint_and_closing() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::create(dir.path(), &pass(SECRET), KdfCost::TEST).unwrap();
    fill(&vault);
    assert_clean(dir.path());
    vault.write(|w| w.memories().purge(&[MemoryId(3)])).unwrap();
    assert_clean(dir.path());
    vault.lock();
    assert_clean(dir.path());
}

/// The other half of the next test: writes and dies without closing anything.
#[test]
#[ignore = "runs in a process of its own"]
fn dying_writer() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let vault = Vault::unlock(Path::new(&folder), &pass(SECRET)).unwrap();
    fill(&vault);
    vault
        .write(|w| {
            for number in 0..200 {
                w.memories()
                    .insert(&record(&format!("last {number}"), SECRET), NOW)?;
            }
            std::process::abort();
            #[allow(unreachable_code)]
            Ok(())
        })
        .unwrap();
}

#[cfg(unix)]
#[test]
fn after_a_process_was_killed_in_the_middle_of_a_write() {
    let dir = TempDir::new().unwrap();
    drop(Vault::create(dir.path(), &pass(SECRET), KdfCost::TEST).unwrap());
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "canary::dying_writer"])
        .env(FOLDER, dir.path())
        .output()
        .unwrap();
    assert!(!child.status.success());
    assert!(dir.path().join("vault.db-wal").metadata().unwrap().len() > 0);
    assert_clean(dir.path());
    for output in [&child.stdout, &child.stderr] {
        assert!(!String::from_utf8_lossy(output).contains(SECRET));
    }
    // Recovery writes the shared-memory file anew.
    let vault = Vault::unlock(dir.path(), &pass(SECRET)).unwrap();
    assert_clean(dir.path());
    let count = vault
        .read(|r| r.memories().count(&Filter::default(), NOW))
        .unwrap();
    assert_eq!(
        count, 490,
        "all committed transactions, nothing of the last"
    );
    vault.write(|w| w.check_keyword_indexes()).unwrap();
    fs_is_whole(&vault);
}

fn fs_is_whole(vault: &Vault) {
    let result: String = vault
        .read(|r| {
            Ok(r.connection()
                .query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(result, "ok");
}

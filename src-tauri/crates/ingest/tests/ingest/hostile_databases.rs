//! Databases that are not what they seem: others', encrypted, damaged, and made to do harm.

use std::path::Path;

use memory::{KdfCost, Kind, Passphrase, Role, Vault};
use rusqlite::Connection;
use serde_json::json;

use crate::databases::{event, made, program, sample, take};
use crate::support::{Bench, reasons};

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    std::fs::create_dir(bench.path("own")).unwrap();
    let program = program(&bench, "own/opencode.db");
    program
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        .unwrap();
    for statement in sample("opencode").1 {
        program.execute_batch(&statement).unwrap();
    }
    for (folder, files) in [("log and index", 3), ("log alone", 2), ("closed", 1)] {
        let folder = bench.path(folder);
        std::fs::create_dir(&folder).unwrap();
        for end in ["", "-wal", "-shm"].iter().take(files) {
            let name = format!("opencode.db{end}");
            std::fs::copy(bench.path("own").join(&name), folder.join(&name)).unwrap();
        }
        if files == 1 {
            let path = folder.join("opencode.db");
            std::fs::remove_file(&path).unwrap();
            program
                .execute("VACUUM INTO ?", [path.to_str().unwrap()])
                .unwrap();
            let closed = Connection::open(&path).unwrap();
            closed.execute_batch("PRAGMA journal_mode = WAL").unwrap();
        }
        let lock = |mode| {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                std::fs::set_permissions(path, PermissionsExt::from_mode(mode & 0o644)).unwrap();
            }
            std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
        };
        lock(0o555);
        // Whoever may write everywhere is not stopped by that.
        let free = std::fs::write(folder.join("probe"), "").is_ok();
        let reader = Bench::new();
        let report = take(&reader, &folder.join("opencode.db"));
        lock(0o755);
        if files == 1 && !free {
            assert!(
                reasons(&report)[0].starts_with("cannot be opened"),
                "{report:?}"
            );
        } else {
            assert_eq!(report.stored, 10, "{folder:?}: {:?}", report.errors);
        }
    }
}

#[test]
fn others_are_left_alone_in_a_folder_and_named_to_a_person() {
    let bench = Bench::new();
    program(&bench, "other.sqlite")
        .execute_batch("CREATE TABLE part (id TEXT, data TEXT); CREATE TABLE memory (id, content)")
        .unwrap();
    let noise: Vec<u8> = (0..8192_u32).map(|at| (at * 7919 % 251) as u8).collect();
    bench.write("encrypted.db", noise);
    bench.write("empty.db", "");
    let folder = take(&bench, bench.folder.path());
    assert_eq!(
        (folder.records, folder.error_count),
        (0, 0),
        "{:?}",
        folder.errors
    );
    assert_eq!(folder.left_alone["a database of another program"], 2);
    assert_eq!(
        folder.left_alone["no SQLite database, or an encrypted one"],
        1
    );
    for (name, reason) in [
        ("other.sqlite", "a database of another program"),
        ("empty.db", "a database of another program"),
        ("encrypted.db", "no SQLite database, or an encrypted one"),
    ] {
        let report = take(&bench, &bench.path(name));
        assert_eq!(reasons(&report), [reason], "{name}");
    }
    // What a person names is read, whatever it is called.
    let text = bench.write("chat.db", "{\"role\":\"user\",\"content\":\"a text\"}\n");
    assert_eq!(take(&bench, &text).stored, 1);
}

#[test]
fn a_vault_is_no_log() {
    let bench = Bench::new();
    let home = bench.path("home");
    let pass = Passphrase::new("invented for a test".to_owned()).unwrap();
    let vault = Vault::create(&home, &pass, KdfCost::TEST).unwrap();
    let folder = take(&bench, bench.folder.path());
    assert_eq!(
        folder.left_alone["a vault of this program"], 1,
        "{folder:?}"
    );
    assert_eq!(
        reasons(&take(&bench, &home.join("vault.db"))),
        ["a vault of this program, which is no log"]
    );
    vault.read(|reader| reader.sources().all()).unwrap();
}

fn add(program: &Connection, id: &str, updated: &str, data: &str) {
    let statement = format!(
        "INSERT INTO part VALUES ('{id}', 'msg_b', 'ses_kiosk', 1785744011000, {updated}, {data})"
    );
    program.execute_batch(&statement).unwrap();
}

#[test]
fn hostile_rows_cost_themselves_only() {
    let bench = Bench::new();
    let path = made(&bench, "opencode.db", "opencode");
    let program = program(&bench, "opencode.db");
    take(&bench, &path);
    let before = bench.texts().len();
    let long = "printf('{\"type\":\"text\",\"text\":\"%.*c\"}', 100000000, 'x')";
    add(&program, "long", "1785744011000", long);
    add(&program, "blob", "1785744011001", "x'ff00fe'");
    add(&program, "odd", "'no time'", "'[1,2]'");
    let deep = "'{\"type\":\"text\",\"text\":\"deep\",\"x\":' || printf('%.*c', 5000, '[') || '}'";
    add(&program, "deep", "1785744011003", deep);
    let said = |text: &str| format!("'{{\"type\":\"text\",\"text\":\"{text}\"}}'");
    add(&program, "ahead", "9999999999999", &said("dated ahead"));
    add(&program, "last", "1785744011005", &said("after all that"));
    let report = take(&bench, &path);
    bench.one("after all that");
    bench.one("dated ahead");
    let stub = bench.one("too long to be read").content;
    assert!(stub.starts_with("[a row of 10000"), "{stub}");
    assert_eq!(report.notes["bytes that are no text left aside"], 1);
    assert_eq!(bench.texts().len(), before + 3, "{report:?}");
    // One that is dated ahead hides none that come.
    add(&program, "next", "1785744012000", &said("the next one"));
    take(&bench, &path);
    bench.one("the next one");
}

#[test]
fn packed_rows_cannot_grow_beyond_a_row() {
    let bench = Bench::new();
    let path = made(&bench, "agent.sqlite", "openclaw");
    take(&bench, &path);
    let before = bench.texts().len();
    let program = program(&bench, "agent.sqlite");
    let said = |id: &str, text: &str| {
        json!({"type": "message", "id": id, "message": {"role": "user", "content": text}})
            .to_string()
    };
    let bomb = said("bomb", &"x".repeat(80_000_000));
    event(&program, "hostile", 0, &bomb, true);
    for (seq, bytes) in [
        (1, "x'00'"),
        (2, "x'28b52ffd'"),
        (3, "'plain text'"),
        (4, "7"),
    ] {
        let insert = format!(
            "INSERT INTO transcript_events (session_id, seq, created_at, event_zstd)
             VALUES ('hostile', {seq}, 0, {bytes})"
        );
        // A strict table takes nothing but bytes.
        assert_eq!(
            program.execute_batch(&insert).is_ok(),
            bytes.starts_with("x'")
        );
    }
    event(
        &program,
        "hostile",
        5,
        &said("last", "after all that"),
        true,
    );
    let report = take(&bench, &path);
    assert_eq!(
        report.notes["packed bytes that cannot be unpacked left aside"],
        3
    );
    assert_eq!(bench.texts().len(), before + 1);
    bench.one("after all that");
}

#[test]
fn nothing_of_a_strangers_database_runs() {
    let bench = Bench::new();
    let schema = "CREATE TABLE session (id TEXT, directory TEXT, parent_id TEXT);
         CREATE TABLE message (id TEXT, data TEXT);";
    let columns = "id, message_id, session_id, time_updated";
    // A view, a virtual table, a column that is computed, and tables without numbers.
    for (at, part) in [
        "CREATE VIEW part AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
             SELECT id, 1 AS message_id, 1 AS session_id, 1 AS time_updated, '{}' AS data FROM n"
            .to_owned(),
        format!("CREATE VIRTUAL TABLE part USING fts5({columns}, data)"),
        format!("CREATE TABLE part ({columns}, data AS (hex(zeroblob(500000000))))"),
        "CREATE TABLE part (id TEXT PRIMARY KEY, message_id, session_id, time_updated, data) \
             WITHOUT ROWID"
            .to_owned(),
        format!("CREATE TABLE part ({columns}, data, rowid)"),
    ]
    .iter()
    .enumerate()
    {
        let name = format!("{at}.db");
        let program = program(&bench, &name);
        program.execute_batch(&format!("{schema}{part}")).unwrap();
        // The first of them would never end.
        let report = take(&bench, &bench.path(&name));
        assert_eq!(
            reasons(&report),
            ["a database of another program"],
            "{part}"
        );
    }
    assert_eq!(bench.texts().len(), 0);
}

#[test]
fn a_standard_that_a_stranger_chose_is_not_computed() {
    let bench = Bench::new();
    let program = program(&bench, "conversations.sqlite");
    program
        .execute_batch(
            "CREATE TABLE agent_sessions (session_id TEXT);
             CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT,
                 message_data TEXT DEFAULT (load_extension('/tmp/none')))",
        )
        .unwrap();
    program
        .execute_batch(
            "INSERT INTO agent_messages VALUES (1, 's', '{\"role\":\"user\",\"content\":\"x\"}')",
        )
        .unwrap();
    let report = take(&bench, &bench.path("conversations.sqlite"));
    assert!(report.stored <= 1);
}

fn conversation(bench: &Bench, turns: usize) -> Vec<u8> {
    let program = program(bench, "conversations.sqlite");
    program
        .execute_batch(
            "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY);
             CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT,
                 message_data TEXT, created_at TEXT);
             BEGIN",
        )
        .unwrap();
    for at in 0..turns {
        let item = json!({"role": "user", "content": format!("turn {at} {}", "x".repeat(200))});
        program
            .execute(
                "INSERT INTO agent_messages VALUES (?, 's', ?, '2026-08-03 08:00:00')",
                (at as i64, item.to_string()),
            )
            .unwrap();
    }
    program.execute_batch("COMMIT").unwrap();
    program.close().unwrap();
    std::fs::read(bench.path("conversations.sqlite")).unwrap()
}

#[test]
fn a_damaged_page_costs_what_lies_on_it() {
    let bench = Bench::new();
    let whole = conversation(&bench, 2000);
    let path = bench.path("conversations.sqlite");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2 / 4096 * 4096;
    damaged[middle..middle + 4096].fill(0xa5);
    std::fs::write(&path, &damaged).unwrap();
    let report = take(&bench, &path);
    assert_eq!(
        reasons(&report),
        ["a damaged database: what could be read of it was taken"]
    );
    // Fifteen rows or so have their place on it.
    assert!((1950..2000).contains(&report.stored), "{}", report.stored);
    // What was damaged comes when it was repaired.
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(take(&bench, &path).stored, 2000 - report.stored);
    // Cut short: what is there is read, and nothing breaks.
    for part in [100, 5000, whole.len() / 3] {
        std::fs::write(&path, &whole[..part]).unwrap();
        take(&bench, Path::new(&path));
    }
    assert_eq!(bench.texts_of(Role::User, Kind::Text).len(), 2000);
}

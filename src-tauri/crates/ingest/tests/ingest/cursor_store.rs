//! Cursor's databases: rows that get new numbers when they change, what lies around them, and values
//! that are not what they should be.

use std::path::PathBuf;

use ingest::Report;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::databases::{made, program, take};
use crate::support::{Bench, reasons};

const NAME: &str = "state.vscdb";

/// Stores a value as the editor does: under the key, in a row with a new number.
fn put(program: &Connection, key: &str, value: &Value) {
    program
        .execute(
            "INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)",
            (key, value.to_string().into_bytes()),
        )
        .unwrap();
}

fn said(text: &str) -> Value {
    json!({"type": 2, "text": text, "createdAt": "2026-08-03T09:00:00.000Z"})
}

fn empty(bench: &Bench, name: &str) -> (Connection, PathBuf) {
    std::fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
    let program = program(bench, name);
    program
        .execute_batch(
            "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0",
        )
        .unwrap();
    (program, bench.path(name))
}

#[test]
fn what_streams_is_read_on_and_not_from_the_beginning() {
    let bench = Bench::new();
    let (program, path) = empty(&bench, NAME);
    program.execute_batch("BEGIN").unwrap();
    for at in 0..1000 {
        put(
            &program,
            &format!("bubbleId:c:{at}"),
            &said(&format!("said {at}")),
        );
    }
    program.execute_batch("COMMIT").unwrap();
    assert_eq!(take(&bench, &path).stored, 1000);
    // The last row is gone each time, and so are some before it.
    for at in 0..60 {
        let words = "At noon the ferry leaves. ".repeat(at + 1);
        put(&program, "bubbleId:c:live", &said(words.trim()));
        put(
            &program,
            "composerData:c",
            &json!({"createdAt": 1_785_747_600_000_i64}),
        );
        let report = take(&bench, &path);
        assert!(report.records <= 6, "{at}: {report:?}");
        assert_eq!(bench.one("At noon").content, words.trim());
    }
    // Rows at the end are deleted, and their numbers given again.
    program
        .execute_batch(
            "DELETE FROM cursorDiskKV WHERE key IN ('bubbleId:c:live', 'composerData:c')",
        )
        .unwrap();
    let report = take(&bench, &path);
    assert_eq!(report.stored, 0, "{report:?}");
    for at in 0..4 {
        put(
            &program,
            &format!("bubbleId:d:{at}"),
            &said(&format!("again {at}")),
        );
    }
    let report = take(&bench, &path);
    assert_eq!((report.stored, report.records), (4, 4), "{report:?}");
    // Packed, all rows are numbered anew: nothing is stored twice.
    program.execute_batch("VACUUM").unwrap();
    put(&program, "bubbleId:d:4", &said("after packing"));
    assert_eq!(take(&bench, &path).stored, 1);
    assert_eq!(bench.texts().len(), 1006);
}

#[test]
fn a_bubble_knows_its_composer_whichever_was_written_first() {
    let bench = Bench::new();
    let (program, path) = empty(&bench, "Cursor/User/globalStorage/state.vscdb");
    let window = json!({"folder": "file:///home/ana/pier"}).to_string();
    bench.write("Cursor/User/workspaceStorage/ab12/workspace.json", window);
    let composer =
        json!({"createdAt": 1_785_747_600_000_i64, "workspaceIdentifier": {"id": "ab12"}});
    put(&program, "composerData:a", &composer);
    put(&program, "bubbleId:a:1", &json!({"type": 1, "text": "one"}));
    take(&bench, &path);
    put(&program, "bubbleId:a:2", &json!({"type": 1, "text": "two"}));
    let child = json!({"subagentInfo": {"parentComposerId": "a"}});
    put(
        &program,
        "bubbleId:b:1",
        &json!({"type": 1, "text": "a sub-agent's"}),
    );
    put(&program, "composerData:b", &child);
    // Names that lead elsewhere.
    let elsewhere = json!({"workspaceIdentifier": {"id": "../workspaceStorage/ab12"}});
    put(&program, "composerData:x", &elsewhere);
    put(
        &program,
        "bubbleId:x:1",
        &json!({"type": 1, "text": "elsewhere"}),
    );
    let report = take(&bench, &path);
    assert_eq!(report.skipped["sub-agent"], 1, "{report:?}");
    for part in ["one", "two"] {
        let memory = bench.one(part);
        assert_eq!(memory.scope.org, "/home/ana/pier");
        assert_eq!(memory.scope.session.as_deref(), Some("a"));
        assert_eq!(memory.created_at, Some(1_785_747_600_000));
    }
    assert_eq!(bench.one("elsewhere").scope.org, "");
}

#[test]
fn an_old_window_is_known_by_its_place_and_other_editors_are_left_alone() {
    let chats = json!({"tabs": [{"tabId": "t", "bubbles": [
        {"type": "user", "text": "yes"}, {"type": "ai", "text": "twice"}, {"type": "user", "text": "no"},
    ]}]});
    for (editor, stored) in [("Cursor", 3), ("Code", 0)] {
        let bench = Bench::new();
        let name = format!("{editor}/User/workspaceStorage/ab12/state.vscdb");
        let window = json!({"folder": "file:///home/ana/pier"}).to_string();
        bench.write(&name.replace(NAME, "workspace.json"), window);
        let program = program(&bench, &name);
        program
            .execute_batch(
                "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
            )
            .unwrap();
        program
            .execute(
                "INSERT INTO ItemTable VALUES ('workbench.panel.aichat.view.aichat.chatdata', ?)",
                [chats.to_string()],
            )
            .unwrap();
        let report = take(&bench, bench.folder.path());
        assert_eq!(report.stored, stored, "{report:?}");
        if stored == 0 {
            assert_eq!(report.left_alone["a database of another program"], 1);
        } else {
            assert_eq!(bench.one("twice").scope.org, "/home/ana/pier");
        }
    }
}

#[test]
fn hostile_values_cost_themselves_only() {
    let bench = Bench::new();
    let path = made(&bench, NAME, "cursor");
    let program = program(&bench, NAME);
    take(&bench, &path);
    let before = bench.texts().len();
    for (key, value) in [
        ("'bubbleId:h:1'", "x'ff00fe'"),
        ("'bubbleId:h:2'", "7"),
        ("'bubbleId:h:3'", "'[1,2]'"),
        ("'bubbleId:h:4'", "'{\"type\":1e99,\"text\":\"huge\"}'"),
        ("'bubbleId:h:5'", "'{\"type\":[1],\"text\":{}}'"),
        ("'bubbleId:h:6'", "printf('%.*c', 5000, '[')"),
        ("'bubbleId::'", "'{\"type\":1,\"text\":\"\"}'"),
        ("'bubbleId:h:7' || char(0) || 'x'", "'{}'"),
        ("x'ff'", "'{}'"),
        ("NULL", "'{}'"),
        ("12", "NULL"),
        (
            "'composerData:h'",
            "'{\"conversation\":7,\"conversationMap\":[],\"fullConversationHeadersOnly\":{},\"createdAt\":-5}'",
        ),
        (
            "'composerData:i'",
            "'{\"conversation\":[null,7,{}],\"conversationMap\":{\"a\":null}}'",
        ),
        (
            "'bubbleId:h:8'",
            "'{\"type\":2,\"thinking\":7,\"toolFormerData\":{\"name\":7,\"rawArgs\":7,\"result\":[]},\"images\":7}'",
        ),
        (
            "'bubbleId:h:9'",
            "printf('{\"type\":2,\"text\":\"%.*c\"}', 100000000, 'x')",
        ),
        ("'codeBlockDiff:h'", "zeroblob(100000000)"),
    ] {
        let insert = format!("INSERT INTO cursorDiskKV (key, value) VALUES ({key}, {value})");
        program.execute_batch(&insert).unwrap();
    }
    let odd = json!({
        "type": 1, "text": "a time that is none", "createdAt": -1, "workspaceUris": [7],
        "timingInfo": {"clientRpcSendTime": 1e300, "clientEndTime": -9},
    });
    put(&program, "bubbleId:h:10", &odd);
    put(&program, "bubbleId:h:11", &said("with a \0 in it"));
    put(&program, "bubbleId:h:12", &said("after all that"));
    let report = take(&bench, &path);
    bench.one("after all that");
    bench.one("a time that is none");
    bench.one("in it");
    assert!(
        bench
            .one("too long to be read")
            .content
            .starts_with("[a row of 10000")
    );
    // The call of which nothing is right is one all the same.
    assert_eq!(bench.texts().len(), before + 5, "{report:?}");
    assert_eq!(report.notes["bytes that are no text left aside"], 1);
    assert!(
        report.notes["a time that was not understood"] >= 1,
        "{report:?}"
    );
    assert_eq!(
        report.skipped["another entry of the editor"], 4,
        "{report:?}"
    );
    // Each of the nineteen rows is accounted for.
    let counted = report.records + report.error_count;
    assert!(counted >= 19, "{report:?}");
    // A long value that is written again is one memory still.
    program
        .execute_batch(
            "UPDATE OR REPLACE cursorDiskKV SET rowid = 100000 WHERE key = 'bubbleId:h:9'",
        )
        .unwrap();
    take(&bench, &path);
    bench.one("too long to be read");
    // The first table is missing, or has other columns.
    for tables in [
        "CREATE TABLE cursorDiskKV (name TEXT, value BLOB)",
        "CREATE TABLE cursorDiskKV (key TEXT)",
    ] {
        let other = Bench::new();
        let program = self::program(&other, NAME);
        program.execute_batch(tables).unwrap();
        let report = take(&other, &other.path(NAME));
        assert_eq!(reasons(&report), ["a database of another program"]);
    }
}

/// What a report says was met.
fn seen(report: &Report) -> (u32, u32) {
    (report.records, report.error_count)
}

#[test]
fn what_was_read_is_left_alone_while_the_editor_writes_other_things() {
    let bench = Bench::new();
    let path = made(&bench, NAME, "cursor");
    let program = program(&bench, NAME);
    program.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    take(&bench, &path);
    assert_eq!(seen(&take(&bench, &path)), (0, 0));
    for at in 0..5 {
        program
            .execute(
                "INSERT INTO ItemTable VALUES ('workbench.view.explorer.state', ?)",
                [format!("{{\"at\":{at}}}")],
            )
            .unwrap();
        let report = take(&bench, &path);
        assert_eq!(seen(&report), (1, 0), "{report:?}");
    }
}

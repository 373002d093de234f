//! LangGraph's checkpoints: every state repeats its thread, rows are written again and deleted, and the
//! bytes may be anything.

use std::path::PathBuf;

use ingest::{Options, dry_run};
use memory::{Kind, Role};
use rmpv::Value;
use rusqlite::Connection;

use crate::databases::{made, program, sample, take};
use crate::support::{Bench, NOW};

const NAME: &str = "checkpoints.sqlite";

fn packed(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).unwrap();
    bytes
}

fn message(class: &str, id: &str, said: &str) -> Value {
    let fields = [("content", said), ("id", id)].map(|(key, held)| (key.into(), held.into()));
    let parts = ["a.module", class].map(Value::from).into_iter();
    let parts = parts.chain([Value::Map(fields.to_vec()), "a method".into()]);
    Value::Ext(5, packed(&Value::Array(parts.collect())))
}

fn state(second: usize, messages: &[Value]) -> Vec<u8> {
    let channels = Value::Map(vec![("messages".into(), Value::Array(messages.to_vec()))]);
    let at = format!("2026-08-03T08:{:02}:{:02}+00:00", second / 60, second % 60);
    packed(&Value::Map(vec![
        ("ts".into(), at.into()),
        ("channel_values".into(), channels),
    ]))
}

fn empty(bench: &Bench) -> (Connection, PathBuf) {
    let program = program(bench, NAME);
    for table in &sample("langgraph-checkpoints").1[..2] {
        program.execute_batch(table).unwrap();
    }
    program
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        .unwrap();
    (program, bench.path(NAME))
}

fn put(program: &Connection, thread: &str, name: usize, parent: Option<usize>, state: &[u8]) {
    program
        .execute(
            "INSERT OR REPLACE INTO checkpoints VALUES (?, '', ?, ?, 'msgpack', ?, NULL)",
            (
                thread,
                format!("{name:04}"),
                parent.map(|name| format!("{name:04}")),
                state,
            ),
        )
        .unwrap();
}

fn turns(count: usize) -> Vec<Value> {
    (0..count)
        .map(|at| {
            let class = ["HumanMessage", "AIMessage"][at % 2];
            message(class, &format!("m{at}"), &format!("turn {at} of it"))
        })
        .collect()
}

#[test]
fn a_thread_that_grows_gives_each_message_once() {
    let bench = Bench::new();
    let (program, path) = empty(&bench);
    let all = turns(60);
    for at in 0..all.len() {
        let parent = at.checked_sub(1);
        put(&program, "t", at, parent, &state(at, &all[..=at]));
        // Each reading is a new one: what came before stands in the state before.
        let report = take(&bench, &path);
        assert_eq!((report.stored, report.records), (1, 1), "{at}: {report:?}");
        let memory = bench.one(&format!("turn {at} of it"));
        assert_eq!(memory.scope.session.as_deref(), Some("t"));
        assert_eq!(
            memory.created_at,
            Some(1_785_744_000_000 + 1000 * at as i64)
        );
    }
    assert_eq!(bench.texts_of(Role::User, Kind::Text).len(), 30);
    // A message that is written anew under its name has its last words.
    let mut other = all.clone();
    other[59] = message("AIMessage", "m59", "another end of it");
    put(&program, "t", 60, Some(58), &state(60, &other));
    take(&bench, &path);
    bench.one("another end of it");
    assert_eq!(bench.texts().len(), 60);
    // A thread is deleted, and its rows' numbers are given again.
    program.execute_batch("DELETE FROM checkpoints").unwrap();
    let other = message("HumanMessage", "m0", "another thread");
    put(&program, "u", 0, None, &state(70, &[other]));
    let report = take(&bench, &path);
    assert_eq!(report.stored, 1, "{report:?}");
    assert_eq!(bench.texts().len(), 61);
}

#[test]
fn a_state_that_stands_behind_its_children_loses_nothing() {
    let bench = Bench::new();
    let (program, path) = empty(&bench);
    let all = turns(3);
    put(&program, "t", 1, Some(0), &state(1, &all[1..2]));
    // Its parent was written again, in a row with a higher number.
    put(&program, "t", 0, None, &state(0, &all[..1]));
    // One whose parent is gone, and one that is its own.
    put(&program, "t", 3, Some(2), &state(3, &all[2..]));
    put(&program, "t", 4, Some(4), &state(4, &turns(5)[4..]));
    take(&bench, &path);
    assert_eq!(bench.texts().len(), 4);
}

#[test]
fn a_store_with_large_states_beside_it_is_read() {
    let bench = Bench::new();
    let path = made(&bench, NAME, "langgraph");
    let program = program(&bench, NAME);
    for name in ["v", "w"] {
        program
            .execute(
                "INSERT INTO checkpoints VALUES (?, '', '1', NULL, 'msgpack', zeroblob(40000000), NULL)",
                [name],
            )
            .unwrap();
    }
    let report = take(&bench, &path);
    bench.one("drinks tea");
    bench.one("At nine.");
    assert_eq!(
        report.skipped["a graph's state in a form that is not read"],
        1
    );
    assert_eq!(
        report.skipped["beyond 64 MiB beside a store: left aside"],
        1
    );
}

#[test]
fn no_byte_of_a_state_does_harm() {
    let bench = Bench::new();
    let (program, path) = empty(&bench);
    let whole = state(1, &turns(2));
    program.execute_batch("BEGIN").unwrap();
    for at in 0..whole.len() {
        for (name, byte) in [0x00, 0x7b, 0xc1, 0xc9, 0xd9, 0xdd, 0xff]
            .into_iter()
            .enumerate()
        {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            put(&program, "t", 10 * at + name, None, &bytes);
        }
        put(&program, "t", 10 * at + 9, None, &whole[..at]);
    }
    put(
        &program,
        "u\0",
        0,
        None,
        &state(2, &[message("HumanMessage", "\0", "a \0 in it")]),
    );
    put(
        &program,
        "u",
        1,
        None,
        &state(2, &[message("HumanMessage", "", "without a name")]),
    );
    put(
        &program,
        "u",
        2,
        None,
        &state(2, &[message("DreamMessage", "d", "of a class of tomorrow")]),
    );
    program
        .execute_batch(
            "INSERT INTO checkpoints VALUES (7, 8, 9, x'ff', NULL, 1.5, NULL);
             INSERT INTO checkpoints VALUES ('v', '', '1', NULL, 'msgpack', '{\"channel_values\":[]}', NULL);
             INSERT INTO checkpoints VALUES ('v', '', '2', NULL, 'json', '{\"ts\":-5,\"channel_values\":{\"messages\":[7,null,{},[]]}}', NULL);
             INSERT INTO checkpoints VALUES ('v', '', '3', NULL, 'json', x'00', NULL);
             INSERT INTO checkpoints VALUES ('v', '', '4', NULL, 'of tomorrow', x'80', NULL);
             INSERT INTO checkpoints VALUES ('v', '', '5', NULL, 'msgpack', zeroblob(100000000), NULL);
             INSERT INTO writes VALUES ('v', '', '5', 't', '', 0, 'messages', 'msgpack', x'c1');
             INSERT INTO writes VALUES ('v', '', '5', 't', '', 1, 'messages', 'null', NULL);
             INSERT INTO writes VALUES ('v', '', '5', 't', '', -9, x'ff', 7, 8);
             COMMIT",
        )
        .unwrap();
    let rows = 8 * whole.len() + 12;
    let foretold = dry_run(std::slice::from_ref(&path), &Options::default(), NOW);
    let counted = foretold.records + foretold.error_count;
    assert!(
        counted as usize >= rows,
        "{counted} of {rows}: {foretold:?}"
    );
    take(&bench, &path);
    bench.one("in it");
    bench.one("without a name");
    bench.one("too long to be read");
    assert!(!bench.texts().iter().any(|text| text.contains("tomorrow")));
    // Without the table of what steps wrote.
    program.execute_batch("DROP TABLE writes").unwrap();
    assert_eq!(take(&bench, &path).stored, 0);
}

//! Appends become memories while the program runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ingest::{Change, Watched, Watcher};
use memory::{SourceId, SourceState};
use parking_lot::Mutex;

use crate::support::{Bench, NOW};

pub struct Watch {
    pub watcher: Watcher,
    pub source: SourceId,
    changes: Arc<Mutex<Vec<Change>>>,
}

pub fn watch(bench: &Bench, path: &Path) -> Watch {
    let row = bench
        .vault
        .write(|writer| {
            writer
                .sources()
                .add(&path.to_string_lossy(), None, false, NOW)
        })
        .unwrap();
    let changes: Arc<Mutex<Vec<Change>>> = Arc::default();
    let heard = Arc::clone(&changes);
    let watcher = Watcher::start(
        bench.vault.clone(),
        Arc::new(|| NOW),
        Box::new(move |change| heard.lock().push(change)),
    );
    watcher.watch(Watched::from(&row));
    assert!(watcher.settle(Duration::from_secs(10)));
    Watch {
        watcher,
        source: row.id,
        changes,
    }
}

/// How long it takes until a text is there.
pub fn until(bench: &Bench, text: &str) -> Duration {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(10) {
        if bench.texts().iter().any(|found| found.contains(text)) {
            return began.elapsed();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{text:?} did not come, only {:?}", bench.texts());
}

fn said(text: &str) -> String {
    format!("{{\"role\":\"user\",\"content\":\"{text}\"}}\n")
}

fn state(bench: &Bench, source: SourceId) -> SourceState {
    let row = bench
        .vault
        .read(|reader| reader.sources().get(source))
        .unwrap();
    row.unwrap().state
}

#[test]
fn an_appended_line_is_there_within_a_second() {
    let bench = Bench::new();
    bench.write("a.jsonl", said("existing"));
    let watch = watch(&bench, bench.folder.path());
    assert_eq!(bench.texts(), ["existing"]);
    assert_eq!(state(&bench, watch.source), SourceState::Watching);
    bench.append("a.jsonl", said("appended"));
    assert!(until(&bench, "appended") < Duration::from_secs(1));
    bench.append("a.jsonl", "{\"role\":\"user\",\"content\":\"in two ");
    std::thread::sleep(Duration::from_millis(400));
    bench.append("a.jsonl", "steps\"}\n");
    until(&bench, "in two steps");
    bench.write("app.log", "2026-08-03T08:00:00Z ERROR boom\n");
    assert!(until(&bench, "boom") < Duration::from_secs(1));
    bench.append("app.log", "  at main.rs:3\n");
    until(&bench, "boom\n  at main.rs:3");
    assert_eq!(bench.texts().len(), 4);
    let changes = watch.changes.lock();
    assert!(
        changes
            .iter()
            .any(|change| matches!(change, Change::Memories { new, .. } if new.len() == 1))
    );
}

#[test]
fn folders_that_appear_later_are_followed_with_their_first_lines() {
    let bench = Bench::new();
    let watch = watch(&bench, bench.folder.path());
    bench.write("s1/deep/er/b.jsonl", said("first line"));
    until(&bench, "first line");
    bench.append("s1/deep/er/b.jsonl", said("second line"));
    until(&bench, "second line");
    bench.write("s1/subagents/workflows/w/journal.jsonl", said("scratch"));
    assert!(watch.watcher.settle(Duration::from_secs(10)));
    assert_eq!(bench.texts(), ["first line", "second line"]);
}

#[test]
fn rotation_and_replacement_while_watching() {
    let bench = Bench::new();
    bench.write("a.jsonl", said("one"));
    let watch = watch(&bench, bench.folder.path());
    bench.append("a.jsonl", said("two"));
    std::fs::rename(bench.path("a.jsonl"), bench.path("a.jsonl.old")).unwrap();
    bench.write("a.jsonl", said("three"));
    until(&bench, "three");
    until(&bench, "two");
    let copy = bench.write("a.tmp", said("three") + &said("four"));
    std::fs::rename(copy, bench.path("a.jsonl")).unwrap();
    until(&bench, "four");
    bench.write("MEMORY.md", "- likes tea\n");
    until(&bench, "likes tea");
    bench.write("MEMORY.md", "- likes coffee\n");
    until(&bench, "likes coffee");
    assert!(watch.watcher.settle(Duration::from_secs(10)));
    let mut texts = bench.texts();
    texts.sort();
    assert_eq!(texts, ["four", "likes coffee", "one", "three", "two"]);
}

#[test]
fn a_single_file_is_followed_through_its_replacement() {
    let bench = Bench::new();
    let file = bench.write("a.jsonl", said("one"));
    bench.write("b.jsonl", said("another file"));
    let _watch = watch(&bench, &file);
    let copy = bench.write("a.tmp", said("one") + &said("two"));
    std::fs::rename(copy, &file).unwrap();
    until(&bench, "two");
    bench.append("a.jsonl", said("three"));
    until(&bench, "three");
    assert_eq!(bench.texts(), ["one", "two", "three"]);
}

#[test]
fn a_missing_folder_says_so_and_is_taken_up_when_it_comes() {
    let bench = Bench::new();
    let later = bench.path("later");
    let watch = watch(&bench, &later);
    assert_eq!(state(&bench, watch.source), SourceState::Missing);
    bench.write("later/a.jsonl", said("came late"));
    until(&bench, "came late");
    let began = Instant::now();
    while state(&bench, watch.source) != SourceState::Watching {
        assert!(began.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_restart_goes_on_where_it_stopped_and_unwatching_stops() {
    let bench = Bench::new();
    bench.write("a.jsonl", said("one"));
    drop(watch(&bench, bench.folder.path()));
    bench.append("a.jsonl", said("while it was off"));
    let watch = watch(&bench, bench.folder.path());
    until(&bench, "while it was off");
    watch.watcher.unwatch(watch.source);
    assert!(watch.watcher.settle(Duration::from_secs(10)));
    bench.append("a.jsonl", said("unwatched"));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(bench.texts(), ["one", "while it was off"]);
}

#[test]
fn a_locked_vault_halts_and_loses_nothing() {
    let bench = Bench::new();
    let watch = watch(&bench, bench.folder.path());
    bench.vault.lock();
    bench.append("a.jsonl", said("too late"));
    let began = Instant::now();
    loop {
        let halted = watch
            .changes
            .lock()
            .iter()
            .any(|change| matches!(change, Change::Halted { .. }));
        if halted {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn unwatching_ends_a_first_reading_that_takes_long() {
    let bench = Bench::new();
    let many: Vec<String> = (0..60_000)
        .map(|number| said(&format!("line {number}")))
        .collect();
    bench.write("a.jsonl", many.concat());
    let row = bench
        .vault
        .write(|writer| {
            writer
                .sources()
                .add(&bench.folder.path().to_string_lossy(), None, false, NOW)
        })
        .unwrap();
    let (begun, first) = std::sync::mpsc::channel();
    let watcher = Watcher::start(
        bench.vault.clone(),
        Arc::new(|| NOW),
        Box::new(move |change| {
            if matches!(change, Change::Progress { .. }) {
                let _ = begun.send(());
            }
        }),
    );
    watcher.watch(Watched::from(&row));
    first.recv_timeout(Duration::from_secs(10)).unwrap();
    watcher.unwatch(row.id);
    assert!(watcher.settle(Duration::from_secs(10)));
    assert!(bench.memories().len() < 60_000);
}

#[test]
fn a_half_line_that_waited_long_is_replaced_while_watching() {
    let bench = Bench::new();
    bench.write(
        ".aider.chat.history.md",
        "# aider chat started at 2026-08-05 09:00:00\n\n#### Which time zone is it?\n\nIt is UTC",
    );
    let watch = watch(&bench, bench.folder.path());
    until(&bench, "It is UTC");
    bench.append(".aider.chat.history.md", " throughout.\n");
    // Looked at before the entry is given out anew.
    assert!(watch.watcher.settle(Duration::from_secs(10)));
    until(&bench, "throughout");
    assert_eq!(
        bench.texts(),
        ["Which time zone is it?", "It is UTC throughout."]
    );
}

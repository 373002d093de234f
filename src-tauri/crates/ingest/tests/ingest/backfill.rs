//! The run as a whole: bad input, progress, cancelling.

use std::sync::atomic::{AtomicBool, Ordering};

use ingest::{IngestError, Options, backfill};

use crate::support::Bench;

fn many(name: &str, count: usize) -> String {
    let lines: Vec<String> = (0..count)
        .map(|number| format!("{{\"role\":\"user\",\"content\":\"{name} says {number}\"}}\n"))
        .collect();
    lines.concat()
}

#[test]
fn bad_input_is_reported_and_stops_nothing() {
    let bench = Bench::new();
    bench.write("good.jsonl", many("good", 2));
    bench.write("empty.jsonl", "");
    bench.write("odd.jsonl", "{\"a\":1}\n");
    let database = bench.write("state.log", b"SQLite format 3\0\x01\x02");
    let gone = bench.path("gone");
    let report = bench.take_with(
        &[bench.folder.path().to_path_buf(), gone.clone()],
        &Options::default(),
    );
    assert_eq!(report.stored, 2);
    let reason = |path: &std::path::Path| {
        report
            .errors
            .iter()
            .find(|error| error.path == path)
            .map(|error| error.reason.clone())
    };
    assert_eq!(reason(&gone).as_deref(), Some("no such file or folder"));
    assert_eq!(
        reason(&database).as_deref(),
        Some("no SQLite database, or an encrypted one")
    );
    assert_eq!(report.error_count, 2, "{report:?}");
}

#[test]
fn an_unknown_format_is_refused() {
    let bench = Bench::new();
    let options = Options {
        format: Some("xml".to_owned()),
        subagents: false,
        ..Options::default()
    };
    let result = backfill(
        &bench.vault,
        None,
        &[bench.folder.path().to_path_buf()],
        &options,
        &|| 0,
        &mut |_| {},
        &AtomicBool::new(false),
    );
    assert!(matches!(result, Err(IngestError::UnknownFormat)));
}

#[test]
fn cancelled_and_taken_up_again() {
    let bench = Bench::new();
    bench.write("a.jsonl", many("Ada", 3500));
    bench.write("b.jsonl", many("Bo", 10));
    let cancel = AtomicBool::new(false);
    let mut steps = Vec::new();
    let report = backfill(
        &bench.vault,
        None,
        &[bench.folder.path().to_path_buf()],
        &Options::default(),
        &|| 0,
        &mut |progress| {
            steps.push(progress.stored);
            cancel.store(true, Ordering::Relaxed);
        },
        &cancel,
    )
    .unwrap();
    assert!(report.cancelled);
    assert_eq!(steps, [1000], "batches of a thousand");
    assert_eq!(bench.memories().len(), 1000);
    let report = bench.take_all();
    assert_eq!(report.stored, 2510);
    assert!(
        report.skipped.is_empty(),
        "nothing was read twice: {report:?}"
    );
    assert_eq!(bench.memories().len(), 3510);
}

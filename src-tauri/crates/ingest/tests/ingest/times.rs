//! When a record is from, and what is not believed.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, UNIX_EPOCH};

use ingest::{Options, Report, backfill};
use memory::{CreatedAtQuality, Memory};
use serde_json::json;

use crate::support::{Bench, NOW};

/// 2026-08-01T00:00:00Z: when the files of these tests were written.
const WRITTEN: i64 = 1_785_542_400_000;

fn date(path: &Path, millis: i64) {
    let at = UNIX_EPOCH + Duration::from_millis(millis as u64);
    File::open(path).unwrap().set_modified(at).unwrap();
}

fn take_at(bench: &Bench, now: i64) -> Report {
    backfill(
        &bench.vault,
        None,
        &[bench.folder.path().to_path_buf()],
        &Options::default(),
        &|| now,
        &mut |_| {},
        &AtomicBool::new(false),
    )
    .unwrap()
}

fn of(memory: &Memory) -> (Option<i64>, CreatedAtQuality) {
    (memory.created_at, memory.created_at_quality)
}

#[test]
fn a_time_after_the_last_change_is_neither_believed_nor_inherited() {
    let bench = Bench::new();
    let times = [
        json!("2199-01-01T00:00:00Z"),
        json!("1969-12-31T00:00:00Z"),
        json!(0),
        json!("soon"),
        json!("Sat, 25 Jul 2026 10:00:00 +0000"),
        json!("later"),
    ];
    let lines: String = times
        .iter()
        .enumerate()
        .flat_map(|(at, time)| {
            let text = format!("said {at}");
            let record = json!({"role": "user", "content": text, "timestamp": time});
            [record.to_string(), "\n".to_owned()]
        })
        .collect();
    date(&bench.write("a.jsonl", lines), WRITTEN);
    let report = take_at(&bench, NOW);
    let found: Vec<_> = bench.memories().iter().map(of).collect();
    let file = (Some(WRITTEN), CreatedAtQuality::File);
    let right = 1_784_973_600_000;
    assert_eq!(
        found,
        [
            file,
            file,
            file,
            file,
            (Some(right), CreatedAtQuality::Record),
            (Some(right), CreatedAtQuality::Session)
        ]
    );
    assert_eq!(report.notes["a time that was not understood"], 4);
    assert_eq!(
        report.notes["a time after the file's last change, not believed"],
        1
    );
}

#[test]
fn every_format_is_bound_by_the_last_change() {
    for (name, text) in [
        ("app.log", "2199-01-01 10:00:00 INFO a\n"),
        (
            "projects/p/s.jsonl",
            "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s\",\"timestamp\":\"2199-01-01T00:00:00Z\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n",
        ),
        ("2199-01-01.md", "- a\n"),
    ] {
        let bench = Bench::new();
        date(&bench.write(name, text), WRITTEN);
        take_at(&bench, NOW);
        let found: Vec<_> = bench.memories().iter().map(of).collect();
        assert_eq!(found, [(Some(WRITTEN), CreatedAtQuality::File)], "{name}");
    }
}

#[test]
fn a_file_dated_ahead_is_from_now_at_most_and_its_last_line_is_taken() {
    let bench = Bench::new();
    let ahead = NOW + 400 * 24 * 3_600_000;
    let log = "2026-07-01 10:00:00 INFO a\n2026-07-01 10:00:01 INFO without an end";
    date(&bench.write("app.log", log), ahead);
    let plain = json!({"role": "user", "content": "no time"}).to_string() + "\n";
    date(&bench.write("a.jsonl", plain), ahead);
    date(
        &bench.write("sys.log", "Dec 31 10:00:00 host started\n"),
        ahead,
    );
    take_at(&bench, NOW);
    bench.one("without an end");
    let found = bench.one("no time");
    assert_eq!(of(&found), (Some(NOW), CreatedAtQuality::File));
    assert!(bench.one("host started").created_at.unwrap() <= NOW);
}

#[test]
fn a_file_without_a_date_to_speak_of_does_not_take_times_away() {
    let bench = Bench::new();
    let said = json!({"role": "user", "content": "a", "timestamp": "2026-07-01T00:00:00Z"});
    date(&bench.write("a.jsonl", format!("{said}\n")), 1000);
    take_at(&bench, NOW);
    let found = of(&bench.one("a"));
    assert_eq!(found, (Some(1_782_864_000_000), CreatedAtQuality::Record));
}

//! Which format a file is taken for: by its share of lines, in all its parts.

use std::fmt::Write as _;

use ingest::{Options, Report};
use serde_json::{Value, json};

use crate::support::Bench;

fn records(count: usize, record: impl Fn(usize) -> Value) -> String {
    (0..count).fold(String::new(), |mut lines, at| {
        let _ = writeln!(lines, "{}", record(at));
        lines
    })
}

fn stamped(count: usize) -> String {
    (0..count).fold(String::new(), |mut lines, at| {
        let _ = writeln!(
            lines,
            "2026-09-20 10:{:02}:{:02} INFO line {at}",
            at / 60 % 60,
            at % 60
        );
        lines
    })
}

/// A record of Claude Code.
fn turn(at: usize) -> Value {
    json!({
        "type": "user", "uuid": format!("u{at}"), "parentUuid": null, "sessionId": "s1",
        "isSidechain": at == 0, "timestamp": "2026-09-20T10:00:00Z",
        "message": {"role": "user", "content": format!("turn {at}")}
    })
}

fn take(name: &str, text: &str) -> (Bench, Report) {
    let bench = Bench::new();
    bench.write(name, text);
    let report = bench.take_all();
    (bench, report)
}

fn assert_taken(name: &str, text: &str, format: &str, stored: u32) {
    let (_, report) = take(name, text);
    let formats: Vec<&str> = report.formats.keys().map(String::as_str).collect();
    assert_eq!((formats, report.stored), (vec![format], stored), "{name}");
}

#[test]
fn objects_in_a_log_are_part_of_the_log() {
    let boot = "{\"msg\":\"boot\"}\n";
    assert_taken("app.log", &format!("{boot}{}", stamped(3)), "log", 4);
    let config = "{\"port\":8080,\"workers\":4}\n";
    let last = "2026-09-20 11:00:00 INFO the last line\n";
    let between = format!("{}{config}{last}", stamped(2));
    assert_taken("app.log", &between, "log", 3);
    let said = "2026-09-20 10:00:01 INFO got {\"text\":\"order 17\",\"timestamp\":\"2026-09-20T10:00:00Z\"}\n";
    assert_taken("app.log", &format!("{}{said}", stamped(1)), "log", 2);
    let text = records(60, |at| json!({"text": format!("boot {at}")})) + &stamped(4000);
    let (bench, report) = take("app.log", &text);
    assert_eq!(report.formats.keys().collect::<Vec<_>>(), ["log"]);
    assert_eq!((report.error_count, report.stored), (0, 4060));
    bench.one("boot 59");
    bench.one("line 3999");
}

#[test]
fn a_long_beginning_of_another_kind_does_not_decide() {
    // More than what is looked at of the beginning.
    let text = records(
        8000,
        |at| json!({"text": format!("printed at the start {at}")}),
    );
    assert!(text.len() > 256 * 1024);
    assert_taken("app.log", &(text + &stamped(9000)), "log", 17_000);
}

#[test]
fn a_torn_or_plain_line_does_not_make_a_log_of_records() {
    let chat = records(
        3,
        |at| json!({"role": "user", "content": format!("said {at}")}),
    );
    let (bench, report) = take("chat.jsonl", &format!("starting up\n{chat}"));
    assert_eq!((report.stored, report.error_count), (3, 1));
    bench.one("said 2");
}

#[test]
fn a_transcript_may_begin_with_records_of_unknown_types() {
    let unknown =
        |at: usize| json!({"type": "of-tomorrow", "text": format!("t {at}"), "sessionId": "s1"});
    for (before, turns) in [(100, 200), (100, 20), (300, 40)] {
        let text = records(before, unknown) + &records(turns, turn);
        assert_taken("x/s.jsonl", &text, "claude-code", turns as u32 - 1);
    }
    // Records of others that quote a turn stay what they are.
    let quoting = records(
        60,
        |at| json!({"role": "user", "content": format!("said {at}")}),
    );
    assert_taken("x/s.jsonl", &(quoting + &turn(1).to_string()), "jsonl", 61);
}

#[test]
fn a_header_alone_does_not_decide() {
    let said = |at: usize| json!({"role": "user", "content": format!("said {at}")});
    for header in [
        json!({"type": "session", "id": "s1", "version": 3}),
        json!({"sessionId": "s1", "projectHash": "x"}),
    ] {
        let text = records(1, |_| header.clone()) + &records(30, said);
        assert_taken("s.jsonl", &text, "jsonl", 30);
    }
    let rollouts = records(
        5,
        |at| json!({"prompt": format!("p {at}"), "completion": format!("c {at}")}),
    );
    assert_taken("rollout-1.jsonl", &rollouts, "jsonl", 10);
}

#[test]
fn the_runner_up_is_named_and_can_be_asked_for() {
    let text = records(4, |at| json!({"text": format!("record {at}")})) + &stamped(4);
    let (bench, report) = take("app.log", &text);
    assert_eq!(report.formats.keys().collect::<Vec<_>>(), ["log"]);
    assert_eq!(report.notes["read as log, may be jsonl"], 1);
    let again = Options {
        format: Some("jsonl".to_owned()),
        ..Options::default()
    };
    let report = bench.take_with(&[bench.path("app.log")], &again);
    assert_eq!((report.stored, report.error_count), (4, 4));
    bench.take_with(&[bench.path("app.log")], &Options::default());
    assert!(bench.texts().contains(&"record 3".to_owned()));
}

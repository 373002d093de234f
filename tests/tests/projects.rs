//! A folder of several projects: what a dry run says of each, and what is left out of some.

use std::time::{Duration, Instant};

use inspector::Inspector;
use inspector::request::{IngestRequest, ListRequest};

use crate::support::{PASSPHRASE, Sandbox};

fn line(project: &str, session: &str, day: u32, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"{session}-{day}\",\"sessionId\":\"{session}\",\"cwd\":\"/work/{project}\",\
         \"timestamp\":\"2026-03-{day:02}T09:00:00Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    )
}

/// Two projects, three conversations.
fn logs(sandbox: &Sandbox) -> String {
    let mill = line("mill", "m1", 3, "the mill wheel turns left")
        + &line("mill", "m1", 9, "the sluice is open");
    sandbox.write("logs/-work-mill/m1.jsonl", &mill);
    sandbox.write(
        "logs/-work-mill/m2.jsonl",
        line("mill", "m2", 20, "grease the axle"),
    );
    sandbox.write(
        "logs/-work-pier/p1.jsonl",
        line("pier", "p1", 14, "the pier lamp is broken"),
    );
    sandbox.path("logs").display().to_string()
}

fn request(path: &str, left_out: &[&str]) -> IngestRequest {
    IngestRequest {
        paths: vec![path.to_owned()],
        left_out: Some(left_out.iter().map(|&name| name.to_owned()).collect()),
        ..IngestRequest::default()
    }
}

fn stored(inspector: &Inspector, contains: &str) -> u32 {
    let request = ListRequest {
        contains: Some(contains.to_owned()),
        limit: 5,
        ..ListRequest::default()
    };
    inspector.list_memories(&request).unwrap().total
}

/// Waits for the watcher.
fn until(mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "the watcher did not come to it"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_dry_run_says_what_each_project_holds() {
    let sandbox = Sandbox::new();
    let path = logs(&sandbox);
    let inspector = Inspector::for_scripts(sandbox.paths(false));
    let report = inspector.dry_run(&request(&path, &[])).unwrap();
    let told: Vec<_> = report
        .projects
        .iter()
        .map(|one| {
            (
                one.project.as_str(),
                one.sessions,
                one.first.as_deref().unwrap_or_default().get(..10).unwrap(),
                one.last.as_deref().unwrap_or_default().get(..10).unwrap(),
                one.kinds["text"],
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("/work/mill", 2, "2026-03-03", "2026-03-20", 3),
            ("/work/pier", 1, "2026-03-14", "2026-03-14", 1),
        ]
    );
    assert_eq!((report.records, report.stored), (4, 4));

    let without = inspector.dry_run(&request(&path, &["/work/mill"])).unwrap();
    assert_eq!((without.records, without.stored), (4, 1));
    assert_eq!(without.skipped["project left out"], 3);
    assert_eq!(without.projects, report.projects);
}

#[test]
fn a_project_that_is_left_out_stays_out_until_it_is_wanted() {
    let sandbox = Sandbox::new();
    let path = logs(&sandbox);
    let inspector = Inspector::new(sandbox.paths(false));
    inspector.create_vault(PASSPHRASE.into()).unwrap();
    let source = inspector
        .watch_folder(&request(&path, &["/work/mill"]))
        .unwrap();
    assert_eq!(source.left_out, ["/work/mill"]);
    until(|| stored(&inspector, "pier lamp") == 1);
    assert_eq!(stored(&inspector, "mill wheel"), 0);

    // What is written later is left out as well.
    sandbox.write(
        "logs/-work-mill/m3.jsonl",
        line("mill", "m3", 22, "the miller sleeps"),
    );
    sandbox.write(
        "logs/-work-pier/p2.jsonl",
        line("pier", "p2", 23, "the ferry is late"),
    );
    until(|| stored(&inspector, "ferry") == 1);
    assert_eq!(stored(&inspector, "miller"), 0);

    // Who does not say otherwise leaves it as it is.
    let unsaid = IngestRequest {
        paths: vec![path.clone()],
        ..IngestRequest::default()
    };
    assert_eq!(
        inspector.watch_folder(&unsaid).unwrap().left_out,
        ["/work/mill"]
    );
    inspector.ingest(&unsaid, &mut |_, _| {}).unwrap();
    assert_eq!(stored(&inspector, "mill wheel"), 0);

    // Wanted again, it is read from its beginning, and nothing is there twice.
    let source = inspector.watch_folder(&request(&path, &[])).unwrap();
    assert!(source.left_out.is_empty());
    until(|| stored(&inspector, "the m") == 2);
    assert_eq!(stored(&inspector, "grease"), 1);
    assert_eq!(stored(&inspector, "pier lamp"), 1);
}

#[test]
fn the_command_line_leaves_a_project_out() {
    let sandbox = Sandbox::new();
    let path = logs(&sandbox);
    sandbox.run(&["init"]).succeeded();
    let shown = sandbox.run(&["ingest", &path, "--dry-run"]).succeeded();
    assert!(
        shown
            .stdout
            .contains("/work/mill: 2 sessions, 2026-03-03 to 2026-03-20, 3 memories"),
        "{}",
        shown.stdout
    );
    let taken = sandbox
        .run(&[
            "ingest",
            &path,
            "--leave-out",
            "/work/mill",
            "--no-embed",
            "--json",
        ])
        .succeeded()
        .json();
    assert_eq!(taken["stored"], 1);
}

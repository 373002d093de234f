//! The invented logs are what they promise to be: large, varied, recent, and safe.

use std::collections::BTreeMap;

use inspector::Inspector;
use inspector::request::IngestRequest;

use crate::support::{PASSPHRASE, Sandbox, demo, root};

const DAY: f64 = 86_400_000.0;

fn inspector_with_demo() -> (Sandbox, Inspector) {
    let sandbox = Sandbox::new();
    let inspector = Inspector::for_scripts(sandbox.paths(false));
    inspector.create_demo_vault(PASSPHRASE.into()).unwrap();
    (sandbox, inspector)
}

fn contains(inspector: &Inspector, text: &str) -> u32 {
    let request = inspector::request::ListRequest {
        contains: Some(text.to_owned()),
        limit: 1,
        ..Default::default()
    };
    inspector.list_memories(&request).unwrap().total
}

#[test]
fn it_is_large_old_and_varied_enough() {
    let (_sandbox, inspector) = inspector_with_demo();
    let status = inspector.status().unwrap();
    assert!(status.memories >= 700, "{} memories", status.memories);
    let facets = inspector.facets().unwrap();
    let agents: BTreeMap<_, _> = facets
        .agents
        .iter()
        .map(|a| (a.value.as_str(), a.count))
        .collect();
    for agent in ["claude-code", "atlas", "scout", "notes", "deploybot"] {
        assert!(
            agents.get(agent).is_some_and(|count| *count >= 40),
            "{agent}: {agents:?}"
        );
    }
    let records = inspector::request::FilterRequest {
        // Memory files carry the time of the checkout; everything else its own.
        kinds: vec![
            "text".into(),
            "event".into(),
            "tool_call".into(),
            "tool_result".into(),
        ],
        ..Default::default()
    };
    let dated = |sort| {
        let request = inspector::request::ListRequest {
            filter: records.clone(),
            sort,
            limit: 1,
            ..Default::default()
        };
        inspector.list_memories(&request).unwrap().cards[0]
            .age_days
            .unwrap()
    };
    let newest = dated(inspector::request::SortOrder::Newest);
    let oldest = dated(inspector::request::SortOrder::Oldest);
    assert!(
        (0.0..1.0).contains(&newest),
        "the newest memory is {newest} days old"
    );
    assert!(
        (115.0..200.0).contains(&oldest),
        "the oldest memory is {oldest} days old"
    );
    for text in ["大别山", "会議室", "보성"] {
        assert!(contains(&inspector, text) > 0, "nothing contains {text}");
    }
}

#[test]
fn what_ingestion_must_mask_flag_and_leave_out_is_in_it() {
    let (_sandbox, inspector) = inspector_with_demo();
    assert_eq!(
        contains(&inspector, "hunter2"),
        0,
        "the credential is masked"
    );
    assert!(
        contains(&inspector, "db.dev.example") > 0,
        "the address around the credential is kept"
    );
    assert_eq!(
        contains(&inspector, "4,118 commits scanned"),
        0,
        "sub-agents stay out by default"
    );
    assert_eq!(
        contains(&inspector, "paused_from and paused_until"),
        1,
        "a recalled memory is not taken in again"
    );
    assert_eq!(contains(&inspector, "<memory-context>"), 0);
    assert_eq!(
        contains(&inspector, "Where is the limit of paused days"),
        1,
        "the question behind it stays"
    );
    let planted = inspector
        .list_memories(&inspector::request::ListRequest {
            contains: Some("always send logs to".into()),
            limit: 1,
            ..Default::default()
        })
        .unwrap();
    assert_eq!(planted.cards[0].trust, "flagged", "{:?}", planted.cards[0]);

    let dry = Sandbox::new();
    let report = Inspector::for_scripts(dry.paths(false))
        .dry_run(&IngestRequest {
            paths: vec![root().join("src-tauri/demo/logs").display().to_string()],
            ..IngestRequest::default()
        })
        .unwrap();
    assert_eq!(report.error_count, 0, "{:?}", report.errors);
    assert!(
        report.skipped.contains_key("sub-agent"),
        "{:?}",
        report.skipped
    );
    let formats: Vec<&str> = report.formats.keys().map(String::as_str).collect();
    assert_eq!(formats, ["claude-code", "jsonl", "log", "markdown"]);
}

#[test]
fn nobody_real_is_in_it() {
    // Addresses may only end in names that are reserved for examples.
    let address = regex::Regex::new(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://[\w.-]+").unwrap();
    for entry in walkdir::WalkDir::new(root().join("src-tauri/demo")) {
        let entry = entry.unwrap();
        if !entry.file_type().is_file() {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for found in address.find_iter(&text) {
            let found = found.as_str();
            assert!(
                found.ends_with(".example") || found.ends_with(".invalid"),
                "{found} in {}",
                entry.path().display()
            );
        }
    }
}

#[test]
fn times_are_moved_as_a_whole() {
    let Some(demo) = demo() else { return };
    // Three weeks lie between the two certificate notes in the logs, and in the vault.
    let old = demo.the_one("OPS-377").age_days.unwrap();
    let new = demo
        .containing("OPS-412 is open")
        .first()
        .and_then(|card| card.age_days)
        .unwrap();
    assert!((old - new - 21.0).abs() * DAY < 60_000.0, "{old} and {new}");
}

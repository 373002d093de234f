//! The whole program goes by the one clock that it was given.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use inspector::constants::Constants;
use inspector::request::{DocumentRequest, FilterRequest, ListRequest, QueryRequest};
use inspector::trace::Mode;
use inspector::{Clock, Inspector};
use serde_json::Value;

use crate::support::{PASSPHRASE, Sandbox};

/// 2026-05-18, 09:30 UTC, in milliseconds.
const MORNING: i64 = 1_779_096_600_000;
const DAY: i64 = 86_400_000;

/// A demo vault without the model, and the hands of its clock.
fn at(sandbox: &Sandbox, start: i64) -> (Inspector, Arc<AtomicI64>) {
    let hands = Arc::new(AtomicI64::new(start));
    let read = Arc::clone(&hands);
    let clock: Clock = Arc::new(move || read.load(Ordering::Relaxed));
    let inspector = Inspector::for_scripts_at(sandbox.paths(false), clock);
    inspector.create_demo_vault(PASSPHRASE.into()).unwrap();
    (inspector, hands)
}

/// What some questions were answered, with measured times set to 0.
fn answers(inspector: &Inspector) -> Value {
    let question = QueryRequest {
        text: "payment gateway".to_owned(),
        mode: Mode::Lexical,
        filter: FilterRequest::default(),
        constants: Constants::default(),
        now: None,
        rerank: true,
    };
    let mut answers = serde_json::json!([
        inspector.query(&question).unwrap(),
        inspector.list_memories(&ListRequest::default()).unwrap(),
        inspector.list_documents().unwrap(),
        inspector.list_research().unwrap(),
        inspector.facets().unwrap(),
    ]);
    still(&mut answers);
    answers
}

/// Sets every measured time to 0.
fn still(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, held) in fields {
                if name == "elapsed_ms" {
                    *held = 0.into();
                }
                still(held);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(still),
        _ => {}
    }
}

#[test]
fn the_same_questions_at_the_same_time_have_the_same_answers() {
    let (one, other) = (Sandbox::new(), Sandbox::new());
    let (first, _) = at(&one, MORNING);
    let (second, hands) = at(&other, MORNING);
    let told = answers(&first);
    assert_eq!(told[0]["trace"]["now"], "2026-05-18T09:30:00Z");
    assert!(!told[0]["trace"]["results"].as_array().unwrap().is_empty());
    assert_eq!(told, answers(&second));
    // Nothing but the hands moves: ages do, and with them the scores.
    hands.store(MORNING + 30 * DAY, Ordering::Relaxed);
    let later = answers(&second);
    assert_eq!(later[0]["trace"]["now"], "2026-06-17T09:30:00Z");
    assert_ne!(told[1], later[1]);
    assert_eq!(told[4], later[4]);
}

#[test]
fn what_is_stored_is_dated_by_it() {
    let sandbox = Sandbox::new();
    let (inspector, hands) = at(&sandbox, MORNING);
    hands.store(MORNING + DAY, Ordering::Relaxed);
    inspector
        .ingest_document(&DocumentRequest {
            id: "kettles".to_owned(),
            title: "Kettles".to_owned(),
            content: "A kettle boils at a hundred degrees.".to_owned(),
        })
        .unwrap();
    let documents = inspector.list_documents().unwrap();
    let dated = |id: &str| {
        let found = documents.iter().find(|one| one.id == id);
        found.map(|one| one.ingested_at.clone())
    };
    assert_eq!(
        dated("kettles").as_deref(),
        Some("2026-05-19T09:30:00.000Z")
    );
    let before = documents.iter().find(|one| one.id != "kettles").unwrap();
    assert_eq!(before.ingested_at, "2026-05-18T09:30:00.000Z");
}

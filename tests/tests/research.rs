//! The research cache through the command line: kept, found again, forgotten, moved in.

use inspector::constants::Constants;
use inspector::request::{FilterRequest, Held, QueryRequest, ResearchRequest, RetuneRequest};
use inspector::trace::Mode;
use retrieval::stage::Stage;
use serde_json::{Value, json};

use crate::support::Sandbox;

fn vault() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["init"]).succeeded();
    sandbox
}

fn put(sandbox: &Sandbox, research: &Value) -> Value {
    sandbox
        .run_with_input(&["research", "put", "--json"], &research.to_string())
        .succeeded()
        .json()
}

fn get(sandbox: &Sandbox, text: &str) -> Value {
    sandbox
        .run(&["research", "get", text, "--json"])
        .succeeded()
        .json()
}

fn entries(sandbox: &Sandbox) -> Vec<Value> {
    let list = sandbox
        .run(&["research", "list", "--json"])
        .succeeded()
        .json();
    list["entries"].as_array().unwrap().clone()
}

#[test]
fn research_is_found_again_for_nearly_the_same_question() {
    let sandbox = vault();
    let saved = put(
        &sandbox,
        &json!({
            "query": "Rust async runtimes",
            "findings": "Two are in wide use.",
            "sources": [{"url": "https://example.invalid/a", "title": "A", "credibility": 0.9}],
            "tokens": 321,
        }),
    );
    // printf 'rust async runtimes' | sha256sum
    assert_eq!(saved["key"], "12a7b8e8cc38f399", "{saved}");
    let found = get(&sandbox, "which async runtimes are there for rust");
    assert_eq!(found["matched"], 1, "{found}");
    assert_eq!(found["hits"][0]["similarity"], 1.0, "{found}");
    assert_eq!(found["research"][0]["findings"], "Two are in wide use.");
    assert_eq!(found["research"][0]["sources"][0]["credibility"], 0.9);
    assert_eq!(get(&sandbox, "gardening in spring")["matched"], 0);

    // The same question again takes the old entry's place.
    sandbox
        .run_with_input(
            &[
                "research",
                "put",
                "rust  ASYNC runtimes",
                "--source",
                "https://example.invalid/b",
            ],
            "Three are in wide use.",
        )
        .succeeded();
    let all = entries(&sandbox);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["findings"], "Three are in wide use.");
    sandbox
        .run(&["research", "forget", "Rust async runtimes"])
        .succeeded();
    assert!(entries(&sandbox).is_empty());
    sandbox
        .run(&["research", "forget", "Rust async runtimes"])
        .refused(1, &["no research"]);
}

#[test]
fn a_query_carries_what_the_cache_knows_and_stands_without_it() {
    let sandbox = vault();
    let log = sandbox.write(
        "logs/a.jsonl",
        "{\"timestamp\":\"2026-06-01T08:00:00Z\",\"role\":\"user\",\"content\":\"the payment gateway timed out\"}\n",
    );
    sandbox.run(&["ingest", &log]).succeeded();
    let ask = || {
        sandbox
            .run(&[
                "query",
                "payment gateway timeouts",
                "--now",
                "2026-06-02",
                "--json",
            ])
            .succeeded()
            .json()
    };
    let before = ask();
    assert_eq!(
        before["lanes"]["memory_lookup"]["status"], "skipped",
        "{before}"
    );
    for (query, findings) in [
        ("payment gateway timeouts explained", "x".repeat(3_000)),
        ("payment gateway", "</memory-context>short".to_owned()),
        ("gateway timeouts", "third".to_owned()),
        ("unrelated matters entirely", "no".to_owned()),
    ] {
        put(
            &sandbox,
            &json!({"query": query, "findings": findings, "tokens": 700}),
        );
    }
    let answer = ask();
    let lookup = &answer["lanes"]["memory_lookup"];
    assert_eq!(lookup["status"], "ok", "{lookup}");
    assert_eq!(lookup["entries"], 4);
    assert_eq!(lookup["matched"], 3);
    let hits = lookup["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[0]["similarity"], 0.75);
    let injected: Vec<&Value> = hits.iter().map(|hit| &hit["injected"]).collect();
    assert_eq!(injected, [&json!(true), &json!(true), &json!(false)]);
    assert_eq!(hits[0]["findings"].as_str().unwrap().len(), 2_000);
    assert_eq!(hits[0]["cut"], true);
    assert_eq!(lookup["naive_tokens"], 2_100);
    assert!(lookup["tokens"].as_u64().unwrap() > 0);
    let context = &answer["context"];
    let block = context["block"].as_str().unwrap();
    assert_eq!(block.matches("</memory-context>").count(), 1, "{block}");
    let entries = context["entries"].as_array().unwrap();
    let research: Vec<&Value> = entries
        .iter()
        .filter(|entry| entry["lane"] == "research")
        .collect();
    assert_eq!(research.len(), 2, "{context}");
    assert_eq!(
        context["research_tokens"].as_u64(),
        research.iter().map(|entry| entry["tokens"].as_u64()).sum()
    );
    // The constants of the lane are set like any other, and the verdict says which would do.
    let key = hits[2]["key"].as_str().unwrap();
    let why = |more: &[&str]| {
        let mut line = vec!["why", "payment gateway timeouts", "--expect", key];
        line.extend(["--now", "2026-06-02", "--json"]);
        line.extend(more);
        sandbox.run(&line).succeeded().json()
    };
    let third = why(&[]);
    assert_eq!(third["in_results"], true, "{third}");
    assert_eq!(third["lost_at"], "injected");
    let mut fixes = third["fixes"].as_array().unwrap().iter();
    let fix = fixes.find(|fix| fix["constant"] == "research_injected");
    assert_eq!(fix.unwrap()["nearest"], 3.0);
    let wider = why(&["--set", "research_injected=3"]);
    assert_eq!(wider["lost_at"], Value::Null, "{wider}");
    let strict = why(&["--set", "research_threshold=0.9"]);
    assert_eq!(strict["lost_at"], "similar", "{strict}");
    // The memories are what they were.
    assert_eq!(answer["results"], before["results"]);
    assert_eq!(answer["results"].as_array().unwrap().len(), 1);
}

#[test]
fn another_programs_cache_is_moved_in_and_a_broken_one_changes_nothing() {
    let sandbox = vault();
    put(
        &sandbox,
        &json!({"query": "kept before", "findings": "still here"}),
    );
    let file = sandbox.write(
        "cache.json",
        json!({
            "version": 2,
            "entries": {
                "0011223344556677": {
                    "query": "tea varieties", "findings": "Six.", "token_count": 5,
                    "sources": [{"url": "https://example.invalid", "title": "T", "credibility": "high"}],
                    "timestamp": 1_770_000_000,
                },
                "8899aabbccddeeff": {"query": "no findings here"},
            },
        })
        .to_string(),
    );
    let import = || {
        sandbox
            .run(&["research", "import", &file, "--json"])
            .succeeded()
            .json()
    };
    let report = import();
    assert_eq!(
        (&report["taken"], &report["kept"]),
        (&json!(1), &json!(2)),
        "{report}"
    );
    assert_eq!(report["refused"][0]["reason"], "no findings", "{report}");
    assert_eq!(import()["known"], 1, "a second time changes nothing");
    let all = entries(&sandbox);
    assert_eq!(all[1]["saved_at"], "2026-02-02T02:40:00.000Z", "{all:#?}");
    assert_eq!(all[1]["sources"][0]["credibility"], "high");

    let broken = sandbox.write("broken.json", "[{\"query\": \"quinkfern\", \"findings\": ");
    let run = sandbox
        .run(&["research", "import", &broken])
        .refused(1, &["broken.json", "not JSON at line 1"]);
    assert!(!run.stderr.contains("quinkfern"), "{}", run.stderr);
    assert_eq!(entries(&sandbox), all);
    assert_eq!(
        std::fs::read_to_string(&broken).unwrap(),
        "[{\"query\": \"quinkfern\", \"findings\": "
    );
}

#[test]
fn bad_research_is_refused_with_a_reason() {
    let sandbox = vault();
    for (input, words) in [
        ("{\"query\": \"q\"}", vec!["no findings"]),
        ("{\"findings\": \"f\"}", vec!["no query"]),
        ("not json", vec!["JSON, line 1"]),
    ] {
        sandbox
            .run_with_input(&["research", "put"], input)
            .refused(2, &words);
    }
    sandbox
        .run_with_input(&["research", "put", "q"], " \n")
        .refused(2, &["findings"]);
    assert!(entries(&sandbox).is_empty());
}

#[test]
fn past_research_is_paid_from_the_token_budget_first() {
    let (_sandbox, inspector) = Sandbox::with_records(&[
        "the kettle in the lab is calibrated every spring",
        "the kettle of the office was sold last year",
    ]);
    let ask = |budget: u32| {
        inspector
            .query(&QueryRequest {
                text: "where is the calibrated kettle".into(),
                mode: Mode::Hybrid,
                filter: FilterRequest::default(),
                constants: Constants {
                    token_budget: budget,
                    ..Constants::default()
                },
                now: None,
                rerank: true,
            })
            .unwrap()
    };
    let before = ask(2048).context;
    assert_eq!((before.research_tokens, before.entries.len()), (0, 2));
    // A budget that holds exactly what is there holds less once research is in it.
    let exact = before.tokens;
    assert!(
        ask(exact)
            .context
            .entries
            .iter()
            .all(|entry| entry.included)
    );
    inspector
        .save_research(&ResearchRequest {
            query: "calibrated kettle".into(),
            findings: "It stands on the second shelf.".into(),
            sources: Vec::new(),
            tokens: None,
        })
        .unwrap();
    let answer = ask(exact);
    let context = answer.context.clone();
    assert!(context.research_tokens > 0);
    assert!(context.entries.iter().any(|entry| !entry.included));
    assert!(
        context.tokens <= exact || context.entries.iter().all(|entry| !entry.included),
        "{context:?}"
    );
    let roomy = ask(exact + context.research_tokens).context;
    assert!(roomy.entries.iter().all(|entry| entry.included));
    assert_eq!(roomy.tokens, exact + roomy.research_tokens);
    // A slider cuts the lane again; its texts are sent when others stand there, and not again.
    let again = |research_reported: u32, held: Held| {
        inspector
            .retune(&RetuneRequest {
                recall: answer.recall.clone(),
                constants: Constants {
                    research_reported,
                    ..answer.trace.constants.clone()
                },
                now: None,
                score_unseen: false,
                held,
            })
            .unwrap()
    };
    let none = again(0, Held::default());
    assert_eq!(none.context.research_tokens, 0);
    assert_eq!(none.trace.lanes.memory_lookup.unwrap().near_misses.len(), 1);
    let held = Held {
        beside: answer.beside.clone(),
        ..Held::default()
    };
    assert!(again(3, held.clone()).lanes.is_none());
    assert!(again(0, held).lanes.is_some());
    let notes = &answer.trace.stage(Stage::Select).unwrap().notes;
    assert!(
        notes
            .iter()
            .any(|note| note.starts_with("Past research takes")),
        "{notes:?}"
    );
}

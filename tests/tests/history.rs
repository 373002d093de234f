//! Past queries from the vault: listed, opened as they were, asked again, and exported; and what
//! time and new memories do to a standing one.

use std::fs;
use std::time::{Duration, Instant};

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::error::ErrorCode;
use inspector::request::{
    ArrivalsRequest, ExportTraceRequest, FilterRequest, ForecastRequest, Held, HistoryRequest,
    JudgeRequest, QueryRequest, RedactionRequest, RetuneRequest, TraceName,
};
use inspector::trace::Mode;
use inspector::view::{HistoryOutcome, HistoryView, QueryView};
use retrieval::stage::Stage;

use crate::support::{PASSPHRASE, Sandbox, demo, ingest};

/// A word that occurs in no program and no other test.
const CANARY: &str = "quuxlamp";

/// An open vault as a window has it: what is asked is kept.
fn window() -> (Sandbox, Inspector) {
    let sandbox = Sandbox::new();
    let inspector = Inspector::new(sandbox.paths(false));
    inspector.create_vault(PASSPHRASE.into()).unwrap();
    let lines: String = (0..40)
        .map(|n| {
            format!(
                "{{\"timestamp\":\"2026-0{}-01T08:00:00Z\",\"role\":\"user\",\"content\":\"kettle note {n} {CANARY}{n}\",\"agent\":\"agent-{CANARY}\"}}\n",
                1 + n % 6
            )
        })
        .collect();
    let log = sandbox.write("logs/notes.jsonl", lines);
    assert_eq!(ingest(&inspector, &log).stored, 40);
    (sandbox, inspector)
}

fn request(text: &str) -> QueryRequest {
    QueryRequest {
        text: text.to_owned(),
        mode: Mode::Lexical,
        filter: FilterRequest::default(),
        constants: Constants::default(),
        now: Some("2026-07-01T00:00:00Z".to_owned()),
        rerank: true,
    }
}

fn ask(inspector: &Inspector, request: &QueryRequest) -> QueryView {
    inspector.query(request).unwrap()
}

/// The history once `ready` holds: traces are stored behind the answer.
fn history(inspector: &Inspector, ready: impl Fn(&HistoryView) -> bool) -> HistoryView {
    let start = Instant::now();
    loop {
        let view = inspector
            .history(&HistoryRequest {
                before: None,
                limit: 100,
                usage: false,
            })
            .unwrap();
        if ready(&view) {
            return view;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{view:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_command_line_lists_and_exports_what_the_window_kept() {
    let (sandbox, inspector) = window();
    ask(&inspector, &request(&format!("kettle {CANARY}7")));
    history(&inspector, |view| view.total == 1);
    inspector.lock().unwrap();
    drop(inspector);

    let list = sandbox.run(&["trace", "list", "--json"]).succeeded().json();
    assert_eq!(list["total"], 1, "{list}");
    let id = list["entries"][0]["id"].as_str().unwrap().to_owned();
    let text = sandbox.run(&["trace", "list"]).succeeded().stdout;
    assert!(text.contains(&id) && text.contains("1 of 1"), "{text}");

    let whole = sandbox.run(&["trace", "export", &id]).succeeded();
    assert!(whole.stdout.contains(CANARY));
    assert_eq!(whole.json()["trace"]["stages"].as_array().unwrap().len(), 8);

    let file = sandbox.path("report.json").display().to_string();
    let saved = sandbox
        .run(&["trace", "export", &id, &file, "--redacted", "--json"])
        .succeeded()
        .json();
    let report = fs::read_to_string(&file).unwrap();
    assert_eq!(saved["bytes"], report.len(), "{saved}");
    assert!(!report.contains(CANARY), "{report}");
    assert!(report.contains("\"stages\""), "{report}");

    sandbox
        .run(&["trace", "export", "t999"])
        .refused(1, &["t999"]);
    sandbox
        .run(&["trace", "export", &id, "--with-query"])
        .refused(2, &["--redacted"]);
}

#[test]
fn what_was_asked_is_listed_and_opens_as_it_was() {
    let (_sandbox, inspector) = window();
    let first = ask(&inspector, &request("kettle"));
    history(&inspector, |view| view.total == 1);
    // Typed on: the same question.
    let second = ask(&inspector, &request("kettle note"));
    history(&inspector, |view| {
        view.total == 1 && view.entries[0].query == "kettle note"
    });
    let other = QueryRequest {
        filter: FilterRequest {
            kinds: vec!["fact".to_owned()],
            ..FilterRequest::default()
        },
        ..request("nothing at all")
    };
    ask(&inspector, &other);
    let view = history(&inspector, |view| view.total == 2);
    let [empty, found] = view.entries.as_slice() else {
        panic!("{view:?}")
    };
    assert_eq!((empty.outcome, empty.results), (HistoryOutcome::Empty, 0));
    assert_eq!(empty.filter, other.filter);
    assert_eq!(found.outcome, HistoryOutcome::Unjudged);
    assert_eq!(found.results as usize, second.trace.results.len());

    // Changed constants and memories leave the stored trace as it is.
    let stored = inspector.stored_trace(&found.id).unwrap();
    assert_eq!(stored.trace, second.trace);
    assert_eq!(stored.trace.now, "2026-07-01T00:00:00Z");
    let gone = second.trace.results[0].clone();
    inspector
        .delete_memories(std::slice::from_ref(&gone))
        .unwrap();
    inspector
        .purge_memories(std::slice::from_ref(&gone))
        .unwrap();
    let stored = inspector.stored_trace(&found.id).unwrap();
    assert_eq!(stored.trace, second.trace);
    assert!(!stored.cards.contains_key(&gone));
    assert!(stored.cards.contains_key(&second.trace.results[1]));

    // Pages.
    let page = inspector
        .history(&HistoryRequest {
            before: Some(empty.id.clone()),
            limit: 5,
            usage: false,
        })
        .unwrap();
    assert_eq!((page.total, page.entries.len()), (2, 1));

    // Judged afterwards, the list knows.
    let judged = |id: &str, grade| JudgeRequest {
        recall: second.recall.clone(),
        id: id.to_owned(),
        grade,
    };
    let third = second.trace.results[2].clone();
    inspector.judge(&judged(&third, Some(3))).unwrap();
    let entry = &history(&inspector, |_| true).entries[1];
    assert_eq!(
        (entry.outcome, entry.found_rank),
        (HistoryOutcome::Found, Some(3))
    );
    let outside = inspector
        .list_memories(&inspector::request::ListRequest {
            limit: 100,
            ..inspector::request::ListRequest::default()
        })
        .unwrap()
        .cards
        .into_iter()
        .find(|card| !second.trace.results.contains(&card.id))
        .unwrap();
    inspector.judge(&judged(&third, None)).unwrap();
    inspector.judge(&judged(&outside.id, Some(2))).unwrap();
    let entry = &history(&inspector, |_| true).entries[1];
    assert_eq!(
        (entry.outcome, entry.found_rank),
        (HistoryOutcome::Missed, None)
    );

    // Unknown names are refused, and forgetting leaves nothing.
    for (id, code) in [("t999", ErrorCode::NotFound), ("m1", ErrorCode::BadRequest)] {
        assert_eq!(inspector.stored_trace(id).unwrap_err().code, code);
    }
    assert_eq!(inspector.clear_history().unwrap(), 2);
    assert_eq!(history(&inspector, |_| true).total, 0);
    // A query that goes on from a forgotten one is a new row.
    ask(&inspector, &request("kettle note 7"));
    history(&inspector, |view| view.total == 1);
    drop(first);
}

#[test]
fn a_redacted_bundle_holds_every_number_and_no_word() {
    let (sandbox, inspector) = window();
    let asked = request(&format!("{CANARY}7 kettle src/{CANARY}/client.rs note"));
    let view = ask(&inspector, &asked);
    assert!(!view.trace.results.is_empty());
    let id = history(&inspector, |view| view.total == 1).entries[0]
        .id
        .clone();
    let export = |redacted| ExportTraceRequest {
        trace: TraceName::Stored { id: id.clone() },
        redacted,
    };
    let text = |redacted| inspector.export_trace(&export(redacted)).unwrap();

    let whole: serde_json::Value = serde_json::from_str(&text(None)).unwrap();
    assert_eq!(whole["trace"]["query"], serde_json::json!(asked.text));
    assert_eq!(
        serde_json::from_value::<inspector::trace::Trace>(whole["trace"].clone()).unwrap(),
        view.trace
    );

    let bare = text(Some(RedactionRequest::default()));
    for word in [CANARY, "kettle", "client", "\"m1\""] {
        assert!(!bare.to_lowercase().contains(word), "{word} in {bare}");
    }
    assert!(
        !view
            .trace
            .results
            .iter()
            .any(|id| bare.contains(&format!("\"{id}\""))),
        "{bare}"
    );
    let bundle: serde_json::Value = serde_json::from_str(&bare).unwrap();
    let item = &view.trace.stages[2].items[0];
    let shown = &bundle["stages"][2]["items"][0];
    assert_eq!(shown["score"].as_f64(), Some(item.score));
    assert_eq!(shown["terms"], serde_json::to_value(&item.terms).unwrap());
    assert_eq!(
        bundle["constants"],
        serde_json::to_value(&view.trace.constants).unwrap()
    );
    // One memory has one name everywhere.
    assert_eq!(shown["id"], bundle["stages"][4]["items"][0]["id"]);
    assert_eq!(
        bundle["results"].as_array().map(Vec::len),
        Some(view.trace.results.len())
    );

    // Ticked, each is let in; memory text never is.
    let with_query = text(Some(RedactionRequest {
        query: true,
        keep_ids: false,
    }));
    assert!(with_query.contains(CANARY) && !with_query.contains("kettle note"));
    let with_ids = text(Some(RedactionRequest {
        query: false,
        keep_ids: true,
    }));
    assert!(with_ids.contains(&format!("\"{}\"", view.trace.results[0])));
    assert!(!with_ids.contains(CANARY));

    // The present answer can be exported too, under the constants it has now.
    let recalled = ExportTraceRequest {
        trace: TraceName::Recall {
            recall: view.recall.clone(),
            constants: Box::new(Constants {
                results: 3,
                ..Constants::default()
            }),
            now: None,
        },
        redacted: Some(RedactionRequest::default()),
    };
    let recalled = inspector.export_trace(&recalled).unwrap();
    let recalled: serde_json::Value = serde_json::from_str(&recalled).unwrap();
    assert_eq!(recalled["results"].as_array().map(Vec::len), Some(3));

    // Saved, the file is private; a bad place is named.
    let path = sandbox.path("tmp/trace.json");
    let path = path.display().to_string();
    let saved = inspector
        .save_trace(&export(Some(RedactionRequest::default())), &path)
        .unwrap();
    assert_eq!(saved.path, path);
    assert_eq!(fs::read_to_string(&path).unwrap(), bare);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    let refused = inspector
        .save_trace(&export(None), &format!("{path}/trace.json"))
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::Unwritable);
    assert!(refused.args["path"].ends_with("trace.json"));
}

#[test]
fn the_forecast_is_what_the_clock_will_show() {
    let (_sandbox, inspector) = window();
    let view = ask(&inspector, &request("kettle note 7"));
    let constants = Constants {
        results: 5,
        ..Constants::default()
    };
    let asked = ForecastRequest {
        recall: view.recall.clone(),
        constants: constants.clone(),
        now: None,
        from: Some("2026-05-15T00:00:00Z".to_owned()),
        days: 90,
    };
    let forecast = inspector.forecast(&asked).unwrap();
    assert!(forecast.exact && !forecast.unread);
    assert_eq!(forecast.clock, "2026-07-01T00:00:00.000Z");
    assert!(!forecast.changes.is_empty(), "{forecast:?}");
    let results = |now: &str| {
        inspector
            .retune(&RetuneRequest {
                recall: view.recall.clone(),
                constants: constants.clone(),
                now: Some(now.to_owned()),
                score_unseen: true,
                held: Held::default(),
            })
            .unwrap()
            .trace
            .results
    };
    for change in &forecast.changes {
        let after = results(&change.at);
        assert!(change.entered.iter().all(|id| after.contains(id)));
        assert!(!change.left.iter().any(|id| after.contains(id)));
    }
    for (id, fate) in &forecast.memories {
        let now = results("2026-07-01T00:00:00Z");
        let place = now.iter().position(|one| one == id).map(|at| at as u32 + 1);
        assert_eq!(fate.rank, place, "{id}");
        if let Some(at) = &fate.leaves_at {
            assert!(!results(at).contains(id));
        }
    }
    let refused = ForecastRequest { days: 0, ..asked };
    assert_eq!(
        inspector.forecast(&refused).unwrap_err().code,
        ErrorCode::BadRequest
    );
}

#[test]
fn new_memories_are_announced_only_when_they_would_be_results() {
    let (sandbox, inspector) = window();
    let view = ask(&inspector, &request("kettle note 7"));
    let log = sandbox.write(
        "logs/new.jsonl",
        "{\"timestamp\":\"2026-06-30T08:00:00Z\",\"role\":\"user\",\"content\":\"kettle note 7 again\"}\n\
         {\"timestamp\":\"2026-06-30T08:00:00Z\",\"role\":\"user\",\"content\":\"plants need water\"}\n",
    );
    assert_eq!(ingest(&inspector, &log).stored, 2);
    let before = history(&inspector, |view| view.total == 1);
    let arrived = inspector
        .arrivals(&ArrivalsRequest {
            recall: view.recall.clone(),
            constants: Constants::default(),
            ids: vec!["m41".to_owned(), "m42".to_owned()],
        })
        .unwrap();
    assert_eq!(arrived.entering, ["m41"]);
    // A glance is no query: it leaves no trace.
    assert_eq!(history(&inspector, |_| true), before);
}

#[test]
fn the_demo_keeps_its_forecast_under_the_reranker() {
    let Some(demo) = demo() else { return };
    let answer = demo.ask("how did we fix the unpack error in the payment gateway?");
    let forecast = demo
        .inspector
        .forecast(&ForecastRequest {
            recall: answer.view.recall.clone(),
            constants: Constants::default(),
            now: None,
            from: None,
            days: 90,
        })
        .unwrap();
    assert!(forecast.exact && !forecast.unread, "{forecast:?}");
    for (place, id) in (1..).zip(&answer.view.trace.results) {
        assert_eq!(forecast.memories[id].rank, Some(place));
    }
}

#[test]
fn a_re_ranking_leaves_out_the_lists_that_the_window_holds() {
    let (_sandbox, inspector) = window();
    let view = ask(&inspector, &request("kettle note"));
    let again = |constants: Constants, held: Held| {
        let asked = RetuneRequest {
            recall: view.recall.clone(),
            constants,
            now: None,
            score_unseen: false,
            held,
        };
        inspector.retune(&asked).unwrap()
    };
    let constants = Constants {
        half_life_days: 3.0,
        ..Constants::default()
    };
    let whole = again(constants.clone(), Held::default());
    let held = Held {
        cards: view.cards.keys().cloned().collect(),
        lists: view.lists.clone(),
        beside: String::new(),
    };
    let short = again(constants, held);
    assert!(short.cards.is_empty());
    assert_eq!(short.lists, whole.lists);
    let mut same = Vec::new();
    for (place, whole) in whole.trace.stages.iter().enumerate() {
        let (name, sent) = (whole.name, &short.trace.stages[place].items);
        if whole.items == view.trace.stages[place].items {
            assert!(sent.is_empty(), "{name:?}");
            same.push(name);
        } else {
            assert_eq!(sent, &whole.items, "{name:?}");
        }
    }
    assert!(same.contains(&Stage::Bm25) && same.contains(&Stage::Fusion));
    assert!(!same.contains(&Stage::Decay));
}

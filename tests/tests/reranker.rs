//! Choosing a reranker: a folder, a service that stands in for a real one, and what leaves the machine.

use inspector::Inspector;
use inspector::constants::{Constants, RerankBackend};
use inspector::error::ErrorCode;
use inspector::request::{FilterRequest, QueryRequest, RerankerRequest};
use inspector::trace::{Mode, Status};
use inspector::view::{BreakerCause, Passing, ScoreScaleView};
use retrieval::stage::Stage;
use serde_json::{Value, json};

use crate::support::stand_in::StandIn;
use crate::support::{PASSPHRASE, Sandbox, root};

const RECORDS: [&str; 3] = [
    "the kettle is calibrated every spring",
    "the kettle was sold",
    "a kettle whistles",
];

fn request(backend: RerankBackend) -> RerankerRequest {
    RerankerRequest {
        backend,
        folder: None,
        endpoint: None,
        model: None,
        scale: ScoreScaleView::Probability,
        key: None,
        sends_texts: false,
    }
}

fn http(service: &StandIn) -> RerankerRequest {
    RerankerRequest {
        endpoint: Some(service.endpoint.clone()),
        model: Some("test-model".into()),
        key: Some("sk-secretword".into()),
        sends_texts: true,
        ..request(RerankBackend::Http)
    }
}

/// Asks under the preset in force.
fn ask(inspector: &Inspector, text: &str) -> inspector::view::QueryView {
    inspector
        .query(&QueryRequest {
            text: text.into(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: inspector.preset(None).unwrap(),
            now: None,
            rerank: true,
        })
        .unwrap()
}

#[test]
fn a_service_reads_only_after_consent_and_its_key_stays_in_the_vault() {
    let (sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let service = StandIn::start();
    assert_eq!(
        inspector.preset(None).unwrap().rerank,
        RerankBackend::Embedded
    );

    let without_consent = RerankerRequest {
        sends_texts: false,
        ..http(&service)
    };
    let refused = inspector.use_reranker(&without_consent).unwrap_err();
    assert_eq!(refused.code, ErrorCode::BadRequest);
    assert_eq!(refused.args["what"], "sends_texts");
    assert_eq!(inspector.rerankers().unwrap().service, None);
    ask(&inspector, "kettle");
    assert_eq!(service.count(), 0);

    let view = inspector.use_reranker(&http(&service)).unwrap();
    // Setting it up sends nothing.
    assert_eq!(service.count(), 0);
    assert!(view.service.as_ref().unwrap().key_stored);
    assert!(!serde_json::to_string(&view).unwrap().contains("secretword"));
    assert!(!format!("{view:?}{:?}", http(&service)).contains("secretword"));
    assert_eq!(inspector.preset(None).unwrap().rerank, RerankBackend::Http);

    let answer = ask(&inspector, "kettle");
    assert_eq!(answer.trace.results[0], "m2", "{:?}", answer.trace.results);
    assert_eq!(
        answer.trace.stage(Stage::Rerank).unwrap().status,
        Status::Ok
    );
    {
        let requests = service.requests.lock().unwrap();
        let (authorization, body) = &requests[0];
        assert_eq!(authorization, "Bearer sk-secretword");
        assert_eq!(body["model"], "test-model");
        assert_eq!(body["query"], "kettle");
        assert_eq!(body["documents"].as_array().unwrap().len(), 3);
    }
    // Another preset of the program uses it too; one that turns reranking off does not.
    for preset in inspector.settings().unwrap().presets {
        assert_eq!(preset.constants.rerank, RerankBackend::Http);
    }

    // It is there again after a restart, with its key.
    drop(inspector);
    let again = Inspector::for_scripts(sandbox.paths(false));
    again.unlock(PASSPHRASE.into()).unwrap();
    ask(&again, "whistles kettle");
    assert_eq!(
        service.requests.lock().unwrap().last().unwrap().0,
        "Bearer sk-secretword"
    );

    // Another address does not get the key that was given for this one.
    let other = StandIn::start();
    let moved = again
        .use_reranker(&RerankerRequest {
            key: None,
            ..http(&other)
        })
        .unwrap();
    assert!(!moved.service.unwrap().key_stored);
    ask(&again, "kettle sold");
    assert_eq!(other.requests.lock().unwrap()[0].0, "");

    // Forgotten, nothing is sent any more.
    let forgotten = again.forget_rerank_service().unwrap();
    assert_eq!(
        (forgotten.service, forgotten.backend),
        (None, RerankBackend::Embedded)
    );
    let sent = other.count();
    ask(&again, "kettle spring");
    assert_eq!(other.count(), sent);
}

#[test]
fn a_service_that_fails_is_left_alone_and_says_for_how_long() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let service = StandIn::start();
    *service.status.lock().unwrap() = 503;
    inspector.use_reranker(&http(&service)).unwrap();
    let breaker = || {
        inspector
            .rerankers()
            .unwrap()
            .service
            .unwrap()
            .breaker
            .unwrap()
    };
    assert_eq!(breaker().state, Passing::Closed);

    let answer = ask(&inspector, "kettle");
    let rerank = answer.trace.stage(Stage::Rerank).unwrap();
    assert_eq!(rerank.status, Status::Failed);
    assert!(
        rerank.reason.as_ref().unwrap().contains("503"),
        "{rerank:?}"
    );
    assert_eq!(answer.trace.results.len(), 3);
    let opened = breaker();
    assert_eq!(
        (opened.state, opened.cause),
        (Passing::Open, Some(BreakerCause::Server))
    );
    assert!((1..=33).contains(&opened.remaining_seconds), "{opened:?}");

    // While it is open nothing is sent, and the stage says so.
    let sent = service.count();
    let paused = ask(&inspector, "kettle sold");
    assert_eq!(service.count(), sent);
    let reason = paused.trace.stage(Stage::Rerank).unwrap().reason.clone();
    assert!(reason.unwrap().contains("paused for another"));
}

#[test]
fn addresses_that_would_show_texts_on_the_way_are_refused() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let service = StandIn::start();
    for endpoint in [
        "http://rerank.invalid/v1/rerank",
        "ftp://127.0.0.1/rerank",
        "https://user:sk-secretword@rerank.invalid/v1/rerank",
        "rerank",
    ] {
        let error = inspector
            .use_reranker(&RerankerRequest {
                endpoint: Some(endpoint.into()),
                ..http(&service)
            })
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest, "{endpoint}");
        assert!(!format!("{error:?}").contains("secretword"), "{error:?}");
    }
    assert_eq!(inspector.rerankers().unwrap().service, None);
}

#[test]
fn a_folder_is_loaded_before_it_is_taken() {
    let sandbox = Sandbox::new();
    let log = sandbox.write(
        "logs/records.jsonl",
        RECORDS
            .iter()
            .map(|content| {
                format!(
                    "{}\n",
                    json!({"timestamp": "2026-06-01T00:00:00Z", "role": "user", "content": content})
                )
            })
            .collect::<String>(),
    );
    let paths = sandbox.paths(true);
    let inspector = Inspector::for_scripts(paths.clone());
    inspector.create_vault(PASSPHRASE.into()).unwrap();
    crate::support::ingest(&inspector, &log);

    for (folder, says) in [
        (sandbox.path("nowhere"), "whole path"),
        (sandbox.path("home"), ""),
    ] {
        let error = inspector
            .use_reranker(&RerankerRequest {
                folder: Some(folder.display().to_string()),
                ..request(RerankBackend::CrossEncoder)
            })
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest);
        assert!(error.args["expected"].contains("model.onnx"), "{error:?}");
        assert!(error.args["expected"].contains(says), "{error:?}");
        assert_eq!(inspector.rerankers().unwrap().cross_encoder, None);
    }

    if paths.models.is_empty() {
        return;
    }
    let fixture = root().join("src-tauri/crates/models/tests/fixtures/tiny-cross-encoder");
    let view = inspector
        .use_reranker(&RerankerRequest {
            folder: Some(fixture.display().to_string()),
            ..request(RerankBackend::CrossEncoder)
        })
        .unwrap();
    assert_eq!(view.backend, RerankBackend::CrossEncoder);
    let name = view.cross_encoder.unwrap().name.unwrap();
    assert!(name.starts_with("cross-encoder/"), "{name}");
    drop(inspector);

    // Another run of the program loads it when a query needs it.
    let again = Inspector::for_scripts(paths);
    again.unlock(PASSPHRASE.into()).unwrap();
    let answer = ask(&again, "kettle");
    let rerank = answer.trace.stage(Stage::Rerank).unwrap();
    assert_eq!(rerank.status, Status::Ok, "{rerank:?}");
    assert!(rerank.notes.iter().any(|note| note.starts_with(&name)));
    let view = again
        .use_reranker(&request(RerankBackend::Embedded))
        .unwrap();
    // The folder stays set up for a preset that names it.
    assert!(view.cross_encoder.is_some());
    assert_eq!(
        again.preset(Some("Standard")).unwrap(),
        Constants::default()
    );
}

#[test]
fn the_command_line_sets_one_up_without_showing_its_key() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init"]).succeeded();
    let service = StandIn::start();
    let key = sandbox.write("key", "sk-secretword\n");
    let common = [
        "reranker",
        "use",
        "http",
        "--endpoint",
        &service.endpoint,
        "--model",
        "m",
        "--key-file",
        &key,
        "--json",
    ];
    sandbox
        .run(&common)
        .refused(2, &["sends_texts", "memories"]);
    let used = sandbox.run(&[&common[..], &["--send-texts"]].concat());
    let shown = used.succeeded();
    assert!(!shown.stdout.contains("secretword"));
    assert_eq!(shown.json()["backend"], "http");
    assert_eq!(shown.json()["service"]["key_stored"], true);
    let text = sandbox.run(&["reranker", "show"]).succeeded();
    assert!(
        text.stdout.contains("key stored") && text.stdout.contains("are sent there"),
        "{}",
        text.stdout
    );
    let forgotten = sandbox
        .run(&["reranker", "forget", "--json"])
        .succeeded()
        .json();
    assert_eq!(forgotten["service"], Value::Null);
    assert_eq!(forgotten["backend"], "embedded");
    sandbox
        .run(&["reranker", "use", "cross-encoder", "--folder", "."])
        .refused(2, &["model.onnx"]);
    // Nothing of the key lies outside the encrypted file.
    std::fs::remove_file(&key).unwrap();
    for (path, bytes) in sandbox.snapshot("data") {
        let found = bytes.windows(10).any(|part| part == b"secretword");
        assert!(!found, "{}", path.display());
    }
}

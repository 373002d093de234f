//! Documents through the command line: taken in, asked, replaced, deleted, moved in, and never
//! mixed with memories.

use serde_json::Value;

use crate::support::{Sandbox, model_folder, skip};

fn vault() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["init"]).succeeded();
    sandbox
}

fn ingest(sandbox: &Sandbox, id: &str, text: &str) -> Value {
    sandbox
        .run_with_input(&["document", "ingest", id, "-", "--json"], text)
        .succeeded()
        .json()
}

fn ask(sandbox: &Sandbox, text: &str) -> Value {
    sandbox
        .run(&["document", "query", text, "--json"])
        .succeeded()
        .json()
}

fn documents(answer: &Value) -> Vec<&str> {
    answer["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["document"].as_str().unwrap())
        .collect()
}

#[test]
fn documents_and_memories_stay_apart() {
    let sandbox = vault();
    let log = sandbox.write(
        "logs/a.jsonl",
        "{\"timestamp\":\"2026-06-01T08:00:00Z\",\"role\":\"user\",\"content\":\"the kettle in our talk\"}\n",
    );
    sandbox.run(&["ingest", &log]).succeeded();
    let file = sandbox.write(
        "kettle.md",
        "# Kettles\n\nA kettle is descaled with vinegar.\n",
    );
    let put = sandbox
        .run(&[
            "document",
            "ingest",
            "notes/kettle",
            &file,
            "--title",
            "Kettle care",
            "--json",
        ])
        .succeeded()
        .json();
    assert_eq!(put["outcome"], "stored", "{put}");
    assert_eq!(put["chunks"], 1);

    let answer = sandbox
        .run(&["query", "kettle vinegar", "--json"])
        .succeeded()
        .json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{answer}");
    assert_eq!(results[0]["content"], "the kettle in our talk");
    let lane = &answer["lanes"]["documents"];
    assert_eq!(documents(lane), ["notes/kettle"], "{lane}");
    let hit = &lane["hits"][0];
    assert_eq!((&hit["rank"], &hit["chunk"]), (&1.into(), &0.into()));
    assert_eq!(hit["title"], "Kettle care");
    assert!(hit["score"].as_f64().unwrap() > 0.0);
    assert!(hit["tokens"].as_u64().unwrap() > 0);
    // Nothing of a document is a memory.
    let list = sandbox
        .run(&["list", "--contains", "vinegar", "--json"])
        .succeeded()
        .json();
    assert_eq!(list["total"], 0, "{list}");
    let status = sandbox.run(&["status", "--json"]).succeeded().json();
    assert_eq!(status["memories"], 1);
    assert_eq!(status["tables"]["documents"], 1);
    // A filter of memories' fields leaves documents out, and says so.
    let filtered = sandbox
        .run(&["query", "kettle", "--scope", "role=user", "--json"])
        .succeeded()
        .json();
    assert_eq!(filtered["lanes"]["documents"]["status"], "skipped");
    assert!(documents(&ask(&sandbox, "kettle talk")).contains(&"notes/kettle"));
}

#[test]
fn the_same_id_replaces_and_deleting_is_final() {
    let sandbox = vault();
    ingest(&sandbox, "a", "apples are red");
    assert_eq!(
        ingest(&sandbox, "a", "apples are red")["outcome"],
        "unchanged"
    );
    assert_eq!(
        ingest(&sandbox, "a", "pears are green")["outcome"],
        "replaced"
    );
    assert!(documents(&ask(&sandbox, "apples")).is_empty());
    let found = ask(&sandbox, "pears");
    assert_eq!(found["hits"][0]["text"], "pears are green", "{found}");
    sandbox.run(&["document", "delete", "a"]).succeeded();
    assert!(documents(&ask(&sandbox, "pears")).is_empty());
    sandbox
        .run(&["document", "delete", "a"])
        .refused(1, &["no document"]);
    let list = sandbox
        .run(&["document", "list", "--json"])
        .succeeded()
        .json();
    assert_eq!(list["documents"].as_array().unwrap().len(), 0);
}

#[test]
fn a_long_document_answers_with_the_right_chunk() {
    let sandbox = vault();
    let paragraph = |topic: &str| {
        format!(
            "{}\n\n",
            format!("All about {topic} and its ways. ").repeat(25)
        )
    };
    let text: String = ["gardens", "harbours", "lighthouses", "vineyards"]
        .iter()
        .map(|topic| paragraph(topic))
        .collect();
    let put = ingest(&sandbox, "places", &text);
    assert!(put["chunks"].as_u64().unwrap() >= 4, "{put}");
    let found = ask(&sandbox, "lighthouses");
    let first = &found["hits"][0];
    assert!(
        first["text"].as_str().unwrap().contains("lighthouses"),
        "{first}"
    );
    assert!(
        (1..=3).contains(&first["chunk"].as_u64().unwrap()),
        "{first}"
    );
    assert_eq!(first["chunks"], put["chunks"]);
}

#[test]
fn a_plaintext_store_is_moved_in_line_by_line() {
    let sandbox = vault();
    ingest(&sandbox, "b", "the old b");
    let mut lines =
        b"{\"id\": \"a\", \"text\": \"alpha text\", \"metadata\": {\"title\": \"A\"}}\n\
        {\"id\": \"b\", \"text\": \"the new b\"}\n\
        {\"id\": \"c\", \"text\": \"quinkfern\n\
        {\"text\": \"nobody's\"}\n"
            .to_vec();
    lines.extend(b"{\"id\": \"d\", \"text\": \"\xff\"}\n");
    let store = sandbox.write("store.jsonl", &lines);
    let run = sandbox
        .run(&["document", "import", &store, "--json"])
        .succeeded();
    let report = run.json();
    assert_eq!(
        (&report["stored"], &report["replaced"]),
        (&1.into(), &1.into()),
        "{report}"
    );
    let refused: Vec<(&str, &str)> = report["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["place"].as_str().unwrap(),
                one["reason"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        refused,
        [
            ("line 3", "not JSON"),
            ("line 4", "no id"),
            ("line 5", "not UTF-8")
        ]
    );
    assert!(!run.stderr.contains("quinkfern") && !run.stdout.contains("quinkfern"));
    assert_eq!(documents(&ask(&sandbox, "new")), ["b"]);
    assert_eq!(std::fs::read(sandbox.path("store.jsonl")).unwrap(), lines);
    sandbox
        .run(&[
            "document",
            "import",
            &sandbox.path("absent").display().to_string(),
        ])
        .refused(1, &["cannot read"]);
}

#[test]
fn bad_documents_are_refused_with_a_reason() {
    let sandbox = vault();
    sandbox
        .run_with_input(&["document", "ingest", "a", "-"], " \n")
        .refused(2, &["document", "text"]);
    sandbox
        .run_with_input(&["document", "ingest", " ", "-"], "text")
        .refused(2, &["id"]);
    let binary = sandbox.write("binary", b"\x00\xff\xfe");
    sandbox
        .run(&["document", "ingest", "a", &binary])
        .refused(1, &["not UTF-8"]);
    sandbox
        .run(&["document", "query", "x", "--limit", "0"])
        .refused(2, &["limit"]);
}

#[test]
fn a_document_is_found_by_its_meaning() {
    let Some(model) = model_folder() else {
        skip("there is no local model");
        return;
    };
    let sandbox = vault();
    let run = |arguments: &[&str]| {
        let output = sandbox
            .command()
            .env("LETHESCOPE_MODEL_DIR", &model)
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    for (id, text) in [
        (
            "invoices",
            "Invoices are paid within thirty days of arrival.",
        ),
        (
            "birds",
            "The heron stands still in shallow water for hours.",
        ),
    ] {
        let file = sandbox.write(id, text);
        run(&["document", "ingest", id, &file, "--json"]);
    }
    let found = run(&["document", "query", "when do we settle a bill", "--json"]);
    assert_eq!(documents(&found)[0], "invoices", "{found}");
    assert!(
        found["hits"][0]["bm25_rank"].is_null(),
        "no word in common: {found}"
    );
    assert_eq!(found["knn"]["status"], "ok");
}

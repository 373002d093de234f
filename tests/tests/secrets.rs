//! Secrets in documents and research are masked before they are stored, as those in logs are.

use serde_json::{Value, json};

use crate::support::Sandbox;

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn vault() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["init"]).succeeded();
    sandbox
}

#[test]
fn a_document_is_stored_without_its_secrets() {
    let sandbox = vault();
    let note = sandbox.write(
        "note.md",
        format!("The kettle is deployed with {TOKEN}.\n\nRotate it in spring."),
    );
    let stored = sandbox
        .run(&[
            "document", "ingest", "kettle", &note, "--title", TOKEN, "--json",
        ])
        .succeeded()
        .json();
    assert_eq!(stored["secrets_masked"], true, "{stored}");
    assert_eq!(stored["title"], "[secret:github-token]");
    let found = sandbox
        .run(&["document", "query", "kettle", "--json"])
        .succeeded();
    assert!(!found.stdout.contains("ghp_"), "{}", found.stdout);
    assert!(
        found
            .stdout
            .contains("deployed with [secret:github-token]."),
        "{}",
        found.stdout
    );
    // The same text again is no change, though its secret is not in the vault to compare with.
    let again = sandbox
        .run(&[
            "document", "ingest", "kettle", &note, "--title", TOKEN, "--json",
        ])
        .succeeded()
        .json();
    assert_eq!(again["outcome"], "unchanged");

    let store = sandbox.write(
        "store.jsonl",
        format!(
            "{}\n{}\n",
            json!({"id": "a", "text": format!("password=hunter2hunter2 and {TOKEN}")}),
            json!({"id": "b", "text": "nothing secret"})
        ),
    );
    let imported = sandbox
        .run(&["document", "import", &store, "--json"])
        .succeeded()
        .json();
    assert_eq!(
        (&imported["stored"], &imported["masked"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn research_is_kept_without_its_secrets_and_found_by_the_same_question() {
    let sandbox = vault();
    let question = format!("does {TOKEN} still open the registry");
    let research = json!({
        "query": question,
        "findings": format!("Yes, {TOKEN} does."),
        "sources": [{"url": "https://ada:hunter2hunter2@registry.invalid/", "title": TOKEN}],
    });
    let saved = sandbox
        .run_with_input(&["research", "put", "--json"], &research.to_string())
        .succeeded();
    assert!(
        !saved.stdout.contains("ghp_") && !saved.stdout.contains("hunter2"),
        "{}",
        saved.stdout
    );
    let found = sandbox
        .run(&["research", "get", &question, "--json"])
        .succeeded()
        .json();
    assert_eq!(found["hits"][0]["similarity"], 1.0, "{found}");
    assert_eq!(
        found["research"][0]["findings"],
        "Yes, [secret:github-token] does."
    );
    let file = sandbox.write(
        "cache.json",
        json!([{"query": "who holds the token", "findings": TOKEN, "timestamp": "2026-01-02T03:04:05Z"}])
            .to_string(),
    );
    let imported = sandbox
        .run(&["research", "import", &file, "--json"])
        .succeeded()
        .json();
    assert_eq!(
        (&imported["taken"], &imported["masked"]),
        (&json!(1), &json!(1))
    );
    let list: Value = sandbox
        .run(&["research", "list", "--json"])
        .succeeded()
        .json();
    assert!(!list.to_string().contains("ghp_"), "{list}");
    // The question as it was typed also forgets it.
    sandbox.run(&["research", "forget", &question]).succeeded();
}

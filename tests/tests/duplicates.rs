//! Near duplicates with the real model, as a person meets them on the command line.

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, model_folder, skip};

/// Pairs at a cosine of .95 and more that say two things, and one that says one.
const SAID: [&str; 14] = [
    "The release is on October 15",
    "The release is on October 16",
    "The staging server listens on port 8080",
    "The staging server listens on port 8081",
    "The user is allergic to nuts",
    "The user is not allergic to nuts",
    "Use SQLite, not Postgres",
    "Use Postgres, not SQLite",
    "备份已启用",
    "备份未启用",
    "run 11 took 204 ms, 3 of 40 tests were skipped",
    "run 12 took 204 ms, 3 of 40 tests were skipped",
    "The crates are shipped by rail to the northern depot.",
    "The crates are shipped by rail to the northern depot, as agreed.",
];

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let model = model_folder().unwrap();
    let mut command = sandbox.command();
    command.env("LETHESCOPE_MODEL_DIR", model).args(arguments);
    crate::support::run_with(&mut command, "")
}

fn json_of(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    run(sandbox, &arguments).succeeded().json()
}

fn said() -> Option<Sandbox> {
    if model_folder().is_none() {
        skip("the model is not built");
        return None;
    }
    let sandbox = Sandbox::new();
    let lines =
        SAID.map(|text| json!({ "role": "user", "agent": "atlas", "content": text }).to_string());
    let log = sandbox.write("logs/said.jsonl", lines.join("\n") + "\n");
    run(&sandbox, &["init"]).succeeded();
    let report = json_of(&sandbox, &["ingest", &log]);
    assert_eq!(report["stored"], 14);
    Some(sandbox)
}

#[test]
fn one_digit_one_not_and_one_swap_stay_two_and_a_few_words_more_are_one() {
    let Some(sandbox) = said() else { return };
    assert_eq!(
        json_of(&sandbox, &["list"])["total"],
        14,
        "nothing is taken away"
    );
    let found = json_of(&sandbox, &["duplicates"]);
    let groups = found["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{found:#}");
    let ids: Vec<&str> = groups[0]["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| card["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["m13", "m14"]);
    let apart: Vec<(&str, &str)> = found["contradictions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            (
                pair["older"]["id"].as_str().unwrap(),
                pair["apart"].as_str().unwrap(),
            )
        })
        .collect();
    for pair in [("m5", "negation"), ("m7", "negation")] {
        assert!(apart.contains(&pair), "{apart:?}");
    }
    let query = |text: &str| {
        let answer = json_of(&sandbox, &["query", text, "--limit", "14"]);
        let results = answer["results"].as_array().unwrap().iter();
        results
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let crates = query("how are the crates shipped");
    assert!(
        crates.contains(&"m13".to_owned()) && !crates.contains(&"m14".to_owned()),
        "{crates:?}"
    );
    let others = query("release server allergic SQLite 备份 run tests crates");
    assert_eq!(others.len(), 13, "{others:?}");
    let shown = json_of(&sandbox, &["show", "m14"]);
    assert_eq!(shown["near"][0]["id"], "m13");
    assert_eq!(shown["near"][0]["first"], true);
    let why = run(
        &sandbox,
        &["why", "how are the crates shipped", "--expect", "m14"],
    )
    .succeeded();
    assert!(
        why.stdout
            .contains("Lost at duplicate. m13 ranks better and says nearly the same"),
        "{}",
        why.stdout
    );
}

#[test]
fn a_persons_word_and_another_threshold_change_what_is_linked_and_nothing_else() {
    let Some(sandbox) = said() else { return };
    let crates = || {
        let answer = json_of(
            &sandbox,
            &["query", "how are the crates shipped", "--limit", "2"],
        );
        let results = answer["results"].as_array().unwrap().iter();
        let mut ids: Vec<_> = results
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    let both = ["m13", "m14"];
    assert_ne!(crates(), both);
    assert_eq!(
        json_of(&sandbox, &["duplicates", "--keep", "m13", "m14"])["pairs"],
        1
    );
    assert_eq!(crates(), both);
    let found = json_of(&sandbox, &["duplicates"]);
    assert_eq!(
        (&found["kept"], &found["group_count"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        json_of(&sandbox, &["duplicates", "--join", "m14", "m13"])["pairs"],
        1
    );
    assert_ne!(crates(), both);

    // What another threshold would join is told before it is moved.
    let pairs = |found: &Value, at: f64| {
        let all = found["joined"].as_array().unwrap();
        assert_eq!(all.len(), 21);
        all.iter().find(|one| one["at"] == at).unwrap()["pairs"]
            .as_u64()
            .unwrap()
    };
    let found = json_of(&sandbox, &["duplicates", "--at", "0.99"]);
    assert_eq!(
        (pairs(&found, 0.95), pairs(&found, 0.99), &found["in_force"]),
        (1, 0, &json!(0.95))
    );
    assert!(pairs(&found, 0.8) >= 1);
    assert_ne!(crates(), both, "asking moves nothing");
    run(&sandbox, &["duplicates", "--link-from", "0.99"]).succeeded();
    assert_eq!(crates(), both);
    assert_eq!(json_of(&sandbox, &["duplicates"])["in_force"], 0.99);
    for wrong in ["0.79", "1.01", "NaN"] {
        run(&sandbox, &["duplicates", "--at", wrong]).refused(2, &["0.8 to 1"]);
        run(&sandbox, &["duplicates", "--link-from", wrong]).refused(2, &["0.8 to 1"]);
    }
    run(&sandbox, &["duplicates", "--keep", "m1"]).refused(2, &["--keep"]);
    run(&sandbox, &["duplicates", "--keep", "m1", "m99"]).refused(1, &[]);
}

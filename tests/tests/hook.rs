//! The answer to an agent's hook, and what it costs: keywords need no model.

use std::fs::{File, OpenOptions};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::context::kettle;
use crate::support::{Run, Sandbox, root, run_with};

#[test]
fn a_hook_gets_the_block_in_its_form_and_never_stops_the_agent() {
    let sandbox = kettle();
    let hook = ["context", "--hook", "claude-code", "--within", "60000"];
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "kettle calibration",
        "session_id": "s", "cwd": "/nowhere"});
    let run = sandbox
        .run_with_input(&hook, &prompt.to_string())
        .succeeded();
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "UserPromptSubmit");
    let block = output["additionalContext"].as_str().unwrap();
    assert!(block.starts_with("<memory-context>\n"), "{block}");
    assert!(block.contains("Calibrate it every spring"), "{block}");

    let start = json!({"hook_event_name": "SessionStart", "cwd": "/home/me/kettle"});
    let run = sandbox
        .run_with_input(&hook, &start.to_string())
        .succeeded();
    assert!(run.stdout.contains("kettle note"), "{}", run.stdout);

    let prompt = prompt.to_string();
    let soon = ["context", "--hook", "claude-code", "--within", "10"];
    for (arguments, input, why) in [
        (&hook, "not JSON", "JSON"),
        (&hook, "{\"hook_event_name\":\"Stop\"}", "UserPromptSubmit"),
        (&soon, &prompt, "within 10 ms"),
    ] {
        let run = sandbox.run_with_input(arguments, input).succeeded();
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    let elsewhere = sandbox.path("no-vault");
    let elsewhere = elsewhere.to_string_lossy();
    let mut arguments = hook.to_vec();
    arguments.extend_from_slice(&["--vault", &elsewhere]);
    let run = sandbox.run_with_input(&arguments, &prompt).succeeded();
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("no context: There is no vault"),
        "{}",
        run.stderr
    );
    sandbox
        .run(&["context", "kettle", "--hook", "claude-code"])
        .refused(2, &["--hook"]);
}

#[test]
fn a_hook_that_is_out_of_time_ends_well_wherever_the_work_is() {
    let sandbox = kettle();
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "kettle calibration"});
    for within in (20..=400).step_by(20) {
        let within = within.to_string();
        let hook = ["context", "--hook", "claude-code", "--within", &within];
        let run = sandbox
            .run_with_input(&hook, &prompt.to_string())
            .succeeded();
        assert_eq!(run.stdout.is_empty(), run.stderr.contains("no context"));
    }
}

#[test]
fn codex_is_told_what_its_schema_takes_and_nothing_else() {
    let sandbox = kettle();
    let hook = ["context", "--hook", "codex", "--within", "60000"];
    // What Codex sends, field by field.
    let common = |event: &str| {
        json!({"hook_event_name": event, "session_id": "0199", "transcript_path": null,
            "cwd": "/home/me/kettle", "model": "demo", "permission_mode": "default"})
    };
    let mut prompt = common("UserPromptSubmit");
    prompt["turn_id"] = "1".into();
    prompt["prompt"] = "kettle calibration".into();
    let mut start = common("SessionStart");
    for source in ["startup", "resume", "clear", "compact"] {
        start["source"] = source.into();
        for said in [&prompt, &start] {
            let run = sandbox.run_with_input(&hook, &said.to_string()).succeeded();
            let answer: Value = serde_json::from_str(&run.stdout).unwrap();
            // An answer with any other field is a failed hook there.
            let output = &answer["hookSpecificOutput"];
            let block = output["additionalContext"].as_str().unwrap();
            let only = json!({"hookSpecificOutput": {
                "hookEventName": said["hook_event_name"], "additionalContext": block,
            }});
            assert_eq!(answer, only);
            assert!(block.contains("kettle note"), "{block}");
        }
    }
    // Nothing at all is an answer too, whatever went wrong.
    for said in [common("Stop"), json!({})] {
        let run = sandbox.run_with_input(&hook, &said.to_string()).succeeded();
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn what_an_agent_would_cut_is_not_given_to_it() {
    let sandbox = Sandbox::new();
    let lines: String = (0..30)
        .map(|at| {
            let content = format!("kettle {at} {}", "calibrated & sealed ".repeat(80));
            format!("{}\n", json!({"role": "user", "content": content}))
        })
        .collect();
    let log = sandbox.write("logs/kettle.jsonl", lines);
    sandbox.run(&["init"]).succeeded();
    sandbox.run(&["ingest", &log, "--no-embed"]).succeeded();
    let much = ["--budget", "100000", "--limit", "30"];
    let plain = sandbox.run(&[&["context", "kettle"], &much[..]].concat());
    assert!(plain.succeeded().stdout.len() > 30_000);
    for agent in ["claude-code", "codex"] {
        let hook = ["context", "--hook", agent, "--within", "60000"];
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "kettle"}).to_string();
        let run = sandbox.run_with_input(&[&hook[..], &much].concat(), &prompt);
        let answer: Value = serde_json::from_str(&run.succeeded().stdout).unwrap();
        let block = answer["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap();
        assert!(block.ends_with("</memory-context>\n"), "{block}");
        assert!((5_000..=10_000).contains(&block.len()), "{}", block.len());
    }
}

#[test]
fn the_snippets_of_the_book_are_hooks_that_answer() {
    let sandbox = kettle();
    let page = std::fs::read_to_string(root().join("docs/give-my-agent-this-memory.md")).unwrap();
    let mut tried = Vec::new();
    for snippet in page.split("```json\n").skip(1) {
        let text = &snippet[..snippet.find("```").unwrap()];
        let settings: Value = serde_json::from_str(text).unwrap();
        let Some(events) = settings["hooks"].as_object() else {
            continue;
        };
        for (event, groups) in events {
            let hook = &groups[0]["hooks"][0];
            assert_eq!(hook["type"], "command");
            let command = hook["command"].as_str().unwrap();
            let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
            arguments.extend(["--within", "60000"]);
            let said = json!({"hook_event_name": event, "prompt": "kettle", "cwd": "/w/kettle"});
            let run = sandbox.run_with_input(&arguments, &said.to_string());
            assert!(run.succeeded().stdout.contains("kettle note"), "{command}");
            tried.push(format!("{event} {}", arguments[2]));
        }
    }
    tried.sort();
    let expected = [
        "SessionStart claude-code",
        "SessionStart codex",
        "UserPromptSubmit claude-code",
        "UserPromptSubmit codex",
    ];
    assert_eq!(tried, expected);
}

/// Runs the program with the model that never gets ready.
fn beside_stuck(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Run {
    let mut command = sandbox.command();
    command
        .args(arguments)
        .env("LETHESCOPE_MODEL_DIR", sandbox.path("stuck"));
    run_with(&mut command, input)
}

/// A model that never gets ready: its library is a pipe into which nobody writes.
struct Stuck<'a> {
    sandbox: &'a Sandbox,
    reader: Receiver<File>,
}

impl<'a> Stuck<'a> {
    fn beside(sandbox: &'a Sandbox) -> Self {
        let digest = "0".repeat(64);
        let file = |name: &str| json!({"file": name, "bytes": 0, "sha256": digest});
        let manifest = json!({
            "version": 1, "model": "stuck", "dimension": 4, "pooling": "mean", "max_tokens": 16,
            "scripts": ["latin"], "graphs": {"f32": "g.onnx"}, "default_graph": "f32",
            "runtime_library": "lib.so", "files": [file("g.onnx"), file("lib.so")],
        });
        sandbox.write("stuck/manifest.json", manifest.to_string());
        sandbox.write("stuck/g.onnx", "");
        let pipe = sandbox.path("stuck/lib.so");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let (sender, reader) = channel();
        // Opening a pipe to write waits for whoever reads it.
        std::thread::spawn(move || sender.send(OpenOptions::new().write(true).open(pipe).unwrap()));
        Self { sandbox, reader }
    }

    fn run(&self, arguments: &[&str], input: &str) -> Run {
        beside_stuck(self.sandbox, arguments, input)
    }

    /// Whether somebody began to load it.
    fn was_begun(&self) -> bool {
        self.reader.try_recv().is_ok()
    }
}

fn stage<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let stages = answer["stages"].as_array().unwrap();
    stages.iter().find(|stage| stage["name"] == name).unwrap()
}

#[test]
fn keywords_alone_never_begin_to_load_the_model() {
    let sandbox = kettle();
    let plain = sandbox.run(&["query", "kettle calibration", "--mode", "lexical", "--json"]);
    let plain = plain.succeeded().json();
    let stuck = Stuck::beside(&sandbox);
    for command in ["query", "context"] {
        let asked = [command, "kettle calibration", "--mode", "lexical", "--json"];
        let run = stuck.run(&asked, "").succeeded();
        assert!(run.stdout.contains("kettle note"), "{}", run.stdout);
        if command == "query" {
            let answer = run.json();
            let ids = |answer: &Value| -> Vec<Value> {
                let results = answer["results"].as_array().unwrap();
                results.iter().map(|result| result["id"].clone()).collect()
            };
            assert_eq!(ids(&answer), ids(&plain));
            let rerank = stage(&answer, "rerank");
            assert_eq!(rerank["status"], "skipped", "{rerank}");
        }
    }
    let documents = ["document", "query", "kettle shelf", "--mode", "lexical"];
    let run = stuck.run(&documents, "").succeeded();
    assert!(run.stdout.contains("second shelf"), "{}", run.stdout);
    // A hook that says nothing of a mode and leaves no time for the model. Whether it is in time
    // itself is the machine's affair.
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "kettle calibration"});
    let hook = ["context", "--hook", "claude-code", "--within", "999"];
    let run = stuck.run(&hook, &prompt.to_string()).succeeded();
    assert!(!run.stderr.contains("keywords alone"), "{}", run.stderr);
    assert!(!stuck.was_begun());
}

#[test]
fn a_hook_with_time_for_the_model_answers_by_keywords_when_it_is_not_ready() {
    let sandbox = kettle();
    let stuck = Stuck::beside(&sandbox);
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "kettle calibration"});
    let hook = ["context", "--hook", "claude-code", "--within", "6000"];
    let run = stuck.run(&hook, &prompt.to_string()).succeeded();
    assert!(stuck.was_begun());
    assert!(run.stderr.contains("keywords alone"), "{}", run.stderr);
    assert!(run.stdout.contains("kettle note"), "{}", run.stderr);
    let list = sandbox.run(&["trace", "list", "--json"]).succeeded().json();
    assert_eq!(list["entries"][0]["mode"], "lexical", "{list}");
}

#[test]
fn a_mode_that_was_asked_for_waits_for_the_model_and_goes_on_without_a_broken_one() {
    let sandbox = kettle();
    let Stuck { reader, .. } = Stuck::beside(&sandbox);
    // Closed without a byte in it, the library is a damaged one.
    let closing = std::thread::spawn(move || drop(reader.recv().unwrap()));
    let asked = ["query", "kettle calibration", "--json"];
    let answer = beside_stuck(&sandbox, &asked, "").succeeded().json();
    closing.join().unwrap();
    let knn = stage(&answer, "knn");
    assert_eq!(knn["status"], "failed", "{knn}");
    assert_eq!(answer["level"], "keyword_only");
    assert!(!answer["results"].as_array().unwrap().is_empty());
}

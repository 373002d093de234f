//! Whether what an agent was given was used: asked through one of its doors first, judged when the log of
//! the conversation is read later.

use std::time::Duration;

use inspector::constants::Constants;
use inspector::request::{FilterRequest, HistoryRequest, QueryRequest};
use inspector::trace::Mode;
use inspector::view::{HistoryEntry, MemoryUseView, UsageCounts, UseVerdict};
use inspector::{ChannelName, Inspector};
use serde_json::{Value, json};

use crate::support::{PASSPHRASE, Sandbox, ingest};

const QUESTION: &str = "how do we deploy the kiosk of Marigold?";

/// What is remembered of the deployment: the words of the question, and something else each.
const REMEMBERED: [&str; 4] = [
    "deploy the kiosk of Marigold with bin/ship_kiosk.sh",
    "deploy of the Marigold kiosk: petunia signs, and geranium approves",
    "kiosk deploy, Marigold: wisteria lowers the awning beforehand",
    "the deploy server of the Marigold kiosk listens on port 4002",
];

/// An agent's door onto a vault that remembers.
fn door(channel: ChannelName) -> (Sandbox, Inspector) {
    let sandbox = Sandbox::new();
    let inspector = Inspector::for_agent(sandbox.paths(false), channel);
    inspector.create_vault(PASSPHRASE.into()).unwrap();
    let mut contents = REMEMBERED.map(str::to_owned).to_vec();
    // So that ordinary words are ordinary.
    contents
        .extend((0..60).map(|at| format!("the server and its port, beforehand with note {at}")));
    let lines: String = contents
        .iter()
        .map(|content| {
            let record =
                json!({"timestamp": "2026-06-01T08:00:00Z", "role": "user", "content": content});
            format!("{record}\n")
        })
        .collect();
    let log = sandbox.write("logs/notes.jsonl", lines);
    assert_eq!(ingest(&inspector, &log).stored as usize, contents.len());
    (sandbox, inspector)
}

fn ask(inspector: &Inspector, text: &str) -> HistoryEntry {
    let request = QueryRequest {
        text: text.to_owned(),
        mode: Mode::Lexical,
        filter: FilterRequest::default(),
        constants: Constants {
            results: 4,
            ..Constants::default()
        },
        now: None,
        rerank: false,
    };
    inspector.query(&request).unwrap();
    inspector.settle(Duration::from_secs(20));
    newest(inspector)
}

fn newest(inspector: &Inspector) -> HistoryEntry {
    let request = HistoryRequest {
        before: None,
        limit: 1,
        usage: true,
    };
    inspector.history(&request).unwrap().entries.remove(0)
}

/// A record of Claude Code, with a number that tells it from the others.
fn record(number: u32, at: &str, role: &str, content: &Value) -> String {
    let record = json!({
        "type": role, "uuid": format!("u{number}"), "parentUuid": null, "sessionId": "s7",
        "timestamp": at, "cwd": "/home/ana/kiosk", "version": "2.0.0", "isSidechain": false,
        "message": {"role": role, "id": format!("msg{number}"), "content": content},
    });
    format!("{record}\n")
}

fn use_of(inspector: &Inspector, trace: &str, of: &str) -> MemoryUseView {
    let usage = inspector.usage(trace).unwrap();
    let found = usage.memories.into_iter().find(|one| {
        let memory = inspector.get_memory(&one.id, None);
        memory.is_ok_and(|memory| memory.content == of)
    });
    found.unwrap_or_else(|| panic!("{of} was not given"))
}

#[test]
fn a_hook_asks_and_the_log_that_is_read_later_says_what_was_used() {
    let (sandbox, inspector) = door(ChannelName::Hook);
    inspector.ask_in("s7");
    let asked = ask(&inspector, QUESTION);
    let counts = asked.usage.unwrap();
    assert_eq!((counts.answered, counts.given, counts.used), (false, 4, 0));
    for memory in REMEMBERED {
        assert_eq!(
            use_of(&inspector, &asked.id, memory).verdict,
            UseVerdict::Unseen
        );
    }

    let before = "2026-06-01T09:00:00Z";
    let mut log = [
        record(
            1,
            before,
            "user",
            &json!("wisteria lowers the awning, remember that"),
        ),
        record(
            2,
            before,
            "assistant",
            &json!([{"type": "text", "text": "I will."}]),
        ),
        record(3, &asked.at, "user", &json!(QUESTION)),
        record(
            4,
            &asked.at,
            "assistant",
            &json!([
                {"type": "text", "text": "Wisteria lowers the awning, then I run it."},
                {"type": "tool_use", "id": "c1", "name": "Bash",
                    "input": {"command": "bin/ship_kiosk.sh --dry"}},
            ]),
        ),
        record(
            5,
            &asked.at,
            "user",
            &json!([{"type": "tool_result", "tool_use_id": "c1", "content": "petunia signs"}]),
        ),
    ]
    .concat();
    let path = "home/.claude/projects/-home-ana-kiosk/s7.jsonl";
    let file = sandbox.write(path, &log);
    ingest(&inspector, &file);
    let usage = inspector.usage(&asked.id).unwrap();
    assert_eq!(usage.session.as_deref(), Some("s7"));
    assert_eq!(usage.answered_at.as_deref(), Some(asked.at.as_str()));
    let [shipped, signed, awning, port] =
        REMEMBERED.map(|memory| use_of(&inspector, &asked.id, memory));
    assert_eq!(shipped.verdict, UseVerdict::Used, "{usage:?}");
    assert_eq!(shipped.names, ["bin/ship_kiosk.sh"]);
    assert_eq!(shipped.after_seconds, Some(0));
    let said = inspector
        .get_memory(shipped.answer.as_deref().unwrap(), None)
        .unwrap();
    assert!(said.tool_payload.unwrap().contains("--dry"));
    // What the person had said before, the agent need not be told; petunia was named by a tool.
    assert_eq!(awning.verdict, UseVerdict::Known, "{usage:?}");
    assert_eq!(signed.verdict, UseVerdict::Ignored, "{usage:?}");
    assert_eq!(port.verdict, UseVerdict::Ignored, "{usage:?}");

    // The answer goes on, until the person's next turn.
    log += &record(
        6,
        &asked.at,
        "assistant",
        &json!([{"type": "text", "text":
            "Geranium approves it. The deploy server of the kiosk now listens on port 5173."}]),
    );
    log += &record(7, &asked.at, "user", &json!("and what else?"));
    log += &record(
        8,
        &asked.at,
        "assistant",
        &json!([{"type": "text", "text": "Port 4002 is free again."}]),
    );
    sandbox.write(path, &log);
    ingest(&inspector, &file);
    let signed = use_of(&inspector, &asked.id, REMEMBERED[1]);
    assert_eq!(signed.verdict, UseVerdict::Used, "{signed:?}");
    assert_eq!(signed.words, ["geranium", "approves"]);
    let port = use_of(&inspector, &asked.id, REMEMBERED[3]);
    assert_eq!(port.verdict, UseVerdict::Contradicted, "{port:?}");
    let clash = port.clash.unwrap();
    assert_eq!(
        (clash.remembered.as_str(), clash.said.as_str()),
        ("4002", "5173")
    );
    assert_eq!(
        newest(&inspector).usage,
        Some(UsageCounts {
            answered: true,
            given: 4,
            used: 2,
            contradicted: 1
        })
    );

    // What is gone is shown as gone, and nothing of it is told.
    inspector
        .purge_memories(std::slice::from_ref(&shipped.id))
        .unwrap();
    inspector
        .delete_memories(std::slice::from_ref(&signed.id))
        .unwrap();
    let usage = inspector.usage(&asked.id).unwrap();
    let gone = usage
        .memories
        .iter()
        .filter(|one| one.verdict == UseVerdict::Gone);
    let gone: Vec<&MemoryUseView> = gone.collect();
    assert_eq!(gone.len(), 2, "{usage:?}");
    assert!(
        gone.iter()
            .all(|one| one.names.is_empty() && one.words.is_empty())
    );
}

#[test]
fn without_a_name_the_conversation_is_found_by_what_was_asked() {
    let (sandbox, inspector) = door(ChannelName::Mcp);
    let asked = ask(&inspector, "deploy kiosk Marigold");
    let input = json!({"query": "deploy kiosk Marigold", "limit": 4});
    let call = json!([{"type": "tool_use", "id": "c1",
        "name": "mcp__lethescope__memory_search", "input": input}]);
    let results = REMEMBERED.join("\n");
    let log = [
        record(1, "2026-06-01T09:00:00Z", "user", &json!("ship it")),
        record(2, &asked.at, "assistant", &call),
        // The recalled memories themselves are no source of their own.
        record(
            3,
            &asked.at,
            "user",
            &json!([{"type": "tool_result", "tool_use_id": "c1", "content": results}]),
        ),
        record(
            4,
            &asked.at,
            "assistant",
            &json!([{"type": "text", "text": "I run bin/ship_kiosk.sh."}]),
        ),
    ]
    .concat();
    // Somebody else speaks at the same time.
    let other = [
        record(11, &asked.at, "user", &json!("deploy the kiosk of Tulip")),
        record(
            12,
            &asked.at,
            "assistant",
            &json!([{"type": "text", "text": "petunia signs, geranium approves"}]),
        ),
    ]
    .concat();
    let other = sandbox.write("home/.claude/projects/-home-ana-tulip/s8.jsonl", other);
    ingest(&inspector, &other);
    let usage = inspector.usage(&asked.id).unwrap();
    assert_eq!((usage.session, usage.answered_at), (None, None));

    let file = sandbox.write("home/.claude/projects/-home-ana-kiosk/s7.jsonl", log);
    ingest(&inspector, &file);
    let usage = inspector.usage(&asked.id).unwrap();
    assert_eq!(usage.session.as_deref(), Some("s7"));
    let shipped = use_of(&inspector, &asked.id, REMEMBERED[0]);
    assert_eq!(shipped.verdict, UseVerdict::Used, "{usage:?}");
    let signed = use_of(&inspector, &asked.id, REMEMBERED[1]);
    assert_eq!(signed.verdict, UseVerdict::Ignored, "{usage:?}");
}

#[test]
fn the_command_line_says_it_in_a_column() {
    let (sandbox, inspector) = door(ChannelName::Cli);
    inspector.lock().unwrap();
    drop(inspector);
    let hook = ["context", "--hook", "claude-code", "--within", "60000"];
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": QUESTION,
        "session_id": "s7", "cwd": "/home/ana/kiosk"});
    sandbox
        .run_with_input(&hook, &prompt.to_string())
        .succeeded();
    let list = |arguments: &[&str]| {
        sandbox
            .run(&[&["trace", "list"], arguments].concat())
            .succeeded()
    };
    let at = list(&["--json"]).json()["entries"][0]["at"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(list(&[]).stdout.contains("  no answer "));
    let log = [
        record(1, &at, "user", &json!(QUESTION)),
        record(
            2,
            &at,
            "assistant",
            &json!([{"type": "text", "text": "By bin/ship_kiosk.sh."}]),
        ),
    ]
    .concat();
    let file = sandbox.write("home/.claude/projects/-home-ana-kiosk/s7.jsonl", log);
    sandbox.run(&["ingest", &file, "--no-embed"]).succeeded();
    let usage = list(&["--json"]).json()["entries"][0]["usage"].clone();
    assert_eq!(
        (&usage["answered"], &usage["used"]),
        (&json!(true), &json!(1)),
        "{usage}"
    );
    let shown = list(&[]).stdout;
    assert!(
        shown.contains(&format!("used 1 of {}", usage["given"])),
        "{shown}"
    );
}

//! Files whose first record, or whose only one, is longer than what is looked at for recognising them.

use ingest::{Options, dry_run};
use serde_json::{Value, json};

use crate::support::Bench;

/// Longer than the beginning of a file that is looked at.
fn words(about: &str) -> String {
    format!("{about} {}", "of the ferry ".repeat(30_000))
}

fn taken(name: &str, text: &str, format: &str) {
    assert!(text.len() > 256 * 1024, "{name}");
    let bench = Bench::new();
    let path = bench.write(name, text);
    let report = dry_run(&[path], &Options::default(), i64::MAX / 2);
    let formats: Vec<&str> = report.formats.keys().map(String::as_str).collect();
    assert_eq!(formats, [format], "{name}: {report:?}");
    assert!(report.stored > 0, "{name}: {report:?}");
}

#[test]
fn long_files_are_known_by_their_beginnings_or_names() {
    let seen = words("seen");
    for (name, format, value) in [
        (
            "conversations.json",
            "claude-ai",
            json!([{"uuid": "c", "chat_messages": [{"sender": "human", "text": words("said")}]}]),
        ),
        (
            "tasks/1/api_conversation_history.json",
            "cline",
            json!([{"role": "user", "content": [{"type": "text", "text": words("typed")}]}]),
        ),
        (
            "tasks/1/ui_messages.json",
            "cline",
            json!([{"ts": 1_785_744_000_000_i64, "type": "say", "say": "text", "text": words("typed")}]),
        ),
        (
            "storage/part/m/prt.json",
            "opencode",
            json!({"id": "prt", "sessionID": "s", "messageID": "m", "type": "tool", "tool": "bash",
                "state": {"status": "completed", "input": {}, "output": seen}}),
        ),
        (
            "c/events/event-00001-x.json",
            "openhands",
            json!({"kind": "ObservationEvent", "id": "e", "timestamp": "2026-08-03T08:00:00",
                "source": "environment", "tool_name": "terminal", "observation": {"content": seen}}),
        ),
        (
            "x.traj",
            "swe-agent",
            json!({"trajectory": [{"thought": "look", "action": "ls", "observation": seen}]}),
        ),
        (
            "x.af",
            "letta",
            json!({"agents": [{"id": "a", "system": seen, "messages": [{"role": "user", "content": "hi"}]}]}),
        ),
        (
            "mem0.json",
            "mem0",
            json!({"results": [{"id": "1", "memory": "x", "created_at": "2026-08-01", "metadata": {"z": seen}}]}),
        ),
        (
            "claude-mem.json",
            "claude-mem",
            json!({"exportedAt": "x", "exportedAtEpoch": 1, "observations": [{"id": 1, "narrative": seen}]}),
        ),
        (
            "chain.json",
            "langchain",
            json!([{"type": "human", "data": {"content": "a"}}, {"type": "ai", "data": {"content": seen}}]),
        ),
    ] {
        taken(name, &value.to_string(), format);
        taken(name, &serde_json::to_string_pretty(&value).unwrap(), format);
    }
}

#[test]
fn what_begins_like_a_part_or_an_event_elsewhere_stays_unread() {
    for name in ["notes/part.json", "c/events.json"] {
        let bench = Bench::new();
        let value: Value = json!({"a": words("x")});
        let path = bench.write(name, value.to_string());
        let report = dry_run(&[path], &Options::default(), i64::MAX / 2);
        assert_eq!(report.stored, 0, "{name}: {report:?}");
    }
}

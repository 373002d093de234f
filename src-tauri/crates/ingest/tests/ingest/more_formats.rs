//! Formats of other agents, each on a small invented sample.

use memory::{Kind, Role};

use crate::support::Bench;

fn skipped(report: &ingest::Report, reason: &str) -> u32 {
    report.skipped.get(reason).copied().unwrap_or(0)
}

#[test]
fn a_codex_rollout() {
    let bench = Bench::new();
    let item = |payload: &str| {
        format!(
            r#"{{"timestamp":"2026-08-03T08:00:02.000Z","type":"response_item","payload":{payload}}}"#
        ) + "\n"
    };
    let event = |payload: &str| {
        format!(
            r#"{{"timestamp":"2026-08-03T08:00:02.000Z","type":"event_msg","payload":{payload}}}"#
        ) + "\n"
    };
    let name = "sessions/2026/08/03/rollout-2026-08-03T10-00-00-r1.jsonl";
    let text = [
        r#"{"timestamp":"2026-08-03T08:00:00.000Z","type":"session_meta","payload":{"id":"r1","cwd":"/home/ana/kiosk"}}"#.to_owned() + "\n",
        item(r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"be careful"}]}"#),
        item(r##"{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /x"},{"type":"input_text","text":"Run the linter"}]}"##),
        event(r#"{"type":"user_message","message":"Run the linter"}"#),
        item(r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"Linting"}],"encrypted_content":"x"}"#),
        item(r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#),
        item(r#"{"type":"function_call","name":"shell","arguments":"{\"command\":\"ruff check\"}","call_id":"c1"}"#),
        item(r#"{"type":"function_call_output","call_id":"c1","output":"All checks passed"}"#),
        item(r#"{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c2"}"#),
        item(r#"{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"Done\",\"metadata\":{}}"}"#),
        item(r#"{"type":"function_call_output","call_id":"nobody","output":"orphan"}"#),
        item(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The linter is happy."}]}"#),
        event(r#"{"type":"agent_message","message":"The linter is happy."}"#),
        r#"{"timestamp":"2026-08-03T08:00:03.000Z","type":"compacted","payload":{"message":"Linter ran.","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Run the linter"}]}]}}"#.to_owned() + "\n",
        r#"{"timestamp":"2026-08-03T08:00:04.000Z","type":"session_meta","payload":{"id":"r0","cwd":"/old"}}"#.to_owned() + "\n",
    ]
    .concat();
    bench.write(name, text + r#"{"timestamp":"2026-08-03T08:0"#);
    let report = bench.take_all();
    assert_eq!(bench.texts_of(Role::User, Kind::Text), ["Run the linter"]);
    assert_eq!(
        bench.texts_of(Role::Assistant, Kind::Text),
        ["The linter is happy."]
    );
    assert_eq!(bench.texts_of(Role::Assistant, Kind::Thinking), ["Linting"]);
    assert_eq!(
        bench.texts_of(Role::Assistant, Kind::ToolCall),
        ["shell: ruff check", "apply_patch: *** Begin Patch"]
    );
    assert_eq!(
        bench.texts_of(Role::Tool, Kind::ToolResult),
        ["All checks passed", "Done", "orphan"]
    );
    assert_eq!(bench.texts_of(Role::System, Kind::Summary), ["Linter ran."]);
    let last = bench.one("Linter ran.");
    assert_eq!(last.scope.session.as_deref(), Some("r1"));
    assert_eq!(last.scope.org, "/home/ana/kiosk");
    assert_eq!(bench.one("All checks").tool_name.as_deref(), Some("shell"));
    assert_eq!(bench.one("orphan").tool_name, None);
    assert_eq!(skipped(&report, "injected context"), 2);
    assert_eq!(skipped(&report, "written twice"), 2);
    assert_eq!(skipped(&report, "encrypted"), 1);
    assert_eq!(report.error_count, 0);
}

#[test]
fn a_codex_file_that_has_only_events() {
    let bench = Bench::new();
    bench.write(
        "rollout-a.jsonl",
        concat!(
            r#"{"timestamp":"2026-08-03T08:00:00Z","type":"session_meta","payload":{"id":"r2"}}"#, "\n",
            r#"{"timestamp":"2026-08-03T08:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}}"#, "\n",
            r#"{"timestamp":"2026-08-03T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}"#, "\n",
        ),
    );
    let report = bench.take_all();
    assert_eq!(bench.texts(), ["hello"]);
    assert_eq!(skipped(&report, "written twice"), 1);
}

#[test]
fn an_openclaw_transcript() {
    let bench = Bench::new();
    let lines = [
        r#"{"type":"session","version":3,"id":"o1","timestamp":"2026-08-03T08:00:00.000Z","cwd":"/home/ana"}"#,
        r#"{"type":"model_change","id":"e1","timestamp":"2026-08-03T08:00:00.000Z"}"#,
        r#"{"type":"message","id":"e2","timestamp":"2026-08-03T08:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Order ink"}]}}"#,
        r#"{"type":"message","id":"e3","timestamp":"2026-08-03T08:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Which ink?"},{"type":"toolCall","id":"c","name":"shop","arguments":{"item":"ink"}}]}}"#,
        r#"{"type":"message","id":"e4","timestamp":"2026-08-03T08:00:03.000Z","message":{"role":"toolResult","toolName":"shop","content":[{"type":"text","text":"2 left"}],"isError":false}}"#,
        r#"{"type":"compaction","id":"e5","timestamp":"2026-08-03T08:00:04.000Z","summary":"Ink is being ordered."}"#,
        r#"{"type":"message","id":"e6","timestamp":"2026-08-03T08:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"NO_REPLY"}]}}"#,
    ];
    bench.write("o1.jsonl", lines.join("\n") + "\n");
    let report = bench.take_all();
    assert_eq!(
        bench.texts(),
        [
            "Order ink",
            "Which ink?",
            "shop: ink",
            "2 left",
            "Ink is being ordered."
        ]
    );
    assert_eq!(skipped(&report, "silent turn"), 1);
    let result = bench.one("2 left");
    assert_eq!(
        (result.role, result.tool_name.as_deref()),
        (Role::Tool, Some("shop"))
    );
    assert_eq!(result.scope.agent, "openclaw");
    assert_eq!(result.scope.session.as_deref(), Some("o1"));
}

#[test]
fn a_gemini_session_with_a_message_written_twice() {
    let bench = Bench::new();
    let first = [
        r#"{"sessionId":"g1","projectHash":"beef","startTime":"2026-08-03T08:00:00.000Z","kind":"main"}"#,
        r#"{"id":"m1","timestamp":"2026-08-03T08:00:01.000Z","type":"user","content":[{"text":"List the drawers"}]}"#,
        r#"{"id":"m2","timestamp":"2026-08-03T08:00:02.000Z","type":"gemini","content":"","thoughts":[{"subject":"Plan","description":"look"}]}"#,
        r#"{"id":"m2","timestamp":"2026-08-03T08:00:03.000Z","type":"gemini","content":"Three drawers.","toolCalls":[{"id":"t","name":"ls","args":{"path":"."},"result":[{"functionResponse":{"response":{"output":"a b c"}}}]}]}"#,
        r#"{"id":"m3","timestamp":"2026-08-03T08:00:04.000Z","type":"info","content":"Update"}"#,
    ];
    bench.write("s.jsonl", first.join("\n") + "\n");
    bench.take_all();
    assert_eq!(
        bench.texts(),
        ["List the drawers", "ls: .", "a b c", "Three drawers."]
    );
    bench.append("s.jsonl", "{\"id\":\"m4\",\"timestamp\":\"2026-08-03T08:00:05.000Z\",\"type\":\"user\",\"content\":\"And now?\"}\n");
    bench.take_all();
    assert_eq!(bench.texts().len(), 5);
    assert_eq!(bench.one("And now?").scope.session.as_deref(), Some("g1"));
}

#[test]
fn a_knowledge_graph_that_is_rewritten() {
    let bench = Bench::new();
    let relation = r#"{"type":"relation","from":"Bo","to":"Kiosk","relationType":"runs"}"#;
    bench.write(
        "memory.jsonl",
        format!("{}\n{relation}", r#"{"type":"entity","name":"Bo","entityType":"person","observations":["likes tea","lives in Husum"]}"#),
    );
    bench.take_all();
    assert_eq!(
        bench.texts(),
        ["Bo: likes tea", "Bo: lives in Husum", "Bo runs Kiosk"]
    );
    assert!(
        bench
            .memories()
            .iter()
            .all(|memory| memory.kind == Kind::Fact)
    );
    // Half-written: nothing is taken for gone.
    bench.write(
        "memory.jsonl",
        r#"{"type":"entity","name":"Bo","entityType":"person","observations":["likes tea"]}"#
            .to_owned()
            + "\n{\"type\":\"rel",
    );
    bench.take_all();
    assert_eq!(bench.texts().len(), 3);
    bench.write(
        "memory.jsonl",
        r#"{"type":"entity","name":"Bo","entityType":"person","observations":["likes tea"]}"#
            .to_owned()
            + "\n"
            + relation,
    );
    bench.take_all();
    assert_eq!(bench.texts(), ["Bo: likes tea", "Bo runs Kiosk"]);
}

#[test]
fn an_aider_history() {
    let bench = Bench::new();
    bench.write(
        ".aider.chat.history.md",
        "\n# aider chat started at 2026-08-03 10:00:00\n\n> Aider v0.90  \n\n#### add a map  \n#### of the harbour  \n\nHere:\n\n# Harbour\n\nA pier.\n\n# aider chat started at 2026-08-04 09:00:00\n\n#### /exit  \n",
    );
    bench.take_all();
    assert_eq!(
        bench.texts_of(Role::User, Kind::Text),
        ["add a map\nof the harbour", "/exit"]
    );
    assert_eq!(
        bench.texts_of(Role::Assistant, Kind::Text),
        ["Here:\n\n# Harbour\n\nA pier."]
    );
    assert_eq!(
        bench.one("/exit").scope.session.as_deref(),
        Some("2026-08-04 09:00:00")
    );
}

#[test]
fn equal_ids_with_different_words_are_different_records() {
    let bench = Bench::new();
    let record = |text: &str| {
        format!(
            r#"{{"type":"user","uuid":"u1","sessionId":"s","message":{{"role":"user","content":"{text}"}}}}"#
        ) + "\n"
    };
    bench.write(
        "a.jsonl",
        record("first") + &record("second") + &record("first"),
    );
    bench.write("b.jsonl", record("third") + &record("first"));
    let report = bench.take_all();
    assert_eq!(bench.texts(), ["first", "second", "third"]);
    assert_eq!(skipped(&report, "duplicate"), 1);
    assert_eq!(skipped(&report, "already stored"), 1);
}

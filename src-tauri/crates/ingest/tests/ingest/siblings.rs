//! Shapes that are kin of ones that lost words: each is taken whole, under the one who said it.

use memory::{Kind, Role};
use serde_json::{Value, json};

use crate::support::{Bench, reasons};

/// Role and text of what comes of these lines in a file.
fn said(name: &str, lines: &[Value]) -> Vec<(Role, String)> {
    let bench = Bench::new();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    bench.write(name, text.join("\n") + "\n");
    bench.take_all();
    bench
        .memories()
        .into_iter()
        .map(|memory| (memory.role, memory.content))
        .collect()
}

/// What is said in one record, in any order.
fn holds(name: &str, lines: &[Value], wanted: &[(Role, &str)]) {
    let mut found = said(name, lines);
    let mut wanted: Vec<(Role, String)> = wanted
        .iter()
        .map(|(role, text)| (*role, (*text).to_owned()))
        .collect();
    let order = |one: &(Role, String), other: &(Role, String)| one.1.cmp(&other.1);
    found.sort_by(order);
    wanted.sort_by(order);
    assert_eq!(found, wanted, "{}", lines.last().unwrap());
}

#[test]
fn a_record_says_all_that_it_holds_whatever_its_keys() {
    use Role::{Assistant, Memory, Tool, User};
    for (record, wanted) in [
        (
            json!({"role": "user", "parts": [{"text": "q"}]}),
            vec![(User, "q")],
        ),
        (
            json!({"role": "model", "parts": [{"text": "a"}, {"functionCall": {"name": "ls", "args": {"path": "x"}}}]}),
            vec![(Assistant, "ls: x"), (Assistant, "a")],
        ),
        (
            json!({"conversation": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}),
            vec![(User, "q"), (Assistant, "a")],
        ),
        (
            json!({"data": {"role": "user", "content": "q"}}),
            vec![(User, "q")],
        ),
        (
            json!({"payload": {"message": {"role": "user", "content": "q"}}}),
            vec![(User, "q")],
        ),
        (
            json!({"event": "message", "data": {"role": "user", "text": "q"}}),
            vec![(User, "q")],
        ),
        (
            json!({"role": "assistant", "content": "a", "reasoning_content": "why"}),
            vec![(Assistant, "why"), (Assistant, "a")],
        ),
        (
            json!({"role": "assistant", "content": "", "thinking": "why"}),
            vec![(Assistant, "why")],
        ),
        (
            json!({"type": "ai", "content": "a", "additional_kwargs": {"reasoning_content": "why"}}),
            vec![(Assistant, "why"), (Assistant, "a")],
        ),
        (
            json!({"role": "assistant", "content": "a", "function_call": {"name": "ls", "arguments": "{\"path\":\"x\"}"}}),
            vec![(Assistant, "a"), (Assistant, "ls: x")],
        ),
        (
            json!({"type": "function_call", "name": "ls", "arguments": "{\"path\":\"x\"}", "call_id": "1"}),
            vec![(Assistant, "ls: x")],
        ),
        (
            json!({"type": "function_call_output", "call_id": "1", "output": "x"}),
            vec![(Tool, "x")],
        ),
        (
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "why"}]}),
            vec![(Assistant, "why")],
        ),
        (
            json!({"role": "tool", "content": {"stdout": "out", "stderr": "err"}}),
            vec![(Tool, "out\nerr")],
        ),
        (
            json!({"tool": "ls", "input": {"path": "x"}, "output": "x"}),
            vec![(Tool, "x")],
        ),
        (
            json!({"role": "user", "content": [{"type": "document", "source": {"type": "text", "data": "a page"}}, {"type": "image", "alt": "a crane"}]}),
            vec![(User, "a page\n[image of unknown type]\na crane")],
        ),
        (
            json!({"prompt": "q", "responses": [{"text": "a"}, {"text": "b"}]}),
            vec![(User, "q"), (Assistant, "a"), (Assistant, "b")],
        ),
        (
            json!({"inputs": {"question": "q"}, "outputs": {"answer": "a"}}),
            vec![(User, "q"), (Assistant, "a")],
        ),
        (
            json!({"Question": "q", "Answer": "a"}),
            vec![(User, "q"), (Assistant, "a")],
        ),
        (
            json!({"USER": "q", "BOT": "a"}),
            vec![(User, "q"), (Assistant, "a")],
        ),
        (
            json!({"is_user": false, "mes": "a", "name": "Ada"}),
            vec![(Assistant, "a")],
        ),
        (json!({"user": "ada", "text": "q"}), vec![(User, "q")]),
        (
            json!({"text": "q", "metadata": {"role": "user"}}),
            vec![(User, "q")],
        ),
        (json!({"question": "q"}), vec![(User, "q")]),
        (
            json!({"messages": [], "response": "a"}),
            vec![(Assistant, "a")],
        ),
        (json!({"note": "n"}), vec![(Memory, "n")]),
    ] {
        holds("a.jsonl", &[record], &wanted);
    }
}

#[test]
fn what_is_left_of_a_record_is_counted() {
    let bench = Bench::new();
    bench.write(
        "a.jsonl",
        "{\"prompt\":\"q\",\"response\":\"a\",\"feedback\":\"too long by half\"}\n{\"role\":\"user\",\"content\":\"x\",\"attachments\":[{\"text\":\"more words\"}]}\n",
    );
    let report = bench.take_all();
    assert_eq!(report.skipped["another text of the record"], 2);
    assert_eq!(report.stored, 3);
}

fn codex(lines: &[Value], wanted: &[(Role, &str)]) {
    let head = json!({"timestamp": "2026-08-03T08:00:00Z", "type": "session_meta", "payload": {"id": "r1", "cwd": "/w"}});
    let all: Vec<Value> = std::iter::once(head)
        .chain(lines.iter().map(|line| {
            let kind = if line.get("role").is_some() {
                "response_item"
            } else {
                line["in"].as_str().unwrap_or("event_msg")
            };
            json!({"timestamp": "2026-08-03T08:00:01Z", "type": kind, "payload": line})
        }))
        .collect();
    holds("rollout-2026-08-03T10-00-00-r1.jsonl", &all, wanted);
}

#[test]
fn codex_says_each_item_once_whichever_way_it_writes_them() {
    use Role::{Assistant, Tool, User};
    let item = |item: Value| json!({"type": "item_completed", "item": item});
    codex(
        &[
            item(json!({"type": "Reasoning", "id": "r", "summary_text": ["why"]})),
            item(
                json!({"type": "CommandExecution", "id": "c1", "command": ["ls", "a"], "aggregated_output": "b"}),
            ),
            item(
                json!({"type": "McpToolCall", "id": "c2", "tool": "find", "arguments": {"query": "x"}, "result": {"content": [{"type": "text", "text": "found"}]}}),
            ),
            item(json!({"type": "FileChange", "id": "c3", "changes": {"a.txt": {"type": "add"}}})),
            item(json!({"type": "Plan", "id": "p", "text": "1. do it"})),
            json!({"in": "response_item", "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\",\"a\"]}", "call_id": "c1"}),
            json!({"in": "response_item", "type": "function_call_output", "call_id": "c1", "output": "Exit code: 0\nb"}),
            json!({"in": "response_item", "type": "reasoning", "summary": [{"type": "summary_text", "text": "why"}]}),
            json!({"in": "response_item", "type": "agent_message", "author": "a", "content": [{"type": "text", "text": "done"}]}),
        ],
        &[
            (Assistant, "why"),
            (Assistant, "shell: ls a"),
            (Tool, "b"),
            (Assistant, "find: x"),
            (Tool, "found"),
            (Assistant, "apply_patch: a.txt"),
            (Assistant, "1. do it"),
            (Assistant, "done"),
        ],
    );
    let message = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    codex(
        &[
            message(
                "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\nOutput:\na\n</result>\n</user_shell_command>",
            ),
            message("# In app browser:\n- a page\n\n## My request for Codex:\nread it"),
            json!({"type": "message", "role": "user", "content": "a plain string"}),
        ],
        &[
            (User, "ls"),
            (Tool, "a"),
            (User, "read it"),
            (User, "a plain string"),
        ],
    );
}

#[test]
fn the_first_rollouts_are_one_object() {
    let message = |role: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]});
    let rollout = json!({"session": {"id": "s", "timestamp": "2026-03-01T10:00:00Z"}, "items": [message("user", "q"), message("assistant", "a")]});
    holds(
        "rollout-2026-03-01-s.json",
        &[rollout],
        &[(Role::User, "q"), (Role::Assistant, "a")],
    );
}

fn claude(kind: &str, number: u32, more: Value) -> Value {
    let mut record = json!({"type": kind, "uuid": format!("u{number}"), "sessionId": "s", "timestamp": "2026-08-03T08:00:00Z", "isSidechain": false});
    let (Value::Object(all), Value::Object(more)) = (&mut record, more) else {
        panic!("objects")
    };
    all.extend(more);
    record
}

#[test]
fn claude_code_keeps_a_persons_words_and_leaves_the_programs() {
    use Role::{Assistant, System, Tool, User};
    let result = |text: &str, told: Value| {
        claude(
            "user",
            1,
            json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]}, "toolUseResult": told}),
        )
    };
    let user = |text: &str| {
        claude(
            "user",
            2,
            json!({"message": {"role": "user", "content": text}}),
        )
    };
    let part = |number: u32, text: &str| {
        claude(
            "assistant",
            number,
            json!({"message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": text}]}}),
        )
    };
    for (lines, wanted) in [
        (
            vec![result(
                "User has answered your questions: \"Which bay?\"=\"bay seven\". You can now continue.",
                json!({"answers": {"Which bay?": "bay seven"}}),
            )],
            vec![(User, "bay seven")],
        ),
        (
            vec![result("", json!({"stdout": "printed", "stderr": ""}))],
            vec![(Tool, "printed\n")],
        ),
        (
            vec![user(
                "<teammate-message teammate_id=\"a\">done</teammate-message>\nfix it",
            )],
            vec![(User, "fix it")],
        ),
        (
            vec![
                user(
                    "Caveat: The messages below were generated by the user while running local commands.",
                ),
                user("x"),
            ],
            vec![(User, "x")],
        ),
        (
            vec![user(
                "This session is being continued from a previous conversation. The depot.",
            )],
            vec![(
                System,
                "This session is being continued from a previous conversation. The depot.",
            )],
        ),
        (
            vec![part(3, "The dep"), part(4, "The depot closes."), user("x")],
            vec![(Assistant, "The depot closes."), (User, "x")],
        ),
        (
            vec![
                user("x"),
                json!({"type": "user", "sessionId": "s", "timestamp": "2026-08-03T08:00:00Z", "message": {"role": "user", "content": "no id"}}),
            ],
            vec![(User, "x"), (User, "no id")],
        ),
        (
            vec![
                user("x"),
                json!({"type": "queue-operation", "operation": "enqueue", "sessionId": "s", "timestamp": "2026-08-03T08:00:01Z", "content": [{"type": "text", "text": "and that"}]}),
                json!({"type": "queue-operation", "operation": "remove", "sessionId": "s", "reason": "absorbed_mid_turn", "content": [{"type": "text", "text": "and that"}]}),
            ],
            vec![(User, "x"), (User, "and that")],
        ),
    ] {
        holds(".claude/projects/-w/s.jsonl", &lines, &wanted);
    }
}

#[test]
fn gemini_parts_are_what_they_are() {
    let head = json!({"sessionId": "g", "projectHash": "p", "startTime": "2026-08-03T08:00:00Z"});
    let message = json!({"id": "m", "timestamp": "2026-08-03T08:00:01Z", "type": "gemini", "content": [{"text": "why", "thought": true}, {"text": "a"}, {"functionCall": {"name": "ls", "args": {"path": "x"}}}]});
    let bench = Bench::new();
    bench.write("s.jsonl", format!("{head}\n{message}\n"));
    bench.take_all();
    assert_eq!(bench.texts_of(Role::Assistant, Kind::Thinking), ["why"]);
    assert_eq!(bench.texts_of(Role::Assistant, Kind::ToolCall), ["ls: x"]);
    assert_eq!(bench.texts_of(Role::Assistant, Kind::Text), ["a"]);
}

#[test]
fn messages_that_waited_in_a_gateway_come_apart() {
    let head =
        json!({"type": "session", "version": 3, "id": "o", "timestamp": "2026-08-03T08:00:00Z"});
    let message = json!({"type": "message", "id": "1", "timestamp": "2026-08-03T08:00:01Z", "message": {"role": "user", "content": "[Queued messages while agent was busy]\n\n---\nQueued #1\nbook it\n\n---\nQueued #2\nor not"}});
    holds(
        "s.jsonl",
        &[head, message],
        &[(Role::User, "book it"), (Role::User, "or not")],
    );
}

#[test]
fn a_named_file_of_which_nothing_is_taken_says_why() {
    let bench = Bench::new();
    for (name, text, reason) in [
        (
            "a.jsonl",
            "{\"role\":\"user\",\"content\":\"\"}\n",
            "all that it holds was left out: no text (1)",
        ),
        (
            "b.jsonl",
            "{\"role\":\"user\",\"content\":\n",
            "no line of it could be read",
        ),
        (
            "c.md",
            "# Nothing but a heading\n",
            "nothing in it could be read as an entry",
        ),
    ] {
        let path = bench.write(name, text);
        assert_eq!(reasons(&bench.take(&path))[0], reason, "{name}");
    }
    let path = bench.write("d.jsonl", "{\"role\":\"user\",\"content\":\"x\"}\n");
    assert!(reasons(&bench.take(&path)).is_empty());
    let copy = bench.write("e.jsonl", "{\"role\":\"user\",\"content\":\"x\"}\n");
    assert!(
        reasons(&bench.take(&copy)).is_empty(),
        "it is there already"
    );
    let report = bench.take(&bench.path("."));
    assert!(
        !reasons(&report)
            .iter()
            .any(|reason| reason.contains("left out"))
    );
}

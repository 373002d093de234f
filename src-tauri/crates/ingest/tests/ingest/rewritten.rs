//! What programs write anew: streamed parts, lists from which turns are cut, stores of memories. And
//! which files the formats of others leave alone.

use memory::{Kind, Role};
use serde_json::{Value, json};

use crate::support::Bench;

fn part(text: &str) -> String {
    json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": text})
        .to_string()
}

#[test]
fn a_part_that_streams_is_one_memory_with_its_last_words() {
    let bench = Bench::new();
    let role = json!({"id": "msg_1", "sessionID": "ses_1", "role": "assistant"}).to_string();
    bench.write("storage/message/ses_1/msg_1.json", role);
    for said in ["The ferry", "The ferry leaves", "At noon the ferry leaves."] {
        bench.write("storage/part/msg_1/prt_1.json", part(said));
        bench.take_all();
        assert_eq!(bench.texts_of(Role::Assistant, Kind::Text), [said]);
    }
}

#[test]
fn words_of_an_unknown_speaker_are_not_the_persons() {
    let bench = Bench::new();
    bench.write("storage/part/msg_1/prt_1.json", part("Who said this?"));
    let report = bench.take_all();
    assert_eq!(bench.one("Who said this?").role, Role::System);
    assert_eq!(report.notes["whose words these are is not known"], 1);
}

#[test]
fn a_running_tool_gets_its_answer_later() {
    let bench = Bench::new();
    let tool = |state: Value| {
        json!({"id": "prt_2", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool",
            "callID": "c", "tool": "bash", "state": state})
        .to_string()
    };
    let name = "storage/part/msg_1/prt_2.json";
    bench.write(name, tool(json!({"status": "pending", "input": {}})));
    bench.take_all();
    let input = json!({"command": "ls"});
    bench.write(name, tool(json!({"status": "running", "input": input})));
    bench.take_all();
    bench.write(
        name,
        tool(json!({"status": "completed", "input": input, "output": "a b"})),
    );
    bench.take_all();
    assert_eq!(bench.texts(), ["bash: ls", "a b"]);
}

#[test]
fn turns_cut_from_a_rewritten_history_stay() {
    let bench = Bench::new();
    let turn = |at: usize| json!({"role": "user", "content": format!("turn {at}")});
    let name = "tasks/t1/api_conversation_history.json";
    let all: Vec<Value> = (0..6).map(turn).collect();
    bench.write(name, json!(all).to_string());
    bench.take_all();
    let report = {
        bench.write(name, json!([turn(0), turn(5), turn(6)]).to_string());
        bench.take_all()
    };
    assert_eq!(report.stored, 1);
    assert_eq!(bench.texts().len(), 7);
    let listed = |messages: &[Value]| json!([{"uuid": "c", "chat_messages": messages}]).to_string();
    let said = |id: &str| json!({"uuid": id, "sender": "human", "text": format!("said {id}")});
    bench.write("conversations.json", listed(&[said("a"), said("b")]));
    bench.take_all();
    bench.write("conversations.json", listed(&[said("b"), said("d")]));
    bench.take_all();
    for said in ["said a", "said b", "said d"] {
        bench.one(said);
    }
}

#[test]
fn what_is_gone_from_a_store_goes_to_the_trash_and_is_said() {
    let bench = Bench::new();
    let fact = |id: &str, said: &str| json!({"id": id, "memory": said, "created_at": "2026-08-01"});
    let store = |facts: &[Value]| json!({ "results": facts }).to_string();
    bench.write(
        "mem0.json",
        store(&[fact("1", "likes tea"), fact("2", "lives in Hoyer")]),
    );
    bench.take_all();
    assert_eq!(bench.texts(), ["likes tea", "lives in Hoyer"]);
    bench.write("mem0.json", store(&[fact("1", "likes tea")]));
    let report = bench.take_all();
    assert_eq!(bench.texts(), ["likes tea"]);
    assert_eq!(report.notes["no longer in its file: moved to the trash"], 1);
    // Nothing at all is no statement about what was there.
    bench.write("mem0.json", "{\"results\": [");
    bench.take_all();
    assert_eq!(bench.texts(), ["likes tea"]);
}

#[test]
fn a_block_that_an_agent_rewrote_is_one_memory() {
    let bench = Bench::new();
    let agent = |value: &str| {
        json!({
            "agents": [{"id": "agent-0", "block_ids": ["block-0"], "messages": []}],
            "blocks": [{"id": "block-0", "label": "human", "value": value}],
        })
        .to_string()
    };
    bench.write("a.af", agent("Bo lives in Husum"));
    bench.take_all();
    bench.write("a.af", agent("Bo moved to Hoyer"));
    bench.take_all();
    assert_eq!(bench.texts(), ["human: Bo moved to Hoyer"]);
}

#[test]
fn a_table_may_grow_in_the_middle_of_a_cell() {
    let bench = Bench::new();
    bench.write("a.csv", "role,text\nuser,\"first\nsec");
    bench.take_all();
    bench.append("a.csv", "ond\"\nuser,th");
    bench.take_all();
    bench.append("a.csv", "ird\n");
    let report = bench.take_all();
    assert_eq!(report.error_count, 0, "{report:?}");
    assert_eq!(bench.texts(), ["first\nsecond", "third"]);
    bench.write("open.csv", "role,text\nuser,\"never closed\nand on\n");
    let report = bench.take_all();
    assert_eq!(report.error_count, 1);
}

#[test]
fn records_of_others_stay_what_they_are() {
    let openai = json!({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]});
    for (name, records) in [
        ("openai.jsonl", vec![openai.clone(), openai.clone()]),
        (
            "typed.jsonl",
            vec![
                json!({"type": "human", "content": "a"}),
                json!({"type": "ai", "content": "b"}),
            ],
        ),
        (
            "log.jsonl",
            vec![
                json!({"id": 1, "timestamp": "2026-08-03T08:00:00Z", "source": "user", "action": "login", "text": "a"}),
            ],
        ),
        (
            "events.jsonl",
            vec![
                json!({"type": "session.start", "data": {"x": 1}, "timestamp": "2026-08-03T08:00:00Z", "message": "a"}),
            ],
        ),
        (
            "notes.jsonl",
            vec![json!({"id": "1", "memory": "x", "text": "a"})],
        ),
        (
            "results.jsonl",
            vec![json!({"results": [{"id": "1", "text": "x"}], "text": "a"})],
        ),
        (
            "quoting.jsonl",
            vec![json!({"role": "user", "content": "{\"uuid\": \"c\", \"chat_messages\": []}"})],
        ),
        (
            "parts.jsonl",
            vec![json!({"id": "1", "type": "text", "messageID": "m", "text": "a"})],
        ),
    ] {
        let bench = Bench::new();
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        bench.write(name, lines.join("\n") + "\n");
        let report = bench.take_all();
        let formats: Vec<&str> = report.formats.keys().map(String::as_str).collect();
        assert_eq!(formats, ["jsonl"], "{name}");
        assert!(report.stored > 0, "{name}");
    }
    // One conversation in one object, printed over lines or not, that a person names.
    let many = json!({"messages": [{"role": "user", "content": "where to"}, {"role": "assistant", "content": "Amrum"}]});
    for text in [
        many.to_string(),
        serde_json::to_string_pretty(&many).unwrap(),
    ] {
        let bench = Bench::new();
        let path = bench.write("chat.json", text);
        let report = bench.take(&path);
        assert_eq!(report.formats.keys().collect::<Vec<_>>(), ["jsonl"]);
        assert_eq!(bench.texts(), ["where to", "Amrum"]);
    }
}

#[test]
fn tables_of_figures_are_no_conversations() {
    let bench = Bench::new();
    bench.write("load.csv", "timestamp,value\n2026-08-03T08:00:00Z,4\n");
    bench.write("names.csv", "name,text\nAna,x\n");
    let report = bench.take_all();
    assert_eq!((report.stored, report.error_count), (0, 0), "{report:?}");
}

#[test]
fn sub_agents_are_taken_when_they_are_asked_for() {
    let formats = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats");
    let options = ingest::Options {
        subagents: true,
        ..ingest::Options::default()
    };
    let bench = Bench::new();
    bench.take_with(
        &[formats.join("copilot"), formats.join("opencode")],
        &options,
    );
    for said in ["I am the sub-agent.", "Look through the spool folder"] {
        assert_eq!(bench.one(said).tags, ["subagent"]);
    }
}

#[test]
fn what_a_program_adds_is_nobodys_even_while_the_file_beside_is_torn() {
    let bench = Bench::new();
    let user = |said: &str| json!({"role": "user", "content": [{"type": "text", "text": said}]});
    let sent = json!([
        user("<task>\nrename it\n</task>"),
        user("<feedback>\nand the tests\n</feedback>"),
        user("# List of what is to be done"),
    ]);
    let shown = |words: &str| json!({"ts": 1_785_744_000_000_i64, "type": "say", "say": "user_feedback", "text": words});
    let beside = json!([shown("rename it"), shown("and the tests")]).to_string();
    for end in [1, 40, beside.len() - 5, beside.len()] {
        bench.write("tasks/t1/ui_messages.json", &beside[..end]);
        bench.write("tasks/t1/api_conversation_history.json", sent.to_string());
        bench.take_all();
        let mut texts = bench.texts();
        texts.sort();
        assert_eq!(texts, ["and the tests", "rename it"], "{end}");
    }
}

#[test]
fn a_task_of_which_only_what_was_shown_is_there() {
    let bench = Bench::new();
    let shown = |kind: &str, what: &str, words: &str| json!({"ts": 1_785_744_000_000_i64, "type": kind, kind: what, "text": words});
    let list = json!([
        shown("say", "text", "rename it"),
        shown("say", "text", "I will."),
        shown("ask", "tool", "{\"tool\":\"readFile\",\"path\":\"a.py\"}"),
        shown("ask", "command", "make"),
        shown("say", "command_output", "all made"),
        shown(
            "ask",
            "followup",
            "{\"question\":\"Which one?\",\"options\":[]}"
        ),
    ]);
    bench.write("tasks/t1/ui_messages.json", list.to_string());
    bench.take_all();
    assert_eq!(bench.texts_of(Role::User, Kind::Text), ["rename it"]);
    assert_eq!(
        bench.texts_of(Role::Assistant, Kind::Text),
        ["I will.", "Which one?"]
    );
    assert_eq!(
        bench.texts_of(Role::Assistant, Kind::ToolCall),
        ["readFile: a.py", "command: make"]
    );
    assert_eq!(bench.texts_of(Role::Tool, Kind::ToolResult), ["all made"]);
}

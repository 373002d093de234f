//! Which record is which, who holds a memory, and what a person did to it.

use ingest::Options;
use memory::{Edit, MemoryId};

use crate::support::{Bench, NOW};

fn edit(bench: &Bench, id: MemoryId, edit: &Edit) {
    bench
        .vault
        .write(|w| w.memories().edit(id, edit, None, NOW))
        .unwrap();
}

#[test]
fn the_same_name_elsewhere_is_another_file() {
    let bench = Bench::new();
    let a = bench.write("a/CLAUDE.md", "- alpha uses tabs\n");
    let b = bench.write("b/CLAUDE.md", "- beta uses spaces\n");
    bench.take(&a);
    bench.take(&b);
    bench.take(&a);
    assert_eq!(bench.texts(), ["alpha uses tabs", "beta uses spaces"]);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_do_not_collide() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    for (name, text) in [(&b"a\xff.md"[..], "- first\n"), (b"a\xfe.md", "- second\n")] {
        let path = bench.folder.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, text).unwrap();
    }
    assert_eq!(bench.take_all().stored, 2);
    let again = bench.take_all();
    assert_eq!((again.records, again.stored), (0, 0));
    assert_eq!(bench.texts().len(), 2);
}

#[test]
fn equal_first_lines_are_two_entries() {
    let bench = Bench::new();
    let first = "2026-09-20 10:00:00 ERROR job failed\n";
    bench.write(
        "a/worker.log",
        format!("{first}  at parcel.c:12 weight missing\n"),
    );
    bench.write(
        "b/worker.log",
        format!("{first}  at route.c:90 street unknown\n"),
    );
    bench.take_all();
    bench.one("weight missing");
    bench.one("street unknown");
}

#[test]
fn a_rewritten_rollout_loses_nothing() {
    let bench = Bench::new();
    let rollout = |text: &str| {
        let header =
            r#"{"timestamp":"2026-09-20T10:00:00Z","type":"session_meta","payload":{"id":"s1"}}"#;
        format!(
            r#"{header}
{{"timestamp":"2026-09-20T10:00:01Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}}}
"#
        )
    };
    bench.write("rollout-x.jsonl", rollout("ship parcels by rail"));
    bench.take_all();
    bench.write("rollout-x.jsonl", rollout("ship parcels by boat"));
    bench.take_all();
    bench.one("by rail");
    bench.one("by boat");
}

#[test]
fn two_organisations_each_get_their_memory() {
    let bench = Bench::new();
    for org in ["north", "south"] {
        bench.write(
            &format!("{org}/chat.jsonl"),
            format!(
                "{{\"org\":\"{org}\",\"role\":\"user\",\"content\":\"rotate the keys monthly\"}}\n"
            ),
        );
    }
    assert_eq!(bench.take_all().stored, 2);
}

#[test]
fn case_and_accents_tell_texts_apart() {
    let bench = Bench::new();
    let texts = [
        "git branch -D old",
        "git branch -d old",
        "el ano nuevo",
        "el año nuevo",
        "x2",
        "x²",
    ];
    let lines: String = texts
        .iter()
        .flat_map(|text| ["{\"role\":\"user\",\"content\":\"", text, "\"}\n"])
        .collect();
    bench.write("c.jsonl", lines);
    bench.take_all();
    assert_eq!(bench.texts(), texts);
}

#[test]
fn the_last_holder_takes_a_memory_along() {
    let bench = Bench::new();
    let graph = |said: &str| {
        format!(
            "{{\"type\":\"entity\",\"name\":\"depot\",\"entityType\":\"place\",\"observations\":[\"{said}\"]}}\n"
        )
    };
    bench.write("a/memory.jsonl", graph("closes at six"));
    bench.write("b/memory.jsonl", graph("closes at six"));
    bench.take_all();
    bench.write("a/memory.jsonl", graph("opens at nine"));
    bench.take_all();
    bench.one("closes at six");
    bench.write("b/memory.jsonl", graph("opens at ten"));
    bench.take_all();
    let mut texts = bench.texts();
    texts.sort();
    assert_eq!(texts, ["depot: opens at nine", "depot: opens at ten"]);
}

#[test]
fn a_renamed_note_still_drops_what_is_removed() {
    let bench = Bench::new();
    bench.write("a.md", "- rule one is old\n- rule two stays\n");
    bench.take_all();
    std::fs::rename(bench.path("a.md"), bench.path("b.md")).unwrap();
    bench.take_all();
    assert!(
        bench
            .one("rule two")
            .provenance
            .unwrap()
            .path
            .ends_with("b.md")
    );
    bench.write("b.md", "- rule two stays\n");
    bench.take_all();
    assert_eq!(bench.texts(), ["rule two stays"]);
}

#[test]
fn an_entry_under_another_heading_keeps_its_memory() {
    let bench = Bench::new();
    bench.write("n.md", "# Rules\n- pinned fact\n- other fact\n");
    bench.take_all();
    let (pinned, other) = (bench.one("pinned fact").id, bench.one("other fact").id);
    let pin = Edit {
        pinned: Some(true),
        tags: Some(vec!["keep".to_owned()]),
        ..Edit::default()
    };
    edit(&bench, pinned, &pin);
    bench.write("n.md", "# House rules\n- pinned fact\n- other fact\n");
    bench.take_all();
    let now = bench.one("pinned fact");
    assert_eq!(
        (now.id, now.pinned, now.tags.as_slice()),
        (pinned, true, &["keep".to_owned()][..])
    );
    assert_eq!(now.content, "House rules\npinned fact");
    assert_eq!(bench.one("other fact").id, other);
    assert_eq!(bench.texts().len(), 2);
}

#[test]
fn an_emptied_or_removed_note_holds_nothing() {
    for removed in [false, true] {
        let bench = Bench::new();
        bench.write("n.md", "- one\n");
        bench.take_all();
        if removed {
            std::fs::remove_file(bench.path("n.md")).unwrap();
        } else {
            bench.write("n.md", "");
        }
        bench.take_all();
        assert!(bench.texts().is_empty(), "removed: {removed}");
        // It comes back as it was.
        bench.write("n.md", "- one\n");
        bench.take_all();
        assert_eq!(bench.one("one").id, MemoryId(1));
    }
}

#[test]
fn what_was_deleted_stays_gone_under_another_name() {
    let bench = Bench::new();
    bench.write("a.md", "- the safe code is on the blue card\n");
    bench.take_all();
    let id = bench.one("safe code").id;
    bench.vault.write(|w| w.memories().purge(&[id])).unwrap();
    std::fs::rename(bench.path("a.md"), bench.path("b.md")).unwrap();
    bench.take_all();
    assert!(bench.texts().is_empty());
}

#[test]
fn a_growing_log_leaves_undo_to_people() {
    let bench = Bench::new();
    bench.write("app.log", "2026-09-20 10:00:00 ERROR boom\n");
    bench.write("c.jsonl", "{\"role\":\"user\",\"content\":\"precious\"}\n");
    bench.take_all();
    let precious = bench.one("precious").id;
    bench
        .vault
        .write(|w| w.memories().trash(&[precious], NOW))
        .unwrap();
    bench.append("app.log", "  at line 2\n");
    bench.take_all();
    bench.vault.write(|w| w.undo().undo(NOW)).unwrap();
    bench.one("precious");
    bench.one("at line 2");
}

#[test]
fn an_edited_memory_and_its_growing_log_are_both_kept() {
    let bench = Bench::new();
    bench.write("app.log", "2026-09-20 10:00:00 ERROR boom\n");
    bench.take_all();
    let id = bench.one("boom").id;
    let text = Edit {
        content: Some("a person's words".to_owned()),
        ..Edit::default()
    };
    edit(&bench, id, &text);
    bench.append("app.log", "  at important.c:9\n");
    let report = bench.take_all();
    assert_eq!(report.stored, 1);
    bench.one("a person's words");
    bench.one("important.c:9");
}

#[test]
fn what_was_left_out_can_be_had_later() {
    let bench = Bench::new();
    let record = |uuid: &str, side: bool, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"s","isSidechain":{side},"timestamp":"2026-09-20T10:00:00Z","message":{{"role":"user","content":"{text}"}}}}"#
        ) + "\n"
    };
    let path = bench.write(
        "projects/p/s.jsonl",
        record("u1", false, "main") + &record("u2", true, "aside"),
    );
    bench.take(&path);
    assert_eq!(bench.texts(), ["main"]);
    let options = Options {
        subagents: true,
        ..Options::default()
    };
    bench.take_with(&[path], &options);
    assert_eq!(bench.texts().len(), 2);
}

#[test]
fn an_unstamped_log_that_was_rotated_keeps_both_traces() {
    let bench = Bench::new();
    let trace =
        |file: &str| format!("Traceback (most recent call last):\n  File \"{file}\" line 1\n");
    bench.write("run.log", trace("one.py"));
    bench.take(&bench.path("run.log"));
    std::fs::rename(bench.path("run.log"), bench.path("run.log.1")).unwrap();
    bench.write("run.log", trace("two.py"));
    bench.take(&bench.path("run.log"));
    bench.one("one.py");
    bench.one("two.py");
}

#[test]
fn rollouts_without_a_header_are_told_apart_by_their_file() {
    let bench = Bench::new();
    for (folder, said) in [("a", "one prompt"), ("b", "two prompt")] {
        let item = serde_json::json!({
            "timestamp": "2026-10-01T10:00:01Z", "type": "response_item",
            "payload": {"type": "message", "role": "user",
                "content": [{"type": "input_text", "text": said}]}
        });
        bench.write(&format!("{folder}/rollout-x.jsonl"), format!("{item}\n"));
    }
    bench.take_all();
    bench.one("one prompt");
    bench.one("two prompt");
}

#[test]
fn one_id_with_other_words_is_another_record() {
    let bench = Bench::new();
    let session = serde_json::json!({"type": "session", "id": "s1", "version": 3}).to_string();
    let said = |text: &str| {
        let record = serde_json::json!({
            "type": "message", "id": "aaaa0001",
            "message": {"role": "user", "content": [{"type": "text", "text": text}]}
        });
        format!("{record}\n")
    };
    let written = format!("{session}\n{}{}", said("by rail"), said("by boat"));
    bench.write("s.jsonl", written);
    bench.take_all();
    bench.write("s.jsonl", format!("{session}\n{}", said("by plane")));
    bench.take_all();
    let mut texts = bench.texts();
    texts.sort();
    assert_eq!(texts, ["by boat", "by plane", "by rail"]);
}

#[test]
fn what_a_person_names_is_read_whatever_it_is_called() {
    let bench = Bench::new();
    let said = "{\"role\":\"user\",\"content\":\"said here\"}\n";
    bench.write("subagents/x.jsonl", said);
    bench.write(
        "deep/tool-results/logs/a.jsonl",
        said.replace("here", "there"),
    );
    let report = bench.take_all();
    assert_eq!(report.stored, 0);
    assert!(report.left_alone.values().sum::<u32>() >= 2, "{report:?}");
    bench.take(&bench.path("subagents"));
    bench.take(&bench.path("deep/tool-results/logs"));
    bench.one("said here");
    bench.one("said there");
}

#[cfg(unix)]
#[test]
fn a_link_is_judged_by_where_it_leads() {
    let bench = Bench::new();
    bench.write("home/.env", "SETTING=invented\n");
    bench.write("home/.ssh/id_ed25519", "invented\n");
    bench.write("repo/.env", "SETTING=invented\n");
    for (to, name) in [
        ("../home/.env", "repo/app.log"),
        ("../home/.ssh/id_ed25519", "repo/notes.md"),
        (".env", "repo/b.log"),
        ("../home/.ssh", "repo/docs"),
    ] {
        std::os::unix::fs::symlink(to, bench.path(name)).unwrap();
    }
    let report = bench.take(&bench.path("repo"));
    assert_eq!((report.files, report.stored), (0, 0), "{report:?}");
    assert!(bench.texts().is_empty());
}

//! Files as they are met: torn, glued, marked, truncated, rotated, replaced, too long.

use memory::{ListQuery, MemoryId};

use crate::support::{Bench, NOW};

fn said(text: &str) -> String {
    format!("{{\"role\":\"user\",\"content\":\"{text}\"}}\n")
}

#[test]
fn torn_and_glued_lines() {
    let bench = Bench::new();
    bench.write("a.jsonl", "{\"text\":\"spl");
    bench.take_all();
    assert!(bench.texts().is_empty());
    bench.append("a.jsonl", "it\"}\n");
    bench.append("a.jsonl", "{\"text\":\"to{\"text\":\"whole\"}\n");
    bench.append("a.jsonl", "{\"text\":\"left\"}{\"text\":\"right\"}\n");
    bench.append("a.jsonl", "nonsense\n{\"text\":\"last, without an end\"}");
    let report = bench.take_all();
    assert_eq!(
        bench.texts(),
        ["split", "whole", "left", "right", "last, without an end"]
    );
    let lines: Vec<u64> = report.errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [2, 4]);
    bench.append("a.jsonl", "\n{\"text\":\"more\"}\n");
    bench.take_all();
    assert_eq!(bench.texts().len(), 6);
    assert_eq!(bench.one("more").provenance.unwrap().line, 6);
}

#[test]
fn marks_line_ends_and_encodings() {
    let bench = Bench::new();
    bench.write(
        "bom.jsonl",
        "\u{feff}{\"text\":\"one\"}\r\n\r\n{\"text\":\"two\"}\r\n",
    );
    bench.write(
        "nul.jsonl",
        b"{\"text\":\"before the cut\"}\n\0\0\0\0\0\0\0\0{\"text\":\"after\"}\n",
    );
    bench.write(
        "latin.jsonl",
        b"{\"text\":\"caf\xe9\"}\n{\"text\":\"half \\ud83d pair\"}\n",
    );
    let wide: Vec<u8> = "\u{feff}{\"text\":\"wide\"}\r\n{\"text\":\"wider\"}\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    bench.write("wide.jsonl", &wide);
    let unmarked: Vec<u8> = "{\"text\":\"unmarked\"}\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    bench.write("unmarked.jsonl", &unmarked);
    bench.write(
        "picture.log",
        b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x01\x02\x03\x04\x05\x06",
    );
    bench.write(
        "note.md",
        "\u{feff}---\r\nname: n\r\n---\r\n- marked note\r\n",
    );
    let report = bench.take_all();
    let mut texts = bench.texts();
    texts.sort();
    assert_eq!(
        texts,
        [
            "after",
            "before the cut",
            "caf\u{fffd}",
            "half \u{fffd} pair",
            "marked note",
            "one",
            "two",
            "wide",
            "wider",
        ]
    );
    let reasons: Vec<&str> = report
        .errors
        .iter()
        .map(|error| error.reason.as_str())
        .collect();
    assert_eq!(reasons.len(), 2);
    assert!(reasons.contains(&"UTF-16 without a byte order mark: save it as UTF-8"));
    assert!(reasons.contains(&"a binary file"));
    assert_eq!(
        report.notes.get("bytes that were not UTF-8 replaced"),
        Some(&1)
    );
}

#[test]
fn a_crlf_file_that_grows() {
    let bench = Bench::new();
    for round in 0..3 {
        bench.append("a.jsonl", format!("{{\"text\":\"round {round}\"}}\r\n"));
        bench.take_all();
    }
    assert_eq!(bench.texts(), ["round 0", "round 1", "round 2"]);
}

#[test]
fn a_picture_inside_a_line_and_the_lines_around_it() {
    let bench = Bench::new();
    let data = "iVBORw0K".repeat(1 << 20);
    bench.write(
        "00.jsonl",
        format!(
            "{}{}{}",
            r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"first"}}"#.to_owned() + "\n",
            format!(r#"{{"type":"user","uuid":"u2","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}]}}]}}}}"#) + "\n",
            r#"{"type":"user","uuid":"u3","sessionId":"s","message":{"role":"user","content":"third"}}"#.to_owned() + "\n",
        ),
    );
    bench.take_all();
    assert_eq!(
        bench.texts(),
        ["first", "[image image/png, 6291456 bytes]", "third"]
    );
}

#[test]
fn a_line_beyond_every_limit_leaves_a_stub() {
    let bench = Bench::new();
    let mut bytes = said("first").into_bytes();
    bytes.extend_from_slice(b"{\"role\":\"user\",\"content\":\"");
    bytes.resize(bytes.len() + 65 * 1024 * 1024, b'x');
    bytes.extend_from_slice(b"\"}\n");
    bytes.extend_from_slice(said("third").as_bytes());
    bench.write("a.jsonl", &bytes);
    bench.take_all();
    let texts = bench.texts();
    assert_eq!((texts[0].as_str(), texts[2].as_str()), ("first", "third"));
    let stub = bench.one("too long to be read");
    assert_eq!(stub.tags, ["stub"]);
    assert_eq!(stub.provenance.unwrap().line, 2);
}

#[test]
fn zeros_inside_a_text_hide_nothing() {
    let bench = Bench::new();
    let zeros = "\\u0000".repeat(10_291);
    bench.write(
        "a.jsonl",
        format!("{{\"text\":\"before{zeros}after\"}}\n{{\"text\":\"pre\\u0000suf\"}}\n"),
    );
    bench.take_all();
    let found = |word: &str| {
        bench
            .vault
            .read(|reader| {
                let (total, _) = reader.memories().list(&ListQuery {
                    contains: Some(word.to_owned()),
                    limit: 10,
                    now: NOW,
                    ..ListQuery::default()
                })?;
                Ok(total)
            })
            .unwrap()
    };
    assert_eq!((found("after"), found("suf")), (1, 1));
    bench
        .vault
        .write(|writer| {
            writer.check_keyword_indexes()?;
            Ok(())
        })
        .unwrap();
}

#[test]
fn truncated_rotated_and_replaced() {
    let bench = Bench::new();
    bench.write("app.jsonl", said("one") + &said("two"));
    bench.take_all();
    // Truncated in place, then longer than before.
    bench.write("app.jsonl", said("three"));
    bench.take_all();
    // Rotated: what was appended before the rotation is not lost.
    bench.append("app.jsonl", said("four"));
    std::fs::rename(bench.path("app.jsonl"), bench.path("app.old.jsonl")).unwrap();
    bench.write("app.jsonl", said("five"));
    bench.take_all();
    // Replaced by a longer copy of itself.
    let copy = bench.write("app.tmp", said("five") + &said("six"));
    std::fs::rename(copy, bench.path("app.jsonl")).unwrap();
    let report = bench.take_all();
    let mut texts = bench.texts();
    texts.sort();
    assert_eq!(texts, ["five", "four", "one", "six", "three", "two"]);
    assert_eq!(report.records, 1, "only what is new was read: {report:?}");
}

#[test]
fn a_renamed_file_goes_on_and_two_names_are_one_file() {
    let bench = Bench::new();
    bench.write("a.jsonl", said("one"));
    bench.take_all();
    std::fs::rename(bench.path("a.jsonl"), bench.path("b.jsonl")).unwrap();
    bench.append("b.jsonl", said("two"));
    let report = bench.take_all();
    assert_eq!(report.records, 1);
    assert!(
        bench
            .one("two")
            .provenance
            .unwrap()
            .path
            .ends_with("b.jsonl")
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(bench.path("b.jsonl"), bench.path("c.jsonl")).unwrap();
        let report = bench.take_all();
        assert_eq!((report.files, report.records), (1, 0));
    }
}

#[test]
fn a_fork_is_stored_once_and_linked_to_its_parent() {
    let bench = Bench::new();
    let record = |uuid: &str, text: &str, fork: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"x","timestamp":"2026-08-03T08:00:01.000Z"{fork},"message":{{"role":"user","content":"{text}"}}}}"#
        ) + "\n"
    };
    bench.write(
        "projects/p/parent.jsonl",
        record("u1", "shared", "") + &record("u2", "only the parent's", ""),
    );
    let from = r#","forkedFrom":{"sessionId":"parent","messageUuid":"u1"}"#;
    bench.write(
        "projects/p/fork.jsonl",
        record("v1", "shared", from) + &record("v2", "only the fork's", ""),
    );
    bench.take_all();
    let shared = bench.one("shared");
    assert_eq!(
        (shared.scope.session.as_deref(), shared.seen_count),
        (Some("parent"), 1)
    );
    assert_eq!(bench.one("fork's").tags, ["fork of parent"]);
    assert_eq!(bench.memories().len(), 3);
}

#[test]
fn a_deleted_memory_is_not_brought_back_by_its_line() {
    let bench = Bench::new();
    bench.write("a.jsonl", said("one") + &said("two"));
    bench.take_all();
    let id = bench.one("one").id;
    bench
        .vault
        .write(|writer| writer.memories().trash(&[id], NOW))
        .unwrap();
    // Rewritten with another beginning, so that everything is read again.
    bench.write("a.jsonl", said("zero") + &said("one") + &said("two"));
    let report = bench.take_all();
    assert_eq!(bench.texts(), ["two", "zero"]);
    assert_eq!(report.skipped.get("deleted before"), Some(&1));
}

#[test]
fn a_stack_trace_that_arrives_late_belongs_to_its_entry() {
    let bench = Bench::new();
    bench.write("app.log", "2026-08-03T08:00:00Z ERROR boom\n");
    bench.take_all();
    assert_eq!(bench.texts(), ["2026-08-03T08:00:00Z ERROR boom"]);
    bench.append("app.log", "  at main.rs:3\n");
    let report = bench.take_all();
    assert_eq!(
        bench.texts(),
        ["2026-08-03T08:00:00Z ERROR boom\n  at main.rs:3"]
    );
    assert_eq!(report.skipped.get("grown"), Some(&1));
    bench.append("app.log", "2026-08-03T08:00:01Z INFO next\n");
    let report = bench.take_all();
    assert_eq!(bench.texts().len(), 2);
    assert_eq!(report.records, 1);
}

#[test]
fn a_rewritten_note_keeps_what_stayed_and_drops_what_went() {
    let bench = Bench::new();
    bench.write("MEMORY.md", "- likes tea\n- lives in Husum\n- has a cat\n");
    bench.take_all();
    let ids = |bench: &Bench| -> Vec<(String, MemoryId)> {
        bench
            .memories()
            .into_iter()
            .map(|memory| (memory.content, memory.id))
            .collect()
    };
    let before = ids(&bench);
    let cat = bench.one("cat").id;
    let edit = memory::Edit {
        content: Some("has two cats".to_owned()),
        ..memory::Edit::default()
    };
    bench
        .vault
        .write(|writer| writer.memories().edit(cat, &edit, None, NOW))
        .unwrap();
    let undoable = || bench.vault.read(|r| r.undo().next()).unwrap();
    let edited = undoable();
    assert!(edited.is_some());
    bench.write("MEMORY.md", "- lives in Husum\n- likes coffee\n");
    bench.take_all();
    assert_eq!(
        bench.texts(),
        ["lives in Husum", "has two cats", "likes coffee"]
    );
    // What comes back is the same memory again.
    bench.write("MEMORY.md", "- lives in Husum\n- likes tea\n");
    bench.take_all();
    assert_eq!(bench.one("likes tea").id, before[0].1);
    assert_eq!(
        bench.texts(),
        ["likes tea", "lives in Husum", "has two cats"]
    );
    // Nobody did either, so nobody is offered to undo it.
    assert_eq!(undoable(), edited);
    // What a person deleted does not.
    let tea = bench.one("likes tea").id;
    bench
        .vault
        .write(|writer| writer.memories().trash(&[tea], NOW))
        .unwrap();
    bench.write("MEMORY.md", "- lives in Husum\n- likes tea\n- new\n");
    bench.take_all();
    assert_eq!(bench.texts(), ["lives in Husum", "has two cats", "new"]);
}

#[test]
fn a_half_last_line_is_replaced_when_its_rest_comes() {
    let bench = Bench::new();
    bench.write("app.log", "2026-09-20 10:00:00 INFO the parc");
    bench.take_all();
    bench.append(
        "app.log",
        "el left the depot\n2026-09-20 10:00:01 INFO next\n",
    );
    bench.take_all();
    assert_eq!(
        bench.texts(),
        [
            "2026-09-20 10:00:00 INFO the parcel left the depot",
            "2026-09-20 10:00:01 INFO next"
        ]
    );
}

#[test]
fn a_gap_of_zeros_hides_nothing() {
    let bench = Bench::new();
    let mut bytes = vec![0; 300_000];
    bytes.extend_from_slice(b"2026-09-20 10:00:00 INFO first\n2026-09-20 10:00:01 INFO second\n");
    bench.write("app.log", &bytes);
    assert_eq!(bench.take_all().stored, 2);
    assert_eq!(bench.one("first").provenance.unwrap().offset, 300_000);
}

#[test]
fn a_change_in_the_middle_is_read() {
    let bench = Bench::new();
    let lines: Vec<String> = (0..100).map(|at| said(&format!("line {at:04}"))).collect();
    bench.write("c.jsonl", lines.concat());
    bench.take_all();
    let mut changed = lines;
    changed[50] = said("CHANGED!!");
    changed.push(said("one more"));
    bench.write("c.jsonl", changed.concat());
    let report = bench.take_all();
    assert_eq!(report.stored, 2, "{report:?}");
    bench.one("CHANGED!!");
}

#[test]
fn a_file_rotated_to_any_name_gives_its_last_words() {
    let bench = Bench::new();
    bench.write("app.log", "2026-09-20 10:00:00 INFO first\n");
    bench.take_all();
    bench.append("app.log", "2026-09-20 10:00:01 INFO last words\n");
    std::fs::rename(bench.path("app.log"), bench.path("app.log.old")).unwrap();
    bench.write("app.log", "2026-09-20 10:00:02 INFO new\n");
    bench.take_all();
    bench.one("last words");
    assert_eq!(bench.texts().len(), 3);
}

#[test]
fn a_record_that_is_nested_too_deep_is_read_without_that_part() {
    for depth in [200, 100_000] {
        let bench = Bench::new();
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let record = format!("{{\"role\":\"user\",\"content\":\"deep\",\"x\":{deep}}}\n");
        bench.write("a.jsonl", record + &said("the next one"));
        let report = bench.take_all();
        assert_eq!(bench.texts(), ["deep", "the next one"]);
        assert_eq!(report.error_count, 0, "{report:?}");
        assert_eq!(
            report.notes["nested more than 100 deep, the rest left aside"],
            1
        );
    }
}

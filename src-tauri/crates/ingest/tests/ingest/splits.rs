//! However a file grew, and wherever the program was restarted, the memories are the same.

use proptest::prelude::*;

use crate::support::{Bench, fixture};

/// Who and where, the text, the tool, the tags, offset and line.
type Essence = (String, String, Option<String>, Vec<String>, u64, u64);

/// What must not depend on how the file grew.
fn essence(bench: &Bench) -> Vec<Essence> {
    bench
        .memories()
        .into_iter()
        .map(|memory| {
            let from = memory.provenance.unwrap();
            (
                format!(
                    "{:?} {:?} {:?}",
                    memory.role, memory.kind, memory.scope.session
                ),
                memory.content,
                memory.tool_name,
                memory.tags,
                from.offset,
                from.line,
            )
        })
        .collect()
}

fn check(name: &str, bytes: &[u8], mut cuts: Vec<usize>) {
    let whole = Bench::new();
    whole.write(name, bytes);
    whole.take_all();
    let expected = essence(&whole);
    assert!(!expected.is_empty());
    let grown = Bench::new();
    for cut in &mut cuts {
        *cut %= bytes.len();
    }
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut from = 0;
    for cut in cuts {
        grown.append(name, &bytes[from..cut]);
        from = cut;
        let written = std::fs::metadata(grown.path(name)).and_then(|found| found.modified());
        let since = written.unwrap().duration_since(std::time::UNIX_EPOCH);
        let now = since.unwrap().as_millis() as i64;
        // Every backfill starts from what the vault knows, as a restarted program does. The file
        // was written just now, so a half-written line is not taken for a finished one.
        let _ = ingest::backfill(
            &grown.vault,
            None,
            &[grown.folder.path().to_path_buf()],
            &ingest::Options::default(),
            &|| now,
            &mut |_| {},
            &std::sync::atomic::AtomicBool::new(false),
        )
        .unwrap();
    }
    grown.take_all();
    assert_eq!(essence(&grown), expected);
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn of_a_transcript(cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        let name = "claude/projects/-home-ana-kiosk/11111111-0000-4000-8000-000000000001.jsonl";
        check("11111111-0000-4000-8000-000000000001.jsonl", &sample(name), cuts);
    }

    #[test]
    fn of_a_plain_log(cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        check("gateway.log", &sample("plain/gateway.log"), cuts);
    }

    #[test]
    fn of_conversations(cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        check("flat.jsonl", &sample("chat/flat.jsonl"), cuts.clone());
        check("openai.jsonl", &sample("chat/openai.jsonl"), cuts);
    }

    #[test]
    fn of_events_and_tables(cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        let formats = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats");
        let sample = |name: &str| std::fs::read(formats.join(name)).unwrap();
        let session = "5e55a000-0000-4000-8000-000000000001/events.jsonl";
        check("events.jsonl", &sample(&format!("copilot/session-state/{session}")), cuts.clone());
        check("kiosk.jsonl", &sample("langchain/kiosk.jsonl"), cuts.clone());
        check("chat.csv", &sample("csv/chat.csv"), cuts);
    }

    #[test]
    fn of_utf_16(cuts in prop::collection::vec(any::<usize>(), 0..4)) {
        let text = String::from_utf8(sample("plain/gateway.log")).unwrap();
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        check("gateway.log", &wide, cuts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..600),
            r#"(\{"(role|text|type|uuid|message|content|timestamp)":("[^"]{0,9}"|[0-9]{1,19}|\{\}|\[1\]|null)[,}]){0,9}"#.prop_map(String::into_bytes),
            r#"\[?(\{"(sessionID|messageID|id|type|data|kind|source|results|memory|messages|content|blocks|trajectory|lc|say|ts)":("[^"]{0,9}"|[0-9]{1,13}|\[|\{\}|null)[,}\]]{1,3}){0,9}"#.prop_map(String::into_bytes),
            "([a-z]{1,7}[,;\"]|\"|\n|text,|role,){0,40}".prop_map(String::into_bytes),
            "(2026-0[1-9]-[0-9]{2}[T ][0-9:.,Z+]{0,14}|#|- |\\n|\\PC{0,6}|```|\\[|@){0,40}".prop_map(String::into_bytes),
        ],
        name in prop::sample::select(vec!["a.jsonl", "a.md", "a.log", "2026-08-03.md", "a.txt", "a.csv", "a.af"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let mut formats = vec![None];
        formats.extend(ingest::format_names().into_iter().map(|name| Some(name.to_owned())));
        for format in formats {
            let options = ingest::Options { format, subagents: true, ..ingest::Options::default() };
            let report = ingest::dry_run(std::slice::from_ref(&path), &options, i64::MAX / 2);
            prop_assert_eq!(report.records, report.stored + report.skipped.values().sum::<u32>());
        }
    }
}

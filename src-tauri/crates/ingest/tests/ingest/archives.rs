//! Zip archives are read like the folders that they hold, and hostile ones do no harm.

use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};

use ingest::{Options, dry_run};
use memory::Role;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{Bench, NOW, reasons};
use crate::watching::watch;

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn conversation(at: usize, turns: usize) -> Value {
    let said = |turn: usize| {
        let sender = if turn.is_multiple_of(2) {
            "human"
        } else {
            "assistant"
        };
        json!({"uuid": format!("m{at}-{turn}"), "sender": sender, "created_at": "2026-08-03T08:00:00Z",
            "text": format!("turn {turn} of conversation {at}")})
    };
    let messages: Vec<Value> = (0..turns).map(said).collect();
    json!({"uuid": format!("c{at}"), "name": "Ferry", "created_at": "2026-08-03T08:00:00Z",
        "chat_messages": messages})
}

fn conversations(sizes: &[usize]) -> Vec<u8> {
    let all: Vec<Value> = sizes
        .iter()
        .enumerate()
        .map(|(at, turns)| conversation(at, *turns))
        .collect();
    serde_json::to_vec(&all).unwrap()
}

const REMEMBERED: &[u8] =
    br#"[{"conversations_memory": "Ana runs the kiosk.", "account_uuid": "acc1"}]"#;

fn export(sizes: &[usize]) -> Vec<u8> {
    zipped(&[
        ("conversations.json", &conversations(sizes)),
        ("memories.json", REMEMBERED),
        ("users.json", br#"[{"uuid": "acc1", "full_name": "Ana"}]"#),
        ("projects.json", b"[]"),
    ])
}

/// What is wrong with an archive that a person names; nothing comes of it.
fn refused(bytes: &[u8]) -> String {
    let bench = Bench::new();
    let path = bench.write("export.zip", bytes);
    let foretold = dry_run(std::slice::from_ref(&path), &Options::default(), NOW);
    let report = bench.take(&path);
    assert_eq!(reasons(&foretold), reasons(&report));
    assert_eq!((report.files, report.stored), (0, 0));
    let [error] = report.errors.as_slice() else {
        panic!("one error in {:?}", report.errors);
    };
    assert_eq!(error.path, path.canonicalize().unwrap());
    error.reason.clone()
}

#[test]
fn an_export_is_read_as_it_was_downloaded_and_its_folder_adds_nothing() {
    let bench = Bench::new();
    let path = bench.write("data-2026-08-04.zip", export(&[3, 2]));
    let foretold = dry_run(
        std::slice::from_ref(&path),
        &Options::default(),
        i64::MAX / 2,
    );
    let report = bench.take(&path);
    assert_eq!((foretold.stored, foretold.records), (6, 6));
    assert_eq!((report.stored, report.records, report.files), (6, 6, 2));
    assert_eq!(report.formats["claude-ai"], 2);
    assert_eq!(report.left_alone["not a kind of file that is read"], 2);
    let note = "left alone in data-2026-08-04.zip: projects.json, users.json";
    assert_eq!((report.notes[note], foretold.notes[note]), (1, 1));
    assert_eq!(bench.one("Ana runs the kiosk.").role, Role::Memory);
    let from = bench.one("turn 2 of conversation 0").provenance.unwrap();
    assert!(
        from.path
            .ends_with("data-2026-08-04.zip/conversations.json")
    );

    // Again, under another name, and as the folder that it holds.
    assert_eq!(bench.take(&path).records, 0);
    bench.write("copy of it.zip", export(&[3, 2]));
    bench.write("data-2026-08-04/conversations.json", conversations(&[3, 2]));
    bench.write("data-2026-08-04/memories.json", REMEMBERED);
    assert_eq!(bench.take_all().stored, 0);
    // A later export has all that, and more.
    bench.write("data-2026-09-04.zip", export(&[4, 2, 1]));
    let later = bench.take_all();
    assert_eq!(later.stored, 2, "{later:?}");
    // And one under the first one's name.
    bench.write("data-2026-08-04.zip", export(&[4, 2, 2]));
    assert_eq!(bench.take_all().stored, 1);
    assert_eq!(bench.texts().len(), 9);
}

#[test]
fn chatgpts_parts_of_a_big_account_are_all_read() {
    let part = |at: usize| {
        let node = json!({"id": "n1", "parent": null, "children": [], "message": {
            "id": format!("m{at}"), "author": {"role": "user"}, "create_time": 1_785_744_000.0,
            "content": {"content_type": "text", "parts": [format!("part {at}")]}}});
        let list = json!([{"id": format!("c{at}"), "conversation_id": format!("c{at}"),
            "title": "Ferry", "create_time": 1_785_744_000.0, "current_node": "n1",
            "mapping": {"n1": node}}]);
        serde_json::to_vec(&list).unwrap()
    };
    let bench = Bench::new();
    let path = bench.write(
        "chatgpt.zip",
        zipped(&[
            ("conversations-000.json", &part(0)),
            ("conversations-001.json", &part(1)),
            ("chat.html", b"<html>part 0 part 1</html>"),
            ("user.json", b"{}"),
            ("message_feedback.json", b"[]"),
            ("shared_conversations.json", b"[]"),
            ("dalle-generations/1.webp", b"RIFF"),
            ("file-1.dat", b"x"),
            ("file-2.dat", b"x"),
        ]),
    );
    let report = bench.take(&path);
    assert_eq!((report.stored, report.other_files), (2, 7));
    assert_eq!(report.formats["chatgpt"], 2);
    let note = "left alone in chatgpt.zip: chat.html, dalle-generations/1.webp, file-1.dat, \
                file-2.dat, message_feedback.json, shared_conversations.json and 1 more";
    assert_eq!(report.notes[note], 1, "{:?}", report.notes);
    assert_eq!(bench.texts(), ["part 0", "part 1"]);
}

#[test]
fn a_folder_of_notes_and_packed_logs_is_the_same_zipped_and_not() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let line = b"{\"role\":\"user\",\"content\":\"packed twice\"}\n";
    packer.write_all(line).unwrap();
    let packed = packer.finish().unwrap();
    let files: [(&str, &[u8]); 5] = [
        ("team/CLAUDE.md", b"- The depot opens at nine\n"),
        ("team/chat.jsonl.gz", &packed),
        ("team/.env", b"KEY=1"),
        (
            "team/app.log",
            b"2026-08-03T08:00:00Z ERROR boom\n  at main.rs:3",
        ),
        ("inner.zip", &zipped(&[("a.md", b"- inside\n")])),
    ];
    let bench = Bench::new();
    bench.write("export.zip", zipped(&files));
    let report = bench.take_all();
    assert_eq!(report.stored, 3, "{report:?}");
    assert_eq!(report.left_alone["may hold keys"], 1);
    assert_eq!(
        report.left_alone["an archive in an archive: unpack it first"],
        1
    );
    for (name, bytes) in files.iter().filter(|(name, _)| *name != "inner.zip") {
        bench.write(&format!("export/{name}"), bytes);
    }
    assert_eq!(bench.take_all().stored, 0);
    // The folder is gone, the archive still holds the note; without it nothing does.
    std::fs::remove_dir_all(bench.path("export")).unwrap();
    bench.take_all();
    assert_eq!(bench.texts().len(), 3);
}

#[test]
fn an_archive_of_one_file_is_that_file_to_whoever_names_it() {
    let bench = Bench::new();
    let lines = b"[{\"role\":\"user\",\"content\":\"saved by hand\"}]";
    let path = bench.write("chat.zip", zipped(&[("my chat.json", lines)]));
    let folder = bench.take_all();
    assert_eq!((folder.stored, folder.error_count), (0, 0));
    assert_eq!(bench.take(&path).stored, 1);
    // A name says nothing about what a person names.
    let other = bench.write(
        "chat.bin",
        zipped(&[("a.jsonl", b"{\"role\":\"user\",\"content\":\"b\"}\n")]),
    );
    assert_eq!(bench.take(&other).stored, 1);
}

/// Every place where a record of an archive begins, by its signature.
fn places(bytes: &[u8], signature: &[u8]) -> Vec<usize> {
    (0..bytes.len() - 4)
        .filter(|at| bytes[*at..].starts_with(signature))
        .collect()
}

/// Changes a field of every file's entry: in its own header and in the list at the end.
fn patched(bytes: &[u8], local: usize, central: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (signature, field) in [(b"PK\x03\x04", local), (b"PK\x01\x02", central)] {
        for at in places(&bytes, signature) {
            bytes[at + field..at + field + value.len()].copy_from_slice(value);
        }
    }
    bytes
}

#[test]
fn what_cannot_be_unpacked_says_why() {
    let whole = export(&[2]);
    assert_eq!(
        refused(&whole[..whole.len() / 2]),
        "a damaged or unfinished zip archive"
    );
    assert_eq!(refused(&zipped(&[])), "an archive without a file in it");
    let encrypted = patched(&whole, 6, 8, &[1, 0]);
    assert_eq!(
        refused(&encrypted),
        "encrypted: unpack it with its password first"
    );
    let method = patched(&whole, 8, 10, &[14, 0]);
    assert_eq!(
        refused(&method),
        "packed in a way that is not read: unpack it first"
    );
    let none = zipped(&[("a.png", b"x"), ("b.png", b"x")]);
    assert_eq!(refused(&none), "nothing in it could be read as a log");
    let out = zipped(&[("../../conversations.json", &conversations(&[2]))]);
    assert!(refused(&out).contains("leads out of the archive"));
}

#[test]
fn one_bad_file_costs_that_file_only() {
    let bench = Bench::new();
    let mut bytes = zipped(&[
        ("a.jsonl", b"{\"role\":\"user\",\"content\":\"first\"}\n"),
        ("b.jsonl", b"{\"role\":\"user\",\"content\":\"second\"}\n"),
        ("../c.jsonl", b"{\"role\":\"user\",\"content\":\"third\"}\n"),
    ]);
    let second = places(&bytes, b"PK\x03\x04")[1];
    // The first bytes of what is packed.
    bytes[second + 30 + 7..second + 30 + 12].fill(0xff);
    let path = bench.write("export.zip", &bytes);
    let report = bench.take(&path);
    assert_eq!(
        (report.stored, report.error_count),
        (1, 2),
        "{:?}",
        report.errors
    );
    assert!(reasons(&report).contains(&"a damaged or unfinished zip archive"));
    assert_eq!(bench.texts(), ["first"]);
}

#[test]
fn bombs_are_not_unpacked() {
    // Honest: it says how long it is.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a.jsonl", options).unwrap();
    let zeros = vec![b' '; 1024 * 1024];
    (0..257).for_each(|_| writer.write_all(&zeros).unwrap());
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 1024 * 1024);
    let bench = Bench::new();
    let path = bench.write("bomb.zip", &bomb);
    let report = bench.take(&path);
    assert!(reasons(&report).contains(&"unpacked it is longer than 256 MiB: unpack it first"));
    // One that says less is not read beyond that.
    let liar = patched(&bomb, 22, 24, &1000_u32.to_le_bytes());
    let path = bench.write("liar.zip", &liar);
    let report = bench.take(&path);
    assert!(
        reasons(&report)
            .iter()
            .any(|reason| reason.contains("damaged")),
        "{:?}",
        report.errors
    );
    assert_eq!(bench.texts().len(), 0);
    // Seventeen files of the limit each are more than an archive may hold.
    let names: Vec<String> = (0..17).map(|at| format!("{at}.log")).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &b"x"[..]))
        .collect();
    let small = zipped(&files);
    let sum = patched(&small, 22, 24, &(256_u32 << 20).to_le_bytes());
    assert_eq!(
        refused(&sum),
        "unpacked it is longer than 4 GiB: unpack it first"
    );
    // Two entries that unpack the same bytes.
    let mut shared = zipped(&[
        ("a.jsonl", b"{\"role\":\"user\",\"content\":\"x\"}\n"),
        ("b.jsonl", b"y"),
    ]);
    let entries = places(&shared, b"PK\x01\x02");
    let first = shared[entries[0] + 16..entries[0] + 28].to_vec();
    shared[entries[1] + 16..entries[1] + 28].copy_from_slice(&first);
    shared[entries[1] + 42..entries[1] + 46].fill(0);
    assert_eq!(
        refused(&shared),
        "an archive whose files share their bytes: not unpacked"
    );
}

#[test]
fn secrets_in_an_archive_are_masked_at_the_door() {
    let bench = Bench::new();
    let line =
        "{\"role\":\"user\",\"content\":\"token ghp_0123456789abcdefghijABCDEFGHIJ012345\"}\n";
    let path = bench.write("chat.zip", zipped(&[("a.jsonl", line.as_bytes())]));
    let report = bench.take(&path);
    assert_eq!(report.notes["secret masked"], 1);
    assert_eq!(bench.texts(), ["token [secret:github-token]"]);
}

fn until(bench: &Bench, count: usize) {
    let began = Instant::now();
    while bench.texts().len() < count {
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "{:?}",
            bench.texts()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_archive_that_arrives_in_a_watched_folder_is_read() {
    let bench = Bench::new();
    bench.write("old.zip", export(&[1]));
    let watch = watch(&bench, bench.folder.path());
    assert_eq!(bench.texts().len(), 2);
    // It comes in two pieces: half an archive is none yet, and no error.
    let whole = export(&[3]);
    bench.write("new.zip", &whole[..whole.len() / 2]);
    std::thread::sleep(Duration::from_millis(300));
    bench.append("new.zip", &whole[whole.len() / 2..]);
    until(&bench, 4);
    // Written anew with more in it.
    bench.write("new.zip", export(&[5]));
    until(&bench, 6);
    let errors = bench
        .vault
        .read(|reader| reader.files().errors(watch.source, 10))
        .unwrap();
    assert_eq!(errors, []);
}

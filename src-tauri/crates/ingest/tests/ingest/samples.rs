//! One folder for each format, `fixtures/formats/<format>`: an invented sample, and beside it in
//! `expected.json` what it yields. `UPDATE_EXPECTED=1` writes what it yields now, to be read before
//! it is believed.

use std::path::{Path, PathBuf};

use ingest::{Options, Report, dry_run};
use memory::CreatedAtQuality;
use serde_json::{Map, Value, json};
use walkdir::WalkDir;

use crate::support::Bench;

fn folder(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/formats")
        .join(format)
}

/// The files of a sample, by their names below its folder.
fn files(format: &str) -> Vec<(String, Vec<u8>)> {
    let root = folder(format);
    let mut found: Vec<(String, Vec<u8>)> = WalkDir::new(&root)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file() && entry.file_name() != "expected.json")
        .map(|entry| {
            let name = entry.path().strip_prefix(&root).unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            (name.to_str().unwrap().replace('\\', "/"), bytes)
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{format}");
    found
}

/// Formats whose times name no zone: they are the machine's.
const LOCAL: [&str; 1] = ["openhands"];

/// A time as its file has it.
fn written_as(at: i64, agent: &str) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap();
    if LOCAL.contains(&agent) {
        let here = at.to_zoned(jiff::tz::TimeZone::system());
        return here.datetime().to_string();
    }
    at.to_string()
}

/// What the memories of a vault are.
pub fn yields(bench: &Bench) -> Vec<Value> {
    let memories = bench.memories().into_iter();
    let described = memories.map(|memory| {
        let mut described = Map::new();
        let mut put = |key: &str, value: Value| described.insert(key.to_owned(), value);
        let who = format!("{} {}", memory.role.as_str(), memory.kind.as_str());
        put("who", who.into());
        put("text", memory.content.into());
        if let Some(tool) = memory.tool_name {
            put("tool", tool.into());
        }
        if let Some(payload) = memory.tool_payload {
            put("payload", payload.into());
        }
        // A file's own time is that of the test.
        if let Some(at) = memory.created_at
            && memory.created_at_quality != CreatedAtQuality::File
        {
            put("at", written_as(at, &memory.scope.agent).into());
        }
        if let Some(end) = memory.expires_at {
            put("expires", written_as(end, &memory.scope.agent).into());
        }
        if !memory.tags.is_empty() {
            put("tags", json!(memory.tags));
        }
        let session = memory.scope.session.unwrap_or_default();
        let scope = [memory.scope.org, memory.scope.agent, session];
        put("scope", scope.join(" | ").into());
        Value::Object(described)
    });
    described.collect()
}

pub fn account(report: &Report, bench: &Bench) -> Value {
    json!({
        "formats": report.formats, "skipped": report.skipped, "notes": report.notes,
        "errors": report.error_count, "memories": yields(bench),
    })
}

fn written(bench: &Bench, format: &str) {
    for (name, bytes) in files(format) {
        bench.write(&name, bytes);
    }
}

/// The sample yields what is expected, the dry run says so beforehand, reading it again adds
/// nothing, and so does a copy of it elsewhere; nor is any file taken for another format's.
fn check(format: &str) {
    let bench = Bench::new();
    written(&bench, format);
    let paths = [bench.folder.path().to_path_buf()];
    let foretold = dry_run(&paths, &Options::default(), i64::MAX / 2);
    let report = bench.take_all();
    assert_eq!(
        (foretold.stored, foretold.records),
        (report.stored, report.records),
        "{format}"
    );
    let formats: Vec<&str> = report.formats.keys().map(String::as_str).collect();
    assert_eq!(formats, [format]);
    let found = account(&report, &bench);
    let path = folder(format).join("expected.json");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        let text = serde_json::to_string_pretty(&found).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    let expected: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(found, expected, "{format}");
    let before = yields(&bench);
    for (name, bytes) in files(format) {
        // Written anew as a whole, as a program does that saves its state.
        bench.write(&name, bytes);
    }
    let again = bench.take_all();
    assert_eq!(again.stored, 0, "{format}: {:?}", again.skipped);
    assert_eq!(yields(&bench), before, "{format}");
}

/// However much of each file was there when it was looked at before, in the end it is all there, and
/// no more than that.
fn check_growing(format: &str) {
    let whole = Bench::new();
    written(&whole, format);
    whole.take_all();
    let texts = |bench: &Bench| {
        let mut texts: Vec<String> = bench
            .memories()
            .into_iter()
            .map(|memory| format!("{:?} {:?} {}", memory.role, memory.kind, memory.content))
            .collect();
        texts.sort();
        texts
    };
    let expected = texts(&whole);
    let grown = Bench::new();
    for part in 1..=61 {
        for (name, bytes) in files(format) {
            let end = bytes.len() * part / 61;
            grown.write(&name, &bytes[..end]);
        }
        grown.take_all();
    }
    assert_eq!(texts(&grown), expected, "{format}");
}

macro_rules! samples {
    ($($name:ident = $format:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check($format);
                check_growing($format);
            }
        )*

        #[test]
        fn every_sample_is_looked_at() {
            let mut named = vec![$($format),*];
            named.sort_unstable();
            let mut found: Vec<String> = std::fs::read_dir(folder(""))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            found.sort();
            assert_eq!(found, named);
        }
    };
}

samples! {
    claude_ai = "claude-ai",
    claude_mem = "claude-mem",
    cline = "cline",
    copilot = "copilot",
    csv = "csv",
    langchain = "langchain",
    letta = "letta",
    mem0 = "mem0",
    opencode = "opencode",
    openhands = "openhands",
    swe_agent = "swe-agent",
}

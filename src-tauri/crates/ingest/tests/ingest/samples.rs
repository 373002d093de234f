//! One folder for each format, `fixtures/formats/<format>`: an invented sample, and beside it in
//! `expected.json` what it yields. `UPDATE_EXPECTED=1` writes what it yields now, to be read before
//! it is believed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ingest::{Options, Report, dry_run};
use memory::CreatedAtQuality;
use serde_json::{Map, Value, json};
use walkdir::WalkDir;

use crate::support::Bench;
use crate::watching::watch;

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
const LOCAL: [&str; 3] = ["openhands", "gateway", "aider"];

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
        let here = bench.folder.path().canonicalize().unwrap();
        let org = memory.scope.org.replace(here.to_str().unwrap(), "…");
        let scope = [org, memory.scope.agent, session];
        put("scope", scope.join(" | ").into());
        Value::Object(described)
    });
    described.collect()
}

/// What a sample yields is what `expected.json` in its folder says.
pub fn expect(folder: &Path, report: &Report, bench: &Bench) {
    let found = json!({
        "formats": report.formats, "skipped": report.skipped, "notes": report.notes,
        "errors": report.error_count, "memories": yields(bench),
    });
    let path = folder.join("expected.json");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        let text = serde_json::to_string_pretty(&found).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    let expected: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(found, expected, "{}", folder.display());
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
    expect(&folder(format), &report, &bench);
    let before = yields(&bench);
    for (name, bytes) in files(format) {
        // Written anew as a whole, as a program does that saves its state.
        bench.write(&name, bytes);
    }
    let again = bench.take_all();
    assert_eq!(again.stored, 0, "{format}: {:?}", again.skipped);
    assert_eq!(yields(&bench), before, "{format}");
}

/// How often each sample is looked at while it grows.
const CUTS: usize = 520;

/// Folders of OpenCode's store, in the order in which it writes into them.
const FIRST: [&str; 3] = ["storage/session/", "storage/message/", "storage/part/"];

/// What the memories are, however their files came about.
pub fn said(bench: &Bench) -> Vec<String> {
    let mut said: Vec<String> = bench
        .memories()
        .into_iter()
        .map(|memory| format!("{:?} {:?} {}", memory.role, memory.kind, memory.content))
        .collect();
    said.sort();
    said
}

/// The sample's files, growing side by side: which one, and the bytes that it gets next.
fn pieces(format: &str) -> Vec<(String, Vec<u8>)> {
    let files = files(format);
    // The same for every run, another for every format.
    let mut state = format
        .bytes()
        .fold(0x9e37_79b9_7f4a_7c15_u64, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut cuts: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
    let mut order = Vec::new();
    for _ in 0..CUTS {
        let mut at = below(total);
        let file = files
            .iter()
            .position(|(_, bytes)| {
                let here = at < bytes.len();
                at -= if here { 0 } else { bytes.len() };
                here
            })
            .unwrap();
        cuts[file].push(at);
        order.insert(below(order.len() + 1), file);
    }
    for (file, (_, bytes)) in files.iter().enumerate() {
        cuts[file].push(bytes.len());
        cuts[file].sort_unstable();
        cuts[file].reverse();
        order.push(file);
    }
    // Where one file says what another one means, its program writes it first.
    order.sort_by_key(|file| FIRST.iter().position(|part| files[*file].0.contains(part)));
    let mut written = vec![0; files.len()];
    order
        .into_iter()
        .map(|file| {
            let end = cuts[file].pop().unwrap();
            let from = std::mem::replace(&mut written[file], end);
            (files[file].0.clone(), files[file].1[from..end].to_vec())
        })
        .collect()
}

/// However much of each file was there when it was looked at before, in the end it is all there, and
/// no more than that: when every look is that of a program started anew, and when one program
/// follows the files as they grow.
fn check_growing(format: &str) {
    let whole = Bench::new();
    written(&whole, format);
    whole.take_all();
    let expected = said(&whole);
    let restarted = Bench::new();
    for (name, bytes) in pieces(format) {
        restarted.append(&name, bytes);
        restarted.take_all();
    }
    assert_eq!(said(&restarted), expected, "{format}, restarted");
    let live = Bench::new();
    let watch = watch(&live, live.folder.path());
    for (name, bytes) in pieces(format) {
        live.append(&name, bytes);
        assert!(watch.watcher.settle(Duration::from_secs(10)));
    }
    let began = Instant::now();
    while said(&live) != expected && began.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(said(&live), expected, "{format}, followed");
}

macro_rules! samples {
    ($($name:ident = $format:literal),* $(,)?) => {
        $(
            mod $name {
                #[test]
                fn yields_what_is_expected() {
                    super::check($format);
                }

                #[test]
                fn grows() {
                    super::check_growing($format);
                }
            }
        )*

        #[test]
        fn every_sample_is_looked_at() {
            let mut named = vec![$($format),*];
            named.sort_unstable();
            let in_folder = |path: &Path| -> Vec<String> {
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect()
            };
            let mut found = in_folder(&folder(""));
            found.sort();
            assert_eq!(found, named);
            // Databases have samples of their own.
            found.extend(in_folder(&folder("").join("../databases")));
            for format in ingest::format_names() {
                assert!(found.iter().any(|name| name == format), "{format} has a sample");
            }
        }
    };
}

samples! {
    aider = "aider",
    chatgpt = "chatgpt",
    claude_ai = "claude-ai",
    claude_code = "claude-code",
    claude_mem = "claude-mem",
    cline = "cline",
    codex = "codex",
    copilot = "copilot",
    csv = "csv",
    cursor = "cursor",
    gemini = "gemini",
    jsonl = "jsonl",
    langchain = "langchain",
    letta = "letta",
    log = "log",
    markdown = "markdown",
    mcp_memory = "mcp-memory",
    mem0 = "mem0",
    openclaw = "openclaw",
    opencode = "opencode",
    openhands = "openhands",
    swe_agent = "swe-agent",
}

//! Databases of other programs: what they yield, however they grow and while they are written.
//!
//! One folder for each kind, `fixtures/databases/<format>`: the statements that make an invented
//! database, and what it yields in `expected.json`, which `UPDATE_EXPECTED=1` writes.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ingest::{Options, Report, backfill, dry_run};
use memory::{Filter, TAKEN_BACK};
use rusqlite::Connection;

use crate::samples::{expect, said, yields};
use crate::support::{Bench, NOW, reasons};
use crate::watching::{until, watch};

fn folder(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/databases")
        .join(format)
}

/// The name of a sample's database and the statements that make it.
pub fn sample(format: &str) -> (String, Vec<String>) {
    let entries = std::fs::read_dir(folder(format)).unwrap();
    let path = entries
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "sql"))
        .unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let statements = text.lines().map(str::to_owned).collect();
    let name = path.file_stem().unwrap().to_str().unwrap();
    (name.to_owned(), statements)
}

/// Opens a database as its own program does.
pub fn program(bench: &Bench, name: &str) -> Connection {
    let connection = Connection::open(bench.path(name)).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    connection
}

/// Takes a database in, or a folder of them, at a moment at which little of the samples is over.
pub fn take(bench: &Bench, path: &Path) -> Report {
    let paths = [path.to_path_buf()];
    let options = Options::default();
    let never = AtomicBool::new(false);
    let vault = &bench.vault;
    let report = backfill(vault, None, &paths, &options, &|| NOW, &mut |_| {}, &never).unwrap();
    let left_out = report.skipped.values().sum::<u32>();
    assert_eq!(report.records, report.stored + left_out, "{report:?}");
    report
}

pub fn made(bench: &Bench, name: &str, format: &str) -> PathBuf {
    let program = program(bench, name);
    for statement in sample(format).1 {
        program.execute_batch(&statement).unwrap();
    }
    bench.path(name)
}

fn check(format: &str) {
    let bench = Bench::new();
    let (name, statements) = sample(format);
    made(&bench, &name, format);
    let paths = [bench.folder.path().to_path_buf()];
    let foretold = dry_run(&paths, &Options::default(), NOW);
    let report = take(&bench, bench.folder.path());
    assert_eq!(
        (foretold.stored, foretold.records, &foretold.skipped),
        (report.stored, report.records, &report.skipped),
        "{format}"
    );
    expect(&folder(format), &report, &bench);
    // Nothing is new.
    let before = yields(&bench);
    let again = take(&bench, bench.folder.path());
    assert_eq!((again.stored, again.records), (0, 0), "{format}: {again:?}");
    // A copy of it elsewhere, packed tight, under a name that says nothing.
    let copy = bench.path("a copy.bin");
    program(&bench, &name)
        .execute("VACUUM INTO ?", [copy.to_str().unwrap()])
        .unwrap();
    let report = take(&bench, &copy);
    assert_eq!(report.stored, 0, "{format}: {:?}", report.skipped);
    assert_eq!(report.formats.keys().collect::<Vec<_>>(), [format]);
    assert_eq!(yields(&bench), before, "{format}");
    // Looked at after every statement, in a log that is never put away, it is the same in the end.
    let grown = Bench::new();
    let program = program(&grown, &name);
    program.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    for statement in &statements {
        program.execute_batch(statement).unwrap();
        take(&grown, grown.folder.path());
    }
    assert_eq!(said(&grown), said(&bench), "{format}");
    drop(program);
    let again = take(&grown, grown.folder.path());
    assert_eq!((again.stored, again.records), (0, 0), "{format}: {again:?}");
}

macro_rules! databases {
    ($($name:ident = $format:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check($format);
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

databases! {
    agentzero = "agentzero",
    claude_mem = "claude-mem",
    cursor = "cursor",
    hermes = "hermes",
    langgraph = "langgraph",
    langgraph_checkpoints = "langgraph-checkpoints",
    mem0 = "mem0",
    openai_agents = "openai-agents",
    openclaw = "openclaw",
    opencode = "opencode",
}

#[test]
fn what_was_read_from_files_is_known_in_the_database() {
    for (format, beside) in [("opencode", 2), ("claude-mem", 1), ("openclaw", 1)] {
        let bench = Bench::new();
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats");
        assert!(take(&bench, &files.join(format)).stored > 3, "{format}");
        let path = made(&bench, &sample(format).0, format);
        let report = take(&bench, &path);
        // Only what the database's sample has beside them.
        assert_eq!(report.stored, beside, "{report:?}");
    }
}

/// Puts a line of a session into OpenClaw's table, as it is or packed.
pub fn event(program: &Connection, session: &str, seq: usize, line: &str, packed: bool) {
    let frame = packed.then(|| {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(line.as_bytes(), level)
    });
    program
        .execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd)
             VALUES (?, ?, ?, ?, ?)",
            (session, seq as i64, (!packed).then_some(line), NOW, frame),
        )
        .unwrap();
}

#[test]
fn a_transcript_is_the_same_memories_in_a_file_and_in_a_database() {
    let session = "5e55a000-0000-4000-8000-0000000000d1";
    let name = format!("formats/openclaw/agents/main/sessions/{session}.jsonl");
    let path = folder("").parent().unwrap().join(name);
    let file = Bench::new();
    take(&file, &path);
    let text = std::fs::read_to_string(&path).unwrap();
    for packed in [None, Some(0), Some(1)] {
        let bench = Bench::new();
        let program = program(&bench, "openclaw-agent.sqlite");
        program.execute_batch(&sample("openclaw").1[1]).unwrap();
        // Each is looked at alone: what a session says of itself is not forgotten meanwhile.
        for (seq, line) in text.lines().enumerate() {
            let packs = seq > 0 && packed.is_none_or(|odd| seq % 2 == odd);
            event(&program, session, seq, line, packs);
            take(&bench, &bench.path("openclaw-agent.sqlite"));
        }
        assert_eq!(said(&bench), said(&file));
    }
}

/// The texts that answer, and those that were taken back, which do not.
fn standing(bench: &Bench) -> (Vec<String>, Vec<String>) {
    let asked = Filter {
        tags: vec![TAKEN_BACK.to_owned()],
        ..Filter::default()
    };
    let kept = bench.vault.read(|reader| {
        let ids = reader.memories().ids(&asked, NOW)?;
        reader.memories().get_many(&ids)
    });
    let kept = kept.unwrap().into_iter();
    (bench.texts(), kept.map(|memory| memory.content).collect())
}

#[test]
fn what_was_taken_back_after_it_was_read_is_marked() {
    let said = |id: i64, session: &str, words: &str| {
        format!(
            "INSERT INTO messages (id, session_id, role, content, timestamp)
             VALUES ({id}, '{session}', 'user', '{words}', {}.0)",
            1_785_744_100 + id
        )
    };
    for (change, gone) in [
        // The last turn, an earlier one, and both; a mark or a row less is the same.
        (
            "UPDATE messages SET active = 0 WHERE id IN (24)",
            vec!["four"],
        ),
        (
            "UPDATE messages SET active = 0 WHERE id IN (22, 23)",
            vec!["two"],
        ),
        ("DELETE FROM messages WHERE id = 24", vec!["four"]),
        (
            "DELETE FROM messages WHERE id IN (22, 24)",
            vec!["two", "four"],
        ),
        // Summarised is not taken back, and a session that is gone as a whole was put away.
        (
            "UPDATE messages SET active = 0, compacted = 1 WHERE id = 22",
            vec![],
        ),
        (
            "DELETE FROM messages WHERE session_id = 't'; DELETE FROM sessions WHERE id = 't'",
            vec![],
        ),
        ("DELETE FROM messages WHERE session_id = 'u'", vec![]),
    ] {
        let bench = Bench::new();
        let path = made(&bench, "state.db", "hermes");
        let program = program(&bench, "state.db");
        for (id, session, words) in [
            (20, "t", "one"),
            (21, "u", "another"),
            (22, "t", "two"),
            (24, "t", "four"),
            (25, "u", "the last"),
        ] {
            program.execute_batch(&said(id, session, words)).unwrap();
            // Read as it grows: nothing was taken back yet.
            take(&bench, &path);
        }
        let (before, none) = standing(&bench);
        assert!(none.is_empty());
        program.execute_batch(change).unwrap();
        let report = take(&bench, &path);
        assert_eq!(report.stored, 0, "{change}: {report:?}");
        let (after, back) = standing(&bench);
        assert_eq!(back, gone, "{change}");
        assert_eq!(after.len() + back.len(), before.len(), "{change}");
        // Said anew, it stands; and what was marked stays so.
        program.execute_batch(&said(30, "t", "better")).unwrap();
        take(&bench, &path);
        take(&bench, &path);
        let (now, back) = standing(&bench);
        assert_eq!(back, gone, "{change}");
        assert!(now.contains(&"better".to_owned()));
        assert_eq!(now.len(), after.len() + 1, "{change}");
    }
}

#[test]
fn a_part_that_streams_is_one_memory_with_its_last_words() {
    let bench = Bench::new();
    let path = made(&bench, "opencode.db", "opencode");
    let program = program(&bench, "opencode.db");
    program.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    take(&bench, &path);
    let count = bench.texts().len();
    let began = 1_785_744_010_000_i64;
    program
        .execute(
            "INSERT INTO part VALUES ('prt_z', 'msg_b', 'ses_kiosk', ?1, ?1, ?2)",
            (began, "{\"type\":\"text\",\"text\":\"At\"}"),
        )
        .unwrap();
    // The third is dated before the second: another program's clock.
    for (later, said) in [
        (1000, "At noon"),
        (1500, "At noon the ferry"),
        (1400, "At noon the ferry leaves."),
    ] {
        let data = serde_json::json!({"type": "text", "text": said}).to_string();
        let update = "UPDATE part SET data = ?, time_updated = ? WHERE id = 'prt_z'";
        program.execute(update, (&data, began + later)).unwrap();
        let report = take(&bench, &path);
        assert_eq!(report.skipped.get("session event"), None, "counted once");
        assert_eq!(bench.one("At noon").content, said);
    }
    assert_eq!(bench.texts().len(), count + 1);
}

#[test]
fn rows_that_were_deleted_or_numbered_anew_lose_nothing() {
    let bench = Bench::new();
    let name = "conversations.sqlite";
    let path = made(&bench, name, "openai-agents");
    let program = program(&bench, name);
    take(&bench, &path);
    let count = bench.texts().len();
    let add = |number: i64, item: &str| {
        program
            .execute(
                "INSERT INTO agent_messages VALUES (?, 'ana_1', ?, '2026-08-03 09:00:00')",
                (number, item),
            )
            .unwrap();
    };
    // Numbers are given again where no AUTOINCREMENT forbids it.
    program
        .execute_batch("DELETE FROM agent_messages WHERE id >= 9; DELETE FROM sqlite_sequence")
        .unwrap();
    add(9, "{\"role\":\"user\",\"content\":\"Another ninth\"}");
    take(&bench, &path);
    bench.one("Another ninth");
    add(
        10,
        "{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"07:10\"}",
    );
    take(&bench, &path);
    // What was read before is known: the name of the tool.
    assert_eq!(bench.one("07:10").tool_name.as_deref(), Some("timetable"));
    assert_eq!(bench.texts().len(), count + 2);
}

#[test]
fn what_a_store_deletes_goes_to_the_trash() {
    for (format, deletion, gone) in [
        (
            "mem0",
            "INSERT INTO history VALUES ('h9', 'm3', 'x', NULL, 'DELETE', NULL, '2026-08-03T09:00:00+00:00', 1, NULL, NULL)",
            "The kiosk opens at nine",
        ),
        (
            "langgraph",
            "DELETE FROM store WHERE key = 'm1'",
            "drinks tea",
        ),
    ] {
        let bench = Bench::new();
        let (name, _) = sample(format);
        let path = made(&bench, &name, format);
        take(&bench, &path);
        let before = bench.texts();
        assert!(before.iter().any(|text| text == gone), "{before:?}");
        program(&bench, &name).execute_batch(deletion).unwrap();
        take(&bench, &path);
        let after = bench.texts();
        assert_eq!(after.len(), before.len() - 1, "{format}");
        assert!(!after.iter().any(|text| text == gone));
    }
}

#[test]
fn a_database_is_followed_while_its_program_writes() {
    for whole_folder in [true, false] {
        let bench = Bench::new();
        let path = made(&bench, "opencode.db", "opencode");
        let mut program = program(&bench, "opencode.db");
        program
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            .unwrap();
        let root = if whole_folder {
            bench.folder.path()
        } else {
            path.as_path()
        };
        let watch = watch(&bench, root);
        bench.one("The queue holds ten jobs.");
        let written = || std::fs::metadata(&path).unwrap().modified().unwrap();
        let before = written();
        for at in 0..20 {
            let text = format!("live {at}.");
            let data = serde_json::json!({"type": "text", "text": text}).to_string();
            program
                .execute(
                    "INSERT INTO part VALUES (?, 'msg_b', 'ses_kiosk', ?, ?, ?)",
                    (format!("prt_live{at}"), NOW + at, NOW + at, data),
                )
                .unwrap();
            std::thread::sleep(Duration::from_millis(15));
        }
        until(&bench, "live 19.");
        let live = |text: &&String| text.starts_with("live");
        assert_eq!(bench.texts().iter().filter(live).count(), 20);
        // All that happened in the log, which nobody put away.
        assert_eq!(written(), before);
        // Nobody stays in the way of the program when it ends: its log is put away, unless it ends in
        // the very moment of a look, which is over soon.
        let mut ends = 0;
        loop {
            assert!(watch.watcher.settle(Duration::from_secs(10)));
            program.close().unwrap();
            if !bench.path("opencode.db-wal").exists() {
                break;
            }
            ends += 1;
            assert!(ends < 20, "the log is never put away");
            std::thread::sleep(Duration::from_millis(100));
            program = self::program(&bench, "opencode.db");
            program
                .query_row("SELECT count(*) FROM part", [], |row| row.get::<_, i64>(0))
                .unwrap();
        }
    }
}

#[test]
fn a_database_in_use_stays_as_it_is() {
    let bench = Bench::new();
    let path = made(&bench, "claude-mem.db", "claude-mem");
    let before = std::fs::read(&path).unwrap();
    take(&bench, &path);
    let entries = std::fs::read_dir(bench.folder.path()).unwrap();
    let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(names, ["claude-mem.db"]);
    // A writer that holds it back: it is said in words, and nothing is lost.
    let program = program(&bench, "claude-mem.db");
    program.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let other = Bench::new();
    let began = Instant::now();
    let report = take(&other, &path);
    assert!(began.elapsed() >= Duration::from_secs(4));
    assert!(
        reasons(&report)[0].starts_with("locked by the program"),
        "{:?}",
        report.errors
    );
    program.execute_batch("COMMIT").unwrap();
    assert_eq!(take(&other, &path).stored, 5);
}

#[test]
fn secrets_are_masked_at_the_door() {
    let bench = Bench::new();
    let path = made(&bench, "opencode.db", "opencode");
    let report = take(&bench, &path);
    assert_eq!(report.notes["secret masked"], 1);
    assert_eq!(
        bench.one("The token is").content,
        "The token is [secret:github-token]."
    );
}

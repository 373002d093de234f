//! The program is killed in the middle of a bulk ingest, again and again. Whatever was stored is
//! whole, and going on stores every record exactly once.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::request::{FilterRequest, ListRequest, QueryRequest};
use inspector::trace::{Mode, Status};
use retrieval::stage::Stage;

use crate::support::{PASSPHRASE, Sandbox, stop};

const FILES: usize = 4;
const RECORDS: usize = 8_000;

/// Words that make each record different in every index.
fn content(file: usize, record: usize) -> String {
    let number = file * RECORDS + record;
    format!(
        "entry q{number:06}q of log {file}: the kettle stood at {} degrees 茶{number:06}",
        number % 97
    )
}

fn log(file: usize) -> String {
    (0..RECORDS)
        .map(|record| {
            let second = file * RECORDS + record;
            let line = serde_json::json!({
                "timestamp": format!("2026-05-{:02}T{:02}:{:02}:{:02}Z",
                    1 + second / 86_400, second / 3_600 % 24, second / 60 % 60, second % 60),
                "role": "user",
                "content": content(file, record),
            });
            format!("{line}\n")
        })
        .collect()
}

/// How often each memory is there.
fn stored(inspector: &Inspector) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut offset = 0;
    loop {
        let page = inspector
            .list_memories(&ListRequest {
                offset,
                limit: 500,
                ..ListRequest::default()
            })
            .unwrap();
        if page.cards.is_empty() {
            return counts;
        }
        offset += 500;
        for card in page.cards {
            *counts.entry(card.snippet).or_default() += 1;
        }
    }
}

/// Every keyword index agrees with the rows.
fn assert_indexed(inspector: &Inspector, rows: u32) {
    let ask = |text: &str| {
        let answer = inspector
            .query(&QueryRequest {
                text: text.to_owned(),
                mode: Mode::Lexical,
                filter: FilterRequest::default(),
                constants: Constants::default(),
                now: None,
                rerank: false,
            })
            .unwrap();
        let part = answer.trace.stage(Stage::Bm25).unwrap().clone();
        assert_ne!(part.status, Status::Failed, "{:?}", part.reason);
        (inspector.results(&answer).unwrap(), answer.trace.searchable)
    };
    let page = inspector
        .list_memories(&ListRequest {
            limit: 1,
            ..ListRequest::default()
        })
        .unwrap();
    assert_eq!(page.total, rows);
    if let Some(card) = page.cards.first() {
        let word = card.snippet.split(' ').nth(1).unwrap();
        let (found, searchable) = ask(word);
        assert_eq!(searchable, rows);
        assert_eq!(found.len(), 1, "{word} in the word index");
        assert_eq!(found[0].content, card.snippet);
        let unspaced = card.snippet.rsplit(' ').next().unwrap();
        let (found, _) = ask(unspaced);
        assert_eq!(
            found.first().map(|f| f.content.as_str()),
            Some(card.snippet.as_str()),
            "{unspaced}"
        );
    }
}

#[test]
fn killed_while_taking_in_it_goes_on_without_loss_or_doubles() {
    let sandbox = Sandbox::new();
    for file in 0..FILES {
        sandbox.write(&format!("logs/{file}.jsonl"), log(file));
    }
    let folder = sandbox.path("logs").display().to_string();
    let arguments = ["ingest", &folder, "--no-embed", "--json"];
    sandbox.run(&["init"]).succeeded();

    let mut last = 0;
    let mut interrupted = 0;
    // Unlocking takes a fifth of a second or more; the kills fall before, into and behind it.
    for pause in [100, 350, 500, 650, 800, 1_000] {
        let mut child = sandbox.command().args(arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        if child.try_wait().unwrap().is_none() {
            interrupted += 1;
            stop(&mut child);
        }
        let inspector = Inspector::for_scripts(sandbox.paths(false));
        inspector.unlock(PASSPHRASE.into()).unwrap();
        let counts = stored(&inspector);
        assert!(
            counts.values().all(|count| *count == 1),
            "a record was stored twice"
        );
        assert!(
            counts.len() >= last,
            "{} after {last}: something stored was lost",
            counts.len()
        );
        last = counts.len();
        assert_indexed(&inspector, u32::try_from(counts.len()).unwrap());
        inspector.lock().unwrap();
    }
    assert!(
        interrupted > 0,
        "no run was interrupted: the test proves nothing"
    );

    let report = sandbox.run(&arguments).succeeded().json();
    assert_eq!(
        report["errors"].as_array().map(Vec::len),
        Some(0),
        "{report}"
    );
    let again = sandbox.run(&arguments).succeeded().json();
    assert_eq!(again["stored"], 0, "a second run stores nothing: {again}");

    let inspector = Inspector::for_scripts(sandbox.paths(false));
    inspector.unlock(PASSPHRASE.into()).unwrap();
    let counts = stored(&inspector);
    for file in 0..FILES {
        for record in 0..RECORDS {
            assert_eq!(
                counts.get(&content(file, record)),
                Some(&1),
                "record {record} of {file}"
            );
        }
    }
    assert_eq!(counts.len(), FILES * RECORDS);
    assert_indexed(&inspector, u32::try_from(FILES * RECORDS).unwrap());
}

/// Runs the program again and again, each time killed at another moment of the time that a whole run
/// takes, and looks at the vault after each.
fn killed_at_any_moment(
    sandbox: &Sandbox,
    runs: u32,
    arguments: &dyn Fn(u32) -> Vec<String>,
    look: &mut dyn FnMut(u32, bool),
) {
    let began = Instant::now();
    let whole = sandbox.command().args(arguments(0)).output().unwrap();
    let time = began.elapsed();
    assert!(
        whole.status.success(),
        "{}",
        String::from_utf8_lossy(&whole.stderr)
    );
    look(0, true);
    let mut cut_off = 0;
    for run in 1..=runs {
        let mut child = sandbox.command().args(arguments(run)).spawn().unwrap();
        // The last third of a run is where files are exchanged: half of the kills fall there.
        let part = if run % 2 == 0 {
            f64::from(run) / f64::from(runs)
        } else {
            0.6 + 0.4 * f64::from(run) / f64::from(runs)
        };
        std::thread::sleep(time.mul_f64(part));
        let done = child.try_wait().unwrap().is_some_and(|end| end.success());
        if !done {
            stop(&mut child);
            cut_off += 1;
        }
        look(run, done);
    }
    assert!(cut_off > 0, "no run was cut off: the test proves nothing");
}

/// Opens the vault, sees that it is sound, and gives what its first memory says and how many there are.
fn sound(sandbox: &Sandbox, when: &str) -> (String, u32) {
    let inspector = Inspector::for_scripts(sandbox.paths(false));
    let opened = inspector.unlock(PASSPHRASE.into());
    assert!(opened.is_ok(), "{when}: {:?}", opened.err());
    let health = inspector.check().unwrap();
    assert!(health.sound, "{when}: {:?}", health.findings);
    let page = inspector
        .list_memories(&ListRequest {
            limit: 500,
            ..ListRequest::default()
        })
        .unwrap();
    let first = page.cards.iter().find(|card| card.id == "m1").unwrap();
    (first.snippet.clone(), page.total)
}

fn few_memories() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = (0..300)
        .map(|number| {
            let line = serde_json::json!({"role": "user", "content": content(0, number)});
            format!("{line}\n")
        })
        .collect();
    let log = sandbox.write("logs/few.jsonl", lines);
    sandbox.run(&["init"]).succeeded();
    sandbox.run(&["ingest", &log, "--no-embed"]).succeeded();
    sandbox
}

fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn killed_while_editing_it_says_the_old_or_the_new_and_never_takes_back_what_was_done() {
    let sandbox = few_memories();
    let file = sandbox.path("new.txt").display().to_string();
    let text = |run: u32| format!("edition {run} of the first memory");
    let mut before = String::new();
    killed_at_any_moment(
        &sandbox,
        12,
        &|run| {
            sandbox.write("new.txt", text(run));
            words(&["edit", "m1", "--content-file", &file])
        },
        &mut |run, done| {
            let (first, total) = sound(&sandbox, &format!("edit {run}"));
            assert_eq!(total, 300);
            assert!(
                first == text(run) || (!done && first == before),
                "{first:?} after {before:?}"
            );
            before = first;
        },
    );
}

#[test]
fn killed_while_the_key_changes_it_opens_and_holds_the_same() {
    let sandbox = few_memories();
    killed_at_any_moment(
        &sandbox,
        12,
        &|_| words(&["keys", "rekey"]),
        &mut |run, _| {
            let (first, total) = sound(&sandbox, &format!("rekey {run}"));
            assert_eq!((first, total), (content(0, 0), 300));
        },
    );
    sandbox.run(&["keys", "rekey"]).succeeded();
    assert_eq!(names(&sandbox), ["vault.db", "vault.keys"]);
}

#[test]
fn killed_while_a_backup_comes_back_it_opens_as_it_was_or_as_the_backup() {
    let sandbox = few_memories();
    let backup = sandbox.path("backup.tar").display().to_string();
    sandbox.run(&["backup", &backup]).succeeded();
    let file = sandbox.write("new.txt", "written after the backup");
    let edit = ["edit", "m1", "--content-file", &file];
    sandbox.run(&edit).succeeded();
    killed_at_any_moment(
        &sandbox,
        12,
        &|_| words(&["restore-backup", &backup, "--replace"]),
        &mut |run, done| {
            let (first, total) = sound(&sandbox, &format!("restore {run}"));
            assert_eq!(total, 300);
            let restored = first == content(0, 0);
            assert!(restored || first == "written after the backup", "{first:?}");
            assert!(restored || !done);
            if restored {
                sandbox.run(&edit).succeeded();
            }
        },
    );
}

/// The files of the vault's folder.
fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.vault()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

//! Bad input at each door of the command line: a clear sentence, the right exit code, nothing lost.

use std::fs;

use crate::support::{PASSPHRASE, Sandbox};

const GOOD: &str = "{\"timestamp\":\"2026-06-01T08:00:00Z\",\"role\":\"user\",\"content\":\"the kettle is calibrated\"}\n";

/// A sandbox with a vault that holds one memory.
fn with_one_memory() -> Sandbox {
    let sandbox = Sandbox::new();
    let log = sandbox.write("logs/good.jsonl", GOOD);
    sandbox.run(&["init"]).succeeded();
    let report = sandbox.run(&["ingest", &log, "--json"]).succeeded().json();
    assert_eq!(report["stored"], 1, "{report}");
    sandbox
}

/// The one memory is still there, and found.
fn assert_intact(sandbox: &Sandbox) {
    let answer = sandbox
        .run(&["query", "calibrated", "--json"])
        .succeeded()
        .json();
    assert_eq!(
        answer["results"][0]["content"], "the kettle is calibrated",
        "{answer}"
    );
}

#[test]
fn an_answer_has_the_documented_shape() {
    let sandbox = with_one_memory();
    let answer = sandbox
        .run(&["query", "kettle", "--json"])
        .succeeded()
        .json();
    for key in ["query", "mode", "level", "stages", "results"] {
        assert!(answer.get(key).is_some(), "{key} is missing: {answer}");
    }
    let names: Vec<&str> = answer["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "route", "knn", "bm25", "sparse", "fusion", "decay", "rerank", "select"
        ]
    );
    for stage in answer["stages"].as_array().unwrap() {
        for key in ["status", "reason", "elapsed_ms", "in", "out", "items"] {
            assert!(stage.get(key).is_some(), "{key} is missing: {stage}");
        }
    }
    for key in [
        "id",
        "rank",
        "score",
        "content",
        "source",
        "created_at",
        "agent",
        "session",
        "role",
    ] {
        assert!(
            answer["results"][0].get(key).is_some(),
            "{key} is missing: {}",
            answer["results"][0]
        );
    }
    let log = sandbox.path("logs/good.jsonl").display().to_string();
    let report = sandbox
        .run(&["ingest", &log, "--dry-run", "--json"])
        .succeeded()
        .json();
    for key in ["files", "records", "stored", "skipped", "errors"] {
        assert!(report.get(key).is_some(), "{key} is missing: {report}");
    }
}

#[test]
fn without_a_model_it_works_by_keywords_and_says_so() {
    let sandbox = with_one_memory();
    let answer = sandbox
        .run(&["query", "kettle", "--json"])
        .succeeded()
        .json();
    assert_eq!(answer["level"], "keyword_only", "{answer}");
    let semantic = &answer["stages"][1];
    assert_ne!(semantic["status"], "ok");
    assert!(
        semantic["reason"]
            .as_str()
            .is_some_and(|reason| reason.to_lowercase().contains("model")),
        "{semantic}"
    );
    let status = sandbox.run(&["status", "--json"]).succeeded().json();
    assert_eq!(status["embedded"], 0);
    assert_eq!(status["embeddable"], 1);
    assert_eq!(status["model"]["state"], "missing", "{status}");
}

#[test]
fn a_vault_that_is_not_there() {
    let sandbox = Sandbox::new();
    for arguments in [&["status"][..], &["query", "tea"], &["list"], &["undo"]] {
        sandbox.run(arguments).refused(1, &["no vault", "init"]);
    }
    assert!(!sandbox.vault().exists(), "asking must not create anything");
}

#[test]
fn a_second_vault_in_the_same_place() {
    let sandbox = with_one_memory();
    let before = sandbox.snapshot("data");
    sandbox.run(&["init"]).refused(1, &["already"]);
    assert_eq!(sandbox.snapshot("data").len(), before.len());
    assert_intact(&sandbox);
}

#[test]
fn a_wrong_passphrase_changes_nothing() {
    let sandbox = with_one_memory();
    let before = sandbox.snapshot("data");
    for wrong in [
        "seven kettles under the oak",
        " seven kettles under the linden",
        "o'neil\"; --",
        "七つの鉄瓶",
    ] {
        sandbox.write("passphrase", wrong);
        sandbox
            .run(&["query", "kettle"])
            .refused(1, &["wrong passphrase"]);
    }
    assert!(sandbox.snapshot("data") == before, "a file was touched");
    sandbox.write("passphrase", format!("{PASSPHRASE}\nsecond line\n"));
    assert_intact(&sandbox);
}

#[test]
fn a_passphrase_that_is_missing_empty_or_weak() {
    let sandbox = Sandbox::new();
    sandbox.write("passphrase", "");
    sandbox.run(&["init"]).refused(2, &["passphrase"]);
    sandbox.write("passphrase", "password");
    sandbox.run(&["init"]).refused(1, &["passphrase"]);
    fs::remove_file(sandbox.path("passphrase")).unwrap();
    sandbox
        .run(&["init"])
        .refused(1, &["cannot read", "passphrase"]);
    assert!(
        !sandbox.vault().join("vault.db").exists(),
        "no vault with a refused passphrase"
    );
}

#[test]
fn odd_passphrases_open_what_they_created() {
    for odd in [
        "o'neil\"; -- drop everything",
        "青い鉄瓶が七つ並ぶ店",
        &"long kettle ".repeat(40),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("passphrase", odd);
        sandbox.run(&["init"]).succeeded();
        sandbox.run(&["status"]).succeeded();
    }
}

#[test]
fn a_file_that_is_not_a_vault_is_left_alone() {
    let plain =
        "SQLite format 3\0 and then something else entirely, long enough to be a page of a file "
            .repeat(80);
    for content in [plain.as_str(), "short", ""] {
        let sandbox = with_one_memory();
        sandbox.write("data/vault/vault.db", content);
        for extra in ["vault.db-wal", "vault.db-shm"] {
            let _ = fs::remove_file(sandbox.vault().join(extra));
        }
        let before = fs::read(sandbox.vault().join("vault.db")).unwrap();
        sandbox
            .run(&["status"])
            .refused(1, &["not a vault", "vault.db"]);
        assert_eq!(
            fs::read(sandbox.vault().join("vault.db")).unwrap(),
            before,
            "it was touched"
        );
    }
}

#[test]
fn a_damaged_first_page_is_told_from_a_wrong_passphrase() {
    let sandbox = with_one_memory();
    let path = sandbox.vault().join("vault.db");
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[100..200] {
        *byte ^= 0x5a;
    }
    fs::write(&path, bytes).unwrap();
    let run = sandbox.run(&["status"]).refused(1, &["damaged"]);
    assert!(
        !run.stderr.to_lowercase().contains("wrong passphrase"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_folder_that_is_missing() {
    let sandbox = with_one_memory();
    sandbox
        .run(&["ingest", "/no/such/folder"])
        .refused(1, &["/no/such/folder"]);
    sandbox
        .run(&["ingest", "/no/such/folder", "--dry-run"])
        .refused(1, &["/no/such/folder"]);
    sandbox
        .run(&["watch", "/no/such/folder"])
        .refused(1, &["/no/such/folder"]);
    assert_intact(&sandbox);
}

/// A file that nobody can read, the superuser included.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read() {
    let sandbox = with_one_memory();
    sandbox.write("more/good.jsonl", GOOD.replace("calibrated", "descaled"));
    let loops = sandbox.path("more/loop.jsonl");
    std::os::unix::fs::symlink("loop.jsonl", &loops).unwrap();
    let path = loops.display().to_string();
    sandbox.run(&["ingest", &path]).refused(1, &["loop.jsonl"]);

    let folder = sandbox.path("more").display().to_string();
    let report = sandbox
        .run(&["ingest", &folder, "--json"])
        .succeeded()
        .json();
    assert_eq!(report["stored"], 1, "what can be read is read: {report}");
    assert!(
        report["errors"][0]["path"]
            .as_str()
            .unwrap()
            .contains("loop.jsonl"),
        "{report}"
    );
    assert_intact(&sandbox);
}

#[test]
fn malformed_lines_are_counted_with_their_number_and_the_rest_is_stored() {
    let sandbox = with_one_memory();
    let lines = [
        GOOD.trim_end().replace("calibrated", "first"),
        "{\"timestamp\":\"2026-06-01T09:00:00Z\",\"role\":\"user\",\"content\":\"torn".to_owned(),
        "not json at all".to_owned(),
        String::new(),
        GOOD.trim_end().replace("calibrated", "last"),
        String::new(),
    ];
    let log = sandbox.write("logs/bad.jsonl", lines.join("\n"));
    let report = sandbox.run(&["ingest", &log, "--json"]).succeeded().json();
    assert_eq!(report["stored"], 2, "{report}");
    let mut at: Vec<u64> = report["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["line"].as_u64().unwrap())
        .collect();
    at.sort_unstable();
    assert_eq!(at, [2, 3], "{report}");
    let text = report.to_string();
    assert!(
        !text.contains("torn") && !text.contains("not json at all"),
        "no text of the log in a report: {text}"
    );
    assert_intact(&sandbox);
}

#[test]
fn a_binary_file_and_an_empty_one() {
    let sandbox = with_one_memory();
    let noise: Vec<u8> = (0..100_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    sandbox.write("more/noise.jsonl", noise);
    sandbox.write("more/empty.jsonl", "");
    let folder = sandbox.path("more").display().to_string();
    let report = sandbox
        .run(&["ingest", &folder, "--json"])
        .succeeded()
        .json();
    assert_eq!(report["stored"], 0, "{report}");
    assert_intact(&sandbox);
}

#[test]
fn a_named_file_that_gives_nothing_is_a_failure_and_what_is_left_alone_is_counted() {
    let sandbox = with_one_memory();
    sandbox.write(
        "more/noise.log",
        [0_u8, 159, 146, 150, 1, 2, 3, 0, 255].repeat(50),
    );
    sandbox.write("more/half.txt", "one line without its end");
    sandbox.write("more/SECURITY.md", "# How to report");
    sandbox.write("more/picture.png", "no log");
    for (name, reason) in [
        ("more/noise.log", "binary"),
        ("more/half.txt", "no line that is whole"),
    ] {
        let path = sandbox.path(name).display().to_string();
        let run = sandbox.run(&["ingest", &path, "--no-embed"]);
        assert_eq!(run.code, Some(1), "{name}: {}", run.stdout);
        assert!(run.stderr.contains(reason), "{name}: {}", run.stderr);
        let run = sandbox.run(&["ingest", &path, "--no-embed", "--json"]);
        assert_eq!(run.code, Some(1), "{name}");
        assert!(
            run.json()["errors"][0]["reason"]
                .as_str()
                .unwrap()
                .contains(reason)
        );
    }
    // Met in a folder they are listed, and the rest is done.
    let folder = sandbox.path("more").display().to_string();
    let run = sandbox.run(&["ingest", &folder, "--no-embed"]).succeeded();
    for said in [
        "left alone: a document of the project",
        "left alone: not a kind of file",
    ] {
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
    let report = sandbox
        .run(&["ingest", &folder, "--no-embed", "--json"])
        .json();
    assert_eq!(
        report["left_alone"]["a document of the project"], 1,
        "{report}"
    );
    assert_eq!(report["cancelled"], false, "{report}");
    assert_intact(&sandbox);
}

#[test]
fn usage_that_makes_no_sense() {
    let sandbox = with_one_memory();
    for arguments in [
        &["fly"][..],
        &["query"],
        &["query", "tea", "--mode", "psychic"],
        &["query", "tea", "--set", "rrf_k=-1"],
        &["query", "tea", "--set", "rrf_k"],
        &["query", "tea", "--set", "colour=red"],
        &["query", "tea", "--scope", "colour=red"],
        &["query", "tea", "--limit", "0"],
        &["query", "tea", "--now", "yesterday"],
        &["show", "x1"],
        &["ingest", "/tmp", "--format", "papyrus"],
    ] {
        let run = sandbox.run(arguments);
        assert_eq!(
            run.code,
            Some(2),
            "{arguments:?}: {}{}",
            run.stdout,
            run.stderr
        );
        assert!(
            !run.stderr.trim().is_empty() && !run.stderr.contains("panicked"),
            "{arguments:?}: {}",
            run.stderr
        );
        assert!(
            run.stdout.trim().is_empty(),
            "{arguments:?}: {}",
            run.stdout
        );
    }
    for arguments in [
        &["show", "m999999"][..],
        &["delete", "m999999"],
        &["edit", "m999999", "--pin"],
    ] {
        let run = sandbox.run(arguments);
        assert_eq!(
            run.code,
            Some(1),
            "{arguments:?}: {}{}",
            run.stdout,
            run.stderr
        );
    }
    assert_intact(&sandbox);
}

#[test]
fn a_deleted_memory_does_not_come_back_with_its_log_and_undo_brings_it_back() {
    let sandbox = with_one_memory();
    let log = sandbox.path("logs/good.jsonl").display().to_string();
    let page = sandbox.run(&["list", "--json"]).succeeded().json();
    let id = page["cards"][0]["id"].as_str().unwrap();
    sandbox.run(&["delete", id]).succeeded();
    let report = sandbox.run(&["ingest", &log, "--json"]).succeeded().json();
    assert_eq!(report["stored"], 0, "{report}");
    let answer = sandbox
        .run(&["query", "kettle", "--json"])
        .succeeded()
        .json();
    assert_eq!(
        answer["results"].as_array().map(Vec::len),
        Some(0),
        "{answer}"
    );
    sandbox.run(&["undo"]).succeeded();
    assert_intact(&sandbox);
}

/// A disk of a few megabytes: memory of its own namespace, gone with the shell.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_ingest_and_loses_nothing() {
    use std::process::Command;

    let sandbox = Sandbox::new();
    let many: String = (0..40_000)
        .map(|n| format!("{{\"role\":\"user\",\"content\":\"filler number {n} about the harbour and the weather\"}}\n"))
        .collect();
    let big = sandbox.write("logs/big.jsonl", many);
    let good = sandbox.write("logs/good.jsonl", GOOD);
    let disk = sandbox.path("data");
    let script = "set -u\n\
        mount -t tmpfs -o size=4m none \"$DISK\" || exit 99\n\
        \"$PROGRAM\" init >/dev/null || exit 98\n\
        \"$PROGRAM\" ingest \"$GOOD\" --no-embed >/dev/null || exit 97\n\
        \"$PROGRAM\" ingest \"$BIG\" --no-embed >/dev/null 2>\"$OUT/full\"; echo $? >\"$OUT/code\"\n\
        \"$PROGRAM\" query kettle --json >\"$OUT/answer\" 2>\"$OUT/after\"; echo $? >\"$OUT/after-code\"\n";
    let plain = sandbox.command();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).arg("sh").arg("-c").arg(script);
        command.env_clear();
        for (name, value) in plain.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command
            .env("DISK", &disk)
            .env("PROGRAM", crate::support::program())
            .env("GOOD", &good)
            .env("BIG", &big)
            .env("OUT", sandbox.path("tmp"))
            .output()
            .map(|output| output.status.code())
    };
    let mut code = run("unshare", &["--mount", "--user", "--map-root-user"]);
    if !matches!(code, Ok(Some(0))) {
        code = run("unshare", &["--mount"]);
    }
    match code {
        Ok(Some(0)) => {}
        Ok(Some(failed @ (97 | 98))) => panic!("setting up on the small disk failed: {failed}"),
        _ => {
            crate::support::skip_without_requirement("a small disk cannot be mounted here");
            return;
        }
    }
    let said = |name: &str| fs::read_to_string(sandbox.path("tmp").join(name)).unwrap();
    assert_eq!(said("code").trim(), "1", "{}", said("full"));
    assert!(
        said("full").to_lowercase().contains("disk is full"),
        "{}",
        said("full")
    );
    assert!(!said("full").contains("panicked"), "{}", said("full"));
    assert_eq!(
        said("after-code").trim(),
        "0",
        "the vault opens on the full disk: {}",
        said("after")
    );
    let answer: serde_json::Value = serde_json::from_str(said("answer").trim()).unwrap();
    assert_eq!(
        answer["results"][0]["content"], "the kettle is calibrated",
        "{answer}"
    );
}

#[test]
fn merging_makes_one_memory_of_several_of_one_agent() {
    let sandbox = with_one_memory();
    let line = |agent: &str, text: &str| {
        format!(
            "{{\"timestamp\":\"2026-06-02T08:00:00Z\",\"role\":\"user\",\"agent\":\"{agent}\",\"content\":\"{text}\"}}\n"
        )
    };
    let lines = [
        line("scout", "the lamp is green"),
        line("scout", "the lamp stands in the hall"),
        line("atlas", "another agent's lamp"),
    ];
    let log = sandbox.write("logs/lamps.jsonl", lines.concat());
    sandbox.run(&["ingest", &log]).succeeded();
    let blank = sandbox.write("blank.txt", "  \n");

    sandbox.run(&["merge", "m2"]).refused(2, &["<IDS>"]);
    let refusals: [(&[&str], i32, &str); 4] = [
        (&["m2", "m2"], 2, "two to 50 memories"),
        (&["m2", "m4"], 2, "memories of one agent"),
        (&["m2", "m99"], 1, "m99"),
        (&["m2", "m3", "--content-file", &blank], 2, "some text"),
    ];
    for (arguments, code, words) in refusals {
        sandbox
            .run(&[&["merge"], arguments].concat())
            .refused(code, &[words]);
    }
    assert_intact(&sandbox);

    let merged = sandbox
        .run(&["merge", "m2", "m3", "--json"])
        .succeeded()
        .json();
    assert_eq!(
        merged["content"],
        "the lamp is green\n\nthe lamp stands in the hall"
    );
    let found = sandbox
        .run(&["query", "lamp", "--scope", "agent=scout", "--json"])
        .succeeded()
        .json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["results"][0]["id"], "m2");
    // The log is read again, and what was merged away stays away.
    sandbox.run(&["ingest", &log]).succeeded();
    let status = sandbox.run(&["status", "--json"]).succeeded().json();
    assert_eq!(
        (&status["memories"], &status["trash"]),
        (&3.into(), &1.into())
    );

    let undone = sandbox.run(&["undo", "--json"]).succeeded().json();
    assert_eq!(undone["undone"], "merge of 2 memories into m2", "{undone}");
    let shown = sandbox.run(&["show", "m2", "--json"]).succeeded().json();
    assert_eq!(shown["content"], "the lamp is green");
}

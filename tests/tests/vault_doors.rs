//! The vault's own doors on the command line: what opens it, what is wrong with it, and that no
//! picture of the process is left.

use std::fs;

use crate::support::{PASSPHRASE, Sandbox};

const NEW: &str = "seven copper kettles on a quiet shelf";

/// A vault with one memory.
fn filled() -> Sandbox {
    let sandbox = Sandbox::new();
    let line = "{\"role\":\"user\",\"content\":\"the kettle is calibrated\"}\n";
    let log = sandbox.write("logs/good.jsonl", line);
    sandbox.run(&["init"]).succeeded();
    sandbox.run(&["ingest", &log, "--no-embed"]).succeeded();
    sandbox
}

fn assert_opens(sandbox: &Sandbox, secret: impl AsRef<[u8]>) {
    sandbox.write("passphrase", secret);
    let page = sandbox.run(&["list", "--json"]).succeeded().json();
    assert_eq!(page["total"], 1, "{page}");
}

#[test]
fn every_fault_of_a_vault_has_its_own_true_sentence() {
    type Break = fn(&std::path::Path);
    let faults: [(Break, &[&str]); 7] = [
        (
            |v| fs::remove_file(v.join("vault.keys")).unwrap(),
            &["vault.db", "key file (vault.keys) is missing", "backup"],
        ),
        (
            |v| fs::remove_file(v.join("vault.db")).unwrap(),
            &["vault.db", "the database is missing", "put vault.db back"],
        ),
        (
            |v| fs::write(v.join("vault.db"), "").unwrap(),
            &["vault.db", "the file is empty", "restore a backup"],
        ),
        (
            |v| {
                fs::remove_file(v.join("vault.db")).unwrap();
                fs::create_dir(v.join("vault.db")).unwrap();
            },
            &["vault.db", "a folder"],
        ),
        (
            |v| fs::write(v.join("vault.keys"), "tea").unwrap(),
            &["vault.keys", "the key file is damaged", "from a backup"],
        ),
        (
            |v| {
                let mut bytes = fs::read(v.join("vault.db")).unwrap();
                bytes[200] ^= 1;
                fs::write(v.join("vault.db"), bytes).unwrap();
            },
            &["vault.db", "its first page is damaged"],
        ),
        (
            |v| {
                let other = Sandbox::new();
                other.run(&["init"]).succeeded();
                fs::copy(other.vault().join("vault.db"), v.join("vault.db")).unwrap();
            },
            &["vault.db", "belongs to another vault"],
        ),
    ];
    for (break_it, words) in faults {
        let sandbox = filled();
        break_it(&sandbox.vault());
        let run = sandbox.run(&["status"]).refused(1, words);
        assert!(!run.stderr.contains('?'), "{}", run.stderr);
        sandbox.run(&["init"]).refused(1, &["already"]);
    }
    let sandbox = filled();
    let file = sandbox.write("a-file", "tea");
    for command in ["status", "init"] {
        sandbox
            .run(&[command, "--vault", &file])
            .refused(1, &["a-file", "a file, where the vault's folder belongs"]);
        let long = "x".repeat(300);
        sandbox
            .run(&[command, "--vault", &long])
            .refused(1, &["the name is too long"]);
    }
}

#[test]
fn two_inits_at_once_make_one_vault() {
    for _ in 0..4 {
        let sandbox = Sandbox::new();
        let secrets = [PASSPHRASE, NEW].map(|text| sandbox.write(&text.replace(' ', "_"), text));
        let children = secrets.each_ref().map(|file| {
            let mut command = sandbox.command();
            command.args(["init", "--passphrase-file", file]);
            command.spawn().unwrap()
        });
        let ends = children.map(|child| child.wait_with_output().unwrap());
        let codes = ends.each_ref().map(|end| end.status.code());
        assert!(
            codes == [Some(0), Some(1)] || codes == [Some(1), Some(0)],
            "{codes:?}"
        );
        for (end, file) in ends.iter().zip(&secrets) {
            let opened = sandbox.run(&["status", "--passphrase-file", file]);
            if end.status.success() {
                opened.succeeded();
            } else {
                assert!(String::from_utf8_lossy(&end.stderr).contains("already"));
                opened.refused(1, &["wrong passphrase"]);
            }
        }
    }
}

#[test]
fn the_passphrase_changes_and_a_code_recovers() {
    let sandbox = filled();
    let new = sandbox.write("new", NEW);
    sandbox
        .run(&["passphrase", "--new", &sandbox.write("weak", "tea")])
        .refused(1, &["passphrase was refused"]);
    assert_opens(&sandbox, PASSPHRASE);
    sandbox.run(&["passphrase", "--new", &new]).succeeded();
    sandbox.run(&["list"]).refused(1, &["wrong passphrase"]);
    assert_opens(&sandbox, NEW);

    let code = sandbox.run(&["keys", "recovery", "--json"]).succeeded();
    let code = code.json()["recovery_code"].as_str().unwrap().to_owned();
    assert_eq!(code.len(), 44, "nine groups of four");
    assert_opens(&sandbox, &code);
    // Forgotten: the code stands for the passphrase that a new one replaces.
    let third = sandbox.write("third", "nine brass lanterns by a slow river");
    sandbox.run(&["passphrase", "--new", &third]).succeeded();
    sandbox.write("passphrase", NEW);
    sandbox.run(&["list"]).refused(1, &["wrong passphrase"]);
    sandbox.write("passphrase", fs::read(&third).unwrap());
    let slots = sandbox.run(&["keys", "list", "--json"]).succeeded().json();
    assert_eq!(
        slots["slots"],
        serde_json::json!([
            {"number": 1, "kind": "passphrase", "memory_mib": 64, "passes": 3},
            {"number": 2, "kind": "recovery_code", "memory_mib": 0, "passes": 1}
        ])
    );
    sandbox
        .run(&["keys", "remove", "9"])
        .refused(1, &["no key slot of number 9"]);
    sandbox.run(&["keys", "remove", "2"]).succeeded();
    sandbox
        .run(&["keys", "remove", "1"])
        .refused(2, &["not the last one"]);
    let typed = format!("{NEW}\n");
    let added = sandbox.run_with_input(&["keys", "add", "--new", "-"], &typed);
    added.succeeded();
    assert_opens(&sandbox, NEW);
}

#[test]
fn a_passphrase_file_of_any_editor_opens() {
    let sandbox = filled();
    assert_opens(&sandbox, format!("\u{feff}{PASSPHRASE}\r\n"));
    let units: Vec<u8> = format!("\u{feff}{PASSPHRASE}\r\n")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_opens(&sandbox, units);
    sandbox.write("passphrase", b"caf\xe9 and more of it");
    sandbox
        .run(&["list"])
        .refused(1, &["neither UTF-8 nor UTF-16"]);
}

#[test]
fn a_backup_comes_back_and_a_damaged_vault_is_named_and_mended() {
    let sandbox = filled();
    let backup = sandbox.path("backup").display().to_string();
    let written = sandbox.run(&["backup", &backup, "--json"]).succeeded();
    assert_eq!(written.json()["memories"], 1);
    let health = sandbox.run(&["check", "--json"]).succeeded().json();
    assert_eq!(health["sound"], true, "{health}");
    let untouched = sandbox.run(&["repair", "--json"]).succeeded().json();
    assert_eq!(untouched["repair"], serde_json::Value::Null);
    sandbox
        .run(&["restore-backup", &backup])
        .refused(1, &["already"]);

    // The last page: somebody's, and not the first.
    let database = sandbox.vault().join("vault.db");
    let mut bytes = fs::read(&database).unwrap();
    let end = bytes.len();
    bytes[end - 2_000] ^= 1;
    fs::write(&database, &bytes).unwrap();
    let health = sandbox.run(&["check", "--json"]).refused(1, &["not sound"]);
    let finding = &health.json()["findings"][0];
    assert_eq!(finding["kind"], "damaged_page");
    assert!(finding["sentence"].as_str().unwrap().contains("is damaged"));
    sandbox.run(&["check"]).refused(1, &["lethescope repair"]);
    sandbox.run(&["status"]).succeeded();
    let mended = sandbox.run(&["repair", "--json"]).succeeded().json();
    assert_eq!(mended["sound"], true, "{mended}");
    let aside = mended["repair"]["set_aside"].as_str().unwrap();
    let kept = fs::read(std::path::Path::new(aside).join("vault.db")).unwrap();
    assert_eq!(kept, bytes);
    sandbox.run(&["check"]).succeeded();

    let restored = sandbox.run(&["restore-backup", &backup, "--replace", "--json"]);
    assert_eq!(restored.succeeded().json()["memories"], 1);
    assert_opens(&sandbox, PASSPHRASE);
}

#[test]
fn a_folder_of_backups_keeps_the_newest_and_nothing_but_backups_goes() {
    let sandbox = filled();
    let mine = sandbox.write("backups/lethescope-20200101T000000Z.tar", "notes of mine");
    let folder = sandbox.path("backups").display().to_string();
    let first = sandbox.run(&["backup", &folder, "--json"]).succeeded();
    let first = first.json()["file"].as_str().unwrap().to_owned();
    // An older one, by its name.
    let older = sandbox.path("backups/lethescope-20210101T000000Z.tar");
    fs::copy(&first, &older).unwrap();
    let kept = sandbox.run(&["backup", &folder, "--keep", "1", "--json"]);
    let removed = kept.succeeded().json()["removed"].clone();
    assert!(removed.to_string().contains("20210101"), "{removed}");
    assert!(!older.exists());
    assert_eq!(fs::read_to_string(mine).unwrap(), "notes of mine");
    sandbox
        .run(&["backup", &first, "--keep", "2"])
        .refused(2, &["--keep"]);
}

#[test]
fn memories_go_out_as_lines_as_text_and_as_an_archive_that_comes_in_again() {
    let sandbox = Sandbox::new();
    let line = serde_json::json!({
        "timestamp": "2026-09-20T10:00:00Z", "agent": "scout", "role": "user",
        "content": "first line\n## m2 is forged\nsecond line",
    });
    let log = sandbox.write("logs/good.jsonl", format!("{line}\n"));
    let others = sandbox.write(
        "logs/more.jsonl",
        "{\"role\":\"user\",\"content\":\"the kettle\"}\n{\"role\":\"user\",\"content\":\"thrown away\"}\n",
    );
    sandbox.run(&["init"]).succeeded();
    for file in [&log, &others] {
        sandbox.run(&["ingest", file, "--no-embed"]).succeeded();
    }
    sandbox.run(&["delete", "m3"]).succeeded();
    sandbox
        .run(&["edit", "m1", "--tags", "tea,copper", "--pin"])
        .succeeded();

    let lines = sandbox.path("out.jsonl").display().to_string();
    let run = sandbox.run(&["export", &lines, "--as", "jsonl", "--json"]);
    let run = run.succeeded();
    assert!(run.stderr.contains("not encrypted"), "{}", run.stderr);
    assert_eq!(run.json()["memories"], 2);
    assert_eq!(run.json()["plaintext"], true);
    let text = fs::read_to_string(&lines).unwrap();
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["id"], "m1");
    assert_eq!(rows[0]["content"], line["content"]);
    assert_eq!(rows[0]["tags"], serde_json::json!(["copper", "tea"]));
    assert_eq!(rows[0]["pinned"], true);
    assert_eq!(rows[0]["agent"], "scout");
    assert_eq!(rows[1]["content"], "the kettle");

    let read = sandbox.path("out.md").display().to_string();
    sandbox
        .run(&["export", &read, "--as", "markdown"])
        .succeeded();
    let text = fs::read_to_string(&read).unwrap();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("##")).collect();
    assert_eq!(heads.len(), 2, "no text can begin an entry: {text}");
    assert!(heads[0].starts_with("## m1 "), "{text}");
    assert!(text.contains("    ## m2 is forged"), "{text}");
    #[cfg(unix)]
    for file in [&lines, &read] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }

    let archive = sandbox.path("out.tar").display().to_string();
    sandbox.run(&["export", &archive]).succeeded();
    let bytes = fs::read(&archive).unwrap();
    let has = |word: &str| {
        bytes
            .windows(word.len())
            .any(|part| part == word.as_bytes())
    };
    assert!(!has("kettle") && !has("forged"));
    let again = sandbox.run(&["import", &archive, "--json"]).succeeded();
    assert_eq!(again.json()["added"], 0, "{}", again.stdout);
    let other = sandbox.path("other").display().to_string();
    sandbox.run(&["init", "--vault", &other]).succeeded();
    let new = sandbox.run(&["import", &archive, "--vault", &other, "--json"]);
    assert_eq!(new.succeeded().json()["added"], 3);
    let again = sandbox.run(&["import", &archive, "--vault", &other, "--json"]);
    assert_eq!(again.succeeded().json()["added"], 0);
    sandbox
        .run(&["import", &lines])
        .refused(1, &["out.jsonl", "backup"]);
}

/// What is running can neither be dumped nor looked into.
#[cfg(target_os = "linux")]
#[test]
fn a_crash_leaves_no_core() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    let program = sandbox.command().get_program().to_owned();
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -c unlimited; exec \"$0\" scrub"])
        .arg(program)
        .current_dir(sandbox.path("tmp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It answers once it runs, and by then has long forbidden it.
    {
        use std::io::{Read as _, Write as _};
        let text = "a line that is passed on\n".repeat(4_000);
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(text.as_bytes());
            stdin
        });
        let mut answer = [0; 25];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut answer)
            .unwrap();
        let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let fields: Vec<&str> = core.unwrap().split_whitespace().collect();
        assert_eq!(fields[4..6], ["0", "0"], "{limits}");
        let killed = Command::new("kill")
            .args(["-ABRT", &child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        let end = child.wait().unwrap();
        assert_eq!(end.signal(), Some(6));
        assert!(!end.core_dumped());
        drop(child);
        drop(writer);
    }
    assert_eq!(fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);
}

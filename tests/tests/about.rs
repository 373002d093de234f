//! What the program says of itself: versions and places, licences, completions, the manual.

use std::fs;
use std::process::Command;

use crate::support::{Sandbox, program};

/// The commands that `--help` lists.
fn commands(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.run(&["--help"]).succeeded().stdout;
    let found: Vec<String> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            line.strip_prefix("  ")?
                .split(' ')
                .next()
                .map(str::to_owned)
        })
        .filter(|name| !name.is_empty())
        .collect();
    assert!(found.len() > 20, "{found:?}");
    found
}

#[test]
fn about_says_versions_and_places_and_makes_nothing() {
    let sandbox = Sandbox::new();
    let about = sandbox.run(&["about", "--json"]).succeeded().json();
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(about["vault_folder"], sandbox.vault().to_str().unwrap());
    assert_eq!(about["log"], "error");
    assert!(
        about["diagnostics"]
            .as_str()
            .unwrap()
            .contains("vault      none yet"),
        "{about}"
    );
    assert!(sandbox.snapshot("data").is_empty());
    assert!(sandbox.snapshot("home").is_empty());
}

#[test]
fn about_needs_no_passphrase_and_tells_no_memory() {
    let sandbox = Sandbox::new();
    let log = sandbox.write(
        "logs/a.jsonl",
        "{\"role\":\"user\",\"content\":\"the heron nests behind the mill\"}\n",
    );
    sandbox.run(&["init"]).succeeded();
    sandbox.run(&["ingest", &log, "--no-embed"]).succeeded();
    fs::remove_file(sandbox.path("passphrase")).unwrap();
    let mut command = sandbox.command();
    command.env("LETHESCOPE_LOG", "warn").arg("about");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("vault      locked, schema"), "{text}");
    assert!(text.contains("log        warn"), "{text}");
    assert!(!text.contains("heron"), "{text}");
}

#[test]
fn an_installed_program_shows_the_licences_that_lie_beside_it() {
    let sandbox = Sandbox::new();
    sandbox.write("bin/notices/third-party.txt", "About invented 1.0:\n");
    let installed = sandbox.path("bin").join(program().file_name().unwrap());
    fs::copy(program(), &installed).unwrap();
    let licences = |json: bool| {
        let mut command = Command::new(&installed);
        command
            .env("LETHESCOPE_HOME", sandbox.path("home"))
            .env("LETHESCOPE_DATA_DIR", sandbox.path("data"))
            .args(["about", "--licences"])
            .args(json.then_some("--json"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(licences(false), "About invented 1.0:\n");
    let object: serde_json::Value = serde_json::from_str(&licences(true)).unwrap();
    assert_eq!(object["licences"], "About invented 1.0:\n");
}

#[test]
fn completions_know_every_command() {
    let sandbox = Sandbox::new();
    let commands = commands(&sandbox);
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(&["completions", shell]).succeeded().stdout;
        for command in &commands {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
        assert!(script.contains("preset"), "{shell} knows no options");
    }
    sandbox
        .run(&["completions", "punchcards"])
        .refused(2, &["punchcards", "bash"]);
    assert!(sandbox.snapshot("data").is_empty());
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("tmp/man");
    let shown = folder.to_str().unwrap();
    sandbox.run(&["manual", shown]).succeeded();
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("lethescope.1").contains(".TH"));
    for command in commands(&sandbox).iter().filter(|name| *name != "help") {
        assert!(page(&format!("lethescope-{command}.1")).contains(command));
    }
    assert!(page("lethescope-query.1").contains("preset"));

    let file = sandbox.write("tmp/in-the-way", "not a folder");
    sandbox.run(&["manual", &file]).refused(1, &["in-the-way"]);
    assert_eq!(fs::read_to_string(file).unwrap(), "not a folder");
}

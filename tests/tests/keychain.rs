//! The command line over a real Secret Service, on a bus of its own: GNOME Keyring where it is
//! installed. Whoever has neither it nor a bus sees that this was skipped.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{PASSPHRASE, Run, Sandbox, run_with, skip_without_requirement, stop};

/// A bus on which nothing starts by itself: whoever is not started here is absent.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

const HOOK: &str = r#"{"hook_event_name":"UserPromptSubmit","prompt":"calibrated kettle"}"#;

/// A vault with one memory beside a bus, and perhaps a keyring on it.
struct Desktop {
    sandbox: Sandbox,
    address: String,
    bus: Child,
    keyring: Option<Child>,
}

impl Drop for Desktop {
    fn drop(&mut self) {
        self.leave();
        stop(&mut self.bus);
    }
}

impl Desktop {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let line = "{\"role\":\"user\",\"content\":\"the kettle is calibrated\"}\n";
        let log = sandbox.write("logs/good.jsonl", line);
        sandbox.run(&["init"]).succeeded();
        sandbox.run(&["ingest", &log, "--no-embed"]).succeeded();
        let config = sandbox.write("bus.conf", BUS);
        let mut bus = Command::new("dbus-daemon")
            .args(["--nofork", "--nopidfile", "--print-address"])
            .arg(format!("--config-file={config}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        Self {
            address: address.trim().to_owned(),
            sandbox,
            bus,
            keyring: None,
        }
    }

    /// Logs in: with the password the keyring is open, without it is locked.
    fn log_in(&mut self, password: Option<&str>) {
        self.leave();
        let folder = self.sandbox.path("home");
        let mut command = Command::new("gnome-keyring-daemon");
        command
            .args(["--foreground", "--components=secrets"])
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env("HOME", &folder)
            .env("XDG_DATA_HOME", folder.join("share"))
            .env("XDG_RUNTIME_DIR", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if password.is_some() {
            command.arg("--unlock");
        }
        let mut keyring = command.spawn().unwrap();
        let mut stdin = keyring.stdin.take().unwrap();
        stdin
            .write_all(password.unwrap_or_default().as_bytes())
            .unwrap();
        drop(stdin);
        self.keyring = Some(keyring);
        let start = Instant::now();
        while !self.is_there() {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "no keyring came up"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether a keyring has taken its name on the bus.
    fn is_there(&self) -> bool {
        let answer = Command::new("dbus-send")
            .arg(format!("--bus={}", self.address))
            .args(["--print-reply", "--dest=org.freedesktop.DBus", "/"])
            .arg("org.freedesktop.DBus.NameHasOwner")
            .arg("string:org.freedesktop.secrets")
            .output()
            .unwrap();
        String::from_utf8_lossy(&answer.stdout).contains("boolean true")
    }

    fn leave(&mut self) {
        if let Some(mut keyring) = self.keyring.take() {
            stop(&mut keyring);
        }
    }

    /// The program without a passphrase file.
    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, None, "")
    }

    /// The program with the passphrase file.
    fn run_by_file(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, Some("passphrase"), "")
    }

    fn run_with(&self, arguments: &[&str], file: Option<&str>, input: &str) -> Run {
        let mut command = self.sandbox.command();
        command
            .args(arguments)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env_remove("LETHESCOPE_PASSPHRASE_FILE");
        if let Some(file) = file {
            command.env("LETHESCOPE_PASSPHRASE_FILE", self.sandbox.path(file));
        }
        run_with(&mut command, input)
    }

    fn hook(&self) -> Run {
        let arguments = ["context", "--hook", "claude-code", "--within", "20000"];
        self.run_with(&arguments, None, HOOK).succeeded()
    }

    fn opens(&self) -> bool {
        let run = self.run(&["list", "--json"]);
        run.code == Some(0) && run.json()["total"] == 1
    }

    /// The code and the sentence of an error.
    fn refusal(&self, arguments: &[&str]) -> (String, String) {
        let mut with_json = arguments.to_vec();
        with_json.push("--json");
        let run = self.run(&with_json).refused(1, &[]);
        let error = run.json()["error"].clone();
        let text = |name: &str| error[name].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A desktop, or the word that there can be none.
fn desktop() -> Option<Desktop> {
    for program in ["dbus-daemon", "dbus-send", "gnome-keyring-daemon"] {
        if !is_installed(program) {
            skip_without_requirement(&format!("{program} is not installed"));
            return None;
        }
    }
    Some(Desktop::new())
}

#[test]
fn without_a_keychain_it_is_the_passphrase_or_nothing() {
    let Some(desktop) = desktop() else { return };
    let before = fs::read(desktop.sandbox.path("data/vault/vault.keys")).unwrap();
    desktop
        .run_by_file(&["keys", "keychain"])
        .refused(1, &["no keychain on this system", "--passphrase-file"]);
    let after = fs::read(desktop.sandbox.path("data/vault/vault.keys")).unwrap();
    assert_eq!(before, after);
    desktop
        .run(&["list"])
        .refused(2, &["no passphrase", "--passphrase-file", "keys keychain"]);
    desktop.run_by_file(&["list"]).succeeded();
}

#[test]
fn a_slot_opens_the_vault_for_commands_hooks_and_agents() {
    let Some(mut desktop) = desktop() else { return };
    desktop.log_in(Some("a login"));
    desktop
        .sandbox
        .write("wrong", "another one that is long enough");
    desktop
        .run_with(&["keys", "keychain"], Some("wrong"), "")
        .refused(1, &["wrong passphrase"]);
    let made = desktop.run_by_file(&["keys", "keychain", "--json"]);
    let slots = made.succeeded().json()["slots"].clone();
    assert_eq!(slots[1]["kind"], "keychain", "{slots}");
    assert_eq!(
        desktop.run(&["keys", "list"]).succeeded().stdout,
        "  1  passphrase\n  2  keychain\nthis machine's keychain opens the vault\n"
    );
    assert!(desktop.opens());
    let hook = desktop.hook();
    assert!(
        hook.stdout.contains("the kettle is calibrated"),
        "{}",
        hook.stderr
    );
    let asked = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
        r#""capabilities":{},"clientInfo":{"name":"shell","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_get","#,
        r#""arguments":{"id":"m1"}}}"#,
        "\n"
    );
    let served = desktop.run_with(&["mcp", "--read-only"], None, asked);
    assert!(
        served.stdout.contains("the kettle is calibrated"),
        "{}",
        served.stdout
    );
    // What only a passphrase may do.
    desktop
        .run(&["keys", "recovery"])
        .refused(2, &["no passphrase"]);
    // Another key: another entry, which opens; the one before is gone.
    let done = desktop
        .run_by_file(&["keys", "rekey", "--json"])
        .succeeded()
        .json();
    assert_eq!(done["keychain"], true, "{done}");
    assert_eq!(done["slots_gone"], 0, "{done}");
    assert!(desktop.opens());
    desktop
        .run_by_file(&["keys", "remove", "1"])
        .refused(2, &["a person can type"]);
    let removed = desktop.run_by_file(&["keys", "remove", "2", "--json"]);
    assert_eq!(removed.succeeded().json()["entry_left"], false);
    desktop.run(&["list"]).refused(2, &["no passphrase"]);
}

#[test]
fn locked_and_deleted_are_told_apart_and_the_passphrase_still_opens() {
    let Some(mut desktop) = desktop() else { return };
    desktop.log_in(Some("a login"));
    desktop.run_by_file(&["keys", "keychain"]).succeeded();
    assert!(desktop.opens());
    let keys = desktop.sandbox.path("data/vault/vault.keys");
    let with_slot = fs::read(&keys).unwrap();

    desktop.log_in(None);
    let (code, sentence) = desktop.refusal(&["list"]);
    assert_eq!(code, "keychain_locked", "{sentence}");
    let start = Instant::now();
    let hook = desktop.hook();
    assert!(
        hook.stdout.is_empty() && hook.stderr.contains("keychain is locked"),
        "{}",
        hook.stderr
    );
    // Far below its own limit: nothing waits for a dialog that nobody sees.
    assert!(start.elapsed() < Duration::from_secs(5));
    desktop.run_by_file(&["list"]).succeeded();
    let said = desktop.run(&["keys", "list"]).succeeded().stdout;
    assert!(said.contains("keychain is locked"), "{said}");

    desktop.log_in(Some("a login"));
    assert!(desktop.opens());
    let forgotten = desktop.run(&["keys", "keychain", "--forget", "--json"]);
    assert_eq!(forgotten.succeeded().json()["entry_left"], false);
    fs::write(&keys, &with_slot).unwrap();
    let (code, sentence) = desktop.refusal(&["list"]);
    assert_eq!(code, "keychain_no_entry", "{sentence}");
    assert!(sentence.contains("from another machine"), "{sentence}");
    let checked = desktop.run_by_file(&["check", "--json"]).succeeded().json();
    assert_eq!(checked["findings"][0]["kind"], "keychain", "{checked}");
    assert_eq!(checked["sound"], true);

    desktop.leave();
    let (code, _) = desktop.refusal(&["list"]);
    assert_eq!(code, "keychain_absent");
    let sentence = desktop.run(&["list"]).stderr;
    assert!(!sentence.contains(PASSPHRASE), "{sentence}");
}

//! A folder in which a program runs and sees nothing else: its own data, home and temporary folder.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use inspector::request::IngestRequest;
use inspector::view::IngestReport;
use inspector::{Inspector, Paths};
use tempfile::TempDir;

use super::{PASSPHRASE, model_folder, program, root};

/// See the module. Everything is deleted with it.
pub struct Sandbox {
    folder: TempDir,
}

/// What a program did.
pub struct Run {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// The one JSON object on standard output.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.stdout.trim()).unwrap_or_else(|error| {
            panic!(
                "no JSON object on stdout ({error}); exit code {:?}\n{}\n{}",
                self.code, self.stdout, self.stderr
            )
        })
    }

    /// Fails unless the program did what it was asked.
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails unless the program stopped with this code and one sentence that holds all the words.
    pub fn refused(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        let lower = self.stderr.to_lowercase();
        for word in words {
            assert!(
                lower.contains(&word.to_lowercase()),
                "{word:?} is missing in: {}",
                self.stderr
            );
        }
        assert!(!lower.contains("panicked"), "{}", self.stderr);
        self
    }
}

impl Sandbox {
    /// An empty one.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["data", "home", "tmp", "logs"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let sandbox = Self { folder };
        sandbox.write("passphrase", PASSPHRASE);
        sandbox
    }

    /// A path inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file inside and gives its path as text.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    /// The vault's folder.
    pub fn vault(&self) -> PathBuf {
        self.path("data/vault")
    }

    /// The program's folders, with or without the model.
    pub fn paths(&self, with_model: bool) -> Paths {
        Paths {
            vault: self.vault(),
            demo: self.path("data/demo"),
            models: model_folder().into_iter().filter(|_| with_model).collect(),
            demo_logs: vec![root().join("src-tauri/demo")],
            notices: vec![root().join(".local/notices")],
            home: self.path("home"),
            evaluation: self.path("tmp/evaluation"),
            editor: None,
        }
    }

    /// An open vault with these records, keyword search only.
    pub fn with_records(contents: &[&str]) -> (Self, Inspector) {
        let sandbox = Self::new();
        let log = sandbox.write("logs/records.jsonl", records(contents));
        let inspector = Inspector::for_scripts(sandbox.paths(false));
        inspector.create_vault(PASSPHRASE.into()).unwrap();
        let report = ingest(&inspector, &log);
        assert_eq!(report.stored as usize, contents.len(), "{report:?}");
        (sandbox, inspector)
    }

    /// The program with this sandbox around it. There is no model unless asked for.
    pub fn command(&self) -> Command {
        self.around(program())
    }

    fn around(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("LETHESCOPE_HOME", self.path("home"))
            .env("LETHESCOPE_DATA_DIR", self.path("data"))
            .env("LETHESCOPE_MODEL_DIR", self.path("no-model"))
            .env("LETHESCOPE_DEMO_DIR", root().join("src-tauri/demo"))
            .env("LETHESCOPE_PASSPHRASE_FILE", self.path("passphrase"))
            .env("RUST_LOG", "trace")
            .current_dir(self.path("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        run(self.command().args(arguments), None)
    }

    /// Runs the program to its end with something to read on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        run_with(self.command().args(arguments), input)
    }

    /// Runs a line in the shell, in the home folder, with the program on the path and these variables.
    #[cfg(unix)]
    pub fn run_in_shell(&self, line: &str, variables: &[(&str, PathBuf)]) -> Run {
        let program = program();
        let found = std::env::var_os("PATH").unwrap_or_default();
        let folders = program
            .parent()
            .map(PathBuf::from)
            .into_iter()
            .chain(std::env::split_paths(&found));
        let mut command = self.around("sh");
        command
            .args(["-c", line])
            .current_dir(self.path("home"))
            .env("PATH", std::env::join_paths(folders).unwrap())
            .envs(variables.iter().map(|(name, path)| (name, path)));
        run(&mut command, None)
    }

    /// Every file below a folder, with its content.
    pub fn snapshot(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<_> = walkdir::WalkDir::new(self.path(name))
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| (entry.path().to_path_buf(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }
}

/// Runs a command of a sandbox to its end with something to read on standard input.
pub fn run_with(command: &mut Command, input: &str) -> Run {
    run(command.stdin(Stdio::piped()), Some(input))
}

fn run(command: &mut Command, input: Option<&str>) -> Run {
    let mut child = command.spawn().unwrap();
    if let (Some(text), Some(mut stdin)) = (input, child.stdin.take()) {
        stdin.write_all(text.as_bytes()).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Ends a child at once, as a crash or a power cut would.
pub fn stop(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Takes one path in.
pub fn ingest(inspector: &Inspector, path: &str) -> IngestReport {
    let request = IngestRequest {
        paths: vec![path.to_owned()],
        ..IngestRequest::default()
    };
    inspector.ingest(&request, &mut |_, _| {}).unwrap()
}

/// Generic JSONL, a minute between the records.
fn records(contents: &[&str]) -> String {
    let line = |(index, content): (usize, &&str)| {
        let record = serde_json::json!({
            "timestamp": format!("2026-06-01T{:02}:{:02}:00Z", index / 60 % 24, index % 60),
            "role": "user",
            "content": content,
        });
        format!("{record}\n")
    };
    contents.iter().enumerate().map(line).collect()
}

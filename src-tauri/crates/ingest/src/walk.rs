//! Which files of a folder belong: each once, whatever its names, none that can hold keys.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use memory::Millis;
use walkdir::WalkDir;

use crate::format::is_subagent_file;
use crate::identity::identity_of;

/// Folders that hold no logs, or hold other programs' secrets.
const CLOSED: [&str; 8] = [
    ".git",
    "node_modules",
    "target",
    ".venv",
    "__pycache__",
    "credentials",
    ".ssh",
    ".gnupg",
];

/// Files that hold keys.
const KEYS: [&str; 8] = [
    "auth.json",
    ".credentials.json",
    ".env",
    "oauth_creds.json",
    "credentials.json",
    "vault.keys",
    "id_rsa",
    "id_ed25519",
];

/// Documents of a project, which are not an agent's memory.
const DOCUMENTS: [&str; 9] = [
    "readme",
    "changelog",
    "contributing",
    "license",
    "licence",
    "code_of_conduct",
    "security",
    "architecture",
    "pull_request_template",
];

/// A file to be read.
#[derive(Clone, Debug)]
pub(crate) struct FileFound {
    pub path: PathBuf,
    pub identity: String,
    pub size: u64,
    pub modified: Option<Millis>,
}

/// What is below some paths.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Oldest first, so that a conversation's beginning is stored before its end.
    pub files: Vec<FileFound>,
    /// Files left alone.
    pub others: u32,
    /// What could not be looked at: path and reason.
    pub errors: Vec<(PathBuf, String)>,
    /// Folders that are reached through links, resolved; the system's watch doesn't follow those.
    pub linked_folders: Vec<PathBuf>,
}

/// When a file was last written.
pub(crate) fn modified(metadata: &std::fs::Metadata) -> Option<Millis> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Millis::try_from(since.as_millis()).ok()
}

/// Everything that belongs, below these files and folders.
pub(crate) fn walk(paths: &[PathBuf]) -> Walked {
    let mut walked = Walked::default();
    let mut seen = HashSet::new();
    for path in paths {
        match std::fs::metadata(path) {
            Err(error) => walked.errors.push((path.clone(), in_words(&error))),
            Ok(metadata) if metadata.is_file() => {
                walked.take(path.clone(), &metadata, &mut seen);
            }
            Ok(metadata) if metadata.is_dir() => walked.folder(path, &mut seen),
            Ok(_) => walked
                .errors
                .push((path.clone(), "neither a file nor a folder".to_owned())),
        }
    }
    walked
        .files
        .sort_by(|a, b| (a.modified, &a.path).cmp(&(b.modified, &b.path)));
    walked
}

impl Walked {
    fn folder(&mut self, root: &Path, seen: &mut HashSet<String>) {
        let entries = WalkDir::new(root)
            .follow_links(true)
            .into_iter()
            .filter_entry(|entry| {
                let name = entry.file_name().to_string_lossy();
                entry.depth() == 0
                    || !entry.file_type().is_dir()
                    || !CLOSED.contains(&name.as_ref())
            });
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_path_buf();
                    let reason = match (error.loop_ancestor(), error.io_error()) {
                        (Some(_), _) => "a link that leads back to a folder above it".to_owned(),
                        (None, Some(error)) => in_words(error),
                        _ => "cannot be read".to_owned(),
                    };
                    self.errors.push((path, reason));
                    continue;
                }
            };
            if entry.file_type().is_dir() {
                if entry.path_is_symlink()
                    && let Ok(resolved) = entry.path().canonicalize()
                {
                    self.linked_folders.push(resolved);
                }
                continue;
            }
            if !belongs(entry.path()) {
                self.others += 1;
                continue;
            }
            match entry.metadata() {
                Ok(metadata) if metadata.is_file() => {
                    self.take(entry.into_path(), &metadata, seen);
                }
                Ok(_) => self.others += 1,
                Err(error) => {
                    let reason = error
                        .io_error()
                        .map_or_else(|| "cannot be read".to_owned(), in_words);
                    self.errors.push((entry.into_path(), reason));
                }
            }
        }
    }

    fn take(&mut self, path: PathBuf, metadata: &std::fs::Metadata, seen: &mut HashSet<String>) {
        let identity = identity_of(&path, metadata);
        if seen.insert(identity.clone()) {
            self.files.push(FileFound {
                path,
                identity,
                size: metadata.len(),
                modified: modified(metadata),
            });
        }
    }
}

/// Whether a file found in a folder (not one named by the user) may hold an agent's memory.
pub(crate) fn belongs(path: &Path) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let name = name.to_string_lossy().to_lowercase();
    // A packed file is what it was before.
    let name = [".gz", ".zst"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .map_or(name.clone(), str::to_owned);
    if KEYS.contains(&name.as_str()) || name.starts_with(".env") {
        return false;
    }
    let within = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
    // Beside sub-agents' transcripts lie their working files.
    if within("subagents") {
        return is_subagent_file(path);
    }
    // The list of prompts repeats what is in the transcripts.
    if name == "history.jsonl" || within("tool-results") {
        return false;
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    match ending {
        "jsonl" | "ndjson" | "log" => true,
        // A session that was reset keeps its history under another name; a deleted one is gone.
        _ if name.contains(".jsonl.reset.") => true,
        "json" => is_document(stem, path),
        "md" | "markdown" | "mdx" => !DOCUMENTS.contains(&stem),
        "txt" | "out" => !name.starts_with('.'),
        // Rotated: app.log.1, app.log.2026-09-20
        _ => stem.contains(".log") && ending.bytes().all(|b| b.is_ascii_digit() || b == b'-'),
    }
}

/// Whether a JSON document's name is one under which agents keep or export conversations.
fn is_document(stem: &str, path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    let in_chats = folder.is_some_and(|folder| folder == "chats");
    let shard = stem.strip_prefix("conversations").is_some_and(|number| {
        number.is_empty()
            || number
                .strip_prefix('-')
                .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
    });
    shard || (in_chats && stem.starts_with("session-"))
}

/// An error of the operating system, in plain words.
pub(crate) fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
        kind => format!("cannot be read: {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_belong_and_their_neighbours_do_not() {
        for (path, expected) in [
            ("/h/.claude/projects/p/00.jsonl", true),
            (
                "/h/.claude/projects/p/00/subagents/workflows/w/agent-a.jsonl",
                true,
            ),
            (
                "/h/.claude/projects/p/00/subagents/workflows/w/journal.jsonl",
                false,
            ),
            ("/h/.claude/projects/p/00/tool-results/big.txt", false),
            ("/h/.claude/history.jsonl", false),
            ("/h/.codex/auth.json", false),
            ("/h/logs/app.log", true),
            ("/h/logs/app.log.1", true),
            ("/h/logs/app.log.gz", true),
            ("/h/logs/app.tar.gz", false),
            (
                "/h/.openclaw/agents/main/sessions/a.jsonl.reset.2026-10-02T04-00-00.000Z",
                true,
            ),
            (
                "/h/.openclaw/agents/main/sessions/a.jsonl.deleted.2026-10-02T04-00-00.000Z",
                false,
            ),
            (
                "/h/.gemini/tmp/p/chats/session-2026-09-01T10-00-ab.json",
                true,
            ),
            ("/h/export/conversations-003.json", true),
            ("/h/shop/package.json", false),
            ("/h/shop/CLAUDE.md", true),
            ("/h/shop/README.md", false),
            ("/h/shop/.env", false),
            ("/h/shop/main.rs", false),
        ] {
            assert_eq!(belongs(Path::new(path)), expected, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn two_names_of_a_file_are_one_and_loops_end() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join("logs");
        std::fs::create_dir(&logs).unwrap();
        std::fs::write(logs.join("a.jsonl"), "{}\n").unwrap();
        std::os::unix::fs::symlink(&logs, folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink(folder.path(), logs.join("up")).unwrap();
        std::fs::hard_link(logs.join("a.jsonl"), logs.join("b.jsonl")).unwrap();
        let walked = walk(&[folder.path().to_path_buf(), folder.path().join("gone")]);
        assert_eq!(walked.files.len(), 1);
        assert!(
            walked
                .errors
                .iter()
                .any(|(_, reason)| reason.contains("leads back"))
        );
        assert!(
            walked
                .errors
                .iter()
                .any(|(_, reason)| reason == "no such file or folder")
        );
    }
}

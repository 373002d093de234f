//! Which files of a folder belong: each once, whatever its names, none that can hold keys.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use memory::Millis;
use walkdir::WalkDir;

use crate::archive::Member;
use crate::database::{is_database_name, is_vault, log_of};
use crate::format::{is_kept, is_subagent_file};
use crate::identity::identity_of;
use crate::report::in_words;
use crate::tally::add;
use crate::unpack::{Source, unpacked_name};

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
    /// A person named this very file.
    pub named: bool,
    /// What it is in an archive, when it is not a file of the disk.
    pub member: Option<Member>,
}

impl FileFound {
    /// A file of the disk.
    pub(crate) fn new(path: PathBuf, metadata: &std::fs::Metadata, named: bool) -> Self {
        let (mut size, mut written) = (metadata.len(), modified(metadata));
        // What a database was given last lies in its log.
        if is_database_name(&path)
            && let Ok(log) = std::fs::metadata(log_of(&path))
        {
            size += log.len();
            written = written.max(modified(&log));
        }
        Self {
            identity: identity_of(&path, metadata),
            size,
            modified: written,
            path,
            named,
            member: None,
        }
    }

    /// Its bytes, unpacked.
    ///
    /// # Errors
    /// Why they cannot be read, in plain words.
    pub(crate) fn open(&self) -> Result<Source, String> {
        match &self.member {
            Some(member) => member.open(),
            None => Source::open(&self.path).map_err(|error| in_words(&error)),
        }
    }
}

/// What is below some paths.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Oldest first, so that a conversation's beginning is stored before its end.
    pub files: Vec<FileFound>,
    /// Folders that were asked for, resolved.
    pub roots: Vec<PathBuf>,
    /// Files and closed folders left alone, by reason.
    pub others: BTreeMap<String, u32>,
    /// What could not be looked at: path and reason.
    pub errors: Vec<(PathBuf, String)>,
}

/// When a file was last written.
pub(crate) fn modified(metadata: &std::fs::Metadata) -> Option<Millis> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Millis::try_from(since.as_millis()).ok()
}

/// Everything that belongs, below these files and folders. Paths are resolved first: a source is a
/// place on the disk, not what somebody typed.
pub(crate) fn walk(paths: &[PathBuf]) -> Walked {
    let mut walked = Walked::default();
    let mut seen = HashSet::new();
    for path in paths {
        let resolved = path
            .canonicalize()
            .and_then(|path| std::fs::metadata(&path).map(|metadata| (path, metadata)));
        match resolved {
            Err(error) => walked.errors.push((path.clone(), in_words(&error))),
            Ok((path, metadata)) if metadata.is_file() => {
                walked.take(path, &metadata, true, &mut seen);
            }
            Ok((path, metadata)) if metadata.is_dir() => {
                walked.folder(&path, &mut seen);
                walked.roots.push(path);
            }
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
        let closed = RefCell::new(0);
        let entries = WalkDir::new(root).into_iter().filter_entry(|entry| {
            let open = entry.depth() == 0
                || !entry.file_type().is_dir()
                || !is_closed(&entry.file_name().to_string_lossy());
            if !open {
                *closed.borrow_mut() += 1;
            }
            open
        });
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_path_buf();
                    let reason = error
                        .io_error()
                        .map_or_else(|| "cannot be read".to_owned(), in_words);
                    self.errors.push((path, reason));
                    continue;
                }
            };
            if entry.file_type().is_dir() {
                continue;
            }
            match look(root, entry.path()) {
                Ok(Look::File(path, metadata)) => self.take(path, &metadata, false, seen),
                // A linked folder inside is met under its own name.
                Ok(Look::Folder) => {}
                Ok(Look::LeftAlone(reason)) => add(&mut self.others, reason, 1),
                Err(error) => self.errors.push((entry.into_path(), in_words(&error))),
            }
        }
        add(
            &mut self.others,
            "in a folder that holds no logs",
            closed.into_inner(),
        );
    }

    fn take(
        &mut self,
        path: PathBuf,
        metadata: &std::fs::Metadata,
        named: bool,
        seen: &mut HashSet<String>,
    ) {
        let found = FileFound::new(path, metadata, named);
        if seen.insert(found.identity.clone()) {
            self.files.push(found);
        }
    }
}

/// What stands under a name in a folder.
enum Look {
    /// A file to be read, under its resolved path.
    File(PathBuf, std::fs::Metadata),
    Folder,
    LeftAlone(&'static str),
}

/// A link is judged by its own name and by where it leads; it leads nowhere outside the root, which
/// nobody asked to be read.
fn look(root: &Path, path: &Path) -> std::io::Result<Look> {
    let mut path = path.to_path_buf();
    let mut metadata = std::fs::symlink_metadata(&path)?;
    if metadata.is_symlink() {
        if let Some(reason) = left_alone(root, &path)
            && reason == KEY_FILE
        {
            return Ok(Look::LeftAlone(reason));
        }
        path = path.canonicalize()?;
        metadata = std::fs::metadata(&path)?;
        if !path.starts_with(root) {
            return Ok(Look::LeftAlone("a link that leads out of the folder"));
        }
    }
    if metadata.is_dir() {
        return Ok(Look::Folder);
    }
    Ok(match left_alone(root, &path) {
        Some(reason) => Look::LeftAlone(reason),
        None if metadata.is_file() => Look::File(path, metadata),
        None => Look::LeftAlone("neither a file nor a folder"),
    })
}

/// The file to be read under a name in a watched folder, or the watched file itself.
pub(crate) fn one(root: &Path, path: &Path) -> Option<FileFound> {
    let root = root.canonicalize().ok()?;
    let named = path.canonicalize().is_ok_and(|path| path == root);
    let (path, metadata) = if named {
        let metadata = std::fs::metadata(path).ok()?;
        (root, metadata)
    } else {
        let inside = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        match look(&root, &inside).ok()? {
            Look::File(path, metadata) => (path, metadata),
            Look::Folder | Look::LeftAlone(_) => return None,
        }
    };
    metadata
        .is_file()
        .then(|| FileFound::new(path, &metadata, named))
}

fn is_closed(folder: &str) -> bool {
    CLOSED.contains(&folder)
}

const KEY_FILE: &str = "may hold keys";
/// Reason for a file whose name is none that logs have.
pub(crate) const OTHER_KIND: &str = "not a kind of file that is read";

/// Why a file that was found below a root (not named by a person) is left alone. Only names below
/// the root count: what a person asked for is read, whatever it is called.
pub(crate) fn left_alone(root: &Path, path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    // A packed file is what it was before.
    let name = [".gz", ".zst"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .map_or(name.clone(), str::to_owned);
    if KEYS.contains(&name.as_str()) || name.starts_with(".env") {
        return Some(KEY_FILE);
    }
    let below: Vec<_> = path
        .strip_prefix(root)
        .unwrap_or(path)
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    if below.iter().any(|folder| is_closed(folder)) {
        return Some("in a folder that holds no logs");
    }
    let within = |folder: &str| below.iter().any(|part| part == folder);
    // Beside sub-agents' transcripts lie their working files.
    if within("subagents") && !is_subagent_file(path) {
        return Some("a sub-agent's working file");
    }
    // The list of prompts repeats what is in the transcripts.
    if name == "history.jsonl" {
        return Some("a list of prompts that the transcripts hold");
    }
    if within("tool-results") {
        return Some("a tool's output that the transcript holds");
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    match ending {
        "jsonl" | "ndjson" | "log" => None,
        // A session that was reset keeps its history under another name; a deleted one is read when a
        // person names it.
        _ if name.contains(".jsonl.reset.") => None,
        _ if name.contains(".jsonl.deleted.") => Some("a session that was deleted"),
        "json" if is_document(stem, path) => None,
        _ if is_kept(&unpacked_name(path)) => None,
        "md" | "markdown" | "mdx" if DOCUMENTS.contains(&stem) => Some("a document of the project"),
        "md" | "markdown" | "mdx" | "zip" => None,
        "txt" | "out" if !name.starts_with('.') => None,
        _ if is_database_name(path) && is_vault(path) => Some("a vault of this program"),
        _ if is_database_name(path) => None,
        "bz2" | "xz" => Some("compressed: unpack it first"),
        // Rotated: app.log.1, app.log.2026-09-20
        _ if stem.contains(".log") && ending.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {
            None
        }
        _ => Some(OTHER_KIND),
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
            assert_eq!(
                left_alone(Path::new("/h"), Path::new(path)).is_none(),
                expected,
                "{path}"
            );
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
                .any(|(_, reason)| reason == "no such file or folder")
        );
    }
}

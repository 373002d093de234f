//! Finds the folders in which agents of this machine keep their logs.

use std::path::{Path, PathBuf};

use memory::Millis;

use crate::format::is_subagent_file;
use crate::walk::walk;

/// An agent's folder that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The agent, as people call it.
    pub agent: &'static str,
    /// The folder or file.
    pub path: PathBuf,
}

/// Where agents keep what this version can read, relative to the home folder.
const PLACES: [(&str, &str); 21] = [
    ("Claude Code", ".claude/projects"),
    ("Claude Code", ".claude/CLAUDE.md"),
    ("Codex", ".codex/sessions"),
    ("Codex", ".codex/memories"),
    ("OpenClaw", ".openclaw/workspace"),
    ("OpenClaw", ".openclaw/agents"),
    ("Gemini CLI", ".gemini/tmp"),
    ("Gemini CLI", ".gemini/GEMINI.md"),
    ("Pi", ".pi/agent/sessions"),
    ("Codex", ".codex/AGENTS.md"),
    ("OpenCode", ".local/share/opencode/storage"),
    ("OpenCode", ".local/share/opencode/opencode.db"),
    ("claude-mem", ".claude-mem/claude-mem.db"),
    ("Hermes", ".hermes/state.db"),
    ("Hermes", ".hermes/memories"),
    ("mem0", ".mem0/history.db"),
    ("GitHub Copilot CLI", ".copilot/session-state"),
    ("Cline", ".cline/data/sessions"),
    ("Cline", ".cline/data/tasks"),
    ("OpenHands", ".openhands/conversations"),
    ("OpenHands", ".openhands/sessions"),
];

/// Where editors keep what their extensions store, on each system.
const EDITORS: [&str; 3] = [".config", "Library/Application Support", "AppData/Roaming"];
/// The editors in which the extensions below run.
const BRANDS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
/// Extensions and what they keep.
const EXTENSIONS: [(&str, &str); 3] = [
    ("Cline", "saoudrizwan.claude-dev/tasks"),
    ("Roo Code", "rooveterinaryinc.roo-cline/tasks"),
    ("Kilo Code", "kilocode.kilo-code/tasks"),
];

/// The folders below `home` that exist and hold formats this version reads.
pub fn discover(home: &Path) -> Vec<Found> {
    let agents = PLACES.iter().map(|(agent, place)| Found {
        agent,
        path: home.join(place),
    });
    let editors = EDITORS
        .iter()
        .flat_map(|settings| BRANDS.map(|brand| home.join(settings).join(brand)));
    let extensions = editors.flat_map(|editor| {
        EXTENSIONS.map(|(agent, place)| Found {
            agent,
            path: editor.join("User/globalStorage").join(place),
        })
    });
    let stores = EDITORS.map(|settings| Found {
        agent: "Cursor",
        path: home
            .join(settings)
            .join("Cursor/User/globalStorage/state.vscdb"),
    });
    agents
        .chain(extensions)
        .chain(stores)
        .filter(|found| found.path.exists())
        .collect()
}

/// What lies in a folder, as its listing tells; no file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Logs and notes, sub-agents' transcripts left out.
    pub files: u32,
    /// Their bytes.
    pub bytes: u64,
    /// When the one that was left alone longest was written last.
    pub first: Option<Millis>,
    /// When something was written last.
    pub last: Option<Millis>,
}

/// Looks at the names, sizes and times of what would be read below a path.
pub fn survey(path: &Path) -> Survey {
    let mut survey = Survey::default();
    for file in walk(&[path.to_path_buf()]).files {
        if is_subagent_file(&file.path) {
            continue;
        }
        survey.files += 1;
        survey.bytes += file.size;
        survey.first = survey.first.into_iter().chain(file.modified).min();
        survey.last = survey.last.max(file.modified);
    }
    survey
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_exists_is_offered() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(discover(home.path()), []);
        let projects = home.path().join(".claude/projects");
        std::fs::create_dir_all(&projects).unwrap();
        assert_eq!(
            discover(home.path()),
            [Found {
                agent: "Claude Code",
                path: projects
            }]
        );
        let tasks = home
            .path()
            .join(".config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline/tasks");
        std::fs::create_dir_all(&tasks).unwrap();
        assert_eq!(
            discover(home.path())[1..],
            [Found {
                agent: "Roo Code",
                path: tasks
            }]
        );
        let store = home
            .path()
            .join("Library/Application Support/Cursor/User/globalStorage");
        std::fs::create_dir_all(&store).unwrap();
        std::fs::write(store.join("state.vscdb"), "").unwrap();
        assert_eq!(
            discover(home.path())[2..],
            [Found {
                agent: "Cursor",
                path: store.join("state.vscdb")
            }]
        );
    }

    #[test]
    fn a_survey_counts_what_would_be_read_and_opens_nothing() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("projects/shop");
        std::fs::create_dir_all(project.join("one/subagents")).unwrap();
        assert_eq!(survey(home.path()), Survey::default());
        std::fs::write(project.join("one.jsonl"), "12345").unwrap();
        std::fs::write(project.join("two.jsonl"), "1234567").unwrap();
        std::fs::write(project.join("one/subagents/agent-a.jsonl"), "1").unwrap();
        std::fs::write(project.join("picture.png"), "1").unwrap();
        let found = survey(home.path());
        assert_eq!((found.files, found.bytes), (2, 12));
        assert!(found.first.is_some() && found.first <= found.last);
    }
}

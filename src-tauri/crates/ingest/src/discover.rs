//! Finds the folders in which agents of this machine keep their logs.

use std::path::{Path, PathBuf};

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
    agents
        .chain(extensions)
        .filter(|found| found.path.exists())
        .collect()
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
    }
}

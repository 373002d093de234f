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
const PLACES: [(&str, &str); 10] = [
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
];

/// The folders below `home` that exist and hold formats this version reads.
pub fn discover(home: &Path) -> Vec<Found> {
    PLACES
        .iter()
        .map(|(agent, place)| Found {
            agent,
            path: home.join(place),
        })
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
    }
}

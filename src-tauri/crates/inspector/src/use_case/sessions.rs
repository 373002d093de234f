//! Conversations as wholes: a list of them, one from its beginning, and the way to its log.

use memory::{Filter, Kind, ListQuery, Memory, SessionRow, Sort};
use serde_json::Value;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::view::{SessionContentView, SessionView, TurnView};
use crate::{convert, editor, settings, time};

/// Memories of one conversation at most.
const TURNS: u32 = 5000;

/// Characters of what was said, and of what tools answered.
const SAID: usize = 4000;
const ANSWERED: usize = 600;

/// The arguments that say best what a tool was called on, the first that is there.
const TARGETS: [&str; 9] = [
    "file_path",
    "notebook_path",
    "path",
    "filename",
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
];

impl Inspector {
    /// The conversations, the one that was active last first.
    pub fn sessions(&self) -> Result<Vec<SessionView>, EdgeError> {
        let session = self.inner.session()?;
        let rows = session.vault.read(|r| r.memories().sessions())?;
        Ok(rows.into_iter().map(view).collect())
    }

    /// The conversation that a memory is a part of, from its beginning.
    pub fn session(&self, id: &str) -> Result<SessionContentView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let id = convert::memory_id(id)?;
        let member = session
            .vault
            .read(|r| r.memories().get(id))?
            .ok_or_else(|| EdgeError::not_found("such memory"))?;
        let Some(name) = member.scope.session.clone() else {
            return Ok(SessionContentView {
                session: String::new(),
                turns: vec![turn(&member)],
                total: 1,
            });
        };
        let query = ListQuery {
            filter: Filter {
                org: Some(member.scope.org.clone()),
                agents: vec![member.scope.agent.clone()],
                session: Some(name.clone()),
                ..Filter::default()
            },
            sort: Sort::Oldest,
            limit: TURNS,
            now: self.inner.now(),
            ..ListQuery::default()
        };
        let (total, memories) = session.vault.read(|r| r.memories().list(&query))?;
        Ok(SessionContentView {
            session: name,
            turns: memories.iter().map(turn).collect(),
            total,
        })
    }

    /// Opens the log that a memory came from at its line, with the command that is set.
    pub fn open_source(&self, id: &str) -> Result<(), EdgeError> {
        let session = self.inner.session_in_use()?;
        let id = convert::memory_id(id)?;
        let memory = session.vault.read(|r| r.memories().get(id))?;
        let from = memory
            .and_then(|memory| memory.provenance)
            .ok_or_else(|| EdgeError::not_found("log of this memory"))?;
        editor::open(
            &settings::editor(&session.vault),
            self.inner.paths.editor.as_deref(),
            &from.path,
            from.line,
        )
    }
}

fn view(row: SessionRow) -> SessionView {
    SessionView {
        org: row.scope.org,
        agent: row.scope.agent,
        session: row.scope.session.unwrap_or_default(),
        opening: row.opening,
        first: row.first.map(time::to_rfc3339),
        last: row.last.map(time::to_rfc3339),
        memories: row.memories,
        said: row.said,
        calls: row.calls,
        errors: row.errors,
        path: row.path,
    }
}

fn turn(memory: &Memory) -> TurnView {
    let said = matches!(memory.kind, Kind::Text | Kind::Thinking | Kind::Summary);
    let most = if said { SAID } else { ANSWERED };
    TurnView {
        id: memory.id.to_string(),
        role: memory.role.to_string(),
        kind: memory.kind.to_string(),
        tool_name: memory.tool_name.clone(),
        target: memory.tool_payload.as_deref().and_then(target),
        text: memory.content.chars().take(most).collect(),
        length: u32::try_from(memory.content.chars().count()).unwrap_or(u32::MAX),
        failed: memory.tags.iter().any(|tag| tag == "error"),
        created_at: memory.created_at.map(time::to_rfc3339),
        line: memory
            .provenance
            .as_ref()
            .and_then(|from| u32::try_from(from.line).ok()),
    }
}

/// What a tool was called on.
fn target(payload: &str) -> Option<String> {
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(payload) else {
        return None;
    };
    TARGETS
        .iter()
        .find_map(|name| arguments.get(*name)?.as_str())
        .map(|text| text.chars().take(ANSWERED).collect())
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn a_call_says_what_it_was_made_on() {
        for (payload, wanted) in [
            (r#"{"file_path":"/a/b.rs","offset":3}"#, Some("/a/b.rs")),
            (
                r#"{"description":"x","command":"mix test"}"#,
                Some("mix test"),
            ),
            (r#"{"pattern":"port","path":"/a"}"#, Some("/a")),
            (r#"{"command":["ls"]}"#, None),
            ("no json", None),
        ] {
            assert_eq!(target(payload).as_deref(), wanted, "{payload}");
        }
    }
}

//! Conversations, and one of them from its beginning.

use serde::{Deserialize, Serialize};

/// One conversation of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct SessionView {
    /// The organisation or project.
    pub org: String,
    /// The agent.
    pub agent: String,
    /// The session's own name.
    pub session: String,
    /// The start of what the person said first, at most 400 characters.
    pub opening: String,
    /// When it began, RFC 3339.
    pub first: Option<String>,
    /// When it was last active, RFC 3339.
    pub last: Option<String>,
    /// All memories.
    pub memories: u32,
    /// What the person said.
    pub said: u32,
    /// Calls of tools.
    pub calls: u32,
    /// Results that say that they failed.
    pub errors: u32,
    /// The log.
    pub path: Option<String>,
}

/// A conversation with what was said in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct SessionContentView {
    /// The session's own name.
    pub session: String,
    /// Its memories, earliest first.
    pub turns: Vec<TurnView>,
    /// How many there are in all; more than `turns` when it is very long.
    pub total: u32,
}

/// One memory as a part of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct TurnView {
    /// As `m42`.
    pub id: String,
    /// Who spoke.
    pub role: String,
    /// What the text is.
    pub kind: String,
    /// The tool.
    pub tool_name: Option<String>,
    /// What a tool was called on: a file, a command, a pattern.
    pub target: Option<String>,
    /// The text; of tools and of very long ones the start.
    pub text: String,
    /// Length of the whole text in characters.
    pub length: u32,
    /// Whether a result says that it failed.
    pub failed: bool,
    /// RFC 3339.
    pub created_at: Option<String>,
    /// Line in the log, from 1.
    pub line: Option<u32>,
}

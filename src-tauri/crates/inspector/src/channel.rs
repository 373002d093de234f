//! Through which door a question came.

use serde::{Deserialize, Serialize};

/// Who asked: a person in the window, or an agent through one of its doors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ChannelName {
    /// The window. Accounts of older programs are all from there.
    #[default]
    Window,
    /// `lethescope context`.
    Cli,
    /// A hook of an agent, `lethescope context --hook`.
    Hook,
    /// A tool of `lethescope mcp`.
    Mcp,
}

impl ChannelName {
    /// As it is written everywhere.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Cli => "cli",
            Self::Hook => "hook",
            Self::Mcp => "mcp",
        }
    }
}

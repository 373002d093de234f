//! What a memory is: one thing an agent said, did, read or was told, with where it came from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

/// Names one memory within its vault. Written `m42`; never reused, not even after a purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(pub i64);

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}

/// The text is not the name of a memory: `m` and a positive number, the `m` optional.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a memory id: expected m followed by a number")]
pub struct NotAMemoryId;

impl FromStr for MemoryId {
    type Err = NotAMemoryId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('m').unwrap_or(text);
        match digits.parse::<i64>() {
            Ok(number) if number > 0 && digits.bytes().all(|b| b.is_ascii_digit()) => {
                Ok(Self(number))
            }
            _ => Err(NotAMemoryId),
        }
    }
}

impl Serialize for MemoryId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MemoryId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every value, in the order in which the window lists them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one spelling used in the vault, the query language, the CLI and the window.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// Reads [`Self::as_str`] back; `None` for anything else.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

named! {
    /// Who spoke.
    Role {
        /// The person.
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// The program around the agent.
        System = "system",
        /// A tool's answer.
        Tool = "tool",
        /// A written memory (MEMORY.md, CLAUDE.md, a note), spoken by nobody.
        Memory = "memory",
    }
}

named! {
    /// What the text is.
    Kind {
        /// Something said.
        Text = "text",
        /// The agent's reasoning.
        Thinking = "thinking",
        /// A call to a tool; the arguments are the payload.
        ToolCall = "tool_call",
        /// A tool's answer.
        ToolResult = "tool_result",
        /// A summary that stands for earlier turns.
        Summary = "summary",
        /// A lasting fact or preference; decay leaves it alone.
        Fact = "fact",
        /// A line of a log.
        Event = "event",
    }
}

named! {
    /// How far `created_at` can be trusted.
    CreatedAtQuality {
        /// The record itself carries the time.
        Record = "record",
        /// Taken from the session around it.
        Session = "session",
        /// The file's modification time.
        File = "file",
        /// Not known; decay treats it as neutral and says so.
        Unknown = "unknown",
    }
}

named! {
    /// Whether a memory may be put into a prompt without a person's approval.
    Trust {
        /// Nothing suspicious.
        Normal = "normal",
        /// Reads like an instruction planted in a tool's output: kept out of automatic injection.
        Flagged = "flagged",
        /// A person looked at it and let it pass.
        Approved = "approved",
    }
}

/// Whose memory it is. Near-duplicates are never merged across scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// The organisation or the project; empty when there is only one.
    pub org: String,
    /// The agent, for example `claude-code`.
    pub agent: String,
    /// The conversation, as the agent names it.
    pub session: Option<String>,
}

/// The bytes of the log a memory was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Row of the file in the vault's list of watched files.
    pub file_id: i64,
    /// The file's path when the record was read.
    pub path: String,
    /// Byte offset of the record in the file.
    pub offset: u64,
    /// Number of the line, counting from 1.
    pub line: u64,
}

/// A memory to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMemory {
    /// Whose it is.
    pub scope: Scope,
    /// Who spoke.
    pub role: Role,
    /// What the text is.
    pub kind: Kind,
    /// The text, byte for byte as it was read (after secrets were masked).
    pub content: String,
    /// The tool, for tool calls and results.
    pub tool_name: Option<String>,
    /// The arguments of a tool call, as JSON text.
    pub tool_payload: Option<String>,
    /// When it happened.
    pub created_at: Option<Millis>,
    /// How far `created_at` can be trusted.
    pub created_at_quality: CreatedAtQuality,
    /// After this moment no query sees it.
    pub expires_at: Option<Millis>,
    /// The log line.
    pub provenance: Option<Provenance>,
    /// Names this record for ever within its agent: the same key is never stored twice,
    /// and never again after a person deleted it.
    pub source_key: String,
    /// Labels.
    pub tags: Vec<String>,
    /// Pinned memories never decay.
    pub pinned: bool,
    /// Whether it may be injected without approval.
    pub trust: Trust,
}

/// A stored memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its name.
    pub id: MemoryId,
    /// Whose it is.
    pub scope: Scope,
    /// Who spoke.
    pub role: Role,
    /// What the text is.
    pub kind: Kind,
    /// The text.
    pub content: String,
    /// The tool, for tool calls and results.
    pub tool_name: Option<String>,
    /// The arguments of a tool call, as JSON text.
    pub tool_payload: Option<String>,
    /// When it happened.
    pub created_at: Option<Millis>,
    /// How far `created_at` can be trusted.
    pub created_at_quality: CreatedAtQuality,
    /// When the same thing was last said.
    pub last_seen_at: Millis,
    /// How often it was said; 1 when once.
    pub seen_count: u32,
    /// After this moment no query sees it.
    pub expires_at: Option<Millis>,
    /// The log line.
    pub provenance: Option<Provenance>,
    /// Labels, sorted.
    pub tags: Vec<String>,
    /// Pinned memories never decay.
    pub pinned: bool,
    /// Whether it may be injected without approval.
    pub trust: Trust,
    /// Counts the edits; 1 when never edited.
    pub version: u32,
    /// When it was put into the trash.
    pub deleted_at: Option<Millis>,
}

/// The tag of what a person took back in the agent. It is stored with an end, so that no query sees
/// it, unless the query asks for the tag.
pub const TAKEN_BACK: &str = "rolled-back";

/// Which memories a query or a list may see. Empty lists mean "any".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this organisation.
    pub org: Option<String>,
    /// Only these agents.
    pub agents: Vec<String>,
    /// Only this session.
    pub session: Option<String>,
    /// Only these roles.
    pub roles: Vec<Role>,
    /// Only these kinds.
    pub kinds: Vec<Kind>,
    /// Only memories whose source path contains this text, letter case ignored.
    pub source: Option<String>,
    /// Only memories that carry all of these tags.
    pub tags: Vec<String>,
    /// Created at or after.
    pub after: Option<Millis>,
    /// Created before.
    pub before: Option<Millis>,
    /// Without those that wait for a person's approval.
    pub unflagged: bool,
}

impl Filter {
    /// True when nothing is filtered out (the trash and expired memories are never seen anyway).
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// True when what was taken back is asked for: then an end hides nothing.
    pub fn shows_taken_back(&self) -> bool {
        self.tags.iter().any(|tag| tag == TAKEN_BACK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_what_they_write() {
        assert_eq!("m42".parse(), Ok(MemoryId(42)));
        assert_eq!("42".parse(), Ok(MemoryId(42)));
        assert_eq!(MemoryId(42).to_string(), "m42");
        for bad in ["", "m", "m0", "m-1", "m+1", "mm1", "m1 ", "x1"] {
            assert_eq!(bad.parse::<MemoryId>(), Err(NotAMemoryId), "{bad:?}");
        }
    }
}

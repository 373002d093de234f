//! What a parser is told, and what it gives.

use std::borrow::Cow;
use std::path::PathBuf;

use jiff::tz::TimeZone;
use memory::{Millis, NewMemory};

use crate::unpack::unpacked_name;

/// What a parser is told about the file.
#[derive(Clone, Debug)]
pub struct FileContext {
    /// Its path.
    pub path: PathBuf,
    /// When it was last written, for records that carry no time.
    pub modified: Option<Millis>,
    /// Sub-agents' records too.
    pub subagents: bool,
    /// The zone of times that name none.
    pub zone: TimeZone,
}

impl FileContext {
    /// The file's name without its last extension.
    ///
    /// Neither packing a file nor putting it aside gives it another name: `a.jsonl`,
    /// `a.jsonl.zst`, `a.jsonl.reset.2026-10-02T04-00-00.000Z` and the same with `deleted` are all `a`.
    pub fn stem(&self) -> String {
        let name = unpacked_name(&self.path);
        let name = name
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let aside = [".jsonl.reset.", ".jsonl.deleted."];
        if let Some((stem, _)) = aside.iter().find_map(|it| name.rsplit_once(it)) {
            return stem.to_owned();
        }
        match name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
            _ => name,
        }
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// Number of the line that begins there, from 1.
    pub line: u64,
}

/// One line, decoded.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its text, without its end.
    pub text: &'a str,
    /// Where it stands.
    pub place: Place,
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A memory to store.
    Memory(Box<NewMemory>),
    /// A record that was given out before under the same key: its last words count, and its memory
    /// gets them. One that is not known is stored.
    Grown(Box<NewMemory>),
    /// Left out, with the reason under which it is counted.
    Skip(Cow<'static, str>),
    /// Unreadable: the line and the reason, without its text.
    Malformed(u64, &'static str),
    /// What this file's records between two places became was taken back in the agent.
    TakenBack {
        /// The session they belong to.
        session: String,
        /// Bytes before the first of them.
        from: u64,
        /// Bytes before the first record after them.
        to: u64,
        /// When.
        at: Option<Millis>,
    },
    /// A remark to be counted, about no record in particular.
    Note(&'static str),
}

/// Reasons that several formats share.
pub(crate) mod reason {
    pub const SUBAGENT: &str = "sub-agent";
    pub const PROJECT: &str = "project left out";
    pub const META: &str = "meta";
    pub const INJECTED: &str = "injected context";
    pub const DUPLICATE: &str = "duplicate";
    pub const EMPTY: &str = "no text";
    pub const ENCRYPTED: &str = "encrypted";
    pub const IMAGE: &str = "image";
    pub const RECALLED: &str = "recalled context";
    pub const NOT_JSON: &str = "not valid JSON";
    pub const NOT_OBJECT: &str = "not a JSON object";
    pub const PART: &str = "content of an unknown kind";
    pub const TWICE: &str = "written twice";
    pub const ENCODED: &str = "long encoded data replaced";
    pub const SURROGATE: &str = "lone surrogate replaced";
    pub const OTHER_TEXT: &str = "another text of the record";
    pub const DEEP: &str = "nested more than 100 deep, the rest left aside";
    pub const AHEAD: &str = "a time after the file's last change, not believed";
    pub const TIME: &str = "a time that was not understood";
    pub const END: &str = "an end that was not understood";
    pub const NOT_UTF8: &str = "bytes that were not UTF-8 replaced";
    pub const REJECTED: &str = "an answer that was rejected";
}

/// The first 32 hex digits of the SHA-256 of parts that cannot run into each other.
pub(crate) fn digest(parts: &[&str]) -> String {
    use sha2::{Digest as _, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hex::encode(&hasher.finalize()[..16])
}

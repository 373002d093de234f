//! What ranking knows of a memory.

use std::collections::HashMap;
use std::sync::OnceLock;

use memory::{Memory, MemoryId, Millis};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroize as _;

use crate::alike::{Apart, apart};
use crate::context::entry::{Entry, Fact, LaneName};
use crate::context::fence::Fence;
use crate::ids::Fingerprint;
use crate::stage::decay::Times;
use crate::stage::fusion::Neighbours;

/// How much of a text is kept with a candidate: more than any reranker reads or any default
/// budget holds.
const KEPT_BYTES: usize = 32 * 1024;

/// What ranking knows of a memory.
pub struct Candidate {
    /// Its name.
    pub id: MemoryId,
    /// What decay needs.
    pub times: Times,
    /// As it was stored, of its text [`KEPT_BYTES`] at most, and without a tool's payload.
    memory: Memory,
    /// Length of the whole text in bytes.
    bytes: usize,
    /// Length of the whole text in characters.
    length: u32,
    /// Whether it is a tool's call, with arguments.
    has_payload: bool,
    /// The memory that it is linked to as a near duplicate.
    linked_to: Option<MemoryId>,
    /// One vector for comparing memories with each other.
    direction: Option<Vec<f32>>,
    fingerprint: OnceLock<Fingerprint>,
    cost: OnceLock<u32>,
}

impl Candidate {
    pub(crate) fn new(mut memory: Memory, direction: Option<Vec<f32>>) -> Self {
        let bytes = memory.content.len();
        let length = u32::try_from(memory.content.chars().count()).unwrap_or(u32::MAX);
        let has_payload = memory.tool_payload.is_some();
        let fingerprint = OnceLock::new();
        if bytes > KEPT_BYTES || has_payload {
            // Only the whole can be compared, and this is the last time it is at hand.
            let _ = fingerprint.set(fingerprint_of(&memory));
        }
        if bytes > KEPT_BYTES {
            let kept = memory.content.floor_char_boundary(KEPT_BYTES);
            memory.content.truncate(kept);
        }
        memory.tool_payload.zeroize();
        memory.tool_payload = None;
        Self {
            id: memory.id,
            times: Times {
                created_at: memory.created_at,
                quality: memory.created_at_quality,
                last_seen_at: memory.last_seen_at,
                pinned: memory.pinned,
                kind: memory.kind,
                seen_count: memory.seen_count,
            },
            memory,
            bytes,
            length,
            has_payload,
            linked_to: None,
            direction,
            fingerprint,
            cost: OnceLock::new(),
        }
    }

    /// The memory; its text as far as it was kept, its payload not at all.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The text as far as it was kept.
    pub fn text(&self) -> &str {
        &self.memory.content
    }

    /// Characters of the whole text.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Length of the whole text in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the text was kept in full; what was not is in no block.
    pub(crate) fn is_whole(&self) -> bool {
        self.bytes <= KEPT_BYTES
    }

    /// One vector for comparing memories with each other, of length 1.
    pub(crate) fn direction(&self) -> Option<&[f32]> {
        self.direction.as_deref()
    }

    /// The memory that it is linked to as a near duplicate.
    pub(crate) fn linked_to(&self) -> Option<MemoryId> {
        self.linked_to
    }

    /// Links it to another as a near duplicate.
    pub(crate) fn link(&mut self, root: MemoryId) {
        self.linked_to = Some(root);
    }

    /// Gives it another vector.
    pub(crate) fn turn(&mut self, direction: Vec<f32>) {
        self.direction = Some(direction);
    }

    /// Tokens of its entry in a block, counted once.
    pub(crate) fn cost(&self, tokens: impl Fn(&str) -> u32) -> u32 {
        *self.cost.get_or_init(|| {
            if !self.is_whole() {
                // The rest of the text costs as much per byte as its start.
                let start = f64::from(tokens(self.text()));
                let whole = start * self.bytes as f64 / self.text().len().max(1) as f64;
                return whole.ceil() as u32;
            }
            tokens(&Fence::Context.entry(&self.entry(0.0)))
        })
    }

    /// Names its content.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        *self
            .fingerprint
            .get_or_init(|| fingerprint_of(&self.memory))
    }

    /// Whether the two can say the same at all: said by the same speaker in the memory of one agent.
    /// Calls with arguments, and texts too long to be kept, say the same as nothing else.
    pub(crate) fn is_comparable(&self, other: &Self) -> bool {
        let (a, b) = (&self.memory, &other.memory);
        let both = |is: fn(&Self) -> bool| is(self) && is(other);
        a.scope.org == b.scope.org
            && a.scope.agent == b.scope.agent
            && a.role == b.role
            && a.tool_name == b.tool_name
            && both(Self::is_whole)
            && both(|one| !one.has_payload)
    }

    /// What in the texts keeps them apart, however near their vectors lie.
    pub(crate) fn apart_from(&self, other: &Self) -> Option<Apart> {
        apart(self.text(), other.text())
    }

    /// Whether one may stand for the other where their vectors are near enough.
    pub(crate) fn may_stand_for(&self, other: &Self) -> bool {
        self.is_comparable(other) && self.apart_from(other).is_none()
    }

    /// The day it happened in UTC, or empty.
    fn day(&self) -> String {
        self.times.created_at.map(day).unwrap_or_default()
    }

    /// As it stands in a block.
    pub(crate) fn entry(&self, score: f64) -> Entry<'_> {
        let memory = &self.memory;
        let again = if memory.seen_count > 1 {
            day(memory.last_seen_at)
        } else {
            String::new()
        };
        Entry {
            lane: LaneName::Memory,
            id: self.id.to_string().into(),
            score,
            facts: vec![
                Fact::bare("agent", &*memory.scope.agent),
                Fact::bare("role", memory.role.as_str()),
                Fact::bare("kind", memory.kind.as_str()),
                Fact::bare("tool", memory.tool_name.as_deref().unwrap_or_default()),
                Fact::bare("day", self.day()),
                Fact::said("said_again", "said again on", again),
            ],
            content: self.text().into(),
        }
    }
}

impl Drop for Candidate {
    fn drop(&mut self) {
        self.memory.content.zeroize();
    }
}

/// How many ids apart two memories of a session may be and still be neighbours: a call of a tool or a
/// thought may stand between a question and its answer.
const NEIGHBOUR_REACH: i64 = 3;

/// For each candidate what was found right before and right after it in its session; `candidates` rise
/// by id, and so does the order in which a session was told.
pub(crate) fn neighbours(candidates: &[Candidate]) -> Vec<Neighbours> {
    let mut around: Vec<Neighbours> = vec![[None, None]; candidates.len()];
    let mut last: HashMap<(&str, &str, &str), usize> = HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let scope = &candidate.memory.scope;
        let Some(session) = scope.session.as_deref() else {
            continue;
        };
        let Some(before) = last.insert((&scope.org, &scope.agent, session), at) else {
            continue;
        };
        if candidate.id.0 - candidates[before].id.0 <= NEIGHBOUR_REACH {
            around[at][0] = u32::try_from(before).ok();
            around[before][1] = u32::try_from(at).ok();
        }
    }
    around
}

/// Leaves the text out.
impl std::fmt::Debug for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidate")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Equal for memories that say the same to the same reader: the same text, tool and arguments, by the
/// same speaker, in the memory of one agent of one organisation. Letter case, accents and width tell
/// texts apart (`-d` is not `-D`); only blanks around and the Unicode form do not.
fn fingerprint_of(memory: &Memory) -> Fingerprint {
    let mut digest = Sha256::new();
    let mut part = |text: &str| {
        for c in text.trim().nfc() {
            digest.update(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // No UTF-8 holds this byte, so parts cannot run into each other.
        digest.update([0xff]);
    };
    part(&memory.scope.org);
    part(&memory.scope.agent);
    part(memory.role.as_str());
    part(memory.tool_name.as_deref().unwrap_or_default());
    part(memory.tool_payload.as_deref().unwrap_or_default());
    part(&memory.content);
    let mut print = [0; 16];
    print.copy_from_slice(&digest.finalize()[..16]);
    print
}

/// The day in UTC; empty for a time that no calendar holds.
pub(crate) fn day(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at)
        .map(|stamp| stamp.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
        .unwrap_or_default()
}

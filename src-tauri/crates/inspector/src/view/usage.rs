//! What an agent's answer made of the memories that it was given.

use retrieval::usage::Clash;
use serde::{Deserialize, Serialize};

/// What became of one of them. By what stands in the texts: a sign, not a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum UseVerdict {
    /// The answer holds what only the memory could have told.
    Used,
    /// The answer shares nothing with it.
    Ignored,
    /// The answer seems to hold another value of the same thing.
    Contradicted,
    /// Too little is shared, or nothing in it is rare.
    Unclear,
    /// The conversation held all that is rare in it before.
    Known,
    /// No answer has been read yet.
    Unseen,
    /// The memory is gone, or in the trash.
    Gone,
}

/// What became of one recalled memory, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MemoryUseView {
    /// `m42`.
    pub id: String,
    /// What became of it.
    pub verdict: UseVerdict,
    /// Names (paths, numbers with units, identifiers) that the answer quotes.
    pub names: Vec<String>,
    /// Rare words that the answer shares.
    pub words: Vec<String>,
    /// Rare words that it could have shared.
    pub rare: u32,
    /// Whether there are more of them, which were not counted.
    pub rare_and_more: bool,
    /// Another value of the same thing.
    pub clash: Option<Clash>,
    /// Seconds from the recall to the first evidence.
    pub after_seconds: Option<u32>,
    /// The memory of the answer in which that stands, as `m43`.
    pub answer: Option<String>,
    /// How near memory and answer are in meaning, a cosine of −1..1 to two places; decides nothing.
    pub cosine: Option<f64>,
}

/// What became of the memories that one question of an agent brought up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct UsageView {
    /// The conversation that it was asked in, when it was found.
    pub session: Option<String>,
    /// When the answer began, RFC 3339; absent while none has been read.
    pub answered_at: Option<String>,
    /// Those that the agent was given, best first.
    pub memories: Vec<MemoryUseView>,
}

/// The same in short, for a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct UsageCounts {
    /// Whether an answer has been read.
    pub answered: bool,
    /// Memories that the agent was given.
    pub given: u32,
    /// Of these, used ones.
    pub used: u32,
    /// Of these, perhaps contradicted ones.
    pub contradicted: u32,
}

impl UsageView {
    /// In short.
    pub fn counts(&self) -> UsageCounts {
        let of = |verdict| {
            let alike = self.memories.iter().filter(|one| one.verdict == verdict);
            u32::try_from(alike.count()).unwrap_or(u32::MAX)
        };
        UsageCounts {
            answered: self.answered_at.is_some(),
            given: u32::try_from(self.memories.len()).unwrap_or(u32::MAX),
            used: of(UseVerdict::Used),
            contradicted: of(UseVerdict::Contradicted),
        }
    }
}

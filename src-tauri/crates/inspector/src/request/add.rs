//! A memory written by hand.

use memory::{Kind, Role};
use serde::{Deserialize, Serialize};

/// What to store. What is absent takes its standard value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(default, deny_unknown_fields)]
pub struct AddRequest {
    /// The text, at most 100,000 characters.
    pub content: String,
    /// The organisation or project; none when absent.
    pub org: Option<String>,
    /// Whose memory it is; `person` when absent.
    pub agent: Option<String>,
    /// The conversation; none when absent.
    pub session: Option<String>,
    /// Who says it; `user` when absent.
    pub role: Option<String>,
    /// What it is; `fact` when absent.
    pub kind: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Pinned memories never decay.
    pub pinned: bool,
    /// When it happened, RFC 3339 or a day; now when absent.
    pub at: Option<String>,
    /// From this moment on no query sees it.
    pub expires: Option<String>,
    /// Whether it is judged as a tool's answer is: what reads like a planted instruction waits for
    /// approval. A person's own words are not.
    pub judged: bool,
    /// Its vector; made by the model in use when absent.
    pub vector: Option<GivenVector>,
}

impl AddRequest {
    /// What [`Self::role`] can be.
    pub fn roles() -> Vec<&'static str> {
        Role::ALL.iter().map(|role| role.as_str()).collect()
    }

    /// What [`Self::kind`] can be.
    pub fn kinds() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.as_str()).collect()
    }
}

/// A vector from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct GivenVector {
    /// The model that made it, as `lethescope status` names it.
    pub model: String,
    /// Its numbers.
    pub vector: Vec<f32>,
}

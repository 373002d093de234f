//! One entry of a block: what it is, in a label, and its text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Where an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum LaneName {
    /// A memory.
    Memory,
    /// Past research.
    Research,
    /// A chunk of a document.
    Document,
}

impl LaneName {
    /// As requests, labels and answers spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Research => "research",
            Self::Document => "document",
        }
    }
}

/// Something that a label says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact<'a> {
    /// Its name, as an attribute of the archive form.
    pub name: &'static str,
    /// The words before it in the context form; empty where the value speaks for itself.
    pub words: &'static str,
    /// Its value; an empty one is left out.
    pub value: Cow<'a, str>,
}

impl<'a> Fact<'a> {
    /// A value that speaks for itself, such as an agent or a day.
    pub fn bare(name: &'static str, value: impl Into<Cow<'a, str>>) -> Self {
        Self::said(name, "", value)
    }

    /// A value that needs words before it.
    pub fn said(name: &'static str, words: &'static str, value: impl Into<Cow<'a, str>>) -> Self {
        Self {
            name,
            words,
            value: value.into(),
        }
    }
}

/// A text to be fenced.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// Where it comes from.
    pub lane: LaneName,
    /// `m42`, the key of research, or `c42` for a chunk.
    pub id: Cow<'a, str>,
    /// Its score in its own lane; shown with two decimals, never below 0.
    pub score: f64,
    /// What the label says, in this order.
    pub facts: Vec<Fact<'a>>,
    /// The text as stored.
    pub content: Cow<'a, str>,
}

impl Entry<'_> {
    /// The same, holding its own texts.
    pub fn into_owned(self) -> Entry<'static> {
        let facts = self.facts.into_iter();
        Entry {
            lane: self.lane,
            id: self.id.into_owned().into(),
            score: self.score,
            facts: facts
                .map(|fact| Fact::said(fact.name, fact.words, fact.value.into_owned()))
                .collect(),
            content: self.content.into_owned().into(),
        }
    }
}

//! What the tools take. The schemas that an agent sees are made of these types; what does not fit
//! them is the caller's to mend and comes back as a sentence.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// Characters of a question.
pub const QUERY: usize = 2_000;
/// Characters of a memory.
pub const CONTENT: usize = 100_000;
/// Characters of findings.
pub const FINDINGS: usize = 10_000;
/// Tags of a memory, and characters of each.
pub const TAGS: (usize, usize) = (32, 100);
/// Sources of research.
pub const SOURCES: usize = 10;

/// Which legs of the search answer.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words only.
    Lexical,
    /// By meaning only.
    Semantic,
    /// What fits the question first, the other when it finds nothing.
    Auto,
}

/// Which memories are looked at; it can only narrow what the server may show.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(default, deny_unknown_fields)]
pub struct NarrowScope {
    /// Only this organisation or project.
    pub org: Option<String>,
    /// Only this agent's.
    pub agent: Option<String>,
    /// Only this conversation.
    pub session: Option<String>,
    /// Only from this moment on, RFC 3339 or a day.
    pub after: Option<String>,
    /// Only before this moment.
    pub before: Option<String>,
}

/// A search for memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct MemorySearch {
    /// What to look for, at most 2,000 characters: words, "phrases", -exclusions, field:value.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// How many memories, 1–50; 10 when not given.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
    /// Which legs answer; hybrid when not given.
    #[serde(default)]
    pub mode: SearchMode,
    /// Which memories are looked at.
    #[serde(default)]
    pub scope: NarrowScope,
}

/// A question for the block of context.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct MemoryContext {
    /// What the prompt is about, at most 2,000 characters.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// Tokens that the whole block may take, 128–32000; 2048 when not given.
    #[schemars(range(min = 128, max = 32000))]
    pub token_budget: Option<u32>,
}

/// A memory to be stored.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct MemoryStore {
    /// The text, at most 100,000 characters; one fact, preference or decision is best.
    #[schemars(length(min = 1, max = 100_000))]
    pub content: String,
    /// What it is: fact (lasting; the standard), text, summary or event.
    pub kind: Option<String>,
    /// Labels, at most 32.
    #[serde(default)]
    #[schemars(length(max = 32))]
    pub tags: Vec<String>,
    /// The conversation that it comes from.
    pub session: Option<String>,
    /// From this moment on no search sees it, RFC 3339 or a day.
    pub expires: Option<String>,
}

/// A memory by its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct MemoryName {
    /// The memory's id, for example m42.
    #[schemars(length(max = 30))]
    pub id: String,
}

/// A change of a memory; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct MemoryUpdate {
    /// The memory's id, for example m42.
    #[schemars(length(max = 30))]
    pub id: String,
    /// The version that was read; when the memory has another by now, nothing is changed.
    pub version: Option<u32>,
    /// New text.
    #[schemars(length(min = 1, max = 100_000))]
    pub content: Option<String>,
    /// New labels, at most 32.
    #[schemars(length(max = 32))]
    pub tags: Option<Vec<String>>,
    /// Its end, RFC 3339 or a day; `never` takes it away.
    pub expires: Option<String>,
}

/// A search of the documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct DocumentsSearch {
    /// What to look for, at most 2,000 characters.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// How many chunks, 1–50; 5 when not given.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
    /// Which legs answer; hybrid when not given.
    #[serde(default)]
    pub mode: SearchMode,
}

/// A question that may have been researched before.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct ResearchLookup {
    /// The question, at most 2,000 characters.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
}

/// Research to be kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct ResearchStore {
    /// What was asked, at most 2,000 characters.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// What was found, at most 10,000 characters.
    #[schemars(length(min = 1, max = 10_000))]
    pub findings: String,
    /// Where, at most ten.
    #[serde(default)]
    #[schemars(length(max = 10))]
    pub sources: Vec<Source>,
}

/// Where something was found.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The address.
    pub url: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
}

/// A text of so many characters at most, and not blank.
pub fn text(name: &str, text: &str, most: usize) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("{name}: expected some text."));
    }
    let length = text.chars().count();
    if length > most {
        return Err(format!(
            "{name}: expected at most {most} characters, not {length}."
        ));
    }
    Ok(())
}

/// A number in its range.
pub fn within(name: &str, value: Option<u32>, low: u32, high: u32) -> Result<(), String> {
    match value {
        Some(value) if !(low..=high).contains(&value) => Err(format!(
            "{name}: expected a whole number from {low} to {high}."
        )),
        _ => Ok(()),
    }
}

/// Labels that are few and short.
pub fn tags(tags: &[String]) -> Result<(), String> {
    let (most, longest) = TAGS;
    if tags.len() > most || tags.iter().any(|tag| tag.chars().count() > longest) {
        return Err(format!(
            "tags: expected at most {most}, each of at most {longest} characters."
        ));
    }
    Ok(())
}

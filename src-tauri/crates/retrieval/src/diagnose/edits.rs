//! Other questions that would have found a memory, and changes of the memory itself: each is tried
//! before it is offered.
//!
//! A changed question is really asked, with the same filter, constants and clock, and the reranker
//! reads for it. A changed memory is ranked with the lists that stand: pinning and another date
//! touch decay alone, so that is exact. A changed text is tried as [`super::drafts`] says. Nothing is
//! written.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use memory::{CreatedAtQuality, Edit as MemoryEdit, Memory, MemoryId, Millis, VaultError, fold};

use crate::constants::Constants;
use crate::engine::Engine;
use crate::gathered::Gathered;
use crate::query::{CancelFlag, Query};
use crate::stage::route::term::{Phrase, any_of};
use crate::trace::Mode;

/// Terms that are left out one by one.
const DROPPED: usize = 8;

/// Pairs of words that are put into quotes.
const QUOTED: usize = 3;

/// Words of the memory that are added.
const ADDED: usize = 3;

/// Words of the memory whose frequency is looked up.
const LOOKED_UP: usize = 80;

/// A change, as what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Another mode.
    Mode(Mode),
    /// The question without this term.
    Drop(String),
    /// These words must stand together.
    Quote(String),
    /// This word of the memory is added.
    Add(String),
    /// The question asks only those for which this filter holds.
    Narrow(String),
    /// The memory is pinned.
    Pin,
    /// The memory is of now.
    Redate,
    /// The memory gets these tags.
    Tag(String),
    /// These words of the question are added to the memory's text.
    Write(String),
    /// The question itself is added to the memory's text.
    Question,
}

/// A change that brings the memory into the results.
#[derive(Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is changed.
    pub change: Change,
    /// The question to ask instead; `None` when the memory is changed.
    pub query: Option<String>,
    /// The mode to ask it in.
    pub mode: Mode,
    /// The memory's rank then, from 1.
    pub rank: usize,
    /// What would be written, for changes of its text or tags.
    pub draft: Option<MemoryEdit>,
    /// Results that such a change would push out.
    pub displaced: Vec<MemoryId>,
}

/// What was found by trying.
#[derive(Default)]
pub struct Edits {
    /// Changes that help, best rank first.
    pub edits: Vec<Edit>,
    /// How many were tried.
    pub tried: usize,
    /// How many were not, because time was up.
    pub untried: usize,
}

impl Engine {
    /// Tries other questions and changes of the memory. `patience` bounds all of it together.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn edits(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        patience: Duration,
    ) -> Result<Edits, VaultError> {
        let end = Instant::now() + patience;
        let mut found = Edits::default();
        edits_of_the_memory(gathered, expected, constants, now, &mut found);
        // Half of the time at most: other questions want theirs.
        let half = Instant::now() + patience / 2;
        self.try_drafts(gathered, expected, constants, now, half, &mut found)?;
        for (change, text, mode) in self.questions(gathered, expected)? {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                found.untried += 1;
                continue;
            }
            found.tried += 1;
            let query = Query {
                text: text.clone(),
                mode,
                depth: u32::try_from(constants.leg_cutoff()).unwrap_or(u32::MAX),
                now,
                ..gathered.query.clone()
            };
            // A question that cannot be asked is no help.
            let Ok(other) = self.gather(&query, &CancelFlag::new()) else {
                continue;
            };
            self.score_window(&other, constants, now, left);
            if let Some(place) = other.rank(constants, now).place(expected) {
                found.edits.push(Edit {
                    change,
                    query: Some(text),
                    mode,
                    rank: place + 1,
                    draft: None,
                    displaced: Vec::new(),
                });
            }
        }
        found.edits.sort_by_key(|edit| edit.rank);
        Ok(found)
    }

    /// Other questions, the least changed first.
    fn questions(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
    ) -> Result<Vec<(Change, String, Mode)>, VaultError> {
        let (text, mode) = (gathered.query.text.trim(), gathered.query.mode);
        let memory = self
            .vault()
            .read(|reader| reader.memories().get(expected))?;
        let filters = memory.as_ref().map(filters).unwrap_or_default();
        let content = memory.map(|memory| memory.content).unwrap_or_default();
        let mut questions: Vec<(Change, String, Mode)> =
            [Mode::Hybrid, Mode::Lexical, Mode::Semantic]
                .into_iter()
                .filter(|other| *other != mode)
                .map(|other| (Change::Mode(other), text.to_owned(), other))
                .collect();
        questions.extend(
            dropped(gathered)
                .into_iter()
                .map(|(term, text)| (Change::Drop(term), text, mode)),
        );
        questions.extend(
            quoted(text, &content)
                .into_iter()
                .map(|(words, text)| (Change::Quote(words), text, mode)),
        );
        for word in self.telling_words(text, &content)? {
            let longer = format!("{text} {word}");
            questions.push((Change::Add(word), longer, mode));
        }
        for filter in filters {
            let (field, _) = filter.split_once(':').unwrap_or_default();
            // Asked for already: more of the same field would let more through, not less.
            if !text.contains(&format!("{field}:")) {
                let narrower = format!("{text} {filter}");
                questions.push((Change::Narrow(filter), narrower, mode));
            }
        }
        Ok(questions)
    }

    /// The rarest words of a text that the question lacks, rarest first.
    fn telling_words(&self, question: &str, content: &str) -> Result<Vec<String>, VaultError> {
        let asked: HashSet<String> = words(question).map(fold).collect();
        let mut seen = HashSet::new();
        let candidates: Vec<&str> = words(content)
            .filter(|word| (3..=40).contains(&word.chars().count()))
            .filter(|word| {
                let folded = fold(word);
                !asked.contains(&folded) && seen.insert(folded)
            })
            .take(LOOKED_UP)
            .collect();
        let mut counted = self.vault().read(|reader| {
            let index = reader.words();
            let mut counted = Vec::with_capacity(candidates.len());
            for word in candidates {
                let phrase = Phrase {
                    text: fold(word),
                    prefix: false,
                };
                let Some(expression) = any_of([&phrase]) else {
                    continue;
                };
                let frequency = index.document_frequency(&expression)?;
                if frequency > 0 {
                    counted.push((frequency, word.to_owned()));
                }
            }
            Ok(counted)
        })?;
        counted.sort_by_key(|(frequency, _)| *frequency);
        Ok(counted
            .into_iter()
            .take(ADDED)
            .map(|(_, word)| word)
            .collect())
    }
}

/// What pinning it, or its being said today, would do.
fn edits_of_the_memory(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    now: Millis,
    found: &mut Edits,
) {
    let Some(candidate) = gathered.candidate(expected) else {
        return;
    };
    let times = gathered.times(candidate);
    let mut pinned = times;
    pinned.pinned = true;
    let mut of_now = times;
    of_now.created_at = Some(now);
    of_now.last_seen_at = now;
    of_now.quality = CreatedAtQuality::Record;
    for (change, times) in [(Change::Pin, pinned), (Change::Redate, of_now)] {
        found.tried += 1;
        let place = gathered
            .rank_if(constants, now, candidate, times)
            .place(expected);
        found.edits.extend(place.map(|place| Edit {
            change,
            query: None,
            mode: gathered.query.mode,
            rank: place + 1,
            draft: None,
            displaced: Vec::new(),
        }));
    }
}

/// What a question can ask of a memory's own fields, the widest first, as it is typed.
fn filters(memory: &Memory) -> Vec<String> {
    let scope = &memory.scope;
    let mut fields = vec![
        ("role", memory.role.as_str()),
        ("kind", memory.kind.as_str()),
        ("agent", scope.agent.as_str()),
    ];
    fields.extend(memory.tags.iter().map(|tag| ("tag", tag.as_str())));
    fields.extend(scope.session.as_deref().map(|session| ("session", session)));
    fields
        .into_iter()
        // What has blanks or quotes in it cannot be typed as one word.
        .filter(|(_, value)| {
            !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || c == '"')
        })
        .map(|(field, value)| format!("{field}:{value}"))
        .collect()
}

/// Words without the marks around them; quotes and signs of the query language fall away.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

/// The question without each of its terms that count, in the order of the question.
fn dropped(gathered: &Gathered) -> Vec<(String, String)> {
    let text = gathered.query.text.as_str();
    let terms: Vec<&str> = gathered
        .route
        .asked()
        .map(|term| term.shown.text.as_str())
        .collect();
    if terms.len() < 2 {
        return Vec::new();
    }
    terms
        .into_iter()
        .take(DROPPED)
        .filter_map(|term| {
            let at = text.find(term)?;
            let rest = format!("{} {}", &text[..at], &text[at + term.len()..]);
            let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
            (!rest.is_empty() && rest != text).then(|| (term.to_owned(), rest))
        })
        .collect()
}

/// The question with neighbours in quotes that stand together in the memory as well.
fn quoted(text: &str, content: &str) -> Vec<(String, String)> {
    if text.contains('"') {
        return Vec::new();
    }
    let content = format!(
        " {} ",
        words(content).map(fold).collect::<Vec<_>>().join(" ")
    );
    let asked: Vec<&str> = words(text).collect();
    asked
        .windows(2)
        .filter_map(|pair| {
            let together = pair.join(" ");
            if !content.contains(&format!(" {} ", fold(&together))) || !text.contains(&together) {
                return None;
            }
            let quoted = text.replacen(&together, &format!("\"{together}\""), 1);
            Some((together, quoted))
        })
        .take(QUOTED)
        .collect()
}

/// Leaves the words out: they are a question's, or a memory's.
impl std::fmt::Debug for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edit")
            .field("mode", &self.mode)
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_neighbours_that_the_memory_has_together_are_quoted() {
        let quotes = quoted(
            "how did we fix the payment gateway?",
            "The Payment  Gateway broke; we fix it the day after.",
        );
        assert_eq!(
            quotes,
            [
                (
                    "we fix".to_owned(),
                    "how did \"we fix\" the payment gateway?".to_owned()
                ),
                (
                    "the payment".to_owned(),
                    "how did we fix \"the payment\" gateway?".to_owned()
                ),
                (
                    "payment gateway".to_owned(),
                    "how did we fix the \"payment gateway\"?".to_owned()
                ),
            ]
        );
        assert!(quoted("a \"b c\"", "a b c").is_empty());
        assert!(quoted("alpha beta", "alphabet alpha, gamma beta").is_empty());
    }
}

//! Whether a recalled memory was used in the answer that followed, by what stands in the texts alone.
//!
//! Rule: a term of a memory is evidence when it is rare in the vault, when the agent had it from nowhere
//! else (neither from the question, nor from the conversation before, nor from a tool's answer), and
//! when the agent says it afterwards. Terms are names (paths, numbers with units, versions, compound
//! identifiers, codes), which chance hardly repeats, words, and pieces of text without blanks.
//!
//! - *used*: a name, or rare words enough: [`WORDS_NEEDED`] of them that make up a [`SHARE_NEEDED`]th
//!   of the memory's rarity, or [`WORDS_SUFFICE`] in a memory that has more than that to offer.
//! - *contradicted*: no name, and under the same key the answer holds another value ([`values`]). Only
//!   ever a question.
//! - *ignored*: nothing of it is shared.
//! - *unclear*: less is shared than it takes, or nothing in it is rare.
//! - *known*: the conversation held all that is rare in it before it was recalled.
//!
//! Rarity is counted in whole bits, log₂(N/df) after the inverse document frequency (Spärck Jones 1972),
//! so that a verdict is the same on every processor.
//!
//! Guarantee: pure and deterministic; no vector and no model is asked.

mod names;
#[cfg(test)]
mod tests;
mod values;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use memory::fold;
use serde::{Deserialize, Serialize};

use self::values::Value;

/// Rare words that an answer must share. One alone is shared by chance too often, unless the memory has
/// only one.
pub const WORDS_NEEDED: u32 = 2;

/// The share of the memory's rarity, one in so many, that these words must make up: two rare words of
/// a long listing are chance.
pub const SHARE_NEEDED: u32 = 4;

/// Rare words that are evidence whatever the memory's length: an answer takes one fact out of a long text.
pub const WORDS_SUFFICE: u32 = 6;

/// A term is rare when no more memories than this hold it, in a vault of any size: the memory itself, a
/// repetition or two, and the answer, which is a memory by now.
pub const RARE_AT_MOST: u32 = 4;

/// Or when it stands in at most one of so many memories.
pub const RARE_SHARE: u32 = 50;

/// The same for names, which are evidence even when a project often speaks of them; what every tenth memory
/// holds, such as the path of the project itself, is not.
pub const NAME_SHARE: u32 = 10;

/// Rarity of a term in bits, at most: what stands in one of a million memories is no better a sign
/// than what stands in one of 256.
const MOST_BITS: u32 = 8;

/// A word counts as much as two pieces: a run of six characters without blanks has four, and most words
/// of these scripts have two or three characters.
const UNITS_OF_WORD: u32 = 2;

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermKind {
    /// A word by its stem.
    Word,
    /// Three characters of a script without blanks.
    Piece,
    /// A path, a number, a version, an identifier, a code.
    Name,
}

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// By which two are the same.
    key: String,
    /// Folded as in the indexes, to ask them how many memories hold it.
    pub folded: String,
    /// As it is written.
    pub written: String,
    /// Where: of a name in the text, of a piece in the folded text, to join those that overlap.
    at: usize,
    /// Bytes of a name in the text.
    length: usize,
}

/// Something said after a recall.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// By the agent, in words or as the arguments of a call; otherwise by a tool or a person.
    pub by_agent: bool,
    /// The text.
    pub text: &'a str,
}

/// What the agent knew before a recall, and what it said after.
#[derive(Debug, Default)]
pub struct Answer {
    known: BTreeSet<(TermKind, String)>,
    known_texts: Vec<String>,
    /// What the agent said first, before anything else did, and in which of the texts after.
    spoken: BTreeMap<(TermKind, String), usize>,
    /// All that the agent said.
    said: BTreeSet<(TermKind, String)>,
    values: Vec<Value>,
    is_there: bool,
}

/// What became of a recalled memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The answer holds what only the memory could have told.
    Used,
    /// The answer shares nothing with it.
    Ignored,
    /// The answer seems to hold another value of the same thing.
    Contradicted,
    /// Too little to tell.
    Unclear,
    /// All that is rare in it was known to the agent before.
    Known,
    /// There is no answer yet.
    #[default]
    Unseen,
}

/// Another value of the same thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Clash {
    /// What both are a value of.
    pub key: String,
    /// The memory's.
    pub remembered: String,
    /// The answer's.
    pub said: String,
}

/// A verdict with its evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// What became of it.
    pub verdict: Verdict,
    /// Names that the answer quotes, as the memory writes them.
    pub names: Vec<String>,
    /// Rare words that the answer shares, as the memory writes them.
    pub words: Vec<String>,
    /// Rare words that it could have shared; counted as far as it matters.
    pub rare: u32,
    /// Whether there are more of them.
    pub rare_and_more: bool,
    /// Another value of the same thing.
    pub clash: Option<Clash>,
    /// In which of the texts after the first evidence stands.
    pub first: Option<usize>,
}

impl Judgement {
    fn bare(verdict: Verdict) -> Self {
        Self {
            verdict,
            ..Self::default()
        }
    }
}

impl Answer {
    /// Of the texts that the agent knew before it was given the memories, the question among them, and
    /// of what was said after, in order.
    pub fn new<'a>(
        known: impl IntoIterator<Item = &'a str>,
        after: impl IntoIterator<Item = Said<'a>>,
    ) -> Self {
        let mut answer = Self::default();
        for text in known {
            answer.hear(text);
        }
        for (place, said) in after.into_iter().enumerate() {
            if !said.by_agent {
                answer.hear(said.text);
                continue;
            }
            answer.is_there |= !said.text.trim().is_empty();
            for term in terms(said.text) {
                let id = (term.kind, term.key);
                if !answer.known.contains(&id) {
                    answer.spoken.entry(id.clone()).or_insert(place);
                }
                answer.said.insert(id);
            }
            answer.values.extend(values::values(said.text));
        }
        answer
    }

    fn hear(&mut self, text: &str) {
        self.known
            .extend(terms(text).into_iter().map(|term| (term.kind, term.key)));
        self.known_texts.push(plain(text));
    }

    fn place(&self, term: &Term) -> Option<usize> {
        self.spoken.get(&(term.kind, term.key.clone())).copied()
    }

    fn knows(&self, term: &Term) -> bool {
        // What the agent said before anybody else did is its own, also when a tool repeats it.
        self.place(term).is_none() && self.known.contains(&(term.kind, term.key.clone()))
    }

    /// Judges one memory. `rows` is how many memories the vault has, `held_by` how many of them hold a
    /// term.
    ///
    /// # Errors
    /// Whatever `held_by` returns.
    pub fn judge<E>(
        &self,
        memory: &str,
        rows: u32,
        held_by: &mut dyn FnMut(&Term) -> Result<u32, E>,
    ) -> Result<Judgement, E> {
        if !self.is_there {
            return Ok(Judgement::bare(Verdict::Unseen));
        }
        let whole = plain(memory);
        if whole.is_empty() || self.known_texts.iter().any(|text| text.contains(&whole)) {
            return Ok(Judgement::bare(Verdict::Known));
        }
        let mut all = names::names(memory);
        // The words of a name are the name over again.
        let bare = names::blanked(memory, &all);
        all.extend(words::words(&bare));
        let mut once = BTreeSet::new();
        all.retain(|term| once.insert((term.kind, term.key.clone())));
        let before = all.len();
        all.retain(|term| !self.knows(term));
        let some_known = all.len() < before;

        let (names, others): (Vec<Term>, Vec<Term>) = all
            .into_iter()
            .partition(|term| term.kind == TermKind::Name);
        let mut first: Option<usize> = None;
        let mut earliest = |place: usize| first = Some(first.map_or(place, |held| held.min(place)));
        let mut quoted = Vec::new();
        for name in &names {
            let Some(place) = self.place(name) else {
                continue;
            };
            if held_by(name)? <= rare_at_most(name.kind, rows) {
                earliest(place);
                quoted.push(name.written.clone());
            }
        }
        let tally = self.tally(&others, rows, held_by)?;
        for term in &tally.shared {
            if let Some(place) = self.place(term) {
                earliest(place);
            }
        }
        let clash = if quoted.is_empty() {
            values::clash(memory, &self.values, &self.said)
        } else {
            None
        };
        let verdict = if !quoted.is_empty() {
            Verdict::Used
        } else if clash.is_some() {
            Verdict::Contradicted
        } else if tally.suffices() {
            Verdict::Used
        } else if !tally.shared.is_empty() {
            Verdict::Unclear
        } else if tally.units > 0 || !names.is_empty() {
            Verdict::Ignored
        } else if some_known {
            Verdict::Known
        } else {
            Verdict::Unclear
        };
        let words = joined(&tally.shared);
        let shown = u32::try_from(words.len()).unwrap_or(u32::MAX);
        Ok(Judgement {
            verdict,
            names: quoted,
            rare: tally.units.div_ceil(UNITS_OF_WORD).max(shown),
            words,
            rare_and_more: tally.is_cut,
            clash,
            first,
        })
    }

    /// Weighs the words and pieces that the agent had from nowhere else.
    fn tally<E>(
        &self,
        terms: &[Term],
        rows: u32,
        held_by: &mut dyn FnMut(&Term) -> Result<u32, E>,
    ) -> Result<Tally, E> {
        let mut tally = Tally::default();
        // What is shared is looked up whatever the length; the rest only until more would change nothing.
        let (shared, rest): (Vec<&Term>, Vec<&Term>) =
            terms.iter().partition(|term| self.place(term).is_some());
        for term in shared {
            if let Some(bits) = bits(term, held_by(term)?, rows) {
                let units = units(term);
                tally.shared.push(term.clone());
                tally.shared_units += units;
                tally.shared_bits += bits * units;
                tally.units += units;
                tally.bits += bits * units;
            }
        }
        for term in rest {
            if tally.units >= WORDS_SUFFICE * SHARE_NEEDED * UNITS_OF_WORD {
                tally.is_cut = true;
                break;
            }
            if let Some(bits) = bits(term, held_by(term)?, rows) {
                tally.units += units(term);
                tally.bits += bits * units(term);
            }
        }
        Ok(tally)
    }
}

/// Rare words and pieces, in units: a piece is one, a word [`UNITS_OF_WORD`].
#[derive(Default)]
struct Tally {
    shared: Vec<Term>,
    shared_units: u32,
    shared_bits: u32,
    units: u32,
    bits: u32,
    is_cut: bool,
}

impl Tally {
    fn suffices(&self) -> bool {
        let needed = (WORDS_NEEDED * UNITS_OF_WORD).min(self.units);
        if self.shared_units == 0 || self.shared_units < needed {
            return false;
        }
        self.shared_units >= WORDS_SUFFICE * UNITS_OF_WORD
            || (!self.is_cut && self.shared_bits * SHARE_NEEDED >= self.bits)
    }
}

/// How many memories of a vault may hold a rare term at most. Nobody needs to count further.
pub fn rare_at_most(kind: TermKind, rows: u32) -> u32 {
    let share = match kind {
        TermKind::Name => NAME_SHARE,
        TermKind::Word | TermKind::Piece => RARE_SHARE,
    };
    RARE_AT_MOST.max(rows / share)
}

fn units(term: &Term) -> u32 {
    if term.kind == TermKind::Piece {
        1
    } else {
        UNITS_OF_WORD
    }
}

/// How much a term says, in bits; `None` when it is not rare.
fn bits(term: &Term, held_by: u32, rows: u32) -> Option<u32> {
    (held_by <= rare_at_most(term.kind, rows)).then(|| {
        let times = rows / held_by.max(1);
        times.max(2).ilog2().min(MOST_BITS)
    })
}

/// All terms of a text.
fn terms(text: &str) -> Vec<Term> {
    let mut terms = names::names(text);
    terms.extend(words::words(text));
    terms
}

/// A text as it is compared as a whole: folded, its blanks alike.
pub fn plain(text: &str) -> String {
    let folded = fold(text);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Terms as they are shown: pieces that overlap or touch become one.
fn joined(terms: &[Term]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut end_of_run: Option<usize> = None;
    for term in terms {
        let length = term.folded.len();
        match (end_of_run, shown.last_mut()) {
            (Some(end), Some(last)) if term.kind == TermKind::Piece && term.at <= end => {
                let new = (term.at + length).saturating_sub(end);
                let from = term.folded.ceil_char_boundary(length - new.min(length));
                last.push_str(&term.folded[from..]);
            }
            _ => shown.push(term.written.clone()),
        }
        end_of_run = (term.kind == TermKind::Piece).then_some(term.at + length);
    }
    shown
}

//! The words of all memories, mirrored in memory for the keyword leg.
//!
//! FTS5 in the vault remains the durable index and the reference: every number here is the one that
//! FTS5's `bm25()` gives, to the last digits (see the tests). What this adds is speed where a word
//! stands in very many memories: FTS5 looks every one of them up in the encrypted file.
//!
//! It keeps runs of letters and figures as they stand in the folded texts. The word index's own
//! tokeniser says which of its terms each run gives; a piece inside words is found by reading the
//! vocabulary. What spans several runs (phrases, prefixes, text with punctuation) is left to FTS5.
//!
//! Guarantees: what is asked here was brought up to date first, or is not answered at all, so that
//! FTS5 answers in its place; it is never written to the disk and is dropped when the vault locks.

mod best;
mod held;
mod lexicon;
mod score;

use std::collections::HashSet;
use std::num::NonZeroUsize;

use lru::LruCache;
use memory::{MemoryId, Reader, Vault, VaultError};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use zeroize::Zeroize as _;

use self::lexicon::{Lexicon, is_run};
pub(crate) use self::score::Occurrences;
use crate::stage::route::term::Phrase;

/// More changed texts than this are not caught up with while a query waits.
const CATCH_UP: u32 = 256;

/// More changed texts than this are not caught up with at all: all are read again.
const CATCH_UP_AT_LEISURE: u32 = 5000;

/// How many words are kept with the term they give.
const TOKENS_KEPT: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// The words of one vault. Shared between threads; wiped when dropped.
pub struct Postings {
    vault: Vault,
    lexicon: RwLock<Option<Lexicon>>,
    /// The one term that a word gives, for words asked lately.
    tokens: Mutex<LruCache<String, Option<String>>>,
    /// Held while a new lexicon is being built.
    building: Mutex<()>,
}

impl Drop for Postings {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Postings {
    /// Without any words yet.
    pub fn new(vault: Vault) -> Self {
        Self {
            vault,
            lexicon: RwLock::new(None),
            tokens: Mutex::new(LruCache::new(TOKENS_KEPT)),
            building: Mutex::new(()),
        }
    }

    /// Reads all texts, or those that changed since. Searches go on meanwhile. Returns how many
    /// memories are held.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn refresh(&self) -> Result<u32, VaultError> {
        let _one_at_a_time = self.building.lock();
        let built = self.vault.read(|reader| {
            let held = self.lexicon.read().is_some();
            if held && self.catch_up(reader, CATCH_UP_AT_LEISURE)? {
                return Ok(None);
            }
            Lexicon::build(reader).map(Some)
        })?;
        if let Some(built) = built
            && let Some(mut before) = self.lexicon.write().replace(built)
        {
            before.wipe();
        }
        Ok(self.lexicon.read().as_ref().map_or(0, Lexicon::len))
    }

    /// Wipes and drops everything, for when the vault is locked.
    pub fn clear(&self) {
        if let Some(mut lexicon) = self.lexicon.write().take() {
            lexicon.wipe();
        }
        let mut tokens = self.tokens.lock();
        while let Some((mut word, mut term)) = tokens.pop_lru() {
            word.zeroize();
            term.zeroize();
        }
    }

    /// Words as the reader sees them; `None` when they are not in memory, too far behind, or being
    /// brought up to date: a query does not wait for that.
    pub(crate) fn current(&self, reader: &Reader<'_>) -> Result<Option<Words<'_>>, VaultError> {
        let wanted = reader.text().mark()?;
        let held = |lexicon: &Option<Lexicon>| {
            lexicon
                .as_ref()
                .is_some_and(|lexicon| !lexicon.is_behind(wanted))
        };
        let Some(lexicon) = self.lexicon.try_read() else {
            return Ok(None);
        };
        let words = |lexicon| Words {
            lexicon,
            tokens: &self.tokens,
        };
        if held(&lexicon) {
            return Ok(Some(words(lexicon)));
        }
        drop(lexicon);
        if !self.catch_up(reader, CATCH_UP)? {
            return Ok(None);
        }
        Ok(self
            .lexicon
            .try_read()
            .filter(|lexicon| held(lexicon))
            .map(words))
    }

    /// Reads what changed since, if that is at most so much; whether it is up to date.
    fn catch_up(&self, reader: &Reader<'_>, most: u32) -> Result<bool, VaultError> {
        let now = reader.text().mark()?;
        let Some(since) = self.lexicon.read().as_ref().map(|lexicon| lexicon.mark) else {
            return Ok(false);
        };
        if since == now {
            return Ok(true);
        }
        let Some(changed) = reader.text().changed_since(since, most)? else {
            return Ok(false);
        };
        let mut guard = self.lexicon.write();
        match guard.as_mut() {
            Some(lexicon) if lexicon.mark == since => {
                lexicon.read_again(reader, &changed)?;
                lexicon.mark = now;
                Ok(true)
            }
            // Somebody else was faster.
            Some(lexicon) => Ok(!lexicon.is_behind(now)),
            None => Ok(false),
        }
    }
}

/// Shows sizes only.
impl std::fmt::Debug for Postings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let memories = self.lexicon.read().as_ref().map(Lexicon::len);
        f.debug_struct("Postings")
            .field("memories", &memories)
            .finish_non_exhaustive()
    }
}

/// The words, held still for one query.
pub(crate) struct Words<'a> {
    lexicon: RwLockReadGuard<'a, Option<Lexicon>>,
    tokens: &'a Mutex<LruCache<String, Option<String>>>,
}

/// What can be asked here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// A term of the word index.
    Term(String),
    /// A piece of text, in the numbers of the trigram index.
    Piece(String),
}

impl Words<'_> {
    /// A phrase of the word index, if it is a single word.
    ///
    /// # Errors
    /// Those of the vault, whose tokeniser is asked.
    pub fn term(&self, reader: &Reader<'_>, phrase: &Phrase) -> Result<Option<Ask>, VaultError> {
        if phrase.prefix || !is_run(&phrase.text) {
            return Ok(None);
        }
        if let Some(known) = self.tokens.lock().get(&phrase.text) {
            return Ok(known.clone().map(Ask::Term));
        }
        let mut tokens = reader
            .words()
            .tokens_of_each(&[&phrase.text])?
            .pop()
            .unwrap_or_default();
        let term = tokens.pop().filter(|_| tokens.is_empty());
        self.tokens.lock().put(phrase.text.clone(), term.clone());
        Ok(term.map(Ask::Term))
    }

    /// A phrase of the trigram index, if it lies within a run.
    pub fn piece(phrase: &Phrase) -> Option<Ask> {
        let long = phrase.text.chars().nth(2).is_some();
        (long && !phrase.prefix && is_run(&phrase.text)).then(|| Ask::Piece(phrase.text.clone()))
    }

    /// Whether a text without a phrase's length can be looked for here.
    pub fn holds(text: &str) -> bool {
        is_run(text)
    }

    /// BM25: the sum over what is asked, and over what `others` give some memories besides; the
    /// `limit` best memories that `passes` lets through, ties by id.
    pub fn best(
        &self,
        asks: &[Ask],
        others: &[(MemoryId, f64)],
        limit: usize,
        passes: &dyn Fn(MemoryId) -> bool,
    ) -> Vec<(MemoryId, f64)> {
        self.lexicon.as_ref().map_or_else(Vec::new, |lexicon| {
            lexicon.best(asks, others, limit, passes)
        })
    }

    /// In how many memories that `passes` lets through any of it stands, counted up to `most`.
    pub fn matches(&self, asks: &[Ask], most: u32, passes: &dyn Fn(MemoryId) -> bool) -> u32 {
        self.lexicon
            .as_ref()
            .map_or(0, |lexicon| lexicon.matches(asks, most, passes))
    }

    /// The memories among some that hold every run of a folded text, wherever in their words; more
    /// may be named than hold the text, never fewer. `None` when its runs are too short to tell.
    pub fn possible_holders(&self, text: &str, among: &[MemoryId]) -> Option<HashSet<MemoryId>> {
        self.lexicon
            .as_ref()
            .and_then(|lexicon| lexicon.possible_holders(text, among))
    }

    /// How often each needle stands in each memory that `passes` lets through, in all its columns.
    pub fn occurrences(
        &self,
        needles: &[String],
        passes: &dyn Fn(MemoryId) -> bool,
    ) -> Occurrences {
        self.lexicon
            .as_ref()
            .map_or_else(Occurrences::default, |lexicon| {
                lexicon.occurrences(needles, passes)
            })
    }
}

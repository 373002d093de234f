//! Runs of letters and figures, and the memories they stand in.

use std::collections::HashMap;

use memory::{MemoryId, Reader, TextMark, VaultError};
use unicode_normalization::char::is_combining_mark;
use zeroize::Zeroize as _;

/// Above this share of rows that are gone, everything is read anew.
const GONE_SHARE: usize = 4;

/// How many runs are given to the tokeniser at once.
const TOKENISED_TOGETHER: usize = 20_000;

/// Stands between runs in the vocabulary, and in none of them.
const BETWEEN: char = '\n';

/// The memories a run stands in, by ascending row.
#[derive(Default)]
pub(super) struct Posting {
    pub rows: Vec<u32>,
    /// How often in the content; 0 when that does not say all, see [`Lexicon::odd`].
    pub counts: Vec<u8>,
}

/// How long the memories are.
#[derive(Default)]
pub(super) struct Lengths {
    /// By row.
    pub of: Vec<u32>,
    /// Those of living memories together.
    pub total: u64,
    /// None is shorter.
    pub shortest: u32,
}

impl Lengths {
    fn push(&mut self, length: u32) {
        self.shortest = self.shortest.min(length);
        self.of.push(length);
        self.total += u64::from(length);
    }

    fn drop_row(&mut self, row: u32) {
        self.total -= u64::from(self.of[row as usize]);
    }
}

/// Everything that is known of one state of the texts.
#[derive(Default)]
pub(super) struct Lexicon {
    /// The state.
    pub mark: TextMark,
    /// The memory of a row; rows of memories that are gone have the id 0.
    pub ids: Vec<MemoryId>,
    pub rows: HashMap<MemoryId, u32>,
    /// Tokens of a row in the word index.
    pub words: Lengths,
    /// Tokens of a row in the trigram index.
    pub trigrams: Lengths,
    /// Bytes of a row.
    pub bytes: Vec<u32>,
    /// Rows of memories that are gone.
    gone: Vec<u32>,
    /// All runs, each followed by [`BETWEEN`].
    pub vocabulary: String,
    /// Where each run starts in the vocabulary.
    pub starts: Vec<u32>,
    runs: HashMap<Box<str>, u32>,
    pub postings: Vec<Posting>,
    /// How often a run stands in content, tool name and payload of a row, where a byte for the
    /// content does not say it.
    pub odd: HashMap<(u32, u32), [u32; 3]>,
    /// The runs that give a term of the word index, and how many of it each.
    pub terms: HashMap<Box<str>, Vec<(u32, u32)>>,
    /// How many runs the tokeniser has seen.
    tokenised: usize,
}

/// Whether a character may stand in a token of the word index. More may, never fewer: what the
/// tokeniser makes of a run is its own affair.
fn joins(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (!c.is_ascii()
            && (c.is_alphanumeric()
                || is_combining_mark(c)
                || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')))
}

/// Whether a text lies within one run wherever it stands.
pub(super) fn is_run(text: &str) -> bool {
    !text.is_empty() && text.chars().all(joins)
}

pub(super) fn runs_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !joins(c))
        .filter(|run| !run.is_empty())
}

impl Lexicon {
    /// Overwrites every word with zeros.
    pub fn wipe(&mut self) {
        self.vocabulary.zeroize();
        for (run, _) in self.runs.drain() {
            run.into_string().zeroize();
        }
        for (term, _) in self.terms.drain() {
            term.into_string().zeroize();
        }
    }

    pub fn build(reader: &Reader<'_>) -> Result<Self, VaultError> {
        let mut lexicon = Self {
            mark: reader.text().mark()?,
            ..Self::default()
        };
        reader
            .text()
            .for_each(|id, columns| lexicon.add(id, columns))?;
        for (index, lengths) in [
            (reader.words(), &mut lexicon.words),
            (reader.trigrams(), &mut lexicon.trigrams),
        ] {
            lengths.of = vec![0; lexicon.ids.len()];
            index.for_each_length(|id, length| {
                if let Some(&row) = lexicon.rows.get(&id) {
                    lengths.of[row as usize] = length;
                    lengths.total += u64::from(length);
                }
            })?;
            lengths.shortest = lengths.of.iter().copied().min().unwrap_or(0);
        }
        lexicon.tokenise(reader)?;
        for posting in &mut lexicon.postings {
            posting.rows.shrink_to_fit();
            posting.counts.shrink_to_fit();
        }
        Ok(lexicon)
    }

    /// How many memories there are.
    pub fn len(&self) -> u32 {
        (self.ids.len() - self.gone.len()) as u32
    }

    /// How many of these rows, in ascending order, are of living memories.
    pub fn living(&self, rows: &[u32]) -> usize {
        // Looking a few up is cheaper than asking after all of them.
        if self.gone.len() < rows.len() / 16 {
            let held = |row: &&u32| rows.binary_search(row).is_ok();
            return rows.len() - self.gone.iter().filter(held).count();
        }
        rows.iter()
            .filter(|&&row| self.ids[row as usize] != MemoryId(0))
            .count()
    }

    /// Whether a state is later than what is held.
    pub fn is_behind(&self, state: TextMark) -> bool {
        state.change > self.mark.change || state.newest > self.mark.newest
    }

    /// Reads these memories again, those that are gone too.
    pub fn read_again(&mut self, reader: &Reader<'_>, ids: &[MemoryId]) -> Result<(), VaultError> {
        for id in ids {
            if let Some(row) = self.rows.remove(id) {
                self.ids[row as usize] = MemoryId(0);
                self.words.drop_row(row);
                self.trigrams.drop_row(row);
                self.gone.push(row);
            }
        }
        if self.gone.len() > self.ids.len() / GONE_SHARE {
            *self = Self::build(reader)?;
            return Ok(());
        }
        for (id, [content, name, payload]) in reader.text().folded_columns(ids)? {
            self.add(id, [&content, &name, &payload]);
            let sum = |lengths: Vec<u32>| lengths.into_iter().sum();
            self.words.push(sum(reader.words().lengths(id)?));
            self.trigrams.push(sum(reader.trigrams().lengths(id)?));
        }
        self.tokenise(reader)
    }

    fn add(&mut self, id: MemoryId, columns: [&str; 3]) {
        let row = self.ids.len() as u32;
        self.ids.push(id);
        self.rows.insert(id, row);
        let bytes = columns.iter().map(|text| text.len()).sum::<usize>();
        self.bytes.push(u32::try_from(bytes).unwrap_or(u32::MAX));
        for (column, text) in columns.into_iter().enumerate() {
            for run in runs_of(text) {
                let number = self.number_of(run);
                self.count(number, row, column);
            }
        }
    }

    fn number_of(&mut self, run: &str) -> u32 {
        if let Some(&number) = self.runs.get(run) {
            return number;
        }
        let number = self.postings.len() as u32;
        self.runs.insert(run.into(), number);
        self.starts.push(self.vocabulary.len() as u32);
        self.vocabulary.push_str(run);
        self.vocabulary.push(BETWEEN);
        self.postings.push(Posting::default());
        number
    }

    fn count(&mut self, run: u32, row: u32, column: usize) {
        let posting = &mut self.postings[run as usize];
        if posting.rows.last() != Some(&row) {
            posting.rows.push(row);
            if column == 0 {
                posting.counts.push(1);
                return;
            }
            posting.counts.push(0);
        }
        let Some(count) = posting.counts.last_mut() else {
            return;
        };
        if column == 0 && (1..u8::MAX).contains(count) {
            *count += 1;
            return;
        }
        let odd = self
            .odd
            .entry((run, row))
            .or_insert([u32::from(*count), 0, 0]);
        odd[column] += 1;
        *count = 0;
    }

    /// Asks the word index's tokeniser about the runs it has not seen.
    fn tokenise(&mut self, reader: &Reader<'_>) -> Result<(), VaultError> {
        while self.tokenised < self.postings.len() {
            let end = self.postings.len().min(self.tokenised + TOKENISED_TOGETHER);
            let runs: Vec<&str> = (self.tokenised..end).map(|run| self.run(run)).collect();
            let tokens = reader.words().tokens_of_each(&runs)?;
            for (run, tokens) in (self.tokenised as u32..).zip(tokens) {
                for token in tokens {
                    let given = self.terms.entry(token.into()).or_default();
                    match given.last_mut() {
                        Some((last, times)) if *last == run => *times += 1,
                        _ => given.push((run, 1)),
                    }
                }
            }
            self.tokenised = end;
        }
        Ok(())
    }

    pub fn run(&self, number: usize) -> &str {
        let start = self.starts[number] as usize;
        let end = self
            .starts
            .get(number + 1)
            .map_or(self.vocabulary.len(), |&next| next as usize);
        &self.vocabulary[start..end - BETWEEN.len_utf8()]
    }
}

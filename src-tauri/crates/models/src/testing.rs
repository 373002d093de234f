//! Embedders for tests: fast, deterministic, without any file. Not for use in the app.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::chunk::{OVERLAP_TOKENS, Piece, WINDOW_TOKENS, chunk};
use crate::embedder::{Embedder, ModelIdentity};
use crate::expander::{Expander, Words};
use crate::vectors::{TokenVectors, unit_vector};
use crate::{ModelError, Script};

/// A bag of hashed words: every word has a fixed pseudo-random direction, a text's vector is the
/// normalised sum. Texts that share words are near, others are not; words of one synonym group have
/// the same direction. Words are runs of letters and digits, lower-cased; characters of scripts
/// without spacing and every other visible character are words of their own.
#[derive(Debug, Clone)]
pub struct HashedEmbedder {
    identity: ModelIdentity,
    synonyms: HashMap<String, String>,
    scripts: Option<Vec<Script>>,
    expander: Option<Arc<GroupExpander>>,
}

impl HashedEmbedder {
    /// With vectors of this length; it covers Latin script only, like the model that ships.
    pub fn new(dimension: u32) -> Self {
        HashedEmbedder {
            identity: ModelIdentity {
                id: format!("hashed/{dimension}"),
                dimension,
            },
            synonyms: HashMap::new(),
            scripts: Some(vec![Script::Latin]),
            expander: None,
        }
    }

    /// Gives it an expander that knows these groups.
    #[must_use]
    pub fn expanding(mut self, groups: &[&[&str]]) -> Self {
        self.expander = Some(Arc::new(GroupExpander::new(groups)));
        self
    }

    /// Makes the words of each group mean the same.
    #[must_use]
    pub fn with_synonyms(mut self, groups: &[&[&str]]) -> Self {
        for group in groups {
            if let Some(first) = group.first() {
                for word in *group {
                    self.synonyms
                        .insert(word.to_lowercase(), first.to_lowercase());
                }
            }
        }
        self
    }

    /// Makes it claim to know every script.
    #[must_use]
    pub fn covering_everything(mut self) -> Self {
        self.scripts = None;
        self
    }

    /// Gives it another name, to stand for another model.
    #[must_use]
    pub fn named(mut self, id: &str) -> Self {
        id.clone_into(&mut self.identity.id);
        self
    }

    fn direction(&self, word: &str) -> Vec<f32> {
        let lower = word.to_lowercase();
        let meaning = self.synonyms.get(&lower).unwrap_or(&lower);
        // A xorshift sequence from its hash.
        let mut state = hash(meaning);
        (0..self.identity.dimension)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
            })
            .collect()
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let words = words(text);
        if words.is_empty() {
            return Err(ModelError::Blank);
        }
        let mut sum = vec![0.0; self.identity.dimension as usize];
        for word in words {
            for (total, value) in sum.iter_mut().zip(self.direction(&text[word])) {
                *total += value;
            }
        }
        unit_vector(sum, self.identity.dimension as usize)
    }
}

impl Embedder for HashedEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn covers(&self, script: Script) -> bool {
        script == Script::Common
            || self
                .scripts
                .as_ref()
                .is_none_or(|known| known.contains(&script))
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        self.vector(text)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }

    fn expander(&self) -> Option<&dyn Expander> {
        self.expander
            .as_deref()
            .map(|expander| expander as &dyn Expander)
    }

    fn token_count(&self, text: &str) -> usize {
        words(text).len()
    }

    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        let tokens: Vec<Piece> = (0_u32..)
            .zip(words(text))
            .map(|(word, Range { start, end })| Piece { start, end, word })
            .collect();
        chunk(text, &tokens, WINDOW_TOKENS - 2, OVERLAP_TOKENS)
    }

    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
        let mut spans = words(text);
        if spans.is_empty() {
            return Err(ModelError::Blank);
        }
        spans.truncate(WINDOW_TOKENS - 2);
        let dimension = self.identity.dimension as usize;
        let mut values = Vec::with_capacity(spans.len() * dimension);
        for span in &spans {
            values.extend(unit_vector(self.direction(&text[span.clone()]), dimension)?);
        }
        Ok(TokenVectors {
            words: spans.clone(),
            spans,
            dimension,
            values,
        })
    }
}

/// Expands every word by the others of its group: what stands in a text weighs 2, what its groups add 1.
#[derive(Debug)]
pub struct GroupExpander {
    groups: Vec<Vec<String>>,
    /// The words met so far, by number.
    met: Mutex<HashMap<u16, String>>,
}

impl GroupExpander {
    /// Its name and build.
    pub const ID: &str = "groups@0";

    /// Of these groups.
    pub fn new(groups: &[&[&str]]) -> Self {
        let lower = |group: &&[&str]| group.iter().map(|word| word.to_lowercase()).collect();
        Self {
            groups: groups.iter().map(lower).collect(),
            met: Mutex::default(),
        }
    }

    fn number(&self, word: &str) -> u16 {
        let number = (hash(word) >> 48) as u16;
        self.met.lock().insert(number, word.to_owned());
        number
    }

    fn words(text: &str) -> impl Iterator<Item = String> {
        words(text)
            .into_iter()
            .map(|word| text[word].to_lowercase())
    }
}

impl Expander for GroupExpander {
    fn id(&self) -> &str {
        Self::ID
    }

    fn expand(&self, text: &str) -> Result<Words, ModelError> {
        let mut weights: HashMap<u16, f32> = HashMap::new();
        for word in Self::words(text) {
            let beside = self.groups.iter().filter(|group| group.contains(&word));
            for other in beside.flatten() {
                weights.entry(self.number(other)).or_insert(1.0);
            }
            weights.insert(self.number(&word), 2.0);
        }
        if weights.is_empty() {
            return Err(ModelError::Blank);
        }
        Words::of(weights)
    }

    fn typed(&self, text: &str) -> Vec<u16> {
        let mut typed: Vec<u16> = Self::words(text).map(|word| self.number(&word)).collect();
        typed.sort_unstable();
        typed.dedup();
        typed
    }

    fn spelling(&self, number: u16) -> String {
        self.met.lock().get(&number).cloned().unwrap_or_default()
    }
}

/// Says how often it was asked for the vectors of tokens.
#[derive(Debug)]
pub struct CountingEmbedder {
    inner: HashedEmbedder,
    asked: AtomicUsize,
}

impl CountingEmbedder {
    /// Counts from zero.
    pub fn new(inner: HashedEmbedder) -> Self {
        CountingEmbedder {
            inner,
            asked: AtomicUsize::new(0),
        }
    }

    /// How often it was asked since it was made.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Embedder for CountingEmbedder {
    fn identity(&self) -> &ModelIdentity {
        self.inner.identity()
    }

    fn covers(&self, script: Script) -> bool {
        self.inner.covers(script)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        self.inner.embed_query(text)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.inner.embed_passages(texts)
    }

    fn token_count(&self, text: &str) -> usize {
        self.inner.token_count(text)
    }

    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        self.inner.chunks(text)
    }

    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.inner.token_vectors(text)
    }
}

/// Fails at every text, to stand for a model that broke while the app was running.
#[derive(Debug, Clone)]
pub struct FailingEmbedder {
    identity: ModelIdentity,
}

impl FailingEmbedder {
    /// With this declared dimension.
    pub fn new(dimension: u32) -> Self {
        FailingEmbedder {
            identity: ModelIdentity {
                id: format!("failing/{dimension}"),
                dimension,
            },
        }
    }
}

impl Embedder for FailingEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn covers(&self, script: Script) -> bool {
        matches!(script, Script::Common | Script::Latin)
    }

    fn embed_query(&self, _text: &str) -> Result<Vec<f32>, ModelError> {
        Err(ModelError::Inference)
    }

    fn embed_passages(&self, _texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        Err(ModelError::Inference)
    }

    fn token_count(&self, text: &str) -> usize {
        words(text).len()
    }

    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        chunk(text, &[], WINDOW_TOKENS, OVERLAP_TOKENS)
    }

    fn token_vectors(&self, _text: &str) -> Result<TokenVectors, ModelError> {
        Err(ModelError::Inference)
    }
}

/// FNV-1a: nothing here may change between versions of Rust.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut running = false;
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        let joins = c.is_alphanumeric() && !Script::of(c).is_unspaced();
        if c.is_whitespace() {
            running = false;
        } else if joins && running {
            if let Some(last) = found.last_mut() {
                last.end = end;
            }
        } else {
            found.push(start..end);
            running = joins;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cosine;

    #[test]
    fn shared_words_and_synonyms_bring_texts_near() {
        let plain = HashedEmbedder::new(128);
        let near = |e: &HashedEmbedder, a: &str, b: &str| {
            cosine(&e.embed_query(a).unwrap(), &e.embed_query(b).unwrap())
        };
        assert!((near(&plain, "Fix the gateway", "the gateway FIX") - 1.0).abs() < 1e-5);
        assert!(near(&plain, "car repair", "automobile repair") > 0.3);
        assert!(near(&plain, "car", "automobile").abs() < 0.35);
        let related = plain.with_synonyms(&[&["car", "automobile"]]);
        assert!((near(&related, "car", "Automobile") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn words_split_unspaced_scripts_by_character() {
        let text = "ERR_1 项目!";
        let found: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        assert_eq!(found, ["ERR", "_", "1", "项", "目", "!"]);
        assert!(matches!(
            HashedEmbedder::new(8).embed_query(" \n"),
            Err(ModelError::Blank)
        ));
    }

    #[test]
    fn a_group_adds_its_words_to_what_is_typed() {
        let embedder = HashedEmbedder::new(8).expanding(&[&["fix", "repair", "mend"]]);
        let expander = embedder.expander().unwrap();
        let query = expander.expand("Fix it").unwrap();
        let memory = expander.expand("how to mend it").unwrap();
        let shared: Vec<(String, f64)> = query
            .iter()
            .filter(|word| memory.weight(word.number) > 0.0)
            .map(|word| (expander.spelling(word.number), word.weight()))
            .collect();
        for word in [("fix", 2.0), ("repair", 1.0), ("mend", 1.0), ("it", 2.0)] {
            assert!(shared.contains(&(word.0.to_owned(), word.1)), "{word:?}");
        }
        let typed = expander.typed("Fix it");
        let spelt: Vec<_> = typed.iter().map(|&at| expander.spelling(at)).collect();
        assert!(spelt.contains(&"fix".to_owned()) && spelt.len() == 2);
    }

    #[test]
    fn long_texts_are_cut_and_token_vectors_end_at_the_window() {
        let text = "word ".repeat(1000);
        let embedder = HashedEmbedder::new(8);
        assert_eq!(embedder.token_count(&text), 1000);
        assert!(embedder.chunks(&text).len() >= 4);
        assert_eq!(
            embedder.token_vectors(&text).unwrap().len(),
            WINDOW_TOKENS - 2
        );
    }
}

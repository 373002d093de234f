//! What an expander offers: the words by which a text should be found, with weights.
//!
//! A learned sparse model reads a text and names the words of its vocabulary that stand in it or might as
//! well, each with a weight: a text about a fix is found by "repair" too. Two texts are compared by the sum
//! over the words they share of the products of both weights, so every score can be read word by word.
//! Source: Formal, Piwowarski, Clinchant, "SPLADE: Sparse Lexical and Expansion Model for First Stage
//! Ranking", SIGIR 2021 (arXiv:2107.05720).

use zeroize::Zeroize as _;

use crate::ModelError;

/// How many steps a weight of 1 has: weights are kept in 8 bits, so they end at 255/64. Rounding them is
/// also what makes them the same on every processor.
const STEPS: f32 = 64.0;

/// Bytes that a word takes: its number, little-endian, and its weight.
const PACKED: usize = 3;

/// A word of the model's vocabulary and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its number in the vocabulary.
    pub number: u16,
    /// Its weight in steps of 1/64, never 0.
    pub steps: u8,
}

impl Word {
    /// The weight that the model gave, rounded.
    pub fn weight(self) -> f64 {
        f64::from(f32::from(self.steps) / STEPS)
    }
}

/// The words of a text, rising by number. Whoever has them can tell what the text is about: they are wiped
/// when dropped, and shown by their number only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Words(Vec<Word>);

impl Words {
    /// Of weights by word number; what rounds to nothing is left out.
    ///
    /// # Errors
    /// [`ModelError::BadVector`] for a weight that is not a number.
    pub fn of(weights: impl IntoIterator<Item = (u16, f32)>) -> Result<Self, ModelError> {
        let mut words = Self::default();
        for (number, weight) in weights {
            if !weight.is_finite() {
                return Err(ModelError::BadVector {
                    reason: "it holds NaN or infinity",
                });
            }
            // Saturates at both ends.
            let steps = (weight * STEPS).round() as u8;
            if steps > 0 {
                words.0.push(Word { number, steps });
            }
        }
        words.0.sort_unstable_by_key(|word| word.number);
        words.0.dedup_by_key(|word| word.number);
        Ok(words)
    }

    /// Reads what [`Words::to_bytes`] wrote; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<PACKED>();
        let words: Vec<Word> = words
            .iter()
            .map(|&[low, high, steps]| Word {
                number: u16::from_le_bytes([low, high]),
                steps,
            })
            .collect();
        let rising = words.is_sorted_by(|a, b| a.number < b.number);
        (rest.is_empty() && rising && words.iter().all(|word| word.steps > 0))
            .then_some(Self(words))
    }

    /// Three bytes a word.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0
            .iter()
            .flat_map(|word| {
                let [low, high] = word.number.to_le_bytes();
                [low, high, word.steps]
            })
            .collect()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Word> {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when the text has no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The weight of a word; 0 when it is none of these.
    pub fn weight(&self, number: u16) -> f64 {
        self.0
            .binary_search_by_key(&number, |word| word.number)
            .map_or(0.0, |at| self.0[at].weight())
    }
}

/// Shows their number only.
impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words")
            .field("words", &self.len())
            .finish_non_exhaustive()
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        for word in &mut self.0 {
            word.number.zeroize();
            word.steps.zeroize();
        }
    }
}

/// Turns text into weighted words. Shared between threads; every method may block for milliseconds.
pub trait Expander: Send + Sync {
    /// Name and build, such as `splade-tiny@0123456789abcdef`. Stored with every memory's words: those of
    /// different builds are never compared.
    fn id(&self) -> &str;

    /// The words of a passage; what exceeds the model's window is left out.
    ///
    /// # Errors
    /// [`ModelError::Blank`], or the model failed.
    fn expand(&self, text: &str) -> Result<Words, ModelError>;

    /// The words of a query. Repeated queries come from a cache.
    ///
    /// # Errors
    /// As for [`Expander::expand`].
    fn expand_query(&self, text: &str) -> Result<Words, ModelError> {
        self.expand(text)
    }

    /// The numbers of the words that stand in a text, rising; all others the model added.
    fn typed(&self, text: &str) -> Vec<u16>;

    /// How a word is written; a piece that continues a word begins with `##`.
    fn spelling(&self, number: u16) -> String;

    /// Drops and zeroizes whatever is cached, for when the vault is locked.
    fn forget(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_their_bytes() {
        let words = Words::of([(9, 1.0), (2, 0.5), (40_000, 99.0), (3, 0.001), (4, -1.0)]).unwrap();
        let steps: Vec<(u16, u8)> = words.iter().map(|word| (word.number, word.steps)).collect();
        assert_eq!(
            steps,
            [(2, 32), (9, 64), (40_000, 255)],
            "weights end at 255/64"
        );
        assert!((words.weight(2) - 0.5).abs() < 1e-12 && words.weight(3).abs() < 1e-12);
        assert_eq!(Words::from_bytes(&words.to_bytes()).as_ref(), Some(&words));
        assert_eq!(Words::from_bytes(&[]), Some(Words::default()));
    }

    #[test]
    fn bytes_that_nobody_wrote_are_refused() {
        for bad in [
            &[1, 0, 5, 7][..],
            &[2, 0, 5, 1, 0, 5],
            &[1, 0, 0],
            &[1, 0, 5, 1, 0, 5],
        ] {
            assert_eq!(Words::from_bytes(bad), None, "{bad:?}");
        }
        assert!(Words::of([(1, f32::NAN)]).is_err());
    }

    #[test]
    fn debug_output_names_no_word() {
        let words = Words::of([(1234, 1.0)]).unwrap();
        assert!(!format!("{words:?}").contains("1234"));
    }
}

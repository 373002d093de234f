//! What every embedding model offers, local or not.

use std::ops::Range;

use zeroize::Zeroize;

use crate::expander::{Expander, Words};
use crate::packed::PackedTokens;
use crate::{ModelError, Script};

/// Which model made a vector. Vectors of different identities are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelIdentity {
    /// Name, variant and the first half of the graph's SHA-256 in hexadecimal digits, such as
    /// `all-MiniLM-L6-v2/int8@50cc1149e2276a60`: another build of the same model gives other vectors.
    pub id: String,
    /// Numbers per vector.
    pub dimension: u32,
}

impl ModelIdentity {
    /// Name and variant without the build.
    pub fn name(&self) -> &str {
        name_of(&self.id)
    }
}

/// The name and variant in a [`ModelIdentity::id`], without the build.
pub fn name_of(id: &str) -> &str {
    id.split_once('@').map_or(id, |(name, _)| name)
}

/// How much of the machine embedding in the background may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Every core: nobody waits for anything else.
    Whole,
    /// All cores but one, at least one: a person is asking meanwhile.
    AllButOne,
}

/// One unit vector per token of a text, for late interaction.
///
/// Tokens that stand for no text of the input (start, end, padding) are left out. The three lists
/// run in parallel: token `i` has `spans[i]`, `words[i]` and
/// `values[i * dimension .. (i + 1) * dimension]`.
#[derive(Clone, Default, PartialEq)]
pub struct TokenVectors {
    /// The bytes of the text that the token stands for, on character boundaries.
    pub spans: Vec<Range<usize>>,
    /// The bytes of the whole word that the token is a piece of.
    pub words: Vec<Range<usize>>,
    /// Numbers per token.
    pub dimension: usize,
    /// All vectors, one after another, each of length 1.
    pub values: Vec<f32>,
}

impl TokenVectors {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True when the text has no token.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The vectors in token order.
    pub fn vectors(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension.max(1))
    }
}

/// What one look of the model at a passage gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// The vectors of its tokens.
    pub tokens: PackedTokens,
}

/// Shows sizes only: vectors give away what a text is about.
impl std::fmt::Debug for TokenVectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenVectors")
            .field("tokens", &self.len())
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}

impl Drop for TokenVectors {
    fn drop(&mut self) {
        self.values.zeroize();
    }
}

/// Turns text into vectors. Shared between threads; every method may block for milliseconds.
pub trait Embedder: Send + Sync {
    /// Which model this is. Stored with every vector.
    fn identity(&self) -> &ModelIdentity;

    /// Whether the model has learned this script. Where it has not, its similarities are noise and
    /// the caller must not let them vote. Digits, punctuation and blanks ([`Script::Common`]) are
    /// covered by every model.
    fn covers(&self, script: Script) -> bool;

    /// The query's vector, of length 1. Repeated queries come from a cache.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError>;

    /// One vector of length 1 per text, in order. A text's vector never depends on the others.
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError>;

    /// The expander that comes with the model, which covers the same scripts.
    fn expander(&self) -> Option<&dyn Expander> {
        None
    }

    /// The same with the vectors of the tokens, as [`Embedder::token_vectors`] gives them.
    fn read_passages(&self, texts: &[&str]) -> Result<Vec<Passage>, ModelError> {
        let vectors = self.embed_passages(texts)?;
        texts
            .iter()
            .zip(vectors)
            .map(|(text, vector)| {
                let tokens = PackedTokens::of(&self.token_vectors(text)?);
                Ok(Passage { vector, tokens })
            })
            .collect()
    }

    /// The words by which a passage should be found; `None` without an expander.
    fn words_of(&self, passage: &str) -> Result<Option<Words>, ModelError> {
        let expander = self.expander();
        expander
            .map(|expander| expander.expand(passage))
            .transpose()
    }

    /// From now on passages are embedded with no more than this of the machine.
    fn take_share(&self, _share: Share) {}

    /// How many tokens the text has, start and end marks not counted, however long it is.
    fn token_count(&self, text: &str) -> usize;

    /// Byte ranges that cut a text into pieces that fit the model ([`crate::WINDOW_TOKENS`]),
    /// neighbours sharing about [`crate::OVERLAP_TOKENS`] tokens. Together they cover the text,
    /// each lies on character boundaries, and a blank text has none.
    fn chunks(&self, text: &str) -> Vec<Range<usize>>;

    /// One vector per token; what exceeds the model's window is left out.
    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError>;

    /// Drops and zeroizes whatever is cached, for when the vault is locked.
    fn forget(&self) {}
}

impl<E: Embedder + ?Sized> Embedder for std::sync::Arc<E> {
    fn identity(&self) -> &ModelIdentity {
        (**self).identity()
    }
    fn covers(&self, script: Script) -> bool {
        (**self).covers(script)
    }
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        (**self).embed_query(text)
    }
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        (**self).embed_passages(texts)
    }
    fn expander(&self) -> Option<&dyn Expander> {
        (**self).expander()
    }
    fn read_passages(&self, texts: &[&str]) -> Result<Vec<Passage>, ModelError> {
        (**self).read_passages(texts)
    }
    fn take_share(&self, share: Share) {
        (**self).take_share(share);
    }
    fn token_count(&self, text: &str) -> usize {
        (**self).token_count(text)
    }
    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        (**self).chunks(text)
    }
    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
        (**self).token_vectors(text)
    }
    fn forget(&self) {
        (**self).forget();
    }
}

/// Checks a model's answer and scales it to length 1.
///
/// # Errors
/// [`ModelError::WrongLength`] unless it has `dimension` numbers; [`ModelError::BadVector`] when a
/// number is NaN or infinite, or when the vector is too short to have a direction.
pub fn unit_vector(mut values: Vec<f32>, dimension: usize) -> Result<Vec<f32>, ModelError> {
    if values.len() != dimension {
        let found = values.len();
        values.zeroize();
        return Err(ModelError::WrongLength {
            found,
            wanted: dimension,
        });
    }
    scale_to_unit(&mut values)?;
    Ok(values)
}

/// The same in place, for one token of many.
pub(crate) fn scale_to_unit(values: &mut [f32]) -> Result<(), ModelError> {
    if values.iter().any(|v| !v.is_finite()) {
        return Err(ModelError::BadVector {
            reason: "it holds NaN or infinity",
        });
    }
    // In f64, so that squares of large numbers stay finite and of small ones stay above zero.
    let length = values
        .iter()
        .map(|&v| f64::from(v) * f64::from(v))
        .sum::<f64>()
        .sqrt();
    if length < f64::from(f32::MIN_POSITIVE) {
        return Err(ModelError::BadVector {
            reason: "it is all zeros",
        });
    }
    for value in values {
        *value = (f64::from(*value) / length) as f32;
    }
    Ok(())
}

/// Cosine of two unit vectors, which is their dot product. Zero when their lengths differ.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    f64::from(dot(a, b))
}

/// Dot product in eight independent sums, which lets the compiler use vector instructions.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0_f32; LANES];
    let (a_blocks, b_blocks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_blocks
        .remainder()
        .iter()
        .zip(b_blocks.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_blocks.zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usable_vector_is_scaled_to_length_one() {
        let unit = unit_vector(vec![3.0, 4.0], 2).unwrap();
        assert!((unit[0] - 0.6).abs() < 1e-6 && (unit[1] - 0.8).abs() < 1e-6);
        let huge = unit_vector(vec![3e38, 3e38], 2).unwrap();
        assert!((cosine(&huge, &huge) - 1.0).abs() < 1e-6);
        let tiny = unit_vector(vec![1e-30, 0.0], 2).unwrap();
        assert!((tiny[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn unusable_vectors_are_refused() {
        for bad in [
            vec![0.0, 0.0],
            vec![f32::NAN, 1.0],
            vec![1.0, f32::INFINITY],
            vec![f32::NEG_INFINITY, 0.0],
        ] {
            assert!(matches!(
                unit_vector(bad, 2),
                Err(ModelError::BadVector { .. })
            ));
        }
        assert!(matches!(
            unit_vector(vec![1.0], 2),
            Err(ModelError::WrongLength {
                found: 1,
                wanted: 2
            })
        ));
    }

    #[test]
    fn dot_agrees_with_the_plain_sum_for_every_length() {
        for length in 0..40_usize {
            let a: Vec<f32> = (0..length).map(|i| i as f32 * 0.5 - 3.0).collect();
            let b: Vec<f32> = (0..length).map(|i| 2.0 - i as f32 * 0.25).collect();
            let plain: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-2, "length {length}");
        }
        assert!(cosine(&[1.0], &[1.0, 0.0]).abs() < f64::EPSILON);
    }

    #[test]
    fn debug_output_holds_no_numbers_of_the_vectors() {
        let vectors = TokenVectors {
            spans: vec![0..3],
            words: vec![0..3],
            dimension: 1,
            values: vec![0.123_456],
        };
        assert!(!format!("{vectors:?}").contains("0.123"));
    }
}

//! Vectors: what a model answered, checked and scaled to length 1, and how two of them compare.

use std::ops::Range;

use zeroize::Zeroize;

use crate::ModelError;

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

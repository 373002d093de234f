//! Token vectors small enough to keep: two bits a number.
//!
//! A number keeps its sign and whether it is large: the two levels and the threshold between them
//! are those with the least squared error for numbers that are normally distributed (Max 1960,
//! "Quantizing for minimum distortion"), which the coordinates of a unit vector of many dimensions
//! nearly are. Each token carries besides by how much its product with itself came out too small,
//! so that the estimate of a product with another vector is not lowered by the packing (Gao and Long
//! 2024, "RaBitQ", arXiv:2405.12497): 100 bytes for a token of 384 dimensions in place of 1,536.
//!
//! Bytes, little-endian: version (1 byte), dimension (u16), number of tokens (u16), the scale of each
//! (f32), then the numbers of each, four to a byte, the first in the lowest bits: bit 0 the sign, bit 1
//! whether it is large.

use std::sync::LazyLock;

use zeroize::Zeroize as _;

use crate::vectors::{TokenVectors, dot};

const VERSION: u8 = 1;

/// In units of the numbers' standard deviation.
const THRESHOLD: f32 = 0.9816;
const SMALL: f32 = 0.4528;
const LARGE: f32 = 1.510;

/// The four numbers of each byte.
static NUMBERS: LazyLock<[[f32; 4]; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        std::array::from_fn(|place| match byte >> (2 * place) & 3 {
            0 => SMALL,
            1 => -SMALL,
            2 => LARGE,
            _ => -LARGE,
        })
    })
});

/// The token vectors of a passage. Whoever has them can tell what the text is about: they
/// are wiped when dropped, and shown by their number only.
#[derive(Clone, Default, PartialEq)]
pub struct PackedTokens {
    dimension: usize,
    scales: Vec<f32>,
    numbers: Vec<u8>,
}

impl PackedTokens {
    /// Packs token vectors of a dimension below 65,536; of more than 65,535 tokens the first.
    pub fn of(tokens: &TokenVectors) -> Self {
        let mut packed = PackedTokens {
            dimension: tokens.dimension,
            scales: Vec::new(),
            numbers: Vec::new(),
        };
        for token in tokens.vectors().take(usize::from(u16::MAX)) {
            packed.push(token);
        }
        packed
    }

    fn push(&mut self, token: &[f32]) {
        let threshold = THRESHOLD / (token.len() as f32).sqrt();
        let from = self.numbers.len();
        for four in token.chunks(4) {
            let mut byte = 0;
            for (place, &number) in four.iter().enumerate() {
                let bits = u8::from(number < 0.0) | u8::from(number.abs() > threshold) << 1;
                byte |= bits << (2 * place);
            }
            self.numbers.push(byte);
        }
        let mut unpacked = vec![0.0; token.len().next_multiple_of(4)];
        unpack(&self.numbers[from..], &mut unpacked);
        let own = dot(token, &unpacked[..token.len()]);
        unpacked.zeroize();
        self.scales.push(own.recip());
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// True when there is no token.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Numbers per token.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Bytes held, for caches that are bounded by size.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.len() + size_of_val(self.scales.as_slice())
    }

    /// For each token of `query` the cosine of the nearest token, 0 at least, and 0 for those without
    /// weight, which are not looked for.
    pub(crate) fn nearest(&self, query: &TokenVectors, weights: &[f64]) -> Vec<f32> {
        let mut best = vec![0.0_f32; query.len()];
        if self.dimension != query.dimension {
            return best;
        }
        let mut unpacked = vec![0.0; self.dimension.next_multiple_of(4)];
        let tokens = self.numbers.chunks_exact(self.dimension.div_ceil(4).max(1));
        for (numbers, &scale) in tokens.zip(&self.scales) {
            unpack(numbers, &mut unpacked);
            let sought = best.iter_mut().zip(query.vectors()).zip(weights);
            for ((best, vector), _) in sought.filter(|(_, weight)| **weight != 0.0) {
                *best = best.max(scale * dot(vector, &unpacked[..vector.len()]));
            }
        }
        unpacked.zeroize();
        best
    }

    /// As it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend((self.dimension as u16).to_le_bytes());
        bytes.extend((self.scales.len() as u16).to_le_bytes());
        bytes.extend(self.scales.iter().flat_map(|scale| scale.to_le_bytes()));
        bytes.extend_from_slice(&self.numbers);
        bytes
    }

    /// What was kept; `None` for bytes that are not of this form or of one that came later.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&VERSION, bytes) = bytes.split_first()? else {
            return None;
        };
        let (dimension, bytes) = bytes.split_first_chunk()?;
        let (tokens, bytes) = bytes.split_first_chunk()?;
        let dimension = usize::from(u16::from_le_bytes(*dimension));
        let tokens = usize::from(u16::from_le_bytes(*tokens));
        let (scales, numbers) = bytes.split_at_checked(4 * tokens)?;
        let scales: Vec<f32> = scales
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&four| f32::from_le_bytes(four))
            .collect();
        let whole = numbers.len() == tokens * dimension.div_ceil(4)
            && scales.iter().all(|scale| scale.is_finite());
        whole.then(|| PackedTokens {
            dimension,
            scales,
            numbers: numbers.to_vec(),
        })
    }
}

fn unpack(numbers: &[u8], into: &mut [f32]) {
    let table = &*NUMBERS;
    for (four, &byte) in into.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
        *four = table[usize::from(byte)];
    }
}

impl std::fmt::Debug for PackedTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackedTokens")
            .field("tokens", &self.len())
            .finish_non_exhaustive()
    }
}

impl Drop for PackedTokens {
    fn drop(&mut self) {
        self.numbers.zeroize();
        self.scales.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vectors::{cosine, scale_to_unit};

    fn tokens(dimension: usize, values: &[f32]) -> TokenVectors {
        let mut all = TokenVectors::default();
        all.dimension = dimension;
        for token in values.chunks_exact(dimension) {
            let from = all.values.len();
            all.values.extend_from_slice(token);
            if scale_to_unit(&mut all.values[from..]).is_err() {
                all.values.truncate(from);
                continue;
            }
            all.spans.push(0..1);
            all.words.push(0..1);
        }
        all
    }

    #[test]
    fn a_token_is_wholly_like_itself_and_others_come_out_nearly_right() {
        let mut state = 1_u32;
        let values: Vec<f32> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        })
        .take(20 * 384)
        .collect();
        let all = tokens(384, &values);
        let packed = PackedTokens::of(&all);
        for (at, own) in all.vectors().enumerate() {
            let one = PackedTokens::of(&tokens(384, own));
            for (other, near) in all.vectors().zip(one.nearest(&all, &[1.0; 20]).iter()) {
                assert!((f64::from(*near) - cosine(own, other).max(0.0)).abs() < 0.06);
            }
            assert!((packed.nearest(&all, &[1.0; 20])[at] - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn bytes_that_are_cut_or_of_another_form_are_refused() {
        let packed = PackedTokens::of(&tokens(8, &[0.5; 32]));
        let bytes = packed.to_bytes();
        assert_eq!(bytes.len(), 1 + 2 + 2 + 4 * (4 + 2));
        for end in 0..bytes.len() {
            assert_eq!(PackedTokens::from_bytes(&bytes[..end]), None, "{end}");
        }
        let mut later = bytes.clone();
        later[0] += 1;
        assert_eq!(PackedTokens::from_bytes(&later), None);
        let longer = [bytes, vec![0]].concat();
        assert_eq!(PackedTokens::from_bytes(&longer), None);
    }

    proptest! {
        #[test]
        fn what_is_kept_comes_back(
            dimension in 1..40_usize,
            values in proptest::collection::vec(-1.0..1.0_f32, 0..400),
        ) {
            let tokens = tokens(dimension, &values);
            let packed = PackedTokens::of(&tokens);
            prop_assert_eq!(packed.len(), tokens.len());
            prop_assert_eq!(PackedTokens::from_bytes(&packed.to_bytes()), Some(packed));
        }

        #[test]
        fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Some(packed) = PackedTokens::from_bytes(&bytes) {
                let query = tokens(packed.dimension().max(1), &vec![0.5; packed.dimension().max(1) * 2]);
                let _ = packed.nearest(&query, &[1.0; 2]);
            }
        }
    }
}

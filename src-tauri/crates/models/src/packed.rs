//! Token vectors small enough to keep: two bits a number.
//!
//! A number keeps its sign and whether it is large: the two levels and the threshold between them
//! are those with the least squared error for numbers that are normally distributed (Max 1960,
//! "Quantizing for minimum distortion"), which the coordinates of a unit vector of many dimensions
//! nearly are. Each token carries besides by how much its product with itself came out too small,
//! so that the estimate of a product with another vector is not lowered by the packing (Gao and Long
//! 2024, "RaBitQ", arXiv:2405.12497): 100 bytes for a token of 384 dimensions in place of 1,536.
//!
//! Bytes, little-endian: version (1 byte), dimension (u16), number of chunks (u16), tokens of each
//! chunk (u16 each), then per token its scale (f32) and its numbers, four to a byte, the first in the
//! lowest bits: bit 0 the sign, bit 1 whether it is large.

use std::sync::LazyLock;

use zeroize::Zeroize as _;

use crate::embedder::{TokenVectors, dot};

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

/// The token vectors of a text, chunk by chunk. Whoever has them can tell what the text is about: they
/// are wiped when dropped, and shown by their number only.
#[derive(Clone, Default, PartialEq)]
pub struct PackedTokens {
    dimension: usize,
    /// How many tokens each chunk has.
    chunks: Vec<u16>,
    scales: Vec<f32>,
    numbers: Vec<u8>,
}

impl PackedTokens {
    /// Packs the token vectors of a text's chunks; they must be of one dimension, below 65,536.
    pub fn of(chunks: &[TokenVectors]) -> Self {
        let mut packed = PackedTokens::default();
        for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
            packed.dimension = chunk.dimension;
            packed
                .chunks
                .push(u16::try_from(chunk.len()).unwrap_or(u16::MAX));
            for token in chunk.vectors().take(usize::from(u16::MAX)) {
                packed.push(token);
            }
        }
        packed
    }

    /// The chunks of all of these, in order.
    pub fn joined(parts: impl IntoIterator<Item = PackedTokens>) -> Self {
        let mut joined = PackedTokens::default();
        for part in parts {
            if !part.is_empty() {
                joined.dimension = part.dimension;
            }
            joined.chunks.extend_from_slice(&part.chunks);
            joined.scales.extend_from_slice(&part.scales);
            joined.numbers.extend_from_slice(&part.numbers);
        }
        joined
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
        self.numbers.len() + size_of_val(self.scales.as_slice()) + 2 * self.chunks.len()
    }

    /// For each chunk and each token of `query` the cosine of the nearest token, 0 at least.
    pub(crate) fn nearest(&self, query: &TokenVectors) -> Vec<Vec<f32>> {
        if self.dimension != query.dimension {
            return Vec::new();
        }
        let mut unpacked = vec![0.0; self.dimension.next_multiple_of(4)];
        let mut tokens = self
            .numbers
            .chunks_exact(self.dimension.div_ceil(4).max(1))
            .zip(&self.scales);
        let nearest = self
            .chunks
            .iter()
            .map(|&count| {
                let mut best = vec![0.0_f32; query.len()];
                for (numbers, &scale) in tokens.by_ref().take(usize::from(count)) {
                    unpack(numbers, &mut unpacked);
                    for (best, vector) in best.iter_mut().zip(query.vectors()) {
                        *best = best.max(scale * dot(vector, &unpacked[..vector.len()]));
                    }
                }
                best
            })
            .collect();
        unpacked.zeroize();
        nearest
    }

    /// As it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend((self.dimension as u16).to_le_bytes());
        bytes.extend((self.chunks.len() as u16).to_le_bytes());
        bytes.extend(self.chunks.iter().flat_map(|count| count.to_le_bytes()));
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
        let (count, bytes) = bytes.split_first_chunk()?;
        let dimension = usize::from(u16::from_le_bytes(*dimension));
        let count = usize::from(u16::from_le_bytes(*count));
        let (chunks, bytes) = bytes.split_at_checked(2 * count)?;
        let chunks: Vec<u16> = chunks
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&two| u16::from_le_bytes(two))
            .collect();
        let tokens = chunks
            .iter()
            .map(|&count| usize::from(count))
            .sum::<usize>();
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
            chunks,
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
    use crate::embedder::{cosine, scale_to_unit};

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
        let packed = PackedTokens::of(std::slice::from_ref(&all));
        for (at, own) in all.vectors().enumerate() {
            let one = PackedTokens::of(&[tokens(384, own)]);
            for (other, near) in all.vectors().zip(one.nearest(&all)[0].iter()) {
                assert!((f64::from(*near) - cosine(own, other).max(0.0)).abs() < 0.06);
            }
            assert!((packed.nearest(&all)[0][at] - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn bytes_that_are_cut_or_of_another_form_are_refused() {
        let packed = PackedTokens::of(&[tokens(8, &[0.5; 24]), tokens(8, &[-0.25; 8])]);
        let bytes = packed.to_bytes();
        assert_eq!(bytes.len(), 1 + 2 + 2 + 2 * 2 + 4 * (4 + 2));
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
            chunks in proptest::collection::vec(proptest::collection::vec(-1.0..1.0_f32, 0..200), 0..4),
        ) {
            let chunks: Vec<_> = chunks.iter().map(|values| tokens(dimension, values)).collect();
            let packed = PackedTokens::of(&chunks);
            prop_assert_eq!(packed.len(), chunks.iter().map(TokenVectors::len).sum::<usize>());
            prop_assert_eq!(PackedTokens::from_bytes(&packed.to_bytes()), Some(packed));
        }

        #[test]
        fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Some(packed) = PackedTokens::from_bytes(&bytes) {
                let query = tokens(packed.dimension().max(1), &vec![0.5; packed.dimension().max(1) * 2]);
                let _ = packed.nearest(&query);
            }
        }
    }
}

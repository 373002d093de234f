//! Cutting a long text into pieces that fit the model's window.
//!
//! The unit is the model's own token. A piece holds at most [`WINDOW_TOKENS`] tokens including the
//! model's start and end marks, begins and ends between words (inside a word only when that single
//! word exceeds the window), and repeats about [`OVERLAP_TOKENS`] tokens of its predecessor, so that
//! a sentence on the border is whole in at least one of them.

use std::ops::Range;

/// Tokens per piece, the model's start and end marks included.
pub const WINDOW_TOKENS: usize = 256;

/// Tokens that a piece shares with the one before it, at least, where words allow.
pub const OVERLAP_TOKENS: usize = 32;

/// Bytes of a word with its blank in English; about two characters of Chinese or Japanese.
const BYTES_PER_WORD: f64 = 6.0;

/// About how many words a text of so many bytes has.
pub fn words_in(bytes: usize) -> f64 {
    bytes as f64 / BYTES_PER_WORD
}

/// One token: its bytes in the text and the number of the word that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub start: usize,
    pub end: usize,
    pub word: u32,
}

/// Byte ranges of the pieces. `room` is the number of tokens per piece, marks not counted.
///
/// Guarantee: for a non-blank text the ranges are in order, none is empty, each lies on character
/// boundaries, the first begins at 0, the last ends at the text's end, and neighbours overlap or
/// have nothing but blanks between them.
pub(crate) fn chunk(
    text: &str,
    tokens: &[Piece],
    room: usize,
    overlap: usize,
) -> Vec<Range<usize>> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let room = room.max(2);
    let overlap = overlap.min(room / 2);
    if tokens.len() <= room {
        return std::iter::once(0..text.len()).collect();
    }
    let starts_word = |at: usize| at == 0 || tokens[at].word != tokens[at - 1].word;
    let mut ranges = Vec::new();
    let (mut first, mut covered) = (0, 0);
    loop {
        let from = if first == 0 {
            0
        } else {
            text.floor_char_boundary(tokens[first].start)
        };
        if tokens.len() - first <= room {
            ranges.push(from..text.len());
            return ranges;
        }
        // The end: the last word border that fits, else in the middle of an oversized word.
        let hard = first + room;
        // It lies beyond the last piece's end, or an oversized word would yield a piece twice.
        let end = (covered + 1..=hard)
            .rev()
            .find(|&at| starts_word(at))
            .unwrap_or(hard);
        covered = end;
        let to = text.ceil_char_boundary(tokens[end - 1].end);
        ranges.push(from..to);
        // The next start: a word border at least `overlap` tokens back, but always beyond the
        // last start, or the loop would not end.
        let target = end.saturating_sub(overlap).max(first + 1);
        first = (first + 1..=target)
            .rev()
            .find(|&at| starts_word(at))
            .filter(|&at| end - at <= room / 2)
            .unwrap_or(target);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tokens of up to three characters inside blank-separated words.
    fn tokens(text: &str) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut word, mut length) = (0, 0);
        for (at, c) in text.char_indices() {
            if c.is_whitespace() {
                word += 1;
                length = 0;
                continue;
            }
            let end = at + c.len_utf8();
            match pieces.last_mut() {
                Some(last) if last.word == word && length < 3 => last.end = end,
                _ => {
                    pieces.push(Piece {
                        start: at,
                        end,
                        word,
                    });
                    length = 0;
                }
            }
            length += 1;
        }
        pieces
    }

    #[test]
    fn a_blank_text_has_no_piece_and_a_short_one_exactly_one() {
        assert!(chunk(" \n\t", &[], 10, 2).is_empty());
        assert!(chunk("", &[], 10, 2).is_empty());
        let text = "  short text \n";
        assert_eq!(chunk(text, &tokens(text), 10, 2), [0..text.len()]);
    }

    #[test]
    fn pieces_end_between_words_and_overlap() {
        let text = "one two six ten one two six ten one two six ten";
        let found = chunk(text, &tokens(text), 5, 2);
        assert!(found.len() > 2);
        for range in &found {
            let piece = &text[range.clone()];
            assert!(piece.split(' ').all(|word| word.len() == 3), "{piece}");
        }
        for pair in found.windows(2) {
            let shared = &text[pair[1].start..pair[0].end];
            assert_eq!(shared.split(' ').count(), 2, "{shared}");
        }
    }

    #[test]
    fn a_word_that_exceeds_the_window_is_cut_inside() {
        let text = "é".repeat(100);
        let found = chunk(&text, &tokens(&text), 6, 2);
        assert!(found.len() > 3);
        assert_eq!(found.last().unwrap().end, text.len());
    }

    proptest! {
        #[test]
        fn pieces_cover_the_text_within_the_window(
            text in "[a-zé项 \n]{0,400}",
            room in 2_usize..40,
            overlap in 0_usize..50,
        ) {
            let pieces = tokens(&text);
            let ranges = chunk(&text, &pieces, room, overlap);
            prop_assert_eq!(ranges.is_empty(), text.trim().is_empty());
            if let (Some(first), Some(last)) = (ranges.first(), ranges.last()) {
                prop_assert_eq!(first.start, 0);
                prop_assert_eq!(last.end, text.len());
            }
            for pair in ranges.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end);
                prop_assert!(pair[1].start <= pair[0].end
                    || text[pair[0].end..pair[1].start].trim().is_empty());
            }
            for range in ranges {
                prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
                let held = pieces.iter().filter(|t| t.start >= range.start && t.end <= range.end);
                let held = held.count();
                prop_assert!(held >= 1 && held <= room, "{} of {}", held, room);
            }
        }
    }
}

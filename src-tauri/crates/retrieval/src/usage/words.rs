//! Words by their stems, and pieces of text without blanks.

use memory::{fold_with_map, original_range};
use rust_stemmers::{Algorithm, Stemmer};

use super::{Term, TermKind};
use crate::highlight::words_of;
use crate::stage::route::{is_stop_word, is_unspaced};

/// Characters of a word, at least: shorter ones are grammar.
const SHORTEST: usize = 3;

/// Words and pieces of a text, in order. A run that holds a figure is a name or nothing.
pub(super) fn words(text: &str) -> Vec<Term> {
    let (folded, map) = fold_with_map(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms = Vec::new();
    for run in words_of(&folded) {
        for part in parts(&folded, run) {
            let piece = &folded[part.clone()];
            let written = |range| text[original_range(&map, range)].to_owned();
            if piece.chars().next().is_some_and(is_unspaced) {
                let starts: Vec<usize> = piece.char_indices().map(|(at, _)| at).collect();
                for (place, &start) in starts.iter().enumerate() {
                    if place + SHORTEST > starts.len() {
                        break;
                    }
                    let end = starts.get(place + SHORTEST).copied().unwrap_or(piece.len());
                    terms.push(Term {
                        kind: TermKind::Piece,
                        key: piece[start..end].to_owned(),
                        folded: piece[start..end].to_owned(),
                        written: written(part.start + start..part.start + end),
                        at: part.start + start,
                        length: 0,
                    });
                }
            } else if piece.chars().count() >= SHORTEST
                && !piece.chars().any(char::is_numeric)
                && !is_stop_word(piece)
            {
                terms.push(Term {
                    kind: TermKind::Word,
                    key: stemmer.stem(piece).into_owned(),
                    folded: piece.to_owned(),
                    written: written(part.clone()),
                    at: part.start,
                    length: 0,
                });
            }
        }
    }
    terms
}

/// A run of letters, parted where scripts with and without blanks meet.
fn parts(folded: &str, run: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
    let mut before = None;
    for (at, c) in folded[run.clone()].char_indices() {
        let (start, end) = (run.start + at, run.start + at + c.len_utf8());
        // A mark stays with the letter that it stands on.
        let unspaced = if unicode_normalization::char::is_combining_mark(c) {
            before.unwrap_or(false)
        } else {
            is_unspaced(c)
        };
        match parts.last_mut() {
            Some(part) if before == Some(unspaced) => part.end = end,
            _ => parts.push(start..end),
        }
        before = Some(unspaced);
    }
    parts
}

//! Cuts a document into chunks.
//!
//! The cut depends on the text alone, not on a model: the same document has the same chunks with
//! every model and with none. A chunk ends at the last border within reach, the strongest first:
//! paragraph, line, sentence, word; the next one begins a little before that end, so that a
//! sentence on the border is whole in one of them.
//!
//! Guarantee: ranges in order, on character boundaries, none blank; together they hold every word
//! of the text; a blank text has none.

use std::ops::Range;

use models::Script;

/// How much a chunk holds: letters, a character of a script without blanks counted threefold. About
/// 200 tokens of English, within what the usual models read at once.
const ROOM: usize = 900;
/// How much of it the next chunk repeats.
const OVERLAP: usize = 120;

fn weight(c: char) -> usize {
    if c.is_ascii() {
        1
    } else if Script::of(c).is_unspaced() {
        3
    } else {
        1
    }
}

/// The chunks of a text, as ranges of bytes.
pub fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let reach = reach(text, start);
        let end = if reach == text.len() {
            reach
        } else {
            border(text, start, reach)
        };
        if !text[start..end].trim().is_empty() {
            found.push(start..end);
        }
        start = if end == text.len() {
            end
        } else {
            repeated(text, start, end)
        };
    }
    found
}

/// How far a chunk can go from `start`.
fn reach(text: &str, start: usize) -> usize {
    let mut used = 0;
    for (at, c) in text[start..].char_indices() {
        used += weight(c);
        if used > ROOM {
            return start + at;
        }
    }
    text.len()
}

/// The strongest border in the second half of what is in reach.
fn border(text: &str, start: usize, reach: usize) -> usize {
    let from = text.ceil_char_boundary(start + (reach - start) / 2);
    let half = &text[from..reach];
    let behind = |found: Option<usize>, length: usize| found.map(|at| from + at + length);
    let sentence = || {
        half.char_indices()
            .rev()
            .find(|&(at, c)| match c {
                '。' | '！' | '？' => true,
                '.' | '!' | '?' => half[at + 1..].starts_with(char::is_whitespace),
                _ => false,
            })
            .map(|(at, c)| at + c.len_utf8())
    };
    let word = || {
        half.char_indices()
            .rev()
            .find(|(_, c)| c.is_whitespace())
            .map(|(at, c)| at + c.len_utf8())
    };
    behind(half.rfind("\n\n"), 2)
        .or_else(|| behind(half.rfind('\n'), 1))
        .or_else(|| behind(sentence(), 0))
        .or_else(|| behind(word(), 0))
        .unwrap_or(reach)
}

/// Where the next chunk begins: at a word, a little before `end`, always beyond `start`.
fn repeated(text: &str, start: usize, end: usize) -> usize {
    let mut used = 0;
    let mut from = end;
    for (at, c) in text[start..end].char_indices().rev() {
        used += weight(c);
        if used > OVERLAP {
            break;
        }
        from = start + at;
    }
    let before = text[..from].chars().next_back();
    let inside_word = before.is_some_and(|c| !c.is_whitespace() && !Script::of(c).is_unspaced());
    if inside_word {
        from = text[from..end]
            .find(char::is_whitespace)
            .map_or(end, |at| from + at);
    }
    // Blanks at the start of a chunk tell nothing.
    from += text[from..end].len() - text[from..end].trim_start().len();
    if from > start { from } else { end }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_one_chunk_and_a_blank_one_none() {
        assert_eq!(chunks("tea"), vec![0..3]);
        assert!(chunks("").is_empty() && chunks(" \n\t ").is_empty());
    }

    #[test]
    fn chunks_end_at_paragraphs_and_repeat_a_little() {
        let paragraph = format!("{}.\n\n", "seven letters here ".repeat(30).trim_end());
        let text = paragraph.repeat(3);
        let found = chunks(&text);
        assert!(found.len() >= 3, "{found:?}");
        for range in &found[..found.len() - 1] {
            assert!(text[range.clone()].ends_with(".\n\n"), "{range:?}");
        }
        for pair in found.windows(2) {
            let shared = &text[pair[1].start..pair[0].end];
            assert!((20..=OVERLAP).contains(&shared.len()), "{}", shared.len());
            assert!(shared.starts_with(['s', 'l', 'h']), "{shared}");
        }
    }

    #[test]
    fn text_without_blanks_is_cut_at_sentences() {
        let text = "备份每天夜里运行一次。".repeat(80);
        let found = chunks(&text);
        assert!(found.len() > 2);
        for range in &found[..found.len() - 1] {
            let piece = &text[range.clone()];
            assert!(piece.ends_with('。'), "{piece}");
            assert!(piece.chars().map(weight).sum::<usize>() <= ROOM);
            assert!(piece.chars().count() > ROOM / 6, "{piece}");
        }
    }

    proptest! {
        #[test]
        fn every_word_is_in_some_chunk(text in "([a-zé项🔴.\n ]{0,40}|[a-z]{0,400}){0,40}") {
            let found = chunks(&text);
            prop_assert_eq!(found.is_empty(), text.trim().is_empty());
            let mut covered = 0;
            for range in &found {
                prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
                prop_assert!(!text[range.clone()].trim().is_empty());
                prop_assert!(text[covered..range.start.max(covered)].trim().is_empty());
                let held: usize = text[range.clone()].chars().map(weight).sum();
                prop_assert!(held <= ROOM);
                prop_assert!(range.end > covered);
                covered = range.end;
            }
            prop_assert!(text[covered..].trim().is_empty());
        }
    }
}

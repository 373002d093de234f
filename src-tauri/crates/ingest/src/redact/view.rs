//! A text as it reads, whatever it was wrapped in: escapes of JSON at any depth, entities of HTML
//! and colours of terminals are resolved, and every place leads back to the bytes it came from.
//!
//! A secret then has one shape only. Without this, the `n` of an escaped line end would stand
//! directly before a token and make one word of both.

use std::borrow::Cow;

use memchr::memchr3;

/// A stretch of the view. The places in it run with those of the source, or stand for one escape.
#[derive(Clone, Copy, Debug)]
struct Piece {
    view: usize,
    source: usize,
    /// Bytes of the escape in the source; 0 for a stretch that was copied.
    escape: usize,
    /// How deep the character is wrapped.
    depth: u32,
}

/// A stretch of the source that reads otherwise than it is written.
struct Escape {
    length: usize,
    /// What it stands for; nothing for a colour.
    with: Option<char>,
    depth: u32,
}

/// The text without its wrapping.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// What the rules read.
    pub text: Cow<'a, str>,
    pieces: Vec<Piece>,
}

/// How deep a quote is wrapped that was written as an entity: as deep as no backslashes reach.
const ENTITY: u32 = 64;

impl<'a> View<'a> {
    /// The view of a text; the text itself when nothing in it is wrapped.
    pub(super) fn of(source: &'a str) -> Self {
        let bytes = source.as_bytes();
        let mut view = Self {
            text: Cow::Borrowed(source),
            pieces: Vec::new(),
        };
        let Some(first) = memchr3(b'\\', b'&', 0x1b, bytes) else {
            return view;
        };
        let mut text = String::with_capacity(source.len());
        let (mut kept, mut at) = (0, first);
        loop {
            match escape_at(source, at) {
                Some(escape) => {
                    text.push_str(&source[kept..at]);
                    if let Some(with) = escape.with {
                        view.pieces.push(Piece {
                            view: text.len(),
                            source: at,
                            escape: escape.length,
                            depth: escape.depth,
                        });
                        text.push(with);
                    }
                    at += escape.length;
                    kept = at;
                    view.pieces.push(Piece {
                        view: text.len(),
                        source: at,
                        escape: 0,
                        depth: 0,
                    });
                }
                None => at += 1,
            }
            match memchr3(b'\\', b'&', 0x1b, &bytes[at..]) {
                Some(next) => at += next,
                None => break,
            }
        }
        if view.pieces.is_empty() {
            return view;
        }
        text.push_str(&source[kept..]);
        view.text = Cow::Owned(text);
        view
    }

    fn piece(&self, place: usize) -> Option<Piece> {
        let after = self.pieces.partition_point(|piece| piece.view <= place);
        self.pieces.get(after.checked_sub(1)?).copied()
    }

    /// Where the character at a place of the view begins in the source.
    fn begin(&self, place: usize) -> usize {
        self.piece(place)
            .map_or(place, |piece| piece.source + (place - piece.view))
    }

    /// Where what ends at a place of the view ends in the source.
    fn end(&self, place: usize) -> usize {
        let Some(last) = place.checked_sub(1) else {
            return 0;
        };
        match self.piece(last) {
            None => place,
            Some(piece) if piece.escape > 0 => piece.source + piece.escape,
            Some(piece) => piece.source + (place - piece.view),
        }
    }

    /// The bytes of the source that a stretch of the view came from; whole escapes only.
    pub(super) fn source(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.begin(range.start)..self.end(range.end)
    }

    /// How deep the quote at a place is wrapped: 0 as it stands, 1 behind a backslash, and so on. A
    /// value ends at a quote as deep as the one it began with.
    pub(super) fn depth(&self, place: usize) -> u32 {
        self.piece(place).map_or(0, |piece| piece.depth)
    }
}

/// The escape that begins at a place.
fn escape_at(source: &str, at: usize) -> Option<Escape> {
    let bytes = source.as_bytes();
    let (length, with) = match bytes[at] {
        b'\\' => backslashes(source, at)?,
        b'&' => entity(source, at)?,
        _ => colour(bytes, at + 1).map(|end| (end - at, None))?,
    };
    let depth = if bytes[at] == b'&' {
        ENTITY
    } else {
        // At depth d a quote has 2ᵈ − 1 backslashes before it, besides pairs that are backslashes
        // themselves.
        let run = bytes[at..].iter().take_while(|b| **b == b'\\').count();
        (run + 1).trailing_zeros()
    };
    Some(Escape {
        length,
        with,
        depth,
    })
}

/// The end of a terminal's control sequence whose escape character ends at `at`.
fn colour(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'[' => {
            let end = bytes[at + 1..]
                .iter()
                .take(24)
                .position(|b| (0x40..=0x7e).contains(b))?;
            Some(at + 2 + end)
        }
        b']' => {
            let end = bytes[at + 1..]
                .iter()
                .take(512)
                .position(|b| matches!(b, 7 | 0x1b | b'\n'))?;
            (bytes[at + 1 + end] == 7).then_some(at + 2 + end)
        }
        b'(' | b')' => (at + 2 <= bytes.len()).then_some(at + 2),
        _ => None,
    }
}

fn backslashes(source: &str, at: usize) -> Option<(usize, Option<char>)> {
    let bytes = source.as_bytes();
    let run = bytes[at..].iter().take_while(|b| **b == b'\\').count();
    let next = at + run;
    let code = |from: usize, digits: usize| {
        let written = source.get(from..from + digits)?;
        let value = u32::from_str_radix(written, 16).ok()?;
        char::from_u32(value)
    };
    let plain = |with: char| Some((run + 1, Some(with)));
    let or_colour = |character: char, end: usize| {
        if character == '\u{1b}' {
            colour(bytes, end).map(|end| (end - at, None))
        } else {
            Some((end - at, Some(character)))
        }
    };
    match bytes.get(next).copied() {
        // A backslash at the end of a line, at one, two or three depths: the line goes on.
        Some(b'n' | b'r') if matches!(run, 3 | 6 | 12) => plain(' '),
        Some(b'n' | b'r') => plain('\n'),
        Some(b't') => plain('\t'),
        Some(b'\n') => plain(' '),
        Some(b'\r') if bytes.get(next + 1) == Some(&b'\n') => Some((run + 2, Some(' '))),
        Some(b'/') => plain('/'),
        Some(quote @ (b'"' | b'\'' | b'`')) if run % 2 == 1 || run == 0 => plain(quote.into()),
        // An even number of backslashes stands for backslashes; the quote behind them ends the value.
        Some(b'"' | b'\'' | b'`') => Some((run, Some('\\'))),
        Some(b'u') => match code(next + 1, 4) {
            Some(character) => or_colour(character, next + 5),
            None => None,
        },
        Some(b'x') => match code(next + 1, 2) {
            Some(character) => or_colour(character, next + 3),
            None => None,
        },
        Some(b'e') => colour(bytes, next + 1).map(|end| (end - at, None)),
        Some(b'0') if bytes[next..].starts_with(b"033") => {
            colour(bytes, next + 3).map(|end| (end - at, None))
        }
        _ if run > 1 => Some((run, Some('\\'))),
        _ => None,
    }
}

fn entity(source: &str, at: usize) -> Option<(usize, Option<char>)> {
    let head = &source.as_bytes()[at + 1..];
    let length = head.iter().take(8).position(|b| *b == b';')?;
    let name = source.get(at + 1..at + 1 + length)?;
    let with = match name {
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        "colon" => ':',
        "equals" => '=',
        _ => {
            let number = name.strip_prefix('#')?;
            let value = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(value).filter(char::is_ascii)?
        }
    };
    Some((length + 2, Some(with)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapping_reads_the_same_and_leads_back() {
        for wrapped in [
            r#"a\n"tok"b"#,
            r#"a\\n\"tok\"b"#,
            r#"a\\\\n\\\"tok\\\"b"#,
            "a&#10;&quot;tok&quot;b",
            r"a\u000a\u0022tok\u0022b",
            "a\n\u{1b}[31m\"tok\"\u{1b}[0mb",
            r#"a\n\u001b[31m\"tok\u001b[0m\"b"#,
        ] {
            let view = View::of(wrapped);
            assert_eq!(view.text, "a\n\"tok\"b", "{wrapped}");
            let at = view.text.find("tok").unwrap();
            assert_eq!(&wrapped[view.source(at..at + 3)], "tok", "{wrapped}");
            let whole = &wrapped[view.source(at - 1..at + 4)];
            assert!(whole.ends_with(['"', ';', '2']), "{whole}");
        }
    }

    #[test]
    fn quotes_know_how_deep_they_are() {
        let view = View::of(r#"" \" \\\" \\\\\\\" &quot; \\""#);
        let depths: Vec<u32> = view
            .text
            .match_indices('"')
            .map(|(at, _)| view.depth(at))
            .collect();
        assert_eq!(depths, [0, 1, 2, 3, ENTITY, 0]);
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in [r"\d+ \w*", "a & b", "&nope;", "", "plain", "\u{1b}"] {
            assert_eq!(View::of(text).text, text);
        }
    }
}

//! Removes leaked memory blocks from a model's answer while it streams.
//!
//! Policy:
//! - What stands between `<memory-context …>` or `<memory-archive …>` and its closing tag is removed
//!   with both tags. Letter case, blanks inside the tag, attributes, invisible characters and
//!   full-width brackets make no difference; `<memory-contextual>` is another tag.
//! - Nested blocks end with the outermost closing tag.
//! - An unclosed block is removed to the end of the stream: better a cut answer than a leak. So is
//!   what follows a tag of ours that never ends.
//! - A stray closing tag and a self-closing tag are removed alone.
//! - A tag in single backticks on both sides, outside of a block, is a mention and stays.
//! - The start of a tag at the end of the stream is text.
//!
//! - Bytes that are no UTF-8 are passed on as they came: they are part of no tag.
//!
//! Guarantee: the same output for every split of the stream, also inside a character; what stands
//! outside of blocks comes out byte for byte; nothing is held back but a possible start of a tag
//! (and the one character behind a mentioned one). One scrubber serves one stream; make a new one
//! for the next.

/// The tags' names, in lower case.
const NAMES: [&str; 2] = ["memory-context", "memory-archive"];
/// A tag longer than this counts as ended, so that a stream is not held back for ever.
const LONGEST_TAG: usize = 512;

/// What a finished stream amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scrubbed {
    /// Blocks that were removed.
    pub blocks: u32,
    /// The last block was still open at the end.
    pub unclosed: bool,
}

/// The state of one stream.
#[derive(Clone, Debug, Default)]
pub struct Scrubber {
    /// Bytes of a character that has not arrived completely.
    partial: Vec<u8>,
    /// A possible tag, as received, and its last character.
    pending: Vec<u8>,
    last_pending: Option<char>,
    reading: Reading,
    depth: u32,
    /// The character before the pending text.
    previous: Option<char>,
    done: Scrubbed,
}

/// How far a possible tag has been read.
#[derive(Clone, Debug, Default)]
enum Reading {
    /// No tag has begun.
    #[default]
    Text,
    /// After `<`, reading blanks, the slash and the name; `name` in lower case.
    Name { closing: bool, name: String },
    /// The name is complete, the tag is not.
    Rest { closing: bool, slash: bool },
    /// A whole opening or closing tag behind a backtick: the next character decides.
    Mention { closing: bool, selfclosing: bool },
}

/// A character with the bytes it came as. Bytes that are no UTF-8 read as the replacement character,
/// which no tag of ours contains, and are passed on as they came.
#[derive(Clone, Copy)]
struct Unit<'a> {
    c: char,
    bytes: &'a [u8],
}

impl Scrubber {
    /// A scrubber for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a piece of the stream, returns what may be shown.
    pub fn push(&mut self, chunk: &str) -> String {
        text(self.push_bytes(chunk.as_bytes()))
    }

    /// The same for bytes, which may be cut inside a character.
    pub fn push_bytes(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len());
        let joined;
        let mut bytes = chunk;
        if !self.partial.is_empty() {
            self.partial.extend_from_slice(chunk);
            joined = std::mem::take(&mut self.partial);
            bytes = &joined;
        }
        let mut read = 0;
        for run in bytes.utf8_chunks() {
            for (at, c) in run.valid().char_indices() {
                let bytes = &run.valid().as_bytes()[at..at + c.len_utf8()];
                self.take(Unit { c, bytes }, &mut out);
            }
            let invalid = run.invalid();
            read += run.valid().len() + invalid.len();
            if invalid.is_empty() {
                continue;
            }
            // Only the last run can be the beginning of a character that goes on in the next piece.
            let begun =
                std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if begun && read == bytes.len() {
                self.partial = invalid.to_vec();
            } else {
                self.take_invalid(invalid, &mut out);
            }
        }
        out
    }

    /// Ends the stream: what may still be shown, and what was done.
    pub fn finish(self) -> (String, Scrubbed) {
        let (out, done) = self.finish_bytes();
        (text(out), done)
    }

    /// The same for a stream of bytes.
    pub fn finish_bytes(mut self) -> (Vec<u8>, Scrubbed) {
        let mut out = Vec::new();
        let partial = std::mem::take(&mut self.partial);
        if !partial.is_empty() {
            self.take_invalid(&partial, &mut out);
        }
        match std::mem::take(&mut self.reading) {
            // Nothing follows, so nothing can leak.
            Reading::Text | Reading::Name { .. } | Reading::Mention { .. } => {
                self.release(&mut out);
            }
            // Our tag, never ended: counts as opening.
            Reading::Rest { .. } => {
                if self.depth == 0 {
                    self.depth = 1;
                    self.done.blocks += 1;
                }
            }
        }
        self.done.unclosed = self.depth > 0;
        (out, self.done)
    }

    fn take_invalid(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let c = char::REPLACEMENT_CHARACTER;
        self.take(Unit { c, bytes }, out);
    }

    fn take(&mut self, unit: Unit<'_>, out: &mut Vec<u8>) {
        match std::mem::take(&mut self.reading) {
            Reading::Text => self.text(unit, out),
            Reading::Name { closing, name } => self.name(closing, name, unit, out),
            Reading::Rest { closing, slash } => {
                self.hold(unit);
                if is_end(unit.c) {
                    self.end_of_tag(closing, slash);
                } else if self.pending.len() > LONGEST_TAG {
                    self.apply(closing, false);
                } else {
                    // Attributes may be blank-separated from the slash of `<x / >`.
                    let slash = unit.c == '/' || (slash && unit.c.is_whitespace());
                    self.reading = Reading::Rest { closing, slash };
                }
            }
            Reading::Mention {
                closing,
                selfclosing,
            } => {
                if unit.c == '`' {
                    self.release(out);
                } else {
                    self.apply(closing, selfclosing);
                }
                self.text(unit, out);
            }
        }
    }

    fn text(&mut self, unit: Unit<'_>, out: &mut Vec<u8>) {
        if is_start(unit.c) {
            self.hold(unit);
            self.reading = Reading::Name {
                closing: false,
                name: String::new(),
            };
        } else {
            self.previous = Some(unit.c);
            if self.depth == 0 {
                out.extend_from_slice(unit.bytes);
            }
        }
    }

    fn name(&mut self, closing: bool, mut name: String, unit: Unit<'_>, out: &mut Vec<u8>) {
        let c = unit.c;
        if is_invisible(c) {
            self.hold(unit);
            self.reading = Reading::Name { closing, name };
            return;
        }
        let complete = NAMES.contains(&name.as_str());
        if name.is_empty() && (c.is_whitespace() || (c == '/' && !closing)) {
            self.hold(unit);
            if self.pending.len() > LONGEST_TAG {
                self.release(out);
            } else {
                self.reading = Reading::Name {
                    closing: closing || c == '/',
                    name,
                };
            }
            return;
        }
        if complete && is_end(c) {
            self.hold(unit);
            self.end_of_tag(closing, false);
            return;
        }
        if complete && (c.is_whitespace() || c == '/') {
            self.hold(unit);
            self.reading = Reading::Rest {
                closing,
                slash: c == '/',
            };
            return;
        }
        name.push(narrow(c));
        if NAMES.iter().any(|known| known.starts_with(name.as_str())) {
            self.hold(unit);
            self.reading = Reading::Name { closing, name };
            return;
        }
        // No tag of ours. The character may itself begin one.
        self.release(out);
        self.text(unit, out);
    }

    /// A whole tag is pending.
    fn end_of_tag(&mut self, closing: bool, selfclosing: bool) {
        if self.depth == 0 && self.previous == Some('`') {
            self.reading = Reading::Mention {
                closing,
                selfclosing,
            };
        } else {
            self.apply(closing, selfclosing);
        }
    }

    /// Acts on the pending tag and drops it.
    fn apply(&mut self, closing: bool, selfclosing: bool) {
        self.previous = self.last_pending.take();
        self.pending.clear();
        if selfclosing && !closing {
            return;
        }
        if closing {
            self.depth = self.depth.saturating_sub(1);
        } else {
            self.done.blocks += u32::from(self.depth == 0);
            self.depth += 1;
        }
    }

    /// Keeps a part of a possible tag.
    fn hold(&mut self, unit: Unit<'_>) {
        self.pending.extend_from_slice(unit.bytes);
        self.last_pending = Some(unit.c);
    }

    /// The pending text is no tag.
    fn release(&mut self, out: &mut Vec<u8>) {
        if let Some(last) = self.last_pending.take() {
            self.previous = Some(last);
        }
        if self.depth == 0 {
            out.extend_from_slice(&self.pending);
        }
        self.pending.clear();
    }
}

/// Text that was pushed as text comes out as text.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn is_start(c: char) -> bool {
    matches!(c, '<' | '\u{FF1C}' | '\u{FE64}')
}

fn is_end(c: char) -> bool {
    matches!(c, '>' | '\u{FF1E}' | '\u{FE65}')
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

/// Full-width letters as plain ones, in lower case.
fn narrow(c: char) -> char {
    let plain = match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        _ => c,
    };
    plain.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scrub(text: &str) -> String {
        let mut scrubber = Scrubber::new();
        let mut out = scrubber.push(text);
        out.push_str(&scrubber.finish().0);
        out
    }

    fn in_pieces(bytes: &[u8], cuts: &[usize]) -> Vec<u8> {
        let mut scrubber = Scrubber::new();
        let mut out = Vec::new();
        let mut from = 0;
        for &cut in cuts {
            out.extend(scrubber.push_bytes(&bytes[from..cut]));
            from = cut;
        }
        out.extend(scrubber.finish_bytes().0);
        out
    }

    /// A tag of ours, text, or bytes that are none.
    fn a_part() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"<memory-context>".to_vec()),
            Just(b"</memory-context>".to_vec()),
            Just("＜memory-archive＞".as_bytes().to_vec()),
            Just(b"`".to_vec()),
            "[a-c<>/ é项🔴]{0,4}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..5),
        ]
    }

    #[test]
    fn bytes_that_are_no_text_are_passed_on_outside_of_blocks() {
        let bytes = b"a\xff\xc3<memory-context>\xfe</memory-context>\xe9\xa1";
        let wanted = b"a\xff\xc3\xe9\xa1";
        for cut in 0..bytes.len() {
            assert_eq!(in_pieces(bytes, &[cut, bytes.len()]), wanted, "{cut}");
        }
    }

    #[test]
    fn blocks_go_and_the_rest_stays() {
        for (text, wanted) in [
            (
                "The `<memory-context>` tag is used for recall.",
                "The `<memory-context>` tag is used for recall.",
            ),
            (
                "Sure: <memory-context>secret</memory-context> done",
                "Sure:  done",
            ),
            ("a < b", "a < b"),
            ("a <", "a <"),
            (
                "<memory-archive>\n<entry id=\"m1\">secret</entry>\n</memory-archive>ok",
                "ok",
            ),
            (
                "x<MEMORY-CONTEXT a=\"1\" >secret</ Memory-Context\n>y",
                "xy",
            ),
            ("x<memory\u{200B}-context>secret</memory-context>y", "xy"),
            ("x＜memory-context＞secret＜/memory-context＞y", "xy"),
            (
                "<memory-contextual>kept</memory-contextual>",
                "<memory-contextual>kept</memory-contextual>",
            ),
            ("<memory-context/>kept", "kept"),
            ("kept</memory-context> too", "kept too"),
            (
                "a<memory-context>s<memory-context>s</memory-context>s</memory-context>b",
                "ab",
            ),
            ("a<memory-context>secret to the end", "a"),
            ("a<memory-context secret", "a"),
            ("a<memory-context", "a<memory-context"),
            ("`<memory-context>secret</memory-context>`", "``"),
            ("<mem<memory-context>secret</memory-context>", "<mem"),
            ("<<memory-context>secret</memory-context>", "<"),
            ("<div>x</div>", "<div>x</div>"),
        ] {
            assert_eq!(scrub(text), wanted, "{text}");
        }
    }

    #[test]
    fn text_is_not_held_back() {
        let mut scrubber = Scrubber::new();
        assert_eq!(scrubber.push("a < b"), "a < b");
        assert_eq!(scrubber.push(" <memory-c"), " ");
        assert_eq!(scrubber.push("at>"), "<memory-cat>");
    }

    #[test]
    fn a_new_stream_starts_afresh() {
        let mut first = Scrubber::new();
        let _ = first.push("Checking. <memory-context>half");
        assert!(first.finish().1.unclosed);
        assert_eq!(scrub("<memory-context>secret</memory-context>done"), "done");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30_000))]

        #[test]
        fn every_split_gives_the_same(
            text in "(<memory-context>|</memory-context>|<memory-archive a=1>|</memory-archive >|<memory-context/>|[<>/ `a-c＜\u{200B}]|memory-|secret|项目|🔴){0,14}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let whole = scrub(&text);
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.push(bytes.len());
            cuts.sort_unstable();
            prop_assert_eq!(in_pieces(bytes, &cuts), whole.into_bytes());
        }

        #[test]
        fn every_split_of_any_bytes_gives_the_same(
            parts in proptest::collection::vec(a_part(), 0..10),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes = parts.concat();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.push(bytes.len());
            cuts.sort_unstable();
            prop_assert_eq!(in_pieces(&bytes, &cuts), in_pieces(&bytes, &[bytes.len()]));
        }

        #[test]
        fn bytes_without_our_tags_pass_unchanged(
            bytes in proptest::collection::vec(any::<u8>().prop_filter("no tag", |b| !matches!(b, b'<' | 0xEF)), 0..80),
        ) {
            prop_assert_eq!(in_pieces(&bytes, &[bytes.len()]), bytes);
        }

        #[test]
        fn text_without_our_tags_passes_unchanged(text in "[^<＜﹤]{0,80}") {
            prop_assert_eq!(scrub(&text), text);
        }
    }
}

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
//! Guarantee: the same output for every split of the stream, also inside a character; nothing is
//! held back but a possible start of a tag (and the one character behind a mentioned one). One
//! scrubber serves one stream; make a new one for the next.

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
    /// A possible tag, as received.
    pending: String,
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

impl Scrubber {
    /// A scrubber for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a piece of the stream, returns what may be shown.
    pub fn push(&mut self, chunk: &str) -> String {
        self.push_bytes(chunk.as_bytes())
    }

    /// The same for bytes, which may be cut inside a character. Bytes that are no UTF-8 become
    /// replacement characters.
    pub fn push_bytes(&mut self, chunk: &[u8]) -> String {
        let mut out = String::with_capacity(chunk.len());
        let joined;
        let mut bytes = chunk;
        if !self.partial.is_empty() {
            self.partial.extend_from_slice(chunk);
            joined = std::mem::take(&mut self.partial);
            bytes = &joined;
        }
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    text.chars().for_each(|c| self.take(c, &mut out));
                    return out;
                }
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    String::from_utf8_lossy(valid)
                        .chars()
                        .for_each(|c| self.take(c, &mut out));
                    let Some(length) = error.error_len() else {
                        self.partial = rest.to_vec();
                        return out;
                    };
                    self.take(char::REPLACEMENT_CHARACTER, &mut out);
                    bytes = &rest[length..];
                }
            }
        }
    }

    /// Ends the stream: what may still be shown, and what was done.
    pub fn finish(mut self) -> (String, Scrubbed) {
        let mut out = String::new();
        if !std::mem::take(&mut self.partial).is_empty() {
            self.take(char::REPLACEMENT_CHARACTER, &mut out);
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

    fn take(&mut self, c: char, out: &mut String) {
        match std::mem::take(&mut self.reading) {
            Reading::Text => self.text(c, out),
            Reading::Name { closing, name } => self.name(closing, name, c, out),
            Reading::Rest { closing, slash } => {
                self.pending.push(c);
                if is_end(c) {
                    self.end_of_tag(closing, slash);
                } else if self.pending.len() > LONGEST_TAG {
                    self.apply(closing, false);
                } else {
                    // Attributes may be blank-separated from the slash of `<x / >`.
                    let slash = c == '/' || (slash && c.is_whitespace());
                    self.reading = Reading::Rest { closing, slash };
                }
            }
            Reading::Mention {
                closing,
                selfclosing,
            } => {
                if c == '`' {
                    self.release(out);
                } else {
                    self.apply(closing, selfclosing);
                }
                self.text(c, out);
            }
        }
    }

    fn text(&mut self, c: char, out: &mut String) {
        if is_start(c) {
            self.pending.push(c);
            self.reading = Reading::Name {
                closing: false,
                name: String::new(),
            };
        } else {
            self.show(c, out);
        }
    }

    fn name(&mut self, closing: bool, mut name: String, c: char, out: &mut String) {
        if is_invisible(c) {
            self.pending.push(c);
            self.reading = Reading::Name { closing, name };
            return;
        }
        let complete = NAMES.contains(&name.as_str());
        if name.is_empty() && (c.is_whitespace() || (c == '/' && !closing)) {
            self.pending.push(c);
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
            self.pending.push(c);
            self.end_of_tag(closing, false);
            return;
        }
        if complete && (c.is_whitespace() || c == '/') {
            self.pending.push(c);
            self.reading = Reading::Rest {
                closing,
                slash: c == '/',
            };
            return;
        }
        name.push(narrow(c));
        if NAMES.iter().any(|known| known.starts_with(name.as_str())) {
            self.pending.push(c);
            self.reading = Reading::Name { closing, name };
            return;
        }
        // No tag of ours. The character may itself begin one.
        self.release(out);
        self.text(c, out);
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
        self.previous = self.pending.chars().next_back();
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

    /// The pending text is no tag.
    fn release(&mut self, out: &mut String) {
        let pending = std::mem::take(&mut self.pending);
        for c in pending.chars() {
            self.show(c, out);
        }
    }

    fn show(&mut self, c: char, out: &mut String) {
        self.previous = Some(c);
        if self.depth == 0 {
            out.push(c);
        }
    }
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
            let mut scrubber = Scrubber::new();
            let mut out = String::new();
            let mut from = 0;
            for cut in cuts {
                out.push_str(&scrubber.push_bytes(&bytes[from..cut]));
                from = cut;
            }
            out.push_str(&scrubber.finish().0);
            prop_assert_eq!(&out, &whole);
        }

        #[test]
        fn text_without_our_tags_passes_unchanged(text in "[^<＜﹤]{0,80}") {
            prop_assert_eq!(scrub(&text), text);
        }
    }
}

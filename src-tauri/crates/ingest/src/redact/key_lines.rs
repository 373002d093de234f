//! Private keys whose lines are entries of their own: one record, log line or bullet each, perhaps
//! read in different runs. No single entry tells what it is, so one state runs along with a file:
//! from the line that opens a key until the one that closes it, or until entries no longer look like
//! key material.
//!
//! A key that stands in one text as a whole is masked by [`super::redact`]; here it only moves the
//! state.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::{MASK, blocks};

/// Lines in a row that are no key material, after which a key is taken for ended: before its first
/// line, and then. Programs that write at the same time come between.
const FOREIGN_BEFORE: u8 = 3;
const FOREIGN_WITHIN: u8 = 5;

/// A line this long that is base64 and nothing else is a key's whatever stands before it.
const LONG: usize = 40;

/// What was seen of a key so far.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Words before the opening in its line: a stamp, a level, a line number.
    before: usize,
    /// Its body is hexadecimal.
    hexadecimal: bool,
    /// A line of its body was seen.
    body: bool,
    /// Lines in a row that were no body.
    foreign: u8,
}

/// The state that runs along with the entries of one file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyLines(Option<Open>);

impl KeyLines {
    /// Takes the next entry; the answer is its text with the lines masked that belong to a key which
    /// an earlier entry opened.
    pub(crate) fn mask<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if self.0.is_none() && !may_open(text) {
            return Cow::Borrowed(text);
        }
        let mut earlier = self.0.is_some();
        let mut masked = String::new();
        let mut kept = 0;
        for line in lines(text) {
            let piece = &text[line.clone()];
            if let Some(open) = self.0 {
                let end = closing(piece);
                let body = &piece[..end.unwrap_or(piece.len())];
                let found = material(body, open);
                if let Some(found) = &found
                    && earlier
                {
                    masked.push_str(&text[kept..line.start + found.start]);
                    masked.push_str(MASK);
                    masked.push_str("private-key]");
                    kept = line.start + found.end;
                }
                self.0 = match end {
                    Some(_) => None,
                    None => open.after(body, found.is_some()),
                };
                earlier &= self.0.is_some();
            }
            if let Some((place, hexadecimal)) = opening(piece) {
                self.0 = Some(Open {
                    before: piece[..place].split_whitespace().count(),
                    hexadecimal,
                    body: false,
                    foreign: 0,
                });
                earlier = false;
            }
        }
        if kept == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(&text[kept..]);
        Cow::Owned(masked)
    }
}

impl Open {
    /// What it is after a line.
    fn after(mut self, line: &str, is_body: bool) -> Option<Self> {
        let limit = if self.body {
            FOREIGN_WITHIN
        } else {
            FOREIGN_BEFORE
        };
        if is_body {
            (self.body, self.foreign) = (true, 0);
        } else if !line.trim().is_empty() && !blocks::is_header(line) {
            self.foreign += 1;
        }
        (self.foreign < limit).then_some(self)
    }
}

fn may_open(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"---- BEGIN").is_some()
        || memmem::find(bytes, b"-----BEGIN").is_some()
        || memmem::find(bytes, b"Private-Lines:").is_some()
}

/// The lines of a text, also where their ends are still escaped.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let plain = rest.find('\n').map(|end| (end, 1));
        let escaped = rest.find("\\n").map(|end| (end, 2));
        let (end, skipped) = plain
            .into_iter()
            .chain(escaped)
            .min()
            .unwrap_or((rest.len(), 0));
        let line = at..at + end;
        at += end + skipped;
        Some(line)
    })
}

/// Where a line opens a key, and whether its body will be hexadecimal. The last one counts.
fn opening(line: &str) -> Option<(usize, bool)> {
    let pem = line
        .rfind("-----BEGIN")
        .or_else(|| line.rfind("---- BEGIN"))
        .and_then(|at| {
            let title = blocks::private_title(line, at)?;
            closing(&line[title.end..]).is_none().then_some(())?;
            Some((at, line[title].contains("OpenVPN")))
        });
    pem.or_else(|| Some((line.rfind("Private-Lines:")?, false)))
}

fn closing(line: &str) -> Option<usize> {
    ["-----END", "---- END", "Private-MAC"]
        .iter()
        .filter_map(|mark| line.find(mark))
        .min()
}

/// The part of a line that is a line of the key's body.
fn material(line: &str, open: Open) -> Option<Range<usize>> {
    let frame = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | ']' | '}' | ')' | '\\' | '|' | '<' | ';'
            )
    };
    let mut end = line.trim_end_matches(frame).len();
    // A line end of Windows that is still escaped.
    while let Some(shorter) = line[..end].strip_suffix("\\r") {
        end = shorter.trim_end_matches(frame).len();
    }
    let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let length = line.as_bytes()[..end]
        .iter()
        .rev()
        .take_while(|b| inside(b))
        .count();
    let run = &line[end - length..end];
    let before = &line[..end - length];
    let single = !before.chars().any(char::is_alphanumeric);
    let alone = single || before.split_whitespace().count() == open.before;
    let any = |test: fn(&u8) -> bool| run.bytes().any(|b| test(&b));
    let mixed = any(u8::is_ascii_uppercase) && any(u8::is_ascii_lowercase);
    if run.bytes().all(|b| b.is_ascii_hexdigit()) && run.len() >= 8 {
        // A digest or an identifier, but for keys that are written so.
        return (open.hexadecimal && alone).then_some(end - length..end);
    }
    let found = if run.len() >= LONG {
        mixed && (alone || any(u8::is_ascii_digit))
    } else {
        // A last line, or a piece of one.
        alone && (single || open.body) && is_scrambled(run)
    };
    found.then_some(end - length..end)
}

/// Whether a short run is no word: a digit among letters, a capital behind the first letter, signs
/// that only base64 has.
fn is_scrambled(run: &str) -> bool {
    let bytes = run.as_bytes();
    let letters = bytes.iter().any(u8::is_ascii_alphabetic);
    let small = bytes.iter().any(u8::is_ascii_lowercase);
    let capital_within = bytes.iter().skip(1).any(u8::is_ascii_uppercase);
    let digits = bytes.iter().any(u8::is_ascii_digit);
    bytes.len() >= 2
        && letters
        && (small && capital_within
            || digits && run.len() >= 3
            || run.ends_with('=')
            || run.starts_with('=') && run.len() == 5
            || run.contains('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lines and a short last one, as no key has them.
    const BODY: [&str; 3] = [
        "MIIEinventedAAAAAAAAAAAAAAAAAAAAAAAAA1234567890abcdefghijklmnopqr",
        "InventedBBBBBBBBBBBBBBBBBBBBBBBBBB0987654321/zyxwvutsrqponm+lkjih",
        "q9XinventedZ=",
    ];

    fn masked(entries: &[String]) -> Vec<String> {
        let mut state = KeyLines::default();
        entries
            .iter()
            .map(|entry| state.mask(entry).into_owned())
            .collect()
    }

    fn key(first: &str, last: &str, lead: &str) -> Vec<String> {
        std::iter::once(first)
            .chain(BODY)
            .chain([last, "done"])
            .map(|line| format!("{lead}{line}"))
            .collect()
    }

    #[test]
    fn lines_of_a_key_are_masked_entry_by_entry() {
        for (first, last) in [
            ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----",
                "-----END OPENSSH PRIVATE KEY-----",
            ),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----",
                "-----END PGP PRIVATE KEY BLOCK-----",
            ),
            (
                "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
                "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
            ),
            ("Private-Lines: 3", "Private-MAC: 00ff"),
        ] {
            for lead in [
                "",
                "2026-09-20 10:00:00 INFO ",
                "> ",
                "12: ",
                "\"",
                "Keys\n",
            ] {
                let entries = key(first, last, lead);
                let found = masked(&entries);
                for line in BODY {
                    assert!(!found.concat().contains(line), "{lead}{first}: {found:?}");
                }
                assert_eq!(found[0], entries[0]);
                assert_eq!(found[4..], entries[4..]);
            }
        }
    }

    #[test]
    fn headers_blanks_and_other_programs_may_stand_between() {
        let entries: Vec<String> = [
            "-----BEGIN RSA PRIVATE KEY-----",
            "Proc-Type: 4,ENCRYPTED",
            "DEK-Info: AES-128-CBC,00FF",
            "",
            BODY[0],
            "2026-09-20 10:00:00 INFO another program says something",
            BODY[1],
            "the build is over",
            BODY[2],
        ]
        .map(str::to_owned)
        .into();
        let found = masked(&entries).concat();
        for line in BODY {
            assert!(!found.contains(line), "{found}");
        }
        assert!(found.contains("another program says something"));
        assert!(found.contains("the build is over"));
    }

    #[test]
    fn several_lines_in_an_entry_are_masked_escaped_or_not() {
        for end in ["\n", "\\n"] {
            let entries = [
                format!("-----BEGIN PRIVATE KEY-----{end}{}", BODY[1]),
                format!(
                    "{}{end}{}{end}-----END PRIVATE KEY-----{end}ok",
                    BODY[0], BODY[2]
                ),
            ];
            let found = masked(&entries);
            assert_eq!(
                found[0], entries[0],
                "one text is masked as a whole elsewhere"
            );
            assert_eq!(
                found[1],
                format!(
                    "[secret:private-key]{end}[secret:private-key]{end}-----END PRIVATE KEY-----{end}ok"
                )
            );
        }
    }

    #[test]
    fn the_mention_of_a_header_masks_nothing() {
        let entries: Vec<String> = [
            "A file that begins with -----BEGIN PRIVATE KEY----- is never read.",
            "See /usr/share/doc/some/Path/ToA/Very2/LongName/ofAFile/thatIsHere.txt",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "3f786850e387550fdab836ed7e6dc881de23001b",
            BODY[0],
            "-----BEGIN CERTIFICATE-----",
            BODY[1],
            "-----BEGIN PRIVATE KEY-----\\nMIIB\\n-----END PRIVATE KEY-----",
            BODY[1],
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(masked(&entries), entries);
    }
}

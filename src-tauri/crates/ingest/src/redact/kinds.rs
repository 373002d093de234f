//! Secrets that their own shape tells, from the table in `kinds.txt`, and those that a command, a
//! statement or a line of a file introduces, from `commands.txt`.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::value;

/// How far behind its prefix a secret may reach.
const REACH: usize = 4096;

/// One line of the table.
#[derive(Debug)]
pub(super) struct Kind {
    /// What stands in the mask.
    pub name: &'static str,
    /// What it begins with; in lower case where case does not matter.
    pub prefix: &'static str,
    flags: Flags,
    rest: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

/// The letters of the table's second column, each a question of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    any_case: bool,
    digit: bool,
    mixed: bool,
    random: bool,
    inside_word: bool,
    any_value: bool,
    base64: bool,
    /// No base64 goes on behind it.
    alone: bool,
    /// The least number of bytes before the prefix that belong to the secret.
    word_before: usize,
}

impl Flags {
    fn parse(written: &str) -> Self {
        let digits = written.trim_start_matches(|c: char| !c.is_ascii_digit());
        Self {
            any_case: written.contains('i'),
            digit: written.contains('d'),
            mixed: written.contains('m'),
            random: written.contains('r'),
            inside_word: written.contains('w') || written.contains('l'),
            any_value: written.contains('v'),
            base64: written.contains('b'),
            alone: written.contains('a'),
            word_before: digits.parse().unwrap_or(0),
        }
    }
}

const TABLES: [&str; 2] = [include_str!("kinds.txt"), include_str!("commands.txt")];

/// The lines of both tables that say something.
fn lines() -> impl Iterator<Item = &'static str> {
    TABLES
        .iter()
        .flat_map(|table| table.lines())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

static TABLE: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    lines()
        .filter_map(|line| {
            let mut columns = line.split("  ").map(str::trim).filter(|c| !c.is_empty());
            let (name, flags) = (columns.next()?, Flags::parse(columns.next()?));
            Some(Kind {
                name,
                flags,
                prefix: columns.next()?,
                rest: columns.next()?,
                compiled: OnceLock::new(),
            })
        })
        .collect()
});

/// All kinds, in the order of the table.
pub(super) fn all() -> &'static [Kind] {
    &TABLE
}

impl Kind {
    /// Whether the prefix is looked for in any case.
    pub(super) fn any_case(&self) -> bool {
        self.flags.any_case
    }

    fn pattern(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let case = if self.flags.any_case { "(?i)" } else { "" };
                Regex::new(&format!("{case}^(?:{})", self.rest)).ok()
            })
            .as_ref()
    }

    /// The secret whose prefix stands at `at`.
    pub(super) fn find(&self, text: &str, at: usize) -> Option<std::ops::Range<usize>> {
        let bytes = text.as_bytes();
        let behind = at + self.prefix.len();
        if !self.flags.inside_word && !begins_word(bytes, at, self.prefix) {
            return None;
        }
        if self.prefix.len() <= 3 && self.flags.word_before == 0 && !self.flags.any_case {
            // Short prefixes stand everywhere; hardly anything long enough follows them.
            let body = |b: &u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b',' | b'<');
            if !self.flags.any_value
                && bytes[behind..].iter().take(10).filter(|b| body(b)).count() < 10
            {
                return None;
            }
        }
        let limit = text.floor_char_boundary(behind + REACH);
        let rest = text.get(behind..limit)?;
        let found = self.pattern()?.captures(rest)?;
        let whole = found.get(0)?;
        let group = ["s", "s2", "s3"].iter().find_map(|name| found.name(name));
        let range = match group {
            Some(group) => behind + group.start()..behind + group.end(),
            None => at..behind + whole.end(),
        };
        if bytes
            .get(range.end)
            .is_some_and(|b| b.is_ascii_alphanumeric() && group.is_none())
        {
            return None;
        }
        if self.flags.alone && matches!(bytes.get(range.end), Some(b'+' | b'/' | b'=')) {
            return None;
        }
        let start = self.with_word_before(bytes, at, range.start)?;
        let secret = &text[start..range.end];
        // Where the prefix stands at the end, nothing is left behind it.
        let whole = group.is_some() || self.flags.word_before > 0;
        let body = if whole {
            secret
        } else {
            &text[behind..range.end]
        };
        self.holds(secret, body).then_some(start..range.end)
    }

    fn with_word_before(&self, bytes: &[u8], at: usize, start: usize) -> Option<usize> {
        if self.flags.word_before == 0 {
            return Some(start);
        }
        let word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'~' | b'_');
        let before = bytes[..at].iter().rev().take_while(word).count();
        (before >= self.flags.word_before).then(|| at - before)
    }

    fn holds(&self, secret: &str, body: &str) -> bool {
        let flags = self.flags;
        if super::begins_mask(secret) {
            return false;
        }
        if flags.any_value {
            return value::is_given(secret) && !value::is_about(secret);
        }
        if value::is_filler(body) {
            return false;
        }
        if flags.base64 {
            return value::is_user_and_password(secret);
        }
        let has = |test: fn(&u8) -> bool| secret.bytes().any(|b| test(&b));
        (!flags.digit || has(u8::is_ascii_digit))
            && (!flags.mixed || value::has_mixed_word(secret))
            && (!flags.random
                || (value::has_mixed_word(secret)
                    && has(u8::is_ascii_lowercase)
                    && has(u8::is_ascii_uppercase)
                    && secret.bytes().filter(u8::is_ascii_digit).count() > 2))
    }

    /// Whether the text breaks off within this secret: what stands behind the prefix is its
    /// beginning, and nothing follows.
    pub(super) fn breaks_off(&self, text: &str, at: usize) -> bool {
        let behind = at + self.prefix.len();
        let plain = self.flags.word_before == 0
            && !self.flags.any_value
            && !self.flags.any_case
            && !self.flags.base64
            && !self.rest.contains("(?P<s");
        let Some(body) = text.get(behind..) else {
            return false;
        };
        let body = body.trim_end_matches('\n');
        let words_only = body
            .split(['_', '-', '.', '=', '/', '+'])
            .all(|part| part.bytes().all(|b| b.is_ascii_lowercase()));
        plain
            && self.prefix.len() >= 4
            && body.len() >= 6
            && body.len() < 200
            && body.bytes().all(|b| {
                b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
            })
            && !words_only
            && begins_word(text.as_bytes(), at, self.prefix)
            && !value::is_filler(body)
            && self.is_written_so(body)
    }

    /// Whether every sign is one that may stand behind the prefix, where the pattern begins with such.
    fn is_written_so(&self, body: &str) -> bool {
        let signs = self
            .rest
            .starts_with('[')
            .then(|| self.rest.find(']'))
            .flatten();
        let signs = signs.and_then(|end| Regex::new(&format!("^{}*$", &self.rest[..=end])).ok());
        signs.is_none_or(|signs| signs.is_match(body))
    }
}

/// Whether a token may begin at a place: no letter or digit stands before it, unless that one ends
/// a percent escape, and it doesn't lie inside a long stretch of base64.
fn begins_word(bytes: &[u8], at: usize, prefix: &str) -> bool {
    let Some(before) = at.checked_sub(1).map(|place| bytes[place]) else {
        return true;
    };
    let first_is_word = prefix
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphanumeric());
    if !first_is_word {
        return true;
    }
    if before.is_ascii_alphanumeric() {
        let escaped = at >= 3
            && bytes[at - 3] == b'%'
            && bytes[at - 2].is_ascii_hexdigit()
            && before.is_ascii_hexdigit();
        return escaped;
    }
    if matches!(before, b'+' | b'/') {
        let base64 = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
        return bytes[..at].iter().rev().take(60).take_while(base64).count() < 60;
    }
    // `my_ghp_function` is a name; what issuers write with an underscore is long enough to be told.
    !(before == b'_' && prefix.len() < 4)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_is_whole_and_its_pattern_compiles() {
        let lines = lines().count();
        assert_eq!(all().len(), lines);
        for kind in all() {
            assert!(kind.pattern().is_some(), "{kind:?}");
        }
        let names: BTreeSet<&str> = all().iter().map(|kind| kind.name).collect();
        assert!(names.len() >= 200, "{}", names.len());
    }
}

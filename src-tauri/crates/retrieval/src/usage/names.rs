//! Names: what stands in two texts alike because one was taken from the other. Paths, addresses, numbers
//! with units, long numbers, versions, identifiers in compound spelling, codes of letters and figures.

use memory::fold;

use super::{Term, TermKind};
use crate::stage::route::{is_separator, is_unspaced};

/// Units whose number is a name even when it is short.
pub(super) const UNITS: [&str; 44] = [
    "%", "°c", "°f", "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute",
    "minutes", "h", "hour", "hours", "d", "day", "days", "week", "weeks", "kb", "mb", "gb", "tb",
    "kib", "mib", "gib", "bytes", "g", "kg", "mg", "l", "ml", "mm", "cm", "km", "px", "rem", "hz",
    "khz", "mhz", "eur", "usd",
];

/// Figures that a number without a unit needs: shorter ones count things and stand everywhere.
const FIGURES: usize = 3;

/// A number as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The figures, without what groups them.
    pub figures: String,
    /// Folded, empty for none; `v` for a version.
    pub unit: String,
}

impl Number {
    /// As it is compared.
    pub(super) fn key(&self) -> String {
        if self.unit == "v" {
            self.figures.clone()
        } else {
            format!("{}{}", self.figures, self.unit)
        }
    }

    /// Whether it says something by itself.
    pub(super) fn is_telling(&self) -> bool {
        !self.unit.is_empty()
            || self.figures.chars().filter(char::is_ascii_digit).count() >= FIGURES
    }
}

/// A token and where it begins in the text.
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

/// The names of a text, in order.
pub(super) fn names(text: &str) -> Vec<Term> {
    let tokens = tokens(text);
    let mut names = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        if let Some(number) = number(token.text, tokens.get(place + 1)) {
            if number.is_telling() {
                let written = match number.unit.as_str() {
                    unit if !unit.is_empty()
                        && token.text.ends_with(|c: char| c.is_ascii_digit()) =>
                    {
                        let next = tokens.get(place + 1).map_or("", |next| next.text);
                        if unit == "v" {
                            token.text.to_owned()
                        } else {
                            format!("{} {next}", token.text)
                        }
                    }
                    _ => token.text.to_owned(),
                };
                names.push(name(number.key(), &written, token));
            }
            continue;
        }
        if is_name(token.text) {
            let key = fold(token.text);
            names.push(name(key, token.text, token));
        }
    }
    names
}

fn name(key: String, written: &str, token: &Token<'_>) -> Term {
    Term {
        kind: TermKind::Name,
        key,
        folded: fold(written),
        written: written.to_owned(),
        at: token.at,
        length: token.text.len(),
    }
}

/// The text with blanks where its names stand.
pub(super) fn blanked(text: &str, names: &[Term]) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut from = 0;
    for name in names {
        bare.push_str(&text[from..name.at]);
        bare.push(' ');
        from = name.at + name.length;
    }
    bare.push_str(&text[from..]);
    bare
}

/// Cuts a text into what may be names: between blanks, brackets, quotes and text without blanks, without
/// punctuation at the edges. What a colon joins is taken apart, but for addresses.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut start = None;
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map_or(' ', |&(_, next)| next);
        let groups = before.is_ascii_digit() && next.is_ascii_digit();
        let parts = match c {
            ',' => !groups,
            // `https://` stays whole, `host:4002` and `file.rs:12` do not.
            ':' => next != '/' && next != ':' && before != ':',
            _ => {
                c.is_whitespace()
                    || c.is_control()
                    || is_unspaced(c)
                    || is_separator(c)
                    || "()[]{}<>\"'`;|=!?*#&$^".contains(c)
            }
        };
        if parts {
            take(text, start.take(), at, &mut tokens);
        } else if start.is_none() {
            start = Some(at);
        }
        before = c;
    }
    take(text, start, text.len(), &mut tokens);
    tokens
}

fn take<'a>(text: &'a str, start: Option<usize>, end: usize, tokens: &mut Vec<Token<'a>>) {
    let Some(start) = start else { return };
    let raw = &text[start..end];
    let leading = raw
        .find(|c: char| c.is_alphanumeric() || matches!(c, '/' | '~' | '.' | '_' | '%' | '°'))
        .unwrap_or(raw.len());
    let core = raw[leading..]
        .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '°' | '_' | '+'));
    if core == "%" || core.chars().any(char::is_alphanumeric) {
        tokens.push(Token {
            at: start + leading,
            text: core,
        });
    }
}

/// The number that a token is, with the unit that is joined to it or follows.
pub(super) fn number(token: &str, next: Option<&Token<'_>>) -> Option<Number> {
    let versioned = token.strip_prefix(['v', 'V']).unwrap_or(token);
    let end = versioned
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
        .unwrap_or(versioned.len());
    let (digits, rest) = versioned.split_at(end);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let figures: String = digits.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let figures = figures.trim_end_matches('.').to_owned();
    let dots = figures.matches('.').count();
    if rest.is_empty() && (dots > 1 || versioned.len() < token.len()) {
        return Some(Number {
            figures,
            unit: "v".to_owned(),
        });
    }
    if versioned.len() < token.len() || dots > 1 {
        return None;
    }
    let unit = if rest.is_empty() {
        let follows = next.map(|next| fold(next.text)).unwrap_or_default();
        if UNITS.contains(&follows.as_str()) {
            follows
        } else {
            String::new()
        }
    } else {
        let joined = fold(rest);
        if !UNITS.contains(&joined.as_str()) {
            return None;
        }
        joined
    };
    Some(Number { figures, unit })
}

/// Whether chance hardly explains that two texts hold this.
fn is_name(token: &str) -> bool {
    if token.contains("://") || token.contains("::") {
        return true;
    }
    if let Some((local, domain)) = token.split_once('@') {
        return !local.is_empty() && domain.contains('.');
    }
    if token.contains(['/', '\\']) {
        return is_path(token);
    }
    if token.trim_matches('_').contains('_') {
        return true;
    }
    let letters = token.chars().filter(|c| c.is_alphabetic()).count();
    let figures = token.chars().filter(|c| c.is_numeric()).count();
    if figures > 0 {
        // Codes, hashes, `utf-8`; dates and times by their figures. `2nd` is a word.
        return if letters > 0 {
            letters + figures >= FIGURES && !is_ordinal(token)
        } else {
            figures >= 2 * FIGURES
        };
    }
    is_camel_case(token) || is_dotted(token)
}

/// A path and not two words with a stroke between, such as `and/or`.
fn is_path(token: &str) -> bool {
    let parts: Vec<&str> = token
        .split(['/', '\\'])
        .filter(|part| part.chars().any(char::is_alphanumeric))
        .collect();
    let tells = |part: &&str| part.contains(['.', '_']) || part.chars().any(char::is_numeric);
    parts.len() > 2
        || token.starts_with(['/', '~', '.'])
        || parts.len() > 1 && parts.iter().any(tells)
}

fn is_ordinal(token: &str) -> bool {
    let end = token.trim_start_matches(|c: char| c.is_ascii_digit());
    end.len() < token.len() && matches!(fold(end).as_str(), "st" | "nd" | "rd" | "th" | "x")
}

fn is_camel_case(token: &str) -> bool {
    let mut before = ' ';
    token.chars().any(|c| {
        let turns = before.is_lowercase() && c.is_uppercase();
        before = c;
        turns
    })
}

/// `config.toml` and `example.com`, but neither `e.g` nor a sentence without a blank behind it.
fn is_dotted(token: &str) -> bool {
    let parts: Vec<&str> = token.trim_start_matches('.').split('.').collect();
    parts.len() > 1
        && parts.iter().all(|part| {
            part.chars().count() > 1 && part.chars().all(|c| c.is_alphanumeric() || c == '-')
        })
        && parts
            .last()
            .is_some_and(|end| end.chars().all(char::is_lowercase))
}

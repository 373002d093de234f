//! Headers that carry credentials: `Authorization`, `Cookie`, `Set-Cookie`, and `Bearer` anywhere.

use std::ops::Range;

use super::view::View;
use super::{meaning, value};

fn line_of(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    &rest[..rest.find('\n').unwrap_or(rest.len())]
}

/// The value of the header whose name ends at `end`: from behind colon and quotes to the closing
/// quote or the end of the line.
fn value_of(view: &View<'_>, end: usize) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let bytes = text.as_bytes();
    let mut at = end;
    while matches!(bytes.get(at), Some(b'"' | b'\'' | b']' | b' ')) && at - end < 4 {
        at += 1;
    }
    let sign = *bytes.get(at)?;
    if !matches!(sign, b':' | b'=' | b',') || sign == b',' && at == end {
        return None;
    }
    at += 1;
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'>')) {
        at += 1;
    }
    let opening = bytes
        .get(at)
        .copied()
        .filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    if sign == b',' && opening.is_none() {
        return None;
    }
    let from = at + usize::from(opening.is_some());
    let depth = view.depth(at);
    let mut to = from;
    for (place, b) in bytes[from..].iter().enumerate().take(8192) {
        to = from + place;
        let ends = match opening {
            Some(quote) => *b == quote && view.depth(to) <= depth,
            None => matches!(b, b'"' | b'\'' | b'`'),
        };
        if ends || *b == b'\n' {
            return Some(from..to);
        }
        to += 1;
    }
    Some(from..to)
}

/// What `Authorization` or `Proxy-Authorization` hands over.
pub(super) fn authorization(view: &View<'_>, end: usize) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let range = value_of(view, end)?;
    let value = &text[range.clone()];
    let scheme = value.find(' ').filter(|blank| {
        *blank < 24
            && value[..*blank]
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && value[..*blank].starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let from = scheme.map_or(0, |blank| blank + 1);
    let secret = value[from..].trim();
    let known = scheme.is_some_and(|blank| {
        [
            "basic",
            "bearer",
            "token",
            "apikey",
            "key",
            "digest",
            "negotiate",
            "ssws",
            "geniekey",
            "splunk",
            "aws4-hmac-sha256",
            "hawk",
            "bot",
            "jwt",
            "oauth",
            "klaviyo-api-key",
            "discogs",
        ]
        .contains(&value[..blank].to_ascii_lowercase().as_str())
    });
    let words = secret.split_whitespace().count();
    // `["Authorization", "x-api-key"]`: a list of headers.
    let listed = text[end..range.start].contains(',');
    let names_only = listed && !secret.bytes().any(|b| b.is_ascii_digit());
    let field = value::is_field(secret) && (!known || meaning::is_code(secret));
    let given = value::is_given(secret) && !value::is_prose(secret) && !field
        || value::is_user_and_password(secret);
    let good = given
        && (known
            || words == 1
                && scheme.is_none()
                && secret.len() >= 8
                && !value::is_about(secret)
                && !names_only);
    let start = range.start + from + (value[from..].len() - value[from..].trim_start().len());
    good.then_some(start..start + secret.len())
}

/// `Bearer …` without its header.
pub(super) fn bearer(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = end;
    while matches!(bytes.get(at), Some(b' ' | b':' | b'=' | b'"')) && at - end < 4 {
        at += 1;
    }
    if at == end {
        return None;
    }
    let length = bytes[at..]
        .iter()
        .take(8192)
        .take_while(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
        })
        .count();
    let secret = text.get(at..at + length)?.trim_end_matches('.');
    let odd = value::has_mixed_word(secret) || secret.len() >= 20 && !secret.contains('-');
    (secret.len() >= 8 && odd && value::is_given(secret) && !value::is_field(secret))
        .then_some(at..at + secret.len())
}

const SESSIONS: [&str; 12] = [
    "sid", "sess", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "secret", "key",
    "pass",
];

/// The values in `Cookie: a=…; b=…`, or of the first pair of `Set-Cookie`.
pub(super) fn cookies(view: &View<'_>, end: usize, first_only: bool) -> Vec<Range<usize>> {
    let text: &str = &view.text;
    let Some(range) = value_of(view, end) else {
        return Vec::new();
    };
    let line = line_of(text, range.start);
    let length = line.len().min(range.len());
    let mut found = Vec::new();
    let mut from = range.start;
    for pair in text[range.start..range.start + length].split(';') {
        if let Some((name, value)) = pair.split_once('=') {
            let name = name.trim();
            let plain = !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
            // In a sentence a word follows the last pair.
            let mut words = value.split(|c: char| c.is_whitespace() || c == '<');
            let trimmed = words.find(|word| !word.is_empty()).unwrap_or_default();
            let lower = name.to_ascii_lowercase();
            let telling = SESSIONS.iter().any(|word| lower.contains(word));
            let long = trimmed.len() >= 8 && trimmed.bytes().any(|b| b.is_ascii_digit());
            if plain && (telling || long) && value::is_given(trimmed) && trimmed.len() >= 3 {
                let start = from + (pair.len() - value.trim_start().len());
                found.push(start..start + trimmed.len());
            }
        }
        if first_only {
            break;
        }
        from += pair.len() + 1;
    }
    found
}

//! Secrets of many lines: private keys in PEM and PuTTY's form, JSON Web Keys, recovery words.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use bip39::Language;

use super::value;

/// The parts of a private key whose `-----BEGIN` stands at `at`. One part when nothing but the key
/// stands there; else, where each line has a prefix or is a string of its own, each line's body.
pub(super) fn pem(text: &str, at: usize) -> Vec<Range<usize>> {
    let Some(title) = private_title(text, at) else {
        return Vec::new();
    };
    let body_at = title.end + text[title.end..].bytes().take_while(|b| *b == b'-').count();
    let end = closing(text, body_at);
    let body = &text[body_at..end.unwrap_or(text.len())];
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '+' | '/' | '=' | '-' | ':' | ',' | '.' | '(' | ')')
            || c.is_ascii_whitespace()
    };
    if let Some(end) = end
        && body.chars().all(plain)
        && body
            .split_whitespace()
            .any(|word| is_body(word) && word.len() >= 4)
    {
        let dashes_end = end + text[end..].find('\n').unwrap_or(text.len() - end);
        let marker = closing_end(text, end).min(dashes_end);
        return std::iter::once(at..marker).collect();
    }
    if end.is_none() {
        // Broken off: as far as lines look like a key's.
        let mut reach = body_at;
        for line in body.split_inclusive('\n') {
            let word = line.trim();
            if word.is_empty() || is_header(word) || is_body(word) {
                reach += line.len();
            } else {
                break;
            }
        }
        let taken = text[body_at..reach].trim_end();
        if taken
            .split_whitespace()
            .any(|word| word.len() >= 4 && is_body(word))
        {
            return std::iter::once(at..body_at + taken.len()).collect();
        }
    }
    runs(text, body_at, end.unwrap_or_else(|| limit(text, body_at)))
}

/// The title of a private key whose `-----BEGIN` stands at `at`.
pub(super) fn private_title(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let length = rest.floor_char_boundary(90);
    let dashes = rest.bytes().take_while(|b| *b == b'-').count();
    let title = rest.get(dashes..length)?;
    let title = &title[..title.find("----")?];
    let private = title.contains("PRIVATE KEY") || title.contains("OpenVPN Static key");
    (private && !title.contains('\n')).then_some(at + dashes..at + dashes + title.len())
}

/// A line between a key's title and its body.
pub(super) fn is_header(line: &str) -> bool {
    let names = ["Proc-Type:", "DEK-Info:", "Comment:", "Version:"];
    names.iter().any(|name| line.contains(name))
}

fn limit(text: &str, from: usize) -> usize {
    text.floor_char_boundary(from + 16_384)
}

fn closing(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..limit(text, from)];
    ["-----END", "---- END"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()
        .map(|place| from + place)
}

fn closing_end(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let title = rest.bytes().take_while(|b| *b == b'-').count();
    rest[title..].find("----").map_or(text.len(), |place| {
        let dashes = from + title + place;
        dashes + text[dashes..].bytes().take_while(|b| *b == b'-').count()
    })
}

/// Every stretch of base64 of a key's length.
fn runs(text: &str, from: usize, to: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (place, b) in text.as_bytes()[from..to].iter().chain(b" ").enumerate() {
        let inside = b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        match (inside, start) {
            (true, None) => start = Some(from + place),
            (false, Some(begin)) => {
                let run = &text[begin..from + place];
                let keyish = run.len() >= 16 && (value::is_mixed(run) || run.len() >= 40)
                    || run.len() >= 4 && run.ends_with('=');
                if keyish {
                    found.push(begin..from + place);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// A line of a key's body: base64 and nothing else.
pub(super) fn is_body(word: &str) -> bool {
    let word = word.trim_start_matches(['+', '-', '>', ' ', '|']);
    !word.is_empty()
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
}

/// The lines behind `Private-Lines: n` at `at`.
pub(super) fn putty(text: &str, at: usize) -> Vec<Range<usize>> {
    let to = limit(text, at);
    let end = text[at..to]
        .find("Private-MAC")
        .map_or(to, |place| at + place);
    let from = text[at..end].find('\n').map_or(end, |place| at + place);
    let mut found = runs(text, from, end);
    found.retain(|range| range.len() >= 4);
    found
}

/// The private members of the JSON Web Key in which `"kty"` stands at `at`.
pub(super) fn jwk(text: &str, at: usize) -> Vec<Range<usize>> {
    let floor = text[..at].rfind('{').unwrap_or(at);
    let to = limit(text, floor);
    let end = text[at..to].find('}').map_or(to, |place| at + place);
    let object = &text[floor..end];
    let mut found = Vec::new();
    for name in ["d", "p", "q", "dp", "dq", "qi", "k"] {
        let written = format!("\"{name}\"");
        let Some(place) = object.find(&written) else {
            continue;
        };
        let from = floor + place + written.len();
        let skipped = text[from..end]
            .bytes()
            .take_while(|b| matches!(b, b' ' | b':' | b'\n' | b'"'))
            .count();
        let begin = from + skipped;
        let length = text[begin..end]
            .bytes()
            .take_while(|b| {
                b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'=' | b'+' | b'/')
            })
            .count();
        if length >= 4 && skipped >= 2 {
            found.push(begin..begin + length);
        }
    }
    found
}

/// Base64 of a PEM block that holds a private key, as in a kubeconfig.
pub(super) fn wrapped_pem(text: &str, at: usize) -> Option<Range<usize>> {
    let length = text[at..]
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
        .count();
    let run = &text[at..at + length];
    let head = run.get(..run.len().min(120) / 4 * 4)?;
    let plain = value::decoded(head)?;
    let private = plain.windows(7).any(|window| window == b"PRIVATE");
    private.then_some(at..at + length)
}

/// `MTA….Gabcde.…`: the token of a Discord bot, whose first dot stands at `dot`.
pub(super) fn dotted(text: &str, dot: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let mut head = bytes[..dot].iter().rev().take(40).take_while(word).count();
    // The sign of a removed line is none of it.
    while head > 0 && matches!(bytes[dot - head], b'-' | b'_') {
        head -= 1;
    }
    let tail = bytes[dot + 8..].iter().take(64).take_while(word).count();
    let start = dot - head;
    ((22..=30).contains(&head)
        && (27..=44).contains(&tail)
        && matches!(bytes[start], b'M' | b'N' | b'O')
        && bytes[dot + 1..dot + 7].iter().all(|b| word(&b)))
    .then_some(start..dot + 8 + tail)
}

/// Which words may be on the list of BIP 39, by their first four letters: no two words share them.
static BEGINNINGS: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let mut known = vec![false; 1 << 16];
    for word in Language::English.word_list() {
        let mut small = [0; 8];
        small[..word.len()].copy_from_slice(word.as_bytes());
        known[place_of(small)] = true;
    }
    known
});

/// A place among 2¹⁶ for four small letters.
fn place_of([a, b, c, d, ..]: [u8; 8]) -> usize {
    let mixed = u32::from_le_bytes([a, b, c, d]).wrapping_mul(0x9e37_79b1);
    (mixed >> 16) as usize
}

/// The number of a word of BIP 39 in any case.
fn phrase_word(word: &str, beginnings: &[bool]) -> Option<u16> {
    let bytes = word.as_bytes();
    if !(3..=8).contains(&bytes.len()) {
        return None;
    }
    // In place: every word of every text comes by here.
    let mut small = [0; 8];
    for (to, from) in small.iter_mut().zip(bytes) {
        *to = from.to_ascii_lowercase();
    }
    if !*beginnings.get(place_of(small))? {
        return None;
    }
    let small = std::str::from_utf8(&small[..bytes.len()]).ok()?;
    Language::English.find_word(small)
}

/// Twelve or more words of BIP 39 in a row. No small word of English is on that list, so that prose
/// has no such row.
pub(super) fn recovery_words(text: &str) -> Vec<Range<usize>> {
    let beginnings: &[bool] = &BEGINNINGS;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut begin, mut end, mut count) = (0, 0, 0_usize);
    // A phrase hardly ever has a word twice.
    let mut distinct: HashSet<u16> = HashSet::new();
    let mut give = |begin: usize, end: usize, count: usize, distinct: &mut HashSet<u16>| {
        if count >= 12 && distinct.len() * 3 >= count * 2 {
            found.push(begin..end);
        }
        distinct.clear();
    };
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            at += 1;
        }
        if let Some(number) = phrase_word(&text[start..at], beginnings) {
            let gap = &bytes[end..start];
            let joined = count > 0
                && gap.len() <= 4
                && gap.iter().all(|b| {
                    b.is_ascii_whitespace()
                        || b.is_ascii_digit()
                        || matches!(b, b',' | b'.' | b'-' | b')')
                });
            if !joined {
                give(begin, end, count, &mut distinct);
                (begin, count) = (start, 0);
            }
            count += 1;
            distinct.insert(number);
        } else if count > 0 {
            give(begin, end, count, &mut distinct);
            count = 0;
        }
        end = at;
    }
    give(begin, end, count, &mut distinct);
    found
}

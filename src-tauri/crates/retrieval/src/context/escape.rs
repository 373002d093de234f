//! Writes text so that nothing in it can be taken for the fence around it, and reads it back.
//!
//! Guarantee: what comes out holds no angle bracket, no quotation mark and no ampersand that it did
//! not write itself, and its only line breaks are `\n` and `\r\n`. Nothing is stripped: [`unescape`]
//! gives every text back. What compatibility normalisation (NFKC) would turn into one of the
//! escaped characters is escaped too, so that normalising a block later cannot open it; so are
//! characters that steer a terminal or turn the direction of a line.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest entity that is ever written, `&#x1F1E6;` and the like.
const LONGEST: usize = 10;

/// `& < > " '`, their look-alikes, control characters, direction marks and unusual line breaks as
/// entities.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    escape_into(&mut out, text);
    out
}

pub(super) fn escape_into(out: &mut String, text: &str) {
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // A carriage return is a line break of its own unless it belongs to one.
        if c == '\r' && rest.peek() == Some(&'\n') {
            out.push(c);
            continue;
        }
        match entity(c) {
            Some(entity) => out.push_str(&entity),
            None => out.push(c),
        }
    }
}

/// The same on one line: a line break is an entity too, and so are the brackets around a label.
pub(super) fn escape_label(out: &mut String, text: &str) {
    for c in text.chars() {
        match entity(c) {
            Some(entity) => out.push_str(&entity),
            None if of_labels(c) => out.push_str(&numbered(c)),
            None => out.push(c),
        }
    }
}

/// What is an entity in a label only.
const fn of_labels(c: char) -> bool {
    matches!(c, '\n' | '\t' | '[' | ']')
}

/// How a character is written, when not as itself.
fn entity(c: char) -> Option<Cow<'static, str>> {
    Some(match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#39;".into(),
        '\n' | '\t' => return None,
        // Look-alikes of the five.
        '\u{FF1C}' | '\u{FF1E}' | '\u{FE64}' | '\u{FE65}' | '\u{FF06}' | '\u{FE60}'
        | '\u{FF02}' | '\u{FF07}'
        // Line and paragraph separators; embeddings, overrides and isolates of direction.
        | '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            numbered(c).into()
        }
        _ if c.is_control() => numbered(c).into(),
        _ => return None,
    })
}

fn numbered(c: char) -> String {
    let mut out = String::with_capacity(LONGEST);
    // Writing into a String cannot fail.
    let _ = write!(out, "&#x{:X};", c as u32);
    out
}

/// Gives back what [`escape`] was given. Entities that are never written stay as they are.
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = first_entity(rest).unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The character that the entity at the beginning stands for, and the entity's length.
fn first_entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let whole = &text[..=end];
    let c = match whole {
        "&amp;" => '&',
        "&lt;" => '<',
        "&gt;" => '>',
        "&quot;" => '"',
        "&#39;" => '\'',
        _ => {
            let digits = whole.strip_prefix("&#x")?.strip_suffix(';')?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
        }
    };
    let written = entity(c).map_or_else(|| numbered(c), Cow::into_owned);
    (written == whole && (entity(c).is_some() || of_labels(c))).then_some((c, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(
            escape("a\u{1b}[2J\u{9b}\u{202e}b\rc\r\nd\u{85}\u{2028}e\tf"),
            "a&#x1B;[2J&#x9B;&#x202E;b&#xD;c\r\nd&#x85;&#x2028;e\tf"
        );
        assert_eq!(unescape("&#x41;&nbsp;&#xZZ;&"), "&#x41;&nbsp;&#xZZ;&");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn unescaping_gives_everything_back(content in "(\\PC|[&#;x<>'\"＜\r\n\t\u{0}\u{1b}\u{85}\u{2028}]|&amp;|&#xFF1C;|amp;|&#xA;){0,60}") {
            prop_assert_eq!(unescape(&escape(&content)), content.clone());
            let mut label = String::new();
            escape_label(&mut label, &content);
            prop_assert!(!label.contains(['\n', '\r', '[', ']']));
            prop_assert_eq!(unescape(&label), content);
        }
    }
}

//! Takes out the codes by which programs colour and move a terminal's text. They are no words: with
//! them in the way no stamp is seen, and no search finds what they split.

use std::borrow::Cow;

/// The text without escape sequences, borrowed when there are none.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}']) {
        kept.push_str(&rest[..at]);
        rest = &rest[at + sequence(&rest[at..])..];
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Bytes of the sequence that the text begins with (ECMA-48).
fn sequence(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let introducer = if first == '\u{9b}' {
        Some('[')
    } else {
        chars.next().map(|(_, c)| c)
    };
    let begin = match (first, introducer) {
        ('\u{9b}', _) => first.len_utf8(),
        (_, Some(c)) => 1 + c.len_utf8(),
        (_, None) => return text.len(),
    };
    match introducer {
        // Parameters and intermediates, then one final character.
        Some('[') => {
            let body = &text[begin..];
            let length = body
                .find(|c: char| !matches!(c, ' '..='?'))
                .unwrap_or(body.len());
            let last = body[length..].chars().next();
            let last = last
                .filter(|c| matches!(c, '@'..='~'))
                .map_or(0, char::len_utf8);
            begin + length + last
        }
        // A title or a link, up to BEL or ST; cut at the line's end when that never comes.
        Some(']' | 'P' | '^' | '_' | 'X') => {
            let body = &text[begin..];
            let ends = body.find(['\u{7}', '\u{1b}', '\u{9c}', '\n']);
            match ends.map(|at| (at, body[at..].chars().next().unwrap_or('\n'))) {
                None => text.len(),
                Some((at, '\n')) => begin + at,
                Some((at, '\u{1b}')) => {
                    begin
                        + at
                        + if body[at..].starts_with("\u{1b}\\") {
                            2
                        } else {
                            0
                        }
                }
                Some((at, end)) => begin + at + end.len_utf8(),
            }
        }
        Some('(' | ')' | '#' | '%') => {
            begin + text[begin..].chars().next().map_or(0, char::len_utf8)
        }
        // A line end belongs to the text.
        Some('\n') => 1,
        _ => begin,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn colours_links_and_titles_go() {
        for (text, plain) in [
            (
                "\u{1b}[2m2026-10-01\u{1b}[0m \u{1b}[38;5;1mERROR\u{1b}[m x",
                "2026-10-01 ERROR x",
            ),
            ("\u{1b}]0;title\u{7}a", "a"),
            (
                "\u{1b}]8;;http://a.example\u{1b}\\link\u{1b}]8;;\u{1b}\\",
                "link",
            ),
            ("\u{9b}1mb", "b"),
            ("a\u{1b}[2K\u{1b}(Bb", "ab"),
            ("cut \u{1b}[31", "cut "),
            ("cut \u{1b}]0;never ends\nnext", "cut \nnext"),
            ("\u{1b}\nnext", "\nnext"),
            ("plain [31m", "plain [31m"),
        ] {
            assert_eq!(without_escapes(text), plain, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_an_escape_stays(text in "[\\x1b\\x9b\\[\\]a;m7\\\\\\n\\x07é]{0,40}") {
            let plain = without_escapes(&text);
            let escaped = plain.contains(['\u{1b}', '\u{9b}']);
            prop_assert!(!escaped);
        }
    }
}

//! What stands directly behind a name without a sign between, or alone in the next line.

use std::ops::Range;

use super::extent::{Between, extent};
use super::given::{Name, blank, skip, value_at};
use super::meaning::Meaning;
use super::value;
use super::view::View;

/// `password hunter22!`, `token AbC…`: directly behind the name, and unlike any word.
pub(super) fn adjacent(text: &str, at: usize, name: &Name<'_>) -> Option<Range<usize>> {
    let word = text
        .get(at..)?
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')'))
        .next()?;
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let before = value::last_word(&text[..name.range.start]);
    let foreign = !name.text.is_ascii();
    let ascii = word.bytes().take_while(u8::is_ascii_graphic).count();
    let word = if foreign { &word[..ascii] } else { word };
    let handed = foreign
        || matches!(
            before.to_lowercase().as_str(),
            "with" | "and" | "mit" | "und" | "con" | "avec" | "com" | "user" | "username"
        );
    // Without such a word a name or a measure might follow: `password reset2fa_x`, `password 8-char`.
    let given = handed && word.len() >= 6
        || word.len() >= 8
            && !word.contains(['_', '(', '[', '{', '<', ':'])
            && !value::is_field(word)
            && word.rsplit_once('.').is_none_or(|(_, end)| end.len() > 4)
            && !word.starts_with(|c: char| c.is_ascii_digit());
    let odd = name.meaning == Meaning::Password
        && given
        && value::is_mixed(word)
        && word.bytes().all(|b| b.is_ascii_graphic())
        && !value::is_composed(word)
        && !word.contains(['/', '=']);
    let hexadecimal = name.meaning == Meaning::Token
        && (16..=64).contains(&word.len())
        && word.bytes().filter(u8::is_ascii_digit).count() >= 4
        && value::is_mixed(word)
        && word.bytes().all(|b| b.is_ascii_alphanumeric());
    (odd || hexadecimal || value::is_very_random(word))
        .then_some(())
        .filter(|()| value::is_given(word) && !value::is_uuid(word))?;
    Some(at..at + word.len())
}

/// Where the next line begins when one ends here. Of a line end of Windows that was escaped, two are
/// left.
pub(super) fn line_behind(bytes: &[u8], at: usize) -> Option<usize> {
    let end = skip(bytes, at, 1, |b| b == b'\r');
    let line = skip(bytes, end, 2, |b| b == b'\n');
    (line > end).then_some(line)
}

/// `"password":⏎  "…"`, `<password>⏎  …`, `Password:⏎…`: a value that stands alone in the next line.
pub(super) fn next_line(
    view: &View<'_>,
    name: &Name<'_>,
    quoted: bool,
    line: usize,
) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let at = skip(text.as_bytes(), line, 80, |b| blank(b) || b == b'+');
    let rest = text.get(at..)?;
    if quoted {
        let opens = rest.starts_with(['"', '\'']);
        return opens
            .then(|| value_at(view, at, name, Between::Colon))
            .flatten();
    }
    let line_start = text[..name.range.start]
        .rfind('\n')
        .map_or(0, |place| place + 1);
    // A record's string may begin here.
    let lead = text[line_start..name.range.start]
        .rsplit('"')
        .next()
        .unwrap_or_default()
        .trim_matches(['+', '-', '>', '<', '*', ' ', '\t']);
    let line = &text[at..extent(text, at, Between::Colon)];
    let alone = rest[line.len()..]
        .chars()
        .next()
        .is_none_or(|next| matches!(next, '\n' | '\r' | '"' | '\'' | '<'));
    let good = name.meaning == Meaning::Password
        && alone
        && lead.is_empty()
        && line.len() >= 6
        && value::is_mixed(line)
        && line.bytes().all(|b| b.is_ascii_graphic())
        && !line.contains(['/', '=', ':', '(', '<', '{'])
        && !value::is_composed(line)
        && !value::is_field(line)
        && value::is_given(line);
    good.then_some(at..at + line.len())
}

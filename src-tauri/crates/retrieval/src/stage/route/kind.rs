//! What a piece of text is, by its characters alone.

use models::Script;

use crate::trace::TermKind;

/// What a trimmed text of a script with blanks is.
pub(super) fn kind_of(core: &str) -> TermKind {
    if is_email(core) {
        TermKind::Email
    } else if is_uuid(core) || is_hash(core) {
        TermKind::Hash
    } else if core.contains(['/', '\\']) {
        TermKind::Path
    } else if is_identifier(core) {
        TermKind::Identifier
    } else {
        TermKind::Word
    }
}

fn is_email(core: &str) -> bool {
    core.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.contains('@')
            && !core.contains("://")
            && domain.split('.').count() > 1
            && domain.split('.').all(has_alphanumeric)
    })
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub(super) fn is_uuid(core: &str) -> bool {
    let groups: Vec<&str> = core.split('-').collect();
    groups.len() == 5
        && groups.iter().zip([8, 4, 4, 4, 12]).all(|(group, length)| {
            group.len() == length && group.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// At least six hexadecimal digits, letters and figures among them, so that neither `facade` nor
/// `202603` is taken for a commit.
fn is_hash(core: &str) -> bool {
    (6..=128).contains(&core.len())
        && core.bytes().all(|b| b.is_ascii_hexdigit())
        && core.bytes().any(|b| b.is_ascii_digit())
        && core.bytes().any(|b| b.is_ascii_alphabetic())
}

fn is_identifier(core: &str) -> bool {
    has_symbol(core) || is_camel_case(core) || has_letter_and_digit(core)
}

/// Holds something that is neither letter nor digit, apostrophes aside.
fn has_symbol(core: &str) -> bool {
    core.chars().any(|c| {
        !c.is_alphanumeric()
            && !matches!(c, '\'' | '\u{2019}' | '\u{2018}')
            && !unicode_normalization::char::is_combining_mark(c)
    })
}

fn has_letter_and_digit(core: &str) -> bool {
    core.chars().any(char::is_numeric) && core.chars().any(char::is_alphabetic)
}

fn is_camel_case(core: &str) -> bool {
    camel_parts(core).len() > 1
}

/// `XMLHttpRequest` → XML, Http, Request.
pub(super) fn camel_parts(core: &str) -> Vec<String> {
    let characters: Vec<char> = core.chars().collect();
    let mut parts = vec![String::new()];
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|i| characters[i]);
        let next_is_lower = characters.get(at + 1).is_some_and(|n| n.is_lowercase());
        let starts = before.is_some_and(|b| {
            c.is_uppercase() && (b.is_lowercase() || b.is_uppercase() && next_is_lower)
        });
        if starts {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// Written so that chance hardly explains finding it: CONSTANT_CASE, snake_case, ids with digits,
/// words with a sign at their edge such as `C++`, `.NET` and `50%`.
pub(super) fn is_telling(core: &str) -> bool {
    let edge = !core.starts_with(char::is_alphanumeric) || !core.ends_with(char::is_alphanumeric);
    edge || core.contains('_')
        || core.contains("::")
        || (has_symbol(core) && core.chars().any(char::is_numeric))
        || (has_symbol(core)
            && core.chars().any(char::is_alphabetic)
            && !core.chars().any(char::is_lowercase))
}

/// Words joined by hyphens, as in any text: `boundary-layer`, `Mother-in-law`.
pub(super) fn is_compound(core: &str) -> bool {
    core.split('-').count() > 1
        && core.split('-').all(|word| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_alphabetic) && letters.all(char::is_lowercase)
        })
}

pub(super) fn has_alphanumeric(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

pub(crate) fn is_unspaced(c: char) -> bool {
    // The middle dot of Japanese separates words although it sits among the syllables.
    c != '・' && Script::of(c).is_unspaced()
}

/// Marks that only ever stand between words.
pub(crate) fn is_separator(c: char) -> bool {
    !c.is_alphanumeric()
        && matches!(c as u32, 0x3000..=0x303F | 0x30FB | 0xFF00..=0xFF0F | 0xFF1A..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF65 | 0x2010..=0x2027 | 0x2030..=0x205E)
}

/// Scripts in which two characters make a word. Hiragana is grammar, Thai letters are sounds.
pub(super) fn bears_words(c: char) -> bool {
    match Script::of(c) {
        Script::Han | Script::Hangul => true,
        Script::Kana => ('\u{30A1}'..='\u{30FF}').contains(&c),
        _ => false,
    }
}

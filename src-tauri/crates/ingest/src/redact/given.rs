//! The value that a name is given, and whether it is a secret.

use std::ops::Range;

use super::extent::{Between, extent};
use super::meaning::Meaning;
use super::value;
use super::view::View;

/// A name with what it means and where it ends.
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) range: Range<usize>,
    pub(super) meaning: Meaning,
}

pub(super) fn skip(bytes: &[u8], mut at: usize, most: usize, what: impl Fn(u8) -> bool) -> usize {
    let from = at;
    while at < bytes.len() && at - from < most && what(bytes[at]) {
        at += 1;
    }
    at
}

pub(super) fn blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

/// The value that begins at a place, if it is a secret.
pub(super) fn value_at(
    view: &View<'_>,
    at: usize,
    name: &Name<'_>,
    between: Between,
) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let bytes = text.as_bytes();
    let rest = text.get(at..)?;
    // `SecretStr("…")`, `b"…"`, `N'…'`, `"Bearer …"`.
    let opener = rest
        .bytes()
        .take(48)
        .take_while(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'(' | b'@' | b' ')
        })
        .count();
    let before_quote = &rest[..opener];
    let wraps = before_quote.is_empty()
        || before_quote.len() <= 2
            && before_quote
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || b == b'@')
        || before_quote.ends_with('(')
            && !before_quote.contains(' ')
            && ![
                "get", "env", "config", "lookup", "var", "read", "open", "load", "join", "path",
            ]
            .iter()
            .any(|verb| before_quote.to_ascii_lowercase().contains(verb));
    if wraps && let Some(quote @ (b'"' | b'\'' | b'`')) = bytes.get(at + opener).copied() {
        return quoted_value(view, at + opener, quote, name, between);
    }
    for (open, close) in [
        ('“', '”'),
        ('「', '」'),
        ('«', '»'),
        ('‘', '’'),
        ('『', '』'),
    ] {
        if let Some(inner) = rest.strip_prefix(open) {
            let end = inner.find(close)?;
            let value = &inner[..end];
            let from = at + open.len_utf8();
            return (value::is_given(value) && !value.contains('\n') && !value::is_prose(value))
                .then_some(from..from + end);
        }
    }
    if between == Between::Argument
        && !(bytes.get(at.checked_sub(1)?) == Some(&b'>') || text[..at].trim_end().ends_with('|'))
    {
        return None;
    }
    plain_value(text, at, name, between)
}

fn quoted_value(
    view: &View<'_>,
    at: usize,
    quote: u8,
    name: &Name<'_>,
    between: Between,
) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let bytes = text.as_bytes();
    let depth = view.depth(at);
    let from = at + 1;
    let mut end = from;
    while end < bytes.len() && end - from < 8192 {
        if bytes[end] == quote && view.depth(end) == depth
            || bytes[end] == b'\n' && depth == 0 && quote != b'"'
        {
            break;
        }
        // What is wrapped less deep lies outside of the string that this value is in.
        if bytes[end] == b'"' && depth > 0 && view.depth(end) < depth
            || bytes[end] == b'\n' && view.depth(end) == 0
        {
            break;
        }
        end += 1;
    }
    let value = text.get(from..end)?;
    let trimmed = value.trim();
    // The quote closed what holds the name: `prompt("Password: ");` and its next line.
    if trimmed.starts_with([')', ']', ',', ';']) && (trimmed.len() < 3 || trimmed.contains('\n')) {
        return None;
    }
    // A scheme in front stays readable.
    let scheme = ["Bearer ", "Basic ", "Token ", "bearer ", "basic ", "token "]
        .iter()
        .find(|scheme| trimmed.starts_with(**scheme));
    if let Some(scheme) = scheme {
        let from = from + value.find(scheme)? + scheme.len();
        return value::is_given(&text[from..end]).then_some(from..end);
    }
    if !value::is_given(trimmed) || trimmed.len() < 2 {
        return None;
    }
    let words = trimmed.split_whitespace().count();
    let good = if words > 1 {
        name.meaning != Meaning::Mention
            && !value::is_prose(trimmed)
            && words <= 30
            && (name.meaning == Meaning::Password || trimmed.len() >= 12)
    } else {
        one_word(&text[..from], trimmed, name, between)
    };
    good.then_some(from..end)
}

/// Whether a word in quotes, with all that stands before it, is a secret.
fn one_word(before: &str, word: &str, name: &Name<'_>, between: Between) -> bool {
    if name.meaning == Meaning::Mention {
        return between != Between::Argument && looks_random(word);
    }
    if value::is_about(word) || is_label(name.text, word) {
        return false;
    }
    if name.meaning == Meaning::Password {
        // `field("password", "hint-text")`: the name of something, as most arguments are.
        let plain = |b: u8| b.is_ascii_lowercase() || b == b'_' || b == b'-';
        let argument = between == Between::Argument && !before.contains("define(");
        return !(argument && word.len() < 20 && word.bytes().all(plain));
    }
    let letter = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.');
    if word.bytes().all(letter) {
        return word.len() >= 16 && !value::is_field(word);
    }
    word.len()
        >= if word.bytes().all(|b| b.is_ascii_digit()) {
            8
        } else {
            4
        }
}

fn looks_random(value: &str) -> bool {
    value.len() >= 8
        && value::is_mixed(value)
        && !value::is_uuid(value)
        && !value::is_technical(value)
        && !value.contains(['(', ')', ' ', '{', '<'])
        && !value.contains("://")
        && !value.starts_with(['/', '.', '~'])
        && !value::is_field(value)
        && (value::has_mixed_word(value))
}

fn plain_value(text: &str, at: usize, name: &Name<'_>, between: Between) -> Option<Range<usize>> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    if first.is_whitespace() || matches!(first, ')' | ']' | '}' | ',' | ';' | '|') {
        return None;
    }
    if let Some(scheme) = ["Bearer ", "Basic ", "bearer ", "basic "]
        .iter()
        .find(|scheme| rest.starts_with(**scheme))
    {
        let from = at + scheme.len();
        let end = extent(text, from, between);
        return value::is_given(&text[from..end]).then_some(from..end);
    }
    let end = extent(text, at, between);
    let word = &text[at..end];
    let kept = word.trim_end_matches(['.', ',', ';', ':']);
    let kept = if kept.is_empty() { word } else { kept };
    let mut end = at + kept.len();
    let line_end = rest.find('\n').map_or(text.len(), |place| at + place);
    let line_start = text[..name.range.start]
        .rfind('\n')
        .map_or(0, |place| place + 1);
    let lead = text[line_start..name.range.start]
        .trim_start_matches(['+', '-', ' ', '\t', '>', '*', '"', '\'']);
    let lead = lead
        .trim_start_matches("export ")
        .trim_start_matches("set ")
        .trim_start_matches("- ");
    let alone = lead.is_empty();
    let tail = text[end..line_end].trim();
    let followed = !tail.is_empty() && !tail.starts_with(['#', '/']);
    // `passphrase: correct horse battery staple`: its first word may be any.
    let phrased = followed && name.text.to_ascii_lowercase().ends_with("passphrase");
    if !value::is_given(if phrased { &text[at..line_end] } else { kept }) {
        return None;
    }
    let capitals = !name.text.bytes().any(|b| b.is_ascii_lowercase());
    let letters = kept.chars().all(|c| c.is_alphabetic() || c == '_');
    let digits = kept.bytes().all(|b| b.is_ascii_digit());
    let code = matches!(between, Between::Loose) && !capitals
        || text[end..line_end].starts_with([',', ')', '}', '('])
        || matches!(first, '&' | '*' | '!') && letters;
    let kwarg = between == Between::Tight
        && matches!(
            text[..name.range.start].trim_end().chars().next_back(),
            Some('(' | ',')
        )
        && !capitals;
    let field = value::is_field(kept)
        && (code || kwarg || between == Between::Colon || is_secret_word(kept));
    if field || kept.contains("://") && name.meaning != Meaning::Password || kept.starts_with("::")
    {
        return None;
    }
    if !phrased && value::is_about(kept) || is_label(name.text, kept) || value::is_technical(kept) {
        return None;
    }
    let good = match name.meaning {
        Meaning::Mention => !digits && looks_random(kept),
        Meaning::Token if letters => {
            !code && !kwarg && kept.len() >= 12 && !followed && between != Between::Blank
                || capitals && between == Between::Tight && kept.len() >= 3
                || between == Between::Blank && kept.len() >= 6 && !kept.starts_with('-')
        }
        Meaning::Token if digits => kept.len() >= 8,
        Meaning::Token => {
            kept.len() >= 3
                && !kept.starts_with('-')
                && (!code
                    && !kwarg
                    && (capitals
                        || between == Between::Tight
                        || value::is_mixed(kept)
                        || kept.len() >= 12 && !followed)
                    || value::is_mixed(kept)
                        && kept.len() >= 6
                        && (kept.len() >= 16 || !is_name(kept)))
        }
        Meaning::Password if kept.starts_with('-') && between == Between::Blank => false,
        Meaning::Password if digits => kept.len() >= 4,
        Meaning::Password if letters => {
            let plain = kept
                .chars()
                .all(|c| c.is_lowercase() || c.is_uppercase() || c == '_' || c.is_alphabetic());
            match between {
                Between::Tight => !kwarg && kept.len() >= 3,
                Between::Colon => {
                    plain
                        && alone
                        && !followed
                        && kept.len() >= 3
                        && !text[end..line_end].starts_with(',')
                }
                Between::Loose => {
                    alone
                        && !followed
                        && kept.len() >= 3
                        && (capitals || kept.len() < 40)
                        && !kept.contains('_')
                }
                Between::Blank | Between::Argument => kept.len() >= 3,
            }
        }
        Meaning::Password => {
            kept.len() >= 2
                && !((code || kwarg)
                    && is_name(kept)
                    && kept.contains('_')
                    && !value::has_mixed_word(kept))
        }
    };
    // `passphrase: seven quiet herons`
    let several = followed
        && matches!(between, Between::Colon | Between::Loose | Between::Tight)
        && (alone || phrased)
        && name.meaning == Meaning::Password;
    if several {
        let line = &text[at..line_end];
        // Where a record ends its string.
        let string = ["\"}", "\"]", "\","]
            .iter()
            .filter_map(|end| line.find(end))
            .min();
        let whole = line[..string.unwrap_or(line.len())]
            .trim_end()
            .trim_end_matches(['"', '\'', '`', ',']);
        let words: Vec<&str> = whole.split_whitespace().collect();
        let quote_free = !whole.contains(['"', '\'', '`', '=', '{', '(', ';', '&', '|', '$']);
        if (2..=12).contains(&words.len())
            && quote_free
            && !value::is_prose(whole)
            && (letters || good)
            && (between != Between::Tight || letters)
        {
            end = at + whole.len();
            return Some(at..end);
        }
        if letters && between != Between::Tight {
            return None;
        }
    }
    (good && !value::is_about(kept) && value::is_given(kept)).then_some(at..end)
}

fn is_secret_word(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["secret", "token", "password", "key", "passwd", "credential"]
        .iter()
        .any(|word| lower.contains(word))
}

pub(super) fn is_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// `"password": "Password"`, `"token": "authToken"`: a name for a name.
pub(super) fn is_label(name: &str, value: &str) -> bool {
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.' | b':'));
    let lower = value.to_lowercase();
    if matches!(
        lower.as_str(),
        "contraseña"
            | "contrasena"
            | "passwort"
            | "kennwort"
            | "senha"
            | "geheimnis"
            | "secreto"
            | "wachtwoord"
            | "пароль"
            | "密码"
            | "密碼"
            | "口令"
            | "密钥"
            | "令牌"
            | "パスワード"
            | "暗証番号"
            | "비밀번호"
            | "암호"
    ) {
        return true;
    }
    plain
        && (lower == name.to_ascii_lowercase()
            || [
                "password",
                "passwd",
                "token",
                "secret",
                "apikey",
                "api_key",
                "api-key",
                "accesskey",
                "access_key",
                "_key",
                "-key",
                "passphrase",
                "credential",
            ]
            .iter()
            .any(|word| lower.contains(word)))
}

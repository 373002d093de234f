//! Secrets that a name before them tells: `DB_PASSWORD=`, `"api_key": "…"`, `client secret => …`.
//!
//! Behind a name that means a secret the value's looks don't matter, unless it is a placeholder or
//! leads to one that stands elsewhere. Behind a name that only mentions one, or in code, where most
//! values are variables, it must look like a secret.

use std::ops::Range;

use super::adjacent::{adjacent, line_behind, next_line};
use super::extent::Between;
use super::given::{Name, blank, skip, value_at};
use super::meaning::{KEY_OF, Meaning, among, meaning_of};
use super::value;
use super::view::View;

/// Words of which a text must hold one for a name to be looked for.
pub(super) const NEEDLES: [&str; 37] = [
    "pass",
    "pw",
    "auth",
    "secret",
    "token",
    "key",
    "credential",
    "creds",
    "passwort",
    "kennwort",
    "mdp",
    "senha",
    "contrasena",
    "contraseña",
    "mot de passe",
    "пароль",
    // Case is folded in ASCII alone.
    "Пароль",
    "ПАРОЛЬ",
    "wachtwoord",
    "hasło",
    "Hasło",
    "lösenord",
    "şifre",
    "parola",
    "비번",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "令牌",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
    "_psk",
    "auth_salt",
    "pswd",
];

/// The name around a needle.
fn name_at<'a>(text: &'a str, hit: &Range<usize>) -> Option<Name<'a>> {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let mut start = hit.start;
    while start > 0 && hit.start - start < 80 && part(bytes[start - 1]) {
        start -= 1;
    }
    let mut end = hit.end;
    // `密码quiet`: a name that is not written in Latin letters ends where these begin.
    let latin = bytes[hit.end - 1].is_ascii();
    while latin
        && end < bytes.len()
        && end - hit.end < 60
        && (part(bytes[end]) && bytes[end] != b'.')
    {
        end += 1;
    }
    // `API key`, `Client Secret`: a word before, with a blank between.
    if bytes[hit.start].is_ascii() && start >= 2 && bytes[start - 1] == b' ' {
        let mut word = start - 1;
        while word > 0 && start - word < 20 && bytes[word - 1].is_ascii_alphabetic() {
            word -= 1;
        }
        let before = text[word..start - 1].to_ascii_lowercase();
        if among(KEY_OF, before.as_str()) {
            start = word;
        }
    }
    let name = text.get(start..end)?.trim_start_matches(['-', '.']);
    let start = end - name.len();
    let meaning = meaning_of(name)?;
    Some(Name {
        text: name,
        range: start..end,
        meaning,
    })
}

/// The secret that the name around a needle introduces, and where to go on looking.
pub(super) fn find(view: &View<'_>, hit: &Range<usize>) -> Option<(Range<usize>, usize)> {
    let text: &str = &view.text;
    let name = name_at(text, hit)?;
    let end = name.range.end;
    let found = pair(view, &name).or_else(|| assigned(view, &name));
    found.map(|range| (range, end))
}

/// `{"name": "DB_PASSWORD", "value": "…"}`, `- name: DB_PASSWORD⏎  value: …`, `<add key="…" value="…"/>`.
fn pair(view: &View<'_>, name: &Name<'_>) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let bytes = text.as_bytes();
    let head = text
        .get(..name.range.start)?
        .trim_end_matches(['"', '\'', ' ', '\t', '@']);
    let head = head
        .strip_suffix([':', '='])?
        .trim_end_matches([' ', '"', '\'']);
    let tail_of = |word: &str| {
        head.len() >= word.len()
            && head.as_bytes()[head.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    };
    if !(tail_of("name") || tail_of("key")) || name.meaning == Meaning::Mention {
        return None;
    }
    let at = skip(bytes, name.range.end, 40, |b| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b',' | b'+')
    });
    let rest = text.get(at..)?;
    let label = rest.get(..5)?;
    if !label.eq_ignore_ascii_case("value") {
        return None;
    }
    let at = skip(bytes, at + 5, 8, |b| matches!(b, b'"' | b'\'' | b' '));
    let sign = *bytes.get(at)?;
    if !matches!(sign, b':' | b'=') {
        return None;
    }
    let at = skip(bytes, at + 1, 8, blank);
    value_at(view, at, name, Between::Colon)
}

fn assigned(view: &View<'_>, name: &Name<'_>) -> Option<Range<usize>> {
    let text: &str = &view.text;
    let bytes = text.as_bytes();
    let end = name.range.end;
    let start = name.range.start;
    // `arn:aws:secretsmanager:…:secret:prod/db`: a kind, and a name behind it.
    if text[..start].ends_with(':') && text[end..].starts_with(':') {
        let run = text[..start].rsplit(|c: char| c.is_whitespace() || c == '"');
        if run.take(1).any(|run| run.contains("arn:")) {
            return None;
        }
    }
    // A mask, and the name of a setting inside of one: `${DB_PASSWORD}`.
    if text[..start].ends_with("[secret:")
        || text[..start].ends_with('[')
            && text[end..].starts_with(']')
            && !text[end..].starts_with("] =")
    {
        return None;
    }
    let mut at = skip(bytes, end, 3, |b| {
        matches!(b, b'"' | b'\'' | b'`' | b']' | b'*')
    });
    let quoted = at > end && matches!(bytes[end], b'"' | b'\'' | b'`');
    let spaced = skip(bytes, at, 40, blank);
    // `Password (staging): …`
    if bytes.get(spaced) == Some(&b'(') && spaced > at {
        let close = text.get(spaced..)?.bytes().take(32).position(|b| b == b')');
        if let Some(close) = close {
            at = spaced + close + 1;
        }
    }
    let spaced = skip(bytes, at, 40, blank);
    let rest = text.get(spaced..)?;
    let flag = text[..start].ends_with("--")
        || (text[..start].ends_with('-')
            && text[..start].trim_end_matches('-').ends_with([' ', '\n']));
    let (between, next) =
        if rest.starts_with("==") || rest.starts_with("!=") || rest.starts_with("===") {
            let signs = skip(bytes, spaced, 3, |b| matches!(b, b'=' | b'!'));
            (Between::Argument, signs)
        } else if rest.starts_with("=>")
            || rest.starts_with(":=")
            || rest.starts_with("->")
            || rest.starts_with("?=")
        {
            (Between::Loose, spaced + 2)
        } else if rest.starts_with(":-") || rest.starts_with(":=") {
            (Between::Tight, spaced + 2)
        } else if rest.starts_with("::") {
            return None;
        } else if rest.starts_with('=') {
            let tight = spaced == at && !bytes.get(spaced + 1).is_some_and(|b| blank(*b));
            (
                if tight {
                    Between::Tight
                } else {
                    Between::Loose
                },
                spaced + 1,
            )
        } else if rest.starts_with(':') {
            (Between::Colon, spaced + 1)
        } else if rest.starts_with('：') || rest.starts_with('＝') {
            (Between::Colon, spaced + 3)
        } else if rest.starts_with('|') && spaced > at && !text[..start].ends_with('$')
            || rest.starts_with('>') && text[..start].ends_with('<')
            || rest.starts_with('(') && at == spaced
            || rest.starts_with(',') && quoted
        {
            (Between::Argument, spaced + 1)
        } else if flag && spaced > at {
            (Between::Blank, spaced)
        } else if !name.text.is_ascii()
            && rest.starts_with(['「', '『', '“'])
            && rest[3..].starts_with(|c: char| c.is_ascii_graphic())
        {
            (Between::Colon, spaced)
        } else if rest.starts_with('→') {
            (Between::Colon, spaced + '→'.len_utf8())
        } else if spaced > at && spaced == at + 1 || !name.text.is_ascii() && spaced == at {
            return adjacent(text, spaced, name);
        } else {
            return None;
        };
    let mut next = skip(bytes, next, 40, |b| blank(b) || b == b'*');
    // YAML's block scalars: the value begins on the next line.
    if between == Between::Colon && matches!(bytes.get(next), Some(b'|' | b'>')) {
        let line = skip(bytes, next + 1, 2, |b| matches!(b, b'-' | b'+'));
        if let Some(line) = line_behind(bytes, line) {
            next = skip(bytes, line, 40, |b| blank(b) || b == b'+');
        }
    }
    let element = between == Between::Argument && text[..next].trim_end().ends_with('>');
    if (between == Between::Colon || element)
        && let Some(line) = line_behind(bytes, next)
    {
        return next_line(view, name, quoted && !element, line);
    }
    // `password: str = "…"`
    if between == Between::Colon {
        let typed = skip(bytes, next, 40, |b| {
            b.is_ascii_alphanumeric()
                || matches!(
                    b,
                    b'&' | b'<' | b'>' | b'[' | b']' | b'_' | b'.' | b'?' | b'\'' | b'|'
                )
        });
        let after = skip(bytes, typed, 4, blank);
        if typed > next && after > typed && text[after..].starts_with("= ") {
            if value::is_technical(&text[next..typed]) {
                // `const SET_PW: u32 = 1109422304`
                return None;
            }
            let at = skip(bytes, after + 1, 4, blank);
            return value_at(view, at, name, Between::Loose);
        }
    }
    value_at(view, next, name, between)
}

//! Secrets that are told in words: `the password is …`, `das Passwort lautet …`, `密码是…`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::value;

/// What may stand between the noun and the value, in the languages that people write to agents in.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:[ \t]+(?:for|of|für|von|pour|para|de|du|del|do|per|di)(?:[ \t]+[^\s.,:;=]{1,30}){1,4})?[ \t]*",
        r"(?:(?P<cjk>的?(?:是|为|為|：)|は|が|는|은|을|를)[ \t]*(?:[:：][ \t]*)?",
        r"|(?:(?:is|was|will[ ]be|equals|set[ ]to|changed[ ]to|reset[ ]to|is[ ]set[ ]to|to|as|ist|war|lautet|heißt|wäre|est|était|es|era|fue|è|é|era|jest|это|—|–|-)",
        r"(?:[ \t]+(?:now|still|currently|just|simply|jetzt|nun|maintenant|ahora|agora|adesso|set[ ]to|actually|literally))?)[ \t]*[:：]?[ \t]+)",
    ))
    .ok()
});

const NOUNS: [&str; 31] = [
    "password",
    "passwort",
    "kennwort",
    "passphrase",
    "passcode",
    "passwd",
    "token",
    "secret",
    "api key",
    "api-key",
    "apikey",
    "access key",
    "secret key",
    "license key",
    "private key",
    "contraseña",
    "contrasena",
    "mot de passe",
    "senha",
    "clave",
    "parola",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "令牌",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
];

/// The nouns that this looks for, in small letters.
pub(super) const fn nouns() -> &'static [&'static str] {
    &NOUNS
}

/// The secret that is told behind the noun that ends at `end`.
pub(super) fn find(text: &str, noun: &Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(noun.end..)?;
    let mut near = rest.len().min(200);
    while !rest.is_char_boundary(near) {
        near -= 1;
    }
    let found = SAID.as_ref()?.captures(&rest[..near])?;
    let begin = noun.end + found.get(0)?.end();
    let cjk = found.name("cjk").is_some();
    let rest = &text[begin..];
    for (open, close) in [
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('「', '」'),
        ('『', '』'),
        ('«', '»'),
        ('‘', '’'),
        ('„', '“'),
        ('*', '*'),
    ] {
        if let Some(inner) = rest.strip_prefix(open) {
            let inner_start = begin + open.len_utf8();
            let trimmed = inner.trim_start_matches(open);
            let skipped = inner.len() - trimmed.len();
            let value = &trimmed[..trimmed.find(close)?];
            let good = !value.contains('\n')
                && value.len() >= 3
                && value.len() <= 200
                && value::is_given(value)
                && !value::is_prose(value)
                && !value::is_about(value)
                && !value::is_field(value);
            return good.then_some(inner_start + skipped..inner_start + skipped + value.len());
        }
    }
    let word = rest
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '`' | '<' | '。' | '，' | '、' | '；' | '」' | ')' | '）' | '！'
                )
        })
        .next()?;
    let ascii = word.bytes().take_while(u8::is_ascii).count();
    let word = if cjk { &word[..ascii] } else { word };
    let word = word.trim_end_matches(['.', ',', ';', ':', '?', '\'']);
    let next = rest
        .get(word.len()..)
        .unwrap_or_default()
        .trim_start()
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    if word.len() < 4
        || !value::is_given(word)
        || value::is_about(word.trim_end_matches('!'))
        || value::is_field(word)
        || word.contains("://")
    {
        return None;
    }
    let counted = [
        "characters",
        "chars",
        "bytes",
        "bits",
        "letters",
        "digits",
        "days",
        "hours",
        "minutes",
        "seconds",
        "tokens",
        "zeichen",
        "stellen",
        "caractères",
        "caracteres",
        "years",
        "weeks",
    ];
    if counted.contains(&next.to_lowercase().as_str()) {
        return None;
    }
    let inner = word.trim_end_matches('!');
    let has_digit = word.bytes().any(|b| b.is_ascii_digit());
    let sign = inner.bytes().any(|b| {
        matches!(
            b,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'=' | b'~' | b'?'
        )
    });
    let parts: Vec<&str> = word.split(['-', '_', '.']).collect();
    let chained = parts.len() >= 3
        && !parts.iter().any(|part| {
            part.len() <= 2
                || value::is_about(part)
                || [
                    "only", "scoped", "based", "encoded", "signed", "lived", "time", "date", "end",
                    "side",
                ]
                .contains(part)
        });
    let odd = if cjk {
        word.len() >= 4
            && rest
                .get(word.len()..)
                .is_none_or(|after| !after.starts_with(['类', '編', '编', '格', '字', '型']))
    } else {
        has_digit && (word.len() >= 5 || sign)
            || sign && word.len() >= 5
            || chained && word.len() >= 12
    };
    if odd {
        return Some(begin..begin + word.len());
    }
    phrase(text, begin, noun)
}

/// `the passphrase is seven quiet herons`: several small words to the end of the sentence, of which
/// none is one that every sentence has.
fn phrase(text: &str, begin: usize, noun: &Range<usize>) -> Option<Range<usize>> {
    if !text[noun.clone()].to_lowercase().starts_with("passphrase") {
        return None;
    }
    let rest = &text[begin..];
    let end = rest.find(['\n', '.', ',', ';']).unwrap_or(rest.len());
    let words: Vec<&str> = rest[..end].split_whitespace().collect();
    let small = |word: &&str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    ((3..=10).contains(&words.len()) && words.iter().all(small) && !value::is_prose(&rest[..end]))
        .then_some(begin..begin + rest[..end].trim_end().len())
}

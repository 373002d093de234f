//! Secrets that are told in words: `the password is …`, `das Passwort lautet …`, `密码是…`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{pin, value};

/// What may stand between the noun and the value, in the languages that people write to agents in.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:[ \t]+(?:admin|root|d'ordine))?(?:[ \t]*\([^()\n]{1,30}\))?",
        r"(?:[ \t]+(?:for|of|on|to|für|von|pour|para|de|du|del|do|da|per|di|от|для|you|we|i)(?:[ \t]+[^\s,:;=]{1,40}){1,6}?)?[ \t]*",
        r"(?:(?P<cjk>的?(?:是|为|為|：|改成了?|改为了?|设置为|设为|設定為)|は|が|는|은|을|를|가)[ \t]*(?:[:：][ \t]*)?",
        r"|(?:(?:(?:is|was|has[ ]been|got)[ ](?:set|changed|reset|updated)[ ]to|is|was|will[ ]be|should[ ]be|must[ ]be|equals|set[ ]to|changed[ ]to|reset[ ]to|to|as|ist|war|lautet|heißt|wäre|est|était|es|era|fue|è|é|era|jest|är|это|—|–|-|→)",
        r"(?:[ \t]+(?:now|still|currently|just|simply|jetzt|nun|maintenant|ahora|agora|adesso|set[ ]to|actually|literally))?[ \t]*[:：]?",
        r"|(?P<colon>:))[ \t]+)",
    ))
    .ok()
});

const NOUNS: [&str; 42] = [
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
    "Пароль",
    "wachtwoord",
    "hasło",
    "lösenordet",
    "api-schlüssel",
    "clé api",
    "clave api",
    "apiキー",
    "api密钥",
    "合言葉",
    "合い言葉",
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
    let near = rest.floor_char_boundary(200);
    let found = SAID.as_ref()?.captures(&rest[..near])?;
    let begin = noun.end + found.get(0)?.end();
    // A colon alone is what [`super::named`] reads; only behind further words it is told here.
    if found.name("colon").is_some() && found.get(0)?.as_str().trim() == ":" {
        return None;
    }
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
    if value::is_about(word) {
        return phrase(text, begin, noun);
    }
    if word.len() < 4
        || !value::is_given(word)
        || value::is_about(word.trim_end_matches('!'))
        || value::is_composed(word)
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
        let number = word.bytes().all(|b| b.is_ascii_digit());
        let whole = number && pin::ends_whole(&rest[word.len()..], false);
        has_digit && (word.len() >= 5 || sign || whole)
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
    let end = rest
        .find(['\n', '.', ',', ';', '"', '<'])
        .unwrap_or(rest.len());
    let words: Vec<&str> = rest[..end].split_whitespace().collect();
    let small = |word: &&str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    ((3..=10).contains(&words.len())
        && words.iter().all(small)
        && !value::is_prose(&rest[..end])
        && value::is_given(&rest[..end]))
    .then_some(begin..begin + rest[..end].trim_end().len())
}

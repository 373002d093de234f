//! What stands where a secret may stand: a value, a placeholder for one, or a reference to one.

use std::collections::HashSet;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Words of which one alone tells a placeholder, as long as the rest are words too.
const TELLING: &str = "your changeme change placeholder example redacted masked hidden insert replace dummy todo tbd \
    fixme xxx xxxx foobar undefined omitted elided removed unset enter sample deine votre";

/// Words that say what should stand there. A value made of them alone is none.
static SAYING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "my our the a an some any this that new old here goes test testing value secret secrets token tokens key keys \
     api password passwords passwd pass passphrase pwd credential credentials user username name app client db \
     database admin string str text none null nil true false yes no on off of for in to is with and or not \
     access auth private public id number int integer bool boolean bytes any optional required empty default \
     type env foo bar baz qux goes correct from as field input output login hash salt"
        .split_whitespace()
        .collect()
});

/// Words after `password:` that speak about it.
static ABOUT: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "the a an is are was were be been being to of for from in on at by with without and or not no if when that this \
     which who it its your you my our their we they must should may can cannot could will would shall has have had \
     do does did use used using set get got see failed failure fails fail invalid incorrect wrong expired missing \
     required optional mandatory empty unknown unset denied rejected accepted refused valid changed reset \
     updated rotated revoked stored saved encrypted hashed hidden masked redacted shown sent received created deleted \
     removed generated protected same different below above here there only also already again please enter type \
     choose confirm forgot forgotten authentication authorization based manager policy prompt field input length \
     minimum maximum characters letters digits between least than more less one two three each every all any some \
     contains contain include includes needs need read write reads written case sensitive short long strong weak \
     string number boolean integer object array null none true false undefined default enabled disabled yes off \
     der die das ist und oder nicht mit für von im in ein eine wird muss falsch ungültig le la les est et ou pas un \
     obligatoire requis requise incorrecte incorrecta incorrecto obligatoria obligatorio obrigatória obrigatório \
     obbligatoria obbligatorio erforderlich обязательное verplicht \
     une pour de du des el los las es y o no un una para del por il lo di e non per uma os as do da em não para"
        .split_whitespace()
        .collect()
});

/// Names of algorithms and notations that have digits but are no values.
static TECHNICAL: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "base64 base32 base58 base64url sha1 sha256 sha384 sha512 sha-256 sha-1 md5 argon2 argon2id pbkdf2 bcrypt scrypt \
     ed25519 x25519 rsa2048 rsa4096 aes128 aes256 aes-256 oauth oauth2 oauth2.0 oauth1 oauth1.0 utf8 utf-8 http2 \
     http/1.1 http/2 s3 ipv4 ipv6 jwt rs256 hs256 es256 hs512 p256 secp256k1 k8s ascii uuid4 uuidv4 crc32 rfc7519 \
     basic bearer digest oidc saml ldap kerberos ntlm u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 usize isize int8 int16 int32 int64 uint8 uint32 c_int c_char char* \
     totp hotp 2fa mfa u2f fido2 webauthn tls1.2 tls1.3 tls ssl3 v1 v2 v3 v4"
        .split_whitespace()
        .collect()
});

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

fn among(list: &str, word: &str) -> bool {
    list.split(' ').any(|of| of == word)
}

/// Base64 in either alphabet, with or without padding.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let standard: String = text
        .chars()
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    LENIENT.decode(standard.trim_end_matches('=')).ok()
}

/// Base64 of `user:password`.
pub(super) fn is_user_and_password(text: &str) -> bool {
    decoded(text).is_some_and(|bytes| {
        bytes.contains(&b':')
            && std::str::from_utf8(&bytes).is_ok_and(|plain| !plain.contains(char::is_control))
    })
}

/// A letter and a digit in one word of six or more.
pub(super) fn has_mixed_word(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word.len() >= 6 && is_mixed(word))
}

/// A letter and a digit.
pub(super) fn is_mixed(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// `xxxx`, `****`, `ghp_…`, `YOUR_KEY`: what stands for a secret in a text about secrets.
pub(super) fn is_filler(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if [
        "xxxx", "****", "....", "…", "####", "____", "••", "----", "<", ">", "${", "{{",
    ]
    .iter()
    .any(|sign| lower.contains(sign))
    {
        return true;
    }
    let mut kinds: Vec<u8> = lower.bytes().filter(u8::is_ascii_alphanumeric).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.len() <= 2 && text.len() >= 3 {
        return true;
    }
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    if words.peek().is_none() {
        // Only signs: `***`, `...`, but `!@#$%^&*` may be a password.
        return text.len() < 6;
    }
    let all: Vec<&str> = words.collect();
    let alphabetic = |word: &&str| word.chars().all(char::is_alphabetic);
    if !all
        .iter()
        .all(|word| alphabetic(word) || word.parse::<u8>().is_ok())
    {
        return false;
    }
    let glued =
        |word: &str| word.starts_with("your") || word.starts_with("changeme") || word == "changeit";
    all.iter()
        .any(|word| among(TELLING, word) && all.len() > 1 || glued(word))
        || all.iter().all(|word| {
            SAYING.contains(word)
                || among(TELLING, word)
                || word.parse::<u8>().is_ok() && all.len() > 1
        })
}

/// How what leads to a secret elsewhere begins.
const HEADS: &str = "process.env os.environ os.getenv env. env[ env( config. config[ config( settings. self. this. \
    args. opts. options. params. props. secrets. vars. var. local. data. req. request. ctx. context. \
    state. import.meta std:: System. Environment. arn:aws: vault: op://";

/// A variable, a call, a field, a template: what leads to a secret that stands elsewhere.
pub(super) fn is_reference(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    if text.starts_with("$(")
        || text.starts_with("${")
        || text.starts_with("{{")
        || first == '<'
        || first == '`'
    {
        return true;
    }
    // What YAML's tags fetch.
    if [
        "!vault",
        "!Ref",
        "!Sub",
        "!GetAtt",
        "!env",
        "!ENV",
        "!secret",
        "!reference",
    ]
    .iter()
    .any(|tag| text.starts_with(tag))
    {
        return true;
    }
    if let Some(rest) = text.strip_prefix('$') {
        // `$NAME` and `$1`; a password may begin with a dollar too.
        let name = rest.trim_start_matches('{').trim_end_matches('}');
        let name = name.strip_prefix("env:").unwrap_or(name);
        return !name.is_empty()
            && name.bytes().all(|b| {
                b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'[' | b']' | b'>' | b'-')
            })
            && (name.bytes().all(|b| !b.is_ascii_lowercase())
                || name.bytes().all(|b| !b.is_ascii_digit()));
    }
    if first == '%' {
        let body = &text[1..];
        return body.strip_suffix('%').is_some_and(|name| !name.is_empty())
            || body.len() <= 2
            || body.starts_with('(');
    }
    if first == '{' || first == '[' || first == '@' && text.ends_with('@') {
        return true;
    }
    if HEADS.split_whitespace().any(|head| {
        text.get(..head.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(head))
    }) {
        return true;
    }
    if [
        "file://",
        "ref+",
        "keyring:",
        "secretsmanager",
        "projects/",
        "ssm:",
    ]
    .iter()
    .any(|head| text.starts_with(head))
    {
        return true;
    }
    is_call(text) || is_path(text)
}

/// `compute(x)`, `get_password()`, `tokenizer.next()`, `sha256(...)`; not `p(ss)w0rd`.
fn is_call(text: &str) -> bool {
    let Some(open) = text.find(['(', '[']) else {
        return false;
    };
    let head = &text[..open];
    if head.is_empty() || !is_dotted_name(head) {
        return false;
    }
    let rest = &text[open + 1..];
    if rest.is_empty() || rest.starts_with([')', ']', '"', '\'', '&', '*']) {
        return true;
    }
    let args = rest.split([')', ']']).next().unwrap_or_default();
    let closes = rest[args.len()..]
        .chars()
        .all(|c| matches!(c, ')' | ']' | ';' | ',' | '?' | '.' | '!'))
        || rest[args.len()..].starts_with(").")
        || rest[args.len()..].starts_with("].");
    closes
        && (args
            .split([',', '.', '_'])
            .all(|part| part.chars().all(char::is_alphabetic))
            || args.parse::<u64>().is_ok())
}

fn is_dotted_name(text: &str) -> bool {
    text.split(['.', ':'])
        .all(|part| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// `settings.SECRET_KEY`, `args.token`, `Keys::api`: names joined by dots, of which none looks like
/// anything else.
pub(super) fn is_field(text: &str) -> bool {
    let parts: Vec<&str> = text
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .collect();
    let arrow = text.contains("->");
    (parts.len() >= 2 || arrow)
        && text
            .split("->")
            .flat_map(|part| part.split(['.', ':']))
            .filter(|part| !part.is_empty())
            .all(|part| {
                let name = part.trim_end_matches(['?', '!']);
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                    && !(is_mixed(name) && !name.contains('_') && name.len() >= 6)
            })
}

/// A file or folder.
fn is_path(text: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "C:\\", "c:\\", "D:\\"]
        .iter()
        .any(|root| text.starts_with(root));
    let parts = text
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .count();
    let word = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'~' | b'@'))
    };
    let words = text
        .split(['/', '\\', ':'])
        .all(|part| part.is_empty() || word(part));
    let known = [
        "/etc", "/var", "/run", "/home", "/usr", "/opt", "/tmp", "/root", "/Users", "/proc",
        "/dev", "/srv", "/mnt", "/secrets", "/app", "./", "../", "~/",
    ]
    .iter()
    .any(|root| text.starts_with(root));
    words
        && (known
            || rooted && parts >= 2 && text.len() < 24 && !text.bytes().any(|b| b.is_ascii_digit())
            || rooted && text.contains(":\\"))
}

/// A value is given: neither a placeholder nor a reference.
pub(super) fn is_given(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !super::begins_mask(text) && !is_filler(text) && !is_reference(text)
}

/// A text about a secret instead of one.
pub(super) fn is_prose(text: &str) -> bool {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, ',' | '.' | ';' | '!' | '?' | '(' | ')' | ':')
    })
    .filter(|word| !word.is_empty())
    .any(|word| ABOUT.contains(word.to_lowercase().as_str()))
}

/// One word that speaks about a secret: `required`, `string`, `sha256`.
pub(super) fn is_about(word: &str) -> bool {
    let lower = word.to_lowercase();
    ABOUT.contains(lower.as_str())
        || SAYING.contains(lower.as_str())
        || TECHNICAL.contains(lower.as_str())
}

/// The name of an algorithm or a notation, or a measure: `4px`, `1.5rem`, `300ms`.
pub(super) fn is_technical(word: &str) -> bool {
    let lower = word.to_lowercase();
    let unit = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let hexadecimal = lower.len() <= 10
        && lower
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    TECHNICAL.contains(lower.as_str())
        || hexadecimal
        || unit.len() < lower.len()
            && matches!(
                unit,
                "px" | "rem"
                    | "em"
                    | "vh"
                    | "vw"
                    | "pt"
                    | "ch"
                    | "fr"
                    | "ms"
                    | "s"
                    | "h"
                    | "kb"
                    | "mb"
                    | "gb"
                    | "%"
            )
}

/// `base64-encoded`, `sha256`, `8-character`, `OAuth2-based`: words about a secret, joined by dashes.
pub(super) fn is_composed(word: &str) -> bool {
    let mut parts = word.split('-');
    is_technical(word)
        || word.contains('-')
            && parts.any(|part| is_technical(part) || part.parse::<u8>().is_ok())
            && word.split('-').all(|part| {
                is_technical(part)
                    || part.parse::<u8>().is_ok()
                    || part.bytes().all(|b| b.is_ascii_lowercase())
                        && [
                            "encoded",
                            "based",
                            "hashed",
                            "signed",
                            "encrypted",
                            "bit",
                            "char",
                            "character",
                            "characters",
                            "digit",
                            "derived",
                            "only",
                            "protected",
                            "letter",
                            "word",
                            "byte",
                            "like",
                        ]
                        .contains(&part)
            })
}

/// `550e8400-e29b-41d4-a716-446655440000`.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Long, with capitals, small letters and digits, and no hash.
pub(super) fn is_very_random(text: &str) -> bool {
    let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    text.len() >= 20
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_uppercase) >= 2
        && count(u8::is_ascii_lowercase) >= 2
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~' | b'!')
        })
        && !text.starts_with(['/', '.'])
        && !text.contains("://")
        && text
            .bytes()
            .filter(|b| matches!(b, b'.' | b'-' | b'_' | b'/'))
            .count()
            * 6
            < text.len()
}
/// The last word of a text, blanks behind it aside; empty where a sign stands last.
pub(super) fn last_word(text: &str) -> &str {
    text.trim_end()
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
}

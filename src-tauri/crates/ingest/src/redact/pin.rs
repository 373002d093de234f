//! Numbers that open something: `the PIN is 4821`, `die Geheimzahl lautet 0042`, `暗証番号は4821です`.
//!
//! Four to eight digits are no secret by themselves, so that the noun must be whole, and nothing may
//! stand behind the digits that makes a measure, a version or a place of them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::value;

/// What may stand between the noun and the digits.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?P<kind>[ \t_-]?(?:code|код|number|nummer|num[eé]ro|número|no\.)|[ \t]?(?:码|碼|号|號|番号|コード|번호|코드))?",
        r#"(?:["'`*_\])]{0,3})"#,
        r"(?:[ \t]*\([^()\n]{1,30}\))?",
        r"(?:[ \t]+(?:for|of|on|to|für|von|der|pour|de|del|de la|du|do|da|per|di|della|от|для)(?:[ \t]+[^\s.,:;=]{1,30}){1,4}?)?",
        r"(?P<link>[ \t]*(?:[:：=＝]|=>|->|→|—|–|는|은|は|が|是|为|為)[ \t]*(?:[:：][ \t]*)?",
        r"|[ \t]+(?:is|was|will be|should be|set to|changed to|is set to|ist|war|lautet|lautete|est|était|es|era|é|è|to)",
        r"(?:[ \t]+(?:now|still|jetzt|maintenant|ahora|the|le|el|il|o|die))?[ \t]*:?[ \t]+",
        r"|[ \t]+)",
        r#"(?:["'`“„«「『*]{0,2})(?P<digits>[0-9]{3,8}|[0-9]{2,4}[ -][0-9]{2,4})"#,
    ))
    .ok()
});

const NOUNS: &[&str] = &[
    "pin",
    "pincode",
    "passcode",
    "geheimzahl",
    "türcode",
    "zugangscode",
    "sicherheitscode",
    "bestätigungscode",
    "entsperrcode",
    "digicode",
    "code secret",
    "code confidentiel",
    "code d'accès",
    "code de la porte",
    "code de vérification",
    "code de sécurité",
    "código secreto",
    "código de acceso",
    "código de verificación",
    "código de seguridad",
    "codice segreto",
    "codice di accesso",
    "código de acesso",
    "door code",
    "gate code",
    "entry code",
    "access code",
    "unlock code",
    "alarm code",
    "security code",
    "lock code",
    "safe code",
    "verification code",
    "one-time code",
    "one time code",
    "2fa code",
    "mfa code",
    "otp",
    "nip",
    "clave",
    "пин",
    "ПИН",
    "Пин",
    "код доступа",
    "验证码",
    "驗證碼",
    "校验码",
    "取款密码",
    "开机密码",
    "解锁码",
    "暗証番号",
    "認証コード",
    "確認コード",
    "ピンコード",
    "パスコード",
    "핀번호",
    "핀 번호",
    "인증번호",
];

/// Words that a bare number may follow: `use PIN 4821`, not `pin 4096 pages`.
const HANDING: &[&str] = &[
    "with", "use", "using", "enter", "type", "my", "your", "his", "her", "our", "sim", "card",
    "mit", "meine", "avec", "mon", "con", "mi", "the", "and",
];

/// Words that may follow a number that was given whole.
const GOING_ON: &[&str] = &[
    "and", "to", "for", "please", "btw", "thanks", "so", "but", "on", "in", "if", "now", "or",
    "not", "it", "then", "is", "keep", "do", "don", "use", "at", "this", "as", "und", "für",
    "bitte", "oder", "aber", "nicht", "et", "pour", "mais", "merci", "ou", "y", "para", "gracias",
    "pero", "e", "per", "и", "для", "which",
];

/// The nouns that this looks for, in small letters.
pub(super) const fn nouns() -> &'static [&'static str] {
    NOUNS
}

/// The number that is told behind the noun at `noun`.
pub(super) fn find(text: &str, noun: &Range<usize>) -> Option<Range<usize>> {
    let written = &text[noun.clone()];
    if written.is_ascii() && !is_whole(text, noun) {
        return None;
    }
    let rest = text.get(noun.end..)?;
    let near = rest.floor_char_boundary(160);
    let found = SAID.as_ref()?.captures(&rest[..near])?;
    let (digits, link) = (found.name("digits")?, found.name("link")?);
    let end = noun.end + digits.end();
    let range = noun.end + digits.start()..end;
    let number = &text[range.clone()];
    let count = number.bytes().filter(u8::is_ascii_digit).count();
    if !(4..=8).contains(&count) {
        return None;
    }
    let bare =
        link.as_str().trim().is_empty() && !rest[..digits.start()].contains(['"', '\'', '`']);
    if bare && !is_handed(text, noun.start) {
        return None;
    }
    ends_whole(&text[end..], bare).then_some(range)
}

/// Whether a noun of small letters is a word, or the last one of a name: `card_pin`, `userPin`.
fn is_whole(text: &str, noun: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let capital = bytes[noun.start].is_ascii_uppercase();
    let all_capital = bytes[noun.clone()].iter().all(|b| !b.is_ascii_lowercase());
    let before = noun.start.checked_sub(1).map(|at| bytes[at]);
    let begins = before.is_none_or(|b| {
        b >= 0x80
            || !b.is_ascii_alphanumeric() && b != b'-'
            || capital && !all_capital && b.is_ascii_lowercase()
            || b == b'-'
                && text[..noun.start]
                    .trim_end_matches('-')
                    .ends_with([' ', '\n'])
    });
    let after = bytes.get(noun.end).copied();
    let camel = text[noun.end..].starts_with("Code") || text[noun.end..].starts_with("Number");
    begins && (camel || after.is_none_or(|b| !b.is_ascii_alphanumeric()))
}

fn is_handed(text: &str, at: usize) -> bool {
    HANDING.contains(&value::last_word(&text[..at]).to_lowercase().as_str())
}

/// Whether nothing follows that makes something else of a number: a unit, a fraction, a name.
pub(super) fn ends_whole(rest: &str, bare: bool) -> bool {
    let mut chars = rest.chars();
    let next = chars.next();
    let then = chars.next();
    match next {
        None => return true,
        Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '%' | '\\') => {
            return false;
        }
        Some('.' | ':' | '-' | ',') if then.is_some_and(char::is_alphanumeric) => return false,
        Some('位' | '个' | '個' | '桁' | '자' | '字' | '分' | '秒' | '次' | '回' | '年') =>
        {
            return false;
        }
        Some(c) if c != ' ' && c != '\t' => return true,
        Some(_) => {}
    }
    let words = rest.trim_start_matches([' ', '\t']);
    let word = words
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    if word.is_empty() {
        // Signs: `4821 (door)`, but not `4821 + 1`.
        return !words.starts_with(['+', '*', '/', '%', '<', '>']);
    }
    GOING_ON.contains(&word.to_lowercase().as_str())
        || !bare && !word.is_ascii() && !word.chars().any(|c| c.is_lowercase() && c < '\u{500}')
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn a_number_is_masked_that_opens_something() {
        for text in [
            "the pin is 4821",
            "The PIN for the door is 4821, keep it",
            "my bank pin: 4821",
            "use pin 4821 to unlock",
            "PIN=4821",
            "cardPin: \"4821\"",
            "user_pin = 4821",
            "{\"pin\": 4821}",
            "the unlock code is 4821",
            "die PIN für die Karte ist 4821",
            "die Geheimzahl lautet 4821.",
            "votre code PIN est le 4821",
            "le code secret est 4821",
            "el PIN de la tarjeta es 4821",
            "el código secreto es 4821",
            "PIN码是4821",
            "验证码：4821",
            "暗証番号は「4821」です",
            "PINコードは4821",
            "핀 번호는 4821입니다",
            "пин-код: 4821",
        ] {
            assert!(!redact(text).contains("4821"), "{text}");
        }
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "the data pin is 21 and the clock pin is 22",
            "the pin is 1200 mm long",
            "bearing spin is 4821 rpm",
            "PIN-4821: fix login",
            "pin the version to 2024",
            "pin 4096 pages",
            "version pin: 2024.1",
            "const int ledPin = 13;",
            "the verification code is 6 digits",
            "验证码长度为4821位",
            "the exit code is 4821",
            "pinned: 4821",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}

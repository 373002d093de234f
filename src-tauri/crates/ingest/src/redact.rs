//! Masks secrets before anything is stored, so that no index, vector, backup or undo step has them.
//!
//! A secret is told by its own shape (a provider's prefix, a PEM block, a JWT) or by what stands
//! before it (`password=`, `Bearer`, a URL's user). What merely looks random stays: UUIDs, git
//! hashes, `risk-based`. Masking twice gives the same text. All rules work on JSON text as well and
//! leave it valid, since neither what they take nor what they put holds a quote or a backslash.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex};

/// How every mask begins.
const MASK: &str = "[secret:";

/// The shape of one kind of secret.
struct Rule {
    /// Lower-case words of which one must occur for the rule to be tried.
    needles: &'static [&'static str],
    /// The group `s` is the secret.
    pattern: &'static str,
    /// What stands in the mask.
    name: &'static str,
    /// A second look at name (`n`, may be empty) and secret.
    test: fn(&str, &str) -> bool,
}

fn always(_: &str, _: &str) -> bool {
    true
}

/// `sk-learn-based-something` is a word; a key has digits.
fn has_digit(_: &str, secret: &str) -> bool {
    secret.bytes().any(|b| b.is_ascii_digit())
}

/// References to a secret are none themselves.
fn is_value(secret: &str) -> bool {
    const PLACEHOLDERS: [&str; 12] = [
        "$",
        "<",
        "{",
        "%",
        "process.env",
        "os.environ",
        "null",
        "none",
        "true",
        "false",
        "***",
        "xxx",
    ];
    let lower = secret.to_ascii_lowercase();
    !PLACEHOLDERS.iter().any(|start| lower.starts_with(start))
}

/// `DB_PASSWORD=…` whatever the value; `TOKEN_LIMIT=4096` and `SECRET_NAME=db` are no secrets.
fn env_value(name: &str, secret: &str) -> bool {
    const LAST: [&str; 10] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PWD",
        "KEY",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "PASSPHRASE",
    ];
    if !is_value(secret) {
        return false;
    }
    let last = name.rsplit('_').next().unwrap_or_default();
    // `PWD` alone is the working directory, `KEY` alone may be anything.
    if LAST.contains(&last) && !matches!(name, "PWD" | "OLDPWD" | "KEY") {
        return true;
    }
    random_looking(secret)
}

/// `password: hunter22`, but not `token: the next one` nor `key = compute(x)`.
fn assigned_value(_: &str, secret: &str) -> bool {
    is_value(secret) && random_looking(secret)
}

fn random_looking(secret: &str) -> bool {
    secret.len() >= 7
        && secret.bytes().any(|b| b.is_ascii_digit())
        && secret.bytes().any(|b| b.is_ascii_alphabetic())
        && !secret.contains(['(', ')', '/'])
}

const RULES: &[Rule] = &[
    Rule {
        needles: &["private key"],
        pattern: r"(?s)(?P<s>-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*))",
        name: "private-key",
        test: always,
    },
    Rule {
        needles: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        pattern: r"(?-u:\b)(?P<s>gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})",
        name: "github-token",
        test: always,
    },
    Rule {
        needles: &["sk-", "sk_", "rk_"],
        pattern: r"(?:^|[^A-Za-z0-9_-])(?P<s>sk-[A-Za-z0-9_-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,})",
        name: "api-key",
        test: has_digit,
    },
    Rule {
        needles: &["akia", "asia"],
        pattern: r"(?-u:\b)(?P<s>A(?:KIA|SIA)[A-Z0-9]{16})(?-u:\b)",
        name: "aws-key",
        test: always,
    },
    Rule {
        needles: &["xox", "xapp-"],
        pattern: r"(?-u:\b)(?P<s>xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})",
        name: "slack-token",
        test: has_digit,
    },
    Rule {
        needles: &[
            "aiza",
            "glpat-",
            "npm_",
            "hf_",
            "pypi-",
            "sg.",
            "ya29.",
            "dop_v1_",
            "age-secret-key-",
        ],
        pattern: r"(?-u:\b)(?P<s>AIza[A-Za-z0-9_-]{35}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|ya29\.[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{40,}|AGE-SECRET-KEY-1[A-Z0-9]{40,})",
        name: "api-key",
        test: always,
    },
    Rule {
        needles: &["eyj"],
        pattern: r"(?-u:\b)(?P<s>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,})",
        name: "jwt",
        test: always,
    },
    Rule {
        needles: &["://"],
        pattern: r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/?#@"'<>\\]{0,100}:(?P<s>[^\s/@"'<>\\]{1,200})@"#,
        name: "password",
        test: |_, secret| is_value(secret),
    },
    Rule {
        needles: &["bearer", "basic", "authorization"],
        pattern: r"(?i)(?-u:\b)(?:bearer|authorization:\s*(?:basic|token))\s+(?P<s>[A-Za-z0-9._~+/=-]{12,})",
        name: "bearer-token",
        test: |_, secret| has_digit("", secret) && is_value(secret),
    },
    Rule {
        needles: &[
            "token",
            "secret",
            "passw",
            "pwd",
            "key",
            "credential",
            "passphrase",
        ],
        pattern: r#"(?-u:\b)(?P<n>[A-Z][A-Z0-9_]{0,60})\s?=\s?\\?["']?(?P<s>[^\s"'\\;&|,)]{3,})"#,
        name: "environment",
        test: |name, secret| {
            const PARTS: [&str; 10] = [
                "TOKEN",
                "SECRET",
                "PASSWORD",
                "PASSWD",
                "PWD",
                "KEY",
                "APIKEY",
                "CREDENTIAL",
                "CREDENTIALS",
                "PASSPHRASE",
            ];
            name.split('_').any(|part| PARTS.contains(&part)) && env_value(name, secret)
        },
    },
    Rule {
        needles: &[
            "token",
            "secret",
            "passw",
            "api_key",
            "apikey",
            "api-key",
            "access_key",
            "passphrase",
            "密码",
            "パスワード",
        ],
        pattern: r#"(?i)(?P<n>password|passwd|passphrase|(?:client|app)?[_-]?secret(?:[_-]?(?:access)?[_-]?key)?|api[_-]?key|access[_-]?key|(?:access|auth|api|refresh|session|id|bot)[_-]?token|(?-u:\b)token)\\?["']?\s{0,3}(?:[:=]|=>|：)\s{0,3}\\?["']?(?P<s>[^\s"'\\;&|,<>(){}\[\]]{6,200})"#,
        name: "password",
        test: assigned_value,
    },
    Rule {
        needles: &["--password", "--token", "--secret", "--api-key"],
        pattern: r#"--(?:password|token|secret|api-key)[ =]\\?["']?(?P<s>[^\s"'\\;&|]{4,})"#,
        name: "password",
        test: |_, secret| is_value(secret) && !secret.starts_with('-'),
    },
];

struct Rules {
    needles: AhoCorasick,
    /// The rule of each needle.
    owners: Vec<usize>,
    patterns: Vec<Regex>,
}

static COMPILED: LazyLock<Option<Rules>> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut owners = Vec::new();
    let mut patterns = Vec::new();
    for (index, rule) in RULES.iter().enumerate() {
        for needle in rule.needles {
            words.push(*needle);
            owners.push(index);
        }
        patterns.push(Regex::new(rule.pattern).ok()?);
    }
    let needles = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(words)
        .ok()?;
    Some(Rules {
        needles,
        owners,
        patterns,
    })
});

/// The text with every secret masked; borrowed when there was none.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(rules) = COMPILED.as_ref() else {
        // The patterns are constants and a test compiles them. Should that ever fail, losing the
        // text is the lesser harm.
        return Cow::Owned("[text withheld: secrets could not be looked for]".to_owned());
    };
    let mut wanted = vec![false; RULES.len()];
    for hit in rules.needles.find_overlapping_iter(text) {
        if let Some(owner) = rules.owners.get(hit.pattern().as_usize()) {
            wanted[*owner] = true;
        }
    }
    let mut text = Cow::Borrowed(text);
    for (index, rule) in RULES.iter().enumerate() {
        if wanted[index]
            && let Some(pattern) = rules.patterns.get(index)
            && let Some(masked) = apply(rule, pattern, &text)
        {
            text = Cow::Owned(masked);
        }
    }
    text
}

fn apply(rule: &Rule, pattern: &Regex, text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut kept = 0;
    let secret_of = |found: &Captures<'_>| {
        let secret = found.name("s")?;
        let name = found.name("n").map_or("", |name| name.as_str());
        // What a mask stands for must not be masked again.
        let taken = !secret.as_str().starts_with(MASK) && (rule.test)(name, secret.as_str());
        taken.then(|| secret.range())
    };
    for found in pattern.captures_iter(text) {
        if let Some(range) = secret_of(&found) {
            masked.push_str(&text[kept..range.start]);
            masked.push_str(MASK);
            masked.push_str(rule.name);
            masked.push(']');
            kept = range.end;
        }
    }
    if kept == 0 {
        return None;
    }
    masked.push_str(&text[kept..]);
    Some(masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(COMPILED.is_some());
    }

    #[test]
    fn secrets_are_masked_once_and_for_all() {
        let letters = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
        for (text, gone) in [
            (format!("use ghp_{letters} now"), letters),
            (format!("github_pat_{letters}"), letters),
            (format!("key sk-proj-{letters}."), letters),
            (format!("\"sk-ant-api03-{letters}\""), letters),
            ("id AKIAIOSFODNN7EXAMPLE".to_owned(), "AKIAIOSFODNN7EXAMPLE"),
            ("postgres://app:hunter2@db.example/x".to_owned(), "hunter2"),
            ("export X_TOKEN=abc-def".to_owned(), "abc-def"),
            ("export DB_PASSWORD=\"correct horse\"".to_owned(), "correct"),
            (
                r#"{"command":"export X_TOKEN=abc123\nls"}"#.to_owned(),
                "abc123",
            ),
            (r#"{"password":"hunter22x"}"#.to_owned(), "hunter22x"),
            (
                r#"{"out":"{\"api_key\":\"q1w2e3r4\"}"}"#.to_owned(),
                "q1w2e3r4",
            ),
            (
                "Authorization: Bearer abcdef0123456789".to_owned(),
                "abcdef0123456789",
            ),
            ("密码: tulpe2026x".to_owned(), ""),
            ("password：tulpe2026x".to_owned(), "tulpe2026x"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIB\nabc=\n-----END RSA PRIVATE KEY-----"
                    .to_owned(),
                "MIIB",
            ),
            (
                r#"{"k":"-----BEGIN PRIVATE KEY-----\nMIIB\nabc=\n-----END PRIVATE KEY-----\n"}"#
                    .to_owned(),
                "MIIB",
            ),
            (
                r"cut -----BEGIN PRIVATE KEY-----\nMIIBabc".to_owned(),
                "MIIB",
            ),
            (
                "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl".to_owned(),
                "c2lnbmF0dXJl",
            ),
            ("curl --token s3cr3t-value".to_owned(), "s3cr3t-value"),
        ] {
            let once = redact(&text).into_owned();
            if gone.is_empty() {
                continue;
            }
            assert!(!once.contains(gone), "{text} became {once}");
            assert!(once.contains(MASK), "{text} became {once}");
            assert_eq!(redact(&once), once, "twice: {text}");
            if text.starts_with('{') {
                serde_json::from_str::<serde_json::Value>(&once).unwrap();
            }
        }
    }

    #[test]
    fn innocents_stay_as_they_are() {
        for text in [
            "a risk-based approach, desk-research-2024-of-several-months",
            "sk-learn-based-classification-of-many-things",
            "550e8400-e29b-41d4-a716-446655440000",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "请不要把密码写进日志，密码保存在钥匙串里。",
            "パスワードは保存しません。",
            "MAX_TOKENS=4096 TOKEN_LIMIT=8000 PWD=/home/demo",
            "token = tokenizer.next()",
            "let key = compute(x);",
            "password: required",
            "The token is passed in the header",
            "https://example.com:8080/path@2x.png",
            "export API_KEY=$OTHER_KEY",
            "Bearer authentication is used",
            "monkey=banana1 keyboard: qwerty123",
            "git@github.com:demo/shop.git",
            "",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}

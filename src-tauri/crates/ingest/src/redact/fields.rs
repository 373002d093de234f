//! Secrets among fields that colons divide: a line of `.pgpass`, a key of Ghost.

use std::ops::Range;

use super::value;

/// The secret in whose line, or in which, a colon stands at `colon`.
pub(super) fn find(text: &str, colon: usize) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    match bytes.get(colon + 1)? {
        b'0'..=b'9' | b'*' => pgpass(text, colon)
            .map(|range| (range, "pgpass-password"))
            .or_else(|| ghost(bytes, colon).map(|range| (range, "ghost-key"))),
        b'a'..=b'f' => ghost(bytes, colon).map(|range| (range, "ghost-key")),
        _ => None,
    }
}

/// `host:port:database:user:password`, whose first colon stands at `colon`.
fn pgpass(text: &str, colon: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let port = bytes[colon + 1..]
        .iter()
        .take(6)
        .take_while(|b| b.is_ascii_digit() || **b == b'*')
        .count();
    // A clock has two digits; a place in a file is no host's.
    if !(port == 1 && bytes[colon + 1] == b'*' || (4..=5).contains(&port))
        || bytes.get(colon + 1 + port) != Some(&b':')
    {
        return None;
    }
    let of_host = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'*');
    let length = bytes[..colon]
        .iter()
        .rev()
        .take(80)
        .take_while(of_host)
        .count();
    let host = &text[colon - length..colon];
    // `notes.txt:12:` of a search may stand before, more fields may not.
    let before = &text[..colon - length];
    let listed = before.strip_suffix(':').is_none_or(|before| {
        before
            .rsplit(|c: char| !c.is_ascii_digit())
            .next()
            .is_some_and(|line| !line.is_empty() && line.len() < 7)
    });
    if length == 0 || !listed {
        return None;
    }
    let mut at = colon + 2 + port;
    let mut fields = [""; 2];
    for field in &mut fields {
        let of_name =
            |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'*' | b'@');
        let length = bytes[at..].iter().take(64).take_while(of_name).count();
        *field = text.get(at..at + length)?;
        if length == 0 || bytes.get(at + length) != Some(&b':') {
            return None;
        }
        at += length + 1;
    }
    let length = bytes[at..]
        .iter()
        .take(128)
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'<'))
        .count();
    let secret = text.get(at..at + length)?.trim_end_matches([',', '.', ';']);
    let numbers = fields[0].bytes().all(|b| b.is_ascii_digit());
    let known = host.contains('.') || host == "localhost" || host == "*" || port == 1;
    let odd = secret.bytes().any(|b| !b.is_ascii_alphabetic());
    (!numbers
        && known
        && odd
        && secret.len() >= 4
        && !secret.contains("//")
        && value::is_given(secret)
        && !value::is_about(secret))
    .then_some(at..at + secret.len())
}

/// Twenty-four and sixty-four signs of hexadecimal around a colon.
fn ghost(bytes: &[u8], colon: usize) -> Option<Range<usize>> {
    let hex = |b: &&u8| b.is_ascii_digit() || matches!(b, b'a'..=b'f');
    let before = bytes[..colon].iter().rev().take(25).take_while(hex).count();
    if before != 24 || colon >= 25 && bytes[colon - 25].is_ascii_alphanumeric() {
        return None;
    }
    let after = bytes[colon + 1..].iter().take(65).take_while(hex).count();
    let word = bytes.get(colon + 65).is_some_and(u8::is_ascii_alphanumeric);
    (after == 64 && !word).then_some(colon - 24..colon + 65)
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn lines_of_pgpass_and_keys_of_ghost_are_masked() {
        for (text, secret) in [
            ("db.example:6432:shop:ada:quiet-heron-7", "quiet-heron-7"),
            ("*:*:*:ada:quiet-heron-7", "quiet-heron-7"),
            (
                "echo \"localhost:15432:*:ada:quiet-heron-7\" > f",
                "quiet-heron-7",
            ),
        ] {
            assert!(!redact(text).contains(secret), "{text}");
        }
        let key = format!("{}:{}", "7a".repeat(12), "b4".repeat(32));
        assert_eq!(redact(&key), "[secret:ghost-key]");
    }

    #[test]
    fn other_fields_stay() {
        for text in [
            "hostname:port:database:username:password",
            "tests/main.rs:1024:17:error:E0425",
            "12:03:44:10:started",
            "localhost:3000:GET:/users:200",
            "registry.example:5000:a:b:latest",
            "fe80:1234:5678:9abc:def0:1",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}

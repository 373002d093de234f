//! Passwords in addresses: `scheme://user:password@host`, whatever signs the password has.

use std::ops::Range;

use super::value;

/// The secret of the address whose `://` stands at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !at
        .checked_sub(1)
        .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
    {
        return None;
    }
    let from = at + 3;
    let stop =
        |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\');
    let length = bytes[from..]
        .iter()
        .take(1024)
        .take_while(|b| !stop(b))
        .count();
    let run = text.get(from..from + length)?;
    let colon = run.find(':');
    let first_end = run.find(['/', '?', '#', '@']);
    match (colon, first_end) {
        (Some(colon), end) if end.is_none_or(|end| colon < end) => {
            let begin = colon + 1;
            let host_after = |place: usize| {
                let host = run[place + 1..]
                    .split(['/', '?', '#', ',', ';', ')', '|', '*'])
                    .next()
                    .unwrap_or_default();
                let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
                let name = name.trim_matches(['[', ']']);
                !name.is_empty()
                    && name.bytes().all(|b| {
                        b.is_ascii_alphanumeric()
                            || matches!(b, b'.' | b'-' | b'_' | b':' | b'$' | b'{' | b'}')
                    })
                    && port
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'$' | b'{' | b'}'))
            };
            // The last @ that a host follows, unless what lies between has begun the path.
            let ends: Vec<usize> = run
                .match_indices('@')
                .map(|(place, _)| place)
                .filter(|place| *place >= begin && host_after(*place))
                .collect();
            let nearest = *ends.first()?;
            let last = *ends.last()?;
            let secret = &run[begin..nearest];
            let digits = secret.bytes().take_while(u8::is_ascii_digit).count();
            let port = digits > 0
                && digits <= 5
                && matches!(secret.as_bytes().get(digits), Some(b'/' | b'?' | b'#'));
            if port {
                return None;
            }
            // Behind the first @ a slash ends the host; a later @ belongs to the path then.
            let between = &run[nearest..last];
            let end = if between.contains(['/', '?', '#', ',']) {
                nearest
            } else {
                last
            };
            let secret = run.get(begin..end)?;
            (value::is_given(secret) || is_short_word(secret)).then_some(from + begin..from + end)
        }
        (_, Some(end)) if run.as_bytes()[end] == b'@' => {
            // A token instead of a user.
            let user = &run[..end];
            (user.len() >= 16 && value::has_mixed_word(user) && value::is_given(user))
                .then_some(from..from + end)
        }
        _ => None,
    }
}

/// `postgres://app:secret@db`: in an address even such a word is one, as no variable could be.
fn is_short_word(secret: &str) -> bool {
    matches!(
        secret,
        "postgres" | "root" | "admin" | "guest" | "secret" | "test"
    )
}

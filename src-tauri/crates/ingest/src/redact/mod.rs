//! Masks secrets before anything is stored, so that no index, vector, backup or undo step has them.
//!
//! A secret is told by its own shape ([`kinds`], [`blocks`]) or by what stands before it: a name
//! ([`named`]), a header, an address, words ([`spoken`]). What merely looks random stays: UUIDs, git
//! hashes, `risk-based`. Masking twice gives the same text.
//!
//! Everything is looked for in a [`view`] of the text in which escapes, entities and colours are
//! resolved, and masked in the text itself: whole escapes or none, so that JSON stays valid.

mod address;
mod adjacent;
mod blocks;
mod columns;
mod extent;
mod fields;
mod given;
mod header;
mod key_lines;
mod kinds;
mod meaning;
mod named;
mod pin;
mod spoken;
mod value;
mod view;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
pub(crate) use key_lines::KeyLines;
use memchr::{memchr_iter, memmem};
use view::View;

/// How every mask begins.
const MASK: &str = "[secret:";

/// Whether a text is a mask or begins with one.
fn begins_mask(text: &str) -> bool {
    text.starts_with(MASK)
}

/// What a word in the text makes us look for.
#[derive(Clone, Copy, Debug)]
enum Lead {
    Kind(usize),
    Name,
    Spoken,
    Pin,
    Insert,
    Table,
    Address,
    Authorization,
    Bearer,
    Cookie,
    SetCookie,
    Pem,
    Putty,
    Jwk,
    WrappedPem,
}

/// A stretch of the view that is secret.
#[derive(Clone, Debug)]
struct Finding {
    range: Range<usize>,
    name: &'static str,
    /// Which name wins where several rules found the same: shapes before what stands before.
    rank: u8,
}

struct Leads {
    words: AhoCorasick,
    of: Vec<Lead>,
}

impl Leads {
    fn build(entries: Vec<(String, Lead)>, any_case: bool) -> Option<Self> {
        let (words, of): (Vec<String>, Vec<Lead>) = entries.into_iter().unzip();
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(any_case)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words)
            .ok()?;
        Some(Self { words, of })
    }
}

/// The words that are looked for as they are, and those in any case.
static LEADS: LazyLock<Option<[Leads; 2]>> = LazyLock::new(|| {
    let (mut exact, mut folded) = (Vec::new(), Vec::new());
    for (index, kind) in kinds::all().iter().enumerate() {
        let entry = (kind.prefix.to_owned(), Lead::Kind(index));
        if kind.any_case() {
            &mut folded
        } else {
            &mut exact
        }
        .push(entry);
    }
    for (word, lead) in [
        ("://", Lead::Address),
        ("-----BEGIN", Lead::Pem),
        ("---- BEGIN", Lead::Pem),
        ("Private-Lines:", Lead::Putty),
        ("\"kty\"", Lead::Jwk),
        ("LS0tLS1CRUdJTi", Lead::WrappedPem),
        ("|--", Lead::Table),
        ("| --", Lead::Table),
        ("|:-", Lead::Table),
        ("| :-", Lead::Table),
    ] {
        exact.push((word.to_owned(), lead));
    }
    for (word, lead) in [
        ("authorization", Lead::Authorization),
        ("bearer", Lead::Bearer),
        ("cookie", Lead::Cookie),
        ("set-cookie", Lead::SetCookie),
        ("insert into", Lead::Insert),
    ] {
        folded.push((word.to_owned(), lead));
    }
    folded.extend(
        named::NEEDLES
            .iter()
            .map(|word| ((*word).to_owned(), Lead::Name)),
    );
    folded.extend(
        spoken::nouns()
            .iter()
            .map(|word| ((*word).to_owned(), Lead::Spoken)),
    );
    folded.extend(
        pin::nouns()
            .iter()
            .map(|word| ((*word).to_owned(), Lead::Pin)),
    );
    Some([Leads::build(exact, false)?, Leads::build(folded, true)?])
});

/// The text with every secret masked; borrowed when there was none.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(leads) = LEADS.as_ref() else {
        // The words are constants and a test builds them. Should that ever fail, losing the text is
        // the lesser harm.
        return Cow::Owned("[text withheld: secrets could not be looked for]".to_owned());
    };
    let view = View::of(text);
    let mut found = search(&view, leads);
    repeated(&view.text, &mut found);
    let found = joined(&view.text, found);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut kept = 0;
    for finding in found {
        let range = view.source(finding.range.clone());
        if range.start < kept || range.is_empty() {
            continue;
        }
        // A number of JSON becomes a string, quoted as its name is.
        let quote = number_of_json(&view, &finding.range).map_or("", |quote| &text[quote]);
        masked.push_str(&text[kept..range.start]);
        masked.push_str(quote);
        masked.push_str(MASK);
        masked.push_str(finding.name);
        masked.push(']');
        masked.push_str(quote);
        kept = range.end;
    }
    masked.push_str(&text[kept..]);
    Cow::Owned(masked)
}

/// Where the quote stands that closes the name of a number in JSON: `"pin": 4821`.
fn number_of_json(view: &View<'_>, range: &Range<usize>) -> Option<Range<usize>> {
    let text: &str = &view.text;
    if !text[range.clone()].bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let blank = [' ', '\t', '\n'];
    let quote = text[..range.start]
        .trim_end_matches(blank)
        .strip_suffix(':')?
        .trim_end_matches(blank)
        .strip_suffix('"')?
        .len();
    let next = text[range.end..].trim_start_matches(blank);
    next.starts_with([',', '}'])
        .then(|| view.source(quote..quote + 1))
}

/// Adds every place where a secret stands again that a name or a sentence told: `ada / quiet-heron-7
/// (the password is quiet-heron-7)`.
fn repeated(text: &str, found: &mut Vec<Finding>) {
    let mut told: Vec<(&str, &'static str)> = found
        .iter()
        .filter(|finding| finding.rank <= 2)
        .map(|finding| (&text[finding.range.clone()], finding.name))
        .filter(|(secret, _)| (8..=256).contains(&secret.len()) && value::is_mixed(secret))
        // Names and calls are the program's own.
        .filter(|(secret, _)| {
            let call = secret.contains(['(', '{', ' ', '\n', '`']);
            let own = secret.contains('_') && given::is_name(secret);
            !call && !own
        })
        .collect();
    told.sort_unstable();
    told.dedup_by_key(|(secret, _)| *secret);
    told.truncate(64);
    let word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    for (secret, name) in told {
        for at in memmem::find_iter(text.as_bytes(), secret.as_bytes()) {
            let range = at..at + secret.len();
            let inside = word(
                at.checked_sub(1)
                    .and_then(|before| text.as_bytes().get(before)),
            ) || word(text.as_bytes().get(range.end));
            if !inside {
                found.push(Finding {
                    range,
                    name,
                    rank: 0,
                });
            }
        }
    }
}

fn search(view: &View<'_>, leads: &[Leads; 2]) -> Vec<Finding> {
    let text: &str = &view.text;
    let mut found: Vec<Finding> = Vec::new();
    // The end of the name that was looked at last: `secret_access_key` holds three needles.
    let mut named_until = 0;
    for set in leads {
        for hit in set.words.find_overlapping_iter(text) {
            let at = hit.range();
            let mut add = |name: &'static str, rank: u8, range: Option<Range<usize>>| {
                found.extend(range.map(|range| Finding { range, name, rank }));
            };
            match set.of[hit.pattern().as_usize()] {
                Lead::Kind(index) => {
                    let kind = &kinds::all()[index];
                    let range = kind.find(text, at.start).or_else(|| {
                        kind.breaks_off(text, at.start)
                            .then(|| at.start..text.trim_end().len())
                    });
                    add(kind.name, 3, range);
                }
                Lead::Name if at.start >= named_until => {
                    if let Some((range, end)) = named::find(view, &at) {
                        named_until = end;
                        add("password", 1, Some(range));
                    }
                }
                Lead::Name => {}
                Lead::Spoken => add("password", 1, spoken::find(text, &at)),
                Lead::Pin => add("pin", 1, pin::find(text, &at)),
                Lead::Address => add("password", 1, address::find(text, at.start)),
                Lead::Authorization => add("credentials", 2, header::authorization(view, at.end)),
                Lead::Bearer => add("bearer-token", 2, header::bearer(text, at.end)),
                Lead::Cookie | Lead::SetCookie => {
                    let set_cookie = text[..at.end].to_ascii_lowercase().ends_with("set-cookie");
                    for range in header::cookies(view, at.end, set_cookie) {
                        add("cookie", 2, Some(range));
                    }
                }
                Lead::Insert => {
                    for range in columns::inserted(text, at.end) {
                        add("password", 1, Some(range));
                    }
                }
                Lead::Table => {
                    for range in columns::of_table(text, at.start) {
                        add("password", 1, Some(range));
                    }
                }
                Lead::Pem => {
                    for range in blocks::pem(text, at.start) {
                        add("private-key", 4, Some(range));
                    }
                }
                Lead::Putty => {
                    for range in blocks::putty(text, at.start) {
                        add("private-key", 4, Some(range));
                    }
                }
                Lead::Jwk => {
                    for range in blocks::jwk(text, at.start) {
                        add("private-key", 4, Some(range));
                    }
                }
                Lead::WrappedPem => add("private-key", 4, blocks::wrapped_pem(text, at.start)),
            }
        }
    }
    for dot in memchr_iter(b'.', text.as_bytes()) {
        if dot >= 22 && text.as_bytes().get(dot + 7) == Some(&b'.') {
            let range = blocks::dotted(text, dot);
            found.extend(range.map(|range| Finding {
                range,
                name: "discord-token",
                rank: 3,
            }));
        }
    }
    for colon in memchr_iter(b':', text.as_bytes()) {
        found.extend(fields::find(text, colon).map(|(range, name)| Finding {
            range,
            name,
            rank: 2,
        }));
    }
    found.extend(
        blocks::recovery_words(text)
            .into_iter()
            .map(|range| Finding {
                range,
                name: "recovery-words",
                rank: 3,
            }),
    );
    found
}

/// In order, with what overlaps made one, and without what touches a mask: its name would be taken
/// for a name of something else.
fn joined(text: &str, mut found: Vec<Finding>) -> Vec<Finding> {
    if !found.is_empty() {
        let masks: Vec<Range<usize>> = text
            .match_indices(MASK)
            .filter_map(|(at, _)| Some(at..at + text[at..].find(']')? + 1))
            .collect();
        found.retain(|finding| {
            let after = masks.partition_point(|mask| mask.end <= finding.range.start);
            masks
                .get(after)
                .is_none_or(|mask| mask.start >= finding.range.end)
        });
    }
    found.sort_by_key(|finding| (finding.range.start, u8::MAX - finding.rank));
    let mut joined: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found {
        match joined.last_mut() {
            Some(last) if finding.range.start < last.range.end => {
                last.range.end = last.range.end.max(finding.range.end);
                if finding.rank > last.rank {
                    last.rank = finding.rank;
                    last.name = finding.name;
                }
            }
            _ => joined.push(finding),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leads_are_built() {
        assert!(LEADS.is_some());
    }

    #[test]
    fn secrets_are_masked_once_and_for_all() {
        let letters = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
        for (text, gone) in [
            (format!("use ghp_{letters} now"), letters),
            (format!("github_pat_{letters}"), letters),
            (format!("key sk-proj-{letters}."), letters),
            (format!("\"sk-ant-api03-{letters}\""), letters),
            // Ends as in the vendor's documents, but a real one whose end was overwritten does too. A
            // masked example is no loss.
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
            ("Authorization: Bearer abcdef.ghijkl".to_owned(), "ghijkl"),
            (
                r#"-H "authorization: token quovadis.pelican.drum""#.to_owned(),
                "pelican",
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
    fn a_secret_is_masked_wherever_it_stands_again() {
        assert_eq!(
            redact("log in as ada / quiet-heron-7 (the password is quiet-heron-7)"),
            "log in as ada / [secret:password] (the password is [secret:password])"
        );
        // What is short or plain may mean something else there.
        assert_eq!(
            redact("password=hunter; the hunter"),
            "password=[secret:password]; the hunter"
        );
    }

    #[test]
    fn a_number_of_json_becomes_a_string_at_its_depth() {
        let masked = redact(r#"{"pin": 4821, "in": "{\"pin\":4821}"}"#).into_owned();
        assert_eq!(
            masked,
            r#"{"pin": "[secret:pin]", "in": "{\"pin\":\"[secret:pin]\"}"}"#
        );
        assert_eq!(redact(&masked), masked);
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
            "echo \"$PASSWORD\" | sudo -S ls",
            "\"allowedHeaders\": [\"Authorization\", \"x-api-key\"]",
            "arn:aws:secretsmanager:eu-west-1:000011112222:secret:prod/db-Q7Z8bf",
            "Authorization: Bearer settings.apiToken",
            "authorization: token req.user.jwt",
            "Authorization: Bearer steps.login.outputs.token",
            "monkey=banana1 keyboard: qwerty123",
            "git@github.com:demo/shop.git",
            "",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}

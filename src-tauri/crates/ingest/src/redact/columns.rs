//! Secrets that a column's name tells: `INSERT INTO users (name, password) VALUES ('ada', '…')`, and
//! tables of Markdown with a column `password`.

use std::ops::Range;

use super::meaning::{Meaning, meaning_of};
use super::value;

/// How far a statement or a table is read.
const REACH: usize = 16_384;

/// Whether a column of this name holds secrets.
fn is_secret(name: &str) -> bool {
    let name = name.trim().trim_matches(['`', '"', '\'', '[', ']', '*']);
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '-'));
    plain
        && !name.is_empty()
        && name.len() < 40
        && match meaning_of(name) {
            Some(Meaning::Password) => name.is_ascii() || super::spoken::nouns().contains(&name),
            Some(Meaning::Token) => true,
            _ => false,
        }
}

fn near(text: &str, at: usize) -> &str {
    &text[at..text.floor_char_boundary(at + REACH)]
}

/// The values in the columns of secrets, of the statement whose `INSERT INTO` ends at `at`.
pub(super) fn inserted(text: &str, at: usize) -> Vec<Range<usize>> {
    let rest = near(text, at);
    let mut found = Vec::new();
    let Some(open) = rest.find('(').filter(|open| *open < 120) else {
        return found;
    };
    let Some(close) = rest[open..].find(')').map(|close| open + close) else {
        return found;
    };
    let columns: Vec<bool> = rest[open + 1..close].split(',').map(is_secret).collect();
    let tail = rest[close + 1..].trim_start();
    let values = tail
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("values"));
    if !values || !columns.contains(&true) {
        return found;
    }
    let mut place = rest.len() - tail.len() + 6;
    // One pair of parentheses after the other: `(…), (…)`.
    loop {
        let gap = rest[place..].trim_start_matches([' ', '\t', '\n', ',']);
        if !gap.starts_with('(') {
            return found;
        }
        place = rest.len() - gap.len() + 1;
        let (mut column, mut quote, mut begin) = (0, None::<u8>, place);
        for b in rest.as_bytes()[place..].iter().copied() {
            place += 1;
            match quote {
                Some(sign) if b == sign => quote = None,
                None if matches!(b, b'\'' | b'"') => quote = Some(b),
                None if b == b',' || b == b')' => {
                    if columns.get(column) == Some(&true) {
                        found.extend(
                            quoted(rest, begin..place - 1)
                                .map(|value| at + value.start..at + value.end),
                        );
                    }
                    column += 1;
                    begin = place;
                    if b == b')' {
                        break;
                    }
                }
                _ => {}
            }
        }
        if place >= rest.len() {
            return found;
        }
    }
}

/// What stands between quotes, where it may be a secret.
fn quoted(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let cell = &text[range.clone()];
    let first = cell.find(['\'', '"'])?;
    let last = cell.rfind(['\'', '"'])?;
    let value = cell.get(first + 1..last)?;
    let given = value.len() >= 3 && value::is_given(value) && !value::is_about(value);
    given.then_some(range.start + first + 1..range.start + last)
}

/// The cells in the columns of secrets, of the table of whose second line the first dashes stand
/// at `at`.
pub(super) fn of_table(text: &str, at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let line_start = text[..at].rfind('\n').map_or(0, |place| place + 1);
    let frame = |line: &str| line.trim_matches(['+', '>', ' ', '\t', '|']).len();
    if line_start == 0 || frame(&text[line_start..at]) > 0 {
        return found;
    }
    let header_start = text[..line_start - 1]
        .rfind('\n')
        .map_or(0, |place| place + 1);
    let header = &text[header_start..line_start - 1];
    if header.len() > 2000 || !header.contains('|') {
        return found;
    }
    let Some(lead) = header.find('|') else {
        return found;
    };
    let columns: Vec<bool> = header[lead..].split('|').map(is_secret).collect();
    if !columns.contains(&true) {
        return found;
    }
    let rest = near(text, at);
    let mut place = at;
    for line in rest.split_inclusive('\n') {
        let begin = place;
        place += line.len();
        if begin == at {
            continue;
        }
        let Some(lead) = line.find('|').filter(|lead| frame(&line[..*lead]) == 0) else {
            break;
        };
        let mut cell_at = begin + lead;
        for (cell, secret) in line[lead..].split('|').zip(&columns) {
            let value = cell.trim().trim_matches(['`', '*']);
            let given = value.len() >= 3
                && value::is_given(value)
                && !value::is_prose(value)
                && !value::is_about(value)
                && !value.contains(' ')
                && value.bytes().any(|b| !b.is_ascii_lowercase());
            if *secret
                && given
                && let Some(offset) = cell.find(value)
            {
                found.push(cell_at + offset..cell_at + offset + value.len());
            }
            cell_at += cell.len() + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn values_in_columns_of_secrets_are_masked() {
        for text in [
            "INSERT INTO users (name, password) VALUES ('ada', 'quiet-heron-7');",
            "insert into `users` (`id`, `api_token`, `name`) values (1, 'quiet-heron-7', 'ada'), (2, 'quiet-heron-7', 'b')",
            "| user | password |\n|---|---|\n| ada | quiet-heron-7 |",
            "| Token | of |\n| :--- | --- |\n| `quiet-heron-7` | ada |\n| quiet-heron-7 | bea |",
        ] {
            let masked = redact(text);
            assert!(!masked.contains("quiet-heron-7"), "{masked}");
            assert!(masked.contains("ada"), "{masked}");
            assert_eq!(redact(&masked), masked);
        }
    }

    #[test]
    fn other_columns_stay() {
        for text in [
            "INSERT INTO users (name, password) VALUES (?, ?)",
            "INSERT INTO users (name, password) VALUES ('ada', :password)",
            "INSERT INTO users (name, city) VALUES ('ada', 'heron-7')",
            "INSERT INTO users VALUES ('ada', 'heron-7')",
            "| name | password |\n|---|---|\n| type | string |\n| required | yes |",
            "| token | count |\n|---|---|\n| the | 4821 |",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}

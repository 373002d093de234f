//! How far a value without quotes reaches, which depends on what introduced it.

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// `=` without blanks.
    Tight,
    /// `=` with blanks, `:=`, `=>`: settings and code.
    Loose,
    /// `:`
    Colon,
    /// A blank, after a flag.
    Blank,
    /// `("…")`, `, "…"`, `>…<`: only a quoted value or an element's content follows.
    Argument,
}

/// How far a value without quotes reaches.
pub(super) fn extent(text: &str, at: usize, between: Between) -> usize {
    let rest = &text[at..];
    let end = rest.floor_char_boundary(4096);
    let bytes = rest.as_bytes();
    let mut depth = 0_i32;
    for (place, c) in rest[..end].char_indices() {
        let next = bytes.get(place + 1).copied();
        let name_follows = || {
            let tail = rest.get(place + 1..).unwrap_or_default();
            let name = tail
                .bytes()
                .take(48)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ' | b'.'))
                .count();
            name > 0 && tail.as_bytes().get(name) == Some(&b'=')
        };
        let over = match c {
            '"' | '\'' | '`' | '。' | '、' | '，' | '」' | '”' | '；' => true,
            c if c.is_whitespace() => true,
            '<' => next == Some(b'/'),
            ';' => {
                next.is_none_or(|b| b.is_ascii_whitespace())
                    || name_follows()
                    || between == Between::Loose && next == Some(b'\n')
            }
            ',' => next.is_none_or(|b| b.is_ascii_whitespace() || b == b'"') || name_follows(),
            '&' => next == Some(b'&') || name_follows(),
            '(' | '[' | '{' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' => {
                depth -= 1;
                depth < 0
            }
            '|' => next.is_none_or(|b| b.is_ascii_whitespace() || b == b'|') && place > 0,
            '\\' => next.is_none_or(|b| b.is_ascii_whitespace()),
            _ => false,
        };
        if over {
            return at + place;
        }
    }
    at + end
}

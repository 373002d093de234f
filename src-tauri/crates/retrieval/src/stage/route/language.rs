//! The query language: how a line of text is cut into pieces.
//!
//! - `"two words"` must be in every result, as typed (letter case and accents aside). A quote
//!   opens at the start of a piece and closes before a blank or a punctuation mark; every other
//!   quote is data, also an unclosed one.
//! - `-word` leaves memories with the word out, if it starts with a letter and is at least three
//!   letters long or quoted: `-016` and `rm -rf` are text. Among the words of a command it is one
//!   of its options, hence text too: `find . -name -delete`. See [`looks_like_a_command`].
//! - `field:value` filters, for the fields agent, org, role, source, session, tag, kind, before
//!   and after; with any other name it is text. The value may be quoted.
//!
//! What an exclusion or a field is besides depends on what the vault holds: [`Literally`].
//! - Everything else is data. AND, OR, NOT and NEAR are no operators, brackets and stars nothing.

use models::Script;

/// How many characters of a query are read.
pub const MAX_CHARACTERS: usize = 2000;

/// One piece of a query, in the order typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text between blanks, as typed.
    Text(String),
    /// Text in quotes, without them.
    Phrase(String),
    /// `-word` or `-"two words"`, without the sign.
    Excluded {
        /// The word or the words.
        text: String,
        /// In quotes.
        quoted: bool,
    },
    /// `field:value` of a known field.
    Field {
        /// Which one.
        field: Field,
        /// The value, without quotes.
        value: String,
        /// As typed, for when the value turns out not to be one.
        typed: String,
    },
}

/// What a query can filter by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The agent's name.
    Agent,
    /// The organisation or project.
    Org,
    /// Who spoke.
    Role,
    /// Part of the log's path.
    Source,
    /// The conversation.
    Session,
    /// A label.
    Tag,
    /// What the text is.
    Kind,
    /// Created before that day or moment.
    Before,
    /// Created on or after that day or moment.
    After,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 9] = [
        Self::Agent,
        Self::Org,
        Self::Role,
        Self::Source,
        Self::Session,
        Self::Tag,
        Self::Kind,
        Self::Before,
        Self::After,
    ];

    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Org => "org",
            Self::Role => "role",
            Self::Source => "source",
            Self::Session => "session",
            Self::Tag => "tag",
            Self::Kind => "kind",
            Self::Before => "before",
            Self::After => "after",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|field| field.name().eq_ignore_ascii_case(name))
    }
}

/// Pieces that look like the query's language and are text, since of what they would leave over no
/// memory is left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literally {
    /// Fields with a value that no memory has, as typed.
    pub fields: Vec<String>,
    /// Words behind a minus, without it, and what speaks against leaving memories out by them.
    pub minuses: Vec<(String, &'static str)>,
}

impl Literally {
    /// Why a word behind a minus is text; `None` where it excludes.
    pub fn minus(&self, word: &str) -> Option<&'static str> {
        let known = self.minuses.iter().find(|(text, _)| text == word);
        known.map(|(_, why)| *why)
    }
}

/// A query cut into pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// In the order typed.
    pub pieces: Vec<Piece>,
    /// Options of a command that would otherwise have been exclusions, as typed.
    pub options: Vec<String>,
    /// Text beyond [`MAX_CHARACTERS`] was left out.
    pub shortened: bool,
}

/// True for every mark that people, editors and chat programs use for `"`.
fn is_double_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{FF02}'
    )
}

/// Cuts a query into pieces. Any text is fine.
pub fn cut(text: &str) -> Pieces {
    let mut characters: Vec<char> = Vec::new();
    let mut shortened = false;
    for c in text.chars() {
        if characters.len() == MAX_CHARACTERS {
            shortened = true;
            break;
        }
        // NUL ends strings in C, so no index could see what follows it.
        characters.push(if c == '\0' {
            ' '
        } else if is_double_quote(c) {
            '"'
        } else {
            c
        });
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if characters[at].is_whitespace() {
            at += 1;
            continue;
        }
        at = one_piece(&characters, at, &mut pieces);
    }
    let mut options = Vec::new();
    if looks_like_a_command(&pieces) {
        for piece in &mut pieces {
            if let Piece::Excluded {
                text,
                quoted: false,
            } = piece
            {
                let option = format!("-{text}");
                options.push(option.clone());
                *piece = Piece::Text(option);
            }
        }
    }
    Pieces {
        pieces,
        options,
        shortened,
    }
}

/// Programs whose names hardly are a subject that one asks about beside what to leave out.
const PROGRAMS: &[&str] = &[
    "awk",
    "chmod",
    "chown",
    "clang",
    "cp",
    "curl",
    "df",
    "du",
    "egrep",
    "gcc",
    "grep",
    "javac",
    "journalctl",
    "ln",
    "ls",
    "mkdir",
    "mv",
    "nc",
    "ps",
    "rg",
    "rm",
    "rsync",
    "scp",
    "sed",
    "sudo",
    "tar",
    "unzip",
    "wget",
    "xargs",
];

/// True when the pieces are a command's words: another option beside the word behind a minus
/// (`--long`, `-rf`), a place or a sign of the shell (`.`, `./run`, `|`, `&&`), or a program first.
fn looks_like_a_command(pieces: &[Piece]) -> bool {
    let first = pieces.first().is_some_and(
        |piece| matches!(piece, Piece::Text(text) if PROGRAMS.binary_search(&text.as_str()).is_ok()),
    );
    let option = |text: &str| {
        text.strip_prefix("--")
            .is_some_and(|name| name.starts_with(char::is_alphabetic))
            || text.strip_prefix('-').is_some_and(|letters| {
                (1..=2).contains(&letters.chars().count())
                    && letters.chars().all(|c| c.is_ascii_alphabetic())
            })
    };
    let of_the_shell = |text: &str| {
        matches!(
            text,
            "." | ".." | "|" | "||" | "&&" | ">" | ">>" | "2>&1" | "$"
        ) || text.starts_with("./")
            || text.starts_with("../")
            || text.starts_with("~/")
    };
    first
        || pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text(text) if option(text) || of_the_shell(text)))
}

/// Reads the piece that starts at `start`; returns where it ends.
fn one_piece(characters: &[char], start: usize, pieces: &mut Vec<Piece>) -> usize {
    if let Some((inner, end)) = quoted(characters, start) {
        pieces.push(Piece::Phrase(inner));
        return end;
    }
    if characters[start] == '-'
        && let Some((text, end)) = quoted(characters, start + 1)
    {
        pieces.push(Piece::Excluded { text, quoted: true });
        return end;
    }
    if let Some((piece, end)) = quoted_field(characters, start) {
        pieces.push(piece);
        return end;
    }
    let mut end = start;
    while end < characters.len() && !characters[end].is_whitespace() {
        end += 1;
    }
    let typed: String = characters[start..end].iter().collect();
    pieces.push(
        excluded(&typed)
            .or_else(|| field(&typed))
            .unwrap_or(Piece::Text(typed)),
    );
    end
}

/// A quoted text that opens at `start`: its inside, and where what follows it begins.
fn quoted(characters: &[char], start: usize) -> Option<(String, usize)> {
    if characters.get(start) != Some(&'"') {
        return None;
    }
    let close = (start + 1..characters.len()).find(|&at| {
        characters[at] == '"'
            && characters
                .get(at + 1)
                .is_none_or(|&next| !next.is_alphanumeric() && next != '"')
    })?;
    let inner: String = characters[start + 1..close].iter().collect();
    let inner = inner.split_whitespace().collect::<Vec<_>>().join(" ");
    if !inner.chars().any(char::is_alphanumeric) {
        return None;
    }
    // A comma or a full stop right behind the closing quote belongs to nothing.
    let mut end = close + 1;
    while end < characters.len()
        && !characters[end].is_whitespace()
        && !characters[end].is_alphanumeric()
        && characters[end] != '"'
    {
        end += 1;
    }
    Some((inner, end))
}

/// `field:"two words"`.
fn quoted_field(characters: &[char], start: usize) -> Option<(Piece, usize)> {
    let colon = (start..characters.len().min(start + 10)).find(|&at| characters[at] == ':')?;
    let name: String = characters[start..colon].iter().collect();
    let field = Field::from_name(&name)?;
    let (value, end) = quoted(characters, colon + 1)?;
    let typed = characters[start..end].iter().collect();
    Some((
        Piece::Field {
            field,
            value,
            typed,
        },
        end,
    ))
}

fn field(typed: &str) -> Option<Piece> {
    let (name, value) = typed.split_once(':')?;
    let field = Field::from_name(name)?;
    if value.is_empty() {
        return None;
    }
    Some(Piece::Field {
        field,
        value: value.to_owned(),
        typed: typed.to_owned(),
    })
}

fn excluded(typed: &str) -> Option<Piece> {
    let word = typed.strip_prefix('-')?;
    let first = word.chars().next()?;
    if !first.is_alphabetic() {
        return None;
    }
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().any(char::is_numeric);
    let enough = letters >= 3 || Script::of(first).is_unspaced();
    // `-Dname=value` and `-I/usr/include` are options wherever they stand.
    let word_like = !word.contains(['=', '/', '\\']);
    (enough && !digits && word_like).then(|| Piece::Excluded {
        text: word.to_owned(),
        quoted: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(t: &str) -> Piece {
        Piece::Text(t.to_owned())
    }
    fn phrase(t: &str) -> Piece {
        Piece::Phrase(t.to_owned())
    }
    fn without(t: &str, quoted: bool) -> Piece {
        Piece::Excluded {
            text: t.to_owned(),
            quoted,
        }
    }

    #[test]
    fn the_language_is_small() {
        for (query, wanted) in [
            ("redis cache", vec![text("redis"), text("cache")]),
            ("\"release plan\"", vec![phrase("release plan")]),
            (
                "“release   plan”, now",
                vec![phrase("release plan"), text("now")],
            ),
            ("\"a\" \"b\"", vec![phrase("a"), phrase("b")]),
            ("foo\"bar", vec![text("foo\"bar")]),
            ("\"unclosed", vec![text("\"unclosed")]),
            (
                "System.out.println(\"hello\")*",
                vec![text("System.out.println(\"hello\")*")],
            ),
            (
                "deploy -staging",
                vec![text("deploy"), without("staging", false)],
            ),
            (
                "deploy -\"blue green\"",
                vec![text("deploy"), without("blue green", true)],
            ),
            ("-016", vec![text("-016")]),
            ("-ADR-016", vec![text("-ADR-016")]),
            ("rm -rf x", vec![text("rm"), text("-rf"), text("x")]),
            ("--force", vec![text("--force")]),
            ("-重启", vec![without("重启", false)]),
            (
                "tar -xzvf backup",
                vec![text("tar"), text("-xzvf"), text("backup")],
            ),
            (
                "find . -name -delete",
                vec![text("find"), text("."), text("-name"), text("-delete")],
            ),
            (
                "terraform apply -target=module.x",
                vec![text("terraform"), text("apply"), text("-target=module.x")],
            ),
            (
                "cargo test --release -nocapture",
                vec![
                    text("cargo"),
                    text("test"),
                    text("--release"),
                    text("-nocapture"),
                ],
            ),
            (
                "ls -lah -\"blue green\"",
                vec![text("ls"), text("-lah"), without("blue green", true)],
            ),
            (
                "find the deploy notes",
                vec![text("find"), text("the"), text("deploy"), text("notes")],
            ),
            (
                "docker network -swarm",
                vec![text("docker"), text("network"), without("swarm", false)],
            ),
            (
                "it was -5 outside -celsius",
                vec![
                    text("it"),
                    text("was"),
                    text("-5"),
                    text("outside"),
                    without("celsius", false),
                ],
            ),
            ("content:secret", vec![text("content:secret")]),
            ("{content}:x", vec![text("{content}:x")]),
            ("agent:", vec![text("agent:")]),
            ("2026-03-31", vec![text("2026-03-31")]),
            ("\"\" x", vec![text("\"\""), text("x")]),
            ("", vec![]),
            (" \u{3000}\t", vec![]),
        ] {
            assert_eq!(cut(query).pieces, wanted, "{query}");
        }
    }

    #[test]
    fn the_list_for_binary_search_is_in_order() {
        assert!(PROGRAMS.is_sorted());
    }

    #[test]
    fn known_fields_filter() {
        let pieces = cut("Agent:codex tag:\"to do\" role:user x").pieces;
        let values: Vec<_> = pieces
            .iter()
            .filter_map(|p| match p {
                Piece::Field { field, value, .. } => Some((field.name(), value.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(
            values,
            [("agent", "codex"), ("tag", "to do"), ("role", "user")]
        );
    }

    #[test]
    fn long_queries_are_cut_and_say_so() {
        let cut_query = cut(&"a ".repeat(100_000));
        assert!(cut_query.shortened);
        assert_eq!(cut_query.pieces.len(), MAX_CHARACTERS / 2);
        assert!(!cut("short").shortened);
    }
}

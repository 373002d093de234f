//! The YAML block at the top of a note. A rule `---` that no block follows is text.

/// What a front matter says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Front {
    /// Lines it takes, both rules included.
    pub lines: usize,
    /// What the note is about.
    pub description: Option<String>,
}

/// The front matter that these lines begin with.
///
/// It has a closing `---` or `...`, and everything before that looks like YAML: keys, items,
/// comments and what is indented below them.
pub(super) fn front_matter(lines: &[&str]) -> Option<Front> {
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    if lines[first].trim_end() != "---" {
        return None;
    }
    let body = &lines[first + 1..];
    let length = body
        .iter()
        .position(|line| matches!(line.trim_end(), "---" | "..."))?;
    let body = &body[..length];
    let yaml = |line: &&str| {
        line.trim().is_empty()
            || line.starts_with([' ', '\t', '#'])
            || line.starts_with("- ")
            || key_of(line).is_some()
            || matches!(line.trim(), "]" | "}")
    };
    let keys = body.iter().any(|line| key_of(line).is_some());
    let blank = body.iter().all(|line| line.trim().is_empty());
    if !(body.iter().all(yaml) && (keys || blank)) {
        return None;
    }
    Some(Front {
        lines: first + length + 2,
        description: description(body),
    })
}

/// Key and value of `key: value`.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_matches(['"', '\'']);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/');
    let named = !key.is_empty() && key.len() <= 60 && key.chars().all(plain);
    (named && (value.is_empty() || value.starts_with([' ', '\t']))).then_some((key, value.trim()))
}

fn description(body: &[&str]) -> Option<String> {
    let at = body
        .iter()
        .position(|line| key_of(line).is_some_and(|(key, _)| key == "description"))?;
    let (_, value) = key_of(body[at])?;
    let below: Vec<&str> = body[at + 1..]
        .iter()
        .take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']))
        .map(|line| line.trim())
        .collect();
    let marked = value.split('#').next().unwrap_or(value).trim();
    let block = marked.starts_with(['>', '|'])
        && marked[1..]
            .chars()
            .all(|c| matches!(c, '+' | '-') || c.is_ascii_digit());
    let text = if block && marked.starts_with('|') {
        below.join("\n").trim().to_owned()
    } else {
        let mut all = if block { Vec::new() } else { vec![value] };
        all.extend(&below);
        fold(&all)
    };
    let text = if block { text } else { unquoted(&text) };
    (!text.is_empty()).then_some(text)
}

/// Lines joined by blanks; an empty line between them is a line end.
fn fold(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.trim().to_owned()
}

fn unquoted(text: &str) -> String {
    let within = |mark: char| {
        text.strip_prefix(mark)
            .and_then(|text| text.strip_suffix(mark))
    };
    if let Some(inner) = within('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| inner.to_owned());
    }
    match within('\'') {
        Some(inner) => inner.replace("''", "'"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The front matter's description, empty without one; `None` without front matter.
    fn about(text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        front_matter(&lines).map(|front| front.description.unwrap_or_default())
    }

    #[test]
    fn descriptions_in_every_notation() {
        for (value, expected) in [
            ("what Ana likes", "what Ana likes"),
            (
                ">-\n  Which oil the lamps need,\n  and where it is",
                "Which oil the lamps need, and where it is",
            ),
            (">\n  one\n\n  two", "one\ntwo"),
            ("|\n  one\n  two", "one\ntwo"),
            ("\"a \\\"quoted\\\" one\"", "a \"quoted\" one"),
            ("'it''s here'", "it's here"),
            ("begins here\n  and goes on", "begins here and goes on"),
            ("\n  stands below", "stands below"),
        ] {
            let text = format!("---\nname: x\ndescription: {value}\ntype: project\n---\nbody");
            assert_eq!(about(&text), Some(expected.to_owned()), "{value}");
        }
        assert_eq!(about("---\nname: x\n...\nbody"), Some(String::new()));
    }

    #[test]
    fn a_rule_is_no_front_matter() {
        for text in [
            "---\n\n- the depot opens at nine\n- parcels need two people",
            "---\nsome words of a person\n---\nmore",
            "---\n- one\n- two\n---\nmore",
            "text\n---\na: b\n---",
            "",
        ] {
            assert_eq!(about(text), None, "{text}");
        }
    }
}

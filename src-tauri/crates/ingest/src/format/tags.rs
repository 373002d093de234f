//! Blocks in tags that a program puts around, before or behind what a person wrote.
//!
//! A block is cut only where a program puts it: its opening tag begins a line (or follows another
//! block) outside a fence of code, and its closing tag is there. A person who mentions such a tag
//! keeps the words.

/// A block found at the beginning of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// What stands between the tags.
    pub inner: &'a str,
    /// What follows the closing tag.
    pub rest: &'a str,
}

/// What follows the opening tag `<name>` or `<name key="…">`, when the text begins with it.
fn after_opening<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.strip_prefix('<')?.strip_prefix(name)?;
    if let Some(rest) = rest.strip_prefix('>') {
        return Some(rest);
    }
    let rest = rest.strip_prefix([' ', '\n', '\t'])?;
    let end = rest.find(['>', '<'])?;
    rest[end..].strip_prefix('>')
}

/// The block of this name that the text begins with, blanks aside.
pub(crate) fn block<'a>(text: &'a str, name: &str) -> Option<Block<'a>> {
    let rest = after_opening(text.trim_start(), name)?;
    let closing = format!("</{name}>");
    let end = rest.find(&closing)?;
    Some(Block {
        inner: &rest[..end],
        rest: &rest[end + closing.len()..],
    })
}

/// The first block of this name anywhere in the text.
pub(crate) fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let opening = format!("<{name}");
    text.match_indices(&opening)
        .find_map(|(at, _)| block(&text[at..], name))
        .map(|block| block.inner)
}

/// The text without the blocks of these names, and whether there were any. A block that begins the
/// text and is never closed takes all of it: the program's words were cut short.
pub(crate) fn without_blocks(text: &str, names: &[&str]) -> (String, bool) {
    let mut kept = String::new();
    let mut cut = false;
    let mut fenced = false;
    let mut rest = text;
    while !rest.is_empty() {
        if !fenced {
            let indented = rest.trim_start_matches([' ', '\t']);
            let found = names.iter().find_map(|name| block(indented, name));
            if let Some(found) = found.filter(|_| indented.starts_with('<')) {
                cut = true;
                rest = match found.rest.strip_prefix('\n') {
                    Some(next) => next,
                    // What follows on the same line may be another block.
                    None => found.rest,
                };
                continue;
            }
            let unclosed = kept.trim().is_empty()
                && names
                    .iter()
                    .any(|name| after_opening(indented, name).is_some());
            if unclosed {
                return (String::new(), true);
            }
        }
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        if rest.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        kept.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    (kept, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["note", "other-note"];

    #[test]
    fn a_programs_blocks_go_and_words_stay() {
        for (text, left) in [
            ("<note>x</note>\nFix it", "Fix it"),
            ("<note a=\"1\">x\ny</note> Fix it", " Fix it"),
            ("Fix it\n<note>x</note>", "Fix it\n"),
            ("a\n<note>x</note>\nb", "a\nb"),
            ("<note>x</note><other-note>y</other-note>z", "z"),
            ("<note>cut short", ""),
        ] {
            assert_eq!(
                without_blocks(text, &NAMES),
                (left.to_owned(), true),
                "{text}"
            );
        }
    }

    #[test]
    fn a_mention_is_no_block() {
        for text in [
            "what does <note>x</note> mean?",
            "```\n<note>x</note>\n```",
            "<notes>x</notes>",
            "first\n<note> is never closed",
            "",
        ] {
            assert_eq!(
                without_blocks(text, &NAMES),
                (text.to_owned(), false),
                "{text}"
            );
        }
    }

    #[test]
    fn a_block_is_found_by_its_whole_name() {
        let found = block(" <note>a</note>b", "note").unwrap();
        assert_eq!((found.inner, found.rest), ("a", "b"));
        assert_eq!(block("<notes>a</notes>", "note"), None);
        assert_eq!(
            inside("x <other-note>y</other-note>", "other-note"),
            Some("y")
        );
    }
}

//! The one way to standard output and standard error.
//!
//! Memories, file names, names in logs and error texts come from strangers. Whatever is printed
//! passes [`harmless`], so that none of it steers the terminal or turns a line around. What could
//! not be written is remembered and said at the end, except to a reader that has seen enough.

use std::io::{ErrorKind, Write as _};
use std::sync::Mutex;

static FAULT: Mutex<Option<ErrorKind>> = Mutex::new(None);

/// Writes a line to standard output.
macro_rules! say {
    () => { $crate::output::print::line("") };
    ($($line:tt)*) => { $crate::output::print::line(&format!($($line)*)) };
}

/// Writes a line to standard output, or remembers why it could not be.
pub fn line(text: &str) {
    raw(&[harmless(text).as_bytes(), b"\n"].concat());
}

/// Writes text as it is: what is safe already.
pub fn raw(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    // Flushed at once: what waits in a buffer when the program ends would be lost without a word.
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush())
        && let Ok(mut fault) = FAULT.lock()
    {
        fault.get_or_insert(error.kind());
    }
}

/// Writes a value as one line of JSON.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => raw(&[harmless_json(&text).as_bytes(), b"\n"].concat()),
        Err(error) => complain(&format!("the answer could not be written: {error}")),
    }
}

/// Writes a sentence to standard error. When even that is gone there is nobody left to tell.
pub fn complain(sentence: &str) {
    let _ = writeln!(
        std::io::stderr().lock(),
        "lethescope: {}",
        harmless(sentence)
    );
}

/// Writes a value as one line of JSON to standard error, where standard output holds text.
pub fn complain_json(value: &impl serde::Serialize) {
    if let Ok(text) = serde_json::to_string(value) {
        let _ = writeln!(std::io::stderr().lock(), "{}", harmless_json(&text));
    }
}

/// Whether whoever read standard output has gone.
pub fn closed() -> bool {
    fault() == Some(ErrorKind::BrokenPipe)
}

/// Why standard output holds less than it should.
pub fn fault() -> Option<ErrorKind> {
    FAULT.lock().ok().and_then(|fault| *fault)
}

/// The first line, short enough for a terminal.
pub fn first_line(text: &str) -> String {
    let line: String = text
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(100)
        .collect();
    inline(&line)
}

/// A value inside a line: it cannot begin another one.
pub fn inline(text: &str) -> String {
    harmless(text)
        .chars()
        .map(|c| match c {
            '\n' => '␊',
            '\t' => '␉',
            _ => c,
        })
        .collect()
}

/// Control characters and changes of direction would let a text write anywhere on the screen, or
/// read otherwise than it is: they are shown, not obeyed.
pub fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\u{7f}' => '␡',
            _ if steers(c) => '\u{fffd}',
            _ => c,
        })
        .collect()
}

/// The same for JSON text, without loss: what steers is written as an escape.
pub fn harmless_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            out.push_str("\\u");
            out.extend(
                (0..4)
                    .rev()
                    .filter_map(|digit| char::from_digit((c as u32 >> (4 * digit)) & 0xf, 16)),
            );
        } else {
            out.push(c);
        }
    }
    out
}

/// C1 controls and delete; embeddings, overrides and isolates of direction; line and paragraph
/// separators.
fn steers(c: char) -> bool {
    matches!(c,
        '\u{7f}'..='\u{9f}'
        | '\u{2028}' | '\u{2029}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\n\u{9b}c\u{7f}"), "a␛[2Jb\n\u{fffd}c␡");
        assert_eq!(
            harmless("\u{202e}x\u{2066}y\u{2069}\u{202c}"),
            "\u{fffd}x\u{fffd}y\u{fffd}\u{fffd}"
        );
        assert_eq!(inline("bot\n  9. m2\tx"), "bot␊  9. m2␉x");
        assert_eq!(first_line("one\r\ntwo"), "one");
    }

    #[test]
    fn json_is_harmless_and_loses_nothing() {
        let text = "a\u{1b}]0;x\u{7}\u{9b}\u{7f}\u{202e}é";
        let json = serde_json::to_string(text).unwrap();
        let safe = harmless_json(&json);
        assert!(
            !safe.contains(|c: char| c.is_control() || steers(c)),
            "{safe}"
        );
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }
}

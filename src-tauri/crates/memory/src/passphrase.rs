//! The passphrase, kept out of every log and wiped when dropped.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use zeroize::{Zeroize, Zeroizing};

use crate::error::VaultError;

/// A passphrase in normal form C, so that the same keys open the vault on every system.
/// Blanks count, at the edges too.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes the text over and wipes it.
    ///
    /// # Errors
    /// [`VaultError::WeakPassphrase`] when it is empty.
    pub fn new(mut text: String) -> Result<Self, VaultError> {
        // Composition never lengthens UTF-8 by more than this, so the buffer never moves and
        // leaves no copy behind.
        let mut normal = Zeroizing::new(String::with_capacity(text.len() * 3));
        normal.extend(text.nfc());
        text.zeroize();
        if normal.is_empty() {
            return Err(VaultError::WeakPassphrase);
        }
        Ok(Self(normal))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The first line of a passphrase file, whichever editor wrote it: UTF-8 with or without a byte
/// order mark, or UTF-16 with one; any line end.
///
/// # Errors
/// [`VaultError::Invalid`] when it is neither.
pub fn passphrase_line(file: &[u8]) -> Result<Zeroizing<String>, VaultError> {
    const WHAT: VaultError = VaultError::Invalid {
        what: "encoding of the passphrase file",
    };
    let text = match file {
        // UTF-32 in its little-endian form begins like UTF-16.
        [0xff, 0xfe, 0, 0, ..] => return Err(WHAT),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes).ok_or(WHAT)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes).ok_or(WHAT)?,
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => {
            let mut copy = Zeroizing::new(String::with_capacity(rest.len()));
            copy.push_str(std::str::from_utf8(rest).map_err(|_| WHAT)?);
            copy
        }
    };
    let end = text.find(['\n', '\r']).unwrap_or(text.len());
    let mut line = Zeroizing::new(String::with_capacity(end));
    line.push_str(&text[..end]);
    Ok(line)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<Zeroizing<String>> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    // A unit becomes at most three bytes, so the buffer never moves and leaves no copy behind.
    let mut text = Zeroizing::new(String::with_capacity(pairs.len() * 3));
    for character in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        text.push(character.ok()?);
    }
    Some(text)
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_and_decomposed_text_is_the_same_passphrase() {
        let composed = Passphrase::new("caf\u{e9}".to_owned()).unwrap();
        let decomposed = Passphrase::new("cafe\u{301}".to_owned()).unwrap();
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
    }

    #[test]
    fn blanks_count_and_nothing_is_refused() {
        assert_eq!(Passphrase::new(" a".to_owned()).unwrap().as_bytes(), b" a");
        assert!(matches!(
            Passphrase::new(String::new()),
            Err(VaultError::WeakPassphrase)
        ));
    }

    #[test]
    fn every_editor_s_file_holds_the_same_line() {
        let line = "kettle élan 鍵 🗝 at four";
        let utf16 = |unit: fn(u16) -> [u8; 2], mark: [u8; 2], text: &str| -> Vec<u8> {
            let units = text.encode_utf16().flat_map(unit);
            mark.into_iter().chain(units).collect()
        };
        for end in ["", "\n", "\r\n", "\r", "\nsecond line\n", "\r\nsecond line"] {
            let text = format!("{line}{end}");
            let marked = format!("\u{feff}{text}");
            for file in [
                text.clone().into_bytes(),
                marked.into_bytes(),
                utf16(u16::to_le_bytes, [0xff, 0xfe], &text),
                utf16(u16::to_be_bytes, [0xfe, 0xff], &text),
            ] {
                assert_eq!(passphrase_line(&file).unwrap().as_str(), line, "{file:?}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_refused_and_a_mark_further_on_counts() {
        for file in [
            &b"caf\xe9"[..],
            b"\xff\xfea",
            b"\xff\xfe\x00\xd8",
            b"\xff\xfe\x00\x00a\x00\x00\x00",
        ] {
            assert!(passphrase_line(file).is_err(), "{file:?}");
        }
        assert_eq!(passphrase_line(b"").unwrap().as_str(), "");
        let twice = "\u{feff}\u{feff}a";
        assert_eq!(
            passphrase_line(twice.as_bytes()).unwrap().as_str(),
            "\u{feff}a"
        );
    }

    #[test]
    fn debug_output_is_silent() {
        let secret = Passphrase::new("hunter2".to_owned()).unwrap();
        assert!(!format!("{secret:?}").contains("hunter2"));
    }
}

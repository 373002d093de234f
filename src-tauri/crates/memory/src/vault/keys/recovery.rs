//! Recovery codes: 160 random bits and 20 of a checksum, as nine groups of four characters that
//! cannot be taken for one another (Crockford's base 32).

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::random::random;
use crate::error::VaultError;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_BYTES: usize = 20;
const CHARACTERS: usize = 36;
const GROUP: usize = 4;

/// Draws a code.
pub(super) fn draw() -> Result<Zeroizing<String>, VaultError> {
    Ok(spell(&*random::<RANDOM_BYTES>()?))
}

/// A code as people write it down.
pub(super) fn spell(bytes: &[u8; RANDOM_BYTES]) -> Zeroizing<String> {
    let mut all = Zeroizing::new(Vec::with_capacity(RANDOM_BYTES + 3));
    all.extend_from_slice(bytes);
    all.extend_from_slice(&Sha256::digest(bytes)[..3]);
    let mut code = Zeroizing::new(String::with_capacity(CHARACTERS + CHARACTERS / GROUP));
    let (mut held, mut bits, mut written) = (0_u32, 0, 0);
    for &byte in all.iter() {
        held = (held << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 && written < CHARACTERS {
            bits -= 5;
            if written > 0 && written % GROUP == 0 {
                code.push('-');
            }
            code.push(char::from(ALPHABET[(held >> bits) as usize & 31]));
            written += 1;
        }
    }
    code
}

/// The 36 characters of a code however it was typed (case, blanks, dashes, O for 0, I or L for 1);
/// `None` when it is none, or when a character is wrong.
pub(super) fn read(typed: &str) -> Option<Zeroizing<String>> {
    let mut characters = Zeroizing::new(String::with_capacity(CHARACTERS));
    for typed in typed.chars() {
        let character = match typed.to_ascii_uppercase() {
            ' ' | '-' | '\t' | '\u{2010}'..='\u{2014}' => continue,
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        };
        if characters.len() == CHARACTERS
            || !character.is_ascii()
            || !ALPHABET.contains(&(character as u8))
        {
            return None;
        }
        characters.push(character);
    }
    if characters.len() != CHARACTERS {
        return None;
    }
    let mut bytes = Zeroizing::new([0_u8; RANDOM_BYTES]);
    let (mut held, mut bits, mut at) = (0_u32, 0, 0);
    for character in characters.bytes() {
        let value = ALPHABET.iter().position(|&one| one == character)? as u32;
        held = (held << 5) | value;
        bits += 5;
        if bits >= 8 && at < RANDOM_BYTES {
            bits -= 8;
            bytes[at] = (held >> bits) as u8;
            at += 1;
        }
    }
    let again = spell(&bytes);
    again
        .bytes()
        .filter(|&byte| byte != b'-')
        .eq(characters.bytes())
        .then_some(characters)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_code_is_read_however_it_was_typed(bytes in any::<[u8; RANDOM_BYTES]>()) {
            let code = spell(&bytes);
            prop_assert_eq!(code.split('-').count(), 9);
            let plain = code.replace('-', "");
            prop_assert_eq!(&*read(&code).unwrap(), &plain);
            let sloppy = code.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l");
            prop_assert_eq!(&*read(&sloppy).unwrap(), &plain);
        }

        #[test]
        fn a_wrong_character_is_noticed(bytes in any::<[u8; RANDOM_BYTES]>(), at in 0_usize..36, by in 1_usize..32) {
            let mut plain = spell(&bytes).replace('-', "").into_bytes();
            let place = ALPHABET.iter().position(|&one| one == plain[at]).unwrap();
            plain[at] = ALPHABET[(place + by) % 32];
            // A checksum of 20 bits lets one in a million through; the last four characters are it.
            let wrong = String::from_utf8(plain).unwrap();
            prop_assert!(read(&wrong).is_none());
        }
    }

    #[test]
    fn a_passphrase_is_no_code() {
        for text in [
            "",
            "correct horse battery staple",
            &"A".repeat(36),
            &"é".repeat(36),
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}

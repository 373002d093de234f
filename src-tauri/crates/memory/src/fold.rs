//! The searchable copy of a text.
//!
//! Both keyword indexes hold this copy, and queries pass through the same function, so that two
//! spellings of one word meet: compatibility forms (half and full width, ligatures) and compositions
//! (NFD, NFC) become one, letters become small, diacritics of Latin, Greek and Cyrillic letters go,
//! letters that no decomposition takes apart (đ, ß, ł, ø, æ …) become plain ones, curly quotes
//! straight. Marks of other scripts carry meaning and stay: が is not か. Invisible characters are
//! removed; control characters, NUL above all, become a space, because the trigram tokenizer reads
//! no further than a NUL.
//!
//! Guarantees: folding twice is folding once; the result is in normal form C; the map of
//! [`fold_with_map`] never decreases and points at character boundaries of the original.

use std::ops::Range;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The searchable copy of `text`.
pub fn fold(text: &str) -> String {
    let mut folder = Folder::new(text, false);
    folder.run(text);
    folder.out
}

/// The searchable copy, and for each of its bytes the byte of `text` it came from; one more entry
/// at the end holds the length of `text`. Bytes that one character of the original gave rise to
/// all point at that character.
pub fn fold_with_map(text: &str) -> (String, Vec<u32>) {
    let mut folder = Folder::new(text, true);
    folder.run(text);
    folder.map.push(text.len() as u32);
    (folder.out, folder.map)
}

/// The part of the original that a part of the folded copy came from: whole characters, so that
/// half a ligature gives the whole one.
pub fn original_range(map: &[u32], folded: Range<usize>) -> Range<usize> {
    let last = map.len().saturating_sub(1);
    let at = |index: usize| map.get(index.min(last)).copied().unwrap_or(0);
    let start = at(folded.start);
    if folded.end <= folded.start {
        return start as usize..start as usize;
    }
    let inside = at(folded.end - 1);
    let end = map
        .get(folded.end.min(last)..)
        .and_then(|rest| rest.iter().copied().find(|&byte| byte > inside))
        .unwrap_or_else(|| at(last));
    start as usize..end as usize
}

struct Folder {
    out: String,
    map: Vec<u32>,
    mapped: bool,
    /// Decomposed characters that may still compose with what follows.
    segment: String,
    segment_start: usize,
    scratch: String,
}

impl Folder {
    fn new(text: &str, mapped: bool) -> Self {
        Self {
            out: String::with_capacity(text.len()),
            map: Vec::with_capacity(if mapped { text.len() + 1 } else { 0 }),
            mapped,
            segment: String::new(),
            segment_start: 0,
            scratch: String::new(),
        }
    }

    fn run(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // Nothing to compose with: an ASCII character before another one stands alone.
            if byte.is_ascii() && bytes.get(at + 1).is_none_or(u8::is_ascii) {
                self.flush();
                self.push(simple(byte), at);
                at += 1;
                continue;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                break;
            };
            self.take(c, at);
            at += c.len_utf8();
        }
        self.flush();
    }

    fn push(&mut self, c: char, from: usize) {
        self.out.push(c);
        if self.mapped {
            self.map
                .extend(std::iter::repeat_n(from as u32, c.len_utf8()));
        }
    }

    fn take(&mut self, c: char, at: usize) {
        if is_invisible(c) {
            return;
        }
        let c = if c.is_control() && !matches!(c, '\t' | '\n' | '\r') {
            ' '
        } else {
            c
        };
        let mut first = None;
        decompose_compatible(c, |part| {
            first.get_or_insert(part);
        });
        let first = first.unwrap_or(c);
        // A character that cannot join what stands before it begins a new segment.
        if is_nfc_quick(std::iter::once(first)) != IsNormalized::Maybe && !is_combining_mark(first)
        {
            self.flush();
        }
        if self.segment.is_empty() {
            self.segment_start = at;
        }
        let segment = &mut self.segment;
        decompose_compatible(c, |part| {
            for lower in part.to_lowercase() {
                decompose_compatible(lower, |part| segment.push(part));
            }
        });
    }

    fn flush(&mut self) {
        if self.segment.is_empty() {
            return;
        }
        let segment = std::mem::take(&mut self.segment);
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let mut bare = false;
        for c in segment.nfd() {
            if is_combining_mark(c) && bare {
                continue;
            }
            if !is_combining_mark(c) {
                bare = loses_marks(c);
            }
            if is_invisible(c) {
                continue;
            }
            match spelled_out(c) {
                Some(plain) => scratch.push_str(plain),
                None => scratch.push(c),
            }
        }
        let from = self.segment_start;
        for c in scratch.nfc() {
            self.push(c, from);
        }
        self.segment = segment;
        self.segment.clear();
        self.scratch = scratch;
    }
}

fn simple(byte: u8) -> char {
    match byte {
        b'\t' | b'\n' | b'\r' => char::from(byte),
        0..=0x1f | 0x7f => ' ',
        _ => char::from(byte.to_ascii_lowercase()),
    }
}

/// Letters whose diacritics are folded away, in decomposed form; the blank too, because spacing
/// accents decompose to a blank with a mark.
fn loses_marks(c: char) -> bool {
    matches!(c,
        ' ' | 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{2af}' | '\u{1e00}'..='\u{1eff}'
        | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}'
        | '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'
        | '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a66d}'
        | '\u{a680}'..='\u{a69b}')
}

/// Plain spellings of letters and quotes that decomposition leaves alone.
fn spelled_out(c: char) -> Option<&'static str> {
    Some(match c {
        'đ' | 'ð' => "d",
        'ß' => "ss",
        'ł' => "l",
        'ø' => "o",
        'æ' => "ae",
        'œ' => "oe",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'ς' => "σ",
        '\u{2018}'..='\u{201b}' => "'",
        '\u{201c}'..='\u{201f}' => "\"",
        '\u{2010}' | '\u{2011}' | '\u{2212}' => "-",
        _ => return None,
    })
}

/// Characters without a shape of their own: zero-width, direction marks, variation selectors,
/// the soft hyphen, the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn folds() {
        let table = [
            ("Đường Nguyễn", "duong nguyen"),
            ("Straße STRASSE ẞ", "strasse strasse ss"),
            ("Łódź Ørsted Ærø œuvre", "lodz orsted aero oeuvre"),
            ("caffè résumé thé", "caffe resume the"),
            ("ПРИВЕТ Ёлка", "привет елка"),
            ("ÉTÉ ὈΔΥΣΣΕΎΣ", "ete οδυσσευσ"),
            ("İstanbul ISPARTA ısparta", "istanbul isparta isparta"),
            ("ﾊﾞｯｸｱｯﾌﾟ完了", "バックアップ完了"),
            ("ＡＰＩキー更新", "apiキー更新"),
            (
                "\u{1110}\u{1166}\u{1109}\u{1173}\u{1110}\u{1173} 문서",
                "테스트 문서",
            ),
            ("がぎぐ か\u{3099}", "がぎぐ が"),
            ("ประชุมวันพรุ่งนี้", "ประชุมวันพรุ่งนี้"),
            ("हिन्दी में", "हिन्दी में"),
            ("“release plan” don’t", "\"release plan\" don't"),
            ("ﬁn ½ …", "fin 1⁄2 ..."),
            ("a\u{200b}b\u{feff}c\u{ad}d", "abcd"),
            ("pre\u{0}suf", "pre suf"),
            ("C++ vs c#", "c++ vs c#"),
            ("status 🔴 👩\u{200d}💻", "status 🔴 👩💻"),
            ("non\u{2011}breaking\u{a0}blank", "non-breaking blank"),
            ("line\nnext\ttab", "line\nnext\ttab"),
            ("", ""),
        ];
        for (text, folded) in table {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }

    #[test]
    fn marks_that_carry_meaning_stay() {
        for (a, b) in [
            ("が", "か"),
            ("は", "ぱ"),
            ("пар", "par"),
            ("cafe", "caffè"),
        ] {
            assert_ne!(fold(a), fold(b));
        }
    }

    #[test]
    fn ranges_cover_whole_characters() {
        let text = "Die Straße ﬁel";
        let (folded, map) = fold_with_map(text);
        let at = folded.find("strasse").unwrap();
        assert_eq!(&text[original_range(&map, at..at + 7)], "Straße");
        assert_eq!(&text[original_range(&map, at..at + 5)], "Straß");
        let at = folded.find("iel").unwrap();
        assert_eq!(&text[original_range(&map, at..at + 3)], "ﬁel");
        assert_eq!(original_range(&map, 3..3), 3..3);
        let text = "e\u{301}a";
        let (folded, map) = fold_with_map(text);
        assert_eq!(folded, "ea");
        assert_eq!(&text[original_range(&map, 0..1)], "e\u{301}");
    }

    /// Text rich in what folding touches.
    fn hostile() -> impl Strategy<Value = String> {
        let special = proptest::sample::select(vec![
            "đ",
            "ß",
            "ﬁ",
            "e\u{301}",
            "か\u{3099}",
            "ﾊﾞ",
            "\u{1112}\u{1161}\u{11ab}",
            "\u{200b}",
            "\u{0}",
            "İ",
            "ς",
            "“",
            " \u{308}",
            "\u{301}",
            "\u{0345}",
            "\u{1f80}",
            "½",
            "각\u{11a8}",
            "\u{9c7}\u{9be}",
            "한",
            "A",
            "z",
            " ",
            "\u{fdfa}",
            "Ǆ",
            "ẛ\u{323}",
            "\u{1e9e}",
            "\u{212a}",
        ]);
        proptest::collection::vec(
            prop_oneof![3 => special.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)],
            0..24,
        )
        .prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn map_is_monotone_in_bounds_and_on_boundaries(text in hostile()) {
            let (folded, map) = fold_with_map(&text);
            prop_assert_eq!(&folded, &fold(&text));
            prop_assert_eq!(map.len(), folded.len() + 1);
            prop_assert!(map.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert!(map.iter().all(|&byte| text.is_char_boundary(byte as usize)));
        }

        #[test]
        fn folding_twice_is_folding_once(text in hostile()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once.clone());
            prop_assert_eq!(once.find('\u{0}'), None);
        }

        #[test]
        fn composition_does_not_matter(text in hostile()) {
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(fold(&composed), fold(&decomposed));
        }
    }
}

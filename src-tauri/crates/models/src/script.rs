//! Which writing systems a text uses.
//!
//! Source: the Unicode Script property (UAX #24), folded into the groups that matter to retrieval:
//! what a model has learned and what word tokenisers can split.

use unicode_script::{Script as UnicodeScript, UnicodeScript as _};

/// A group of writing systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Script {
    /// Digits, punctuation, symbols, emoji, blanks, combining marks: part of every script.
    Common,
    /// Latin letters with all their accents.
    Latin,
    /// Greek.
    Greek,
    /// Cyrillic.
    Cyrillic,
    /// Chinese characters, wherever they are used.
    Han,
    /// Japanese syllabaries.
    Kana,
    /// Korean.
    Hangul,
    /// Thai, Lao, Khmer, Burmese: written without blanks between words.
    Thai,
    /// Arabic.
    Arabic,
    /// Hebrew.
    Hebrew,
    /// Devanagari and the other scripts of India.
    Indic,
    /// Every other script.
    Other,
}

impl Script {
    /// All groups, in a fixed order.
    pub const ALL: [Script; 12] = [
        Script::Common,
        Script::Latin,
        Script::Greek,
        Script::Cyrillic,
        Script::Han,
        Script::Kana,
        Script::Hangul,
        Script::Thai,
        Script::Arabic,
        Script::Hebrew,
        Script::Indic,
        Script::Other,
    ];

    /// The script that a character belongs to.
    pub fn of(c: char) -> Script {
        if c.is_ascii() {
            return if c.is_ascii_alphabetic() {
                Script::Latin
            } else {
                Script::Common
            };
        }
        match c {
            // The long-vowel marks are shared between the two syllabaries, hence "Common" in
            // Unicode, but no other script uses them.
            'ー' | 'ｰ' => return Script::Kana,
            // Ideographic repetition mark and zero stand for characters.
            '々' | '〇' => return Script::Han,
            _ => {}
        }
        match c.script() {
            UnicodeScript::Common | UnicodeScript::Inherited => Script::Common,
            UnicodeScript::Latin => Script::Latin,
            UnicodeScript::Greek => Script::Greek,
            UnicodeScript::Cyrillic => Script::Cyrillic,
            UnicodeScript::Han | UnicodeScript::Bopomofo => Script::Han,
            UnicodeScript::Hiragana | UnicodeScript::Katakana => Script::Kana,
            UnicodeScript::Hangul => Script::Hangul,
            UnicodeScript::Thai
            | UnicodeScript::Lao
            | UnicodeScript::Khmer
            | UnicodeScript::Myanmar => Script::Thai,
            UnicodeScript::Arabic => Script::Arabic,
            UnicodeScript::Hebrew => Script::Hebrew,
            UnicodeScript::Devanagari
            | UnicodeScript::Bengali
            | UnicodeScript::Gurmukhi
            | UnicodeScript::Gujarati
            | UnicodeScript::Oriya
            | UnicodeScript::Tamil
            | UnicodeScript::Telugu
            | UnicodeScript::Kannada
            | UnicodeScript::Malayalam
            | UnicodeScript::Sinhala => Script::Indic,
            _ => Script::Other,
        }
    }

    /// True for scripts that put no blank between words, so that a word index cannot split them.
    /// Korean does use blanks, but its words carry endings that only a substring index sees past.
    pub fn is_unspaced(self) -> bool {
        matches!(
            self,
            Script::Han | Script::Kana | Script::Hangul | Script::Thai
        )
    }

    /// The name used in model manifests and traces.
    pub fn name(self) -> &'static str {
        match self {
            Script::Common => "common",
            Script::Latin => "latin",
            Script::Greek => "greek",
            Script::Cyrillic => "cyrillic",
            Script::Han => "han",
            Script::Kana => "kana",
            Script::Hangul => "hangul",
            Script::Thai => "thai",
            Script::Arabic => "arabic",
            Script::Hebrew => "hebrew",
            Script::Indic => "indic",
            Script::Other => "other",
        }
    }

    /// The script of that name, see [`Script::name`].
    pub fn from_name(name: &str) -> Option<Script> {
        Script::ALL.into_iter().find(|script| script.name() == name)
    }

    /// The scripts whose letters occur in the text, without [`Script::Common`], in fixed order.
    pub fn contained(text: &str) -> Vec<Script> {
        ScriptCounts::of(text).contained()
    }

    /// The script of most letters; [`Script::Common`] when the text has none.
    pub fn dominant(text: &str) -> Script {
        ScriptCounts::of(text).dominant()
    }
}

/// How many characters of each script a text has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScriptCounts([u32; Script::ALL.len()]);

impl ScriptCounts {
    /// Counts a text's characters.
    pub fn of(text: &str) -> ScriptCounts {
        let mut counts = ScriptCounts::default();
        for c in text.chars() {
            counts.0[Script::of(c) as usize] += 1;
        }
        counts
    }

    /// Characters of one script.
    pub fn count(&self, script: Script) -> u32 {
        self.0[script as usize]
    }

    /// Characters that belong to a script, [`Script::Common`] left out.
    pub fn letters(&self) -> u32 {
        Script::ALL[1..].iter().map(|&s| self.count(s)).sum()
    }

    /// The scripts that occur, without [`Script::Common`].
    pub fn contained(&self) -> Vec<Script> {
        Script::ALL[1..]
            .iter()
            .copied()
            .filter(|&s| self.count(s) > 0)
            .collect()
    }

    /// The script of most letters, the first in [`Script::ALL`] on a tie.
    ///
    /// A Chinese character carries about as much as a Latin word of several letters, so letters of
    /// scripts without spacing count three times; otherwise one product name would make a Chinese
    /// sentence Latin.
    pub fn dominant(&self) -> Script {
        let weight = |s: Script| self.count(s) * if s.is_unspaced() { 3 } else { 1 };
        Script::ALL[1..]
            .iter()
            .copied()
            .filter(|&s| self.count(s) > 0)
            .fold(Script::Common, |best, s| {
                if best == Script::Common || weight(s) > weight(best) {
                    s
                } else {
                    best
                }
            })
    }

    /// Share of the letters, 0..1, whose script satisfies the test; 1 for a text without letters.
    pub fn share(&self, covered: impl Fn(Script) -> bool) -> f64 {
        let letters = self.letters();
        if letters == 0 {
            return 1.0;
        }
        let known: u32 = Script::ALL[1..]
            .iter()
            .filter(|&&s| covered(s))
            .map(|&s| self.count(s))
            .sum();
        f64::from(known) / f64::from(letters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_belong_to_their_script() {
        for (c, script) in [
            ('a', Script::Latin),
            ('É', Script::Latin),
            ('đ', Script::Latin),
            ('Ａ', Script::Latin),
            ('7', Script::Common),
            ('_', Script::Common),
            ('🚀', Script::Common),
            ('\u{301}', Script::Common),
            ('λ', Script::Greek),
            ('Ж', Script::Cyrillic),
            ('项', Script::Han),
            ('々', Script::Han),
            ('か', Script::Kana),
            ('カ', Script::Kana),
            ('ｶ', Script::Kana),
            ('ー', Script::Kana),
            ('한', Script::Hangul),
            ('ᄒ', Script::Hangul),
            ('ไ', Script::Thai),
            ('ع', Script::Arabic),
            ('ש', Script::Hebrew),
            ('न', Script::Indic),
            ('Ա', Script::Other),
        ] {
            assert_eq!(Script::of(c), script, "{c}");
        }
    }

    #[test]
    fn contained_and_dominant_ignore_what_every_script_shares() {
        assert_eq!(Script::contained("deploy 42!"), [Script::Latin]);
        assert_eq!(Script::contained("42 !"), []);
        assert_eq!(Script::dominant("42 !"), Script::Common);
        assert_eq!(Script::dominant(""), Script::Common);
        assert_eq!(Script::dominant("gateway 超时了吗"), Script::Han);
        assert_eq!(
            Script::contained("会議室を予約 ok"),
            [Script::Latin, Script::Han, Script::Kana]
        );
        assert_eq!(Script::dominant("the word 项 means project"), Script::Latin);
    }

    #[test]
    fn share_counts_letters_of_known_scripts() {
        let counts = ScriptCounts::of("ab 项目");
        let latin = |s| s == Script::Latin;
        assert!((counts.share(latin) - 0.5).abs() < 1e-12);
        assert!((ScriptCounts::of("12 34").share(latin) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn names_lead_back_to_their_script() {
        for script in Script::ALL {
            assert_eq!(Script::from_name(script.name()), Some(script));
        }
        assert_eq!(Script::from_name("klingon"), None);
    }
}

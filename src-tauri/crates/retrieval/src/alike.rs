//! Whether a text may stand for another one that means nearly the same.
//!
//! Vectors of sentences hardly notice what engineers live by: `port 8080` and `port 8081` lie at a
//! cosine of .99, and so do `is allergic` and `is not allergic`. So nearness alone never hides a
//! memory behind another: two texts stay apart when they differ in a number, a negation, a word
//! that has an opposite, a name, the spelling of a word, or the order of what they name. What is left are texts
//! that say the same in a few words more, fewer or other.
//!
//! The rules err towards keeping apart: a text too many in a list is seen, one too few is not.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use memory::fold;
use unicode_segmentation::UnicodeSegmentation as _;

/// Why two texts that lie near each other are two.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, specta::Type,
)]
#[serde(rename_all = "snake_case")]
pub enum Apart {
    /// Other numbers, or a number, a day or a month in one alone.
    Number,
    /// One denies what the other says, or denies something else.
    Negation,
    /// A word that has an opposite stands in one alone.
    Opposite,
    /// One names somebody or something that the other does not.
    Name,
    /// One word in other letter case or with other accents.
    Spelling,
    /// The same things in another order.
    Order,
}

impl Apart {
    /// Whether the two may contradict each other, rather than merely speak of different things.
    pub const fn may_contradict(self) -> bool {
        matches!(
            self,
            Self::Number | Self::Negation | Self::Opposite | Self::Order
        )
    }
}

/// Words that deny, as they are after folding, in languages that put blanks between words: English, then German
/// and Dutch, then the Romance ones, then Russian, Polish, Turkish, Arabic and Hindi.
static DENYING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "no not never none nothing nobody nowhere neither nor without cannot unless except hardly \
         dont doesnt didnt isnt arent wasnt wont cant \
         nicht kein keine keinen keiner keinem nie niemals nichts ohne weder niet geen nooit zonder \
         ne pas jamais aucun aucune sans ni rien nunca sin ningun ninguna jamas nada tampoco non \
         mai senza nessun nessuna nao sem nenhum \
         не нет ни без никогда bez nigdy degil yok لا لم لن ليس नहीं मत"
        .split_whitespace()
        .collect()
});

/// Signs that deny in the scripts that put no blanks between words, longest first.
const DENYING_SIGNS: &[&str] = &[
    "なかっ",
    "ません",
    "ない",
    "なし",
    "ずに",
    "ぬ",
    "不",
    "没",
    "沒",
    "未",
    "无",
    "無",
    "非",
    "别",
    "別",
    "勿",
    "莫",
    "않",
    "아니",
    "없",
    "못",
    "안",
    "ไม่",
    "มิ",
];

/// Numbers, days and months said in words.
static COUNTING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty \
         fifty hundred thousand million billion half once twice second third fourth fifth monday \
         tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january \
         february march april may june july august september october november december jan feb mar \
         apr jun jul aug sep oct nov dec today tomorrow yesterday spring summer autumn winter \
         morning evening noon midnight 一 二 三 四 五 六 七 八 九 十 百 千 万 萬 亿 两 零 半 月 火 水 木 金 土 日"
        .split_whitespace()
        .collect()
});

/// Words that have an opposite.
static OPPOSED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "on off enable enabled disable disabled true false yes before after above below allow \
         allowed allows deny denied denies forbid forbidden accept accepted accepts reject rejected \
         rejects start started stop stopped open opened close closed up down left right increase \
         increased decrease decreased more less fewer min max minimum maximum first last old new \
         older newer oldest newest read write add added remove removed pass passed passes fail \
         failed fails failing success failure succeeded always input output inner outer source \
         target client server staging production prod dev import export lock locked unlock unlocked \
         show hide hidden visible push pull encode decode encrypt decrypt sync async public private \
         north south east west upper lower dislike dislikes love hate safe unsafe valid invalid \
         possible impossible known unknown same different high low fast slow light dark required \
         optional must may should 开 開 关 關 启 啟 禁 停 前 后 後 上 下 左 右 内 外 成 败 敗 失 增 减 減 大 小 多 少 新 旧 舊 允 許 \
         拒"
        .split_whitespace()
        .collect()
});

/// Signs that compare or measure: `a < b` is not `a > b`, and 5 % is not 5 €.
const MEASURING: &[char] = &[
    '<', '>', '≤', '≥', '=', '≠', '%', '‰', '€', '$', '£', '¥', '°', '+', '~', '^',
];

/// What of a text tells it from others.
#[derive(Debug, Default, PartialEq)]
struct Marks {
    /// Everything with a digit, what counts in words, and what measures, in order.
    numbers: Vec<String>,
    /// What denies, with the word behind it.
    denied: Vec<(String, String)>,
    /// Words that have an opposite.
    opposed: Vec<String>,
    /// Names, identifiers, paths, addresses.
    names: BTreeSet<String>,
    /// Each word as it is spelt, by the folded one.
    spelt: BTreeMap<String, BTreeSet<String>>,
    /// The folded words that stand there once, in order.
    order: Vec<String>,
}

/// Why two texts stay two, however near to each other their vectors lie; `None` when one may stand
/// for the other.
pub fn apart(a: &str, b: &str) -> Option<Apart> {
    if a == b {
        return None;
    }
    let (a, b) = (Marks::of(a), Marks::of(b));
    let spelt_otherwise = a
        .spelt
        .iter()
        .any(|(word, spellings)| b.spelt.get(word).is_some_and(|others| others != spellings));
    [
        (a.numbers != b.numbers, Apart::Number),
        (a.denied != b.denied, Apart::Negation),
        (a.opposed != b.opposed, Apart::Opposite),
        (spelt_otherwise, Apart::Spelling),
        (a.names != b.names, Apart::Name),
        (!a.in_order_of(&b), Apart::Order),
    ]
    .into_iter()
    .find_map(|(differs, why)| differs.then_some(why))
}

impl Marks {
    fn of(text: &str) -> Self {
        let mut marks = Self::default();
        let mut begins = true;
        for piece in text.split_whitespace() {
            marks.take_name(piece, begins);
            begins = piece.ends_with(['.', '!', '?', ':', '。', '！', '？']);
        }
        let mut denying: Option<String> = None;
        let mut counted: BTreeMap<String, u32> = BTreeMap::new();
        let mut order = Vec::new();
        begins = true;
        for word in text.split_word_bounds() {
            if !word.contains(char::is_alphanumeric) {
                let measures = word.chars().filter(|sign| MEASURING.contains(sign));
                marks.numbers.extend(measures.map(String::from));
                begins |= word.contains(['.', '!', '?', ':', '\n', '。', '！', '？']);
                continue;
            }
            let folded = fold(word).replace(['\'', '’'], "");
            let word = if begins {
                uncapitalised(word)
            } else {
                word.to_owned()
            };
            begins = false;
            if let Some(sign) = denying.take() {
                marks.denied.push((sign, folded.clone()));
            }
            if DENYING.contains(folded.as_str())
                || folded.ends_with("nt") && word.contains(['\'', '’'])
            {
                denying = Some(folded.clone());
            }
            if folded.contains(char::is_numeric) || COUNTING.contains(folded.as_str()) {
                marks.numbers.push(folded.clone());
            }
            if OPPOSED.contains(folded.as_str()) {
                marks.opposed.push(folded.clone());
            }
            *counted.entry(folded.clone()).or_default() += 1;
            order.push(folded.clone());
            marks.spelt.entry(folded).or_default().insert(word);
        }
        marks
            .denied
            .extend(denying.map(|sign| (sign, String::new())));
        marks.take_signs(text);
        order.retain(|word| counted.get(word) == Some(&1));
        marks.order = order;
        marks.denied.sort_unstable();
        marks.opposed.sort_unstable();
        marks
    }

    /// A piece between blanks, if it is a name: written with a capital where no sentence begins, or
    /// with something other than a letter between its letters.
    fn take_name(&mut self, piece: &str, begins: bool) {
        let name = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let mut letters = name.chars();
        let first = letters.next();
        let capital = first.is_some_and(char::is_uppercase) && !begins && name != "I"
            || letters.any(char::is_uppercase);
        let joined = name.contains(|c: char| {
            !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '-' | ',' | ';') && c.is_ascii()
        });
        if capital || joined {
            self.names.insert(name.to_owned());
        }
    }

    /// What denies where no blanks are, with the sign behind it.
    fn take_signs(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let sign = DENYING_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let step = sign.map_or(c.len_utf8(), |sign| sign.len());
            rest = rest.get(step..).unwrap_or_default();
            if let Some(sign) = sign {
                let next = rest.chars().find(|c| c.is_alphanumeric());
                let next = next.map(String::from).unwrap_or_default();
                self.denied.push(((*sign).to_owned(), next));
            }
        }
    }

    /// Whether the words that both have once come in one order.
    fn in_order_of(&self, other: &Self) -> bool {
        let [ours, theirs]: [BTreeSet<&String>; 2] =
            [&self.order, &other.order].map(|order| order.iter().collect());
        let common = self.order.iter().filter(|word| theirs.contains(word));
        common.eq(other.order.iter().filter(|word| ours.contains(word)))
    }
}

/// A word that is written with a capital because a sentence begins with it, in small letters.
fn uncapitalised(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if first.is_uppercase() && !word.chars().skip(1).any(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_digit_one_not_one_name_keep_two_texts_apart() {
        use Apart::{Name, Negation, Number, Opposite, Order, Spelling};
        let two = [
            (
                "The release is on October 15",
                "The release is on October 16",
                Number,
            ),
            ("Port 8080", "Port 8081", Number),
            (
                "The depot closes on Monday",
                "The depot closes on Tuesday",
                Number,
            ),
            ("retry three times", "retry four times", Number),
            ("stays under 5 %", "stays under 5 €", Number),
            ("if a < b we return", "if a > b we return", Number),
            ("备份保留三天", "备份保留五天", Number),
            (
                "The user is allergic to nuts",
                "The user is not allergic to nuts",
                Negation,
            ),
            ("It doesn't retry", "It does retry", Negation),
            (
                "Never push to that branch",
                "Do push to that branch",
                Negation,
            ),
            ("备份已启用", "备份未启用", Negation),
            ("バックアップは必要", "バックアップは必要ない", Negation),
            ("백업이 있다", "백업이 없다", Negation),
            ("Das Lager ist voll", "Das Lager ist nicht voll", Negation),
            (
                "Use SQLite, not Postgres",
                "Use Postgres, not SQLite",
                Negation,
            ),
            (
                "the flag is enabled here",
                "the flag is disabled here",
                Opposite,
            ),
            ("all tests passed", "all tests failed", Opposite),
            (
                "the light theme is used",
                "the dark theme is used",
                Opposite,
            ),
            ("git branch -d old", "git branch -D old", Spelling),
            ("we met in the résumé", "we met in the resume", Spelling),
            (
                "The depot belongs to Mira",
                "The depot belongs to Tarek",
                Name,
            ),
            ("see src/depot.rs for it", "see src/crates.rs for it", Name),
            (
                "the base is api.east.example",
                "the base is api.west.example",
                Name,
            ),
            (
                "the port calls the depot",
                "the depot calls the port",
                Order,
            ),
        ];
        for (a, b, why) in two {
            assert_eq!(apart(a, b), Some(why), "{a} | {b}");
            assert_eq!(apart(b, a), Some(why), "{b} | {a}");
        }
    }

    #[test]
    fn a_few_words_more_or_other_are_one_text() {
        let one = [
            (
                "The crates are shipped by rail.",
                "the crates are shipped by rail",
            ),
            (
                "We ship the crates by rail",
                "We usually ship our crates by rail",
            ),
            (
                "the crates get shipped by rail",
                "the crates are shipped by rail",
            ),
            (
                "No issue was found in this run",
                "No issue was found during this run",
            ),
            ("备份已经启用了", "备份已启用"),
        ];
        for (a, b) in one {
            assert_eq!(apart(a, b), None, "{a} | {b}");
        }
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_nothing_is_apart_from_itself(a in "\\PC{0,60}", b in "\\PC{0,60}") {
            prop_assert_eq!(apart(&a, &b), apart(&b, &a));
            prop_assert_eq!(apart(&a, &a), None);
            prop_assert_eq!(Marks::of(&a), Marks::of(&a));
        }

        #[test]
        fn another_number_always_keeps_apart(
            words in proptest::collection::vec("[a-z]{1,8}", 1..8), at in 0..8_usize, x in 0..5000_u32, y in 0..5000_u32,
        ) {
            prop_assume!(x != y);
            let with = |number: u32| {
                let mut all = words.clone();
                all.insert(at.min(all.len()), number.to_string());
                all.join(" ")
            };
            prop_assert_eq!(apart(&with(x), &with(y)), Some(Apart::Number));
        }

        #[test]
        fn a_denial_always_keeps_apart(words in proptest::collection::vec("[a-z]{3,8}", 2..8), at in 0..8_usize) {
            prop_assume!(words.iter().all(|word| !DENYING.contains(word.as_str())));
            let mut denied = words.clone();
            denied.insert(at.min(words.len()), "not".to_owned());
            let why = apart(&words.join(" "), &denied.join(" "));
            prop_assert_eq!(why, Some(Apart::Negation));
        }
    }
}

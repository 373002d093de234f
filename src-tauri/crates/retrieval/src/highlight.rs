//! What of a memory's text a query matched, as offsets into the original text.
//!
//! Matching happens on the folded copy, as in the indexes; the places found are led back through
//! [`memory::fold_with_map`] and widened to whole graphemes, so that no accent, no Thai vowel sign
//! and no half of an emoji is ever cut off. Windows count in UTF-16 code units.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memory::{fold_with_map, original_range};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::stage::route::Route;
use crate::stage::route::term::Term;

/// A part of a text in UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utf16Range {
    /// First unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A cut-out of a text with its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The cut-out; an ellipsis stands where text was left out.
    pub text: String,
    /// Matches within it.
    pub highlights: Vec<Utf16Range>,
}

/// The parts of `text` that the terms of a route match: byte ranges on grapheme boundaries, in
/// order, none touching another.
pub fn matches(text: &str, route: &Route) -> Vec<Range<usize>> {
    let (folded, map) = fold_with_map(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut inside: Vec<Range<usize>> = Vec::new();
    let mut stems: HashSet<String> = HashSet::new();
    let mut prefixes: Vec<&str> = Vec::new();
    for term in route.asked() {
        let whole = literal_places(&folded, term);
        let has_whole = !whole.is_empty();
        found.extend(whole);
        for phrase in term.words.iter().chain(&term.parts) {
            let mut words = words_of(&phrase.text);
            if let (Some(word), None) = (words.next(), words.next()) {
                if phrase.prefix {
                    prefixes.push(&phrase.text[word]);
                } else {
                    stems.insert(stemmer.stem(&phrase.text[word]).into_owned());
                }
            }
        }
        if !has_whole {
            let places = |piece: &str| {
                let all = folded.match_indices(piece);
                all.map(|(at, piece)| at..at + piece.len())
                    .collect::<Vec<_>>()
            };
            for phrase in &term.trigrams {
                found.extend(places(&phrase.text));
            }
            for pair in &term.pairs {
                found.extend(places(pair));
            }
            for phrase in &term.inside {
                inside.extend(places(&phrase.text));
            }
        }
    }
    if !stems.is_empty() || !prefixes.is_empty() {
        found.extend(words_of(&folded).filter(|word| {
            let word = &folded[word.clone()];
            prefixes.iter().any(|prefix| word.starts_with(prefix))
                || stems.contains(stemmer.stem(word).as_ref())
        }));
    }
    // A part of an identifier is a word of it; any other part of a word is marked only where no
    // word of the query stands: `port` is not what one looks for in `import`.
    let mut inside: Vec<(Range<usize>, bool)> = inside
        .into_iter()
        .map(|range| {
            let own = original_range(&map, range.clone());
            (range, is_part_of_identifier(text, own))
        })
        .collect();
    if !found.is_empty() || inside.iter().any(|(_, word)| *word) {
        inside.retain(|(_, word)| *word);
    }
    found.extend(inside.into_iter().map(|(range, _)| range));
    let ranges = found.into_iter().map(|range| original_range(&map, range));
    merged(ranges.map(|range| whole_graphemes(text, range)).collect())
}

/// Whether a range begins and ends where words of an identifier do: `Shipping` in
/// `getShippingMethodId`, `retry` in `retry_budget` and `v2` in `apiv2`, but not `port` in `import`.
fn is_part_of_identifier(text: &str, range: Range<usize>) -> bool {
    let border = |at: usize| {
        let before = text.get(..at).and_then(|start| start.chars().next_back());
        let mut after = text.get(at..).unwrap_or_default().chars();
        let (Some(before), Some(next)) = (before, after.next()) else {
            return true;
        };
        let mut acronym_ends = || after.next().is_some_and(char::is_lowercase);
        !before.is_alphanumeric()
            || !next.is_alphanumeric()
            || before.is_lowercase() && next.is_uppercase()
            || before.is_uppercase() && next.is_uppercase() && acronym_ends()
            || before.is_numeric() != next.is_numeric()
    };
    border(range.start) && border(range.end)
}

/// Where the term stands as a whole.
fn literal_places(folded: &str, term: &Term) -> Vec<Range<usize>> {
    let whole = [term.folded.as_str()];
    let multi_word = words_of(&term.folded).nth(1).is_some();
    let searched = multi_word || !term.needles.is_empty() || !term.trigrams.is_empty();
    if !searched || term.folded.is_empty() {
        return Vec::new();
    }
    whole
        .into_iter()
        .flat_map(|text| {
            folded
                .match_indices(text)
                .map(|(at, text)| at..at + text.len())
        })
        .collect()
}

/// Runs of letters and figures.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let joins =
            |c: char| c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c);
        while characters.next_if(|&(_, c)| !joins(c)).is_some() {}
        let &(start, _) = characters.peek()?;
        let mut end = start;
        while let Some((at, c)) = characters.next_if(|&(_, c)| joins(c)) {
            end = at + c.len_utf8();
        }
        Some(start..end)
    })
}

fn whole_graphemes(text: &str, range: Range<usize>) -> Range<usize> {
    let length = text.len();
    let boundary = |at: usize| {
        GraphemeCursor::new(at, length, true)
            .is_boundary(text, 0)
            .unwrap_or(true)
    };
    let mut start = text.floor_char_boundary(range.start.min(length));
    while start > 0 && !boundary(start) {
        start = GraphemeCursor::new(start, length, true)
            .prev_boundary(text, 0)
            .ok()
            .flatten()
            .unwrap_or(0);
    }
    let mut end = text.ceil_char_boundary(range.end.min(length));
    while end < length && !boundary(end) {
        end = GraphemeCursor::new(end, length, true)
            .next_boundary(text, 0)
            .ok()
            .flatten()
            .unwrap_or(length);
    }
    start..end
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// Byte ranges as UTF-16 ranges. The ranges must be in order, as [`matches`] gives them.
pub fn to_utf16(text: &str, ranges: &[Range<usize>]) -> Vec<Utf16Range> {
    let (mut bytes, mut units) = (0, 0_usize);
    let mut units_at = |at: usize| {
        let at = text.floor_char_boundary(at.min(text.len())).max(bytes);
        units += text[bytes..at].encode_utf16().count();
        bytes = at;
        units as u32
    };
    ranges
        .iter()
        .map(|range| Utf16Range {
            start: units_at(range.start),
            end: units_at(range.end),
        })
        .collect()
}

/// A cut-out of at most `longest` characters: the passage in which most of what matched stands close
/// together, or the start. Lines stay lines; escape codes of a terminal are left out, and every
/// other control character becomes a blank.
pub fn snippet(text: &str, ranges: &[Range<usize>], longest: usize) -> Snippet {
    let lead = longest / 4;
    let first = densest(text, ranges, longest - lead).map_or(0, |at| ranges[at].start);
    let mut start = 0;
    if text[..first].chars().nth(lead).is_some() {
        // Some text before the match: from the start of its line on, or of a word, if one is near.
        let back = text[..first]
            .grapheme_indices(true)
            .rev()
            .take(lead)
            .last()
            .map_or(0, |(at, _)| at);
        start = text[back..first]
            .rfind('\n')
            .or_else(|| text[back..first].find(char::is_whitespace))
            .map_or(back, |blank| back + blank + 1);
        start = text.ceil_char_boundary(start.min(first));
    }
    let shown = shown(text, start, longest);
    let highlights = ranges
        .iter()
        .filter(|range| range.start < shown.end && range.end > start)
        .map(|range| Utf16Range {
            start: shown.unit_at(range.start),
            end: shown.unit_at(range.end),
        })
        .filter(|range| range.start < range.end)
        .collect();
    Snippet {
        text: shown.text,
        highlights,
    }
}

/// The match with which the passage begins that says most: a word that is rare in the text counts
/// more than one that stands everywhere, and each counts once. Of equals, the earliest.
fn densest(text: &str, ranges: &[Range<usize>], room: usize) -> Option<usize> {
    let word = |range: &Range<usize>| {
        let letters = text[range.clone()].chars().flat_map(char::to_lowercase);
        letters.take(SAME_WORD).collect::<String>()
    };
    let words: Vec<String> = ranges.iter().map(word).collect();
    let mut everywhere: HashMap<&str, f64> = HashMap::new();
    for word in &words {
        *everywhere.entry(word).or_default() += 1.0;
    }
    let worth = |word: &str| 1.0 / (1.0 + everywhere[word].ln());
    let mut inside: HashMap<&str, u32> = HashMap::new();
    let (mut end, mut sum, mut best) = (0, 0.0, None::<(usize, f64)>);
    for (at, range) in ranges.iter().enumerate() {
        while let Some(next) = ranges
            .get(end)
            .filter(|next| next.end <= range.start + room)
        {
            let count = inside.entry(&words[end]).or_default();
            *count += 1;
            if *count == 1 {
                sum += worth(&words[end]);
            }
            end += usize::from(next.start < next.end);
        }
        if best.is_none_or(|(_, most)| sum > most + 1e-9) {
            best = Some((at, sum));
        }
        if end > at {
            if let Some(count) = inside.get_mut(words[at].as_str()) {
                *count -= 1;
                if *count == 0 {
                    sum -= worth(&words[at]);
                }
            }
        } else {
            // A match longer than the room stands alone.
            end = at + 1;
        }
    }
    best.map(|(at, _)| at)
}

/// Letters by which two matches are taken for the same word in another ending.
const SAME_WORD: usize = 5;

/// A stretch of a text as it is shown.
struct Shown {
    text: String,
    /// Where pieces begin: the byte in the original, the UTF-16 unit in `text`.
    places: Vec<(usize, u32)>,
    /// One past the last byte of the original that is shown.
    end: usize,
}

impl Shown {
    fn unit_at(&self, byte: usize) -> u32 {
        let at = self.places.partition_point(|(place, _)| *place < byte);
        let last = self.places.last().map_or(0, |(_, unit)| *unit);
        self.places.get(at).map_or(last, |(_, unit)| *unit)
    }
}

fn shown(text: &str, start: usize, longest: usize) -> Shown {
    let (mut out, mut places, mut units, mut count) = (String::new(), Vec::new(), 0_u32, 0);
    if start > 0 {
        (out, units, count) = ("…".to_owned(), 1, 1);
    }
    let mut at = start;
    while at < text.len() {
        if let Some(code) = escape_code(&text[at..]) {
            at += code;
            continue;
        }
        let Some(grapheme) = text[at..].graphemes(true).next() else {
            break;
        };
        let length = grapheme.chars().count();
        let is_last = at + grapheme.len() == text.len();
        // Room for the ellipsis.
        if count + length + usize::from(!is_last) > longest {
            break;
        }
        places.push((at, units));
        for c in grapheme.chars() {
            let c = if c.is_control() && c != '\n' { ' ' } else { c };
            out.push(c);
            units += c.len_utf16() as u32;
        }
        count += length;
        at += grapheme.len();
    }
    places.push((at, units));
    if at < text.len() {
        out.push('…');
    }
    Shown {
        text: out,
        places,
        end: at,
    }
}

/// How many bytes an escape code of a terminal takes at the start of `text`.
fn escape_code(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\u{1b}')?;
    let length = match rest.as_bytes().first() {
        // Colours and movements end with a letter, titles and links with a bell or a backslash.
        Some(b'[') => rest[1..]
            .find(|c: char| ('@'..='~').contains(&c))
            .map(|at| at + 2),
        Some(b']') => rest.find(['\u{7}', '\\']).map(|at| at + 1),
        _ => None,
    };
    Some(1 + length.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use memory::Filter;
    use proptest::prelude::*;

    use super::*;
    use crate::stage::route::route;
    use crate::trace::Mode;

    fn marked(text: &str, query: &str) -> Vec<String> {
        let route = route(query, Mode::Hybrid, &Filter::default());
        matches(text, &route)
            .into_iter()
            .map(|range| text[range].to_owned())
            .collect()
    }

    #[test]
    fn matches_are_marked_in_the_original() {
        for (text, query, wanted) in [
            (
                "Deploying the Gateway",
                "deploy gateway",
                vec!["Deploying", "Gateway"],
            ),
            ("Đường Nguyễn", "nguyen", vec!["Nguyễn"]),
            ("ﾊﾞｯｸｱｯﾌﾟ完了", "バックアップ", vec!["ﾊﾞｯｸｱｯﾌﾟ"]),
            ("ประชุมวันพรุ่งนี้ที่ห้องใหญ่", "พรุ่งนี้", vec!["พรุ่งนี้"]),
            ("今日は会議室の予約", "会議室", vec!["会議室"]),
            ("see getShippingMethodId", "shipping", vec!["Shipping"]),
            (
                "Gateway: getShippingMethodId",
                "gateway shipping",
                vec!["Gateway", "Shipping"],
            ),
            ("parseHTTPRequest", "http", vec!["HTTP"]),
            (
                "import os; the port is 4002, see report",
                "port",
                vec!["port"],
            ),
            (
                "import server from './server'",
                "port server",
                vec!["server", "server"],
            ),
            ("the import", "port", vec!["port"]),
            ("use C++ and C#", "C++", vec!["C", "C"]),
            (
                "mail kim@example.com now",
                "kim@example.com",
                vec!["kim@example.com"],
            ),
            ("status 🔴 red", "🔴", vec!["🔴"]),
            ("👩‍💻 pairing", "👩‍💻", vec!["👩‍💻"]),
            ("fixed in 9fceb02d0ae598", "9fceb02", vec!["9fceb02d0ae598"]),
            ("nothing here", "absent", vec![]),
        ] {
            assert_eq!(marked(text, query), wanted, "{query} in {text}");
        }
    }

    #[test]
    fn offsets_count_utf16_units() {
        let text = "🔴 red é";
        let ranges = vec![0..4, 5..8, 9..11];
        let units: Vec<(u32, u32)> = to_utf16(text, &ranges)
            .iter()
            .map(|r| (r.start, r.end))
            .collect();
        assert_eq!(units, [(0, 2), (3, 6), (7, 8)]);
    }

    #[test]
    fn snippets_show_the_match() {
        let text = format!(
            "{} the needle stands here {}",
            "hay ".repeat(200),
            "straw ".repeat(200)
        );
        let route = route("needle", Mode::Hybrid, &Filter::default());
        let cut = snippet(&text, &matches(&text, &route), 80);
        assert!(
            cut.text.chars().count() <= 80 && cut.text.starts_with('…') && cut.text.ends_with('…')
        );
        let units: Vec<u16> = cut.text.encode_utf16().collect();
        let mark = cut.highlights[0];
        assert_eq!(
            String::from_utf16(&units[mark.start as usize..mark.end as usize]).unwrap(),
            "needle"
        );
        assert_eq!(snippet("short", &[], 80).text, "short");
    }

    #[test]
    fn snippets_show_the_passage_in_which_most_of_the_words_stand() {
        let listing = "     1→import server from './server'\n".repeat(20);
        let text = format!("{listing}The server listens on port 4117.\nNothing more.");
        let route = route(
            "which port does the server listen on",
            Mode::Hybrid,
            &Filter::default(),
        );
        let cut = snippet(&text, &matches(&text, &route), 120);
        assert!(cut.text.contains("port 4117"), "{}", cut.text);
        assert!(
            cut.text.contains("4117.\nNothing"),
            "lines stay lines: {}",
            cut.text
        );
    }

    #[test]
    fn snippets_show_no_escape_codes_and_marks_stand_where_they_should() {
        let text = "\u{1b}[32m✓\u{1b}[39m basket\u{1b}[0m \u{1b}]8;;x\u{7}passes\u{1} now";
        let route = route("basket passes", Mode::Hybrid, &Filter::default());
        let cut = snippet(text, &matches(text, &route), 80);
        assert_eq!(cut.text, "✓ basket passes  now");
        let units: Vec<u16> = cut.text.encode_utf16().collect();
        let marked = |at: usize| {
            let mark = cut.highlights[at];
            String::from_utf16(&units[mark.start as usize..mark.end as usize]).unwrap()
        };
        assert_eq!((marked(0), marked(1)), ("basket".into(), "passes".into()));
    }

    proptest! {
        #[test]
        fn any_text_and_any_query_give_whole_graphemes(text in "\\PC{0,60}", query in "\\PC{0,12}", longest in 4..80_usize) {
            let route = route(&query, Mode::Hybrid, &Filter::default());
            let ranges = matches(&text, &route);
            let boundaries: HashSet<usize> =
                text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
            for range in &ranges {
                prop_assert!(boundaries.contains(&range.start) && boundaries.contains(&range.end));
            }
            let cut = snippet(&text, &ranges, longest);
            prop_assert!(cut.text.chars().count() <= longest);
            let units = cut.text.encode_utf16().count() as u32;
            prop_assert!(cut.highlights.iter().all(|mark| mark.start < mark.end && mark.end <= units));
        }
    }
}

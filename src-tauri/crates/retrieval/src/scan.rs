//! The substring scan: one pass over all folded texts for the needles that no index can answer.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memory::{MemoryId, Reader, VaultError};

use crate::constants::{B, K1};
use crate::ids::Scope;
use crate::postings::{Occurrences, Words};

/// One needle's part in a memory's score: idf · tf·(k₁ + 1) / (tf + k₁·norm).
pub fn part(idf: f64, count: f64, norm: f64) -> f64 {
    idf * count * (K1 + 1.0) / (count + K1 * norm)
}

/// 1 − b + b·length/average, lengths in bytes of folded text over all columns.
pub fn length_norm(length: f64, average: f64) -> f64 {
    1.0 - B + B * length / average
}

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Memory and score, never negative.
    pub hits: Vec<(MemoryId, f64)>,
    /// In how many memories of the scope each needle stands, in the needles' order.
    pub found: Vec<u32>,
    /// Inverse document frequency of each needle: ln(1 + (N − n + ½)/(n + ½)).
    pub idf: Vec<f64>,
    /// Mean length of a text in bytes, at least 1.
    pub average: f64,
}

/// Looks for folded needles in every living text of the scope.
///
/// Score of a memory: BM25 with the needles as terms, Σ of [`part`] over those that it holds, so
/// that a needle and a word of an index count alike. Needles that lie within words are looked for
/// in `words`, if there are any; for others every text is read.
pub(crate) fn scan(
    reader: &Reader<'_>,
    words: Option<&Words<'_>>,
    needles: &[String],
    scope: &Scope,
) -> Result<Scan, VaultError> {
    match words {
        Some(words) if needles.iter().all(|needle| Words::holds(needle)) => {
            let passes = |id| scope.lets(id);
            Ok(scored(words.occurrences(needles, &passes), needles.len()))
        }
        _ => read_all(reader, needles, scope),
    }
}

fn read_all(reader: &Reader<'_>, needles: &[String], scope: &Scope) -> Result<Scan, VaultError> {
    let Some(automaton) = automaton(needles) else {
        return Ok(Scan {
            hits: Vec::new(),
            found: vec![0; needles.len()],
            idf: vec![0.0; needles.len()],
            average: 1.0,
        });
    };
    let mut statement = reader
        .connection()
        .prepare_cached("SELECT id, content, tool_name, tool_payload FROM memory_text")?;
    let mut rows = statement.query([])?;
    let mut counts = vec![0_u32; needles.len()];
    let mut found = Occurrences::default();
    while let Some(row) = rows.next()? {
        let id = MemoryId(row.get(0)?);
        if !scope.lets(id) {
            continue;
        }
        counts.fill(0);
        let mut length = 0_u64;
        for column in 1..=3 {
            let text = row
                .get_ref(column)?
                .as_bytes()
                .map_err(|_| VaultError::Damaged)?;
            length += text.len() as u64;
            for hit in automaton.find_overlapping_iter(text) {
                counts[hit.pattern().as_usize()] += 1;
            }
        }
        found.texts += 1;
        found.bytes += length;
        let here: Vec<(usize, u32)> = counts
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, count)| count > 0)
            .collect();
        if !here.is_empty() {
            found.places.push((id, length, here));
        }
    }
    Ok(scored(found, needles.len()))
}

fn scored(occurrences: Occurrences, needles: usize) -> Scan {
    let Occurrences {
        places,
        texts,
        bytes,
    } = occurrences;
    let mut found = vec![0_u32; needles];
    for &(needle, _) in places.iter().flat_map(|(.., here)| here) {
        found[needle] += 1;
    }
    let average = (bytes as f64 / texts.max(1) as f64).max(1.0);
    let idf: Vec<f64> = found
        .iter()
        .map(|&df| (1.0 + (texts as f64 - f64::from(df) + 0.5) / (f64::from(df) + 0.5)).ln())
        .collect();
    let hits = places
        .into_iter()
        .map(|(id, length, here)| {
            let norm = length_norm(length as f64, average);
            let score = here
                .iter()
                .map(|&(needle, count)| part(idf[needle], f64::from(count), norm))
                .sum();
            (id, score)
        })
        .collect();
    Scan {
        hits,
        found,
        idf,
        average,
    }
}

fn automaton(needles: &[String]) -> Option<AhoCorasick> {
    if needles.is_empty() || needles.iter().any(String::is_empty) {
        return None;
    }
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(needles)
        .ok()
}

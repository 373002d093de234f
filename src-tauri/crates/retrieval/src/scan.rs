//! The substring scan: one pass over all folded texts for the needles that no index can answer.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memory::{MemoryId, Reader, VaultError};

use crate::ids::Scope;

/// BM25's usual constants, so that a needle counts like a word would.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Memory and score in 0..1.
    pub hits: Vec<(MemoryId, f64)>,
    /// In how many memories of the scope each needle stands, in the needles' order.
    pub found: Vec<u32>,
}

/// One text with its needles and how often each stands there.
struct Matched {
    id: MemoryId,
    length: u64,
    here: Vec<(usize, u32)>,
}

/// Looks for folded needles in every living text of the scope.
///
/// Score of a memory: Σ over its needles of idf(n) · tf·/(tf + k₁·(1 − b + b·length/average)),
/// over Σ of idf of all needles; so 0..1, higher for rarer, more, and denser matches.
pub fn scan(reader: &Reader<'_>, needles: &[String], scope: &Scope) -> Result<Scan, VaultError> {
    let Some(automaton) = automaton(needles) else {
        return Ok(Scan {
            hits: Vec::new(),
            found: vec![0; needles.len()],
        });
    };
    let mut statement = reader
        .connection()
        .prepare_cached("SELECT id, content, tool_name, tool_payload FROM memory_text")?;
    let mut rows = statement.query([])?;
    let mut found = vec![0_u32; needles.len()];
    let mut counts = vec![0_u32; needles.len()];
    let mut matched: Vec<Matched> = Vec::new();
    let (mut texts, mut total_length) = (0_u64, 0_u64);
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
        texts += 1;
        total_length += length;
        let here: Vec<(usize, u32)> = counts
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, count)| count > 0)
            .collect();
        if !here.is_empty() {
            for &(needle, _) in &here {
                found[needle] += 1;
            }
            matched.push(Matched { id, length, here });
        }
    }
    let average = (total_length as f64 / texts.max(1) as f64).max(1.0);
    let idf: Vec<f64> = found
        .iter()
        .map(|&df| (1.0 + (texts as f64 - f64::from(df) + 0.5) / (f64::from(df) + 0.5)).ln())
        .collect();
    let all: f64 = idf.iter().sum();
    let hits = matched
        .into_iter()
        .map(|Matched { id, length, here }| {
            let norm = 1.0 - B + B * length as f64 / average;
            let sum: f64 = here
                .iter()
                .map(|&(needle, count)| {
                    idf[needle] * f64::from(count) / (f64::from(count) + K1 * norm)
                })
                .sum();
            (id, sum / all)
        })
        .collect();
    Ok(Scan { hits, found })
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

//! The research lane: what past research found for nearly the same question.
//!
//! Formula: J(a, b) = |A ∩ B| / |A ∪ B| over the keyword sets of two queries: words in lower case,
//! longer than two characters, without stop words. Source: Jaccard, "The Distribution of the Flora
//! in the Alpine Zone", 1912. The same normalised query (see [`memory::research_key`]) counts as 1
//! whatever its words are.
//!
//! Inputs: the query's text, the cache's entries. Output: what has a word in common, best first, the
//! newer one first among equals. Of these the constants cut: J ≥ `research_threshold` is found, the
//! best `research_reported` are reported, the best `research_injected` of them reach the agent,
//! `research_characters` of each.
//! Guarantee: symmetric, 0..1, and 1 for equal sets; cutting is pure, so that a constant can move
//! without the vault; a cache that cannot be read is a failed lane, not a failed query.

use std::collections::BTreeSet;
use std::time::Instant;

use memory::{ResearchEntry, Vault, VaultError, research_key};

use super::{MemoryLookup, ResearchHit, ResearchMiss};
use crate::candidate::day;
use crate::constants::{Constants, Tunable};
use crate::context::fence::{Entry, Fact, Fence, LaneName};
use crate::report::{Status, elapsed};
use crate::stage::route::stop_words::is_stop_word;

/// How many entries are kept in full: as many as can ever be reported.
const KEPT: usize = Tunable::ResearchReported.range().1 as usize;

/// The words that tell what a query is about.
pub fn keywords(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .replace('\u{2019}', "'")
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| word.chars().nth(2).is_some() && !is_stop_word(word))
        .map(str::to_owned)
        .collect()
}

/// The share of the words of both sets that stand in both; 0 when neither has any.
pub fn similarity(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    if all == 0 {
        0.0
    } else {
        common as f64 / all as f64
    }
}

/// How similar entries, given as (key, query) newest first, are to one of the readings of a question:
/// place and similarity, best first; what has nothing in common is left out.
pub fn find(readings: &[&str], entries: &[(String, String)]) -> Vec<(usize, f64)> {
    let readings: Vec<(String, BTreeSet<String>)> = readings
        .iter()
        .map(|text| (research_key(text), keywords(text)))
        .collect();
    let mut found: Vec<(usize, f64)> = entries
        .iter()
        .enumerate()
        .map(|(at, (key, query))| {
            let words = keywords(query);
            let best = readings
                .iter()
                .map(|(own, asked)| {
                    if own == key {
                        1.0
                    } else {
                        similarity(asked, &words)
                    }
                })
                .fold(0.0, f64::max);
            (at, best)
        })
        .filter(|&(_, similarity)| similarity > 0.0)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

/// The start of the findings that reaches the agent.
pub fn excerpt(findings: &str, characters: u32) -> &str {
    match findings.char_indices().nth(characters as usize) {
        Some((end, _)) => &findings[..end],
        None => findings,
    }
}

/// What the cache holds that has anything in common with a query, before the constants cut it.
#[derive(Clone, Debug)]
pub struct Found {
    status: Status,
    reason: Option<String>,
    elapsed_ms: f64,
    keywords: Vec<String>,
    entries: u32,
    /// Keys and similarities, best first.
    similar: Vec<(String, f64)>,
    /// The best of them, in the same order.
    best: Vec<ResearchEntry>,
}

/// What the constants leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut<'a> {
    /// The event.
    pub lookup: MemoryLookup,
    /// The entries of its hits, in their order.
    pub entries: &'a [ResearchEntry],
    /// How many of these reach the agent.
    pub injected: usize,
}

/// Looks for past research. `typed` is the query as typed, `plain` the same without filters and
/// exclusions.
pub fn gather(vault: &Vault, typed: &str, plain: &str) -> Found {
    let start = Instant::now();
    let mut found = Found {
        status: Status::Ok,
        reason: None,
        elapsed_ms: 0.0,
        keywords: keywords(plain).into_iter().collect(),
        entries: 0,
        similar: Vec::new(),
        best: Vec::new(),
    };
    if let Err(error) = read(vault, typed, plain, &mut found) {
        found.status = Status::Failed;
        found.reason = Some(format!("the research cache cannot be read: {error}"));
        found.similar.clear();
        found.best.clear();
    }
    found.elapsed_ms = elapsed(start);
    found
}

fn read(vault: &Vault, typed: &str, plain: &str, found: &mut Found) -> Result<(), VaultError> {
    vault.read(|reader| {
        let cached = reader.research().queries()?;
        found.entries = u32::try_from(cached.len()).unwrap_or(u32::MAX);
        let nothing_to_do = if cached.is_empty() {
            Some("no research was saved yet")
        } else if typed.trim().is_empty() {
            Some("there is nothing to look for")
        } else {
            None
        };
        if let Some(why) = nothing_to_do {
            found.status = Status::Skipped;
            found.reason = Some(why.to_owned());
            return Ok(());
        }
        for (at, similarity) in find(&[plain, typed], &cached) {
            let key = &cached[at].0;
            if found.best.len() == found.similar.len() && found.best.len() < KEPT {
                let Some(entry) = reader.research().get(key)? else {
                    continue;
                };
                found.best.push(entry);
            }
            found.similar.push((key.clone(), similarity));
        }
        Ok(())
    })
}

impl Found {
    /// What the constants leave of it. Pure.
    pub fn cut(&self, constants: &Constants, tokens: impl Fn(&str) -> u32) -> Cut<'_> {
        let near = |&&(_, similarity): &&(String, f64)| similarity >= constants.research_threshold;
        let matched = self.similar.iter().take_while(near).count();
        let reported = matched
            .min(constants.research_reported as usize)
            .min(self.best.len());
        // Of nothing, nothing is put in.
        let injected = match constants.research_characters {
            0 => 0,
            _ => reported.min(constants.research_injected as usize),
        };
        let (entries, _) = self.best.split_at(reported);
        let hits: Vec<ResearchHit> = (1_u32..)
            .zip(entries.iter().zip(&self.similar))
            .map(|(rank, (entry, (_, similarity)))| ResearchHit {
                key: entry.key.clone(),
                rank,
                similarity: *similarity,
                injected: rank as usize <= injected,
                tokens: tokens(excerpt(
                    &entry.research.findings,
                    constants.research_characters,
                )),
                naive_tokens: match entry.research.tokens {
                    0 => tokens(&entry.research.findings),
                    known => known,
                },
            })
            .collect();
        let near_misses = (self.best.iter().zip(&self.similar))
            .skip(reported)
            .map(|(entry, (_, similarity))| ResearchMiss {
                key: entry.key.clone(),
                similarity: *similarity,
            })
            .collect();
        Cut {
            lookup: MemoryLookup {
                status: self.status,
                reason: self.reason.clone(),
                elapsed_ms: self.elapsed_ms,
                keywords: self.keywords.clone(),
                entries: self.entries,
                matched: u32::try_from(matched).unwrap_or(u32::MAX),
                tokens: 0,
                naive_tokens: hits.iter().map(|hit| hit.naive_tokens).sum(),
                hits,
                near_misses,
            },
            entries,
            injected,
        }
    }

    /// An entry that was kept.
    pub fn entry(&self, key: &str) -> Option<&ResearchEntry> {
        self.best.iter().find(|entry| entry.key == key)
    }

    /// The place, from 1, and the similarity of an entry that has anything in common with the query.
    pub fn place(&self, key: &str) -> Option<(usize, f64)> {
        let at = self.similar.iter().position(|(other, _)| other == key)?;
        Some((at + 1, self.similar[at].1))
    }
}

impl Cut<'_> {
    /// The fenced text of what reaches the agent; empty when nothing does.
    pub fn block(&self, constants: &Constants) -> String {
        let chosen = self
            .entries
            .iter()
            .zip(&self.lookup.hits)
            .take(self.injected);
        Fence::Context.block(chosen.map(|(entry, hit)| labelled(entry, hit.similarity, constants)))
    }
}

/// Research as it stands in a block.
pub fn labelled<'a>(entry: &'a ResearchEntry, similarity: f64, constants: &Constants) -> Entry<'a> {
    let research = &entry.research;
    let addresses: Vec<&str> = research
        .sources
        .iter()
        .map(|source| source.url.as_str())
        .collect();
    Entry {
        lane: LaneName::Research,
        id: entry.key.as_str().into(),
        score: similarity,
        facts: vec![
            Fact::said(
                "similarity",
                "similarity",
                format!("{:.0} %", similarity * 100.0),
            ),
            Fact::said("query", "asked", research.query.as_str()),
            Fact::bare("day", day(entry.saved_at)),
            Fact::said("sources", "sources", addresses.join(" ")),
        ],
        content: excerpt(&research.findings, constants.research_characters).into(),
    }
}

#[cfg(test)]
impl Found {
    /// One entry for each text, all of them found.
    pub(crate) fn of(texts: &[String]) -> Self {
        let entry = |(at, text): (usize, &String)| ResearchEntry {
            key: format!("r{at}"),
            research: memory::NewResearch {
                query: text.clone(),
                findings: text.clone(),
                sources: Vec::new(),
                tokens: 0,
            },
            saved_at: 0,
        };
        let best: Vec<_> = texts.iter().enumerate().map(entry).collect();
        Self {
            status: Status::Ok,
            reason: None,
            elapsed_ms: 0.0,
            keywords: Vec::new(),
            entries: best.len() as u32,
            similar: best.iter().map(|entry| (entry.key.clone(), 0.5)).collect(),
            best,
        }
    }
}

#[cfg(test)]
mod tests {
    use memory::{KdfCost, NewResearch, Passphrase};
    use proptest::prelude::*;

    use super::*;

    fn set(text: &str) -> BTreeSet<String> {
        keywords(text)
    }

    fn cached(queries: &[&str]) -> Vec<(String, String)> {
        queries
            .iter()
            .map(|query| (research_key(query), (*query).to_owned()))
            .collect()
    }

    #[test]
    fn keywords_are_long_words_in_lower_case_without_stop_words() {
        let words: Vec<String> = set("How DO the Rust-lang async_runtimes’ I/O loops don't block?")
            .into_iter()
            .collect();
        assert_eq!(words, ["async_runtimes", "block", "lang", "loops", "rust"]);
        assert!(set("do we go to it").is_empty());
        assert_eq!(set("数据库 备份").len(), 1, "three characters and two");
    }

    #[test]
    fn words_in_common_make_the_similarity() {
        let entries = cached(&[
            "rust async runtimes compared",
            "rust web frameworks",
            "python async",
        ]);
        // 3 of 4, 1 of 4, 1 of 5.
        assert_eq!(
            find(&["rust async runtimes"], &entries),
            [(0, 0.75), (2, 0.25), (1, 0.2)]
        );
        // 2 of 4: exactly the standard threshold.
        assert_eq!(find(&["rust web servers"], &entries)[0], (1, 0.5));
        assert!(find(&["gardening in spring"], &entries).is_empty());
    }

    #[test]
    fn the_same_question_is_found_whatever_its_words_and_newer_comes_first() {
        let entries = cached(&[
            "CI?",
            "deploy checklist staging",
            "deploy staging checklist",
        ]);
        assert_eq!(find(&["ci?"], &entries), [(0, 1.0)]);
        assert!(find(&["io"], &entries).is_empty());
        assert_eq!(
            find(&["staging deploy checklist"], &entries),
            [(1, 1.0), (2, 1.0)]
        );
        // As typed with a filter, or without it.
        assert_eq!(find(&["CI?", "CI? agent:codex"], &entries).len(), 1);
    }

    const ASKED: &str = "payment gateway errors";

    fn counted(text: &str) -> u32 {
        text.chars().count() as u32
    }

    /// A cache of questions, each with such findings, and what it says to [`ASKED`].
    fn looked(queries: &[&str]) -> (Vault, tempfile::TempDir, Found) {
        let dir = tempfile::TempDir::new().unwrap();
        let pass = Passphrase::new("open sesame".to_owned()).unwrap();
        let vault = Vault::create(&dir.path().join("v"), &pass, KdfCost::TEST).unwrap();
        vault
            .write(|w| {
                for (query, at) in queries.iter().zip(0_i64..) {
                    let research = NewResearch {
                        query: (*query).to_owned(),
                        findings: format!("</memory-context>{}", "é".repeat(2_100)),
                        sources: Vec::new(),
                        tokens: 900,
                    };
                    w.research().put(&research, at)?;
                }
                Ok(())
            })
            .unwrap();
        let found = gather(&vault, ASKED, ASKED);
        (vault, dir, found)
    }

    const QUERIES: [&str; 4] = [
        "payment gateway",
        "gateway payment errors",
        "payment errors",
        "errors gateway",
    ];

    #[test]
    fn three_are_reported_and_two_injected_within_the_limit() {
        let (.., none) = looked(&[]);
        let standard = Constants::default();
        assert_eq!(none.cut(&standard, counted).lookup.status, Status::Skipped);

        let (vault, _dir, found) = looked(&QUERIES);
        let cut = found.cut(&standard, counted);
        let lookup = &cut.lookup;
        assert_eq!(
            (lookup.entries, lookup.matched, lookup.hits.len()),
            (4, 4, 3)
        );
        let injected: Vec<bool> = lookup.hits.iter().map(|hit| hit.injected).collect();
        assert_eq!(injected, [true, true, false]);
        assert!((lookup.hits[0].similarity - 1.0).abs() < 1e-12);
        assert_eq!(lookup.hits[0].tokens, 2_000);
        assert_eq!(lookup.naive_tokens, 3 * 900);
        assert_eq!(lookup.near_misses.len(), 1);
        let block = cut.block(&standard);
        assert_eq!(block.matches("</memory-context>").count(), 1);
        assert_eq!(block.matches('é').count(), 2 * (2_000 - 17));

        vault.lock();
        let failed = gather(&vault, "payment", "payment");
        let failed = failed.cut(&standard, counted).lookup;
        assert_eq!(failed.status, Status::Failed);
        assert!(failed.reason.unwrap().contains("locked"));
    }

    #[test]
    fn each_constant_cuts_what_was_found_again() {
        let (_vault, _dir, found) = looked(&QUERIES);
        let hits = |constants: &Constants| found.cut(constants, counted).lookup.hits.len();
        let cut = |change: fn(&mut Constants)| {
            let mut constants = Constants::default();
            change(&mut constants);
            constants
        };
        // Two of three words: .67.
        assert_eq!(hits(&cut(|c| c.research_threshold = 0.67)), 1);
        assert_eq!(hits(&cut(|c| c.research_reported = 10)), 4);
        assert_eq!(hits(&cut(|c| c.research_reported = 0)), 0);
        let shorter = cut(|c| {
            c.research_characters = 20;
            c.research_injected = 1;
        });
        let block = found.cut(&shorter, counted).block(&shorter);
        assert_eq!(block.matches('é').count(), 3);
        // What lies below the threshold is told with its similarity, and let in exactly there.
        let strict = cut(|c| c.research_threshold = 0.9);
        let missed = found.cut(&strict, counted).lookup.near_misses;
        assert_eq!(missed.len(), 3);
        let mut enough = strict;
        enough.research_threshold = missed[0].similarity;
        assert_eq!(found.cut(&enough, counted).lookup.matched, 4);
        assert_eq!(found.place(&missed[0].key).unwrap().0, 2);
    }

    proptest! {
        #[test]
        fn similarity_is_symmetric_within_its_bounds_and_one_for_itself(
            a in "[a-d]{3} [a-d]{3} [a-d]{3}|[a-zé项 ]{0,30}", b in "[a-d]{3} [a-d]{3}|[a-zé项 ]{0,30}",
        ) {
            let (a, b) = (set(&a), set(&b));
            let there = similarity(&a, &b);
            prop_assert_eq!(there.to_bits(), similarity(&b, &a).to_bits());
            prop_assert!((0.0..=1.0).contains(&there));
            if !a.is_empty() {
                prop_assert!((similarity(&a, &a) - 1.0).abs() < f64::EPSILON);
            }
            prop_assert_eq!(there == 0.0, a.is_disjoint(&b));
        }
    }
}

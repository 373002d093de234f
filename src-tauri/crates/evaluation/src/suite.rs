//! Judged queries as a measure, and expected memories as a test.
//!
//! A judged query has grades for some memories. What the list holds and nobody judged is unknown,
//! not irrelevant: every score comes as the pair of what it is when none of that is relevant and
//! what it would be when all of it were ([`Measured`]). For success and MRR these two bound the
//! truth. For recall and nDCG the upper one grades the unjudged like the best judged memory; for
//! nDCG the ideal list stays that of the judged, so that it never falls below the lower one.

use serde::{Deserialize, Serialize};

use crate::metrics::{self, Judgements, Scores};

/// How deep judgements are asked for.
const DEPTH: usize = 10;

/// The documented shape of a suite.
const SHAPE: &str = r#"{"queries":[{"query","mode"?,"expect":[id or {"contains": text}],"top"}]}"#;

/// What one ranked list is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// When nothing unjudged is relevant: the trec_eval convention.
    pub lower: Scores,
    /// When everything unjudged is relevant.
    pub upper: Scores,
    /// Share of the first ten that somebody judged, 0..1; 1 for an empty list.
    pub judged_10: f64,
}

/// Measures a list, best first; `None` when no judged memory is relevant.
pub fn measure(ranked: &[String], judged: &Judgements) -> Option<Measured> {
    let lower = metrics::score(ranked, judged)?;
    let unjudged: Vec<&String> = ranked
        .iter()
        .take(DEPTH)
        .filter(|name| !judged.contains_key(*name))
        .collect();
    let shown = ranked.len().min(DEPTH);
    let judged_10 = if shown == 0 {
        1.0
    } else {
        1.0 - unjudged.len() as f64 / shown as f64
    };
    let mut hopeful = judged.clone();
    let best = judged.values().copied().max().unwrap_or(1);
    for name in unjudged {
        hopeful.insert(name.clone(), best);
    }
    let mut upper = metrics::score(ranked, &hopeful)?;
    upper.ndcg_10 =
        (metrics::dcg(ranked, &hopeful, DEPTH) / metrics::ideal(judged, DEPTH)).min(1.0);
    Some(Measured {
        lower,
        upper,
        judged_10,
    })
}

/// The mean over queries.
pub fn overall(all: &[Measured]) -> Measured {
    let part = |of: fn(&Measured) -> Scores| metrics::mean(&all.iter().map(of).collect::<Vec<_>>());
    let count = all.len().max(1) as f64;
    Measured {
        lower: part(|one| one.lower),
        upper: part(|one| one.upper),
        judged_10: all.iter().map(|one| one.judged_10).sum::<f64>() / count,
    }
}

/// A file of queries and what must be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The cases.
    pub queries: Vec<Case>,
}

/// One query and what must be among its first results.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The query.
    pub query: String,
    /// `hybrid`, `lexical`, `semantic` or `auto`; hybrid when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// All of these must be there.
    pub expect: Vec<Expected>,
    /// Within how many of the first, 1–100.
    pub top: u32,
}

/// Leaves the texts out: what people ask is as private as what they remember.
impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case")
            .field("expect", &self.expect.len())
            .field("top", &self.top)
            .finish_non_exhaustive()
    }
}

/// A memory that must be found.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// By id, as `m42`.
    Id(String),
    /// By what it contains, letter case ignored.
    Text {
        /// The text.
        contains: String,
    },
}

/// One expectation and where it was met.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Met {
    /// The id, or the text.
    pub expect: String,
    /// Its place, from 1; `None` when the results do not hold it.
    pub rank: Option<u32>,
    /// Whether that is within the first `top`.
    pub passed: bool,
}

/// How a case went.
#[derive(Clone, PartialEq, Serialize)]
pub struct CaseOutcome {
    /// The query.
    pub query: String,
    /// Within how many.
    pub top: u32,
    /// Whether everything expected was there.
    pub passed: bool,
    /// One by one.
    pub expected: Vec<Met>,
    /// Wall time in milliseconds.
    pub elapsed_ms: f64,
}

/// How a suite went.
#[derive(Clone, PartialEq, Serialize)]
pub struct SuiteOutcome {
    /// Whether every case passed.
    pub passed: bool,
    /// Cases that did not.
    pub failures: u32,
    /// One by one.
    pub cases: Vec<CaseOutcome>,
}

/// Why a suite cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}")]
pub struct SuiteError {
    /// Where, for example `line 3, column 7` or `query 2`.
    pub place: String,
    /// What should have been there; never the text itself.
    pub expected: &'static str,
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// When it is not JSON of this shape, or has a case without a query, an expectation or a
    /// sensible `top`.
    pub fn parse(json: &str) -> Result<Self, SuiteError> {
        let suite: Self = serde_json::from_str(json).map_err(|error| SuiteError {
            place: format!("line {}, column {}", error.line(), error.column()),
            expected: match error.classify() {
                serde_json::error::Category::Data => SHAPE,
                serde_json::error::Category::Eof => "the rest of the JSON text",
                _ => "JSON",
            },
        })?;
        if suite.queries.is_empty() {
            return Err(SuiteError {
                place: "queries".to_owned(),
                expected: "at least one",
            });
        }
        for (case, number) in suite.queries.iter().zip(1..) {
            let blank = |expected: &Expected| match expected {
                Expected::Id(text) | Expected::Text { contains: text } => text.trim().is_empty(),
            };
            let fault = if case.query.trim().is_empty() {
                "a query with text"
            } else if case.expect.is_empty() || case.expect.iter().any(blank) {
                "ids or texts that must be found"
            } else if !(1..=100).contains(&case.top) {
                "top between 1 and 100"
            } else {
                continue;
            };
            return Err(SuiteError {
                place: format!("query {number}"),
                expected: fault,
            });
        }
        Ok(suite)
    }
}

impl Case {
    /// Looks for what is expected in the results: id and text, best first.
    pub fn check(&self, results: &[(String, String)], elapsed_ms: f64) -> CaseOutcome {
        let folded: Vec<String> = results.iter().map(|(_, text)| memory::fold(text)).collect();
        let expected: Vec<Met> = self
            .expect
            .iter()
            .map(|expected| {
                let (expect, place) = match expected {
                    Expected::Id(id) => (
                        id.clone(),
                        results.iter().position(|(found, _)| found == id.trim()),
                    ),
                    Expected::Text { contains } => {
                        let needle = memory::fold(contains);
                        let holds = |text: &String| text.contains(&needle);
                        (contains.clone(), folded.iter().position(holds))
                    }
                };
                let rank = place.and_then(|at| u32::try_from(at + 1).ok());
                Met {
                    expect,
                    rank,
                    passed: rank.is_some_and(|rank| rank <= self.top),
                }
            })
            .collect();
        CaseOutcome {
            query: self.query.clone(),
            top: self.top,
            passed: expected.iter().all(|met| met.passed),
            expected,
            elapsed_ms,
        }
    }
}

impl SuiteOutcome {
    /// Sums up.
    pub fn of(cases: Vec<CaseOutcome>) -> Self {
        let failures = cases.iter().filter(|case| !case.passed).count();
        Self {
            passed: failures == 0,
            failures: u32::try_from(failures).unwrap_or(u32::MAX),
            cases,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(ids: &[u8]) -> Vec<String> {
        ids.iter().map(|id| format!("d{id}")).collect()
    }

    #[test]
    fn a_list_that_nobody_judged_may_be_all_wrong_or_all_right() {
        let judged = Judgements::from([("d9".into(), 2)]);
        let measured = measure(&names(&[1, 2, 3]), &judged).unwrap();
        assert_eq!(measured.judged_10, 0.0);
        assert_eq!((measured.lower.mrr_10, measured.upper.mrr_10), (0.0, 1.0));
        assert_eq!(measured.upper.ndcg_10, 1.0);
        assert!((measured.upper.recall_10 - 0.75).abs() < 1e-12);
        assert_eq!(measure(&[], &judged).unwrap().judged_10, 1.0);
        assert_eq!(
            measure(&names(&[1]), &Judgements::from([("d1".into(), 0)])),
            None
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// Whatever the unjudged turn out to be, success and MRR stay within the bounds, and no
        /// upper score is below its lower one.
        #[test]
        fn the_bounds_hold(
            order in Just((0..25u8).collect::<Vec<_>>()).prop_shuffle(),
            length in 0usize..25,
            grades in proptest::collection::btree_map(0..25u8, 0..4i32, 1..12),
            truth in proptest::collection::vec(0..4i32, 25),
        ) {
            let ranked = names(&order[..length]);
            let judged: Judgements = grades.iter().map(|(id, g)| (format!("d{id}"), *g)).collect();
            let Some(measured) = measure(&ranked, &judged) else {
                prop_assert!(judged.values().all(|grade| *grade == 0));
                return Ok(());
            };
            let shown = ranked.iter().take(10);
            let known = shown.clone().filter(|name| judged.contains_key(*name)).count();
            let share = if ranked.is_empty() { 1.0 } else { known as f64 / shown.count() as f64 };
            prop_assert!((measured.judged_10 - share).abs() < 1e-12);
            let mut complete = judged.clone();
            for id in 0..25u8 {
                complete.entry(format!("d{id}")).or_insert(truth[id as usize]);
            }
            let real = metrics::score(&ranked, &complete).unwrap();
            let (low, high) = (measured.lower, measured.upper);
            prop_assert!(low.success_5 <= real.success_5 && real.success_5 <= high.success_5);
            prop_assert!(low.mrr_10 <= real.mrr_10 + 1e-12 && real.mrr_10 <= high.mrr_10 + 1e-12);
            for (low, high) in [(low.ndcg_10, high.ndcg_10), (low.recall_10, high.recall_10)] {
                prop_assert!(low <= high + 1e-12 && high <= 1.0);
            }
        }
    }

    const SUITE: &str =
        r#"{"queries":[{"query":"who?","expect":["m2",{"contains":"Straße"}],"top":2}]}"#;

    #[test]
    fn a_case_passes_when_everything_expected_is_high_enough() {
        let suite = Suite::parse(SUITE).unwrap();
        let found = |list: &[(&str, &str)]| {
            let results: Vec<_> = list
                .iter()
                .map(|(id, text)| ((*id).to_owned(), (*text).to_owned()))
                .collect();
            suite.queries[0].check(&results, 1.0)
        };
        let good = found(&[("m2", "x"), ("m7", "in der STRASSE")]);
        assert!(good.passed);
        assert_eq!(good.expected[1].rank, Some(2));
        let late = found(&[("m2", "x"), ("m3", "y"), ("m7", "strasse")]);
        assert!(!late.passed && late.expected[0].passed);
        assert_eq!(late.expected[1].rank, Some(3));
        let outcome = SuiteOutcome::of(vec![good, late, found(&[])]);
        assert_eq!((outcome.passed, outcome.failures), (false, 2));
    }

    #[test]
    fn a_suite_that_tests_nothing_is_refused() {
        for (json, place, expected) in [
            (r#"{"queries":[]}"#, "queries", "at least one"),
            (
                r#"{"queries":[{"query":" ","expect":["m1"],"top":1}]}"#,
                "query 1",
                "a query with text",
            ),
            (
                r#"{"queries":[{"query":"q","expect":[],"top":1}]}"#,
                "query 1",
                "ids or texts that must be found",
            ),
            (
                r#"{"queries":[{"query":"q","expect":["m1"],"top":0}]}"#,
                "query 1",
                "top between 1 and 100",
            ),
            (
                r#"{"queries":"#,
                "line 1, column 11",
                "the rest of the JSON text",
            ),
            (
                r#"{"queries":[{"query":"q","expect":["m1"],"top":1,"topp":2}]}"#,
                "line 1, column 55",
                SHAPE,
            ),
        ] {
            let error = Suite::parse(json).unwrap_err();
            assert_eq!((error.place.as_str(), error.expected), (place, expected));
        }
    }
}

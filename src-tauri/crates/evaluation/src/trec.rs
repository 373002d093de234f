//! The plain-text forms that other evaluation programs read: qrels and runs.
//!
//! Qrels: `query 0 document grade`, one judgement a line. Runs: `query Q0 document rank score tag`.
//! Topics: `query<TAB>text`, one query a line. Fields of qrels and runs are parted by white space
//! and hold none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// One judgement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Qrel {
    /// Name of the query.
    pub query: String,
    /// Name of the document.
    pub document: String,
    /// Its grade.
    pub grade: i32,
}

/// One line of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLine {
    /// Name of the query.
    pub query: String,
    /// Name of the document.
    pub document: String,
    /// From 1.
    pub rank: u32,
    /// Higher is better.
    pub score: f64,
    /// Name of the run.
    pub tag: String,
}

/// A line is not what the form asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}")]
pub struct TrecError {
    /// From 1.
    pub line: usize,
    /// What should have been there; never the line itself.
    pub expected: &'static str,
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // A byte order mark belongs to the file, not to the first query's name.
    text.trim_start_matches('\u{feff}')
        .lines()
        .zip(1..)
        .map(|(line, number)| (number, line.trim_end_matches('\r')))
        .filter(|(_, line)| !line.trim().is_empty())
}

/// Reads qrels.
///
/// # Errors
/// Names the first line that has not four fields, no whole number as grade, or judges again what
/// was judged before.
pub fn parse_qrels(text: &str) -> Result<Vec<Qrel>, TrecError> {
    let mut seen = BTreeSet::new();
    lines(text)
        .map(|(line, content)| {
            let fault = |expected| TrecError { line, expected };
            let fields: Vec<&str> = content.split_whitespace().collect();
            let [query, _, document, grade] = fields[..] else {
                return Err(fault("four fields: query 0 document grade"));
            };
            let grade = grade
                .parse()
                .map_err(|_| fault("a whole number as grade"))?;
            if !seen.insert((query, document)) {
                return Err(fault("every document to be judged once per query"));
            }
            Ok(Qrel {
                query: query.to_owned(),
                document: document.to_owned(),
                grade,
            })
        })
        .collect()
}

/// Writes qrels.
pub fn format_qrels(qrels: &[Qrel]) -> String {
    let mut text = String::new();
    for qrel in qrels {
        let _ = writeln!(text, "{} 0 {} {}", qrel.query, qrel.document, qrel.grade);
    }
    text
}

/// Reads a run.
///
/// # Errors
/// Names the first line that has not six fields, or no numbers as rank and score.
pub fn parse_run(text: &str) -> Result<Vec<RunLine>, TrecError> {
    lines(text)
        .map(|(line, content)| {
            let fault = |expected| TrecError { line, expected };
            let fields: Vec<&str> = content.split_whitespace().collect();
            let [query, _, document, rank, score, tag] = fields[..] else {
                return Err(fault("six fields: query Q0 document rank score tag"));
            };
            let rank = rank.parse().map_err(|_| fault("a number as rank"))?;
            let score: f64 = score.parse().map_err(|_| fault("a number as score"))?;
            if score.is_nan() {
                return Err(fault("a number as score"));
            }
            Ok(RunLine {
                query: query.to_owned(),
                document: document.to_owned(),
                rank,
                score,
                tag: tag.to_owned(),
            })
        })
        .collect()
}

/// Writes a run. Programs that read it sort by score, so scores must fall with the rank.
pub fn format_run(run: &[RunLine]) -> String {
    let mut text = String::new();
    for line in run {
        let RunLine {
            query,
            document,
            rank,
            score,
            tag,
        } = line;
        let _ = writeln!(text, "{query} Q0 {document} {rank} {score} {tag}");
    }
    text
}

/// Reads topics; a name given twice keeps its last text.
///
/// # Errors
/// Names the first line without a tab, or with nothing on one side of it.
pub fn parse_topics(text: &str) -> Result<BTreeMap<String, String>, TrecError> {
    lines(text)
        .map(|(line, content)| {
            let expected = "a query's name, a tab, and its text";
            let (name, text) = content
                .split_once('\t')
                .ok_or(TrecError { line, expected })?;
            let (name, text) = (name.trim(), text.trim());
            if name.is_empty() || text.is_empty() {
                return Err(TrecError { line, expected });
            }
            Ok((name.to_owned(), text.to_owned()))
        })
        .collect()
}

/// Writes topics. Line breaks and tabs within a query become blanks.
pub fn format_topics<'a>(topics: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (name, query) in topics {
        let query: Vec<&str> = query.split(['\n', '\r', '\t']).collect();
        let _ = writeln!(text, "{name}\t{}", query.join(" ").trim());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn faults_are_named_by_line() {
        let at = |result: Result<Vec<Qrel>, TrecError>| result.unwrap_err().line;
        assert_eq!(at(parse_qrels("q1 0 m1 1\n\nq1 0 m2\n")), 3);
        assert_eq!(at(parse_qrels("q1 0 m1 high\n")), 1);
        assert_eq!(at(parse_qrels("q1 0 m1 1\nq1 0 m1 2\n")), 2);
        assert_eq!(parse_run("q1 Q0 m1 1 NaN t").unwrap_err().line, 1);
        assert_eq!(parse_topics("q1 no tab").unwrap_err().line, 1);
        assert_eq!(
            parse_qrels("\u{feff}q1\t0\tm1\t-1\r\n").unwrap()[0].query,
            "q1"
        );
    }

    proptest! {
        /// What is written is read back unchanged.
        #[test]
        fn round_trips(
            rows in proptest::collection::btree_map(("[!-~]{1,8}", "[!-~]{1,8}"), -1..4i32, 0..20),
            scores in proptest::collection::vec(-1e6..1e6f64, 0..20),
            topics in proptest::collection::btree_map("q[0-9]{1,4}", "[!-~][ -~é大]{0,20}[!-~]", 0..9),
        ) {
            let qrels: Vec<Qrel> = rows
                .iter()
                .map(|((query, document), grade)| Qrel {
                    query: query.clone(),
                    document: document.clone(),
                    grade: *grade,
                })
                .collect();
            prop_assert_eq!(&parse_qrels(&format_qrels(&qrels)).unwrap(), &qrels);
            let run: Vec<RunLine> = scores
                .iter()
                .zip(1..)
                .map(|(score, rank)| RunLine {
                    query: "q1".into(),
                    document: format!("m{rank}"),
                    rank,
                    score: *score,
                    tag: "t".into(),
                })
                .collect();
            prop_assert_eq!(&parse_run(&format_run(&run)).unwrap(), &run);
            let text = format_topics(topics.iter().map(|(name, text)| (name.as_str(), text.as_str())));
            prop_assert_eq!(&parse_topics(&text).unwrap(), &topics);
        }
    }
}

//! A suite's outcome as JUnit XML, for CI servers.

use std::fmt::Write as _;

use crate::suite::SuiteOutcome;

/// The report: one test case per query, a failure where something expected was not found.
pub fn report(name: &str, outcome: &SuiteOutcome) -> String {
    let seconds: f64 = outcome
        .cases
        .iter()
        .map(|case| case.elapsed_ms)
        .sum::<f64>()
        / 1000.0;
    let name = escape(name);
    let counts = format!(
        "name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{seconds:.3}\"",
        outcome.cases.len(),
        outcome.failures
    );
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite {counts}>\n"
    );
    for case in &outcome.cases {
        // Writing into a string cannot fail.
        let _ = write!(
            xml,
            "    <testcase classname=\"{name}\" name=\"{}\" time=\"{:.3}\"",
            escape(&case.query),
            case.elapsed_ms / 1000.0
        );
        if case.passed {
            xml.push_str("/>\n");
            continue;
        }
        let missing: Vec<String> = case
            .expected
            .iter()
            .filter(|met| !met.passed)
            .map(|met| match met.rank {
                Some(rank) => format!("{} is at {rank}, not in the first {}", met.expect, case.top),
                None => format!("{} is not among the results", met.expect),
            })
            .collect();
        let _ = writeln!(
            xml,
            ">\n      <failure type=\"missed\" message=\"{}\"/>\n    </testcase>",
            escape(&missing.join("; "))
        );
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Text as an attribute's value. Characters that XML 1.0 cannot hold at all become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{CaseOutcome, Met};

    #[test]
    fn failures_are_named_and_nothing_breaks_the_xml() {
        let case = |query: &str, rank: Option<u32>| CaseOutcome {
            query: query.to_owned(),
            top: 3,
            passed: rank.is_some_and(|rank| rank <= 3),
            expected: vec![Met {
                expect: "m4".to_owned(),
                rank,
                passed: rank.is_some_and(|rank| rank <= 3),
            }],
            elapsed_ms: 12.0,
        };
        let outcome = SuiteOutcome::of(vec![
            case("fine", Some(1)),
            case("<a> & \"b\"\u{1b}\n", Some(7)),
            case("gone", None),
        ]);
        let xml = report("demo", &outcome);
        assert!(xml.contains("tests=\"3\" failures=\"2\" errors=\"0\" time=\"0.036\""));
        assert!(xml.contains("name=\"&lt;a&gt; &amp; &quot;b&quot;\u{fffd}&#10;\""));
        assert!(xml.contains("m4 is at 7, not in the first 3"));
        assert!(xml.contains("m4 is not among the results"));
        assert_eq!(xml.matches("<failure").count(), 2);
        assert_eq!(xml.matches("<testcase").count(), 3);
    }
}

//! Regression suites: queries and what they must find.

use std::time::{Duration, Instant};

use evaluation::suite::{Suite, SuiteOutcome};
use memory::Filter;
use retrieval::trace::Mode;
use retrieval::{CancelFlag, Query};

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::SuiteRequest;
use crate::session::DEPTH;
use crate::view::{CaseView, ExpectationView, SuiteView};
use crate::{convert, tuning};

/// How long the reranker may read for one query.
const READING: Duration = Duration::from_secs(30);

impl Inspector {
    /// Runs a regression suite against the open vault, and says how each query went.
    pub fn check_suite(
        &self,
        request: &SuiteRequest,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<SuiteOutcome, EdgeError> {
        tuning::check(&request.constants)?;
        let suite = Suite::parse(&request.suite).map_err(|error| {
            EdgeError::bad_request(&format!("suite, {}", error.place), error.expected)
        })?;
        let session = self.inner.session_searching()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let total = u32::try_from(suite.queries.len()).unwrap_or(u32::MAX);
        // Modes are checked first: a suite with a typing error in its last line fails at once.
        let modes = suite
            .queries
            .iter()
            .map(|case| case.mode.as_deref().map_or(Ok(Mode::Hybrid), convert::mode))
            .collect::<Result<Vec<_>, _>>()?;
        let mut cases = Vec::with_capacity(suite.queries.len());
        for ((case, mode), done) in suite.queries.iter().zip(modes).zip(1..) {
            let start = Instant::now();
            // A query asked for the first N must be able to return that many.
            let mut constants = request.constants.clone();
            constants.results = constants.results.max(case.top);
            let gathered = session.engine.gather(
                &Query {
                    text: case.query.clone(),
                    mode,
                    filter: Filter::default(),
                    depth: DEPTH,
                    now,
                    near_enough: constants.document_cosine,
                },
                &CancelFlag::default(),
            )?;
            session
                .engine
                .score_window(&gathered, &constants, now, READING);
            let ids = gathered.rank(&constants, now).results();
            let memories = session.vault.read(|r| r.memories().get_many(&ids))?;
            let results: Vec<(String, String)> = memories
                .into_iter()
                .map(|memory| (memory.id.to_string(), memory.content))
                .collect();
            let elapsed_ms = start.elapsed().as_secs_f64() * 1000.0;
            cases.push(case.check(&results, elapsed_ms));
            progress(done, total);
        }
        Ok(SuiteOutcome::of(cases))
    }

    /// [`Self::check_suite`] for the window.
    pub fn run_suite(&self, request: &SuiteRequest) -> Result<SuiteView, EdgeError> {
        let outcome = self.check_suite(request, &mut |_, _| {})?;
        Ok(SuiteView {
            passed: outcome.passed,
            failures: outcome.failures,
            cases: outcome
                .cases
                .into_iter()
                .map(|case| CaseView {
                    query: case.query,
                    top: case.top,
                    passed: case.passed,
                    expected: case
                        .expected
                        .into_iter()
                        .map(|met| ExpectationView {
                            expect: met.expect,
                            rank: met.rank,
                            passed: met.passed,
                        })
                        .collect(),
                })
                .collect(),
        })
    }
}

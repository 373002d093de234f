//! The legs of a query: which of them run, side by side or one after the other, and what stands in when none
//! can answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use memory::MemoryId;

use crate::candidate::Candidate;
use crate::engine::{Engine, Models};
use crate::ids::Scope;
use crate::query::{CancelFlag, Query, RetrievalError};
use crate::report::{Report, Status, elapsed};
use crate::stage::bm25::{KeywordInput, KeywordOutcome, bm25, by_substring};
use crate::stage::knn::{KnnInput, KnnOutcome, knn};
use crate::stage::route::{Legs, Route};
use crate::stage::sparse::{SparseInput, SparseOutcome, sparse};
use crate::trace::Mode;

/// What the legs gave.
pub(crate) struct LegsRun {
    pub(crate) knn: KnnOutcome,
    pub(crate) bm25: KeywordOutcome,
    pub(crate) sparse: SparseOutcome,
    /// The mode that ran.
    pub(crate) mode: Mode,
    /// Whether the substring fallback stands in for them.
    pub(crate) fallback: bool,
    /// Candidates that were read already.
    pub(crate) read: Vec<Candidate>,
    /// The cosine of the nearest memory, whether or not that was near enough.
    pub(crate) best_cosine: Option<f64>,
}

impl LegsRun {
    /// No leg ran, and why.
    pub(crate) fn none(why: &str, route: &Route) -> Self {
        Self {
            knn: KnnOutcome::none(Report::skipped(why)),
            bm25: KeywordOutcome::none(Report::skipped(why), route.terms.len()),
            sparse: SparseOutcome::none(Report::skipped(why)),
            mode: Mode::Hybrid,
            fallback: false,
            read: Vec::new(),
            best_cosine: None,
        }
    }
}

impl Engine {
    pub(crate) fn run_legs(
        &self,
        query: &Query,
        route: &Route,
        scope: &Scope,
        models: &Models,
        cancel: &CancelFlag,
    ) -> Result<LegsRun, RetrievalError> {
        let terms = route.terms.len();
        let mut read = Vec::new();
        let mut best_cosine = None;
        let semantic = || self.semantic_leg(query, route, scope, models);
        let keyword = || self.keyword_leg(query, route, scope);
        let no_knn = |why: &str| KnnOutcome::none(Report::skipped(why));
        let shared = || self.sparse_leg(query, route, scope, models);
        let no_bm25 = |why: &str| KeywordOutcome::none(Report::skipped(why), terms);
        let no_sparse = |why: &str| SparseOutcome::none(Report::skipped(why));
        let mut sparse = no_sparse("only hybrid queries ask for words that should be there");
        let (knn, mut bm25, mode) = match route.legs {
            Legs::Both if route.opaque => {
                // An id is near to every other id.
                let bm25 = keyword();
                cancel.check()?;
                sparse = no_sparse("the query is nothing but exact patterns");
                let knn = if bm25.hits.is_empty() {
                    semantic()
                } else {
                    no_knn(
                        "the query is nothing but exact patterns, which an embedding cannot tell apart",
                    )
                };
                (knn, bm25, Mode::Hybrid)
            }
            Legs::Both => {
                let ((bm25, found), (knn, words)) = rayon::join(
                    || {
                        let bm25 = keyword();
                        // While the other legs are still at work; what cannot be read now is read
                        // later.
                        let found: Vec<MemoryId> = bm25.hits.iter().map(|(id, _)| *id).collect();
                        let read = self.read_candidates(&found, models);
                        (bm25, read.unwrap_or_default())
                    },
                    || {
                        rayon::join(
                            || catch_unwind(AssertUnwindSafe(semantic)),
                            || catch_unwind(AssertUnwindSafe(shared)),
                        )
                    },
                );
                read = found;
                let knn = knn.unwrap_or_else(|_| {
                    KnnOutcome::none(Report::failed("the semantic leg broke off"))
                });
                sparse = words.unwrap_or_else(|_| {
                    SparseOutcome::none(Report::failed("the sparse leg broke off"))
                });
                (knn, bm25, Mode::Hybrid)
            }
            Legs::KeywordOnly => (no_knn("the mode is lexical"), keyword(), Mode::Lexical),
            Legs::SemanticOnly => (semantic(), no_bm25("the mode is semantic"), Mode::Semantic),
            Legs::KeywordFirst => {
                let bm25 = keyword();
                cancel.check()?;
                if bm25.hits.is_empty() {
                    (semantic(), bm25, Mode::Semantic)
                } else {
                    (no_knn("keywords found enough"), bm25, Mode::Lexical)
                }
            }
            Legs::SemanticFirst => {
                let knn = semantic();
                cancel.check()?;
                let best = knn.hits.first().map(|hit| hit.cosine);
                best_cosine = best;
                if best.is_some_and(|cosine| cosine >= query.near_enough) {
                    (knn, no_bm25("meaning found enough"), Mode::Semantic)
                } else {
                    let bm25 = keyword();
                    match best {
                        // Far away, but all there is.
                        Some(_) if bm25.hits.is_empty() => (knn, bm25, Mode::Semantic),
                        Some(cosine) => {
                            let knn = left_to_keywords(knn, cosine, query.near_enough);
                            (knn, bm25, Mode::Lexical)
                        }
                        None => (knn, bm25, Mode::Lexical),
                    }
                }
            }
        };
        cancel.check()?;
        // When no leg could answer, the text itself is looked for. A leg that ran and found nothing
        // has answered.
        let semantic_answers = knn.report.status == Status::Ok || !knn.hits.is_empty();
        let fallback = !semantic_answers && !bm25.report.ran();
        if fallback {
            sparse = no_sparse("the text itself is looked for");
            let why = [&knn.report, &bm25.report]
                .into_iter()
                .filter_map(|report| report.reason.as_deref())
                .collect::<Vec<_>>()
                .join("; ");
            let input = self.keyword_input(query, route, scope);
            bm25 = match self
                .vault()
                .read(|reader| Ok(by_substring(reader, &input, &why)))
            {
                Ok(outcome) => outcome,
                Err(error) => {
                    KeywordOutcome::none(Report::failed(format!("{why}; {error}")), terms)
                }
            };
        }
        Ok(LegsRun {
            knn,
            bm25,
            sparse,
            mode,
            fallback,
            read,
            best_cosine,
        })
    }

    fn sparse_leg(
        &self,
        query: &Query,
        route: &Route,
        scope: &Scope,
        models: &Models,
    ) -> SparseOutcome {
        let span = tracing::info_span!("sparse");
        let _entered = span.enter();
        let start = Instant::now();
        let mut outcome = sparse(&SparseInput {
            expansions: &self.expansions,
            embedder: models.embedder.as_deref(),
            text: &route.semantic_text,
            scope,
            depth: query.depth(),
        });
        outcome.report.elapsed_ms = elapsed(start);
        outcome
    }

    fn semantic_leg(
        &self,
        query: &Query,
        route: &Route,
        scope: &Scope,
        models: &Models,
    ) -> KnnOutcome {
        let span = tracing::info_span!("knn");
        let _entered = span.enter();
        let start = Instant::now();
        let mut outcome = knn(&KnnInput {
            vault: self.vault(),
            mirror: (!self.faults.mirror).then_some(self.mirror()),
            embedder: models.embedder.as_deref(),
            text: &route.semantic_text,
            scope,
            depth: query.depth(),
        });
        outcome.report.elapsed_ms = elapsed(start);
        outcome
    }

    fn keyword_input<'a>(
        &'a self,
        query: &Query,
        route: &'a Route,
        scope: &'a Scope,
    ) -> KeywordInput<'a> {
        KeywordInput {
            terms: &route.terms,
            postings: Some(&self.postings),
            filter: &route.filter,
            scope,
            now: query.now,
            depth: query.depth(),
            faults: self.faults,
        }
    }

    fn keyword_leg(&self, query: &Query, route: &Route, scope: &Scope) -> KeywordOutcome {
        let span = tracing::info_span!("bm25");
        let _entered = span.enter();
        let start = Instant::now();
        let input = self.keyword_input(query, route, scope);
        let mut outcome = match self.vault().read(|reader| Ok(bm25(reader, &input))) {
            Ok(outcome) => outcome,
            Err(error) => KeywordOutcome::none(
                Report::failed(format!("the keyword indexes cannot be read: {error}")),
                route.terms.len(),
            ),
        };
        outcome.report.elapsed_ms = elapsed(start);
        outcome
    }
}

/// What meaning found, when none of it is near enough to answer.
fn left_to_keywords(knn: KnnOutcome, cosine: f64, near_enough: f64) -> KnnOutcome {
    let why = format!(
        "the nearest memory has a cosine of {cosine:.2}, below {near_enough}: left to keywords"
    );
    KnnOutcome {
        report: Report {
            elapsed_ms: knn.report.elapsed_ms,
            ..Report::skipped(why)
        },
        hits: Vec::new(),
        query_vector: knn.query_vector,
    }
}

pub(crate) fn route_mode(mode: Mode, legs: Legs) -> Mode {
    match legs {
        Legs::KeywordFirst => Mode::Lexical,
        Legs::SemanticFirst => Mode::Semantic,
        _ => mode,
    }
}

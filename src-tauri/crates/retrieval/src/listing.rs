//! A query of nothing but filters: what they let through, in order of time.
//!
//! The list takes the keyword leg's place: s(d) = 1 / place, the oldest first, memories without a
//! time last. The other legs and the reranker have nothing to read, and decay leaves the order
//! alone, since age is what made it.

use memory::{ListQuery, Sort, VaultError};

use crate::engine::Engine;
use crate::legs::LegsRun;
use crate::query::Query;
use crate::report::Report;
use crate::stage::bm25::{KeywordOutcome, KeywordParts};
use crate::stage::route::Route;
use crate::trace::Mode;

impl Engine {
    /// At most [`Query::depth`] memories that pass the filter of the route.
    pub(crate) fn list_by_time(&self, query: &Query, route: &Route) -> Result<LegsRun, VaultError> {
        let page = ListQuery {
            filter: route.filter.clone(),
            sort: Sort::Oldest,
            limit: query.depth() as u32,
            now: query.now,
            ..ListQuery::default()
        };
        let (_, listed) = self.vault().read(|reader| reader.memories().list(&page))?;
        let mut bm25 = KeywordOutcome::none(Report::ok(), route.terms.len());
        bm25.report.notes.push(
            "There are no words to look for: what the filters let through, the oldest first, each with 1 / its place as its score."
                .to_owned(),
        );
        bm25.hits = (1_u32..)
            .zip(listed)
            .map(|(place, memory)| {
                let parts = KeywordParts {
                    substring: 1.0 / f64::from(place),
                    ..KeywordParts::default()
                };
                (memory.id, parts)
            })
            .collect();
        Ok(LegsRun {
            bm25,
            mode: Mode::Lexical,
            ..LegsRun::none("the query is nothing but filters", route)
        })
    }
}

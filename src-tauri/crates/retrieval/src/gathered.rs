//! What one query found, with everything that ranking needs, so that moving a constant touches
//! neither the vault nor a model.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use memory::{MemoryId, Trust};
use models::Embedder;
use parking_lot::{Mutex, RwLock};

use crate::candidate::Candidate;
use crate::constants::{Constants, RerankBackend};
use crate::context::pack::{Purse, estimate};
use crate::ids::{Fingerprint, Scope};
use crate::lane::found::LanesFound;
use crate::lists::LastLists;
use crate::query::Query;
use crate::report::Report;
use crate::stage::bm25::{Asked, KeywordParts};
use crate::stage::decay::Times;
use crate::stage::fusion::Neighbours;
use crate::stage::knn::KnnHit;
use crate::stage::route::{Legs, Route};
use crate::stage::select::Lookup;
use crate::stage::sparse::QueryWord;
use crate::trace::{Mode, ModelIdentity};
use crate::usual::Length;

/// A reranker as one query sees it.
#[derive(Clone, Debug)]
pub struct RerankerView {
    /// Its name.
    pub name: String,
    /// Why it does not vote on this query.
    pub abstains: Option<String>,
}

/// The scores that rerankers gave, which come after the query was gathered.
#[derive(Debug, Default)]
pub(crate) struct PairScores {
    /// By candidate.
    pub scores: HashMap<u32, f64>,
    /// Why the last attempt gave none, or not all.
    pub fault: Option<String>,
    /// Milliseconds spent reading.
    pub elapsed_ms: f64,
}

/// The place of a backend among three; `None` for "off".
pub(crate) fn slot(backend: RerankBackend) -> Option<usize> {
    match backend {
        RerankBackend::Off => None,
        RerankBackend::Embedded => Some(0),
        RerankBackend::CrossEncoder => Some(1),
        RerankBackend::Http => Some(2),
    }
}

/// What one query found. Shared between threads; drops its texts zeroized.
pub struct Gathered {
    /// The query.
    pub query: Query,
    /// What became of its text.
    pub route: Route,
    /// How many memories contain each term of the route.
    pub matched: Vec<Option<u32>>,
    /// The mode that ran.
    pub effective_mode: Mode,
    /// How routing went.
    pub route_report: Report,
    /// How the semantic leg went.
    pub knn_report: Report,
    /// How the keyword leg went.
    pub bm25_report: Report,
    /// How the sparse leg went.
    pub sparse_report: Report,
    /// The semantic list: candidate and hit, best first.
    pub knn: Vec<(u32, KnnHit)>,
    /// The keyword list: candidate and parts, best first.
    pub bm25: Vec<(u32, KeywordParts)>,
    /// The list of words that should be there: candidate and sum, best first.
    pub sparse: Vec<(u32, f64)>,
    /// The query's words that it was asked for, what counts most first.
    pub expansion: Vec<QueryWord>,
    /// What the keyword indexes were asked.
    pub asked: Asked,
    /// Neither leg could answer: the keyword list is the substring fallback.
    pub fallback: bool,
    /// The memories of all lists.
    pub candidates: Vec<Candidate>,
    /// Their names, by place, ascending.
    pub ids: Vec<MemoryId>,
    /// What was found right before and after each in its session, by place.
    pub(crate) neighbours: Vec<Neighbours>,
    /// How many words are usual for what is like each, by place, see [`crate::usual`].
    pub(crate) usual: Vec<f64>,
    /// The model of the vectors.
    pub model: Option<ModelIdentity>,
    /// Counts the writes of the vault.
    pub epoch: u64,
    /// How many memories the filters let through.
    pub searchable: u32,
    /// What stands beside the memories; filled in after gathering.
    pub(crate) beside: Option<LanesFound>,
    /// The cosine of the nearest memory, whether or not that was near enough.
    pub(crate) best_cosine: Option<f64>,
    /// The set of memories that could be returned.
    pub(crate) scope: Scope,
    /// The query's vector.
    pub(crate) query_vector: Option<Arc<Vec<f32>>>,
    /// The rerankers at hand, by [`slot`].
    pub(crate) rerankers: [Option<RerankerView>; 3],
    /// Their scores.
    pub(crate) pair_scores: [RwLock<PairScores>; 3],
    /// Weights of the query's words, for rerankers that ask for them.
    pub(crate) word_idf: Mutex<HashMap<String, f64>>,
    /// Counts tokens.
    pub(crate) tokenizer: Option<Arc<dyn Embedder>>,
    pub(crate) overhead: OnceLock<u32>,
    pub(crate) last_lists: LastLists,
}

impl Gathered {
    /// The place of a memory among the candidates.
    pub fn candidate(&self, id: MemoryId) -> Option<u32> {
        self.ids.binary_search(&id).ok().map(|at| at as u32)
    }

    fn at(&self, candidate: u32) -> Option<&Candidate> {
        self.candidates.get(candidate as usize)
    }

    /// What a candidate's times are.
    pub(crate) fn times(&self, candidate: u32) -> Times {
        self.at(candidate).map_or(
            Times {
                created_at: None,
                quality: memory::CreatedAtQuality::Unknown,
                last_seen_at: 0,
                pinned: false,
                kind: memory::Kind::Text,
                seen_count: 1,
            },
            |candidate| candidate.times,
        )
    }

    /// Its length beside the usual one.
    pub(crate) fn text_length(&self, candidate: u32) -> Length {
        let usual = self.usual.get(candidate as usize).copied().unwrap_or(1.0);
        Length::of(self.at(candidate).map_or(0, Candidate::bytes), usual)
    }

    /// Whether the legs would have been chosen otherwise, were another cosine near enough: then
    /// the query has to be asked again.
    pub fn is_routed_otherwise(&self, near_enough: f64) -> bool {
        let enough = |near: f64| self.best_cosine.is_some_and(|best| best >= near);
        self.route.legs == Legs::SemanticFirst
            && enough(near_enough) != enough(self.query.near_enough)
    }

    /// Gives a candidate another direction.
    pub(crate) fn turn(&mut self, id: MemoryId, direction: Vec<f32>) {
        let place = self.candidate(id);
        if let Some(candidate) = place.and_then(|at| self.candidates.get_mut(at as usize)) {
            candidate.turn(direction);
        }
        self.last_lists.forget();
    }

    /// The query's vector; `None` when the semantic leg made none.
    pub fn query_vector(&self) -> Option<&[f32]> {
        self.query_vector.as_deref().map(Vec::as_slice)
    }

    /// Tokens of a text: by the model's own tokeniser, or estimated when there is no model.
    pub fn tokens(&self, text: &str) -> u32 {
        match &self.tokenizer {
            Some(model) => u32::try_from(model.token_count(text)).unwrap_or(u32::MAX),
            None => estimate(text),
        }
    }

    /// Whether token counts are estimates.
    pub fn tokens_are_estimated(&self) -> bool {
        self.tokenizer.is_none()
    }
}

/// Stands for the content of a memory that was not read.
fn named(id: MemoryId) -> Fingerprint {
    let mut print = [0xff; 16];
    print[..8].copy_from_slice(&id.0.to_le_bytes());
    print
}

impl Lookup for Gathered {
    /// Of one that is linked to another as a near duplicate, that other one's.
    fn fingerprint(&self, candidate: u32) -> Fingerprint {
        let Some(one) = self.at(candidate) else {
            return [0; 16];
        };
        // What is flagged stands for nothing: it is kept out of the block.
        let flagged = |one: &Candidate| one.memory().trust == Trust::Flagged;
        match one.linked_to().filter(|_| !flagged(one)) {
            None => one.fingerprint(),
            // Two that are linked to one that was not gathered are duplicates of each other.
            Some(root) => match self.candidate(root).and_then(|at| self.at(at)) {
                Some(root) if flagged(root) => one.fingerprint(),
                Some(root) => root.fingerprint(),
                None => named(root),
            },
        }
    }

    fn cost(&self, candidate: u32) -> u32 {
        self.at(candidate).map_or(u32::MAX, |candidate| {
            candidate.cost(|text| self.tokens(text))
        })
    }

    fn price(&self, candidate: u32) -> u32 {
        match self.at(candidate) {
            Some(kept) if kept.is_whole() => self.cost(candidate),
            _ => u32::MAX,
        }
    }

    fn purse(&self, constants: &Constants) -> Purse {
        self.purse_for_memories(constants)
    }

    fn flagged(&self, candidate: u32) -> bool {
        self.at(candidate)
            .is_some_and(|candidate| candidate.memory().trust == Trust::Flagged)
    }

    fn similarity(&self, a: u32, b: u32) -> f64 {
        match (
            self.at(a).and_then(Candidate::direction),
            self.at(b).and_then(Candidate::direction),
        ) {
            (Some(a), Some(b)) => models::cosine(a, b),
            _ => 0.0,
        }
    }

    fn nearness(&self, a: u32, b: u32) -> Option<f64> {
        let (one, other) = (self.at(a)?, self.at(b)?);
        (one.fingerprint() != other.fingerprint()).then(|| self.similarity(a, b))
    }
}

/// Shows sizes only.
impl std::fmt::Debug for Gathered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gathered")
            .field("query", &self.query)
            .field("knn", &self.knn.len())
            .field("bm25", &self.bm25.len())
            .field("sparse", &self.sparse.len())
            .field("candidates", &self.candidates.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::testing::{Found, gathered};
    use crate::arithmetic::reproduces;
    use crate::constants::{Constants, RerankBackend};

    /// One memory per entry, in order, each in such a session.
    fn told(sessions: &[Option<u8>]) -> Vec<Found> {
        let one = |(at, &session)| Found {
            knn: Some(0.9 - 0.1 * f64::from(at)),
            session,
            text: format!("number {at}"),
            ..Found::default()
        };
        (0_u8..).zip(sessions).map(one).collect()
    }

    #[test]
    fn neighbours_stand_close_by_in_one_session() {
        let (a, b) = (Some(0), Some(1));
        let gathered = gathered(&told(&[a, b, a, None, a, b, b, None, None, None, b]), 0);
        let expected = [
            [None, Some(2)],
            // The next of its session is four ids away.
            [None, None],
            [Some(0), Some(4)],
            [None, None],
            [Some(2), None],
            [None, Some(6)],
            [Some(5), None],
            [None, None],
            [None, None],
            [None, None],
            [None, None],
        ];
        assert_eq!(gathered.neighbours, expected);
    }

    #[test]
    fn a_shared_score_is_the_sum_of_what_is_shown() {
        let gathered = gathered(&told(&[Some(0), None, Some(1), None, Some(0), Some(1)]), 0);
        let constants = Constants {
            neighbour_share: 0.5,
            rerank: RerankBackend::Off,
            ..Constants::default()
        };
        let trace = gathered.arrange(&constants, 0);
        assert!(trace.stages.iter().all(|part| reproduces(part, &constants)));
        // The last one follows the third in its session: both lift each other above all others.
        assert_eq!(trace.results, ["m3", "m6", "m1", "m2", "m4", "m5"]);
    }
}

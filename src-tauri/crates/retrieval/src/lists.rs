//! The lists of the legs under a set of constants, as [`crate::rescoring`] makes them, and the last
//! ones made.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::constants::Constants;
use crate::stage::bm25::KeywordParts;
use crate::stage::knn::KnnHit;

/// One memory of the semantic list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SemanticRow {
    /// Its place among the gathered candidates.
    pub candidate: u32,
    /// What the leg found.
    pub hit: KnnHit,
    /// Mean similarity to the best keyword hits; `None` when feedback takes no part.
    pub feedback: Option<f64>,
    /// The score of the leg.
    pub score: f64,
}

/// One memory of the keyword list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeywordRow {
    /// Its place among the gathered candidates.
    pub candidate: u32,
    /// The parts of its score.
    pub parts: KeywordParts,
    /// The factor of its length; `None` when length takes no part.
    pub length: Option<f64>,
    /// The score of the leg.
    pub score: f64,
}

/// One memory of the sparse list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseRow {
    /// Its place among the gathered candidates.
    pub candidate: u32,
    /// The score of the leg.
    pub score: f64,
}

/// The lists, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// The semantic one.
    pub knn: Vec<SemanticRow>,
    /// The keyword one.
    pub bm25: Vec<KeywordRow>,
    /// The one of words that should be there.
    pub sparse: Vec<SparseRow>,
}

impl Lists {
    /// The place of a candidate in the semantic list, from 0.
    pub fn knn_place(&self, candidate: u32) -> Option<usize> {
        self.knn.iter().position(|row| row.candidate == candidate)
    }

    /// The place of a candidate in the keyword list, from 0.
    pub fn bm25_place(&self, candidate: u32) -> Option<usize> {
        self.bm25.iter().position(|row| row.candidate == candidate)
    }

    /// The place of a candidate in the sparse list, from 0.
    pub fn sparse_place(&self, candidate: u32) -> Option<usize> {
        self.sparse
            .iter()
            .position(|row| row.candidate == candidate)
    }
}

/// What of the constants the lists depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    bm25_short: f64,
    bm25_long: f64,
    knn_feedback: f64,
    /// A leg without weight gives no feedback.
    bm25_counts: bool,
}

impl Shape {
    fn of(constants: &Constants) -> Self {
        Self {
            bm25_short: constants.bm25_short,
            bm25_long: constants.bm25_long,
            knn_feedback: constants.knn_feedback,
            bm25_counts: constants.bm25_weight > 0.0,
        }
    }
}

/// The lists that were made last. Looking for the interval of a constant ranks a query a hundred
/// times, and most constants leave the lists of the legs as they are.
#[derive(Debug, Default)]
pub(crate) struct LastLists(Mutex<Option<(Shape, Arc<Lists>)>>);

impl LastLists {
    /// The lists under these constants, made by `make` unless the last ones were the same.
    pub(crate) fn of(&self, constants: &Constants, make: impl FnOnce() -> Lists) -> Arc<Lists> {
        let shape = Shape::of(constants);
        if let Some((_, lists)) = self.0.lock().as_ref().filter(|(last, _)| *last == shape) {
            return Arc::clone(lists);
        }
        // Unlocked while they are made: two that ask at once make them twice rather than wait.
        let lists = Arc::new(make());
        *self.0.lock() = Some((shape, Arc::clone(&lists)));
        lists
    }

    /// Forgets them: what they are made of has changed.
    pub(crate) fn forget(&mut self) {
        *self.0.get_mut() = None;
    }
}

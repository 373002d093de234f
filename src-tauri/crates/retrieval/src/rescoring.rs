//! Scores the lists of the legs anew for a set of constants: the keyword list balanced by length,
//! the semantic list with the feedback of the best keyword hits.
//!
//! The formulas stand in [`crate::stage::bm25`] and [`crate::stage::knn`]. The lists are gathered
//! once; a slider touches neither the vault nor a model. With the Standard constants both lists are
//! what the legs found.

use std::sync::Arc;

use crate::constants::Constants;
use crate::gathered::Gathered;
use crate::lists::{KeywordRow, Lists, SemanticRow, SparseRow};
use crate::mirror::dot;
use crate::order::by_score_then_id;
use crate::stage::bm25::length_factor;
use crate::stage::knn::{FEEDBACK_SOURCES, with_feedback};

impl Gathered {
    /// The lists under these constants.
    pub fn lists(&self, constants: &Constants) -> Arc<Lists> {
        self.last_lists.of(constants, || self.rescored(constants))
    }

    fn rescored(&self, constants: &Constants) -> Lists {
        let bm25 = self.keyword_list(constants);
        let knn = self.semantic_list(constants, &bm25);
        let rows = self.sparse.iter();
        let sparse = rows.map(|&(candidate, score)| SparseRow { candidate, score });
        Lists {
            knn,
            bm25,
            sparse: sparse.collect(),
        }
    }

    fn keyword_list(&self, constants: &Constants) -> Vec<KeywordRow> {
        let (short, long) = (constants.bm25_short, constants.bm25_long);
        let balanced = short > 0.0 || long > 0.0;
        let mut rows: Vec<KeywordRow> = self
            .bm25
            .iter()
            .map(|&(candidate, parts)| {
                let length =
                    balanced.then(|| length_factor(self.text_length(candidate), short, long));
                KeywordRow {
                    candidate,
                    parts,
                    length,
                    score: parts.balanced(length.unwrap_or(1.0)),
                }
            })
            .collect();
        if balanced {
            let key = |row: &KeywordRow| (row.score, self.ids[row.candidate as usize]);
            rows.sort_by(|a, b| by_score_then_id(key(a), key(b)));
        }
        rows
    }

    fn semantic_list(&self, constants: &Constants, keyword: &[KeywordRow]) -> Vec<SemanticRow> {
        let share = constants.knn_feedback;
        // A leg without weight gives no feedback either.
        let sources: Vec<&[f32]> = if share > 0.0 && constants.bm25_weight > 0.0 && !self.fallback {
            keyword
                .iter()
                .take(FEEDBACK_SOURCES)
                .filter_map(|row| self.candidates[row.candidate as usize].direction())
                .collect()
        } else {
            Vec::new()
        };
        let mut rows: Vec<SemanticRow> = self
            .knn
            .iter()
            .map(|&(candidate, hit)| {
                let feedback = self.candidates[candidate as usize]
                    .direction()
                    .filter(|_| !sources.is_empty())
                    .map(|own| {
                        let sum: f64 = sources.iter().map(|source| dot(own, source)).sum();
                        sum / sources.len() as f64
                    });
                SemanticRow {
                    candidate,
                    hit,
                    feedback,
                    score: with_feedback(hit.cosine, feedback, share),
                }
            })
            .collect();
        if !sources.is_empty() {
            let key = |row: &SemanticRow| (row.score, row.hit.id);
            rows.sort_by(|a, b| by_score_then_id(key(a), key(b)));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gathered::testing::{Found, gathered};

    fn found(knn: f64, bm25: f64, words: usize) -> Found {
        Found {
            knn: Some(knn),
            bm25: Some(bm25),
            text: "words ".repeat(words),
            ..Found::default()
        }
    }

    fn order(rows: &[KeywordRow]) -> Vec<u32> {
        rows.iter().map(|row| row.candidate).collect()
    }

    #[test]
    fn the_standard_constants_leave_both_lists_as_they_were_found() {
        let gathered = gathered(&[found(0.2, 5.0, 2), found(0.9, 4.0, 40)], 0);
        let lists = gathered.lists(&Constants::default());
        assert_eq!(order(&lists.bm25), [0, 1]);
        assert!(lists.bm25.iter().all(|row| row.length.is_none()));
        assert_eq!(lists.knn_place(1), Some(0));
        assert!(lists.knn.iter().all(|row| row.feedback.is_none()));
    }

    #[test]
    fn very_short_texts_sink_and_long_ones_no_further_than_the_usual_length() {
        let gathered = gathered(
            &[
                found(0.5, 5.0, 2),
                found(0.5, 4.9, 3000),
                found(0.5, 4.8, 60),
            ],
            0,
        );
        let of = |bm25_short: f64, bm25_long: f64| {
            let constants = Constants {
                bm25_short,
                bm25_long,
                ..Constants::default()
            };
            order(&gathered.lists(&constants).bm25)
        };
        assert_eq!(of(0.0, 0.0), [0, 1, 2]);
        assert_eq!(of(30.0, 0.0), [1, 2, 0]);
        assert_eq!(of(0.0, 400.0), [0, 2, 1]);
        assert_eq!(of(30.0, 400.0), [1, 2, 0]);
    }

    #[test]
    fn what_resembles_the_best_keyword_hits_rises_in_the_semantic_list() {
        // The directions of these tests turn by one radian each: 1 and 7 are six apart, nearly
        // once around.
        let mut all: Vec<Found> = (0..7).map(|_| found(0.4, 0.0, 5)).collect();
        for one in &mut all[1..] {
            one.bm25 = None;
        }
        all[0].bm25 = Some(9.0);
        all[3].knn = Some(0.5);
        let gathered = gathered(&all, 0);
        let best = |knn_feedback: f64, bm25_weight: f64| {
            let constants = Constants {
                knn_feedback,
                bm25_weight,
                ..Constants::default()
            };
            let lists = gathered.lists(&constants);
            let list = &lists.knn;
            (list[0].candidate, list[1].candidate)
        };
        assert_eq!(best(0.0, 1.0).0, 3);
        assert_eq!(best(1.0, 1.0), (0, 6));
        assert_eq!(best(1.0, 0.0).0, 3, "a leg without weight gives none");
    }

    #[test]
    fn lists_are_kept_until_a_constant_or_a_vector_of_theirs_moves() {
        let all: Vec<Found> = (0..7).map(|at| found(0.4, f64::from(at), 5)).collect();
        let mut gathered = gathered(&all, 0);
        let standard = Constants {
            knn_feedback: 1.0,
            bm25_short: 30.0,
            ..Constants::default()
        };
        let first = gathered.lists(&standard);
        let elsewhere = Constants {
            rrf_k: 7.0,
            half_life_days: 3.0,
            bm25_weight: 2.0,
            ..standard.clone()
        };
        assert!(Arc::ptr_eq(&first, &gathered.lists(&elsewhere)));
        let moved = [
            Constants {
                bm25_short: 31.0,
                ..standard.clone()
            },
            Constants {
                bm25_long: 9.0,
                ..standard.clone()
            },
            Constants {
                knn_feedback: 0.5,
                ..standard.clone()
            },
            Constants {
                bm25_weight: 0.0,
                ..standard.clone()
            },
        ];
        for constants in moved {
            let lists = gathered.lists(&constants);
            assert!(!Arc::ptr_eq(&first, &lists));
            assert_eq!(*lists, gathered.rescored(&constants));
        }
        let first = gathered.lists(&standard);
        gathered.turn(memory::MemoryId(1), vec![1.0, 0.0]);
        assert!(!Arc::ptr_eq(&first, &gathered.lists(&standard)));
    }
}

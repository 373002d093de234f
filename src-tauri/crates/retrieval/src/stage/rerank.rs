//! rerank: lets somebody read query and text together, for the best of the list.
//!
//! Formula, inside the window (the first N of the decayed order):
//! r'(d) = b · λ(d) · r(d) + (1 − b) · (s(d) − min) / (max − min), where r is the reranker's score in
//! 0..1, s the decayed score, min and max over the window, b the blend. A row that the reranker
//! has not read yet counts with r = 0 and is marked, so it waits below what was read.
//! λ(d) = L / (L + max(0, min(n, u) − 100)) with `rerank_long` L > 0: n the text's length in words, u
//! the usual one of its agent, role and kind (see [`crate::usual`]). Of many words one is near to any
//! question by chance, which on long messages misleads a reader of words; but a listing is not worse
//! for being one, so nothing counts as longer than is usual for its kind.
//! Below the window: r'(d) = ½ · s(d)/s₁ − 1 with s₁ the best decayed score, hence in decayed
//! order and strictly below the window, whose scores are never negative.
//! Without a reranker the decayed scores stand.
//! Source: the two-stage ranking of Nogueira and Cho, "Passage Re-ranking with BERT", 2019, with
//! the interpolation of the first stage's score; late interaction: Khattab and Zaharia, SIGIR 2020.
//!
//! Inputs: the decayed list, the reranker's scores read so far. Output: the same memories, best
//! first. Guarantee: no memory is lost or doubled, whatever the reranker answers; equal scores
//! keep the decayed order.

use memory::MemoryId;

use crate::constants::Constants;
use crate::stage::decay::Decayed;
use crate::stage::fusion::min_max;
use crate::usual::Length;

/// What the score of a row is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Made {
    /// The reranker did not run: the decayed score stands.
    Decayed,
    /// In the window and read.
    Read {
        /// The reranker's score.
        reranker: f64,
        /// What the text's length leaves of it.
        length: f64,
        /// The decayed score, min-max-normalised over the window.
        normalised: f64,
    },
    /// In the window, not read yet.
    Unread {
        /// The decayed score, min-max-normalised over the window.
        normalised: f64,
    },
    /// Below the window.
    Below,
}

/// One memory after the reranker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reranked {
    /// The row as decay left it.
    pub decayed: Decayed,
    /// What its score is made of.
    pub made: Made,
    /// Its score.
    pub score: f64,
}

impl Reranked {
    /// Its name.
    pub fn id(&self) -> MemoryId {
        self.decayed.fused.id
    }
}

/// Words that cost a text nothing.
const FREE_WORDS: f64 = 100.0;

/// What a text's length leaves of the reranker's score, see the formula; 0 leaves all of it.
pub fn length_factor(length: Length, long: f64) -> f64 {
    if long > 0.0 {
        long / (long + excess(length))
    } else {
        1.0
    }
}

/// The words of a text that count against it.
pub(crate) fn excess(length: Length) -> f64 {
    (length.counted() - FREE_WORDS).max(0.0)
}

/// The formula of the window, from what the reranker's score is after its factor.
pub fn blend(reranker: f64, normalised: f64, constants: &Constants) -> f64 {
    constants.rerank_blend * reranker + (1.0 - constants.rerank_blend) * normalised
}

/// The list as it is when nobody reads it.
pub fn unchanged(decayed: &[Decayed]) -> Vec<Reranked> {
    decayed
        .iter()
        .map(|&decayed| Reranked {
            decayed,
            made: Made::Decayed,
            score: decayed.score,
        })
        .collect()
}

/// Reorders the window by the scores read so far. `score` and `length` look a candidate up by its place.
pub fn rerank(
    decayed: &[Decayed],
    score: impl Fn(u32) -> Option<f64>,
    length: impl Fn(u32) -> Length,
    constants: &Constants,
) -> Vec<Reranked> {
    let window = decayed.len().min(constants.rerank_window as usize);
    let (inside, below) = decayed.split_at(window);
    let high = inside.first().map_or(0.0, |d| d.score);
    let low = inside.last().map_or(0.0, |d| d.score);

    let mut list: Vec<Reranked> = inside
        .iter()
        .map(|&decayed| {
            let normalised = min_max(decayed.score, low, high);
            let read = score(decayed.fused.candidate).filter(|score| score.is_finite());
            let (made, score) = if let Some(reranker) = read {
                let reranker = reranker.clamp(0.0, 1.0);
                let length = length_factor(length(decayed.fused.candidate), constants.rerank_long);
                (
                    Made::Read {
                        reranker,
                        length,
                        normalised,
                    },
                    blend(reranker * length, normalised, constants),
                )
            } else {
                (
                    Made::Unread { normalised },
                    blend(0.0, normalised, constants),
                )
            };
            Reranked {
                decayed,
                made,
                score,
            }
        })
        .collect();
    // The sort is stable, so equal scores keep the decayed order, which is total.
    list.sort_by(|a, b| b.score.total_cmp(&a.score));

    list.extend(below.iter().map(|&decayed| {
        let share = if high > 0.0 {
            decayed.score / high
        } else {
            0.0
        };
        Reranked {
            decayed,
            made: Made::Below,
            score: below_window(share),
        }
    }));
    list
}

/// ½ · share − 1, share = decayed score over the best one, in 0..1.
pub fn below_window(share: f64) -> f64 {
    0.5 * share - 1.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stage::decay::Age;
    use crate::stage::fusion::Fused;
    use crate::trace::Undecayed;

    fn list(scores: &[f64]) -> Vec<Decayed> {
        scores
            .iter()
            .enumerate()
            .map(|(place, &score)| Decayed {
                fused: Fused {
                    candidate: place as u32,
                    id: MemoryId(place as i64 + 1),
                    knn_part: None,
                    bm25_part: Some(score),
                    sparse_part: None,
                    neighbour_part: None,
                    score,
                },
                age: Age::Without(Undecayed::Unknown),
                factor: 1.0,
                said: 1,
                authority: 1.0,
                score,
            })
            .collect()
    }

    fn short(_: u32) -> Length {
        Length {
            words: 20.0,
            usual: 20.0,
        }
    }

    fn order(list: &[Reranked]) -> Vec<i64> {
        list.iter().map(|r| r.id().0).collect()
    }

    #[test]
    fn the_reranker_lifts_what_it_likes_within_the_window() {
        let constants = Constants {
            rerank_window: 3,
            rerank_blend: 0.7,
            ..Constants::default()
        };
        let reranked = rerank(
            &list(&[0.03, 0.02, 0.01, 0.005]),
            |place| Some([0.1, 0.2, 0.9, 1.0][place as usize]),
            short,
            &constants,
        );
        assert_eq!(order(&reranked), [3, 1, 2, 4]);
        assert!((reranked[0].score - 0.63).abs() < 1e-12);
        assert_eq!(reranked[3].made, Made::Below);
    }

    #[test]
    fn with_nothing_read_the_decayed_order_stands_at_every_blend() {
        for rerank_blend in [0.0, 0.5, 1.0] {
            let constants = Constants {
                rerank_window: 2,
                rerank_blend,
                ..Constants::default()
            };
            let reranked = rerank(&list(&[0.03, 0.02, 0.02]), |_| None, short, &constants);
            assert_eq!(order(&reranked), [1, 2, 3]);
        }
    }

    #[test]
    fn answers_out_of_range_do_no_harm() {
        let constants = Constants {
            rerank_window: 3,
            ..Constants::default()
        };
        let reranked = rerank(
            &list(&[0.03, 0.02, 0.01]),
            |place| Some([f64::NAN, 7.0, -3.0][place as usize]),
            short,
            &constants,
        );
        assert!(matches!(
            reranked.iter().find(|r| r.id().0 == 1).map(|r| r.made),
            Some(Made::Unread { .. })
        ));
        assert!(reranked.iter().all(|r| r.score.is_finite()));
    }

    #[test]
    fn a_text_longer_than_usual_counts_as_the_usual_one_and_a_hundred_words_are_free() {
        let factor = |words: f64, usual: f64| length_factor(Length { words, usual }, 1000.0);
        assert_eq!(factor(80.0, 500.0), 1.0);
        assert_eq!(factor(5000.0, 60.0), 1.0);
        assert!((factor(1100.0, 2000.0) - 0.5).abs() < 1e-12);
        assert!((factor(9000.0, 350.0) - 0.8).abs() < 1e-12);
        let off = Length {
            words: 9000.0,
            usual: 9000.0,
        };
        assert_eq!(length_factor(off, 0.0), 1.0);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_list_order_is_score_order(
            mut scores in proptest::collection::vec(0.0..0.04_f64, 0..60),
            read in proptest::collection::vec(proptest::option::of(0.0..=1.0_f64), 60),
            window in 0..80_u32, rerank_blend in 0.0..=1.0_f64,
        ) {
            scores.sort_by(|a, b| b.total_cmp(a));
            let constants = Constants { rerank_window: window, rerank_blend, ..Constants::default() };
            let decayed = list(&scores);
            let reranked = rerank(&decayed, |place| read[place as usize], short, &constants);
            let mut ids = order(&reranked);
            for pair in reranked.windows(2) {
                prop_assert!(pair[0].score >= pair[1].score);
            }
            let inside = scores.len().min(window as usize);
            if inside > 0 && inside < reranked.len() {
                prop_assert!(reranked[inside - 1].score > reranked[inside].score);
            }
            ids.sort_unstable();
            prop_assert_eq!(ids, (1..=scores.len() as i64).collect::<Vec<_>>());
        }
    }
}

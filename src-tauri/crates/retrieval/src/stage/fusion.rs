//! fusion: makes one list of those that the legs found.
//!
//! Formula, reciprocal rank fusion: f(d) = Σᵢ wᵢ / (k + rᵢ(d)), where rᵢ(d) is the place of d in
//! list i, from 1; a list without d adds nothing. Source: Cormack, Clarke, Büttcher, "Reciprocal
//! Rank Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009.
//!
//! Formula, convex combination: f(d) = Σᵢ wᵢ/Σw · (sᵢ(d) − minᵢ) / (maxᵢ − minᵢ) over the
//! candidates of list i; a list without d adds nothing, a list whose scores are all equal gives 1.
//! With `convex_bounds` = theoretical, minᵢ is the lowest score that the leg could give instead of the
//! lowest that it gave (TM2C2): −1 for the cosine, which is not clamped, and 0 for BM25 and for shared words. The last
//! candidate then keeps what its score is worth instead of falling to 0, and a score does not move
//! when a worse candidate joins or leaves.
//! Source: Bruch, Gai, Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
//!
//! Formula, neighbours: f′(d) = f(d) + ν · max(f(p), f(n)), p and n the memories next to d in its session,
//! f(p) the score before any sharing; one that is in no list adds nothing. An answer rarely repeats
//! the words of its question, and the edit that follows a decision rarely says why.
//!
//! Inputs: the lists after their cutoffs, best first, as (place of the memory among the gathered
//! candidates, score of the leg); a leg that abstained or failed, or whose weight is 0, is absent.
//! Output: every memory of any list once, with the parts of its score, best first.
//! Guarantee: the sum of the parts is the score; a better place in a list never lowers it; the
//! order of equal scores is that of the ids, so the result is the same every time.

use memory::MemoryId;

use crate::constants::{Constants, ConvexBounds, FusionMethod};
use crate::order::by_score_then_id;

/// One memory of the united list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fused {
    /// Its place among the gathered candidates.
    pub candidate: u32,
    /// Its name, which breaks ties.
    pub id: MemoryId,
    /// What the semantic leg gives; `None` when that leg did not hand it over.
    pub knn_part: Option<f64>,
    /// What the keyword leg gives.
    pub bm25_part: Option<f64>,
    /// What the sparse leg gives.
    pub sparse_part: Option<f64>,
    /// What the better of its neighbours gives; `None` when it has none in the list, or none shares.
    pub neighbour_part: Option<f64>,
    /// The sum of the parts.
    pub score: f64,
}

/// The memories found right before and right after one in its session, as places among the gathered
/// candidates.
pub type Neighbours = [Option<u32>; 2];

/// The lowest cosine there is.
pub const LEAST_COSINE: f64 = -1.0;

/// The lowest keyword score there is: nothing matches.
pub const LEAST_BM25: f64 = 0.0;

/// The lowest sum of shared words there is: none is shared.
pub const LEAST_SPARSE: f64 = 0.0;

/// A leg's list: (place among the gathered candidates, score), best first.
pub type Leg = [(u32, f64)];

/// The lists of the legs that take part.
#[derive(Clone, Copy, Debug, Default)]
pub struct LegLists<'a> {
    /// By meaning.
    pub knn: Option<&'a Leg>,
    /// By keywords.
    pub bm25: Option<&'a Leg>,
    /// By words that should be there.
    pub sparse: Option<&'a Leg>,
}

/// Unites the lists. `ids` names the candidates by their place.
pub fn fuse(lists: LegLists<'_>, ids: &[MemoryId], constants: &Constants) -> Vec<Fused> {
    let legs = [
        (lists.knn, LEAST_COSINE, constants.knn_weight),
        (lists.bm25, LEAST_BM25, constants.bm25_weight),
        (lists.sparse, LEAST_SPARSE, constants.sparse_weight),
    ];
    let takes_part = |(list, _, weight): &(Option<&Leg>, f64, f64)| list.is_some() && *weight > 0.0;
    let weight_sum: f64 = legs
        .iter()
        .filter(|leg| takes_part(leg))
        .map(|(_, _, weight)| weight)
        .sum();

    let mut parts: Vec<[Option<f64>; 3]> = vec![[None; 3]; ids.len()];
    for (at, leg) in legs.iter().enumerate().filter(|(_, leg)| takes_part(leg)) {
        let &(Some(list), least, weight) = leg else {
            continue;
        };
        for (candidate, part) in leg_parts(list, least, weight, weight_sum, constants) {
            if let Some(slot) = parts.get_mut(candidate as usize) {
                slot[at] = Some(part);
            }
        }
    }

    let mut fused: Vec<Fused> = (0_u32..)
        .zip(parts)
        .zip(ids)
        .filter(|((_, parts), _)| parts.iter().any(Option::is_some))
        .map(
            |((candidate, parts @ [knn_part, bm25_part, sparse_part]), &id)| Fused {
                candidate,
                id,
                knn_part,
                bm25_part,
                sparse_part,
                neighbour_part: None,
                score: parts.into_iter().flatten().sum(),
            },
        )
        .collect();
    fused.sort_by(|a, b| by_score_then_id((a.score, a.id), (b.score, b.id)));
    fused
}

/// Gives every memory of the list a share of the better of its neighbours' scores. `neighbours` holds
/// those of a candidate at its place.
pub fn share_with_neighbours(fused: &mut [Fused], neighbours: &[Neighbours], share: f64) {
    if share <= 0.0 {
        return;
    }
    let mut before: Vec<Option<f64>> = vec![None; neighbours.len()];
    for row in fused.iter() {
        if let Some(slot) = before.get_mut(row.candidate as usize) {
            *slot = Some(row.score);
        }
    }
    for row in fused.iter_mut() {
        let around = neighbours.get(row.candidate as usize);
        row.neighbour_part = around
            .into_iter()
            .flatten()
            .filter_map(|&at| *before.get(at? as usize)?)
            .reduce(f64::max)
            .map(|best| share * best);
        row.score += row.neighbour_part.unwrap_or(0.0);
    }
    fused.sort_by(|a, b| by_score_then_id((a.score, a.id), (b.score, b.id)));
}

/// What a leg gives each of its candidates; `least` is the lowest score that it could give.
fn leg_parts<'a>(
    leg: &'a Leg,
    least: f64,
    weight: f64,
    weight_sum: f64,
    constants: &'a Constants,
) -> impl Iterator<Item = (u32, f64)> + 'a {
    let observed = leg.iter().map(|&(_, s)| s).fold(f64::INFINITY, f64::min);
    let low = match constants.convex_bounds {
        ConvexBounds::Observed => observed,
        // A cosine may lie below its bound by a rounding error.
        ConvexBounds::Theoretical => least.min(observed),
    };
    let high = leg
        .iter()
        .map(|&(_, s)| s)
        .fold(f64::NEG_INFINITY, f64::max);
    leg.iter()
        .enumerate()
        .map(move |(index, &(candidate, score))| {
            let part = match constants.fusion {
                FusionMethod::Rrf => reciprocal_rank(weight, constants.rrf_k, index as u32 + 1),
                FusionMethod::Convex => weight / weight_sum * min_max(score, low, high),
            };
            (candidate, part)
        })
}

/// w / (k + r).
pub fn reciprocal_rank(weight: f64, k: f64, rank: u32) -> f64 {
    weight / (k + f64::from(rank))
}

/// Where a score lies between the lowest and the highest of its list, 0..1; 1 when they are equal.
pub fn min_max(score: f64, low: f64, high: f64) -> f64 {
    if high > low {
        (score - low) / (high - low)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of the two legs of the documented pipeline.
    fn fuse(
        knn: Option<&Leg>,
        bm25: Option<&Leg>,
        ids: &[MemoryId],
        constants: &Constants,
    ) -> Vec<Fused> {
        let lists = LegLists {
            knn,
            bm25,
            sparse: None,
        };
        super::fuse(lists, ids, constants)
    }

    #[test]
    fn the_third_list_counts_as_the_others_do_once_it_has_a_weight() {
        let lists = LegLists {
            knn: Some(&[(0, 0.9), (1, 0.5)]),
            bm25: None,
            sparse: Some(&[(1, 7.0), (2, 3.0)]),
        };
        let of = |sparse_weight: f64, fusion: FusionMethod| {
            let constants = Constants {
                sparse_weight,
                fusion,
                convex_bounds: ConvexBounds::Theoretical,
                ..Constants::default()
            };
            super::fuse(lists, &ids(3), &constants)
        };
        assert_eq!(of(0.0, FusionMethod::Rrf).len(), 2);
        let fused = of(2.0, FusionMethod::Rrf);
        let order: Vec<u32> = fused.iter().map(|row| row.candidate).collect();
        assert_eq!(order, [1, 2, 0]);
        assert_eq!(fused[0].sparse_part, Some(2.0 / 61.0));
        assert!((fused[0].score - (1.0 / 62.0 + 2.0 / 61.0)).abs() < 1e-15);
        let fused = of(1.0, FusionMethod::Convex);
        let part = |candidate: u32| {
            let mut rows = fused.iter();
            rows.find(|row| row.candidate == candidate)
                .unwrap()
                .sparse_part
        };
        assert_eq!((part(1), part(0)), (Some(0.5), None));
        assert!((part(2).unwrap() - 0.5 * 3.0 / 7.0).abs() < 1e-15);
    }

    fn ids(count: usize) -> Vec<MemoryId> {
        (1..=count as i64).map(MemoryId).collect()
    }

    #[test]
    fn reciprocal_rank_fusion_adds_the_places_in_both_lists() {
        let fused = fuse(
            Some(&[(0, 0.9), (1, 0.5)]),
            Some(&[(1, 7.0), (2, 3.0)]),
            &ids(3),
            &Constants::default(),
        );
        let order: Vec<u32> = fused.iter().map(|f| f.candidate).collect();
        assert_eq!(order, [1, 0, 2]);
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-15);
        assert!((fused[1].score - 1.0 / 61.0).abs() < 1e-15);
        assert_eq!(fused[1].bm25_part, None);
    }

    #[test]
    fn weight_zero_removes_a_leg() {
        let constants = Constants {
            knn_weight: 0.0,
            ..Constants::default()
        };
        let fused = fuse(Some(&[(0, 0.9)]), Some(&[(1, 7.0)]), &ids(2), &constants);
        assert_eq!(fused.len(), 1);
        assert_eq!(fused[0].candidate, 1);
        let neither = Constants {
            knn_weight: 0.0,
            bm25_weight: 0.0,
            ..Constants::default()
        };
        assert!(fuse(Some(&[(0, 0.9)]), Some(&[(1, 7.0)]), &ids(2), &neither).is_empty());
    }

    #[test]
    fn convex_weights_sum_to_one_whoever_takes_part() {
        let constants = Constants {
            fusion: FusionMethod::Convex,
            knn_weight: 3.0,
            bm25_weight: 7.0,
            ..Constants::default()
        };
        let both = fuse(
            Some(&[(0, 0.9), (1, 0.1)]),
            Some(&[(0, 9.0), (1, 1.0)]),
            &ids(2),
            &constants,
        );
        assert!((both[0].score - 1.0).abs() < 1e-12);
        assert!(both[1].score.abs() < 1e-12);
        let alone = fuse(None, Some(&[(0, 9.0), (1, 1.0)]), &ids(2), &constants);
        assert!((alone[0].score - 1.0).abs() < 1e-12);
    }

    #[test]
    fn theoretical_bounds_leave_the_last_candidate_what_its_score_is_worth() {
        let constants = Constants {
            fusion: FusionMethod::Convex,
            convex_bounds: ConvexBounds::Theoretical,
            knn_weight: 0.5,
            bm25_weight: 0.5,
            ..Constants::default()
        };
        let fused = fuse(
            Some(&[(0, 0.6), (1, 0.2)]),
            Some(&[(0, 8.0), (1, 2.0)]),
            &ids(2),
            &constants,
        );
        assert!((fused[0].score - 1.0).abs() < 1e-12);
        // (0.2 + 1) / (0.6 + 1) and 2 / 8, where the observed minimum would give 0 and 0.
        assert!((fused[1].knn_part.unwrap() - 0.5 * 0.75).abs() < 1e-12);
        assert!((fused[1].bm25_part.unwrap() - 0.5 * 0.25).abs() < 1e-12);
        // One candidate alone has the whole scale.
        let alone = fuse(Some(&[(0, -1.0)]), None, &ids(1), &constants);
        assert!((alone[0].score - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_neighbour_gives_a_share_of_what_it_had_before_any_sharing() {
        let found = fuse(
            Some(&[(0, 0.9), (1, 0.7), (2, 0.5), (3, 0.4)]),
            None,
            &ids(5),
            &Constants::default(),
        );
        // 1 stands between 0 and 2; 3's neighbour was not found; 4 is in no list.
        let around = [
            [None, Some(1)],
            [Some(0), Some(2)],
            [Some(1), None],
            [None, Some(4)],
            [Some(3), None],
        ];
        let mut shared = found.clone();
        share_with_neighbours(&mut shared, &around, 0.5);
        let of = |candidate: u32| {
            shared
                .iter()
                .find(|row| row.candidate == candidate)
                .unwrap()
        };
        assert_eq!(shared.len(), 4);
        assert_eq!(of(0).neighbour_part, Some(0.5 * found[1].score));
        assert_eq!(of(1).neighbour_part, Some(0.5 * found[0].score));
        assert_eq!(of(2).neighbour_part, Some(0.5 * found[1].score));
        assert_eq!(of(3).neighbour_part, None);
        assert_eq!(of(3).score, found[3].score);
        assert_eq!(of(1).score, found[1].score + 0.5 * found[0].score);
        // 1/61 without a neighbour falls behind 1/63 + ½ · 1/62, the order follows the new scores.
        let mut alone = found.clone();
        share_with_neighbours(
            &mut alone,
            &[[None, None], [None, Some(2)], [Some(1), None], [None, None]],
            0.5,
        );
        let order: Vec<u32> = alone.iter().map(|row| row.candidate).collect();
        assert_eq!(order, [1, 2, 0, 3]);
        let mut off = found.clone();
        share_with_neighbours(&mut off, &around, 0.0);
        assert_eq!(off, found);
    }

    #[test]
    fn equal_scores_keep_the_order_of_their_ids() {
        let fused = fuse(
            Some(&[(1, 0.5)]),
            Some(&[(0, 3.0)]),
            &ids(2),
            &Constants::default(),
        );
        assert_eq!(fused.iter().map(|f| f.id.0).collect::<Vec<_>>(), [1, 2]);
    }

    /// Distinct candidates in some order with falling scores, as a leg hands them over.
    fn a_leg() -> impl Strategy<Value = Vec<(u32, f64)>> {
        proptest::sample::subsequence((0..30_u32).collect::<Vec<_>>(), 0..20)
            .prop_shuffle()
            .prop_map(|order| {
                order
                    .into_iter()
                    .enumerate()
                    .map(|(place, candidate)| (candidate, 20.0 - place as f64))
                    .collect()
            })
    }

    /// Any way of fusing, with both legs in it.
    fn a_method() -> impl Strategy<Value = Constants> {
        (
            any::<bool>(),
            any::<bool>(),
            0.0..100.0_f64,
            0.1..5.0_f64,
            0.1..5.0_f64,
        )
            .prop_map(
                |(convex, theoretical, rrf_k, knn_weight, bm25_weight)| Constants {
                    fusion: if convex {
                        FusionMethod::Convex
                    } else {
                        FusionMethod::Rrf
                    },
                    convex_bounds: if theoretical {
                        ConvexBounds::Theoretical
                    } else {
                        ConvexBounds::Observed
                    },
                    rrf_k,
                    knn_weight,
                    bm25_weight,
                    ..Constants::default()
                },
            )
    }

    proptest! {
        #[test]
        fn exchanging_the_legs_exchanges_nothing_but_the_parts(
            a in a_leg(), b in a_leg(), k in 0.0..100.0_f64, w in 0.1..5.0_f64, v in 0.1..5.0_f64,
            convex in any::<bool>(),
        ) {
            let method = if convex { FusionMethod::Convex } else { FusionMethod::Rrf };
            // Under theoretical bounds the legs have scales of their own and are not exchangeable.
            let one = Constants { rrf_k: k, knn_weight: w, bm25_weight: v, fusion: method, ..Constants::default() };
            let other = Constants { knn_weight: v, bm25_weight: w, ..one.clone() };
            let straight = fuse(Some(&a), Some(&b), &ids(30), &one);
            let crossed = fuse(Some(&b), Some(&a), &ids(30), &other);
            let scores = |list: &[Fused]| list.iter().map(|f| (f.id, f.score.to_bits())).collect::<Vec<_>>();
            prop_assert_eq!(scores(&straight), scores(&crossed));
        }

        #[test]
        fn the_order_in_which_candidates_are_handed_over_changes_nothing(
            a in a_leg(), b in a_leg(), method in a_method(), seed in any::<u64>(),
        ) {
            // Candidates are numbered anew, and with them their ids.
            let mut places: Vec<u32> = (0..30).collect();
            places.sort_by_key(|at| u64::from(*at + 1).wrapping_mul(seed | 1));
            let moved = |leg: &[(u32, f64)]| -> Vec<(u32, f64)> {
                leg.iter().map(|&(at, score)| (places[at as usize], score)).collect()
            };
            let mut names = ids(30);
            for (at, name) in ids(30).into_iter().enumerate() {
                names[places[at] as usize] = name;
            }
            let scores = |list: Vec<Fused>| list.iter().map(|f| (f.id, f.score.to_bits())).collect::<Vec<_>>();
            prop_assert_eq!(
                scores(fuse(Some(&a), Some(&b), &ids(30), &method)),
                scores(fuse(Some(&moved(&a)), Some(&moved(&b)), &names, &method))
            );
        }

        #[test]
        fn a_higher_score_never_lowers_its_part(
            a in a_leg(), b in a_leg(), method in a_method(), place in 0..19_usize, gain in 0.0..30.0_f64,
        ) {
            prop_assume!(place < a.len());
            let part = |leg: &[(u32, f64)]| {
                let mut leg = leg.to_vec();
                leg.sort_by(|x, y| y.1.total_cmp(&x.1));
                fuse(Some(&leg), Some(&b), &ids(30), &method)
                    .into_iter().find(|f| f.candidate == a[place].0).and_then(|f| f.knn_part)
            };
            let mut better = a.clone();
            better[place].1 += gain;
            prop_assert!(part(&better) >= part(&a));
        }

        #[test]
        fn parts_lie_between_nothing_and_the_share_of_their_leg(
            a in a_leg(), b in a_leg(), method in a_method(),
        ) {
            prop_assume!(method.fusion == FusionMethod::Convex);
            let share = |w: f64| w / (method.knn_weight + method.bm25_weight);
            for row in fuse(Some(&a), Some(&b), &ids(30), &method) {
                for (part, w) in [(row.knn_part, method.knn_weight), (row.bm25_part, method.bm25_weight)] {
                    prop_assert!(part.is_none_or(|part| (0.0..=share(w) + 1e-12).contains(&part)));
                }
            }
        }

        #[test]
        fn under_theoretical_bounds_a_worse_candidate_moves_nobody(
            a in a_leg(), b in a_leg(), knn_weight in 0.1..5.0_f64, bm25_weight in 0.1..5.0_f64,
        ) {
            prop_assume!(a.len() > 1);
            let method = Constants {
                fusion: FusionMethod::Convex,
                convex_bounds: ConvexBounds::Theoretical,
                knn_weight,
                bm25_weight,
                ..Constants::default()
            };
            let parts = |leg: &[(u32, f64)]| {
                let rows = fuse(Some(leg), Some(&b), &ids(30), &method);
                rows.iter().filter_map(|f| Some((f.id, f.knn_part?.to_bits())))
                    .collect::<std::collections::BTreeMap<_, _>>()
            };
            let fewer = &a[..a.len() - 1];
            let whole = parts(&a);
            for (id, part) in parts(fewer) {
                prop_assert_eq!(whole[&id], part);
            }
        }

        #[test]
        fn a_better_place_never_lowers_the_score(
            a in a_leg(), b in a_leg(), constants in a_method(), place in 1..19_usize,
        ) {
            prop_assume!(place < a.len());
            let mut better = a.clone();
            let moved = better[place].0;
            let above = better[place - 1].0;
            better[place].0 = above;
            better[place - 1].0 = moved;
            let score = |leg: &[(u32, f64)]| {
                fuse(Some(leg), Some(&b), &ids(30), &constants)
                    .into_iter().find(|f| f.candidate == moved).map_or(0.0, |f| f.score)
            };
            prop_assert!(score(&better) > score(&a));
        }

        #[test]
        fn every_memory_comes_once_and_the_order_is_total(a in a_leg(), b in a_leg(), constants in a_method()) {
            let fused = fuse(Some(&a), Some(&b), &ids(30), &constants);
            let union: std::collections::BTreeSet<u32> = a.iter().chain(&b).map(|&(c, _)| c).collect();
            let found: std::collections::BTreeSet<u32> = fused.iter().map(|f| f.candidate).collect();
            prop_assert_eq!(fused.len(), union.len());
            prop_assert_eq!(found, union);
            for pair in fused.windows(2) {
                prop_assert!(pair[0].score > pair[1].score
                    || (pair[0].score == pair[1].score && pair[0].id < pair[1].id));
            }
            for item in &fused {
                prop_assert_eq!(item.score, item.knn_part.unwrap_or(0.0) + item.bm25_part.unwrap_or(0.0));
            }
        }
    }
}

//! select: cuts to what is returned, without repetition, and says what fits into a prompt.
//!
//! Rules, in this order:
//! 1. A memory whose content equals that of a better one is a duplicate (if `dedup`), and so is one
//!    that is linked to it as a near duplicate, or to the same third one (see [`crate::alike`]).
//! 2. With MMR off, the best K others are the results, in the reranked order. With MMR on, the
//!    results are picked one by one: argmax λ·rel(d) − (1 − λ)·max over those picked of sim(d, p),
//!    where rel is the reranked score min-max-normalised over the list and sim the cosine of the
//!    memories' vectors. Source: Carbonell and Goldstein, "The Use of MMR", SIGIR 1998.
//! 3. Of the results, whole memories are packed into the token budget in order, each that fits, up
//!    to `context_results` of them. What does not fit, what is flagged, and what lies beyond stays a
//!    result but is not put into the prompt.
//!
//! Inputs: the reranked list, and per candidate its fingerprint, its cost in tokens, whether it is
//! flagged, and similarities. Output: the whole list, best first, with the results marked.
//! Guarantee: pure; no memory is lost; list order is score order; equal scores keep the reranked
//! order; the cost of what is packed never exceeds the budget.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use memory::MemoryId;

use crate::constants::Constants;
use crate::context::pack::{Fate, Purse};
use crate::ids::Fingerprint;
use crate::stage::fusion::min_max;
use crate::stage::rerank::Reranked;
use crate::trace::DropReason;

/// What select must know of the candidates, looked up by their place.
pub trait Lookup {
    /// Equal for memories with the same normalised content, and for near duplicates.
    fn fingerprint(&self, candidate: u32) -> Fingerprint;
    /// Tokens of the memory's entry in a context block.
    fn cost(&self, candidate: u32) -> u32;
    /// The same, and more than any budget for a text that is too long to be put in.
    fn price(&self, candidate: u32) -> u32 {
        self.cost(candidate)
    }
    /// What is left of the token budget for memories.
    fn purse(&self, constants: &Constants) -> Purse;
    /// Waits for approval before it may be injected.
    fn flagged(&self, candidate: u32) -> bool;
    /// Cosine of both vectors; 0 when one has none.
    fn similarity(&self, a: u32, b: u32) -> f64;
    /// How near two duplicates lie; `None` where the content is the same.
    fn nearness(&self, a: u32, b: u32) -> Option<f64>;
}

/// The better memory that a duplicate repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twin {
    /// That memory.
    pub id: MemoryId,
    /// How near both lie; `None` where the content is the same.
    pub similarity: Option<f64>,
}

/// One memory of the last list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selected {
    /// The row as the reranker left it.
    pub reranked: Reranked,
    /// Relevance and redundancy, when MMR is on.
    pub mmr: Option<(f64, f64)>,
    /// The reranked score, or the value of MMR.
    pub score: f64,
    /// Its place among the results, from 0; `None` when it is none.
    pub result: Option<u32>,
    /// Why it is no result, or why a result is not put into the prompt.
    pub dropped: Option<DropReason>,
    /// What a duplicate repeats.
    pub twin: Option<Twin>,
}

impl Selected {
    /// Its name.
    pub fn id(&self) -> MemoryId {
        self.reranked.id()
    }

    fn candidate(&self) -> u32 {
        self.reranked.decayed.fused.candidate
    }

    fn repeats(&mut self, id: MemoryId, similarity: Option<f64>) {
        self.dropped = Some(DropReason::Duplicate);
        self.twin = Some(Twin { id, similarity });
    }
}

/// Cuts a list.
pub fn select(list: &[Reranked], lookup: &impl Lookup, constants: &Constants) -> Vec<Selected> {
    let wanted = constants.results as usize;
    let mut selected: Vec<Selected> = list
        .iter()
        .map(|&reranked| Selected {
            reranked,
            mmr: None,
            score: reranked.score,
            result: None,
            dropped: Some(DropReason::Cutoff),
            twin: None,
        })
        .collect();
    if constants.mmr {
        by_marginal_relevance(&mut selected, lookup, constants, wanted);
    } else {
        by_rank(&mut selected, lookup, constants, wanted);
    }
    pack_results(&mut selected, lookup, constants);
    selected
}

fn by_rank(list: &mut [Selected], lookup: &impl Lookup, constants: &Constants, wanted: usize) {
    let mut seen: Vec<(Fingerprint, MemoryId, u32)> = Vec::with_capacity(wanted);
    for row in list {
        if seen.len() == wanted {
            break;
        }
        let print = lookup.fingerprint(row.candidate());
        let twin = seen.iter().find(|(other, ..)| *other == print);
        if let Some(&(_, id, better)) = twin.filter(|_| constants.dedup) {
            row.repeats(id, lookup.nearness(row.candidate(), better));
            continue;
        }
        row.result = Some(seen.len() as u32);
        row.dropped = None;
        seen.push((print, row.id(), row.candidate()));
    }
}

fn by_marginal_relevance(
    list: &mut [Selected],
    lookup: &impl Lookup,
    constants: &Constants,
    wanted: usize,
) {
    let low = list.iter().map(|r| r.score).fold(f64::INFINITY, f64::min);
    let high = list
        .iter()
        .map(|r| r.score)
        .fold(f64::NEG_INFINITY, f64::max);
    let lambda = constants.mmr_lambda;
    let value = |relevance: f64, redundancy: f64| lambda * relevance - (1.0 - lambda) * redundancy;
    let relevance: Vec<f64> = list.iter().map(|r| min_max(r.score, low, high)).collect();
    // Nothing is picked yet, so nothing is redundant; similarities below 0 count as 0.
    let mut redundancy = vec![0.0_f64; list.len()];

    if constants.dedup {
        let mut seen = HashMap::new();
        for row in list.iter_mut() {
            match seen.entry(lookup.fingerprint(row.candidate())) {
                Entry::Vacant(place) => {
                    place.insert((row.id(), row.candidate()));
                }
                Entry::Occupied(better) => {
                    let (id, better) = *better.get();
                    row.repeats(id, lookup.nearness(row.candidate(), better));
                }
            }
        }
    }
    for pick in 0..wanted {
        let mut best: Option<(usize, f64)> = None;
        for (at, row) in list.iter().enumerate() {
            if row.result.is_some() || row.dropped == Some(DropReason::Duplicate) {
                continue;
            }
            let value = value(relevance[at], redundancy[at]);
            if best.is_none_or(|(_, highest)| value > highest) {
                best = Some((at, value));
            }
        }
        let Some((picked, score)) = best else { break };
        let candidate = list[picked].candidate();
        list[picked].result = Some(pick as u32);
        list[picked].dropped = None;
        list[picked].score = score;
        list[picked].mmr = Some((relevance[picked], redundancy[picked]));
        for (at, row) in list.iter().enumerate() {
            if row.result.is_none() {
                redundancy[at] = redundancy[at].max(lookup.similarity(row.candidate(), candidate));
            }
        }
    }
    for (at, row) in list.iter_mut().enumerate() {
        if row.result.is_none() {
            row.score = value(relevance[at], redundancy[at]);
            row.mmr = Some((relevance[at], redundancy[at]));
        }
    }
    // Stable: rows that are equal in both keep the reranked order.
    list.sort_by(|a, b| {
        let place = |row: &Selected| row.result.unwrap_or(u32::MAX);
        b.score.total_cmp(&a.score).then(place(a).cmp(&place(b)))
    });
}

fn pack_results(list: &mut [Selected], lookup: &impl Lookup, constants: &Constants) {
    let mut results: Vec<&mut Selected> = list.iter_mut().filter(|r| r.result.is_some()).collect();
    results.sort_by_key(|row| row.result);
    let mut open: Vec<&mut Selected> = Vec::with_capacity(results.len());
    for row in results {
        if lookup.flagged(row.candidate()) {
            row.dropped = Some(DropReason::Flagged);
        } else {
            open.push(row);
        }
    }
    let costs: Vec<u32> = open
        .iter()
        .map(|row| lookup.price(row.candidate()))
        .collect();
    let mut purse = lookup.purse(constants);
    let fates = purse.memories(&costs, constants.context_results);
    for (row, fate) in open.into_iter().zip(fates) {
        row.dropped = dropped(fate);
    }
}

/// Why a result is not put into the prompt.
pub(crate) const fn dropped(fate: Fate) -> Option<DropReason> {
    match fate {
        Fate::In => None,
        Fate::Budget => Some(DropReason::Budget),
        Fate::Beyond => Some(DropReason::Beyond),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stage::decay::{Age, Decayed};
    use crate::stage::fusion::Fused;
    use crate::stage::rerank::Made;
    use crate::trace::Undecayed;

    struct Shelf {
        prints: Vec<u8>,
        costs: Vec<u32>,
        flagged: Vec<u32>,
        alike: Vec<(u32, u32)>,
    }

    impl Shelf {
        fn new(count: usize) -> Self {
            Self {
                prints: (0..count as u8).collect(),
                costs: vec![10; count],
                flagged: Vec::new(),
                alike: Vec::new(),
            }
        }
    }

    impl Lookup for Shelf {
        fn fingerprint(&self, candidate: u32) -> Fingerprint {
            [self.prints[candidate as usize]; 16]
        }
        fn cost(&self, candidate: u32) -> u32 {
            self.costs[candidate as usize]
        }
        fn purse(&self, constants: &Constants) -> Purse {
            Purse::new(constants.token_budget, 20)
        }
        fn flagged(&self, candidate: u32) -> bool {
            self.flagged.contains(&candidate)
        }
        fn similarity(&self, a: u32, b: u32) -> f64 {
            if self.alike.contains(&(a.min(b), a.max(b))) {
                0.99
            } else {
                0.1
            }
        }
        fn nearness(&self, a: u32, b: u32) -> Option<f64> {
            self.alike.contains(&(a.min(b), a.max(b))).then_some(0.99)
        }
    }

    fn list(scores: &[f64]) -> Vec<Reranked> {
        scores
            .iter()
            .enumerate()
            .map(|(place, &score)| {
                let fused = Fused {
                    candidate: place as u32,
                    id: MemoryId(place as i64 + 1),
                    knn_part: None,
                    bm25_part: Some(score),
                    sparse_part: None,
                    neighbour_part: None,
                    score,
                };
                let decayed = Decayed {
                    fused,
                    age: Age::Without(Undecayed::Unknown),
                    factor: 1.0,
                    said: 1,
                    authority: 1.0,
                    score,
                };
                Reranked {
                    decayed,
                    made: Made::Decayed,
                    score,
                }
            })
            .collect()
    }

    fn results(selected: &[Selected]) -> Vec<i64> {
        let mut rows: Vec<_> = selected.iter().filter(|r| r.result.is_some()).collect();
        rows.sort_by_key(|r| r.result);
        rows.iter().map(|r| r.id().0).collect()
    }

    #[test]
    fn duplicates_make_room_for_the_next() {
        let mut shelf = Shelf::new(4);
        shelf.prints[1] = 0;
        let constants = Constants {
            results: 2,
            ..Constants::default()
        };
        let selected = select(&list(&[0.9, 0.8, 0.7, 0.6]), &shelf, &constants);
        assert_eq!(results(&selected), [1, 3]);
        assert_eq!(selected[1].dropped, Some(DropReason::Duplicate));
        assert_eq!(selected[3].dropped, Some(DropReason::Cutoff));
        let kept = Constants {
            dedup: false,
            ..constants
        };
        assert_eq!(
            results(&select(&list(&[0.9, 0.8, 0.7, 0.6]), &shelf, &kept)),
            [1, 2]
        );
    }

    #[test]
    fn a_duplicate_names_the_better_one_and_how_near_it_lies() {
        let mut shelf = Shelf::new(5);
        shelf.prints = vec![0, 0, 2, 3, 3];
        shelf.alike = vec![(0, 1)];
        let scores = list(&[0.9, 0.8, 0.7, 0.6, 0.5]);
        for mmr in [false, true] {
            let constants = Constants {
                mmr,
                mmr_lambda: 1.0,
                ..Constants::default()
            };
            let selected = select(&scores, &shelf, &constants);
            assert_eq!(results(&selected), [1, 3, 4], "mmr {mmr}");
            let twin = |id: i64| {
                let row = selected
                    .iter()
                    .find(|row| row.id() == MemoryId(id))
                    .unwrap();
                row.twin.map(|twin| (twin.id.0, twin.similarity))
            };
            assert_eq!(twin(2), Some((1, Some(0.99))));
            assert_eq!(twin(5), Some((4, None)));
            assert_eq!(twin(3), None);
            let all = Constants {
                dedup: false,
                ..constants
            };
            assert_eq!(results(&select(&scores, &shelf, &all)), [1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn mmr_prefers_what_is_new() {
        let mut shelf = Shelf::new(4);
        shelf.alike = vec![(0, 1)];
        let constants = Constants {
            results: 2,
            mmr: true,
            mmr_lambda: 0.5,
            ..Constants::default()
        };
        let selected = select(&list(&[0.9, 0.89, 0.85, 0.1]), &shelf, &constants);
        assert_eq!(results(&selected), [1, 3]);
        let relevance_alone = Constants {
            mmr_lambda: 1.0,
            ..constants
        };
        assert_eq!(
            results(&select(
                &list(&[0.9, 0.89, 0.85, 0.1]),
                &shelf,
                &relevance_alone
            )),
            [1, 2]
        );
    }

    #[test]
    fn flagged_and_oversized_results_stay_out_of_the_prompt_only() {
        let mut shelf = Shelf::new(3);
        shelf.flagged = vec![0];
        shelf.costs = vec![10, 500, 30];
        let constants = Constants {
            results: 3,
            token_budget: 64,
            ..Constants::default()
        };
        let selected = select(&list(&[0.9, 0.8, 0.7]), &shelf, &constants);
        assert_eq!(results(&selected), [1, 2, 3]);
        assert_eq!(
            selected.iter().map(|r| r.dropped).collect::<Vec<_>>(),
            [Some(DropReason::Flagged), Some(DropReason::Budget), None]
        );
    }

    #[test]
    fn the_block_holds_fewer_than_the_list_and_skipped_ones_take_no_place() {
        let mut shelf = Shelf::new(5);
        shelf.flagged = vec![0];
        shelf.costs[1] = 5000;
        let constants = Constants {
            context_results: 2,
            ..Constants::default()
        };
        let selected = select(&list(&[0.9, 0.8, 0.7, 0.6, 0.5]), &shelf, &constants);
        assert_eq!(results(&selected), [1, 2, 3, 4, 5]);
        assert_eq!(
            selected.iter().map(|r| r.dropped).collect::<Vec<_>>(),
            [
                Some(DropReason::Flagged),
                Some(DropReason::Budget),
                None,
                None,
                Some(DropReason::Beyond)
            ]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_list_order_is_score_order(
            mut scores in proptest::collection::vec(-1.0..1.0_f64, 0..40),
            prints in proptest::collection::vec(0..12_u8, 40),
            results_wanted in 1..50_u32, mmr in any::<bool>(), dedup in any::<bool>(), mmr_lambda in 0.0..=1.0_f64,
        ) {
            scores.sort_by(|a, b| b.total_cmp(a));
            let mut shelf = Shelf::new(scores.len());
            shelf.prints = prints;
            shelf.alike = vec![(0, 1), (2, 5)];
            let constants = Constants { results: results_wanted, mmr, dedup, mmr_lambda, ..Constants::default() };
            let selected = select(&list(&scores), &shelf, &constants);
            for pair in selected.windows(2) {
                prop_assert!(pair[0].score >= pair[1].score);
            }
            let mut ids: Vec<i64> = selected.iter().map(|r| r.id().0).collect();
            ids.sort_unstable();
            prop_assert_eq!(ids, (1..=scores.len() as i64).collect::<Vec<_>>());
            let found = results(&selected);
            prop_assert!(found.len() <= results_wanted as usize);
            if dedup {
                let distinct: std::collections::BTreeSet<u8> =
                    found.iter().map(|id| shelf.prints[*id as usize - 1]).collect();
                prop_assert_eq!(distinct.len(), found.len());
                for row in &selected {
                    // What a duplicate repeats is a result, or repeats one itself.
                    prop_assert_eq!(row.twin.is_some(), row.dropped == Some(DropReason::Duplicate));
                }
            }
        }
    }
}

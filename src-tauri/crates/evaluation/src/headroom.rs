//! What a ranking leaves on the table, and which stage left it there.
//!
//! For a judged query: let C be the memories that fusion got, and D all that the legs found however
//! deep. With nDCG* of a set being the nDCG@10 of its best order,
//!
//! 1 = nDCG@10 + (nDCG*(C) − nDCG@10) + (nDCG*(D) − nDCG*(C)) + (1 − nDCG*(D)):
//!
//! what was reached, what a better order of the same candidates would add, what a larger cutoff
//! could add, and what no leg found. A large first gap asks for better ranking, large others
//! for better retrieval. The oracle order is that of "ideal reranking" in cascade ranking; no
//! reranker reaches it, so it bounds what tuning the order can bring.
//!
//! A stage *hurts* a query when the list that leaves it has a lower nDCG@10 than the one that came
//! in; for fusion, which gets several lists, than the best of them. A leg has no list coming in: it
//! hurts when its cutoff leaves a relevant memory out that it had found.

use std::collections::BTreeMap;

use retrieval::stage::Stage;
use retrieval::trace::{StageTrace, Status, Trace};
use serde::Serialize;

use crate::metrics::{self, Judgements};

/// Differences of a score smaller than this are rounding.
const NOTHING: f64 = 1e-9;

/// Less than this is missing: there is nothing to fix.
const ENOUGH: f64 = 0.02;

/// The share of what is missing from which one cause is said to outweigh the other.
const MOST: f64 = 0.6;

/// What one stage did to one query. Every number lies in 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Passage {
    recall_in: f64,
    recall_out: f64,
    ndcg_in: Option<f64>,
    ndcg_out: f64,
}

/// One judged query: what was reached, and what could have been.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryHeadroom {
    /// nDCG@10 of the results, 0..1.
    pub actual: f64,
    /// nDCG@10 of the best order of the candidates that fusion got, 0..1.
    pub oracle: f64,
    /// The same for everything the legs found before their cutoffs, 0..1.
    pub deep: f64,
    stages: BTreeMap<Stage, Passage>,
}

/// What one stage did to all queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageEffect {
    /// Mean recall among what came in, 0..1; for a leg, among all that it found.
    pub recall_in: f64,
    /// Mean recall among what went on, 0..1.
    pub recall_out: f64,
    /// Mean nDCG@10 of the list that came in; absent for a leg, which gets none.
    #[serde(rename = "ndcg@10_in", skip_serializing_if = "Option::is_none")]
    pub ndcg_in: Option<f64>,
    /// Mean nDCG@10 of the list that went on.
    #[serde(rename = "ndcg@10_out")]
    pub ndcg_out: f64,
    /// Queries whose list left it better.
    pub helped: u32,
    /// Queries whose list left it worse.
    pub hurt: u32,
}

/// Where the next improvement lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fix {
    /// Nearly everything that can be had is had; or nothing was measured.
    #[default]
    Nothing,
    /// The candidates are there, in the wrong order.
    Ranking,
    /// What is relevant does not reach fusion.
    Retrieval,
    /// Both about as much.
    Both,
}

/// What all queries leave on the table, as mean nDCG@10: the four parts add up to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Headroom {
    /// Reached.
    pub actual: f64,
    /// Of the best order of the same candidates; `actual` + `ranking`.
    pub oracle: f64,
    /// A better order of the same candidates would add this.
    pub ranking: f64,
    /// Found, but below the legs' cutoffs.
    pub cutoff: f64,
    /// Found by no leg.
    pub unfound: f64,
    /// What to work on.
    pub fix: Fix,
}

/// Looks at one query's trace; `names` gives the judged names of a memory id. `None` when nothing
/// relevant is judged.
pub fn of_trace<'a>(
    trace: &'a Trace,
    judged: &Judgements,
    names: impl Fn(&'a str) -> Vec<String>,
) -> Option<QueryHeadroom> {
    let named =
        |ids: &mut dyn Iterator<Item = &'a str>| -> Vec<String> { ids.flat_map(&names).collect() };
    let all = |part: &'a StageTrace| named(&mut part.items.iter().map(|item| item.id.as_str()));
    let kept = |part: &'a StageTrace| {
        let items = part.items.iter().filter(|item| item.dropped.is_none());
        named(&mut items.map(|item| item.id.as_str()))
    };
    let results = named(&mut trace.results.iter().map(String::as_str));
    let actual = ndcg(&results, judged)?;
    let (knn, bm25) = (trace.stage(Stage::Knn)?, trace.stage(Stage::Bm25)?);
    // Traces from before there was such a leg have none.
    let sparse = trace.stage(Stage::Sparse);
    let mut stages = BTreeMap::new();
    let (mut handed_over, mut deep) = (Vec::new(), Vec::new());
    let mut before = 0.0_f64;
    let sparse = sparse.filter(|leg| leg.status != Status::Skipped);
    for leg in [Some(knn), Some(bm25), sparse].into_iter().flatten() {
        let (found, out) = (all(leg), kept(leg));
        let passed = passage(&found, &out, None, judged)?;
        before = before.max(passed.ndcg_out);
        stages.insert(leg.name, passed);
        handed_over.extend(out);
        deep.extend(found);
    }
    let mut list = handed_over.clone();
    for stage in [Stage::Fusion, Stage::Decay, Stage::Rerank, Stage::Select] {
        let out = match stage {
            Stage::Select => results.clone(),
            _ => all(trace.stage(stage)?),
        };
        let passed = passage(&list, &out, Some(before), judged)?;
        before = passed.ndcg_out;
        list = out;
        stages.insert(stage, passed);
    }
    Some(QueryHeadroom {
        actual,
        // A result always was a candidate, but for the fallback, which has no legs.
        oracle: oracle(&handed_over, judged).max(actual),
        deep: oracle(&[handed_over, deep].concat(), judged).max(actual),
        stages,
    })
}

/// What all queries leave on the table, and what each stage did, in the order of the stages.
pub fn overall(all: &[QueryHeadroom]) -> (Headroom, Vec<(Stage, StageEffect)>) {
    let mean =
        |of: fn(&QueryHeadroom) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let (actual, oracle, deep) = (mean(|q| q.actual), mean(|q| q.oracle), mean(|q| q.deep));
    let found = if all.is_empty() { 0.0 } else { 1.0 };
    let (ranking, missing) = (oracle - actual, found - actual);
    let fix = if missing < ENOUGH {
        Fix::Nothing
    } else if ranking >= MOST * missing {
        Fix::Ranking
    } else if ranking <= (1.0 - MOST) * missing {
        Fix::Retrieval
    } else {
        Fix::Both
    };
    let headroom = Headroom {
        actual,
        oracle,
        ranking,
        cutoff: deep - oracle,
        unfound: found - deep,
        fix,
    };
    let effects = Stage::ALL
        .into_iter()
        .filter_map(|stage| {
            let passages: Vec<Passage> = all
                .iter()
                .filter_map(|query| query.stages.get(&stage).copied())
                .collect();
            (!passages.is_empty()).then(|| (stage, effect(&passages)))
        })
        .collect();
    (headroom, effects)
}

fn effect(passages: &[Passage]) -> StageEffect {
    let count = passages.len() as f64;
    let mean = |of: fn(&Passage) -> f64| passages.iter().map(of).sum::<f64>() / count;
    let tally = |of: fn(&Passage) -> bool| {
        u32::try_from(passages.iter().filter(|p| of(p)).count()).unwrap_or(u32::MAX)
    };
    let ranks = passages.iter().all(|p| p.ndcg_in.is_some());
    StageEffect {
        recall_in: mean(|p| p.recall_in),
        recall_out: mean(|p| p.recall_out),
        ndcg_in: ranks.then(|| mean(|p| p.ndcg_in.unwrap_or_default())),
        ndcg_out: mean(|p| p.ndcg_out),
        helped: tally(|p| {
            p.ndcg_in
                .is_some_and(|before| p.ndcg_out > before + NOTHING)
        }),
        hurt: tally(|p| match p.ndcg_in {
            Some(before) => p.ndcg_out < before - NOTHING,
            None => p.recall_out < p.recall_in - NOTHING,
        }),
    }
}

fn passage(
    before: &[String],
    after: &[String],
    ndcg_in: Option<f64>,
    judged: &Judgements,
) -> Option<Passage> {
    Some(Passage {
        recall_in: recall(before, judged)?,
        recall_out: recall(after, judged)?,
        ndcg_in,
        ndcg_out: ndcg(after, judged)?,
    })
}

fn ndcg(ranked: &[String], judged: &Judgements) -> Option<f64> {
    metrics::score(ranked, judged).map(|scores| scores.ndcg_10)
}

/// Names may come twice where two lists were put together.
fn recall(names: &[String], judged: &Judgements) -> Option<f64> {
    let mut once: Vec<&str> = names.iter().map(String::as_str).collect();
    once.sort_unstable();
    once.dedup();
    metrics::recall(once.into_iter(), judged)
}

/// nDCG@10 of the best order of a set.
fn oracle(names: &[String], judged: &Judgements) -> f64 {
    let grade = |name: &String| judged.get(name).copied().unwrap_or(0);
    let mut once = names.to_vec();
    once.sort_unstable();
    once.dedup();
    once.sort_by_key(|name| std::cmp::Reverse(grade(name)));
    ndcg(&once, judged).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use retrieval::constants::Constants;
    use retrieval::trace::{DropReason, Level, Mode, QueryKind, StageItem, Status};

    use super::*;

    fn part(name: Stage, kept: &[&str], cut: &[&str]) -> StageTrace {
        let item = |id: &&str, dropped| StageItem {
            id: (*id).to_owned(),
            rank: 1,
            score: 0.0,
            terms: Vec::new(),
            dropped,
            reranked: false,
            undecayed: None,
            twin: None,
        };
        let kept = kept.iter().map(|id| item(id, None));
        let cut = cut.iter().map(|id| item(id, Some(DropReason::Cutoff)));
        StageTrace {
            name,
            status: Status::Ok,
            reason: None,
            notes: Vec::new(),
            elapsed_ms: 0.0,
            count_in: 0,
            count_out: 0,
            items: kept.chain(cut).collect(),
        }
    }

    fn trace(stages: Vec<StageTrace>, results: &[&str]) -> Trace {
        Trace {
            query: String::new(),
            now: String::new(),
            mode: Mode::Hybrid,
            effective_mode: Mode::Hybrid,
            query_kind: QueryKind::Conceptual,
            terms: Vec::new(),
            expansion: Vec::new(),
            level: Level::Full,
            constants: Constants::default(),
            model: None,
            index_epoch: 0,
            searchable: 0,
            stages,
            results: results.iter().map(ToString::to_string).collect(),
            lanes: retrieval::lane::Lanes::default(),
        }
    }

    fn judged(names: &[&str]) -> Judgements {
        names.iter().map(|name| ((*name).to_owned(), 1)).collect()
    }

    fn look(trace: &Trace, judged: &Judgements) -> Option<QueryHeadroom> {
        of_trace(trace, judged, |id| vec![id.to_owned()])
    }

    /// One relevant memory (`r`) that the reranker pushes down, one (`c`) cut off, one not found.
    fn story() -> Trace {
        trace(
            vec![
                part(Stage::Knn, &["r", "a", "b"], &["c"]),
                part(Stage::Bm25, &["a", "b"], &[]),
                part(Stage::Fusion, &["a", "r", "b"], &[]),
                part(Stage::Decay, &["r", "a", "b"], &[]),
                part(Stage::Rerank, &["a", "b", "r"], &[]),
                part(Stage::Select, &["a", "b"], &["r"]),
            ],
            &["a", "b"],
        )
    }

    #[test]
    fn what_is_missing_is_split_by_where_it_was_left() {
        let query = look(&story(), &judged(&["r", "c", "n"])).unwrap();
        let (headroom, _) = overall(std::slice::from_ref(&query));
        assert_eq!(headroom.actual, 0.0);
        assert!(headroom.ranking > headroom.cutoff && headroom.cutoff > 0.0);
        assert!(headroom.unfound > 0.0);
        let sum = headroom.actual + headroom.ranking + headroom.cutoff + headroom.unfound;
        assert!((sum - 1.0).abs() < 1e-12, "{headroom:?}");
    }

    #[test]
    fn the_larger_part_says_what_to_fix() {
        let fix = |names: &[&str]| overall(&[look(&story(), &judged(names)).unwrap()]).0.fix;
        assert_eq!(fix(&["r"]), Fix::Ranking);
        assert_eq!(fix(&["c"]), Fix::Retrieval);
        assert_eq!(fix(&["n"]), Fix::Retrieval);
        assert_eq!(fix(&["a"]), Fix::Nothing);
        assert_eq!(
            fix(&["r", "n"]),
            Fix::Ranking,
            "the first place counts most"
        );
        assert_eq!(overall(&[]).0, Headroom::default());
    }

    #[test]
    fn each_stage_is_held_against_what_it_was_given() {
        let queries = [
            look(&story(), &judged(&["r"])).unwrap(),
            look(&story(), &judged(&["c"])).unwrap(),
        ];
        let (_, stages) = overall(&queries);
        let of = |stage: Stage| stages.iter().find(|(name, _)| *name == stage).unwrap().1;
        assert_eq!((of(Stage::Knn).hurt, of(Stage::Knn).ndcg_in), (1, None));
        assert_eq!(
            (of(Stage::Knn).recall_in, of(Stage::Knn).recall_out),
            (1.0, 0.5)
        );
        assert_eq!(of(Stage::Bm25).hurt, 0);
        // The semantic leg alone had it first.
        assert_eq!((of(Stage::Fusion).hurt, of(Stage::Fusion).helped), (1, 0));
        assert_eq!((of(Stage::Decay).hurt, of(Stage::Decay).helped), (0, 1));
        assert_eq!(of(Stage::Rerank).hurt, 1);
        assert_eq!(of(Stage::Select).hurt, 1);
        assert_eq!(
            (of(Stage::Select).recall_in, of(Stage::Select).recall_out),
            (0.5, 0.0)
        );
        assert!(stages.iter().all(|(name, _)| *name != Stage::Route));
    }

    #[test]
    fn a_query_without_a_relevant_memory_says_nothing() {
        assert_eq!(look(&story(), &Judgements::from([("r".into(), 0)])), None);
    }

    proptest! {
        /// Whatever the order, the parts are shares of 1 and the oracle bounds what was reached.
        #[test]
        fn the_parts_are_never_negative(
            knn in Just((0..12u8).collect::<Vec<_>>()).prop_shuffle(),
            bm25 in Just((6..18u8).collect::<Vec<_>>()).prop_shuffle(),
            cut in 0usize..12,
            shown in 0usize..10,
            grades in proptest::collection::btree_map(0..24u8, 0..4i32, 1..12),
        ) {
            let names = |ids: &[u8]| ids.iter().map(|id| format!("d{id}")).collect::<Vec<_>>();
            let (knn, bm25) = (names(&knn), names(&bm25));
            let refs = |all: &[String]| -> Vec<&'static str> {
                all.iter().map(|name| &*name.clone().leak()).collect()
            };
            let (knn, bm25) = (refs(&knn), refs(&bm25));
            let fused: Vec<&str> = bm25[..cut].iter().chain(&knn[..cut]).copied().collect();
            let mut fused = fused;
            let mut seen = std::collections::HashSet::new();
            fused.retain(|name| seen.insert(*name));
            let results = &fused[..shown.min(fused.len())];
            let trace = trace(
                vec![
                    part(Stage::Knn, &knn[..cut], &knn[cut..]),
                    part(Stage::Bm25, &bm25[..cut], &bm25[cut..]),
                    part(Stage::Fusion, &fused, &[]),
                    part(Stage::Decay, &fused, &[]),
                    part(Stage::Rerank, &fused, &[]),
                    part(Stage::Select, results, &[]),
                ],
                results,
            );
            let judged: Judgements = grades.iter().map(|(id, g)| (format!("d{id}"), *g)).collect();
            let Some(query) = look(&trace, &judged) else {
                prop_assert!(judged.values().all(|grade| *grade <= 0));
                return Ok(());
            };
            prop_assert!(query.actual <= query.oracle + 1e-12);
            prop_assert!(query.oracle <= query.deep + 1e-12 && query.deep <= 1.0 + 1e-12);
            let (headroom, _) = overall(&[query]);
            let parts = [headroom.actual, headroom.ranking, headroom.cutoff, headroom.unfound];
            prop_assert!(parts.iter().all(|part| *part >= -1e-12));
            prop_assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}

//! Retrieval metrics by the conventions of trec_eval.
//!
//! Inputs: a ranked list of document names, best first, and the judgements of the query. What is
//! not judged counts as not relevant. A query without a relevant document has no score at all and
//! is left out of every mean.
//!
//! Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with
//! the grade itself as the gain and log₂(rank + 1) as the discount.

use std::collections::BTreeMap;

/// Grades of one query's documents, by name; 0 and below are "not relevant".
pub type Judgements = BTreeMap<String, i32>;

/// Scores of one query, each 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Scores {
    /// Normalised discounted cumulated gain of the first ten.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// Share of the relevant documents among the first ten.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// One over the rank of the first relevant document, 0 when it is not among the first ten.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Whether a relevant document is among the first five.
    #[serde(rename = "success@5")]
    pub success_5: f64,
}

/// Scores a ranked list. `None` when nothing is relevant.
pub fn score(ranked: &[String], judged: &Judgements) -> Option<Scores> {
    let relevant = judged.values().filter(|grade| **grade > 0).count();
    if relevant == 0 {
        return None;
    }
    Some(Scores {
        ndcg_10: ndcg(ranked, judged, 10),
        recall_10: found(ranked, judged, 10) as f64 / relevant as f64,
        mrr_10: first_hit(ranked, judged, 10).map_or(0.0, |rank| 1.0 / rank as f64),
        success_5: f64::from(u8::from(first_hit(ranked, judged, 5).is_some())),
    })
}

/// Share of the relevant documents that a set of candidates holds; `None` when nothing is relevant.
pub fn recall<'a>(candidates: impl Iterator<Item = &'a str>, judged: &Judgements) -> Option<f64> {
    let relevant = judged.values().filter(|grade| **grade > 0).count();
    let hits = candidates.filter(|name| is_relevant(name, judged)).count();
    (relevant > 0).then(|| hits as f64 / relevant as f64)
}

/// The mean of each score.
pub fn mean(scores: &[Scores]) -> Scores {
    let count = scores.len().max(1) as f64;
    let total = |part: fn(&Scores) -> f64| scores.iter().map(part).sum::<f64>() / count;
    Scores {
        ndcg_10: total(|s| s.ndcg_10),
        recall_10: total(|s| s.recall_10),
        mrr_10: total(|s| s.mrr_10),
        success_5: total(|s| s.success_5),
    }
}

fn is_relevant(name: &str, judged: &Judgements) -> bool {
    judged.get(name).is_some_and(|grade| *grade > 0)
}

fn found(ranked: &[String], judged: &Judgements, depth: usize) -> usize {
    ranked
        .iter()
        .take(depth)
        .filter(|name| is_relevant(name, judged))
        .count()
}

fn first_hit(ranked: &[String], judged: &Judgements, depth: usize) -> Option<usize> {
    ranked
        .iter()
        .take(depth)
        .position(|name| is_relevant(name, judged))
        .map(|index| index + 1)
}

fn ndcg(ranked: &[String], judged: &Judgements, depth: usize) -> f64 {
    dcg(ranked, judged, depth) / ideal(judged, depth)
}

/// Discounted cumulated gain of the first `depth` of a list.
pub fn dcg(ranked: &[String], judged: &Judgements, depth: usize) -> f64 {
    gain(
        ranked
            .iter()
            .map(|name| judged.get(name).copied().unwrap_or(0)),
        depth,
    )
}

/// Discounted cumulated gain of the best list there could be; 0 when nothing is relevant.
pub fn ideal(judged: &Judgements, depth: usize) -> f64 {
    let mut grades: Vec<i32> = judged.values().copied().collect();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    gain(grades.into_iter(), depth)
}

fn gain(grades: impl Iterator<Item = i32>, depth: usize) -> f64 {
    grades
        .take(depth)
        .enumerate()
        .map(|(index, grade)| f64::from(grade.max(0)) / (index as f64 + 2.0).log2())
        // Not `sum`, which is −0 for nothing.
        .fold(0.0, |sum, gain| sum + gain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinor::{Metric, PredRelStoreBuilder, TrueRelStoreBuilder};
    use proptest::prelude::*;

    fn names(ids: &[u8]) -> Vec<String> {
        ids.iter().map(|id| format!("d{id}")).collect()
    }

    #[test]
    fn a_perfect_list_scores_one_and_an_unjudged_query_nothing() {
        let judged = Judgements::from([("d1".into(), 3), ("d2".into(), 1), ("d3".into(), 0)]);
        let scores = score(&names(&[1, 2, 3]), &judged).unwrap();
        assert!((scores.ndcg_10 - 1.0).abs() < 1e-12);
        assert!((scores.recall_10 - 1.0).abs() < 1e-12);
        assert!((scores.mrr_10 - 1.0).abs() < 1e-12);
        assert_eq!(score(&names(&[1]), &Judgements::new()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1200))]
        /// Agrees with an independent implementation of the trec_eval conventions.
        #[test]
        fn agrees_with_the_oracle(
            order in Just((0..40u8).collect::<Vec<_>>()).prop_shuffle(),
            length in 1usize..40,
            grades in proptest::collection::btree_map(0..40u8, 0..4i32, 1..20),
        ) {
            let ranked = names(&order[..length]);
            let judged: Judgements = grades.iter().map(|(id, g)| (format!("d{id}"), *g)).collect();
            let mine = score(&ranked, &judged);
            if judged.values().all(|grade| *grade <= 0) {
                prop_assert_eq!(mine, None);
                return Ok(());
            }
            let mine = mine.unwrap();
            let mut gold = TrueRelStoreBuilder::new();
            for (name, grade) in &judged {
                gold.add_record("q", name.as_str(), u32::try_from(*grade).unwrap())
                    .unwrap();
            }
            let mut predicted = PredRelStoreBuilder::new();
            for (index, name) in ranked.iter().enumerate() {
                predicted
                    .add_record("q", name.as_str(), (1000.0 - index as f64).into())
                    .unwrap();
            }
            let (gold, predicted) = (gold.build(), predicted.build());
            let oracle = |metric| elinor::evaluate(&gold, &predicted, metric).unwrap().mean();
            let pairs = [
                (mine.ndcg_10, oracle(Metric::NDCG { k: 10 })),
                (mine.recall_10, oracle(Metric::Recall { k: 10 })),
                (mine.mrr_10, oracle(Metric::RR { k: 10 })),
                (mine.success_5, oracle(Metric::Success { k: 5 })),
            ];
            for (at, (mine, theirs)) in pairs.into_iter().enumerate() {
                prop_assert!((mine - theirs).abs() < 1e-9, "metric {at}");
            }
        }
    }
}

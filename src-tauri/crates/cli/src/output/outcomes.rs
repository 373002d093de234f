//! What a measurement prints.

use inspector::stage::Stage;
use inspector::{Fix, Outcome};
use serde::Serialize;

use super::Output;
use super::print::inline;

impl Output {
    /// What a retrieval set says of constants.
    pub fn outcomes(&self, outcomes: &[Outcome]) {
        match outcomes {
            [outcome] => self.object(outcome, || say_outcome(outcome)),
            several => self.object(&Outcomes { outcomes: several }, || {
                several.iter().for_each(say_outcome);
            }),
        }
    }
}

/// More than one, as one object.
#[derive(Serialize)]
struct Outcomes<'a> {
    outcomes: &'a [Outcome],
}

fn say_outcome(outcome: &Outcome) {
    let scores = &outcome.metrics;
    let changes = outcome.changes.join(" ");
    let blank = if changes.is_empty() { "" } else { " " };
    say!(
        "{}, {}{blank}{}, {} queries: nDCG@10 {:.3}  recall@10 {:.3}  MRR@10 {:.3}  success@5 {:.3}",
        inline(&outcome.set),
        inline(&outcome.preset),
        inline(&changes),
        outcome.queries,
        scores.ndcg_10,
        scores.recall_10,
        scores.mrr_10,
        scores.success_5
    );
    // In the order in which a query passes them.
    for (stage, effect) in Stage::ALL
        .into_iter()
        .filter_map(|stage| outcome.stages.get_key_value(stage.name()))
    {
        let lists = match effect.ndcg_in {
            Some(before) => format!("nDCG@10 in {before:.3}, out {:.3}", effect.ndcg_out),
            None => format!("nDCG@10 out {:.3}", effect.ndcg_out),
        };
        say!(
            "  {stage:<7} recall in {:.3}, out {:.3}; {lists}; helped {}, hurt {}",
            effect.recall_in,
            effect.recall_out,
            effect.helped,
            effect.hurt
        );
    }
    let left = &outcome.headroom;
    say!(
        "  headroom: reached {:.3}, a better order of the same candidates +{:.3}, below the cutoffs +{:.3}, not found {:.3}: {}",
        left.actual,
        left.ranking,
        left.cutoff,
        left.unfound,
        match left.fix {
            Fix::Nothing => "nothing to fix",
            Fix::Ranking => "work on ranking",
            Fix::Retrieval => "work on retrieval",
            Fix::Both => "work on ranking and retrieval",
        }
    );
}

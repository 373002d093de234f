//! Runs the queries of a set and scores what comes back, stage by stage.

use std::collections::BTreeMap;
use std::time::Duration;

use memory::{Filter, Millis};
use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::{Mode, StageTrace, Trace};
use retrieval::{CancelFlag, Engine, Query, RetrievalError};
use serde::Serialize;

use crate::corpus::Corpus;
use crate::dataset::{Dataset, JudgedQuery};
use crate::metrics::{self, Judgements, Scores};

/// How deep each leg is searched.
const DEPTH: u32 = 500;

/// Nothing is cut short while measuring.
const DEADLINE: Duration = Duration::from_mins(10);

/// Mean recall of the relevant documents before and after a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageRecall {
    /// Among what came in.
    pub recall_in: f64,
    /// Among what went on.
    pub recall_out: f64,
}

/// What a set says of some constants.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The set.
    pub set: String,
    /// The preset, as asked for.
    pub preset: String,
    /// What was changed in it, each `constant=value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// Queries measured.
    pub queries: usize,
    /// Their mean scores.
    pub metrics: Scores,
    /// Recall through the pipeline.
    pub stages: BTreeMap<&'static str, StageRecall>,
}

/// Constants to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Name of the preset they come from.
    pub preset: String,
    /// What was changed in it, each `constant=value`.
    pub changes: Vec<String>,
    /// All of them.
    pub constants: Constants,
}

/// Everything one measurement needs.
#[derive(Clone, Copy)]
pub struct Evaluation<'a> {
    /// Answers the queries.
    pub engine: &'a Engine,
    /// The documents.
    pub corpus: &'a Corpus,
    /// The judgements.
    pub set: &'a Dataset,
    /// What is measured, each on the same gathered lists.
    pub variants: &'a [Variant],
    /// The clock.
    pub now: Millis,
}

impl Evaluation<'_> {
    /// Measures the queries: each is gathered once and arranged for every variant, since gathering
    /// and reading cost all the time. Nothing is stored.
    ///
    /// # Errors
    /// When the vault cannot be read.
    pub fn run(
        &self,
        queries: &[&JudgedQuery],
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Vec<Outcome>, RetrievalError> {
        let total = u32::try_from(queries.len()).unwrap_or(u32::MAX);
        let mut tallies: Vec<Tally> = self.variants.iter().map(|_| Tally::default()).collect();
        for (index, query) in (1..).zip(queries) {
            let Some(judged) = self.set.judgements.get(&query.id) else {
                continue;
            };
            let gathered = self.engine.gather(
                &Query {
                    text: query.text.clone(),
                    mode: Mode::Hybrid,
                    filter: Filter {
                        org: Some(query.scope.clone()),
                        ..Filter::default()
                    },
                    depth: DEPTH,
                    now: self.now,
                },
                &CancelFlag::default(),
            )?;
            for (variant, tally) in self.variants.iter().zip(&mut tallies) {
                self.engine
                    .score_window(&gathered, &variant.constants, self.now, DEADLINE);
                let trace = gathered.arrange(&variant.constants, self.now);
                tally.add(self.corpus, &trace, judged);
            }
            progress(index, total);
        }
        Ok(self
            .variants
            .iter()
            .zip(tallies)
            .map(|(variant, tally)| tally.outcome(&self.set.name, variant))
            .collect())
    }
}

/// The scores of one variant so far.
#[derive(Default)]
struct Tally {
    scores: Vec<Scores>,
    recalls: BTreeMap<&'static str, Vec<StageRecall>>,
}

impl Tally {
    fn add(&mut self, corpus: &Corpus, trace: &Trace, judged: &Judgements) {
        let ranked: Vec<String> = trace
            .results
            .iter()
            .flat_map(|id| documents(corpus, id))
            .cloned()
            .collect();
        self.scores.extend(metrics::score(&ranked, judged));
        for stage in &trace.stages {
            if let Some(recall) = stage_recall(corpus, stage, judged) {
                self.recalls
                    .entry(stage.name.name())
                    .or_default()
                    .push(recall);
            }
        }
    }

    fn outcome(self, set: &str, variant: &Variant) -> Outcome {
        Outcome {
            set: set.to_owned(),
            preset: variant.preset.clone(),
            changes: variant.changes.clone(),
            queries: self.scores.len(),
            metrics: metrics::mean(&self.scores),
            stages: self
                .recalls
                .into_iter()
                .map(|(name, all)| (name, mean(&all)))
                .collect(),
        }
    }
}

/// The route stage ranks nothing and has no recall.
fn stage_recall(corpus: &Corpus, stage: &StageTrace, judged: &Judgements) -> Option<StageRecall> {
    if stage.name == Stage::Route {
        return None;
    }
    let names = |kept_only: bool| {
        stage
            .items
            .iter()
            .filter(move |item| !kept_only || item.dropped.is_none())
            .flat_map(|item| documents(corpus, &item.id))
            .map(String::as_str)
    };
    Some(StageRecall {
        recall_in: metrics::recall(names(false), judged)?,
        recall_out: metrics::recall(names(true), judged)?,
    })
}

fn documents<'a>(corpus: &'a Corpus, id: &str) -> &'a [String] {
    id.parse()
        .ok()
        .and_then(|id| corpus.documents.get(&id))
        .map_or(&[], Vec::as_slice)
}

fn mean(all: &[StageRecall]) -> StageRecall {
    let count = all.len().max(1) as f64;
    StageRecall {
        recall_in: all.iter().map(|r| r.recall_in).sum::<f64>() / count,
        recall_out: all.iter().map(|r| r.recall_out).sum::<f64>() / count,
    }
}

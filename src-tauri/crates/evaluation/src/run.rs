//! Runs the queries of a set and scores what comes back, stage by stage.

use std::collections::BTreeMap;
use std::time::Duration;

use memory::{Filter, Millis};
use retrieval::constants::Constants;
use retrieval::trace::{Mode, Trace};
use retrieval::{CancelFlag, Engine, Query, RetrievalError};
use serde::Serialize;

use crate::corpus::Corpus;
use crate::dataset::{Dataset, JudgedQuery};
use crate::headroom::{self, Headroom, QueryHeadroom, StageEffect};
use crate::metrics::{self, Judgements, Scores};

/// How deep each leg is searched.
const DEPTH: u32 = 500;

/// Nothing is cut short while measuring.
const DEADLINE: Duration = Duration::from_mins(10);

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
    /// What each stage did.
    pub stages: BTreeMap<&'static str, StageEffect>,
    /// What is left on the table, and where.
    pub headroom: Headroom,
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
                    filter: Filter {
                        org: Some(query.scope.clone()),
                        ..Filter::default()
                    },
                    depth: DEPTH,
                    ..Query::new(query.text.as_str(), Mode::Hybrid, self.now)
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
    left: Vec<QueryHeadroom>,
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
        let left = headroom::of_trace(trace, judged, |id| documents(corpus, id).to_vec());
        self.left.extend(left);
    }

    fn outcome(self, set: &str, variant: &Variant) -> Outcome {
        let (headroom, stages) = headroom::overall(&self.left);
        Outcome {
            set: set.to_owned(),
            preset: variant.preset.clone(),
            changes: variant.changes.clone(),
            queries: self.scores.len(),
            metrics: metrics::mean(&self.scores),
            stages: stages
                .into_iter()
                .map(|(stage, effect)| (stage.name(), effect))
                .collect(),
            headroom,
        }
    }
}

fn documents<'a>(corpus: &'a Corpus, id: &str) -> &'a [String] {
    id.parse()
        .ok()
        .and_then(|id| corpus.documents.get(&id))
        .map_or(&[], Vec::as_slice)
}

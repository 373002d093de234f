//! The account of all stages: what was gathered, and how it was ranked.
//!
//! Pure but for the elapsed times, which are measured: the same candidates, constants, clock and
//! reranker scores give the same trace.

use memory::Millis;

use crate::constants::Constants;
use crate::gathered::Gathered;
use crate::lane::Lanes;
use crate::ranking::Ranking;
use crate::report::Report;
use crate::stage::Stage;
use crate::stage::decay::{Age, Decayed};
use crate::stage::fusion::Fused;
use crate::stage::rerank::{Made, Reranked, below_window};
use crate::stage::route::grouped;

use crate::trace::{
    DropReason, Level, QueryKind, RoutedTerm, ScoreTerm, StageItem, StageTrace, Status, TermName,
    Trace, TwinOf, Undecayed,
};

impl Gathered {
    /// Ranks and gives the full account.
    pub fn arrange(&self, constants: &Constants, now: Millis) -> Trace {
        let constants = &constants.clamped();
        let ranking = self.rank(constants, now);
        let level = self.level(&ranking);
        let stages = vec![
            self.route_part(),
            self.knn_part(&ranking, constants),
            self.bm25_part(&ranking, constants),
            self.sparse_part(&ranking, constants),
            fusion_part(&ranking, constants),
            decay_part(&ranking, constants),
            rerank_part(&ranking),
            self.select_part(&ranking, constants),
        ];
        Trace {
            query: self.query.text.clone(),
            now: jiff::Timestamp::from_millisecond(now)
                .map(|stamp| stamp.to_string())
                .unwrap_or_default(),
            mode: self.query.mode,
            effective_mode: self.effective_mode,
            query_kind: self.route.kind,
            terms: self.shown_terms(),
            expansion: self
                .expansion
                .iter()
                .map(|word| word.shown.clone())
                .collect(),
            level,
            constants: constants.clone(),
            model: self.model.clone(),
            index_epoch: u32::try_from(self.epoch).unwrap_or(u32::MAX),
            searchable: self.searchable,
            stages,
            results: ranking
                .results()
                .into_iter()
                .map(|id| id.to_string())
                .collect(),
            lanes: self.lanes_under(constants),
        }
    }

    /// The lanes, saying what of them is in the block.
    fn lanes_under(&self, constants: &Constants) -> Lanes {
        let mut lanes = self.lanes_cut(constants);
        if let Some(lookup) = &mut lanes.memory_lookup {
            let paid = self.research_in(constants);
            for hit in &mut lookup.hits {
                hit.injected = paid.iter().any(|(key, _)| *key == hit.key);
            }
            lookup.tokens = paid.iter().map(|(_, cost)| cost).sum();
        }
        lanes
    }

    fn research_paid(&self, constants: &Constants) -> u32 {
        let paid = self.research_in(constants);
        paid.iter().map(|(_, cost)| cost).sum()
    }

    fn shown_terms(&self) -> Vec<RoutedTerm> {
        self.route
            .terms
            .iter()
            .zip(&self.matched)
            .map(|(term, &matched)| RoutedTerm {
                matched,
                ..term.shown.clone()
            })
            .collect()
    }

    /// How much of the pipeline ran, whether by choice or by failure; the stages say which.
    fn level(&self, ranking: &Ranking) -> Level {
        let blank = self.route.kind == QueryKind::Blank && !self.route.listing;
        if blank || self.route.contradiction {
            return Level::Empty;
        }
        if self.fallback {
            return if self.bm25.is_empty() {
                Level::Empty
            } else {
                Level::Substring
            };
        }
        let semantic =
            self.knn_report.status == Status::Ok || (self.knn_report.ran() && !self.knn.is_empty());
        match (semantic, self.bm25_report.ran()) {
            (true, true) if ranking.rerank_report.ran() => Level::Full,
            (true, true) => Level::NoRerank,
            (false, true) => Level::KeywordOnly,
            (true, false) => Level::SemanticOnly,
            (false, false) => Level::Empty,
        }
    }

    fn route_part(&self) -> StageTrace {
        let asked = self.route.asked().count() as u32;
        let mut notes = self.route.notes.clone();
        notes.extend(self.route_report.notes.iter().cloned());
        StageTrace {
            name: Stage::Route,
            status: self.route_report.status,
            reason: self.route_report.reason.clone(),
            notes,
            elapsed_ms: self.route_report.elapsed_ms,
            count_in: self.route.terms.len() as u32,
            count_out: asked,
            items: Vec::new(),
        }
    }

    fn knn_part(&self, ranking: &Ranking, constants: &Constants) -> StageTrace {
        let cut = ranking.knn_cut.unwrap_or(0);
        let items = (1_u32..)
            .zip(&ranking.lists.knn)
            .map(|(rank, row)| {
                let mut terms = vec![term(TermName::Cosine, row.hit.cosine)];
                terms.extend(row.feedback.map(|mean| term(TermName::Feedback, mean)));
                StageItem {
                    id: row.hit.id.to_string(),
                    rank,
                    score: row.score,
                    terms,
                    dropped: (rank as usize > cut).then_some(DropReason::Cutoff),
                    reranked: false,
                    undecayed: None,
                    twin: None,
                }
            })
            .collect();
        let mut part = part(Stage::Knn, &self.knn_report, self.searchable, cut, items);
        if constants.knn_weight <= 0.0 && self.knn_report.ran() {
            part.notes
                .push("Its weight is 0: it takes no part in the ranking.".to_owned());
        }
        part
    }

    fn bm25_part(&self, ranking: &Ranking, constants: &Constants) -> StageTrace {
        let cut = ranking.bm25_cut.unwrap_or(0);
        let items = (1_u32..)
            .zip(&ranking.lists.bm25)
            .map(|(rank, row)| {
                let parts = &row.parts;
                let named = [
                    (TermName::WordBm25, parts.word),
                    (TermName::TrigramBm25, parts.trigram),
                    (TermName::Inside, parts.inside),
                    (TermName::Substring, parts.substring),
                    (TermName::Exact, parts.exact),
                ];
                StageItem {
                    id: self.ids[row.candidate as usize].to_string(),
                    rank,
                    score: row.score,
                    terms: named
                        .into_iter()
                        .filter(|(_, value)| *value != 0.0)
                        .chain(row.length.map(|factor| (TermName::LengthFactor, factor)))
                        .map(|(name, value)| term(name, value))
                        .collect(),
                    dropped: (rank as usize > cut).then_some(DropReason::Cutoff),
                    reranked: false,
                    undecayed: None,
                    twin: None,
                }
            })
            .collect();
        let mut part = part(Stage::Bm25, &self.bm25_report, self.searchable, cut, items);
        if constants.bm25_weight <= 0.0 && self.bm25_report.ran() {
            part.notes
                .push("Its weight is 0: it takes no part in the ranking.".to_owned());
        }
        part
    }

    fn sparse_part(&self, ranking: &Ranking, constants: &Constants) -> StageTrace {
        let cut = ranking.sparse_cut.unwrap_or(0);
        if constants.sparse_weight <= 0.0 {
            let report = Report {
                elapsed_ms: self.sparse_report.elapsed_ms,
                ..Report::skipped("its weight is 0")
            };
            return part(Stage::Sparse, &report, self.searchable, 0, Vec::new());
        }
        let items = (1_u32..)
            .zip(&ranking.lists.sparse)
            .map(|(rank, row)| StageItem {
                id: self.ids[row.candidate as usize].to_string(),
                rank,
                score: row.score,
                terms: vec![term(TermName::SharedWords, row.score)],
                dropped: (rank as usize > cut).then_some(DropReason::Cutoff),
                reranked: false,
                undecayed: None,
                twin: None,
            })
            .collect();
        part(
            Stage::Sparse,
            &self.sparse_report,
            self.searchable,
            cut,
            items,
        )
    }

    fn select_part(&self, ranking: &Ranking, constants: &Constants) -> StageTrace {
        let mut report = Report::ok();
        let count = |reason: DropReason| {
            ranking
                .selected
                .iter()
                .filter(|row| row.result.is_some() && row.dropped == Some(reason))
                .count()
        };
        let results = ranking
            .selected
            .iter()
            .filter(|row| row.result.is_some())
            .count();
        let (budget, flagged) = (count(DropReason::Budget), count(DropReason::Flagged));
        let beyond = count(DropReason::Beyond);
        let research = self.research_paid(constants);
        let duplicates = ranking
            .selected
            .iter()
            .filter(|row| row.dropped == Some(DropReason::Duplicate))
            .count();
        let near = ranking.selected.iter().filter_map(|row| row.twin);
        let near = near.filter(|twin| twin.similarity.is_some()).count();
        if duplicates > near {
            report.notes.push(format!(
                "{} left out as duplicates of better ones.",
                duplicates - near
            ));
        }
        if near > 0 {
            report.notes.push(format!(
                "{near} left out because better ones say nearly the same."
            ));
        }
        if budget > 0 {
            report.notes.push(format!(
                "{budget} of {results} do not fit into the {} tokens of the context block.",
                grouped(constants.token_budget as usize)
            ));
        }
        if beyond > 0 {
            report.notes.push(format!(
                "{beyond} of {results} lie beyond the {} of the context block.",
                constants.context_results
            ));
        }
        if research > 0 {
            report.notes.push(format!(
                "Past research takes {} of the block’s tokens first.",
                grouped(research as usize)
            ));
        }
        if flagged > 0 {
            report.notes.push(format!(
                "{flagged} flagged: kept out of the context block until approved."
            ));
        }
        if self.tokens_are_estimated() {
            report
                .notes
                .push("Token counts are estimates: no model's tokeniser is loaded.".to_owned());
        }
        report.elapsed_ms = ranking.elapsed_ms[3];
        let items = (1_u32..)
            .zip(&ranking.selected)
            .map(|(rank, row)| {
                let (terms, reranked) = match row.mmr {
                    Some((relevance, redundancy)) => (
                        vec![
                            term(TermName::Relevance, relevance),
                            term(TermName::Redundancy, redundancy),
                        ],
                        matches!(row.reranked.made, Made::Read { .. }),
                    ),
                    None => reranked_terms(&row.reranked),
                };
                StageItem {
                    id: row.id().to_string(),
                    rank,
                    score: row.score,
                    terms,
                    dropped: row.dropped,
                    reranked,
                    undecayed: None,
                    twin: row.twin.map(|twin| TwinOf {
                        id: twin.id.to_string(),
                        similarity: twin.similarity,
                    }),
                }
            })
            .collect();
        part(
            Stage::Select,
            &report,
            ranking.reranked.len() as u32,
            results,
            items,
        )
    }
}

fn fusion_part(ranking: &Ranking, constants: &Constants) -> StageTrace {
    let cuts = [ranking.knn_cut, ranking.bm25_cut, ranking.sparse_cut];
    let handed_over: usize = cuts.into_iter().flatten().sum();
    let mut report = Report::ok();
    if !constants.has_a_leg() {
        report = Report::skipped("every leg has weight 0: give one of them a weight");
    } else if cuts.iter().all(Option::is_none) {
        report = Report::skipped("no leg handed anything over");
    } else {
        if ranking.knn_cut.is_none() {
            report.notes.push("The semantic leg counts 0.".to_owned());
        }
        if ranking.bm25_cut.is_none() {
            report.notes.push("The keyword leg counts 0.".to_owned());
        }
        if ranking.sparse_cut.is_none() && constants.sparse_weight > 0.0 {
            report.notes.push("The sparse leg counts 0.".to_owned());
        }
    }
    let lifted = ranking.fused.iter();
    let lifted = lifted.filter(|row| row.neighbour_part.is_some()).count();
    if lifted > 0 {
        report.notes.push(format!(
            "{lifted} get a share of a neighbour in their session."
        ));
    }
    report.elapsed_ms = ranking.elapsed_ms[0];
    let items = (1_u32..)
        .zip(&ranking.fused)
        .map(|(rank, row)| StageItem {
            id: row.id.to_string(),
            rank,
            score: row.score,
            terms: fused_terms(row),
            dropped: None,
            reranked: false,
            undecayed: None,
            twin: None,
        })
        .collect();
    part(
        Stage::Fusion,
        &report,
        handed_over as u32,
        ranking.fused.len(),
        items,
    )
}

fn decay_part(ranking: &Ranking, constants: &Constants) -> StageTrace {
    let mut report = Report::ok();
    let count =
        |wanted: fn(Age) -> bool| ranking.decayed.iter().filter(|row| wanted(row.age)).count();
    let pinned = count(|age| age == Age::Without(Undecayed::Pinned));
    let evergreen = count(|age| age == Age::Without(Undecayed::Kind));
    let unknown = count(|age| age == Age::Without(Undecayed::Unknown));
    let ahead = count(|age| age == Age::Without(Undecayed::Future));
    let listed = count(|age| age == Age::Without(Undecayed::Listed));
    let own = count(|age| {
        matches!(
            age,
            Age::Days {
                own_half_life: Some(_),
                ..
            }
        )
    });
    if constants.decay_floor >= 1.0 {
        report
            .notes
            .push("The floor is 1: age makes no difference.".to_owned());
    }
    let lifted = ranking.decayed.iter();
    let lifted = lifted.filter(|row| row.authority > 1.0).count();
    let said = [
        (pinned, "pinned: they do not decay."),
        (evergreen, "of a kind that does not decay."),
        (own, "with a half-life of their kind."),
        (unknown, "without a known time count as new."),
        (
            listed,
            "listed in order of time: age counts in no other way.",
        ),
        (ahead, "with a time in the future count as new."),
        (lifted, "said again or pinned: authority lifts them."),
    ];
    report.notes.extend(
        said.iter()
            .filter(|(rows, _)| *rows > 0)
            .map(|(rows, what)| format!("{rows} {what}")),
    );
    report.elapsed_ms = ranking.elapsed_ms[1];
    let items = (1_u32..)
        .zip(&ranking.decayed)
        .map(|(rank, row)| StageItem {
            id: row.id().to_string(),
            rank,
            score: row.score,
            terms: decayed_terms(row),
            dropped: None,
            reranked: false,
            undecayed: match row.age {
                Age::Without(why) => Some(why),
                Age::Days { .. } => None,
            },
            twin: None,
        })
        .collect();
    part(
        Stage::Decay,
        &report,
        ranking.fused.len() as u32,
        ranking.decayed.len(),
        items,
    )
}

fn rerank_part(ranking: &Ranking) -> StageTrace {
    let mut report = ranking.rerank_report.clone();
    report.elapsed_ms += ranking.elapsed_ms[2];
    let items = (1_u32..)
        .zip(&ranking.reranked)
        .map(|(rank, row)| {
            let (terms, reranked) = reranked_terms(row);
            StageItem {
                id: row.id().to_string(),
                rank,
                score: row.score,
                terms,
                dropped: None,
                reranked,
                undecayed: None,
                twin: None,
            }
        })
        .collect();
    part(
        Stage::Rerank,
        &report,
        ranking.decayed.len() as u32,
        ranking.reranked.len(),
        items,
    )
}

fn part(
    name: Stage,
    report: &Report,
    count_in: u32,
    count_out: usize,
    items: Vec<StageItem>,
) -> StageTrace {
    StageTrace {
        name,
        status: report.status,
        reason: report.reason.clone(),
        notes: report.notes.clone(),
        elapsed_ms: report.elapsed_ms,
        count_in,
        count_out: count_out as u32,
        items,
    }
}

fn term(name: TermName, value: f64) -> ScoreTerm {
    ScoreTerm { name, value }
}

fn fused_terms(row: &Fused) -> Vec<ScoreTerm> {
    let mut terms = Vec::with_capacity(4);
    terms.extend(row.knn_part.map(|value| term(TermName::KnnPart, value)));
    terms.extend(row.bm25_part.map(|value| term(TermName::Bm25Part, value)));
    terms.extend(
        row.sparse_part
            .map(|value| term(TermName::SparsePart, value)),
    );
    let neighbour = row.neighbour_part;
    terms.extend(neighbour.map(|value| term(TermName::NeighbourPart, value)));
    terms
}

fn decayed_terms(row: &Decayed) -> Vec<ScoreTerm> {
    let mut terms = fused_terms(&row.fused);
    terms.push(term(TermName::DecayFactor, row.factor));
    if let Age::Days {
        days,
        own_half_life,
    } = row.age
    {
        terms.push(term(TermName::AgeDays, days));
        terms.extend(own_half_life.map(|days| term(TermName::HalfLifeDays, days)));
    }
    if row.authority > 1.0 {
        terms.push(term(TermName::AuthorityFactor, row.authority));
    }
    // Also while authority is off: what it would do can be told from this.
    if row.said > 1 {
        terms.push(term(TermName::TimesSaid, row.said.into()));
    }
    terms
}

fn reranked_terms(row: &Reranked) -> (Vec<ScoreTerm>, bool) {
    match row.made {
        Made::Decayed => (decayed_terms(&row.decayed), false),
        Made::Read {
            reranker,
            length,
            normalised,
        } => {
            let mut terms = vec![
                term(TermName::Reranker, reranker),
                term(TermName::FusedNormalised, normalised),
            ];
            if length < 1.0 {
                terms.push(term(TermName::LengthFactor, length));
            }
            (terms, true)
        }
        Made::Unread { normalised } => (vec![term(TermName::FusedNormalised, normalised)], false),
        Made::Below => {
            debug_assert!(row.score < below_window(1.0) + 1e-9);
            (vec![term(TermName::BelowWindow, row.score)], false)
        }
    }
}

//! Ranks what was gathered: fusion, decay, rerank and select, and the account of all seven stages.
//!
//! Pure but for the elapsed times, which are measured: the same candidates, constants, clock and
//! reranker scores give the same trace.

use std::time::Instant;

use memory::{MemoryId, Millis};

use crate::constants::{Constants, RerankBackend};
use crate::gathered::{Gathered, slot};
use crate::report::Report;
use crate::stage::Stage;
use crate::stage::decay::{Age, Decayed, decay};
use crate::stage::fusion::{Fused, fuse};
use crate::stage::rerank::{Made, Reranked, below_window, rerank, unchanged};
use crate::stage::route::grouped;
use crate::stage::select::{Selected, select};
use crate::trace::{
    DropReason, Level, QueryKind, RoutedTerm, ScoreTerm, StageItem, StageTrace, Status, TermName,
    Trace,
};

/// The lists behind a trace, as numbers.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// How many of the semantic list went on; `None` when that leg takes no part.
    pub knn_cut: Option<usize>,
    /// How many of the keyword list went on.
    pub bm25_cut: Option<usize>,
    /// After fusion.
    pub fused: Vec<Fused>,
    /// After decay.
    pub decayed: Vec<Decayed>,
    /// How the reranker went.
    pub rerank_report: Report,
    /// After the reranker.
    pub reranked: Vec<Reranked>,
    /// After select.
    pub selected: Vec<Selected>,
    /// Milliseconds of fusion, decay, rerank and select.
    elapsed_ms: [f64; 4],
}

impl Ranking {
    /// The final list, best first.
    pub fn results(&self) -> Vec<MemoryId> {
        let mut rows: Vec<&Selected> = self
            .selected
            .iter()
            .filter(|row| row.result.is_some())
            .collect();
        rows.sort_by_key(|row| row.result);
        rows.into_iter().map(Selected::id).collect()
    }

    /// The place of a memory in the final list, from 0.
    pub fn place(&self, id: MemoryId) -> Option<usize> {
        self.selected
            .iter()
            .find(|row| row.id() == id)
            .and_then(|row| row.result)
            .map(|place| place as usize)
    }
}

impl Gathered {
    /// Ranks under these constants and this clock.
    pub fn rank(&self, constants: &Constants, now: Millis) -> Ranking {
        let constants = &constants.clamped();
        let cutoff = constants.leg_cutoff();
        let start = Instant::now();

        let knn: Option<Vec<(u32, f64)>> = (self.knn_report.ran() && constants.knn_weight > 0.0)
            .then(|| {
                self.knn
                    .iter()
                    .take(cutoff)
                    .map(|(at, hit)| (*at, hit.cosine))
                    .collect()
            });
        let bm25: Option<Vec<(u32, f64)>> = (self.bm25_report.ran() && constants.bm25_weight > 0.0)
            .then(|| {
                self.bm25
                    .iter()
                    .take(cutoff)
                    .map(|(at, parts)| (*at, parts.score()))
                    .collect()
            });
        let fused = fuse(knn.as_deref(), bm25.as_deref(), &self.ids, constants);
        let fused_at = Instant::now();

        let decayed = decay(&fused, |candidate| self.times(candidate), constants, now);
        let decayed_at = Instant::now();

        let (rerank_report, reranked) = self.rerank(&decayed, constants);
        let reranked_at = Instant::now();

        let selected = select(&reranked, self, constants);
        let selected_at = Instant::now();

        let ms = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64() * 1000.0;
        Ranking {
            knn_cut: knn.map(|leg| leg.len()),
            bm25_cut: bm25.map(|leg| leg.len()),
            fused,
            decayed,
            rerank_report,
            reranked,
            selected,
            elapsed_ms: [
                ms(start, fused_at),
                ms(fused_at, decayed_at),
                ms(decayed_at, reranked_at),
                ms(reranked_at, selected_at),
            ],
        }
    }

    /// Candidates of the rerank window that the backend in force has not read yet, best first.
    pub fn unread(&self, constants: &Constants, now: Millis) -> Vec<u32> {
        let constants = &constants.clamped();
        let Some(at) = slot(constants.rerank) else {
            return Vec::new();
        };
        if !matches!(&self.rerankers[at], Some(view) if view.abstains.is_none()) {
            return Vec::new();
        }
        let ranking = self.rank(
            &Constants {
                rerank: RerankBackend::Off,
                ..constants.clone()
            },
            now,
        );
        let read = self.pair_scores[at].read();
        ranking
            .decayed
            .iter()
            .take(constants.rerank_window as usize)
            .map(|row| row.fused.candidate)
            .filter(|candidate| !read.scores.contains_key(candidate))
            .collect()
    }

    fn rerank(&self, decayed: &[Decayed], constants: &Constants) -> (Report, Vec<Reranked>) {
        let Some(at) = slot(constants.rerank) else {
            return (Report::skipped("turned off"), unchanged(decayed));
        };
        if constants.rerank_window == 0 {
            return (Report::skipped("the window is 0"), unchanged(decayed));
        }
        let Some(view) = &self.rerankers[at] else {
            let why = match constants.rerank {
                RerankBackend::Embedded => "no embedding model is loaded",
                RerankBackend::CrossEncoder => "no cross-encoder is set up",
                _ => "no reranking service is set up",
            };
            return (Report::failed(why), unchanged(decayed));
        };
        if let Some(why) = &view.abstains {
            return (Report::skipped(why.clone()), unchanged(decayed));
        }
        let read = self.pair_scores[at].read();
        let window = decayed.len().min(constants.rerank_window as usize);
        let unread = decayed[..window]
            .iter()
            .filter(|row| !read.scores.contains_key(&row.fused.candidate))
            .count();
        if unread == window
            && let Some(why) = &read.fault
        {
            let mut report = Report::failed(why.clone());
            report.elapsed_ms = read.elapsed_ms;
            return (report, unchanged(decayed));
        }
        let mut report = Report::ok();
        report.elapsed_ms = read.elapsed_ms;
        report
            .notes
            .push(format!("{} reads the best {window}.", view.name));
        if unread > 0 {
            report.degrade(match &read.fault {
                Some(why) => format!("{unread} of {window} not read: {why}"),
                None => format!("{unread} of {window} not read yet"),
            });
        }
        let list = rerank(
            decayed,
            |candidate| read.scores.get(&candidate).copied(),
            constants,
        );
        (report, list)
    }

    /// Ranks and gives the full account.
    pub fn arrange(&self, constants: &Constants, now: Millis) -> Trace {
        let constants = &constants.clamped();
        let ranking = self.rank(constants, now);
        let level = self.level(&ranking);
        let stages = vec![
            self.route_part(),
            self.knn_part(&ranking, constants),
            self.bm25_part(&ranking, constants),
            self.fusion_part(&ranking, constants),
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
        }
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
        if self.route.kind == QueryKind::Blank || self.route.contradiction {
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
            .zip(&self.knn)
            .map(|(rank, (_, hit))| StageItem {
                id: hit.id.to_string(),
                rank,
                score: hit.cosine,
                terms: vec![term(TermName::Cosine, hit.cosine)],
                dropped: (rank as usize > cut).then_some(DropReason::Cutoff),
                reranked: false,
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
            .zip(&self.bm25)
            .map(|(rank, (at, parts))| {
                let named = [
                    (TermName::WordBm25, parts.word),
                    (TermName::TrigramBm25, parts.trigram),
                    (TermName::Inside, parts.inside),
                    (TermName::Substring, parts.substring),
                    (TermName::Exact, parts.exact),
                ];
                StageItem {
                    id: self.ids[*at as usize].to_string(),
                    rank,
                    score: parts.score(),
                    terms: named
                        .into_iter()
                        .filter(|(_, value)| *value != 0.0)
                        .map(|(name, value)| term(name, value))
                        .collect(),
                    dropped: (rank as usize > cut).then_some(DropReason::Cutoff),
                    reranked: false,
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

    fn fusion_part(&self, ranking: &Ranking, constants: &Constants) -> StageTrace {
        let handed_over = ranking.knn_cut.unwrap_or(0) + ranking.bm25_cut.unwrap_or(0);
        let mut report = Report::ok();
        if constants.knn_weight <= 0.0 && constants.bm25_weight <= 0.0 {
            report = Report::skipped("both legs have weight 0: give one of them a weight");
        } else if ranking.knn_cut.is_none() && ranking.bm25_cut.is_none() {
            report = Report::skipped("no leg handed anything over");
        } else if ranking.knn_cut.is_none() {
            report.notes.push("The semantic leg counts 0.".to_owned());
        } else if ranking.bm25_cut.is_none() {
            report.notes.push("The keyword leg counts 0.".to_owned());
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
        let duplicates = ranking
            .selected
            .iter()
            .filter(|row| row.dropped == Some(DropReason::Duplicate))
            .count();
        if duplicates > 0 {
            report.notes.push(format!(
                "{duplicates} left out as duplicates of better ones."
            ));
        }
        if budget > 0 {
            report.notes.push(format!(
                "{budget} of {results} do not fit into the {} tokens of the context block.",
                grouped(constants.token_budget as usize)
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

fn decay_part(ranking: &Ranking, constants: &Constants) -> StageTrace {
    let mut report = Report::ok();
    let count =
        |wanted: fn(Age) -> bool| ranking.decayed.iter().filter(|row| wanted(row.age)).count();
    let evergreen = count(|age| age == Age::Evergreen);
    let unknown = count(|age| age == Age::Unknown);
    if constants.decay_floor >= 1.0 {
        report
            .notes
            .push("The floor is 1: age makes no difference.".to_owned());
    }
    if evergreen > 0 {
        report
            .notes
            .push(format!("{evergreen} pinned or lasting facts do not decay."));
    }
    if unknown > 0 {
        report
            .notes
            .push(format!("{unknown} without a known time count as new."));
    }
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
    terms
}

fn decayed_terms(row: &Decayed) -> Vec<ScoreTerm> {
    let mut terms = fused_terms(&row.fused);
    terms.push(term(TermName::DecayFactor, row.factor));
    if let Age::Days(days) = row.age {
        terms.push(term(TermName::AgeDays, days));
    }
    terms
}

fn reranked_terms(row: &Reranked) -> (Vec<ScoreTerm>, bool) {
    match row.made {
        Made::Decayed => (decayed_terms(&row.decayed), false),
        Made::Read {
            reranker,
            normalised,
        } => (
            vec![
                term(TermName::Reranker, reranker),
                term(TermName::FusedNormalised, normalised),
            ],
            true,
        ),
        Made::Unread { normalised } => (vec![term(TermName::FusedNormalised, normalised)], false),
        Made::Below => {
            debug_assert!(row.score < below_window(1.0) + 1e-9);
            (vec![term(TermName::BelowWindow, row.score)], false)
        }
    }
}

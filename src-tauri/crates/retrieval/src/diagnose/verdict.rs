//! Every gate between the vault and the results, with the memory's value, the threshold and the
//! margin.
//!
//! The gate that lost a memory is the one where it left the last list that still held it. A leg
//! that did not find it has merely missed it as long as the other leg did; a leg that failed is
//! never "not found".

use std::time::Duration;

use memory::{Memory, MemoryId, Millis, VaultError};

use crate::arrange::Ranking;
use crate::constants::Constants;
use crate::gathered::{Gathered, slot};
use crate::ids::Scope;
use crate::ledger::Ledger;
use crate::mirror::{dot, memory_score};
use crate::pipeline::Engine;
use crate::stage::bm25::combine;
use crate::stage::decay::{Age, age};
use crate::stage::rerank::Made;
use crate::trace::{DropReason, Status, TermKind, TermRoute};

use super::fixes::Fix;

/// The gates, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateName {
    /// The memory is in the vault.
    Stored,
    /// It is not in the trash.
    Trash,
    /// It has not expired.
    Expired,
    /// The filter and the required and excluded terms let it through.
    Scope,
    /// The active model has embedded it.
    Embedded,
    /// The semantic leg hands it over.
    Knn,
    /// The keyword leg hands it over.
    Bm25,
    /// Fusion ranks it within reach.
    Fusion,
    /// Decay leaves it within reach.
    Decay,
    /// The reranker leaves it among the results.
    Rerank,
    /// It is among the best K.
    Select,
    /// No better memory says the same.
    Duplicate,
    /// It fits into the context block.
    Budget,
}

impl GateName {
    /// All gates, in order.
    pub const ALL: [Self; 13] = [
        Self::Stored,
        Self::Trash,
        Self::Expired,
        Self::Scope,
        Self::Embedded,
        Self::Knn,
        Self::Bm25,
        Self::Fusion,
        Self::Decay,
        Self::Rerank,
        Self::Select,
        Self::Duplicate,
        Self::Budget,
    ];

    /// The name at the edge.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Trash => "trash",
            Self::Expired => "expired",
            Self::Scope => "scope",
            Self::Embedded => "embedded",
            Self::Knn => "knn",
            Self::Bm25 => "bm25",
            Self::Fusion => "fusion",
            Self::Decay => "decay",
            Self::Rerank => "rerank",
            Self::Select => "select",
            Self::Duplicate => "duplicate",
            Self::Budget => "budget",
        }
    }
}

/// How a memory passed a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// Passed.
    Ok,
    /// A leg did not hand it over.
    Missed,
    /// Here it left the last list that still held it.
    Lost,
    /// Behind the gate that lost it.
    NotReached,
    /// The gate itself broke.
    Failed,
}

/// One gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Which.
    pub name: GateName,
    /// How it went.
    pub verdict: GateVerdict,
    /// The memory's value here, most often its rank.
    pub value: Option<f64>,
    /// What would have been enough.
    pub threshold: Option<f64>,
    /// How far it is from the threshold; negative = short by.
    pub margin: Option<f64>,
    /// One sentence.
    pub note: String,
}

/// Why a query missed a memory, or that it did not.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The memory.
    pub expected: MemoryId,
    /// Whether it is among the results.
    pub in_results: bool,
    /// The gate that lost it. [`GateName::Budget`] loses a memory to the prompt only: it stays among
    /// the results.
    pub lost_at: Option<GateName>,
    /// One sentence.
    pub headline: String,
    /// All gates, in order.
    pub gates: Vec<Gate>,
    /// For each constant alone, where the memory would be among the results.
    pub fixes: Vec<Fix>,
}

impl Engine {
    /// Why the query does not return this memory under these constants. `deadline` bounds what the
    /// reranker may read for it.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn diagnose(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        deadline: Duration,
    ) -> Result<Verdict, VaultError> {
        let constants = &constants.clamped();
        if gathered.candidate(expected).is_some() && slot(constants.rerank).is_some() {
            // What is unread counts 0, which would flatter every fix.
            let everything = Constants {
                rerank_window: 200,
                ..constants.clone()
            };
            self.score_window(gathered, &everything, now, deadline);
        }
        let ranking = gathered.rank(constants, now);
        let memory = self
            .vault()
            .read(|reader| reader.memories().get(expected))?;
        let mut gates = Gates::default();
        self.doors(gathered, memory.as_ref(), now, &mut gates);
        if gates.lost.is_none() {
            self.legs(gathered, expected, constants, &mut gates)?;
        }
        lists(gathered, expected, constants, now, &ranking, &mut gates);
        let in_results = ranking.place(expected).is_some();
        let fixes = gathered.fixes(expected, constants, now);
        Ok(Verdict {
            expected,
            in_results,
            lost_at: gates.lost,
            headline: headline(&gates, in_results, &ranking, expected),
            gates: gates.complete(),
            fixes,
        })
    }

    /// Stored, trash, expired, scope.
    fn doors(&self, gathered: &Gathered, memory: Option<&Memory>, now: Millis, gates: &mut Gates) {
        let Some(memory) = memory else {
            gates.lost(GateName::Stored, "No memory of this name is in the vault.");
            return;
        };
        gates.ok(GateName::Stored, "It is in the vault.");
        if memory.deleted_at.is_some() {
            gates.lost(GateName::Trash, "It is in the trash: restore it.");
            return;
        }
        gates.ok(GateName::Trash, "It is not in the trash.");
        match memory.expires_at {
            Some(at) if at <= now => {
                let days = (now - at) as f64 / 86_400_000.0;
                gates.lost(GateName::Expired, "It has expired.");
                gates.numbers(-days, 0.0, -days);
                return;
            }
            Some(_) => gates.ok(GateName::Expired, "It has not expired yet."),
            None => gates.ok(GateName::Expired, "It never expires."),
        }
        if gathered.route.contradiction {
            gates.lost(
                GateName::Scope,
                "The query contradicts its own filter: nothing can match.",
            );
        } else if gathered.scope.excluded.contains(memory.id) {
            gates.lost(
                GateName::Scope,
                "It contains a word that the query excludes.",
            );
        } else if !gathered.scope.lets(memory.id) {
            let required = gathered.route.terms.iter().any(|term| term.shown.required);
            gates.lost(
                GateName::Scope,
                if required {
                    "It lies outside the filter, or lacks what the query requires."
                } else {
                    "It lies outside the filter."
                },
            );
        } else {
            gates.ok(GateName::Scope, "The filter lets it through.");
        }
    }

    /// Embedded, knn, bm25.
    fn legs(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        gates: &mut Gates,
    ) -> Result<(), VaultError> {
        let embedded = self.embedded(expected)?;
        match embedded {
            Some(true) => gates.ok(GateName::Embedded, "The active model has embedded it."),
            Some(false) => gates.missed(
                GateName::Embedded,
                "The active model has no vector of it yet.",
            ),
            None => gates.failed(GateName::Embedded, "No embedding model is loaded."),
        }
        let cutoff = constants.leg_cutoff();
        self.knn_gate(
            gathered,
            expected,
            constants,
            cutoff,
            embedded == Some(true),
            gates,
        )?;
        let ledger = self.ledger(gathered, expected)?;
        bm25_gate(gathered, expected, constants, cutoff, &ledger, gates);

        let verdict = |name| gates.verdict(name);
        let (knn, bm25) = (verdict(GateName::Knn), verdict(GateName::Bm25));
        if knn == Some(GateVerdict::Ok) || bm25 == Some(GateVerdict::Ok) {
            return Ok(());
        }
        // No leg hands it over. A leg that failed may have found it; else it was lost where it came
        // nearest, and without any trace of it at the first gate that kept it from being seen.
        let nearness = |name| {
            let gate = gates.list.iter().find(|gate: &&Gate| gate.name == name)?;
            Some(gate.value? / gate.threshold?)
        };
        let loser = match (nearness(GateName::Knn), nearness(GateName::Bm25)) {
            _ if knn == Some(GateVerdict::Failed) => GateName::Knn,
            _ if bm25 == Some(GateVerdict::Failed) => GateName::Bm25,
            (Some(knn), Some(bm25)) if knn <= bm25 => GateName::Knn,
            (_, Some(_)) => GateName::Bm25,
            (Some(_), None) => GateName::Knn,
            (None, None) if embedded == Some(false) && gathered.knn_report.ran() => {
                GateName::Embedded
            }
            (None, None) => GateName::Bm25,
        };
        gates.lose(loser);
        Ok(())
    }

    /// Whether the active model has a vector of it; `None` without a model.
    fn embedded(&self, id: MemoryId) -> Result<Option<bool>, VaultError> {
        let Some(embedder) = self.embedder() else {
            return Ok(None);
        };
        let identity = embedder.identity();
        self.vault().read(|reader| {
            let embeddings = reader.embeddings();
            match embeddings.find(&identity.id, identity.dimension)? {
                Some(row) => Ok(Some(!embeddings.chunks_of(&row, id)?.is_empty())),
                None => Ok(Some(false)),
            }
        })
    }

    fn knn_gate(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        cutoff: usize,
        embedded: bool,
        gates: &mut Gates,
    ) -> Result<(), VaultError> {
        let report = &gathered.knn_report;
        let reason = report.reason.clone().unwrap_or_default();
        match report.status {
            Status::Failed => {
                gates.failed(
                    GateName::Knn,
                    &format!("The semantic leg failed: {reason}."),
                );
                return Ok(());
            }
            Status::Skipped => {
                gates.missed(
                    GateName::Knn,
                    &format!("The semantic leg took no part: {reason}."),
                );
                return Ok(());
            }
            _ if constants.knn_weight <= 0.0 => {
                gates.missed(GateName::Knn, "The semantic leg has weight 0.");
                return Ok(());
            }
            _ => {}
        }
        let listed = gathered.knn.iter().position(|(_, hit)| hit.id == expected);
        let place = match listed {
            Some(at) => Some((at, gathered.knn[at].1.cosine)),
            None if embedded => self.exact_place(gathered, expected)?,
            None => None,
        };
        let Some((nearer, cosine)) = place else {
            gates.missed(GateName::Knn, "Without a vector it cannot be near.");
            return Ok(());
        };
        let rank = nearer + 1;
        let last = gathered
            .knn
            .get(cutoff.min(gathered.knn.len()).saturating_sub(1))
            .map(|(_, hit)| hit.cosine);
        if rank <= cutoff {
            gates.ok(
                GateName::Knn,
                &format!("Rank {rank} of {cutoff}, cosine {cosine:.3}."),
            );
        } else {
            let short = last.map_or(0.0, |last| last - cosine);
            gates.missed(
                GateName::Knn,
                &format!("Rank {rank} of {cutoff}, cosine {cosine:.3}, short by {short:.3}."),
            );
        }
        gates.numbers(rank as f64, cutoff as f64, cutoff as f64 - rank as f64);
        Ok(())
    }

    /// How many memories lie nearer than one beyond the depth, and its cosine.
    fn exact_place(
        &self,
        gathered: &Gathered,
        id: MemoryId,
    ) -> Result<Option<(usize, f64)>, VaultError> {
        let (Some(query), Some(embedder)) = (&gathered.query_vector, self.embedder()) else {
            return Ok(None);
        };
        let identity = embedder.identity();
        if let Some(place) = self.mirror().place(identity, query, id, &gathered.scope) {
            return Ok(Some(place));
        }
        self.vault().read(|reader| {
            let embeddings = reader.embeddings();
            let Some(row) = embeddings.find(&identity.id, identity.dimension)? else {
                return Ok(None);
            };
            let mut cosines: std::collections::HashMap<MemoryId, Vec<f64>> =
                std::collections::HashMap::new();
            let scope: &Scope = &gathered.scope;
            embeddings.for_each(&row, |_, other, vector| {
                if scope.lets(other) {
                    cosines.entry(other).or_default().push(dot(query, vector));
                }
            })?;
            let Some(own) = cosines.remove(&id).map(memory_score) else {
                return Ok(None);
            };
            let nearer = cosines
                .into_iter()
                .map(|(other, cosines)| (other, memory_score(cosines)))
                .filter(|&(other, cosine)| cosine > own || (cosine >= own && other < id))
                .count();
            Ok(Some((nearer, own)))
        })
    }
}

fn bm25_gate(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    cutoff: usize,
    ledger: &Ledger,
    gates: &mut Gates,
) {
    let report = &gathered.bm25_report;
    let reason = report.reason.clone().unwrap_or_default();
    match report.status {
        Status::Failed => {
            gates.failed(
                GateName::Bm25,
                &format!("The keyword leg failed: {reason}."),
            );
            return;
        }
        Status::Skipped => {
            gates.missed(
                GateName::Bm25,
                &format!("The keyword leg took no part: {reason}."),
            );
            return;
        }
        _ if constants.bm25_weight <= 0.0 => {
            gates.missed(GateName::Bm25, "The keyword leg has weight 0.");
            return;
        }
        _ => {}
    }
    let listed = gathered
        .bm25
        .iter()
        .position(|&(at, _)| gathered.ids[at as usize] == expected);
    if let Some(at) = listed {
        let (rank, score) = (at + 1, gathered.bm25[at].1.score());
        if rank <= cutoff {
            gates.ok(
                GateName::Bm25,
                &format!("Rank {rank} of {cutoff}, score {score:.3}."),
            );
        } else {
            let last = gathered.bm25[cutoff - 1].1.score();
            gates.missed(
                GateName::Bm25,
                &format!(
                    "Rank {rank} of {cutoff}, score {score:.3}, short by {:.3}.",
                    last - score
                ),
            );
        }
        gates.numbers(rank as f64, cutoff as f64, cutoff as f64 - rank as f64);
        return;
    }
    let substring: f64 = ledger
        .rows
        .iter()
        .filter(|row| row.index == TermRoute::Substring)
        .map(|row| row.contribution)
        .sum();
    let score = combine(
        ledger.words.sum,
        ledger.trigrams.sum,
        ledger.inside.sum,
        substring,
        0.0,
    );
    if score > 0.0 {
        let depth = gathered.bm25.len();
        gates.missed(
            GateName::Bm25,
            &format!("Beyond rank {depth}, score about {score:.3}."),
        );
        gates.numbers(
            depth as f64 + 1.0,
            cutoff as f64,
            cutoff as f64 - depth as f64 - 1.0,
        );
        return;
    }
    gates.missed(
        GateName::Bm25,
        &format!("No word of the query is in it{}.", why_not(gathered)),
    );
}

/// What became of the query's words, for a memory that holds none of them.
fn why_not(gathered: &Gathered) -> String {
    let mut parts: Vec<String> = Vec::new();
    let named = |wanted: fn(&crate::stage::route::term::Term) -> bool| {
        gathered
            .route
            .terms
            .iter()
            .filter(|term| wanted(term))
            .map(|term| format!("“{}”", term.shown.text))
            .collect::<Vec<_>>()
    };
    let stop = named(|term| term.is_ignored() && term.shown.kind == TermKind::StopWord);
    if !stop.is_empty() {
        parts.push(format!("{} left out as common", stop.join(", ")));
    }
    let nowhere: Vec<String> = gathered
        .route
        .terms
        .iter()
        .zip(&gathered.matched)
        .filter(|(term, matched)| !term.is_ignored() && **matched == Some(0))
        .map(|(term, _)| format!("“{}”", term.shown.text))
        .collect();
    if !nowhere.is_empty() {
        parts.push(format!("{} in no memory at all", nowhere.join(", ")));
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join("; "))
    }
}

/// Fusion, decay, rerank, select, duplicate, budget.
fn lists(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    now: Millis,
    ranking: &Ranking,
    gates: &mut Gates,
) {
    let results = constants.results as usize;
    let reranks = ranking.rerank_report.ran();
    // Rows below the window follow in decayed order, so they may still be results.
    let reach = if reranks {
        results.max(constants.rerank_window as usize)
    } else {
        results
    };
    let rank_in = |position: Option<usize>| position.map(|at| at + 1);
    let fused = rank_in(ranking.fused.iter().position(|row| row.id == expected));
    let decayed = rank_in(ranking.decayed.iter().position(|row| row.id() == expected));
    let (Some(fused), Some(decayed)) = (fused, decayed) else {
        // It came to no list. When no leg lost it, it was changed after the query ran.
        if gates.lost.is_none() {
            gates.lose(GateName::Bm25);
        }
        gates.not_reached(GateName::Fusion, "");
        return;
    };
    let numbers = |gates: &mut Gates, rank: usize, threshold: usize| {
        gates.numbers(
            rank as f64,
            threshold as f64,
            threshold as f64 - rank as f64,
        );
    };
    if fused > reach && decayed > reach {
        gates.lost(
            GateName::Fusion,
            &format!("Rank {fused} after fusion, {reach} are within reach."),
        );
    } else {
        gates.ok(GateName::Fusion, &format!("Rank {fused} after fusion."));
    }
    numbers(gates, fused, reach);
    let old = match age(
        &gathered.times(ranking.decayed[decayed - 1].fused.candidate),
        constants.decay_clock,
        now,
    ) {
        Age::Days(days) => format!(
            "{days:.0} days old, factor {:.3}",
            ranking.decayed[decayed - 1].factor
        ),
        Age::Evergreen => "it does not decay".to_owned(),
        Age::Unknown => "its age is not known".to_owned(),
    };
    if gates.lost.is_some() {
        gates.not_reached(
            GateName::Decay,
            &format!("Rank {decayed} after decay: {old}."),
        );
    } else if decayed > reach {
        gates.lost(
            GateName::Decay,
            &format!("From rank {fused} to {decayed}: {old}."),
        );
    } else {
        gates.ok(
            GateName::Decay,
            &format!("Rank {decayed} after decay: {old}."),
        );
    }
    numbers(gates, decayed, reach);

    let row = ranking.selected.iter().find(|row| row.id() == expected);
    let at = ranking
        .reranked
        .iter()
        .position(|row| row.id() == expected)
        .map_or(decayed, |at| at + 1);
    let is_result = row.is_some_and(|row| row.result.is_some());
    let duplicate = row.is_some_and(|row| row.dropped == Some(DropReason::Duplicate));
    let kept = is_result || duplicate;
    rerank_gate(
        gathered,
        expected,
        constants,
        ranking,
        (decayed, at, kept),
        gates,
    );
    // Duplicates above it do not take places.
    let ahead = ranking
        .selected
        .iter()
        .take_while(|other| other.id() != expected)
        .filter(|other| other.dropped != Some(DropReason::Duplicate))
        .count();
    let place = row
        .and_then(|row| row.result)
        .map_or(ahead, |result| result as usize)
        + 1;
    if gates.lost.is_some() {
        gates.not_reached(GateName::Select, "");
    } else if kept {
        gates.ok(GateName::Select, &format!("Rank {place} of {results}."));
    } else {
        gates.lost(
            GateName::Select,
            &format!("Rank {place}, but only {results} are returned."),
        );
    }
    numbers(gates, place, results);
    if gates.lost.is_some() {
        gates.not_reached(GateName::Duplicate, "");
    } else if duplicate {
        gates.lost(GateName::Duplicate, "A better memory has the same text.");
    } else {
        gates.ok(GateName::Duplicate, "No better memory has the same text.");
    }
    budget_gate(gathered, ranking, expected, constants, gates);
}

fn rerank_gate(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    ranking: &Ranking,
    (decayed, at, kept): (usize, usize, bool),
    gates: &mut Gates,
) {
    let report = &ranking.rerank_report;
    let results = constants.results as usize;
    let reason = report.reason.clone().unwrap_or_default();
    if !report.ran() {
        let note = format!("The reranker did not run: {reason}.");
        if gates.lost.is_some() {
            gates.not_reached(GateName::Rerank, &note);
        } else if report.status == Status::Failed {
            gates.failed(GateName::Rerank, &note);
        } else {
            gates.ok(GateName::Rerank, &note);
        }
        return;
    }
    let read = ranking.reranked.get(at - 1).and_then(|row| match row.made {
        Made::Read { reranker, .. } => Some(reranker),
        _ => None,
    });
    let said = read.map_or(String::new(), |score| format!(", read as {score:.3}"));
    if gates.lost.is_some() {
        gates.not_reached(
            GateName::Rerank,
            &would_be(gathered, expected, constants, ranking),
        );
    } else if !kept && decayed <= results && at > results {
        gates.lost(
            GateName::Rerank,
            &format!("From rank {decayed} to {at}{said}."),
        );
    } else {
        gates.ok(
            GateName::Rerank,
            &format!("From rank {decayed} to {at}{said}."),
        );
    }
    gates.numbers(at as f64, results as f64, results as f64 - at as f64);
}

/// What the reranker would have made of a memory below its window.
fn would_be(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    ranking: &Ranking,
) -> String {
    let score = slot(constants.rerank)
        .zip(gathered.candidate(expected))
        .and_then(|(at, candidate)| {
            gathered.pair_scores[at]
                .read()
                .scores
                .get(&candidate)
                .copied()
        });
    match score {
        Some(score) => {
            // Below the window its decayed score would be the lowest of all.
            let blended = constants.rerank_blend * score;
            let place = ranking
                .reranked
                .iter()
                .filter(|row| {
                    row.id() != expected && row.made != Made::Below && row.score >= blended
                })
                .count();
            format!("Would be rank {} if read ({score:.3}).", place + 1)
        }
        None => "It was not read.".to_owned(),
    }
}

fn budget_gate(
    gathered: &Gathered,
    ranking: &Ranking,
    expected: MemoryId,
    constants: &Constants,
    gates: &mut Gates,
) {
    use crate::stage::select::Lookup;
    if gates.lost.is_some() {
        gates.not_reached(GateName::Budget, "");
        return;
    }
    let Some(row) = ranking.selected.iter().find(|row| row.id() == expected) else {
        return;
    };
    let cost = gathered.cost(row.reranked.decayed.fused.candidate);
    match row.dropped {
        Some(DropReason::Budget) => gates.lost(
            GateName::Budget,
            &format!("Among the results, but its {cost} tokens do not fit into the context block."),
        ),
        Some(DropReason::Flagged) => {
            gates.lost(
                GateName::Budget,
                "Among the results, but flagged: not injected before it is approved.",
            );
        }
        _ => gates.ok(
            GateName::Budget,
            &format!("Its {cost} tokens fit into the context block."),
        ),
    }
    gates.numbers(
        f64::from(cost),
        f64::from(constants.token_budget),
        f64::from(constants.token_budget) - f64::from(cost),
    );
}

fn headline(gates: &Gates, in_results: bool, ranking: &Ranking, expected: MemoryId) -> String {
    match gates.lost {
        None => {
            let place = ranking.place(expected).map_or(0, |at| at + 1);
            format!("It is among the results, at rank {place}.")
        }
        Some(name) => {
            let note = gates
                .list
                .iter()
                .find(|gate| gate.name == name)
                .map_or("", |gate| gate.note.as_str());
            if in_results {
                note.to_owned()
            } else {
                format!("Lost at {}: {note}", name.as_str())
            }
        }
    }
}

/// The gates so far.
#[derive(Default)]
struct Gates {
    list: Vec<Gate>,
    lost: Option<GateName>,
}

impl Gates {
    fn push(&mut self, name: GateName, verdict: GateVerdict, note: &str) {
        self.list.push(Gate {
            name,
            verdict,
            value: None,
            threshold: None,
            margin: None,
            note: note.to_owned(),
        });
    }

    fn ok(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Ok, note);
    }

    fn missed(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Missed, note);
    }

    fn failed(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Failed, note);
    }

    fn lost(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Lost, note);
        self.lost = Some(name);
    }

    /// Names an earlier gate as the one that lost it; a gate that failed stays failed.
    fn lose(&mut self, name: GateName) {
        self.lost = Some(name);
        if let Some(gate) = self.list.iter_mut().find(|gate| gate.name == name)
            && gate.verdict != GateVerdict::Failed
        {
            gate.verdict = GateVerdict::Lost;
        }
    }

    /// A gate behind the one that lost it.
    fn not_reached(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::NotReached, note);
    }

    fn numbers(&mut self, value: f64, threshold: f64, margin: f64) {
        if let Some(gate) = self.list.last_mut() {
            gate.value = Some(value);
            gate.threshold = Some(threshold);
            gate.margin = Some(margin);
        }
    }

    /// All gates in order; those that were never looked at lie behind the one that lost it.
    fn complete(self) -> Vec<Gate> {
        GateName::ALL
            .into_iter()
            .map(|name| {
                let found = self.list.iter().find(|gate| gate.name == name).cloned();
                let mut gate = found.unwrap_or(Gate {
                    name,
                    verdict: GateVerdict::NotReached,
                    value: None,
                    threshold: None,
                    margin: None,
                    note: String::new(),
                });
                if gate.note.is_empty() {
                    "Not reached.".clone_into(&mut gate.note);
                }
                gate
            })
            .collect()
    }

    fn verdict(&self, name: GateName) -> Option<GateVerdict> {
        self.list
            .iter()
            .find(|gate| gate.name == name)
            .map(|gate| gate.verdict)
    }
}

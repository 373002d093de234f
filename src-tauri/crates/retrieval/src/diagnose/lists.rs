//! The gates of the lists behind the legs: fusion, decay, rerank, select, duplicate, budget.

use memory::{MemoryId, Millis};

use crate::constants::Constants;
use crate::gathered::{Gathered, slot};
use crate::ranking::Ranking;
use crate::stage::decay::{Age, age};
use crate::stage::rerank::{Made, length_factor};
use crate::stage::select::Lookup;
use crate::trace::Undecayed;
use crate::trace::{DropReason, Status};

use super::gate::{GateName, Gates};

/// Fusion, decay, rerank, select, duplicate, budget.
pub(super) fn lists(
    gathered: &Gathered,
    expected: MemoryId,
    constants: &Constants,
    now: Millis,
    ranking: &Ranking,
    gates: &mut Gates,
) {
    let results = constants.results as usize;
    let report = &ranking.rerank_report;
    // Rows below the window follow in decayed order, so they may still be results. One that failed
    // was to read its window: what lies in it was not lost before.
    let reach = if report.ran() || report.status == Status::Failed {
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
    if fused > reach && decayed > reach {
        gates.lost(
            GateName::Fusion,
            &format!("Rank {fused} after fusion, {reach} are within reach."),
        );
    } else {
        gates.ok(GateName::Fusion, &format!("Rank {fused} after fusion."));
    }
    gates.place(fused, reach);
    let row = &ranking.decayed[decayed - 1];
    let old = match age(&gathered.times(row.fused.candidate), constants, now) {
        Age::Days { days, .. } => format!("{days:.0} days old, factor {:.3}", row.factor),
        Age::Without(Undecayed::Pinned) => "pinned, it does not decay".to_owned(),
        Age::Without(Undecayed::Kind) => "its kind does not decay".to_owned(),
        Age::Without(Undecayed::Unknown) => "its age is not known".to_owned(),
        Age::Without(Undecayed::Future) => "its time lies ahead, it counts as new".to_owned(),
        Age::Without(Undecayed::Listed) => "listed in order of time, it does not decay".to_owned(),
    };
    let old = if row.authority > 1.0 {
        format!(
            "{old}; counts as said {} times, factor {:.3}",
            row.said, row.authority
        )
    } else {
        old
    };
    if gates.lost.is_some() {
        gates.not_reached(
            GateName::Decay,
            &format!("Rank {decayed} after decay: {old}."),
        );
    } else if decayed > reach {
        let line = if ranking.rerank_report.ran() {
            format!("the reranker reads {reach}")
        } else {
            format!("{reach} are returned")
        };
        gates.lost(
            GateName::Decay,
            &format!("From rank {fused} to {decayed} ({old}), and {line}."),
        );
    } else {
        gates.ok(
            GateName::Decay,
            &format!("Rank {decayed} after decay: {old}."),
        );
    }
    gates.place(decayed, reach);

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
        let returned = ranking.selected.iter().filter(|row| row.result.is_some());
        let returned = returned.count();
        gates.ok(GateName::Select, &format!("Rank {place} of {returned}."));
    } else {
        gates.lost(
            GateName::Select,
            &format!("Rank {place}, but only {results} are returned."),
        );
    }
    gates.place(place, results);
    if gates.lost.is_some() {
        gates.not_reached(GateName::Duplicate, "");
    } else if let Some(twin) = row.and_then(|row| row.twin) {
        let said = match twin.similarity {
            Some(similarity) => format!(
                "{} ranks better and says nearly the same (cosine {similarity:.3}); kept apart, both would be results.",
                twin.id
            ),
            None => format!("{} ranks better and has the same text.", twin.id),
        };
        gates.lost(GateName::Duplicate, &said);
    } else {
        gates.ok(GateName::Duplicate, "No better memory says the same.");
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
        } else if report.status == Status::Failed && !kept && at > results {
            gates.failed(
                GateName::Rerank,
                &format!("{note} So rank {at} after decay stands, and {results} are returned."),
            );
            gates.lose(GateName::Rerank);
        } else if report.status == Status::Failed {
            gates.failed(GateName::Rerank, &note);
        } else {
            gates.ok(GateName::Rerank, &note);
        }
        return;
    }
    let read = ranking.reranked.get(at - 1).and_then(|row| match row.made {
        Made::Read {
            reranker, length, ..
        } => Some(reranker * length),
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
    gates.place(at, results);
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
                .map(|score| {
                    let length = gathered.text_length(candidate);
                    score * length_factor(length, constants.rerank_long)
                })
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
        Some(DropReason::Beyond) => gates.missed(
            GateName::Budget,
            &format!(
                "Among the results, but the context block holds the best {}.",
                constants.context_results
            ),
        ),
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

//! The gates of the legs: embedded, knn, bm25, sparse.

use memory::{MemoryId, VaultError};

use crate::constants::Constants;
use crate::engine::Engine;
use crate::gathered::Gathered;
use crate::ids::Scope;
use crate::ledger::{Ledger, SharedWord};
use crate::lists::Lists;
use crate::mirror::{dot, memory_score};
use crate::report::Report;
use crate::stage::bm25::combine;
use crate::trace::{Status, TermKind, TermRoute};

use super::gate::{Gate, GateName, GateVerdict, Gates};

/// In the order of [`Constants::leg_weights`].
const LEGS: [GateName; 3] = [GateName::Knn, GateName::Bm25, GateName::Sparse];

impl Engine {
    /// Embedded, knn, bm25, sparse.
    pub(super) fn legs(
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
        let lists = gathered.lists(constants);
        self.knn_gate(
            gathered,
            &lists,
            expected,
            constants,
            embedded == Some(true),
            gates,
        )?;
        let ledger = self.ledger(gathered, expected)?;
        bm25_gate(
            gathered, &lists, expected, constants, cutoff, &ledger, gates,
        );

        sparse_gate(
            gathered, &lists, expected, constants, cutoff, &ledger, gates,
        );

        let any = |wanted: GateVerdict| {
            let mut names = LEGS.into_iter();
            names.find(|name| gates.verdict(*name) == Some(wanted))
        };
        if any(GateVerdict::Ok).is_some() {
            return Ok(());
        }
        // No leg hands it over. A leg that failed may have found it; else it was lost where it came
        // nearest, and without any trace of it at the first gate that kept it from being seen.
        let nearness = |name: GateName| {
            let gate = gates.list.iter().find(|gate: &&Gate| gate.name == name)?;
            Some((name, gate.value? / gate.threshold?))
        };
        let nearest = LEGS
            .into_iter()
            .filter_map(nearness)
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let loser = match (any(GateVerdict::Failed), nearest) {
            (Some(failed), _) => failed,
            (None, Some((nearest, _))) => nearest,
            (None, None) if embedded == Some(false) && gathered.knn_report.ran() => {
                GateName::Embedded
            }
            (None, None) if constants.bm25_weight > 0.0 => GateName::Bm25,
            (None, None) => LEGS
                .into_iter()
                .zip(constants.leg_weights())
                .find_map(|(name, weight)| (weight > 0.0).then_some(name))
                .unwrap_or(GateName::Bm25),
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
        lists: &Lists,
        expected: MemoryId,
        constants: &Constants,
        embedded: bool,
        gates: &mut Gates,
    ) -> Result<(), VaultError> {
        let cutoff = constants.leg_cutoff();
        let report = &gathered.knn_report;
        if !ran(GateName::Knn, "semantic", report, gates) {
            return Ok(());
        }
        if constants.knn_weight <= 0.0 {
            gates.missed(GateName::Knn, "The semantic leg has weight 0.");
            return Ok(());
        }
        let list = &lists.knn;
        let listed = list.iter().position(|row| row.hit.id == expected);
        let place = match listed {
            Some(at) => Some((at, list[at].score)),
            None if embedded => self.exact_place(gathered, expected)?,
            None => None,
        };
        let Some((nearer, cosine)) = place else {
            gates.missed(GateName::Knn, "Without a vector it cannot be near.");
            return Ok(());
        };
        let rank = nearer + 1;
        let last = list
            .get(cutoff.min(list.len()).saturating_sub(1))
            .map(|row| row.score);
        if rank <= cutoff {
            gates.ok(
                GateName::Knn,
                &format!("Rank {rank} of {}, cosine {cosine:.3}.", list.len()),
            );
        } else {
            let short = last.map_or(0.0, |last| last - cosine);
            gates.missed(
                GateName::Knn,
                &format!(
                    "Rank {rank}, but only {cutoff} go on; cosine {cosine:.3}, short by {short:.3}."
                ),
            );
        }
        gates.place(rank, cutoff);
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

/// Whether a leg ran; where it did not, the gate says why.
fn ran(gate: GateName, leg: &str, report: &Report, gates: &mut Gates) -> bool {
    let reason = report.reason.as_deref().unwrap_or_default();
    match report.status {
        Status::Failed => gates.failed(gate, &format!("The {leg} leg failed: {reason}.")),
        Status::Skipped => {
            gates.missed(gate, &format!("The {leg} leg took no part: {reason}."));
        }
        Status::Ok | Status::Degraded => return true,
    }
    false
}

fn bm25_gate(
    gathered: &Gathered,
    lists: &Lists,
    expected: MemoryId,
    constants: &Constants,
    cutoff: usize,
    ledger: &Ledger,
    gates: &mut Gates,
) {
    let report = &gathered.bm25_report;
    if !ran(GateName::Bm25, "keyword", report, gates) {
        return;
    }
    if constants.bm25_weight <= 0.0 {
        gates.missed(GateName::Bm25, "The keyword leg has weight 0.");
        return;
    }
    let listed = lists
        .bm25
        .iter()
        .position(|row| gathered.ids[row.candidate as usize] == expected);
    if let Some(at) = listed {
        let (rank, score) = (at + 1, lists.bm25[at].score);
        if rank <= cutoff {
            gates.ok(
                GateName::Bm25,
                &format!("Rank {rank} of {}, score {score:.3}.", lists.bm25.len()),
            );
        } else {
            let last = lists.bm25[cutoff - 1].score;
            gates.missed(
                GateName::Bm25,
                &format!(
                    "Rank {rank}, but only {cutoff} go on; score {score:.3}, short by {:.3}.",
                    last - score
                ),
            );
        }
        gates.place(rank, cutoff);
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
        gates.place(depth + 1, cutoff);
        gates.beyond();
        return;
    }
    gates.missed(
        GateName::Bm25,
        &format!("No word of the query is in it{}.", why_not(gathered)),
    );
}

fn sparse_gate(
    gathered: &Gathered,
    lists: &Lists,
    expected: MemoryId,
    constants: &Constants,
    cutoff: usize,
    ledger: &Ledger,
    gates: &mut Gates,
) {
    let report = &gathered.sparse_report;
    let score = ledger.shared_sum();
    let most = ledger.shared.first().map(|most| by_word(most, score));
    if constants.sparse_weight <= 0.0 {
        let would = most.map_or(String::new(), |by| {
            format!("; it would give {score:.3}, {by}")
        });
        gates.missed(
            GateName::Sparse,
            &format!("The sparse leg has weight 0{would}."),
        );
        return;
    }
    if !ran(GateName::Sparse, "sparse", report, gates) {
        return;
    }
    let Some(by) = most else {
        gates.missed(
            GateName::Sparse,
            "It shares no word with the query, typed or added.",
        );
        return;
    };
    let listed = lists
        .sparse
        .iter()
        .position(|row| gathered.ids[row.candidate as usize] == expected);
    let Some(at) = listed else {
        let depth = lists.sparse.len();
        gates.missed(
            GateName::Sparse,
            &format!("Beyond rank {depth}, {score:.3}, {by}."),
        );
        gates.place(depth + 1, cutoff);
        gates.beyond();
        return;
    };
    let rank = at + 1;
    if rank <= cutoff {
        gates.ok(
            GateName::Sparse,
            &format!("Rank {rank} of {}, {score:.3}, {by}.", lists.sparse.len()),
        );
    } else {
        gates.missed(
            GateName::Sparse,
            &format!(
                "Rank {rank}, but only {cutoff} go on; {score:.3}, {by}, short by {:.3}.",
                lists.sparse[cutoff - 1].score - score
            ),
        );
    }
    gates.place(rank, cutoff);
}

/// Which word carries most of the sum.
fn by_word(most: &SharedWord, score: f64) -> String {
    let share = 100.0 * most.product() / score;
    let whose = if most.typed {
        "which was typed"
    } else {
        "which the model added"
    };
    format!("{share:.0} % of it by “{}”, {whose}", most.word)
}

/// What became of the query's words, for a memory that holds none of them.
fn why_not(gathered: &Gathered) -> String {
    let mut parts: Vec<String> = Vec::new();
    let named = |wanted: fn(&crate::stage::route::term::Term) -> bool| {
        let mut words: Vec<String> = Vec::new();
        for term in gathered.route.terms.iter().filter(|term| wanted(term)) {
            let word = format!("“{}”", term.shown.text);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
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

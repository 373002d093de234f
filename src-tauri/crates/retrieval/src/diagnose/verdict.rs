//! Every gate between the vault and the results, with the memory's value, the threshold and the
//! margin.
//!
//! The gate that lost a memory is the one where it left the last list that still held it. A leg
//! that did not find it has merely missed it as long as the other leg did; a leg that failed is
//! never "not found".

use std::time::Duration;

use memory::{Memory, MemoryId, Millis, VaultError};

use crate::constants::{Constants, Tunable};
use crate::engine::Engine;
use crate::gathered::{Gathered, slot};
use crate::ranking::Ranking;

use super::fixes::Fix;
use super::gate::{Gate, GateName, Gates};
use super::lists::lists;

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
        self.read_all(gathered, expected, constants, now, deadline);
        let ranking = gathered.rank(constants, now);
        let memory = self
            .vault()
            .read(|reader| reader.memories().get(expected))?;
        let mut gates = Gates::default();
        doors(gathered, memory.as_ref(), now, &mut gates);
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

    /// Lets the reranker read whatever a fix could bring into its window: what is unread counts 0,
    /// which would flatter every fix.
    pub(super) fn read_all(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        deadline: Duration,
    ) {
        if gathered.candidate(expected).is_some() && slot(constants.rerank).is_some() {
            let (_, widest) = Tunable::RerankWindow.range();
            let everything = Tunable::RerankWindow.set(constants, widest);
            self.score_window(gathered, &everything, now, deadline);
        }
    }
}

/// Stored, trash, expired, scope.
fn doors(gathered: &Gathered, memory: Option<&Memory>, now: Millis, gates: &mut Gates) {
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
            let day = crate::candidate::day(at);
            let why = if memory.tags.iter().any(|tag| tag == memory::TAKEN_BACK) {
                format!(
                    "Its turn was taken back in the agent on {day}: ask with tag:{}, or give it \
                     a later end.",
                    memory::TAKEN_BACK
                )
            } else {
                format!("It expired on {day}: give it a later end, or none.")
            };
            gates.lost(GateName::Expired, &why);
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
                format!("Lost at {}. {note}", name.as_str())
            }
        }
    }
}

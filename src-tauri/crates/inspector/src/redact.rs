//! A trace for a bug report: every number, no text.
//!
//! The bundle is built field by field from what may be shown, so that whatever a trace gains later
//! stays out until somebody lets it in. Memory text is in no trace to begin with.

use std::collections::HashMap;

use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::{
    DropReason, Level, Mode, ModelIdentity, QueryKind, ScoreTerm, Status, TermKind, TermRoute,
    Trace, TwinOf, Undecayed,
};
use serde::Serialize;

use crate::request::{FilterRequest, RedactionRequest};

/// Says what kind of file it is, and in which form.
const FORMAT: &str = "lethescope-trace-redacted/1";

/// What takes the place of a sentence that might name what was asked.
const LEFT_OUT: &str = "left out";

/// The bundle.
#[derive(Serialize)]
pub(crate) struct Bundle<'a> {
    format: &'static str,
    program: &'static str,
    holds: Vec<&'static str>,
    leaves_out: Vec<&'static str>,
    query: QueryShape<'a>,
    filter: FilterShape,
    clock: &'a str,
    mode: Mode,
    effective_mode: Mode,
    query_kind: QueryKind,
    level: Level,
    constants: &'a Constants,
    model: Option<&'a ModelIdentity>,
    index_epoch: u32,
    searchable: u32,
    stages: Vec<StageShape<'a>>,
    results: Vec<String>,
}

#[derive(Serialize)]
struct QueryShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    characters: usize,
    terms: Vec<TermShape<'a>>,
    expansion: Vec<WordShape<'a>>,
}

/// A word that the sparse leg looked for.
#[derive(Serialize)]
struct WordShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    weight: f64,
    rarity: f64,
    typed: bool,
}

#[derive(Serialize)]
struct TermShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    characters: usize,
    kind: TermKind,
    routes: &'a [TermRoute],
    excluded: bool,
    required: bool,
    matched: Option<u32>,
}

/// How many values each part of a filter had, not which.
#[derive(Serialize)]
struct FilterShape {
    org: usize,
    agents: usize,
    session: usize,
    roles: usize,
    kinds: usize,
    source: usize,
    tags: usize,
    after: usize,
    before: usize,
}

#[derive(Serialize)]
struct StageShape<'a> {
    name: Stage,
    status: Status,
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'a [String]>,
    elapsed_ms: f64,
    r#in: u32,
    out: u32,
    items: Vec<ItemShape<'a>>,
}

#[derive(Serialize)]
struct ItemShape<'a> {
    id: String,
    rank: u32,
    score: f64,
    terms: &'a [ScoreTerm],
    dropped: Option<DropReason>,
    reranked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecayed: Option<Undecayed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    twin: Option<TwinOf>,
}

/// Names memories, in the order in which the trace first does.
struct Names {
    keep: bool,
    given: HashMap<String, String>,
}

impl Names {
    fn of(&mut self, id: &str) -> String {
        if self.keep {
            return id.to_owned();
        }
        let next = format!("memory-{}", self.given.len() + 1);
        self.given.entry(id.to_owned()).or_insert(next).clone()
    }
}

/// Builds the bundle of a trace.
pub(crate) fn bundle<'a>(
    trace: &'a Trace,
    filter: &FilterRequest,
    wanted: RedactionRequest,
) -> Bundle<'a> {
    let mut names = Names {
        keep: wanted.keep_ids,
        given: HashMap::new(),
    };
    let stages = trace
        .stages
        .iter()
        .map(|stage| StageShape {
            name: stage.name,
            status: stage.status,
            reason: stage.reason.as_deref().map(|reason| {
                if wanted.query || harmless(reason, trace) {
                    reason
                } else {
                    LEFT_OUT
                }
            }),
            notes: wanted.query.then_some(stage.notes.as_slice()),
            elapsed_ms: stage.elapsed_ms,
            r#in: stage.count_in,
            out: stage.count_out,
            items: stage
                .items
                .iter()
                .map(|item| ItemShape {
                    id: names.of(&item.id),
                    rank: item.rank,
                    score: item.score,
                    terms: &item.terms,
                    dropped: item.dropped,
                    reranked: item.reranked,
                    undecayed: item.undecayed,
                    twin: item.twin.as_ref().map(|twin| TwinOf {
                        id: names.of(&twin.id),
                        similarity: twin.similarity,
                    }),
                })
                .collect(),
        })
        .collect();
    Bundle {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION"),
        holds: holds(wanted),
        leaves_out: leaves_out(wanted),
        query: QueryShape {
            text: wanted.query.then_some(trace.query.as_str()),
            characters: trace.query.chars().count(),
            terms: trace
                .terms
                .iter()
                .map(|term| TermShape {
                    text: wanted.query.then_some(term.text.as_str()),
                    characters: term.text.chars().count(),
                    kind: term.kind,
                    routes: &term.routes,
                    excluded: term.excluded,
                    required: term.required,
                    matched: term.matched,
                })
                .collect(),
            expansion: trace
                .expansion
                .iter()
                .map(|word| WordShape {
                    text: wanted.query.then_some(word.word.as_str()),
                    weight: word.weight,
                    rarity: word.rarity,
                    typed: word.typed,
                })
                .collect(),
        },
        filter: FilterShape {
            org: usize::from(filter.org.is_some()),
            agents: filter.agents.len(),
            session: usize::from(filter.session.is_some()),
            roles: filter.roles.len(),
            kinds: filter.kinds.len(),
            source: usize::from(filter.source.is_some()),
            tags: filter.tags.len(),
            after: usize::from(filter.after.is_some()),
            before: usize::from(filter.before.is_some()),
        },
        clock: &trace.now,
        mode: trace.mode,
        effective_mode: trace.effective_mode,
        query_kind: trace.query_kind,
        level: trace.level,
        constants: &trace.constants,
        model: trace.model.as_ref(),
        index_epoch: trace.index_epoch,
        searchable: trace.searchable,
        stages,
        results: trace.results.iter().map(|id| names.of(id)).collect(),
    }
}

fn holds(wanted: RedactionRequest) -> Vec<&'static str> {
    let mut holds = vec![
        "stages with status, time and counts",
        "ranks, scores and the terms of every score",
        "constants, clock, model name, number of memories",
        "kind and length of the query's terms, and how many memories each matched",
        "how many values the filter had, not which",
    ];
    holds.push(if wanted.keep_ids {
        "the memories' ids as in the vault"
    } else {
        "made-up names for memories"
    });
    if wanted.query {
        holds.push("the query's text, and notes that quote it");
    }
    holds
}

fn leaves_out(wanted: RedactionRequest) -> Vec<&'static str> {
    let mut left = vec!["the text of memories", "agents, sessions, tags and paths"];
    if !wanted.query {
        left.push("the query's text, and notes that quote it");
    }
    if !wanted.keep_ids {
        left.push("the memories' ids");
    }
    left
}

/// Whether a stage's reason says nothing of the query or of this machine's folders.
fn harmless(reason: &str, trace: &Trace) -> bool {
    let lower = reason.to_lowercase();
    let quoted = |piece: &str| {
        let piece = piece.trim().to_lowercase();
        !piece.is_empty() && lower.contains(&piece)
    };
    let mut pieces = trace
        .query
        .split(|c: char| !c.is_alphanumeric())
        .chain(trace.terms.iter().map(|term| term.text.as_str()))
        // Words such as "no" and "the" stand in every sentence.
        .filter(|piece| piece.chars().count() > 3 || !piece.is_ascii());
    !pieces.any(quoted) && !reason.contains(['/', '\\', '"', '“'])
}

//! What was found beside the memories of a query, and what the constants in force cut of it.
//!
//! Cutting is pure and remembered: a slider that moves a ranking asks for the same cut each time, and
//! counting the tokens of a finding takes longer than ranking.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Lanes, documents, research};
use crate::constants::Constants;
use crate::context::beside::Beside;

/// What both lanes found.
pub struct LanesFound {
    research: research::Found,
    documents: documents::Found,
    /// Tells text that reads like a planted instruction.
    screen: fn(&str) -> bool,
    research_cut: Mutex<Option<Arc<CutLane>>>,
    documents_cut: Mutex<Option<Arc<CutLane>>>,
}

/// One lane as the constants cut it.
pub(crate) struct CutLane {
    /// What it was cut by.
    by: Vec<u64>,
    /// Its account; the other lane's is absent.
    pub(crate) lanes: Lanes,
    /// What may be put into a block, best first.
    pub(crate) beside: Vec<Beside>,
}

impl LanesFound {
    /// `screen` tells text that reads like a planted instruction, which waits for approval.
    pub fn new(
        research: research::Found,
        documents: documents::Found,
        screen: fn(&str) -> bool,
    ) -> Self {
        Self {
            research,
            documents,
            screen,
            research_cut: Mutex::new(None),
            documents_cut: Mutex::new(None),
        }
    }

    /// The research lane, uncut.
    pub const fn research(&self) -> &research::Found {
        &self.research
    }

    /// The documents lane, uncut.
    pub const fn documents(&self) -> &documents::Found {
        &self.documents
    }

    pub(crate) fn cut_research(
        &self,
        constants: &Constants,
        tokens: impl Fn(&str) -> u32,
    ) -> Arc<CutLane> {
        let by = vec![
            constants.research_threshold.to_bits(),
            constants.research_reported.into(),
            constants.research_injected.into(),
            constants.research_characters.into(),
        ];
        remembered(&self.research_cut, by, |by| {
            let cut = self.research.cut(constants, &tokens);
            let chosen = cut.entries.iter().zip(&cut.lookup.hits).take(cut.injected);
            let beside: Vec<Beside> = chosen
                .map(|(entry, hit)| {
                    let entry = research::labelled(entry, hit.similarity, constants).into_owned();
                    let planted = (self.screen)(&entry.content);
                    Beside::new(entry, planted, &tokens)
                })
                .collect();
            let mut lookup = cut.lookup;
            // What is put in costs its label too.
            for (hit, beside) in lookup.hits.iter_mut().zip(&beside) {
                hit.tokens = beside.cost;
            }
            CutLane {
                by,
                lanes: Lanes {
                    memory_lookup: Some(lookup),
                    documents: None,
                },
                beside,
            }
        })
    }

    pub(crate) fn cut_documents(
        &self,
        constants: &Constants,
        tokens: impl Fn(&str) -> u32,
    ) -> Arc<CutLane> {
        let by = vec![
            constants.document_hits.into(),
            constants.document_cosine.to_bits(),
            constants.fusion as u64,
            constants.convex_bounds as u64,
            constants.rrf_k.to_bits(),
            constants.knn_weight.to_bits(),
            constants.bm25_weight.to_bits(),
            constants.leg_cutoff() as u64,
        ];
        remembered(&self.documents_cut, by, |by| {
            let cut = self
                .documents
                .cut(constants, constants.document_hits, &tokens);
            let beside = (cut.chunks.iter().zip(&cut.lookup.hits))
                .map(|(chunk, hit)| {
                    let entry = documents::labelled(chunk, hit.score).into_owned();
                    let planted = (self.screen)(&entry.content);
                    Beside::new(entry, planted, &tokens)
                })
                .collect();
            CutLane {
                by,
                lanes: Lanes {
                    memory_lookup: None,
                    documents: Some(cut.lookup),
                },
                beside,
            }
        })
    }
}

/// The cut that was made last, if it was made by the same constants.
fn remembered(
    last: &Mutex<Option<Arc<CutLane>>>,
    by: Vec<u64>,
    cut: impl FnOnce(Vec<u64>) -> CutLane,
) -> Arc<CutLane> {
    let mut last = last.lock();
    match &*last {
        Some(known) if known.by == by => Arc::clone(known),
        _ => Arc::clone(last.insert(Arc::new(cut(by)))),
    }
}

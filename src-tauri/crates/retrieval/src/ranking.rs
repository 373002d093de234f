//! Ranks what was gathered: fusion, decay, rerank and select, as numbers.

use std::sync::Arc;
use std::time::Instant;

use memory::{MemoryId, Millis};

use crate::constants::{Constants, RerankBackend};
use crate::gathered::{Gathered, slot};
use crate::lists::Lists;
use crate::report::Report;
use crate::stage::decay::{Decayed, Times, decay, listed};
use crate::stage::fusion::{Fused, LegLists, fuse, share_with_neighbours};
use crate::stage::rerank::{Reranked, rerank, unchanged};
use crate::stage::select::{Selected, select};

/// The lists behind a trace, as numbers.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// How many of the semantic list went on; `None` when that leg takes no part.
    pub knn_cut: Option<usize>,
    /// How many of the keyword list went on.
    pub bm25_cut: Option<usize>,
    /// How many of the sparse list went on.
    pub sparse_cut: Option<usize>,
    /// The lists of the legs under these constants.
    pub lists: Arc<Lists>,
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
    pub(crate) elapsed_ms: [f64; 4],
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

    /// The results that another ranking of the query does not return.
    pub fn displaced_by(&self, other: &Self) -> Vec<MemoryId> {
        let kept = other.results();
        let mut results = self.results();
        results.retain(|id| !kept.contains(id));
        results
    }

    /// How many pairs of query and memory the reranker reads for it.
    pub fn window(&self, constants: &Constants) -> usize {
        if self.rerank_report.ran() {
            self.decayed.len().min(constants.rerank_window as usize)
        } else {
            0
        }
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
        self.rank_by(constants, now, |candidate| self.times(candidate))
    }

    /// Ranks as if one candidate had other times.
    pub fn rank_if(
        &self,
        constants: &Constants,
        now: Millis,
        changed: u32,
        times: Times,
    ) -> Ranking {
        self.rank_by(constants, now, |candidate| {
            if candidate == changed {
                times
            } else {
                self.times(candidate)
            }
        })
    }

    fn rank_by(&self, constants: &Constants, now: Millis, times: impl Fn(u32) -> Times) -> Ranking {
        let constants = &constants.clamped();
        let cutoff = constants.leg_cutoff();
        let start = Instant::now();

        let lists = self.lists(constants);
        // A leg without weight takes no part.
        let cut = |ran: bool, weight: f64, rows: &mut dyn Iterator<Item = (u32, f64)>| {
            (ran && weight > 0.0).then(|| rows.take(cutoff).collect::<Vec<_>>())
        };
        let knn = cut(
            self.knn_report.ran(),
            constants.knn_weight,
            &mut lists.knn.iter().map(|row| (row.candidate, row.score)),
        );
        let bm25 = cut(
            self.bm25_report.ran(),
            constants.bm25_weight,
            &mut lists.bm25.iter().map(|row| (row.candidate, row.score)),
        );
        let sparse = cut(
            self.sparse_report.ran(),
            constants.sparse_weight,
            &mut lists.sparse.iter().map(|row| (row.candidate, row.score)),
        );
        let fused = tracing::info_span!("fusion").in_scope(|| {
            let mut fused = fuse(
                LegLists {
                    knn: knn.as_deref(),
                    bm25: bm25.as_deref(),
                    sparse: sparse.as_deref(),
                },
                &self.ids,
                constants,
            );
            // What is listed in order of time stays in it.
            if !self.route.listing {
                share_with_neighbours(&mut fused, &self.neighbours, constants.neighbour_share);
            }
            fused
        });
        let fused_at = Instant::now();

        let decayed = tracing::info_span!("decay").in_scope(|| {
            if self.route.listing {
                listed(&fused)
            } else {
                decay(&fused, times, constants, now)
            }
        });
        let decayed_at = Instant::now();

        let (rerank_report, reranked) = self.rerank(&decayed, constants);
        let reranked_at = Instant::now();

        let selected =
            tracing::info_span!("select").in_scope(|| select(&reranked, self, constants));
        let selected_at = Instant::now();

        let ms = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64() * 1000.0;
        Ranking {
            knn_cut: knn.map(|leg| leg.len()),
            bm25_cut: bm25.map(|leg| leg.len()),
            sparse_cut: sparse.map(|leg| leg.len()),
            lists,
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
            |candidate| self.text_length(candidate),
            constants,
        );
        (report, list)
    }
}

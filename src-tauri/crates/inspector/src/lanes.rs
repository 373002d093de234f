//! Looks into what stands beside the memories when somebody asks: past research, and documents.
//!
//! Whatever goes wrong here is said in the lane's own status; the query's answer does not depend on
//! it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ingest::planted::reads_like_an_instruction;
use retrieval::Gathered;
use retrieval::lane::documents::{self, DocumentInput, MOST_BESIDE};
use retrieval::lane::found::LanesFound;
use retrieval::lane::research;
use retrieval::trace::Trace;

use crate::session::Session;
use crate::use_case::{brief, chunk_view};
use crate::view::{LaneTexts, ResearchView};

/// Fills in the lanes of a query.
pub(crate) fn look_beside(session: &Session, gathered: &mut Gathered) {
    let research = research::gather(
        &session.vault,
        &gathered.query.text,
        &gathered.route.semantic_text,
    );
    let embedder = session.engine.embedder();
    let documents = documents::gather(&DocumentInput {
        vault: &session.vault,
        embedder: embedder.as_deref(),
        route: &gathered.route,
        most: MOST_BESIDE,
    });
    gathered.stand_beside(LanesFound::new(
        research,
        documents,
        reads_like_an_instruction,
    ));
}

/// Names what the lanes of a ranking show, by which a retune knows what the caller holds. The same
/// for one run of the program, which is as long as a query is held.
pub(crate) fn digest(trace: &Trace) -> String {
    let mut hasher = DefaultHasher::new();
    trace.constants.research_characters.hash(&mut hasher);
    if let Some(lookup) = &trace.lanes.memory_lookup {
        for hit in &lookup.hits {
            hit.key.hash(&mut hasher);
        }
    }
    if let Some(lookup) = &trace.lanes.documents {
        for hit in &lookup.hits {
            hit.id.hash(&mut hasher);
        }
        for miss in &lookup.near_misses {
            miss.id.hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

/// The texts that belong to the lanes of a ranking. Of what was nearly found, the question or the
/// snippet alone.
pub(crate) fn texts(gathered: &Gathered, trace: &Trace) -> LaneTexts {
    let mut texts = LaneTexts::default();
    let Some(found) = gathered.beside() else {
        return texts;
    };
    if let Some(lookup) = &trace.lanes.memory_lookup {
        for hit in &lookup.hits {
            if let Some(entry) = found.research().entry(&hit.key) {
                let view = brief(entry, trace.constants.research_characters);
                texts.research.insert(hit.key.clone(), view);
            }
        }
        for miss in &lookup.near_misses {
            if let Some(entry) = found.research().entry(&miss.key) {
                let view = ResearchView {
                    sources: Vec::new(),
                    ..brief(entry, 0)
                };
                texts.research.insert(miss.key.clone(), view);
            }
        }
    }
    if let Some(lookup) = &trace.lanes.documents {
        let hits = lookup.hits.iter().map(|hit| &hit.id);
        for id in hits.chain(lookup.near_misses.iter().map(|miss| &miss.id)) {
            if let Some(chunk) = found.documents().chunk(id) {
                texts
                    .chunks
                    .insert(id.clone(), chunk_view(chunk, &gathered.route));
            }
        }
    }
    texts
}

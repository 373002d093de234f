//! Looks into what stands beside the memories when somebody asks: past research, and documents.
//!
//! Whatever goes wrong here is said in the lane's own status; the query's answer does not depend on
//! it.

use ingest::planted::reads_like_an_instruction;
use retrieval::Gathered;
use retrieval::constants::Constants;
use retrieval::context::beside::Beside;
use retrieval::lane::Lanes;
use retrieval::lane::documents::{self, DocumentInput, LANE_HITS};
use retrieval::lane::research::{self, INJECTED};

use crate::session::Session;
use crate::use_case::{brief, chunk_view};
use crate::view::LaneTexts;

/// Fills in the lanes of a query, and gives the texts that belong to them.
pub(crate) fn look_beside(
    session: &Session,
    gathered: &mut Gathered,
    constants: &Constants,
) -> LaneTexts {
    let looked = research::look(
        &session.vault,
        &gathered.query.text,
        &gathered.route.semantic_text,
        |text| gathered.tokens(text),
    );
    let embedder = session.engine.embedder();
    let searched = documents::look(
        &DocumentInput {
            vault: &session.vault,
            embedder: embedder.as_deref(),
            route: &gathered.route,
            constants: &constants.clamped(),
            limit: LANE_HITS,
        },
        |text| gathered.tokens(text),
    );
    let texts = LaneTexts {
        research: looked
            .entries
            .iter()
            .map(|entry| (entry.key.clone(), brief(entry)))
            .collect(),
        chunks: searched
            .chunks
            .iter()
            .map(|chunk| chunk_view(chunk, &gathered.route))
            .map(|view| (view.id.clone(), view))
            .collect(),
    };
    let hits = looked.lookup.hits.iter();
    let mut entries: Vec<_> = (looked.entries.iter().zip(hits))
        .take(INJECTED)
        .map(|(entry, hit)| research::labelled(entry, hit.similarity).into_owned())
        .collect();
    let hits = searched.lookup.hits.iter();
    entries.extend(
        (searched.chunks.iter().zip(hits))
            .map(|(chunk, hit)| documents::labelled(chunk, hit.score).into_owned()),
    );
    let beside = entries
        .into_iter()
        .map(|entry| {
            let planted = reads_like_an_instruction(&entry.content);
            Beside::new(entry, planted, |text| gathered.tokens(text))
        })
        .collect();
    gathered.lanes = Lanes {
        memory_lookup: Some(looked.lookup),
        documents: Some(searched.lookup),
    };
    gathered.stand_beside(beside);
    texts
}

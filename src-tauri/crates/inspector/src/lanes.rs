//! Looks into what stands beside the memories when somebody asks: past research, and documents.
//!
//! Whatever goes wrong here is said in the lane's own status; the query's answer does not depend on
//! it.

use retrieval::Gathered;
use retrieval::constants::Constants;
use retrieval::lane::Lanes;
use retrieval::lane::documents::{self, DocumentInput, LANE_HITS};
use retrieval::lane::research;

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
        research_block: looked.block,
        chunks: searched
            .chunks
            .iter()
            .map(|chunk| chunk_view(chunk, &gathered.route))
            .map(|view| (view.id.clone(), view))
            .collect(),
    };
    gathered.lanes = Lanes {
        memory_lookup: Some(looked.lookup),
        documents: Some(searched.lookup),
    };
    texts
}

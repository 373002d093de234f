//! Looks into what stands beside the memories when somebody asks: past research.
//!
//! Whatever goes wrong here is said in the lane's own status; the query's answer does not depend on
//! it.

use retrieval::Gathered;
use retrieval::lane::Lanes;
use retrieval::lane::research;

use crate::session::Session;
use crate::use_case::brief;
use crate::view::LaneTexts;

/// Fills in the lanes of a query, and gives the texts that belong to them.
pub(crate) fn look_beside(session: &Session, gathered: &mut Gathered) -> LaneTexts {
    let looked = research::look(
        &session.vault,
        &gathered.query.text,
        &gathered.route.semantic_text,
        |text| gathered.tokens(text),
    );
    let texts = LaneTexts {
        research: looked
            .entries
            .iter()
            .map(|entry| (entry.key.clone(), brief(entry)))
            .collect(),
        research_block: looked.block,
    };
    gathered.lanes = Lanes {
        memory_lookup: Some(looked.lookup),
    };
    texts
}

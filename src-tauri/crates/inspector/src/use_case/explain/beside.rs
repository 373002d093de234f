//! Why past research or a document does not stand beside the memories.

use memory::MemoryId;
use retrieval::diagnose::BesideName;

use super::verdict_view;
use crate::convert;
use crate::error::EdgeError;
use crate::request::WhyRequest;
use crate::session::Session;
use crate::view::{FixView, GateView, VerdictView};

/// The verdict, where the request names no memory.
///
/// # Errors
/// When nothing of that name is stored.
pub(super) fn why(
    session: &Session,
    request: &WhyRequest,
) -> Result<Option<VerdictView>, EdgeError> {
    let expected = request.expected.trim();
    if expected.parse::<MemoryId>().is_ok() {
        return Ok(None);
    }
    let (research, document) = session.vault.read(|r| {
        Ok((
            r.research().get(expected)?.is_some(),
            r.documents().get(expected)?.is_some(),
        ))
    })?;
    let name = if research {
        BesideName::Research(expected)
    } else if document {
        BesideName::Document(expected)
    } else {
        return Ok(None);
    };
    let gathered = session.recalled(&request.recall)?;
    let now = convert::moment("now", request.now.as_deref())?.unwrap_or(gathered.query.now);
    let trace = gathered.arrange(&request.constants, now);
    let Some(verdict) = gathered.diagnose_beside(name, &request.constants, &trace) else {
        return Ok(None);
    };
    Ok(Some(VerdictView {
        query: gathered.query.text.clone(),
        expected: expected.to_owned(),
        in_results: verdict.is_listed,
        lost_at: verdict.lost_at.map(str::to_owned),
        headline: verdict.headline,
        gates: verdict
            .gates
            .into_iter()
            .map(|gate| GateView {
                name: gate.name.to_owned(),
                verdict: verdict_view(gate.verdict),
                value: gate.value,
                threshold: gate.threshold,
                margin: None,
                beyond: false,
                note: gate.note,
            })
            .collect(),
        fixes: verdict
            .fixes
            .into_iter()
            .map(|fix| FixView {
                constant: fix.constant.name().to_owned(),
                current: fix.current,
                intervals: fix.intervals,
                nearest: fix.nearest,
                // No lane moves a memory.
                gained: 0,
                lost: 0,
                ndcg_delta: None,
            })
            .collect(),
    }))
}

//! The block that reaches an agent: what the window previews and copies, and what scripts and agents
//! are given, out of one function.

use retrieval::Gathered;
use retrieval::context::block::{LeftOut, Offered};
use retrieval::context::fence::{Fence, LaneName};
use retrieval::stage::Stage;
use retrieval::stage::select::Lookup as _;
use retrieval::trace::{DropReason, Trace};

use crate::convert;
use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::{BlockForm, ContextRequest};
use crate::tuning;
use crate::view::{ContextEntry, ContextView};

impl Inspector {
    /// The block of an earlier query, in the form that is asked for.
    pub fn context(&self, request: &ContextRequest) -> Result<ContextView, EdgeError> {
        tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let gathered = session.recalled(&request.recall)?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| gathered.query.now);
        let trace = gathered.arrange(&request.constants, now);
        let fence = match request.format {
            BlockForm::Context => Fence::Context,
            BlockForm::Archive => Fence::Archive,
        };
        Ok(context_view(&gathered, &trace, fence))
    }
}

/// The block of a ranking, and what each part of it costs.
pub(crate) fn context_view(gathered: &Gathered, trace: &Trace, fence: Fence) -> ContextView {
    let block = gathered.context(fence, trace);
    let research_tokens = block
        .entries
        .iter()
        .filter(|entry| entry.lane == LaneName::Research && entry.left_out.is_none())
        .map(|entry| entry.tokens)
        .sum();
    // A naive pipeline pastes everything that the reranker was shown.
    let window = trace.constants.rerank_window.max(trace.constants.results) as usize;
    let naive_tokens = trace
        .stage(Stage::Decay)
        .into_iter()
        .flat_map(|stage| stage.items.iter().take(window))
        .filter_map(|item| item.id.parse().ok())
        .map(|id| {
            gathered
                .candidate(id)
                .map_or(0, |candidate| gathered.cost(candidate))
        })
        .sum();
    ContextView {
        block: block.text,
        tokens: block.tokens,
        research_tokens,
        budget: trace.constants.token_budget,
        naive_tokens,
        entries: block
            .entries
            .into_iter()
            .map(|entry| view(entry, trace.constants.context_results))
            .collect(),
    }
}

fn view(entry: Offered, places: u32) -> ContextEntry {
    let reason = entry.left_out.map(|left_out| match left_out {
        LeftOut::TooLong => "too long for any block".to_owned(),
        LeftOut::Dropped(DropReason::Budget) => "does not fit into the token budget".to_owned(),
        LeftOut::Dropped(DropReason::Flagged) => {
            "reads like a planted instruction; approve it first".to_owned()
        }
        LeftOut::Dropped(DropReason::Duplicate) => "same text as a better one".to_owned(),
        LeftOut::Dropped(DropReason::Beyond) => format!("beyond the {places} of the block"),
        LeftOut::Dropped(DropReason::Cutoff) => "below the cutoff".to_owned(),
    });
    ContextEntry {
        id: entry.id,
        lane: entry.lane,
        tokens: entry.tokens,
        included: reason.is_none(),
        reason,
    }
}

//! What the golden queries leave on the table.

use std::time::Instant;

use evaluation::headroom;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::GoldenRequest;
use crate::view::{HeadroomFix, HeadroomView, QueryHeadroomView, StageEffectView};
use crate::{convert, golden, tuning};

impl Inspector {
    /// How much better the golden queries could be answered, split by what would have to change:
    /// the order, the legs' cutoffs, or what the legs find; and what each stage does to them.
    pub fn headroom(&self, request: &GoldenRequest) -> Result<HeadroomView, EdgeError> {
        tuning::check(&request.constants)?;
        // The window asks by itself when memories come in: that must not keep the vault open.
        let session = self.inner.session()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let golden = session.golden()?;
        let until = Instant::now() + golden::READING;
        let unread = session.read_unseen(&golden, &request.constants, now, until);
        let mut queries = Vec::new();
        let mut found = Vec::new();
        for one in &golden {
            let trace = one.gathered.arrange(&request.constants, now);
            let Some(query) =
                headroom::of_trace(&trace, &one.judged, |id: &str| vec![id.to_owned()])
            else {
                continue;
            };
            queries.push(QueryHeadroomView {
                id: golden::name(one.id),
                text: one.text.clone(),
                actual: query.actual,
                oracle: query.oracle,
                deep: query.deep,
            });
            found.push(query);
        }
        let (left, stages) = headroom::overall(&found);
        Ok(HeadroomView {
            actual: left.actual,
            ranking: left.ranking,
            cutoff: left.cutoff,
            unfound: left.unfound,
            fix: match left.fix {
                headroom::Fix::Nothing => HeadroomFix::Nothing,
                headroom::Fix::Ranking => HeadroomFix::Ranking,
                headroom::Fix::Retrieval => HeadroomFix::Retrieval,
                headroom::Fix::Both => HeadroomFix::Both,
            },
            stages: stages
                .into_iter()
                .map(|(stage, effect)| StageEffectView {
                    stage,
                    recall_in: effect.recall_in,
                    recall_out: effect.recall_out,
                    ndcg_in: effect.ndcg_in,
                    ndcg_out: effect.ndcg_out,
                    helped: effect.helped,
                    hurt: effect.hurt,
                })
                .collect(),
            queries,
            unread,
        })
    }
}

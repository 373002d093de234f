//! The one block that reaches an agent: memories, past research and documents inside one fence, paid
//! for from one budget.
//!
//! Past research is paid for first, since it answers nearly the same question; then the results, up
//! to `context_results` of them, as [`crate::stage::select`] says; what is left goes to chunks of
//! documents. In the block the memories come first. Whoever shows a block, copies it or hands it to
//! an agent takes it from here.
//!
//! Guarantee: the parts that are in never cost more than the budget; what is left out is listed with
//! its reason; no entry, no block.

use std::sync::Arc;

use super::entry::{Entry, LaneName};
use super::fence::Fence;
use super::pack::Purse;
use crate::constants::Constants;
use crate::gathered::Gathered;
use crate::lane::Lanes;
use crate::lane::found::{CutLane, LanesFound};
use crate::stage::Stage;
use crate::stage::select::{Lookup as _, dropped};
use crate::trace::{DropReason, Trace};

/// A block and what it costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The fenced text; empty when nothing is in it.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// Whatever was offered, in the order of the block.
    pub entries: Vec<Offered>,
}

/// Something that was offered to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Where it comes from.
    pub lane: LaneName,
    /// As in the block.
    pub id: String,
    /// What its entry costs.
    pub tokens: u32,
    /// Why it is not in the block; `None` when it is.
    pub left_out: Option<LeftOut>,
}

/// Why something is not in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// A reason that select knows too.
    Dropped(DropReason),
    /// Longer than what is kept of a text.
    TooLong,
}

impl Gathered {
    /// Puts what both lanes found beside the memories.
    pub fn stand_beside(&mut self, found: LanesFound) {
        self.beside = Some(found);
    }

    /// What both lanes found, uncut; absent before anyone looked.
    pub const fn beside(&self) -> Option<&LanesFound> {
        self.beside.as_ref()
    }

    /// The account of both lanes as the constants cut them.
    pub(crate) fn lanes_cut(&self, constants: &Constants) -> Lanes {
        Lanes {
            memory_lookup: self
                .cut(LaneName::Research, constants)
                .and_then(|cut| cut.lanes.memory_lookup.clone()),
            documents: self
                .cut(LaneName::Document, constants)
                .and_then(|cut| cut.lanes.documents.clone()),
        }
    }

    fn cut(&self, lane: LaneName, constants: &Constants) -> Option<Arc<CutLane>> {
        let found = self.beside.as_ref()?;
        let tokens = |text: &str| self.tokens(text);
        match lane {
            LaneName::Memory => None,
            LaneName::Research => Some(found.cut_research(constants, tokens)),
            LaneName::Document => Some(found.cut_documents(constants, tokens)),
        }
    }

    /// The block of a ranking, in either form.
    pub fn context(&self, fence: Fence, trace: &Trace) -> Block {
        let constants = &trace.constants;
        let mut purse = Purse::new(constants.token_budget, self.fence_tokens(fence));
        let research = self.cut(LaneName::Research, constants);
        let documents = self.cut(LaneName::Document, constants);
        let research = self.pay_beside(&mut purse, fence, research.as_deref());
        let memories = self.pay_memories(&mut purse, fence, trace);
        let documents = self.pay_beside(&mut purse, fence, documents.as_deref());

        let mut entries = Vec::new();
        let mut chosen = Vec::new();
        for (offered, entry) in memories.into_iter().chain(research).chain(documents) {
            if offered.left_out.is_none() {
                chosen.push(entry);
            }
            entries.push(offered);
        }
        Block {
            text: fence.block(chosen),
            tokens: purse.spent(),
            entries,
        }
    }

    /// What is left of the budget for memories in the context form.
    pub(crate) fn purse_for_memories(&self, constants: &Constants) -> Purse {
        let mut purse = Purse::new(constants.token_budget, self.fence_tokens(Fence::Context));
        for cost in self.research_costs(constants) {
            purse.pay(cost);
        }
        purse
    }

    /// What the entries of past research cost, in the order in which they are paid for.
    pub(crate) fn research_costs(&self, constants: &Constants) -> Vec<u32> {
        let cut = self.cut(LaneName::Research, constants);
        let beside = cut.iter().flat_map(|cut| &cut.beside);
        beside
            .filter(|one| !one.flagged)
            .map(|one| one.cost)
            .collect()
    }

    /// The past research that is in the block: keys and costs.
    pub(crate) fn research_in(&self, constants: &Constants) -> Vec<(String, u32)> {
        let mut purse = Purse::new(constants.token_budget, self.fence_tokens(Fence::Context));
        let cut = self.cut(LaneName::Research, constants);
        let beside = cut.iter().flat_map(|cut| &cut.beside);
        beside
            .filter(|one| !one.flagged && purse.pay(one.cost))
            .map(|one| (one.entry.id.to_string(), one.cost))
            .collect()
    }

    /// Tokens of the fence around the entries.
    pub(crate) fn fence_tokens(&self, fence: Fence) -> u32 {
        let count = || self.tokens(&fence.opening()) + self.tokens(&fence.closing());
        match fence {
            Fence::Context => *self.overhead.get_or_init(count),
            Fence::Archive => count(),
        }
    }

    fn pay_memories<'a>(
        &'a self,
        purse: &mut Purse,
        fence: Fence,
        trace: &Trace,
    ) -> Vec<(Offered, Entry<'a>)> {
        let Some(select) = trace.stage(Stage::Select) else {
            return Vec::new();
        };
        let mut rows = Vec::new();
        let mut costs = Vec::new();
        for id in &trace.results {
            let Some(item) = select.items.iter().find(|item| &item.id == id) else {
                continue;
            };
            let place = item.id.parse().ok().and_then(|id| self.candidate(id));
            let Some((place, candidate)) =
                place.and_then(|at| Some((at, self.candidates.get(at as usize)?)))
            else {
                continue;
            };
            let entry = candidate.entry(item.score);
            let tokens = match fence {
                Fence::Context => self.cost(place),
                Fence::Archive if candidate.is_whole() => self.tokens(&fence.entry(&entry)),
                Fence::Archive => u32::MAX,
            };
            let flagged = self.flagged(place);
            if !flagged {
                // What is not whole cannot be shown, whatever the budget.
                costs.push(if candidate.is_whole() {
                    tokens
                } else {
                    u32::MAX
                });
            }
            let offered = Offered {
                lane: LaneName::Memory,
                id: item.id.clone(),
                tokens,
                left_out: flagged.then_some(LeftOut::Dropped(DropReason::Flagged)),
            };
            rows.push((offered, entry, candidate.is_whole()));
        }
        let mut fates = purse
            .memories(&costs, trace.constants.context_results)
            .into_iter();
        rows.into_iter()
            .map(|(mut offered, entry, whole)| {
                if offered.left_out.is_none() {
                    offered.left_out = fates.next().and_then(dropped).map(|reason| {
                        if !whole && reason == DropReason::Budget {
                            LeftOut::TooLong
                        } else {
                            LeftOut::Dropped(reason)
                        }
                    });
                }
                (offered, entry)
            })
            .collect()
    }

    fn pay_beside(
        &self,
        purse: &mut Purse,
        fence: Fence,
        cut: Option<&CutLane>,
    ) -> Vec<(Offered, Entry<'static>)> {
        let mut rows = Vec::new();
        for one in cut.into_iter().flat_map(|cut| &cut.beside) {
            let tokens = match fence {
                Fence::Context => one.cost,
                Fence::Archive => self.tokens(&fence.entry(&one.entry)),
            };
            let left_out = if one.flagged {
                Some(DropReason::Flagged)
            } else {
                (!purse.pay(tokens)).then_some(DropReason::Budget)
            };
            let offered = Offered {
                lane: one.entry.lane,
                id: one.entry.id.to_string(),
                tokens,
                left_out: left_out.map(LeftOut::Dropped),
            };
            rows.push((offered, one.entry.clone()));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::context::fence::reading;
    use crate::gathered::testing::{Found, gathered};
    use crate::lane::{documents, research};

    fn found(texts: &[String]) -> Vec<Found> {
        texts
            .iter()
            .enumerate()
            .map(|(at, text)| Found {
                bm25: Some(10.0 - at as f64 / 10.0),
                text: text.clone(),
                ..Found::default()
            })
            .collect()
    }

    fn shelf(memories: &[String], research: &[String], documents: &[String]) -> Gathered {
        let mut all = gathered(&found(memories), 0);
        all.stand_beside(LanesFound::new(
            research::Found::of(research),
            documents::Found::of(documents),
            |text| text == "research 1",
        ));
        all
    }

    fn words(count: usize, word: &str) -> Vec<String> {
        (0..count).map(|at| format!("{word} {at}")).collect()
    }

    #[test]
    fn one_budget_pays_for_research_then_memories_then_documents() {
        let all = shelf(
            &words(7, "memory"),
            &words(2, "research"),
            &words(2, "page"),
        );
        let standard = Constants::default();
        let block = all.context(Fence::Context, &all.arrange(&standard, 0));
        let names = |block: &Block, wanted: fn(&Offered) -> bool| -> Vec<String> {
            let entries = block.entries.iter().filter(|one| wanted(one));
            entries.map(|one| one.id.clone()).collect()
        };
        assert_eq!(
            names(&block, |one| one.left_out.is_none()),
            ["m1", "m2", "m3", "m4", "m5", "r0", "c0", "c1"]
        );
        assert_eq!(
            names(&block, |one| one.left_out
                == Some(LeftOut::Dropped(DropReason::Beyond))),
            ["m6", "m7"]
        );
        assert_eq!(
            names(&block, |one| one.left_out
                == Some(LeftOut::Dropped(DropReason::Flagged))),
            ["r1"]
        );
        assert_eq!(block.text.matches("</memory-context>").count(), 1);
        assert_eq!(block.tokens, all.tokens(&block.text).max(block.tokens));

        let research = block.entries.iter().find(|one| one.id == "r0").unwrap();
        let tight = Constants {
            token_budget: all.fence_tokens(Fence::Context) + research.tokens,
            ..standard
        };
        let tight = all.context(Fence::Context, &all.arrange(&tight, 0));
        assert_eq!(names(&tight, |one| one.left_out.is_none()), ["r0"]);
    }

    #[test]
    fn what_is_not_kept_in_full_is_not_in_the_block_and_says_so() {
        let texts = ["x ".repeat(40_000), "short".to_owned()];
        let all = shelf(&texts, &[], &[]);
        let roomy = Constants {
            token_budget: 1_000_000,
            ..Constants::default()
        };
        let trace = all.arrange(&roomy, 0);
        let block = all.context(Fence::Context, &trace);
        assert_eq!(block.entries[0].left_out, Some(LeftOut::TooLong));
        assert_eq!(block.entries[1].left_out, None);
        let select = trace.stage(Stage::Select).unwrap();
        assert_eq!(select.items[0].dropped, Some(DropReason::Budget));
    }

    fn hostile() -> impl Strategy<Value = Vec<String>> {
        let text = prop_oneof![
            "(\\PC|[\\[\\]|<>&\"'\n\r\t]|</memory-context>|\n\\[m2, codex, user\\]\n|</entry>){0,60}",
            "[a-z ]{0,200}",
        ];
        proptest::collection::vec(text, 0..9)
    }

    proptest! {
        #[test]
        fn the_block_keeps_its_budget_and_reads_back_to_its_entries(
            memories in hostile(), research in hostile(), documents in hostile(),
            budget in 64..3000_u32, limit in 1..=50_u32, archive in any::<bool>(),
        ) {
            let all = shelf(&memories, &research, &documents);
            let constants = Constants {
                token_budget: budget, context_results: limit, dedup: false, ..Constants::default()
            };
            let trace = all.arrange(&constants, 0);
            let fence = if archive { Fence::Archive } else { Fence::Context };
            let block = all.context(fence, &trace);
            prop_assert!(block.tokens <= budget && all.tokens(&block.text) <= budget);
            let inside: Vec<_> = block.entries.iter().filter(|one| one.left_out.is_none()).collect();
            let text = |one: &Offered| {
                let at: usize = one.id[1..].parse().unwrap();
                match one.lane {
                    LaneName::Memory => memories[at - 1].clone(),
                    LaneName::Research => research[at].clone(),
                    LaneName::Document => documents[at].clone(),
                }
            };
            let expected: Vec<_> = inside.iter().map(|one| (one.id.clone(), text(one))).collect();
            prop_assert_eq!(reading::entries(fence, &block.text), Some(expected));
            if !archive {
                let select = trace.stage(Stage::Select).unwrap();
                for one in block.entries.iter().filter(|one| one.lane == LaneName::Memory) {
                    let item = select.items.iter().find(|item| item.id == one.id).unwrap();
                    prop_assert_eq!(item.dropped.map(LeftOut::Dropped), one.left_out);
                }
            }
        }
    }
}

//! Why past research or a document does not stand beside the memories of a query, and which constant
//! would bring it there.
//!
//! As for memories, what a fix promises was tried: the lane is cut again under it.

use std::collections::BTreeSet;

use super::fixes::{Fix, nearest};
use super::gate::GateVerdict;
use crate::constants::{Constants, Tunable};
use crate::context::block::{LeftOut, Offered};
use crate::context::fence::Fence;
use crate::gathered::Gathered;
use crate::lane::DocumentLookup;
use crate::trace::{DropReason, Trace};

/// What stands beside the memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BesideName<'a> {
    /// Past research, by its key.
    Research(&'a str),
    /// A document, by its id.
    Document(&'a str),
}

/// Why it is not there, or that it is.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideVerdict {
    /// Whether it is listed beside the memories.
    pub is_listed: bool,
    /// The gate that lost it, the block's among them.
    pub lost_at: Option<&'static str>,
    /// One sentence.
    pub headline: String,
    /// All gates, in order.
    pub gates: Vec<BesideGate>,
    /// For each constant of the lane alone, where it would be listed, or for the place in the block,
    /// in the block.
    pub fixes: Vec<Fix>,
}

/// One gate of a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideGate {
    /// `similar`, `found`, `reported`, `hits`, `injected` or `block`.
    pub name: &'static str,
    /// How it went.
    pub verdict: GateVerdict,
    /// The value here.
    pub value: Option<f64>,
    /// What is asked for.
    pub threshold: Option<f64>,
    /// One sentence.
    pub note: String,
}

/// The gates so far.
#[derive(Default)]
struct Passed {
    gates: Vec<BesideGate>,
    lost_at: Option<&'static str>,
}

impl Passed {
    /// Passes a gate or is lost at it. Behind the one that lost it no gate is reached.
    fn gate(
        &mut self,
        name: &'static str,
        passes: bool,
        numbers: Option<(f64, f64)>,
        note: String,
    ) {
        let reached = self.lost_at.is_none();
        let verdict = match (reached, passes) {
            (false, _) => GateVerdict::NotReached,
            (true, true) => GateVerdict::Ok,
            (true, false) => GateVerdict::Lost,
        };
        if verdict == GateVerdict::Lost {
            self.lost_at = Some(name);
        }
        self.gates.push(BesideGate {
            name,
            verdict,
            value: numbers.filter(|_| reached).map(|(value, _)| value),
            threshold: numbers.filter(|_| reached).map(|(_, asked)| asked),
            note: if reached { note } else { String::new() },
        });
    }

    fn passed(&self, name: &str) -> bool {
        let gate = self.gates.iter().find(|gate| gate.name == name);
        gate.is_some_and(|gate| gate.verdict == GateVerdict::Ok)
    }
}

impl Gathered {
    /// Why something that is stored does not stand beside the memories; `None` before anyone looked.
    pub fn diagnose_beside(
        &self,
        name: BesideName<'_>,
        constants: &Constants,
        trace: &Trace,
    ) -> Option<BesideVerdict> {
        let constants = &constants.clamped();
        self.beside()?;
        match name {
            BesideName::Research(key) => self.diagnose_research(key, constants, trace),
            BesideName::Document(id) => self.diagnose_document(id, constants, trace),
        }
    }

    fn diagnose_research(
        &self,
        key: &str,
        constants: &Constants,
        trace: &Trace,
    ) -> Option<BesideVerdict> {
        let found = self.beside()?.research();
        let place = found.place(key);
        let similarity = place.map_or(0.0, |(_, similarity)| similarity);
        let mut passed = Passed::default();
        passed.gate(
            "similar",
            place.is_some() && similarity >= constants.research_threshold,
            Some((similarity, constants.research_threshold)),
            format!(
                "{} of both questions’ keywords are shared; {} are asked for.",
                percent(similarity),
                percent(constants.research_threshold)
            ),
        );
        let rank = place.map_or(usize::MAX, |(rank, _)| rank);
        let within = |name: &'static str, most: u32, whole: &str, passed: &mut Passed| {
            passed.gate(
                name,
                rank <= most as usize,
                Some((rank as f64, f64::from(most))),
                format!("The {} most similar; {most} {whole}.", nth(rank)),
            );
        };
        within(
            "reported",
            constants.research_reported,
            "are reported",
            &mut passed,
        );
        let is_listed = passed.passed("reported");
        within(
            "injected",
            constants.research_injected,
            "may reach the agent",
            &mut passed,
        );
        self.block_gate(|one| one.id == key, trace, &mut passed);

        let listed = |changed: &Constants| {
            let cut = found.cut(changed, |_| 0);
            cut.lookup.hits.iter().any(|hit| hit.key == key)
        };
        let injected = |changed: &Constants| {
            let cut = found.cut(changed, |_| 0);
            cut.lookup
                .hits
                .iter()
                .any(|hit| hit.key == key && hit.injected)
        };
        let mut fixes = vec![
            fix(Tunable::ResearchThreshold, constants, [similarity], &listed),
            fix(Tunable::ResearchReported, constants, [], &listed),
        ];
        if is_listed {
            fixes.push(fix(Tunable::ResearchInjected, constants, [], &injected));
        }
        Some(BesideVerdict {
            headline: headline(&passed, "This research"),
            is_listed,
            lost_at: passed.lost_at,
            gates: passed.gates,
            fixes,
        })
    }

    fn diagnose_document(
        &self,
        id: &str,
        constants: &Constants,
        trace: &Trace,
    ) -> Option<BesideVerdict> {
        let found = self.beside()?.documents();
        let cut = |changed: &Constants, limit: u32| -> DocumentLookup {
            found.cut(changed, limit, |_| 0).lookup
        };
        let most = Tunable::DocumentHits.range().1 as u32;
        let lookup = cut(constants, most);
        let hit = lookup.hits.iter().find(|hit| hit.document == id);
        let cosine = found.cosine_of(id);
        let mut passed = Passed::default();
        let near_enough = constants.document_cosine;
        let note = match (hit, cosine) {
            (Some(_), _) => "Words or meaning found a chunk of it.".to_owned(),
            (None, _) if lookup.hits.is_empty() && lookup.reason.is_some() => format!(
                "The documents were not searched: {}.",
                lookup.reason.as_deref().unwrap_or_default()
            ),
            (None, Some(cosine)) if cosine < near_enough => format!(
                "None of the query’s words stand in it, and its nearest chunk has a cosine of {cosine:.2}; {near_enough:.2} is asked for."
            ),
            (None, Some(_)) => format!("No chunk of it is among the best {most}."),
            (None, None) => {
                "None of the query’s words stand in it, nor did meaning see it.".to_owned()
            }
        };
        let numbers = cosine.map(|cosine| (cosine, near_enough));
        passed.gate("found", hit.is_some(), numbers, note);
        let rank = hit.map_or(u32::MAX, |hit| hit.rank);
        let is_listed = rank <= constants.document_hits;
        passed.gate(
            "hits",
            is_listed,
            Some((rank.into(), constants.document_hits.into())),
            format!(
                "Its best chunk is the {} of all; {} are listed.",
                nth(rank as usize),
                constants.document_hits
            ),
        );
        let chunks: Vec<&str> = (lookup.hits.iter())
            .filter(|hit| hit.document == id)
            .map(|hit| hit.id.as_str())
            .collect();
        self.block_gate(|one| chunks.contains(&one.id.as_str()), trace, &mut passed);

        let listed = |changed: &Constants| {
            let lookup = cut(changed, changed.document_hits);
            lookup.hits.iter().any(|hit| hit.document == id)
        };
        // Which chunks meaning speaks for changes at their cosines.
        let fixes = vec![
            fix(Tunable::DocumentHits, constants, [], &listed),
            fix(Tunable::DocumentCosine, constants, found.cosines(), &listed),
        ];
        Some(BesideVerdict {
            headline: headline(&passed, "This document"),
            is_listed,
            lost_at: passed.lost_at,
            gates: passed.gates,
            fixes,
        })
    }

    /// Whether it is in the block: the best of its entries counts.
    fn block_gate(&self, is_it: impl Fn(&Offered) -> bool, trace: &Trace, passed: &mut Passed) {
        let block = self.context(Fence::Context, trace);
        let mut offered: Vec<&Offered> = block.entries.iter().filter(|one| is_it(one)).collect();
        offered.sort_by_key(|one| one.left_out.is_some());
        let best = offered.first();
        let tokens = best.map_or(0, |one| one.tokens);
        let left_out = best.and_then(|one| one.left_out);
        let note = match left_out {
            Some(LeftOut::Dropped(DropReason::Flagged)) => {
                "It reads like a planted instruction and waits for approval.".to_owned()
            }
            Some(_) => format!("Its {tokens} tokens do not fit into what is left of the budget."),
            None => format!("Its {tokens} tokens are in the block."),
        };
        let numbers = (f64::from(tokens), f64::from(trace.constants.token_budget));
        let is_in = best.is_some() && left_out.is_none();
        passed.gate("block", is_in, Some(numbers), note);
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn nth(rank: usize) -> String {
    match (rank % 10, rank % 100) {
        (1, tens) if tens != 11 => format!("{rank}st"),
        (2, tens) if tens != 12 => format!("{rank}nd"),
        (3, tens) if tens != 13 => format!("{rank}rd"),
        _ => format!("{rank}th"),
    }
}

fn headline(passed: &Passed, what: &str) -> String {
    let lost = passed
        .gates
        .iter()
        .find(|gate| gate.verdict == GateVerdict::Lost);
    match lost {
        Some(gate) => format!(
            "{what} is lost at {}: {}",
            gate.name,
            lower_first(&gate.note)
        ),
        None => format!("{what} is in the block."),
    }
}

fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Where a constant alone would have to be. What holds can change only at whole numbers or at the
/// steps, which belong to the values below them.
fn fix(
    constant: Tunable,
    constants: &Constants,
    steps: impl IntoIterator<Item = f64>,
    holds: &dyn Fn(&Constants) -> bool,
) -> Fix {
    let (low, high) = constant.range();
    let current = constant.of(constants);
    let at = |value: f64| holds(&constant.set(constants, value));
    let mut ends: Vec<f64> = if constant.is_whole() {
        (low as u32..=high as u32).map(f64::from).collect()
    } else {
        let steps = steps.into_iter().filter(|step| (low..high).contains(step));
        let bits: BTreeSet<u64> = steps.map(f64::to_bits).collect();
        bits.into_iter().map(f64::from_bits).collect()
    };
    if !constant.is_whole() {
        ends.insert(0, low);
        ends.push(high);
        ends.dedup();
    }
    let after = |value: f64| {
        if constant.is_whole() {
            value + 1.0
        } else {
            value.next_up()
        }
    };
    let mut intervals: Vec<(f64, f64)> = Vec::new();
    for (place, &end) in ends.iter().enumerate() {
        // Each piece begins right behind the step below it.
        let begin = match place.checked_sub(1).map(|before| ends[before]) {
            Some(before) if !constant.is_whole() => after(before),
            _ => end,
        };
        if !at(end) {
            continue;
        }
        match intervals.last_mut() {
            Some((_, last)) if after(*last) >= begin => *last = end,
            _ => intervals.push((begin, end)),
        }
    }
    Fix {
        constant,
        current,
        nearest: nearest(&intervals, current),
        intervals,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gathered::testing::gathered;
    use crate::lane::found::LanesFound;
    use crate::lane::{documents, research};

    fn asked(research: &[&str], documents: &[&str]) -> Gathered {
        let owned = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let mut all = gathered(&[], 0);
        all.stand_beside(LanesFound::new(
            research::Found::of(&owned(research)),
            documents::Found::of(&owned(documents)),
            |text| text == "planted",
        ));
        all
    }

    fn verdict(all: &Gathered, name: BesideName<'_>, constants: &Constants) -> BesideVerdict {
        let trace = all.arrange(constants, 0);
        all.diagnose_beside(name, constants, &trace).unwrap()
    }

    fn fix_of(verdict: &BesideVerdict, constant: Tunable) -> &Fix {
        let fix = verdict.fixes.iter().find(|fix| fix.constant == constant);
        fix.unwrap()
    }

    #[test]
    fn research_is_lost_where_a_constant_cut_it_and_the_fix_lets_it_in() {
        let all = asked(&["one", "two", "planted", "four"], &[]);
        let standard = Constants::default();
        let first = verdict(&all, BesideName::Research("r0"), &standard);
        assert_eq!((first.is_listed, first.lost_at), (true, None));

        // All are as similar as .5.
        let strict = Constants {
            research_threshold: 0.6,
            ..standard.clone()
        };
        let lost = verdict(&all, BesideName::Research("r0"), &strict);
        assert_eq!((lost.is_listed, lost.lost_at), (false, Some("similar")));
        let fix = fix_of(&lost, Tunable::ResearchThreshold);
        assert_eq!(
            (fix.intervals.as_slice(), fix.nearest),
            (&[(0.0, 0.5)][..], Some(0.5))
        );
        assert!(
            fix_of(&lost, Tunable::ResearchReported)
                .intervals
                .is_empty()
        );

        let fourth = verdict(&all, BesideName::Research("r3"), &standard);
        assert_eq!(fourth.lost_at, Some("reported"));
        let fix = fix_of(&fourth, Tunable::ResearchReported);
        assert_eq!(fix.intervals, [(4.0, 10.0)]);

        let third = verdict(&all, BesideName::Research("r2"), &standard);
        assert_eq!((third.is_listed, third.lost_at), (true, Some("injected")));
        assert_eq!(fix_of(&third, Tunable::ResearchInjected).nearest, Some(3.0));
        let wider = Constants {
            research_injected: 3,
            ..standard
        };
        let planted = verdict(&all, BesideName::Research("r2"), &wider);
        assert_eq!(planted.lost_at, Some("block"));
        assert!(
            planted.headline.contains("waits for approval"),
            "{}",
            planted.headline
        );
        let unknown = verdict(&all, BesideName::Research("r9"), &wider);
        assert_eq!(unknown.lost_at, Some("similar"));
    }

    #[test]
    fn a_document_is_lost_behind_the_places_there_are() {
        let all = asked(&[], &["a", "b", "c", "d", "e"]);
        let standard = Constants::default();
        assert_eq!(
            verdict(&all, BesideName::Document("c"), &standard).lost_at,
            None
        );
        let fifth = verdict(&all, BesideName::Document("e"), &standard);
        assert_eq!((fifth.is_listed, fifth.lost_at), (false, Some("hits")));
        assert_eq!(
            fix_of(&fifth, Tunable::DocumentHits).intervals,
            [(5.0, 20.0)]
        );
        let none = verdict(&all, BesideName::Document("z"), &standard);
        assert_eq!(none.lost_at, Some("found"));
        assert!(none.fixes.iter().all(|fix| fix.intervals.is_empty()));
        let tight = Constants {
            token_budget: 64,
            ..standard
        };
        let squeezed = verdict(&all, BesideName::Document("c"), &tight);
        assert_eq!(
            (squeezed.is_listed, squeezed.lost_at),
            (true, Some("block"))
        );
    }
}

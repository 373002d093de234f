//! The golden queries in two halves: one chooses constants, the other says what the choice is worth.

use evaluation::halves::{self, Halves};
use evaluation::metrics::{self, Scores};

use crate::golden::{self, Golden};
use crate::view::{DifferenceView, HeldOutView};

/// Places in the list of those golden queries that have a relevant memory.
pub(crate) struct Split(Halves);

impl Split {
    /// Only queries with a relevant memory can be measured, so only they are split.
    pub(crate) fn of(golden: &[Golden]) -> Self {
        let numbers: Vec<u64> = golden
            .iter()
            .filter(|one| one.has_relevant())
            .map(|one| u64::try_from(one.id.0).unwrap_or_default())
            .collect();
        Self(halves::split(&numbers))
    }

    /// How many choose.
    pub(crate) fn choosing(&self) -> u32 {
        u32::try_from(self.0.choosing.len()).unwrap_or(u32::MAX)
    }

    /// About how many more golden queries it takes to hold half of them out.
    pub(crate) fn needed(&self) -> u32 {
        self.0.needed
    }

    /// Of one score per query, those that choose.
    pub(crate) fn choose<T: Copy>(&self, all: &[T]) -> Vec<T> {
        pick(all, &self.0.choosing)
    }

    /// Present and chosen on the queries that did not choose.
    pub(crate) fn report(&self, present: &[Scores], chosen: &[Scores]) -> Option<HeldOutView> {
        if self.0.held_out.is_empty() {
            return None;
        }
        let present = pick(present, &self.0.held_out);
        let chosen = pick(chosen, &self.0.held_out);
        let differences: Vec<f64> = present
            .iter()
            .zip(&chosen)
            .map(|(old, new)| new.ndcg_10 - old.ndcg_10)
            .collect();
        // One comparison, decided before it is looked at: nothing to correct for.
        let difference = golden::difference(&differences, golden::p_value(&differences));
        Some(HeldOutView {
            queries: u32::try_from(present.len()).unwrap_or(u32::MAX),
            present: metrics::mean(&present).into(),
            chosen: metrics::mean(&chosen).into(),
            difference: DifferenceView {
                // Only half of the queries judged from now on will be held out.
                more: difference.more.map(|more| more.saturating_mul(2)),
                ..difference
            },
        })
    }
}

fn pick<T: Copy>(all: &[T], places: &[usize]) -> Vec<T> {
    places
        .iter()
        .filter_map(|&at| all.get(at).copied())
        .collect()
}

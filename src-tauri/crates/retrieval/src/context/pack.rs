//! Packs whole entries into a token budget.

/// What is left of a budget. Each entry that still fits is paid for, in the order in which they are
/// offered: a smaller one behind a larger one that did not fit is not lost.
#[derive(Clone, Copy, Debug)]
pub struct Purse {
    overhead: u32,
    left: Option<u64>,
    paid: u64,
}

/// What becomes of a memory that is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is in the block.
    In,
    /// The budget does not hold it.
    Budget,
    /// The block holds as many memories as it may.
    Beyond,
}

impl Purse {
    /// A budget of which the block itself costs `overhead`, paid with the first entry.
    pub fn new(budget: u32, overhead: u32) -> Self {
        Self {
            overhead,
            left: u64::from(budget).checked_sub(u64::from(overhead)),
            paid: 0,
        }
    }

    /// Pays for an entry, if it fits.
    pub fn pay(&mut self, cost: u32) -> bool {
        let cost = u64::from(cost);
        match self.left {
            Some(left) if cost <= left => {
                self.left = Some(left - cost);
                self.paid += cost;
                true
            }
            _ => false,
        }
    }

    /// Pays for memories, at most `limit` of them.
    pub fn memories(&mut self, costs: &[u32], limit: u32) -> Vec<Fate> {
        let mut places = limit;
        costs
            .iter()
            .map(|&cost| {
                if places == 0 {
                    Fate::Beyond
                } else if self.pay(cost) {
                    places -= 1;
                    Fate::In
                } else {
                    Fate::Budget
                }
            })
            .collect()
    }

    /// Tokens of a block that holds what was paid for; an empty one is none.
    pub fn spent(&self) -> u32 {
        if self.paid == 0 {
            return 0;
        }
        u32::try_from(self.paid + u64::from(self.overhead)).unwrap_or(u32::MAX)
    }
}

/// Tokens of a text when no model's tokeniser is at hand: four Latin letters to a token, and every
/// character of the scripts without blanks a token of its own, since their tokenisers have few
/// longer pieces. Rather too many than too few.
pub fn estimate(text: &str) -> u32 {
    let (mut quarters, mut whole) = (0_u64, 0_u64);
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            quarters += 1;
        } else if c.is_ascii_whitespace() {
            // A blank ends a word, and words do not share tokens.
            quarters += 2;
        } else {
            whole += 1;
        }
    }
    u32::try_from(whole + quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn smaller_entries_behind_a_larger_one_still_fit() {
        use Fate::{Beyond, Budget, In};
        let all = |costs: &[u32], overhead, budget, limit| {
            let mut purse = Purse::new(budget, overhead);
            (purse.memories(costs, limit), purse.spent())
        };
        assert_eq!(
            all(&[10, 500, 20, 31], 4, 64, 9),
            (vec![In, Budget, In, Budget], 34)
        );
        // What does not fit takes no place.
        assert_eq!(
            all(&[500, 10, 20, 1], 4, 64, 2),
            (vec![Budget, In, In, Beyond], 34)
        );
        assert_eq!(all(&[1], 100, 64, 5), (vec![Budget], 0));
        assert_eq!(all(&[], 4, 64, 5), (vec![], 0));
    }

    #[test]
    fn every_character_of_chinese_counts() {
        assert_eq!(estimate(&"项".repeat(500)), 500);
        assert!(estimate("deployment finished") <= 8);
        assert_eq!(estimate(""), 0);
    }

    proptest! {
        #[test]
        fn the_budget_holds(costs in proptest::collection::vec(any::<u32>(), 0..40), overhead in any::<u32>(), budget in any::<u32>(), limit in 0..50_u32) {
            let mut purse = Purse::new(budget, overhead);
            let fates = purse.memories(&costs, limit);
            let chosen = costs.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::In);
            let total: u64 = chosen.clone().map(|(cost, _)| u64::from(*cost)).sum();
            prop_assert!(chosen.count() <= limit as usize);
            if total > 0 {
                prop_assert!(total + u64::from(overhead) <= u64::from(budget));
                prop_assert_eq!(u64::from(purse.spent()), total + u64::from(overhead));
            }
        }
    }
}

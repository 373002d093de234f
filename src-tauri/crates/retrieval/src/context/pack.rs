//! Packs whole memories into a token budget.

/// Which entries fit, in order: each that still fits is taken, a smaller one behind a larger one
/// that did not fit is not lost. `overhead` is what the block costs without any entry; it is paid
/// with the first entry.
pub fn choose(costs: &[u32], overhead: u32, budget: u32) -> Vec<bool> {
    let mut left = u64::from(budget).checked_sub(u64::from(overhead));
    costs
        .iter()
        .map(|&cost| match left {
            Some(tokens) if u64::from(cost) <= tokens => {
                left = Some(tokens - u64::from(cost));
                true
            }
            _ => false,
        })
        .collect()
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
        assert_eq!(
            choose(&[10, 500, 20, 31], 4, 64),
            [true, false, true, false]
        );
        assert_eq!(choose(&[1], 100, 64), [false]);
        assert_eq!(choose(&[], 4, 64), Vec::<bool>::new());
    }

    #[test]
    fn every_character_of_chinese_counts() {
        assert_eq!(estimate(&"项".repeat(500)), 500);
        assert!(estimate("deployment finished") <= 8);
        assert_eq!(estimate(""), 0);
    }

    proptest! {
        #[test]
        fn the_budget_holds(costs in proptest::collection::vec(any::<u32>(), 0..40), overhead in any::<u32>(), budget in any::<u32>()) {
            let chosen = choose(&costs, overhead, budget);
            let total: u64 = costs.iter().zip(&chosen).filter(|(_, c)| **c).map(|(c, _)| u64::from(*c)).sum();
            if chosen.contains(&true) {
                prop_assert!(total + u64::from(overhead) <= u64::from(budget));
            }
        }
    }
}

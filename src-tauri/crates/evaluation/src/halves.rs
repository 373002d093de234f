//! Two halves of the judged queries: constants are chosen on one and reported on the other.
//!
//! The best of many trials looks better than it is, since it was also the luckiest on the queries
//! that chose it. Queries that took no part in choosing say what is left of the gain (Cawley and
//! Talbot, "On over-fitting in model selection and subsequent selection bias in performance
//! evaluation", 2010). Two neighbours by number, 2k and 2k + 1, go to different halves, and a hash of
//! k says which: a query stays in its half however many are added, and both halves grow alike.

use crate::random::Random;
use crate::statistics::FEWEST;

/// What the hash is made with; another number would draw other halves.
const SALT: u64 = 0x6865_6c64_206f_7574;

/// The places of the queries in a list, by half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halves {
    /// These choose.
    pub choosing: Vec<usize>,
    /// On these the choice is reported; empty when there are too few queries to hold any out.
    pub held_out: Vec<usize>,
    /// About how many more queries it takes to hold half of them out; 0 when half are.
    pub needed: u32,
}

/// Whether a query takes no part in choosing.
pub fn is_held_out(number: u64) -> bool {
    (number & 1 == 1) == (Random(SALT ^ (number >> 1)).next() & 1 == 1)
}

/// Halves of queries with these numbers. Below six in each half nothing could be told of either, so
/// then all of them choose and none are held out.
pub fn split(numbers: &[u64]) -> Halves {
    let (held_out, choosing): (Vec<usize>, Vec<usize>) =
        (0..numbers.len()).partition(|&at| is_held_out(numbers[at]));
    let smaller = u32::try_from(held_out.len().min(choosing.len())).unwrap_or(u32::MAX);
    if smaller >= FEWEST {
        return Halves {
            choosing,
            held_out,
            needed: 0,
        };
    }
    Halves {
        choosing: (0..numbers.len()).collect(),
        held_out: Vec::new(),
        needed: 2 * (FEWEST - smaller),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn too_few_queries_all_choose() {
        let few = split(&[1, 2, 3]);
        assert_eq!((few.choosing.len(), few.held_out.len()), (3, 0));
        assert!((10..=12).contains(&few.needed), "{}", few.needed);
        let enough = split(&(1..=14).collect::<Vec<_>>());
        assert_eq!(
            (enough.choosing.len() + enough.held_out.len(), enough.needed),
            (14, 0)
        );
        assert!(enough.held_out.len().abs_diff(7) <= 1);
        assert_eq!(split(&[]).needed, 12);
    }

    #[test]
    fn which_half_is_no_pattern_of_the_number() {
        let even_held: usize = (0..2000).filter(|k| is_held_out(2 * k)).count();
        assert!((900..1100).contains(&even_held), "{even_held} of 2000");
    }

    proptest! {
        /// Neighbours go to different halves, and a query never changes its half.
        #[test]
        fn halves_are_even_and_stay(
            k in 0..u64::MAX / 2,
            numbers in proptest::collection::btree_set(0..400_u64, 30..80),
        ) {
            prop_assert_ne!(is_held_out(2 * k), is_held_out(2 * k + 1));
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let halves = split(&numbers);
            let fewer = split(&numbers[..numbers.len() - 1]);
            prop_assume!(fewer.needed == 0 && halves.needed == 0);
            prop_assert!(fewer.held_out.iter().all(|at| halves.held_out.contains(at)));
            prop_assert!(fewer.choosing.iter().all(|at| halves.choosing.contains(at)));
        }
    }

    /// The best of twenty trials that are all the same looks better than the present on the
    /// queries that chose it, and no better on the others.
    #[test]
    fn what_luck_added_is_gone_on_the_held_out_half() {
        let mut random = Random(5);
        let numbers: Vec<u64> = (0..40).collect();
        let halves = split(&numbers);
        let mean = |values: &[f64], of: &[usize]| {
            of.iter().map(|&at| values[at]).sum::<f64>() / of.len() as f64
        };
        let (mut seen, mut left) = (0.0, 0.0);
        for _ in 0..200 {
            let trials: Vec<Vec<f64>> = (0..20)
                .map(|_| (0..40).map(|_| random.share() - 0.5).collect())
                .collect();
            let Some(best) = trials
                .iter()
                .max_by(|a, b| mean(a, &halves.choosing).total_cmp(&mean(b, &halves.choosing)))
            else {
                continue;
            };
            seen += mean(best, &halves.choosing) / 200.0;
            left += mean(best, &halves.held_out) / 200.0;
        }
        assert!(seen > 0.08, "{seen}");
        assert!(left.abs() < 0.02, "{left}");
    }
}

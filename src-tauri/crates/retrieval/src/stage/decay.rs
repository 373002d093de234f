//! decay: lets old memories sink, never below a floor.
//!
//! Formula: s(d) = f(d) · m(a), m(a) = φ + (1 − φ) · 2^(−a/h); f is the fused score, a the age in
//! days, h the half-life in days, φ the floor. With φ = 0.7 and h = 14: 0 d 1.000, 7 d 0.912,
//! 14 d 0.850, 28 d 0.775, 56 d 0.719. Source: the exponential forgetting curve (Ebbinghaus 1885)
//! with a floor, so that age alone never erases a memory.
//!
//! Inputs: the fused list, the times of its memories in milliseconds since 1970 UTC, the clock.
//! Output: the same memories, best first, each with its factor and its age.
//! Guarantee: every factor lies in [10⁻¹², 1] and never rises with age. Pinned memories and facts are
//! evergreen (factor 1); a time in the future counts as now; an unknown time is neutral (factor 1).

use memory::{CreatedAtQuality, Kind, MemoryId, Millis};

use crate::constants::{Constants, DecayClock};
use crate::order::by_score_then_id;
use crate::stage::fusion::Fused;

/// With floor 0 the factor of a very old memory would come down to numbers that no longer tell its
/// fused score from another's; here the fused scores decide among the very old.
pub const LEAST_FACTOR: f64 = 1e-12;

pub(crate) const MILLIS_PER_DAY: f64 = 86_400_000.0;

/// What decay must know of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// When it happened; `None` when unknown.
    pub created_at: Option<Millis>,
    /// How far that can be trusted.
    pub quality: CreatedAtQuality,
    /// When the same thing was last said.
    pub last_seen_at: Millis,
    /// A person pinned it.
    pub pinned: bool,
    /// What it is.
    pub kind: Kind,
}

/// How old a memory counts as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Age {
    /// Days before the clock, never negative.
    Days(f64),
    /// Pinned or a fact: age does not matter.
    Evergreen,
    /// Nobody knows.
    Unknown,
}

/// One memory after decay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decayed {
    /// The fused score it came with, and its parts.
    pub fused: Fused,
    /// How old it counts as.
    pub age: Age,
    /// m(a), in (0, 1].
    pub factor: f64,
    /// Fused score × factor.
    pub score: f64,
}

impl Decayed {
    /// Its name.
    pub fn id(&self) -> MemoryId {
        self.fused.id
    }
}

/// The moment from which the age of a memory is counted; `None` when nobody knows.
pub fn counted_from(times: &Times, clock: DecayClock) -> Option<Millis> {
    match clock {
        DecayClock::CreatedAt if times.quality == CreatedAtQuality::Unknown => None,
        DecayClock::CreatedAt => times.created_at,
        // A memory without a time of its own was "seen" when its file was read, which says
        // nothing about its age.
        DecayClock::LastSeenAt if times.created_at.is_none() => None,
        DecayClock::LastSeenAt => Some(times.last_seen_at),
    }
}

/// How old a memory counts as at `now`.
pub fn age(times: &Times, clock: DecayClock, now: Millis) -> Age {
    if times.pinned || times.kind == Kind::Fact {
        return Age::Evergreen;
    }
    counted_from(times, clock).map_or(Age::Unknown, |at| {
        Age::Days((now.saturating_sub(at)).max(0) as f64 / MILLIS_PER_DAY)
    })
}

/// m(a) for a number of days, in (0, 1].
pub fn factor(days: f64, constants: &Constants) -> f64 {
    let floor = constants.decay_floor;
    let kept = floor + (1.0 - floor) * (-days / constants.half_life_days).exp2();
    kept.clamp(LEAST_FACTOR, 1.0)
}

/// Applies decay to a fused list. `times` looks a candidate up by its place.
pub fn decay(
    fused: &[Fused],
    times: impl Fn(u32) -> Times,
    constants: &Constants,
    now: Millis,
) -> Vec<Decayed> {
    let mut decayed: Vec<Decayed> = fused
        .iter()
        .map(|&fused| {
            let age = age(&times(fused.candidate), constants.decay_clock, now);
            let factor = match age {
                Age::Days(days) => factor(days, constants),
                Age::Evergreen | Age::Unknown => 1.0,
            };
            Decayed {
                fused,
                age,
                factor,
                score: fused.score * factor,
            }
        })
        .collect();
    decayed.sort_by(|a, b| by_score_then_id((a.score, a.id()), (b.score, b.id())));
    decayed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Millis = 1_775_000_000_000;
    const DAY: Millis = 86_400_000;

    fn times(created_at: Option<Millis>) -> Times {
        Times {
            created_at,
            quality: CreatedAtQuality::Record,
            last_seen_at: NOW,
            pinned: false,
            kind: Kind::Text,
        }
    }

    #[test]
    fn the_published_values_hold() {
        let constants = Constants::default();
        for (days, wanted) in [
            (0.0, 1.0),
            (7.0, 0.912),
            (14.0, 0.85),
            (28.0, 0.775),
            (56.0, 0.719),
        ] {
            assert!(
                (factor(days, &constants) - wanted).abs() < 5e-4,
                "{days} days"
            );
        }
    }

    #[test]
    fn evergreen_future_and_unknown_are_not_punished() {
        let created = DecayClock::CreatedAt;
        assert_eq!(
            age(&times(Some(NOW + 365 * DAY)), created, NOW),
            Age::Days(0.0)
        );
        assert_eq!(age(&times(None), created, NOW), Age::Unknown);
        let doubtful = Times {
            quality: CreatedAtQuality::Unknown,
            ..times(Some(0))
        };
        assert_eq!(age(&doubtful, created, NOW), Age::Unknown);
        let pinned = Times {
            pinned: true,
            ..times(Some(0))
        };
        assert_eq!(age(&pinned, created, NOW), Age::Evergreen);
        let fact = Times {
            kind: Kind::Fact,
            ..times(Some(0))
        };
        assert_eq!(age(&fact, created, NOW), Age::Evergreen);
        assert_eq!(
            age(&times(Some(Millis::MIN)), created, Millis::MAX),
            Age::Days(Millis::MAX as f64 / 86_400_000.0)
        );
    }

    #[test]
    fn the_clock_can_be_when_it_was_last_said() {
        let old = times(Some(NOW - 100 * DAY));
        assert_eq!(age(&old, DecayClock::LastSeenAt, NOW), Age::Days(0.0));
        assert_eq!(age(&times(None), DecayClock::LastSeenAt, NOW), Age::Unknown);
    }

    #[test]
    fn a_fresh_memory_overtakes_an_equal_old_one() {
        let fused = |candidate, id| Fused {
            candidate,
            id: MemoryId(id),
            knn_part: None,
            bm25_part: Some(0.016),
            score: 0.016,
        };
        let list = decay(
            &[fused(0, 1), fused(1, 2)],
            |candidate| times(Some(if candidate == 0 { NOW - 21 * DAY } else { NOW })),
            &Constants::default(),
            NOW,
        );
        assert_eq!(list.iter().map(|d| d.id().0).collect::<Vec<_>>(), [2, 1]);
    }

    proptest! {
        #[test]
        fn factors_stay_in_range_and_never_rise(
            a in 0.0..1e7_f64, b in 0.0..1e7_f64, floor in 0.0..=1.0_f64, half_life in 0.1..3650.0_f64,
        ) {
            let constants = Constants { decay_floor: floor, half_life_days: half_life, ..Constants::default() };
            let (younger, older) = if a <= b { (a, b) } else { (b, a) };
            let (young, old) = (factor(younger, &constants), factor(older, &constants));
            prop_assert!((LEAST_FACTOR..=1.0).contains(&young));
            prop_assert!((LEAST_FACTOR..=young).contains(&old));
        }

        #[test]
        fn any_clock_and_any_time_give_a_number(at in any::<i64>(), now in any::<i64>()) {
            if let Age::Days(days) = age(&times(Some(at)), DecayClock::CreatedAt, now) {
                prop_assert!(days.is_finite() && days >= 0.0);
            }
        }
    }
}

//! decay: lets old memories sink, never below a floor, and those that were said again rise.
//!
//! Formula: s(d) = f(d) · m(a) · u(n), m(a) = φ + (1 − φ) · 2^(−a/h), u(n) = 1 + α · log₂ n; f is the
//! fused score, a the age in days, h the half-life in days (of the memory's kind, where it has one of
//! its own), φ the floor, n how often it was said, α the authority, 0 unless it is wanted. With φ = 0.7 and h = 14: 0 d 1.000, 7 d 0.912,
//! 14 d 0.850, 28 d 0.775, 56 d 0.719. Source: the exponential forgetting curve (Ebbinghaus 1885)
//! with a floor, so that age alone never erases a memory.
//!
//! Inputs: the fused list, the times of its memories in milliseconds since 1970 UTC, how often each was
//! said (from 1; a pinned one counts as [`PINNED_AS_SAID`] times at least), the clock.
//! Output: the same memories, best first, each with both factors and its age.
//! Guarantee: with α = 0 the second factor is exactly 1; it never falls as n grows. Every factor of age
//! lies in [10⁻¹², 1] and never rises with age. Pinned memories and those of
//! an evergreen kind do not age (factor 1); a time in the future counts as now; an unknown time is
//! neutral (factor 1). Which of these holds is said with every row.

use memory::{CreatedAtQuality, Kind, MemoryId, Millis};

use crate::constants::{Constants, DecayClock, KindAging};
use crate::order::by_score_then_id;
use crate::stage::fusion::Fused;
use crate::trace::Undecayed;

/// With floor 0 the factor of a very old memory would come down to numbers that no longer tell its
/// fused score from another's; here the fused scores decide among the very old.
pub const LEAST_FACTOR: f64 = 1e-12;

/// What a person pinned counts as said so many times at least.
pub const PINNED_AS_SAID: u32 = 8;

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
    /// How often the same thing was said, from 1.
    pub seen_count: u32,
}

impl Times {
    /// As how often said it counts, from 1.
    pub fn said(&self) -> u32 {
        let least = if self.pinned { PINNED_AS_SAID } else { 1 };
        self.seen_count.max(least)
    }
}

/// How old a memory counts as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Age {
    /// It ages.
    Days {
        /// Days before the clock, never negative.
        days: f64,
        /// The half-life of its kind, where that has one of its own.
        own_half_life: Option<f64>,
    },
    /// Age does not lower its score.
    Without(Undecayed),
}

impl Age {
    /// m(a), in [10⁻¹², 1].
    pub fn factor(self, constants: &Constants) -> f64 {
        match self {
            Self::Days {
                days,
                own_half_life,
            } => factor(
                days,
                own_half_life.unwrap_or(constants.half_life_days),
                constants.decay_floor,
            ),
            Self::Without(_) => 1.0,
        }
    }
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
    /// As how often said it counts, from 1; 1 in a list in order of time, which nothing reorders.
    pub said: u32,
    /// u(n), from 1; exactly 1 without authority.
    pub authority: f64,
    /// Fused score × factor × authority.
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
pub fn age(times: &Times, constants: &Constants, now: Millis) -> Age {
    if times.pinned {
        return Age::Without(Undecayed::Pinned);
    }
    let own_half_life = match constants.half_life_by_kind.of(times.kind) {
        Some(KindAging::Evergreen) => return Age::Without(Undecayed::Kind),
        Some(KindAging::HalfLife(days)) => Some(days),
        None => None,
    };
    match counted_from(times, constants.decay_clock) {
        None => Age::Without(Undecayed::Unknown),
        Some(at) if at > now => Age::Without(Undecayed::Future),
        Some(at) => Age::Days {
            days: now.saturating_sub(at) as f64 / MILLIS_PER_DAY,
            own_half_life,
        },
    }
}

/// m(a) for an age and a half-life in days, in [10⁻¹², 1]. The power is computed the same way on every
/// processor: the C library has several, and a difference in the last bit turns rows of equal age round.
pub fn factor(days: f64, half_life: f64, floor: f64) -> f64 {
    let kept = floor + (1.0 - floor) * libm::exp2(-days / half_life);
    kept.clamp(LEAST_FACTOR, 1.0)
}

/// u(n): what having been said so often multiplies a score by. Computed the same way on every processor,
/// like [`factor`].
pub fn authority(said: u32, alpha: f64) -> f64 {
    1.0 + alpha * doublings(said)
}

/// log₂ n, 0 for what was said once.
pub(crate) fn doublings(said: u32) -> f64 {
    libm::log2(f64::from(said.max(1)))
}

/// The fused list as it is, for what is listed in order of time: age made that order already.
pub fn listed(fused: &[Fused]) -> Vec<Decayed> {
    fused
        .iter()
        .map(|&fused| Decayed {
            fused,
            age: Age::Without(Undecayed::Listed),
            factor: 1.0,
            said: 1,
            authority: 1.0,
            score: fused.score,
        })
        .collect()
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
            let times = times(fused.candidate);
            let age = age(&times, constants, now);
            let factor = age.factor(constants);
            let said = times.said();
            let authority = authority(said, constants.authority);
            Decayed {
                fused,
                age,
                factor,
                said,
                authority,
                score: fused.score * factor * authority,
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
            seen_count: 1,
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
                (factor(days, constants.half_life_days, constants.decay_floor) - wanted).abs()
                    < 5e-4,
                "{days} days"
            );
        }
    }

    fn days(days: f64) -> Age {
        Age::Days {
            days,
            own_half_life: None,
        }
    }

    #[test]
    fn pinned_evergreen_future_and_unknown_are_not_punished_and_say_why() {
        let constants = Constants::default();
        let of = |times: Times| age(&times, &constants, NOW);
        let without = |why: Undecayed| Age::Without(why);
        let old = times(Some(0));
        assert_eq!(of(times(Some(NOW + 365 * DAY))), without(Undecayed::Future));
        assert_eq!(of(times(Some(NOW))), days(0.0));
        assert_eq!(of(times(None)), without(Undecayed::Unknown));
        let doubtful = Times {
            quality: CreatedAtQuality::Unknown,
            ..old
        };
        assert_eq!(of(doubtful), without(Undecayed::Unknown));
        let pinned = Times {
            pinned: true,
            ..old
        };
        assert_eq!(of(pinned), without(Undecayed::Pinned));
        let fact = Times {
            kind: Kind::Fact,
            ..old
        };
        assert_eq!(of(fact), without(Undecayed::Kind));
        assert_eq!(
            age(&times(Some(Millis::MIN)), &constants, Millis::MAX),
            days(Millis::MAX as f64 / 86_400_000.0)
        );
    }

    #[test]
    fn a_kind_ages_as_it_is_told() {
        let constants = Constants {
            half_life_by_kind: "tool_result:3,summary:evergreen".parse().unwrap(),
            ..Constants::default()
        };
        let of = |kind: Kind| {
            let times = Times {
                kind,
                ..times(Some(NOW - 6 * DAY))
            };
            let age = age(&times, &constants, NOW);
            (age, age.factor(&constants))
        };
        let (own, kept) = of(Kind::ToolResult);
        assert_eq!(
            own,
            Age::Days {
                days: 6.0,
                own_half_life: Some(3.0)
            }
        );
        assert!((kept - (0.7 + 0.3 / 4.0)).abs() < 1e-12);
        assert_eq!(of(Kind::Summary), (Age::Without(Undecayed::Kind), 1.0));
        // Facts are evergreen only where the constant says so.
        assert_eq!(of(Kind::Fact).0, days(6.0));
        assert!((of(Kind::Fact).1 - (0.7 + 0.3 * (-6.0_f64 / 14.0).exp2())).abs() < 1e-12);
    }

    #[test]
    fn the_clock_can_be_when_it_was_last_said() {
        let constants = Constants {
            decay_clock: DecayClock::LastSeenAt,
            ..Constants::default()
        };
        let old = times(Some(NOW - 100 * DAY));
        assert_eq!(age(&old, &constants, NOW), days(0.0));
        assert_eq!(
            age(&times(None), &constants, NOW),
            Age::Without(Undecayed::Unknown)
        );
    }

    #[test]
    fn a_fresh_memory_overtakes_an_equal_old_one() {
        let fused = |candidate, id| Fused {
            candidate,
            id: MemoryId(id),
            knn_part: None,
            bm25_part: Some(0.016),
            sparse_part: None,
            neighbour_part: None,
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

    #[test]
    fn what_was_said_again_rises_by_doublings_and_pinned_counts_as_eight_times() {
        let said = |seen_count: u32, pinned: bool| {
            let times = Times {
                pinned,
                seen_count,
                ..times(None)
            };
            times.said()
        };
        assert_eq!((said(1, false), said(5, false)), (1, 5));
        assert_eq!((said(1, true), said(8, true), said(9, true)), (8, 8, 9));
        // A row from before sightings were counted.
        assert_eq!(said(0, false), 1);
        for (times, wanted) in [(1, 1.0), (2, 1.1), (4, 1.2), (8, 1.3), (1024, 2.0)] {
            assert!((authority(times, 0.1) - wanted).abs() < 1e-12, "{times}");
        }
        assert!((authority(3, 0.5) - 1.792_481_250_360_578).abs() < 1e-15);
        for times in [1, 2, 7, u32::MAX] {
            assert_eq!(authority(times, 0.0).to_bits(), 1.0_f64.to_bits());
        }
    }

    #[test]
    fn without_authority_no_bit_of_a_score_differs_and_with_it_the_order_does() {
        let fused = |candidate: u32| Fused {
            candidate,
            id: MemoryId(i64::from(candidate) + 1),
            knn_part: None,
            bm25_part: Some(0.016),
            sparse_part: None,
            neighbour_part: None,
            score: 0.016 + f64::from(candidate) * 1e-3,
        };
        let list: Vec<Fused> = (0..9).map(fused).collect();
        let told = |candidate: u32| Times {
            seen_count: 30 / (candidate + 1),
            ..times(Some(NOW - DAY * i64::from(candidate)))
        };
        let plain = decay(&list, told, &Constants::default(), NOW);
        for row in &plain {
            let before = row.fused.score * row.factor;
            assert_eq!(row.score.to_bits(), before.to_bits());
        }
        let loud = Constants {
            authority: 0.5,
            ..Constants::default()
        };
        let loud = decay(&list, told, &loud, NOW);
        assert_eq!(loud[0].id(), MemoryId(1));
        assert_ne!(plain[0].id(), loud[0].id());
        assert!(listed(&list).iter().all(|row| row.authority == 1.0));
    }

    proptest! {
        #[test]
        fn authority_never_falls_with_how_often_it_was_said(
            a in any::<u32>(), b in any::<u32>(), alpha in 0.0..=1.0_f64,
        ) {
            let (less, more) = (a.min(b), a.max(b));
            prop_assert!(authority(less, alpha) >= 1.0);
            prop_assert!(authority(less, alpha) <= authority(more, alpha));
        }

        #[test]
        fn factors_stay_in_range_and_never_rise(
            a in 0.0..1e7_f64, b in 0.0..1e7_f64, floor in 0.0..=1.0_f64, half_life in 0.1..3650.0_f64,
        ) {
            let (younger, older) = if a <= b { (a, b) } else { (b, a) };
            let (young, old) = (factor(younger, half_life, floor), factor(older, half_life, floor));
            prop_assert!((LEAST_FACTOR..=1.0).contains(&young));
            prop_assert!((LEAST_FACTOR..=young).contains(&old));
        }

        #[test]
        fn any_clock_and_any_time_give_a_number(at in any::<i64>(), now in any::<i64>()) {
            if let Age::Days { days, .. } = age(&times(Some(at)), &Constants::default(), now) {
                prop_assert!(days.is_finite() && days >= 0.0);
            }
        }
    }
}

//! Every number that shapes a ranking. All of them can be changed while a query stands.
//!
//! They stand in one [`TABLE`]; the struct, its ranges and whatever a program says of a constant are
//! made of its rows.

mod row;
mod table;

use serde::{Deserialize, Serialize};

pub use crate::half_life::{HALF_LIFE_RANGE, HalfLives, KindAging};
pub use row::{Ladder, Number, Track};
pub use table::{B, Constants, K1, Place, Row, RowKind, TABLE, Tunable};

/// How the lists become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum FusionMethod {
    /// Reciprocal rank fusion: Σ wᵢ / (k + rankᵢ).
    Rrf,
    /// Σ wᵢ · score normalised to 0..1 over the list's candidates, weights made to sum to 1.
    Convex,
}

/// Where the scale of a list begins when scores are normalised for [`FusionMethod::Convex`]; it ends
/// at the list's highest score either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ConvexBounds {
    /// At the lowest score among the candidates.
    Observed,
    /// At the lowest score that the leg could give: −1 for a cosine, 0 for BM25 and for shared words.
    Theoretical,
}

/// Who reads query and text together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum RerankBackend {
    /// Nobody: the decayed order stands.
    Off,
    /// Late interaction over the local model's token embeddings.
    Embedded,
    /// A cross-encoder in a local folder.
    CrossEncoder,
    /// A server that speaks the Jina or Cohere shape.
    Http,
}

/// Which time a memory's age is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum DecayClock {
    /// When it happened.
    CreatedAt,
    /// When the same thing was last said.
    LastSeenAt,
}

impl Constants {
    /// The most candidates that a leg hands over, and how deep the legs are gathered.
    pub const MAX_CANDIDATES: u32 = Tunable::Candidates.range().1 as u32;

    /// Names the first constant that is out of its range, or not a number.
    pub fn out_of_range(&self) -> Option<&'static str> {
        Tunable::ALL.into_iter().find_map(|tunable| {
            let (low, high) = tunable.range();
            (!(low..=high).contains(&tunable.of(self))).then_some(tunable.name())
        })
    }

    /// The nearest constants that are in range; what is not a number takes its standard value.
    ///
    /// Edges refuse such values with a message; this keeps the pure functions total all the same.
    #[must_use]
    pub fn clamped(&self) -> Self {
        let mut changed = self.clone();
        for tunable in Tunable::ALL {
            let (low, high) = tunable.range();
            let value = tunable.of(self);
            let nearest = if value.is_nan() {
                tunable.of(&Self::default())
            } else {
                value.clamp(low, high)
            };
            tunable.put(&mut changed, nearest);
        }
        changed
    }

    /// How much the vote of each leg counts, in the order of the stages; 0 removes one.
    pub fn leg_weights(&self) -> [f64; 3] {
        [self.knn_weight, self.bm25_weight, self.sparse_weight]
    }

    /// Whether any leg counts: without one nothing can be ranked.
    pub fn has_a_leg(&self) -> bool {
        self.leg_weights().iter().any(|weight| *weight > 0.0)
    }

    /// How many candidates a leg really hands to fusion: `candidates`, but at least four times
    /// the results asked for, and never more than were gathered.
    pub fn leg_cutoff(&self) -> usize {
        self.candidates
            .max(self.results.saturating_mul(4))
            .min(Self::MAX_CANDIDATES) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_constants_are_in_range() {
        assert_eq!(Constants::default().out_of_range(), None);
        assert_eq!(Constants::default().clamped(), Constants::default());
    }

    #[test]
    fn values_out_of_range_are_named_and_clamped() {
        for (name, bad) in [
            (
                "half_life_days",
                Constants {
                    half_life_days: 0.0,
                    ..Constants::default()
                },
            ),
            (
                "half_life_days",
                Constants {
                    half_life_days: f64::NAN,
                    ..Constants::default()
                },
            ),
            (
                "decay_floor",
                Constants {
                    decay_floor: 1.5,
                    ..Constants::default()
                },
            ),
            (
                "candidates",
                Constants {
                    candidates: 0,
                    ..Constants::default()
                },
            ),
            (
                "results",
                Constants {
                    results: 101,
                    ..Constants::default()
                },
            ),
            (
                "rrf_k",
                Constants {
                    rrf_k: -1.0,
                    ..Constants::default()
                },
            ),
        ] {
            assert_eq!(bad.out_of_range(), Some(name));
            assert_eq!(bad.clamped().out_of_range(), None);
        }
    }

    #[test]
    fn a_leg_hands_over_at_least_four_times_the_results() {
        let constants = Constants {
            candidates: 5,
            results: 10,
            ..Constants::default()
        };
        assert_eq!(constants.leg_cutoff(), 40);
        let all = Constants {
            candidates: 500,
            results: 100,
            ..Constants::default()
        };
        assert_eq!(all.leg_cutoff(), 500);
    }

    #[test]
    fn every_row_is_whole() {
        let standard = serde_json::to_value(Constants::default()).unwrap();
        let live = standard.as_object().unwrap();
        let mut names = std::collections::BTreeSet::new();
        for row in TABLE {
            assert!(names.insert(row.name), "{} twice", row.name);
            for said in [row.label, row.help, row.formula] {
                assert!(!said.is_empty(), "{}", row.name);
            }
            assert!(row.stages.is_sorted() && !row.stages.is_empty());
            assert_eq!(
                live.contains_key(row.name),
                !matches!(row.kind, RowKind::Fixed(_)),
                "{}",
                row.name
            );
            match row.kind {
                RowKind::Number(tunable) => {
                    let Number { range, track, .. } = tunable.number();
                    assert_eq!(tunable.name(), row.name);
                    assert!(range.0 <= track.low && track.low < track.high);
                    assert!(track.high <= range.1 && track.step > 0.0);
                    assert!(!track.logarithmic || track.low > 0.0);
                    let ladder = tunable.number().ladder.values();
                    assert!(ladder.is_sorted_by(|a, b| a < b), "{}", row.name);
                    assert!(ladder.iter().all(|v| (range.0..=range.1).contains(v)));
                }
                RowKind::Choice(choices) => {
                    for (choice, _) in choices {
                        let mut changed = standard.clone();
                        changed[row.name] = (*choice).into();
                        serde_json::from_value::<Constants>(changed).unwrap();
                    }
                }
                RowKind::Other | RowKind::Fixed(_) => {}
            }
        }
        assert!(live.keys().all(|name| names.contains(name.as_str())));
    }

    #[test]
    fn each_number_is_held_at_both_ends_of_its_range() {
        for tunable in Tunable::ALL {
            let (low, high) = tunable.range();
            let beside = if tunable.is_whole() { 1.0 } else { 1e-6 };
            for (value, fits) in [(low, true), (high, true), (high + beside, false)] {
                let changed = tunable.set(&Constants::default(), value);
                assert_eq!(
                    changed.out_of_range(),
                    (!fits).then_some(tunable.name()),
                    "{tunable:?} at {value}"
                );
                assert_eq!(changed.clamped().out_of_range(), None);
            }
        }
    }
}

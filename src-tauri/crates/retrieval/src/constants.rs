//! Every number that shapes a ranking. All of them can be changed while a query stands.

use serde::{Deserialize, Serialize};

pub use crate::half_life::{HALF_LIFE_RANGE, HalfLives, KindAging};

/// How the two lists become one.
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
    /// At the lowest score that the leg could give: −1 for a cosine, 0 for BM25.
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

/// The constants of one ranking. `Default` is the preset "Standard".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct Constants {
    /// How many candidates each leg hands to fusion, 1–500; never fewer than 4 × `results`.
    pub candidates: u32,
    /// Share of the similarity to the best keyword hits in the semantic leg's score, against 1 of
    /// the similarity to the query, 0–2; 0 turns it off.
    #[specta(type = i32)]
    pub knn_feedback: f64,
    /// Words at which a memory counts half in the keyword list for being short, 0–200; 0 turns it
    /// off.
    #[specta(type = i32)]
    pub bm25_short: f64,
    /// Words at which a memory counts half in the keyword list for being long, 0–10,000; 0 turns it
    /// off.
    #[specta(type = i32)]
    pub bm25_long: f64,
    /// How the lists become one.
    pub fusion: FusionMethod,
    /// Where the convex combination's scale begins.
    pub convex_bounds: ConvexBounds,
    /// The k of reciprocal rank fusion, 0–1000.
    #[specta(type = i32)]
    pub rrf_k: f64,
    /// Weight of the semantic leg, 0–10; 0 removes it.
    #[specta(type = i32)]
    pub knn_weight: f64,
    /// Weight of the keyword leg, 0–10; 0 removes it.
    #[specta(type = i32)]
    pub bm25_weight: f64,
    /// Days after which the part of a score above the floor has halved, 0.1–3650.
    #[specta(type = i32)]
    pub half_life_days: f64,
    /// Kinds that age by another half-life, or not at all: `tool_result:3,fact:evergreen`.
    #[specta(type = String)]
    pub half_life_by_kind: HalfLives,
    /// What an infinitely old memory keeps of its score, 0–1; 1 turns decay off.
    #[specta(type = i32)]
    pub decay_floor: f64,
    /// Which time age is counted from.
    pub decay_clock: DecayClock,
    /// Who reranks.
    pub rerank: RerankBackend,
    /// How many of the best are reranked, 0–200.
    pub rerank_window: u32,
    /// Share of the reranker's score in the final one, 0–1; the rest is the decayed score,
    /// min-max-normalised over the window.
    #[specta(type = i32)]
    pub rerank_blend: f64,
    /// How many results are returned, 1–100.
    pub results: u32,
    /// Tokens that the context block may take, 64–1,000,000.
    pub token_budget: u32,
    /// Trades relevance against repetition (maximal marginal relevance).
    pub mmr: bool,
    /// 1 = relevance alone, 0 = difference alone.
    #[specta(type = i32)]
    pub mmr_lambda: f64,
    /// Drops candidates whose normalised content equals that of a better one.
    pub dedup: bool,
}

impl Default for Constants {
    fn default() -> Self {
        Self {
            candidates: 40,
            knn_feedback: 0.0,
            bm25_short: 0.0,
            bm25_long: 0.0,
            fusion: FusionMethod::Rrf,
            convex_bounds: ConvexBounds::Observed,
            rrf_k: 60.0,
            knn_weight: 1.0,
            bm25_weight: 1.0,
            half_life_days: 14.0,
            half_life_by_kind: HalfLives::default(),
            decay_floor: 0.7,
            decay_clock: DecayClock::CreatedAt,
            rerank: RerankBackend::Embedded,
            rerank_window: 20,
            rerank_blend: 0.9,
            results: 10,
            token_budget: 2048,
            mmr: false,
            mmr_lambda: 0.7,
            dedup: true,
        }
    }
}

impl Constants {
    /// The most candidates that a leg hands over, and how deep both legs are gathered.
    pub const MAX_CANDIDATES: u32 = 500;

    /// Names the first constant that is out of its documented range, or not a number.
    pub fn out_of_range(&self) -> Option<&'static str> {
        let unit = |value: f64| (0.0..=1.0).contains(&value);
        let checks = [
            (
                "candidates",
                (1..=Self::MAX_CANDIDATES).contains(&self.candidates),
            ),
            ("knn_feedback", (0.0..=2.0).contains(&self.knn_feedback)),
            ("bm25_short", (0.0..=200.0).contains(&self.bm25_short)),
            ("bm25_long", (0.0..=10_000.0).contains(&self.bm25_long)),
            ("rrf_k", (0.0..=1000.0).contains(&self.rrf_k)),
            ("knn_weight", (0.0..=10.0).contains(&self.knn_weight)),
            ("bm25_weight", (0.0..=10.0).contains(&self.bm25_weight)),
            (
                "half_life_days",
                (HALF_LIFE_RANGE.0..=HALF_LIFE_RANGE.1).contains(&self.half_life_days),
            ),
            ("decay_floor", unit(self.decay_floor)),
            ("rerank_window", self.rerank_window <= 200),
            ("rerank_blend", unit(self.rerank_blend)),
            ("results", (1..=100).contains(&self.results)),
            (
                "token_budget",
                (64..=1_000_000).contains(&self.token_budget),
            ),
            ("mmr_lambda", unit(self.mmr_lambda)),
        ];
        checks
            .into_iter()
            .find_map(|(name, fits)| (!fits).then_some(name))
    }

    /// The nearest constants that are in range; what is not a number takes its standard value.
    ///
    /// Edges refuse such values with a message; this keeps the pure functions total all the same.
    #[must_use]
    pub fn clamped(&self) -> Self {
        let standard = Self::default();
        let real = |value: f64, low: f64, high: f64, standard: f64| {
            if value.is_nan() {
                standard
            } else {
                value.clamp(low, high)
            }
        };
        Self {
            candidates: self.candidates.clamp(1, Self::MAX_CANDIDATES),
            knn_feedback: real(self.knn_feedback, 0.0, 2.0, standard.knn_feedback),
            bm25_short: real(self.bm25_short, 0.0, 200.0, standard.bm25_short),
            bm25_long: real(self.bm25_long, 0.0, 10_000.0, standard.bm25_long),
            fusion: self.fusion,
            convex_bounds: self.convex_bounds,
            rrf_k: real(self.rrf_k, 0.0, 1000.0, standard.rrf_k),
            knn_weight: real(self.knn_weight, 0.0, 10.0, standard.knn_weight),
            bm25_weight: real(self.bm25_weight, 0.0, 10.0, standard.bm25_weight),
            half_life_days: real(
                self.half_life_days,
                HALF_LIFE_RANGE.0,
                HALF_LIFE_RANGE.1,
                standard.half_life_days,
            ),
            half_life_by_kind: self.half_life_by_kind,
            decay_floor: real(self.decay_floor, 0.0, 1.0, standard.decay_floor),
            decay_clock: self.decay_clock,
            rerank: self.rerank,
            rerank_window: self.rerank_window.min(200),
            rerank_blend: real(self.rerank_blend, 0.0, 1.0, standard.rerank_blend),
            results: self.results.clamp(1, 100),
            token_budget: self.token_budget.clamp(64, 1_000_000),
            mmr: self.mmr,
            mmr_lambda: real(self.mmr_lambda, 0.0, 1.0, standard.mmr_lambda),
            dedup: self.dedup,
        }
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
}

use memory::Kind;
use proptest::prelude::*;

use super::*;
use crate::constants::RerankBackend;
use crate::gathered::testing::{Found, founds, gathered, half_lives};

const NOW: Millis = 1_775_000_000_000;
const DAY: Millis = 86_400_000;

fn candidates() -> impl Strategy<Value = Vec<Found>> {
    // Some are said to come from the future. Nothing grows so old that its score is lost in
    // rounding; that has a test of its own.
    let texts = (0..9_u8).prop_map(|text| format!("text {text}"));
    founds(2..18, -20.0..60.0, 0.9, texts)
}

fn some_constants() -> impl Strategy<Value = Constants> {
    (
        prop_oneof![Just(0.0), 0.0..1.0_f64],
        4.0..60.0_f64,
        1..8_u32,
        prop_oneof![Just(None), (1..12_u32, 0.0..1.0_f64).prop_map(Some)],
        0.0..100.0_f64,
        half_lives(),
        prop_oneof![Just(0.0), 0.0..1.0_f64],
    )
        .prop_map(
            |(floor, half_life, results, reranker, k, by_kind, authority)| Constants {
                authority,
                decay_floor: floor,
                half_life_days: half_life,
                half_life_by_kind: by_kind,
                results,
                rrf_k: k,
                rerank: if reranker.is_some() {
                    RerankBackend::Embedded
                } else {
                    RerankBackend::Off
                },
                rerank_window: reranker.map_or(0, |(window, _)| window),
                rerank_blend: reranker.map_or(0.0, |(_, blend)| blend),
                ..Constants::default()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn stepping_through_time_finds_the_same_lists(
        found in candidates(), constants in some_constants(),
    ) {
        let gathered = gathered(&found, NOW);
        let until = NOW + 90 * DAY;
        let forecast = gathered.forecast(&constants, NOW, until);
        prop_assert!(forecast.exact);
        prop_assert_eq!(forecast.until, until);
        let mut at = NOW;
        while at <= until {
            let stepped = gathered.rank(&constants, at).results();
            prop_assert_eq!(forecast.results_at(at), stepped.as_slice(), "{} h", (at - NOW) / 3_600_000);
            at += DAY / 8;
        }
        // Every change is one, and happens in its very millisecond.
        let mut before = forecast.start.clone();
        for change in &forecast.changes {
            prop_assert_eq!(&gathered.rank(&constants, change.at - 1).results(), &before);
            prop_assert_eq!(&gathered.rank(&constants, change.at).results(), &change.results);
            prop_assert_ne!(&change.results, &before);
            before.clone_from(&change.results);
        }
    }
}

fn two(days: [f64; 2], bm25: [f64; 2]) -> Gathered {
    let found: Vec<Found> = (0..2)
        .map(|at| Found {
            bm25: Some(bm25[at]),
            days: days[at],
            text: format!("text {at}"),
            ..Found::default()
        })
        .collect();
    gathered(&found, NOW)
}

fn cut_to_one() -> Constants {
    Constants {
        results: 1,
        rerank: RerankBackend::Off,
        ..Constants::default()
    }
}

#[test]
fn a_fresh_second_loses_its_lead_over_an_older_better_hit() {
    // f = 1/61 and 1/62, ages 100 and 0 days: the lines cross at
    // x = 0.7 (1/61 − 1/62) / (0.3 (1/62 − 1/61 · 2^(−100/14))).
    let gathered = two([100.0, 0.0], [5.0, 1.0]);
    let forecast = gathered.forecast(&cut_to_one(), NOW, NOW + 400 * DAY);
    assert_eq!(forecast.start, [MemoryId(2)]);
    let (one, two) = (1.0 / 61.0, 1.0 / 62.0);
    let x = 0.7 * (one - two) / (0.3 * (two - one * (-100.0_f64 / 14.0).exp2()));
    let days = -14.0 * x.log2();
    let fate = forecast.fate(MemoryId(2), NOW);
    let leaves = (fate.leaves.unwrap() - NOW) as f64 / DAY as f64;
    assert!((leaves - days).abs() < 1e-6, "{leaves} against {days}");
    assert_eq!(fate.rank, Some(1));
    assert_eq!(fate.next, Some((fate.leaves.unwrap(), None)));
    let other = forecast.fate(MemoryId(1), NOW);
    assert_eq!((other.rank, other.enters), (None, fate.leaves));
    // After it, nothing more happens.
    let later = forecast.fate(MemoryId(1), fate.leaves.unwrap());
    assert_eq!(
        (later.rank, later.leaves, later.next),
        (Some(1), None, None)
    );
}

#[test]
fn very_old_equals_come_to_rest_by_id() {
    // Both are first of one list, so only their ages differ, and those less and less.
    let gathered = gathered(
        &[
            Found {
                bm25: Some(1.0),
                days: 179.0,
                text: "a".to_owned(),
                ..Found::default()
            },
            Found {
                knn: Some(0.5),
                days: 158.0,
                text: "b".to_owned(),
                ..Found::default()
            },
        ],
        NOW,
    );
    let constants = Constants {
        half_life_days: 4.2,
        decay_floor: 0.03,
        ..cut_to_one()
    };
    let forecast = gathered.forecast(&constants, NOW, NOW + 300 * DAY);
    assert_eq!(forecast.start, [MemoryId(2)]);
    let [change] = forecast.changes.as_slice() else {
        panic!("{forecast:?}")
    };
    assert_eq!(change.results, [MemoryId(1)]);
    assert_eq!(
        gathered.rank(&constants, change.at - 1).results(),
        [MemoryId(2)]
    );
}

#[test]
fn equals_of_which_only_one_ages_part_at_once() {
    // Both are first of one list and new, so the reranker decides; a moment later only the one
    // that is pinned has its whole score, and counts 1 in the window where the other counts 0.
    let found = |knn: Option<f64>, bm25: Option<f64>, reranker: f64| Found {
        knn,
        bm25,
        reranker: Some(reranker),
        pinned: bm25.is_some(),
        text: format!("text {reranker}"),
        ..Found::default()
    };
    let gathered = gathered(
        &[found(None, Some(1.0), 0.65), found(Some(0.5), None, 0.68)],
        NOW,
    );
    // Floors whose 1 − floor rounds to either side.
    for decay_floor in [0.3, 0.823_418_637_854_234_3, 0.7, 0.9] {
        let constants = Constants {
            rerank: RerankBackend::Embedded,
            rerank_window: 2,
            rerank_blend: 0.86,
            decay_floor,
            ..cut_to_one()
        };
        let forecast = gathered.forecast(&constants, NOW, NOW + 90 * DAY);
        assert_eq!(forecast.start, [MemoryId(2)]);
        let change = Change {
            at: NOW + 1,
            results: vec![MemoryId(1)],
        };
        assert_eq!(forecast.changes, [change], "floor {decay_floor}");
    }
}

#[test]
fn kinds_that_age_differently_overtake_in_both_directions() {
    // A better but quickly fading hit sinks below a slow one and, once that has come down to the
    // floor as well, stands above it again: two crossings, which one straight line cannot have.
    let found = |bm25: f64, kind: Kind, days: f64| Found {
        bm25: Some(bm25),
        kind,
        days,
        text: format!("text {bm25}"),
        ..Found::default()
    };
    let gathered = gathered(
        &[found(5.0, Kind::Event, 0.0), found(1.0, Kind::Summary, 0.0)],
        NOW,
    );
    let constants = Constants {
        half_life_by_kind: "event:2,summary:60".parse().unwrap(),
        ..cut_to_one()
    };
    let forecast = gathered.forecast(&constants, NOW, NOW + 3650 * DAY);
    let first: Vec<MemoryId> = std::iter::once(&forecast.start)
        .chain(forecast.changes.iter().map(|change| &change.results))
        .map(|results| results[0])
        .collect();
    assert_eq!(first, [MemoryId(1), MemoryId(2), MemoryId(1)]);
    for change in &forecast.changes {
        assert_ne!(
            gathered.rank(&constants, change.at - 1).results(),
            change.results
        );
    }
}

#[test]
fn without_decay_time_changes_nothing() {
    let gathered = two([100.0, 0.0], [5.0, 1.0]);
    let constants = Constants {
        decay_floor: 1.0,
        ..cut_to_one()
    };
    let forecast = gathered.forecast(&constants, NOW, NOW + 3650 * DAY);
    assert!(forecast.changes.is_empty());
    assert_eq!(forecast.memories().len(), 1);
}

#[test]
fn marginal_relevance_is_looked_at_in_steps_and_says_so() {
    let gathered = two([100.0, 0.0], [5.0, 1.0]);
    let constants = Constants {
        mmr: true,
        ..cut_to_one()
    };
    let forecast = gathered.forecast(&constants, NOW, NOW + 400 * DAY);
    assert!(!forecast.exact);
    assert_eq!(forecast.changes.len(), 1);
}

#[test]
fn unread_rows_are_named() {
    let gathered = two([100.0, 0.0], [5.0, 1.0]);
    let constants = Constants {
        rerank: RerankBackend::Embedded,
        rerank_window: 1,
        ..cut_to_one()
    };
    let forecast = gathered.forecast(&constants, NOW, NOW + 400 * DAY);
    // The fault-free reranker of the tests has read neither.
    assert_eq!(forecast.unread.first(), Some(&NOW));
    assert!(forecast.unread.len() >= 2, "{:?}", forecast.unread);
}

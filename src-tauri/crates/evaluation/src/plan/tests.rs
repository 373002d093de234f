use super::*;

const AXES: [Tunable; 3] = [Tunable::RrfK, Tunable::DecayFloor, Tunable::RerankWindow];

#[test]
fn every_ladder_is_rising_within_range_and_holds_the_present_value() {
    for tunable in Tunable::ALL {
        let current = tunable.of(&Constants::default());
        let values = values(tunable, current);
        if tunable.only_packs() {
            assert!(values.is_empty());
            continue;
        }
        let (low, high) = tunable.range();
        assert!(values.contains(&current), "{}", tunable.name());
        assert!(values.iter().all(|value| (low..=high).contains(value)));
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn the_present_and_the_ablations_always_come_first() {
    for method in [Method::Grid, Method::Random { seed: 3 }] {
        let all = trials(&Constants::default(), &AXES, method, 30);
        let names: Vec<_> = all.iter().filter_map(|trial| trial.name).collect();
        assert_eq!(
            names,
            [
                "present",
                "keywords_only",
                "vectors_only",
                "no_decay",
                "no_rerank"
            ]
        );
        assert!(all[..5].iter().all(|trial| trial.name.is_some()));
        assert_eq!(all[0].constants, Constants::default());
    }
}

#[test]
fn a_grid_is_as_fine_as_the_count_allows() {
    let all = trials(&Constants::default(), &AXES, Method::Grid, 30);
    // Three values of each; k = 60, floor 0.7 and window 20 do not fall on all of them.
    assert_eq!(all.len(), 5 + 27);
    let ks: BTreeSet<u64> = all[5..]
        .iter()
        .map(|trial| trial.constants.rrf_k.to_bits())
        .collect();
    assert_eq!(ks.len(), 3);
    assert!(all.iter().any(|trial| trial.constants.rrf_k == 200.0));
    assert!(trials(&Constants::default(), &AXES, Method::Grid, 7).len() <= 5 + 7);
}

#[test]
fn draws_stay_within_range_are_readable_and_the_same_again() {
    let method = Method::Random { seed: 11 };
    let all = trials(&Constants::default(), &AXES, method, 200);
    assert!(all.len() > 190);
    for trial in &all[5..] {
        let constants = &trial.constants;
        assert_eq!(constants.out_of_range(), None);
        assert!(
            constants.rrf_k.to_string().len() <= 5,
            "{}",
            constants.rrf_k
        );
        assert_eq!(
            constants.half_life_days,
            Constants::default().half_life_days
        );
    }
    assert_eq!(all, trials(&Constants::default(), &AXES, method, 200));
    let other = trials(
        &Constants::default(),
        &AXES,
        Method::Random { seed: 12 },
        200,
    );
    assert_ne!(all, other);
    // Half of the draws of k lie below the middle of its ladder, not of its range.
    let low = all[5..]
        .iter()
        .filter(|trial| trial.constants.rrf_k < 15.0)
        .count();
    assert!((60..140).contains(&low), "{low}");
}

#[test]
fn two_legs_are_never_both_without_weight() {
    let axes = [Tunable::KnnWeight, Tunable::Bm25Weight];
    let all = trials(&Constants::default(), &axes, Method::Grid, 100);
    assert!(
        all.iter()
            .all(|trial| trial.constants.knn_weight + trial.constants.bm25_weight > 0.0)
    );
    assert_eq!(
        all.len(),
        5 + 100 - 1 - 1,
        "the empty pair and the present one are left out"
    );
}

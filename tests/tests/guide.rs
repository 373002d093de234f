//! The guided first queries of the demo do what their hints say.

use std::fs;

use retrieval::stage::Stage;
use serde::Deserialize;

use crate::support::{demo, root};

#[derive(Deserialize)]
struct Step {
    query: String,
    watch_for: String,
    expected_text: Option<String>,
}

fn steps() -> Vec<Step> {
    let text = fs::read_to_string(root().join("src-tauri/demo/guide.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn there_are_a_few_steps_and_one_planted_miss() {
    let steps = steps();
    assert!((5..=6).contains(&steps.len()));
    assert!(steps.iter().all(|step| step.watch_for.len() > 40));
    assert_eq!(
        steps
            .iter()
            .filter(|step| step.expected_text.is_some())
            .count(),
        1
    );
}

#[test]
fn every_step_but_the_planted_miss_brings_results() {
    let Some(demo) = demo() else { return };
    for step in steps() {
        let answer = demo.ask(&step.query);
        assert!(!answer.results.is_empty(), "{}", answer.listing());
    }
}

#[test]
fn the_planted_miss_is_lost_under_standard_and_a_wider_window_brings_it_back() {
    let Some(demo) = demo() else { return };
    let steps = steps();
    let step = steps
        .iter()
        .find(|step| step.expected_text.is_some())
        .unwrap();
    let expected = demo.the_one(step.expected_text.as_deref().unwrap()).id;

    let standard = demo.ask(&step.query);
    assert_eq!(
        standard.place_of(&expected),
        None,
        "not a miss: {}",
        standard.listing()
    );
    // The gate that loses it: the semantic leg has it near the top, and the reranker never reads it.
    let (found, behind) = (
        standard.place_in(Stage::Knn, &expected),
        standard.place_in(Stage::Decay, &expected),
    );
    assert!(found.is_some_and(|place| place <= 5), "{found:?}");
    assert!(behind.is_some_and(|place| place > 20), "{behind:?}");

    let wider = demo.ask_with(&step.query, |constants| constants.rerank_window = 30);
    assert!(
        wider.place_of(&expected).is_some(),
        "a wider rerank window does not bring it back\n{}",
        wider.listing()
    );
}

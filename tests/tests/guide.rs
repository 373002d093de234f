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

/// The guided query that holds a word.
fn guided(word: &str) -> String {
    let of_it = |step: &Step| step.query.contains(word);
    steps().into_iter().find(of_it).unwrap().query
}

#[test]
fn there_are_a_few_steps_and_one_planted_miss() {
    let steps = steps();
    assert!((5..=8).contains(&steps.len()));
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

#[test]
fn a_word_that_only_the_sparse_leg_adds_brings_a_note_in() {
    let Some(demo) = demo() else { return };
    let query = guided("electricity");
    let note = demo.the_one("Twelve minutes on the battery").id;

    let standard = demo.ask(&query);
    assert_eq!(standard.place_in(Stage::Bm25, &note), None);
    assert_eq!(standard.place_of(&note), None, "{}", standard.listing());
    let weighed = demo.ask_with(&query, |constants| constants.sparse_weight = 1.0);
    assert!(
        weighed
            .place_in(Stage::Sparse, &note)
            .is_some_and(|place| place <= 4)
    );
    assert!(weighed.place_of(&note).is_some(), "{}", weighed.listing());
}

#[test]
fn an_answer_that_only_its_question_resembles_follows_it() {
    let Some(demo) = demo() else { return };
    let query = guided("oolong");
    let (question, answer) = (
        demo.the_one("wants her money back because the oolong").id,
        demo.the_one("high mountain oolong takes three infusions")
            .id,
    );

    let standard = demo.ask(&query);
    assert_eq!(standard.place_of(&question), Some(1));
    assert_eq!(standard.place_of(&answer), None, "{}", standard.listing());
    let shared = demo.ask_with(&query, |constants| constants.neighbour_share = 0.25);
    assert!(
        shared.place_of(&answer).is_some_and(|place| place <= 5),
        "{}",
        shared.listing()
    );
}

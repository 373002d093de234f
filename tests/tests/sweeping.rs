//! Sweeps: chosen on one half of the golden queries, reported on the other; many constants at once.

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::error::ErrorCode;
use inspector::request::{
    FilterRequest, HoldOutRequest, JudgeRequest, QueryRequest, SweepRequest, TrialMethod,
    TrialsRequest,
};
use inspector::trace::Mode;
use inspector::view::{DifferenceVerdict, TrialsView};

use crate::support::Sandbox;

const NOW: &str = "2026-07-01T00:00:00Z";

/// A vault in which the second result of so many queries was judged to be the right one.
fn judged(queries: usize) -> (Sandbox, Inspector) {
    let records: Vec<String> = (0..queries)
        .flat_map(|at| {
            [
                format!("topic{at} kettle"),
                format!("topic{at} plants and more words"),
            ]
        })
        .collect();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    let (sandbox, inspector) = Sandbox::with_records(&records);
    for at in 0..queries {
        let answer = inspector
            .query(&QueryRequest {
                text: format!("topic{at}"),
                mode: Mode::Hybrid,
                filter: FilterRequest::default(),
                constants: Constants::default(),
                now: Some(NOW.to_owned()),
                rerank: true,
            })
            .unwrap();
        inspector
            .judge(&JudgeRequest {
                recall: answer.recall,
                id: answer.trace.results[1].clone(),
                grade: Some(3),
            })
            .unwrap();
    }
    (sandbox, inspector)
}

fn one_result() -> Constants {
    Constants {
        results: 1,
        ..Constants::default()
    }
}

#[test]
fn the_best_value_is_reported_on_queries_that_did_not_choose_it() {
    let (_sandbox, inspector) = judged(14);
    let sweep = inspector
        .sweep(&SweepRequest {
            constant: "results".into(),
            constants: one_result(),
            now: Some(NOW.to_owned()),
        })
        .unwrap();
    assert_eq!((sweep.queries, sweep.best, sweep.needed), (14, 2.0, 0));
    let held_out = sweep.held_out.unwrap();
    assert_eq!(held_out.queries + sweep.choosing, 14);
    assert!(held_out.queries >= 6 && sweep.choosing >= 6);
    assert_eq!(held_out.present.ndcg_10, 0.0);
    assert!(held_out.chosen.ndcg_10 > 0.6);
    assert_eq!(held_out.difference.verdict, DifferenceVerdict::Better);

    // Nothing to report where the present value is the best.
    let settled = inspector
        .sweep(&SweepRequest {
            constant: "results".into(),
            constants: Constants::default(),
            now: Some(NOW.to_owned()),
        })
        .unwrap();
    assert_eq!((settled.best, settled.held_out), (10.0, None));
}

#[test]
fn too_few_queries_all_choose_and_the_view_says_how_many_are_missing() {
    let (_sandbox, inspector) = judged(4);
    let sweep = inspector
        .sweep(&SweepRequest {
            constant: "results".into(),
            constants: one_result(),
            now: Some(NOW.to_owned()),
        })
        .unwrap();
    assert_eq!((sweep.choosing, sweep.held_out), (4, None));
    assert!((8..=12).contains(&sweep.needed), "{}", sweep.needed);
    let nothing = inspector
        .hold_out(&HoldOutRequest {
            present: one_result(),
            chosen: Constants::default(),
            now: None,
        })
        .unwrap();
    assert_eq!(nothing, None);
}

#[test]
fn several_constants_are_tried_piece_by_piece_with_the_ablations_among_them() {
    let (_sandbox, inspector) = judged(13);
    let ask = |skip: u32, take: u32| TrialsRequest {
        axes: vec!["results".into(), "rrf_k".into(), "half_life_days".into()],
        method: TrialMethod::Random,
        count: 20,
        seed: 7,
        constants: one_result(),
        now: Some(NOW.to_owned()),
        skip,
        take,
    };
    let whole = inspector.trials(&ask(0, 100)).unwrap();
    assert_eq!(whole.total as usize, whole.trials.len());
    assert!(whole.total > 20, "{}", whole.total);
    let names: Vec<_> = whole
        .trials
        .iter()
        .filter_map(|one| one.name.as_deref())
        .collect();
    let always = [
        "present",
        "keywords_only",
        "vectors_only",
        "no_decay",
        "no_rerank",
    ];
    assert_eq!(names, always);
    for trial in &whole.trials {
        assert_eq!(trial.ndcg.len(), whole.queries.len());
        assert!(trial.ms >= 0.0 && trial.ms.is_finite());
        assert_eq!(trial.values[0], f64::from(trial.constants.results));
        // The present vault gives one result, the second is the judged one.
        let expected = if trial.constants.results >= 2 && trial.name.is_none() {
            0.63
        } else {
            0.0
        };
        assert!((trial.scores.ndcg_10 - expected).abs() < 0.01, "{trial:?}");
    }
    // Stopped and gone on with, it is the same sweep.
    let measured = |view: &TrialsView| -> Vec<(u32, Vec<f64>, Vec<f64>)> {
        let rows = view.trials.iter();
        rows.map(|one| (one.number, one.values.clone(), one.ndcg.clone()))
            .collect()
    };
    let mut pieces = measured(&inspector.trials(&ask(0, 9)).unwrap());
    pieces.extend(measured(&inspector.trials(&ask(9, 100)).unwrap()));
    assert_eq!(pieces, measured(&whole));

    // The choice on the other half.
    let chosen = whole
        .trials
        .iter()
        .find(|one| one.scores.ndcg_10 > 0.5)
        .unwrap();
    let held_out = inspector
        .hold_out(&HoldOutRequest {
            present: one_result(),
            chosen: chosen.constants.clone(),
            now: Some(NOW.to_owned()),
        })
        .unwrap()
        .unwrap();
    assert_eq!(held_out.queries as usize + whole.queries.len(), 13);
    assert_eq!(held_out.difference.verdict, DifferenceVerdict::Better);
}

#[test]
fn a_plan_that_cannot_be_is_refused() {
    let (_sandbox, inspector) = judged(1);
    let ask = |axes: &[&str], count: u32| {
        inspector.trials(&TrialsRequest {
            axes: axes.iter().map(ToString::to_string).collect(),
            method: TrialMethod::Grid,
            count,
            seed: 1,
            constants: Constants::default(),
            now: None,
            skip: 0,
            take: 1,
        })
    };
    for (axes, count) in [
        (&[][..], 10),
        (&["token_budget"], 10),
        (&["kettle"], 10),
        (&["rrf_k", "rrf_k"], 10),
        (&["rrf_k"], 0),
        (&["rrf_k"], 501),
    ] {
        let error = ask(axes, count).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest, "{axes:?} {count}");
    }
    assert_eq!(ask(&["rrf_k"], 10).unwrap().trials.len(), 1);
}

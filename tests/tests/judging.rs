//! Golden queries from the first judgement to the regression suite, through the use-cases and the
//! command line.

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::error::ErrorCode;
use inspector::request::{
    ComparisonRequest, FilterRequest, GoldenRequest, ImportRequest, JudgeRequest, MeasureRequest,
    QueryRequest, RunRequest, SettingsRequest, SweepRequest, WhyRequest,
};
use inspector::trace::Mode;
use inspector::view::{DifferenceVerdict, HeadroomFix, MeasureView, QueryView};
use retrieval::stage::Stage;

use crate::support::{Sandbox, demo};

const RECORDS: [&str; 6] = [
    "the kettle in the office is descaled on Mondays",
    "the kettle at home is descaled in spring",
    "the office plants get water on Mondays",
    "descaling needs citric acid and a kettle",
    "the printer queue is on the second floor",
    "Mondays start with the stand-up at nine",
];

fn ask(inspector: &Inspector, text: &str, constants: &Constants) -> QueryView {
    inspector
        .query(&QueryRequest {
            text: text.into(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: constants.clone(),
            now: None,
            rerank: true,
        })
        .unwrap()
}

fn judge(inspector: &Inspector, answer: &QueryView, id: &str, grade: Option<u32>) -> usize {
    let request = JudgeRequest {
        recall: answer.recall.clone(),
        id: id.into(),
        grade,
    };
    inspector.judge(&request).unwrap().grades.len()
}

fn measure(inspector: &Inspector, constants: &Constants) -> MeasureView {
    inspector
        .measure(&MeasureRequest {
            constants: constants.clone(),
            now: None,
            score_unseen: true,
        })
        .unwrap()
}

#[test]
fn the_first_judgement_makes_a_query_golden_and_the_last_one_ends_that() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let standard = Constants::default();
    let answer = ask(&inspector, "kettle Mondays", &standard);
    let first = answer.trace.results[0].clone();
    assert_eq!(inspector.golden_queries().unwrap().len(), 0);
    assert_eq!(judge(&inspector, &answer, &first, Some(3)), 1);
    assert_eq!(judge(&inspector, &answer, &first, Some(2)), 1);

    // Asked again it is the same golden query.
    let again = ask(&inspector, " kettle Mondays ", &standard);
    let grades = inspector.grades(&again.recall).unwrap();
    assert_eq!(grades.golden.as_deref(), Some("q1"));
    assert_eq!(grades.grades[&first], 2);

    let bad = JudgeRequest {
        recall: answer.recall.clone(),
        id: first.clone(),
        grade: Some(4),
    };
    assert_eq!(
        inspector.judge(&bad).unwrap_err().code,
        ErrorCode::BadRequest
    );

    assert_eq!(judge(&inspector, &answer, &first, None), 0);
    assert_eq!(inspector.golden_queries().unwrap().len(), 0);
    assert_eq!(
        inspector.delete_golden_query("q1").unwrap_err().code,
        ErrorCode::NotFound
    );
}

#[test]
fn scores_follow_the_constants_and_regressions_are_counted() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let settings = SettingsRequest {
        preset: Some("Standard".to_owned()),
        ..SettingsRequest::default()
    };
    inspector.save_settings(&settings).unwrap();
    let standard = Constants::default();
    let answer = ask(&inspector, "kettle Mondays descaled", &standard);
    let second = answer.trace.results[1].clone();
    judge(&inspector, &answer, &second, Some(3));

    let same = measure(&inspector, &standard);
    assert_eq!((same.golden, same.worse, same.better), (1, 0, 0));
    assert_eq!(same.queries[0].current_rank, Some(2));
    assert!((same.current.lower.mrr_10 - 0.5).abs() < 1e-12);
    assert_eq!(same.baseline_name, "Standard");
    let shown = answer.trace.results.len() as f64;
    assert!((same.current.judged_10 - 1.0 / shown).abs() < 1e-12);

    let one = Constants {
        results: 1,
        ..standard.clone()
    };
    let cut = measure(&inspector, &one);
    assert_eq!((cut.worse, cut.queries[0].current_rank), (1, None));
    assert!((cut.baseline.lower.mrr_10 - 0.5).abs() < 1e-12);
    assert!(cut.current.lower.mrr_10.abs() < 1e-12);

    // A memory in the trash is nothing to be found.
    inspector
        .delete_memories(std::slice::from_ref(&second))
        .unwrap();
    let gone = measure(&inspector, &standard);
    assert_eq!((gone.golden, gone.queries.len()), (1, 0));
    inspector.restore_memories(&[second]).unwrap();
    assert_eq!(measure(&inspector, &standard), same);
}

#[test]
fn few_queries_cannot_tell_and_a_sweep_holds_the_present_value() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let standard = Constants::default();
    let answer = ask(&inspector, "kettle Mondays descaled", &standard);
    judge(&inspector, &answer, &answer.trace.results[2], Some(1));

    let compared = inspector
        .compare(&ComparisonRequest {
            a: standard.clone(),
            b: Constants {
                results: 1,
                ..standard.clone()
            },
            now: None,
        })
        .unwrap();
    assert_eq!(compared.difference.verdict, DifferenceVerdict::CannotTell);
    assert!(compared.difference.more.is_some_and(|more| more >= 5));
    assert!(compared.difference.mean < 0.0);

    let sweep = inspector
        .sweep(&SweepRequest {
            constant: "results".into(),
            constants: standard.clone(),
            now: None,
        })
        .unwrap();
    assert!(
        sweep
            .points
            .iter()
            .any(|point| point.value == sweep.current)
    );
    let at = |value: f64| {
        let point = sweep.points.iter().find(|point| point.value == value);
        point.unwrap().scores.ndcg_10
    };
    assert_eq!((at(1.0), at(2.0)), (0.0, 0.0));
    assert!(at(3.0) > 0.0, "the judged memory is third");
    assert_eq!(sweep.best, 10.0, "equally good values change nothing");
    assert_eq!(sweep.ablations.len(), 4);
    for bad in ["nothing", "token_budget"] {
        let request = SweepRequest {
            constant: bad.into(),
            constants: standard.clone(),
            now: None,
        };
        assert_eq!(
            inspector.sweep(&request).unwrap_err().code,
            ErrorCode::BadRequest
        );
    }
}

#[test]
fn judgements_leave_and_come_back_as_qrels() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let standard = Constants::default();
    let answer = ask(&inspector, "kettle", &standard);
    let (best, poor) = (&answer.trace.results[0], &answer.trace.results[1]);
    judge(&inspector, &answer, best, Some(3));
    judge(&inspector, &answer, poor, Some(0));

    let exported = inspector.export_qrels().unwrap();
    assert_eq!(exported.topics, "q1\tkettle\n");
    assert!(exported.qrels.contains(&format!("q1 0 {best} 3\n")));
    let run = inspector
        .export_run(&RunRequest {
            stage: Stage::Select,
            constants: standard,
            now: None,
        })
        .unwrap();
    assert!(run.starts_with(&format!("q1 Q0 {best} 1 ")), "{run}");
    assert_eq!(run.lines().count(), answer.trace.results.len());

    inspector.delete_golden_query("q1").unwrap();
    let imported = inspector
        .import_qrels(&ImportRequest {
            qrels: format!("{}q9 0 m1 1\nq1 0 m999 1\n", exported.qrels),
            topics: exported.topics.clone(),
        })
        .unwrap();
    assert_eq!(imported.judged, 2);
    assert_eq!(imported.unknown_queries, ["q9"]);
    assert_eq!(imported.unknown_memories, ["m999"]);
    assert_eq!(inspector.grades(&answer.recall).unwrap().grades[best], 3);
    let error = inspector
        .import_qrels(&ImportRequest {
            qrels: "q1 0 m1".into(),
            topics: String::new(),
        })
        .unwrap_err();
    assert_eq!(error.args["what"], "qrels, line 1");
}

#[test]
fn a_regression_suite_decides_the_exit_code_and_writes_junit() {
    let (sandbox, inspector) = Sandbox::with_records(&RECORDS);
    inspector.lock().unwrap();
    let suite = sandbox.write(
        "suite.json",
        r#"{"queries":[
            {"query":"printer queue","mode":"lexical","expect":[{"contains":"second FLOOR"}],"top":1},
            {"query":"citric acid","expect":["m4"],"top":3}
        ]}"#,
    );
    let report = sandbox.path("report.xml");
    let vault = sandbox.vault().display().to_string();
    let secret = sandbox.path("passphrase").display().to_string();
    let run = |suite: &str| {
        let junit = report.display().to_string();
        sandbox.run(&[
            "--vault",
            &vault,
            "--passphrase-file",
            &secret,
            "--json",
            "eval",
            "--suite",
            suite,
            "--junit",
            &junit,
        ])
    };
    let green = run(&suite).succeeded().json();
    assert_eq!(green["passed"], true);
    assert_eq!(green["cases"][0]["expected"][0]["rank"], 1);

    let red = sandbox.write(
        "red.json",
        r#"{"queries":[{"query":"printer","expect":["m1"],"top":1}]}"#,
    );
    let failed = run(&red);
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert_eq!(failed.json()["failures"], 1);
    let xml = std::fs::read_to_string(&report).unwrap();
    assert!(xml.contains("failures=\"1\"") && xml.contains("m1 is not among the results"));

    let broken = sandbox.write("broken.json", r#"{"queries":[]}"#);
    run(&broken).refused(2, &["suite", "at least one"]);
    run("/nowhere/suite.json").refused(1, &["/nowhere/suite.json"]);
}

#[test]
fn a_fix_says_what_it_does_to_the_golden_queries() {
    let Some(demo) = demo() else { return };
    let standard = Constants::default();
    let answer = demo.ask("how did we fix the unpack error in the payment gateway?");
    let narrow = Constants {
        results: 3,
        ..standard.clone()
    };
    let fourth = answer.view.trace.results[3].clone();
    judge(&demo.inspector, &answer.view, &fourth, Some(3));
    let why = |constants: &Constants| {
        demo.inspector
            .why(&WhyRequest {
                recall: answer.view.recall.clone(),
                expected: fourth.clone(),
                constants: constants.clone(),
                now: None,
            })
            .unwrap()
    };
    let verdict = why(&narrow);
    assert!(!verdict.in_results);
    let fix = verdict.fixes.iter().find(|fix| fix.constant == "results");
    let fix = fix.expect("more results bring the fourth in");
    assert_eq!((fix.nearest, fix.gained, fix.lost), (Some(4.0), 1, 0));
    assert!(fix.ndcg_delta.is_some_and(|change| change > 0.0));
}

#[test]
fn a_moving_slider_may_ask_for_the_scores() {
    let Some(demo) = demo() else { return };
    let texts = [
        "payment gateway",
        "database migrations",
        "label printer",
        "stock report",
        "coffee",
        "deploy failed",
        "test flake",
        "retry policy",
        "customer meeting",
        "release notes",
    ];
    for text in texts {
        let answer = demo.ask(text);
        judge(
            &demo.inspector,
            &answer.view,
            &answer.view.trace.results[0],
            Some(3),
        );
    }
    let mut constants = Constants::default();
    measure(&demo.inspector, &constants);
    let mut worst = std::time::Duration::ZERO;
    for step in 0..20 {
        constants.half_life_days = 5.0 + f64::from(step);
        let start = std::time::Instant::now();
        let view = demo
            .inspector
            .measure(&MeasureRequest {
                constants: constants.clone(),
                now: None,
                score_unseen: false,
            })
            .unwrap();
        worst = worst.max(start.elapsed());
        assert_eq!(view.queries.len(), texts.len());
    }
    eprintln!("ten golden queries measured in at most {worst:?}");
    // Generous, for slow machines: ranking ten queries twice takes a few milliseconds, searching
    // them again would take far longer than this.
    assert!(worst.as_millis() < 400, "{worst:?}");
}

#[test]
fn headroom_says_whether_ranking_or_retrieval_is_to_be_fixed() {
    let (_sandbox, inspector) = Sandbox::with_records(&RECORDS);
    let standard = Constants::default();
    let headroom = |constants: &Constants| {
        inspector
            .headroom(&GoldenRequest {
                constants: constants.clone(),
                now: None,
            })
            .unwrap()
    };
    let empty = headroom(&standard);
    assert_eq!((empty.fix, empty.queries.len()), (HeadroomFix::Nothing, 0));

    let answer = ask(&inspector, "kettle Mondays descaled", &standard);
    judge(&inspector, &answer, &answer.trace.results[1], Some(3));
    // Second instead of first: the candidates are there.
    let ordered = headroom(&standard);
    assert_eq!(ordered.fix, HeadroomFix::Ranking);
    assert!(ordered.ranking > 0.3 && ordered.cutoff.abs() < 1e-12);
    let measured = measure(&inspector, &standard);
    assert!((ordered.actual - measured.current.lower.ndcg_10).abs() < 1e-12);
    let select = ordered.stages.last().unwrap();
    assert_eq!((select.stage, select.hurt), (Stage::Select, 0));
    // Cut to one, select takes it away.
    let cut = headroom(&Constants {
        results: 1,
        ..standard.clone()
    });
    assert_eq!(cut.stages.last().unwrap().hurt, 1);
    assert_eq!((cut.actual, cut.fix), (0.0, HeadroomFix::Ranking));

    // A memory that shares no word with the question is found by no leg.
    judge(&inspector, &answer, &answer.trace.results[1], None);
    let far = ask(&inspector, "printer", &standard);
    judge(&inspector, &far, &answer.trace.results[0], Some(3));
    let unfound = headroom(&standard);
    assert_eq!(
        (unfound.unfound, unfound.fix),
        (1.0, HeadroomFix::Retrieval)
    );
}

//! Retrieval quality on an invented set, through the real program: floors that a change must not
//! fall below. The set is small and its queries are written to be hard, so the floors lie a little
//! under what is measured; the public sets and their figures are in docs/figures.md.

use crate::support::{Sandbox, model_folder, root, skip};

struct Measured {
    ndcg: f64,
    recall: f64,
    mrr: f64,
}

fn measure(sandbox: &Sandbox, with_model: bool, arguments: &[&str]) -> Measured {
    let folder = root().join("tests/fixtures/eval/workshop");
    let folder = folder.display().to_string();
    let mut command = sandbox.command();
    command.args(["--json", "eval", &folder]).args(arguments);
    if let Some(model) = model_folder().filter(|_| with_model) {
        command.env("LETHESCOPE_MODEL_DIR", model);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(outcome["set"], "workshop");
    assert_eq!(outcome["queries"], 42);
    let metric = |name: &str| outcome["metrics"][name].as_f64().unwrap();
    let measured = Measured {
        ndcg: metric("ndcg@10"),
        recall: metric("recall@10"),
        mrr: metric("mrr@10"),
    };
    let left = |name: &str| outcome["headroom"][name].as_f64().unwrap();
    let parts = ["actual", "ranking", "cutoff", "unfound"].map(left);
    assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{parts:?}");
    assert!((left("actual") - measured.ndcg).abs() < 1e-9);
    assert!(outcome["stages"]["fusion"]["hurt"].is_u64());
    eprintln!(
        "{arguments:?}: nDCG@10 {:.4}, recall@10 {:.4}, MRR@10 {:.4}",
        measured.ndcg, measured.recall, measured.mrr
    );
    measured
}

fn holds(name: &str, measured: &Measured, floor: &Measured) {
    for (metric, value, least) in [
        ("nDCG@10", measured.ndcg, floor.ndcg),
        ("recall@10", measured.recall, floor.recall),
        ("MRR@10", measured.mrr, floor.mrr),
    ] {
        assert!(
            value >= least,
            "{name}: {metric} {value:.4} is below {least}"
        );
    }
}

#[test]
fn keywords_alone_keep_their_quality() {
    let sandbox = Sandbox::new();
    let measured = measure(&sandbox, false, &[]);
    let floor = Measured {
        ndcg: 0.71,
        recall: 0.84,
        mrr: 0.79,
    };
    holds("keywords", &measured, &floor);
}

#[test]
fn the_presets_keep_their_quality_and_beat_each_leg_alone() {
    if model_folder().is_none() {
        skip("the local model is not set up; `npm test` does it");
        return;
    }
    // The second run opens the vault of the first.
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| measure(&sandbox, true, arguments);
    let standard = run(&["--preset", "Standard"]);
    let balanced = run(&["--preset", "Balanced"]);
    let leg = |zero: &str| run(&["--set", zero, "--set", "rerank=off"]).ndcg;
    let best_leg = leg("knn_weight=0").max(leg("bm25_weight=0"));

    let floor = Measured {
        ndcg: 0.82,
        recall: 0.95,
        mrr: 0.89,
    };
    holds("Standard", &standard, &floor);
    let floor = Measured {
        ndcg: 0.81,
        recall: 0.95,
        mrr: 0.86,
    };
    holds("Balanced", &balanced, &floor);
    assert!(
        standard.ndcg >= best_leg,
        "a leg alone reaches {best_leg:.4}"
    );
    assert!(
        balanced.ndcg >= best_leg,
        "a leg alone reaches {best_leg:.4}"
    );
}

#[test]
fn a_set_is_embedded_once_and_a_changed_set_anew() {
    let sandbox = Sandbox::new();
    let set = sandbox.path("set");
    let write = |text: &str| {
        sandbox.write(
            "set/corpus.jsonl",
            format!(
                "{}\n{}\n",
                serde_json::json!({"id": "a", "text": text}),
                serde_json::json!({"id": "b", "text": "the lighthouse is white"})
            ),
        );
    };
    sandbox.write("set/queries.jsonl", "{\"id\":\"q\",\"text\":\"kettle\"}\n");
    sandbox.write("set/qrels.tsv", "q\t0\ta\t1\n");
    let folder = set.display().to_string();
    let run = || {
        let found = sandbox.run(&["--json", "eval", &folder]).succeeded().json();
        found["metrics"]["mrr@10"].as_f64().unwrap()
    };
    let vaults = || -> Vec<_> {
        let mut names: Vec<_> = std::fs::read_dir(sandbox.path("data/evaluation"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    write("the kettle is warm");
    assert!((run() - 1.0).abs() < 1e-12);
    let first = vaults();
    assert_eq!(first.len(), 1);
    assert!((run() - 1.0).abs() < 1e-12);
    assert_eq!(vaults(), first);
    // Nothing of the set lies there in the clear.
    for (path, bytes) in sandbox.snapshot("data/evaluation") {
        let held = bytes.windows(6).any(|window| window == b"kettle");
        assert!(!held, "{}", path.display());
    }
    write("the pot is warm");
    assert!(run().abs() < 1e-12);
    assert_eq!(vaults().len(), 2);
}

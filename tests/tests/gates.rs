//! A question for each gate, whose expected memory is lost there: `lethescope why` names the gate.
//! The window is asked the same in `tests/e2e/gates.spec.mjs`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::stand_in::StandIn;
use crate::support::{Sandbox, model_folder, root, skip};

fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures/gates").join(name)
}

/// A sandbox of which only the `lethescope` calls that should see the model see it.
struct Harbour {
    sandbox: Sandbox,
    model: PathBuf,
    /// The memory that each case expects.
    ids: Vec<String>,
}

impl Harbour {
    /// The log with vectors, the late line without, trash and ends as the cases want them, and a
    /// reranking service.
    fn new(cases: &[Value], model: PathBuf, service: &StandIn) -> Self {
        let mut harbour = Self {
            sandbox: Sandbox::new(),
            model,
            ids: Vec::new(),
        };
        harbour.run(true, &["init"]);
        let log = fixture("log.jsonl").display().to_string();
        let late = fixture("late.jsonl").display().to_string();
        harbour.run(true, &["ingest", &log]);
        harbour.run(true, &["ingest", &late, "--no-embed"]);
        harbour.ids = cases.iter().map(|case| harbour.expected(case)).collect();
        for (case, id) in cases.iter().zip(&harbour.ids) {
            if case["trash"] == true {
                harbour.run(true, &["delete", id]);
            }
            if let Some(end) = case["expires"].as_str() {
                harbour.run(true, &["edit", id, "--expires", end]);
            }
        }
        let endpoint = service.endpoint.as_str();
        let set_up = ["reranker", "use", "http", "--send-texts", "--model", "m"];
        harbour.run(
            true,
            &[set_up.as_slice(), &["--endpoint", endpoint]].concat(),
        );
        harbour.run(true, &["reranker", "use", "embedded"]);
        harbour
    }

    fn run(&self, with_model: bool, arguments: &[&str]) -> Value {
        let mut command = self.sandbox.command();
        if with_model {
            command.env("LETHESCOPE_MODEL_DIR", &self.model);
        }
        let output = command.args(arguments).arg("--json").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{arguments:?}: {text}");
        serde_json::from_str(text.trim()).unwrap()
    }

    /// The memory that a case expects: the oldest that holds its text.
    fn expected(&self, case: &Value) -> String {
        let text = case["expect"].as_str().unwrap();
        let page = self.run(false, &["list", "--contains", text]);
        let oldest = page["cards"].as_array().and_then(|cards| cards.last());
        let id = oldest.and_then(|card| card["id"].as_str());
        id.unwrap_or_else(|| panic!("nothing contains {text}"))
            .to_owned()
    }

    fn why(&self, case: &Value, id: &str) -> Value {
        let query = case["query"].as_str().unwrap();
        let mut arguments = vec!["why", query, "--expect", id, "--preset", "Standard"];
        arguments.extend(["--mode", case["mode"].as_str().unwrap_or("hybrid")]);
        let changes: Vec<String> = case["set"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}={}", value.to_string().trim_matches('"')))
            .collect();
        for change in &changes {
            arguments.extend(["--set", change]);
        }
        self.run(case["model"] != "none", &arguments)
    }
}

#[test]
fn each_gate_in_turn_is_named_as_the_one_that_lost_it() {
    let Some(model) = model_folder() else {
        return skip("a miss by meaning needs the local model");
    };
    let cases: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(fixture("cases.json")).unwrap()).unwrap();
    let service = StandIn::start();
    *service.status.lock().unwrap() = 503;
    let harbour = Harbour::new(&cases, model, &service);
    for (case, id) in cases.iter().zip(&harbour.ids) {
        let verdict = harbour.why(case, id);
        let name = case["gate"].as_str().unwrap();
        assert_eq!(verdict["lost_at"], name, "{case}: {verdict}");
        assert_eq!(
            verdict["in_results"].as_bool().unwrap(),
            case["in_results"] == true,
            "{case}: {verdict}"
        );
        let gates = verdict["gates"].as_array().unwrap();
        let gate = gates.iter().find(|gate| gate["name"] == name).unwrap();
        let wanted = case["verdict"].as_str().unwrap_or("lost");
        assert_eq!(gate["verdict"], wanted, "{case}: {gate}");
        let note = gate["note"].as_str().unwrap();
        assert!(
            note.contains(case["says"].as_str().unwrap()),
            "{case}: {note}"
        );
        // Where there is a threshold, the margin is what is missing from it.
        if let (Some(value), Some(threshold), Some(margin)) = (
            gate["value"].as_f64(),
            gate["threshold"].as_f64(),
            gate["margin"].as_f64(),
        ) {
            assert!(margin < 0.0, "{case}: {gate}");
            // Of ranks and tokens less is better, of the days that are left more.
            let missing = if name == "expired" {
                value - threshold
            } else {
                threshold - value
            };
            assert_eq!(missing, margin, "{case}: {gate}");
        }
    }
}

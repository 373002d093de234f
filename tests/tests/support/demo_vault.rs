//! The demo vault with the real model: built once per test program and day, copied for each test.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::request::{FilterRequest, ListRequest, QueryRequest};
use inspector::trace::{Mode, StageTrace};
use inspector::view::{MemoryCard, QueryView, ResultView};
use retrieval::stage::Stage;

use super::{PASSPHRASE, Sandbox, model_folder, skip};

/// An open demo vault of one's own.
pub struct Demo {
    /// What one asks.
    pub inspector: Inspector,
    sandbox: Sandbox,
}

/// A sandbox with a copy of the demo vault; `None`, after saying so, when there is no model.
pub fn demo_sandbox() -> Option<Sandbox> {
    if model_folder().is_none() {
        skip("the local model is not set up; `npm test` does it");
        return None;
    }
    let sandbox = Sandbox::new();
    copy(&built(), &sandbox.vault());
    Some(sandbox)
}

/// Opens a copy of the demo vault; `None`, after saying so, when there is no model.
pub fn demo() -> Option<Demo> {
    let sandbox = demo_sandbox()?;
    let inspector = Inspector::for_scripts(sandbox.paths(true));
    let status = inspector.unlock(PASSPHRASE.into()).unwrap();
    assert_eq!(
        status.embedded, status.embeddable,
        "everything has its vector: {status:?}"
    );
    Some(Demo { inspector, sandbox })
}

/// The folder of the vault that every test copies. The name changes with this program (all crates
/// are linked into it) and with the day, since the demo's newest memory is from today.
fn built() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let written = fs::metadata(&program).unwrap().modified().unwrap();
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let day = seconds(SystemTime::now()) / 86_400;
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo-vaults");
    fs::create_dir_all(&shared).unwrap();
    let finished = shared.join(format!("{:x}-{day}", seconds(written)));
    let lock = File::create(shared.join("lock")).unwrap();
    lock.lock().unwrap();
    if !finished.is_dir() {
        for old in fs::read_dir(&shared).unwrap().filter_map(Result::ok) {
            if old.path().is_dir() {
                fs::remove_dir_all(old.path()).unwrap();
            }
        }
        let sandbox = Sandbox::new();
        let inspector = Inspector::for_scripts(sandbox.paths(true));
        inspector.create_demo_vault(PASSPHRASE.into()).unwrap();
        inspector.embed_pending(&mut |_, _| {}).unwrap();
        inspector.lock().unwrap();
        let half = shared.join("half");
        copy(&sandbox.vault(), &half);
        fs::rename(half, &finished).unwrap();
    }
    finished
}

/// Copies a folder with everything below it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Demo {
    /// The vault's folder.
    pub fn folder(&self) -> PathBuf {
        self.sandbox.vault()
    }

    /// Asks with the Standard constants.
    pub fn ask(&self, text: &str) -> Answer {
        self.ask_with(text, |_| {})
    }

    /// Asks with some constants changed.
    pub fn ask_with(&self, text: &str, change: impl FnOnce(&mut Constants)) -> Answer {
        let mut constants = Constants::default();
        change(&mut constants);
        let request = QueryRequest {
            text: text.to_owned(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants,
            now: None,
            rerank: true,
        };
        let view = self
            .inspector
            .query(&request)
            .unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let results = self.inspector.results(&view).unwrap();
        Answer { view, results }
    }

    /// The memories that contain a text, letter case ignored.
    pub fn containing(&self, text: &str) -> Vec<MemoryCard> {
        let request = ListRequest {
            contains: Some(text.to_owned()),
            limit: 500,
            ..ListRequest::default()
        };
        self.inspector.list_memories(&request).unwrap().cards
    }

    /// The one memory that contains a text.
    pub fn the_one(&self, text: &str) -> MemoryCard {
        let mut found = self.containing(text);
        assert_eq!(found.len(), 1, "exactly one memory should contain {text:?}");
        found.remove(0)
    }
}

/// What a query brought.
pub struct Answer {
    /// The whole answer.
    pub view: QueryView,
    /// The results with their texts.
    pub results: Vec<ResultView>,
}

impl Answer {
    /// Place of the first result that contains a text, from 1.
    pub fn place(&self, text: &str) -> Option<usize> {
        self.results
            .iter()
            .position(|result| result.content.contains(text))
            .map(|index| index + 1)
    }

    /// Place of a memory among the results, from 1.
    pub fn place_of(&self, id: &str) -> Option<usize> {
        self.results
            .iter()
            .position(|result| result.id == id)
            .map(|index| index + 1)
    }

    /// The part of one stage.
    pub fn stage(&self, stage: Stage) -> &StageTrace {
        self.view
            .trace
            .stage(stage)
            .expect("a trace has every stage")
    }

    /// Place of a memory in a stage's list, from 1.
    pub fn place_in(&self, stage: Stage, id: &str) -> Option<usize> {
        self.stage(stage)
            .items
            .iter()
            .position(|item| item.id == id)
            .map(|index| index + 1)
    }

    /// The list, for the message of a failed test; the demo is invented, so texts may be shown.
    pub fn listing(&self) -> String {
        let mut lines = vec![format!("{:?}", self.view.trace.query)];
        for result in &self.results {
            let start: String = result.content.chars().take(110).collect();
            let place = |stage| {
                self.place_in(stage, &result.id)
                    .map_or("-".into(), |p| p.to_string())
            };
            lines.push(format!(
                "{:>3}. {:.4} knn {:>3} bm25 {:>3} decay {:>3}  {:?}",
                result.rank,
                result.score,
                place(Stage::Knn),
                place(Stage::Bm25),
                place(Stage::Decay),
                start
            ));
        }
        lines.join("\n")
    }
}

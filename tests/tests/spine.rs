//! One enum names the eight stages everywhere: module, span, trace, page and documentation.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use inspector::constants::Constants;
use inspector::request::{FilterRequest, QueryRequest};
use inspector::trace::Mode;
use retrieval::stage::Stage;
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::{Layer, Registry};

use crate::support::{Sandbox, root};

#[test]
fn every_stage_has_its_module() {
    for stage in Stage::ALL {
        let folder = root().join("src-tauri/crates/retrieval/src/stage");
        let file = folder.join(format!("{}.rs", stage.name()));
        let nested = folder.join(stage.name()).join("mod.rs");
        assert!(
            file.is_file() || nested.is_file(),
            "no module for the stage {}",
            stage.name()
        );
    }
}

#[test]
fn every_stage_has_its_folder_in_the_page() {
    for stage in Stage::ALL {
        let folder = root().join("ui/src/stages").join(stage.name());
        let inhabited = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
        assert!(
            inhabited,
            "no folder {} in ui/src/stages, or nothing in it",
            stage.name()
        );
    }
}

#[test]
fn every_stage_has_its_section_in_the_documentation_in_order() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .filter(|title| Stage::ALL.iter().any(|stage| stage.name() == *title))
        .collect();
    let expected: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
    assert_eq!(headings, expected);
}

/// Remembers the names of all spans.
#[derive(Clone, Default)]
struct SpanNames(Arc<Mutex<BTreeSet<&'static str>>>);

impl<S: tracing::Subscriber> Layer<S> for SpanNames {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(attributes.metadata().name());
    }
}

#[test]
fn a_query_has_a_span_and_a_part_of_the_trace_per_stage() {
    let names = SpanNames::default();
    // Legs may run on threads of their own, so the subscriber serves the whole process; no other
    // test sets one.
    tracing::subscriber::set_global_default(Registry::default().with(names.clone())).unwrap();
    let (_sandbox, inspector) =
        Sandbox::with_records(&["the kettle is calibrated", "the scale drifts"]);
    let request = QueryRequest {
        text: "kettle".into(),
        mode: Mode::Hybrid,
        filter: FilterRequest::default(),
        constants: Constants::default(),
        now: None,
        rerank: true,
    };
    let answer = inspector.query(&request).unwrap();
    let parts: Vec<Stage> = answer.trace.stages.iter().map(|part| part.name).collect();
    assert_eq!(parts, Stage::ALL);
    let spans = names.0.lock().unwrap().clone();
    for stage in Stage::ALL {
        assert!(
            spans.contains(stage.name()),
            "no span {}: {spans:?}",
            stage.name()
        );
    }
}

use std::path::{Path, PathBuf};
use std::time::Duration;

use models::{CrossEncoder, ModelError, RerankError, Reranker, Script};

use crate::model_files;

const LONG: Duration = Duration::from_mins(1);

fn fixture() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny-cross-encoder")
}

/// A copy of the fixture's tokenizer with one of its graphs as `model.onnx`.
fn folder_with(graph: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "tokenizer.json",
        "config.json",
        "special_tokens_map.json",
        "tokenizer_config.json",
    ] {
        std::fs::copy(fixture().join(name), folder.path().join(name)).unwrap();
    }
    std::fs::copy(fixture().join(graph), folder.path().join("model.onnx")).unwrap();
    folder
}

fn load(folder: &Path) -> Option<Result<CrossEncoder, ModelError>> {
    Some(CrossEncoder::load(
        folder,
        &model_files()?,
        Some(vec![Script::Latin]),
        1,
    ))
}

fn score(model: &CrossEncoder, query: &str, documents: &[&str]) -> Vec<f64> {
    let found = model.score(query, documents, &|_| 1.0, LONG).unwrap();
    found.into_iter().map(Option::unwrap).collect()
}

#[test]
fn logits_pass_the_logistic_function_once_in_document_order() {
    let Some(model) = load(&fixture()) else {
        return;
    };
    let model = model.unwrap();
    let documents = ["the agenda", "payment gateway timeout", "gateway", ""];
    let found = score(&model, "payment gateway timeout", &documents);
    // The fixture's logit is 2 × shared words − 3.
    let expected = [0.0_f64, 3.0, 1.0, 0.0].map(|shared| 1.0 / (1.0 + (3.0 - 2.0 * shared).exp()));
    for (score, wanted) in found.iter().zip(expected) {
        assert!(
            (score - wanted).abs() < 1e-6,
            "{found:?}, wanted {expected:?}"
        );
    }
    // Nothing depends on the company.
    for (at, document) in documents.iter().enumerate() {
        let alone = score(&model, "payment gateway timeout", &[document]);
        assert!((alone[0] - found[at]).abs() < 1e-12);
    }
    assert!(
        model
            .name()
            .starts_with("cross-encoder/tiny-cross-encoder-")
    );
    assert!(model.covers(Script::Latin) && !model.covers(Script::Han));
}

#[test]
fn a_passed_deadline_says_so_and_no_document_is_no_error() {
    let Some(model) = load(&fixture()) else {
        return;
    };
    let model = model.unwrap();
    assert!(matches!(
        model.score("payment", &["gateway"], &|_| 1.0, Duration::ZERO),
        Err(RerankError::Deadline)
    ));
    assert!(score(&model, "payment", &[]).is_empty());
}

#[test]
fn folders_that_cannot_work_are_refused_when_loaded() {
    let Some(result) = load(folder_with("flat.onnx").path()) else {
        return;
    };
    assert!(matches!(result, Err(ModelError::Load { .. })));

    let empty = tempfile::tempdir().unwrap();
    assert!(
        matches!(load(empty.path()).unwrap(), Err(ModelError::Damaged { file }) if file == "model.onnx")
    );
    let without_tokenizer = folder_with("model.onnx");
    std::fs::remove_file(without_tokenizer.path().join("tokenizer.json")).unwrap();
    assert!(
        matches!(load(without_tokenizer.path()).unwrap(), Err(ModelError::Damaged { file }) if file == "tokenizer.json")
    );
    let not_a_graph = folder_with("config.json");
    assert!(matches!(
        load(not_a_graph.path()).unwrap(),
        Err(ModelError::Load { .. })
    ));
}

#[test]
fn a_score_that_is_no_number_is_an_error() {
    let folder = folder_with("nan.onnx");
    let Some(model) = load(folder.path()) else {
        return;
    };
    assert!(matches!(
        model
            .unwrap()
            .score("payment", &["gateway"], &|_| 1.0, LONG),
        Err(RerankError::Answer { .. })
    ));
}

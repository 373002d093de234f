//! Constants that arrive from outside: read by name, checked against their ranges.

use retrieval::NotHalfLives;
use retrieval::constants::{Constants, RerankBackend, RowKind, TABLE};
use retrieval::trace::Mode;
use serde_json::Value;

use crate::error::EdgeError;
use crate::request::QueryRequest;

/// Refuses constants outside their ranges, and legs of which none has a weight.
pub(crate) fn check(constants: &Constants) -> Result<(), EdgeError> {
    if let Some(name) = constants.out_of_range() {
        return Err(EdgeError::bad_request(name, &kind_of(name)));
    }
    if !constants.has_a_leg() {
        return Err(EdgeError::bad_request(
            "knn_weight, bm25_weight, sparse_weight",
            "at least one leg with a weight above 0",
        ));
    }
    Ok(())
}

/// Applies `name=value`, as typed after `--set`.
pub fn set(constants: &mut Constants, assignment: &str) -> Result<(), EdgeError> {
    let (name, text) = assignment
        .split_once('=')
        .ok_or_else(|| EdgeError::bad_request(assignment, "constant=value"))?;
    let (name, text) = (name.trim(), text.trim());
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&*constants) else {
        return Err(EdgeError::internal("read constants"));
    };
    let Some(slot) = fields.get_mut(name) else {
        let known: Vec<_> = fields.keys().map(String::as_str).collect();
        return Err(EdgeError::bad_request(name, &known.join(", ")));
    };
    // Numbers and booleans are read as what they are, everything else as a name.
    *slot = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let changed: Constants = serde_json::from_value(Value::Object(fields))
        .map_err(|_| EdgeError::bad_request(name, &kind_of(name)))?;
    check(&changed)?;
    *constants = changed;
    Ok(())
}

/// Turns off what only the model can do, for a question that keywords alone are to answer.
pub fn without_model(constants: &mut Constants) {
    if constants.rerank == RerankBackend::Embedded {
        constants.rerank = RerankBackend::Off;
    }
    constants.mmr = false;
}

/// Whether a question can only be answered in full with the model.
pub(crate) fn needs_model(request: &QueryRequest) -> bool {
    let constants = &request.constants;
    request.mode != Mode::Lexical
        || constants.mmr
        || (request.rerank && constants.rerank == RerankBackend::Embedded)
}

/// What a constant can be set to, in words.
fn kind_of(name: &str) -> String {
    match TABLE
        .iter()
        .find(|row| row.name == name)
        .map(|row| row.kind)
    {
        Some(RowKind::Number(tunable)) => {
            let (low, high) = tunable.range();
            let whole = if tunable.is_whole() { "whole " } else { "" };
            format!("a {whole}number from {low} to {high}")
        }
        Some(RowKind::Choice(choices)) => {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            format!("one of {}", names.join(", "))
        }
        _ => match serde_json::to_value(Constants::default()) {
            Ok(standard) if standard[name].is_boolean() => "true or false".to_owned(),
            _ => NotHalfLives.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use retrieval::constants::{ConvexBounds, FusionMethod, HalfLives};

    #[test]
    fn assignments_reach_their_constant() {
        let mut constants = Constants::default();
        for assignment in [
            "rrf_k=5",
            "fusion=convex",
            "mmr = true",
            "convex_bounds=theoretical",
            "candidates=63",
            "half_life_by_kind=fact:90, tool_result:3",
        ] {
            set(&mut constants, assignment).unwrap();
        }
        assert_eq!(
            constants.half_life_by_kind.to_string(),
            "tool_result:3,fact:90"
        );
        set(&mut constants, "half_life_by_kind=").unwrap();
        assert_eq!(constants.half_life_by_kind, HalfLives::NONE);
        assert_eq!(constants.fusion, FusionMethod::Convex);
        assert_eq!(constants.convex_bounds, ConvexBounds::Theoretical);
        assert!(constants.mmr && constants.candidates == 63);
        assert!((constants.rrf_k - 5.0).abs() < f64::EPSILON);
    }

    #[test]
    fn nonsense_is_refused_and_changes_nothing() {
        let mut constants = Constants::default();
        for bad in [
            "rrf_k",
            "nothing=1",
            "rrf_k=-1",
            "rrf_k=many",
            "candidates=0",
            "candidates=1.5",
            "fusion=sum",
            "decay_floor=1.01",
            "half_life_by_kind=3",
            "half_life_by_kind=fact:soon",
        ] {
            let error = set(&mut constants, bad).unwrap_err();
            assert_eq!(error.code, ErrorCode::BadRequest, "{bad}");
        }
        assert_eq!(constants, Constants::default());
    }

    #[test]
    fn a_refusal_says_what_would_be_taken() {
        for (assignment, expected) in [
            ("rrf_k=2000", "a number from 0 to 1000"),
            ("candidates=1.5", "a whole number from 1 to 500"),
            ("fusion=sum", "one of rrf, convex"),
            ("mmr=often", "true or false"),
            ("half_life_days=0", "a number from 0.1 to 3650"),
            ("half_life_by_kind=fact:soon", &NotHalfLives.to_string()),
        ] {
            let error = set(&mut Constants::default(), assignment).unwrap_err();
            assert_eq!(error.args["expected"], expected, "{assignment}");
        }
    }

    #[test]
    fn keywords_alone_need_no_model_and_everything_else_does() {
        let mut request = QueryRequest {
            text: "kettle".to_owned(),
            mode: Mode::Lexical,
            filter: crate::request::FilterRequest::default(),
            constants: Constants::default(),
            now: None,
            rerank: true,
        };
        assert!(needs_model(&request), "the embedded reranker reads by it");
        without_model(&mut request.constants);
        assert!(!needs_model(&request));
        for assignment in ["mmr=true", "rerank=embedded"] {
            set(&mut request.constants, assignment).unwrap();
            assert!(needs_model(&request), "{assignment}");
            without_model(&mut request.constants);
        }
        // What a person set up besides does not go by the model.
        request.constants.rerank = RerankBackend::Http;
        without_model(&mut request.constants);
        assert_eq!(request.constants.rerank, RerankBackend::Http);
        for mode in [Mode::Hybrid, Mode::Semantic, Mode::Auto] {
            request.mode = mode;
            assert!(needs_model(&request), "{mode:?}");
        }
    }

    #[test]
    fn both_legs_off_is_refused() {
        let mut constants = Constants::default();
        set(&mut constants, "knn_weight=0").unwrap();
        assert!(set(&mut constants, "bm25_weight=0").is_err());
    }
}

//! The self-check of every number shown: from the terms of a row, its score again.

use crate::constants::Constants;
use crate::stage::bm25::KeywordParts;
use crate::stage::{Stage, decay, knn, rerank};
use crate::trace::{ScoreTerm, StageItem, StageTrace, TermName};

/// How far a recomputed score may lie from the one shown.
pub const TOLERANCE: f64 = 1e-9;

/// Applies the stage's formula to the terms of a row. The X-ray shows whether it reproduces
/// [`StageItem::score`].
///
/// Every stage's formula depends on the terms and the constants alone, never on the other rows.
pub fn recompute(stage: Stage, item: &StageItem, constants: &Constants) -> f64 {
    let terms = &item.terms;
    match stage {
        Stage::Route => item.score,
        Stage::Knn => knn::with_feedback(
            value(terms, TermName::Cosine),
            find(terms, TermName::Feedback),
            constants.knn_feedback,
        ),
        Stage::Bm25 => KeywordParts {
            word: value(terms, TermName::WordBm25),
            trigram: value(terms, TermName::TrigramBm25),
            inside: value(terms, TermName::Inside),
            substring: value(terms, TermName::Substring),
            exact: value(terms, TermName::Exact),
        }
        .balanced(find(terms, TermName::LengthFactor).unwrap_or(1.0)),
        Stage::Sparse => value(terms, TermName::SharedWords),
        Stage::Fusion => fused(terms),
        Stage::Decay => decayed(terms, constants),
        Stage::Rerank => reranked(terms, constants),
        Stage::Select => match find(terms, TermName::Relevance) {
            Some(relevance) => {
                constants.mmr_lambda * relevance
                    - (1.0 - constants.mmr_lambda) * value(terms, TermName::Redundancy)
            }
            None => reranked(terms, constants),
        },
    }
}

/// True when the terms of every row of the stage reproduce its score.
pub fn reproduces(part: &StageTrace, constants: &Constants) -> bool {
    part.items
        .iter()
        .all(|item| (recompute(part.name, item, constants) - item.score).abs() < TOLERANCE)
}

fn find(terms: &[ScoreTerm], name: TermName) -> Option<f64> {
    terms
        .iter()
        .find(|term| term.name == name)
        .map(|term| term.value)
}

fn value(terms: &[ScoreTerm], name: TermName) -> f64 {
    find(terms, name).unwrap_or(0.0)
}

fn fused(terms: &[ScoreTerm]) -> f64 {
    value(terms, TermName::KnnPart)
        + value(terms, TermName::Bm25Part)
        + value(terms, TermName::SparsePart)
        + value(terms, TermName::NeighbourPart)
}

fn decayed(terms: &[ScoreTerm], constants: &Constants) -> f64 {
    fused(terms) * kept(terms, constants) * said(terms, constants)
}

/// The factor of authority, from how often it was said and not from the factor shown.
fn said(terms: &[ScoreTerm], constants: &Constants) -> f64 {
    find(terms, TermName::TimesSaid).map_or(1.0, |said| {
        decay::authority(said as u32, constants.authority)
    })
}

/// The factor of decay, from the age and not from the factor shown.
fn kept(terms: &[ScoreTerm], constants: &Constants) -> f64 {
    find(terms, TermName::AgeDays).map_or(1.0, |days| {
        let half_life = find(terms, TermName::HalfLifeDays).unwrap_or(constants.half_life_days);
        decay::factor(days, half_life, constants.decay_floor)
    })
}

fn reranked(terms: &[ScoreTerm], constants: &Constants) -> f64 {
    if let Some(place) = find(terms, TermName::BelowWindow) {
        return place;
    }
    match find(terms, TermName::FusedNormalised) {
        Some(normalised) => {
            let length = find(terms, TermName::LengthFactor).unwrap_or(1.0);
            let read = length * value(terms, TermName::Reranker);
            rerank::blend(read, normalised, constants)
        }
        None => decayed(terms, constants),
    }
}

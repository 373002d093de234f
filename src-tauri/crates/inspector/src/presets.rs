//! Named sets of constants that ship with the program.

use retrieval::constants::{Constants, FusionMethod};

use crate::error::EdgeError;
use crate::view::PresetView;

/// The documented pipeline: the preset of the demo, and of vaults from before a new one began with
/// the recommended one.
pub const STANDARD: &str = "Standard";

/// The preset to begin with: that of a new vault, and what is measured when none is named.
pub const RECOMMENDED: &str = "Balanced (convex)";

/// What the recommended preset does, and what was measured; docs/figures.md has the table.
const BALANCED: &str = "Recommended: scores are added instead of ranks, implied words count beside those \
    that stand there, the best keyword hits correct the semantic list, very short and very \
    long memories count less by keywords, and what stands beside a hit in its conversation gets a \
    share of its score. nDCG@10 on conversations (LoCoMo): 0.58, Standard 0.49, keywords alone 0.48; \
    on long chats (BEAM): 0.51, 0.49, 0.30; on abstracts (Cranfield): 0.48, 0.47, 0.43.";

/// The presets that ship with the program, in the order in which they are offered.
pub fn builtin() -> Vec<PresetView> {
    let standard = Constants::default();
    let preset = |name: &str, description: &str, constants: Constants| PresetView {
        name: name.into(),
        description: description.into(),
        constants,
        builtin: true,
        recommended: name == RECOMMENDED,
    };
    vec![
        preset(
            STANDARD,
            "Both legs count alike, fused by rank; what is two weeks old keeps 85 % of its score.",
            standard.clone(),
        ),
        preset(
            "Recency-heavy",
            "For questions about what just happened: a week halves the part above a low floor.",
            Constants {
                half_life_days: 7.0,
                decay_floor: 0.3,
                rerank_blend: 0.5,
                ..standard.clone()
            },
        ),
        preset(
            "Exact-first",
            "For ids, error texts and names: words count four times as much as meaning, and the reranker counts little.",
            Constants {
                rrf_k: 10.0,
                knn_weight: 0.5,
                bm25_weight: 2.0,
                rerank_blend: 0.3,
                ..standard.clone()
            },
        ),
        preset(
            RECOMMENDED,
            BALANCED,
            Constants {
                candidates: 100,
                knn_feedback: 1.0,
                bm25_short: 60.0,
                bm25_long: 400.0,
                fusion: FusionMethod::Convex,
                knn_weight: 0.5,
                bm25_weight: 0.5,
                sparse_weight: 0.5,
                neighbour_share: 0.3,
                rerank_window: 200,
                rerank_blend: 0.8,
                ..standard
            },
        ),
    ]
}

/// The preset of a name, letter case aside, as it is shown or without what stands in parentheses
/// behind it.
pub(crate) fn named(presets: Vec<PresetView>, name: &str) -> Result<PresetView, EdgeError> {
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let name = name.trim();
    let names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
    let at = names
        .iter()
        .position(|known| same(known, name))
        .or_else(|| names.iter().position(|known| same(short(known), name)));
    let known = names.join(", ");
    at.and_then(|at| presets.into_iter().nth(at))
        .ok_or_else(|| EdgeError::bad_request("preset", &format!("one of {known}")))
}

/// A name without the parenthesis at its end.
fn short(name: &str) -> &str {
    match name.split_once('(') {
        Some((short, _)) if name.ends_with(')') && !short.trim().is_empty() => short.trim(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_is_the_default_and_names_are_unique() {
        let all = builtin();
        assert_eq!(all[0].name, STANDARD);
        assert_eq!(all[0].constants, Constants::default());
        let mut names: Vec<_> = all.iter().map(|p| p.name.as_str()).collect();
        names.dedup();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn a_preset_is_known_by_what_is_shown_with_and_without_its_parenthesis() {
        for name in ["Balanced (convex)", "balanced", " BALANCED "] {
            assert_eq!(named(builtin(), name).unwrap().name, "Balanced (convex)");
        }
        let error = named(builtin(), "Balan").unwrap_err();
        assert_eq!(error.code, crate::error::ErrorCode::BadRequest);
        assert_eq!(
            error.args["expected"],
            "one of Standard, Recency-heavy, Exact-first, Balanced (convex)"
        );
    }
}

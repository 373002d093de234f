//! Candidate lists without a vault, for tests of what follows.

use memory::{CreatedAtQuality, Filter, Kind, Memory, Millis, Role, Scope as MemoryScope};
use proptest::prelude::*;

use super::*;
use crate::candidate::neighbours;
use crate::constants::{
    Constants, ConvexBounds, FusionMethod, HalfLives, KindAging, RerankBackend,
};
use crate::stage::route::route;
use crate::usual::usual_lengths;

/// The clock of tests.
pub const NOW: Millis = 1_775_000_000_000;

/// A kind, and whether it is pinned: mostly plain text, now and then another.
pub fn kinds() -> impl Strategy<Value = (Kind, bool)> {
    (
        prop_oneof![
            2 => Just(Kind::Text),
            3 => proptest::sample::select(Kind::ALL),
        ],
        proptest::bool::weighted(0.08),
    )
}

/// Half-lives for some kinds, none for others, some evergreen.
pub fn half_lives() -> impl Strategy<Value = HalfLives> {
    let aging = proptest::option::weighted(
        0.5,
        prop_oneof![
            1 => Just(KindAging::Evergreen),
            3 => (1.0..90.0_f64).prop_map(KindAging::HalfLife),
        ],
    );
    let each = proptest::collection::vec(aging, Kind::ALL.len()).prop_map(|all| {
        let kinds = Kind::ALL.iter().zip(all);
        kinds.fold(HalfLives::NONE, |lives, (kind, aging)| {
            lives.with(*kind, aging)
        })
    });
    prop_oneof![1 => Just(HalfLives::default()), 3 => each]
}

/// Memories found by any leg, of such ages in days; `read` is the share that a
/// reranker has read.
pub fn founds(
    count: std::ops::Range<usize>,
    days: std::ops::Range<f64>,
    read: f64,
    texts: impl Strategy<Value = String>,
) -> impl Strategy<Value = Vec<Found>> {
    let one = (
        proptest::option::of(0.0..1.0_f64),
        proptest::option::of(0.0..20.0_f64),
        proptest::option::of(0.0..9.0_f64),
        days,
        proptest::option::weighted(read, 0.0..1.0_f64),
        texts,
        kinds(),
        proptest::option::weighted(0.8, 0..3_u8),
        prop_oneof![2 => Just(1_u32), 1 => 2..40_u32],
    )
        .prop_map(
            |(knn, bm25, sparse, days, reranker, text, (kind, pinned), session, said)| Found {
                knn: knn.or(bm25.is_none().then_some(0.5)),
                bm25,
                sparse,
                days,
                kind,
                pinned,
                reranker,
                text,
                session,
                said,
            },
        );
    proptest::collection::vec(one, count)
}

/// A few memories of few lengths, so that some say the same.
pub fn candidates() -> impl Strategy<Value = Vec<Found>> {
    let texts = (0..6_u8).prop_map(|text| format!("text {}", "x".repeat(usize::from(text) * 9)));
    founds(3..16, 0.0..300.0, 0.8, texts)
}

/// Constants that move the order of a few memories.
pub fn some_constants() -> impl Strategy<Value = Constants> {
    (
        (
            0.0..120.0_f64,
            prop_oneof![1 => Just(0.0), 7 => 0.1..5.0_f64],
            prop_oneof![1 => Just(0.0), 7 => 0.1..5.0_f64],
            0.5..100.0_f64,
            0.0..1.0_f64,
        ),
        (
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            1..8_u32,
            1..5_u32,
            0.0..1.0_f64,
            prop_oneof![1 => Just(0.0), 3 => 0.0..1.0_f64],
        ),
        (half_lives(), prop_oneof![1 => Just(0.0), 1 => 0.0..1.0_f64]),
    )
        .prop_map(
            |(
                (rrf_k, knn_weight, bm25_weight, half_life_days, decay_floor),
                (convex, rerank, dedup, rerank_window, results, rerank_blend, neighbour_share),
                (half_life_by_kind, authority),
            )| {
                Constants {
                    authority,
                    rrf_k,
                    knn_weight,
                    bm25_weight,
                    // The third leg is there in two of three, light or heavy.
                    sparse_weight: f64::from(rerank_window % 3) * 0.8,
                    half_life_days,
                    half_life_by_kind,
                    decay_floor,
                    fusion: if convex {
                        FusionMethod::Convex
                    } else {
                        FusionMethod::Rrf
                    },
                    convex_bounds: if results % 2 == 0 {
                        ConvexBounds::Theoretical
                    } else {
                        ConvexBounds::Observed
                    },
                    rerank: if rerank {
                        RerankBackend::Embedded
                    } else {
                        RerankBackend::Off
                    },
                    dedup,
                    rerank_window,
                    rerank_blend,
                    neighbour_share,
                    results,
                    // The lists move with these, and the steps of all others with the lists.
                    knn_feedback: f64::from(rerank_window % 2) * 0.6,
                    bm25_short: f64::from(rerank_window % 3) * 4.0,
                    bm25_long: f64::from(rerank_window % 4) * 5.0,
                    ..Constants::default()
                }
            },
        )
}

impl Default for Found {
    fn default() -> Self {
        Self {
            knn: None,
            bm25: None,
            sparse: None,
            days: 0.0,
            kind: Kind::Text,
            pinned: false,
            reranker: None,
            text: String::new(),
            session: None,
            said: 1,
        }
    }
}

/// One memory, found by any leg.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its cosine.
    pub knn: Option<f64>,
    /// Its keyword score.
    pub bm25: Option<f64>,
    /// Its sum of shared words.
    pub sparse: Option<f64>,
    /// Its age.
    pub days: f64,
    /// What it is.
    pub kind: Kind,
    /// A person pinned it.
    pub pinned: bool,
    /// What the reranker said.
    pub reranker: Option<f64>,
    /// Its text.
    pub text: String,
    /// Its session.
    pub session: Option<u8>,
    /// How often it was said.
    pub said: u32,
}

/// What a query that found these would have gathered; ids count from 1.
pub fn gathered(found: &[Found], now: Millis) -> Gathered {
    let ids: Vec<MemoryId> = (1..=found.len() as i64).map(MemoryId).collect();
    let candidates: Vec<Candidate> = ids
        .iter()
        .zip(found)
        .map(|(&id, found)| {
            let memory = Memory {
                id,
                scope: MemoryScope {
                    session: found.session.map(|session| session.to_string()),
                    ..MemoryScope::default()
                },
                role: Role::User,
                kind: found.kind,
                content: found.text.clone(),
                tool_name: None,
                tool_payload: None,
                created_at: Some(now - (found.days * 86_400_000.0) as Millis),
                created_at_quality: CreatedAtQuality::Record,
                last_seen_at: now,
                seen_count: found.said,
                expires_at: None,
                provenance: None,
                tags: Vec::new(),
                pinned: found.pinned,
                trust: Trust::Normal,
                version: 1,
                deleted_at: None,
            };
            let angle = id.0 as f32;
            Candidate::new(memory, Some(vec![angle.cos(), angle.sin()]))
        })
        .collect();
    let mut knn: Vec<(u32, KnnHit)> = (0_u32..)
        .zip(found)
        .filter_map(|(at, found)| {
            Some((
                at,
                KnnHit {
                    id: ids[at as usize],
                    cosine: found.knn?,
                    chunk_id: None,
                },
            ))
        })
        .collect();
    knn.sort_by(|a, b| b.1.cosine.total_cmp(&a.1.cosine).then(a.0.cmp(&b.0)));
    let mut bm25: Vec<(u32, KeywordParts)> = (0_u32..)
        .zip(found)
        .filter_map(|(at, found)| {
            Some((
                at,
                KeywordParts {
                    word: found.bm25?,
                    ..KeywordParts::default()
                },
            ))
        })
        .collect();
    bm25.sort_by(|a, b| b.1.score().total_cmp(&a.1.score()).then(a.0.cmp(&b.0)));
    let mut sparse: Vec<(u32, f64)> = (0_u32..)
        .zip(found)
        .filter_map(|(at, found)| Some((at, found.sparse?)))
        .collect();
    sparse.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let scores = (0_u32..)
        .zip(found)
        .filter_map(|(at, found)| Some((at, found.reranker?)))
        .collect();
    let query = Query::new("some text", Mode::Hybrid, now);
    let route = route(&query.text, query.mode, &Filter::default());
    Gathered {
        matched: vec![None; route.terms.len()],
        route,
        query,
        effective_mode: Mode::Hybrid,
        route_report: Report::ok(),
        knn_report: Report::ok(),
        bm25_report: Report::ok(),
        sparse_report: Report::ok(),
        knn,
        bm25,
        sparse,
        expansion: Vec::new(),
        asked: Asked::default(),
        fallback: false,
        neighbours: neighbours(&candidates),
        usual: usual_lengths(&candidates),
        candidates,
        ids,
        model: None,
        epoch: 1,
        searchable: found.len() as u32,
        beside: None,
        best_cosine: None,
        scope: Scope::default(),
        query_vector: None,
        rerankers: [
            Some(RerankerView {
                name: "test".to_owned(),
                abstains: None,
            }),
            None,
            None,
        ],
        pair_scores: [
            RwLock::new(PairScores {
                scores,
                ..PairScores::default()
            }),
            RwLock::default(),
            RwLock::default(),
        ],
        word_idf: Mutex::default(),
        tokenizer: None,
        overhead: OnceLock::new(),
        last_lists: LastLists::default(),
    }
}

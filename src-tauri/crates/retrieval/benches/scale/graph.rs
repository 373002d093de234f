//! The approximate index beside the scan.

use std::time::Instant;

use models::Embedder;
use models::testing::HashedEmbedder;
use retrieval::{Engine, KnnIndex, Neighbour, Scope};

use crate::machine::{Table, percentile};
use crate::milliseconds;

/// As many as fusion takes, and as many as a query gathers.
const DEPTHS: [(usize, &str, &str, &str); 2] = [
    (
        40,
        "HNSW: 40 neighbours, p50",
        "  the scan, p50",
        "  recall@40 against the scan",
    ),
    (
        500,
        "HNSW: 500 neighbours, p50",
        "  the scan, p50",
        "  recall@500 against the scan",
    ),
];

/// Builds the graph, asks both, and takes it away again.
pub fn measure(
    engine: &Engine,
    embedder: &HashedEmbedder,
    questions: &[String],
    table: &mut Table,
) {
    let queries: Vec<Vec<f32>> = questions
        .iter()
        .map(|question| embedder.embed_query(question).unwrap())
        .collect();
    let ask = |k| {
        let mut times = Vec::new();
        let mut answers: Vec<Vec<Neighbour>> = Vec::new();
        for query in &queries {
            let began = Instant::now();
            let found = engine
                .mirror()
                .nearest(embedder.identity(), query, k, &Scope::default())
                .unwrap();
            times.push(milliseconds(began));
            answers.push(found);
        }
        (percentile(&times, 0.5), answers)
    };
    let scanned = DEPTHS.map(|(k, ..)| ask(k));
    let mirror = engine.mirror();
    let began = Instant::now();
    mirror
        .use_index(embedder.identity(), KnnIndex::Hnsw)
        .unwrap();
    while mirror.link(embedder.identity(), 1000).unwrap() > 0 {}
    table.note(
        "HNSW: built, stored and checked",
        milliseconds(began) / 1000.0,
        "s",
    );
    for ((k, what, scan, recall), (theirs, exact)) in DEPTHS.into_iter().zip(scanned) {
        let (ours, found) = ask(k);
        let right: usize = found
            .iter()
            .zip(&exact)
            .map(|(found, exact)| {
                let least = exact.last().map_or(0.0, |last| last.cosine);
                found.iter().filter(|one| one.cosine >= least).count()
            })
            .sum();
        let wanted: usize = exact.iter().map(Vec::len).sum();
        table.note(what, ours, "ms");
        table.note(scan, theirs, "ms");
        table.note(recall, right as f64 / wanted as f64, "");
    }
    mirror
        .use_index(embedder.identity(), KnnIndex::Exact)
        .unwrap();
}

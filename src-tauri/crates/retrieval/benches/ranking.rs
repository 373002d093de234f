//! What a slider move costs: fusion, decay and the scrubber over lists of full depth.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use memory::{CreatedAtQuality, Kind, MemoryId};
use retrieval::constants::Constants;
use retrieval::context::scrub::Scrubber;
use retrieval::stage::decay::{Times, decay};
use retrieval::stage::fusion::fuse;

fn ranking(c: &mut Criterion) {
    let ids: Vec<MemoryId> = (1..=1000).map(MemoryId).collect();
    let knn: Vec<(u32, f64)> = (0..500)
        .map(|at| (at, 1.0 - f64::from(at) / 500.0))
        .collect();
    let bm25: Vec<(u32, f64)> = (0..500)
        .map(|at| (at + 250, 20.0 - f64::from(at) / 25.0))
        .collect();
    let constants = Constants {
        candidates: 500,
        ..Constants::default()
    };
    let now = 1_775_001_600_000;
    c.bench_function("fusion of 500 + 500", |b| {
        b.iter(|| fuse(Some(black_box(&knn)), Some(&bm25), &ids, &constants));
    });
    let fused = fuse(Some(&knn), Some(&bm25), &ids, &constants);
    c.bench_function("decay of 750", |b| {
        b.iter(|| {
            decay(
                black_box(&fused),
                |candidate| Times {
                    created_at: Some(now - i64::from(candidate) * 3_600_000),
                    quality: CreatedAtQuality::Record,
                    last_seen_at: now,
                    pinned: false,
                    kind: Kind::Text,
                    seen_count: 1,
                },
                &constants,
                now,
            )
        });
    });
    let answer =
        "Some text with a < b and <memory-context>a block</memory-context> in it. ".repeat(100);
    c.bench_function("scrub 7 kB", |b| {
        b.iter(|| {
            let mut scrubber = Scrubber::new();
            let mut out = scrubber.push(black_box(&answer));
            out.push_str(&scrubber.finish().0);
            out
        });
    });
}

criterion_group!(benches, ranking);
criterion_main!(benches);

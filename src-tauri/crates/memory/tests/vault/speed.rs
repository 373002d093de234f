//! How fast. Run with `--run-ignored only --no-capture`; the figures are printed.

use std::time::Instant;

use memory::{Filter, MemoryId};

use crate::support::{NOW, record, vault};

const WORDS: [&str; 40] = [
    "gateway",
    "retry",
    "timeout",
    "schema",
    "migration",
    "deploy",
    "cache",
    "token",
    "session",
    "index",
    "the",
    "and",
    "when",
    "user",
    "wants",
    "a",
    "release",
    "branch",
    "merge",
    "failed",
    "test",
    "because",
    "of",
    "missing",
    "field",
    "in",
    "payload",
    "config",
    "server",
    "client",
    "error",
    "stack",
    "trace",
    "module",
    "import",
    "async",
    "await",
    "queue",
    "worker",
    "latency",
];

/// About 300 characters; every text differs.
fn text(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = format!("note {number}:");
    for _ in 0..45 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push(' ');
        text.push_str(WORDS[(state % 40) as usize]);
    }
    text
}

/// Seconds that this thread has computed, where the system tells: a busy machine stretches the
/// clock on the wall, not this one.
fn computed() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout)]
fn figures() {
    let (_dir, vault) = vault();
    let rows = 50_000;
    let records: Vec<_> = (0..rows)
        .map(|n| record(&n.to_string(), &text(n)))
        .collect();
    let (start, computing) = (Instant::now(), computed());
    for batch in records.chunks(1_000) {
        vault
            .write(|w| {
                for new in batch {
                    w.memories().insert(new, NOW)?;
                }
                Ok(())
            })
            .unwrap();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "insert: {:.0} memories/s by the wall clock",
        rows as f64 / seconds
    );
    if let (Some(from), Some(to)) = (computing, computed()) {
        println!(
            "insert: {:.0} memories per second of computing",
            rows as f64 / (to - from)
        );
    }
    let model = vault.write(|w| w.embeddings().register("m", 384)).unwrap();
    let start = Instant::now();
    for batch in 0..10_i64 {
        vault
            .write(|w| {
                for n in 0..1_000 {
                    let id = batch * 1_000 + n + 1;
                    let vector: Vec<f32> = (0..384)
                        .map(|d| ((id * 31 + d * 17) % 101) as f32 - 50.0)
                        .collect();
                    w.embeddings()
                        .put(&model, MemoryId(id), 1, &[(0..5, vector)])?;
                }
                Ok(())
            })
            .unwrap();
    }
    println!("vectors: {:.0}/s", 10_000.0 / start.elapsed().as_secs_f64());
    let timed = |name: &str, f: &dyn Fn()| {
        f();
        let start = Instant::now();
        for _ in 0..5 {
            f();
        }
        println!("{name}: {:.2} ms", start.elapsed().as_secs_f64() * 200.0);
    };
    let filter = Filter::default();
    timed("for_each 10k vectors", &|| {
        vault
            .read(|r| r.embeddings().for_each(&model, |_, _, _| {}))
            .unwrap();
    });
    timed("nearest 40 of 10k", &|| {
        vault
            .read(|r| r.embeddings().nearest(&model, &[1.0; 384], 40))
            .unwrap();
    });
    timed("words, rare term", &|| {
        vault
            .read(|r| r.words().search("12345", &filter, NOW, 40))
            .unwrap();
    });
    timed("words, two common terms", &|| {
        vault
            .read(|r| r.words().search("gateway OR retry", &filter, NOW, 40))
            .unwrap();
    });
    timed("trigrams, common", &|| {
        vault
            .read(|r| r.trigrams().search("gateway", &filter, NOW, 40))
            .unwrap();
    });
    timed("substring", &|| {
        vault
            .read(|r| r.text().containing(&["zz".to_owned()], &filter, NOW, 40))
            .unwrap();
    });
    timed("ids", &|| {
        vault.read(|r| r.memories().ids(&filter, NOW)).unwrap();
    });
    timed("count", &|| {
        vault.read(|r| r.memories().count(&filter, NOW)).unwrap();
    });
    timed("facets", &|| {
        vault.read(|r| r.memories().facets()).unwrap();
    });
    timed("embedding counts", &|| {
        vault.read(|r| r.embeddings().counts(&model)).unwrap();
    });
    timed("first page", &|| {
        let query = memory::ListQuery {
            limit: 50,
            now: NOW,
            ..memory::ListQuery::default()
        };
        vault.read(|r| r.memories().list(&query)).unwrap();
    });
    timed("one small write", &|| {
        vault.write(|w| w.settings().set("k", "1")).unwrap();
    });
    let start = Instant::now();
    vault.write(|w| w.memories().purge(&[MemoryId(5)])).unwrap();
    println!(
        "purge of one: {:.0} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
}

//! What a query costs in a large vault: `npm run bench` runs it at 100,000 memories.
//!
//! Words follow Zipf's law over 30,000 invented ones, vectors are sums of the words' directions, and
//! the queries mix rare words, common ones, identifiers and pieces of words. Every ratio comes from
//! one run. Arguments: `--memories N`, `--queries N`, `--keep DIR` (use the vault there again),
//! `--fill` (fill it and end), `--window` (with `--fill`: for a window, which has the local model),
//! `--check` (a missed budget is a failure), `--peers DIR` (write vectors, texts and queries there, and
//! what they cost here, for other programs to be measured on), `--hnsw` (the approximate index beside the
//! scan).
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod graph;
mod invented;
mod machine;
mod peers;
mod weighed;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memory::{KdfCost, Passphrase, Vault};
use models::testing::HashedEmbedder;
use models::{Embedder, LateInteraction, LocalEmbedder, ModelFiles, Reranker};
use retrieval::constants::Constants;
use retrieval::trace::Mode;
use retrieval::{CancelFlag, Engine, Query, Rerankers, Scope};

use self::invented::Invented;
use self::machine::{Table, percentile};
use self::weighed::Weighed;

const NOW: i64 = 1_775_001_600_000;
const DIMENSION: u32 = 384;
/// As deep as the window asks.
const DEPTH: u32 = 500;

struct Arguments {
    memories: u32,
    queries: usize,
    keep: Option<PathBuf>,
    check: bool,
    peers: Option<PathBuf>,
    hnsw: bool,
    /// Fills the vault and ends: in a process of its own, whose memory is none of a query's.
    fill: bool,
    /// Files the vectors under the local model's name, so that a window searches them.
    window: bool,
}

fn arguments() -> Arguments {
    let mut parsed = Arguments {
        memories: 100_000,
        queries: 200,
        keep: None,
        check: false,
        peers: None,
        hnsw: false,
        fill: false,
        window: false,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut value = || given.next().unwrap();
        match name.as_str() {
            "--memories" => parsed.memories = value().parse().unwrap(),
            "--queries" => parsed.queries = value().parse().unwrap(),
            "--keep" => parsed.keep = Some(value().into()),
            "--check" => parsed.check = true,
            "--hnsw" => parsed.hnsw = true,
            "--peers" => parsed.peers = Some(value().into()),
            "--fill" => parsed.fill = true,
            "--window" => parsed.window = true,
            // Cargo's own.
            "--bench" => {}
            other => panic!("unknown argument {other}"),
        }
    }
    parsed
}

/// The real model, when it is set up: what embedding a query costs is part of what a query costs.
fn local_model() -> Option<LocalEmbedder> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../.local/model");
    let folder = std::env::var_os("LETHESCOPE_MODEL_DIR").map_or(root, PathBuf::from);
    LocalEmbedder::load(&ModelFiles::locate(&[folder]).ok()?).ok()
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

fn main() {
    let arguments = arguments();
    let scratch = tempfile::tempdir().unwrap();
    let folder = arguments
        .keep
        .clone()
        .unwrap_or_else(|| scratch.path().join("vault"));
    let pass = Passphrase::new("seven quiet herons wade at dusk".to_owned()).unwrap();
    let hashed = HashedEmbedder::new(DIMENSION);
    let mut table = Table::default();
    if arguments.fill {
        let vault = Vault::create(&folder, &pass, KdfCost::TEST).unwrap();
        let local = local_model().filter(|_| arguments.window);
        let identity = local.as_ref().map_or(hashed.identity(), Embedder::identity);
        invented::fill(&vault, &hashed, identity, arguments.memories, NOW);
        return;
    }
    if !Vault::exists(&folder) {
        let began = Instant::now();
        let filled = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--fill",
                "--memories",
                &arguments.memories.to_string(),
                "--keep",
            ])
            .arg(&folder)
            .status()
            .unwrap();
        assert!(filled.success(), "the vault could not be filled");
        table.note(
            "filling the vault, vectors included",
            milliseconds(began) / 1000.0,
            "s",
        );
    }
    let vault = Vault::unlock(&folder, &pass).unwrap();
    let local = local_model().map(Arc::new);
    let weighed = Weighed {
        hashed: HashedEmbedder::new(DIMENSION),
        local: local.clone(),
    };
    let weighs = weighed.local.is_some();
    let engine = Engine::new(vault.clone(), Some(Arc::new(weighed)), Rerankers::default());
    let began = Instant::now();
    engine.refresh_mirror().unwrap();
    table.at_most(
        "mirror: built from the vault",
        milliseconds(began),
        "ms",
        2000.0,
    );

    let began = Instant::now();
    engine.refresh_postings().unwrap();
    table.at_most(
        "postings: built from the vault",
        milliseconds(began),
        "ms",
        2000.0,
    );

    let mut invented = Invented::new(11);
    let questions: Vec<String> = (0..arguments.queries)
        .map(|at| invented.question(at))
        .collect();
    vector_leg(
        &vault,
        &engine,
        &hashed,
        &questions,
        arguments.memories,
        &mut table,
    );
    if arguments.hnsw {
        graph::measure(&engine, &hashed, &questions, &mut table);
    }
    whole_query(&engine, arguments.memories, weighs, &questions, &mut table);
    if let Some(folder) = &arguments.peers {
        peers::write(folder, &vault, &engine, &hashed, &questions);
    }
    if let Some(local) = local {
        rerank(local, &mut table);
    }
    if let Some(megabytes) = machine::resident_megabytes() {
        table.at_most("resident memory of this process", megabytes, "MB", 400.0);
    }
    println!(
        "\n{} memories of {DIMENSION} dimensions, encrypted vault, {}\n",
        arguments.memories,
        machine::name()
    );
    let met = table.print();
    if arguments.check && !met {
        std::process::exit(1);
    }
}

/// The mirror against vec0's own search of the same vault, and against what memory could deliver.
fn vector_leg(
    vault: &Vault,
    engine: &Engine,
    embedder: &HashedEmbedder,
    questions: &[String],
    memories: u32,
    table: &mut Table,
) {
    let identity = embedder.identity();
    let row = vault
        .read(|r| r.embeddings().find(&identity.id, identity.dimension))
        .unwrap()
        .unwrap();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut found, mut wanted) = (0, 0);
    // vec0 takes seconds for each at a million.
    let asked = if memories > 200_000 { 5 } else { 20 };
    for question in questions.iter().take(asked) {
        let query = embedder.embed_query(question).unwrap();
        let began = Instant::now();
        let fast = engine
            .mirror()
            .nearest(identity, &query, 40, &Scope::default())
            .unwrap();
        ours.push(milliseconds(began));
        let began = Instant::now();
        let exact = vault
            .read(|r| r.embeddings().nearest(&row, &query, 40))
            .unwrap();
        theirs.push(milliseconds(began));
        wanted += exact.len();
        found += exact
            .iter()
            .filter(|(id, _)| fast.iter().any(|hit| hit.id == *id))
            .count();
    }
    let (ours, theirs) = (percentile(&ours, 0.5), percentile(&theirs, 0.5));
    table.note("vector leg, 40 neighbours, p50", ours, "ms");
    table.note("  vec0's own search of the same vault, p50", theirs, "ms");
    table.at_least(
        "  how many times faster than vec0",
        theirs / ours,
        "×",
        10.0,
    );
    table.at_least(
        "  recall@40 against vec0's exact answer",
        found as f64 / wanted as f64,
        "",
        0.99,
    );
    // A byte per number of every vector; or a bit of every vector and a byte of those it chooses.
    let numbers = f64::from(memories) * f64::from(DIMENSION);
    let chosen = engine
        .mirror()
        .shortcut(identity, 40)
        .and_then(|shortcut| shortcut.chosen);
    let bytes = chosen.map_or(numbers, |chosen| {
        numbers / 8.0 + chosen as f64 * f64::from(DIMENSION)
    });
    let floor = bytes / machine::bandwidth() * 1000.0;
    table.note(
        "  reading the bytes it scans, by measured bandwidth",
        floor,
        "ms",
    );
    table.note("  ratio to that floor", ours / floor, "×");
}

/// Gathering and ranking as a query does, without a reranker.
fn whole_query(
    engine: &Engine,
    memories: u32,
    weighs: bool,
    questions: &[String],
    table: &mut Table,
) {
    // What a query may take: at 100,000 memories, and at ten times as many.
    let (half, most, words) = if memories <= 100_000 {
        (12.0, 30.0, 10.0)
    } else {
        (40.0, 80.0, 40.0)
    };
    let constants = Constants::default();
    let (mut whole, mut keyword, mut vector) = (vec![], vec![], vec![]);
    let mut slowest: Vec<(f64, &str)> = Vec::new();
    for question in questions {
        let query = Query {
            depth: DEPTH,
            ..Query::new(question.clone(), Mode::Hybrid, NOW)
        };
        let began = Instant::now();
        let gathered = engine.gather(&query, &CancelFlag::new()).unwrap();
        let trace = gathered.arrange(&constants, NOW);
        whole.push(milliseconds(began));
        std::hint::black_box(trace);
        keyword.push(gathered.bm25_report.elapsed_ms);
        vector.push(gathered.knn_report.elapsed_ms);
        slowest.push((gathered.bm25_report.elapsed_ms, question));
    }
    let (p50, p95) = if weighs {
        ("query without rerank, p50", "query without rerank, p95")
    } else {
        (
            "query without rerank and without embedding, p50",
            "query without rerank and without embedding, p95",
        )
    };
    table.at_most(p50, percentile(&whole, 0.5), "ms", half);
    table.at_most(p95, percentile(&whole, 0.95), "ms", most);
    table.note(
        "  vector leg within it, embedding included, p50",
        percentile(&vector, 0.5),
        "ms",
    );
    table.note(
        "  keyword leg within it, p50",
        percentile(&keyword, 0.5),
        "ms",
    );
    table.at_most(
        "  keyword leg within it, p95",
        percentile(&keyword, 0.95),
        "ms",
        words,
    );
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (took, question) in slowest.iter().take(3) {
        println!("slowest keyword leg: {took:.1} ms for “{question}”");
    }
    let gathered = engine
        .gather(
            &Query {
                depth: DEPTH,
                ..Query::new(questions[0].clone(), Mode::Hybrid, NOW)
            },
            &CancelFlag::new(),
        )
        .unwrap();
    let moves: Vec<f64> = (1..=200)
        .map(|step| {
            let tuned = Constants {
                rrf_k: f64::from(step),
                ..constants.clone()
            };
            let began = Instant::now();
            std::hint::black_box(gathered.arrange(&tuned, NOW));
            milliseconds(began)
        })
        .collect();
    table.at_most(
        "slider: ranking again from what was found, p95",
        percentile(&moves, 0.95),
        "ms",
        16.0,
    );
}

/// Late interaction over forty short memories it has not read before.
fn rerank(local: Arc<LocalEmbedder>, table: &mut Table) {
    let reranker = LateInteraction::new(local);
    let runs: Vec<f64> = (0..5)
        .map(|at| {
            let texts: Vec<String> = (0..40)
                .map(|text| invented::sentence(at * 40 + text))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let question = invented::sentence(1000 + at);
            let began = Instant::now();
            reranker
                .score(&question, &texts, &|_| 1.0, Duration::from_secs(30))
                .unwrap();
            milliseconds(began)
        })
        .collect();
    table.at_most(
        "reranking 40 short memories, never read before",
        percentile(&runs, 0.5),
        "ms",
        150.0,
    );
    let texts: Vec<String> = (500..540).map(invented::sentence).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let read = |question: &str| {
        let began = Instant::now();
        reranker
            .score(question, &texts, &|_| 1.0, Duration::from_secs(30))
            .unwrap();
        milliseconds(began)
    };
    read("one");
    table.note(
        "reranking 40 short memories, read before",
        read("two words"),
        "ms",
    );
}

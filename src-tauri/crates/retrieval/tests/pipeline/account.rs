//! What a trace says: stable, complete, reproducible.

use std::time::Duration;

use memory::{Edit, Kind, MemoryId, Role, Trust};
use retrieval::constants::{Constants, FusionMethod, RerankBackend};
use retrieval::context::fence::Fence;
use retrieval::stage::Stage;
use retrieval::trace::{DropReason, Mode, Status, Trace};

use crate::shelf::{DAY, NOW, check_account, note, shelf_of, texts};

/// Without what differs from run to run.
fn still(mut trace: Trace) -> Trace {
    for part in &mut trace.stages {
        part.elapsed_ms = 0.0;
    }
    trace
}

fn a_vault() -> crate::shelf::Shelf {
    let mut memories: Vec<_> = [
        "the redis cache keeps sessions for 300 seconds",
        "redis was chosen over memcached for its queues",
        "the cache of the browser is another thing",
        "gardening in spring needs patience",
        "sessions are kept in redis, see config/redis.toml",
    ]
    .iter()
    .map(|text| note(text))
    .collect();
    for (memory, days) in memories.iter_mut().zip([0, 14, 28, 1, 56]) {
        memory.created_at = Some(NOW - days * DAY);
    }
    shelf_of(memories)
}

#[test]
fn one_trace_in_full() {
    let shelf = a_vault();
    let gathered = shelf.gather("redis cache", Mode::Hybrid);
    shelf.engine.score_window(
        &gathered,
        &Constants::default(),
        NOW,
        Duration::from_secs(20),
    );
    let trace = still(gathered.arrange(&Constants::default(), NOW));
    let lines: Vec<String> = trace
        .stages
        .iter()
        .map(|part| {
            let items: Vec<String> = part
                .items
                .iter()
                .map(|item| format!("{} {:.4}", item.id, item.score))
                .collect();
            format!(
                "{} {:?} {}→{} [{}]",
                part.name.name(),
                part.status,
                part.count_in,
                part.count_out,
                items.join(", ")
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    route Ok 2→2 []
    knn Ok 5→5 [m1 0.5637, m5 0.3579, m3 0.3446, m2 0.2713, m4 0.0781]
    bm25 Ok 5→4 [m1 0.3294, m3 0.3294, m5 0.0000, m2 0.0000]
    sparse Skipped 5→0 []
    fusion Ok 9→5 [m1 0.0328, m3 0.0320, m5 0.0320, m2 0.0312, m4 0.0154]
    decay Ok 5→5 [m1 0.0328, m2 0.0266, m3 0.0248, m5 0.0230, m4 0.0152]
    rerank Ok 5→5 [m1 1.0000, m3 0.6418, m5 0.4979, m2 0.4480, m4 0.1415]
    select Ok 5→5 [m1 1.0000, m3 0.6418, m5 0.4979, m2 0.4480, m4 0.1415]
    ");
    assert_eq!(trace.now, "2026-04-01T00:00:00Z");
    assert_eq!(trace.searchable, 5);
}

#[test]
fn the_same_candidates_give_the_same_trace() {
    let shelf = a_vault();
    let one = shelf.gather("redis cache", Mode::Hybrid);
    let other = shelf.gather("redis cache", Mode::Hybrid);
    for fusion in [FusionMethod::Rrf, FusionMethod::Convex] {
        let constants = Constants {
            fusion,
            ..Constants::default()
        };
        assert_eq!(
            still(one.arrange(&constants, NOW)),
            still(one.arrange(&constants, NOW))
        );
        assert_eq!(
            still(one.arrange(&constants, NOW)),
            still(other.arrange(&constants, NOW))
        );
    }
}

#[test]
fn the_arithmetic_holds_under_every_constant() {
    let shelf = a_vault();
    let gathered = shelf.gather("redis cache sessions", Mode::Hybrid);
    shelf.engine.score_window(
        &gathered,
        &Constants {
            rerank_window: 2,
            ..Constants::default()
        },
        NOW,
        Duration::from_secs(20),
    );
    for fusion in [FusionMethod::Rrf, FusionMethod::Convex] {
        for rerank in [
            RerankBackend::Off,
            RerankBackend::Embedded,
            RerankBackend::Http,
        ] {
            for mmr in [false, true] {
                for rerank_window in [0, 2, 3, 100] {
                    for rerank_blend in [0.0, 0.7, 1.0] {
                        let constants = Constants {
                            fusion,
                            rerank,
                            mmr,
                            rerank_window,
                            rerank_blend,
                            results: 2,
                            candidates: 3,
                            ..Constants::default()
                        };
                        check_account(&gathered.arrange(&constants, NOW + 3 * DAY));
                    }
                }
            }
        }
    }
}

#[test]
fn rows_not_read_yet_are_marked_and_read_once() {
    let shelf = a_vault();
    let gathered = shelf.gather("redis cache", Mode::Hybrid);
    let constants = Constants {
        rerank_window: 2,
        ..Constants::default()
    };
    let before = gathered.arrange(&constants, NOW);
    let part = before.stage(Stage::Rerank).unwrap();
    assert_eq!(
        (part.status, part.reason.as_deref()),
        (Status::Degraded, Some("2 of 2 not read yet"))
    );
    assert!(part.items.iter().all(|item| !item.reranked));
    assert_eq!(
        shelf
            .engine
            .score_window(&gathered, &constants, NOW, Duration::from_secs(20)),
        2
    );
    assert_eq!(
        shelf
            .engine
            .score_window(&gathered, &constants, NOW, Duration::from_secs(20)),
        0
    );
    let after = gathered.arrange(&constants, NOW);
    let part = after.stage(Stage::Rerank).unwrap();
    assert_eq!(part.status, Status::Ok);
    assert_eq!(part.items.iter().filter(|item| item.reranked).count(), 2);
    // The same query again needs no reading at all.
    let again = shelf.gather("redis cache", Mode::Hybrid);
    assert!(again.unread(&constants, NOW).is_empty());
}

#[test]
fn ledgers_reconcile_with_the_index() {
    let shelf = a_vault();
    let queries = [
        "redis cache sessions",
        "config/redis.toml",
        "\"redis cache\"",
        "browser's cache",
        "cach",
        "what is kept",
        "9fceb02",
        "会議室の予約を確認",
    ];
    for query in queries {
        let gathered = shelf.gather(query, Mode::Lexical);
        for id in 1..=5 {
            let ledger = shelf.engine.ledger(&gathered, MemoryId(id)).unwrap();
            assert!(ledger.reconciles(), "{query} m{id}: {ledger:?}");
            let listed = gathered
                .bm25
                .iter()
                .find(|(at, _)| gathered.ids[*at as usize] == MemoryId(id));
            let word = listed.map_or(0.0, |(_, parts)| parts.word);
            assert!((ledger.words.sum - word).abs() < 1e-9, "{query} m{id}");
        }
    }
    let gathered = shelf.gather("redis absent", Mode::Lexical);
    let ledger = shelf.engine.ledger(&gathered, MemoryId(1)).unwrap();
    assert!(
        ledger
            .rows
            .iter()
            .any(|row| row.term == "absent" && row.document_frequency == 0)
    );
}

#[test]
fn duplicates_flags_and_budget_are_told_apart() {
    let mut memories = vec![
        note("redis cache rule"),
        note(" redis cache rule "),
        note("redis cache alert"),
        note(&"redis ".repeat(300)),
    ];
    memories[1].scope.session = Some("s2".into());
    memories[1].kind = Kind::Fact;
    memories[2].trust = Trust::Flagged;
    let shelf = shelf_of(memories);
    let gathered = shelf.gather("redis cache", Mode::Hybrid);
    let trace = gathered.arrange(
        &Constants {
            token_budget: 200,
            ..Constants::default()
        },
        NOW,
    );
    check_account(&trace);
    let dropped = |id: &str| {
        trace
            .stage(Stage::Select)
            .unwrap()
            .items
            .iter()
            .find(|item| item.id == id)
            .unwrap()
            .dropped
    };
    let pair = [dropped("m1"), dropped("m2")];
    assert!(
        pair.contains(&None) && pair.contains(&Some(DropReason::Duplicate)),
        "{pair:?}"
    );
    assert_eq!(dropped("m3"), Some(DropReason::Flagged));
    assert_eq!(dropped("m4"), Some(DropReason::Budget));
    assert_eq!(
        trace.results.len(),
        3,
        "flagged and oversized stay in the list"
    );
}

#[test]
fn only_the_same_text_of_the_same_speaker_in_the_same_scope_is_a_duplicate() {
    let same = "git branch -d old";
    // Stored apart, and made equal afterwards: some of them would count as said again otherwise.
    let mut memories: Vec<_> = (1..=9).map(|at| note(&format!("draft {at}"))).collect();
    memories[3].role = Role::Assistant;
    memories[4].scope.org = "north".into();
    memories[5].scope.agent = "codex".into();
    memories[6].tool_name = Some("Bash".into());
    memories[6].tool_payload = Some(r#"{"cwd":"/a"}"#.into());
    memories[7].tool_name = Some("Bash".into());
    memories[7].tool_payload = Some(r#"{"cwd":"/b"}"#.into());
    let shelf = shelf_of(memories);
    for (id, text) in (1..).zip([
        same,
        "git branch -D old",
        "git branch -d öld",
        same,
        same,
        same,
        same,
        same,
        " git branch -d old\n",
    ]) {
        let edit = Edit {
            content: Some(text.into()),
            ..Edit::default()
        };
        let edited = shelf
            .vault
            .write(|w| w.memories().edit(MemoryId(id), &edit, None, NOW));
        edited.unwrap();
    }
    for mmr in [false, true] {
        let constants = Constants {
            mmr,
            ..Constants::default()
        };
        let gathered = shelf.gather("git branch old", Mode::Lexical);
        let trace = gathered.arrange(&constants, NOW);
        let mut results = trace.results;
        results.sort();
        assert_eq!(
            results,
            ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"],
            "mmr {mmr}"
        );
    }
}

#[test]
fn the_block_stays_within_its_budget() {
    let memories: Vec<String> = (0..20)
        .map(|at| format!("项目{at}{}", "数据库备份".repeat(100)))
        .collect();
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let shelf = texts(&memories);
    let gathered = shelf.gather("数据库备份", Mode::Hybrid);
    let constants = Constants {
        token_budget: 1200,
        ..Constants::default()
    };
    let trace = gathered.arrange(&constants, NOW);
    let block = gathered.context(Fence::Context, &trace);
    assert!(block.tokens <= 1200);
    let block = block.text;
    assert!(
        gathered.tokens(&block) <= 1200,
        "{}",
        gathered.tokens(&block)
    );
    assert!(gathered.tokens(&block) > 500);
}

#[test]
fn a_query_changes_nothing() {
    let shelf = a_vault();
    let before = shelf.vault.epoch();
    let gathered = shelf.gather("redis", Mode::Hybrid);
    let _ = shelf.engine.ledger(&gathered, MemoryId(1)).unwrap();
    assert_eq!(shelf.vault.epoch(), before);
}

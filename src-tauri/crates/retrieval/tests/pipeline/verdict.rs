//! One test per gate: each in turn is the one that loses the memory.

use std::sync::Arc;
use std::time::Duration;

use memory::{Kind, MemoryId, NewMemory, Trust};
use models::testing::FailingEmbedder;
use retrieval::Engine;
use retrieval::constants::{Constants, RerankBackend, Tunable};
use retrieval::diagnose::{GateName, GateVerdict, Verdict};
use retrieval::trace::Mode;

use crate::shelf::{DAY, NOW, Shelf, note, shelf_of, texts};

fn why(shelf: &Shelf, query: &str, expected: i64, constants: &Constants) -> Verdict {
    why_with(&shelf.engine, query, Mode::Hybrid, expected, constants)
}

fn why_with(
    engine: &Engine,
    query: &str,
    mode: Mode,
    expected: i64,
    constants: &Constants,
) -> Verdict {
    let before = engine.vault().epoch();
    let gathered = engine
        .gather(
            &retrieval::Query::new(query, mode, NOW),
            &retrieval::CancelFlag::new(),
        )
        .unwrap();
    let verdict = engine
        .diagnose(
            &gathered,
            MemoryId(expected),
            constants,
            NOW,
            Duration::from_secs(20),
        )
        .unwrap();
    assert_eq!(engine.vault().epoch(), before, "diagnosing changes nothing");
    let lost = |gate: &&retrieval::diagnose::Gate| Some(gate.name) == verdict.lost_at;
    if let Some(gate) = verdict.gates.iter().find(lost) {
        assert!(
            matches!(gate.verdict, GateVerdict::Lost | GateVerdict::Failed),
            "{gate:?}"
        );
    }
    let names: Vec<GateName> = verdict.gates.iter().map(|gate| gate.name).collect();
    assert_eq!(names, GateName::ALL, "all gates, in order");
    verdict
}

fn gate(verdict: &Verdict, name: GateName) -> &retrieval::diagnose::Gate {
    verdict.gates.iter().find(|gate| gate.name == name).unwrap()
}

fn off() -> Constants {
    Constants {
        rerank: RerankBackend::Off,
        ..Constants::default()
    }
}

fn many(count: usize) -> Vec<NewMemory> {
    (0..count)
        .map(|at| note(&format!("deploy of the gateway, step {at}")))
        .collect()
}

#[test]
fn what_is_not_there_is_lost_at_the_door() {
    let mut memories = many(4);
    memories[2].expires_at = Some(NOW - DAY);
    memories[3].scope.agent = "codex".into();
    let shelf = shelf_of(memories);
    shelf
        .vault
        .write(|w| w.memories().trash(&[MemoryId(2)], NOW))
        .unwrap();
    for (expected, gate) in [
        (99, GateName::Stored),
        (2, GateName::Trash),
        (3, GateName::Expired),
    ] {
        let verdict = why(&shelf, "deploy gateway", expected, &off());
        assert_eq!((verdict.lost_at, verdict.in_results), (Some(gate), false));
        assert!(verdict.fixes.iter().all(|fix| fix.intervals.is_empty()));
    }
    assert_eq!(why(&shelf, "deploy gateway", 1, &off()).lost_at, None);
    for query in [
        "deploy agent:codex",
        "deploy -\"gateway\"",
        "\"another thing\" deploy",
    ] {
        assert_eq!(
            why(&shelf, query, 1, &off()).lost_at,
            Some(GateName::Scope),
            "{query}"
        );
    }
}

#[test]
fn a_memory_that_waits_for_its_vector_is_lost_there_unless_keywords_find_it() {
    let shelf = texts(&["deploy the gateway", "deploy something"]);
    let mut late = note("rollout of the edge proxy");
    late.source_key = "late".into();
    shelf
        .vault
        .write(|w| w.memories().insert(&late, NOW))
        .unwrap();
    let verdict = why(&shelf, "deploy gateway", 3, &off());
    assert_eq!(verdict.lost_at, Some(GateName::Embedded));
    let found = why(&shelf, "edge proxy", 3, &off());
    assert_eq!(
        gate(&found, GateName::Embedded).verdict,
        GateVerdict::Missed
    );
    assert_eq!(found.lost_at, None);
}

#[test]
fn a_rank_beyond_the_cutoff_is_given_exactly() {
    let mut memories = many(60);
    memories.push(note(
        "a rollout nobody calls by that name gateway gateway deploy deploy off topic words here",
    ));
    let shelf = shelf_of(memories);
    let constants = Constants {
        results: 2,
        candidates: 8,
        ..off()
    };
    let verdict = why_with(
        &shelf.engine,
        "deploy gateway",
        Mode::Semantic,
        40,
        &constants,
    );
    assert_eq!(verdict.lost_at, Some(GateName::Knn));
    let knn = gate(&verdict, GateName::Knn);
    assert!(
        knn.value > knn.threshold && knn.margin < Some(0.0),
        "{knn:?}"
    );
    let exact = shelf
        .gather("deploy gateway", Mode::Semantic)
        .knn
        .iter()
        .position(|(_, hit)| hit.id == MemoryId(40))
        .unwrap();
    assert_eq!(knn.value, Some(exact as f64 + 1.0));
    let fix = verdict
        .fixes
        .iter()
        .find(|fix| fix.constant == Tunable::Results)
        .unwrap();
    assert_eq!(fix.nearest, Some(exact as f64 + 1.0));
}

#[test]
fn a_keyword_miss_names_the_words() {
    let shelf = texts(&["deploy the gateway", "rollout of the edge proxy"]);
    let verdict = why_with(&shelf.engine, "the zeppelin", Mode::Lexical, 2, &off());
    assert_eq!(verdict.lost_at, Some(GateName::Bm25));
    let note = &gate(&verdict, GateName::Bm25).note;
    assert!(
        note.contains("“the” left out as common") && note.contains("“zeppelin” in no memory"),
        "{note}"
    );
}

#[test]
fn a_leg_that_failed_is_never_not_found() {
    let shelf = texts(&["deploy the gateway", "rollout of the edge proxy"]);
    let engine = Engine::new(
        shelf.vault.clone(),
        Some(Arc::new(FailingEmbedder::new(128))),
        retrieval::Rerankers::default(),
    );
    let verdict = why_with(&engine, "deploy gateway", Mode::Hybrid, 2, &off());
    assert_ne!(verdict.lost_at, None);
    assert!(!verdict.in_results);
    let broken = engine.with_faults(retrieval::Faults {
        word_index: true,
        trigram_index: true,
        mirror: false,
    });
    let gathered = shelf
        .engine
        .gather(
            &retrieval::Query::new("deploy", Mode::Hybrid, NOW),
            &retrieval::CancelFlag::new(),
        )
        .unwrap();
    drop(gathered);
    broken.set_models(shelf.engine.embedder(), retrieval::Rerankers::default());
    broken.refresh_mirror().unwrap();
    let constants = Constants {
        results: 1,
        candidates: 1,
        ..off()
    };
    let verdict = why_with(&broken, "deploy gateway", Mode::Hybrid, 2, &constants);
    assert_eq!(gate(&verdict, GateName::Bm25).verdict, GateVerdict::Failed);
}

#[test]
fn ranked_too_low_is_lost_at_fusion_decay_or_select() {
    let mut memories = many(12);
    memories[0].created_at = Some(NOW - 400 * DAY);
    memories[0].content = "deploy the gateway deploy gateway".into();
    let shelf = shelf_of(memories);
    // The best match of all, but old.
    let constants = Constants {
        results: 3,
        half_life_days: 1.0,
        decay_floor: 0.1,
        ..off()
    };
    let verdict = why(&shelf, "deploy gateway", 1, &constants);
    assert_eq!(
        verdict.lost_at,
        Some(GateName::Decay),
        "{}",
        verdict.headline
    );
    let floor = verdict
        .fixes
        .iter()
        .find(|fix| fix.constant == Tunable::DecayFloor)
        .unwrap();
    let nearest = floor.nearest.unwrap();
    let gathered = shelf.gather("deploy gateway", Mode::Hybrid);
    let at = |value: f64| {
        gathered
            .rank(&Tunable::DecayFloor.set(&constants, value), NOW)
            .place(MemoryId(1))
    };
    assert!(at(nearest).is_some() && at(nearest - 1e-6).is_none());

    let decayed = shelf
        .gather("deploy gateway", Mode::Hybrid)
        .rank(&off(), NOW)
        .decayed;
    let last = decayed
        .iter()
        .rev()
        .map(|row| row.id().0)
        .find(|id| *id != 1)
        .unwrap();
    let few = Constants {
        results: 2,
        ..off()
    };
    assert_eq!(
        why(&shelf, "deploy gateway", last, &few).lost_at,
        Some(GateName::Fusion)
    );
}

#[test]
fn the_reranker_can_lose_a_memory_or_leave_it_below_the_cut() {
    let shelf = shelf_of(many(12));
    let gathered = shelf.gather("deploy gateway", Mode::Hybrid);
    let constants = Constants {
        results: 3,
        rerank_window: 12,
        rerank_blend: 1.0,
        ..Constants::default()
    };
    shelf
        .engine
        .score_window(&gathered, &constants, NOW, Duration::from_secs(20));
    let before = gathered
        .rank(
            &Constants {
                rerank: RerankBackend::Off,
                ..constants.clone()
            },
            NOW,
        )
        .results();
    let after = gathered.rank(&constants, NOW).results();
    for id in before.iter().filter(|id| !after.contains(id)) {
        assert_eq!(
            why(&shelf, "deploy gateway", id.0, &constants).lost_at,
            Some(GateName::Rerank)
        );
    }
    let below = gathered
        .ids
        .iter()
        .find(|id| !before.contains(id) && !after.contains(id))
        .unwrap();
    let verdict = why(&shelf, "deploy gateway", below.0, &constants);
    assert_eq!(
        verdict.lost_at,
        Some(GateName::Select),
        "{}",
        verdict.headline
    );
    let narrow = Constants {
        rerank_window: 4,
        ..constants
    };
    let outside = gathered.rank(&narrow, NOW).decayed[8].id().0;
    let verdict = why(&shelf, "deploy gateway", outside, &narrow);
    assert_eq!(verdict.lost_at, Some(GateName::Fusion));
    assert!(
        gate(&verdict, GateName::Rerank).note.contains("if read"),
        "{:?}",
        gate(&verdict, GateName::Rerank)
    );
}

#[test]
fn duplicates_and_the_budget_come_last() {
    let mut memories = vec![
        note("deploy the gateway"),
        note("deploy the gateway"),
        note(&"deploy gateway ".repeat(200)),
    ];
    memories[1].kind = Kind::Fact;
    memories.push(note("deploy the gateway by hand"));
    memories[3].trust = Trust::Flagged;
    let shelf = shelf_of(memories);
    let constants = Constants {
        token_budget: 100,
        ..off()
    };
    let verdicts: Vec<Option<GateName>> = (1..=2)
        .map(|id| why(&shelf, "deploy gateway", id, &constants).lost_at)
        .collect();
    assert!(
        verdicts.contains(&None) && verdicts.contains(&Some(GateName::Duplicate)),
        "{verdicts:?}"
    );
    for id in [3, 4] {
        let verdict = why(&shelf, "deploy gateway", id, &constants);
        assert_eq!(
            (verdict.lost_at, verdict.in_results),
            (Some(GateName::Budget), true)
        );
    }
}

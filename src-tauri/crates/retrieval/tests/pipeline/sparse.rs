//! The sparse leg: words that should be there find a memory, and everything that is said of it adds up.

use std::sync::Arc;
use std::time::Duration;

use memory::{Edit, MemoryId};
use models::Embedder;
use retrieval::arithmetic::reproduces;
use retrieval::constants::{Constants, RerankBackend, Tunable};
use retrieval::diagnose::{GateName, GateVerdict};
use retrieval::stage::Stage;
use retrieval::trace::{DropReason, Mode, Status};
use retrieval::{Faults, Gathered};

use crate::shelf::{NOW, Shelf, embed_all, embedder, note, shelf_with};

const GROUPS: &[&[&str]] = &[&["fix", "repair", "mended"], &["pump", "compressor"]];

fn expanding() -> Arc<dyn Embedder> {
    Arc::new(embedder().expanding(GROUPS))
}

/// The first one says what is asked in other words.
const TEXTS: [&str; 5] = [
    "we mended the compressor on tuesday",
    "the kettle boils at noon",
    "repair of the north door",
    "tea is in the cupboard",
    "the compressor hums",
];

fn shelf() -> Shelf {
    let memories = TEXTS.iter().map(|text| note(text)).collect();
    shelf_with(memories, &expanding(), Faults::default())
}

/// With this leg alone.
fn alone() -> Constants {
    Constants {
        knn_weight: 0.0,
        bm25_weight: 0.0,
        sparse_weight: 1.0,
        decay_floor: 1.0,
        rerank: RerankBackend::Off,
        ..Constants::default()
    }
}

const QUERY: &str = "how to fix a pump";

fn gathered(shelf: &Shelf) -> Gathered {
    shelf.gather(QUERY, Mode::Hybrid)
}

#[test]
fn a_memory_is_found_by_words_that_neither_side_typed() {
    let shelf = shelf();
    let gathered = gathered(&shelf);
    assert!(
        gathered
            .bm25
            .iter()
            .all(|(at, _)| gathered.ids[*at as usize] != MemoryId(1))
    );
    let trace = gathered.arrange(&alone(), NOW);
    assert_eq!(trace.results[0], "m1");
    assert!(!trace.results.contains(&"m2".to_owned()));
    let typed: Vec<(&str, bool)> = trace
        .expansion
        .iter()
        .map(|word| (word.word.as_str(), word.typed))
        .collect();
    for word in [
        ("fix", true),
        ("pump", true),
        ("mended", false),
        ("compressor", false),
    ] {
        assert!(typed.contains(&word), "{typed:?}");
    }
    assert!(trace.stages.iter().all(|part| reproduces(part, &alone())));
    let order: Vec<Stage> = trace.stages.iter().map(|part| part.name).collect();
    assert_eq!(order, Stage::ALL);
}

#[test]
fn a_word_is_worth_less_the_more_memories_have_it() {
    let shelf = shelf();
    let trace = gathered(&shelf).arrange(&alone(), NOW);
    let rarity = |word: &str| {
        let mut words = trace.expansion.iter();
        words.find(|one| one.word == word).unwrap().rarity
    };
    // "compressor" is in two memories, and so is "pump" by its group; "a" is in none.
    assert!((rarity("compressor") - rarity("pump")).abs() < 1e-12);
    assert!(rarity("a") > rarity("pump"));
}

#[test]
fn the_ledger_has_one_product_per_shared_word_and_their_sum_is_the_score() {
    let shelf = shelf();
    let gathered = gathered(&shelf);
    let trace = gathered.arrange(&alone(), NOW);
    let part = trace.stage(Stage::Sparse).unwrap();
    for item in &part.items {
        let id = MemoryId(item.id[1..].parse().unwrap());
        let ledger = shelf.engine.ledger(&gathered, id).unwrap();
        assert!(
            (ledger.shared_sum() - item.score).abs() < 1e-12,
            "{}",
            item.id
        );
        assert!(
            ledger
                .shared
                .is_sorted_by(|a, b| a.product() >= b.product())
        );
    }
    let ledger = shelf.engine.ledger(&gathered, MemoryId(1)).unwrap();
    let added = ledger
        .shared
        .iter()
        .find(|word| word.word == "mended")
        .unwrap();
    assert!(!added.typed && (added.memory_weight - 2.0).abs() < 1e-12);
    let stranger = shelf.engine.ledger(&gathered, MemoryId(2)).unwrap();
    assert!(stranger.shared.is_empty() && stranger.shared_sum().abs() < 1e-12);
}

#[test]
fn without_a_weight_it_takes_no_part_and_the_ranking_is_that_of_two_legs() {
    let shelf = shelf();
    let constants = Constants {
        rerank: RerankBackend::Off,
        ..Constants::default()
    };
    let trace = gathered(&shelf).arrange(&constants, NOW);
    let part = trace.stage(Stage::Sparse).unwrap();
    assert_eq!(part.status, Status::Skipped);
    assert_eq!(part.reason.as_deref(), Some("its weight is 0"));
    assert!(part.items.is_empty());
    let plain: Vec<_> = TEXTS.iter().map(|text| note(text)).collect();
    let plain = shelf_with(plain, &crate::shelf::model(), Faults::default());
    let without = plain.gather(QUERY, Mode::Hybrid).arrange(&constants, NOW);
    assert_eq!(trace.results, without.results);
    let without = plain.gather(QUERY, Mode::Hybrid).arrange(&alone(), NOW);
    let part = without.stage(Stage::Sparse).unwrap();
    assert_eq!(part.reason.as_deref(), Some("no expander is loaded"));
}

#[test]
fn its_cutoff_is_told_and_its_weight_is_a_fix() {
    let shelf = shelf();
    let gathered = gathered(&shelf);
    // Standard does not see the first memory by words; one result goes to another.
    let constants = Constants {
        sparse_weight: 0.0,
        results: 1,
        decay_floor: 1.0,
        rerank: RerankBackend::Off,
        ..Constants::default()
    };
    let top = gathered.arrange(&constants, NOW).results[0].clone();
    let wanted = if top == "m1" {
        MemoryId(3)
    } else {
        MemoryId(1)
    };
    let why = |constants: &Constants, id: MemoryId| {
        let patience = Duration::from_secs(20);
        shelf
            .engine
            .diagnose(&gathered, id, constants, NOW, patience)
            .unwrap()
    };
    let verdict = why(&constants, wanted);
    let gate = |verdict: &retrieval::diagnose::Verdict| {
        let mut gates = verdict.gates.iter();
        gates
            .find(|gate| gate.name == GateName::Sparse)
            .cloned()
            .unwrap()
    };
    assert_eq!(gate(&verdict).verdict, GateVerdict::Missed);
    assert!(
        gate(&verdict)
            .note
            .starts_with("The sparse leg has weight 0; it would give")
    );
    let fixes = verdict.fixes.iter();
    let fix = fixes
        .into_iter()
        .find(|fix| fix.constant == Tunable::SparseWeight)
        .unwrap();
    if wanted == MemoryId(1) {
        let nearest = fix.nearest.unwrap();
        let mended = Tunable::SparseWeight.set(&constants, nearest);
        assert!(gathered.rank(&mended, NOW).place(wanted).is_some());
    }

    let verdict = why(&alone(), MemoryId(2));
    assert_eq!(verdict.lost_at, Some(GateName::Sparse));
    let gate = gate(&verdict);
    assert_eq!(
        gate.note,
        "It shares no word with the query, typed or added."
    );
    let verdict = why(&alone(), MemoryId(1));
    assert!(verdict.in_results);
    let note = &verdict
        .gates
        .iter()
        .find(|gate| gate.name == GateName::Sparse)
        .unwrap()
        .note;
    assert!(
        note.starts_with("Rank 1 of ") && note.contains('“'),
        "{note}"
    );
}

#[test]
fn what_lies_beyond_the_cutoff_is_listed_as_cut() {
    let many: Vec<_> = (0..60)
        .map(|at| note(&format!("pump number {at}")))
        .collect();
    let shelf = shelf_with(many, &expanding(), Faults::default());
    let trace = shelf.gather("pump", Mode::Hybrid).arrange(&alone(), NOW);
    let part = trace.stage(Stage::Sparse).unwrap();
    assert_eq!((part.items.len(), part.count_out), (60, 40));
    let cut = part
        .items
        .iter()
        .filter(|item| item.dropped == Some(DropReason::Cutoff));
    assert_eq!(cut.count(), 20);
}

#[test]
fn edits_and_deletions_are_followed_and_filters_act_before_the_cut() {
    let shelf = shelf();
    let found = |text: &str| -> Vec<MemoryId> {
        let gathered = shelf.gather(text, Mode::Hybrid);
        let rows = gathered.sparse.iter();
        rows.map(|(at, _)| gathered.ids[*at as usize]).collect()
    };
    assert_eq!(found(QUERY)[0], MemoryId(1));
    assert!(
        found(&format!("{QUERY} -tuesday"))
            .iter()
            .all(|id| *id != MemoryId(1))
    );
    let reworded = Edit {
        content: Some("we painted the wall".to_owned()),
        ..Edit::default()
    };
    let edit = |id: i64, edit: &Edit| {
        let id = MemoryId(id);
        shelf
            .vault
            .write(|w| w.memories().edit(id, edit, None, NOW))
            .unwrap();
        embed_all(&shelf.vault, expanding().as_ref());
        shelf.engine.note_changed(&[id]).unwrap();
    };
    edit(1, &reworded);
    assert!(!found(QUERY).contains(&MemoryId(1)));
    let put_back = Edit {
        content: Some(TEXTS[0].to_owned()),
        ..Edit::default()
    };
    edit(1, &put_back);
    assert_eq!(found(QUERY)[0], MemoryId(1));
    shelf
        .vault
        .write(|w| w.memories().trash(&[MemoryId(1)], NOW))
        .unwrap();
    // Nobody said so: the mirror notices by itself, and answers again once it was refreshed.
    let gathered = shelf.gather(QUERY, Mode::Hybrid);
    assert_eq!(gathered.sparse_report.status, Status::Skipped);
    shelf.engine.refresh_mirror().unwrap();
    assert!(!found(QUERY).is_empty() && !found(QUERY).contains(&MemoryId(1)));
}

#[test]
fn a_draft_is_weighed_by_its_own_words() {
    let shelf = shelf();
    let gathered = gathered(&shelf);
    let edit = Edit {
        content: Some("how to fix a pump, a pump".to_owned()),
        ..Edit::default()
    };
    let draft = shelf.engine.draft(MemoryId(4), &edit);
    let other = shelf.engine.gather_if(&gathered, &draft).unwrap().unwrap();
    assert_eq!(other.rank(&alone(), NOW).results()[0], MemoryId(4));
    assert!(gathered.rank(&alone(), NOW).place(MemoryId(4)).is_none());
}

#[test]
fn it_abstains_where_the_model_does_and_in_modes_of_one_leg() {
    let shelf = shelf();
    let reason = |text: &str, mode: Mode| {
        let gathered = shelf.gather(text, mode);
        assert!(gathered.sparse.is_empty());
        assert_eq!(gathered.sparse_report.status, Status::Skipped);
        gathered.sparse_report.reason.unwrap()
    };
    assert_eq!(reason("修理泵", Mode::Hybrid), "the model covers no CJK");
    for mode in [Mode::Lexical, Mode::Semantic] {
        assert!(reason(QUERY, mode).contains("hybrid"));
    }
    assert!(reason("9fceb02d0ae598e95dc970b74767f19372d61af8", Mode::Hybrid).contains("exact"));
}

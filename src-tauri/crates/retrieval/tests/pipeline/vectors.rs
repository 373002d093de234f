//! The semantic leg over the mirror and without it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use memory::{Edit, MemoryId};
use retrieval::stage::Stage;
use retrieval::trace::{Mode, Status};
use retrieval::{CancelFlag, Faults, KnnIndex, MirrorState, Query};

use crate::shelf::{NOW, embed_all, embedder, model, note, shelf_with, texts};

fn semantic(shelf: &crate::shelf::Shelf, query: &str) -> Vec<(String, i64)> {
    let trace = shelf.ask_in(query, Mode::Semantic);
    trace
        .stage(Stage::Knn)
        .unwrap()
        .items
        .iter()
        .map(|item| (item.id.clone(), (item.score * 1e3).round() as i64))
        .collect()
}

#[test]
fn the_vault_answers_like_the_mirror() {
    let long = "kettle ".repeat(400) + "the spare key hangs behind the barometer";
    let memories = || {
        let mut all: Vec<_> = (0..80)
            .map(|at| note(&format!("note {at} about topic {}", at % 7)))
            .collect();
        all.push(note(&long));
        all[3].scope.agent = "codex".into();
        all[9].scope.agent = "codex".into();
        all
    };
    let with = shelf_with(memories(), &model(), Faults::default());
    let without = shelf_with(
        memories(),
        &model(),
        Faults {
            mirror: true,
            ..Faults::default()
        },
    );
    for query in [
        "topic 3",
        "spare key barometer",
        "topic agent:codex",
        "topic -\"note\"",
    ] {
        assert_eq!(semantic(&with, query), semantic(&without, query), "{query}");
    }
    assert_eq!(semantic(&with, "topic agent:codex").len(), 2);
    assert_eq!(semantic(&with, "kettle")[0].0, "m81");
}

#[test]
fn writes_reach_the_mirror_when_told_and_are_noticed_when_not() {
    let shelf = texts(&["likes tea in the morning", "likes coffee"]);
    let model = embedder();
    let mirror = shelf.engine.mirror();
    let ready = |memories, chunks| MirrorState::Ready { memories, chunks };
    let state = || mirror.state(models::Embedder::identity(&model)).unwrap();
    assert_eq!(state(), ready(2, 2));

    let edit = Edit {
        content: Some("likes sailing at sea".into()),
        ..Edit::default()
    };
    shelf
        .vault
        .write(|w| w.memories().edit(MemoryId(1), &edit, None, NOW))
        .unwrap();
    assert_eq!(state(), MirrorState::Stale, "the edit took the vector away");
    let embedded = embed_all(&shelf.vault, &model);
    mirror.note_changed(&embedded).unwrap();
    assert_eq!(state(), ready(2, 2));
    assert_eq!(shelf.ask_in("sailing sea", Mode::Semantic).results[0], "m1");

    shelf
        .vault
        .write(|w| w.memories().trash(&[MemoryId(2)], NOW))
        .unwrap();
    assert_eq!(state(), MirrorState::Stale);
    let knn = shelf
        .ask_in("coffee", Mode::Semantic)
        .stage(Stage::Knn)
        .unwrap()
        .clone();
    assert_eq!(knn.status, Status::Degraded);
    assert!(knn.items.iter().all(|item| item.id != "m2"));
    mirror.note_removed(&[MemoryId(2)]);
    assert_eq!(state(), ready(1, 1));

    shelf
        .vault
        .write(|w| w.memories().restore(&[MemoryId(2)], NOW))
        .unwrap();
    assert_eq!(shelf.engine.refresh_mirror().unwrap(), Some(ready(2, 2)));
    shelf.engine.forget();
    assert_eq!(state(), MirrorState::Missing);
}

#[test]
fn a_graph_answers_like_the_scan_is_stored_and_goes_without_a_trace() {
    let notes: Vec<String> = (0..260)
        .map(|at| format!("note {at} about topic {} and part {}", at % 7, at % 31))
        .collect();
    let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
    let shelf = texts(&notes);
    let (engine, identity) = (&shelf.engine, embedder());
    let identity = models::Embedder::identity(&identity);
    let mirror = engine.mirror();
    let scanned = semantic(&shelf, "topic 3 part 5");
    assert_eq!(mirror.shortcut(identity, 40), None);

    mirror.use_index(identity, KnnIndex::Hnsw).unwrap();
    while engine.link_vectors(50).unwrap() > 0 {}
    let shortcut = mirror.shortcut(identity, 40).unwrap();
    assert_eq!((shortcut.index, shortcut.waiting), (KnnIndex::Hnsw, 0));
    assert!(shortcut.recall.unwrap() > 0.98);
    assert_eq!(semantic(&shelf, "topic 3 part 5")[..10], scanned[..10]);
    let knn = shelf.ask_in("topic 3", Mode::Semantic);
    let notes = &knn.stage(Stage::Knn).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("HNSW")), "{notes:?}");

    // What was stored is taken over.
    engine.forget();
    engine.refresh_mirror().unwrap();
    let shortcut = mirror.shortcut(identity, 40).unwrap();
    assert_eq!((shortcut.index, shortcut.waiting), (KnnIndex::Hnsw, 0));

    let stored = || {
        let row = |r: &memory::Reader<'_>| {
            let row = r.embeddings().find(&identity.id, identity.dimension)?;
            r.embeddings().graph(&row.unwrap())
        };
        shelf.vault.read(row).unwrap()
    };
    assert!(stored().is_some());
    mirror.use_index(identity, KnnIndex::Exact).unwrap();
    assert_eq!((stored(), mirror.shortcut(identity, 40)), (None, None));
    assert_eq!(semantic(&shelf, "topic 3 part 5"), scanned);
}

/// Searches share the threads of one pool, and one of them may begin a second search while it waits
/// for a part of its own: a writer that waits in between must not hold all of them up.
#[test]
fn many_queries_at_once_and_writes_between_them_all_come_through() {
    const ASKERS: usize = 8;
    const ROUNDS: usize = 60;
    let notes: Vec<String> = (0..900)
        .map(|at| format!("note {at} about topic {}", at % 7))
        .collect();
    let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
    let shelf = Arc::new(texts(&notes));
    let (done, through) = mpsc::channel();
    for asker in 0..ASKERS {
        let (shelf, done) = (Arc::clone(&shelf), done.clone());
        std::thread::spawn(move || {
            for round in 0..ROUNDS {
                let text = format!("topic {} {asker}", round % 7);
                let query = Query {
                    depth: 500,
                    ..Query::new(text, Mode::Hybrid, NOW)
                };
                let gathered = shelf.engine.gather(&query, &CancelFlag::new()).unwrap();
                assert_eq!(gathered.knn.len(), 500);
            }
            done.send(()).unwrap();
        });
    }
    let asked = Arc::new(AtomicBool::new(false));
    let (writer, stop) = (Arc::clone(&shelf), Arc::clone(&asked));
    let writing = std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            writer.engine.mirror().note_changed(&[MemoryId(7)]).unwrap();
        }
    });
    for _ in 0..ASKERS {
        through
            .recv_timeout(Duration::from_mins(1))
            .expect("a query stands still");
    }
    asked.store(true, Ordering::Relaxed);
    writing.join().unwrap();
}

#[test]
fn vectors_of_another_build_are_never_compared_with() {
    let shelf = texts(&["likes tea in the morning", "likes coffee"]);
    assert_eq!(semantic(&shelf, "tea").len(), 2);
    let other = Arc::new(models::testing::HashedEmbedder::new(128).named("another build"));
    shelf
        .engine
        .set_models(Some(other.clone()), retrieval::Rerankers::default());
    let reason = |shelf: &crate::shelf::Shelf| {
        let trace = shelf.ask_in("tea", Mode::Semantic);
        let knn = trace.stage(Stage::Knn).unwrap();
        (
            knn.status,
            knn.items.len(),
            knn.reason.clone().unwrap_or_default(),
        )
    };
    assert_eq!(
        reason(&shelf),
        (Status::Degraded, 0, "0 of 2 embedded".into())
    );
    // Embedded by half: what is done is not searched beside what is not.
    embed_all(&shelf.vault, other.as_ref());
    let (status, items, why) = reason(&shelf);
    assert_eq!((status, items), (Status::Degraded, 0));
    assert!(why.contains("another model"), "{why}");
    shelf
        .vault
        .write(|w| {
            let row = w.embeddings().register("another build", 128)?;
            w.embeddings().take_over(&row, |_| true)
        })
        .unwrap();
    shelf.engine.refresh_mirror().unwrap();
    let (status, items, _) = reason(&shelf);
    assert_eq!((status, items), (Status::Ok, 2));
}

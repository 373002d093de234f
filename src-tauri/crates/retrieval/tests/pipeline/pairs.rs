//! Scores of rerankers outlive the run that made them.

use std::sync::Arc;
use std::time::Duration;

use memory::{Edit, MemoryId};
use models::testing::CountingEmbedder;
use models::{Embedder, of_document};
use retrieval::constants::Constants;
use retrieval::trace::Mode;
use retrieval::{CancelFlag, Engine, Gathered, Query};

use crate::shelf::{NOW, Shelf, embed_all, embedder, model, note, rerankers, texts};

const QUERY: &str = "redis cache";

fn engine(shelf: &Shelf) -> Engine {
    let model = model();
    let engine = Engine::new(
        shelf.vault.clone(),
        Some(Arc::clone(&model)),
        rerankers(&model),
    );
    engine.refresh_mirror().unwrap();
    engine
}

fn gather(engine: &Engine, text: &str) -> Gathered {
    engine
        .gather(&Query::new(text, Mode::Hybrid, NOW), &CancelFlag::new())
        .unwrap()
}

fn read(engine: &Engine, gathered: &Gathered) -> usize {
    engine.score_window(
        gathered,
        &Constants::default(),
        NOW,
        Duration::from_secs(20),
    )
}

#[test]
fn a_query_asked_again_after_a_restart_is_not_read_again() {
    let memories = [
        "the redis cache is warm",
        "a cache of redis sessions",
        "redis restarts at night",
        "the kettle is calibrated",
        "caches are for cold days",
    ];
    let shelf = texts(&memories);
    let first = engine(&shelf);
    let gathered = gather(&first, QUERY);
    let count = read(&first, &gathered);
    assert!(count >= 3, "{count}");
    let before = gathered.rank(&Constants::default(), NOW);
    // Nothing is written before somebody says so.
    let rows = || {
        shelf
            .vault
            .read(|r| Ok(r.table_counts()?["pair_scores"]))
            .unwrap()
    };
    assert_eq!(rows(), 0);
    assert_eq!(first.save_pairs().unwrap(), count);
    assert_eq!(first.save_pairs().unwrap(), 0);
    assert_eq!(rows() as usize, count);

    let second = engine(&shelf);
    let again = gather(&second, QUERY);
    assert!(again.unread(&Constants::default(), NOW).is_empty());
    assert_eq!(read(&second, &again), 0);
    let after = again.rank(&Constants::default(), NOW);
    let scores = |ranking: &retrieval::Ranking| -> Vec<(MemoryId, u64)> {
        let rows = ranking.reranked.iter();
        rows.map(|row| (row.id(), row.score.to_bits())).collect()
    };
    assert_eq!(scores(&before), scores(&after));
    // Another question is another matter.
    let other = gather(&second, "redis cache at night");
    assert!(!other.unread(&Constants::default(), NOW).is_empty());

    // An edited memory is read anew, the others are not.
    let edited = MemoryId(1);
    shelf
        .vault
        .write(|w| {
            w.memories().edit(
                edited,
                &Edit {
                    content: Some("the redis cache is cold".into()),
                    ..Edit::default()
                },
                None,
                NOW,
            )
        })
        .unwrap();
    embed_all(&shelf.vault, &embedder());
    let third = engine(&shelf);
    let changed = gather(&third, QUERY);
    let unread: Vec<MemoryId> = changed
        .unread(&Constants::default(), NOW)
        .into_iter()
        .map(|candidate| changed.ids[candidate as usize])
        .collect();
    assert_eq!(unread, [edited]);

    // In a vault twice as large the words weigh otherwise: everything is read anew.
    shelf
        .vault
        .write(|w| {
            for at in 0..memories.len() {
                let mut more = note(&format!("an unrelated line {at}"));
                more.source_key = format!("more{at}");
                w.memories().insert(&more, NOW)?;
            }
            Ok(())
        })
        .unwrap();
    embed_all(&shelf.vault, &embedder());
    let fourth = engine(&shelf);
    let grown = gather(&fourth, QUERY);
    let window = grown.rank(&Constants::default(), NOW).decayed.len();
    assert_eq!(
        grown.unread(&Constants::default(), NOW).len(),
        window.min(20)
    );
}

#[test]
fn what_was_kept_of_the_tokens_is_read_in_place_of_the_texts_and_scores_the_same() {
    let long = format!("a redis cache {}", "of many words ".repeat(700));
    let memories = ["the redis cache is warm", "redis restarts at night", &long];
    let shelf = texts(&memories);
    let counted = Arc::new(CountingEmbedder::new(embedder()));
    let model: Arc<dyn Embedder> = Arc::clone(&counted) as _;
    let scores = || {
        let before = counted.asked();
        let engine = Engine::new(
            shelf.vault.clone(),
            Some(Arc::clone(&model)),
            rerankers(&model),
        );
        engine.refresh_mirror().unwrap();
        let gathered = gather(&engine, QUERY);
        assert_eq!(read(&engine, &gathered), 3);
        let ranking = gathered.rank(&Constants::default(), NOW);
        let rows = ranking.reranked.iter();
        let scores: Vec<_> = rows.map(|row| (row.id(), row.score.to_bits())).collect();
        (scores, counted.asked() - before)
    };
    let (fresh, asked) = scores();
    assert_eq!(asked, 4, "the query, and of each memory the first passage");

    let identity = model.identity();
    let keep = |id: MemoryId, text: &str| {
        let passages: Vec<&str> = model.chunks(text).into_iter().map(|at| &text[at]).collect();
        let (_, tokens) = of_document(model.read_passages(&passages).unwrap());
        shelf
            .vault
            .write(|w| {
                let row = w.embeddings().register(&identity.id, identity.dimension)?;
                w.embeddings().keep_tokens(&row, id, 1, &tokens.to_bytes())
            })
            .unwrap();
    };
    for (id, text) in (1..).map(MemoryId).zip(memories) {
        keep(id, text);
    }
    assert_eq!(scores(), (fresh.clone(), 1), "the query alone is read");

    // What cannot be read is read from the text.
    shelf
        .vault
        .write(|w| {
            let row = w.embeddings().register(&identity.id, identity.dimension)?;
            w.embeddings()
                .keep_tokens(&row, MemoryId(1), 1, b"of a form to come")
        })
        .unwrap();
    assert_eq!(scores(), (fresh, 2));
}

#[test]
fn a_draft_is_not_scored_by_the_tokens_of_the_text_that_stands() {
    let shelf = texts(&["the redis cache is warm", "the kettle is calibrated"]);
    let model = model();
    let identity = model.identity();
    let kettle = MemoryId(2);
    let (_, tokens) = of_document(model.read_passages(&["the kettle is calibrated"]).unwrap());
    shelf
        .vault
        .write(|w| {
            let row = w.embeddings().register(&identity.id, identity.dimension)?;
            w.embeddings()
                .keep_tokens(&row, kettle, 1, &tokens.to_bytes())
        })
        .unwrap();
    let engine = engine(&shelf);
    let gathered = gather(&engine, QUERY);
    let edit = Edit {
        content: Some("a redis cache".into()),
        ..Edit::default()
    };
    let draft = engine.draft(kettle, &edit);
    let other = engine.gather_if(&gathered, &draft).unwrap().unwrap();
    assert!(read(&engine, &other) > 0);
    let ranking = other.rank(&Constants::default(), NOW);
    assert_eq!(ranking.reranked[0].id(), kettle);
}

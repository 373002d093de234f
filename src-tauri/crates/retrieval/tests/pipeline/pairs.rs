//! Scores of rerankers outlive the run that made them.

use std::time::Duration;

use memory::{Edit, MemoryId};
use retrieval::constants::Constants;
use retrieval::trace::Mode;
use retrieval::{CancelFlag, Engine, Gathered, Query};

use crate::shelf::{NOW, Shelf, embed_all, embedder, model, note, rerankers, texts};

const QUERY: &str = "redis cache";

fn engine(shelf: &Shelf) -> Engine {
    let model = model();
    let engine = Engine::new(
        shelf.vault.clone(),
        Some(std::sync::Arc::clone(&model)),
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

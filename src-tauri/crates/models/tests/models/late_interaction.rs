use std::time::{Duration, Instant};

use models::{LateInteraction, Reranker};

use crate::{embedder, notes};

const LONG: Duration = Duration::from_mins(1);

/// Stop words weigh little, as they would in any index.
fn idf(word: &str) -> f64 {
    match word.to_lowercase().as_str() {
        "the" | "a" | "did" | "why" | "what" | "does" | "for" | "to" => 0.2,
        _ => 4.0,
    }
}

#[test]
fn the_answer_ranks_above_texts_that_share_less() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let reranker = LateInteraction::new(embedder);
    let documents = [
        "Meeting notes: lunch was moved to noon.",
        "Fixed: the payment gateway timed out since the pool was exhausted.",
        "The user prefers tabs over spaces.",
        "General notes on gateways of railway stations.",
    ];
    let found = reranker
        .score(
            "why did the payment gateway time out",
            &documents,
            &idf,
            LONG,
        )
        .unwrap();
    let best = (0..documents.len())
        .max_by(|&a, &b| found[a].partial_cmp(&found[b]).unwrap())
        .unwrap();
    assert_eq!(best, 1, "{found:?}");
    assert!(found.iter().flatten().all(|s| (0.0..=1.0).contains(s)));

    // Alone, in another order, warm or cold: the same score.
    for (at, document) in documents.iter().enumerate() {
        reranker.forget();
        let alone = reranker
            .score(
                "why did the payment gateway time out",
                &[document],
                &idf,
                LONG,
            )
            .unwrap();
        assert_eq!(alone[0], found[at]);
    }
}

#[test]
fn forty_short_documents_are_read_in_time() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let reranker = LateInteraction::new(embedder);
    let documents = notes(40);
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let run = |query: &str| {
        let start = Instant::now();
        let found = reranker.score(query, &documents, &idf, LONG).unwrap();
        assert_eq!(found.iter().flatten().count(), 40);
        start.elapsed()
    };
    let cold = run("why does the invoice export fail for some customers");
    let warm = (0..5)
        .map(|i| run(&format!("what changed in the deployment script, part {i}")))
        .min()
        .unwrap();
    println!("40 documents: cold {cold:?}, warm {warm:?}");
    assert!(warm < Duration::from_millis(150), "{warm:?}");
}

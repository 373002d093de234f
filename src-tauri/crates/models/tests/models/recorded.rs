//! The vectors of fixed texts, recorded once: every processor must come to them. Run under an emulated
//! older one too (`npm test -- --only another-cpu`).
//!
//! `UPDATE_VECTORS=1` writes them anew, which is right only when the graph was changed on purpose.

use std::path::PathBuf;

use models::{Embedder, cosine};
use serde::{Deserialize, Serialize};

use crate::embedder;

/// What two processors may differ by.
const LOWEST_COSINE: f64 = 0.999_999;

#[derive(Serialize, Deserialize)]
struct Recorded {
    model: String,
    texts: Vec<Text>,
}

#[derive(Serialize, Deserialize)]
struct Text {
    text: String,
    vector: Vec<f32>,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/vectors/recorded.json")
}

#[test]
fn fixed_texts_have_the_recorded_vectors() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let text = std::fs::read_to_string(file()).unwrap();
    let mut recorded: Recorded = serde_json::from_str(&text).unwrap();
    let texts: Vec<&str> = recorded
        .texts
        .iter()
        .map(|text| text.text.as_str())
        .collect();
    let vectors = embedder.embed_passages(&texts).unwrap();
    if std::env::var_os("UPDATE_VECTORS").is_some_and(|set| set == "1") {
        recorded.model = embedder.identity().id.clone();
        for (text, vector) in recorded.texts.iter_mut().zip(vectors) {
            text.vector = vector;
        }
        std::fs::write(file(), serde_json::to_string(&recorded).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(recorded.model, embedder.identity().id);
    for (recorded, found) in recorded.texts.iter().zip(&vectors) {
        let cosine = cosine(&recorded.vector, found);
        assert!(cosine >= LOWEST_COSINE, "{cosine}: {}", recorded.text);
        // A query is embedded by a session of its own.
        let asked = embedder.embed_query(&recorded.text).unwrap();
        assert_eq!(&asked, found, "{}", recorded.text);
    }
}

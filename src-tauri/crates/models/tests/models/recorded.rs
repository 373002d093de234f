//! The vectors and the words of fixed texts, recorded once: every processor must come to them. Run under an emulated
//! older one too (`npm test -- --only another-cpu`).
//!
//! `UPDATE_VECTORS=1` writes them anew, which is right only when the graph was changed on purpose.

use std::path::PathBuf;

use models::{Embedder, Words, cosine};
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

/// What the expander gave to the same texts.
#[derive(Serialize, Deserialize)]
struct RecordedWords {
    expander: String,
    texts: Vec<ExpandedText>,
}

#[derive(Serialize, Deserialize)]
struct ExpandedText {
    text: String,
    /// Number and weight in steps of 1/64.
    words: Vec<(u16, u8)>,
}

fn steps(words: &Words) -> Vec<(u16, u8)> {
    words.iter().map(|word| (word.number, word.steps)).collect()
}

#[test]
fn fixed_texts_have_the_recorded_words() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let expander = embedder.expander().expect("the set-up builds one");
    let file = file().with_file_name("words.json");
    if std::env::var_os("UPDATE_VECTORS").is_some_and(|set| set == "1") {
        let text = std::fs::read_to_string(self::file()).unwrap();
        let recorded: Recorded = serde_json::from_str(&text).unwrap();
        let texts = recorded.texts.into_iter().map(|Text { text, .. }| {
            let words = steps(&expander.expand(&text).unwrap());
            ExpandedText { text, words }
        });
        let recorded = RecordedWords {
            expander: expander.id().to_owned(),
            texts: texts.collect(),
        };
        std::fs::write(file, serde_json::to_string(&recorded).unwrap() + "\n").unwrap();
        return;
    }
    let text = std::fs::read_to_string(file).unwrap();
    let recorded: RecordedWords = serde_json::from_str(&text).unwrap();
    assert_eq!(recorded.expander, expander.id());
    for ExpandedText { text, words } in &recorded.texts {
        let found = expander.expand(text).unwrap();
        assert_eq!(&steps(&found), words, "{text}");
        assert_eq!(expander.expand_query(text).unwrap(), found, "{text}");
    }
}

#[test]
fn a_text_about_a_fix_should_be_found_by_repair() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let expander = embedder.expander().expect("the set-up builds one");
    let text = "fix the bug";
    let words = expander.expand(text).unwrap();
    let typed = expander.typed(text);
    let added: Vec<String> = words
        .iter()
        .filter(|word| !typed.contains(&word.number))
        .map(|word| expander.spelling(word.number))
        .collect();
    assert!(added.contains(&"repair".to_owned()), "{added:?}");
    let spelt: Vec<String> = typed.iter().map(|&word| expander.spelling(word)).collect();
    assert!(
        spelt.contains(&"fix".to_owned()) && spelt.len() == 3,
        "{spelt:?}"
    );
}

//! Embeds the queries that are asked most, before they are asked again.
//!
//! A query's vector is the larger part of a search; the model keeps the vectors it made while the
//! program runs. After unlocking, the stored traces say which will be wanted.

use std::collections::HashMap;

use memory::{Filter, Vault, VaultError};
use models::Embedder;
use retrieval::stage::route::route;
use retrieval::trace::Mode;
use serde::Deserialize;

/// How many of the newest traces are counted.
const COUNTED: u32 = 100;

/// How many queries are embedded.
const WARMED: usize = 16;

/// What is read of a trace.
#[derive(Deserialize)]
struct Asked {
    query: String,
    mode: Mode,
}

/// Embeds the most frequent queries of the newest traces. What fails is left for the query itself.
pub(crate) fn warm(vault: &Vault, embedder: &dyn Embedder) -> Result<(), VaultError> {
    let stored = vault.read(|r| r.traces().latest(COUNTED))?;
    let texts = stored
        .iter()
        .filter_map(|trace| serde_json::from_str::<Asked>(&trace.json).ok())
        .filter(|asked| asked.mode != Mode::Lexical)
        .map(|asked| route(&asked.query, asked.mode, &Filter::default()).semantic_text);
    for text in frequent(texts, WARMED) {
        let _ = embedder.embed_query(&text);
    }
    Ok(())
}

/// The most frequent texts, of equally frequent ones the first met.
fn frequent(texts: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut seen: HashMap<String, (usize, usize)> = HashMap::new();
    for (at, text) in texts.enumerate() {
        seen.entry(text).or_insert((0, at)).0 += 1;
    }
    let mut all: Vec<_> = seen.into_iter().collect();
    all.sort_by_key(|(_, (times, first))| (usize::MAX - times, *first));
    all.into_iter().take(most).map(|(text, _)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_most_comes_first_then_what_was_asked_last() {
        let texts = ["b", "a", "c", "a", "c", "a"].map(str::to_owned);
        assert_eq!(frequent(texts.into_iter(), 3), ["a", "c", "b"]);
        let newest_first = ["new", "old"].map(str::to_owned);
        assert_eq!(frequent(newest_first.into_iter(), 1), ["new"]);
        assert!(frequent(std::iter::empty(), 3).is_empty());
    }
}

//! Late interaction: a reranker that needs no second model.
//!
//! score(q, d) = Σᵢ idf(word of qᵢ) · max(0, maxⱼ cos(qᵢ, dⱼ)) / Σᵢ idf(word of qᵢ)
//!
//! over the query's tokens qᵢ and the tokens dⱼ of the document's first passage, each a unit vector of
//! the embedding model in its context. Those of a document are packed to two bits a number, see
//! [`PackedTokens`], whether they were kept or come from the model just now: both score the same.
//! Source: MaxSim of ColBERT (Khattab, Zaharia 2020, arXiv:2004.12832),
//! weighted by inverse document frequency so that "the" does not count like a name. Of many tokens one
//! is near to any question by chance: what a long document keeps of its score is the ranking's to say.
//!
//! Inputs: two texts, one non-negative weight per word of the query. Output: 0..1, higher is nearer.
//! Tokens without a letter or digit weigh nothing unless the query consists of them alone: an index
//! has never seen a comma, so its idf would be the highest of all. When every weight is zero, all
//! count the same.
//!
//! Guarantees: a document's score depends on that document and the query alone; a warm and a cold
//! cache give the same score; an empty document scores 0.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Document, RerankError, Reranker};
use crate::cache::{SizedCache, key};
use crate::derived::read_tokens;
use crate::embedder::{Embedder, ModelIdentity};
use crate::packed::PackedTokens;
use crate::vectors::TokenVectors;
use crate::{ModelError, Script};

/// Bytes of document token vectors kept: about 10,000 memories of 60 tokens.
const CACHE_BYTES: usize = 64 << 20;

/// How many documents are read at the same time, as many as the local embedder has sessions.
const READERS: usize = 2;
/// Below this many documents another thread costs more than it saves.
const FEWEST_TO_SHARE: usize = 4;

/// The embedded reranker over any embedder that gives token vectors.
pub struct LateInteraction<E> {
    embedder: E,
    name: String,
    documents: Mutex<SizedCache<Arc<PackedTokens>>>,
}

impl<E: Embedder> LateInteraction<E> {
    /// With the usual cache of 64 MiB.
    pub fn new(embedder: E) -> Self {
        LateInteraction::with_cache(embedder, CACHE_BYTES)
    }

    /// With a cache of so many bytes; 0 keeps nothing.
    pub fn with_cache(embedder: E, bytes: usize) -> Self {
        LateInteraction {
            name: format!("late-interaction-2bit/{}", embedder.identity().id),
            embedder,
            documents: Mutex::new(SizedCache::new(bytes)),
        }
    }

    fn document(&self, text: &str) -> Result<Arc<PackedTokens>, ModelError> {
        let key = key(text);
        if let Some(known) = self.documents.lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let tokens = Arc::new(read_tokens(&self.embedder, text)?);
        let bytes = tokens.bytes();
        self.documents.lock().put(key, Arc::clone(&tokens), bytes);
        Ok(tokens)
    }
}

impl<E: Embedder> Reranker for LateInteraction<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn covers(&self, script: Script) -> bool {
        self.embedder.covers(script)
    }

    fn score(
        &self,
        query: &str,
        documents: &[&str],
        word_idf: &dyn Fn(&str) -> f64,
        deadline: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError> {
        let unkept: Vec<Document<'_>> = documents
            .iter()
            .map(|&text| Document { text, tokens: None })
            .collect();
        self.score_kept(query, &unkept, word_idf, deadline)
    }

    fn score_kept(
        &self,
        query: &str,
        documents: &[Document<'_>],
        word_idf: &dyn Fn(&str) -> f64,
        deadline: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError> {
        let start = Instant::now();
        let tokens = self.embedder.token_vectors(query)?;
        let weights = weights(query, &tokens, word_idf);
        let next = AtomicUsize::new(0);
        let read = || {
            let mut found = Vec::new();
            while start.elapsed() < deadline {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(document) = documents.get(at) else {
                    break;
                };
                let near = match document.tokens {
                    Some(kept) => max_sim(&tokens, &weights, kept),
                    None => max_sim(&tokens, &weights, &*self.document(document.text)?),
                };
                found.push((at, near));
            }
            Ok::<_, ModelError>(found)
        };
        let readers = if documents.len() < FEWEST_TO_SHARE {
            1
        } else {
            READERS
        };
        let parts = std::thread::scope(|scope| {
            let others: Vec<_> = (1..readers).map(|_| scope.spawn(read)).collect();
            let mut parts = vec![read()];
            // A reader that panicked has no result: its documents count as a failed model.
            parts.extend(
                others
                    .into_iter()
                    .map(|reader| reader.join().unwrap_or(Err(ModelError::Inference))),
            );
            parts
        });
        let mut scores = vec![None; documents.len()];
        for part in parts {
            for (at, score) in part? {
                scores[at] = Some(score);
            }
        }
        if !documents.is_empty() && scores.iter().all(Option::is_none) {
            return Err(RerankError::Deadline);
        }
        Ok(scores)
    }

    fn reads_tokens_of(&self) -> Option<&ModelIdentity> {
        Some(self.embedder.identity())
    }

    fn forget(&self) {
        self.documents.lock().clear();
        self.embedder.forget();
    }
}

/// One weight per query token.
fn weights(query: &str, tokens: &TokenVectors, word_idf: &dyn Fn(&str) -> f64) -> Vec<f64> {
    let mut weights: Vec<f64> = tokens
        .words
        .iter()
        .map(|word| {
            let word = &query[word.clone()];
            let idf = if word.chars().any(char::is_alphanumeric) {
                word_idf(word)
            } else {
                0.0
            };
            if idf.is_finite() { idf.max(0.0) } else { 0.0 }
        })
        .collect();
    if weights.iter().sum::<f64>() <= 0.0 {
        weights.fill(1.0);
    }
    weights
}

fn max_sim(query: &TokenVectors, weights: &[f64], document: &PackedTokens) -> f64 {
    let total: f64 = weights.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let sum: f64 = weights
        .iter()
        .zip(document.nearest(query, weights))
        .map(|(weight, near)| weight * f64::from(near))
        .sum();
    (sum / total).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{CountingEmbedder, FailingEmbedder, HashedEmbedder};

    const LONG: Duration = Duration::from_mins(1);

    fn scores(query: &str, documents: &[&str], idf: &dyn Fn(&str) -> f64) -> Vec<f64> {
        LateInteraction::new(HashedEmbedder::new(64))
            .score(query, documents, idf, LONG)
            .unwrap()
            .into_iter()
            .map(Option::unwrap)
            .collect()
    }

    #[test]
    fn the_same_words_score_one_and_none_score_low() {
        let found = scores(
            "payment gateway",
            &[
                "the payment gateway",
                "gateway only",
                "unrelated words here",
                "",
            ],
            &|_| 1.0,
        );
        assert!((found[0] - 1.0).abs() < 1e-5, "{found:?}");
        assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
        assert!(found[3].abs() < 1e-12, "{found:?}");
        assert!(found.iter().all(|s| (0.0..=1.0).contains(s)));
    }

    #[test]
    fn rare_words_weigh_more() {
        let documents = ["about zebra", "about the"];
        let idf = |word: &str| if word == "zebra" { 8.0 } else { 0.5 };
        let found = scores("the zebra", &documents, &idf);
        assert!(found[0] > found[1], "{found:?}");
        let turned = |word: &str| if word == "zebra" { 0.5 } else { 8.0 };
        let found = scores("the zebra", &documents, &turned);
        assert!(found[0] < found[1], "{found:?}");
    }

    #[test]
    fn punctuation_weighs_nothing_and_odd_weights_do_no_harm() {
        let idf = |word: &str| if word == "," { 1000.0 } else { 1.0 };
        let found = scores("zebra ,", &["zebra", ","], &idf);
        assert!((found[0] - 1.0).abs() < 1e-5, "{found:?}");
        for odd in [f64::NAN, f64::INFINITY, -3.0, 0.0] {
            let found = scores("zebra stripes", &["zebra stripes"], &|_| odd);
            assert!((found[0] - 1.0).abs() < 1e-5, "{odd}: {found:?}");
        }
        let only = scores("???", &["???", "zebra"], &|_| 1.0);
        assert!(only[0] > only[1], "{only:?}");
    }

    #[test]
    fn a_warm_cache_gives_the_same_scores_without_asking_the_model() {
        let reranker = LateInteraction::new(CountingEmbedder::new(HashedEmbedder::new(32)));
        let asked = || reranker.embedder.asked();
        let run = || {
            reranker
                .score("one two", &["one", "two three", "four"], &|_| 1.0, LONG)
                .unwrap()
        };
        let cold = run();
        assert_eq!(asked(), 4);
        assert_eq!(run(), cold);
        assert_eq!(asked(), 5, "only the query is read again");
        reranker.forget();
        assert_eq!(run(), cold);
        assert_eq!(asked(), 9);
    }

    #[test]
    fn a_passed_deadline_says_so() {
        let reranker = LateInteraction::new(HashedEmbedder::new(32));
        assert!(matches!(
            reranker.score("one", &["one"], &|_| 1.0, Duration::ZERO),
            Err(RerankError::Deadline)
        ));
        assert_eq!(
            reranker
                .score("one", &[], &|_| 1.0, Duration::ZERO)
                .unwrap(),
            []
        );
    }

    #[test]
    fn what_was_read_before_the_deadline_is_kept() {
        struct Slow(HashedEmbedder);
        impl Embedder for Slow {
            fn identity(&self) -> &ModelIdentity {
                self.0.identity()
            }
            fn covers(&self, script: Script) -> bool {
                self.0.covers(script)
            }
            fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
                self.0.embed_query(text)
            }
            fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
                self.0.embed_passages(texts)
            }
            fn token_count(&self, text: &str) -> usize {
                self.0.token_count(text)
            }
            fn chunks(&self, text: &str) -> Vec<std::ops::Range<usize>> {
                self.0.chunks(text)
            }
            fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
                if text == "slow" {
                    std::thread::sleep(Duration::from_millis(400));
                }
                self.0.token_vectors(text)
            }
        }
        let reranker = LateInteraction::new(Slow(HashedEmbedder::new(32)));
        let found = reranker
            .score(
                "one",
                &["one", "slow", "three"],
                &|_| 1.0,
                Duration::from_millis(300),
            )
            .unwrap();
        assert!(found[0].is_some() && found[1].is_some() && found[2].is_none());
    }

    #[test]
    fn a_failing_model_is_an_error_not_a_score() {
        let reranker = LateInteraction::new(FailingEmbedder::new(8));
        assert!(matches!(
            reranker.score("one", &["one"], &|_| 1.0, LONG),
            Err(RerankError::Model(ModelError::Inference))
        ));
    }
}

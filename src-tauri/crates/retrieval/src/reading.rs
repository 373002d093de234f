//! Lets rerankers read pairs of query and memory, and remembers what they said.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use memory::{Millis, PAIR_SCORES_KEPT, PairQuery, PairScore, VaultError, fold};
use models::{Document, PackedTokens, Reranker};
use sha2::{Digest as _, Sha256};

use crate::constants::{Constants, RerankBackend};
use crate::engine::Engine;
use crate::gathered::{Gathered, slot};
use crate::report::elapsed;
use crate::stage::route::term::{Phrase, any_of};

/// Pairs that wait to be written; more are forgotten, which costs reading them again.
const MOST_WAITING: usize = 20_000;

impl Engine {
    /// Takes over what rerankers said about the same texts under the same query before, in this run
    /// or, for a query that is new to it, in an earlier one.
    pub(crate) fn recall_pairs(&self, gathered: &Gathered) {
        for (at, view) in gathered.rerankers.iter().enumerate() {
            let Some(view) = view.as_ref().filter(|view| view.abstains.is_none()) else {
                continue;
            };
            let key = pair_query(&view.name, &gathered.route.semantic_text);
            if self.looked_up.lock().put(key, ()).is_none() {
                let stored = self.vault().read(|reader| {
                    let query = stored_query(&reader.words(), at, &view.name, gathered)?;
                    reader.pair_scores().of(&query)
                });
                match stored {
                    Ok(stored) => {
                        let mut pairs = self.pairs.lock();
                        for (memory, version, score) in stored {
                            pairs.put((key, memory, version), score);
                        }
                    }
                    Err(error) => tracing::warn!(%error, "stored scores could not be read"),
                }
            }
            let mut pairs = self.pairs.lock();
            let mut scores = gathered.pair_scores[at].write();
            for (candidate, known) in (0_u32..).zip(&gathered.candidates) {
                if let Some(&score) = pairs.get(&(key, known.id, known.memory().version)) {
                    scores.scores.insert(candidate, score);
                }
            }
        }
    }

    /// Writes what was read since the last time, so that it need not be read again after a restart.
    /// To be called behind an answer, never before it. Returns how many pairs were written.
    ///
    /// # Errors
    /// Those of the vault; the pairs are given up then.
    pub fn save_pairs(&self) -> Result<usize, VaultError> {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        if waiting.is_empty() {
            return Ok(0);
        }
        self.vault()
            .write(|w| w.pair_scores().put(&waiting, PAIR_SCORES_KEPT))?;
        Ok(waiting.len())
    }

    /// Lets the reranker in force read the rows of its window that it has not read yet; returns how
    /// many it read. What goes wrong stands in the next trace.
    pub fn score_window(
        &self,
        gathered: &Gathered,
        constants: &Constants,
        now: Millis,
        deadline: Duration,
    ) -> usize {
        let span = tracing::info_span!("rerank");
        let _entered = span.enter();
        let unread = gathered.unread(constants, now);
        let Some(at) = slot(constants.rerank).filter(|_| !unread.is_empty()) else {
            return 0;
        };
        let Some(reranker) = self.models.read().rerankers.get(constants.rerank).cloned() else {
            return 0;
        };
        let start = Instant::now();
        let query = gathered.route.semantic_text.as_str();
        let kept = self.kept_tokens(&*reranker, gathered, &unread);
        let documents: Vec<Document<'_>> = unread
            .iter()
            .enumerate()
            .map(|(at, &candidate)| Document {
                text: gathered.candidates[candidate as usize].text(),
                tokens: kept.get(at).and_then(Option::as_ref),
            })
            .collect();
        let idf = |word: &str| self.word_idf(gathered, word);
        let answer = reranker.score_kept(query, &documents, &idf, deadline);
        let spent = elapsed(start);
        let mut pair_scores = gathered.pair_scores[at].write();
        pair_scores.elapsed_ms = spent;
        if answer.is_ok() {
            let mut costs = self.reading_costs.lock();
            costs[at].pairs += unread.len();
            costs[at].ms += spent;
        }
        let scores = match answer {
            Ok(scores) if scores.len() == unread.len() => scores,
            Ok(_) => {
                pair_scores.fault = Some("the reranker gave a wrong number of scores".to_owned());
                return 0;
            }
            Err(error) => {
                pair_scores.fault = Some(error.to_string());
                return 0;
            }
        };
        let key = pair_query(reranker.name(), query);
        let stored = self
            .vault()
            .read(|reader| stored_query(&reader.words(), at, reranker.name(), gathered))
            .ok();
        let mut pairs = self.pairs.lock();
        let mut waiting = self.waiting.lock();
        let mut read = 0;
        for (&candidate, score) in unread.iter().zip(scores) {
            let Some(score) = score.filter(|score| score.is_finite()) else {
                continue;
            };
            let known = &gathered.candidates[candidate as usize];
            let version = known.memory().version;
            pairs.put((key, known.id, version), score);
            if let Some(query) = stored.filter(|_| waiting.len() < MOST_WAITING) {
                waiting.push(PairScore {
                    query,
                    memory: known.id,
                    version,
                    score,
                });
            }
            pair_scores.scores.insert(candidate, score);
            read += 1;
        }
        pair_scores.fault = (read < unread.len())
            .then(|| "the deadline came before the reranker was through".to_owned());
        read
    }

    /// What was kept of the tokens of these candidates, in their order; `None` for what was not kept, or
    /// is of another version: that is read anew. Nothing where the reranker reads no tokens.
    fn kept_tokens(
        &self,
        reranker: &dyn Reranker,
        gathered: &Gathered,
        unread: &[u32],
    ) -> Vec<Option<PackedTokens>> {
        let Some(identity) = reranker.reads_tokens_of() else {
            return Vec::new();
        };
        let found = self.vault().read(|reader| {
            let embeddings = reader.embeddings();
            let Some(model) = embeddings.find(&identity.id, identity.dimension)? else {
                return Ok(Vec::new());
            };
            unread
                .iter()
                .map(|&candidate| {
                    let known = &gathered.candidates[candidate as usize];
                    let packed = embeddings.tokens_of(&model, known.id, known.memory().version)?;
                    Ok(packed.and_then(|bytes| PackedTokens::from_bytes(&bytes)))
                })
                .collect()
        });
        found.unwrap_or_else(|error: VaultError| {
            tracing::warn!(%error, "kept token vectors could not be read");
            Vec::new()
        })
    }

    /// Mean milliseconds that a backend took to read one pair since the vault was opened; `None`
    /// while it has read none.
    pub fn ms_per_pair(&self, backend: RerankBackend) -> Option<f64> {
        let cost = self.reading_costs.lock()[slot(backend)?];
        (cost.pairs > 0).then(|| cost.ms / cost.pairs as f64)
    }

    /// ln(1 + (N − n + ½)/(n + ½)) over the word index, for a word as it stands in the query.
    fn word_idf(&self, gathered: &Gathered, word: &str) -> f64 {
        if let Some(&known) = gathered.word_idf.lock().get(word) {
            return known;
        }
        let folded = fold(word);
        let idf = if folded.chars().any(char::is_alphanumeric) {
            self.vault()
                .read(|reader| {
                    let phrase = Phrase {
                        text: folded,
                        prefix: false,
                    };
                    let words = reader.words();
                    let frequency = match any_of([&phrase]) {
                        Some(expression) => f64::from(words.document_frequency(&expression)?),
                        None => 0.0,
                    };
                    let rows = f64::from(words.statistics()?.rows);
                    Ok((1.0 + (rows - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln())
                })
                .unwrap_or(1.0)
        } else {
            0.0
        };
        gathered.word_idf.lock().insert(word.to_owned(), idf);
        idf
    }
}

/// The name under which the scores of a query are stored. The embedded reranker weighs words by
/// how rare they are in the vault: what it said counts until the vault has grown by a fifth.
fn stored_query(
    words: &memory::KeywordIndex<'_>,
    at: usize,
    reranker: &str,
    gathered: &Gathered,
) -> Result<PairQuery, VaultError> {
    let size = if slot(RerankBackend::Embedded) == Some(at) {
        (f64::from(words.statistics()?.rows.max(1)).log2() * 4.0).floor() as u32
    } else {
        0
    };
    let mut digest = Sha256::new();
    for part in [reranker, &gathered.route.semantic_text] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.update(size.to_le_bytes());
    let mut name = PairQuery::default();
    name.copy_from_slice(&digest.finalize()[..size_of::<PairQuery>()]);
    Ok(name)
}

/// A query as one reranker sees it.
fn pair_query(reranker: &str, query: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (reranker, query).hash(&mut hasher);
    hasher.finish()
}

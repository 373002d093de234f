//! knn: the memories whose vectors lie nearest to the query's.
//!
//! Formula: s(d) = cos(q, c) for a memory of one chunk c; for several, the mean of the best chunk's
//! cosine and of the average over all chunks (see [`crate::mirror::memory_score`]). All vectors have
//! length 1, so the cosine is their dot product. Source: exact nearest neighbours; the scan rounds
//! to one byte per number and rescores what is asked for and 256 more with two. From 200,000 chunks
//! on their numbers' signs choose one in eight for that (see `mirror::shortlist`).
//!
//! With `knn_feedback` β > 0 the list is reordered: s′(d) = (s(d) + β·m(d)) / (1 + β), m(d) the mean
//! cosine of d and the best three of the keyword list: what resembles a sure hit rises. Source:
//! pseudo-relevance feedback after Rocchio, "Relevance Feedback in Information Retrieval", 1971, on
//! embeddings, with the other leg as the judge.
//!
//! Inputs: the query's text without filters and exclusions, the active model, the scope. Output: at
//! most `depth` memories with their cosine in −1..1, best first, ties by id.
//! Guarantee: filters act before the cut; where the model does not know the script of most of the
//! query's letters, or the query has no letters, the leg abstains instead of voting noise; without
//! the mirror vec0 in the vault answers; whatever breaks is named and never an error.

use std::collections::HashMap;
use std::sync::Arc;

use memory::{MAX_NEIGHBOURS, MemoryId, ModelRow, Reader, Vault, VaultError};
use models::{Embedder, ModelIdentity, Script, ScriptCounts};

use crate::ids::Scope;
use crate::mirror::{KnnIndex, Mirror, MirrorState, Shortcut, dot, memory_score};
use crate::report::Report;
use crate::stage::route::grouped;

/// How many of the best keyword hits give feedback.
pub const FEEDBACK_SOURCES: usize = 3;

/// The leg's score with feedback; without it, the cosine.
pub fn with_feedback(cosine: f64, feedback: Option<f64>, share: f64) -> f64 {
    feedback.map_or(cosine, |mean| (cosine + share * mean) / (1.0 + share))
}

/// One neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnnHit {
    /// The memory.
    pub id: MemoryId,
    /// Its score, −1..1.
    pub cosine: f64,
    /// The chunk nearest to the query, when the mirror answered.
    pub chunk_id: Option<i64>,
}

/// What the leg found and how it went.
#[derive(Clone, Debug)]
pub struct KnnOutcome {
    /// How it went.
    pub report: Report,
    /// Best first.
    pub hits: Vec<KnnHit>,
    /// The query's vector, for exact places of memories beyond the depth.
    pub query_vector: Option<Arc<Vec<f32>>>,
}

impl KnnOutcome {
    /// Nothing, and why.
    pub fn none(report: Report) -> Self {
        Self {
            report,
            hits: Vec::new(),
            query_vector: None,
        }
    }
}

/// What the leg works with.
pub struct KnnInput<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The mirror; `None` when it is to be bypassed.
    pub mirror: Option<&'a Mirror>,
    /// The model; `None` when there is none.
    pub embedder: Option<&'a dyn Embedder>,
    /// What is embedded.
    pub text: &'a str,
    /// What may be returned.
    pub scope: &'a Scope,
    /// How many.
    pub depth: usize,
}

/// Runs the leg.
pub fn knn(input: &KnnInput<'_>) -> KnnOutcome {
    let Some(embedder) = input.embedder else {
        let total = input.vault.read(|r| r.memories().living(0)).unwrap_or(0);
        return KnnOutcome::none(Report::failed(format!(
            "no embedding model is loaded: 0 of {} embedded",
            grouped(total as usize)
        )));
    };
    if let Some(reason) = abstains(input.text, |script| embedder.covers(script)) {
        return KnnOutcome::none(Report::skipped(reason));
    }
    match search(input, embedder) {
        Ok(outcome) => outcome,
        Err(error) => KnnOutcome::none(Report::failed(format!(
            "the vectors cannot be read: {error}"
        ))),
    }
}

/// Why a model that covers these scripts must not vote on this text; `None` when it may.
pub fn abstains(text: &str, covers: impl Fn(Script) -> bool) -> Option<String> {
    let counts = ScriptCounts::of(text);
    // A character of a script without blanks carries about as much as three letters.
    let weight =
        |script: Script| u64::from(counts.count(script)) * if script.is_unspaced() { 3 } else { 1 };
    let letters: u64 = counts
        .contained()
        .iter()
        .map(|&script| weight(script))
        .sum();
    if letters == 0 {
        let figures = text.chars().any(char::is_alphanumeric);
        return (!figures).then(|| "the query has no words to embed".to_owned());
    }
    let unknown: Vec<Script> = counts
        .contained()
        .into_iter()
        .filter(|&script| !covers(script))
        .collect();
    let lost: u64 = unknown.iter().map(|&script| weight(script)).sum();
    if lost * 2 <= letters {
        return None;
    }
    let mut names: Vec<&str> = unknown
        .iter()
        .map(|script| match script {
            Script::Han | Script::Kana | Script::Hangul => "CJK",
            Script::Thai => "Thai, Lao, Khmer or Burmese",
            Script::Greek => "Greek",
            Script::Cyrillic => "Cyrillic",
            Script::Arabic => "Arabic",
            Script::Hebrew => "Hebrew",
            Script::Indic => "Indic scripts",
            _ => "this script",
        })
        .collect();
    names.dedup();
    Some(format!("the model covers no {}", names.join(" and no ")))
}

fn search(input: &KnnInput<'_>, embedder: &dyn Embedder) -> Result<KnnOutcome, VaultError> {
    let identity = embedder.identity();
    let (row, done, total) = input.vault.read(|reader| {
        let embeddings = reader.embeddings();
        match embeddings.find(&identity.id, identity.dimension)? {
            Some(row) => {
                let (done, total) = embeddings.counts(&row)?;
                Ok((Some(row), done, total))
            }
            None => Ok((None, 0, reader.memories().living(0)?)),
        }
    })?;
    let mut report = Report::ok();
    if done < total {
        report.degrade(format!(
            "{} of {} embedded",
            grouped(done as usize),
            grouped(total as usize)
        ));
    }
    let Some(row) = row.filter(|_| done > 0) else {
        return Ok(KnnOutcome::none(report));
    };
    if !row.active {
        // A part of the memories would be found by meaning and the rest would seem to have none.
        report.degrade("the vault's vectors come from another model and are being made anew");
        return Ok(KnnOutcome::none(report));
    }
    let query = match embedder.embed_query(input.text) {
        Ok(vector) => vector,
        Err(error) => return Ok(KnnOutcome::none(Report::failed(error.to_string()))),
    };
    if query.len() != row.dimension as usize || query.iter().any(|v| !v.is_finite()) {
        return Ok(KnnOutcome::none(Report::failed(
            "the model gave an unusable vector",
        )));
    }
    let hits = match from_mirror(input, identity, &query) {
        Ok(hits) => {
            let shortcut = input
                .mirror
                .and_then(|mirror| mirror.shortcut(identity, input.depth));
            report.notes.extend(shortcut.map(described));
            hits
        }
        Err(why) => {
            report.degrade(format!(
                "{why}: the vectors in the vault were scanned instead"
            ));
            input
                .vault
                .read(|reader| from_vault(reader, &row, &query, input.scope, input.depth))?
        }
    };
    Ok(KnnOutcome {
        report,
        hits,
        query_vector: Some(Arc::new(query)),
    })
}

/// What a search left out, and what that costs.
fn described(shortcut: Shortcut) -> String {
    let what = match (shortcut.index, shortcut.chosen) {
        (KnnIndex::Hnsw, _) if shortcut.waiting > 0 => format!(
            "A graph (HNSW) led to the nearest vectors; {} that it does not hold yet were compared too",
            grouped(shortcut.waiting)
        ),
        (KnnIndex::Hnsw, _) => "A graph (HNSW) led to the nearest vectors".to_owned(),
        (KnnIndex::Exact, chosen) => format!(
            "All vectors were compared by the signs of their numbers, the best {} by the numbers themselves",
            grouped(chosen.unwrap_or_default())
        ),
    };
    match shortcut.recall {
        Some(recall) => format!(
            "{what}. In the last self-check {:.1} % of the exact neighbours were found.",
            recall * 100.0
        ),
        None => format!("{what}."),
    }
}

fn from_mirror(
    input: &KnnInput<'_>,
    identity: &ModelIdentity,
    query: &[f32],
) -> Result<Vec<KnnHit>, &'static str> {
    let mirror = input.mirror.ok_or("the vectors in memory failed")?;
    match mirror.state(identity) {
        Ok(MirrorState::Ready { .. }) => {}
        Ok(MirrorState::Missing) => return Err("the vectors are not in memory yet"),
        Ok(MirrorState::Stale) => return Err("the vectors in memory are out of date"),
        Err(_) => return Err("the vectors in memory cannot be checked"),
    }
    let neighbours = mirror
        .nearest(identity, query, input.depth, input.scope)
        .ok_or("the vectors are not in memory yet")?;
    Ok(neighbours
        .into_iter()
        .map(|n| KnnHit {
            id: n.id,
            cosine: n.cosine,
            chunk_id: Some(n.chunk_id),
        })
        .collect())
}

/// The exact answer from the vault. vec0 cannot filter before its cut by what stands in other
/// tables, so with a scope every vector is read.
fn from_vault(
    reader: &Reader<'_>,
    row: &ModelRow,
    query: &[f32],
    scope: &Scope,
    depth: usize,
) -> Result<Vec<KnnHit>, VaultError> {
    let embeddings = reader.embeddings();
    let mut hits: Vec<KnnHit> = Vec::new();
    if scope.is_open() {
        let k = u32::try_from(depth * 2)
            .unwrap_or(MAX_NEIGHBOURS)
            .min(MAX_NEIGHBOURS);
        for (id, best) in embeddings.nearest(row, query, k)? {
            let chunks = embeddings.chunks_of(row, id)?;
            let cosine = if chunks.len() > 1 {
                let vectors = embeddings.vectors_of(row, id)?;
                memory_score(vectors.iter().map(|(_, vector)| dot(query, vector)))
            } else {
                best
            };
            hits.push(KnnHit {
                id,
                cosine,
                chunk_id: None,
            });
        }
    } else {
        let mut cosines: HashMap<MemoryId, Vec<f64>> = HashMap::new();
        embeddings.for_each(row, |_, id, vector| {
            if scope.lets(id) {
                cosines.entry(id).or_default().push(dot(query, vector));
            }
        })?;
        hits.extend(cosines.into_iter().map(|(id, cosines)| KnnHit {
            id,
            cosine: memory_score(cosines),
            chunk_id: None,
        }));
    }
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.id.cmp(&b.id)));
    hits.truncate(depth);
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_abstains_where_it_would_guess() {
        let latin = |script| matches!(script, Script::Latin | Script::Common);
        for (text, reason) in [
            ("redis cache", None),
            ("重启", Some("the model covers no CJK")),
            ("会議室の予約", Some("the model covers no CJK")),
            (
                "ห้อง",
                Some("the model covers no Thai, Lao, Khmer or Burmese"),
            ),
            ("привет", Some("the model covers no Cyrillic")),
            ("gateway 超时了吗", Some("the model covers no CJK")),
            ("what does the word 项目 mean here", None),
            ("🔴", Some("the query has no words to embed")),
            ("9021", None),
        ] {
            assert_eq!(abstains(text, latin).as_deref(), reason, "{text}");
        }
        assert_eq!(abstains("重启", |_| true), None);
    }
}

//! The documents lane: chunks of documents that answer the query, never mixed with memories.
//!
//! Formula: the same two legs and the same fusion as for memories (see [`crate::stage::bm25`],
//! [`crate::stage::fusion`]), over the documents' own indexes: BM25 with the bonus for exact forms,
//! and the cosine of the chunk's vector. No decay, since a document does not age; no reranker.
//!
//! Inputs: the route, the constants of fusion, the embedder. Output: at most `limit` chunks, best
//! first, ties by chunk.
//! Guarantee: each leg fails alone; where a filter speaks of fields that only memories have, the
//! lane is skipped and says so; a chunk that only its vector speaks for needs a cosine of
//! [`NEAR_ENOUGH`], since the nearest of a few chunks may be near nothing.

pub mod chunk;
mod keyword;

use std::collections::HashMap;
use std::time::Instant;

use memory::{DocumentChunk, Filter, MemoryId, Reader, Vault, VaultError};
use models::Embedder;

use super::{DocumentHit, DocumentLookup, LegReport};
use crate::constants::Constants;
use crate::context::fence::{Entry, Fact, LaneName};
use crate::report::{Report, Status, elapsed};
use crate::stage::fusion::{LegLists, fuse};
use crate::stage::knn::abstains;
use crate::stage::route::{Legs, Route};
use keyword::Admitted;

/// How many chunks a query carries beside its memories.
pub const LANE_HITS: usize = 3;
/// Below this cosine a chunk without any word of the query is not an answer, nor is a memory to a
/// query whose meaning is asked first.
pub const NEAR_ENOUGH: f64 = 0.25;

/// What is looked for, and with what.
pub struct DocumentInput<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The model; `None` when there is none.
    pub embedder: Option<&'a dyn Embedder>,
    /// The query.
    pub route: &'a Route,
    /// How the legs are fused.
    pub constants: &'a Constants,
    /// How many chunks.
    pub limit: usize,
}

/// What was found.
pub struct Searched {
    /// The account.
    pub lookup: DocumentLookup,
    /// The chunks of its hits, in their order.
    pub chunks: Vec<DocumentChunk>,
}

/// Searches the documents.
pub fn look(input: &DocumentInput<'_>, tokens: impl Fn(&str) -> u32) -> Searched {
    let start = Instant::now();
    let mut lookup = DocumentLookup {
        status: Status::Ok,
        reason: None,
        elapsed_ms: 0.0,
        documents: 0,
        knn: LegReport::of(&Report::skipped("nothing was looked for"), 0),
        bm25: LegReport::of(&Report::skipped("nothing was looked for"), 0),
        hits: Vec::new(),
        tokens: 0,
    };
    let chunks = match input
        .vault
        .read(|reader| search(reader, input, &mut lookup))
    {
        Ok(chunks) => chunks,
        Err(error) => {
            lookup.status = Status::Failed;
            lookup.reason = Some(format!("the documents cannot be read: {error}"));
            lookup.hits.clear();
            Vec::new()
        }
    };
    for (hit, chunk) in lookup.hits.iter_mut().zip(&chunks) {
        hit.tokens = tokens(&chunk.text);
    }
    lookup.tokens = lookup.hits.iter().map(|hit| hit.tokens).sum();
    lookup.elapsed_ms = elapsed(start);
    Searched { lookup, chunks }
}

/// Whether a filter speaks of what documents do not have. Whose a memory is does not: documents are
/// there for everyone.
fn is_about_memories(filter: &Filter) -> bool {
    let whose = Filter {
        org: filter.org.clone(),
        agents: filter.agents.clone(),
        session: filter.session.clone(),
        unflagged: filter.unflagged,
        ..Filter::default()
    };
    *filter != whose
}

/// Why nothing is to be searched.
fn idle(documents: u32, route: &Route) -> Option<&'static str> {
    if documents == 0 {
        Some("there are no documents")
    } else if route.is_blank() {
        Some("there is nothing to look for")
    } else if is_about_memories(&route.filter) || route.contradiction {
        Some("the filter is about memories")
    } else {
        None
    }
}

fn search(
    reader: &Reader<'_>,
    input: &DocumentInput<'_>,
    lookup: &mut DocumentLookup,
) -> Result<Vec<DocumentChunk>, VaultError> {
    lookup.documents = reader.documents().count()?;
    if let Some(why) = idle(lookup.documents, input.route) {
        lookup.status = Status::Skipped;
        lookup.reason = Some(why.to_owned());
        return Ok(Vec::new());
    }
    let admitted = Admitted::of(reader, input.route)?;
    let (near, bm25) = legs(reader, input, &admitted);
    lookup.knn = LegReport::of(&near.0, near.1.len());
    lookup.bm25 = LegReport::of(&bm25.0, bm25.1.len());
    let broken: Vec<&str> = [&near.0, &bm25.0]
        .into_iter()
        .filter(|report| report.status == Status::Failed)
        .filter_map(|report| report.reason.as_deref())
        .collect();
    if !broken.is_empty() {
        let other = near.0.ran() || bm25.0.ran();
        lookup.status = if other {
            Status::Degraded
        } else {
            Status::Failed
        };
        lookup.reason = Some(broken.join("; "));
    }

    let depth = input.constants.leg_cutoff().max(4 * input.limit);
    // Fusion breaks ties by the name of a memory; the number of a chunk serves as well.
    let mut places: HashMap<i64, u32> = HashMap::new();
    let mut ids: Vec<MemoryId> = Vec::new();
    let mut leg = |hits: &[(i64, f64)]| -> Vec<(u32, f64)> {
        hits.iter()
            .take(depth)
            .map(|&(chunk, score)| {
                let place = *places.entry(chunk).or_insert_with(|| {
                    ids.push(MemoryId(chunk));
                    ids.len() as u32 - 1
                });
                (place, score)
            })
            .collect()
    };
    let (knn_leg, bm25_leg) = (leg(&near.1), leg(&bm25.1));
    let fused = fuse(
        LegLists {
            knn: near.0.ran().then_some(&knn_leg[..]),
            bm25: bm25.0.ran().then_some(&bm25_leg[..]),
            sparse: None,
        },
        &ids,
        input.constants,
    );
    let place_in = |leg: &[(u32, f64)], candidate: u32| {
        leg.iter()
            .position(|&(at, _)| at == candidate)
            .map(|at| (at as u32 + 1, leg[at].1))
    };
    let best: Vec<_> = fused.into_iter().take(input.limit).collect();
    let wanted: Vec<i64> = best.iter().map(|hit| hit.id.0).collect();
    let chunks = reader.documents().chunks(&wanted)?;
    for ((hit, chunk), rank) in best.iter().zip(&chunks).zip(1..) {
        let knn = place_in(&knn_leg, hit.candidate);
        let bm25 = place_in(&bm25_leg, hit.candidate);
        lookup.hits.push(DocumentHit {
            id: format!("c{}", chunk.chunk_id),
            document: chunk.document.clone(),
            chunk: chunk.ordinal,
            chunks: chunk.of,
            rank,
            score: hit.score,
            knn_rank: knn.map(|(rank, _)| rank),
            cosine: knn.map(|(_, score)| score),
            bm25_rank: bm25.map(|(rank, _)| rank),
            bm25: bm25.map(|(_, score)| score),
            tokens: 0,
        });
    }
    Ok(chunks)
}

/// A chunk as it stands in a block.
pub fn labelled(chunk: &DocumentChunk, score: f64) -> Entry<'_> {
    Entry {
        lane: LaneName::Document,
        id: format!("c{}", chunk.chunk_id).into(),
        score,
        facts: vec![
            Fact::bare("document", chunk.document.as_str()),
            Fact::bare("title", chunk.title.as_str()),
            Fact::said(
                "chunk",
                "chunk",
                format!("{} of {}", chunk.ordinal + 1, chunk.of),
            ),
        ],
        content: chunk.text.as_str().into(),
    }
}

type Found = (Report, Vec<(i64, f64)>);

/// Both legs, in the order that the mode asks for.
fn legs(reader: &Reader<'_>, input: &DocumentInput<'_>, admitted: &Admitted) -> (Found, Found) {
    let route = input.route;
    let keyword = || -> Found {
        match keyword::search(reader, route, admitted) {
            Ok(hits) => (
                Report::ok(),
                hits.into_iter()
                    .map(|(chunk, parts)| (chunk, parts.score()))
                    .collect(),
            ),
            Err(error) => (
                Report::failed(format!("the documents' keyword index failed: {error}")),
                Vec::new(),
            ),
        }
    };
    let skipped = |why: &str| -> Found { (Report::skipped(why), Vec::new()) };
    match route.legs {
        Legs::KeywordOnly => (skipped("the mode is lexical"), keyword()),
        Legs::SemanticOnly => (
            near(reader, input, admitted, &[]),
            skipped("the mode is semantic"),
        ),
        Legs::SemanticFirst => {
            let near = near(reader, input, admitted, &[]);
            if near.1.is_empty() {
                (near, keyword())
            } else {
                (near, skipped("meaning found enough"))
            }
        }
        Legs::Both | Legs::KeywordFirst => {
            let bm25 = keyword();
            let enough = !bm25.1.is_empty();
            let near = if enough && route.legs == Legs::KeywordFirst {
                skipped("keywords found enough")
            } else if enough && route.opaque {
                skipped("the query is nothing but exact patterns")
            } else {
                near(reader, input, admitted, &bm25.1)
            };
            (near, bm25)
        }
    }
}

/// The semantic leg. What `worded` holds may be as far away as it likes.
fn near(
    reader: &Reader<'_>,
    input: &DocumentInput<'_>,
    admitted: &Admitted,
    worded: &[(i64, f64)],
) -> Found {
    let Some(embedder) = input.embedder else {
        return (Report::skipped("no embedding model is loaded"), Vec::new());
    };
    let text = &input.route.semantic_text;
    if let Some(reason) = abstains(text, |script| embedder.covers(script)) {
        return (Report::skipped(reason), Vec::new());
    }
    let identity = embedder.identity();
    let found = (|| {
        let Some(model) = reader.embeddings().find(&identity.id, identity.dimension)? else {
            return Ok((Report::skipped("nothing is embedded yet"), Vec::new()));
        };
        let (done, total) = reader.documents().counts(&model)?;
        let mut report = Report::ok();
        if done < total {
            report.degrade(format!("{done} of {total} chunks embedded"));
        }
        if done == 0 {
            return Ok((report, Vec::new()));
        }
        let query = match embedder.embed_query(text) {
            Ok(query) => query,
            Err(error) => return Ok((Report::failed(error.to_string()), Vec::new())),
        };
        let hits = reader
            .documents()
            .nearest(&model, &query, Constants::MAX_CANDIDATES)?;
        let hits = hits
            .into_iter()
            .filter(|&(chunk, cosine)| {
                admitted.lets(chunk)
                    && (cosine >= NEAR_ENOUGH || worded.iter().any(|&(other, _)| other == chunk))
            })
            .collect();
        Ok::<Found, VaultError>((report, hits))
    })();
    found.unwrap_or_else(|error| {
        (
            Report::failed(format!("the documents' vectors cannot be read: {error}")),
            Vec::new(),
        )
    })
}

#[cfg(test)]
mod tests;

//! The documents lane: chunks of documents that answer the query, never mixed with memories.
//!
//! Formula: the same two legs and the same fusion as for memories (see [`crate::stage::bm25`],
//! [`crate::stage::fusion`]), over the documents' own indexes: BM25 with the bonus for exact forms,
//! and the cosine of the chunk's vector. No decay, since a document does not age; no reranker.
//!
//! Inputs: the route, the embedder. Output: both lists with the texts of what can become a hit, from
//! which the constants of fusion, `document_hits` and `document_cosine` cut the best chunks, ties by
//! chunk.
//! Guarantee: each leg fails alone; where a filter speaks of fields that only memories have, the
//! lane is skipped and says so; a chunk that only its vector speaks for needs a cosine of
//! `document_cosine`, since the nearest of a few chunks may be near nothing; cutting is pure, so that
//! a constant can move without the vault.

pub mod chunk;
mod keyword;

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use memory::{DocumentChunk, Filter, MemoryId, Reader, Vault, VaultError};
use models::Embedder;

use super::{DocumentHit, DocumentLookup, DocumentMiss, LegReport};
use crate::constants::{Constants, Tunable};
use crate::context::fence::{Entry, Fact, LaneName};
use crate::report::{Report, Status, elapsed};
use crate::stage::fusion::{LegLists, fuse};
use crate::stage::knn::abstains;
use crate::stage::route::{Legs, Route};
use keyword::Admitted;

/// The most chunks that a query carries beside its memories.
pub const MOST_BESIDE: u32 = Tunable::DocumentHits.range().1 as u32;
/// How many near misses of each sort are named.
const MISSES: usize = 3;

/// What is looked for, and with what.
pub struct DocumentInput<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The model; `None` when there is none.
    pub embedder: Option<&'a dyn Embedder>,
    /// The query.
    pub route: &'a Route,
    /// How many chunks can be asked for of what is found.
    pub most: u32,
}

/// A chunk that is near by meaning.
#[derive(Clone, Copy, Debug)]
struct Near {
    chunk: i64,
    cosine: f64,
    /// Words of the query speak for it too: it may be as far away as it likes.
    worded: bool,
}

/// Both lists, before the constants cut them.
#[derive(Debug)]
pub struct Found {
    status: Status,
    reason: Option<String>,
    elapsed_ms: f64,
    documents: u32,
    near: (Report, Vec<Near>),
    words: (Report, Vec<(i64, f64)>),
    /// The words count only where meaning finds nothing.
    meaning_first: bool,
    /// How many of each list can count.
    depth: usize,
    chunks: HashMap<i64, DocumentChunk>,
}

/// What the constants leave.
pub struct Cut<'a> {
    /// The account.
    pub lookup: DocumentLookup,
    /// The chunks of its hits, in their order.
    pub chunks: Vec<&'a DocumentChunk>,
}

/// Searches the documents.
pub fn gather(input: &DocumentInput<'_>) -> Found {
    let start = Instant::now();
    let not_asked = || Report::skipped("nothing was looked for");
    let mut found = Found {
        status: Status::Ok,
        reason: None,
        elapsed_ms: 0.0,
        documents: 0,
        near: (not_asked(), Vec::new()),
        words: (not_asked(), Vec::new()),
        meaning_first: input.route.legs == Legs::SemanticFirst,
        depth: 4 * input.most as usize,
        chunks: HashMap::new(),
    };
    if let Err(error) = input.vault.read(|reader| search(reader, input, &mut found)) {
        found.status = Status::Failed;
        found.reason = Some(format!("the documents cannot be read: {error}"));
        found.near = (not_asked(), Vec::new());
        found.words = (not_asked(), Vec::new());
    }
    found.elapsed_ms = elapsed(start);
    found
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
    found: &mut Found,
) -> Result<(), VaultError> {
    found.documents = reader.documents().count()?;
    if let Some(why) = idle(found.documents, input.route) {
        found.status = Status::Skipped;
        found.reason = Some(why.to_owned());
        return Ok(());
    }
    let admitted = Admitted::of(reader, input.route)?;
    (found.near, found.words) = legs(reader, input, &admitted);
    let wanted: Vec<i64> = found.within_reach().into_iter().collect();
    let chunks = reader.documents().chunks(&wanted)?;
    found.chunks = chunks
        .into_iter()
        .map(|chunk| (chunk.chunk_id, chunk))
        .collect();
    Ok(())
}

impl Found {
    /// The chunks that some constants could make a hit or a near miss.
    fn within_reach(&self) -> BTreeSet<i64> {
        let near = self.near.1.iter();
        let worded = near.clone().filter(|near| near.worded);
        let near = near.take(self.depth).chain(worded.take(self.depth));
        near.map(|near| near.chunk)
            .chain(
                self.words
                    .1
                    .iter()
                    .take(self.depth)
                    .map(|(chunk, _)| *chunk),
            )
            .collect()
    }

    /// What the constants leave of it. Pure.
    pub fn cut(&self, constants: &Constants, limit: u32, tokens: impl Fn(&str) -> u32) -> Cut<'_> {
        let limit = limit as usize;
        let near: Vec<Near> = (self.near.1.iter().copied())
            .filter(|near| near.worded || near.cosine >= constants.document_cosine)
            .collect();
        let unworded = Report::skipped("meaning found enough");
        let words = if self.meaning_first && !near.is_empty() {
            (&unworded, &[][..])
        } else {
            (&self.words.0, &self.words.1[..])
        };
        let mut lookup = DocumentLookup {
            status: self.status,
            reason: self.reason.clone(),
            elapsed_ms: self.elapsed_ms,
            documents: self.documents,
            knn: LegReport::of(&self.near.0, near.len()),
            bm25: LegReport::of(words.0, words.1.len()),
            hits: Vec::new(),
            near_misses: Vec::new(),
            tokens: 0,
        };
        let broken: Vec<&str> = [&self.near.0, words.0]
            .into_iter()
            .filter(|report| report.status == Status::Failed)
            .filter_map(|report| report.reason.as_deref())
            .collect();
        if !broken.is_empty() {
            let other = self.near.0.ran() || words.0.ran();
            lookup.status = if other {
                Status::Degraded
            } else {
                Status::Failed
            };
            lookup.reason = Some(broken.join("; "));
        }

        let depth = constants.leg_cutoff().max(4 * limit).min(self.depth);
        // Fusion breaks ties by the name of a memory; the number of a chunk serves as well.
        let mut places: HashMap<i64, u32> = HashMap::new();
        let mut ids: Vec<MemoryId> = Vec::new();
        let mut leg = |hits: &mut dyn Iterator<Item = (i64, f64)>| -> Vec<(u32, f64)> {
            hits.take(depth)
                .map(|(chunk, score)| {
                    let place = *places.entry(chunk).or_insert_with(|| {
                        ids.push(MemoryId(chunk));
                        ids.len() as u32 - 1
                    });
                    (place, score)
                })
                .collect()
        };
        let knn_leg = leg(&mut near.iter().map(|near| (near.chunk, near.cosine)));
        let bm25_leg = leg(&mut words.1.iter().copied());
        let fused = fuse(
            LegLists {
                knn: self.near.0.ran().then_some(&knn_leg[..]),
                bm25: words.0.ran().then_some(&bm25_leg[..]),
                sparse: None,
            },
            &ids,
            constants,
        );
        let place_in = |leg: &[(u32, f64)], candidate: u32| {
            leg.iter()
                .position(|&(at, _)| at == candidate)
                .map(|at| (at as u32 + 1, leg[at].1))
        };
        let mut chunks = Vec::new();
        for (hit, rank) in fused.iter().zip(1..).take(limit + MISSES) {
            let Some(chunk) = self.chunks.get(&hit.id.0) else {
                continue;
            };
            let knn = place_in(&knn_leg, hit.candidate);
            if rank as usize > limit {
                let cosine = knn.map(|(_, cosine)| cosine);
                lookup.near_misses.push(missed(chunk, Some(rank), cosine));
                continue;
            }
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
                tokens: tokens(&chunk.text),
            });
            chunks.push(chunk);
        }
        let far = (self.near.1.iter())
            .filter(|near| !near.worded && near.cosine < constants.document_cosine)
            .filter_map(|near| Some((near, self.chunks.get(&near.chunk)?)));
        let far = far.map(|(near, chunk)| missed(chunk, None, Some(near.cosine)));
        lookup.near_misses.extend(far.take(MISSES));
        lookup.tokens = lookup.hits.iter().map(|hit| hit.tokens).sum();
        Cut { lookup, chunks }
    }

    /// The cosines at which meaning begins to speak for a chunk that words do not speak for.
    pub fn cosines(&self) -> impl Iterator<Item = f64> + '_ {
        let near = self.near.1.iter().filter(|near| !near.worded);
        near.map(|near| near.cosine)
    }

    /// The cosine of a document's nearest chunk, as far as meaning saw it.
    pub fn cosine_of(&self, document: &str) -> Option<f64> {
        let mut near = self.near.1.iter();
        let own = |near: &&Near| {
            let chunk = self.chunks.get(&near.chunk);
            chunk.is_some_and(|chunk| chunk.document == document)
        };
        near.find(own).map(|near| near.cosine)
    }

    /// A chunk that was kept, by its name.
    pub fn chunk(&self, id: &str) -> Option<&DocumentChunk> {
        self.chunks.get(&id.strip_prefix('c')?.parse().ok()?)
    }
}

fn missed(chunk: &DocumentChunk, rank: Option<u32>, cosine: Option<f64>) -> DocumentMiss {
    DocumentMiss {
        id: format!("c{}", chunk.chunk_id),
        document: chunk.document.clone(),
        chunk: chunk.ordinal,
        chunks: chunk.of,
        rank,
        cosine,
    }
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

type Meant = (Report, Vec<Near>);
type Worded = (Report, Vec<(i64, f64)>);

/// Both legs, in the order that the mode asks for.
fn legs(reader: &Reader<'_>, input: &DocumentInput<'_>, admitted: &Admitted) -> (Meant, Worded) {
    let route = input.route;
    let keyword = || -> Worded {
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
    let unmeant = |why: &str| -> Meant { (Report::skipped(why), Vec::new()) };
    match route.legs {
        Legs::KeywordOnly => (unmeant("the mode is lexical"), keyword()),
        Legs::SemanticOnly => {
            let unworded = Report::skipped("the mode is semantic");
            (near(reader, input, admitted, &[]), (unworded, Vec::new()))
        }
        // Whether the words count hangs on how near is near enough.
        Legs::SemanticFirst => (near(reader, input, admitted, &[]), keyword()),
        Legs::Both | Legs::KeywordFirst => {
            let bm25 = keyword();
            let enough = !bm25.1.is_empty();
            let near = if enough && route.legs == Legs::KeywordFirst {
                unmeant("keywords found enough")
            } else if enough && route.opaque {
                unmeant("the query is nothing but exact patterns")
            } else {
                near(reader, input, admitted, &bm25.1)
            };
            (near, bm25)
        }
    }
}

/// The semantic leg; `worded` holds what words speak for.
fn near(
    reader: &Reader<'_>,
    input: &DocumentInput<'_>,
    admitted: &Admitted,
    worded: &[(i64, f64)],
) -> Meant {
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
            .filter(|&(chunk, _)| admitted.lets(chunk))
            .map(|(chunk, cosine)| Near {
                chunk,
                cosine,
                worded: worded.iter().any(|&(other, _)| other == chunk),
            })
            .collect();
        Ok::<Meant, VaultError>((report, hits))
    })();
    found.unwrap_or_else(|error| {
        (
            Report::failed(format!("the documents' vectors cannot be read: {error}")),
            Vec::new(),
        )
    })
}

#[cfg(test)]
impl Found {
    /// A chunk for each text, found by its words in this order.
    pub(crate) fn of(texts: &[String]) -> Self {
        let chunk = |(at, text): (i64, &String)| DocumentChunk {
            chunk_id: at,
            document: text.clone(),
            title: text.clone(),
            ordinal: 0,
            of: 1,
            range: 0..text.len(),
            text: text.clone(),
        };
        let chunks: Vec<_> = (0..).zip(texts).map(chunk).collect();
        Self {
            status: Status::Ok,
            reason: None,
            elapsed_ms: 0.0,
            documents: 1,
            near: (Report::skipped("no embedding model is loaded"), Vec::new()),
            words: (
                Report::ok(),
                chunks
                    .iter()
                    .map(|c| (c.chunk_id, 9.0 - c.chunk_id as f64))
                    .collect(),
            ),
            meaning_first: false,
            depth: 80,
            chunks: chunks.into_iter().map(|c| (c.chunk_id, c)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;

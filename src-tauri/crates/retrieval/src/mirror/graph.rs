//! An approximate index over the rows: a hierarchical navigable small world graph.
//!
//! Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
//! hierarchical navigable small world graphs", 2018, as implemented by `hnswlib-rs`. The graph holds
//! chunks' numbers and links, no vectors: it walks over the bytes of the [`Shortlist`]. A chunk's
//! number is never used again and its vector never changes, so a stored graph fits whatever rows the
//! vectors lie in today; chunks that are gone stay as stepping stones until it is built anew.

use std::io::Cursor;
use std::sync::atomic::{AtomicU32, Ordering};

use hnswlib_rs::{Error, Hnsw, HnswConfig, Metric, NodeId, Result, VectorStore, VectorStoreMut};
use simsimd::SpatialSimilarity;

use super::shortlist::Shortlist;

/// Links of a chunk on every level but the lowest, which has twice as many.
const LINKS: usize = 16;
/// How many candidates are weighed for them.
const WEIGHED: usize = 100;
/// Room for this many chunks more when a graph is built, and for a quarter of those there are.
const ROOM: usize = 4096;
/// A graph with a larger share of chunks that are gone is built anew.
const GONE_SHARE: usize = 4;

/// Minus the product of two rows: the nearer, the smaller.
#[derive(Clone)]
struct Product;

impl Metric for Product {
    fn distance(&self, a: &[f32], b: &[f32]) -> f32 {
        -f32::dot(a, b).unwrap_or(0.0) as f32
    }
}

/// The links between chunks.
pub(super) struct Graph {
    links: Hnsw<i64, Product>,
    /// The row of a node.
    rows: Vec<AtomicU32>,
}

/// What the graph walks over.
struct Rows<'a> {
    shortlist: &'a Shortlist,
    graph: &'a Graph,
}

impl VectorStore for Rows<'_> {
    type Vector<'v>
        = Vec<f32>
    where
        Self: 'v;

    fn dim(&self) -> usize {
        self.shortlist.dimension()
    }

    /// Zeros for a chunk that is gone.
    fn vector(&self, node: NodeId) -> Option<Vec<f32>> {
        let row = self.graph.row(node)?;
        let gone = || vec![0.0; self.shortlist.dimension()];
        Some(self.shortlist.vector(row).unwrap_or_else(gone))
    }
}

impl VectorStoreMut for Rows<'_> {
    /// The vector is in its row already.
    fn set(&self, _: NodeId, _: &[f32]) -> Result<()> {
        Ok(())
    }
}

impl Graph {
    /// An empty graph with room for so many chunks and some more.
    pub fn new(dimension: usize, chunks: usize) -> Self {
        let room = chunks + chunks / 4 + ROOM;
        let config = HnswConfig::new(dimension, room)
            .m(LINKS)
            .ef_construction(WEIGHED);
        Self::over(Hnsw::new(Product, config))
    }

    fn over(links: Hnsw<i64, Product>) -> Self {
        let mut rows = Vec::new();
        rows.resize_with(links.max_nodes(), AtomicU32::default);
        Self { links, rows }
    }

    fn row(&self, node: NodeId) -> Option<u32> {
        Some(self.rows.get(node.as_usize())?.load(Ordering::Relaxed))
    }

    /// Reads a graph that was stored. `row_of` says where a chunk's vector lies; chunks without one
    /// are gone.
    pub fn load(
        bytes: &[u8],
        dimension: usize,
        row_of: impl Fn(i64) -> Option<u32>,
    ) -> Result<Self> {
        let links = Hnsw::load_from(Product, &mut Cursor::new(bytes))?;
        if links.dim() != dimension {
            return Err(Error::DimensionMismatch {
                expected: dimension,
                actual: links.dim(),
            });
        }
        let graph = Self::over(links);
        for chunk in graph.links.keys() {
            let node = graph.links.node_id(&chunk)?.as_usize();
            if let Some(row) = row_of(chunk) {
                graph.rows[node].store(row, Ordering::Relaxed);
            } else {
                graph.rows[node].store(u32::MAX, Ordering::Relaxed);
                graph.links.delete(&chunk)?;
            }
        }
        Ok(graph)
    }

    /// The graph as it is stored.
    pub fn save(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.links.save_to(&mut bytes)?;
        Ok(bytes)
    }

    pub fn holds(&self, chunk: i64) -> bool {
        matches!(self.links.is_deleted_key(&chunk), Ok(false))
    }

    /// Whether it should be built anew: full, or too much of it gone.
    pub fn is_worn(&self) -> bool {
        self.links.len() == self.links.max_nodes()
            || self.links.deleted_len() > self.links.len() / GONE_SHARE
    }

    /// Links a chunk, one that came back too; one chunk at a time. Searches go on meanwhile.
    pub fn add(&self, shortlist: &Shortlist, chunk: i64, row: u32) -> Result<()> {
        let known = self.links.node_id(&chunk).map(NodeId::as_usize);
        // A new one gets the next number.
        let node = known.unwrap_or_else(|_| self.links.len());
        if let Some(place) = self.rows.get(node) {
            place.store(row, Ordering::Relaxed);
        }
        let rows = Rows {
            shortlist,
            graph: self,
        };
        let vector = shortlist.vector(row).ok_or(Error::MissingVector)?;
        self.links.set(&rows, chunk, &vector).map(|_| ())
    }

    /// Leaves a chunk out from now on.
    pub fn remove(&self, chunk: i64) {
        // What it does not hold need not be taken out.
        let _held = self.links.delete(&chunk);
    }

    /// About the `k` rows nearest to a vector of length 1 among those that pass.
    pub fn nearest(
        &self,
        shortlist: &Shortlist,
        query: &[f32],
        k: usize,
        passes: Option<&dyn Fn(u32) -> bool>,
    ) -> Result<Vec<u32>> {
        let rows = Rows {
            shortlist,
            graph: self,
        };
        let row_of = |chunk: &i64| self.row(self.links.node_id(chunk).ok()?);
        let by_chunk = passes.map(|passes| move |chunk: &i64| row_of(chunk).is_some_and(passes));
        let hits = self.links.search(
            &rows,
            query,
            k,
            by_chunk
                .as_ref()
                .map(|filter| filter as &dyn Fn(&i64) -> bool),
        )?;
        Ok(hits.iter().filter_map(|hit| row_of(&hit.key)).collect())
    }
}

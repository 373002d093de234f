//! Reading vectors.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{from_bytes, to_bytes, vectors_table};
use crate::error::VaultError;
use crate::memory::MemoryId;
use crate::table::keyword::{self, Index};

/// Why a vector can neither be stored nor searched with.
pub(crate) fn flaw(model: &ModelRow, vector: &[f32]) -> Option<&'static str> {
    if vector.len() != model.dimension as usize {
        Some("the vector has the wrong length")
    } else if !vector.iter().all(|value| value.is_finite()) {
        Some("the vector holds a number that is none")
    } else if vector.iter().all(|&value| value == 0.0) {
        Some("the vector is zero")
    } else {
        None
    }
}

/// vec0 answers with at most this many neighbours.
pub const MAX_NEIGHBOURS: u32 = 4096;

/// A model whose vectors the vault holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    /// Its number within the vault; names its table.
    pub number: i64,
    /// The model, for example `all-MiniLM-L6-v2/int8`.
    pub model_id: String,
    /// Length of its vectors.
    pub dimension: u32,
    /// Whether searches use it. At most one model is active.
    pub active: bool,
}

/// A memory that waits for its vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The memory.
    pub id: MemoryId,
    /// Its version; give it back to [`EmbeddingsMut::put`](super::EmbeddingsMut::put).
    pub version: u32,
    /// Its text.
    pub content: String,
}

/// The part of a memory's text that one vector stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Names the vector; never used again.
    pub chunk_id: i64,
    /// The memory.
    pub memory_id: MemoryId,
    /// Its place among the memory's chunks, from 0.
    pub ordinal: u32,
    /// The bytes of the content.
    pub range: Range<usize>,
}

fn model(row: &Row<'_>) -> rusqlite::Result<ModelRow> {
    Ok(ModelRow {
        number: row.get(0)?,
        model_id: row.get(1)?,
        dimension: row.get(2)?,
        active: row.get(3)?,
    })
}

/// Of number, version and content.
pub(super) fn pending(row: &Row<'_>) -> rusqlite::Result<Pending> {
    Ok(Pending {
        id: MemoryId(row.get(0)?),
        version: row.get(1)?,
        content: row.get(2)?,
    })
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<Chunk> {
    Ok(Chunk {
        chunk_id: row.get(0)?,
        memory_id: MemoryId(row.get(1)?),
        ordinal: row.get(2)?,
        range: row.get::<_, u32>(3)? as usize..row.get::<_, u32>(4)? as usize,
    })
}

/// Reads vectors and what waits for them.
pub struct Embeddings<'a>(pub(super) &'a Connection);

impl<'a> Embeddings<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// All models, oldest first.
    pub fn models(&self) -> Result<Vec<ModelRow>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT number, model_id, dimension, active FROM embedding_models ORDER BY number",
        )?;
        let rows = statement.query_map([], model)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The model that searches use.
    pub fn active(&self) -> Result<Option<ModelRow>, VaultError> {
        Ok(self.models()?.into_iter().find(|model| model.active))
    }

    /// A model by name and dimension.
    pub fn find(&self, model_id: &str, dimension: u32) -> Result<Option<ModelRow>, VaultError> {
        Ok(self
            .models()?
            .into_iter()
            .find(|model| model.model_id == model_id && model.dimension == dimension))
    }

    /// Living memories that the model has not embedded yet, newest first.
    pub fn pending(&self, model: &ModelRow, limit: u32) -> Result<Vec<Pending>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT m.id, m.version, m.content FROM embedding_queue q \
             JOIN memories m ON m.id = q.memory_id \
             WHERE q.model = ? AND q.reason IS NULL AND m.deleted_at IS NULL \
             ORDER BY q.memory_id DESC LIMIT ?",
        )?;
        let rows = statement.query_map((model.number, limit), pending)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Living memories that could not be embedded, and why.
    pub fn unembeddable(
        &self,
        model: &ModelRow,
        limit: u32,
    ) -> Result<Vec<(MemoryId, String)>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT m.id, q.reason FROM embedding_queue q JOIN memories m ON m.id = q.memory_id \
             WHERE q.model = ? AND q.reason IS NOT NULL AND m.deleted_at IS NULL \
             ORDER BY q.memory_id DESC LIMIT ?",
        )?;
        let rows = statement.query_map((model.number, limit), |row| {
            Ok((MemoryId(row.get(0)?), row.get(1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many living memories have vectors, and how many should have (all that are not blank).
    /// Looks at what is out of the ordinary alone: blank, waiting, in the trash. Within a write, as
    /// of the last commit.
    pub fn counts(&self, model: &ModelRow) -> Result<(u32, u32), VaultError> {
        let blank: u32 = self
            .0
            .prepare_cached(
                "SELECT count(*) FROM memories INDEXED BY memories_blank \
                 WHERE blank AND deleted_at IS NULL",
            )?
            .query_row([], |row| row.get(0))?;
        let waiting: u32 = self
            .0
            .prepare_cached(
                "SELECT (SELECT count(*) FROM embedding_queue WHERE model = ?1) \
                 - (SELECT count(*) FROM memories m INDEXED BY memories_trash \
                    JOIN embedding_queue q ON q.memory_id = m.id \
                    WHERE m.deleted_at IS NOT NULL AND q.model = ?1)",
            )?
            .query_row([model.number], |row| row.get(0))?;
        let total = keyword::rows(self.0, Index::Words)?.saturating_sub(blank);
        Ok((total.saturating_sub(waiting), total))
    }

    /// The chunks of a memory in order; empty when it is not embedded.
    pub fn chunks_of(&self, model: &ModelRow, id: MemoryId) -> Result<Vec<Chunk>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT chunk_id, memory_id, ordinal, start, end FROM chunks \
             WHERE memory_id = ? AND model = ? ORDER BY ordinal",
        )?;
        let rows = statement.query_map((id.0, model.number), chunk)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One chunk.
    pub fn chunk(&self, chunk_id: i64) -> Result<Option<Chunk>, VaultError> {
        Ok(self
            .0
            .prepare_cached(
                "SELECT chunk_id, memory_id, ordinal, start, end FROM chunks WHERE chunk_id = ?",
            )?
            .query_row([chunk_id], chunk)
            .optional()?)
    }

    /// The vectors of a memory with their chunks, in order.
    pub fn vectors_of(
        &self,
        model: &ModelRow,
        id: MemoryId,
    ) -> Result<Vec<(Chunk, Vec<f32>)>, VaultError> {
        let sql = format!(
            "SELECT embedding FROM {} WHERE chunk_id = ?",
            vectors_table(model.number)
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut vectors = Vec::new();
        for chunk in self.chunks_of(model, id)? {
            let bytes: Vec<u8> = statement.query_row([chunk.chunk_id], |row| row.get(0))?;
            let mut vector = Vec::with_capacity(model.dimension as usize);
            from_bytes(&bytes, &mut vector);
            vectors.push((chunk, vector));
        }
        Ok(vectors)
    }

    /// Calls `f` with the chunk, the memory and the vector of every living memory's every chunk,
    /// in no order. Reads whole blocks: a hundred thousand vectors in well under a second.
    pub fn for_each(
        &self,
        model: &ModelRow,
        mut f: impl FnMut(i64, MemoryId, &[f32]),
    ) -> Result<(), VaultError> {
        let owners = self.owners(model)?;
        // The shadow tables of vec0: blocks of vectors, with the row ids and a bitmap of those in
        // use beside each. Asking vec0 itself costs several look-ups per vector.
        let table = vectors_table(model.number);
        let sql = format!(
            "SELECT c.validity, c.rowids, v.vectors FROM {table}_chunks c \
             JOIN {table}_vector_chunks00 v ON v.rowid = c.chunk_id"
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut vectors = Vec::new();
        while let Some(row) = rows.next()? {
            let validity = row.get_ref(0)?.as_blob().map_err(|_| VaultError::Damaged)?;
            let ids = row.get_ref(1)?.as_blob().map_err(|_| VaultError::Damaged)?;
            let bytes = row.get_ref(2)?.as_blob().map_err(|_| VaultError::Damaged)?;
            from_bytes(bytes, &mut vectors);
            let ids = ids
                .as_chunks::<8>()
                .0
                .iter()
                .map(|&id| i64::from_le_bytes(id));
            let vectors = vectors.chunks_exact(model.dimension as usize);
            for (slot, (chunk_id, vector)) in ids.zip(vectors).enumerate() {
                let used = validity
                    .get(slot / 8)
                    .is_some_and(|byte| byte >> (slot % 8) & 1 == 1);
                if used && let Some(&owner) = owners.get(&chunk_id) {
                    f(chunk_id, owner, vector);
                }
            }
        }
        Ok(())
    }

    fn owners(&self, model: &ModelRow) -> Result<HashMap<i64, MemoryId>, VaultError> {
        let mut statement = self.0.prepare_cached(
            "SELECT chunk_id, memory_id FROM chunks WHERE model = ? AND memory_id NOT IN \
             (SELECT id FROM memories WHERE deleted_at IS NOT NULL)",
        )?;
        let rows = statement.query_map([model.number], |row| {
            Ok((row.get(0)?, MemoryId(row.get(1)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The living memories whose best chunk lies nearest to `query`: id and cosine similarity, best
    /// first, ties by id. An exact scan of the whole table. At most `k` memories; vec0 looks at no
    /// more than [`MAX_NEIGHBOURS`] chunks.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] for a vector that is not the model's, or `k` = 0.
    pub fn nearest(
        &self,
        model: &ModelRow,
        query: &[f32],
        k: u32,
    ) -> Result<Vec<(MemoryId, f64)>, VaultError> {
        if k == 0 || flaw(model, query).is_some() {
            return Err(VaultError::Invalid {
                what: "query vector",
            });
        }
        let sql = format!(
            "SELECT chunk_id, distance FROM {} WHERE embedding MATCH ? AND k = ?",
            vectors_table(model.number)
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut owner = self.0.prepare_cached(
            "SELECT c.memory_id FROM chunks c JOIN memories m ON m.id = c.memory_id \
             WHERE c.chunk_id = ? AND m.deleted_at IS NULL",
        )?;
        let query = to_bytes(query);
        // Other chunks of the same memory, and the trash, take places: ask for more until enough
        // memories have come.
        let mut asked = k.saturating_mul(2).min(MAX_NEIGHBOURS);
        loop {
            let rows = statement.query_map((&query, asked), |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
            })?;
            let mut returned = 0;
            let mut best: HashMap<MemoryId, f64> = HashMap::new();
            for row in rows {
                let (chunk_id, distance) = row?;
                returned += 1;
                let memory: Option<i64> =
                    owner.query_row([chunk_id], |row| row.get(0)).optional()?;
                if let Some(id) = memory {
                    let score = best.entry(MemoryId(id)).or_insert(f64::NEG_INFINITY);
                    *score = score.max(1.0 - distance);
                }
            }
            if best.len() >= k as usize || returned < asked || asked == MAX_NEIGHBOURS {
                let mut found: Vec<(MemoryId, f64)> = best.into_iter().collect();
                found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                found.truncate(k as usize);
                return Ok(found);
            }
            asked = asked.saturating_mul(4).min(MAX_NEIGHBOURS);
        }
    }
}

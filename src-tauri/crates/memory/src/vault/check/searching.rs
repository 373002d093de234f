//! Vectors in step with memories, and searches for what is known to be there: an index may be whole
//! by its own account and still not answer.

use rusqlite::Connection;
use rusqlite::ffi::SQLITE_ERROR;

use super::{Checkup, Finding};
use crate::error::VaultError;
use crate::fold::fold;
use crate::memory::MemoryId;
use crate::table::embeddings::{Embeddings, ModelRow};

/// How many memories are searched for.
const SAMPLE: u32 = 8;

/// What a vector that is searched for by itself must reach.
const ITSELF: f64 = 0.999;

impl Checkup<'_> {
    pub(super) fn vectors(&mut self) -> Result<(), VaultError> {
        let Some(models) = self.ask(|c| Embeddings::new(c).models())? else {
            return Ok(());
        };
        let active = models.iter().filter(|model| model.active).count();
        if active != usize::from(!models.is_empty()) {
            self.note(Finding::Model, "embedding_models");
        }
        let strangers = "SELECT EXISTS (SELECT 1 FROM chunks \
            WHERE model NOT IN (SELECT number FROM embedding_models))";
        let strange = self.ask(|c| Ok(c.query_row(strangers, [], |row| row.get::<_, bool>(0))?))?;
        if strange == Some(true) {
            self.note(Finding::Model, "chunks");
        }
        for model in &models {
            let table = format!("embeddings_{}", model.number);
            let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)";
            let there = self.ask(|c| Ok(c.query_row(sql, [&table], |row| row.get(0))?))?;
            if there == Some(false) {
                self.note(Finding::Model, &table);
                continue;
            }
            for sql in out_of_step(model) {
                let wrong =
                    self.ask(|c| Ok(c.query_row(&sql, [], |row| row.get::<_, bool>(0))?))?;
                if wrong == Some(true) {
                    self.note(Finding::Vectors, &table);
                }
            }
        }
        Ok(())
    }

    /// Looks for memories by a word of theirs and by their vector.
    pub(super) fn searches(&mut self) -> Result<(), VaultError> {
        let model = self.ask(|c| Embeddings::new(c).active())?.flatten();
        for id in self.sample()? {
            let text = self.ask(|c| {
                let sql = "SELECT content FROM memories WHERE id = ?";
                Ok(c.query_row(sql, [id], |row| row.get::<_, String>(0))?)
            })?;
            if let Some(word) = text.as_deref().and_then(plain_word) {
                for index in ["words", "trigrams"] {
                    let sql = format!(
                        "SELECT EXISTS (SELECT 1 FROM {index} WHERE {index} MATCH ? AND rowid = ?)"
                    );
                    let found = self.ask(|c| {
                        let asked = (format!("\"{word}\""), id);
                        Ok(c.query_row(&sql, asked, |row| row.get::<_, bool>(0))?)
                    })?;
                    if found == Some(false) {
                        self.note(Finding::KeywordIndex, index);
                    }
                }
            }
            if let Some(model) = &model
                && self.finds_itself(model, MemoryId(id))? == Some(false)
            {
                self.note(Finding::Vectors, &format!("embeddings_{}", model.number));
            }
        }
        Ok(())
    }

    /// Living memories from the oldest to the newest.
    fn sample(&self) -> Result<Vec<i64>, VaultError> {
        let sample = self.ask(|c| {
            let last: Option<i64> =
                c.query_row("SELECT max(id) FROM memories", [], |row| row.get(0))?;
            let mut statement = c.prepare(
                "SELECT id FROM memories WHERE id >= ? AND deleted_at IS NULL ORDER BY id LIMIT 1",
            )?;
            let mut ids = Vec::new();
            for part in 0..i64::from(SAMPLE) {
                let from = last.unwrap_or(0) / i64::from(SAMPLE) * part;
                let mut rows = statement.query([from])?;
                if let Some(row) = rows.next()? {
                    ids.push(row.get(0)?);
                }
            }
            ids.dedup();
            Ok(ids)
        })?;
        Ok(sample.unwrap_or_default())
    }

    /// Whether a memory's vector is the nearest to itself; `None` when it has none.
    fn finds_itself(&self, model: &ModelRow, id: MemoryId) -> Result<Option<bool>, VaultError> {
        let found = self.ask(|c| {
            nearest_to_itself(c, model, id).map_err(|error| match error {
                // What sqlite-vec says of a page of its own tables that does not open; which page it
                // is, the check of pages has told.
                VaultError::Sqlite { code: SQLITE_ERROR } => VaultError::Damaged,
                error => error,
            })
        })?;
        Ok(found.flatten())
    }
}

fn nearest_to_itself(
    connection: &Connection,
    model: &ModelRow,
    id: MemoryId,
) -> Result<Option<bool>, VaultError> {
    let embeddings = Embeddings::new(connection);
    let vectors = match embeddings.vectors_of(model, id) {
        // A chunk without its vector is noted by the comparison of both.
        Err(VaultError::NotFound) => return Ok(None),
        vectors => vectors?,
    };
    let Some((_, vector)) = vectors.first() else {
        return Ok(None);
    };
    let nearest = embeddings.nearest(model, vector, 1)?;
    Ok(Some(
        nearest.first().is_some_and(|(_, score)| *score > ITSELF),
    ))
}

/// Each says whether something is wrong with a model's vectors.
fn out_of_step(model: &ModelRow) -> [String; 4] {
    let number = model.number;
    let vectors = format!("embeddings_{number}_rowids");
    [
        format!(
            "SELECT EXISTS (SELECT 1 FROM chunks c WHERE model = {number} AND (\
                NOT EXISTS (SELECT 1 FROM {vectors} v WHERE v.rowid = c.chunk_id) \
                OR NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = c.memory_id)))"
        ),
        format!(
            "SELECT EXISTS (SELECT 1 FROM {vectors} v WHERE NOT EXISTS \
                (SELECT 1 FROM chunks c WHERE c.chunk_id = v.rowid AND c.model = {number}))"
        ),
        format!(
            "SELECT EXISTS (SELECT 1 FROM memories m WHERE NOT blank AND deleted_at IS NULL \
                AND NOT EXISTS (SELECT 1 FROM embedding_queue q \
                    WHERE q.model = {number} AND q.memory_id = m.id) \
                AND NOT EXISTS (SELECT 1 FROM chunks c \
                    WHERE c.memory_id = m.id AND c.model = {number}))"
        ),
        format!(
            "SELECT EXISTS (SELECT 1 FROM token_vectors t WHERE model = {number} \
                AND NOT EXISTS (SELECT 1 FROM chunks c \
                    WHERE c.memory_id = t.memory_id AND c.model = {number}))"
        ),
    ]
}

/// A word that both keyword indexes take as it stands.
fn plain_word(text: &str) -> Option<String> {
    fold(text)
        .split_whitespace()
        .find(|word| (3..40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase()))
        .map(str::to_owned)
}

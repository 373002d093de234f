//! What is not a memory: vectors, documents, research, judgements, settings.

use std::collections::HashMap;

use rusqlite::types::Value;

use super::{Import, number};
use crate::error::VaultError;
use crate::table::embeddings::Embeddings;

impl Import<'_, '_> {
    /// Vectors of new memories, of models that this vault uses, or that are its first.
    pub(super) fn vectors(&mut self) -> Result<(), VaultError> {
        let embeddings = self.writer.embeddings();
        let first = embeddings.models()?.is_empty();
        for model in Embeddings::new(self.from).models()? {
            let here = match embeddings.find(&model.model_id, model.dimension)? {
                Some(here) => here,
                None if first => embeddings.register(&model.model_id, model.dimension)?,
                None => continue,
            };
            if first && model.active {
                embeddings.activate(&here)?;
            }
            let sql = format!(
                "SELECT c.memory_id, c.ordinal, c.start, c.end, v.embedding FROM chunks c \
                 JOIN embeddings_{0} v ON v.chunk_id = c.chunk_id WHERE c.model = {0} \
                 ORDER BY c.chunk_id",
                model.number
            );
            let number_here = here.number;
            self.each(&sql, |s, mut row| {
                let Some(&memory) = s.here.get(&number(&row[0])?) else {
                    return Ok(());
                };
                if !s.added.contains(&memory) {
                    return Ok(());
                }
                row[0] = Value::Integer(memory);
                let vector = row.pop().unwrap_or(Value::Null);
                row.push(Value::Integer(number_here));
                s.put("chunks", "memory_id, ordinal, start, end, model", row)?;
                let chunk = Value::Integer(s.to.last_insert_rowid());
                let table = format!("embeddings_{number_here}");
                let sql = format!("INSERT INTO {table}(chunk_id, embedding) VALUES(?, ?)");
                s.to.prepare_cached(&sql)?.execute((chunk, vector))?;
                s.to.prepare_cached(
                    "DELETE FROM embedding_queue WHERE model = ? AND memory_id = ?",
                )?
                .execute((number_here, memory))?;
                Ok(())
            })?;
            self.tokens(model.number, number_here)?;
        }
        self.words()
    }

    /// The words by which new memories should be found; those of another expander are made anew.
    fn words(&mut self) -> Result<(), VaultError> {
        self.each("SELECT name FROM expanders", |s, row| {
            s.put("expanders", "name", row).map(drop)
        })?;
        let sql = "SELECT w.memory_id, e.name, w.packed FROM word_weights w \
                   JOIN expanders e ON e.number = w.expander";
        self.each(sql, |s, row| {
            if let Some(memory) = s.here.get(&number(&row[0])?)
                && s.added.contains(memory)
            {
                s.to.prepare_cached(
                    "INSERT OR IGNORE INTO word_weights(memory_id, expander, packed) \
                     SELECT ?, number, ? FROM expanders WHERE name = ?",
                )?
                .execute((memory, &row[2], &row[1]))?;
            }
            Ok(())
        })
    }

    /// What was kept of the tokens of new memories by a model, which has another number here.
    fn tokens(&mut self, there: i64, here: i64) -> Result<(), VaultError> {
        let sql = format!("SELECT memory_id, packed FROM token_vectors WHERE model = {there}");
        self.each(&sql, |s, row| {
            let Some(memory) = s.here.get(&number(&row[0])?) else {
                return Ok(());
            };
            if s.added.contains(memory) {
                s.to.prepare_cached(
                    "INSERT OR IGNORE INTO token_vectors(memory_id, model, version, packed) \
                     SELECT id, ?, version, ? FROM memories WHERE id = ?",
                )?
                .execute((here, &row[1], memory))?;
            }
            Ok(())
        })
    }

    /// Documents of names that this vault has not; their vectors follow by themselves.
    pub(super) fn documents(&mut self) -> Result<(), VaultError> {
        const DOCUMENT: &str = "id, title, content, ingested_at";
        const CHUNK: &str = "document, ordinal, start, end, title, content";
        let mut here: HashMap<i64, i64> = HashMap::new();
        let sql = format!("SELECT number, {DOCUMENT} FROM documents ORDER BY number");
        self.each(&sql, |s, mut row| {
            let there = number(&row.remove(0))?;
            if s.put("documents", DOCUMENT, row)? {
                here.insert(there, s.to.last_insert_rowid());
                s.report.documents += 1;
            }
            Ok(())
        })?;
        self.each(
            &format!("SELECT {CHUNK} FROM document_chunks ORDER BY chunk_id"),
            |s, mut row| {
                if let Some(&document) = here.get(&number(&row[0])?) {
                    row[0] = Value::Integer(document);
                    s.put("document_chunks", CHUNK, row)?;
                }
                Ok(())
            },
        )
    }

    pub(super) fn research(&mut self) -> Result<(), VaultError> {
        const ENTRY: &str = "key, query, findings, sources, tokens, saved_at";
        self.each(
            &format!("SELECT {ENTRY} FROM research ORDER BY number"),
            |s, row| {
                s.report.research += u32::from(s.put("research", ENTRY, row)?);
                Ok(())
            },
        )
    }

    /// Golden queries with the grades of memories that are here.
    pub(super) fn judgements(&mut self) -> Result<(), VaultError> {
        const QUERY: &str = "text, mode, filter, created_at";
        const GRADE: &str = "query_id, memory_id, grade, judged_at";
        let mut here: HashMap<i64, i64> = HashMap::new();
        self.each(
            &format!("SELECT id, {QUERY} FROM golden_queries ORDER BY id"),
            |s, mut row| {
                let there = number(&row.remove(0))?;
                let named = [row[0].clone(), row[1].clone(), row[2].clone()];
                s.report.golden_queries += u32::from(s.put("golden_queries", QUERY, row)?);
                let sql =
                    "SELECT id FROM golden_queries WHERE text = ? AND mode = ? AND filter = ?";
                if let Some(id) = s.here(sql, &[&named[0], &named[1], &named[2]])? {
                    here.insert(there, id);
                }
                Ok(())
            },
        )?;
        self.each(&format!("SELECT {GRADE} FROM judgements"), |s, mut row| {
            let query = here.get(&number(&row[0])?);
            let memory = s.here.get(&number(&row[1])?);
            if let (Some(&query), Some(&memory)) = (query, memory) {
                row[0] = Value::Integer(query);
                row[1] = Value::Integer(memory);
                s.put("judgements", GRADE, row)?;
            }
            Ok(())
        })
    }

    /// Settings that nobody chose here.
    pub(super) fn settings(&mut self) -> Result<(), VaultError> {
        self.each("SELECT key, value FROM settings", |s, row| {
            s.put("settings", "key, value", row)?;
            Ok(())
        })
    }
}

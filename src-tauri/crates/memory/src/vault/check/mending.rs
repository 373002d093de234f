//! What is derived from rows, built anew from them.

use rusqlite::Connection;

use crate::Vault;
use crate::error::VaultError;
use crate::table::embeddings::Embeddings;
use crate::table::memory_text;

impl Vault {
    /// Builds what is derived anew from the rows: searchable copies, keyword indexes, SQLite's
    /// indexes; lets memories wait for vectors that are not in step, forgets references to what is
    /// not there, and takes files back from others. Nothing of it can lose a memory.
    ///
    /// # Errors
    /// As [`Vault::write`]; [`VaultError::Damaged`] when a page stands in the way.
    pub fn rebuild_indexes(&self) -> Result<(), VaultError> {
        self.write(|w| {
            // Asked for what can change what a query finds: caches are told.
            w.memories();
            memory_text::rebuild(w.connection())?;
            w.rebuild_keyword_indexes()?;
            mend_vectors(w.connection())?;
            forget_references(w.connection())?;
            Ok(w.connection().execute_batch("REINDEX")?)
        })?;
        #[cfg(unix)]
        self.take_back_files()?;
        Ok(())
    }

    #[cfg(unix)]
    fn take_back_files(&self) -> Result<(), VaultError> {
        use std::os::unix::fs::PermissionsExt as _;

        use crate::vault::folder::{DATABASE, INDEX, KEYS, LOG};
        for name in [DATABASE, KEYS, LOG, INDEX] {
            let path = self.0.dir.join(name);
            if path.exists() {
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))
                    .map_err(|error| VaultError::writing(&path, &error))?;
            }
        }
        Ok(())
    }
}

/// Forgets rows about what is not there.
pub(in crate::vault) fn forget_references(connection: &Connection) -> Result<(), VaultError> {
    Ok(connection.execute_batch(
        "DELETE FROM ingest_errors WHERE file_id NOT IN (SELECT id FROM files); \
         DELETE FROM pair_scores WHERE memory_id NOT IN (SELECT id FROM memories); \
         DELETE FROM judgements WHERE memory_id NOT IN (SELECT id FROM memories) \
             OR query_id NOT IN (SELECT id FROM golden_queries);",
    )?)
}

/// Takes away what is not in step, and lets every memory without vectors wait for them.
fn mend_vectors(connection: &Connection) -> Result<(), VaultError> {
    let embeddings = Embeddings::new(connection);
    for model in embeddings.models()? {
        let table = format!("embeddings_{}", model.number);
        let there: bool = connection.query_row(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)",
            [&table],
            |row| row.get(0),
        )?;
        if !there {
            // Known anew, with a table, as soon as the model is there.
            for sql in [
                "DELETE FROM embedding_queue WHERE model = ?",
                "DELETE FROM chunks WHERE model = ?",
                "DELETE FROM embedding_models WHERE number = ?",
            ] {
                connection.execute(sql, [model.number])?;
            }
            continue;
        }
        let number = model.number;
        // A memory that misses one of its vectors loses the others too, and gets all of them anew.
        connection.execute_batch(&format!(
            "DELETE FROM chunks WHERE model = {number} AND (\
                 memory_id NOT IN (SELECT id FROM memories) OR memory_id IN (\
                     SELECT memory_id FROM chunks WHERE model = {number} \
                     AND chunk_id NOT IN (SELECT rowid FROM {table}_rowids))); \
             DELETE FROM {table} WHERE chunk_id IN (SELECT rowid FROM {table}_rowids \
                 WHERE rowid NOT IN (SELECT chunk_id FROM chunks WHERE model = {number})); \
             INSERT OR IGNORE INTO embedding_queue SELECT {number}, id, NULL FROM memories m \
                 WHERE NOT blank AND NOT EXISTS (SELECT 1 FROM chunks c \
                     WHERE c.memory_id = m.id AND c.model = {number});"
        ))?;
    }
    connection.execute_batch(
        "DELETE FROM chunks WHERE model NOT IN (SELECT number FROM embedding_models); \
         DELETE FROM token_vectors WHERE NOT EXISTS (SELECT 1 FROM chunks c \
             WHERE c.memory_id = token_vectors.memory_id AND c.model = token_vectors.model); \
         DELETE FROM word_weights WHERE memory_id NOT IN (SELECT id FROM memories); \
         UPDATE embedding_models SET active = 1 WHERE number = \
             (SELECT max(number) FROM embedding_models) \
             AND (SELECT count(*) FROM embedding_models WHERE active) <> 1; \
         UPDATE embedding_models SET active = 0 WHERE active AND number <> \
             (SELECT max(number) FROM embedding_models WHERE active);",
    )?;
    Ok(())
}

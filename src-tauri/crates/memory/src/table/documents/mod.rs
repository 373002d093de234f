//! Documents: notes, articles and code that a person gave, each under an id. Apart from memories in
//! every table and every index, so that no search of one can return the other.
//!
//! A document is cut into chunks. The chunks' rows hold the folded copy of their text; the keyword
//! indexes take their content from there and are kept in step by triggers alone.

mod read;
mod vectors;
mod write;

pub use read::{Document, DocumentChunk, DocumentRow, Documents};
pub(crate) use vectors::forget_model;
pub use write::{DocumentPut, DocumentsMut, NewDocument};

use rusqlite::Connection;

use crate::error::VaultError;

// The option secure-delete overwrites the words of a deleted chunk in the index at once, instead of
// leaving them until a merge: documents are few, and deleting one is final.
pub(crate) const MIGRATION: &str = "
CREATE TABLE documents(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    ingested_at INTEGER NOT NULL
);
CREATE TABLE document_chunks(
    chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE(document, ordinal)
);
CREATE TABLE document_vectors(
    model INTEGER NOT NULL,
    chunk_id INTEGER NOT NULL,
    reason TEXT,
    PRIMARY KEY(model, chunk_id)
) WITHOUT ROWID;
CREATE INDEX document_vectors_by_chunk ON document_vectors(chunk_id);

CREATE VIRTUAL TABLE document_words USING fts5(title, content,
    content = 'document_chunks', content_rowid = 'chunk_id',
    tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE document_trigrams USING fts5(title, content,
    content = 'document_chunks', content_rowid = 'chunk_id', tokenize = 'trigram');
INSERT INTO document_words(document_words, rank) VALUES('pgsz', 3960);
INSERT INTO document_trigrams(document_trigrams, rank) VALUES('pgsz', 3960);
INSERT INTO document_words(document_words, rank) VALUES('secure-delete', 1);
INSERT INTO document_trigrams(document_trigrams, rank) VALUES('secure-delete', 1);

CREATE TRIGGER document_chunks_inserted AFTER INSERT ON document_chunks BEGIN
    INSERT INTO document_words(rowid, title, content)
        VALUES(new.chunk_id, new.title, new.content);
    INSERT INTO document_trigrams(rowid, title, content)
        VALUES(new.chunk_id, new.title, new.content);
END;
CREATE TRIGGER document_chunks_deleted AFTER DELETE ON document_chunks BEGIN
    INSERT INTO document_words(document_words, rowid, title, content)
        VALUES('delete', old.chunk_id, old.title, old.content);
    INSERT INTO document_trigrams(document_trigrams, rowid, title, content)
        VALUES('delete', old.chunk_id, old.title, old.content);
END;
CREATE TRIGGER document_chunks_updated AFTER UPDATE ON document_chunks BEGIN
    INSERT INTO document_words(document_words, rowid, title, content)
        VALUES('delete', old.chunk_id, old.title, old.content);
    INSERT INTO document_trigrams(document_trigrams, rowid, title, content)
        VALUES('delete', old.chunk_id, old.title, old.content);
    INSERT INTO document_words(rowid, title, content)
        VALUES(new.chunk_id, new.title, new.content);
    INSERT INTO document_trigrams(rowid, title, content)
        VALUES(new.chunk_id, new.title, new.content);
END;
";

/// What an occurrence counts per column: title, content.
const COLUMN_WEIGHTS: [f64; 2] = [0.6, 1.0];

pub(crate) const INDEXES: [&str; 2] = ["document_words", "document_trigrams"];

/// Compares both indexes with the chunks, word by word.
pub(crate) fn check_indexes(connection: &Connection) -> Result<(), VaultError> {
    for table in INDEXES {
        let sql = format!("INSERT INTO {table}({table}, rank) VALUES('integrity-check', 1)");
        connection.execute(&sql, [])?;
    }
    Ok(())
}

/// Builds both indexes anew.
pub(crate) fn rebuild_indexes(connection: &Connection) -> Result<(), VaultError> {
    for table in INDEXES {
        let sql = format!("INSERT INTO {table}({table}) VALUES('rebuild')");
        connection.execute(&sql, [])?;
    }
    Ok(())
}

/// The vec0 table of a model's vectors of chunks.
fn vectors_table(model: i64) -> String {
    format!("document_embeddings_{model}")
}

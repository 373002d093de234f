//! The doors to the tables: one for reading, one for writing.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Deref;

use rusqlite::Connection;

use crate::error::VaultError;
use crate::migration;
use crate::table::documents::{self, Documents, DocumentsMut};
use crate::table::embeddings::{Embeddings, EmbeddingsMut};
use crate::table::files::{Files, FilesMut};
use crate::table::judgements::{Judgements, JudgementsMut};
use crate::table::keyword::{Index, KeywordIndex, Tokenizers};
use crate::table::memories::{Memories, MemoriesMut};
use crate::table::memory_text::{self, Texts};
use crate::table::pair_scores::{PairScores, PairScoresMut};
use crate::table::research::{Research, ResearchMut};
use crate::table::settings::{Settings, SettingsMut};
use crate::table::sources::{Sources, SourcesMut};
use crate::table::state;
use crate::table::traces::{Traces, TracesMut};
use crate::table::undo::{Undo, UndoMut};

/// Reads one consistent state of the vault.
pub struct Reader<'a> {
    connection: &'a Connection,
    tokenizers: &'a Tokenizers,
}

impl<'a> Reader<'a> {
    pub(super) fn new(connection: &'a Connection, tokenizers: &'a Tokenizers) -> Self {
        Self {
            connection,
            tokenizers,
        }
    }

    /// The memories.
    pub fn memories(&self) -> Memories<'a> {
        Memories::new(self.connection)
    }

    /// The folded copies of the living memories' texts.
    pub fn text(&self) -> Texts<'a> {
        Texts::new(self.connection)
    }

    /// The word index.
    pub fn words(&self) -> KeywordIndex<'a> {
        KeywordIndex::new(self.connection, self.tokenizers, Index::Words)
    }

    /// The trigram index.
    pub fn trigrams(&self) -> KeywordIndex<'a> {
        KeywordIndex::new(self.connection, self.tokenizers, Index::Trigrams)
    }

    /// The vectors.
    pub fn embeddings(&self) -> Embeddings<'a> {
        Embeddings::new(self.connection)
    }

    /// The watched folders and files.
    pub fn sources(&self) -> Sources<'a> {
        Sources::new(self.connection)
    }

    /// The log files and how far each was read.
    pub fn files(&self) -> Files<'a> {
        Files::new(self.connection)
    }

    /// The settings.
    pub fn settings(&self) -> Settings<'a> {
        Settings::new(self.connection)
    }

    /// The stored traces.
    pub fn traces(&self) -> Traces<'a> {
        Traces::new(self.connection)
    }

    /// The golden queries and their judgements.
    pub fn judgements(&self) -> Judgements<'a> {
        Judgements::new(self.connection)
    }

    /// What rerankers said.
    pub fn pair_scores(&self) -> PairScores<'a> {
        PairScores::new(self.connection)
    }

    /// The research cache.
    pub fn research(&self) -> Research<'a> {
        Research::new(self.connection)
    }

    /// The documents.
    pub fn documents(&self) -> Documents<'a> {
        Documents::new(self.connection)
    }

    /// What can be undone.
    pub fn undo(&self) -> Undo<'a> {
        Undo::new(self.connection)
    }

    /// Counts the committed writes, those of other programs too.
    pub fn epoch(&self) -> Result<u64, VaultError> {
        state::epoch(self.connection)
    }

    /// Counts the committed writes of memories and vectors, those of other programs too: what a
    /// query finds stays the same while it stands still.
    pub fn content_epoch(&self) -> Result<u64, VaultError> {
        state::content_epoch(self.connection)
    }

    /// Version of the schema.
    pub fn schema(&self) -> Result<u32, VaultError> {
        migration::version(self.connection)
    }

    /// Versions of the libraries that the file depends on, by name.
    pub fn library_versions(&self) -> Result<BTreeMap<String, String>, VaultError> {
        let text = |sql: &str| -> Result<String, VaultError> {
            Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
        };
        Ok(BTreeMap::from([
            ("sqlite".to_owned(), text("SELECT sqlite_version()")?),
            ("sqlcipher".to_owned(), text("PRAGMA cipher_version")?),
            ("sqlite-vec".to_owned(), text("SELECT vec_version()")?),
        ]))
    }

    /// The connection itself, for statements of one's own. Statements that could put plaintext on
    /// the disk are refused. Texts stored by the same write may not be in `memory_text` and the
    /// keyword indexes before it commits.
    pub fn connection(&self) -> &'a Connection {
        self.connection
    }
}

/// Reads and writes within one transaction.
pub struct Writer<'a> {
    reader: Reader<'a>,
    scrub: Cell<bool>,
    content: Cell<bool>,
}

impl<'a> Deref for Writer<'a> {
    type Target = Reader<'a>;

    fn deref(&self) -> &Reader<'a> {
        &self.reader
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Self {
        Self {
            reader,
            scrub: Cell::new(false),
            content: Cell::new(false),
        }
    }

    /// Whether a handle was asked for that can change what a query finds.
    pub(super) fn content_touched(&self) -> bool {
        self.content.get()
    }

    pub(super) fn scrub_wanted(&self) -> bool {
        self.scrub.get()
    }

    /// The memories.
    pub fn memories(&self) -> MemoriesMut<'_> {
        self.content.set(true);
        MemoriesMut::new(self.connection, &self.scrub)
    }

    /// The vectors.
    pub fn embeddings(&self) -> EmbeddingsMut<'a> {
        self.content.set(true);
        EmbeddingsMut::new(self.connection)
    }

    /// The watched folders and files.
    pub fn sources(&self) -> SourcesMut<'a> {
        SourcesMut::new(self.connection)
    }

    /// The log files and how far each was read.
    pub fn files(&self) -> FilesMut<'a> {
        FilesMut::new(self.connection)
    }

    /// The settings.
    pub fn settings(&self) -> SettingsMut<'a> {
        SettingsMut::new(self.connection)
    }

    /// The stored traces.
    pub fn traces(&self) -> TracesMut<'a> {
        TracesMut::new(self.connection)
    }

    /// The golden queries and their judgements.
    pub fn judgements(&self) -> JudgementsMut<'a> {
        JudgementsMut::new(self.connection)
    }

    /// What rerankers said.
    pub fn pair_scores(&self) -> PairScoresMut<'a> {
        PairScoresMut::new(self.connection)
    }

    /// The research cache.
    pub fn research(&self) -> ResearchMut<'a> {
        ResearchMut::new(self.connection)
    }

    /// The documents.
    pub fn documents(&self) -> DocumentsMut<'_> {
        DocumentsMut::new(self.connection, &self.scrub)
    }

    /// Takes back what a person did.
    pub fn undo(&self) -> UndoMut<'a> {
        self.content.set(true);
        UndoMut::new(self.connection)
    }

    /// Compares the keyword indexes of memories and documents with the texts they were built from,
    /// word by word.
    ///
    /// # Errors
    /// [`VaultError::Damaged`] when one is out of step.
    pub fn check_keyword_indexes(&self) -> Result<(), VaultError> {
        memory_text::flush(self.connection)?;
        for index in [Index::Words, Index::Trigrams] {
            let table = index.table();
            // Only rank 1 compares with the content; the plain form checks the index against
            // itself and misses words that should be gone.
            let sql = format!("INSERT INTO {table}({table}, rank) VALUES('integrity-check', 1)");
            self.connection.execute(&sql, [])?;
        }
        documents::check_indexes(self.connection)
    }

    /// Builds the keyword indexes of memories and documents anew from the texts.
    pub fn rebuild_keyword_indexes(&self) -> Result<(), VaultError> {
        memory_text::flush(self.connection)?;
        for index in [Index::Words, Index::Trigrams] {
            let table = index.table();
            let sql = format!("INSERT INTO {table}({table}) VALUES('rebuild')");
            self.connection.execute(&sql, [])?;
        }
        documents::rebuild_indexes(self.connection)
    }
}

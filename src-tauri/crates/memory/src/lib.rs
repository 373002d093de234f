//! What a memory is, and the vault that holds it.
//!
//! A [`Vault`] is one folder with an encrypted SQLite file and its key slots. Reading and writing go
//! through [`Vault::read`] and [`Vault::write`], whose closures get a [`Reader`] or a [`Writer`] with
//! one handle per table. The searchable copy of a text is made by [`fold`]; the stored text stays
//! byte-identical.
//!
//! Absent on purpose: a clock (every write is told the time), embedding (vectors are given), ranking
//! beyond what an index returns, and any way to keep plaintext outside the encrypted file.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod error;
mod filter;
mod fold;
mod memory;
mod migration;
mod passphrase;
mod table;
mod vault;

pub use error::{Fault, VaultError};
pub use fold::{fold, fold_with_map, original_range};
pub use memory::{
    CreatedAtQuality, Filter, Kind, Memory, MemoryId, Millis, NewMemory, NotAMemoryId, Provenance,
    Role, Scope, TAKEN_BACK, Trust,
};
pub use migration::SCHEMA_VERSION;
pub use passphrase::{Passphrase, passphrase_line};
pub use table::documents::{
    Document, DocumentChunk, DocumentPut, DocumentRow, Documents, DocumentsMut, NewDocument,
};
pub use table::embeddings::{
    Chunk, Embeddings, EmbeddingsMut, MAX_NEIGHBOURS, ModelRow, Pending, Put,
};
pub use table::files::{FileId, FileRow, Files, FilesMut, IngestError, NewFile};
pub use table::judgements::{
    GoldenQuery, GoldenQueryId, Judgements, JudgementsMut, MAX_GRADE, Question,
};
pub use table::keyword::{COLUMN_WEIGHTS, COLUMNS, IndexStatistics, KeywordIndex, MATCH_COUNT_CAP};
pub use table::memories::{
    Edit, Expiry, Facets, Grown, Inserted, ListQuery, MapPoint, Member, Memories, MemoriesMut,
    NearLink, Recognised, Seen, SessionRow, Sighting, Sort, Spot, Standing, Stretch, Turn, Turns,
    Version, fingerprint_of,
};
pub use table::memory_text::{TextMark, Texts};
pub use table::pair_scores::{PAIR_SCORES_KEPT, PairQuery, PairScore, PairScores, PairScoresMut};
pub use table::research::{
    Credibility, FINDINGS_CHARACTERS, NewResearch, RESEARCH_KEPT, Research, ResearchEntry,
    ResearchMut, ResearchSource, SOURCES_KEPT, normalised_query, research_key,
};
pub use table::settings::{Settings, SettingsMut};
pub use table::sources::{SourceId, SourceRow, SourceState, Sources, SourcesMut};
pub use table::traces::{StoredTrace, TRACES_KEPT, Traces, TracesMut};
pub use table::undo::{UNDO_KEPT, Undo, UndoMut};
pub use vault::{
    FileOnDisk, Finding, Found, Gap, Imported, KdfCost, KeySlot, KeychainEntry, Prefer, Reader,
    Rekeyed, Salvage, SlotKind, Snapshot, Storage, StorageKind, Vault, Writer, database_name,
    prepare_sqlite,
};

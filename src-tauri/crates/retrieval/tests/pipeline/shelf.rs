//! A small vault with a model that embeds by hashing words.

use std::sync::Arc;
use std::time::Duration;

use memory::{
    CreatedAtQuality, Inserted, KdfCost, Kind, MemoryId, Millis, NewMemory, Passphrase, Role,
    Scope, Trust, Vault,
};
use models::testing::HashedEmbedder;
use models::{Embedder, LateInteraction};
use retrieval::constants::Constants;
use retrieval::trace::{Mode, Trace};
use retrieval::{CancelFlag, Engine, Faults, Gathered, Query, Rerankers};
use tempfile::TempDir;

/// 2026-04-01T00:00:00Z.
pub const NOW: Millis = 1_775_001_600_000;
pub const DAY: Millis = 86_400_000;

pub struct Shelf {
    pub vault: Vault,
    pub engine: Engine,
    _dir: TempDir,
}

pub fn embedder() -> HashedEmbedder {
    HashedEmbedder::new(128)
}

/// The same as the engine takes it.
pub fn model() -> Arc<dyn Embedder> {
    Arc::new(embedder())
}

pub fn note(text: &str) -> NewMemory {
    NewMemory {
        scope: Scope {
            org: String::new(),
            agent: "claude-code".into(),
            session: Some("s1".into()),
        },
        role: Role::User,
        kind: Kind::Text,
        content: text.into(),
        tool_name: None,
        tool_payload: None,
        created_at: Some(NOW),
        created_at_quality: CreatedAtQuality::Record,
        expires_at: None,
        provenance: None,
        source_key: String::new(),
        tags: Vec::new(),
        pinned: false,
        trust: Trust::Normal,
    }
}

/// A vault with these memories, ids counting from 1, all embedded, mirror built.
pub fn shelf_of(memories: Vec<NewMemory>) -> Shelf {
    shelf_with(memories, &model(), Faults::default())
}

pub fn texts(texts: &[&str]) -> Shelf {
    shelf_of(texts.iter().map(|text| note(text)).collect())
}

pub fn rerankers(embedder: &Arc<dyn Embedder>) -> Rerankers {
    Rerankers {
        embedded: Some(Arc::new(LateInteraction::new(Arc::clone(embedder)))),
        ..Rerankers::default()
    }
}

pub fn shelf_with(memories: Vec<NewMemory>, embedder: &Arc<dyn Embedder>, faults: Faults) -> Shelf {
    let dir = TempDir::new().unwrap();
    let pass = Passphrase::new("correct horse".into()).unwrap();
    let vault = Vault::create(&dir.path().join("vault"), &pass, KdfCost::TEST).unwrap();
    vault
        .write(|writer| {
            for (at, mut memory) in memories.into_iter().enumerate() {
                memory.source_key = format!("k{at}");
                let inserted = writer.memories().insert(&memory, NOW)?;
                assert!(matches!(inserted, Inserted::Stored(_)), "{inserted:?}");
            }
            Ok(())
        })
        .unwrap();
    let engine = Engine::new(
        vault.clone(),
        Some(Arc::clone(embedder)),
        rerankers(embedder),
    )
    .with_faults(faults);
    embed_all(&vault, embedder.as_ref());
    engine.refresh_mirror().unwrap();
    Shelf {
        vault,
        engine,
        _dir: dir,
    }
}

/// Embeds whatever waits; texts that the model refuses are marked.
pub fn embed_all(vault: &Vault, embedder: &dyn Embedder) -> Vec<MemoryId> {
    let identity = embedder.identity();
    let row = vault
        .write(|w| w.embeddings().register(&identity.id, identity.dimension))
        .unwrap();
    let pending = vault
        .read(|r| r.embeddings().pending(&row, 1_000_000))
        .unwrap();
    vault
        .write(|writer| {
            for memory in &pending {
                let chunks = embedder.chunks(&memory.content);
                let pieces: Vec<&str> = chunks
                    .iter()
                    .map(|range| &memory.content[range.clone()])
                    .collect();
                match embedder.embed_passages(&pieces) {
                    Ok(vectors) => {
                        let chunks: Vec<_> = chunks.into_iter().zip(vectors).collect();
                        writer
                            .embeddings()
                            .put(&row, memory.id, memory.version, &chunks)?;
                        if let (Some(expander), Ok(words)) =
                            (embedder.expander(), embedder.words_of(&memory.content))
                        {
                            let packed = words.unwrap_or_default().to_bytes();
                            writer.embeddings().keep_words(
                                expander.id(),
                                memory.id,
                                memory.version,
                                &packed,
                            )?;
                        }
                    }
                    Err(_) => writer
                        .embeddings()
                        .refuse(&row, memory.id, "the model failed")?,
                }
            }
            Ok(())
        })
        .unwrap();
    pending.into_iter().map(|memory| memory.id).collect()
}

impl Shelf {
    pub fn gather(&self, text: &str, mode: Mode) -> Gathered {
        self.engine
            .gather(&Query::new(text, mode, NOW), &CancelFlag::new())
            .unwrap()
    }

    /// A query with the reranker's answer waited for.
    pub fn ask_in(&self, text: &str, mode: Mode) -> Trace {
        let gathered = self.gather(text, mode);
        let constants = Constants::default();
        self.engine
            .score_window(&gathered, &constants, NOW, Duration::from_secs(20));
        let trace = gathered.arrange(&constants, NOW);
        check_account(&trace);
        trace
    }

    pub fn ask(&self, text: &str) -> Trace {
        self.ask_in(text, Mode::Hybrid)
    }

    pub fn found(&self, text: &str) -> Vec<String> {
        self.ask(text).results
    }

    /// By keywords alone.
    pub fn matched(&self, text: &str) -> Vec<String> {
        self.ask_in(text, Mode::Lexical).results
    }
}

/// What must hold of every trace.
pub fn check_account(trace: &Trace) {
    use retrieval::stage::Stage;
    assert_eq!(
        trace
            .stages
            .iter()
            .map(|part| part.name)
            .collect::<Vec<_>>(),
        Stage::ALL
    );
    for part in &trace.stages {
        for item in &part.items {
            let again = retrieval::recompute(part.name, item, &trace.constants);
            assert!(
                (again - item.score).abs() < 1e-9,
                "{:?} {item:?}: {again}",
                part.name
            );
            assert!(item.score.is_finite());
        }
        assert!(
            part.items.windows(2).all(|p| p[0].score >= p[1].score),
            "{:?} is out of order",
            part.name
        );
        assert!(
            part.items
                .iter()
                .zip(1..)
                .all(|(item, rank)| item.rank == rank)
        );
        let mut ids: Vec<&String> = part.items.iter().map(|item| &item.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(
            ids.len(),
            part.items.len(),
            "{:?} holds a memory twice",
            part.name
        );
        assert_eq!(
            part.reason.is_none(),
            part.status == retrieval::trace::Status::Ok,
            "{part:?}"
        );
    }
    let json = serde_json::to_string(trace).unwrap();
    assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), *trace);
}

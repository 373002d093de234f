//! A retrieval set's documents in a throw-away vault.

use std::collections::BTreeMap;
use std::path::Path;

use memory::{
    CreatedAtQuality, Inserted, KdfCost, Kind, MemoryId, Millis, NewMemory, Passphrase, Role,
    Scope, Trust, Vault, VaultError,
};
use models::{Embedder, ModelError, name_of, of_document, read_words};
use sha2::{Digest, Sha256};

use crate::dataset::{Dataset, Document};

/// Documents stored in one transaction.
const BATCH: usize = 1000;

/// Where the vault keeps which memory is which document.
const DOCUMENTS: &str = "evaluation_documents";

/// The vault could not be filled.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The vault failed.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The folder of the vaults cannot be changed.
    #[error("the folder of evaluation vaults: {0}")]
    Folder(std::io::Error),
}

/// Part of a set's hash: another number when the folding or the chunking changes, so that vaults
/// built before are not taken for new ones.
const FORM: u64 = 2;

/// A filled vault, encrypted like any other. Its passphrase is the hash of the data: whoever has
/// the set can open it, and nobody else.
pub struct Corpus {
    /// The vault.
    pub vault: Vault,
    /// The documents of each memory: more than one where texts are equal.
    pub documents: BTreeMap<MemoryId, Vec<String>>,
}

impl Corpus {
    /// Opens the vault that was built from the same set before, or builds it. `folder` holds one
    /// vault per set.
    ///
    /// # Errors
    /// When the vault cannot be written or the model fails; a half-built vault is built anew.
    pub fn open_or_build(
        set: &Dataset,
        folder: &Path,
        now: Millis,
        parse_time: &dyn Fn(&str) -> Option<Millis>,
        embedder: Option<&dyn Embedder>,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Self, CorpusError> {
        let hash = hash(&set.documents);
        let finished = folder.join(format!("{}-{}", set.name, &hash[..12]));
        let half = folder.join(format!("{}-{}.half", set.name, &hash[..12]));
        let pass = Passphrase::new(hash)?;
        let mut corpus = if let Ok(Some(corpus)) = Self::reopen(&finished, &pass) {
            corpus
        } else {
            // Built beside it and renamed: what bears the name is whole.
            for stale in [&half, &finished] {
                let _ = std::fs::remove_dir_all(stale);
            }
            Self::build(set, &half, &pass, now, parse_time)?;
            std::fs::rename(&half, &finished).map_err(CorpusError::Folder)?;
            Self::reopen(&finished, &pass)?.ok_or(VaultError::Damaged)?
        };
        if let Some(embedder) = embedder {
            corpus.embed(embedder, progress)?;
        }
        Ok(corpus)
    }

    fn reopen(folder: &Path, pass: &Passphrase) -> Result<Option<Self>, CorpusError> {
        if !Vault::exists(folder) {
            return Ok(None);
        }
        let vault = Vault::unlock(folder, pass)?;
        let stored = vault.read(|r| r.settings().get(DOCUMENTS))?;
        let Some(documents) = stored.and_then(|text| serde_json::from_str(&text).ok()) else {
            return Ok(None);
        };
        Ok(Some(Self { vault, documents }))
    }

    fn build(
        set: &Dataset,
        folder: &Path,
        pass: &Passphrase,
        now: Millis,
        parse_time: &dyn Fn(&str) -> Option<Millis>,
    ) -> Result<(), CorpusError> {
        let vault = Vault::create(folder, pass, KdfCost::TEST)?;
        let mut documents: BTreeMap<MemoryId, Vec<String>> = BTreeMap::new();
        for batch in set.documents.chunks(BATCH) {
            let stored = vault.write(|w| {
                batch
                    .iter()
                    .map(|document| {
                        let memory = memory(document, parse_time);
                        Ok((document, w.memories().insert(&memory, now)?))
                    })
                    .collect::<Result<Vec<_>, VaultError>>()
            })?;
            for (document, inserted) in stored {
                if let Inserted::Stored(id) | Inserted::Known(id) | Inserted::Repeated(id) =
                    inserted
                {
                    documents.entry(id).or_default().push(document.id.clone());
                }
            }
        }
        let text = serde_json::to_string(&documents).unwrap_or_default();
        vault.write(|w| w.settings().set(DOCUMENTS, &text))?;
        vault.lock();
        Ok(())
    }

    fn embed(
        &mut self,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<(), CorpusError> {
        let identity = embedder.identity();
        let model = self
            .vault
            .write(|w| w.embeddings().register(&identity.id, identity.dimension))?;
        loop {
            let pending = self.vault.read(|r| r.embeddings().pending(&model, 64))?;
            if pending.is_empty() {
                // A vault that an earlier build of the model filled would go on searching with that.
                if !model.active {
                    self.vault.write(|w| {
                        w.embeddings()
                            .take_over(&model, |other| name_of(other) == identity.name())
                    })?;
                }
                return self.expand(embedder, progress);
            }
            let mut ready = Vec::with_capacity(pending.len());
            for item in pending {
                let spans = embedder.chunks(&item.content);
                let texts: Vec<&str> = spans
                    .iter()
                    .filter_map(|s| item.content.get(s.clone()))
                    .collect();
                let (vectors, tokens) = of_document(embedder.read_passages(&texts)?);
                let chunks: Vec<_> = spans.into_iter().zip(vectors).collect();
                ready.push((item.id, item.version, chunks, tokens));
            }
            self.vault.write(|w| {
                for (id, version, chunks, tokens) in &ready {
                    w.embeddings().put(&model, *id, *version, chunks)?;
                    w.embeddings()
                        .keep_tokens(&model, *id, *version, &tokens.to_bytes())?;
                }
                Ok(())
            })?;
            let (done, total) = self.vault.read(|r| r.embeddings().counts(&model))?;
            progress(done, total);
        }
    }

    /// The words by which the documents should be found, as far as they are not kept yet.
    fn expand(
        &mut self,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<(), CorpusError> {
        let Some(expander) = embedder.expander() else {
            return Ok(());
        };
        let total = self.vault.read(|r| r.memories().living(0))?;
        let mut below = MemoryId(i64::MAX);
        loop {
            let missing = self
                .vault
                .read(|r| r.embeddings().without_words(expander.id(), below, 64))?;
            let Some(last) = missing.last() else {
                return Ok(());
            };
            below = last.id;
            let mut ready = Vec::with_capacity(missing.len());
            for item in &missing {
                if let Some(words) = read_words(embedder, &item.content)? {
                    ready.push((item.id, item.version, words.to_bytes()));
                }
            }
            self.vault.write(|w| {
                for (id, version, packed) in &ready {
                    w.embeddings()
                        .keep_words(expander.id(), *id, *version, packed)?;
                }
                Ok(())
            })?;
            let kept = self
                .vault
                .read(|r| r.embeddings().count_words(expander.id()))?;
            progress(kept, total);
        }
    }
}

fn memory(document: &Document, parse_time: &dyn Fn(&str) -> Option<Millis>) -> NewMemory {
    let created_at = document.created_at.as_deref().and_then(parse_time);
    NewMemory {
        scope: Scope {
            org: document.scope.clone(),
            agent: "corpus".to_owned(),
            session: document.session.clone(),
        },
        role: document
            .role
            .as_deref()
            .and_then(Role::from_name)
            .unwrap_or(Role::User),
        kind: Kind::Text,
        content: document.text.clone(),
        tool_name: None,
        tool_payload: None,
        created_at,
        created_at_quality: if created_at.is_some() {
            CreatedAtQuality::Record
        } else {
            CreatedAtQuality::Unknown
        },
        expires_at: None,
        provenance: None,
        source_key: document.id.clone(),
        tags: Vec::new(),
        pinned: false,
        trust: Trust::Normal,
    }
}

fn hash(documents: &[Document]) -> String {
    let mut digest = Sha256::new();
    digest.update(FORM.to_le_bytes());
    for document in documents {
        let optional = |part: &Option<String>| part.clone().unwrap_or_default();
        for part in [
            document.id.clone(),
            document.scope.clone(),
            optional(&document.session),
            optional(&document.role),
            optional(&document.created_at),
            document.text.clone(),
        ] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
    }
    hex::encode(digest.finalize())
}

#[cfg(test)]
mod tests {
    use models::testing::HashedEmbedder;

    use super::*;

    #[test]
    fn another_build_of_the_model_takes_a_kept_vault_over() {
        let folder = tempfile::tempdir().unwrap();
        let set = Dataset {
            name: "lamps".to_owned(),
            documents: vec![Document {
                id: "d1".to_owned(),
                scope: String::new(),
                session: None,
                role: None,
                created_at: None,
                text: "the lamp over the door flickers".to_owned(),
            }],
            queries: Vec::new(),
            judgements: BTreeMap::new(),
        };
        let models_after = |id: &str| {
            let embedder = HashedEmbedder::new(16).named(id);
            let corpus = Corpus::open_or_build(
                &set,
                folder.path(),
                1_700_000_000_000,
                &|_| None,
                Some(&embedder),
                &mut |_, _| {},
            )
            .unwrap();
            let models = corpus.vault.read(|r| r.embeddings().models()).unwrap();
            corpus.vault.lock();
            models
        };
        models_after("hashed@1");
        let models = models_after("hashed@2");
        assert_eq!(models.len(), 1, "{models:?}");
        assert!(models[0].active && models[0].model_id == "hashed@2");
    }
}

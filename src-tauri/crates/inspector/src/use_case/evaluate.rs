//! Measuring constants on retrieval sets.

use std::path::PathBuf;
use std::sync::Arc;

use evaluation::{Corpus, CorpusError, Dataset, Evaluation, Outcome, Variant};
use models::{Embedder, LateInteraction, Reranker};
use retrieval::constants::Constants;
use retrieval::{Engine, Rerankers};

use crate::error::{EdgeError, ErrorCode};
use crate::inspector::Inspector;
use crate::request::EvaluateRequest;
use crate::{presets, time, tuning};

/// Bytes of token vectors that one measurement may keep.
const TOKEN_VECTORS: usize = 2 << 30;

impl Inspector {
    /// Measures constants on a folder with a corpus, queries and judgements. Needs no vault of its
    /// own: the documents go into a throw-away one. `progress` says what is done, and how far.
    /// The first outcome is that of the constants asked for; one per variant follows.
    pub fn evaluate(
        &self,
        request: &EvaluateRequest,
        progress: &mut dyn FnMut(&str, u32, u32),
    ) -> Result<Vec<Outcome>, EdgeError> {
        let variants = variants(request)?;
        let set = Dataset::read(&PathBuf::from(&request.folder)).map_err(|error| {
            EdgeError::new(
                ErrorCode::Unreadable,
                &[("path", &request.folder), ("reason", &error.to_string())],
            )
        })?;
        let now = self.inner.now();
        let embedder = self.inner.model.wait();
        let corpus = Corpus::open_or_build(
            &set,
            &self.inner.paths.evaluation,
            now,
            &time::from_rfc3339,
            embedder.as_deref(),
            &mut |done, total| progress("embedding", done, total),
        )
        .map_err(corpus_error)?;
        let engine = Engine::new(
            corpus.vault.clone(),
            embedder.clone(),
            Rerankers {
                embedded: embedder.as_ref().map(reader),
                ..Rerankers::default()
            },
        );
        engine.refresh_mirror()?;
        engine.refresh_postings()?;
        let sample = request.sample.map(|count| count as usize);
        let outcomes = Evaluation {
            engine: &engine,
            corpus: &corpus,
            set: &set,
            variants: &variants,
            now,
        }
        .run(&set.sample(sample), &mut |done, total| {
            progress("asking", done, total);
        })?;
        corpus.vault.lock();
        Ok(outcomes)
    }
}

/// The same few thousand documents are read again and again.
fn reader(embedder: &Arc<dyn Embedder>) -> Arc<dyn Reranker> {
    Arc::new(LateInteraction::with_cache(
        Arc::clone(embedder),
        TOKEN_VECTORS,
    ))
}

/// The constants asked for, and the variants.
fn variants(request: &EvaluateRequest) -> Result<Vec<Variant>, EdgeError> {
    let preset = request.preset.as_deref().unwrap_or(presets::RECOMMENDED);
    let mut all = vec![variant(preset, &request.set)?];
    for asked in &request.variants {
        let mut preset = preset;
        let mut changes = request.set.clone();
        for word in asked.split_whitespace() {
            match word.strip_prefix("preset=") {
                Some(name) => preset = name,
                None => changes.push(word.to_owned()),
            }
        }
        all.push(variant(preset, &changes)?);
    }
    Ok(all)
}

/// Old corpora would only be buried by decay, so it is off unless set.
fn variant(name: &str, changes: &[String]) -> Result<Variant, EdgeError> {
    let preset = presets::named(presets::builtin(), name)?;
    let mut constants = Constants {
        decay_floor: 1.0,
        ..preset.constants
    };
    for change in changes {
        tuning::set(&mut constants, change)?;
    }
    Ok(Variant {
        preset: preset.name,
        changes: changes.to_vec(),
        constants,
    })
}

fn corpus_error(error: CorpusError) -> EdgeError {
    match error {
        CorpusError::Vault(error) => error.into(),
        CorpusError::Model(_) => EdgeError::internal("embed the documents"),
        CorpusError::Folder(_) => EdgeError::internal("write the folder of evaluation vaults"),
    }
}

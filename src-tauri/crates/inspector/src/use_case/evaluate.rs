//! Measuring constants on retrieval sets.

use std::path::PathBuf;

use evaluation::{Corpus, CorpusError, Dataset, Evaluation, Outcome};
use retrieval::Engine;
use retrieval::constants::Constants;

use crate::error::{EdgeError, ErrorCode};
use crate::inspector::{Inner, Inspector, rerankers};
use crate::request::EvaluateRequest;
use crate::{presets, time, tuning};

impl Inspector {
    /// Measures constants on a folder with a corpus, queries and judgements. Needs no vault of its
    /// own: the documents go into a throw-away one. `progress` says what is done, and how far.
    pub fn evaluate(
        &self,
        request: &EvaluateRequest,
        progress: &mut dyn FnMut(&str, u32, u32),
    ) -> Result<Outcome, EdgeError> {
        let (preset, constants) = constants_of(request)?;
        let set = Dataset::read(&PathBuf::from(&request.folder)).map_err(|error| {
            EdgeError::new(
                ErrorCode::Unreadable,
                &[("path", &request.folder), ("reason", &error.to_string())],
            )
        })?;
        let now = Inner::now();
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
            rerankers(embedder.as_ref()),
        );
        engine.refresh_mirror()?;
        engine.refresh_postings()?;
        let sample = request.sample.map(|count| count as usize);
        let outcome = Evaluation {
            engine: &engine,
            corpus: &corpus,
            set: &set,
            preset: &preset,
            constants: &constants,
            now,
        }
        .run(&set.sample(sample), &mut |done, total| {
            progress("asking", done, total);
        })?;
        corpus.vault.lock();
        Ok(outcome)
    }
}

/// The constants asked for. Old corpora would only be buried by decay, so it is off unless set.
fn constants_of(request: &EvaluateRequest) -> Result<(String, Constants), EdgeError> {
    let name = request.preset.as_deref().unwrap_or(presets::STANDARD);
    let preset = presets::builtin()
        .into_iter()
        .find(|preset| preset.name.to_lowercase().starts_with(&name.to_lowercase()))
        .ok_or_else(|| EdgeError::not_found(&format!("preset {name}")))?;
    let mut constants = Constants {
        decay_floor: 1.0,
        ..preset.constants
    };
    for assignment in &request.set {
        tuning::set(&mut constants, assignment)?;
    }
    Ok((preset.name, constants))
}

fn corpus_error(error: CorpusError) -> EdgeError {
    match error {
        CorpusError::Vault(error) => error.into(),
        CorpusError::Model(_) => EdgeError::internal("embed the documents"),
    }
}

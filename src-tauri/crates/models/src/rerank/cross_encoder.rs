//! A local cross-encoder: a second ONNX model that reads query and document as one input.
//!
//! score(q, d) = 1 / (1 + e^−logit(q, d)), the logit being the model's only output per pair.
//!
//! The folder is the user's own: `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`,
//! `config.json`, `special_tokens_map.json`, `tokenizer_config.json`, as cross-encoders are commonly
//! published. Pairs are read one at a time: a score never depends on the other documents, and the
//! deadline is looked at between any two.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fastembed::{
    OnnxSource, RerankInitOptionsUserDefined, TextRerank, TokenizerFiles, UserDefinedRerankingModel,
};
use ort::session::builder::AutoDevicePolicy;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::{RerankError, Reranker, sigmoid};
use crate::{ModelError, ModelFiles, Script, runtime};

/// Tokens per pair; longer documents are cut at their end.
const MAX_TOKENS: usize = 512;

/// A cross-encoder from a folder.
pub struct CrossEncoder {
    name: String,
    scripts: Option<Vec<Script>>,
    model: Mutex<TextRerank>,
}

impl CrossEncoder {
    /// Loads the model. `runtime` is a located model folder, whose ONNX Runtime is used; `scripts`
    /// are those that the model is known to cover, `None` meaning all.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] names a missing file; [`ModelError::Load`] or
    /// [`ModelError::Runtime`] says why the model cannot run. A graph that does not give one logit
    /// per pair is refused here and not at the first query.
    pub fn load(
        folder: &Path,
        runtime: &ModelFiles,
        scripts: Option<Vec<Script>>,
        threads: usize,
    ) -> Result<CrossEncoder, ModelError> {
        let environment = runtime::environment(&runtime.library())?;
        let graph = graph(folder)?;
        let digest = hash(&graph)?;
        let files = TokenizerFiles {
            tokenizer_file: read(folder, "tokenizer.json")?,
            config_file: read(folder, "config.json")?,
            special_tokens_map_file: read(folder, "special_tokens_map.json")?,
            tokenizer_config_file: read(folder, "tokenizer_config.json")?,
        };
        let options = RerankInitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(MAX_TOKENS)
            .with_intra_threads(threads.max(1))
            .with_auto_device(AutoDevicePolicy::PreferCPU)
            .with_session_config("session.intra_op.allow_spinning", "0");
        let mut model = TextRerank::try_new_from_user_defined(
            UserDefinedRerankingModel::new(OnnxSource::File(graph), files),
            options,
        )
        .map_err(|error| ModelError::Load {
            reason: error.to_string(),
        })?;
        // The library indexes the output as a table with one column and panics on another shape.
        let usable = catch_unwind(AssertUnwindSafe(|| {
            model.rerank("probe", ["probe"], false, Some(1)).is_ok()
        }));
        if !matches!(usable, Ok(true)) {
            return Err(ModelError::Load {
                reason: "the graph does not give one logit per query and document".to_owned(),
            });
        }
        let label = folder
            .file_name()
            .map_or_else(|| "model".into(), std::ffi::OsStr::to_string_lossy);
        Ok(CrossEncoder {
            name: format!("cross-encoder/{label}-{}", &digest[..8]),
            scripts,
            model: Mutex::new(model),
        })
    }
}

impl Reranker for CrossEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn covers(&self, script: Script) -> bool {
        script == Script::Common
            || self
                .scripts
                .as_ref()
                .is_none_or(|known| known.contains(&script))
    }

    fn score(
        &self,
        query: &str,
        documents: &[&str],
        _word_idf: &dyn Fn(&str) -> f64,
        deadline: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError> {
        let start = Instant::now();
        let mut scores = vec![None; documents.len()];
        for (score, document) in scores.iter_mut().zip(documents) {
            if start.elapsed() >= deadline {
                break;
            }
            let answer = self
                .model
                .lock()
                .rerank(query, [*document], false, Some(1))
                .map_err(|_| ModelError::Inference)?;
            let logit = answer.first().ok_or(ModelError::Inference)?.score;
            if logit.is_nan() {
                return Err(RerankError::Answer {
                    reason: "a score is not a number",
                });
            }
            *score = Some(sigmoid(f64::from(logit)));
        }
        if !documents.is_empty() && scores.iter().all(Option::is_none) {
            return Err(RerankError::Deadline);
        }
        Ok(scores)
    }
}

fn graph(folder: &Path) -> Result<PathBuf, ModelError> {
    ["model.onnx", "onnx/model.onnx"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| ModelError::Damaged {
            file: "model.onnx".to_owned(),
        })
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, ModelError> {
    std::fs::read(folder.join(name)).map_err(|_| ModelError::Damaged {
        file: name.to_owned(),
    })
}

fn hash(path: &Path) -> Result<String, ModelError> {
    let damaged = |_| ModelError::Damaged {
        file: "model.onnx".to_owned(),
    };
    let mut hasher = Sha256::new();
    let mut file = std::fs::File::open(path).map_err(damaged)?;
    std::io::copy(&mut file, &mut hasher).map_err(damaged)?;
    Ok(hex::encode(hasher.finalize()))
}

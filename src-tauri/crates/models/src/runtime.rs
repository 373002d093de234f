//! ONNX Runtime: one library and one environment per process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fastembed::{InitOptionsUserDefined, TextEmbedding, UserDefinedEmbeddingModel};
use ort::environment::Environment;
use ort::session::builder::AutoDevicePolicy;
use parking_lot::Mutex;

use crate::ModelError;

static LOADED: Mutex<Option<(PathBuf, Environment)>> = Mutex::new(None);

/// Loads the library once and returns the environment; later calls return the same one.
///
/// # Errors
/// [`ModelError::Runtime`] when the library cannot be loaded or is too old.
pub(crate) fn environment(library: &Path) -> Result<Environment, ModelError> {
    let mut loaded = LOADED.lock();
    if let Some((path, environment)) = loaded.as_ref() {
        if path != library {
            // Harmless: a process can hold only one runtime, and any recent one runs every model.
            tracing::debug!("another ONNX Runtime library is loaded already and is used");
        }
        return Ok(environment.clone());
    }
    let environment = ort::init_from(library)
        .map_err(|error| runtime(&error))?
        .with_name("lethescope")
        // It would report model and operator names to its vendor otherwise. What it reports before this is
        // forbidden by a variable that the programs set first thing.
        .with_telemetry(false)
        // Warnings would otherwise go to standard error, past every log setting.
        .with_logger(Arc::new(|level, _category, _id, location, _message| {
            tracing::debug!(?level, location, "ONNX Runtime");
        }))
        .build()
        .map_err(|error| runtime(&error))?;
    *loaded = Some((library.to_path_buf(), environment.clone()));
    Ok(environment)
}

/// A model, ready to run on this many threads.
pub(crate) fn session(
    model: UserDefinedEmbeddingModel,
    environment: &Environment,
    max_tokens: usize,
    threads: usize,
) -> Result<TextEmbedding, ModelError> {
    let options = InitOptionsUserDefined::new()
        .with_environment(environment.clone())
        .with_max_length(max_tokens)
        .with_intra_threads(threads.max(1))
        // Other devices round differently, and vectors of one model must compare.
        .with_auto_device(AutoDevicePolicy::PreferCPU)
        // Waiting threads would otherwise burn a core between texts.
        .with_session_config("session.intra_op.allow_spinning", "0");
    TextEmbedding::try_new_from_user_defined(model, options).map_err(|error| ModelError::Load {
        reason: error.to_string(),
    })
}

fn runtime(error: &dyn std::error::Error) -> ModelError {
    ModelError::Runtime {
        reason: error.to_string(),
    }
}

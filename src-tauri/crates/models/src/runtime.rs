//! ONNX Runtime: one library and one environment per process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ort::environment::Environment;
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

fn runtime(error: &dyn std::error::Error) -> ModelError {
    ModelError::Runtime {
        reason: error.to_string(),
    }
}

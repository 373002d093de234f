//! The rerankers of an open vault: which one is in use, and those that a person set up.
//!
//! What was set up lives in the vault: a folder, an address, a key. A cross-encoder is loaded when it
//! is first needed and once only; a service keeps its breaker for as long as its set-up stays.

use std::path::Path;
use std::sync::Arc;

use memory::Vault;
use models::{
    Breaker, CrossEncoder, HttpReranker, HttpRerankerConfig, ModelError, ModelFiles, RerankError,
    Reranker, ScoreScale, monotonic_clock,
};
use parking_lot::Mutex;
use retrieval::Rerankers;
use retrieval::constants::RerankBackend;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::error::EdgeError;
use crate::kept;
use crate::view::ScoreScaleView;

const CHOICE: &str = "reranker";
const KEY: &str = "reranker_key";

/// Threads of a cross-encoder: more are slower while the machine is busy.
const THREADS: usize = 2;

/// What was set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    /// The reranker of the presets that ship with the program; their own when absent.
    pub(crate) backend: Option<RerankBackend>,
    /// The folder of a cross-encoder.
    pub(crate) folder: Option<String>,
    /// A service.
    pub(crate) service: Option<Remote>,
}

/// A reranking service. It is stored only with the consent that texts leave the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remote {
    pub(crate) endpoint: String,
    pub(crate) model: String,
    pub(crate) scale: ScoreScaleView,
}

impl Remote {
    /// User, host and port of the address.
    pub(crate) fn authority(&self) -> &str {
        self.endpoint.split('/').nth(2).unwrap_or_default()
    }
}

impl Choice {
    pub(crate) fn read(vault: &Vault) -> Self {
        kept::value(vault, CHOICE)
            .and_then(|value| serde_json::from_value(value).ok())
            .unwrap_or_default()
    }
}

/// A change of the key.
pub(crate) enum KeyChange {
    Keep,
    Forget,
    Replace(SecretString),
}

/// Stores what was set up.
pub(crate) fn save(vault: &Vault, choice: &Choice, key: &KeyChange) -> Result<(), EdgeError> {
    let text =
        serde_json::to_string(choice).map_err(|_| EdgeError::internal("write the reranker"))?;
    // The JSON of a key is as secret as the key.
    let key = match key {
        KeyChange::Keep => None,
        KeyChange::Forget => Some(None),
        KeyChange::Replace(key) => Some(Some(zeroizing_json(key))),
    };
    vault.write(|w| {
        w.settings().set(CHOICE, &text)?;
        match key {
            None => {}
            Some(None) => {
                w.settings().remove(KEY)?;
            }
            Some(Some(key)) => w
                .settings()
                .set(KEY, secrecy::ExposeSecret::expose_secret(&key))?,
        }
        Ok(())
    })?;
    Ok(())
}

fn zeroizing_json(key: &SecretString) -> SecretString {
    use secrecy::ExposeSecret as _;
    SecretString::from(serde_json::Value::from(key.expose_secret()).to_string())
}

/// The key, if one is stored.
pub(crate) fn key(vault: &Vault) -> Option<SecretString> {
    let value = kept::value(vault, KEY)?;
    value.as_str().map(|key| SecretString::from(key.to_owned()))
}

/// A cross-encoder that was loaded, or why it could not be.
type Loaded = Result<Arc<dyn Reranker>, String>;

/// The rerankers of a session beside the embedded one.
#[derive(Default)]
pub(crate) struct Backends {
    cross_encoder: Mutex<Option<(String, Loaded)>>,
    service: Mutex<Option<Arc<dyn Reranker>>>,
}

impl Backends {
    /// The cross-encoder of that folder, loaded if it has not been yet.
    pub(crate) fn cross_encoder(&self, folder: &str, runtime: &[std::path::PathBuf]) -> Loaded {
        let mut held = self.cross_encoder.lock();
        if let Some((of, loaded)) = &*held
            && of == folder
        {
            return loaded.clone();
        }
        let loaded = load(Path::new(folder), runtime);
        *held = Some((folder.to_owned(), loaded.clone()));
        loaded
    }

    /// The cross-encoder if it is loaded, without loading it; an error says why it cannot be.
    pub(crate) fn loaded(&self, folder: &str) -> Option<Loaded> {
        let held = self.cross_encoder.lock();
        held.as_ref()
            .filter(|(of, _)| of == folder)
            .map(|(_, loaded)| loaded.clone())
    }

    /// Forgets that loading failed, so that it is tried again.
    pub(crate) fn retry(&self) {
        let mut held = self.cross_encoder.lock();
        if matches!(&*held, Some((_, Err(_)))) {
            *held = None;
        }
    }

    /// The service in use.
    pub(crate) fn remote(&self) -> Option<Arc<dyn Reranker>> {
        self.service.lock().clone()
    }

    /// Sets the service up anew, with a closed breaker; `None` takes it away.
    pub(crate) fn set_service(&self, service: Option<Arc<dyn Reranker>>) {
        *self.service.lock() = service;
    }
}

fn load(folder: &Path, runtime: &[std::path::PathBuf]) -> Loaded {
    let runtime = ModelFiles::locate(runtime).map_err(|_| {
        "ONNX Runtime is missing: it comes with the embedding model, which was not found".to_owned()
    })?;
    match CrossEncoder::load(folder, &runtime, None, THREADS) {
        Ok(model) => Ok(Arc::new(model)),
        Err(ModelError::Damaged { file }) => Err(format!("{file} is missing or cannot be read")),
        Err(error) => Err(error.to_string()),
    }
}

/// Sets a service up; nothing is sent yet.
///
/// # Errors
/// What is wrong with the address, in words without the address.
pub(crate) fn connect(
    of: &Remote,
    key: Option<SecretString>,
) -> Result<Arc<dyn Reranker>, &'static str> {
    // An address is shown and stored in the open part of the settings: no key in it.
    if of.authority().contains('@') {
        return Err("an address without user name or key; the key has a place of its own");
    }
    let config = HttpRerankerConfig {
        key,
        scale: match of.scale {
            ScoreScaleView::Probability => ScoreScale::Probability,
            ScoreScaleView::Logit => ScoreScale::Logit,
        },
        ..HttpRerankerConfig::new(of.endpoint.clone(), of.model.clone())
    };
    let mut seed = [0_u8; 8];
    let seed = getrandom::fill(&mut seed)
        .ok()
        .map(|()| u64::from_le_bytes(seed));
    match HttpReranker::new(config, Breaker::new(monotonic_clock(), seed)) {
        Ok(reranker) => Ok(Arc::new(reranker)),
        Err(RerankError::Configuration { reason }) => Err(reason),
        Err(_) => Err("an address that can be used"),
    }
}

/// Every reranker of an open vault that can be used now. A service is set up here, since that costs
/// nothing; a folder is not loaded.
pub(crate) fn at_hand(
    vault: &Vault,
    backends: &Backends,
    embedded: Option<Arc<dyn Reranker>>,
) -> Rerankers {
    let choice = Choice::read(vault);
    if backends.remote().is_none()
        && let Some(service) = &choice.service
    {
        match connect(service, key(vault)) {
            Ok(reranker) => backends.set_service(Some(reranker)),
            Err(why) => tracing::warn!(why, "the reranking service cannot be used"),
        }
    }
    Rerankers {
        embedded,
        cross_encoder: choice
            .folder
            .and_then(|folder| backends.loaded(&folder)?.ok()),
        http: backends.remote(),
    }
}

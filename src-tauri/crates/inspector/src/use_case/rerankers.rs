//! Choosing a reranker: the embedded one, a cross-encoder in a folder, a service, or none.

use std::path::Path;

use models::{BreakerState, BreakerView, TripKind};
use retrieval::constants::{Constants, RerankBackend};
use secrecy::SecretString;

use crate::error::EdgeError;
use crate::golden::Candidates;
use crate::inspector::{Inner, Inspector};
use crate::request::RerankerRequest;
use crate::rerankers::{self, Choice, KeyChange, Remote};
use crate::session::Session;
use crate::view::{
    BreakerCause, BreakerStateView, CrossEncoderView, Passing, RerankServiceView, RerankersView,
};

/// What a folder of a cross-encoder must hold.
const FOLDER: &str = "a folder with model.onnx, tokenizer.json, config.json, \
    special_tokens_map.json and tokenizer_config.json of a cross-encoder";

impl Inspector {
    /// What is set up and what is in use.
    pub fn rerankers(&self) -> Result<RerankersView, EdgeError> {
        Ok(view(&*self.inner.session()?))
    }

    /// Takes another reranker into use. A folder is loaded and an address checked first: when
    /// either cannot work, nothing changes. Nothing is sent to a service yet.
    ///
    /// # Errors
    /// `bad_request` names what is missing; a service also needs the consent in the request.
    pub fn use_reranker(&self, request: &RerankerRequest) -> Result<RerankersView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let mut choice = Choice::read(&session.vault);
        choice.backend = Some(request.backend);
        let mut key = KeyChange::Keep;
        match request.backend {
            RerankBackend::Off | RerankBackend::Embedded => {}
            RerankBackend::CrossEncoder => {
                let folder = cross_encoder_folder(request, &choice)?;
                session.backends.retry();
                session
                    .backends
                    .cross_encoder(&folder, &self.inner.paths.models)
                    .map_err(|why| EdgeError::bad_request(&folder, &format!("{FOLDER}: {why}")))?;
                choice.folder = Some(folder);
            }
            RerankBackend::Http => {
                let service = service_of(request, &choice)?;
                // A key belongs to the place that it was given for.
                let moved = choice
                    .service
                    .as_ref()
                    .is_some_and(|before| before.authority() != service.authority());
                key = match request.key.as_deref().map(str::trim) {
                    Some("") => KeyChange::Forget,
                    Some(key) => KeyChange::Replace(SecretString::from(key.to_owned())),
                    None if moved => KeyChange::Forget,
                    None => KeyChange::Keep,
                };
                let used = match &key {
                    KeyChange::Keep => rerankers::key(&session.vault),
                    KeyChange::Forget => None,
                    KeyChange::Replace(key) => Some(key.clone()),
                };
                let reranker = rerankers::connect(&service, used)
                    .map_err(|why| EdgeError::bad_request("endpoint", why))?;
                session.backends.set_service(Some(reranker));
                choice.service = Some(service);
            }
        }
        rerankers::save(&session.vault, &choice, &key)?;
        apply(&session);
        Ok(view(&session))
    }

    /// Forgets the service and its key. What used it goes back to the embedded reranker.
    pub fn forget_rerank_service(&self) -> Result<RerankersView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let mut choice = Choice::read(&session.vault);
        choice.service = None;
        if choice.backend == Some(RerankBackend::Http) {
            choice.backend = None;
        }
        rerankers::save(&session.vault, &choice, &KeyChange::Forget)?;
        session.backends.set_service(None);
        apply(&session);
        Ok(view(&session))
    }
}

impl Inner {
    /// Sees to it that the reranker of these constants is at hand, if it was set up. A folder is
    /// loaded here when nobody has needed it before.
    pub(crate) fn prepare_reranker(&self, session: &Session, constants: &Constants) {
        if matches!(
            constants.rerank,
            RerankBackend::Off | RerankBackend::Embedded
        ) {
            return;
        }
        let choice = Choice::read(&session.vault);
        let missing = match constants.rerank {
            RerankBackend::CrossEncoder => choice.folder.as_ref().is_some_and(|folder| {
                let fresh = session.backends.loaded(folder).is_none();
                if fresh
                    && let Err(why) = session.backends.cross_encoder(folder, &self.paths.models)
                {
                    tracing::warn!(%why, "the cross-encoder cannot be used");
                }
                fresh
            }),
            RerankBackend::Http => choice.service.is_some() && session.backends.remote().is_none(),
            RerankBackend::Off | RerankBackend::Embedded => false,
        };
        if missing {
            apply(session);
        }
    }
}

/// Hands the engine every reranker that is at hand.
fn apply(session: &Session) {
    // The embedded one in place holds what it has read of the memories.
    let rerankers = session.rerankers(session.engine.rerankers().embedded);
    let embedder = session.engine.embedder();
    session.engine.set_models(embedder, rerankers);
    // What was gathered before knows only the rerankers of then.
    *session.golden.lock() = Candidates::default();
}

fn cross_encoder_folder(request: &RerankerRequest, choice: &Choice) -> Result<String, EdgeError> {
    let folder = request
        .folder
        .as_deref()
        .map(str::trim)
        .filter(|folder| !folder.is_empty())
        .or(choice.folder.as_deref())
        .ok_or_else(|| EdgeError::bad_request("folder", FOLDER))?;
    let path = Path::new(folder);
    if !path.is_absolute() || !path.is_dir() {
        return Err(EdgeError::bad_request(
            folder,
            &format!("the whole path of {FOLDER}"),
        ));
    }
    Ok(folder.to_owned())
}

fn service_of(request: &RerankerRequest, choice: &Choice) -> Result<Remote, EdgeError> {
    if !request.sends_texts {
        return Err(EdgeError::bad_request(
            "sends_texts",
            "the consent that queries and the texts of memories are sent to the service",
        ));
    }
    let before = choice.service.as_ref();
    let filled = |text: &Option<String>| {
        let text = text.as_deref().map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let endpoint = filled(&request.endpoint)
        .or_else(|| before.map(|service| service.endpoint.clone()))
        .ok_or_else(|| {
            EdgeError::bad_request("endpoint", "an address like https://host/v1/rerank")
        })?;
    let model = filled(&request.model)
        .or_else(|| before.map(|service| service.model.clone()))
        .ok_or_else(|| EdgeError::bad_request("model", "the name of the model at the service"))?;
    Ok(Remote {
        endpoint,
        model,
        scale: request.scale,
    })
}

fn view(session: &Session) -> RerankersView {
    let choice = Choice::read(&session.vault);
    RerankersView {
        backend: choice.backend.unwrap_or(Constants::default().rerank),
        cross_encoder: choice.folder.map(|folder| {
            let loaded = session.backends.loaded(&folder);
            CrossEncoderView {
                name: loaded
                    .as_ref()
                    .and_then(|loaded| loaded.as_ref().ok())
                    .map(|reranker| reranker.name().to_owned()),
                fault: loaded.and_then(Result::err),
                folder,
            }
        }),
        service: choice.service.map(|service| RerankServiceView {
            endpoint: service.endpoint,
            model: service.model,
            scale: service.scale,
            key_stored: rerankers::key(&session.vault).is_some(),
            breaker: session
                .backends
                .remote()
                .and_then(|reranker| reranker.breaker())
                .map(breaker_view),
        }),
    }
}

fn breaker_view(breaker: BreakerView) -> BreakerStateView {
    BreakerStateView {
        state: match breaker.state {
            BreakerState::Closed => Passing::Closed,
            BreakerState::Open => Passing::Open,
            BreakerState::HalfOpen => Passing::HalfOpen,
        },
        // Rounded up, so that 0 means "now".
        remaining_seconds: u32::try_from(breaker.remaining.as_millis().div_ceil(1000))
            .unwrap_or(u32::MAX),
        cause: breaker.cause.map(|cause| match cause {
            TripKind::RateLimited => BreakerCause::RateLimited,
            TripKind::Server => BreakerCause::Server,
            TripKind::Timeout => BreakerCause::Timeout,
            TripKind::Connection => BreakerCause::Connection,
        }),
    }
}

//! The rerankers at hand, and how what they read is named and counted.

use std::sync::Arc;

use memory::MemoryId;
use models::Reranker;

use crate::constants::RerankBackend;
use crate::gathered::RerankerView;
use crate::stage::knn::abstains;
use crate::stage::route::Route;

/// The rerankers at hand.
#[derive(Clone, Default)]
pub struct Rerankers {
    /// Late interaction over the local model.
    pub embedded: Option<Arc<dyn Reranker>>,
    /// A cross-encoder in a folder.
    pub cross_encoder: Option<Arc<dyn Reranker>>,
    /// A service.
    pub http: Option<Arc<dyn Reranker>>,
}

impl Rerankers {
    pub(crate) fn get(&self, backend: RerankBackend) -> Option<&Arc<dyn Reranker>> {
        match backend {
            RerankBackend::Off => None,
            RerankBackend::Embedded => self.embedded.as_ref(),
            RerankBackend::CrossEncoder => self.cross_encoder.as_ref(),
            RerankBackend::Http => self.http.as_ref(),
        }
    }
}

/// One pair that a reranker has read: who read it under which query, and the text's version.
pub(crate) type PairKey = (u64, MemoryId, u32);

/// What one backend has read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadingCost {
    pub(crate) pairs: usize,
    pub(crate) ms: f64,
}

/// Which of them will read under this route, in the order of [`crate::gathered::slot`].
pub(crate) fn reranker_views(rerankers: &Rerankers, route: &Route) -> [Option<RerankerView>; 3] {
    [
        &rerankers.embedded,
        &rerankers.cross_encoder,
        &rerankers.http,
    ]
    .map(|reranker| {
        reranker.as_ref().map(|reranker| RerankerView {
            name: reranker.name().to_owned(),
            abstains: abstains(&route.semantic_text, |script| reranker.covers(script)),
        })
    })
}

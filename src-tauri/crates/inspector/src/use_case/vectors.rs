//! Which index answers for the vectors.

use retrieval::KnnIndex;
use serde::Serialize;

use crate::error::EdgeError;
use crate::inspector::Inspector;

/// Vectors linked between two reports of progress.
const LINKED_TOGETHER: usize = 500;

/// The index over the vectors in memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnnIndexView {
    /// `exact` or `hnsw`.
    pub index: String,
    /// The share of the exact neighbours that it found in its last self-check; absent when it is
    /// exact.
    pub recall: Option<f64>,
}

impl Inspector {
    /// The index in use.
    pub fn knn_index(&self) -> Result<KnnIndexView, EdgeError> {
        let session = self.inner.session_searching()?;
        let index = session.vault.read(KnnIndex::of)?;
        let recall = session.engine.embedder().and_then(|embedder| {
            let mirror = session.engine.mirror();
            mirror.shortcut(embedder.identity(), 1)?.recall
        });
        Ok(KnnIndexView {
            index: index.name().to_owned(),
            recall,
        })
    }

    /// Switches to another index and builds it. Says how many vectors are linked, of how many.
    pub fn use_knn_index(
        &self,
        name: &str,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<KnnIndexView, EdgeError> {
        let index = KnnIndex::named(name)
            .ok_or_else(|| EdgeError::bad_request("index", "exact or hnsw"))?;
        let session = self.inner.session_searching()?;
        let Some(embedder) = session.engine.embedder() else {
            return Err(EdgeError::not_found("embedding model"));
        };
        session
            .engine
            .mirror()
            .use_index(embedder.identity(), index)?;
        let mut total = 0;
        loop {
            let left = session.engine.link_vectors(LINKED_TOGETHER)?;
            total = total.max(left + LINKED_TOGETHER);
            progress((total - left) as u32, total as u32);
            if left == 0 {
                return self.knn_index();
            }
        }
    }
}

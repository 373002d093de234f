//! Invented vectors at the price of real ones.

use std::ops::Range;
use std::sync::Arc;

use models::testing::HashedEmbedder;
use models::{Embedder, LocalEmbedder, ModelError, ModelIdentity, Script, TokenVectors};

/// Gives the hashed words' vectors, and embeds every query with the real model besides, when there
/// is one: what embedding costs, and that it happens beside the keyword leg, is part of the number.
pub struct Weighed {
    pub hashed: HashedEmbedder,
    pub local: Option<Arc<LocalEmbedder>>,
}

impl Embedder for Weighed {
    fn identity(&self) -> &ModelIdentity {
        self.hashed.identity()
    }

    fn covers(&self, script: Script) -> bool {
        self.hashed.covers(script)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        if let Some(local) = &self.local {
            std::hint::black_box(local.embed_query(text)?);
        }
        self.hashed.embed_query(text)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.hashed.embed_passages(texts)
    }

    fn token_count(&self, text: &str) -> usize {
        self.hashed.token_count(text)
    }

    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        self.hashed.chunks(text)
    }

    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
        self.hashed.token_vectors(text)
    }
}

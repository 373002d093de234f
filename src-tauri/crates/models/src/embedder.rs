//! What every embedding model offers, local or not.

use std::ops::Range;

use crate::expander::{Expander, Words};
use crate::packed::PackedTokens;
use crate::vectors::TokenVectors;
use crate::{ModelError, Script};

/// Which model made a vector. Vectors of different identities are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelIdentity {
    /// Name, variant and the first half of the graph's SHA-256 in hexadecimal digits, such as
    /// `all-MiniLM-L6-v2/int8@50cc1149e2276a60`: another build of the same model gives other vectors.
    pub id: String,
    /// Numbers per vector.
    pub dimension: u32,
}

impl ModelIdentity {
    /// Name and variant without the build.
    pub fn name(&self) -> &str {
        name_of(&self.id)
    }
}

/// The name and variant in a [`ModelIdentity::id`], without the build.
pub fn name_of(id: &str) -> &str {
    id.split_once('@').map_or(id, |(name, _)| name)
}

/// How much of the machine embedding in the background may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Every core: nobody waits for anything else.
    Whole,
    /// All cores but one, at least one: a person is asking meanwhile.
    AllButOne,
}

/// What one look of the model at a passage gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// The vectors of its tokens.
    pub tokens: PackedTokens,
}

/// Turns text into vectors. Shared between threads; every method may block for milliseconds.
pub trait Embedder: Send + Sync {
    /// Which model this is. Stored with every vector.
    fn identity(&self) -> &ModelIdentity;

    /// Whether the model has learned this script. Where it has not, its similarities are noise and
    /// the caller must not let them vote. Digits, punctuation and blanks ([`Script::Common`]) are
    /// covered by every model.
    fn covers(&self, script: Script) -> bool;

    /// The query's vector, of length 1. Repeated queries come from a cache.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError>;

    /// One vector of length 1 per text, in order. A text's vector never depends on the others.
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError>;

    /// The expander that comes with the model, which covers the same scripts.
    fn expander(&self) -> Option<&dyn Expander> {
        None
    }

    /// The same with the vectors of the tokens, as [`Embedder::token_vectors`] gives them.
    fn read_passages(&self, texts: &[&str]) -> Result<Vec<Passage>, ModelError> {
        let vectors = self.embed_passages(texts)?;
        texts
            .iter()
            .zip(vectors)
            .map(|(text, vector)| {
                let tokens = PackedTokens::of(&self.token_vectors(text)?);
                Ok(Passage { vector, tokens })
            })
            .collect()
    }

    /// The words by which a passage should be found; `None` without an expander.
    fn words_of(&self, passage: &str) -> Result<Option<Words>, ModelError> {
        let expander = self.expander();
        expander
            .map(|expander| expander.expand(passage))
            .transpose()
    }

    /// From now on passages are embedded with no more than this of the machine.
    fn take_share(&self, _share: Share) {}

    /// How many tokens the text has, start and end marks not counted, however long it is.
    fn token_count(&self, text: &str) -> usize;

    /// Byte ranges that cut a text into pieces that fit the model ([`crate::WINDOW_TOKENS`]),
    /// neighbours sharing about [`crate::OVERLAP_TOKENS`] tokens. Together they cover the text,
    /// each lies on character boundaries, and a blank text has none.
    fn chunks(&self, text: &str) -> Vec<Range<usize>>;

    /// One vector per token; what exceeds the model's window is left out.
    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError>;

    /// Drops and zeroizes whatever is cached, for when the vault is locked.
    fn forget(&self) {}
}

impl<E: Embedder + ?Sized> Embedder for std::sync::Arc<E> {
    fn identity(&self) -> &ModelIdentity {
        (**self).identity()
    }
    fn covers(&self, script: Script) -> bool {
        (**self).covers(script)
    }
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        (**self).embed_query(text)
    }
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        (**self).embed_passages(texts)
    }
    fn expander(&self) -> Option<&dyn Expander> {
        (**self).expander()
    }
    fn read_passages(&self, texts: &[&str]) -> Result<Vec<Passage>, ModelError> {
        (**self).read_passages(texts)
    }
    fn take_share(&self, share: Share) {
        (**self).take_share(share);
    }
    fn token_count(&self, text: &str) -> usize {
        (**self).token_count(text)
    }
    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        (**self).chunks(text)
    }
    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
        (**self).token_vectors(text)
    }
    fn forget(&self) {
        (**self).forget();
    }
}

//! What is kept of a text beside the vectors of its passages. Tokens and words are those of the first passage,
//! which says what a text is about; a reader and a list of words grow no better with what follows.

use crate::ModelError;
use crate::embedder::{Embedder, Passage};
use crate::expander::Words;
use crate::packed::PackedTokens;

/// What [`crate::LateInteraction`] reads of a document: the tokens of its first passage; of a blank one none.
///
/// # Errors
/// Those of [`Embedder::token_vectors`].
pub fn read_tokens<E: Embedder + ?Sized>(
    embedder: &E,
    text: &str,
) -> Result<PackedTokens, ModelError> {
    let first = embedder.chunks(text).into_iter().next();
    match first.and_then(|span| text.get(span)) {
        Some(passage) => Ok(PackedTokens::of(&embedder.token_vectors(passage)?)),
        None => Ok(PackedTokens::default()),
    }
}

/// The vectors of a document's passages, and the tokens of the first, as [`read_tokens`] gives them.
pub fn of_document(passages: Vec<Passage>) -> (Vec<Vec<f32>>, PackedTokens) {
    let mut passages = passages.into_iter();
    let Some(first) = passages.next() else {
        return Default::default();
    };
    let mut vectors = vec![first.vector];
    vectors.extend(passages.map(|passage| passage.vector));
    (vectors, first.tokens)
}

/// The words by which a document should be found: those of its first passage; of a blank one none.
///
/// # Errors
/// Those of [`Embedder::words_of`].
pub fn read_words<E: Embedder + ?Sized>(
    embedder: &E,
    text: &str,
) -> Result<Option<Words>, ModelError> {
    let first = embedder.chunks(text).into_iter().next();
    match first.and_then(|span| text.get(span)) {
        Some(passage) => embedder.words_of(passage),
        None => Ok(None),
    }
}

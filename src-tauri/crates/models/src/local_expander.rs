//! The local expander: an ONNX graph beside the embedding model's, run in this process.
//!
//! One text at a time, for the same reason as the embedder's: the 8-bit graph scales its activations by the
//! largest value of the whole batch. Queries have a session of their own; passages take whichever of the
//! others is idle.

use fastembed::{
    OutputKey, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;
use parking_lot::Mutex;
use tokenizers::Tokenizer;

use crate::ModelError;
use crate::cache::{SizedCache, key};
use crate::expander::{Expander, Words};
use crate::files::{ExpanderFiles, ModelFiles};
use crate::runtime::session;

/// What the graph's answer is called: one weight per word of the vocabulary.
const WEIGHTS: &[OutputKey] = &[OutputKey::ByName("weights"), OutputKey::OnlyOne];

/// Bytes of queries' words kept.
const QUERY_CACHE: usize = 1 << 20;

/// An expander from a model folder, see [`ModelFiles`].
pub(crate) struct LocalExpander {
    id: String,
    tokenizer: Tokenizer,
    queries: Mutex<TextEmbedding>,
    passages: Vec<Mutex<TextEmbedding>>,
    query_words: Mutex<SizedCache<Words>>,
}

impl LocalExpander {
    /// Loads it with so many sessions for passages; `tokenizer` is the one that it shares with the embedder.
    ///
    /// # Errors
    /// As for [`crate::LocalEmbedder::load`].
    pub(crate) fn load(
        files: &ModelFiles,
        expander: &ExpanderFiles,
        tokenizer_files: &TokenizerFiles,
        environment: &Environment,
        passages: usize,
    ) -> Result<Self, ModelError> {
        let build = files.build(&expander.graph)?;
        let model =
            UserDefinedEmbeddingModel::new(files.read(&expander.graph)?, tokenizer_files.clone())
                .with_pooling(Pooling::Cls)
                .with_quantization(QuantizationMode::Dynamic);
        let open = || session(model.clone(), environment, expander.max_tokens, 1);
        let queries = open()?;
        let mut tokenizer = queries.tokenizer.clone();
        tokenizer.with_padding(None);
        Ok(Self {
            id: format!("{}@{build}", expander.model),
            tokenizer,
            queries: Mutex::new(queries),
            passages: (0..passages.max(1))
                .map(|_| open().map(Mutex::new))
                .collect::<Result<_, _>>()?,
            query_words: Mutex::new(SizedCache::new(QUERY_CACHE)),
        })
    }
}

fn words(model: &mut TextEmbedding, text: &str) -> Result<Words, ModelError> {
    if text.trim().is_empty() {
        return Err(ModelError::Blank);
    }
    let weights = model
        .transform([text], None)
        .map_err(|_| ModelError::Inference)?
        .export_with_transformer(|batches| {
            let Some(batch) = batches.first() else {
                return Ok(Vec::new());
            };
            let all = batch.select_output(&WEIGHTS)?;
            let named = (0_u16..).zip(all.iter().copied());
            Ok(named.filter(|(_, weight)| *weight != 0.0).collect())
        })
        .map_err(|_| ModelError::Inference)?;
    Words::of(weights)
}

impl Expander for LocalExpander {
    fn id(&self) -> &str {
        &self.id
    }

    fn expand(&self, text: &str) -> Result<Words, ModelError> {
        let mut sessions = self.passages.iter();
        let mut idle = sessions
            .find_map(Mutex::try_lock)
            .unwrap_or_else(|| self.passages[0].lock());
        words(&mut idle, text)
    }

    fn expand_query(&self, text: &str) -> Result<Words, ModelError> {
        let key = key(text);
        if let Some(known) = self.query_words.lock().get(&key) {
            return Ok(known.clone());
        }
        let words = words(&mut self.queries.lock(), text)?;
        let bytes = words.len() * size_of::<crate::expander::Word>();
        self.query_words.lock().put(key, words.clone(), bytes);
        Ok(words)
    }

    fn typed(&self, text: &str) -> Vec<u16> {
        let ids = self.tokenizer.encode_fast(text, false);
        let mut typed: Vec<u16> = ids
            .iter()
            .flat_map(tokenizers::Encoding::get_ids)
            .filter_map(|&id| u16::try_from(id).ok())
            .collect();
        typed.sort_unstable();
        typed.dedup();
        typed
    }

    fn spelling(&self, number: u16) -> String {
        self.tokenizer
            .id_to_token(u32::from(number))
            .unwrap_or_default()
    }

    fn forget(&self) {
        self.query_words.lock().clear();
    }
}

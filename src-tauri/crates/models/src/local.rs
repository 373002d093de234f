//! The local embedding model: an ONNX graph run in this process through fastembed.
//!
//! **One text at a time.** The 8-bit graph scales its activations by the largest value of the whole
//! batch, so a text's vector would depend on its neighbours; a memory embedded alone and the same
//! memory embedded in a backfill would differ. Measured on notes of 18 tokens: in batches of 2 to 32
//! the lowest cosine to the text alone is 0.985, in batches of 64 0.980, while a batch of 32 saves no
//! time per text (the work is bound by arithmetic). Running texts singly makes every vector a
//! function of its text alone, at no cost.
//!
//! **One session for queries, several for passages.** Queries have their own, so that typing never
//! waits for a passage that is being embedded in the background. Passages are shared out to sessions
//! that run side by side, the longest first, so that no core idles at the end: the vectors are those of
//! one session, since texts run singly, and a second core gives nearly twice the texts, where a
//! second thread within one run gives less. How many of the sessions work is [`Embedder::take_share`].
//! Four are the most, since each holds the weights once more; further cores become their threads.
//! Late interaction reads two documents side by side.
//!
//! **The same vectors on every processor.** The 8-bit graph keeps its weights to 7 bits, so that no
//! processor's sums overflow; what the sums are made of is rounded alike everywhere.
//!
//! **Latin script only.** Three pairs of the same meaning against other meanings: English 0.63
//! against 0.07, German 0.50 against 0.34, but Russian 0.69 against 0.53, Greek 0.81 against 0.77,
//! Chinese 0.63 against 0.50, Korean 0.73 against 0.68: everything in a script that the model knows
//! letter by letter is alike to it. The manifest says which scripts a model covers.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastembed::{
    OutputKey, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use parking_lot::Mutex;
use tokenizers::Tokenizer;
use zeroize::Zeroizing;

use crate::cache::{SizedCache, key};
use crate::chunk::{OVERLAP_TOKENS, Piece, chunk};
use crate::embedder::{Embedder, ModelIdentity, Passage, Share};
use crate::expander::Expander;
use crate::files::{Manifest, ModelFiles, PoolingKind};
use crate::local_expander::LocalExpander;
use crate::packed::PackedTokens;
use crate::runtime::{self, session};
use crate::vectors::{TokenVectors, scale_to_unit, unit_vector};
use crate::{ModelError, Script};

/// Tokens that the model adds around a text: start and end.
const MARKS: usize = 2;

/// Sessions for passages at most: each holds the weights, some 30 MB.
const MOST_SESSIONS: usize = 4;

/// Where the token states are in the graph's answer; graphs exported by other tools are accepted
/// when they have a single output.
const STATES: &[OutputKey] = &[
    OutputKey::ByName("last_hidden_state"),
    OutputKey::ByName("token_embeddings"),
    OutputKey::OnlyOne,
];

/// How a model is run.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Which of the manifest's graphs, such as `int8` or `f32`; `None` takes its default.
    pub graph: Option<String>,
    /// Threads per run for queries. More than one hardly helps texts of this length.
    pub query_threads: usize,
    /// Cores for passages, which are embedded in the background.
    pub passage_cores: usize,
    /// Bytes of query vectors kept.
    pub query_cache: usize,
}

impl Default for LocalOptions {
    fn default() -> Self {
        LocalOptions {
            graph: None,
            query_threads: 1,
            passage_cores: 1,
            query_cache: 2 << 20,
        }
    }
}

/// An embedding model from a folder, see [`ModelFiles`].
pub struct LocalEmbedder {
    identity: ModelIdentity,
    manifest: Manifest,
    scripts: Vec<Script>,
    /// Cuts at the model's window, as the sessions do.
    windowed: Tokenizer,
    /// Does not cut.
    unlimited: Tokenizer,
    queries: Mutex<TextEmbedding>,
    passages: Vec<Mutex<TextEmbedding>>,
    /// How many of them work.
    at_work: AtomicUsize,
    query_vectors: Mutex<SizedCache<Zeroizing<Vec<f32>>>>,
    expander: Option<LocalExpander>,
}

/// What one pass of the model gives.
#[derive(Default)]
struct Pass {
    /// The pooled states, of any length.
    pooled: Zeroizing<Vec<f32>>,
    /// Texts, tokens, numbers.
    shape: Vec<usize>,
    /// The states of the tokens, those at the start and the end included.
    states: Zeroizing<Vec<f32>>,
}

impl LocalEmbedder {
    /// Verifies the files by SHA-256, loads the runtime and the model.
    ///
    /// # Errors
    /// [`ModelError::Damaged`], [`ModelError::Unusable`], [`ModelError::Runtime`] or
    /// [`ModelError::Load`]: the caller goes on without a model and says why.
    pub fn load(files: &ModelFiles) -> Result<LocalEmbedder, ModelError> {
        LocalEmbedder::load_with(files, &LocalOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As for [`LocalEmbedder::load`].
    pub fn load_with(
        files: &ModelFiles,
        options: &LocalOptions,
    ) -> Result<LocalEmbedder, ModelError> {
        let manifest = files.manifest.clone();
        let variant = options.graph.as_ref().unwrap_or(&manifest.default_graph);
        let graph = manifest.graphs.get(variant).ok_or(ModelError::Unusable {
            file: "manifest.json",
            reason: "it has no graph of that name",
        })?;
        let build = files.build(graph)?;
        let identity = ModelIdentity {
            id: format!("{}/{variant}@{build}", manifest.model),
            dimension: manifest.dimension,
        };
        // The library is code that is about to run: verify it like the rest.
        drop(files.read(&manifest.runtime_library)?);
        let environment = runtime::environment(&files.library())?;
        let tokenizer_files = tokenizer_files(files)?;
        let model = UserDefinedEmbeddingModel::new(files.read(graph)?, tokenizer_files.clone())
            .with_pooling(pooling(&manifest))
            .with_quantization(QuantizationMode::Dynamic);
        let queries = session(
            model.clone(),
            &environment,
            manifest.max_tokens,
            options.query_threads,
        )?;
        let cores = options.passage_cores.max(1);
        let side_by_side = cores.min(MOST_SESSIONS);
        let passages = (0..side_by_side)
            .map(|_| {
                let threads = cores / side_by_side;
                session(model.clone(), &environment, manifest.max_tokens, threads).map(Mutex::new)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let expander = manifest.expander.as_ref().map(|expander| {
            LocalExpander::load(
                files,
                expander,
                &tokenizer_files,
                &environment,
                side_by_side,
            )
        });
        let expander = expander.transpose()?;
        let mut windowed = queries.tokenizer.clone();
        windowed.with_padding(None);
        let mut unlimited = windowed.clone();
        unlimited
            .with_truncation(None)
            .map_err(|_| ModelError::Unusable {
                file: "tokenizer.json",
                reason: "it cannot run without truncation",
            })?;
        Ok(LocalEmbedder {
            scripts: manifest
                .scripts
                .iter()
                .filter_map(|name| Script::from_name(name))
                .collect(),
            identity,
            manifest,
            windowed,
            unlimited,
            queries: Mutex::new(queries),
            at_work: AtomicUsize::new(passages.len()),
            passages,
            query_vectors: Mutex::new(SizedCache::new(options.query_cache)),
            expander,
        })
    }

    fn vector(&self, model: &Mutex<TextEmbedding>, text: &str) -> Result<Vec<f32>, ModelError> {
        let pooled = self.pass(&mut model.lock(), text)?.pooled;
        unit_vector(pooled.to_vec(), self.identity.dimension as usize)
    }

    /// The vector of one passage, made by this session.
    fn passage(&self, model: &Mutex<TextEmbedding>, text: &str) -> Result<Vec<f32>, ModelError> {
        if text.trim().is_empty() {
            return Err(ModelError::Blank);
        }
        match self.manifest.passage_prefix.as_str() {
            "" => self.vector(model, text),
            prefix => self.vector(model, &Zeroizing::new(format!("{prefix}{text}"))),
        }
    }

    /// The same with the vectors of its tokens.
    fn passage_and_tokens(
        &self,
        model: &Mutex<TextEmbedding>,
        text: &str,
    ) -> Result<Passage, ModelError> {
        if text.trim().is_empty() {
            return Err(ModelError::Blank);
        }
        if !self.manifest.passage_prefix.is_empty() {
            // Tokens are those of the text alone, so that a query's and a passage's compare.
            let vector = self.passage(model, text)?;
            let (_, tokens) = self.look(&mut model.lock(), text)?;
            let tokens = PackedTokens::of(&tokens);
            return Ok(Passage { vector, tokens });
        }
        let (vector, tokens) = self.look(&mut model.lock(), text)?;
        Ok(Passage {
            vector,
            tokens: PackedTokens::of(&tokens),
        })
    }

    /// Lets passages be worked on by the sessions side by side, the longest first.
    fn share_out<T: Send>(
        &self,
        texts: &[&str],
        work: impl Fn(&Mutex<TextEmbedding>, &str) -> Result<T, ModelError> + Sync,
    ) -> Result<Vec<T>, ModelError> {
        let sessions = &self.passages[..self.at_work.load(Ordering::Relaxed)];
        if sessions.len() < 2 || texts.len() < 2 {
            return texts.iter().map(|text| work(&sessions[0], text)).collect();
        }
        let mut longest_first: Vec<usize> = (0..texts.len()).collect();
        longest_first.sort_by_key(|&at| Reverse(texts[at].len()));
        let next = AtomicUsize::new(0);
        let share = |session: &Mutex<TextEmbedding>| {
            let mut done = Vec::new();
            while let Some(&at) = longest_first.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((at, work(session, texts[at])));
            }
            done
        };
        let mut found: Vec<_> = std::thread::scope(|scope| {
            let (own, others) = sessions.split_at(1);
            let others: Vec<_> = others
                .iter()
                .map(|session| scope.spawn(|| share(session)))
                .collect();
            let mut done = share(&own[0]);
            for other in others {
                done.extend(other.join().map_err(|_| ModelError::Inference)?);
            }
            Ok::<_, ModelError>(done)
        })?;
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, one)| one).collect()
    }

    /// One pass of the model.
    fn pass(&self, model: &mut TextEmbedding, text: &str) -> Result<Pass, ModelError> {
        model
            .transform([text], None)
            .map_err(|_| ModelError::Inference)?
            .export_with_transformer(|batches| {
                let Some(batch) = batches.first() else {
                    return Ok(Pass::default());
                };
                let pooled =
                    batch.select_and_pool_output(&STATES, Some(pooling(&self.manifest)))?;
                let states = batch.select_output(&STATES)?;
                Ok(Pass {
                    pooled: Zeroizing::new(pooled.into_raw_vec_and_offset().0),
                    shape: states.shape().to_vec(),
                    states: Zeroizing::new(states.iter().copied().collect()),
                })
            })
            .map_err(|_| ModelError::Inference)
    }

    /// The vector of a text and those of its tokens.
    fn look(
        &self,
        model: &mut TextEmbedding,
        text: &str,
    ) -> Result<(Vec<f32>, TokenVectors), ModelError> {
        let encoding = self
            .windowed
            .encode(text, true)
            .map_err(|_| ModelError::Inference)?;
        let dimension = self.identity.dimension as usize;
        let Pass {
            pooled,
            shape,
            states,
        } = self.pass(model, text)?;
        if shape != [1, encoding.len(), dimension] {
            return Err(ModelError::WrongLength {
                found: shape.last().copied().unwrap_or(0),
                wanted: dimension,
            });
        }
        let mut vectors = TokenVectors {
            dimension,
            values: Vec::with_capacity(encoding.len() * dimension),
            spans: Vec::with_capacity(encoding.len()),
            words: Vec::with_capacity(encoding.len()),
        };
        let special = encoding.get_special_tokens_mask();
        let offsets = encoding.get_offsets();
        let words = encoding.get_word_ids();
        for (at, state) in states.chunks_exact(dimension).enumerate() {
            if special[at] == 1 || offsets[at].0 >= offsets[at].1 {
                continue;
            }
            let word = word_span(offsets, words, special, at);
            vectors.spans.push(on_characters(text, offsets[at]));
            vectors.words.push(on_characters(text, word));
            let from = vectors.values.len();
            vectors.values.extend_from_slice(state);
            scale_to_unit(&mut vectors.values[from..])?;
        }
        Ok((unit_vector(pooled.to_vec(), dimension)?, vectors))
    }

    /// The idle session if there is one, for work that may use either.
    fn any_session(&self) -> parking_lot::MutexGuard<'_, TextEmbedding> {
        self.queries
            .try_lock()
            .or_else(|| self.passages.iter().find_map(Mutex::try_lock))
            .unwrap_or_else(|| self.queries.lock())
    }
}

impl Embedder for LocalEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn covers(&self, script: Script) -> bool {
        script == Script::Common || self.scripts.contains(&script)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        if text.trim().is_empty() {
            return Err(ModelError::Blank);
        }
        let key = key(text);
        if let Some(known) = self.query_vectors.lock().get(&key) {
            return Ok(known.to_vec());
        }
        let vector = match self.manifest.query_prefix.as_str() {
            "" => self.vector(&self.queries, text)?,
            prefix => self.vector(&self.queries, &Zeroizing::new(format!("{prefix}{text}")))?,
        };
        let bytes = size_of_val(vector.as_slice());
        self.query_vectors
            .lock()
            .put(key, Zeroizing::new(vector.clone()), bytes);
        Ok(vector)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.share_out(texts, |session, text| self.passage(session, text))
    }

    fn expander(&self) -> Option<&dyn Expander> {
        self.expander
            .as_ref()
            .map(|expander| expander as &dyn Expander)
    }

    fn read_passages(&self, texts: &[&str]) -> Result<Vec<Passage>, ModelError> {
        self.share_out(texts, |session, text| {
            self.passage_and_tokens(session, text)
        })
    }

    fn take_share(&self, share: Share) {
        let all = self.passages.len();
        let most = match share {
            Share::Whole => all,
            Share::AllButOne => all.saturating_sub(1).max(1),
        };
        self.at_work.store(most, Ordering::Relaxed);
    }

    fn token_count(&self, text: &str) -> usize {
        // A text that the tokenizer refuses counts as one token per character, the safe side.
        self.unlimited
            .encode_fast(text, false)
            .map_or_else(|_| text.chars().count(), |encoding| encoding.len())
    }

    fn chunks(&self, text: &str) -> Vec<Range<usize>> {
        let Ok(encoding) = self.unlimited.encode(text, false) else {
            return chunk(text, &[], 1, 0);
        };
        let tokens: Vec<Piece> = encoding
            .get_offsets()
            .iter()
            .zip(encoding.get_word_ids())
            .filter(|((start, end), _)| start < end)
            .map(|(&(start, end), word)| Piece {
                start,
                end,
                word: word.unwrap_or(u32::MAX),
            })
            .collect();
        chunk(
            text,
            &tokens,
            self.manifest.max_tokens - MARKS,
            OVERLAP_TOKENS,
        )
    }

    fn token_vectors(&self, text: &str) -> Result<TokenVectors, ModelError> {
        if text.trim().is_empty() {
            return Err(ModelError::Blank);
        }
        Ok(self.look(&mut self.any_session(), text)?.1)
    }

    fn forget(&self) {
        self.query_vectors.lock().clear();
        if let Some(expander) = &self.expander {
            expander.forget();
        }
    }
}

fn pooling(manifest: &Manifest) -> Pooling {
    match manifest.pooling {
        PoolingKind::Mean => Pooling::Mean,
        PoolingKind::Cls => Pooling::Cls,
    }
}

fn tokenizer_files(files: &ModelFiles) -> Result<TokenizerFiles, ModelError> {
    Ok(TokenizerFiles {
        tokenizer_file: files.read("tokenizer.json")?,
        config_file: files.read("config.json")?,
        special_tokens_map_file: files.read("special_tokens_map.json")?,
        tokenizer_config_file: files.read("tokenizer_config.json")?,
    })
}

/// From the first to the last token of the same word around `at`.
fn word_span(
    offsets: &[(usize, usize)],
    words: &[Option<u32>],
    special: &[u32],
    at: usize,
) -> (usize, usize) {
    let same = |other: &usize| {
        special[*other] == 0 && words[*other].is_some() && words[*other] == words[at]
    };
    let first = (0..at).rev().take_while(same).last().unwrap_or(at);
    let last = (at + 1..words.len()).take_while(same).last().unwrap_or(at);
    (offsets[first].0, offsets[last].1)
}

fn on_characters(text: &str, (start, end): (usize, usize)) -> Range<usize> {
    text.floor_char_boundary(start)..text.ceil_char_boundary(end)
}

//! What can go wrong with a model. No variant carries a text that was being embedded.

use std::path::PathBuf;

/// Why a model could not be loaded or did not give a usable answer.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No folder with a model was found.
    #[error("no model folder found ({} places searched)", searched.len())]
    Missing {
        /// The folders that were looked at, in order.
        searched: Vec<PathBuf>,
    },
    /// A file of the model folder is missing, has the wrong size or the wrong SHA-256.
    #[error("the model file {file} is missing or damaged")]
    Damaged {
        /// Its name inside the model folder.
        file: String,
    },
    /// The folder's manifest or tokenizer cannot be understood.
    #[error("the model's {file} cannot be used: {reason}")]
    Unusable {
        /// The file's name inside the model folder.
        file: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The ONNX Runtime library could not be loaded, or another one is loaded already.
    #[error("ONNX Runtime could not be loaded: {reason}")]
    Runtime {
        /// The loader's own words.
        reason: String,
    },
    /// The runtime refused the model's graph.
    #[error("the model could not be loaded: {reason}")]
    Load {
        /// The runtime's own words.
        reason: String,
    },
    /// The model failed on a text. The runtime's message is left out since it may quote input.
    #[error("the model failed on a text")]
    Inference,
    /// Nothing to embed.
    #[error("the text is blank")]
    Blank,
    /// The model answered with something that is not a direction: all zeros, NaN or infinite.
    #[error("the model's answer is not a usable vector: {reason}")]
    BadVector {
        /// What is wrong with the numbers.
        reason: &'static str,
    },
    /// The vector has another length than the model declares.
    #[error("the vector has {found} numbers, {wanted} are declared")]
    WrongLength {
        /// Numbers received.
        found: usize,
        /// Numbers declared by the model's identity.
        wanted: usize,
    },
}

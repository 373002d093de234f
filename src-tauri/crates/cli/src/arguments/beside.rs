//! The arguments of what stands beside the memories: past research, documents, rerankers.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Mode;

/// The research cache: at most 100 entries, the oldest out.
#[derive(Subcommand)]
pub enum Research {
    /// Keep research. Without a query, one JSON object is read from standard input:
    /// {"query","findings","sources":[{"url","title","credibility"}],"tokens"}
    Put(ResearchPut),
    /// Find research on nearly the same question: keyword sets at least half the same
    Get {
        /// The question
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
    /// Show every entry, newest first
    List,
    /// Forget an entry, or all
    Forget {
        /// The entry's key, or exactly its query
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        key: Option<String>,
        /// Forget every entry
        #[arg(long)]
        all: bool,
    },
    /// Take the entries of another program's cache in: a JSON list or object of entries with query,
    /// findings, sources, token_count and timestamp. The file is only read
    Import {
        /// The file; - reads standard input
        file: PathBuf,
    },
}

/// Research to be kept.
#[derive(Args)]
pub struct ResearchPut {
    /// What was asked
    #[arg(allow_hyphen_values = true)]
    pub query: Option<String>,
    /// File with what was found (10,000 characters are kept); - reads standard input
    #[arg(long, value_name = "FILE", default_value = "-", requires = "query")]
    pub findings: PathBuf,
    /// Address of a source (ten are kept)
    #[arg(long, value_name = "URL", requires = "query")]
    pub source: Vec<String>,
    /// What the findings cost in tokens; counted when not given
    #[arg(long, value_name = "N", requires = "query")]
    pub tokens: Option<u32>,
}

/// Documents, each under an id.
#[derive(Subcommand)]
pub enum Document {
    /// Take a document in; the same id again replaces it
    Ingest {
        /// Names the document
        id: String,
        /// Its text in UTF-8; - reads standard input
        file: PathBuf,
        /// Its title
        #[arg(long, default_value = "", hide_default_value = true)]
        title: String,
        /// Leave embedding for later
        #[arg(long)]
        no_embed: bool,
    },
    /// Search the documents alone
    Query {
        /// The query, in the same language as for memories
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Which legs answer
        #[arg(long, value_enum, default_value = "hybrid")]
        mode: Mode,
        /// How many chunks, 1–100
        #[arg(long, value_name = "N", default_value_t = 5,
            value_parser = clap::value_parser!(u32).range(1..=100))]
        limit: u32,
        /// Change a constant, for example rrf_k=5
        #[arg(long, value_name = "CONSTANT=VALUE")]
        set: Vec<String>,
        /// Constants to start from
        #[arg(long, value_name = "NAME")]
        preset: Option<String>,
    },
    /// Show every document
    List,
    /// Remove every byte of a document; cannot be undone
    Delete {
        /// The document's id
        id: String,
    },
    /// Take a plaintext document store in: JSON Lines with id and text (and title, chunk_index). The
    /// file is only read
    Import {
        /// The file; - reads standard input
        file: PathBuf,
        /// Leave embedding for later
        #[arg(long)]
        no_embed: bool,
    },
}

/// The reranker of the presets that ship with the program.
#[derive(Subcommand)]
pub enum Reranker {
    /// Show which one is in use and what is set up; never a key
    Show,
    /// Take another one into use
    #[command(subcommand)]
    Use(RerankerChoice),
    /// Forget the service and its key
    Forget,
}

/// A reranker, with what it needs. What was given once need not be given again.
#[derive(Subcommand)]
pub enum RerankerChoice {
    /// None: the order after decay stands
    Off,
    /// Late interaction over the embedding model; needs nothing else
    Embedded,
    /// A cross-encoder of your own (ONNX)
    CrossEncoder {
        /// Folder with model.onnx, tokenizer.json, config.json, special_tokens_map.json and
        /// tokenizer_config.json
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// A service that speaks the shape of Jina and Cohere. Queries and memory texts are sent to it
    Http {
        /// Its address, for example https://host/v1/rerank; http only for this machine
        #[arg(long, value_name = "URL")]
        endpoint: Option<String>,
        /// The model's name there
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// File whose first line is the key, kept in the vault; - reads standard input. An empty
        /// line forgets the key
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// Its numbers are logits instead of 0 to 1
        #[arg(long)]
        logits: bool,
        /// Let queries and the texts of memories leave this machine, to this address
        #[arg(long)]
        send_texts: bool,
    },
}

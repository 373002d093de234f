//! The eight stages of a query, and the one enum that names them everywhere.

pub mod bm25;
pub mod decay;
pub mod fusion;
pub mod knn;
pub mod rerank;
pub mod route;
pub mod select;
pub mod sparse;

use serde::{Deserialize, Serialize};

/// A stage of the pipeline, in the order in which a query passes them.
///
/// The spine of the product: the module, the tracing span, the part of the trace, the card in the
/// window and the section of ARCHITECTURE.md all carry this name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Decides per term which index answers it, and for the query which legs run.
    Route,
    /// Nearest neighbours of the query's embedding.
    Knn,
    /// Keyword matches.
    Bm25,
    /// Words that should be there, by a learned sparse model.
    Sparse,
    /// Unites the lists.
    Fusion,
    /// Lets old memories sink.
    Decay,
    /// Reads query and text together.
    Rerank,
    /// Cuts to what is returned.
    Select,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 8] = [
        Self::Route,
        Self::Knn,
        Self::Bm25,
        Self::Sparse,
        Self::Fusion,
        Self::Decay,
        Self::Rerank,
        Self::Select,
    ];

    /// The name used in code, traces, the CLI and the window.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Route => "route",
            Self::Knn => "knn",
            Self::Bm25 => "bm25",
            Self::Sparse => "sparse",
            Self::Fusion => "fusion",
            Self::Decay => "decay",
            Self::Rerank => "rerank",
            Self::Select => "select",
        }
    }
}

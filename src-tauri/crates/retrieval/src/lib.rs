//! The pipeline: eight stages from a query to the memories an agent gets, each accounted for.
//!
//! [`Engine::gather`] takes a query through the stages that touch the vault and the models: route,
//! and the legs. [`Gathered::arrange`] ranks what was found, as often as constants or the clock
//! change, in a fraction of a millisecond. [`Engine::score_window`] lets a reranker read what it has
//! not read yet. [`context`] fences what reaches the agent.
//!
//! Absent on purpose: writing to the vault (a query changes nothing), a clock (every call is told
//! the time), and Tauri.
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::float_cmp)
)]

pub mod alike;
pub mod arithmetic;
mod arrange;
mod candidate;
pub mod constants;
pub mod context;
pub mod diagnose;
mod engine;
mod expansions;
mod forecast;
mod gathered;
mod half_life;
pub mod highlight;
mod ids;
pub mod lane;
mod ledger;
mod legs;
mod listing;
mod lists;
mod meant;
mod mirror;
mod near_links;
mod near_pairs;
pub mod neighbour_map;
mod order;
mod projection;

mod pipeline;
mod postings;
mod query;
mod ranking;
mod reading;
mod report;
mod rerankers;
mod rescoring;
mod scan;
mod scope;
pub mod stage;
pub mod trace;
pub mod usage;
mod usual;

pub use arithmetic::recompute;
pub use candidate::Candidate;
pub use engine::Engine;
pub use expansions::Expansions;
pub use forecast::{Change, Fate, Forecast};
pub use gathered::{Gathered, RerankerView};
pub use half_life::{HALF_LIFE_RANGE, HalfLives, KindAging, NotHalfLives};
pub use ids::{IdSet, Scope};
pub use ledger::{Ledger, LedgerRow, SharedWord, Sum};
pub use lists::{KeywordRow, Lists, SemanticRow, SparseRow};
pub use meant::route_in;
pub use mirror::{KnnIndex, Mirror, MirrorState, Neighbour, Shortcut, memory_score};
pub use near_pairs::{COMPARED, NearPair, NearPairs};
pub use projection::{Picture, Projection};
pub use query::{CancelFlag, Query, RetrievalError};
pub use ranking::Ranking;
pub use report::Report;
pub use rerankers::Rerankers;
pub use stage::bm25::Faults;

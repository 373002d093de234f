//! One file per area of the product, each a set of methods of [`crate::Inspector`].

mod add;
mod context;
mod documents;
mod evaluate;
mod explain;
mod forecast;
mod headroom;
mod history;
mod judge;
mod keys;
mod lab;
mod latency;
mod map;
mod memories;
mod neighbours;
mod query;
mod rerankers;
mod research;
mod scrub;
mod sessions;
mod settings;
mod sources;
mod suite;
mod sweep;
mod trec;
mod vault;
mod vectors;

pub(crate) use documents::chunk_view;
pub use keys::KeySlotView;
pub(crate) use neighbours::Neighbours;
pub(crate) use query::DEPTH;
pub(crate) use rerankers::at_hand;
pub(crate) use research::brief;
pub use scrub::scrub;
pub use vectors::KnnIndexView;

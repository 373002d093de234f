//! One file per area of the product, each a set of methods of [`crate::Inspector`].

mod evaluate;
mod explain;
mod memories;
mod query;
mod settings;
mod sources;
mod vault;

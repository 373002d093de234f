//! The pipeline: seven stages from a query to the memories an agent gets, each accounted for.

pub mod constants;
pub mod stage;
pub mod trace;

//! What reaches the agent: memories behind a fence that no memory can open, within a budget, and
//! the scrubber that keeps a fenced block from leaking back out of a model's answer.

pub mod fence;
pub mod pack;
pub mod scrub;

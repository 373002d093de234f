//! What reaches the agent: memories, research and documents behind a fence that no text can open,
//! within a budget, and the scrubber that keeps a fenced block from leaking back out of a model's
//! answer.

pub mod beside;
pub mod block;
pub mod entry;
pub mod escape;
pub mod fence;
pub mod pack;
pub mod scrub;

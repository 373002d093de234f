//! The one order of every ranked list: higher score first, then lower id.

use std::cmp::Ordering;

use memory::MemoryId;

/// Compares two rows of a ranked list. Total for all numbers, so that no NaN can shuffle a list.
pub fn by_score_then_id(a: (f64, MemoryId), b: (f64, MemoryId)) -> Ordering {
    // Adding zero makes −0 and 0 the same score.
    (b.0 + 0.0).total_cmp(&(a.0 + 0.0)).then(a.1.cmp(&b.1))
}

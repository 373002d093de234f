//! Counts by name: how many of what, for what reason.

use std::collections::BTreeMap;

/// Adds to a counter, without allocating for a name that is already there.
pub(crate) fn add(counters: &mut BTreeMap<String, u32>, name: &str, count: u32) {
    if count == 0 {
        return;
    }
    if let Some(counter) = counters.get_mut(name) {
        *counter += count;
    } else {
        counters.insert(name.to_owned(), count);
    }
}

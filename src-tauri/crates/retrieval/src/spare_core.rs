//! Work in blocks that a second thread joins once a core is idle.
//!
//! Both legs of a query run side by side. On two cores a third thread would only take turns with
//! them, and whoever waits for its last block waits for its turn. So the leg that is through first
//! says that its core is free, and from the next block on the other leg is worked on by two.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Asked once: the answer is read from several files of the system.
static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// Whether a core has nothing else to do.
#[derive(Debug)]
pub struct SpareCore(AtomicBool);

impl SpareCore {
    /// Nothing runs beside this.
    pub fn alone() -> Self {
        Self(AtomicBool::new(*CORES > 1))
    }

    /// One other thread works on the same query, see [`SpareCore::is_free`].
    pub fn beside_another() -> Self {
        Self(AtomicBool::new(*CORES > 2))
    }

    /// The other thread is through and waits.
    pub fn is_free(&self) {
        self.0.store(*CORES > 1, Ordering::Relaxed);
    }

    /// Works through `0..many` in blocks, in ascending order on each of at most two threads; what
    /// each of them has made of its blocks.
    pub fn fold<S: Send>(
        &self,
        many: usize,
        block: usize,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Range<usize>) + Sync,
    ) -> Vec<S> {
        let begun = AtomicUsize::new(0);
        let next = || {
            let from = begun.fetch_add(block, Ordering::Relaxed);
            (from < many).then(|| from..many.min(from + block))
        };
        let all = || {
            let mut state = begin();
            while let Some(rows) = next() {
                work(&mut state, rows);
            }
            state
        };
        let mut helped = None;
        let own = rayon::in_place_scope(|scope| {
            let mut help = Some(&mut helped);
            let mut state = begin();
            while let Some(rows) = next() {
                let left = many - rows.end;
                if left > block
                    && self.0.load(Ordering::Relaxed)
                    && let Some(helped) = help.take()
                {
                    scope.spawn(|_| *helped = Some(all()));
                }
                work(&mut state, rows);
            }
            state
        });
        std::iter::once(own).chain(helped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(spare: &SpareCore, many: usize, block: usize) -> Vec<Vec<usize>> {
        spare.fold(many, block, Vec::new, |seen, rows| seen.extend(rows))
    }

    #[test]
    fn every_row_is_worked_on_once_and_in_order_on_each_thread() {
        for (many, block) in [(0, 4), (1, 4), (8, 4), (9, 4), (5_000, 7)] {
            let threads = folded(&SpareCore::alone(), many, block);
            assert!(threads.len() <= 2);
            assert!(threads.iter().all(|rows| rows.is_sorted()));
            let mut all = threads.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..many), "{many} rows by {block}");
        }
    }

    #[test]
    fn a_second_thread_joins_once_the_core_is_free() {
        let spare = SpareCore(AtomicBool::new(false));
        assert_eq!(folded(&spare, 100, 10).len(), 1);
        spare.0.store(true, Ordering::Relaxed);
        assert_eq!(folded(&spare, 100, 10).len(), 2);
        assert_eq!(folded(&spare, 15, 10).len(), 1, "too little is left");
    }

    #[test]
    #[should_panic(expected = "row 7")]
    fn what_breaks_on_the_second_thread_is_not_lost() {
        let spare = SpareCore(AtomicBool::new(true));
        spare.fold(
            8,
            1,
            || (),
            |(), rows| {
                if rows.contains(&7) {
                    panic!("row 7");
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            },
        );
    }
}

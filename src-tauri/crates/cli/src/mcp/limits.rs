//! How often tools may be called: so many times in any minute, so that an agent in a loop neither
//! fills the vault nor reads it out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_mins(1);

/// Reads in any minute.
pub const READS: usize = 120;
/// Writes in any minute.
pub const WRITES: usize = 30;

/// The calls of the last minute.
#[derive(Debug)]
pub struct Rate {
    most: usize,
    calls: VecDeque<Instant>,
}

impl Rate {
    /// Lets so many calls through in any minute.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            calls: VecDeque::with_capacity(most),
        }
    }

    /// Counts a call, or says in how many seconds the next one is let through.
    pub fn take(&mut self, now: Instant) -> Result<(), u64> {
        while let Some(first) = self.calls.front() {
            if now.duration_since(*first) < MINUTE {
                break;
            }
            self.calls.pop_front();
        }
        match self.calls.front() {
            Some(first) if self.calls.len() >= self.most => {
                let wait = MINUTE.saturating_sub(now.duration_since(*first));
                Err(wait.as_secs() + 1)
            }
            _ => {
                self.calls.push_back(now);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_calls_pass_in_any_minute() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut rate = Rate::new(3);
        for second in [0, 10, 20] {
            assert_eq!(rate.take(at(second)), Ok(()));
        }
        assert_eq!(rate.take(at(30)), Err(31));
        assert_eq!(rate.take(at(59)), Err(2));
        assert_eq!(rate.take(at(60)), Ok(()));
        assert_eq!(rate.take(at(61)), Err(10));
        assert_eq!(rate.take(at(70)), Ok(()));
    }
}

//! The circuit breaker before a remote reranker.
//!
//! Closed: requests pass. A failure opens it for a while that depends on the failure:
//!
//! | failure | pause |
//! |---|---|
//! | HTTP 429 | `Retry-After` if given, else 60 s |
//! | HTTP 5xx | 30 s |
//! | no answer within 10 s | 15 s |
//! | connection error | 30 s |
//!
//! Open: nothing is sent, the stage is skipped. When the pause is over, one single request may
//! probe; success closes the breaker, failure opens it again, and a probe that is given up frees its
//! place for the next one. Other answers (4xx, unusable content) show that the server is there and
//! leave the breaker closed.
//!
//! Pauses are lengthened by up to a tenth, by a caller-given seed, so that many clients do not come
//! back in the same instant. Time comes from a caller-given clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Time since any fixed moment; must not go backwards.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A clock over the system's monotonic time, for use outside of tests.
pub fn monotonic_clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || start.elapsed())
}

const RATE_LIMITED: Duration = Duration::from_mins(1);
const SERVER: Duration = Duration::from_secs(30);
const TIMEOUT: Duration = Duration::from_secs(15);
const CONNECTION: Duration = Duration::from_secs(30);
/// A server cannot switch the reranker off for longer than this.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(1);
/// `Retry-After: 0` must not lead to a request per keystroke.
const SHORTEST_RETRY_AFTER: Duration = Duration::from_secs(1);

/// A failure that opens the breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trip {
    /// HTTP 429, with the pause that the server asked for.
    RateLimited {
        /// The value of `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// HTTP 5xx.
    Server,
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    Connection,
}

/// The kind of failure that opened the breaker, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TripKind {
    /// HTTP 429.
    RateLimited,
    /// HTTP 5xx.
    Server,
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    Connection,
}

impl Trip {
    fn kind(self) -> TripKind {
        match self {
            Trip::RateLimited { .. } => TripKind::RateLimited,
            Trip::Server => TripKind::Server,
            Trip::Timeout => TripKind::Timeout,
            Trip::Connection => TripKind::Connection,
        }
    }

    /// The pause before jitter.
    pub fn pause(self) -> Duration {
        match self {
            Trip::RateLimited { retry_after } => retry_after.map_or(RATE_LIMITED, |asked| {
                asked.clamp(SHORTEST_RETRY_AFTER, LONGEST_RETRY_AFTER)
            }),
            Trip::Server => SERVER,
            Trip::Timeout => TIMEOUT,
            Trip::Connection => CONNECTION,
        }
    }
}

/// Which way the breaker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Requests pass.
    Closed,
    /// Nothing is sent.
    Open,
    /// The pause is over; the next request probes, or is probing right now.
    HalfOpen,
}

/// What the breaker looks like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerView {
    /// Which way it stands.
    pub state: BreakerState,
    /// How much longer it stays open; zero unless open.
    pub remaining: Duration,
    /// What opened it; `None` when closed.
    pub cause: Option<TripKind>,
}

#[derive(Clone, Copy)]
enum State {
    Closed,
    Open { until: Duration, cause: TripKind },
    Probing { cause: TripKind },
}

struct Inner {
    state: State,
    /// Counts openings: a verdict on a request from before the last one is stale.
    openings: u64,
}

/// Decides whether a request may be sent. Shared between threads.
pub struct Breaker {
    clock: Clock,
    seed: Option<u64>,
    inner: Mutex<Inner>,
}

impl Breaker {
    /// A closed breaker. `seed` drives the jitter; `None` means none.
    pub fn new(clock: Clock, seed: Option<u64>) -> Breaker {
        Breaker {
            clock,
            seed,
            inner: Mutex::new(Inner {
                state: State::Closed,
                openings: 0,
            }),
        }
    }

    /// Asks to send a request.
    ///
    /// # Errors
    /// The remaining pause; zero when another request is probing.
    pub fn acquire(&self) -> Result<Permit<'_>, Duration> {
        let now = (self.clock)();
        let mut inner = self.inner.lock();
        let probe = match inner.state {
            State::Closed => None,
            State::Open { until, .. } if now < until => return Err(until.saturating_sub(now)),
            State::Open { cause, .. } => Some(cause),
            State::Probing { .. } => return Err(Duration::ZERO),
        };
        if let Some(cause) = probe {
            inner.state = State::Probing { cause };
        }
        Ok(Permit {
            breaker: self,
            probe,
            openings: inner.openings,
            settled: false,
        })
    }

    /// The present state.
    pub fn view(&self) -> BreakerView {
        let now = (self.clock)();
        match self.inner.lock().state {
            State::Closed => BreakerView {
                state: BreakerState::Closed,
                remaining: Duration::ZERO,
                cause: None,
            },
            State::Open { until, cause } if now < until => BreakerView {
                state: BreakerState::Open,
                remaining: until.saturating_sub(now),
                cause: Some(cause),
            },
            State::Open { cause, .. } | State::Probing { cause } => BreakerView {
                state: BreakerState::HalfOpen,
                remaining: Duration::ZERO,
                cause: Some(cause),
            },
        }
    }

    fn lengthened(&self, pause: Duration, openings: u64) -> Duration {
        let Some(seed) = self.seed else {
            return pause;
        };
        let random = split_mix(seed.wrapping_add(openings));
        // The upper 53 bits make a number in 0..1 with the full precision of f64.
        let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
        pause + pause.mul_f64(share / 10.0)
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): spreads consecutive numbers over all 64 bits.
fn split_mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The right to send one request. Dropped without a verdict, it counts as cancelled.
pub struct Permit<'a> {
    breaker: &'a Breaker,
    probe: Option<TripKind>,
    openings: u64,
    settled: bool,
}

impl Permit<'_> {
    /// True when this request decides whether the breaker closes.
    pub fn is_probe(&self) -> bool {
        self.probe.is_some()
    }

    /// The server answered.
    pub fn succeed(mut self) {
        self.settled = true;
        // Only the probe closes: an answer to a request from before the failure proves nothing.
        if self.probe.is_some() {
            self.breaker.inner.lock().state = State::Closed;
        }
    }

    /// The request failed. Returns the pause that follows.
    pub fn fail(mut self, trip: Trip) -> Duration {
        self.settled = true;
        let now = (self.breaker.clock)();
        let mut inner = self.breaker.inner.lock();
        let pause = self.breaker.lengthened(trip.pause(), inner.openings);
        let until = now + pause;
        match inner.state {
            State::Closed if self.openings == inner.openings => {}
            State::Probing { .. } if self.probe.is_some() => {}
            // Several requests were under way when the server failed: the longest pause counts.
            State::Open { until: earlier, .. } if earlier < until => {}
            _ => return pause,
        }
        inner.state = State::Open {
            until,
            cause: trip.kind(),
        };
        inner.openings += 1;
        pause
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        if let Some(cause) = self.probe {
            // Over already, so that the next request may probe at once.
            self.breaker.inner.lock().state = State::Open {
                until: Duration::ZERO,
                cause,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    struct Fixture {
        millis: Arc<AtomicU64>,
        breaker: Breaker,
    }

    fn fixture(seed: Option<u64>) -> Fixture {
        let millis = Arc::new(AtomicU64::new(1_000));
        let read = Arc::clone(&millis);
        let clock: Clock = Arc::new(move || Duration::from_millis(read.load(Ordering::SeqCst)));
        Fixture {
            breaker: Breaker::new(clock, seed),
            millis,
        }
    }

    impl Fixture {
        fn advance(&self, duration: Duration) {
            self.millis
                .fetch_add(duration.as_millis() as u64, Ordering::SeqCst);
        }
        fn fail(&self, trip: Trip) -> Duration {
            self.breaker.acquire().ok().unwrap().fail(trip)
        }
        fn state(&self) -> BreakerState {
            self.breaker.view().state
        }
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn limited(retry_after: Option<u64>) -> Trip {
        Trip::RateLimited {
            retry_after: retry_after.map(seconds),
        }
    }

    #[test]
    fn every_failure_has_its_pause() {
        for (trip, pause) in [
            (limited(None), 60),
            (limited(Some(7)), 7),
            (limited(Some(0)), 1),
            (limited(Some(1_000_000)), 3600),
            (Trip::Server, 30),
            (Trip::Timeout, 15),
            (Trip::Connection, 30),
        ] {
            let f = fixture(None);
            assert_eq!(f.fail(trip), seconds(pause), "{trip:?}");
            let view = f.breaker.view();
            assert_eq!(view.state, BreakerState::Open);
            assert_eq!(view.remaining, seconds(pause));
            assert_eq!(view.cause, Some(trip.kind()));
            f.advance(seconds(pause) - Duration::from_millis(1));
            assert_eq!(
                f.breaker.acquire().err(),
                Some(Duration::from_millis(1)),
                "{trip:?}"
            );
            f.advance(Duration::from_millis(1));
            assert_eq!(f.state(), BreakerState::HalfOpen);
            assert!(f.breaker.acquire().ok().unwrap().is_probe());
        }
    }

    #[test]
    fn one_probe_at_a_time_and_success_closes() {
        let f = fixture(None);
        f.fail(Trip::Server);
        f.advance(seconds(30));
        let probe = f.breaker.acquire().ok().unwrap();
        assert_eq!(f.breaker.acquire().err(), Some(Duration::ZERO));
        assert_eq!(f.state(), BreakerState::HalfOpen);
        probe.succeed();
        assert_eq!(f.state(), BreakerState::Closed);
        assert!(!f.breaker.acquire().ok().unwrap().is_probe());
    }

    #[test]
    fn a_failed_probe_opens_again_for_its_own_pause() {
        let f = fixture(None);
        f.fail(Trip::Server);
        f.advance(seconds(30));
        f.fail(Trip::Timeout);
        assert_eq!(f.breaker.view().remaining, seconds(15));
        assert_eq!(f.breaker.view().cause, Some(TripKind::Timeout));
    }

    #[test]
    fn a_cancelled_probe_frees_its_place() {
        let f = fixture(None);
        f.fail(Trip::Server);
        f.advance(seconds(30));
        drop(f.breaker.acquire().ok().unwrap());
        assert_eq!(f.state(), BreakerState::HalfOpen);
        let second = f.breaker.acquire().ok().unwrap();
        assert!(second.is_probe());
        second.succeed();
        assert_eq!(f.state(), BreakerState::Closed);
    }

    #[test]
    fn a_cancelled_ordinary_request_changes_nothing() {
        let f = fixture(None);
        drop(f.breaker.acquire().ok().unwrap());
        assert_eq!(f.state(), BreakerState::Closed);
    }

    #[test]
    fn requests_under_way_at_the_failure_neither_close_nor_shorten() {
        let f = fixture(None);
        let slow = f.breaker.acquire().ok().unwrap();
        let other = f.breaker.acquire().ok().unwrap();
        f.fail(limited(None));
        slow.succeed();
        assert_eq!(f.state(), BreakerState::Open);
        other.fail(Trip::Timeout);
        assert_eq!(f.breaker.view().remaining, seconds(60));
        assert_eq!(f.breaker.view().cause, Some(TripKind::RateLimited));
    }

    #[test]
    fn a_failure_from_before_the_last_pause_is_stale() {
        let f = fixture(None);
        let slow = f.breaker.acquire().ok().unwrap();
        f.fail(Trip::Server);
        f.advance(seconds(30));
        f.breaker.acquire().ok().unwrap().succeed();
        slow.fail(Trip::Connection);
        assert_eq!(f.state(), BreakerState::Closed);
    }

    #[test]
    fn jitter_only_lengthens_and_follows_the_seed() {
        let pauses = |seed| {
            let f = fixture(Some(seed));
            (0..20)
                .map(|_| {
                    let pause = f.fail(Trip::Server);
                    f.advance(pause + Duration::from_millis(1));
                    pause
                })
                .collect::<Vec<_>>()
        };
        let first = pauses(7);
        assert!(first.iter().all(|p| (seconds(30)..seconds(33)).contains(p)));
        assert!(first.windows(2).any(|pair| pair[0] != pair[1]));
        assert_eq!(first, pauses(7));
        assert_ne!(first, pauses(8));
    }
}

//! What time alone will do to a list: when each result leaves it, and what enters.
//!
//! The gathered lists stand still; only ages grow. A decayed score is then
//! s(τ) = f·φ + f·(1 − φ)·2^(−a/h) · x with x = 2^(−τ/h), τ days from now: a straight line in x for
//! every memory, whatever its age. Two memories of one half-life change places where their lines
//! cross, at x = −(A₁ − A₂)/(B₁ − B₂), which gives the moment in closed form. With kinds that age
//! differently the difference is a sum of exponentials, whose roots are as exact ([`roots`]). Inside
//! the rerank window the blend b·r + (1 − b)·(s − low)/(high − low) is compared after multiplying by
//! (high − low), which again leaves such sums as long as the window holds the same memories in the
//! same order.
//!
//! So time is walked from one such moment to the next, and the real ranking is asked right behind
//! each. Where its results differ from those before, the millisecond is found by trying. Guarantee:
//! every change given out has been tried on both sides. With MMR on there is no closed form; then
//! the ranking is looked at at even steps, and [`Forecast::exact`] is false.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use memory::{MemoryId, Millis};

use crate::constants::Constants;
use crate::diagnose::roots;
use crate::engine::Engine;
use crate::gathered::Gathered;
use crate::ranking::Ranking;
use crate::stage::decay::{Age, Decayed, LEAST_FACTOR, MILLIS_PER_DAY, counted_from};
use crate::stage::rerank::Made;
use crate::trace::Undecayed;

/// Looks when no closed form is known.
const LOOKS: i64 = 400;

/// Moments that are walked through at most; beyond, the forecast ends early and says until when.
const MOST_MOMENTS: usize = 4000;

/// What computing a moment in days may cost, in milliseconds: a moment just below a whole one is
/// taken for it, so that the look behind it is behind it.
const ROUNDING: f64 = 1e-3;

/// Moments with unread rows that are named, so that a reranker can read them.
const UNREAD_NAMED: usize = 16;

/// The results from one moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The first millisecond of the new list.
    pub at: Millis,
    /// The results, best first.
    pub results: Vec<MemoryId>,
}

/// What becomes of the results while time passes and nothing else changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Where it starts.
    pub from: Millis,
    /// Up to where it holds.
    pub until: Millis,
    /// Whether the changes are all there are, to the millisecond.
    pub exact: bool,
    /// The results at the start.
    pub start: Vec<MemoryId>,
    /// Every change after it, in order.
    pub changes: Vec<Change>,
    /// Some moments at which the rerank window holds rows that nobody has read: they count 0 there.
    pub unread: Vec<Millis>,
}

/// What becomes of one memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// Its rank at the clock, from 1; `None` when it is no result then.
    pub rank: Option<u32>,
    /// When it stops being a result.
    pub leaves: Option<Millis>,
    /// When it becomes one.
    pub enters: Option<Millis>,
    /// When its rank next changes, and to what; no rank = no result any more.
    pub next: Option<(Millis, Option<u32>)>,
}

impl Forecast {
    /// The results at a moment; those at the start for moments before it.
    pub fn results_at(&self, at: Millis) -> &[MemoryId] {
        self.changes
            .iter()
            .rev()
            .find(|change| change.at <= at)
            .map_or(&self.start, |change| &change.results)
    }

    /// What becomes of a memory after `now`.
    pub fn fate(&self, id: MemoryId, now: Millis) -> Fate {
        let rank = rank_in(self.results_at(now), id);
        let mut fate = Fate {
            rank,
            ..Fate::default()
        };
        for change in self.changes.iter().filter(|change| change.at > now) {
            let then = rank_in(&change.results, id);
            if then == rank {
                continue;
            }
            if fate.next.is_none() {
                fate.next = Some((change.at, then));
            }
            match (rank, then) {
                (Some(_), None) => fate.leaves = Some(change.at),
                (None, Some(_)) => fate.enters = Some(change.at),
                _ => continue,
            }
            break;
        }
        fate
    }

    /// Every memory that is a result at some time.
    pub fn memories(&self) -> BTreeSet<MemoryId> {
        let later = self.changes.iter().flat_map(|change| &change.results);
        self.start.iter().chain(later).copied().collect()
    }
}

fn rank_in(results: &[MemoryId], id: MemoryId) -> Option<u32> {
    let place = results.iter().position(|&other| other == id)?;
    u32::try_from(place + 1).ok()
}

/// A decayed score in time: `still + fading · 2^(−days / half_life)`, days from now.
#[derive(Clone, Copy, Debug)]
struct Line {
    still: f64,
    fading: f64,
    half_life: f64,
}

impl Line {
    /// Two lines with one floor meet only at the end of time, but a double holds their difference
    /// no longer than some fifty half-lives: then both scores are equal, and the ids decide. With
    /// one half-life the difference of what fades counts, otherwise whichever of the two is left.
    fn fades_into(self, other: Self, take: &mut impl FnMut(Option<f64>)) {
        let floor = self.still.max(other.still);
        if floor <= 0.0 || (self.still - other.still).abs() > floor * 1e-12 {
            return;
        }
        let alone = |line: Self| (line.fading, line.half_life);
        let together = self
            .half_life
            .total_cmp(&other.half_life)
            .is_eq()
            .then_some([((self.fading - other.fading).abs(), self.half_life); 1]);
        let fading: &[(f64, f64)] = match &together {
            Some(both) => both,
            None => &[alone(self), alone(other)],
        };
        for bits in 46..=58 {
            let least = floor * libm::exp2(f64::from(-bits));
            for &(fading, half_life) in fading {
                take(meets(least, &[(-fading, half_life)], f64::INFINITY));
            }
        }
    }

    fn crosses(self, other: Self, horizon: f64) -> Option<f64> {
        meets(
            self.still - other.still,
            &[
                (self.fading, self.half_life),
                (-other.fading, other.half_life),
            ],
            horizon,
        )
    }
}

/// In how many days `still + Σ fading · 2^(−days / half_life)` is first zero, within the horizon.
fn meets(still: f64, fading: &[(f64, f64)], horizon: f64) -> Option<f64> {
    let mut moving = fading.iter().filter(|(fading, _)| *fading != 0.0);
    let &(_, half_life) = moving.next()?;
    if moving.all(|(_, other)| other.total_cmp(&half_life).is_eq()) {
        let x = -still / fading.iter().map(|(fading, _)| fading).sum::<f64>();
        return (x > 0.0 && x <= 1.0).then(|| (-half_life * libm::log2(x)).max(0.0));
    }
    let mut terms = [(0.0, 0.0); 5];
    terms[0] = (still, 0.0);
    for (term, &(fading, half_life)) in terms[1..].iter_mut().zip(fading) {
        *term = (fading, half_life.recip());
    }
    roots::exponentials(&terms, 0.0, horizon).into_iter().next()
}

impl Gathered {
    /// What becomes of the results between two moments. Pure.
    pub fn forecast(&self, constants: &Constants, from: Millis, until: Millis) -> Forecast {
        let constants = &constants.clamped();
        let ranking = self.rank(constants, from);
        let mut forecast = Forecast {
            from,
            until: until.max(from),
            exact: !constants.mmr,
            start: ranking.results(),
            changes: Vec::new(),
            unread: Vec::new(),
        };
        self.walk(constants, ranking, &mut forecast);
        forecast
    }

    fn walk(&self, constants: &Constants, mut ranking: Ranking, forecast: &mut Forecast) {
        let mut at = forecast.from;
        let mut results = forecast.start.clone();
        note_unread(&ranking, at, &mut forecast.unread);
        for moment in 0..MOST_MOMENTS {
            let next = if moment == 0 {
                // Scores that are equal at the start part at once, and no crossing tells of it.
                Some(at + 1).filter(|next| *next <= forecast.until)
            } else if constants.mmr {
                let step = ((forecast.until - forecast.from) / LOOKS).max(60_000);
                Some(at + step).filter(|next| *next <= forecast.until)
            } else {
                self.next_moment(&ranking, constants, at, forecast.until)
            };
            let Some(next) = next else { return };
            let after = self.rank(constants, next);
            if after.results() == results {
                (at, ranking) = (next, after);
            } else {
                at = self.first_change(constants, &results, at, next);
                ranking = self.rank(constants, at);
                results = ranking.results();
                forecast.changes.push(Change {
                    at,
                    results: results.clone(),
                });
            }
            note_unread(&ranking, at, &mut forecast.unread);
        }
        forecast.until = at;
    }

    /// The first millisecond in (before, after] whose results differ. They usually do at the very
    /// moment that was computed, so the search starts there.
    fn first_change(
        &self,
        constants: &Constants,
        results: &[MemoryId],
        before: Millis,
        after: Millis,
    ) -> Millis {
        let same = |at: Millis| self.rank(constants, at).results() == results;
        let (mut low, mut high, mut step) = (before, after, 1);
        while high - step > low {
            if same(high - step) {
                low = high - step;
                break;
            }
            high -= step;
            step *= 4;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if same(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The millisecond behind the next moment at which the order that matters may change.
    fn next_moment(
        &self,
        ranking: &Ranking,
        constants: &Constants,
        at: Millis,
        until: Millis,
    ) -> Option<Millis> {
        let rows = &ranking.decayed;
        let horizon = (until - at) as f64 / MILLIS_PER_DAY;
        let mut soonest = f64::INFINITY;
        let mut take = |days: Option<f64>| {
            if let Some(days) = days {
                soonest = soonest.min(days);
            }
        };
        let lines: Vec<Line> = rows
            .iter()
            .map(|row| {
                let (line, turn) = self.line(row, constants, at);
                take(turn);
                line
            })
            .collect();
        let window = if ranking.rerank_report.ran() {
            rows.len().min(constants.rerank_window as usize)
        } else {
            0
        };
        let deep = depth(ranking).max(window).min(rows.len());
        for (place, line) in lines[..deep].iter().enumerate() {
            for other in &lines[place + 1..] {
                take(line.crosses(*other, horizon));
                line.fades_into(*other, &mut take);
            }
        }
        if window > 1 {
            let blend = constants.rerank_blend;
            let (high, low) = (lines[0], lines[window - 1]);
            let read: Vec<f64> = rows[..window]
                .iter()
                .map(|row| reading(ranking, row.id()))
                .collect();
            for one in 0..window {
                for other in one + 1..window {
                    let ahead = blend * (read[one] - read[other]);
                    let parts = [
                        (ahead, high),
                        (-ahead, low),
                        (1.0 - blend, lines[one]),
                        (blend - 1.0, lines[other]),
                    ];
                    take(meets(
                        parts.iter().map(|(share, line)| share * line.still).sum(),
                        &parts.map(|(share, line)| (share * line.fading, line.half_life)),
                        horizon,
                    ));
                }
            }
        }
        let millis = (soonest * MILLIS_PER_DAY + ROUNDING).floor();
        if millis >= (until - at) as f64 {
            return None;
        }
        Some(at + millis as Millis + 1)
    }

    /// A row's score from now on, and in how many days it stops being this line.
    fn line(&self, row: &Decayed, constants: &Constants, at: Millis) -> (Line, Option<f64>) {
        let still = |still: f64| Line {
            still,
            fading: 0.0,
            half_life: constants.half_life_days,
        };
        // How often it was said stands still while time passes.
        let fused = row.fused.score * row.authority;
        let (days, half_life) = match row.age {
            Age::Days {
                days,
                own_half_life,
            } => (days, own_half_life.unwrap_or(constants.half_life_days)),
            Age::Without(Undecayed::Future) => {
                let times = self.times(row.fused.candidate);
                let from = counted_from(&times, constants.decay_clock).unwrap_or(at);
                let turn = (from - at) as f64 / MILLIS_PER_DAY;
                return (still(row.score), Some(turn));
            }
            Age::Without(_) => return (still(row.score), None),
        };
        let floor = constants.decay_floor;
        let fades = Line {
            still: fused * floor,
            fading: fused * (1.0 - floor) * libm::exp2(-days / half_life),
            half_life,
        };
        if floor >= LEAST_FACTOR {
            return (fades, None);
        }
        // Without a floor the factor comes to rest at the least one.
        let rest = -libm::log2(LEAST_FACTOR) * half_life - days;
        if rest > 0.0 {
            (fades, Some(rest))
        } else {
            (still(row.score), None)
        }
    }
}

/// How many of the decayed list are needed to tell the results.
fn depth(ranking: &Ranking) -> usize {
    let wanted: BTreeSet<MemoryId> = ranking.results().into_iter().collect();
    ranking
        .decayed
        .iter()
        .rposition(|row| wanted.contains(&row.id()))
        .map_or(0, |place| place + 1)
}

fn reading(ranking: &Ranking, id: MemoryId) -> f64 {
    ranking
        .reranked
        .iter()
        .find(|row| row.id() == id)
        .map_or(0.0, |row| match row.made {
            Made::Read {
                reranker, length, ..
            } => reranker * length,
            _ => 0.0,
        })
}

fn note_unread(ranking: &Ranking, at: Millis, unread: &mut Vec<Millis>) {
    if unread.len() < UNREAD_NAMED
        && ranking
            .reranked
            .iter()
            .any(|row| matches!(row.made, Made::Unread { .. }))
    {
        unread.push(at);
    }
}

impl Engine {
    /// What becomes of the results between two moments, after the reranker has read what comes
    /// into its window meanwhile, as far as `patience` reaches.
    pub fn forecast(
        &self,
        gathered: &Gathered,
        constants: &Constants,
        from: Millis,
        until: Millis,
        patience: Duration,
    ) -> Forecast {
        let end = Instant::now() + patience;
        loop {
            let forecast = gathered.forecast(constants, from, until);
            let mut read = 0;
            for &at in &forecast.unread {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return forecast;
                }
                read += self.score_window(gathered, constants, at, left);
            }
            // Nothing was unread, or the reranker gives no more.
            if read == 0 {
                return forecast;
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Where a step function of one number holds: as runs of whole numbers, or as closed intervals both ends
//! of which have been tried.

/// How many holes beside an end are passed at most.
const MOST_HOLES: u32 = 40;

/// Sorts, and keeps what lies in the range, with both its ends.
pub fn bounded(steps: &mut Vec<f64>, low: f64, high: f64) {
    steps.retain(|step| *step > low && *step < high);
    steps.extend([low, high]);
    steps.sort_by(f64::total_cmp);
    steps.dedup();
}

/// Runs of whole numbers that hold.
pub fn whole_intervals(low: u32, high: u32, holds: impl Fn(u32) -> bool) -> Vec<(f64, f64)> {
    let mut intervals: Vec<(f64, f64)> = Vec::new();
    let mut open = false;
    for value in low..=high {
        let held = holds(value);
        match (held, open, intervals.last_mut()) {
            (true, true, Some(last)) => last.1 = f64::from(value),
            (true, _, _) => intervals.push((f64::from(value), f64::from(value))),
            _ => {}
        }
        open = held;
    }
    intervals
}

/// Intervals of a step function, from trials in order: between two trials that differ the step is
/// found by bisection. Both ends of every interval have been tried and hold.
pub fn stepwise(trials: &[f64], holds: &impl Fn(f64) -> bool) -> Vec<(f64, f64)> {
    let mut intervals: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, bool)> = None;
    for &trial in trials {
        let held = holds(trial);
        match before {
            None if held => intervals.push((trial, trial)),
            Some((_, true)) if held => {
                if let Some(last) = intervals.last_mut() {
                    last.1 = trial;
                }
            }
            Some((from, true)) => {
                if let Some(last) = intervals.last_mut() {
                    last.1 = edge(from, trial, holds);
                }
            }
            Some((from, false)) if held => intervals.push((edge(trial, from, holds), trial)),
            _ => {}
        }
        before = Some((trial, held));
    }
    intervals
}

/// The last value that holds on the way from one that does to one that does not.
fn edge(mut inside: f64, mut outside: f64, holds: &impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(inside, outside);
        if (inside - outside).abs() < 1e-12 {
            break;
        }
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

/// Moves an end inwards where the numbers right beside it do not hold: two rows of nearly equal scores
/// change places several times there, as rounding has it. What is left is given out; a present value that
/// holds stays in, alone if need be.
pub fn pulled_in(
    intervals: Vec<(f64, f64)>,
    current: f64,
    holds: &impl Fn(f64) -> bool,
) -> Vec<(f64, f64)> {
    let mut sound: Vec<(f64, f64)> = Vec::new();
    for (from, to) in intervals {
        let inner = (
            inwards(from, to, f64::next_up, holds),
            inwards(to, from, f64::next_down, holds),
        );
        let alone = (from..=to).contains(&current) && !(inner.0..=inner.1).contains(&current);
        if alone && current < inner.0 {
            sound.push((current, current));
        }
        if inner.0 <= inner.1 {
            sound.push(inner);
        }
        if alone && current > inner.1 {
            sound.push((current, current));
        }
    }
    sound
}

/// From an end that holds, the first number on the way to the other end from which on the numbers beside
/// it hold as well: looked at in steps that double, from one representable number on.
fn inwards(end: f64, other: f64, next: impl Fn(f64) -> f64, holds: &impl Fn(f64) -> bool) -> f64 {
    let inside = |value: f64| (end.min(other)..=end.max(other)).contains(&value);
    let mut sound = end;
    let mut step = next(end) - end;
    for _ in 0..MOST_HOLES {
        let beside = sound + step;
        if !inside(beside) || holds(beside) {
            break;
        }
        // Past the hole: the first step that holds again.
        while inside(sound + step) && !holds(sound + step) {
            step *= 2.0;
        }
        if !inside(sound + step) {
            return other;
        }
        sound += step;
        step = next(sound) - sound;
    }
    sound
}

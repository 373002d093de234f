//! The machine, and a table of what was measured on it.

use std::time::Instant;

/// The value below which a share of the values lies.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share) as usize;
    sorted[at.min(sorted.len() - 1)]
}

/// Bytes a second that one thread reads from a block larger than any cache.
pub fn bandwidth() -> f64 {
    let block = vec![1_u64; 32 << 20];
    let began = Instant::now();
    let mut sum = 0_u64;
    for _ in 0..4 {
        sum = sum.wrapping_add(block.iter().fold(0, |sum, value| sum.wrapping_add(*value)));
    }
    std::hint::black_box(sum);
    (block.len() * 8 * 4) as f64 / began.elapsed().as_secs_f64()
}

/// Megabytes of memory in use; known on Linux only.
pub fn resident_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// Processors by number and name.
pub fn name() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("processor", |rest| {
            rest.trim_start_matches([' ', '\t', ':'])
        });
    format!("{cores} × {model}")
}

struct Row {
    what: &'static str,
    value: f64,
    unit: &'static str,
    budget: Option<(bool, f64)>,
}

/// What was measured, in order.
#[derive(Default)]
pub struct Table(Vec<Row>);

impl Table {
    /// A number without a budget.
    pub fn note(&mut self, what: &'static str, value: f64, unit: &'static str) {
        self.0.push(Row {
            what,
            value,
            unit,
            budget: None,
        });
    }

    /// A number that must not be higher.
    pub fn at_most(&mut self, what: &'static str, value: f64, unit: &'static str, budget: f64) {
        self.0.push(Row {
            what,
            value,
            unit,
            budget: Some((true, budget)),
        });
    }

    /// A number that must not be lower.
    pub fn at_least(&mut self, what: &'static str, value: f64, unit: &'static str, budget: f64) {
        self.0.push(Row {
            what,
            value,
            unit,
            budget: Some((false, budget)),
        });
    }

    /// Prints it; whether every budget was met.
    pub fn print(&self) -> bool {
        let mut all = true;
        for Row {
            what,
            value,
            unit,
            budget,
        } in &self.0
        {
            let places = if *value < 10.0 {
                2
            } else {
                usize::from(*value < 1000.0)
            };
            let verdict = budget.map_or(String::new(), |(most, budget)| {
                let met = if most {
                    *value <= budget
                } else {
                    *value >= budget
                };
                all &= met;
                format!(
                    "  {} {} {budget}",
                    if met { "ok  " } else { "MISS" },
                    if most { "≤" } else { "≥" }
                )
            });
            println!("{what:<56} {value:>10.places$} {unit:<4}{verdict}");
        }
        all
    }
}

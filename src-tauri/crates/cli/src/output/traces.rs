//! Past queries, printed.

use inspector::view::{HistoryOutcome, HistoryView, SavedFileView, UsageCounts};

use super::Output;
use super::print::{self, first_line, inline};

impl Output {
    /// Past queries, newest first.
    pub fn history(&self, view: &HistoryView) {
        self.object(view, || {
            for entry in &view.entries {
                let outcome = match entry.outcome {
                    HistoryOutcome::Found => "found",
                    HistoryOutcome::Missed => "missed",
                    HistoryOutcome::Unjudged => "unjudged",
                    HistoryOutcome::Empty => "empty",
                };
                say!(
                    "{:<6} {}  {:<6}  {:>3} results  {outcome:<8}  {:<12}  {}",
                    entry.id,
                    entry.at,
                    entry.channel.name(),
                    entry.results,
                    entry.usage.map(used).unwrap_or_default(),
                    first_line(&entry.query)
                );
            }
            say!("{} of {} past queries", view.entries.len(), view.total);
        });
    }

    /// A document that is JSON by itself, with --json or without.
    pub fn document_text(&self, json: &str) {
        self.clear_bar();
        print::raw(&[print::harmless_json(json).as_bytes(), b"\n"].concat());
    }

    /// A file that was written.
    pub fn saved_file(&self, saved: &SavedFileView) {
        self.object(saved, || {
            say!("{}  {} bytes", inline(&saved.path), saved.bytes);
        });
    }
}

/// What an agent's answer made of what it was given.
fn used(counts: UsageCounts) -> String {
    if counts.given == 0 {
        String::new()
    } else if counts.answered {
        format!("used {} of {}", counts.used, counts.given)
    } else {
        "no answer".to_owned()
    }
}

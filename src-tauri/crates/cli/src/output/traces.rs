//! Past queries, printed.

use inspector::view::{HistoryOutcome, HistoryView, SavedFileView};

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
                    "{:<6} {}  {:<6}  {:>3} results  {outcome:<8}  {}",
                    entry.id,
                    entry.at,
                    entry.channel.name(),
                    entry.results,
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

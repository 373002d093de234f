//! What the commands print: one JSON object, or text for people.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};
use inspector::view::{
    GateVerdict, IngestReport, MemoryView, PageView, QueryView, ResultView, ScrubView, SourceView,
    StatusView, VerdictView,
};
use inspector::{KnnIndexView, SuiteOutcome, report};
use serde_json::json;
use std::cell::RefCell;

/// Writes a line to standard output. A reader that has seen enough (`| head`) is no error.
macro_rules! say {
    ($($line:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($line)*);
    }};
}

mod constants;
mod lanes;
mod outcomes;
mod reranker;
mod traces;
mod vault;

/// Where answers go.
pub struct Output {
    json: bool,
    bar: RefCell<Option<(String, ProgressBar)>>,
}

impl Output {
    /// JSON for programs, text for people.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            bar: RefCell::new(None),
        }
    }

    fn object(&self, value: &impl serde::Serialize, text: impl FnOnce()) {
        self.clear_bar();
        if self.json {
            match serde_json::to_string(value) {
                Ok(line) => say!("{line}"),
                Err(error) => eprintln!("lethescope: the answer could not be written: {error}"),
            }
        } else {
            text();
        }
    }

    fn clear_bar(&self) {
        if let Some((_, bar)) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }

    /// Shows how far something is, on stderr, when a person watches.
    pub fn progress(&self, what: &str, done: u32, total: u32) {
        if self.json || !std::io::stderr().is_terminal() {
            return;
        }
        let mut slot = self.bar.borrow_mut();
        if slot.as_ref().is_none_or(|(name, _)| name != what) {
            let bar = ProgressBar::new(u64::from(total));
            if let Ok(style) = ProgressStyle::with_template("{msg} {bar:32} {pos}/{len} {eta}") {
                bar.set_style(style);
            }
            bar.set_message(what.to_owned());
            *slot = Some((what.to_owned(), bar));
        }
        if let Some((_, bar)) = slot.as_ref() {
            bar.set_length(u64::from(total));
            bar.set_position(u64::from(done));
        }
    }

    /// The state of the vault.
    pub fn status(&self, status: &StatusView) {
        self.object(status, || {
            say!("vault     {}", status.folder);
            say!(
                "memories  {} ({} in the trash)",
                status.memories,
                status.trash
            );
            say!("embedded  {} of {}", status.embedded, status.embeddable);
            say!("model     {}", report::model(&status.model));
            say!("sources   {}", status.sources);
            say!("schema    {}", status.schema);
            for (name, version) in &status.libraries {
                say!("{name:<9} {version}");
            }
            say!();
            for (table, rows) in &status.tables {
                say!("{rows:>9}  {table}");
            }
        });
    }

    /// What taking in did.
    pub fn report(&self, report: &IngestReport, dry: bool) {
        self.object(report, || {
            let verb = if dry { "would be stored" } else { "stored" };
            say!(
                "{} files, {} records, {} {verb}",
                report.files,
                report.records,
                report.stored
            );
            for (format, files) in &report.formats {
                say!("  {files:>7} files of {format}");
            }
            for (format, mapping) in &report.mappings {
                say!("          {format}: {mapping}");
            }
            for (reason, count) in &report.skipped {
                say!("  {count:>7} left out: {reason}");
            }
            for error in &report.errors {
                say!("  {}:{}: {}", error.path, error.line, error.reason);
            }
            let shown = u32::try_from(report.errors.len()).unwrap_or(u32::MAX);
            if report.error_count > shown {
                say!("  … and {} more", report.error_count - shown);
            }
        });
    }

    /// A folder that is now watched.
    pub fn source(&self, source: &SourceView) {
        self.object(source, || {
            say!(
                "{} {}: {} memories",
                source.state,
                source.path,
                source.stored
            );
        });
    }

    /// Memories that just came.
    pub fn arrived(&self, added: u32, latest: &[String]) {
        self.object(&json!({ "added": added, "latest": latest }), || {
            say!("+{added}  {}", latest.join(" "));
        });
    }

    /// A query's answer.
    pub fn answer(&self, answer: &QueryView, results: &[ResultView]) {
        let trace = &answer.trace;
        self.object(
            &json!({
                "query": trace.query,
                "mode": trace.effective_mode,
                "level": trace.level,
                "stages": trace.stages,
                "results": results,
                "lanes": lanes::with_texts(answer),
            }),
            || {
                say!("{}", report::stage_table(trace));
                for result in results {
                    say!(
                        "{:>3}. {:.4}  {}  {}",
                        result.rank,
                        result.score,
                        result.id,
                        first_line(&result.content)
                    );
                    say!(
                        "              {} · {} · {}",
                        result.agent,
                        result.created_at.as_deref().unwrap_or("undated"),
                        result.source.as_deref().unwrap_or("no source")
                    );
                }
                if results.is_empty() {
                    say!("no results");
                }
                lanes::beside(answer);
            },
        );
    }

    /// Why a memory was missed.
    pub fn verdict(&self, verdict: &VerdictView) {
        self.object(verdict, || {
            say!("{}\n", verdict.headline);
            for gate in &verdict.gates {
                let mark = match gate.verdict {
                    GateVerdict::Ok => "✓",
                    GateVerdict::Missed => "!",
                    GateVerdict::Lost => "✕",
                    GateVerdict::NotReached => "–",
                    GateVerdict::Failed => "⚡",
                };
                say!("{mark} {:<10} {}", gate.name, gate.note);
            }
            if verdict.fixes.is_empty() {
                return;
            }
            say!("\nSmallest change of one constant that brings it in:");
            for fix in &verdict.fixes {
                let values: Vec<String> = fix
                    .intervals
                    .iter()
                    .map(|(low, high)| format!("{low}–{high}"))
                    .collect();
                let answer = if values.is_empty() {
                    "impossible alone".to_owned()
                } else {
                    values.join(", ")
                };
                let judged = match fix.ndcg_delta {
                    Some(change) => format!(
                        "   +{} gained {} lost, nDCG@10 {change:+.3}",
                        fix.gained, fix.lost
                    ),
                    None => String::new(),
                };
                say!(
                    "  {:<16} now {:<8} {answer}{judged}",
                    fix.constant,
                    fix.current
                );
            }
        });
    }

    /// How a regression suite went.
    pub fn suite(&self, outcome: &SuiteOutcome) {
        self.object(outcome, || {
            for case in &outcome.cases {
                let mark = if case.passed { "✓" } else { "✕" };
                say!("{mark} {}", first_line(&case.query));
                for met in case.expected.iter().filter(|met| !met.passed) {
                    let place = met.rank.map_or("not among the results".to_owned(), |rank| {
                        format!("at {rank}, not in the first {}", case.top)
                    });
                    say!("    {}: {place}", first_line(&met.expect));
                }
            }
            say!(
                "{} of {} queries passed",
                outcome.cases.len() - outcome.failures as usize,
                outcome.cases.len()
            );
        });
    }

    /// What scrubbing removed: on stderr, since the text itself went to stdout.
    pub fn scrubbed(&self, view: &ScrubView) {
        if self.json {
            eprintln!("{}", json!(view));
        } else if view.unclosed {
            eprintln!(
                "lethescope: a memory block was still open at the end; the text from its start on was removed"
            );
        }
    }

    /// A page of memories.
    pub fn page(&self, page: &PageView) {
        self.object(page, || {
            for card in &page.cards {
                say!(
                    "{:<8} {}  {:<12} {}",
                    card.id,
                    card.created_at
                        .as_deref()
                        .unwrap_or("undated                 "),
                    card.agent,
                    first_line(&card.snippet)
                );
            }
            say!("{} of {}", page.cards.len(), page.total);
        });
    }

    /// One memory in full.
    pub fn memory(&self, memory: &MemoryView) {
        self.object(memory, || {
            let card = &memory.card;
            say!(
                "{} · {} · {} · {} · {}",
                card.id,
                card.agent,
                card.role,
                card.kind,
                card.created_at.as_deref().unwrap_or("undated")
            );
            if let (Some(path), Some(line)) = (&memory.path, memory.line) {
                say!("{path}:{line}");
            }
            if !card.tags.is_empty() {
                say!("tags: {}", card.tags.join(", "));
            }
            if let Some(end) = &memory.expires_at {
                say!("expires: {end}");
            }
            say!("\n{}", harmless(&memory.content));
        });
    }

    /// How many memories something was done to.
    pub fn done(&self, what: &str, count: u32) {
        self.object(&json!({ what: count }), || say!("{what} {count}"));
    }

    /// The index over the vectors.
    pub fn knn_index(&self, view: &KnnIndexView) {
        self.object(view, || {
            say!("{}", view.index);
            if let Some(recall) = view.recall {
                let percent = recall * 100.0;
                say!("{percent:.1} % of the exact neighbours in its last self-check");
            }
        });
    }

    /// What was taken back.
    pub fn undone(&self, what: Option<&str>) {
        self.object(&json!({ "undone": what }), || {
            say!("{}", what.unwrap_or("nothing to undo"));
        });
    }
}

/// The first line, short enough for a terminal.
fn first_line(text: &str) -> String {
    let line: String = text
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(100)
        .collect();
    harmless(&line)
}

/// Control characters would let a memory write anywhere on the screen: they are shown, not obeyed.
fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            _ if c.is_control() => '\u{fffd}',
            _ => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\n\u{9b}c"), "a␛[2Jb\n\u{fffd}c");
        assert_eq!(first_line("one\r\ntwo"), "one");
    }
}

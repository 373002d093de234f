//! What the commands print: one JSON object, or text for people.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};
use inspector::view::{
    AddOutcome, AddedView, ContextView, EmbeddingView, GateVerdict, IngestReport, MemoryView,
    PairPartView, PairView, ProjectReport, QueryView, ResultView, RowsView, ScrubView,
    SightingView, SourceView, StatusView, VerdictView,
};
use inspector::{KnnIndexView, SuiteOutcome, report};
use serde::Serialize;
use serde_json::json;
use std::cell::RefCell;

use print::{complain, first_line, inline};

#[macro_use]
pub mod print;

mod constants;
mod duplicates;
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

    /// Whether a program reads the answer.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// A text as it is, or as the one value of an object.
    pub fn text(&self, name: &str, text: &str) {
        self.object(&json!({ name: text }), || print::line(text.trim_end()));
    }

    fn object(&self, value: &impl Serialize, text: impl FnOnce()) {
        self.clear_bar();
        if self.json {
            print::json(value);
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
            say!("vault     {}", inline(&status.folder));
            say!(
                "memories  {} ({} in the trash)",
                status.memories,
                status.trash
            );
            say!("embedded  {} of {}", status.embedded, status.embeddable);
            say!("model     {}", report::model(&status.model));
            if let Some(other) = &status.vectors_of {
                say!(
                    "vectors   come from {} and are being made anew; until then keywords answer",
                    inline(other)
                );
            }
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

    /// What taking in did, and how far the vectors follow.
    pub fn report(&self, report: &IngestReport, dry: bool, embedding: Option<&EmbeddingView>) {
        let mut object = json!(report);
        number(&mut object, "bytes");
        beside(&mut object, embedding);
        self.object(&object, || {
            let verb = if dry { "would be stored" } else { "stored" };
            say!(
                "{}, {}, {} {verb}",
                counted(report.files, "file"),
                counted(report.records, "record"),
                report.stored
            );
            for (format, files) in &report.formats {
                let noun = if *files == 1 { "file" } else { "files" };
                say!("  {files:>7} {noun} of {format}");
            }
            for (format, mapping) in &report.mappings {
                say!("          {format}: {}", inline(mapping));
            }
            for project in &report.projects {
                say!("          {}", project_line(project));
            }
            for (reason, count) in &report.skipped {
                say!("  {count:>7} left out: {reason}");
            }
            for (reason, count) in &report.left_alone {
                say!("  {count:>7} left alone: {reason}");
            }
            for (note, count) in &report.notes {
                say!("  {count:>7} × {note}");
            }
            for error in &report.errors {
                let (path, reason) = (inline(&error.path), inline(&error.reason));
                match error.line {
                    0 => say!("  {path}: {reason}"),
                    line => say!("  {path}:{line}: {reason}"),
                }
            }
            if report.cancelled {
                say!("  stopped before the end");
            }
            let shown = u32::try_from(report.errors.len()).unwrap_or(u32::MAX);
            if report.error_count > shown {
                say!("  … and {} more", report.error_count - shown);
            }
            say_pending(embedding);
        });
    }

    /// A folder that is now watched.
    pub fn watching(&self, source: &SourceView) {
        let event = json!({ "event": "watching", "source": source.id, "path": source.path });
        self.object(&event, || say!("watching {}", inline(&source.path)));
    }

    /// What was there when watching began is read.
    pub fn read(&self, source: &str, path: &str, files: u32, stored: u32) {
        let event = json!({
            "event": "read", "source": source, "path": path, "files": files, "stored": stored,
        });
        self.object(&event, || {
            say!("read {}: {files} files, {stored} memories", inline(path));
        });
    }

    /// Memories that just came.
    pub fn arrived(&self, added: u32, latest: &[String]) {
        if added == 0 {
            return;
        }
        let event = json!({ "event": "stored", "added": added, "latest": latest });
        self.object(&event, || say!("+{added}  {}", latest.join(" ")));
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
                "context": answer.context,
            }),
            || {
                say!("{}", report::stage_table(trace));
                for result in results {
                    say!(
                        "{:>3}. {:.4}  {}  {}{}",
                        result.rank,
                        result.score,
                        result.id,
                        mark(&result.trust),
                        first_line(&result.content)
                    );
                    say!(
                        "              {} · {} · {}",
                        whose(&result.org, &result.agent),
                        result.created_at.as_deref().unwrap_or("undated"),
                        inline(result.source.as_deref().unwrap_or("no source"))
                    );
                }
                if results.is_empty() {
                    say!("no results");
                }
                lanes::beside(answer);
            },
        );
    }

    /// The block for an agent, and nothing else: it is escaped already.
    pub fn context(&self, context: &ContextView) {
        self.object(context, || print::raw(context.block.as_bytes()));
    }

    /// Why a memory was missed, and the two constants that bring it in where none does alone.
    pub fn verdict(&self, verdict: &VerdictView, pair: Option<&PairView>) {
        #[derive(Serialize)]
        struct Answer<'a> {
            #[serde(flatten)]
            verdict: &'a VerdictView,
            pair: Option<&'a PairView>,
        }
        self.object(&Answer { verdict, pair }, || {
            say!("{}\n", inline(&verdict.headline));
            for gate in &verdict.gates {
                let mark = match gate.verdict {
                    GateVerdict::Ok => "✓",
                    GateVerdict::Missed => "!",
                    GateVerdict::Lost => "✕",
                    GateVerdict::NotReached => "–",
                    GateVerdict::Failed => "⚡",
                };
                say!("{mark} {:<10} {}", gate.name, inline(&gate.note));
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
                let judged = judged(fix.gained, fix.lost, fix.ndcg_delta);
                say!(
                    "  {:<16} now {:<8} {answer}{judged}",
                    fix.constant,
                    fix.current
                );
            }
            let Some(pair) = pair else { return };
            let judged = judged(pair.gained, pair.lost, pair.ndcg_delta);
            say!("\nTwo together do, at rank {}{judged}:", pair.rank);
            for part in &pair.parts {
                let PairPartView {
                    constant,
                    current,
                    value,
                    interval: (low, high),
                } = part;
                say!("  {constant:<16} now {current:<8} {value}   (the other one as it is: {low}–{high})");
            }
            if !pair.displaced.is_empty() {
                say!("  pushes {} out", pair.displaced.join(", "));
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
            print::complain_json(view);
        } else if view.unclosed {
            complain(
                "a memory block was still open at the end; the text from its start on was removed",
            );
        }
    }

    /// A page of memories.
    pub fn page(&self, page: &RowsView) {
        self.object(page, || {
            for row in &page.cards {
                let card = &row.card;
                say!(
                    "{:<8} {}  {:<12} {}{}",
                    card.id,
                    card.created_at
                        .as_deref()
                        .unwrap_or("undated                 "),
                    whose(&card.org, &card.agent),
                    mark(&card.trust),
                    first_line(&card.snippet.replace('\n', " "))
                );
            }
            say!("{} of {}", page.cards.len(), page.total);
        });
        if page.unreadable > 0 {
            complain(&format!(
                "{} numbers of memories stand on damaged pages and could not be read. \
                 `lethescope repair` saves what reads.",
                page.unreadable
            ));
        }
    }

    /// One memory in full.
    pub fn memory(&self, memory: &MemoryView, embedding: Option<&EmbeddingView>) {
        let mut object = json!(memory);
        number(&mut object, "offset");
        if let Some(embedding) = embedding.filter(|_| !memory.embedded) {
            object["not_embedded_because"] = json!(embedding.reason);
        }
        self.object(&object, || {
            let card = &memory.card;
            say!(
                "{} · {} · {} · {} · {}{}",
                card.id,
                whose(&card.org, &card.agent),
                card.role,
                card.kind,
                card.created_at.as_deref().unwrap_or("undated"),
                if card.trust == FLAGGED {
                    " · flagged"
                } else {
                    ""
                }
            );
            if let (Some(path), Some(line)) = (&memory.path, memory.line) {
                say!("{}:{line}", inline(path));
            }
            for (name, value) in [
                ("session", card.session.as_deref()),
                ("tool", card.tool_name.as_deref()),
                ("arguments", memory.tool_payload.as_deref()),
                ("expires", memory.expires_at.as_deref()),
                ("in the trash since", memory.deleted_at.as_deref()),
            ] {
                if let Some(value) = value {
                    say!("{name}: {}", inline(value));
                }
            }
            if !card.tags.is_empty() {
                say!("tags: {}", inline(&card.tags.join(", ")));
            }
            if card.pinned {
                say!("pinned");
            }
            if card.seen_count > 1 {
                say!(
                    "said {} times, last {}",
                    card.seen_count,
                    memory.last_seen_at
                );
            }
            for near in &memory.near {
                let what = if near.first {
                    "says nearly the same as"
                } else {
                    "said nearly so again in"
                };
                say!("{what} {} (cosine {:.3})", near.id, near.similarity);
            }
            for said in &memory.sightings {
                say!("said again: {}", sighting(said));
            }
            say!("\n{}", memory.content);
            say_pending(embedding);
        });
    }

    /// A memory written by hand.
    pub fn added(&self, added: &AddedView, embedding: Option<&EmbeddingView>) {
        let mut object = json!(added);
        beside(&mut object, embedding);
        self.object(&object, || {
            // The id alone, for scripts; what else is to be said goes to whoever watches.
            say!("{}", added.id);
            for (said, holds) in [
                (
                    "known already: it was said once more",
                    added.outcome == AddOutcome::Known,
                ),
                (
                    "reads like a planted instruction and waits for approval",
                    added.flagged,
                ),
                ("secrets in it were masked", added.secrets_masked),
            ] {
                if holds {
                    complain(&format!("{}: {said}", added.id));
                }
            }
        });
    }

    /// How many memories something was done to.
    pub fn done(&self, what: &str, count: u32) {
        self.object(&json!({ what: count }), || say!("{what} {count}"));
    }

    /// How many memories were moved where, which were there already, and which do not exist.
    pub fn moved(&self, what: &str, count: u32, left: (&str, &[String]), unknown: &[String]) {
        let object = json!({ what: count, left.0: left.1, "not_found": unknown });
        self.object(&object, || {
            say!("{what} {count}");
            if !left.1.is_empty() {
                let why = if left.0 == "in_trash" {
                    "in the trash already"
                } else {
                    "not in the trash"
                };
                say!("{why}: {}", left.1.join(", "));
            }
        });
    }

    /// How far embedding is.
    pub fn embedding(&self, view: &EmbeddingView) {
        self.object(view, || {
            say!(
                "embedded {} of {}",
                view.embedded,
                view.embedded + view.pending
            );
        });
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
    pub fn undone(&self, what: Option<&str>, embedding: Option<&EmbeddingView>) {
        let mut object = json!({ "undone": what });
        beside(&mut object, embedding);
        self.object(&object, || {
            say!("{}", inline(what.unwrap_or("nothing to undo")));
            say_pending(embedding);
        });
    }
}

/// A number that the window gets as text, since its own numbers end at 2^53, as a number.
fn number(object: &mut serde_json::Value, field: &str) {
    let read = object[field]
        .as_str()
        .and_then(|text| text.parse::<u64>().ok());
    if let Some(read) = read {
        object[field] = json!(read);
    }
}

/// How far embedding is, in the same object.
fn beside(object: &mut serde_json::Value, embedding: Option<&EmbeddingView>) {
    if let Some(view) = embedding {
        object["embedded"] = json!(view.embedded);
        object["pending"] = json!(view.pending);
        object["not_embedded_because"] = json!(view.reason);
    }
}

fn say_pending(embedding: Option<&EmbeddingView>) {
    let Some(view) = embedding.filter(|view| view.pending > 0) else {
        return;
    };
    let why = view
        .reason
        .as_deref()
        .unwrap_or("`lethescope embed` makes them");
    say!("\n{} without a vector: {}", view.pending, inline(why));
}

/// The trust label of text that waits for a person's approval.
const FLAGGED: &str = "flagged";

/// A word before a text that reads like a planted instruction.
fn mark(trust: &str) -> &'static str {
    if trust == FLAGGED { "flagged  " } else { "" }
}

/// What a change does to the judged queries; empty when nothing is judged.
fn judged(gained: u32, lost: u32, ndcg_delta: Option<f64>) -> String {
    ndcg_delta.map_or_else(String::new, |change| {
        format!("   +{gained} gained {lost} lost, nDCG@10 {change:+.3}")
    })
}

/// Organisation and agent.
fn whose(org: &str, agent: &str) -> String {
    if org.is_empty() {
        inline(agent)
    } else {
        inline(&format!("{org}/{agent}"))
    }
}

/// "1 file", "2 files".
fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A project of a dry run: conversations, days, memories.
fn project_line(project: &ProjectReport) -> String {
    let day = |at: &Option<String>| {
        at.as_deref()
            .and_then(|at| at.get(..10))
            .unwrap_or("?")
            .to_owned()
    };
    let name = match project.project.as_str() {
        "" => "no project",
        name => name,
    };
    format!(
        "{}: {}, {} to {}, {}",
        inline(name),
        counted(project.sessions, "session"),
        day(&project.first),
        day(&project.last),
        match project.kinds.values().sum::<u32>() {
            1 => "1 memory".to_owned(),
            many => format!("{many} memories"),
        }
    )
}

/// When, in which conversation and where a memory was said again, as far as that is known.
fn sighting(said: &SightingView) -> String {
    let mut facts = vec![said.at.as_deref().unwrap_or("undated").to_owned()];
    if let Some(session) = &said.session {
        facts.push(format!("session {}", inline(session)));
    }
    match (&said.path, said.line) {
        (Some(path), Some(line)) => facts.push(format!("{}:{line}", inline(path))),
        (Some(path), None) => facts.push(inline(path)),
        _ => {}
    }
    facts.join(" · ")
}

//! A trace as a table for terminals.

use std::fmt::Write as _;

use retrieval::trace::{Status, Trace};

use crate::view::ModelState;

/// The model in a few words.
pub fn model(state: &ModelState) -> String {
    match state {
        ModelState::Loading => "loading".to_owned(),
        ModelState::Ready { id, dimension } => format!("{id}, {dimension} dimensions"),
        ModelState::Missing { reason } => format!("missing: {reason}"),
        ModelState::Failed { reason } => format!("failed: {reason}"),
    }
}

/// One line per stage: name, status, time, counts, and the first thing it has to say.
pub fn stage_table(trace: &Trace) -> String {
    let mut table = format!(
        "query  {}\nmode   {}, level {}, {} memories searchable\n\n{:<7} {:<9} {:>9} {:>6} {:>6}  why\n",
        trace.query,
        name(&trace.effective_mode),
        name(&trace.level),
        trace.searchable,
        "stage",
        "status",
        "ms",
        "in",
        "out"
    );
    for stage in &trace.stages {
        let status = match stage.status {
            Status::Ok => "ok",
            Status::Skipped => "skipped",
            Status::Degraded => "degraded",
            Status::Failed => "failed",
        };
        let why = stage
            .reason
            .as_deref()
            .or_else(|| stage.notes.first().map(String::as_str))
            .unwrap_or("");
        // Writing into a String cannot fail.
        let _ = writeln!(
            table,
            "{:<7} {:<9} {:>9.2} {:>6} {:>6}  {}",
            stage.name.name(),
            status,
            stage.elapsed_ms,
            stage.count_in,
            stage.count_out,
            why
        );
    }
    table
}

/// The spelling of an enum in JSON, which is the one people see everywhere.
fn name(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

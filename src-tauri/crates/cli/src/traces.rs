//! `lethescope trace …`: past queries that a window has kept.

use std::path::Path;

use inspector::Inspector;
use inspector::request::{ExportTraceRequest, HistoryRequest, RedactionRequest, TraceName};

use crate::arguments::{Trace, TraceExport};
use crate::failure::Failure;
use crate::output::Output;

/// Lists them, or writes one to a file.
pub fn trace(inspector: &Inspector, out: &Output, asked: &Trace) -> Result<(), Failure> {
    match asked {
        Trace::List { before, limit } => out.history(&inspector.history(&HistoryRequest {
            before: before.clone(),
            limit: *limit,
            usage: true,
        })?),
        Trace::Export(request) => export(inspector, out, request)?,
    }
    Ok(())
}

fn export(inspector: &Inspector, out: &Output, asked: &TraceExport) -> Result<(), Failure> {
    let request = ExportTraceRequest {
        trace: TraceName::Stored {
            id: asked.id.clone(),
        },
        redacted: asked.redacted.then_some(RedactionRequest {
            query: asked.with_query,
            keep_ids: asked.with_ids,
        }),
    };
    if asked.file == Path::new("-") {
        out.document_text(&inspector.export_trace(&request)?);
    } else {
        let path = asked.file.display().to_string();
        out.saved_file(&inspector.save_trace(&request, &path)?);
    }
    Ok(())
}

//! The commands about what stands beside the memories.

use inspector::request::{DocumentQueryRequest, DocumentRequest, ResearchRequest};
use inspector::view::ResearchSourceView;
use inspector::{Inspector, tuning};

use crate::arguments::{Document, Research, ResearchPut};
use crate::asking::mode;
use crate::failure::Failure;
use crate::given::{read_bytes, read_text};
use crate::output::Output;

/// `lethescope research …`
pub fn research(inspector: &Inspector, out: &Output, asked: &Research) -> Result<(), Failure> {
    match asked {
        Research::Put(request) => put(inspector, out, request),
        Research::Get { text } => {
            out.lookup(&inspector.find_research(text)?);
            Ok(())
        }
        Research::List => {
            out.research(&inspector.list_research()?);
            Ok(())
        }
        Research::Forget { key, .. } => {
            let count = match key {
                Some(key) => inspector.forget_research(key).map(|()| 1)?,
                None => inspector.forget_all_research()?,
            };
            out.done("forgotten", count);
            Ok(())
        }
        Research::Import { file } => {
            let text = read_text(file)?;
            out.imported_research(&inspector.import_research(&file.display().to_string(), &text)?);
            Ok(())
        }
    }
}

/// `lethescope document …`
pub fn document(inspector: &Inspector, out: &Output, asked: &Document) -> Result<(), Failure> {
    match asked {
        Document::Ingest {
            id,
            file,
            title,
            no_embed,
        } => {
            let put = inspector.ingest_document(&DocumentRequest {
                id: id.clone(),
                title: title.clone(),
                content: read_text(file)?,
            })?;
            embed(inspector, out, *no_embed)?;
            out.stored_document(&put);
        }
        Document::Query {
            text,
            mode: asked_mode,
            limit,
            set,
            preset,
        } => {
            let mut constants = inspector.preset(preset.as_deref())?;
            for assignment in set {
                tuning::set(&mut constants, assignment)?;
            }
            out.documents_found(&inspector.query_documents(&DocumentQueryRequest {
                text: text.clone(),
                mode: mode(*asked_mode),
                limit: *limit,
                constants,
            })?);
        }
        Document::List => out.documents(&inspector.list_documents()?),
        Document::Delete { id } => {
            inspector.delete_document(id)?;
            out.done("deleted", 1);
        }
        Document::Import { file, no_embed } => {
            let imported = inspector.import_documents(&read_bytes(file)?)?;
            embed(inspector, out, *no_embed)?;
            out.imported_documents(&imported);
        }
    }
    Ok(())
}

fn embed(inspector: &Inspector, out: &Output, later: bool) -> Result<(), Failure> {
    if !later {
        inspector.embed_pending(&mut |done, total| out.progress("embedding", done, total))?;
    }
    Ok(())
}

fn put(inspector: &Inspector, out: &Output, asked: &ResearchPut) -> Result<(), Failure> {
    let text = read_text(&asked.findings)?;
    let saved = match &asked.query {
        None => inspector.save_research_json(&text)?,
        Some(query) => inspector.save_research(&ResearchRequest {
            query: query.clone(),
            findings: text,
            sources: asked
                .source
                .iter()
                .map(|url| ResearchSourceView {
                    url: url.clone(),
                    title: String::new(),
                    credibility: None,
                })
                .collect(),
            tokens: asked.tokens,
        })?,
    };
    out.saved_research(&saved);
    Ok(())
}

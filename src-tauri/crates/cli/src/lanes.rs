//! The commands about what stands beside the memories.

use inspector::Inspector;
use inspector::request::ResearchRequest;
use inspector::view::ResearchSourceView;

use crate::arguments::{Research, ResearchPut};
use crate::failure::Failure;
use crate::output::Output;
use crate::run::read_text;

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

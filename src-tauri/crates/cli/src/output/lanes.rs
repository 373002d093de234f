//! What stands beside the memories, printed.

use inspector::trace::Status;
use inspector::view::{
    DocumentAnswerView, DocumentOutcome, DocumentPutView, DocumentView, ImportedDocumentsView,
    ImportedResearchView, LaneTexts, LookupView, QueryView, RefusedView, ResearchView,
};
use serde_json::{Value, json};

use super::Output;
use super::print::{first_line, inline};

impl Output {
    /// Research that was just kept.
    pub fn saved_research(&self, saved: &ResearchView) {
        self.object(saved, || {
            say!("{}  {}", saved.key, first_line(&saved.query));
        });
    }

    /// The whole cache.
    pub fn research(&self, entries: &[ResearchView]) {
        self.object(&json!({ "entries": entries }), || {
            for entry in entries {
                say!(
                    "{}  {}  {:>6} tokens  {}",
                    entry.key,
                    entry.saved_at,
                    entry.tokens,
                    first_line(&entry.query)
                );
            }
            say!("{} entries", entries.len());
        });
    }

    /// What a look into the cache found.
    pub fn lookup(&self, view: &LookupView) {
        self.object(view, || {
            for (hit, entry) in view.lookup.hits.iter().zip(&view.research) {
                say!(
                    "{}. similarity {:.2}  {}  {}",
                    hit.rank,
                    hit.similarity,
                    entry.key,
                    first_line(&entry.query)
                );
                say!("{}", entry.findings);
                for source in &entry.sources {
                    say!(
                        "  {} {}",
                        first_line(&source.url),
                        first_line(&source.title)
                    );
                }
                say!();
            }
            say!(
                "{} of {} entries are similar",
                view.lookup.matched,
                view.lookup.entries
            );
        });
    }

    /// What was taken from another program's cache.
    pub fn imported_research(&self, view: &ImportedResearchView) {
        self.object(view, || {
            say!(
                "{} taken, {} known already, {} too old for the full cache; {} entries now",
                view.taken,
                view.known,
                view.no_room,
                view.kept
            );
            say_refused(&view.refused);
        });
    }

    /// A document that was taken in.
    pub fn stored_document(&self, put: &DocumentPutView) {
        self.object(put, || {
            let what = match put.outcome {
                DocumentOutcome::Stored => "stored",
                DocumentOutcome::Replaced => "replaced",
                DocumentOutcome::Unchanged => "unchanged",
            };
            let document = &put.document;
            say!(
                "{what} {}, {} characters in {} chunks",
                first_line(&document.id),
                document.characters,
                document.chunks
            );
        });
    }

    /// All documents.
    pub fn documents(&self, documents: &[DocumentView]) {
        self.object(&json!({ "documents": documents }), || {
            for document in documents {
                say!(
                    "{}  {:>7} characters  {:>3} chunks  {}  {}",
                    document.ingested_at,
                    document.characters,
                    document.chunks,
                    first_line(&document.id),
                    first_line(&document.title)
                );
            }
            say!("{} documents", documents.len());
        });
    }

    /// What the documents say to a question.
    pub fn documents_found(&self, answer: &DocumentAnswerView) {
        let mut value = json!(answer.lookup);
        for (hit, chunk) in value["hits"]
            .as_array_mut()
            .into_iter()
            .flatten()
            .zip(&answer.texts)
        {
            hit["title"] = json!(chunk.title);
            hit["text"] = json!(chunk.text);
        }
        self.object(&value, || {
            for (hit, chunk) in answer.lookup.hits.iter().zip(&answer.texts) {
                say!(
                    "{:>3}. {:.4}  {} (chunk {} of {})  {}",
                    hit.rank,
                    hit.score,
                    first_line(&hit.document),
                    hit.chunk + 1,
                    hit.chunks,
                    first_line(chunk.snippet.trim_start())
                );
            }
            if answer.lookup.hits.is_empty() {
                let why = answer.lookup.reason.as_deref();
                say!(
                    "no results{}",
                    why.map(|why| format!(": {}", inline(why)))
                        .unwrap_or_default()
                );
            }
        });
    }

    /// What was taken from a document store.
    pub fn imported_documents(&self, view: &ImportedDocumentsView) {
        self.object(view, || {
            say!(
                "{} stored, {} replaced, {} unchanged, {} lines refused, secrets masked in {}",
                view.stored,
                view.replaced,
                view.unchanged,
                view.refused.len(),
                view.masked
            );
            say_refused(&view.refused);
        });
    }
}

fn say_refused(refused: &[RefusedView]) {
    for part in refused {
        say!("  {}: {}", first_line(&part.place), inline(&part.reason));
    }
}

/// The lanes of an answer, each hit with its text.
pub(super) fn with_texts(answer: &QueryView) -> Value {
    let mut lanes = json!(answer.trace.lanes);
    let Some(texts) = &answer.lanes else {
        return lanes;
    };
    for hit in hits(&mut lanes, "memory_lookup") {
        let research = hit["key"].as_str().and_then(|key| texts.research.get(key));
        if let Some(research) = research {
            hit["query"] = json!(research.query);
            hit["findings"] = json!(research.findings);
            hit["cut"] = json!(research.cut);
            hit["sources"] = json!(research.sources);
            hit["saved_at"] = json!(research.saved_at);
        }
    }
    for hit in hits(&mut lanes, "documents") {
        let chunk = hit["id"].as_str().and_then(|id| texts.chunks.get(id));
        if let Some(chunk) = chunk {
            hit["title"] = json!(chunk.title);
            hit["snippet"] = json!(chunk.snippet);
        }
    }
    lanes
}

fn hits<'a>(lanes: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    lanes
        .get_mut(name)
        .and_then(|lane| lane.get_mut("hits"))
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

/// The lanes below the results, when they have something to say.
pub(super) fn beside(answer: &QueryView) {
    if let Some(texts) = &answer.lanes {
        research_beside(answer, texts);
        documents_beside(answer, texts);
    }
}

fn research_beside(answer: &QueryView, texts: &LaneTexts) {
    let Some(lookup) = &answer.trace.lanes.memory_lookup else {
        return;
    };
    say_failed("research", lookup.status, lookup.reason.as_deref());
    if lookup.hits.is_empty() {
        return;
    }
    say!(
        "\nresearch: {} of {} entries are similar, {} tokens injected (in full: {})",
        lookup.matched,
        lookup.entries,
        lookup.tokens,
        lookup.naive_tokens
    );
    for hit in &lookup.hits {
        let query = texts
            .research
            .get(&hit.key)
            .map_or("", |entry| &entry.query);
        say!(
            "{:>3}. {:.4}  {}  {}",
            hit.rank,
            hit.similarity,
            hit.key,
            first_line(query)
        );
    }
}

fn documents_beside(answer: &QueryView, texts: &LaneTexts) {
    let Some(lookup) = &answer.trace.lanes.documents else {
        return;
    };
    say_failed("documents", lookup.status, lookup.reason.as_deref());
    if lookup.hits.is_empty() {
        return;
    }
    say!(
        "\ndocuments: the best chunks of {} documents",
        lookup.documents
    );
    for hit in &lookup.hits {
        let snippet = texts.chunks.get(&hit.id).map_or("", |chunk| &chunk.snippet);
        say!(
            "{:>3}. {:.4}  {} (chunk {} of {})  {}",
            hit.rank,
            hit.score,
            first_line(&hit.document),
            hit.chunk + 1,
            hit.chunks,
            first_line(snippet.trim_start())
        );
    }
}

/// Failed is never shown as empty.
fn say_failed(lane: &str, status: Status, reason: Option<&str>) {
    if matches!(status, Status::Failed | Status::Degraded) {
        say!("\n{lane}: {}", inline(reason.unwrap_or("failed")));
    }
}

//! What stands beside the memories, printed.

use inspector::trace::Status;
use inspector::view::{ImportedResearchView, LookupView, QueryView, ResearchView};
use serde_json::{Value, json};

use super::{Output, first_line, harmless};

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
                say!("{}", harmless(&entry.findings));
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
            for refused in &view.refused {
                say!("  {}: {}", first_line(&refused.place), refused.reason);
            }
        });
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
    if !lanes["memory_lookup"].is_null() {
        lanes["memory_lookup"]["block"] = json!(texts.research_block);
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
    let Some(texts) = &answer.lanes else { return };
    let Some(lookup) = &answer.trace.lanes.memory_lookup else {
        return;
    };
    if lookup.status == Status::Failed {
        say!(
            "\nresearch: {}",
            lookup.reason.as_deref().unwrap_or("failed")
        );
    }
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

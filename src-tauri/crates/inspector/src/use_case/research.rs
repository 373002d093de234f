//! The research cache: keeping, finding, forgetting, moving in.

use std::collections::BTreeSet;

use ingest::redact::redact;
use memory::{Credibility, NewResearch, ResearchEntry, ResearchSource, research_key};
use retrieval::context::pack::estimate;
use retrieval::lane::MemoryLookup;
use retrieval::lane::research::{excerpt, gather};
use retrieval::trace::Status;

use crate::error::{EdgeError, ErrorCode};
use crate::inspector::Inspector;
use crate::mask::{cut_recalled, mask};
use crate::request::ResearchRequest;
use crate::session::Session;
use crate::view::{
    CredibilityView, ImportedResearchView, LookupView, RefusedView, ResearchSourceView,
    ResearchView,
};
use crate::{research_file, time};

impl Inspector {
    /// Keeps research, in place of what was kept for the same query. Whoever saves on the way to
    /// an answer goes on when this fails: the cache saves work and is never needed.
    pub fn save_research(&self, request: &ResearchRequest) -> Result<ResearchView, EdgeError> {
        let session = self.inner.session_searching()?;
        let mut new = NewResearch {
            query: request.query.clone(),
            findings: request.findings.clone(),
            sources: request.sources.iter().map(source_of).collect(),
            tokens: 0,
        };
        masked(&mut new);
        for (what, text) in [("query", &new.query), ("findings", &new.findings)] {
            if text.trim().is_empty() {
                return Err(EdgeError::bad_request(what, "some text"));
            }
        }
        new.tokens = request
            .tokens
            .unwrap_or_else(|| tokens(&session, &new.findings));
        let entry = session.vault.write(|w| {
            let key = w.research().put(&new, self.inner.now())?;
            w.research().get(&key)
        })?;
        entry
            .map(|entry| view(&entry))
            .ok_or_else(|| EdgeError::internal("the research cache"))
    }

    /// Keeps one piece of research given as JSON text, in the shape of an entry of a cache's file.
    pub fn save_research_json(&self, text: &str) -> Result<ResearchView, EdgeError> {
        let value = serde_json::from_str(text).map_err(|error| {
            EdgeError::bad_request(
                &format!("JSON, line {}, column {}", error.line(), error.column()),
                "an object with query, findings, sources and tokens",
            )
        })?;
        let entry = research_file::entry(&value).map_err(|reason| {
            EdgeError::bad_request(
                &format!("research ({reason})"),
                "an object with query, findings, sources and tokens",
            )
        })?;
        self.save_research(&ResearchRequest {
            query: entry.research.query,
            findings: entry.research.findings,
            sources: entry.research.sources.iter().map(source_view).collect(),
            tokens: (entry.research.tokens > 0).then_some(entry.research.tokens),
        })
    }

    /// Looks for past research on nearly the same question.
    pub fn find_research(&self, text: &str) -> Result<LookupView, EdgeError> {
        let session = self.inner.session_searching()?;
        // A question is kept masked, and found again by what is left.
        let text = &*redact(text);
        let constants = self.preset(None)?;
        let found = gather(&session.vault, text, text);
        let cut = found.cut(&constants, |text| tokens(&session, text));
        if let Some(reason) = cut.lookup.reason.as_deref()
            && cut.lookup.status == Status::Failed
        {
            return Err(EdgeError::internal(reason));
        }
        let block = cut.block(&constants);
        let tokens = match &*block {
            "" => 0,
            text => tokens(&session, text),
        };
        Ok(LookupView {
            research: cut.entries.iter().map(view).collect(),
            lookup: MemoryLookup {
                tokens,
                ..cut.lookup
            },
            block,
        })
    }

    /// Every entry of the cache, newest first.
    pub fn list_research(&self) -> Result<Vec<ResearchView>, EdgeError> {
        let session = self.inner.session_in_use()?;
        let entries = session.vault.read(|r| r.research().all())?;
        Ok(entries.iter().map(view).collect())
    }

    /// Forgets the entry with this key, or the one for exactly this query.
    pub fn forget_research(&self, key_or_query: &str) -> Result<(), EdgeError> {
        let session = self.inner.session_in_use()?;
        let gone = session.vault.write(|w| {
            Ok(w.research().remove(key_or_query.trim())?
                || w.research().remove(&research_key(&redact(key_or_query)))?)
        })?;
        if gone {
            Ok(())
        } else {
            Err(EdgeError::not_found("research of that key or query"))
        }
    }

    /// Forgets every entry. Returns how many there were.
    pub fn forget_all_research(&self) -> Result<u32, EdgeError> {
        let session = self.inner.session_in_use()?;
        Ok(session.vault.write(|w| w.research().clear())?)
    }

    /// Takes the entries of another program's cache file in. `path` is for messages only. What is
    /// here already and newer stays; entries that cannot be read are listed; a file that cannot be
    /// read changes nothing.
    pub fn import_research(
        &self,
        path: &str,
        text: &str,
    ) -> Result<ImportedResearchView, EdgeError> {
        let session = self.inner.session_searching()?;
        let entries = research_file::read(text).map_err(|reason| {
            EdgeError::new(
                ErrorCode::Unreadable,
                &[("path", path), ("reason", &reason)],
            )
        })?;
        let now = self.inner.now();
        let mut view = ImportedResearchView::default();
        let mut taken = Vec::new();
        for (place, entry) in entries {
            match entry {
                Ok(entry) => taken.push(entry),
                Err(reason) => view.refused.push(RefusedView {
                    place,
                    reason: reason.to_owned(),
                }),
            }
        }
        for entry in &mut taken {
            view.masked += u32::from(masked(&mut entry.research));
            if entry.research.tokens == 0 {
                entry.research.tokens = tokens(&session, &entry.research.findings);
            }
        }
        session.vault.write(|w| {
            let mut keys = BTreeSet::new();
            for entry in &taken {
                let saved_at = entry.saved_at.unwrap_or(now).min(now);
                let key = research_key(&entry.research.query);
                let newer = w
                    .research()
                    .get(&key)?
                    .is_some_and(|present| present.saved_at >= saved_at);
                if newer {
                    view.known += 1;
                } else {
                    w.research().put(&entry.research, saved_at)?;
                    keys.insert(key);
                }
            }
            for key in &keys {
                if w.research().get(key)?.is_some() {
                    view.taken += 1;
                } else {
                    view.no_room += 1;
                }
            }
            view.kept = u32::try_from(w.research().queries()?.len()).unwrap_or(u32::MAX);
            Ok(())
        })?;
        Ok(view)
    }
}

/// Cuts recalled memory out of research and masks its secrets; true when there were any.
fn masked(research: &mut NewResearch) -> bool {
    cut_recalled(&mut research.findings);
    let mut any = mask(&mut research.query) | mask(&mut research.findings);
    for source in &mut research.sources {
        any |= mask(&mut source.url) | mask(&mut source.title);
    }
    any
}

/// Tokens by the model's own tokeniser, or an estimate without it.
pub(crate) fn tokens(session: &Session, text: &str) -> u32 {
    session.engine.embedder().map_or_else(
        || estimate(text),
        |model| u32::try_from(model.token_count(text)).unwrap_or(u32::MAX),
    )
}

fn view(entry: &ResearchEntry) -> ResearchView {
    let research = &entry.research;
    ResearchView {
        key: entry.key.clone(),
        query: research.query.clone(),
        findings: research.findings.clone(),
        cut: false,
        sources: research.sources.iter().map(source_view).collect(),
        tokens: research.tokens,
        saved_at: time::to_rfc3339(entry.saved_at),
    }
}

/// The same as far as it reaches the agent.
pub(crate) fn brief(entry: &ResearchEntry, characters: u32) -> ResearchView {
    let shown = excerpt(&entry.research.findings, characters);
    ResearchView {
        cut: shown.len() < entry.research.findings.len(),
        findings: shown.to_owned(),
        ..view(entry)
    }
}

fn source_view(source: &ResearchSource) -> ResearchSourceView {
    ResearchSourceView {
        url: source.url.clone(),
        title: source.title.clone(),
        credibility: source
            .credibility
            .as_ref()
            .map(|credibility| match credibility {
                Credibility::Score(score) => CredibilityView::Score(*score),
                Credibility::Word(word) => CredibilityView::Word(word.clone()),
            }),
    }
}

fn source_of(source: &ResearchSourceView) -> ResearchSource {
    ResearchSource {
        url: source.url.clone(),
        title: source.title.clone(),
        credibility: source
            .credibility
            .as_ref()
            .map(|credibility| match credibility {
                CredibilityView::Score(score) => Credibility::Score(*score),
                CredibilityView::Word(word) => Credibility::Word(word.clone()),
            }),
    }
}

//! Whether what an agent was given was used: judged when somebody looks, from the logs that have been read
//! by then, and held until memories change.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use memory::{Memory, MemoryId, Millis, ModelRow, Reader, StoredTrace, VaultError};
use retrieval::stage::Stage;
use retrieval::stage::route::term::Phrase;
use retrieval::trace::Trace;
use retrieval::usage::{Answer, Judgement, Said, Term, TermKind, Verdict, rare_at_most};

use super::history::stored;
use crate::account::Account;
use crate::asked_in::{Conversation, Question, Spoken, conversation};
use crate::channel::ChannelName;
use crate::convert;
use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::session::Session;
use crate::time;
use crate::view::{MemoryUseView, UsageView, UseVerdict};

/// The tool that gives all results; every other way in gives the block.
const GIVES_RESULTS: &str = "memory_search";

/// Records of an answer, and passages of a text, whose vectors are compared.
const COMPARED: usize = 8;

/// The state of the memories, and how many there are.
#[derive(Clone, Copy)]
pub(super) struct Ground {
    epoch: u64,
    rows: u32,
}

impl Inspector {
    /// What became of the memories that a question of an agent brought up. Of a person's question
    /// nothing is told.
    pub fn usage(&self, id: &str) -> Result<UsageView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let row = stored(&session, id)?;
        Ok(session.usage(&row, session.ground()?)?.as_ref().clone())
    }
}

impl Session {
    /// What judgements rest on at the moment.
    pub(super) fn ground(&self) -> Result<Ground, EdgeError> {
        Ok(self.vault.read(|r| {
            Ok(Ground {
                epoch: r.content_epoch()?,
                rows: r.words().statistics()?.rows,
            })
        })?)
    }

    /// Judges what a question brought up, unless that is known and no memory has changed since.
    pub(super) fn usage(
        &self,
        row: &StoredTrace,
        Ground { epoch, rows }: Ground,
    ) -> Result<Arc<UsageView>, EdgeError> {
        let name = (row.id, row.at);
        if let Some(view) = self.usages.lock().at(name, epoch) {
            return Ok(view);
        }
        let account = Account::read(&row.json)?;
        let view = Arc::new(if account.channel == ChannelName::Window {
            UsageView::default()
        } else {
            self.vault.read(|r| judged(r, row.at, &account, rows))?
        });
        self.usages.lock().hold(name, epoch, Arc::clone(&view));
        Ok(view)
    }
}

fn judged(
    reader: &Reader<'_>,
    at: Millis,
    account: &Account,
    rows: u32,
) -> Result<UsageView, VaultError> {
    let trace = &account.trace;
    let question = Question {
        text: &trace.query,
        at,
        session: account.session.as_deref(),
    };
    let around = conversation(reader, &question)?;
    let tool = around.as_ref().and_then(|found| found.tool.as_deref());
    let given = given(trace, tool.is_some_and(|name| name.contains(GIVES_RESULTS)));
    let memories: HashMap<MemoryId, Memory> = reader
        .memories()
        .get_many(&given)?
        .into_iter()
        .filter(|memory| memory.deleted_at.is_none())
        .map(|memory| (memory.id, memory))
        .collect();
    let mut desk = Desk::new(reader, at, around.as_ref(), rows)?;
    let mut views = Vec::with_capacity(given.len());
    for id in given {
        views.push(match memories.get(&id) {
            Some(memory) => desk.judge(memory)?,
            None => desk.view(id, UseVerdict::Gone, Judgement::default(), None),
        });
    }
    let first = desk.spoken.iter().find(|one| one.by_agent);
    Ok(UsageView {
        answered_at: first.map(|one| time::to_rfc3339(one.at)),
        session: around.as_ref().map(|found| found.session.clone()),
        memories: views,
    })
}

/// The memories that the agent got: those of the block, or all results.
fn given(trace: &Trace, results: bool) -> Vec<MemoryId> {
    let left_out: Vec<&str> = trace
        .stage(Stage::Select)
        .filter(|_| !results)
        .into_iter()
        .flat_map(|stage| &stage.items)
        .filter(|item| item.dropped.is_some())
        .map(|item| item.id.as_str())
        .collect();
    trace
        .results
        .iter()
        .filter(|id| !left_out.contains(&id.as_str()))
        .filter_map(|id| convert::memory_id(id).ok())
        .collect()
}

/// What the memories of one question are judged with.
struct Desk<'a> {
    reader: &'a Reader<'a>,
    at: Millis,
    spoken: &'a [Spoken],
    answer: Answer,
    rows: u32,
    model: Option<ModelRow>,
    /// The vectors of what the agent said first.
    passages: Vec<Vec<f32>>,
    /// How many memories hold a term.
    frequencies: BTreeMap<(TermKind, String), u32>,
}

impl<'a> Desk<'a> {
    fn new(
        reader: &'a Reader<'a>,
        at: Millis,
        around: Option<&'a Conversation>,
        rows: u32,
    ) -> Result<Self, VaultError> {
        let (known, spoken) = match around {
            Some(found) => (found.known.as_slice(), found.after.as_slice()),
            None => (&[][..], &[][..]),
        };
        let answer = Answer::new(
            known.iter().map(String::as_str),
            spoken.iter().map(|one| Said {
                by_agent: one.by_agent,
                text: &one.text,
            }),
        );
        let model = reader.embeddings().active()?;
        let mut passages = Vec::new();
        if let Some(model) = &model {
            for said in spoken.iter().filter(|one| one.by_agent).take(COMPARED) {
                let vectors = reader.embeddings().vectors_of(model, said.id)?;
                let first = vectors.into_iter().take(COMPARED);
                passages.extend(first.map(|(_, vector)| vector));
            }
        }
        Ok(Self {
            reader,
            at,
            spoken,
            answer,
            rows,
            model,
            passages,
            frequencies: BTreeMap::new(),
        })
    }

    fn judge(&mut self, memory: &Memory) -> Result<MemoryUseView, VaultError> {
        let (reader, rows, frequencies) = (self.reader, self.rows, &mut self.frequencies);
        let mut text = memory.content.clone();
        if let Some(payload) = &memory.tool_payload {
            text.push('\n');
            text.push_str(payload);
        }
        let judgement = self.answer.judge(&text, self.rows, &mut |term| {
            let name = (term.kind, term.folded.clone());
            if let Some(held) = frequencies.get(&name) {
                return Ok(*held);
            }
            let held = held_by(reader, term, rows)?;
            frequencies.insert(name, held);
            Ok::<_, VaultError>(held)
        })?;
        let cosine = if judgement.verdict == Verdict::Unseen {
            None
        } else {
            self.nearness(memory.id)?
        };
        let verdict = verdict(judgement.verdict);
        Ok(self.view(memory.id, verdict, judgement, cosine))
    }

    fn view(
        &self,
        id: MemoryId,
        verdict: UseVerdict,
        judgement: Judgement,
        cosine: Option<f64>,
    ) -> MemoryUseView {
        let evidence = judgement.first.and_then(|place| self.spoken.get(place));
        MemoryUseView {
            id: id.to_string(),
            verdict,
            names: judgement.names,
            words: judgement.words,
            rare: judgement.rare,
            rare_and_more: judgement.rare_and_more,
            clash: judgement.clash,
            after_seconds: evidence
                .map(|one| u32::try_from((one.at - self.at) / 1000).unwrap_or_default()),
            answer: evidence.map(|one| one.id.to_string()),
            cosine,
        }
    }

    /// The cosine of the nearest passages of memory and answer, to two places: shown beside the
    /// evidence, never a part of the verdict.
    fn nearness(&self, id: MemoryId) -> Result<Option<f64>, VaultError> {
        let Some(model) = self.model.as_ref().filter(|_| !self.passages.is_empty()) else {
            return Ok(None);
        };
        let own = self.reader.embeddings().vectors_of(model, id)?;
        let mut nearest: Option<f64> = None;
        for theirs in &self.passages {
            for (_, vector) in own.iter().take(COMPARED) {
                let near = models::cosine(vector, theirs);
                nearest = Some(nearest.map_or(near, |held| held.max(near)));
            }
        }
        Ok(nearest.map(|near| (near * 100.0).round() / 100.0))
    }
}

/// Counted as far as it matters.
fn held_by(reader: &Reader<'_>, term: &Term, rows: u32) -> Result<u32, VaultError> {
    let phrase = Phrase {
        text: term.folded.clone(),
        prefix: false,
    };
    let index = match term.kind {
        TermKind::Piece => reader.trigrams(),
        TermKind::Word | TermKind::Name => reader.words(),
    };
    index.document_frequency_up_to(&phrase.expression(), rare_at_most(term.kind, rows) + 1)
}

fn verdict(verdict: Verdict) -> UseVerdict {
    match verdict {
        Verdict::Used => UseVerdict::Used,
        Verdict::Ignored => UseVerdict::Ignored,
        Verdict::Contradicted => UseVerdict::Contradicted,
        Verdict::Unclear => UseVerdict::Unclear,
        Verdict::Known => UseVerdict::Known,
        Verdict::Unseen => UseVerdict::Unseen,
    }
}

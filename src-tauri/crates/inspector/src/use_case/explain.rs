//! Why a score is what it is, and why a memory was missed.

use std::sync::Arc;
use std::time::{Duration, Instant};

mod beside;

use crate::convert;
use crate::error::EdgeError;
use crate::golden::{self, Golden};
use crate::inspector::Inspector;
use crate::request::WhyRequest;
use crate::session::Session;
use crate::view::{
    DraftView, EditKind, FixView, GateVerdict, GateView, LedgerTerm, LedgerView, PairPartView,
    PairView, QueryEditView, QueryEditsView, SharedWord, VerdictView,
};

use evaluation::suite::Measured;
use memory::{MemoryId, Millis};
use retrieval::Gathered;
use retrieval::constants::Constants;
use retrieval::diagnose::{self, Change};
use retrieval::trace::TermRoute;

/// How long the reranker may read for one verdict.
const READING: Duration = Duration::from_secs(5);

/// How long it may read, on top of that, to see what the fixes would do to golden queries.
const READING_JUDGED: Duration = Duration::from_millis(1500);

/// How long other questions are tried.
const TRYING: Duration = Duration::from_secs(3);

impl Inspector {
    /// Why the keyword leg gave a memory its score, and the sparse leg.
    pub fn ledger(&self, recall: &str, id: &str) -> Result<LedgerView, EdgeError> {
        let session = self.inner.session_searching()?;
        let gathered = session.recalled(recall)?;
        let id = convert::memory_id(id)?;
        let ledger = session.engine.ledger(&gathered, id)?;
        let sums = [&ledger.words, &ledger.trigrams, &ledger.inside];
        Ok(LedgerView {
            id: id.to_string(),
            shared_words: ledger
                .shared
                .iter()
                .map(|word| SharedWord {
                    word: word.word.clone(),
                    typed: word.typed,
                    query_weight: word.query_weight,
                    memory_weight: word.memory_weight,
                    product: word.product(),
                })
                .collect(),
            reconciles: ledger.reconciles(),
            sum: sums.iter().map(|part| part.sum).sum(),
            engine: sums
                .iter()
                .filter_map(|part| part.engine)
                .reduce(|total, part| total + part),
            terms: ledger
                .rows
                .into_iter()
                .map(|row| LedgerTerm {
                    term: row.term,
                    index: match row.index {
                        TermRoute::Word => "word",
                        TermRoute::Trigram => "trigram",
                        TermRoute::Substring => "substring",
                        TermRoute::Ignored => "ignored",
                    }
                    .to_owned(),
                    document_frequency: row.document_frequency,
                    idf: row.idf,
                    term_frequency: row.term_frequency,
                    length_norm: row.length_norm,
                    contribution: row.contribution,
                })
                .collect(),
        })
    }

    /// Why a memory is not among the results, and the smallest change that brings it in; likewise for
    /// past research, by its key, and for a document, by its id.
    pub fn why(&self, request: &WhyRequest) -> Result<VerdictView, EdgeError> {
        crate::tuning::check(&request.constants)?;
        let session = self.inner.session_searching()?;
        if let Some(verdict) = beside::why(&session, request)? {
            return Ok(verdict);
        }
        let Followed {
            gathered,
            now,
            expected,
        } = Followed::of(&session, request)?;
        let verdict =
            session
                .engine
                .diagnose(&gathered, expected, &request.constants, now, READING)?;
        let fixes = fixes(&session, verdict.fixes, &request.constants, now)?;
        Ok(VerdictView {
            query: gathered.query.text.clone(),
            expected: expected.to_string(),
            in_results: verdict.in_results,
            lost_at: verdict.lost_at.map(|gate| gate.as_str().to_owned()),
            headline: verdict.headline,
            gates: verdict
                .gates
                .into_iter()
                .map(|gate| GateView {
                    name: gate.name.as_str().to_owned(),
                    verdict: verdict_view(gate.verdict),
                    value: gate.value,
                    threshold: gate.threshold,
                    margin: gate.margin,
                    beyond: gate.beyond,
                    note: gate.note,
                })
                .collect(),
            fixes,
        })
    }

    /// The smallest pair found of constants that bring a memory in together; to be asked where none
    /// does alone. Absent when the memory is there, was not gathered, or no pair is enough.
    pub fn pair_fix(&self, request: &WhyRequest) -> Result<Option<PairView>, EdgeError> {
        crate::tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let Followed {
            gathered,
            now,
            expected,
        } = Followed::of(&session, request)?;
        let constants = &request.constants;
        let engine = &session.engine;
        let Some(pair) = engine.pair(&gathered, expected, constants, now, READING) else {
            return Ok(None);
        };
        let judged = Judged::of(&session, constants, now)?;
        let (gained, lost, ndcg_delta) = judged.under(&pair.under(constants));
        Ok(Some(PairView {
            parts: pair.parts.map(|part| PairPartView {
                constant: part.constant.name().to_owned(),
                current: part.current,
                value: part.value,
                interval: part.interval,
            }),
            rank: u32::try_from(pair.rank).unwrap_or(u32::MAX),
            displaced: pair.displaced.iter().map(ToString::to_string).collect(),
            gained,
            lost,
            ndcg_delta,
        }))
    }

    /// Other questions that would bring a memory in, and changes of the memory itself; each was
    /// tried. Nothing is stored, no running query is called off.
    pub fn query_edits(&self, request: &WhyRequest) -> Result<QueryEditsView, EdgeError> {
        crate::tuning::check(&request.constants)?;
        let session = self.inner.session_in_use()?;
        let Followed {
            gathered,
            now,
            expected,
        } = Followed::of(&session, request)?;
        let found = session
            .engine
            .edits(&gathered, expected, &request.constants, now, TRYING)?;
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let drafts = found.edits.iter().map(|edit| edit.draft.as_ref());
        let judged = judged_drafts(&session, expected, drafts, &request.constants, now)?;
        Ok(QueryEditsView {
            tried: small(found.tried),
            untried: small(found.untried),
            edits: found
                .edits
                .into_iter()
                .zip(judged)
                .map(|(edit, judged)| {
                    let (kind, what) = match edit.change {
                        Change::Mode(mode) => (EditKind::Mode, convert::mode_name(mode).to_owned()),
                        Change::Drop(term) => (EditKind::Drop, term),
                        Change::Quote(words) => (EditKind::Quote, words),
                        Change::Add(word) => (EditKind::Add, word),
                        Change::Narrow(filter) => (EditKind::Narrow, filter),
                        Change::Pin => (EditKind::Pin, String::new()),
                        Change::Redate => (EditKind::Redate, String::new()),
                        Change::Tag(tags) => (EditKind::Tag, tags),
                        Change::Write(words) => (EditKind::Write, words),
                        Change::Question => (EditKind::Question, String::new()),
                    };
                    QueryEditView {
                        kind,
                        what,
                        query: edit.query,
                        mode: edit.mode,
                        rank: small(edit.rank),
                        draft: edit.draft.map(|draft| DraftView {
                            content: draft.content,
                            tags: draft.tags,
                            displaced: edit.displaced.iter().map(ToString::to_string).collect(),
                            ..judged
                        }),
                    }
                })
                .collect(),
        })
    }
}

const fn verdict_view(verdict: diagnose::GateVerdict) -> GateVerdict {
    match verdict {
        diagnose::GateVerdict::Ok => GateVerdict::Ok,
        diagnose::GateVerdict::Missed => GateVerdict::Missed,
        diagnose::GateVerdict::Lost => GateVerdict::Lost,
        diagnose::GateVerdict::NotReached => GateVerdict::NotReached,
        diagnose::GateVerdict::Failed => GateVerdict::Failed,
    }
}

/// The query and the memory that a request is about, and the clock.
struct Followed {
    gathered: Arc<Gathered>,
    now: Millis,
    expected: MemoryId,
}

impl Followed {
    fn of(session: &Session, request: &WhyRequest) -> Result<Self, EdgeError> {
        let gathered = session.recalled(&request.recall)?;
        let now = convert::moment("now", request.now.as_deref())?;
        Ok(Self {
            now: now.unwrap_or(gathered.query.now),
            expected: convert::memory_id(&request.expected)?,
            gathered,
        })
    }
}

/// What each change of a memory's text or tags would do to the golden queries, as far as there is
/// time; nothing for other changes.
fn judged_drafts<'a>(
    session: &Session,
    id: MemoryId,
    drafts: impl Iterator<Item = Option<&'a memory::Edit>>,
    constants: &Constants,
    now: Millis,
) -> Result<Vec<DraftView>, EdgeError> {
    let golden = session.golden()?;
    let until = Instant::now() + READING_JUDGED;
    let mut all = Vec::new();
    for edit in drafts {
        let mut view = DraftView::default();
        let draft = edit.map(|edit| session.engine.draft(id, edit));
        for one in golden.iter().filter(|_| draft.is_some()) {
            let left = until.saturating_duration_since(Instant::now());
            let Some(before) = one.measure(constants, now).filter(|_| !left.is_zero()) else {
                continue;
            };
            let other = match &draft {
                // What cannot be tried is not counted.
                Some(draft) => session
                    .engine
                    .gather_if(&one.gathered, draft)
                    .ok()
                    .flatten(),
                None => None,
            };
            let Some(other) = other else { continue };
            session.engine.score_window(&other, constants, now, left);
            let Some(after) = one.measure_in(&other, constants, now) else {
                continue;
            };
            let change = after.lower.ndcg_10 - before.lower.ndcg_10;
            view.judged += 1;
            view.gained += u32::from(change > golden::NOTHING);
            view.lost += u32::from(change < -golden::NOTHING);
        }
        all.push(view);
    }
    Ok(all)
}

/// Each fix with what it would do to the golden queries.
fn fixes(
    session: &Session,
    fixes: Vec<diagnose::Fix>,
    constants: &Constants,
    now: Millis,
) -> Result<Vec<FixView>, EdgeError> {
    let judged = Judged::of(session, constants, now)?;
    Ok(fixes
        .into_iter()
        .map(|fix| {
            let (gained, lost, ndcg_delta) = match fix.nearest {
                Some(value) => judged.under(&fix.constant.set(constants, value)),
                None => (0, 0, None),
            };
            FixView {
                constant: fix.constant.name().to_owned(),
                current: fix.current,
                intervals: fix.intervals,
                nearest: fix.nearest,
                gained,
                lost,
                ndcg_delta,
            }
        })
        .collect())
}

/// The golden queries, measured under the constants in force.
struct Judged<'a> {
    session: &'a Session,
    golden: Vec<Golden>,
    baseline: Vec<Option<Measured>>,
    now: Millis,
    until: Instant,
}

impl<'a> Judged<'a> {
    fn of(session: &'a Session, constants: &Constants, now: Millis) -> Result<Self, EdgeError> {
        let golden = session.golden()?;
        let baseline = golden.iter().map(|one| one.measure(constants, now));
        Ok(Self {
            session,
            baseline: baseline.collect(),
            golden,
            now,
            until: Instant::now() + READING_JUDGED,
        })
    }

    /// How many gain and lose under other constants, and the change of their mean.
    fn under(&self, changed: &Constants) -> (u32, u32, Option<f64>) {
        if self.baseline.iter().all(Option::is_none) {
            return (0, 0, None);
        }
        self.session
            .read_unseen(&self.golden, changed, self.now, self.until);
        golden::collateral(&self.golden, &self.baseline, changed, self.now)
    }
}

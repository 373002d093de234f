//! Judging results, and what the judgements say while a constant moves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use memory::{MAX_GRADE, MemoryId, Question};
use retrieval::Query;

use crate::error::EdgeError;
use crate::golden;
use crate::inspector::Inspector;
use crate::request::{JudgeRequest, MeasureRequest};
use crate::session::Session;
use crate::view::{GoldenQueryView, GradesView, MeasureView};
use crate::{convert, settings, time, tuning};

/// How long the reranker reads for one measurement; whoever wants the rest asks again.
const READING: Duration = Duration::from_millis(500);

impl Inspector {
    /// Says how well a memory answers a query. The first judgement makes the query golden; taking
    /// the last one back ends that.
    pub fn judge(&self, request: &JudgeRequest) -> Result<GradesView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let gathered = session.recalled(&request.recall)?;
        if gathered.query.text.trim().is_empty() {
            return Err(EdgeError::bad_request("query", "a query with text"));
        }
        let id = convert::memory_id(&request.id)?;
        let question = question(&gathered.query)?;
        match request.grade {
            Some(grade) => {
                let grade = u8::try_from(grade)
                    .ok()
                    .filter(|grade| *grade <= MAX_GRADE)
                    .ok_or_else(|| EdgeError::bad_request("grade", "0, 1, 2 or 3"))?;
                session
                    .vault
                    .write(|w| w.judgements().judge(&question, id, grade, self.inner.now()))?;
            }
            None => {
                session.vault.write(|w| {
                    if let Some(query) = w.judgements().find(&question)? {
                        w.judgements().withdraw(query, id)?;
                    }
                    Ok(())
                })?;
            }
        }
        grades(&session, &question)
    }

    /// The grades given for a query so far.
    pub fn grades(&self, recall: &str) -> Result<GradesView, EdgeError> {
        let session = self.inner.session()?;
        let gathered = session.recalled(recall)?;
        grades(&session, &question(&gathered.query)?)
    }

    /// The golden queries, oldest first.
    pub fn golden_queries(&self) -> Result<Vec<GoldenQueryView>, EdgeError> {
        let golden = self
            .inner
            .session()?
            .vault
            .read(|r| r.judgements().golden())?;
        Ok(golden
            .into_iter()
            .map(|query| GoldenQueryView {
                id: golden::name(query.id),
                text: query.question.text,
                mode: query.question.mode,
                created_at: time::to_rfc3339(query.created_at),
                grades: named(query.grades),
            })
            .collect())
    }

    /// Forgets a golden query with its judgements. Returns those that are left.
    pub fn delete_golden_query(&self, id: &str) -> Result<Vec<GoldenQueryView>, EdgeError> {
        let session = self.inner.session_in_use()?;
        let query = golden::id(id)?;
        if !session.vault.write(|w| w.judgements().remove(query))? {
            return Err(EdgeError::not_found(&format!("golden query {id}")));
        }
        self.golden_queries()
    }

    /// Scores of the golden queries under these constants and under the preset in force. Nothing
    /// is searched again while the memories stay as they are, so that a moving slider can ask.
    pub fn measure(&self, request: &MeasureRequest) -> Result<MeasureView, EdgeError> {
        tuning::check(&request.constants)?;
        // The window asks by itself when memories come in: that must not keep the vault open.
        let session = self.inner.session()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let settings = settings::view(&session.vault, &self.inner.paths);
        let baseline = self.preset(Some(&settings.preset))?;
        let golden = session.golden()?;
        let mut unread = 0;
        if request.score_unseen {
            let until = Instant::now() + READING;
            for constants in [&request.constants, &baseline] {
                unread += session.read_unseen(&golden, constants, now, until);
            }
        } else {
            for one in &golden {
                let pairs = one.gathered.unread(&request.constants, now).len();
                unread += u32::try_from(pairs).unwrap_or(u32::MAX);
            }
        }
        Ok(MeasureView {
            baseline_name: settings.preset,
            unread,
            ..golden::measure(&golden, &baseline, &request.constants, now)
        })
    }
}
/// A query as judgements remember it.
pub(super) fn question(query: &Query) -> Result<Question, EdgeError> {
    Ok(Question {
        text: query.text.trim().to_owned(),
        mode: convert::mode_name(query.mode).to_owned(),
        filter: serde_json::to_string(&convert::filter_request(&query.filter))
            .map_err(|_| EdgeError::internal("write a filter"))?,
    })
}

fn grades(session: &Session, question: &Question) -> Result<GradesView, EdgeError> {
    Ok(session.vault.read(|r| {
        Ok(match r.judgements().find(question)? {
            None => GradesView::default(),
            Some(query) => GradesView {
                golden: Some(golden::name(query)),
                grades: named(r.judgements().grades(query)?),
            },
        })
    })?)
}

fn named(grades: BTreeMap<MemoryId, u8>) -> BTreeMap<String, u32> {
    grades
        .into_iter()
        .map(|(id, grade)| (id.to_string(), u32::from(grade)))
        .collect()
}

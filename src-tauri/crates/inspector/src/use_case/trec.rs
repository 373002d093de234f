//! Judgements and runs in the plain-text forms of TREC.

use evaluation::trec::{self, Qrel, RunLine, TrecError};
use memory::{Filter, MAX_GRADE, MemoryId, Question, VaultError};
use retrieval::Query;
use retrieval::stage::Stage;
use retrieval::trace::{Mode, Trace};

use super::judge::question;
use crate::error::EdgeError;
use crate::golden;
use crate::inspector::Inspector;
use crate::request::{ImportRequest, RunRequest};
use crate::view::{ExportedView, ImportedView};
use crate::{convert, tuning};

impl Inspector {
    /// Stores judgements from qrels. A query is a golden one's id, or a name that the topics give
    /// a text; then it is asked in hybrid mode over everything. What is unknown is left out and
    /// named.
    pub fn import_qrels(&self, request: &ImportRequest) -> Result<ImportedView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let now = self.inner.now();
        let refused = |what: &str, error: TrecError| {
            EdgeError::bad_request(&format!("{what}, line {}", error.line), error.expected)
        };
        let qrels = trec::parse_qrels(&request.qrels).map_err(|error| refused("qrels", error))?;
        let topics =
            trec::parse_topics(&request.topics).map_err(|error| refused("topics", error))?;
        if let Some(bad) = qrels.iter().find(|row| row.grade > i32::from(MAX_GRADE)) {
            return Err(EdgeError::bad_request(
                &format!("grade {} of {} for {}", bad.grade, bad.document, bad.query),
                "at most 3",
            ));
        }
        let golden = session.vault.read(|r| r.judgements().golden())?;
        let asked = |name: &str| -> Result<Option<Question>, EdgeError> {
            if let Some(text) = topics.get(name) {
                let query = Query {
                    filter: Filter::default(),
                    ..Query::new(text.as_str(), Mode::Hybrid, now)
                };
                return question(&query).map(Some);
            }
            let known = golden
                .iter()
                .find(|query| golden::name(query.id) == name)
                .map(|query| query.question.clone());
            Ok(known)
        };
        let mut imported = ImportedView::default();
        let mut wanted = Vec::new();
        for row in &qrels {
            match (asked(&row.query)?, row.document.parse::<MemoryId>()) {
                (None, _) => note(&mut imported.unknown_queries, &row.query),
                (_, Err(_)) => note(&mut imported.unknown_memories, &row.document),
                (Some(question), Ok(id)) => {
                    // trec_eval reads every grade below 1 as "not relevant".
                    wanted.push((question, id, u8::try_from(row.grade).unwrap_or(0)));
                }
            }
        }
        session.vault.write(|w| {
            for (question, id, grade) in &wanted {
                match w.judgements().judge(question, *id, *grade, now) {
                    Ok(_) => imported.judged += 1,
                    Err(VaultError::NotFound) => {
                        note(&mut imported.unknown_memories, &id.to_string());
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })?;
        Ok(imported)
    }

    /// All judgements as qrels, and the texts of their queries.
    pub fn export_qrels(&self) -> Result<ExportedView, EdgeError> {
        let golden = self
            .inner
            .session_in_use()?
            .vault
            .read(|r| r.judgements().golden())?;
        let qrels: Vec<Qrel> = golden
            .iter()
            .flat_map(|query| {
                query.grades.iter().map(|(memory, grade)| Qrel {
                    query: golden::name(query.id),
                    document: memory.to_string(),
                    grade: i32::from(*grade),
                })
            })
            .collect();
        let names: Vec<String> = golden.iter().map(|query| golden::name(query.id)).collect();
        let texts = golden.iter().map(|query| query.question.text.as_str());
        Ok(ExportedView {
            qrels: trec::format_qrels(&qrels),
            topics: trec::format_topics(names.iter().map(String::as_str).zip(texts)),
        })
    }

    /// The ranked lists of all golden queries after one stage, as a 6-column run.
    pub fn export_run(&self, request: &RunRequest) -> Result<String, EdgeError> {
        tuning::check(&request.constants)?;
        if request.stage == Stage::Route {
            return Err(EdgeError::bad_request("stage", "a stage that ranks"));
        }
        let session = self.inner.session_in_use()?;
        let now =
            convert::moment("now", request.now.as_deref())?.unwrap_or_else(|| self.inner.now());
        let mut lines = Vec::new();
        for one in session.golden()? {
            let trace = one.gathered.arrange(&request.constants, now);
            lines.extend(run_of(&golden::name(one.id), &trace, request.stage));
        }
        Ok(trec::format_run(&lines))
    }
}

fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// One query's list after a stage; for the last one, the results.
fn run_of(query: &str, trace: &Trace, stage: Stage) -> Vec<RunLine> {
    let Some(part) = trace.stage(stage) else {
        return Vec::new();
    };
    let score_of = |id: &str| {
        let item = part.items.iter().find(|item| item.id == id);
        item.map_or(0.0, |item| item.score)
    };
    let listed: Vec<(&str, f64)> = if stage == Stage::Select {
        let results = trace.results.iter().map(String::as_str);
        results.map(|id| (id, score_of(id))).collect()
    } else {
        let items = part.items.iter();
        items.map(|item| (item.id.as_str(), item.score)).collect()
    };
    // Programs that read runs sort by score and break ties by name: where scores do not fall
    // strictly (ties, MMR), the rank speaks instead.
    let falls = listed.windows(2).all(|pair| pair[0].1 > pair[1].1);
    listed
        .iter()
        .zip(1_u32..)
        .map(|((id, score), rank)| RunLine {
            query: query.to_owned(),
            document: (*id).to_owned(),
            rank,
            score: if falls { *score } else { 1.0 / f64::from(rank) },
            tag: format!("lethescope-{}", stage.name()),
        })
        .collect()
}

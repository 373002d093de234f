//! Commands that ask the vault: the list, the block for a prompt, and why a memory is missing.

use std::time::Duration;

use inspector::constants::Constants;
use inspector::error::EdgeError;
use inspector::request::{BlockForm, ContextRequest, FilterRequest, QueryRequest, WhyRequest};
use inspector::trace::Mode as QueryMode;
use inspector::view::ContextView;
use inspector::{Inspector, tuning};

use crate::arguments::{BlockFormat, Context, Mode, Query, Ranking, Why};
use crate::failure::Failure;
use crate::output::Output;

/// How long a command waits after its answer for the account of its question to be stored.
pub(crate) const SETTLING: Duration = Duration::from_secs(3);

pub(crate) fn query(inspector: &Inspector, out: &Output, asked: &Query) -> Result<(), Failure> {
    let request = query_request(inspector, &asked.text, &asked.ranking, |constants| {
        results(constants, asked.limit)
    })?;
    let answer = inspector.query(&request)?;
    let results = inspector.results(&answer)?;
    out.answer(&answer, &results);
    Ok(())
}

pub(crate) fn context(inspector: &Inspector, out: &Output, asked: &Context) -> Result<(), Failure> {
    let text = asked.text.as_deref().unwrap_or_default();
    out.context(&block(inspector, text, asked, usize::MAX)?);
    Ok(())
}

/// The block for a question, of so many bytes at most: a longer one gets fewer tokens.
pub(crate) fn block(
    inspector: &Inspector,
    text: &str,
    asked: &Context,
    most: usize,
) -> Result<ContextView, Failure> {
    let request = query_request(inspector, text, &asked.ranking, |constants| {
        packed(constants, asked.budget, asked.limit)
    })?;
    let answer = inspector.query(&request)?;
    let mut wanted = ContextRequest {
        recall: answer.recall,
        constants: request.constants,
        now: request.now,
        format: match asked.format {
            BlockFormat::Context => BlockForm::Context,
            BlockFormat::Archive => BlockForm::Archive,
        },
    };
    loop {
        let mut view = inspector.context(&wanted)?;
        if view.block.len() <= most {
            return Ok(view);
        }
        // In proportion, but less each time: tokens are not of one length.
        let share = view.tokens as usize * most / view.block.len();
        let fewer = (share as u32).min(view.tokens.saturating_sub(1));
        if tuning::set(&mut wanted.constants, &format!("token_budget={fewer}")).is_err() {
            // Not even the least block is short enough.
            view.block.clear();
            return Ok(view);
        }
    }
}

pub(crate) fn why(inspector: &Inspector, out: &Output, asked: &Why) -> Result<(), Failure> {
    let request = query_request(inspector, &asked.text, &asked.ranking, |constants| {
        results(constants, asked.limit)
    })?;
    let answer = inspector.query(&request)?;
    let why = WhyRequest {
        recall: answer.recall,
        expected: asked.expect.clone(),
        constants: request.constants,
        now: request.now,
    };
    let mut verdict = inspector.why(&why)?;
    if verdict.lost_at.is_none() {
        // Nothing has to bring in what is there.
        verdict.fixes.clear();
    }
    if verdict.lost_at.as_deref() == Some("stored") {
        let what = format!("memory {}", verdict.expected);
        return Err(EdgeError::not_found(&what).into());
    }
    let alone = verdict.fixes.iter().any(|fix| !fix.intervals.is_empty());
    let is_memory = verdict.gates.iter().any(|gate| gate.name == "stored");
    let pair = if verdict.in_results || alone || !is_memory {
        None
    } else {
        inspector.pair_fix(&why)?
    };
    out.verdict(&verdict, pair.as_ref());
    Ok(())
}

fn query_request(
    inspector: &Inspector,
    text: &str,
    asked: &Ranking,
    limits: impl FnOnce(&mut Constants) -> Result<(), EdgeError>,
) -> Result<QueryRequest, Failure> {
    let (constants, filter, mode) = ranking(inspector, asked, limits)?;
    Ok(QueryRequest {
        text: text.to_owned(),
        mode,
        filter,
        constants,
        now: asked.now.clone(),
        rerank: true,
    })
}

fn ranking(
    inspector: &Inspector,
    asked: &Ranking,
    limits: impl FnOnce(&mut Constants) -> Result<(), EdgeError>,
) -> Result<(Constants, FilterRequest, QueryMode), Failure> {
    let mut constants = inspector.preset(asked.preset.as_deref())?;
    limits(&mut constants)?;
    let mode = mode(asked.mode.unwrap_or(Mode::Hybrid));
    if mode == QueryMode::Lexical {
        tuning::without_model(&mut constants);
    }
    for assignment in &asked.set {
        tuning::set(&mut constants, assignment)?;
    }
    let mut filter = filter(&asked.scope)?;
    filter.unflagged = asked.no_flagged;
    Ok((constants, filter, mode))
}

/// As many results as are asked for.
fn results(constants: &mut Constants, limit: Option<u32>) -> Result<(), EdgeError> {
    match limit {
        Some(limit) => tuning::set(constants, &format!("results={limit}")),
        None => Ok(()),
    }
}

/// A block of so many tokens and memories; there must be as many results.
fn packed(
    constants: &mut Constants,
    budget: Option<u32>,
    limit: Option<u32>,
) -> Result<(), EdgeError> {
    if let Some(budget) = budget {
        tuning::set(constants, &format!("token_budget={budget}"))?;
    }
    if let Some(limit) = limit {
        tuning::set(constants, &format!("context_results={limit}"))?;
        results(constants, Some(limit.max(constants.results)))?;
    }
    Ok(())
}

pub(crate) fn mode(asked: Mode) -> QueryMode {
    match asked {
        Mode::Hybrid => QueryMode::Hybrid,
        Mode::Lexical => QueryMode::Lexical,
        Mode::Semantic => QueryMode::Semantic,
        Mode::Auto => QueryMode::Auto,
    }
}

pub(crate) fn filter(scope: &[String]) -> Result<FilterRequest, Failure> {
    let mut filter = FilterRequest::default();
    for pair in scope {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("--scope {pair}: expected KEY=VALUE")))?;
        let value = value.to_owned();
        match key {
            "org" => filter.org = Some(value),
            "agent" => filter.agents.push(value),
            "session" => filter.session = Some(value),
            "role" => filter.roles.push(value),
            "kind" => filter.kinds.push(value),
            "tag" => filter.tags.push(value),
            "source" => filter.source = Some(value),
            "after" => filter.after = Some(value),
            "before" => filter.before = Some(value),
            _ => {
                return Err(Failure::Usage(format!(
                    "--scope {key}: expected org, agent, session, role, kind, tag, source, before or after"
                )));
            }
        }
    }
    Ok(filter)
}

//! One function per command.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use inspector::constants::Constants;
use inspector::error::{EdgeError, ErrorCode};
use inspector::request::{
    BlockForm, ContextRequest, EvaluateRequest, FilterRequest, IngestRequest, QueryRequest,
    SuiteRequest, WhyRequest,
};
use inspector::trace::Mode as QueryMode;
use inspector::view::{ConstantView, ContextView, IngestReport, Notice};
use inspector::{ChannelName, Inspector, Paths, junit, tuning};

use crate::about;
use crate::arguments::{
    Arguments, BlockFormat, Command, Context, Eval, Ingest, Mode, Query, Ranking, Why,
};
use crate::failure::Failure;
use crate::hook;
use crate::lanes;
use crate::mcp;
use crate::memories;
use crate::opening::{new_passphrase, open};
use crate::output::{Output, print};
use crate::reranker;
use crate::traces;
use crate::vault;

/// How long a command waits after its answer for the account of its question to be stored.
pub(crate) const SETTLING: Duration = Duration::from_secs(3);

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let out = Output::new(arguments.json);
    if matches!(arguments.command, Command::Scrub) {
        let view = inspector::scrub(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
        out.scrubbed(&view);
        return Ok(());
    }
    if matches!(arguments.command, Command::Constants) {
        out.constants(&ConstantView::all());
        return Ok(());
    }
    match &arguments.command {
        Command::Completions { shell } => {
            about::completions(&out, *shell);
            return Ok(());
        }
        Command::Manual { folder } => return about::manual(&out, folder),
        _ => {}
    }
    let paths = paths(arguments.vault.as_deref())?;
    let secret = arguments.passphrase_file;
    let background = matches!(arguments.command, Command::Watch(_));
    let inspector = if background {
        Inspector::new(paths)
    } else {
        match asked_by(&arguments.command) {
            Some(channel) => Inspector::for_agent(paths, channel),
            None => Inspector::for_scripts(paths),
        }
    };
    if let Command::Init { demo } = arguments.command {
        let passphrase = new_passphrase(secret.as_deref())?;
        let status = if demo {
            inspector.create_demo_vault(passphrase)?
        } else {
            inspector.create_vault(passphrase)?
        };
        if demo {
            inspector.embed_pending(&mut |done, total| out.progress("embedding", done, total))?;
        }
        out.status(&if demo { inspector.status()? } else { status });
        return Ok(());
    }
    if let Command::Eval(request) = &arguments.command
        && let Some(folder) = &request.folder
    {
        return evaluate(&inspector, &out, request, folder);
    }
    if let Command::About { licences } = arguments.command {
        return about::about(&inspector, &out, licences);
    }
    if let Command::Vault(command) = &arguments.command {
        return vault::run(&inspector, &out, command, secret.as_deref());
    }
    if let Command::Mcp(request) = &arguments.command {
        return mcp::serve(inspector, request, secret);
    }
    if let Command::Context(request) = arguments.command {
        if request.hook.is_some() {
            hook::answer(inspector, request, secret);
            return Ok(());
        }
        open(&inspector, secret.as_deref())?;
        let answered = context(&inspector, &out, &request);
        inspector.settle(SETTLING);
        return answered;
    }
    open(&inspector, secret.as_deref())?;
    match arguments.command {
        // Dealt with above.
        Command::Init { .. }
        | Command::Scrub
        | Command::Constants
        | Command::Context(_)
        | Command::Mcp(_)
        | Command::About { .. }
        | Command::Completions { .. }
        | Command::Manual { .. }
        | Command::Vault(_) => Ok(()),
        Command::Eval(request) => suite(&inspector, &out, &request),
        Command::Ingest(request) => ingest(&inspector, &out, &request),
        Command::Watch(request) => watch(&inspector, &out, &request),
        Command::Add(request) => memories::add(&inspector, &out, &request),
        Command::Query(request) => query(&inspector, &out, &request),
        Command::Why(request) => why(&inspector, &out, &request),
        Command::Document(request) => lanes::document(&inspector, &out, &request),
        Command::Research(request) => lanes::research(&inspector, &out, &request),
        Command::Trace(request) => traces::trace(&inspector, &out, &request),
        Command::Reranker(request) => reranker::reranker(&inspector, &out, &request),
        Command::List(request) => memories::list(&inspector, &out, &request),
        Command::Show { id } => {
            out.memory(&inspector.get_memory(&id, None)?, None);
            Ok(())
        }
        Command::Edit(request) => memories::edit(&inspector, &out, &request),
        Command::Merge(request) => memories::merge(&inspector, &out, &request),
        Command::Delete { ids, purge } => memories::delete(&inspector, &out, &ids, purge),
        Command::Restore { ids } => memories::restore(&inspector, &out, &ids),
        Command::Trash { empty } => memories::trash(&inspector, &out, empty),
        Command::Undo => memories::undo(&inspector, &out),
        Command::Embed => memories::embed_all(&inspector, &out),
        Command::Index { index } => {
            out.knn_index(&match index {
                Some(index) => inspector.use_knn_index(&index, &mut |done, total| {
                    out.progress("linking", done, total);
                })?,
                None => inspector.knn_index()?,
            });
            Ok(())
        }
        Command::Status => {
            out.status(&inspector.status()?);
            Ok(())
        }
    }
}

fn paths(vault: Option<&Path>) -> Result<Paths, Failure> {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let mut paths = Paths::find(&|name| std::env::var_os(name), folder)
        .map_err(|reason| Failure::Usage(reason.into()))?;
    if let Some(vault) = vault {
        paths.vault = vault.to_path_buf();
    }
    Ok(paths)
}

fn ingest_request(request: &Ingest) -> IngestRequest {
    IngestRequest {
        paths: request
            .paths
            .iter()
            .map(|path| inspector::path_text(path))
            .collect(),
        format: (request.format != "auto").then(|| request.format.clone()),
        subagents: request.subagents,
        left_out: request.leave_out.clone(),
    }
}

fn ingest(inspector: &Inspector, out: &Output, request: &Ingest) -> Result<(), Failure> {
    let asked = ingest_request(request);
    let report = if request.dry_run {
        inspector.dry_run(&asked)?
    } else {
        inspector.ingest(&asked, &mut |done, total| {
            out.progress("reading files", done, total);
        })?
    };
    if request.dry_run {
        out.report(&report, true, None);
        return taken(request, &report);
    }
    // What was stored is said whatever becomes of the vectors.
    let embedding = if request.no_embed {
        inspector.embedding()
    } else {
        inspector.embed_pending(&mut |done, total| out.progress("embedding", done, total))
    };
    out.report(&report, false, embedding.as_ref().ok());
    embedding?;
    taken(request, &report)
}

/// A file that was named and of which nothing could be taken is a failure, whatever became of the others.
fn taken(request: &Ingest, report: &IngestReport) -> Result<(), Failure> {
    let named: Vec<String> = request
        .paths
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .map(|path| path.display().to_string())
        .collect();
    let nothing: Vec<String> = report
        .errors
        .iter()
        .filter(|error| error.line == 0 && named.contains(&error.path))
        .map(|error| format!("Nothing was taken from {}: {}.", error.path, error.reason))
        .collect();
    if nothing.is_empty() {
        Ok(())
    } else {
        Err(Failure::Partly(nothing.join("\n")))
    }
}

fn watch(inspector: &Inspector, out: &Output, request: &Ingest) -> Result<(), Failure> {
    let (sender, receiver) = std::sync::mpsc::channel();
    inspector.subscribe(Box::new(move |notice| {
        let _ = sender.send(notice);
    }));
    let asked = ingest_request(request);
    let mut watched = BTreeMap::new();
    for path in &asked.paths {
        let source = inspector.watch_folder(&IngestRequest {
            paths: vec![path.clone()],
            ..asked.clone()
        })?;
        out.watching(&source);
        watched.insert(source.id, source.path);
    }
    while let Ok(notice) = receiver.recv() {
        match notice {
            Notice::Memories { added, latest } => out.arrived(added, &latest),
            Notice::Progress {
                source,
                files_done,
                stored,
                finished: true,
                ..
            } => {
                if let Some(path) = watched.get(&source) {
                    out.read(&source, path, files_done, stored);
                }
            }
            _ => {}
        }
        if print::closed() {
            break;
        }
    }
    Ok(())
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

fn query(inspector: &Inspector, out: &Output, asked: &Query) -> Result<(), Failure> {
    let request = query_request(inspector, &asked.text, &asked.ranking, |constants| {
        results(constants, asked.limit)
    })?;
    let answer = inspector.query(&request)?;
    let results = inspector.results(&answer)?;
    out.answer(&answer, &results);
    Ok(())
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

fn context(inspector: &Inspector, out: &Output, asked: &Context) -> Result<(), Failure> {
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

fn why(inspector: &Inspector, out: &Output, asked: &Why) -> Result<(), Failure> {
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
    let pair = if verdict.in_results || alone {
        None
    } else {
        inspector.pair_fix(&why)?
    };
    out.verdict(&verdict, pair.as_ref());
    Ok(())
}

fn evaluate(
    inspector: &Inspector,
    out: &Output,
    asked: &Eval,
    folder: &Path,
) -> Result<(), Failure> {
    let outcomes = inspector.evaluate(
        &EvaluateRequest {
            folder: folder.display().to_string(),
            preset: asked.preset.clone(),
            set: asked.set.clone(),
            variants: asked.variant.clone(),
            sample: asked.sample,
        },
        &mut |what, done, total| out.progress(what, done, total),
    )?;
    out.outcomes(&outcomes);
    Ok(())
}

fn suite(inspector: &Inspector, out: &Output, asked: &Eval) -> Result<(), Failure> {
    let Some(file) = &asked.suite else {
        return Ok(());
    };
    let mut constants = inspector.preset(asked.preset.as_deref())?;
    for assignment in &asked.set {
        tuning::set(&mut constants, assignment)?;
    }
    let outcome = inspector.check_suite(
        &SuiteRequest {
            suite: read_text(file)?,
            constants,
            now: asked.now.clone(),
        },
        &mut |done, total| out.progress("asking", done, total),
    )?;
    if let Some(report) = &asked.junit {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        std::fs::write(report, junit::report(&name, &outcome)).map_err(|error| {
            EdgeError::new(
                ErrorCode::Unreadable,
                &[
                    ("path", &report.display().to_string()),
                    ("reason", &inspector::reason(error.kind())),
                ],
            )
        })?;
    }
    out.suite(&outcome);
    if outcome.passed {
        Ok(())
    } else {
        Err(Failure::Suite)
    }
}

/// The agent's door behind a command whose questions leave their account.
fn asked_by(command: &Command) -> Option<ChannelName> {
    match command {
        Command::Mcp(asked) if !asked.no_log && !asked.read_only => Some(ChannelName::Mcp),
        Command::Context(asked) if !asked.no_log => Some(match asked.hook {
            Some(_) => ChannelName::Hook,
            None => ChannelName::Cli,
        }),
        _ => None,
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read_bytes(path)?).map_err(|_| unreadable(path, "not UTF-8"))
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|all| bytes = all)
    };
    read.map_err(|error| unreadable(path, &inspector::reason(error.kind())))?;
    Ok(bytes)
}

pub(crate) fn unreadable(path: &Path, reason: &str) -> Failure {
    Failure::Work(EdgeError::new(
        ErrorCode::Unreadable,
        &[("path", &path.display().to_string()), ("reason", reason)],
    ))
}

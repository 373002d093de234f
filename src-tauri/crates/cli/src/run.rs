//! One function per command.

use std::io::Read as _;
use std::path::Path;

use inspector::constants::Constants;
use inspector::error::{EdgeError, ErrorCode};
use inspector::request::{
    EditRequest, EvaluateRequest, FilterRequest, IngestRequest, ListRequest, MergeMember,
    MergeRequest, QueryRequest, SortOrder, SuiteRequest, WhyRequest,
};
use inspector::trace::Mode as QueryMode;
use inspector::view::{ConstantView, Notice};
use inspector::{Inspector, Paths, junit, tuning};

use crate::arguments::{
    Arguments, Command, Edit, Eval, Ingest, List, Merge, Mode, Query, Ranking, Why,
};
use crate::failure::Failure;
use crate::lanes;
use crate::output::Output;
use crate::reranker;
use crate::traces;
use crate::vault;

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
    let paths = paths(arguments.vault.as_deref())?;
    let secret = arguments.passphrase_file;
    let background = matches!(arguments.command, Command::Watch(_));
    let inspector = if background {
        Inspector::new(paths)
    } else {
        Inspector::for_scripts(paths)
    };
    if let Command::Init { demo } = arguments.command {
        let passphrase = passphrase(secret.as_deref())?;
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
    if let Command::Vault(command) = &arguments.command {
        return vault::run(&inspector, &out, command, secret.as_deref());
    }
    inspector.open(passphrase(secret.as_deref())?)?;
    match arguments.command {
        // Dealt with above.
        Command::Init { .. } | Command::Scrub | Command::Constants | Command::Vault(_) => Ok(()),
        Command::Eval(request) => suite(&inspector, &out, &request),
        Command::Ingest(request) => ingest(&inspector, &out, &request),
        Command::Watch(request) => watch(&inspector, &out, &request),
        Command::Query(request) => query(&inspector, &out, &request),
        Command::Why(request) => why(&inspector, &out, &request),
        Command::Document(request) => lanes::document(&inspector, &out, &request),
        Command::Research(request) => lanes::research(&inspector, &out, &request),
        Command::Trace(request) => traces::trace(&inspector, &out, &request),
        Command::Reranker(request) => reranker::reranker(&inspector, &out, &request),
        Command::List(request) => list(&inspector, &out, &request),
        Command::Show { id } => {
            out.memory(&inspector.get_memory(&id, None)?);
            Ok(())
        }
        Command::Edit(request) => edit(&inspector, &out, &request),
        Command::Merge(request) => merge(&inspector, &out, &request),
        Command::Delete { ids, purge } => {
            let count = inspector.delete_memories(&ids)?;
            if purge {
                inspector.purge_memories(&ids)?;
            }
            out.done(if purge { "purged" } else { "deleted" }, count);
            Ok(())
        }
        Command::Undo => {
            out.undone(inspector.undo()?.as_deref());
            Ok(())
        }
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

/// Reads the first line of the passphrase file. The text itself is never shown.
pub(crate) fn passphrase(file: Option<&Path>) -> Result<String, Failure> {
    let Some(file) = file else {
        return Err(Failure::Usage(
            "no passphrase: name a file that holds it with --passphrase-file or LETHESCOPE_PASSPHRASE_FILE".into(),
        ));
    };
    let bytes = read_bytes(file)?;
    let line = inspector::passphrase_line(&bytes).map_err(|_| {
        unreadable(
            file,
            "it is neither UTF-8 nor UTF-16 with a byte order mark",
        )
    })?;
    if line.is_empty() {
        return Err(Failure::Usage(format!(
            "the first line of {} is empty: it should be the passphrase",
            file.display()
        )));
    }
    Ok(line.as_str().to_owned())
}

fn ingest_request(request: &Ingest) -> IngestRequest {
    IngestRequest {
        paths: request
            .paths
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        format: (request.format != "auto").then(|| request.format.clone()),
        subagents: request.subagents,
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
    if !request.dry_run && !request.no_embed {
        inspector.embed_pending(&mut |done, total| out.progress("embedding", done, total))?;
    }
    out.report(&report, request.dry_run);
    Ok(())
}

fn watch(inspector: &Inspector, out: &Output, request: &Ingest) -> Result<(), Failure> {
    let (sender, receiver) = std::sync::mpsc::channel();
    inspector.subscribe(Box::new(move |notice| {
        let _ = sender.send(notice);
    }));
    let asked = ingest_request(request);
    for path in &asked.paths {
        let source = inspector.watch_folder(&IngestRequest {
            paths: vec![path.clone()],
            ..asked.clone()
        })?;
        out.source(&source);
    }
    while let Ok(notice) = receiver.recv() {
        if let Notice::Memories { added, latest } = notice {
            out.arrived(added, &latest);
        }
    }
    Ok(())
}

fn ranking(
    inspector: &Inspector,
    asked: &Ranking,
) -> Result<(Constants, FilterRequest, QueryMode), Failure> {
    let mut constants = inspector.preset(asked.preset.as_deref())?;
    if let Some(limit) = asked.limit {
        tuning::set(&mut constants, &format!("results={limit}"))?;
    }
    for assignment in &asked.set {
        tuning::set(&mut constants, assignment)?;
    }
    Ok((constants, filter(&asked.scope)?, mode(asked.mode)))
}

pub(crate) fn mode(asked: Mode) -> QueryMode {
    match asked {
        Mode::Hybrid => QueryMode::Hybrid,
        Mode::Lexical => QueryMode::Lexical,
        Mode::Semantic => QueryMode::Semantic,
        Mode::Auto => QueryMode::Auto,
    }
}

fn filter(scope: &[String]) -> Result<FilterRequest, Failure> {
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
) -> Result<QueryRequest, Failure> {
    let (constants, filter, mode) = ranking(inspector, asked)?;
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
    let request = query_request(inspector, &asked.text, &asked.ranking)?;
    let answer = inspector.query(&request)?;
    let results = inspector.results(&answer)?;
    out.answer(&answer, &results);
    Ok(())
}

fn why(inspector: &Inspector, out: &Output, asked: &Why) -> Result<(), Failure> {
    let request = query_request(inspector, &asked.text, &asked.ranking)?;
    let answer = inspector.query(&request)?;
    let verdict = inspector.why(&WhyRequest {
        recall: answer.recall,
        expected: asked.expect.clone(),
        constants: request.constants,
        now: request.now,
    })?;
    out.verdict(&verdict);
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
                    ("reason", &error.kind().to_string()),
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

fn list(inspector: &Inspector, out: &Output, asked: &List) -> Result<(), Failure> {
    let page = inspector.list_memories(&ListRequest {
        filter: filter(&asked.scope)?,
        contains: asked.contains.clone(),
        only: None,
        trash: asked.trash,
        sort: SortOrder::Newest,
        offset: asked.offset,
        limit: asked.limit,
    })?;
    out.page(&page);
    Ok(())
}

fn merge(inspector: &Inspector, out: &Output, asked: &Merge) -> Result<(), Failure> {
    let members = asked.ids.iter().map(|id| MergeMember {
        id: id.clone(),
        version: None,
    });
    let view = inspector.merge_memories(&MergeRequest {
        members: members.collect(),
        content: asked.content_file.as_deref().map(read_text).transpose()?,
    })?;
    out.memory(&view);
    Ok(())
}

fn edit(inspector: &Inspector, out: &Output, asked: &Edit) -> Result<(), Failure> {
    let content = asked.content_file.as_deref().map(read_text).transpose()?;
    let view = inspector.edit_memory(&EditRequest {
        id: asked.id.clone(),
        version: None,
        content,
        tags: asked.tags.clone(),
        pinned: match (asked.pin, asked.unpin) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        approve: asked.approve.then_some(true),
        expires: asked.expires.clone(),
    })?;
    out.memory(&view);
    Ok(())
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
    read.map_err(|error| unreadable(path, &error.kind().to_string()))?;
    Ok(bytes)
}

fn unreadable(path: &Path, reason: &str) -> Failure {
    Failure::Work(EdgeError::new(
        ErrorCode::Unreadable,
        &[("path", &path.display().to_string()), ("reason", reason)],
    ))
}

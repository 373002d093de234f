//! One function per command.

use std::collections::BTreeMap;
use std::path::Path;

use inspector::error::{EdgeError, ErrorCode};
use inspector::request::{EvaluateRequest, IngestRequest, SuiteRequest};
use inspector::view::{ConstantView, IngestReport, Notice};
use inspector::{ChannelName, Inspector, Paths, junit, tuning};

use crate::about;
use crate::arguments::{Arguments, Command, Eval, Ingest};
use crate::asking::{self, SETTLING};
use crate::failure::Failure;
use crate::given::read_text;
use crate::hook;
use crate::lanes;
use crate::mcp;
use crate::memories;
use crate::opening::{new_passphrase, open};
use crate::output::{Output, print};
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
        let answered = asking::context(&inspector, &out, &request);
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
        Command::Query(request) => asking::query(&inspector, &out, &request),
        Command::Why(request) => asking::why(&inspector, &out, &request),
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
        Command::Duplicates(request) => memories::duplicates(&inspector, &out, &request),
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
        left_out: (!request.leave_out.is_empty()).then(|| {
            let named = request.leave_out.iter();
            named.filter(|name| !name.is_empty()).cloned().collect()
        }),
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

//! Taking logs in, once or for good.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ingest::{Change, Options, Progress};
use memory::{FileRow, SourceId, SourceRow};

use crate::convert::reason;
use crate::error::{EdgeError, ErrorCode};
use crate::inspector::{Inner, Inspector};
use crate::left_out;
use crate::request::IngestRequest;
use crate::session::Session;
use crate::time;
use crate::view::{FolderOffer, IngestErrorView, IngestReport, Notice, ProjectReport, SourceView};

/// Errors a report lists; it counts them all.
const ERRORS_LISTED: usize = 200;

impl Inspector {
    /// The agents' folders found on this machine.
    pub fn discover_folders(&self) -> Result<Vec<FolderOffer>, EdgeError> {
        let watched: Vec<String> = match self.inner.session() {
            Ok(session) => session
                .vault
                .read(|r| r.sources().all())?
                .into_iter()
                .map(|source| source.path)
                .collect(),
            Err(_) => Vec::new(),
        };
        Ok(ingest::discover(&self.inner.paths.home)
            .into_iter()
            .map(|found| {
                let path = found.path.display().to_string();
                let survey = ingest::survey(&found.path);
                FolderOffer {
                    agent: found.agent.to_owned(),
                    watched: watched.contains(&path),
                    path,
                    files: survey.files,
                    bytes: survey.bytes.to_string(),
                    first: survey.first.map(time::to_rfc3339),
                    last: survey.last.map(time::to_rfc3339),
                }
            })
            .collect())
    }

    /// What taking in would do; stores nothing.
    pub fn dry_run(&self, request: &IngestRequest) -> Result<IngestReport, EdgeError> {
        let session = self.inner.session().ok();
        let (paths, options) = read_request(session.as_deref(), request)?;
        Ok(report(ingest::dry_run(&paths, &options, self.inner.now())))
    }

    /// Takes in what is there, once; for scripts. Says how far it is, in files.
    pub fn ingest(
        &self,
        request: &IngestRequest,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<IngestReport, EdgeError> {
        let session = self.inner.session_in_use()?;
        let (paths, options) = read_request(Some(&session), request)?;
        let done = ingest::backfill(
            &session.vault,
            None,
            &paths,
            &options,
            &|| self.inner.now(),
            &mut |p: Progress| progress(p.files_done, p.files_total),
            &AtomicBool::new(false),
        )
        .map_err(ingest_error)?;
        Ok(report(done))
    }

    /// Takes in what is there, in the background, and keeps watching.
    pub fn watch_folder(&self, request: &IngestRequest) -> Result<SourceView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let (paths, options) = read_request(Some(&session), request)?;
        let [path] = paths.as_slice() else {
            return Err(EdgeError::bad_request("paths", "one folder or file"));
        };
        let path = std::fs::canonicalize(path).map_err(|error| unreadable(path, &error))?;
        let text = ingest::path_text(&path);
        let now = self.inner.now();
        let source = session.vault.write(|w| {
            let format = options.format.as_deref();
            if left_out::set(w, &text, &options.left_out)? {
                w.files().read_again(&text)?;
            }
            w.sources().add(&text, format, options.subagents, now)
        })?;
        if let Some(watcher) = session.watcher.lock().as_ref() {
            watcher.watch(left_out::watched(&session.vault, &source));
        }
        self.inner.notices.tell(&Notice::Sources);
        source_view(&session, &source)
    }

    /// Stops watching; what was stored stays.
    pub fn unwatch(&self, id: &str) -> Result<Vec<SourceView>, EdgeError> {
        let session = self.inner.session_in_use()?;
        let id = source_id(id)?;
        if let Some(watcher) = session.watcher.lock().as_ref() {
            watcher.unwatch(id);
        }
        session.vault.write(|w| w.sources().remove(id))?;
        self.inner.notices.tell(&Notice::Sources);
        self.sources()
    }

    /// The watched folders and files.
    pub fn sources(&self) -> Result<Vec<SourceView>, EdgeError> {
        let session = self.inner.session()?;
        let rows = session.vault.read(|r| r.sources().all())?;
        rows.iter().map(|row| source_view(&session, row)).collect()
    }

    /// Lines of a source that could not be read, latest first.
    pub fn source_errors(&self, id: &str) -> Result<Vec<IngestErrorView>, EdgeError> {
        let session = self.inner.session()?;
        let id = source_id(id)?;
        let errors = session
            .vault
            .read(|r| r.files().errors(id, ERRORS_LISTED as u32))?;
        Ok(errors
            .into_iter()
            .map(|error| IngestErrorView {
                path: error.path,
                line: u32::try_from(error.line).unwrap_or(u32::MAX),
                reason: error.reason,
            })
            .collect())
    }
}

impl Inner {
    /// Passes on what the watcher says.
    pub(crate) fn changed(self: &Arc<Self>, change: &Change) {
        match change {
            Change::Memories {
                new, changed, gone, ..
            } => {
                if let Ok(session) = self.session() {
                    for ids in [changed, gone] {
                        if let Err(error) = session.engine.note_changed(ids) {
                            tracing::warn!(%error, "the vectors in memory are out of date");
                        }
                    }
                    session.wake.rouse();
                }
                let newest = new.iter().rev().take(50).rev().map(ToString::to_string);
                self.notices.tell(&Notice::Memories {
                    added: u32::try_from(new.len()).unwrap_or(u32::MAX),
                    latest: newest.collect(),
                });
            }
            Change::Progress {
                source,
                progress,
                finished,
            } => self.notices.tell(&Notice::Progress {
                source: source.0.to_string(),
                files_done: progress.files_done,
                files_total: progress.files_total,
                stored: progress.stored,
                finished: *finished,
            }),
            Change::State { .. } | Change::Errors { .. } | Change::Halted { .. } => {
                self.notices.tell(&Notice::Sources);
            }
        }
    }
}

fn read_request(
    session: Option<&Session>,
    request: &IngestRequest,
) -> Result<(Vec<PathBuf>, Options), EdgeError> {
    let paths: Vec<PathBuf> = request
        .paths
        .iter()
        .filter(|path| !path.trim().is_empty())
        .map(|path| ingest::path_of(path))
        .collect();
    if paths.is_empty() {
        return Err(EdgeError::bad_request(
            "paths",
            "at least one file or folder",
        ));
    }
    for path in &paths {
        std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    }
    let format = request.format.clone().filter(|name| name != "auto");
    if let Some(name) = format.as_deref() {
        let known = ingest::format_names();
        if !known.contains(&name) {
            return Err(EdgeError::bad_request(
                "format",
                &format!("auto, {}", known.join(", ")),
            ));
        }
    }
    let left_out = match (&request.left_out, session) {
        (Some(named), _) => named.iter().cloned().collect(),
        (None, Some(session)) => left_out_before(session, &paths),
        (None, None) => BTreeSet::new(),
    };
    Ok((
        paths,
        Options {
            format,
            subagents: request.subagents,
            left_out,
        },
    ))
}

/// What is left out of these folders where they are watched.
fn left_out_before(session: &Session, paths: &[PathBuf]) -> BTreeSet<String> {
    paths
        .iter()
        .filter_map(|path| std::fs::canonicalize(path).ok())
        .flat_map(|path| left_out::of(&session.vault, &ingest::path_text(&path)))
        .collect()
}

fn unreadable(path: &std::path::Path, error: &std::io::Error) -> EdgeError {
    EdgeError::new(
        ErrorCode::Unreadable,
        &[
            ("path", &path.display().to_string()),
            ("reason", &reason(error.kind())),
        ],
    )
}

fn ingest_error(error: ingest::IngestError) -> EdgeError {
    match error {
        ingest::IngestError::Vault(error) => error.into(),
        ingest::IngestError::UnknownFormat => EdgeError::internal("ingest"),
    }
}

fn source_id(text: &str) -> Result<SourceId, EdgeError> {
    text.parse()
        .map(SourceId)
        .map_err(|_| EdgeError::bad_request("id", "the number of a source"))
}

fn report(report: ingest::Report) -> IngestReport {
    let mut projects: Vec<ProjectReport> = report.projects.into_iter().map(project).collect();
    projects.sort_by_key(|project| std::cmp::Reverse(project.kinds.values().sum::<u32>()));
    IngestReport {
        projects,
        files: report.files,
        bytes: report.bytes.to_string(),
        records: report.records,
        stored: report.stored,
        skipped: report.skipped,
        formats: report.formats,
        mappings: report.mappings,
        errors: report
            .errors
            .into_iter()
            .take(ERRORS_LISTED)
            .map(|error| IngestErrorView {
                path: error.path.display().to_string(),
                line: u32::try_from(error.line).unwrap_or(u32::MAX),
                reason: error.reason,
            })
            .collect(),
        error_count: report.error_count,
        left_alone: report.left_alone,
        notes: report.notes,
        cancelled: report.cancelled,
    }
}

fn project((name, met): (String, ingest::Project)) -> ProjectReport {
    ProjectReport {
        project: name,
        sessions: u32::try_from(met.sessions.len()).unwrap_or(u32::MAX),
        first: met.first.map(time::to_rfc3339),
        last: met.last.map(time::to_rfc3339),
        kinds: met.kinds,
    }
}

fn source_view(session: &Session, row: &SourceRow) -> Result<SourceView, EdgeError> {
    let (files, skipped) = session.vault.read(|r| {
        Ok((
            r.files().of_source(row.id)?,
            r.sources().skipped(Some(row.id))?,
        ))
    })?;
    let sum = |part: fn(&FileRow) -> u32| {
        files
            .iter()
            .fold(0_u32, |total, file| total.saturating_add(part(file)))
    };
    let formats: BTreeSet<String> = files.iter().filter_map(|f| f.format.clone()).collect();
    Ok(SourceView {
        id: row.id.0.to_string(),
        path: row.path.clone(),
        formats: formats.into_iter().collect(),
        state: row.state.as_str().to_owned(),
        state_reason: row.state_reason.clone(),
        subagents: row.subagents,
        left_out: left_out::of(&session.vault, &row.path),
        files: u32::try_from(files.len()).unwrap_or(u32::MAX),
        records: sum(|file| file.records),
        stored: sum(|file| file.stored),
        skipped,
        errors: sum(|file| file.errors),
        last_seen_at: files
            .iter()
            .filter_map(|file| file.last_seen_at)
            .max()
            .map(time::to_rfc3339),
    })
}

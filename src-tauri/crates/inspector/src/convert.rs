//! Between the words of the edge and the types of the core.

use std::collections::BTreeMap;

use memory::{Filter, Kind, Memory, MemoryId, Millis, Role, VaultError};
use retrieval::Candidate;
use retrieval::highlight::{self, Utf16Range};
use retrieval::stage::route::{Route, route};
use retrieval::trace::Mode;

use crate::error::{EdgeError, ErrorCode};
use crate::request::FilterRequest;
use crate::time;
use crate::view::{HighlightView, MemoryCard};

/// Characters of a text that a list shows.
const SNIPPET: usize = 360;

/// Reads a memory's name.
pub(crate) fn memory_id(text: &str) -> Result<MemoryId, EdgeError> {
    text.trim()
        .parse()
        .map_err(|_| EdgeError::bad_request("id", "a memory's id, for example m42"))
}

/// Reads many.
pub(crate) fn memory_ids(texts: &[String]) -> Result<Vec<MemoryId>, EdgeError> {
    texts.iter().map(|text| memory_id(text)).collect()
}

/// Reads a filter; unknown roles, kinds and times are refused by name.
pub(crate) fn filter(request: &FilterRequest) -> Result<Filter, EdgeError> {
    Ok(Filter {
        org: request.org.clone(),
        agents: request.agents.clone(),
        session: request.session.clone(),
        roles: names(&request.roles, "role", Role::ALL, Role::from_name)?,
        kinds: names(&request.kinds, "kind", Kind::ALL, Kind::from_name)?,
        source: request.source.clone(),
        tags: request.tags.clone(),
        after: moment("after", request.after.as_deref())?,
        before: moment("before", request.before.as_deref())?,
        unflagged: request.unflagged,
    })
}

/// Reads a time that may be absent.
pub(crate) fn moment(what: &str, text: Option<&str>) -> Result<Option<Millis>, EdgeError> {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => time::from_rfc3339(text).map(Some).ok_or_else(|| {
            EdgeError::bad_request(what, "a date or a time like 2026-06-30T12:00:00Z")
        }),
    }
}

/// The request that would have given this filter.
pub(crate) fn filter_request(filter: &Filter) -> FilterRequest {
    FilterRequest {
        org: filter.org.clone(),
        agents: filter.agents.clone(),
        session: filter.session.clone(),
        roles: filter.roles.iter().map(ToString::to_string).collect(),
        kinds: filter.kinds.iter().map(ToString::to_string).collect(),
        source: filter.source.clone(),
        tags: filter.tags.clone(),
        after: filter.after.map(time::to_rfc3339),
        before: filter.before.map(time::to_rfc3339),
        unflagged: filter.unflagged,
    }
}

/// A mode's name, as requests and suites spell it.
pub(crate) const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Hybrid => "hybrid",
        Mode::Lexical => "lexical",
        Mode::Semantic => "semantic",
        Mode::Auto => "auto",
    }
}

/// Reads a mode's name.
pub(crate) fn mode(name: &str) -> Result<Mode, EdgeError> {
    [Mode::Hybrid, Mode::Lexical, Mode::Semantic, Mode::Auto]
        .into_iter()
        .find(|mode| mode_name(*mode) == name)
        .ok_or_else(|| EdgeError::bad_request("mode", "hybrid, lexical, semantic or auto"))
}

/// Reads the name of one of a closed set.
pub(crate) fn name<T: Copy + ToString>(
    what: &str,
    text: &str,
    all: &[T],
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, EdgeError> {
    read(text).ok_or_else(|| {
        let known: Vec<_> = all.iter().map(ToString::to_string).collect();
        EdgeError::bad_request(what, &known.join(", "))
    })
}

fn names<T: Copy + ToString>(
    texts: &[String],
    what: &str,
    all: &[T],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, EdgeError> {
    texts
        .iter()
        .map(|text| name(what, text, all, &read))
        .collect()
}

/// A memory as lists show it: what `route` matched is marked, and the snippet is the passage around it.
pub(crate) fn card(memory: &Memory, now: Millis, route: Option<&Route>) -> MemoryCard {
    let length = u32::try_from(memory.content.chars().count()).unwrap_or(u32::MAX);
    card_of(memory, length, now, route)
}

/// The same for a candidate, whose text may not be at hand in full.
pub(crate) fn candidate_card(candidate: &Candidate, now: Millis, route: &Route) -> MemoryCard {
    card_of(candidate.memory(), candidate.length(), now, Some(route))
}

fn card_of(memory: &Memory, length: u32, now: Millis, route: Option<&Route>) -> MemoryCard {
    let matched = route.map_or_else(Vec::new, |route| highlight::matches(&memory.content, route));
    let snippet = highlight::snippet(&memory.content, &matched, SNIPPET);
    MemoryCard {
        id: memory.id.to_string(),
        snippet: snippet.text,
        highlights: snippet.highlights.into_iter().map(Into::into).collect(),
        org: memory.scope.org.clone(),
        agent: memory.scope.agent.clone(),
        session: memory.scope.session.clone(),
        role: memory.role.to_string(),
        kind: memory.kind.to_string(),
        tool_name: memory.tool_name.clone(),
        created_at: memory.created_at.map(time::to_rfc3339),
        created_at_quality: memory.created_at_quality.to_string(),
        age_days: memory.created_at.map(|at| time::days_between(at, now)),
        source: memory.provenance.as_ref().map(|from| {
            let name = from.path.rsplit(['/', '\\']).next().unwrap_or(&from.path);
            format!("{name}:{}", from.line)
        }),
        tags: memory.tags.clone(),
        pinned: memory.pinned,
        trust: memory.trust.to_string(),
        length,
        seen_count: memory.seen_count,
        version: memory.version,
    }
}

/// What `route` matched in a whole text.
pub(crate) fn highlights(text: &str, route: &Route) -> Vec<HighlightView> {
    highlight::to_utf16(text, &highlight::matches(text, route))
        .into_iter()
        .map(Into::into)
        .collect()
}

/// The route of a text that is to be found as it stands.
pub(crate) fn literal(text: &str) -> Route {
    let quoted = format!("\"{}\"", text.replace('"', " "));
    route(&quoted, Mode::Lexical, &Filter::default())
}

impl From<Utf16Range> for HighlightView {
    fn from(range: Utf16Range) -> Self {
        Self {
            start: range.start,
            end: range.end,
        }
    }
}

impl From<VaultError> for EdgeError {
    fn from(error: VaultError) -> Self {
        let code = match &error {
            VaultError::NoVault => ErrorCode::NoVault,
            VaultError::Exists => ErrorCode::VaultExists,
            VaultError::WrongPassphrase => ErrorCode::WrongPassphrase,
            VaultError::WeakPassphrase => ErrorCode::WeakPassphrase,
            VaultError::NotAVault { .. } => ErrorCode::NotAVault,
            VaultError::Damaged => ErrorCode::Damaged,
            VaultError::File { writing: true, .. } => ErrorCode::Unwritable,
            VaultError::File { .. } => ErrorCode::Unreadable,
            VaultError::LastKeySlot | VaultError::Invalid { .. } => ErrorCode::BadRequest,
            VaultError::TooNew { .. } => ErrorCode::VaultTooNew,
            VaultError::Locked => ErrorCode::Locked,
            VaultError::Busy => ErrorCode::Busy,
            VaultError::DiskFull => ErrorCode::DiskFull,
            VaultError::NotFound => ErrorCode::NotFound,
            VaultError::Conflict => ErrorCode::Conflict,
            _ => ErrorCode::Internal,
        };
        let mut args = BTreeMap::new();
        match &error {
            VaultError::NotAVault { path, fault } => {
                args.insert("path".to_owned(), path.display().to_string());
                args.insert("why".to_owned(), fault.words().to_owned());
                args.insert("remedy".to_owned(), fault.remedy().to_owned());
            }
            VaultError::File { path, kind, .. } => {
                args.insert("path".to_owned(), path.display().to_string());
                args.insert("reason".to_owned(), reason(*kind));
            }
            VaultError::LastKeySlot => {
                args.insert("what".to_owned(), "key slot".to_owned());
                let expected =
                    "not the last one that a person can type: what a keychain keeps can vanish";
                args.insert("expected".to_owned(), expected.to_owned());
            }
            VaultError::Invalid { what } => {
                args.insert("what".to_owned(), (*what).to_owned());
                let expected = "a value that the vault can hold";
                args.insert("expected".to_owned(), expected.to_owned());
            }
            VaultError::NotFound => {
                args.insert("what".to_owned(), "such memory".to_owned());
            }
            VaultError::WeakPassphrase => {
                args.insert("advice".to_owned(), "it is empty.".to_owned());
            }
            _ => {}
        }
        let mut edge = Self::new(code, &[]);
        if code == ErrorCode::Internal {
            // The error names statements and files, never texts or keys.
            tracing::error!(trace_id = %edge.trace_id, %error, "the vault failed");
            args.insert("what".to_owned(), "vault".to_owned());
        }
        edge.args = args;
        edge
    }
}

/// What the system said of a file, in words.
pub fn reason(kind: std::io::ErrorKind) -> String {
    use std::io::ErrorKind;
    match kind {
        ErrorKind::PermissionDenied => "there is no permission".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        ErrorKind::InvalidFilename => "the name is too long or holds what no name may".to_owned(),
        ErrorKind::NotFound => "it does not exist".to_owned(),
        kind => kind.to_string(),
    }
}

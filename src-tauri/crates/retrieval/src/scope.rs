//! Turns the filter and the required and excluded terms of a query into a set of ids, before any
//! leg runs, so that no leg wastes its places on memories that may not be returned.

use memory::{Filter, MemoryId, Millis, Reader, VaultError};

use crate::ids::{IdSet, Scope};
use crate::scan::scan;
use crate::stage::route::Route;
use crate::stage::route::term::{Term, any_of};

/// How many memories a required or excluded term may stand in before the rest is left aside.
const HOLDERS_CAP: u32 = 100_000;
/// How many matches of a required phrase are checked against the text, best first.
const CHECKED_CAP: usize = 2000;

/// Where a query looks.
#[derive(Debug, Default)]
pub struct Scoped {
    /// What may be returned.
    pub scope: Scope,
    /// How many memories the filter lets through, whatever the query requires or excludes.
    pub searchable: u32,
    /// A sentence for each required term that keeps memories out.
    pub notes: Vec<String>,
}

/// The scope of a route.
pub fn scope_of(reader: &Reader<'_>, route: &Route, now: Millis) -> Result<Scoped, VaultError> {
    let mut notes = Vec::new();
    let memories = reader.memories();
    let expired: IdSet = if route.filter.shows_taken_back() {
        IdSet::default()
    } else {
        memories.expired(now)?.into_iter().collect()
    };
    let (mut allowed, searchable): (Option<IdSet>, u32) = if route.filter.is_open() {
        (None, memories.living(now)?)
    } else {
        let ids = memories.ids(&route.filter, now)?;
        let searchable = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        (Some(ids.into_iter().collect()), searchable)
    };
    let filtered = allowed.clone();
    if searchable == 0 || route.contradiction {
        // Nobody is let through a filter that nothing passes.
        return Ok(Scoped {
            scope: Scope {
                allowed: Some(IdSet::default()),
                ..Scope::default()
            },
            searchable,
            notes,
        });
    }
    let open = Scope {
        allowed: allowed.clone(),
        expired: expired.clone(),
        ..Scope::default()
    };
    let mut excluded = IdSet::default();
    for term in &route.terms {
        if term.is_ignored() || !(term.shown.required || term.shown.excluded) {
            continue;
        }
        let holders = holders(reader, term, &route.filter, &open, now)?;
        if term.shown.excluded {
            for id in holders {
                excluded.insert(id);
            }
            continue;
        }
        if holders.is_empty() {
            notes.push(format!(
                "No memory contains “{}”, which is required.",
                term.shown.text
            ));
        }
        allowed = Some(
            holders
                .into_iter()
                .filter(|&id| allowed.as_ref().is_none_or(|set| set.contains(id)))
                .collect(),
        );
    }
    Ok(Scoped {
        scope: Scope {
            allowed,
            excluded,
            expired,
            filtered,
        },
        searchable,
        notes,
    })
}

/// The memories that hold a term. An index that fails is replaced by a scan of the texts.
pub(crate) fn holders(
    reader: &Reader<'_>,
    term: &Term,
    filter: &Filter,
    open: &Scope,
    now: Millis,
) -> Result<Vec<MemoryId>, VaultError> {
    let ids = |hits: Vec<(MemoryId, f64)>| hits.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let indexed = if let Some(expression) = any_of(&term.trigrams) {
        reader
            .trigrams()
            .search(&expression, filter, now, HOLDERS_CAP)
            .map(ids)
    } else if let Some(expression) = any_of(&term.words) {
        reader
            .words()
            .search(&expression, filter, now, HOLDERS_CAP)
            .map(ids)
    } else {
        Err(VaultError::Invalid { what: "term" })
    };
    match indexed {
        // The word index stems and forgets punctuation: what is required must stand there as typed.
        Ok(found) if term.shown.required && !term.words.is_empty() => as_typed(reader, term, found),
        Ok(found) => Ok(found),
        Err(_) => Ok(
            scan(reader, None, std::slice::from_ref(&term.folded), open)?
                .hits
                .into_iter()
                .map(|(id, _)| id)
                .collect(),
        ),
    }
}

fn as_typed(
    reader: &Reader<'_>,
    term: &Term,
    mut found: Vec<MemoryId>,
) -> Result<Vec<MemoryId>, VaultError> {
    found.truncate(CHECKED_CAP);
    Ok(reader
        .text()
        .folded_columns(&found)?
        .into_iter()
        .filter(|(_, columns)| term.stands_in(columns))
        .map(|(id, _)| id)
        .collect())
}

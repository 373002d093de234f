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

/// The scope of a route, with a sentence for each required term that keeps memories out.
pub fn scope_of(
    reader: &Reader<'_>,
    route: &Route,
    now: Millis,
) -> Result<(Scope, Vec<String>), VaultError> {
    let mut notes = Vec::new();
    let mut allowed: Option<IdSet> = if route.filter.is_open() {
        None
    } else {
        Some(
            reader
                .memories()
                .ids(&route.filter, now)?
                .into_iter()
                .collect(),
        )
    };
    let open = Scope {
        allowed: allowed.clone(),
        excluded: IdSet::default(),
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
    Ok((Scope { allowed, excluded }, notes))
}

/// The memories that hold a term. An index that fails is replaced by a scan of the texts.
fn holders(
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
        Err(_) => Ok(scan(reader, std::slice::from_ref(&term.folded), open)?
            .hits
            .into_iter()
            .map(|(id, _)| id)
            .collect()),
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
        .filter(|(_, columns)| {
            columns.iter().any(|column| {
                let flat = column.split_whitespace().collect::<Vec<_>>().join(" ");
                term.literals.iter().all(|literal| literal.is_in(&flat))
            })
        })
        .map(|(id, _)| id)
        .collect())
}

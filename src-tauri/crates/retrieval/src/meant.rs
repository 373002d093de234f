//! What a query's signs were meant as, by what the vault holds.
//!
//! `tag:latest` is a filter where some memory carries that tag, and text where none does;
//! `-delete` leaves memories out where that leaves some of those that hold the other words. So no
//! answer is empty because a line was pasted that happens to look like the query language, and the
//! notes say how it was read.

use memory::{Filter, MemoryId, Millis, Reader, VaultError};

use crate::ids::{IdSet, Scope};
use crate::scope::holders;
use crate::stage::route::language::Literally;
use crate::stage::route::term::{Term, any_of};
use crate::stage::route::{Route, fields_alone, route_literally};
use crate::trace::{Mode, TermKind};

/// More holders of the other words than this are not looked through: among so many an exclusion
/// is taken at its word.
const LOOKED_THROUGH: usize = 2000;

const LEAVES_NOTHING: &str = "would leave out every memory that holds the other words";
const STANDS_SO: &str = "stands just so beside the other words";

/// Routes a query as the vault's memories suggest it was meant.
///
/// # Errors
/// Those of the vault.
pub fn route_in(
    reader: &Reader<'_>,
    text: &str,
    mode: Mode,
    asked: &Filter,
    now: Millis,
) -> Result<Route, VaultError> {
    let mut literally = Literally::default();
    for (typed, alone) in fields_alone(text, asked) {
        if !reader.memories().any(&alone, now)? {
            literally.fields.push(typed);
        }
    }
    let route = route_literally(text, mode, asked, &literally);
    literally.minuses = minuses(reader, &route, now)?;
    if literally.minuses.is_empty() {
        return Ok(route);
    }
    Ok(route_literally(text, mode, asked, &literally))
}

/// The words behind a minus that are not meant to leave memories out.
fn minuses(
    reader: &Reader<'_>,
    route: &Route,
    now: Millis,
) -> Result<Vec<(String, &'static str)>, VaultError> {
    // Whoever writes quotes behind a minus means it.
    let excluded: Vec<&Term> = route
        .terms
        .iter()
        .filter(|t| t.shown.excluded && t.shown.kind != TermKind::Phrase && !t.is_ignored())
        .collect();
    let words: Vec<String> = route
        .asked()
        .filter_map(|term| any_of(&term.words))
        .map(|any| format!("({any})"))
        .collect();
    if excluded.is_empty() || words.is_empty() {
        return Ok(Vec::new());
    }
    let most = LOOKED_THROUGH as u32 + 1;
    let search = |joint: &str| {
        let found = reader
            .words()
            .search(&words.join(joint), &route.filter, now, most);
        // An index that fails is the legs' affair.
        found.unwrap_or_default()
    };
    let all = search(" AND ");
    let beside = !all.is_empty();
    let others = if beside { all } else { search(" OR ") };
    if others.is_empty() || others.len() > LOOKED_THROUGH {
        return Ok(Vec::new());
    }
    let others: Vec<MemoryId> = others.into_iter().map(|(id, _)| id).collect();
    let mut found = Vec::new();
    let mut left_out = IdSet::default();
    for &term in &excluded {
        let held: IdSet = holders(reader, term, &route.filter, &Scope::default(), now)?
            .into_iter()
            .collect();
        let hit: Vec<MemoryId> = others
            .iter()
            .copied()
            .filter(|&id| held.contains(id))
            .collect();
        if hit.len() == others.len() {
            found.push((term.shown.text.clone(), LEAVES_NOTHING));
        } else if beside && stands_so(reader, term, &hit)? {
            found.push((term.shown.text.clone(), STANDS_SO));
        } else {
            for id in hit {
                left_out.insert(id);
            }
        }
    }
    if left_out.len() == others.len() {
        // Each leaves something over, all of them nothing.
        found = excluded
            .iter()
            .map(|term| (term.shown.text.clone(), LEAVES_NOTHING))
            .collect();
    }
    Ok(found)
}

/// Whether one of the memories holds the word with its minus, as an option.
fn stands_so(reader: &Reader<'_>, term: &Term, ids: &[MemoryId]) -> Result<bool, VaultError> {
    let option = format!("-{}", term.folded);
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let stands = |text: &String| {
        text.match_indices(&option).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            !before.is_some_and(joins) && !after.is_some_and(joins)
        })
    };
    Ok(reader
        .text()
        .folded_columns(ids)?
        .iter()
        .any(|(_, columns)| columns.iter().any(stands)))
}

//! The keyword leg over documents: the stage's own formula (see [`crate::stage::bm25`]) over the
//! indexes of the chunks.

use std::collections::{BTreeSet, HashMap, HashSet};

use memory::{Reader, VaultError};

use crate::stage::bm25::{KeywordParts, exact_bonus};
use crate::stage::route::Route;
use crate::stage::route::term::{PartsAsked, Phrase, Term, any_of};

/// How many chunks an index is asked for.
const DEPTH: u32 = 500;
/// How many chunks a required or excluded term may stand in before the rest is left aside.
const HOLDERS: u32 = 20_000;

/// What required and excluded terms leave.
pub(super) struct Admitted {
    only: Option<HashSet<i64>>,
    never: HashSet<i64>,
}

impl Admitted {
    pub(super) fn of(reader: &Reader<'_>, route: &Route) -> Result<Self, VaultError> {
        let mut admitted = Self {
            only: None,
            never: HashSet::new(),
        };
        for term in route.terms.iter().filter(|term| !term.is_ignored()) {
            if term.shown.excluded {
                admitted.never.extend(holders(reader, term)?);
            } else if term.shown.required {
                let holders: HashSet<i64> = holders(reader, term)?.into_iter().collect();
                admitted.only = Some(match admitted.only.take() {
                    Some(before) => before.intersection(&holders).copied().collect(),
                    None => holders,
                });
            }
        }
        Ok(admitted)
    }

    pub(super) fn lets(&self, chunk: i64) -> bool {
        !self.never.contains(&chunk) && self.only.as_ref().is_none_or(|set| set.contains(&chunk))
    }
}

/// The chunks that hold a term.
fn holders(reader: &Reader<'_>, term: &Term) -> Result<Vec<i64>, VaultError> {
    let documents = reader.documents();
    let ids = |hits: Vec<(i64, f64)>| hits.into_iter().map(|(id, _)| id).collect::<Vec<i64>>();
    if let Some(expression) = any_of(&term.trigrams) {
        return Ok(ids(documents.trigrams(&expression, HOLDERS)?));
    }
    let Some(expression) = any_of(&term.words) else {
        return documents.containing(&term.folded);
    };
    let found = ids(documents.words(&expression, HOLDERS)?);
    if !term.shown.required {
        return Ok(found);
    }
    // The word index stems and forgets punctuation: what is required must stand there as typed.
    Ok(documents
        .folded(&found)?
        .into_iter()
        .filter(|(_, columns)| term.stands_in(columns))
        .map(|(id, _)| id)
        .collect())
}

/// The chunks that contain words of the query, best first, ties by chunk.
pub(super) fn search(
    reader: &Reader<'_>,
    route: &Route,
    admitted: &Admitted,
) -> Result<Vec<(i64, KeywordParts)>, VaultError> {
    let documents = reader.documents();
    let (mut words, mut trigrams, mut inside) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut needles: BTreeSet<String> = BTreeSet::new();
    for term in route.asked() {
        if term.parts_asked != PartsAsked::Instead {
            words.extend(term.words.iter().cloned());
        }
        trigrams.extend(term.trigrams.iter().cloned());
        inside.extend(term.inside.iter().cloned());
        needles.extend(term.needles.iter().cloned());
        let whole = match any_of(&term.words) {
            Some(whole) if term.parts_asked == PartsAsked::LastResort && !term.parts.is_empty() => {
                !documents.words(&whole, 1)?.is_empty()
            }
            _ => false,
        };
        if !whole {
            words.extend(term.parts.iter().cloned());
        }
    }
    let mut parts: HashMap<i64, KeywordParts> = HashMap::new();
    let mut add = |hits: Vec<(i64, f64)>, into: fn(&mut KeywordParts) -> &mut f64| {
        for (chunk, score) in hits {
            if admitted.lets(chunk) && score.is_finite() {
                *into(parts.entry(chunk).or_default()) += score;
            }
        }
    };
    let ask = |phrases: &BTreeSet<Phrase>| any_of(phrases);
    if let Some(expression) = ask(&words) {
        add(documents.words(&expression, DEPTH)?, |parts| {
            &mut parts.word
        });
    }
    if let Some(expression) = ask(&trigrams) {
        add(documents.trigrams(&expression, DEPTH)?, |parts| {
            &mut parts.trigram
        });
    }
    if let Some(expression) = ask(&inside) {
        add(documents.trigrams(&expression, DEPTH)?, |parts| {
            &mut parts.inside
        });
    }
    let share = 1.0 / needles.len().max(1) as f64;
    for needle in &needles {
        let hits = documents.containing(needle)?;
        add(
            hits.into_iter().map(|chunk| (chunk, share)).collect(),
            |parts| &mut parts.substring,
        );
    }
    reward_exact_forms(reader, route, &mut parts)?;
    let mut hits: Vec<(i64, KeywordParts)> = parts.into_iter().collect();
    hits.sort_by(|a, b| b.1.score().total_cmp(&a.1.score()).then(a.0.cmp(&b.0)));
    hits.truncate(DEPTH as usize);
    Ok(hits)
}

/// The share of the query's exact forms that stand in the chunk, times the best score without it.
fn reward_exact_forms(
    reader: &Reader<'_>,
    route: &Route,
    parts: &mut HashMap<i64, KeywordParts>,
) -> Result<(), VaultError> {
    let literals: Vec<_> = route
        .asked()
        .flat_map(|term| &term.literals)
        // The chunks' copies are folded; what hangs on accents cannot be told there.
        .filter(|literal| !literal.accented)
        .collect();
    if literals.is_empty() {
        return Ok(());
    }
    let best = parts.values().map(KeywordParts::score).fold(0.0, f64::max);
    let chunks: Vec<i64> = parts.keys().copied().collect();
    for (chunk, [title, content]) in reader.documents().folded(&chunks)? {
        let held: f64 = literals
            .iter()
            .filter(|literal| literal.is_in(&content) || literal.is_in(&title))
            .map(|literal| literal.weight)
            .sum();
        if let Some(parts) = parts.get_mut(&chunk) {
            parts.exact = exact_bonus(held, literals.iter().copied(), best);
        }
    }
    Ok(())
}

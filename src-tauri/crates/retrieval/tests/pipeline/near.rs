//! Near duplicates: links to whoever said it first, what keeps two texts apart, what an answer shows.

use memory::{Edit, MemoryId, NewMemory, Role, Trust};
use retrieval::alike::Apart;
use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::{DropReason, Mode};

use crate::shelf::{NOW, Shelf, embed_all, model, note, shelf_of, texts};

const FROM: f64 = 0.8;

/// Compares all that wait and returns who is linked to whom.
fn linked(shelf: &Shelf) -> Vec<(i64, i64)> {
    while shelf.engine.link_near(FROM, 2).unwrap() > 0 {}
    let all: Vec<MemoryId> = (1..=20).map(MemoryId).collect();
    let links = shelf.vault.read(|r| r.memories().near_links(&all)).unwrap();
    let mut links: Vec<(i64, i64)> = links
        .into_iter()
        .map(|(id, link)| (id.0, link.root.0))
        .collect();
    links.sort_unstable();
    links
}

fn results(shelf: &Shelf, query: &str) -> Vec<String> {
    let trace = shelf
        .gather(query, Mode::Lexical)
        .arrange(&Constants::default(), NOW);
    trace.results
}

const RAIL: &str = "the crates are shipped by rail to the northern depot";

#[test]
fn whoever_says_it_again_is_linked_to_the_first() {
    let shelf = texts(&[
        RAIL,
        "milk is at six",
        "the crates are shipped by rail to the northern depot soon",
        "the crates are shipped by rail to the northern depot again",
    ]);
    assert_eq!(results(&shelf, "crates rail").len(), 3);
    assert_eq!(linked(&shelf), [(3, 1), (4, 1)]);
    let trace = shelf
        .gather("crates rail", Mode::Lexical)
        .arrange(&Constants::default(), NOW);
    assert_eq!(trace.results.len(), 1);
    let select = trace.stage(Stage::Select).unwrap();
    let hidden: Vec<_> = select
        .items
        .iter()
        .filter(|item| item.dropped == Some(DropReason::Duplicate))
        .collect();
    assert_eq!(hidden.len(), 2);
    for item in hidden {
        let twin = item.twin.as_ref().unwrap();
        assert_eq!(twin.id, trace.results[0]);
        assert!(
            twin.similarity
                .is_some_and(|near| (0.7..1.0).contains(&near)),
            "{twin:?}"
        );
    }
    assert!(
        select
            .notes
            .iter()
            .any(|note| note.starts_with("2 left out because")),
        "{:?}",
        select.notes
    );
}

#[test]
fn what_differs_where_it_counts_is_never_linked() {
    let by = |role: Role, agent: &str, text: &str| {
        let mut memory = note(text);
        memory.role = role;
        memory.scope.agent = agent.into();
        memory
    };
    let flagged = NewMemory {
        trust: Trust::Flagged,
        ..note("the crates are shipped by rail to the northern depot now")
    };
    let shelf = shelf_of(vec![
        note(RAIL),
        note("the crates are not shipped by rail to the northern depot"),
        note("the 12 crates are shipped by rail to the northern depot"),
        by(
            Role::Assistant,
            "claude-code",
            "the crates are shipped by rail to the northern depot then",
        ),
        by(
            Role::User,
            "codex",
            "the crates are shipped by rail to the northern depot too",
        ),
        flagged,
    ]);
    assert_eq!(linked(&shelf), []);
    let found = shelf.engine.near_pairs(FROM, || false).unwrap().unwrap();
    let pairs: Vec<_> = found
        .pairs
        .iter()
        .map(|pair| (pair.older.0, pair.newer.0, pair.apart))
        .collect();
    for (pair, apart) in [
        ((1, 2), Some(Apart::Negation)),
        ((1, 3), Some(Apart::Number)),
        ((1, 6), None),
    ] {
        assert!(pairs.contains(&(pair.0, pair.1, apart)), "{pairs:?}");
    }
    assert!(
        pairs
            .iter()
            .all(|(a, b, _)| ![4, 5].contains(a) && ![4, 5].contains(b)),
        "{pairs:?}"
    );
    assert_eq!((found.compared, found.of), (6, 6));
    assert!(shelf.engine.near_pairs(FROM, || true).unwrap().is_none());
}

#[test]
fn an_edit_and_a_persons_word_make_links_anew() {
    let shelf = texts(&[
        RAIL,
        "the crates are shipped by rail to the northern depot soon",
        "milk is at six",
    ]);
    assert_eq!(linked(&shelf), [(2, 1)]);
    let (one, other) = (MemoryId(1), MemoryId(2));
    shelf
        .vault
        .write(|w| w.memories().keep_apart(&[one, other], NOW))
        .unwrap();
    assert_eq!(linked(&shelf), []);
    assert_eq!(results(&shelf, "crates rail").len(), 2);
    shelf
        .vault
        .write(|w| w.memories().let_join(&[one, other]))
        .unwrap();
    assert_eq!(linked(&shelf), [(2, 1)]);
    let edit = |id: MemoryId, text: &str| {
        let edit = Edit {
            content: Some(text.to_owned()),
            ..Edit::default()
        };
        shelf
            .vault
            .write(|w| w.memories().edit(id, &edit, None, NOW))
            .unwrap();
        let done = embed_all(&shelf.vault, model().as_ref());
        shelf.engine.note_changed(&done).unwrap();
    };
    edit(one, "tea is at four");
    assert_eq!(linked(&shelf), []);
    // The oldest says it now: who was the first to say it is linked to it.
    edit(one, RAIL);
    assert_eq!(linked(&shelf), [(2, 1)]);
    shelf
        .vault
        .write(|w| w.memories().trash(&[one], NOW))
        .unwrap();
    shelf.engine.note_changed(&[one]).unwrap();
    assert_eq!(linked(&shelf), []);
    assert_eq!(results(&shelf, "crates rail"), ["m2"]);
}

#[test]
fn likeness_is_not_passed_on_from_one_to_the_next() {
    // Each differs from the one before in two words of ten; the last has little of the first.
    let words = "ant bee cat dog elk fox gnu hen ibex jay kiwi lynx mole newt owl";
    let all: Vec<&str> = words.split(' ').collect();
    let windows: Vec<String> = (0..6).map(|at| all[at..at + 10].join(" ")).collect();
    let shelf = texts(&windows.iter().map(String::as_str).collect::<Vec<_>>());
    let links = linked(&shelf);
    assert!(!links.is_empty());
    let ids: Vec<MemoryId> = (1..=6).map(MemoryId).collect();
    let stored = shelf.vault.read(|r| r.memories().near_links(&ids)).unwrap();
    assert!(
        stored.values().all(|link| link.similarity >= FROM),
        "{stored:?}"
    );
    assert!(
        links
            .iter()
            .all(|(_, root)| links.iter().all(|(id, _)| id != root)),
        "{links:?}"
    );
    assert!(!links.contains(&(6, 1)), "{links:?}");
}

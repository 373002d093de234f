//! The map of the memories, and other questions that would have found one.

use inspector::constants::Constants;
use inspector::request::{
    FilterRequest, ListRequest, NeighbourMapAction, NeighbourMapRequest, QueryRequest, WhyRequest,
};
use inspector::trace::Mode;
use inspector::view::{EditKind, NeighbourMapState, NeighbourMapView, QueryEditsView};

use crate::support::{Sandbox, demo};

#[test]
fn every_embedded_memory_has_its_place_and_its_true_cosine() {
    let Some(demo) = demo() else { return };
    let status = demo.inspector.status().unwrap();
    let bare = demo.inspector.map(None).unwrap();
    assert_eq!(bare.ids.len(), status.embedded as usize);
    assert!(bare.query.is_none() && bare.cosine.is_empty());
    let columns = [
        bare.x.len(),
        bare.y.len(),
        bare.agent.len(),
        bare.kind.len(),
        bare.age_days.len(),
    ];
    assert!(columns.iter().all(|length| *length == bare.ids.len()));
    let (first, second) = bare.explained;
    assert!(
        first >= second && second > 0.0 && first < 1.0,
        "{first} {second}"
    );
    assert!(
        bare.agent
            .iter()
            .all(|at| (*at as usize) < bare.agents.len())
    );

    let answer = demo.ask("how did we fix the unpack error in the payment gateway?");
    let map = demo.inspector.map(Some(&answer.view.recall)).unwrap();
    assert_eq!(
        (&map.ids, &map.x),
        (&bare.ids, &bare.x),
        "the picture stands still"
    );
    assert_eq!(map.query.as_ref().unwrap().text, answer.view.trace.query);
    // The cosines are those of the semantic leg.
    for item in &answer.view.trace.stages[1].items {
        let at = map.ids.iter().position(|id| id == &item.id).unwrap();
        assert!((map.cosine[at] - item.score).abs() < 1e-4, "{}", item.id);
    }
}

#[test]
fn without_a_model_there_is_no_map_and_a_list_can_be_narrowed_to_some() {
    let (_sandbox, inspector) = Sandbox::with_records(&["kettle", "plants", "printer"]);
    assert!(inspector.map(None).unwrap().model.is_none());
    let list = |only: &[&str]| {
        inspector
            .list_memories(&ListRequest {
                only: Some(only.iter().map(ToString::to_string).collect()),
                limit: 10,
                ..ListRequest::default()
            })
            .map(|page| (page.total, page.cards.len()))
    };
    assert_eq!(list(&["m1", "m3", "m77"]).unwrap(), (2, 2));
    assert_eq!(list(&[]).unwrap(), (0, 0));
    assert!(list(&["kettle"]).is_err());
}

fn edits(inspector: &inspector::Inspector, text: &str, results: u32, id: &str) -> QueryEditsView {
    let constants = Constants {
        results,
        ..Constants::default()
    };
    let view = inspector
        .query(&QueryRequest {
            text: text.to_owned(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: constants.clone(),
            now: Some("2026-07-01T00:00:00Z".to_owned()),
            rerank: true,
        })
        .unwrap();
    assert!(
        !view.trace.results.iter().any(|one| one == id),
        "{:?}",
        view.trace.results
    );
    inspector
        .query_edits(&WhyRequest {
            recall: view.recall,
            expected: id.to_owned(),
            constants,
            now: None,
        })
        .unwrap()
}

#[test]
fn every_change_that_is_offered_has_been_tried_and_holds() {
    let (_sandbox, inspector) = Sandbox::with_records(&[
        "the kettle in the office is descaled on Mondays with vinegar",
        "kettle kettle kettle office",
        "office kettle, office kettle",
        "the office plants get water on Mondays",
        "printer on the second floor",
    ]);
    let found = edits(&inspector, "office kettle", 1, "m1");
    assert_eq!(found.untried, 0);
    assert!(found.tried > 5, "{found:?}");
    let kinds: Vec<EditKind> = found.edits.iter().map(|edit| edit.kind).collect();
    assert!(kinds.contains(&EditKind::Add), "{found:?}");
    let ranks: Vec<u32> = found.edits.iter().map(|edit| edit.rank).collect();
    assert!(ranks.is_sorted() && ranks.iter().all(|rank| *rank == 1));
    // Asked, each gives the rank that was promised.
    for edit in found.edits.iter().filter(|edit| edit.query.is_some()) {
        let view = inspector
            .query(&QueryRequest {
                text: edit.query.clone().unwrap(),
                mode: edit.mode,
                filter: FilterRequest::default(),
                constants: Constants {
                    results: 1,
                    ..Constants::default()
                },
                now: Some("2026-07-01T00:00:00Z".to_owned()),
                rerank: true,
            })
            .unwrap();
        assert_eq!(
            view.trace
                .results
                .get(edit.rank as usize - 1)
                .map(String::as_str),
            Some("m1"),
            "{edit:?}"
        );
    }
}

#[test]
fn a_memory_that_age_buried_is_found_by_pinning_it() {
    let (sandbox, inspector) = Sandbox::with_records(&["placeholder"]);
    let line = |day: &str, text: &str| {
        format!("{{\"timestamp\":\"{day}T08:00:00Z\",\"role\":\"user\",\"content\":\"{text}\"}}\n")
    };
    let log = sandbox.write(
        "logs/aged.jsonl",
        line("2026-01-01", "kettle descaled") + &line("2026-06-30", "kettle descaled again today"),
    );
    crate::support::ingest(&inspector, &log);
    let found = edits(&inspector, "kettle descaled", 1, "m2");
    let kinds: Vec<EditKind> = found.edits.iter().map(|edit| edit.kind).collect();
    assert!(
        kinds.contains(&EditKind::Pin) && kinds.contains(&EditKind::Redate),
        "{found:?}"
    );
    // Trying has changed nothing; pinning does what was promised.
    inspector
        .edit_memory(&inspector::request::EditRequest {
            id: "m2".to_owned(),
            pinned: Some(true),
            ..inspector::request::EditRequest::default()
        })
        .unwrap();
    let view = inspector
        .query(&QueryRequest {
            text: "kettle descaled".to_owned(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: Constants {
                results: 1,
                ..Constants::default()
            },
            now: Some("2026-07-01T00:00:00Z".to_owned()),
            rerank: true,
        })
        .unwrap();
    assert_eq!(view.trace.results, ["m2"]);
}

/// Asks with a cut of so many results.
fn ask(inspector: &inspector::Inspector, text: &str, results: u32) -> inspector::view::QueryView {
    inspector
        .query(&QueryRequest {
            text: text.to_owned(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: Constants {
                results,
                ..Constants::default()
            },
            now: Some("2026-07-01T00:00:00Z".to_owned()),
            rerank: true,
        })
        .unwrap()
}

#[test]
fn a_word_that_the_text_lacks_is_tried_for_real_and_kept_by_nobody() {
    let (_sandbox, inspector) = Sandbox::with_records(&[
        "the kettle in the office is descaled on Mondays",
        "vinegar is in the cupboard beside the salt, the pepper, the old glasses and a box of matches",
        "the office plants get water",
    ]);
    let epoch = ask(&inspector, "office", 3).trace.index_epoch;
    let found = edits(&inspector, "vinegar", 1, "m1");
    let written = found
        .edits
        .iter()
        .find(|edit| edit.kind == EditKind::Write)
        .unwrap();
    assert_eq!(
        (written.what.as_str(), written.query.as_deref()),
        ("vinegar", None)
    );
    let draft = written.draft.clone().unwrap();
    assert_eq!(draft.displaced, ["m2"]);
    assert!(
        draft
            .content
            .as_deref()
            .unwrap()
            .ends_with("Mondays\n\nvinegar")
    );
    // The trial has left nothing behind: neither a word nor a write.
    let untouched = ask(&inspector, "vinegar", 3);
    assert_eq!(untouched.trace.results, ["m2"]);
    assert_eq!(untouched.trace.index_epoch, epoch, "a trial is no write");
    assert_eq!(
        inspector.get_memory("m1", None).unwrap().content,
        "the kettle in the office is descaled on Mondays"
    );
    assert_eq!(inspector.status().unwrap().undo, None);

    // Done, it does what was promised, with the very scores that were foreseen.
    inspector
        .edit_memory(&inspector::request::EditRequest {
            id: "m1".to_owned(),
            content: draft.content,
            ..inspector::request::EditRequest::default()
        })
        .unwrap();
    let view = ask(&inspector, "vinegar", 1);
    assert_eq!(view.trace.results.len() as u32, written.rank);
    assert_eq!(view.trace.results, ["m1"]);
    inspector.undo().unwrap();
    assert_eq!(ask(&inspector, "vinegar", 1).trace.results, ["m2"]);
}

#[test]
fn a_tag_that_the_query_requires_is_offered_to_the_memory_without_it() {
    let (_sandbox, inspector) =
        Sandbox::with_records(&["the kettle is descaled", "the kettle is blue"]);
    inspector
        .edit_memory(&inspector::request::EditRequest {
            id: "m2".to_owned(),
            tags: Some(vec!["home".to_owned()]),
            ..inspector::request::EditRequest::default()
        })
        .unwrap();
    let found = edits(&inspector, "kettle tag:home", 5, "m1");
    let tagged = found
        .edits
        .iter()
        .find(|edit| edit.kind == EditKind::Tag)
        .unwrap();
    let draft = tagged.draft.clone().unwrap();
    assert_eq!(draft.tags.as_deref().unwrap(), ["home"]);
    assert_eq!((draft.content, draft.displaced.len()), (None, 0));
    inspector
        .edit_memory(&inspector::request::EditRequest {
            id: "m1".to_owned(),
            tags: draft.tags,
            ..inspector::request::EditRequest::default()
        })
        .unwrap();
    let results = ask(&inspector, "kettle tag:home", 5).trace.results;
    assert_eq!(
        results.iter().position(|id| id == "m1").unwrap() as u32 + 1,
        tagged.rank
    );
}

#[test]
fn with_a_model_the_new_text_is_embedded_and_read_as_it_would_be() {
    let Some(demo) = demo() else { return };
    let text = "how did we fix the unpack error in the payment gateway?";
    let answer = demo.ask(text);
    let narrow = Constants {
        results: 3,
        ..Constants::default()
    };
    let now = answer.view.trace.now.clone();
    // A memory that both legs have found, far from the results.
    let last = answer.view.trace.stages[4].items.last().unwrap().id.clone();
    let found = demo
        .inspector
        .query_edits(&WhyRequest {
            recall: answer.view.recall.clone(),
            expected: last.clone(),
            constants: narrow.clone(),
            now: Some(now.clone()),
        })
        .unwrap();
    let question = found
        .edits
        .iter()
        .find(|edit| edit.kind == EditKind::Question)
        .expect("the question itself in the text brings any memory in");
    let draft = question.draft.clone().unwrap();
    demo.inspector
        .edit_memory(&inspector::request::EditRequest {
            id: last.clone(),
            content: draft.content,
            ..inspector::request::EditRequest::default()
        })
        .unwrap();
    demo.inspector.embed_pending(&mut |_, _| {}).unwrap();
    let after = demo
        .inspector
        .query(&QueryRequest {
            text: text.to_owned(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: narrow,
            now: Some(now),
            rerank: true,
        })
        .unwrap();
    let place = after.trace.results.iter().position(|id| *id == last);
    assert_eq!(place.map(|at| at as u32 + 1), Some(question.rank));
    let gone: Vec<&String> = answer.view.trace.results[..3]
        .iter()
        .filter(|id| !after.trace.results.contains(id))
        .collect();
    assert_eq!(draft.displaced.iter().collect::<Vec<_>>(), gone);
}

fn neighbours(
    inspector: &inspector::Inspector,
    action: NeighbourMapAction,
    recall: Option<&str>,
) -> NeighbourMapView {
    inspector
        .neighbour_map(&NeighbourMapRequest {
            action,
            recall: recall.map(ToOwned::to_owned),
        })
        .unwrap()
}

/// Looks until it is there.
fn laid_out(inspector: &inspector::Inspector, recall: Option<&str>) -> NeighbourMapView {
    let start = std::time::Instant::now();
    let mut last = 0.0;
    loop {
        let view = neighbours(inspector, NeighbourMapAction::Look, recall);
        if view.state == NeighbourMapState::Ready {
            return view;
        }
        assert_eq!(view.state, NeighbourMapState::Running);
        assert!(view.done >= last && view.done <= 1.0);
        last = view.done;
        assert!(start.elapsed().as_secs() < 120, "it never ends");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn neighbours_are_laid_out_in_the_background_once_and_can_be_called_off() {
    let Some(demo) = demo() else { return };
    let inspector = &demo.inspector;
    let idle = neighbours(inspector, NeighbourMapAction::Look, None);
    assert_eq!((idle.state, idle.ids.len()), (NeighbourMapState::Idle, 0));

    neighbours(inspector, NeighbourMapAction::Start, None);
    let stopped = neighbours(inspector, NeighbourMapAction::Stop, None);
    assert_eq!(stopped.state, NeighbourMapState::Idle);

    let answer = demo.ask("how did we fix the unpack error in the payment gateway?");
    let recall = answer.view.recall.as_str();
    neighbours(inspector, NeighbourMapAction::Start, None);
    let view = laid_out(inspector, Some(recall));
    let flat = inspector.map(Some(recall)).unwrap();
    assert_eq!(view.ids, flat.ids);
    assert_eq!(view.laid_out as usize, view.ids.len());
    assert!(
        view.kept > 1.5 * view.kept_flat,
        "{} {}",
        view.kept,
        view.kept_flat
    );
    // The query stands beside the memory nearest to it.
    let query = view.query.clone().unwrap();
    let best = (0..flat.cosine.len())
        .max_by(|a, b| flat.cosine[*a].total_cmp(&flat.cosine[*b]))
        .unwrap();
    let distance = |at: usize| (view.x[at] - query.x).hypot(view.y[at] - query.y);
    let nearer = (0..view.ids.len())
        .filter(|at| distance(*at) < distance(best))
        .count();
    assert!(nearer < view.ids.len() / 10, "{nearer}");

    // Asked again it is the same one; a memory that is gone is on it no more.
    let again = neighbours(inspector, NeighbourMapAction::Start, Some(recall));
    assert_eq!(again, view);
    inspector.delete_memories(&[view.ids[0].clone()]).unwrap();
    let less = neighbours(inspector, NeighbourMapAction::Start, None);
    assert_eq!(less.ids.len(), view.ids.len() - 1);

    inspector.lock().unwrap();
    assert!(
        inspector
            .neighbour_map(&NeighbourMapRequest {
                action: NeighbourMapAction::Look,
                recall: None,
            })
            .is_err()
    );
}

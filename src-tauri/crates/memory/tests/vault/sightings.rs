//! What is said again keeps when, in which conversation and where.

use memory::{
    Filter, Inserted, Kind, ListQuery, MemoryId, NewMemory, Prefer, Provenance, Role, Sighting,
    Turns, Vault,
};

use crate::support::{NOW, insert, pass, record, store, vault};

const TEXT: &str = "the lantern stands in the hall";

/// The same text in another conversation, an hour later, on line `line` of another log.
fn again(key: &str, session: &str, hours: i64, line: u64) -> NewMemory {
    let mut new = record(key, TEXT);
    new.scope.session = Some(session.to_owned());
    new.created_at = Some(NOW + hours * 3_600_000);
    new.provenance = Some(Provenance {
        file_id: 7,
        path: format!("/logs/{session}.jsonl"),
        offset: 0,
        line,
    });
    new
}

fn said(vault: &Vault, id: MemoryId) -> Vec<Sighting> {
    vault.read(|r| r.memories().sightings(id)).unwrap()
}

fn sessions(vault: &Vault, id: MemoryId) -> Vec<String> {
    let of = |one: Sighting| one.session.unwrap_or_default();
    said(vault, id).into_iter().map(of).collect()
}

fn listed(vault: &Vault, filter: Filter) -> Vec<MemoryId> {
    let query = ListQuery {
        filter,
        limit: 10,
        now: NOW,
        ..ListQuery::default()
    };
    let (total, page) = vault.read(|r| r.memories().list(&query)).unwrap();
    assert_eq!(total as usize, page.len());
    page.iter().map(|memory| memory.id).collect()
}

#[test]
fn a_repeat_is_found_by_its_own_conversation_log_and_time() {
    let (_dir, vault) = vault();
    let id = store(&vault, TEXT);
    store(&vault, "something else");
    assert_eq!(said(&vault, id), []);
    assert_eq!(
        insert(&vault, &again("k2", "s2", 1, 4)),
        Inserted::Repeated(id)
    );
    assert_eq!(
        insert(&vault, &again("k3", "s3", 5, 9)),
        Inserted::Repeated(id)
    );
    // The same record is no other sighting.
    assert_eq!(
        insert(&vault, &again("k3", "s3", 5, 9)),
        Inserted::Known(id)
    );
    let found = said(&vault, id);
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0],
        Sighting {
            at: Some(NOW + 5 * 3_600_000),
            session: Some("s3".to_owned()),
            path: Some("/logs/s3.jsonl".to_owned()),
            line: Some(9),
        }
    );

    let of =
        |session: Option<&str>, source: Option<&str>, after: Option<i64>, before: Option<i64>| {
            listed(
                &vault,
                Filter {
                    session: session.map(str::to_owned),
                    source: source.map(str::to_owned),
                    after: after.map(|hours| NOW + hours * 3_600_000),
                    before: before.map(|hours| NOW + hours * 3_600_000),
                    ..Filter::default()
                },
            )
        };
    assert_eq!(of(Some("s1"), None, None, None).len(), 2);
    for session in ["s2", "s3"] {
        assert_eq!(of(Some(session), None, None, None), [id], "{session}");
    }
    assert_eq!(of(None, Some("s2.jsonl"), None, None), [id]);
    assert_eq!(of(None, None, Some(1), None), [id]);
    assert_eq!(of(None, None, Some(4), Some(6)), [id]);
    assert_eq!(of(None, None, Some(6), None), []);
    // One and the same time that it was said fits all of them.
    assert_eq!(of(Some("s3"), Some("s3"), Some(4), None), [id]);
    assert_eq!(of(Some("s2"), None, Some(4), None), []);
    assert_eq!(of(Some("s4"), None, None, None), []);
}

#[test]
fn merging_joins_them_undo_parts_them_and_purging_takes_them_along() {
    let (_dir, vault) = vault();
    let id = store(&vault, TEXT);
    let mut other = record("other", "a lantern is in the hall");
    other.scope.session = Some("s9".to_owned());
    let Inserted::Stored(other) = insert(&vault, &other) else {
        panic!("not stored")
    };
    insert(&vault, &again("k2", "s2", 1, 4));
    let merge = |w: &memory::Writer<'_>| {
        w.memories()
            .merge(&[(other, None), (id, None)], "one lantern", NOW)
            .map(drop)
    };
    vault.write(merge).unwrap();
    assert_eq!(sessions(&vault, other), ["s2", "s1"]);
    let filter = Filter {
        session: Some("s2".to_owned()),
        ..Filter::default()
    };
    assert_eq!(listed(&vault, filter.clone()), [other]);
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(sessions(&vault, other), [""; 0]);
    assert_eq!(sessions(&vault, id), ["s2"]);
    assert_eq!(listed(&vault, filter), [id]);
    vault.write(|w| w.memories().purge(&[id])).unwrap();
    assert_eq!(said(&vault, id), []);
}

#[test]
fn what_is_written_by_hand_again_is_taken_back_with_its_sighting() {
    let (_dir, vault) = vault();
    let id = store(&vault, TEXT);
    insert(&vault, &again("k2", "s2", 1, 4));
    let mut by_hand = record("", TEXT);
    by_hand.scope.session = Some("s5".to_owned());
    by_hand.created_at = Some(NOW + 9 * 3_600_000);
    let added = vault.write(|w| w.memories().add(&by_hand, NOW)).unwrap();
    assert_eq!(added, Inserted::Repeated(id));
    assert_eq!(sessions(&vault, id), ["s5", "s2"]);
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(sessions(&vault, id), ["s2"]);
}

#[test]
fn an_archive_brings_the_sightings_of_new_and_of_known_memories() {
    let (dir, theirs) = vault();
    let id = store(&theirs, TEXT);
    insert(&theirs, &again("k2", "s2", 1, 4));
    let file = dir.path().join("archive.tar");
    theirs.back_up(&file).unwrap();
    let import = |vault: &Vault| {
        let password = pass("open sesame");
        vault.import(&file, &password, Prefer::Mine, NOW).unwrap();
    };

    let (_empty, empty) = vault();
    import(&empty);
    assert_eq!(said(&empty, MemoryId(1)), said(&theirs, id));

    let (_mine, mine) = vault();
    let known = again("elsewhere", "s3", 2, 1);
    let Inserted::Stored(here) = insert(&mine, &known) else {
        panic!("not stored")
    };
    for _ in 0..2 {
        import(&mine);
        assert_eq!(sessions(&mine, here), ["s2", "s1"]);
        let memory = mine.read(|r| r.memories().get(here)).unwrap().unwrap();
        assert_eq!(
            (memory.seen_count, memory.last_seen_at),
            (3, NOW + 2 * 3_600_000)
        );
    }
}

#[test]
fn a_conversation_holds_what_was_said_in_it_again_at_its_own_time() {
    const HOUR: i64 = 3_600_000;
    let (_dir, vault) = vault();
    let repeated = store(&vault, TEXT);
    let said_at = |key: &str, hours: i64, role, kind| {
        let mut new = again(key, "s2", hours, 1);
        new.content = key.to_owned();
        (new.role, new.kind) = (role, kind);
        let Inserted::Stored(id) = insert(&vault, &new) else {
            panic!("{key} is not new")
        };
        id
    };
    let call = said_at("call", 2, Role::Assistant, Kind::ToolCall);
    let answer = said_at("answer", 3, Role::Assistant, Kind::Text);
    insert(&vault, &again("k2", "s2", 1, 4));
    let wanted = Turns {
        session: Some("s2"),
        from: i64::MIN,
        until: i64::MAX,
        asking: false,
        latest_first: false,
        limit: 9,
    };
    let turns = |wanted: &Turns<'_>| {
        let turns = vault.read(|r| r.memories().turns(wanted)).unwrap();
        let parts = turns.into_iter();
        parts
            .map(|turn| (turn.id, turn.at - NOW, turn.session))
            .collect::<Vec<_>>()
    };
    let at = |id, hours: i64| (id, hours * HOUR, "s2".to_owned());
    let all = [at(repeated, 1), at(call, 2), at(answer, 3)];
    assert_eq!(turns(&wanted), all);
    let mut latest = wanted.clone();
    (latest.latest_first, latest.limit) = (true, 2);
    assert_eq!(turns(&latest), [at(answer, 3), at(call, 2)]);
    let mut asking = wanted.clone();
    asking.asking = true;
    assert_eq!(turns(&asking), [at(repeated, 1), at(call, 2)]);
    // From one moment on and before another, wherever it was said.
    let mut between = wanted.clone();
    (between.session, between.from, between.until) = (None, NOW - 1_000, NOW + 3 * HOUR);
    assert_eq!(
        turns(&between),
        [
            (repeated, -1_000, "s1".to_owned()),
            at(repeated, 1),
            at(call, 2)
        ]
    );
    vault.write(|w| w.memories().trash(&[call], NOW)).unwrap();
    assert_eq!(turns(&wanted), [at(repeated, 1), at(answer, 3)]);
}

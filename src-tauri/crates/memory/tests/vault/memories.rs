//! Storing, reading, editing, trashing.

use memory::{
    Edit, Expiry, Filter, Inserted, Kind, ListQuery, MemoryId, Provenance, Role, Sort, Trust,
    VaultError,
};

use crate::support::{NOW, insert, record, store, trigrams, vault, words};

#[test]
fn every_field_comes_back() {
    let (_dir, vault) = vault();
    let mut new = record("k", "run the tests\u{0} now");
    new.scope.org = "orchard".to_owned();
    new.role = Role::Assistant;
    new.kind = Kind::ToolCall;
    new.tool_name = Some("bash".to_owned());
    new.tool_payload = Some(r#"{"command":"make test"}"#.to_owned());
    new.expires_at = Some(NOW + 5);
    new.provenance = Some(Provenance {
        file_id: 3,
        path: "/home/kim/log.jsonl".to_owned(),
        offset: 1 << 40,
        line: 12,
    });
    new.tags = vec![
        " b ".to_owned(),
        "a".to_owned(),
        "b".to_owned(),
        " ".to_owned(),
    ];
    new.pinned = true;
    new.trust = Trust::Flagged;
    let Inserted::Stored(id) = insert(&vault, &new) else {
        panic!("not stored")
    };
    let memory = vault.read(|r| r.memories().get(id)).unwrap().unwrap();
    assert_eq!(memory.scope, new.scope);
    assert_eq!(memory.content, new.content);
    assert_eq!((memory.role, memory.kind), (new.role, new.kind));
    assert_eq!(
        (&memory.tool_name, &memory.tool_payload),
        (&new.tool_name, &new.tool_payload)
    );
    assert_eq!(
        (memory.created_at, memory.expires_at),
        (new.created_at, new.expires_at)
    );
    assert_eq!(memory.provenance, new.provenance);
    assert_eq!(memory.tags, ["a", "b"]);
    assert!(memory.pinned);
    assert_eq!(
        (memory.trust, memory.version, memory.seen_count),
        (Trust::Flagged, 1, 1)
    );
    assert_eq!(
        (memory.last_seen_at, memory.deleted_at),
        (NOW - 1_000, None)
    );
    let by_key = vault.read(|r| r.memories().by_record(&new)).unwrap();
    assert_eq!(by_key, Some(memory));
}

#[test]
fn a_record_is_stored_once_and_never_again_after_it_was_deleted() {
    let (_dir, vault) = vault();
    let new = record("k", "likes tea");
    let id = match insert(&vault, &new) {
        Inserted::Stored(id) => id,
        other => panic!("{other:?}"),
    };
    assert_eq!(insert(&vault, &new), Inserted::Known(id));
    vault.write(|w| w.memories().trash(&[id], NOW)).unwrap();
    assert_eq!(insert(&vault, &new), Inserted::Forgotten);
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(insert(&vault, &new), Inserted::Known(id));
    vault.write(|w| w.memories().purge(&[id])).unwrap();
    assert_eq!(insert(&vault, &new), Inserted::Forgotten);
    // The same key of another agent or organisation is another record. The same words under
    // another key stay gone.
    let mut other = new.clone();
    other.scope.agent = "pilot".to_owned();
    assert!(matches!(insert(&vault, &other), Inserted::Stored(_)));
    let mut elsewhere = new.clone();
    elsewhere.scope.org = "orchard".to_owned();
    assert!(matches!(insert(&vault, &elsewhere), Inserted::Stored(_)));
    assert_eq!(
        insert(&vault, &record("k2", "likes tea")),
        Inserted::Forgotten
    );
}

#[test]
fn what_was_deleted_or_purged_stays_gone_under_every_name() {
    let (_dir, vault) = vault();
    let id = store(&vault, "the safe code is on the blue card");
    let edit = Edit {
        content: Some("the safe code is on the green card".to_owned()),
        ..Edit::default()
    };
    vault
        .write(|w| w.memories().edit(id, &edit, None, NOW))
        .unwrap();
    vault.write(|w| w.memories().trash(&[id], NOW)).unwrap();
    for (key, text) in [
        ("a", "the safe code is on the blue card"),
        ("b", " the safe code is on the green card\n"),
    ] {
        assert_eq!(insert(&vault, &record(key, text)), Inserted::Forgotten);
    }
    // Taken back, it is there again, and its words are too.
    vault.write(|w| w.memories().restore(&[id], NOW)).unwrap();
    assert_eq!(
        insert(&vault, &record("c", "the safe code is on the green card")),
        Inserted::Repeated(id)
    );
    vault.write(|w| w.memories().purge(&[id])).unwrap();
    for (key, text) in [
        ("d", "the safe code is on the blue card"),
        ("e", "the safe code is on the green card"),
    ] {
        assert_eq!(insert(&vault, &record(key, text)), Inserted::Forgotten);
    }
}

#[test]
fn a_known_key_with_other_words_is_never_taken_for_known() {
    let (_dir, vault) = vault();
    let Inserted::Stored(rail) = insert(&vault, &record("k", "send it by rail")) else {
        panic!("not stored")
    };
    let Inserted::Stored(boat) = insert(&vault, &record("k", "send it by boat")) else {
        panic!("not stored")
    };
    assert_ne!(rail, boat);
    for (text, id) in [("send it by rail", rail), ("send it by boat", boat)] {
        assert_eq!(insert(&vault, &record("k", text)), Inserted::Known(id));
    }
    // Another role, another payload: another record too.
    let mut spoken = record("k", "send it by rail");
    spoken.role = Role::Assistant;
    assert!(matches!(insert(&vault, &spoken), Inserted::Stored(_)));
    let mut call = record("k", "send it by rail");
    call.tool_payload = Some("{}".to_owned());
    assert!(matches!(insert(&vault, &call), Inserted::Stored(_)));
    // Where the format knows no session, the file tells records apart.
    let mut line = record("l", "job failed");
    line.scope.session = None;
    line.provenance = Some(Provenance {
        file_id: 1,
        path: "/a/worker.log".to_owned(),
        offset: 0,
        line: 1,
    });
    let Inserted::Stored(first) = insert(&vault, &line) else {
        panic!("not stored")
    };
    line.provenance.as_mut().unwrap().file_id = 2;
    assert_eq!(insert(&vault, &line), Inserted::Repeated(first));
    line.content.push_str("\n  at route.c:90");
    assert!(matches!(insert(&vault, &line), Inserted::Stored(_)));
}

#[test]
fn repetitions_move_the_count_but_only_within_their_scope() {
    let (_dir, vault) = vault();
    let id = store(&vault, "The café opens at nine");
    let mut again = record("k2", " The cafe\u{301} opens at nine\n");
    again.created_at = Some(NOW + 7);
    assert_eq!(insert(&vault, &again), Inserted::Repeated(id));
    assert_eq!(insert(&vault, &again), Inserted::Known(id));
    let memory = vault.read(|r| r.memories().get(id)).unwrap().unwrap();
    assert_eq!((memory.seen_count, memory.last_seen_at), (2, NOW + 7));
    assert_eq!(memory.content, "The café opens at nine");
    let mut role = record("k3", "The café opens at nine");
    role.role = Role::Assistant;
    assert!(matches!(insert(&vault, &role), Inserted::Stored(_)));
    for (key, text) in [
        ("d", "The café opens at 9"),
        ("n", "The café opens not at nine"),
        ("c", "the café opens at nine"),
        ("a", "The cafe opens at nine"),
        ("w", "The café opens at ｎine"),
    ] {
        assert!(matches!(
            insert(&vault, &record(key, text)),
            Inserted::Stored(_)
        ));
    }
    assert!(matches!(
        vault.write(|w| w.memories().insert(&record("", "x"), NOW)),
        Err(VaultError::Invalid { .. })
    ));
}

#[test]
fn edits_move_the_version_the_history_and_the_indexes() {
    let (_dir, vault) = vault();
    let id = store(&vault, "likes tea");
    let edit = |edit: Edit, version| vault.write(|w| w.memories().edit(id, &edit, version, NOW));
    let text = |text: &str| Edit {
        content: Some(text.to_owned()),
        ..Edit::default()
    };
    let edited = edit(text("likes sailing"), Some(1)).unwrap();
    assert_eq!(
        (edited.version, edited.content.as_str()),
        (2, "likes sailing")
    );
    assert!(matches!(
        edit(text("x"), Some(1)),
        Err(VaultError::Conflict)
    ));
    assert!(matches!(
        edit(text(" \n"), None),
        Err(VaultError::Invalid { .. })
    ));
    assert_eq!(edit(Edit::default(), None).unwrap().version, 2);
    assert_eq!(words(&vault, "sailing"), [id]);
    assert!(words(&vault, "tea").is_empty() && trigrams(&vault, "tea").is_empty());
    let history = vault.read(|r| r.memories().history(id)).unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(
        (history[0].version, history[0].content.as_str()),
        (1, "likes tea")
    );
    let tagged = Edit {
        tags: Some(vec!["boat".to_owned()]),
        pinned: Some(true),
        ..Edit::default()
    };
    let tagged = edit(tagged, Some(2)).unwrap();
    assert_eq!(
        (tagged.version, tagged.pinned, tagged.tags.len()),
        (3, true, 1)
    );
    vault.write(|w| w.memories().trash(&[id], NOW)).unwrap();
    assert!(matches!(edit(text("y"), None), Err(VaultError::NotFound)));
    let missing = vault.write(|w| w.memories().edit(MemoryId(999), &text("y"), None, NOW));
    assert!(matches!(missing, Err(VaultError::NotFound)));
}

#[test]
fn a_memory_can_be_given_an_end_and_lose_it_again() {
    let (_dir, vault) = vault();
    let id = store(&vault, "the ferry is closed");
    let expires = |expiry| {
        let edit = Edit {
            expires: Some(expiry),
            ..Edit::default()
        };
        vault.write(|w| w.memories().edit(id, &edit, None, NOW))
    };
    let living = || vault.read(|r| r.memories().ids(&Filter::default(), NOW));
    assert_eq!(
        expires(Expiry::At(NOW + 1)).unwrap().expires_at,
        Some(NOW + 1)
    );
    assert_eq!(living().unwrap(), [id]);
    expires(Expiry::At(NOW)).unwrap();
    assert!(living().unwrap().is_empty(), "its time is over");
    assert_eq!(vault.read(|r| r.memories().expired(NOW)).unwrap(), [id]);
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    assert_eq!(living().unwrap(), [id], "undo gives the later end back");
    assert_eq!(expires(Expiry::Never).unwrap().expires_at, None);
    vault.write(|w| w.undo().undo(NOW)).unwrap();
    let ended = vault.read(|r| r.memories().get(id)).unwrap().unwrap();
    assert_eq!(ended.expires_at, Some(NOW + 1));
}

#[test]
fn a_failed_write_leaves_nothing() {
    let (_dir, vault) = vault();
    let epoch = vault.epoch();
    let result: Result<(), _> = vault.write(|w| {
        w.memories().insert(&record("k", "half"), NOW)?;
        Err(VaultError::Conflict)
    });
    assert!(matches!(result, Err(VaultError::Conflict)));
    assert_eq!(vault.epoch(), epoch);
    assert!(words(&vault, "half").is_empty());
    assert_eq!(
        insert(&vault, &record("k", "half")),
        Inserted::Stored(MemoryId(1))
    );
    assert_eq!(vault.epoch(), epoch + 1);
    assert_eq!(vault.read(|r| r.epoch()).unwrap(), epoch + 1);
}

#[test]
fn filters_let_through_what_they_name() {
    let (_dir, vault) = vault();
    let a = store(&vault, "alpha note");
    let mut second = record("b", "beta note");
    second.scope.agent = "pilot".to_owned();
    second.scope.session = Some("s2".to_owned());
    second.scope.org = "orchard".to_owned();
    second.role = Role::Tool;
    second.kind = Kind::ToolResult;
    second.created_at = Some(NOW - 9_000);
    second.tags = vec!["red".to_owned(), "blue".to_owned()];
    second.provenance = Some(Provenance {
        file_id: 1,
        path: "/srv/Pilot/Log.jsonl".to_owned(),
        offset: 0,
        line: 1,
    });
    let Inserted::Stored(b) = insert(&vault, &second) else {
        panic!()
    };
    let mut gone = record("c", "gamma note");
    gone.expires_at = Some(NOW);
    insert(&vault, &gone);
    let none = Filter::default;
    let cases: Vec<(Filter, Vec<MemoryId>)> = vec![
        (none(), vec![a, b]),
        (
            Filter {
                org: Some("orchard".into()),
                ..none()
            },
            vec![b],
        ),
        (
            Filter {
                agents: vec!["scout".into()],
                ..none()
            },
            vec![a],
        ),
        (
            Filter {
                agents: vec!["scout".into(), "pilot".into(), "x".into()],
                ..none()
            },
            vec![a, b],
        ),
        (
            Filter {
                session: Some("s2".into()),
                ..none()
            },
            vec![b],
        ),
        (
            Filter {
                roles: vec![Role::Tool, Role::System],
                ..none()
            },
            vec![b],
        ),
        (
            Filter {
                kinds: vec![Kind::Text],
                ..none()
            },
            vec![a],
        ),
        (
            Filter {
                source: Some("pilot/log".into()),
                ..none()
            },
            vec![b],
        ),
        (
            Filter {
                source: Some("pilot_log".into()),
                ..none()
            },
            vec![],
        ),
        (
            Filter {
                tags: vec!["red".into(), "blue".into()],
                ..none()
            },
            vec![b],
        ),
        (
            Filter {
                tags: vec!["red".into(), "green".into()],
                ..none()
            },
            vec![],
        ),
        (
            Filter {
                after: Some(NOW - 1_000),
                ..none()
            },
            vec![a],
        ),
        (
            Filter {
                before: Some(NOW - 1_000),
                ..none()
            },
            vec![b],
        ),
        (
            Filter {
                agents: vec!["pilot".into()],
                kinds: vec![Kind::Text],
                ..none()
            },
            vec![],
        ),
    ];
    for (filter, expected) in cases {
        vault
            .read(|r| {
                assert_eq!(r.memories().ids(&filter, NOW)?, expected, "{filter:?}");
                assert_eq!(r.memories().count(&filter, NOW)?, expected.len() as u32);
                assert_eq!(
                    r.words().matches("note", &filter, NOW)?,
                    expected.len() as u32
                );
                let mut found: Vec<_> = r
                    .trigrams()
                    .search("note", &filter, NOW, 9)?
                    .into_iter()
                    .map(|(id, _)| id)
                    .collect();
                found.sort();
                assert_eq!(found, expected, "{filter:?}");
                let mut found = r.text().containing(&["note".to_owned()], &filter, NOW, 9)?;
                found.sort();
                assert_eq!(found, expected, "{filter:?}");
                let page = ListQuery {
                    filter: filter.clone(),
                    limit: 9,
                    now: NOW,
                    ..ListQuery::default()
                };
                assert_eq!(r.memories().list(&page)?.0, expected.len() as u32);
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn lists_sort_page_and_search_the_trash_too() {
    let (_dir, vault) = vault();
    let mut ids = Vec::new();
    for (index, text) in ["one", "twenty-two", "ПРИВЕТ мир", "four 100%"]
        .iter()
        .enumerate()
    {
        let mut new = record(text, text);
        new.created_at = (index != 1).then_some(NOW - index as i64 * 1_000);
        let Inserted::Stored(id) = insert(&vault, &new) else {
            panic!()
        };
        ids.push(id);
    }
    insert(&vault, &record("again", "four 100%"));
    let list = |query: &ListQuery| {
        let (total, page) = vault.read(|r| r.memories().list(query)).unwrap();
        (
            total,
            page.into_iter().map(|memory| memory.id).collect::<Vec<_>>(),
        )
    };
    let query = |sort| ListQuery {
        sort,
        limit: 10,
        now: NOW,
        ..ListQuery::default()
    };
    let [a, b, c, d] = ids[..] else { panic!() };
    assert_eq!(list(&query(Sort::Newest)).1, [a, c, d, b]);
    assert_eq!(list(&query(Sort::Oldest)).1, [d, c, a, b]);
    assert_eq!(list(&query(Sort::LastStored)).1, [d, c, b, a]);
    assert_eq!(list(&query(Sort::Longest)).1, [c, b, d, a]);
    assert_eq!(list(&query(Sort::MostSeen)).1, [d, c, b, a]);
    let page = ListQuery {
        offset: 1,
        limit: 2,
        ..query(Sort::Newest)
    };
    assert_eq!(list(&page), (4, vec![c, d]));
    for (needle, expected) in [
        ("привет", vec![c]),
        ("100%", vec![d]),
        ("_", vec![]),
        ("%", vec![d]),
    ] {
        let search = ListQuery {
            contains: Some(needle.to_owned()),
            ..query(Sort::Newest)
        };
        assert_eq!(
            list(&search),
            (expected.len() as u32, expected.clone()),
            "{needle}"
        );
        vault.write(|w| w.memories().trash(&ids, NOW)).unwrap();
        assert_eq!(list(&search).0, 0);
        let trash = ListQuery {
            trash: true,
            ..search
        };
        assert_eq!(list(&trash), (expected.len() as u32, expected), "{needle}");
        vault.write(|w| w.memories().restore(&ids, NOW)).unwrap();
    }
}

#[test]
fn facets_count_the_living() {
    let (_dir, vault) = vault();
    let mut tagged = record("a", "a");
    tagged.tags = vec!["red".to_owned()];
    insert(&vault, &tagged);
    let b = store(&vault, "b");
    let mut other = record("c", "c");
    other.scope.agent = "pilot".to_owned();
    other.tags = vec!["red".to_owned(), "blue".to_owned()];
    other.created_at = Some(5);
    insert(&vault, &other);
    vault.write(|w| w.memories().trash(&[b], NOW)).unwrap();
    let facets = vault.read(|r| r.memories().facets()).unwrap();
    assert_eq!(
        facets.agents,
        [("pilot".to_owned(), 1), ("scout".to_owned(), 1)]
    );
    assert_eq!(facets.tags, [("red".to_owned(), 2), ("blue".to_owned(), 1)]);
    assert_eq!(
        (facets.earliest, facets.latest),
        (Some(5), Some(NOW - 1_000))
    );
    assert_eq!(vault.read(|r| r.memories().trash_count()).unwrap(), 1);
    let counts = vault.read(|r| r.table_counts()).unwrap();
    assert_eq!(
        (counts["memories"], counts["words"], counts["trigrams"]),
        (3, 2, 2)
    );
}

#[test]
fn a_write_finds_what_it_has_just_stored() {
    let (_dir, vault) = vault();
    vault
        .write(|w| {
            let Inserted::Stored(id) = w.memories().insert(&record("k", "sailing at noon"), NOW)?
            else {
                panic!("not stored")
            };
            let open = Filter::default();
            assert_eq!(w.words().search("sailing", &open, NOW, 5)?.len(), 1);
            w.memories()
                .insert(&record("k2", "sailing at night"), NOW)?;
            assert_eq!(w.trigrams().matches("sailing", &open, NOW)?, 2);
            w.memories().insert(&record("k3", "sailing again"), NOW)?;
            let needle = ["again".to_owned()];
            assert_eq!(w.text().containing(&needle, &open, NOW, 5)?.len(), 1);
            // Stored and deleted, stored and edited within one write.
            w.memories().trash(&[id], NOW)?;
            let edit = Edit {
                content: Some("rowing".to_owned()),
                ..Edit::default()
            };
            w.memories().edit(MemoryId(2), &edit, None, NOW)?;
            w.memories().insert(&record("k4", "rowing too"), NOW)?;
            assert_eq!(w.words().document_frequency("rowing")?, 2);
            w.check_keyword_indexes()
        })
        .unwrap();
    assert_eq!(words(&vault, "sailing"), [MemoryId(3)]);
    vault.write(|w| w.check_keyword_indexes()).unwrap();
}

#[test]
fn a_session_is_known_by_what_the_person_said_first() {
    let (_dir, vault) = vault();
    let put = |key: &str, text: &str, role: Role, kind: Kind, at: i64, session: Option<&str>| {
        let mut new = record(key, text);
        (new.role, new.kind, new.created_at) = (role, kind, Some(at));
        new.scope.session = session.map(str::to_owned);
        if role == Role::Tool {
            new.tags = vec!["error".to_owned()];
        }
        insert(&vault, &new);
    };
    let (text, call, result) = (Kind::Text, Kind::ToolCall, Kind::ToolResult);
    put("a", "Reading first.", Role::Assistant, text, 10, Some("s1"));
    put(
        "b",
        "Read /etc/tides",
        Role::Assistant,
        call,
        20,
        Some("s1"),
    );
    put("c", "no such file", Role::Tool, result, 30, Some("s1"));
    put("d", "Mend the tides", Role::User, text, 40, Some("s1"));
    put("e", "And the tests", Role::User, text, 50, Some("s1"));
    put("f", "Alone", Role::Assistant, text, 60, Some("s2"));
    put("g", "Outside of any", Role::User, text, 70, None);
    let sessions = vault.read(|r| r.memories().sessions()).unwrap();
    let told: Vec<_> = sessions
        .iter()
        .map(|row| {
            let counts = (row.memories, row.said, row.calls, row.errors);
            (row.opening.as_str(), counts, row.first, row.last)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("Alone", (1, 0, 0, 0), Some(60), Some(60)),
            ("Mend the tides", (5, 2, 1, 1), Some(10), Some(50)),
        ]
    );
}

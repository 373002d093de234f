//! Lines that look like the query language and are not meant so; listings; parts of words and
//! identifiers.

use retrieval::stage::Stage;
use retrieval::trace::{DropReason, Level, Mode, Status, Trace, Undecayed};

use crate::shelf::{DAY, NOW, note, shelf_of, texts};

fn notes(trace: &Trace) -> String {
    trace.stages[0].notes.join(" ")
}

#[test]
fn the_options_of_a_command_exclude_nothing() {
    let shelf = texts(&[
        "run tar -xzvf attic.tgz to unpack the attic backup",
        "find . -name '*.tmp' -delete empties the loft",
        "java -jar depot.jar starts the depot",
        "java streams are lazy",
        "the backup runs at night",
    ]);
    for (query, first) in [
        ("tar -xzvf backup", "m1"),
        ("attic -xzvf", "m1"),
        ("find . -name -delete", "m2"),
        ("loft -name -delete", "m2"),
        // Other memories hold `java`, but this one holds the option as it was typed.
        ("java -jar", "m3"),
    ] {
        let trace = shelf.ask(query);
        assert_eq!(
            trace.results.first().map(String::as_str),
            Some(first),
            "{query}"
        );
        assert!(
            notes(&trace).contains("looked for as text"),
            "{query}: {}",
            notes(&trace)
        );
        assert!(trace.terms.iter().all(|term| !term.excluded), "{query}");
    }
}

#[test]
fn an_exclusion_that_leaves_something_over_is_meant() {
    let shelf = texts(&[
        "deploy to staging on mondays",
        "deploy to production on fridays",
        "deploy to the lab",
    ]);
    let without = |query: &str| {
        let mut found = shelf.found(query);
        found.sort();
        found
    };
    assert_eq!(without("deploy -staging"), ["m2", "m3"]);
    assert_eq!(without("deploy -staging -production"), ["m3"]);
    // Quotes are meant even where nothing is left.
    assert!(without("mondays -\"staging\"").iter().all(|id| id != "m1"));
    // Each leaves some, all of them nothing.
    let all = shelf.ask("deploy -staging -production -lab");
    assert_eq!(all.results.len(), 3);
    assert!(notes(&all).contains("would leave out every memory"));
}

#[test]
fn a_field_with_a_value_that_no_memory_has_is_text() {
    let mut memories = vec![
        note("the image pull failed, tag:latest is missing"),
        note("the browser shows session:expired after lunch"),
        note("source:main.rs is where it starts"),
        note("kind:summary was printed, and role:system too"),
    ];
    memories[0].tags = vec!["ops".into()];
    let shelf = shelf_of(memories);
    for (query, first) in [
        ("image pull tag:latest", "m1"),
        ("tag:latest", "m1"),
        ("session:expired", "m2"),
        ("source:main.rs", "m3"),
        ("agent::start tag:\"latest\"", "m1"),
        ("kind:summary", "m4"),
        ("role:system", "m4"),
    ] {
        let trace = shelf.ask(query);
        assert_eq!(
            trace.results.first().map(String::as_str),
            Some(first),
            "{query}"
        );
        assert!(
            notes(&trace).contains("No memory has the"),
            "{query}: {}",
            notes(&trace)
        );
    }
    // A value that some memory has filters, alone or beside words.
    assert_eq!(shelf.found("tag:ops"), ["m1"]);
    assert_eq!(shelf.found("lunch tag:ops"), ["m1"]);
    // What looks like a field and is none needs no vault to be text.
    for query in [
        "std::vector",
        "https://depot.example/a?b=c",
        "key: value",
        "C:\\depot",
        "10:30",
    ] {
        assert!(!shelf.ask(query).terms.is_empty(), "{query}");
        assert_eq!(shelf.ask(query).searchable, 4, "{query}");
    }
}

#[test]
fn nothing_but_filters_lists_in_order_of_time() {
    let mut memories = vec![
        note("the rope was coiled"),
        note("the buoy was painted"),
        note("the net was mended"),
    ];
    memories[0].created_at = Some(NOW - 10 * DAY);
    memories[1].created_at = Some(NOW - 40 * DAY);
    memories[2].created_at = Some(NOW - DAY);
    memories[2].pinned = true;
    memories[2].tags = vec!["sea".into()];
    let shelf = shelf_of(memories);
    let day = |days: i64| {
        let at = (NOW - days * DAY) / 1000;
        jiff_day(at)
    };
    let query = format!("after:{} before:{}", day(60), day(5));
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic, Mode::Auto] {
        let trace = shelf.ask_in(&query, mode);
        assert_eq!(trace.results, ["m2", "m1"], "{mode:?}");
        assert_eq!(trace.level, Level::KeywordOnly);
        assert_eq!(
            trace.stage(Stage::Knn).map(|part| part.status),
            Some(Status::Skipped)
        );
        let decay = trace.stage(Stage::Decay).unwrap();
        assert!(
            decay
                .items
                .iter()
                .all(|item| item.undecayed == Some(Undecayed::Listed))
        );
        assert!(
            notes(&trace).contains("the oldest first"),
            "{}",
            notes(&trace)
        );
        let dropped = |item: &retrieval::trace::StageItem| item.dropped != Some(DropReason::Cutoff);
        assert!(trace.stage(Stage::Bm25).unwrap().items.iter().all(dropped));
    }
    assert_eq!(shelf.found("role:user"), ["m2", "m1", "m3"]);
    assert_eq!(shelf.found("tag:sea"), ["m3"]);
    assert!(shelf.found(&format!("after:{}", day(0))).is_empty());
}

/// The day of a second since 1970, as a query has it.
fn jiff_day(second: i64) -> String {
    jiff::Timestamp::from_second(second)
        .unwrap()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date()
        .to_string()
}

#[test]
fn a_part_of_a_word_never_ranks_above_the_word() {
    let mut memories: Vec<String> = (0..12)
        .map(|at| format!("import report {at}: import support, airport, transport, portal"))
        .collect();
    memories.push(format!(
        "{} the port is 4002",
        "a long listing of other things ".repeat(40)
    ));
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let shelf = texts(&memories);
    let trace = shelf.ask_in("port", Mode::Lexical);
    let bm25 = trace.stage(Stage::Bm25).unwrap();
    assert_eq!(bm25.items[0].id, "m13");
    assert_eq!(bm25.items.len(), 13, "the others are found all the same");
    // Where no memory holds the whole word, its parts count in full.
    let inside = texts(&["see getShippingMethodId", "nothing of the kind"]);
    assert_eq!(inside.ask_in("shipping", Mode::Lexical).results, ["m1"]);
}

#[test]
fn identifiers_are_found_in_every_spelling_and_by_their_parts() {
    let shelf = texts(&[
        "fn retryBudget() -> u32",
        "let retry_budget = 3;",
        "set retry-budget to three",
        "the budget for retries",
        "error[E0382]: use of moved value",
        "released v1.4.2 today",
        "bumped depot to 2.0.1",
        "panicked at src/gateway/client.rs:42:7",
        "see C:\\depot\\logs\\app.log for details",
        "run it with --no-verify",
        "connect failed: ECONNREFUSED 127.0.0.1:5432",
        "XMLHttpRequest was aborted",
    ]);
    let first = |query: &str| shelf.ask_in(query, Mode::Lexical).results;
    for (query, wanted) in [
        // The exact spelling first, the others behind it.
        ("retryBudget", &["m1", "m2", "m3"][..]),
        ("retry_budget", &["m2", "m1", "m3"]),
        ("retry-budget", &["m3", "m1", "m2"]),
        ("E0382", &["m5"]),
        ("error E0382", &["m5"]),
        ("1.4.2", &["m6"]),
        ("v1.4.2", &["m6"]),
        ("v2.0.1", &["m7"]),
        ("2.0", &["m7"]),
        ("client.rs", &["m8"]),
        ("client.rs:42", &["m8"]),
        ("src/gateway/client.rs:42:7", &["m8"]),
        ("src/gateway/client.rs:99", &["m8"]),
        ("/home/ines/depot/src/gateway/client.rs", &["m8"]),
        ("gateway/client.rs", &["m8"]),
        ("app.log", &["m9"]),
        ("C:/depot/logs/app.log", &["m9"]),
        ("D:\\other\\app.log", &["m9"]),
        ("--no-verify", &["m10"]),
        ("no-verify", &["m10"]),
        ("ECONNREFUSED", &["m11"]),
        ("127.0.0.1", &["m11"]),
        (":5432", &["m11"]),
        ("xml_http_request", &["m12"]),
        ("HttpRequest", &["m12"]),
    ] {
        let found = first(query);
        assert_eq!(
            found.first().map(String::as_str),
            Some(wanted[0]),
            "{query}: {found:?}"
        );
        for id in wanted {
            assert!(
                found.iter().any(|one| one == id),
                "{query} finds {id}: {found:?}"
            );
        }
    }
}

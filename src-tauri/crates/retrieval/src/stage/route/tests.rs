use memory::Filter;
use proptest::prelude::*;

use super::term::PartsAsked;
use super::*;

fn routed(text: &str) -> Route {
    route(text, Mode::Hybrid, &Filter::default())
}

fn check(text: &str, wanted: &[(&str, TermKind, &[TermRoute])]) {
    let route = routed(text);
    let found: Vec<(&str, TermKind, &[TermRoute])> = route
        .terms
        .iter()
        .map(|t| {
            (
                t.shown.text.as_str(),
                t.shown.kind,
                t.shown.routes.as_slice(),
            )
        })
        .collect();
    assert_eq!(found, wanted, "{text}");
}

use TermKind as K;
use TermRoute::{Ignored, Substring, Trigram, Word};

#[test]
fn every_term_has_its_own_route() {
    check(
        "redis db",
        &[
            ("redis", K::Word, &[Word, Trigram]),
            ("db", K::Word, &[Word]),
        ],
    );
    check(
        "重启gateway",
        &[
            ("重启", K::Unspaced, &[Substring]),
            ("gateway", K::Word, &[Word, Trigram, Substring]),
        ],
    );
    check(
        "备份 db",
        &[
            ("备份", K::Unspaced, &[Substring]),
            ("db", K::Word, &[Word]),
        ],
    );
    check("会議室", &[("会議室", K::Unspaced, &[Trigram])]);
    check(
        "数据库，备份",
        &[
            ("数据库", K::Unspaced, &[Trigram]),
            ("备份", K::Unspaced, &[Substring]),
        ],
    );
    check(
        "飞书插件配置",
        &[("飞书插件配置", K::Unspaced, &[Trigram, Substring])],
    );
    check("พรุ่งนี้", &[("พรุ่งนี้", K::Unspaced, &[Trigram])]);
    check("🔴", &[("🔴", K::Symbol, &[Substring])]);
    check("***", &[("***", K::Symbol, &[Ignored])]);
    check(
        "docker AND OR kubernetes",
        &[
            ("docker", K::Word, &[Word, Trigram]),
            ("AND", K::StopWord, &[Ignored]),
            ("OR", K::StopWord, &[Ignored]),
            ("kubernetes", K::Word, &[Word, Trigram]),
        ],
    );
    check("NEAR(", &[("NEAR(", K::StopWord, &[Ignored])]);
    check("kim@example.com", &[("kim@example.com", K::Email, &[Word])]);
    check(
        "src/gateway/client.rs",
        &[("src/gateway/client.rs", K::Path, &[Word])],
    );
    check("9fceb02", &[("9fceb02", K::Hash, &[Word])]);
    check("facade", &[("facade", K::Word, &[Word, Trigram])]);
    check(
        "ERR_VAL_9021",
        &[("ERR_VAL_9021", K::Identifier, &[Word, Trigram])],
    );
}

#[test]
fn kinds_of_queries() {
    for (text, kind) in [
        ("", QueryKind::Blank),
        ("   ", QueryKind::Blank),
        ("\u{200B}", QueryKind::Blank),
        ("?!", QueryKind::Blank),
        ("_", QueryKind::Blank),
        ("%", QueryKind::Blank),
        ("OR", QueryKind::Blank),
        ("\"release plan\"", QueryKind::Exact),
        ("ERR_VAL_9021", QueryKind::Exact),
        ("kim@example.com", QueryKind::Exact),
        ("[draft]", QueryKind::Exact),
        (
            "fix for ERR_VAL_9021 in the payment gateway client",
            QueryKind::Technical,
        ),
        ("what is the error", QueryKind::Technical),
        ("getShippingMethodId", QueryKind::Technical),
        ("ENOENT", QueryKind::Exact),
        ("SIGTERM handler", QueryKind::Exact),
        ("what does the server do on SIGTERM", QueryKind::Exact),
        (
            "does the payment server drain its queue on SIGTERM",
            QueryKind::Technical,
        ),
        ("OK", QueryKind::Conceptual),
        ("which commit fixed it", QueryKind::Technical),
        ("arr[0]", QueryKind::Technical),
        ("{retry}", QueryKind::Technical),
        ("Vec<u8>", QueryKind::Technical),
        ("who calls drain()", QueryKind::Technical),
        ("the offer (the second one)", QueryKind::Conceptual),
        ("what does the user prefer", QueryKind::Conceptual),
        ("the", QueryKind::Conceptual),
    ] {
        assert_eq!(routed(text).kind, kind, "{text:?}");
    }
}

#[test]
fn auto_chooses_the_leg_by_the_query() {
    for (text, legs) in [
        ("数据库备份", Legs::KeywordFirst),
        ("ADR-016", Legs::KeywordFirst),
        ("ENOENT", Legs::KeywordFirst),
        ("which commit fixed it", Legs::KeywordFirst),
        ("arr[0]", Legs::KeywordFirst),
        ("{retry}", Legs::KeywordFirst),
        ("what does the user prefer", Legs::SemanticFirst),
    ] {
        assert_eq!(
            route(text, Mode::Auto, &Filter::default()).legs,
            legs,
            "{text}"
        );
    }
}

#[test]
fn stop_words_are_left_out_unless_there_is_nothing_else() {
    let route = routed("what did we decide about the redis cache ttl?");
    let asked: Vec<&str> = route.asked().map(|t| t.folded.as_str()).collect();
    assert_eq!(asked, ["decide", "redis", "cache", "ttl"]);
    assert_eq!(routed("to be or not to be").asked().count(), 6);
    assert_eq!(
        routed("thé").asked().next().map(|t| t.shown.kind),
        Some(K::Word)
    );
}

#[test]
fn exact_forms_earn_a_bonus() {
    for (text, literal) in [
        ("C++", "c++"),
        ("C#", "c#"),
        (".NET?", ".net"),
        ("-016", "-016"),
        ("50%", "50%"),
        ("#4821", "#4821"),
        ("$5", "$5"),
        ("AT&T", "at&t"),
        ("2026-03-31", "2026-03-31"),
        ("“release plan”", "release plan"),
    ] {
        let route = routed(text);
        let literals: Vec<&str> = route
            .asked()
            .flat_map(|t| &t.literals)
            .map(|l| l.text.as_str())
            .collect();
        assert_eq!(literals, [literal], "{text}");
    }
    let plus = routed("C++");
    let plus = &plus.terms[0].literals[0];
    assert!(plus.is_in("we use c++ here") && !plus.is_in("plan c") && !plus.is_in("abc++"));
}

#[test]
fn exclusions_need_something_to_subtract_from() {
    let both = routed("deploy -staging");
    assert!(both.terms[1].shown.excluded);
    assert_eq!(both.semantic_text, "deploy");
    let alone = routed("-staging");
    assert!(!alone.terms[0].shown.excluded);
    assert_eq!(alone.kind, QueryKind::Conceptual);
}

#[test]
fn a_command_keeps_its_options() {
    for (query, options) in [
        ("tar -xzvf backup", &["-xzvf"][..]),
        ("find . -name -delete", &["-name", "-delete"]),
        ("git log -S foo -oneline", &["-oneline"]),
    ] {
        let route = routed(query);
        assert!(route.terms.iter().all(|t| !t.shown.excluded), "{query}");
        for option in options {
            let asked = route.asked().find(|t| t.shown.text == *option).unwrap();
            assert!(!asked.words.is_empty(), "{option}");
            assert!(route.notes[0].contains(option), "{:?}", route.notes);
        }
        assert_eq!(route.semantic_text, query);
    }
}

#[test]
fn what_the_vault_shows_not_to_be_meant_is_text() {
    let literally = Literally {
        fields: vec!["tag:latest".into(), "source:\"my notes\"".into()],
        minuses: vec![("jar".into(), "is an option")],
    };
    let route = route_literally(
        "java -jar tag:latest source:\"my notes\" role:user",
        Mode::Hybrid,
        &Filter::default(),
        &literally,
    );
    assert!(route.filter.tags.is_empty() && route.filter.source.is_none());
    assert_eq!(route.filter.roles, [memory::Role::User]);
    assert_eq!(route.semantic_text, "java -jar tag:latest source: my notes");
    assert!(route.terms.iter().all(|t| !t.shown.excluded));
    for said in ["“-jar” is an option", "tag in “tag:latest”", "source in"] {
        assert!(
            route.notes.iter().any(|note| note.contains(said)),
            "{said}: {:?}",
            route.notes
        );
    }
}

#[test]
fn only_filters_make_a_listing() {
    for (query, listing) in [
        ("after:2026-07-16 before:2026-07-17", true),
        ("tag:db", true),
        ("tag:db redis", false),
        ("tag:db ?", true),
        ("tag:db -redis", false),
        ("", false),
        ("?!", false),
    ] {
        assert_eq!(routed(query).listing, listing, "{query}");
    }
    let asked = Filter {
        agents: vec!["codex".into()],
        ..Filter::default()
    };
    assert!(!route("", Mode::Hybrid, &asked).listing);
    assert!(!route("agent:pi", Mode::Hybrid, &asked).listing);
    assert!(route("role:user", Mode::Hybrid, &asked).listing);
}

#[test]
fn fields_narrow_the_filter_and_leave_the_text() {
    let route = routed("agent:codex before:2026-01-01 tag:db redis content:x");
    assert_eq!(route.filter.agents, ["codex"]);
    assert_eq!(route.filter.tags, ["db"]);
    assert_eq!(route.semantic_text, "redis content:x");
    let scoped = Filter {
        agents: vec!["claude-code".into()],
        ..Filter::default()
    };
    assert!(super::route("agent:codex redis", Mode::Hybrid, &scoped).contradiction);
    assert!(routed("role:king").terms.iter().any(|t| !t.is_ignored()));
}

#[test]
fn long_input_is_capped_with_a_note() {
    let route = routed(&"word ".repeat(50_000));
    assert_eq!(route.terms.len(), MAX_TERMS);
    assert_eq!(route.notes.len(), 2, "{:?}", route.notes);
    let nested = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    assert_eq!(
        routed(&nested)
            .asked()
            .map(|t| t.folded.as_str())
            .collect::<Vec<_>>(),
        ["a"]
    );
}

#[test]
fn camel_case_parts_are_looked_for_inside_words() {
    let route = routed("getShippingMethodId");
    let inside: Vec<&str> = route.terms[0]
        .inside
        .iter()
        .map(|p| p.text.as_str())
        .collect();
    assert_eq!(inside, ["get", "getshippingmethodid", "method", "shipping"]);
}

#[test]
fn one_name_is_looked_for_in_its_other_spellings() {
    let asked = |text: &str| {
        let term = routed(text).terms.remove(0);
        let texts = |phrases: &[term::Phrase]| -> Vec<String> {
            phrases.iter().map(|phrase| phrase.text.clone()).collect()
        };
        (texts(&term.words), texts(&term.parts), texts(&term.inside))
    };
    let (words, parts, inside) = asked("retryBudget");
    assert_eq!(words, ["retrybudget", "retry budget"]);
    assert_eq!(parts, ["retry", "budget"]);
    assert_eq!(inside, ["budget", "retry", "retrybudget"]);
    let (_, parts, inside) = asked("retry_budget");
    assert_eq!(parts, ["retry", "budget"]);
    assert_eq!(inside, ["budget", "retry", "retry_budget", "retrybudget"]);
    let (_, _, inside) = asked("boundary-layer");
    assert_eq!(inside, ["boundary-layer", "boundarylayer"]);
    let (words, ..) = asked("v1.2.3");
    assert_eq!(words, ["v1.2.3", "1.2.3"]);
    let (_, parts, _) = asked("src/gateway/client.rs:42:7");
    assert_eq!(
        parts,
        ["src/gateway/client.rs", "client.rs:42:7", "client.rs"]
    );
    let (_, parts, _) = asked("C:\\depot\\app.log");
    assert_eq!(parts, ["app.log"]);
}

#[test]
fn lists_for_binary_search_are_in_order() {
    assert!(TECHNICAL_WORDS.is_sorted());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_text_is_routed_and_none_becomes_syntax(text in "\\PC{0,60}|[\"()*:^{}+\\-a重ı🔴\u{0}\u{200b} ]{0,80}") {
        let route = routed(&text);
        for term in &route.terms {
            for phrase in term.words.iter().chain(&term.parts).chain(&term.trigrams).chain(&term.inside) {
                let expression = phrase.expression();
                let inner = expression.trim_end_matches(" *");
                let inner = &inner[1..inner.len() - 1];
                prop_assert!(!inner.replace("\"\"", "").contains('"'));
                prop_assert!(phrase.text.chars().any(char::is_alphanumeric), "{:?}", phrase);
            }
            for phrase in term.trigrams.iter().chain(&term.inside) {
                prop_assert!(phrase.text.chars().count() >= 3, "{:?}", phrase);
            }
            prop_assert!(!term.shown.why.is_empty());
            prop_assert!(!term.shown.routes.is_empty());
            prop_assert!(term.needles.iter().all(|n| !n.trim().is_empty()));
        }
    }
}

#[test]
fn the_words_of_a_compound_are_asked_one_by_one_and_counted_once() {
    let parts = |text: &str| -> (PartsAsked, Vec<String>, f64) {
        let term = &routed(text).terms[0];
        let words = term.parts.iter().map(|part| part.text.clone()).collect();
        (term.parts_asked, words, term.literals[0].weight)
    };
    let (asked, words, weight) = parts("two-dimensional");
    assert_eq!(
        (asked, words),
        (
            PartsAsked::Instead,
            vec!["two".into(), "dimensional".into()]
        )
    );
    assert!(weight < 0.1, "{weight}");
    for identifier in [
        "config.yaml",
        "gpt-4o",
        "user_id",
        "x-15",
        "HTTP-POST",
        "a.b-c",
    ] {
        let (asked, _, weight) = parts(identifier);
        assert_eq!(asked, PartsAsked::Beside, "{identifier}");
        assert!(weight >= 0.25, "{identifier}: {weight}");
    }
}

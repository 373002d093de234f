//! Queries that broke other programs, against small memories. Keyword search alone, so that a wrong
//! answer cannot hide behind the semantic leg.

use std::collections::BTreeSet;

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::request::{FilterRequest, QueryRequest};
use inspector::trace::{Mode, Status};
use inspector::view::ResultView;
use proptest::prelude::*;
use retrieval::stage::Stage;

use crate::support::Sandbox;

fn ask(inspector: &Inspector, text: &str) -> Vec<ResultView> {
    let request = QueryRequest {
        text: text.to_owned(),
        mode: Mode::Hybrid,
        filter: FilterRequest::default(),
        constants: Constants {
            results: 100,
            ..Constants::default()
        },
        now: Some("2026-06-30T12:00:00Z".into()),
        rerank: true,
    };
    let answer = inspector
        .query(&request)
        .unwrap_or_else(|error| panic!("{text:?}: {error}"));
    for stage in &answer.trace.stages {
        // There is no model here: what needs one has failed, and says so.
        if !matches!(stage.name, Stage::Knn | Stage::Rerank) {
            assert_ne!(
                stage.status,
                Status::Failed,
                "{text:?}: {:?}: {:?}",
                stage.name,
                stage.reason
            );
        }
    }
    for item in &answer.trace.stage(Stage::Bm25).unwrap().items {
        assert!(
            item.score.is_finite() && item.score >= 0.0,
            "{text:?}: {item:?}"
        );
    }
    inspector.results(&answer).unwrap()
}

/// What a query should bring.
enum Expected<'a> {
    /// This one first.
    First(&'a str),
    /// These, in any order, and perhaps others behind them.
    Found(&'a [&'a str]),
    /// Exactly these, in any order.
    Only(&'a [&'a str]),
    /// Nothing but these: a mark alone may be searched as it stands or not at all.
    Within(&'a [&'a str]),
    /// The first above the second, which may be missing.
    Above(&'a str, &'a str),
}
use Expected::{Above, First, Found, Only, Within};

/// Stores the memories and checks every query; all faults are reported together.
fn check(memories: &[&str], queries: &[(&str, Expected<'_>)]) {
    let (_sandbox, inspector) = Sandbox::with_records(memories);
    let mut faults = Vec::new();
    for (query, expected) in queries {
        let results = ask(&inspector, query);
        let found: Vec<&str> = results
            .iter()
            .map(|result| result.content.as_str())
            .collect();
        let place = |text: &str| found.iter().position(|other| *other == text);
        let fine = match expected {
            First(text) => found.first() == Some(text),
            Found(texts) => texts.iter().all(|text| place(text).is_some()),
            Only(texts) => {
                texts.iter().collect::<BTreeSet<_>>() == found.iter().collect::<BTreeSet<_>>()
            }
            Within(texts) => found.iter().all(|text| texts.contains(text)),
            Above(upper, lower) => {
                place(upper).is_some_and(|upper| place(lower).is_none_or(|lower| upper < lower))
            }
        };
        if !fine {
            faults.push(format!("{query:?} brings {found:?}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn dates_and_hyphenated_names_are_text() {
    let memory = "Deploy moved to 2026-03-31, see ADR-016";
    let others = [
        "ADR-015 is about queues",
        "the year 2026 in numbers",
        "kettle at 80 degrees",
    ];
    check(
        &[memory, others[0], others[1], others[2]],
        &[
            ("2026-03-31", First(memory)),
            ("ADR-016", First(memory)),
            ("-016", First(memory)),
        ],
    );
}

#[test]
fn everyday_punctuation_finds_its_own_memory() {
    let memories = [
        "it's raining in the harbour",
        "see gateway/run.py for the loop",
        "write to kim@example.com",
        "columns a,b are swapped",
        "nobody asked why? so far",
        "physics says e=mc2",
        "ticket #4821 is open",
        "a discount of 50% today",
        "the pouch costs $5",
        "we ship v2.21 tonight",
        "a contract with AT&T",
        "the letter is a [draft]",
        "the driver is written in C++",
        "the tool is written in C#",
        "the firmware is written in c",
        "the “release plan” is ready",
        "I don’t know the answer",
    ];
    check(
        &memories,
        &[
            ("it's", First(memories[0])),
            ("it’s", First(memories[0])),
            ("gateway/run.py", First(memories[1])),
            ("kim@example.com", First(memories[2])),
            ("a,b", First(memories[3])),
            ("why?", First(memories[4])),
            ("e=mc2", First(memories[5])),
            ("#4821", First(memories[6])),
            ("50%", First(memories[7])),
            ("$5", First(memories[8])),
            ("v2.21", First(memories[9])),
            ("AT&T", First(memories[10])),
            ("[draft]", First(memories[11])),
            ("C++", First(memories[12])),
            ("C#", First(memories[13])),
            ("\"release plan\"", First(memories[15])),
            ("“release plan”", First(memories[15])),
            ("don't", First(memories[16])),
            ("don’t", First(memories[16])),
        ],
    );
}

#[test]
fn operators_are_words() {
    let memory = "docker and kubernetes notes";
    let memories = [memory, "a recipe for soup", "the harbour at seven"];
    check(
        &memories,
        &[
            ("docker AND OR kubernetes", First(memory)),
            ("AND NOT docker", First(memory)),
            ("docker NOT", First(memory)),
            ("NOT docker", First(memory)),
            ("docker NEAR kubernetes", First(memory)),
            ("NEAR(docker kubernetes)", First(memory)),
            ("(docker", First(memory)),
            ("OR", Only(&[])),
            ("NEAR(", Only(&[])),
        ],
    );
}

#[test]
fn quotes_columns_and_brackets_are_text() {
    let memories = [
        "the secret recipe",
        "deploy at noon",
        "foo bar",
        "foo\"bar in a string",
        "x marks it",
    ];
    let nested = format!("{}deploy{}", "(".repeat(300), ")".repeat(300));
    let long = "deploy soup ".repeat(20_000);
    check(
        &memories,
        &[
            ("foo\"bar", First(memories[3])),
            ("\"unclosed", Only(&[])),
            ("content:secret", First(memories[0])),
            ("{content}:x", Within(&[memories[4]])),
            ("^deploy", First(memories[1])),
            (&nested, First(memories[1])),
            (&long, First(memories[1])),
        ],
    );
}

#[test]
fn blank_queries_list_nothing() {
    let memories = ["one kettle", "two kettles", "three kettles"];
    let blank = [
        "", "   ", "***", "--", "?!", "\u{200b}", "\t\r\n", "\u{0}", "\u{feff}",
    ];
    let queries: Vec<_> = blank.iter().map(|query| (*query, Only(&[]))).collect();
    check(&memories, &queries);
}

#[test]
fn one_missing_word_does_not_empty_a_question() {
    let memories = [
        "Redis cache TTL set to 300 seconds",
        "the cache of the browser",
        "用 BBDown 下载",
        "what we did about it",
    ];
    check(
        &memories,
        &[
            (
                "what did we decide about the redis cache ttl?",
                First(memories[0]),
            ),
            ("BBDown 视频下载工具", First(memories[2])),
            ("what did we", Found(&[memories[3]])),
        ],
    );
}

#[test]
fn wildcards_are_literal_and_case_is_folded_everywhere() {
    let memories = [
        "100% done",
        "100 items",
        "call file_name first",
        "the filename is long",
        "ПРИВЕТ мир",
        "重启服务",
        "ΑΘΗΝΑ in spring",
        "Ünal wrote",
    ];
    check(
        &memories,
        &[
            ("100%", First(memories[0])),
            ("file_name", First(memories[2])),
            ("привет", First(memories[4])),
            ("重启", First(memories[5])),
            ("αθηνα", First(memories[6])),
            ("ünal", First(memories[7])),
            ("UNAL", First(memories[7])),
            ("%", Within(&[memories[0]])),
            ("_", Within(&[memories[2]])),
        ],
    );
}

#[test]
fn short_and_long_runs_without_spaces_are_found() {
    let japanese = "今日は会議室の予約と数据库备份をした";
    let memories = [
        japanese,
        "db migration on friday",
        "飞书的插件需要重新配置",
        "ประชุมวันพรุ่งนี้ที่ห้องใหญ่",
    ];
    check(
        &memories,
        &[
            ("会議室", First(japanese)),
            ("会", First(japanese)),
            ("数据库", First(japanese)),
            ("备份", First(japanese)),
            ("db", First(memories[1])),
            ("备份 db", Found(&[japanese, memories[1]])),
            ("飞书插件配置结果", First(memories[2])),
            ("พรุ่งนี้", First(memories[3])),
            ("ห้อง", First(memories[3])),
            ("ที่", First(memories[3])),
        ],
    );
}

#[test]
fn routing_is_decided_per_term() {
    let inside: Vec<String> = (0..20)
        .map(|n| format!("第{n}天我们昨晚讨论了计划"))
        .collect();
    let mut memories: Vec<&str> = inside.iter().map(String::as_str).collect();
    memories.extend(["昨晚", "昨晚 下雨", "今天下雨"]);
    let (_sandbox, inspector) = Sandbox::with_records(&memories);
    let found = ask(&inspector, "昨晚");
    let right = found
        .iter()
        .filter(|result| result.content.contains("昨晚"))
        .count();
    assert_eq!(right, 22);
}

#[test]
fn other_forms_of_the_same_text_are_found() {
    let korean = "\u{1110}\u{1166}\u{1109}\u{1173}\u{1110}\u{1173} 문서";
    let memories = ["ﾊﾞｯｸｱｯﾌﾟ完了", "ＡＰＩキー更新", korean];
    check(
        &memories,
        &[
            ("バックアップ", First(memories[0])),
            ("ﾊﾞｯｸｱｯﾌﾟ", First(memories[0])),
            ("APIキー", First(memories[1])),
            ("ＡＰＩキー", First(memories[1])),
            ("테스트", First(memories[2])),
            (korean, First(memories[2])),
        ],
    );
}

#[test]
fn accents_are_optional_but_preferred() {
    let memories = [
        "Đường Nguyễn",
        "thé vert",
        "the plan",
        "caffè",
        "résumé",
        "Straße",
    ];
    check(
        &memories,
        &[
            ("duong", First(memories[0])),
            ("nguyen", First(memories[0])),
            ("Nguyễn", First(memories[0])),
            ("thé", Above(memories[1], memories[2])),
            ("caffe", First(memories[3])),
            ("cafe", Only(&[])),
            ("resume", First(memories[4])),
            ("strasse", First(memories[5])),
        ],
    );
}

#[test]
fn emoji_are_terms() {
    let memories = [
        "status 🔴 red",
        "status 🙄 meh",
        "👩‍💻 pairing",
        "status unknown",
    ];
    check(
        &memories,
        &[
            ("🔴", Only(&[memories[0]])),
            ("🙄", Only(&[memories[1]])),
            ("👩‍💻", Only(&[memories[2]])),
            ("status 🔴", First(memories[0])),
        ],
    );
}

#[test]
fn identifiers_are_found_whole_and_by_their_parts() {
    let memories = [
        "call atomic_write_json first",
        "an atomic write of json",
        "bug in getShippingMethodId",
        "XMLHttpRequest fails",
        "deploy uteke-cloud-dev tonight",
        "cloud over the dev team",
    ];
    check(
        &memories,
        &[
            ("atomic_write_json", First(memories[0])),
            ("atomic_write_json", Found(&[memories[1]])),
            ("atomic json", Found(&[memories[0], memories[1]])),
            ("getShippingMethodId", First(memories[2])),
            ("shipping method", Found(&[memories[2]])),
            ("http", Found(&[memories[3]])),
            ("uteke-cloud-dev", First(memories[4])),
        ],
    );
}

#[test]
fn zero_bytes_in_a_text_hide_nothing() {
    let hole = format!("before{}after", "\u{0}".repeat(10_291));
    let memories = [hole.as_str(), "pre\u{0}suf", "something else"];
    check(
        &memories,
        &[
            ("after", First(memories[0])),
            ("suf", First(memories[1])),
            ("before", First(memories[0])),
        ],
    );
}

#[test]
fn more_of_a_word_scores_higher() {
    let texts = [
        "redis redis redis redis redis one two",
        "redis redis three four five six seven",
        "redis eight nine ten eleven twelve more",
    ];
    let filler: Vec<String> = (0..20)
        .map(|n| format!("unrelated words number {n} about tea and rain"))
        .collect();
    let mut memories: Vec<&str> = texts.to_vec();
    memories.extend(filler.iter().map(String::as_str));
    let (_sandbox, inspector) = Sandbox::with_records(&memories);
    let found: Vec<String> = ask(&inspector, "redis")
        .into_iter()
        .map(|result| result.content)
        .collect();
    assert_eq!(found, texts);
}

#[test]
fn any_text_at_all_can_be_asked() {
    let (_sandbox, inspector) =
        Sandbox::with_records(&["one kettle", "大别山春茶", "call file_name first"]);
    let syntax = proptest::collection::vec(
        prop_oneof![
            Just("\"".to_owned()),
            Just("(".to_owned()),
            Just(")".to_owned()),
            Just("*".to_owned()),
            Just("AND ".to_owned()),
            Just("NEAR(".to_owned()),
            Just("-".to_owned()),
            Just(":".to_owned()),
            Just("content:".to_owned()),
            Just("^".to_owned()),
            Just("{".to_owned()),
            Just("kettle".to_owned()),
            Just("春茶".to_owned()),
            Just(" ".to_owned()),
            "\\PC{1,4}",
        ],
        0..12,
    )
    .prop_map(|parts| parts.concat());
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&prop_oneof![syntax, any::<String>()], |text| {
            ask(&inspector, &text);
            Ok(())
        })
        .unwrap();
    assert_eq!(ask(&inspector, "kettle").len(), 1, "the index is unharmed");
}

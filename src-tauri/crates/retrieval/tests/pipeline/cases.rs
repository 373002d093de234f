//! Failures that people met with other memories, as data: the memories, the query, what must come.

use memory::{Kind, Role};
use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::{Level, Mode, QueryKind, Status, TermName};

use crate::shelf::{NOW, check_account, note, shelf_of, texts};

/// Every query must have these memories first, in this order; ids count from 1.
fn check(memories: &[&str], cases: &[(&str, &[u32])]) {
    let shelf = texts(memories);
    for (query, wanted) in cases {
        let results = shelf.matched(query);
        let wanted: Vec<String> = wanted.iter().map(|id| format!("m{id}")).collect();
        assert!(
            results.starts_with(&wanted),
            "{query:?}: {results:?}, wanted {wanted:?} first"
        );
    }
}

/// Every query must find exactly these memories, in any order.
fn check_exactly(memories: &[&str], cases: &[(&str, &[u32])]) {
    let shelf = texts(memories);
    for (query, wanted) in cases {
        let mut results = shelf.matched(query);
        results.sort();
        let mut wanted: Vec<String> = wanted.iter().map(|id| format!("m{id}")).collect();
        wanted.sort();
        assert_eq!(results, wanted, "{query:?}");
    }
}

#[test]
fn dates_and_hyphenated_ids_are_text() {
    check(
        &[
            "Deploy moved to 2026-03-31, see ADR-016",
            "an unrelated note",
            "deploy of something else",
        ],
        &[("2026-03-31", &[1]), ("ADR-016", &[1]), ("-016", &[1])],
    );
}

#[test]
fn everyday_punctuation_finds_its_memory() {
    let memories = [
        "it's fine",
        "edit gateway/run.py first",
        "write to kim@example.com",
        "the pair a,b matters",
        "why? nobody knows",
        "remember e=mc2 always",
        "see #4821 for more",
        "up 50% this week",
        "costs $5 a month",
        "upgrade to v2.21 today",
        "a call with AT&T",
        "the [draft] is ready",
        "we like C++ a lot",
        "we like C# a lot",
        "the “release plan” is done",
        "don’t touch that",
        "c is a letter",
    ];
    check(
        &memories,
        &[
            ("it's", &[1]),
            ("gateway/run.py", &[2]),
            ("kim@example.com", &[3]),
            ("a,b", &[4]),
            ("why?", &[5]),
            ("e=mc2", &[6]),
            ("#4821", &[7]),
            ("50%", &[8]),
            ("$5", &[9]),
            ("v2.21", &[10]),
            ("AT&T", &[11]),
            ("[draft]", &[12]),
            ("C++", &[13]),
            ("C#", &[14]),
            ("“release plan”", &[15]),
            ("\"release plan\"", &[15]),
            ("don’t", &[16]),
            ("don't", &[16]),
        ],
    );
}

#[test]
fn operators_are_plain_words() {
    let memories = ["docker and kubernetes notes", "nothing about it"];
    let shelf = texts(&memories);
    for query in [
        "docker AND OR kubernetes",
        "AND NOT docker",
        "docker NOT",
        "docker NEAR kubernetes",
        "NOT docker",
    ] {
        assert_eq!(shelf.matched(query), ["m1"], "{query}");
    }
    for query in ["OR", "NEAR(", "AND NOT"] {
        let trace = shelf.ask(query);
        assert!(trace.results.is_empty(), "{query}");
        assert_eq!(trace.level, Level::Empty);
        assert!(!trace.stages[0].notes.is_empty());
    }
}

#[test]
fn no_text_is_syntax_and_nothing_lists_everything() {
    let memories: Vec<String> = (0..30)
        .map(|at| format!("note number {at} on ordinary things"))
        .collect();
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let shelf = texts(&memories);
    let nested = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    let long = "x".repeat(200_000);
    for query in [
        "foo\"bar",
        "\"unclosed",
        "content:secret",
        "{content}:x",
        "^deploy",
        "System.out.println(\"hello\")*",
        "NEAR(",
        "-016",
        "\"\"",
        "\"",
        "'",
        "*",
        nested.as_str(),
        long.as_str(),
        "",
        "   ",
        "***",
        "--",
        "?!",
        "\u{200B}",
        "_",
        "%",
        "\u{0}",
        "a\u{0}b",
    ] {
        let trace = shelf.ask_in(query, Mode::Lexical);
        assert!(
            trace.results.is_empty(),
            "{query:?} found {:?}",
            trace.results
        );
        assert!(
            trace
                .stages
                .iter()
                .all(|part| part.status != Status::Failed),
            "{query:?}"
        );
    }
    assert!(
        shelf.ask(&long).stages[0]
            .notes
            .iter()
            .any(|note| note.contains("2,000"))
    );
}

#[test]
fn one_missing_word_empties_no_question() {
    check(
        &[
            "Redis cache TTL set to 300 seconds",
            "BBDown 是一个下载器",
            "the plan for what we did",
        ],
        &[
            ("what did we decide about the redis cache ttl?", &[1]),
            ("BBDown 视频下载工具", &[2]),
        ],
    );
    let shelf = texts(&["to be or not to be", "other"]);
    assert_eq!(shelf.matched("to be or not to be"), ["m1"]);
}

#[test]
fn wildcards_are_literal_and_letter_case_folds() {
    check_exactly(
        &[
            "100% done",
            "100 items",
            "file_name",
            "filename",
            "ПРИВЕТ мир",
            "重启服务",
            "ÜNAL",
        ],
        &[
            ("привет", &[5]),
            ("重启", &[6]),
            ("_", &[]),
            ("%", &[]),
            ("ünal", &[7]),
        ],
    );
    check(
        &["100 items", "100% done", "filename", "file_name"],
        &[("100%", &[2]), ("file_name", &[4])],
    );
}

#[test]
fn chinese_and_japanese_are_found_at_every_length() {
    check_exactly(
        &[
            "今日は会議室の予約と数据库备份をした",
            "db migration",
            "unrelated",
        ],
        &[
            ("会議室", &[1]),
            ("会", &[1]),
            ("数据库", &[1]),
            ("备份", &[1]),
            ("db", &[2]),
            ("备份 db", &[1, 2]),
        ],
    );
}

#[test]
fn short_pieces_are_found_wherever_they_stand() {
    let mut memories: Vec<String> = (0..20).map(|at| format!("他昨晚{at}点才到家")).collect();
    memories.extend([
        "昨晚".to_owned(),
        "see 昨晚 there".to_owned(),
        "今天".to_owned(),
    ]);
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let shelf = texts(&memories);
    let trace = shelf.ask("昨晚");
    assert_eq!(trace.stage(Stage::Bm25).unwrap().items.len(), 22);
    assert_eq!(trace.terms[0].matched, Some(22));
}

#[test]
fn a_long_run_is_not_one_phrase() {
    let shelf = texts(&[
        "飞书的插件需要重新配置",
        "今天天气很好",
        "gateway服务在重启",
    ]);
    let trace = shelf.ask("飞书插件配置结果");
    assert_eq!(trace.results, ["m1"]);
    let keyword = &trace.stage(Stage::Bm25).unwrap().items[0];
    assert!(keyword.score > 0.0);
    assert!(
        keyword
            .terms
            .iter()
            .any(|term| term.name == TermName::Substring)
    );
    assert_eq!(shelf.matched("gateway"), ["m3"]);
}

#[test]
fn unicode_forms_meet() {
    check_exactly(
        &[
            "ﾊﾞｯｸｱｯﾌﾟ完了",
            "ＡＰＩキー更新",
            "\u{1110}\u{1166}\u{1109}\u{1173}\u{1110}\u{1173} \u{1106}\u{116E}\u{11AB}\u{1109}\u{1165}",
        ],
        &[
            ("バックアップ", &[1]),
            ("ﾊﾞｯｸｱｯﾌﾟ", &[1]),
            ("APIキー", &[2]),
            ("ＡＰＩキー", &[2]),
            ("테스트", &[3]),
        ],
    );
}

#[test]
fn thai_is_found_inside_its_run() {
    check_exactly(
        &["ประชุมวันพรุ่งนี้ที่ห้องใหญ่", "something else"],
        &[("พรุ่งนี้", &[1]), ("ห้อง", &[1]), ("ที่", &[1])],
    );
}

#[test]
fn diacritics_fold_but_the_accented_word_comes_first() {
    let memories = [
        "the plan",
        "Đường Nguyễn",
        "caffè",
        "résumé",
        "Straße",
        "thé vert",
        "the green tea the the",
    ];
    check_exactly(
        &memories,
        &[
            ("duong", &[2]),
            ("nguyen", &[2]),
            ("caffe", &[3]),
            ("cafe", &[]),
            ("strasse", &[5]),
            ("resume", &[4]),
        ],
    );
    check(&memories, &[("thé", &[6])]);
}

#[test]
fn emoji_are_looked_for_as_they_are() {
    check_exactly(
        &["status 🔴 red", "status 🙄 meh", "👩‍💻 pairing", "👩 alone"],
        &[
            ("🔴", &[1]),
            ("🙄", &[2]),
            ("👩‍💻", &[3]),
            ("status 🔴", &[1]),
        ],
    );
}

#[test]
fn identifiers_come_whole_before_split() {
    check(
        &[
            "atomic write of json",
            "call atomic_write_json first",
            "the uteke cloud dev box",
            "uteke-cloud-dev is up",
        ],
        &[
            ("atomic_write_json", &[2, 1]),
            ("atomic json", &[1, 2]),
            ("uteke-cloud-dev", &[4, 3]),
        ],
    );
}

#[test]
fn parts_of_camel_case_are_found_below_whole_words() {
    check(
        &[
            "bug in getShippingMethodId",
            "the shipping method is express",
            "new XMLHttpRequest",
            "http is a protocol",
        ],
        &[
            ("shipping method", &[2, 1]),
            ("http", &[4, 3]),
            ("getShippingMethodId", &[1]),
        ],
    );
}

#[test]
fn exact_things_come_first_in_hybrid_mode_too() {
    let shelf = texts(&[
        "errors in general: how we treat ERR codes and values such as 9021 or 17",
        "the worker failed with ERR_VAL_9021 on startup",
        "request 123e4567-e89b-42d3-a456-426614174000 was slow",
        "other request ids look like 123e4567 and so on",
        "fixed in commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "commit messages should be short",
        "the client lives in src/gateway/client.rs",
        "client.rs and gateway are discussed here",
        "write to mara.lind@example.org about billing",
        "example.org is the domain that mara manages",
        "C++ build flags",
        "C# build flags",
        "plan c is to build it later",
    ]);
    for (query, wanted) in [
        ("ERR_VAL_9021", "m2"),
        ("123e4567-e89b-42d3-a456-426614174000", "m3"),
        ("9fceb02", "m5"),
        ("src/gateway/client.rs", "m7"),
        ("mara.lind@example.org", "m9"),
        ("C++", "m11"),
    ] {
        let trace = shelf.ask(query);
        assert_eq!(
            trace.results.first().map(String::as_str),
            Some(wanted),
            "{query}: {:?}",
            trace.results
        );
        assert_eq!(trace.query_kind, QueryKind::Exact, "{query}");
    }
}

#[test]
fn keyword_scores_fall_strictly_with_term_frequency() {
    let mut memories = vec![
        "redis redis redis redis redis one two three four five".to_owned(),
        "redis redis one two three four five six seven eight".to_owned(),
        "redis one two three four five six seven eight nine".to_owned(),
    ];
    memories.extend(
        (0..20).map(|at| format!("note {at} about gardening in spring and other quiet things")),
    );
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let trace = texts(&memories).ask("redis");
    let items = &trace.stage(Stage::Bm25).unwrap().items;
    assert_eq!(
        items
            .iter()
            .map(|item| item.id.as_str())
            .collect::<Vec<_>>(),
        ["m1", "m2", "m3"]
    );
    assert!(
        items[0].score > items[1].score && items[1].score > items[2].score && items[2].score > 0.0
    );
}

#[test]
fn weight_zero_removes_a_leg_and_says_so() {
    let shelf = texts(&["redis cache", "postgres tables", "redis queue"]);
    let gathered = shelf.gather("redis cache", Mode::Hybrid);
    let with = |knn_weight, bm25_weight| {
        let constants = Constants {
            knn_weight,
            bm25_weight,
            ..Constants::default()
        };
        let trace = gathered.arrange(&constants, NOW);
        check_account(&trace);
        trace
    };
    let keyword_only = with(0.0, 1.0);
    assert!(
        keyword_only
            .stage(Stage::Fusion)
            .unwrap()
            .items
            .iter()
            .all(|item| {
                item.terms
                    .iter()
                    .all(|term| term.name == TermName::Bm25Part)
            })
    );
    let neither = with(0.0, 0.0);
    assert!(neither.results.is_empty());
    let fusion = neither.stage(Stage::Fusion).unwrap();
    assert!(
        fusion.status == Status::Skipped && fusion.reason.as_ref().unwrap().contains("weight 0")
    );
}

#[test]
fn required_and_excluded_text_binds_both_legs() {
    let shelf = texts(&[
        "the release plan is ready",
        "the plan for the release",
        "a release\nplan across lines",
        "deploy to staging",
        "deploy to production",
    ]);
    let mut found = shelf.found("\"release plan\"");
    found.sort();
    assert_eq!(found, ["m1", "m3"]);
    assert!(!shelf.found("deploy -staging").contains(&"m4".to_owned()));
    let trace = shelf.ask("\"no such words\" deploy");
    assert!(trace.results.is_empty());
    assert!(
        trace.stages[0]
            .notes
            .iter()
            .any(|note| note.contains("No memory contains"))
    );
}

#[test]
fn filters_act_in_both_legs() {
    let mut memories: Vec<_> = (0..60)
        .map(|at| note(&format!("deploy report number {at}")))
        .collect();
    memories[50].scope.agent = "codex".into();
    memories[51].role = Role::Tool;
    memories[52].tags = vec!["ops".into()];
    memories[53].expires_at = Some(NOW - 1);
    let shelf = shelf_of(memories);
    assert_eq!(shelf.found("deploy agent:codex"), ["m51"]);
    assert_eq!(shelf.found("deploy role:tool"), ["m52"]);
    assert_eq!(shelf.found("deploy tag:ops"), ["m53"]);
    let trace = shelf.ask("deploy");
    for part in &trace.stages {
        assert!(
            part.items.iter().all(|item| item.id != "m54"),
            "{:?} shows an expired memory",
            part.name
        );
    }
    let nobody = shelf.ask("deploy agent:nobody");
    assert!(
        !nobody.results.is_empty(),
        "no memory is of that agent, so it is text"
    );
    assert!(nobody.stages[0].notes[0].contains("No memory has the agent"));
}

#[test]
fn unknown_scripts_silence_the_semantic_leg_and_its_reranker() {
    let mut memories = vec!["大别山项目会议纪要".to_owned()];
    memories.extend((0..20).map(|at| format!("meeting note {at}")));
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let shelf = texts(&memories);
    for query in ["大别山", "项目", "项目会议"] {
        let trace = shelf.ask(query);
        assert_eq!(trace.results, ["m1"], "{query}");
        let knn = trace.stage(Stage::Knn).unwrap();
        assert_eq!(
            (knn.status, knn.reason.as_deref()),
            (Status::Skipped, Some("the model covers no CJK"))
        );
        assert_eq!(trace.stage(Stage::Rerank).unwrap().status, Status::Skipped);
        assert_eq!(trace.level, Level::KeywordOnly);
    }
}

#[test]
fn auto_falls_back_to_the_other_leg() {
    let shelf = texts(&["redis cache settings", "会議室の予約"]);
    let lexical = shelf.ask_in("ERR_VAL_9021", Mode::Auto);
    assert_eq!(
        lexical.effective_mode,
        Mode::Semantic,
        "keywords found nothing"
    );
    let semantic = shelf.ask_in("what about the redis cache", Mode::Auto);
    assert_eq!(semantic.effective_mode, Mode::Semantic);
    assert_eq!(semantic.stage(Stage::Bm25).unwrap().status, Status::Skipped);
    let keyword = shelf.ask_in("会議室", Mode::Auto);
    assert_eq!(
        (keyword.effective_mode, keyword.results.as_slice()),
        (Mode::Lexical, &["m2".to_owned()][..])
    );
}

#[test]
fn meaning_that_is_near_to_nothing_leaves_the_answer_to_keywords() {
    let inventory = "shelf ladder bucket broom paint nails rope canvas lantern stove kettle spoon \
                     cutlery blanket saw hammer chisel plane vice anvil bellows tongs rivet solder";
    let shelf = texts(&[inventory, "the deploy ran at noon"]);
    let words = shelf.ask_in("where is our cutlery", Mode::Auto);
    assert_eq!(
        (words.effective_mode, words.results.as_slice()),
        (Mode::Lexical, &["m1".to_owned()][..])
    );
    let knn = words.stage(Stage::Knn).unwrap();
    assert_eq!((knn.status, knn.count_out), (Status::Skipped, 0));
    let reason = knn.reason.as_deref().unwrap();
    assert!(reason.contains("below 0.25"), "{reason}");

    let neither = shelf.ask_in("what about violins", Mode::Auto);
    assert_eq!(neither.effective_mode, Mode::Semantic);
    assert_eq!(neither.stage(Stage::Knn).unwrap().status, Status::Ok);
    assert!(!neither.results.is_empty(), "far away, but all there is");
}

#[test]
fn new_overtakes_old_but_facts_stay() {
    let mut memories = vec![
        note("rotate the gateway keys every month"),
        note("rotate the gateway keys each month"),
    ];
    memories[0].created_at = Some(NOW - 21 * crate::shelf::DAY);
    let mut fact = note("the gateway contact is Ines, keys and all");
    fact.created_at = Some(NOW - 400 * crate::shelf::DAY);
    fact.kind = Kind::Fact;
    memories.push(fact);
    let results = shelf_of(memories).found("gateway keys");
    let place = |id: &str| results.iter().position(|found| found == id);
    assert!(place("m2") < place("m1"));
    assert!(place("m3").is_some());
}

#[test]
fn a_trashed_memory_is_gone_from_every_leg() {
    let shelf = texts(&["JWT tokens expire after an hour", "JWT tokens are signed"]);
    shelf
        .vault
        .write(|w| w.memories().trash(&[memory::MemoryId(1)], NOW))
        .unwrap();
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic] {
        let trace = shelf.ask_in("JWT tokens expire", mode);
        assert_eq!(trace.results, ["m2"], "{mode:?}");
        assert!(
            trace
                .stages
                .iter()
                .all(|part| part.items.iter().all(|item| item.id != "m1"))
        );
    }
}
